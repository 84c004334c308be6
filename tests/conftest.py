"""What many tests share: an engine on a file of its own, small projects made of real files."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from recollect.config import Settings
from recollect.engine import Engine

# How long an example takes says more about the machine than about the program.
settings.register_profile("recollect", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("recollect")

WORDS = [
    "retry", "delay", "socket", "parser", "config", "loader", "buffer", "index", "search", "query", "cache",
    "token", "stream", "handler", "render", "template", "session", "cookie", "header", "request", "response",
    "server", "client", "thread", "lock", "queue", "worker", "signal", "vector", "matrix", "graph", "node", "edge",
    "tree", "leaf", "root", "branch", "commit", "merge", "diff", "patch", "file", "folder", "path", "name", "value",
    "key", "record", "table",
]  # fmt: skip


@pytest.fixture
def make_engine(tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """Open engines that are closed after the test; all on one database unless told otherwise."""
    opened: list[Engine] = []

    def make(db: Path | None = None, *, once: bool = False, **settings: object) -> Engine:
        made = Engine(Settings(db=db or tmp_path / "db" / "recollect.db", **{"workers": 1, **settings}), once=once)  # type: ignore[arg-type]
        opened.append(made)
        return made

    yield make
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    return make_engine()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project in several languages."""
    root = tmp_path / "project"
    files = {
        "src/retry.py": (
            '"""Retrying of requests."""\n\n\ndef compute_retry_delay(attempt: int, base: float = 0.5) -> float:\n'
            '    """Return the seconds to wait before the next attempt: exponential backoff."""\n'
            "    return base * 2**attempt\n\n\nclass RetryPolicy:\n    limit = 5\n\n    def should_retry(self, attempt: int) -> bool:\n"
            "        return attempt < self.limit\n"
        ),
        "src/server.go": "package server\n\n// Listen accepts connections.\nfunc Listen(port int) error {\n\treturn nil\n}\n",
        "web/app.ts": "export function renderTemplate(name: string): string {\n  return `<b>${name}</b>`;\n}\n",
        "docs/guide.md": "# Guide\n\n## Installation\n\nInstall the package with pip.\n\n## Configuration\n\nSet the cookie lifetime in config.\n",
        "config.json": '{\n  "cookie": {"lifetime": 3600},\n  "retries": 5\n}\n',
        "tests/test_retry.py": "from src.retry import compute_retry_delay\n\n\ndef test_retry_delay_doubles():\n    assert compute_retry_delay(1) == 1.0\n",
    }
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return root


@pytest.fixture
def many_files(tmp_path: Path) -> Callable[..., Path]:
    """Write a folder of generated Python files of mixed words."""

    def write(count: int, *, seed: int = 0, name: str = "many") -> Path:
        rng = random.Random(seed)
        root = tmp_path / name
        for i in range(count):
            folder = root / f"pkg{i % 7}"
            folder.mkdir(parents=True, exist_ok=True)
            lines = []
            for j in range(rng.randint(1, 6)):
                a, b, c = rng.sample(WORDS, 3)
                lines += [f"def {a}_{b}_{i}_{j}({c}):", f'    """{a.title()} the {b} of a {c}."""', f"    {a} = {b}({c})",
                          *(f"    {rng.choice(WORDS)} = {rng.choice(WORDS)}.{rng.choice(WORDS)}" for _ in range(rng.randint(1, 9))), f"    return {a}", ""]  # fmt: skip
            (folder / f"{rng.choice(WORDS)}_{i}.py").write_text("\n".join(lines))
        return root

    return write
