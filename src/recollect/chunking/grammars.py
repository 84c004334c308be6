"""Which grammar belongs to a language, and a parser for it.

Not here: what the nodes mean (languages/). Wheels are imported when their language is first parsed; nothing
is ever downloaded. Parsers are kept per thread: they are cheap to reuse and not safe to share.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Mapping

from tree_sitter import Language, Node, Parser

from recollect.chunking.languages import (
    c_family,
    declarative,
    functional,
    javascript,
    object_oriented,
    scripting,
    systems,
)
from recollect.chunking.rules import Grammar

GRAMMARS: Mapping[str, Grammar] = {
    "bash": scripting.BASH,
    "c": c_family.C,
    "cpp": c_family.CPP,
    "csharp": object_oriented.C_SHARP,
    "css": declarative.CSS,
    "dart": object_oriented.DART,
    "elixir": functional.ELIXIR,
    "go": systems.GO,
    "haskell": functional.HASKELL,
    "java": object_oriented.JAVA,
    "javascript": javascript.JAVASCRIPT,
    "kotlin": object_oriented.KOTLIN,
    "lua": scripting.LUA,
    "php": scripting.PHP,
    "python": scripting.PYTHON,
    "ruby": scripting.RUBY,
    "rust": systems.RUST,
    "scala": object_oriented.SCALA,
    "sql": declarative.SQL,
    "swift": object_oriented.SWIFT,
    "tsx": javascript.TSX,
    "typescript": javascript.TYPESCRIPT,
    "zig": systems.ZIG,
}


# Some grammars (Kotlin, Lua, Haskell) take minutes to recover from errors in a few kilobytes. So that chunks do not
# depend on the machine's load, work is counted rather than timed: the parser reports once in about 100 steps, at
# most 0.02 times a byte on real files, 0.07 on the densest valid ones ("1,1,1,1"). Where single steps are slow,
# the thread's own processor time is the last resort.
_SLACK = 300
_STEPS_PER_BYTE = 1 / 8
_STEPS_PER_BYTE_AFTER_ERROR = 1 / 20
_MOST_SECONDS = 3.0  # a real file of 1 MB takes 0.2
_PIECE_BYTES = 1 << 16


class Unparsable(ValueError):
    """The text is not in the language that its name promises, or not recoverably so."""


class _Kept(threading.local):
    def __init__(self) -> None:
        self.parsers: dict[tuple[str, str], Parser] = {}


_KEPT = _Kept()


def parse(text: str, module: str, function: str = "language") -> Node:
    """The root of a text's syntax tree, by a grammar wheel (module name and the function that gives the language).

    Raises Unparsable when recovering from syntax errors would take too long.
    """
    source = text.encode("utf-8", "surrogatepass")
    most = _SLACK + len(source) * _STEPS_PER_BYTE
    most_after_error = _SLACK + len(source) * _STEPS_PER_BYTE_AFTER_ERROR
    deadline = time.thread_time() + _MOST_SECONDS
    steps = steps_after_error = 0

    def exhausted(_offset: int, error: bool) -> bool:
        nonlocal steps, steps_after_error
        steps += 1
        steps_after_error += error
        late = steps & 15 == 0 and time.thread_time() > deadline
        return late or steps > most or steps_after_error > most_after_error

    parser = _parser(module, function)
    try:
        tree = parser.parse(lambda start, _point: source[start : start + _PIECE_BYTES], progress_callback=exhausted)
    except ValueError as error:
        parser.reset()
        raise Unparsable(module) from error
    # Nodes of this tree would read their text through the callback, slowly. Parsing the bytes with the tree at hand
    # costs a tenth of the first time and gives nodes that read them directly.
    return parser.parse(source, tree).root_node


def _parser(module: str, function: str) -> Parser:
    """This thread's parser."""
    found = _KEPT.parsers.get((module, function))
    if found is None:
        found = Parser(Language(getattr(importlib.import_module(module), function)()))
        _KEPT.parsers[module, function] = found
    return found
