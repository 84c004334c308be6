"""How each programming language writes comments and declarations, for finding comment and body pairs by line.

Tables and small predicates; not a parser. Not here: the pairs themselves (`code_pairs`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

EXTENSIONS = (
    {".py": "python", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript"}
    | {".ts": "typescript", ".tsx": "typescript", ".go": "go", ".rs": "rust", ".java": "java", ".kt": "kotlin"}
    | {".c": "c", ".h": "c", ".cpp": "cpp", ".cc": "cpp", ".hpp": "cpp", ".cxx": "cpp", ".cs": "csharp"}
    | {".rb": "ruby", ".php": "php", ".swift": "swift", ".scala": "scala", ".ex": "elixir", ".exs": "elixir"}
    | {".hs": "haskell", ".lua": "lua", ".zig": "zig", ".sh": "bash", ".bash": "bash", ".zsh": "bash", ".erl": "erlang"}
)
DOCUMENTS = {".md": "markdown", ".mdx": "markdown", ".markdown": "markdown", ".rst": "rst", ".sgml": "sgml"}


@dataclass(frozen=True, slots=True)
class Style:
    """`line` matches the start of a line comment; `block` says whether /* */ exists; `indented` whether
    indentation (or an `end` keyword) rather than braces closes a body."""

    line: re.Pattern[str]
    block: bool
    indented: bool


_SLASH = Style(re.compile(r"\s*//(?!/\s*<reference)"), block=True, indented=False)
_HASH = Style(re.compile(r"\s*#(?!!)"), block=False, indented=True)
_DASH = Style(re.compile(r"\s*--(?!\[)"), block=False, indented=True)
STYLES = {
    "python": _HASH,
    "ruby": _HASH,
    "bash": _HASH,
    "elixir": _HASH,
    "lua": _DASH,
    "haskell": _DASH,
    "erlang": Style(re.compile(r"\s*%"), block=False, indented=True),
    "php": Style(re.compile(r"\s*(//|#(?!\[))"), block=True, indented=False),
}


def style_of(language: str) -> Style:
    """The comment style of `language`; slashes and braces for those not in the table."""
    return STYLES.get(language, _SLASH)


MARKER = re.compile(r"^\s*(?:///?/?!?|#+!?:?|%+|--+\s?[|^]?|/?\*+!?/?|\{-\s?\|?)\s?")
ATTRIBUTE = re.compile(
    r"\s*(?:@[\w.]+(?:\(.*\))?\s*$|#!?\[|\[[\w<]|@spec|@since|@impl|template\s*<|pub\s+use|\[\[|-spec\b)"
)
DECLARATION = re.compile(
    r"\b(?:def|defp|defmacro|defmodule|func|fn|function|class|struct|interface|trait|enum|object|module|type|fun"
    r"|protocol|extension|record|data|newtype|instance|actor|impl|union|namespace|const|val|var|let|macro_rules!|static)"
    r"\s+(?:\([^)]*\)\s*)?`?(?:self\.)?([A-Za-z_][\w.]*[?!]?)"
)
ASSIGNED_FUNCTION = re.compile(
    r"([A-Za-z_$][\w$]*)\s*(?::|=)\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)"
)
CALLABLE = re.compile(r"([A-Za-z_]\w+)\s*(?:<[^<>]*>)?\(")
HASKELL_NAME = re.compile(r"^\s*([a-z_][\w']*)\s*::")
TEST_NAMES = (
    re.compile(r"""\b(?:it|test|should|specify|scenario)[\s(]+["'`]([^"'`]{12,120})["'`]"""),
    re.compile(r"\b(?:def|fn|func|function|void|fun|public void)\s+`?(?:test_?|Test_?|it_|should_)([A-Za-z]\w{9,80})"),
    re.compile(r"""\btest\s+"([^"]{12,120})"\s+(?:do|\{)"""),
)
