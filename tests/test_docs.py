"""Documentation that fails the tests when it lies: README's blocks are run, generated pages are made again, links exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import recollect
from recollect.interfaces.arguments import build_parser, parse
from recollect.interfaces.reference import reference
from recollect.operations import OPERATIONS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "training").glob("*.md")])
INSTALLERS = {"pip", "pipx", "uv"}
"""Their lines need a network; what is checked is that they install this folder."""


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


SHELL = [line.split("  #")[0].split("   #")[0].strip() for block in _blocks("sh") for line in block.splitlines()]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as a reader of README would stand in, with a database and settings of its own beside it."""
    root = tmp_path_factory.mktemp("reader") / "project"
    (root / "src").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "src" / "retry.py").write_text(
        'def retry_delay(attempt: int) -> float:\n    """Exponential backoff: seconds to wait."""\n    return 0.5 * 2**attempt\n'
    )
    (root / "docs" / "guide.md").write_text("# Guide\n\n## Settings\n\nSettings are read from one file.\n")
    (root.parent / "recollect-user.toml").write_text("")
    return root


def _environment(project: Path) -> dict[str, str]:
    own = {
        "RECOLLECT_DB": str(project.parent / "reader.db"),
        "RECOLLECT_CONFIG": str(project.parent / "recollect-user.toml"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
    }
    return {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")} | own


def test_readme_has_the_blocks_these_tests_run() -> None:
    assert len(SHELL) >= 10
    assert len(_blocks("python")) >= 1


@pytest.mark.parametrize("line", SHELL)
def test_every_command_of_readme_works(line: str, project: Path) -> None:
    words = shlex.split(line)
    environment = _environment(project)
    while re.fullmatch(r"[A-Z_]+=.*", words[0]):
        name, value = words.pop(0).split("=", 1)
        environment[name] = value
    if words[0] == "make":
        words, folder = [*words[:1], "--dry-run", *words[1:]], ROOT
    elif words[0] in INSTALLERS:
        assert words[-2:] == ["install", "."]
        assert 'recollect = "recollect.__main__:main"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        return
    else:
        assert words[0] == "recollect"
        words, folder = [sys.executable, "-m", *words], project
    ran = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip(), f"{line} answered nothing: {ran.stderr}"


@pytest.mark.parametrize("block", _blocks("python"))
def test_every_python_block_of_readme_works(block: str, project: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        cwd=project.parent,
        env=_environment(project),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "src/retry.py:1-3" in ran.stdout
    assert "cleared at night" in ran.stdout


def test_readme_lists_every_command_and_setting() -> None:
    parser = build_parser()
    commands = {*OPERATIONS, "config", "eval"}
    assert set(re.findall(r"^\| `recollect ([a-z]+)", README, re.M)) == commands
    assert parser.prog == "recollect"
    from recollect.config import describe

    assert re.findall(r"^\| `([a-z_]+)` \|", README, re.M) == list(describe())


def test_the_command_lines_reference_is_as_the_table_says() -> None:
    """Write it again with `make docs` when this fails."""
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_that_pages_name_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z]+)", page.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.M), f"{page.name} names make {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_pages_show_can_be_parsed(page: Path) -> None:
    for line in re.findall(r"^    recollect (.+)$", page.read_text(encoding="utf-8"), re.M):
        if "[" not in line:
            parse(shlex.split(line))


def test_the_changelog_tells_of_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(recollect.__version__)}\] - \d{{4}}-\d\d-\d\d$", text, re.M)


def test_the_reasons_for_skipping_are_those_of_the_code() -> None:
    from recollect.sources import reasons

    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    block = page.split("| reason | meaning |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| ([a-zA-Z0-9 -]+?) \|", block, re.M)) == reasons.ALL
