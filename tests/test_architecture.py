"""The order of the house: layers as docs/architecture.md says, no cycles, ceilings, streams and environment in their place."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "recollect"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 80
MAX_PARAMETERS = 6

ENVIRONMENT = {"config.py", "sources/gitfiles.py", "indexing/workers.py"}
"""Who may touch the environment: settings, and those who hand it on to a process they start."""
STREAMS = {"interfaces/terminal.py", "interfaces/cli.py", "indexing/workers.py"}
"""Who may name the process's streams: the terminal, who gives them to it, and the workers, whose pipes they are."""
CATCHES_ALL = {"indexing/workers.py"}
"""Who may catch any exception: a worker, which carries it to its parent to be raised there."""

FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse((PACKAGE / file).read_text(encoding="utf-8"), file)


def _module(file: str) -> str:
    """The dotted name below the package: "stores", "stores.sqlite"; "" for the package itself."""
    return file.removesuffix(".py").removesuffix("__init__").strip("/").replace("/", ".")


MODULES = {_module(file): file for file in FILES}


def _part(module: str) -> str:
    return module.split(".")[0]


def _layers() -> list[list[str]]:
    block = re.search(r"```layers\n(.*?)```", PAGE, re.S)
    assert block is not None
    return [row.split() for row in block.group(1).strip().splitlines()]


LEVELS = {part: -number for number, row in enumerate(_layers()) for part in row}


def _only_for_types(tree: ast.Module) -> set[ast.stmt]:
    """Statements under `if TYPE_CHECKING:`: they never run, so they bind no layer to another."""
    found: set[ast.stmt] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            found |= {inner for statement in node.body for inner in ast.walk(statement) if isinstance(inner, ast.stmt)}
    return found


def _imports(file: str) -> Iterator[tuple[str, int]]:
    """The modules of the package that `file` imports when it runs, wherever the statement stands, with the line."""
    tree = _tree(file)
    skipped = _only_for_types(tree)
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "recollect":
                    yield alias.name.removeprefix("recollect").strip("."), node.lineno
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "recollect":
            base = (node.module or "").removeprefix("recollect").strip(".")
            for alias in node.names:
                inner = f"{base}.{alias.name}".strip(".")
                yield (inner if inner in MODULES else base), node.lineno


def test_every_part_of_the_package_has_its_place_in_the_layers() -> None:
    parts = {_part(module) for module in MODULES} - {""}
    assert parts == set(LEVELS)


def test_every_part_is_listed_with_its_question() -> None:
    listed = set(re.findall(r"^\| `([a-z_]+)(?:/|\.py)` \|", PAGE, re.M))
    assert listed == {_part(module) for module in MODULES} - {"", "__main__"}


@pytest.mark.parametrize("file", FILES)
def test_imports_point_downward(file: str) -> None:
    here = _part(_module(file))
    for target, line in _imports(file):
        there = _part(target)
        if there == here or here == "":
            continue
        assert LEVELS[there] < LEVELS[here], f"{file}:{line}: {here} may not import {there}"


@pytest.mark.parametrize("file", FILES)
def test_nothing_inside_imports_the_package_root(file: str) -> None:
    assert not [line for target, line in _imports(file) if target == ""]
    assert not [node.lineno for node in ast.walk(_tree(file)) if isinstance(node, ast.ImportFrom) and node.level]


def test_there_are_no_import_cycles() -> None:
    graph = {module: {target for target, _ in _imports(file)} - {module} for module, file in MODULES.items()}
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"cycle: {' -> '.join((*path[path.index(module) :], module))}"
        if module not in done:
            for target in sorted(graph[module]):
                visit(target, (*path, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())


@pytest.mark.parametrize("file", FILES)
def test_ceilings_hold(file: str) -> None:
    assert len((PACKAGE / file).read_text(encoding="utf-8").splitlines()) <= MAX_FILE_LINES
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < MAX_FUNCTION_LINES, f"{file}:{node.lineno} {node.name}"
            given = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            given = [name for name in given if name not in ("self", "cls")]
            assert len(given) <= MAX_PARAMETERS, f"{file}:{node.lineno} {node.name}({', '.join(given)})"


@pytest.mark.parametrize("file", FILES)
def test_every_file_says_what_it_is_for(file: str) -> None:
    assert ast.get_docstring(_tree(file)), f"{file} has no docstring"


@pytest.mark.parametrize("folder", sorted({file.split("/")[0] for file in FILES if "/" in file}))
def test_every_folder_opens_with_its_question(folder: str) -> None:
    if f"{folder}/__init__.py" not in FILES:
        pytest.fail(f"{folder}/ has no __init__.py")
    said = ast.get_docstring(_tree(f"{folder}/__init__.py")) or ""
    assert "?" in said.split("\n\n")[0] or ":" in said.split("\n\n")[0], f"{folder} opens with {said[:60]!r}"


@pytest.mark.parametrize("file", FILES)
def test_streams_and_environment_stay_in_their_places(file: str) -> None:
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"{file}:{node.lineno} prints"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
            if name in ("sys.stdout", "sys.stderr"):
                assert file in STREAMS, f"{file}:{node.lineno} uses {name}"
            if name in ("os.environ", "os.getenv", "os.environb"):
                assert file in ENVIRONMENT, f"{file}:{node.lineno} uses {name}"


@pytest.mark.parametrize("file", FILES)
def test_errors_are_caught_by_name(file: str) -> None:
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else ""
            broad = caught in ("", "Exception", "BaseException")
            assert not broad or file in CATCHES_ALL, f"{file}:{node.lineno}"


@pytest.mark.parametrize("file", FILES)
def test_classes_are_named_after_what_they_are(file: str) -> None:
    vague = ("Manager", "Service", "Controller", "Handler", "Factory", "Helper", "Util", "Utils")
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ClassDef):
            assert not node.name.endswith(vague), f"{file}:{node.lineno} {node.name}"
