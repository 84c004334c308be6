"""R by top-level statements: a scanner for brackets, strings and comments, as there is no grammar wheel for R.

Not here: anything below the top level; that is not where R keeps its definitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.chunking.code import code_enrichment, unit_chunks
from recollect.chunking.limits import Limits
from recollect.chunking.outline import LINES, Unit, closed
from recollect.chunking.rules import IMPORTS, constant_case
from recollect.chunking.spans import Lines
from recollect.types import Chunk, Document, Symbol

# Strings may span lines; the bound keeps an unpaired quote from being searched for through a whole large file.
_TOKEN = re.compile(
    r"""[rR]"-*\((?s:.{0,5000}?)\)-*"|"(?:\\.|[^"\\]){0,5000}"|'(?:\\.|[^'\\]){0,5000}'|`[^`\n]*`|#[^\n]*|[{}()\[\]\n]"""
)
_ASSIGNMENT = re.compile(r"\s*(`[^`]+`|\"[^\"]+\"|[\w.]+)\s*(?:<<?-|=(?!=))\s*(.*)", re.DOTALL)
_FUNCTION = re.compile(r"function\b|\\\(")
_CLASS = re.compile(r"(?:R6::)?R6Class\b|(?:methods::)?setRefClass\b|(?:methods::)?setClass\b|(?:S7::)?new_class\b")
_CALL = re.compile(r"\s*(?:methods::)?(setClass|setRefClass|setGeneric|setMethod|setValidity)\(\s*[\"']([^\"']+)")
_IMPORT = re.compile(r"\s*(?:library|require|requireNamespace|source|suppressPackageStartupMessages)\(")
_CONTINUED = re.compile(r"(?:<-|[-+*/=,&|~<>^]|%[^%\s]*%|\|>|\bfunction\s*\([^)]*\)|\belse)\s*$")
_TAIL_CHARS = 300  # of a line, to see whether the statement goes on
_CALL_KINDS = {"setClass": "class", "setRefClass": "class", "setGeneric": "function", "setMethod": "method"}


def r_chunks(document: Document, lines: Lines, limits: Limits) -> tuple[Chunk, ...]:
    """Chunk an R source file by its top-level assignments."""
    units: list[Unit] = []
    comments = 0
    imports: list[str] = []
    for start, end in _statements(document.text, lines):
        text = lines.text(start, end)
        if all(line.lstrip().startswith("#") for line in text.split("\n") if line.strip()):
            comments = comments or start
            if end < lines.count and not lines.blank(end + 1):
                continue  # documentation of the next statement
            units.append(Unit(comments, end, LINES))
        else:
            unit = _unit(text, start, end)
            unit.start = comments or start
            if unit.kind == IMPORTS:
                imports.append(text)
            units.append(unit)
        comments = 0
    enrich = code_enrichment(document.path, imports, limits)
    return unit_chunks(document.language, closed(units, lines), lines, limits, enrich)


def _unit(text: str, start: int, end: int) -> Unit:
    if _IMPORT.match(text):
        return Unit(start, end, IMPORTS)
    name, kind = _definition(text)
    if not name:
        return Unit(start, end, LINES)
    return Unit(start, end, kind, "", [name], [Symbol(name, kind, start, end)])


def _definition(text: str) -> tuple[str, str]:
    """Name and kind of what a top-level statement defines, or two empty strings."""
    assigned = _ASSIGNMENT.match(text)
    if assigned:
        name, value = assigned[1].strip('`"'), assigned[2]
        if _FUNCTION.match(value):
            return name, "function"
        return name, "class" if _CLASS.match(value) else constant_case(name, "variable")
    called = _CALL.match(text)
    return (called[2], _CALL_KINDS.get(called[1], "function")) if called else ("", "")


def _statements(text: str, lines: Lines) -> Iterator[tuple[int, int]]:
    """Lines of top-level statements: a statement goes on inside brackets and after an operator."""
    depths = _depths(text, lines.count)
    start = 0
    for line in range(1, lines.count + 1):
        blank = lines.blank(line)
        if not start:
            if blank:
                continue
            start = line
        if depths[line] > 0:
            continue
        comment = lines.lines[line - 1].lstrip().startswith("#")
        if not blank and not comment and _CONTINUED.search(_code(lines.lines[line - 1])) and line < lines.count:
            continue
        yield start, line
        start = 0
    if start:
        yield start, lines.count


def _code(line: str) -> str:
    """The end of a line's code, without a comment."""
    return line.split(" #", 1)[0][-_TAIL_CHARS:]


def _depths(text: str, count: int) -> list[int]:
    """Open brackets and strings at the end of every line (index 0 is unused)."""
    depths = [0] * (count + 1)
    depth, line = 0, 1
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "\n":
            depths[line] = depth
            line += 1
        elif token in "{([":
            depth += 1
        elif token in "})]":
            depth = max(depth - 1, 0)
        elif "\n" in token:
            for _ in range(token.count("\n")):
                depths[line] = depth + 1
                line += 1
    if line <= count:
        depths[line] = 0
    return depths
