"""The names a program may build on, and that importing them costs nothing until they are used."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import recollect

PUBLIC = {
    "Collection",
    "Document",
    "Engine",
    "Explanation",
    "Hit",
    "IndexReport",
    "Passage",
    "RecollectError",
    "SearchResponse",
    "Status",
    "__version__",
    "open",
}
HEAVY = ("numpy", "rich", "apsw", "simsimd", "tree_sitter", "platformdirs", "recollect.engine", "markdown_it", "yaml")


def _loaded(code: str) -> set[str]:
    """The heavy modules that `code` leaves loaded in a fresh interpreter."""
    script = f"{code}\nimport sys\nsys.stdout.write(' '.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(ran.stdout.split()) & set(HEAVY)


def test_the_public_names_are_these() -> None:
    assert set(recollect.__all__) == PUBLIC
    for name in PUBLIC:
        assert getattr(recollect, name) is not None


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    assert not hasattr(recollect, "opne")


def test_open_takes_a_path_and_settings() -> None:
    assert list(inspect.signature(recollect.open).parameters) == ["db_path", "settings"]


def test_importing_the_library_loads_nothing_heavy() -> None:
    assert _loaded("import recollect") == set()


def test_help_and_wrong_lines_load_nothing_heavy() -> None:
    code = """
import contextlib, io
from recollect.interfaces import cli
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    cli.main({words})
"""
    assert _loaded(code.format(words=["query", "--help"])) == set()
    assert _loaded(code.format(words=["query", "x", "--limit", "0", "--db", "x.db"])) <= {"platformdirs"}


def test_the_version_is_said_once() -> None:
    project = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.search(r'^version = "(.+)"$', project, re.M)
    assert declared is None or declared.group(1) == recollect.__version__
