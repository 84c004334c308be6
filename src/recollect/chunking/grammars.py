"""Which grammar belongs to a language, and a parser for it.

Not here: what the nodes mean (languages/). Wheels are imported when their language is first parsed; nothing
is ever downloaded. Parsers are kept per thread: they are cheap to reuse and not safe to share.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping

from tree_sitter import Language, Parser

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


class _Kept(threading.local):
    def __init__(self) -> None:
        self.parsers: dict[tuple[str, str], Parser] = {}


_KEPT = _Kept()


def parser(module: str, function: str = "language") -> Parser:
    """A parser of this thread for a grammar wheel (module name and the function that gives the language)."""
    found = _KEPT.parsers.get((module, function))
    if found is None:
        found = Parser(Language(getattr(importlib.import_module(module), function)()))
        _KEPT.parsers[module, function] = found
    return found
