"""The command line's reference page, made from the operations table: `python -m recollect.interfaces.reference FILE`.

A test makes the page again and compares, so that docs/cli.md cannot lie. Not here: `--help` (argparse does that).
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from annotated_doc import Doc
from annotated_types import Ge, Le

from recollect.config import PROJECT_KEYS, Settings
from recollect.interfaces.arguments import (
    CONFIG_SUMMARY,
    EVAL_SUMMARY,
    FORMATS,
    REQUEST_SETTINGS,
    SEARCHES,
    build_parser,
    flags_of,
)
from recollect.operations import OPERATIONS, Operation

_HEAD = """\
# Command line

This page is made from the operations table (`make docs`); do not edit it. Each command says the same with `--help`.

Answers go to stdout, everything else to stderr. Exit status: 0 answered (also when nothing was found), 1 the world is
not ready (database, embedder, disk), 2 the request is wrong, 130 interrupted. With `--json`, an error is one object on
stderr: `{"error": {"code", "message", "hint"}}`.

A query needs no quotes: `recollect query where is the retry delay computed`. Words in double quotes and `-term` are
strict; a query that starts with a dash goes in quotes or after `--`.
"""


def reference() -> str:
    """Return the reference page as Markdown."""
    parts = [_HEAD, *(_operation(operation) for operation in OPERATIONS.values()), _extra("config", CONFIG_SUMMARY)]
    return "\n".join([*parts, _extra("eval", EVAL_SUMMARY), _formats(), _settings()])


def main(words: Sequence[str] | None = None) -> int:
    """Write the reference page to the file named."""
    parser = argparse.ArgumentParser(description="Write the command line's reference page.")
    parser.add_argument("file", type=Path)
    parser.parse_args(words).file.write_text(reference(), encoding="utf-8")
    return 0


def _operation(operation: Operation) -> str:
    hints = typing.get_type_hints(operation.request, include_extras=True)
    flags = flags_of(operation)
    rows = []
    for f in dataclasses.fields(operation.request):
        flag = " ".join(f"`{name}`" for name in flags[f.name]) or f"`{f.name.upper()}`"
        rows.append((flag, _meaning(hints[f.name], f.default)))
    if operation.name in SEARCHES:
        rows.append(("`--full`", "Show whole chunks, not the best lines."))
    usage = " ".join([f"recollect {operation.name}", *(_word(operation, name) for name in operation.positional)])
    lines = [f"## {operation.name}", "", operation.summary, "", f"    {usage} [options]", ""]
    return "\n".join([*lines, *(_table(("Argument", "Meaning"), rows) if rows else [])])


def _word(operation: Operation, name: str) -> str:
    hint = typing.get_type_hints(operation.request)[name]
    return "[NAME …]" if typing.get_origin(hint) is tuple else name.upper()


def _meaning(hint: Any, default: object) -> str:
    said = next(part.documentation for part in typing.get_args(hint) if isinstance(part, Doc))
    inner = typing.get_args(hint)[0]
    low = next((part.ge for part in typing.get_args(hint) if isinstance(part, Ge)), None)
    high = next((part.le for part in typing.get_args(hint) if isinstance(part, Le)), None)
    if low is not None and high is not None:
        said += f" From {low:,} to {high:,}."
    if typing.get_origin(inner) is tuple:
        said += " May be repeated."
    elif inner is bool and default is True:
        said += " On; `--no-…` turns it off."
    elif default not in (None, False, dataclasses.MISSING):
        said += f" Default: {default:,}." if isinstance(default, int | float) else f" Default: `{default}`."
    return said


def _extra(command: str, summary: str) -> str:
    rows = [(flag, text) for flag, text in _parsed(command) if not text.startswith(("One of ", "Short for "))]
    return "\n".join([f"## {command}", "", summary, "", *(_table(("Argument", "Meaning"), rows) if rows else [])])


def _parsed(command: str) -> Iterator[tuple[str, str]]:
    """The arguments of a command without a request record, as argparse holds them."""
    everywhere = {"--" + name.replace("_", "-") for name in _setting_names()} | {"--quiet", "--verbose", "--help"}
    subparsers = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    for action in subparsers.choices[command]._actions:
        if not everywhere & set(action.option_strings):
            names = action.option_strings or [str(action.metavar)]
            yield " ".join(f"`{name}`" for name in names), str(action.help)


def _formats() -> str:
    meanings = {
        "terminal": "For people: highlighted with links on a terminal, plain in a pipe or with `NO_COLOR`.",
        "json": "The response record, as the library returns it. `--json` for short.",
        "markdown": "A citation and a fenced block for each hit. Searches and `get`.",
        "paths": "`path:start-end`, one a line. Searches and `get`.",
    }
    rows = [(f"`{name}`", meanings[name]) for name in FORMATS]
    return "\n".join(
        ["## Formats", "", "`--format FORMAT`, for every command:", "", *_table(("Format", "Answer"), rows)]
    )


def _settings() -> str:
    hints = typing.get_type_hints(Settings, include_extras=True)
    rows = []
    for f in dataclasses.fields(Settings):
        flag = "" if f.name in REQUEST_SETTINGS else f"`--{f.name.replace('_', '-')}`"
        default = f.default if f.default is not dataclasses.MISSING else None
        rows.append((f"`{f.name}`", flag, f"`RECOLLECT_{f.name.upper()}`", _meaning(hints[f.name], default)))
    harmless = ", ".join(f"`{name}`" for name in sorted(PROJECT_KEYS))
    head = f"""\
## Settings

From strongest to weakest: arguments (before or after the command), environment, `recollect.toml`, default.
`recollect config` shows each with its origin. The file lies in the user's configuration folder, or where
`RECOLLECT_CONFIG` says. A project's own `recollect.toml` may only set {harmless}: a cloned
repository must not choose where data lies or which model reads it. `--quiet` leaves answers and errors only,
`--verbose` adds every skipped file, the log and tracebacks.
"""
    return "\n".join([head, *_table(("Setting", "Argument", "Variable", "Meaning"), rows)])


def _setting_names() -> list[str]:
    return [f.name for f in dataclasses.fields(Settings)]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    escaped = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {row} |" for row in escaped), ""]


if __name__ == "__main__":
    sys.exit(main())
