"""Real folders and real git repositories, without the settings of whoever runs the tests."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Plant = Callable[..., Path]


@pytest.fixture(autouse=True)
def own_git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of our own: no global excludes, no user configuration."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    yield home


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Write files below a root from {path: text}; with git=True the root is a repository."""

    def plant_files(files: dict[str, str] | None = None, *, git: bool = False, at: str = "root") -> Path:
        root = tmp_path / at
        root.mkdir(parents=True, exist_ok=True)
        if git:
            run_git(root, "init", "-q")
        for path, text in (files or {}).items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        return root

    return plant_files


def run_git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def git() -> Callable[..., None]:
    return run_git
