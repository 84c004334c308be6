"""The pattern language of .gitignore: parse a line, and find the last rule that decides about a path.

It follows git's wildmatch to the letter, because what git lists and what our own walk lists must be the
same set. pathspec 1.1.1 was measured against git first: it differs on `foo/**/`, `a[!x]b`, `[[:alpha:]]`,
`[a\\]b]`, `x**/y` and trailing tabs, raises on `[z-a]` and a trailing backslash, takes `?` for a whole
character where git takes a byte, and needs time exponential in the number of stars.

Not here: which files hold rules and how they outrank each other (ignores), a user's globs (globs).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

STAR = "*"
DIRECTORIES = "**/"
ANYTHING = "**"
_SPECIAL = re.compile(r"[*?\[\\]")
_EXTENSION = re.compile(r"\*\.[^*?\[\\.]*")

# POSIX classes as git's own ctype has them: ASCII only.
_CLASSES: dict[str, str] = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class PatternError(ValueError):
    """A pattern that can never match: an unclosed bracket, an unknown class, a trailing backslash."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern. `pattern` is without "!" and outer slashes; `whole_path` says it held a slash."""

    pattern: str
    negated: bool = False
    folders_only: bool = False
    whole_path: bool = False


def parse_rule(pattern: str) -> Rule:
    """Take a pattern apart into its "!", its trailing and leading slash, and the rest."""
    negated = pattern.startswith("!")
    if negated:
        pattern = pattern[1:]
    folders_only = pattern.endswith("/")
    if folders_only:
        pattern = pattern[:-1]
    whole_path = "/" in pattern
    return Rule(pattern.removeprefix("/"), negated, folders_only, whole_path)


def translate(pattern: str) -> str:
    """Make a regular expression (for `fullmatch`, with DOTALL) from a pattern.

    "*" and "?" never match a slash; "**" does where it stands alone between slashes or ends. Raises
    PatternError when the pattern can never match.
    """
    return _assemble(_tokens(pattern))


def translate_path(pattern: str) -> str:
    """Like `translate`, for a pattern that is compared with a whole path.

    Git compares the part before the first wildcard by itself and then forgets it, so that "x**/y" means
    "x", then "**/y": a quirk, kept because the set of files must be git's.
    """
    special = _SPECIAL.search(pattern)
    cut = special.start() if special else len(pattern)
    return re.escape(pattern[:cut]) + translate(pattern[cut:])


def _tokens(pattern: str) -> list[str]:
    """Regular expressions of single characters, mixed with the three wildcards that need an outlook."""
    tokens: list[str] = []
    at, end = 0, len(pattern)
    while at < end:
        character = pattern[at]
        if character == "*":
            token, at = _stars(pattern, at)
        elif character == "?":
            token, at = "[^/]", at + 1
        elif character == "[":
            token, at = _bracket(pattern, at + 1)
        elif character == "\\":
            if at + 1 == end:
                raise PatternError("ends with a backslash")
            token, at = re.escape(pattern[at + 1]), at + 2
        else:
            token, at = re.escape(character), at + 1
        tokens.append(token)
    return tokens


def _stars(pattern: str, start: int) -> tuple[str, int]:
    at = start
    while at < len(pattern) and pattern[at] == "*":
        at += 1
    alone = at - start > 1 and (start == 0 or pattern[start - 1] == "/")
    if alone and at == len(pattern):
        return ANYTHING, at
    if alone and pattern[at] == "/":
        return DIRECTORIES, at + 1
    if alone and pattern.startswith("\\/", at):
        return DIRECTORIES, at + 2
    return STAR, at


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The expression of a bracket whose first character is at `at`, and the place after it."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    items: list[str] = []
    previous = ""
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        character = pattern[at : at + 1]
        if character == "-" and previous and pattern[at + 1 : at + 2] not in ("", "]"):
            upper, at = _member(pattern, at + 1)
            if previous <= upper:
                items.append(f"{re.escape(previous)}-{re.escape(upper)}")
            previous = ""
        elif character == "[" and (name := _class_name(pattern, at)) is not None:
            if name not in _CLASSES:
                raise PatternError(f"names an unknown class [:{name}:]")
            items.append(_CLASSES[name])
            at += len(name) + 4
            previous = ""
        else:
            previous, at = _member(pattern, at)
            items.append(re.escape(previous))
    if negated:
        return f"[^/{''.join(items)}]", at + 1
    return f"(?!/)[{''.join(items)}]", at + 1


def _member(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at : at + 1] == "\\":
        at += 1
    if at >= len(pattern):
        raise PatternError("has a bracket that is not closed")
    return pattern[at], at + 1


def _class_name(pattern: str, at: int) -> str | None:
    """The name in "[:name:]" at `at`, or None where the bracket is an ordinary member."""
    if not pattern.startswith("[:", at):
        return None
    close = pattern.find("]", at + 2)
    if close < 0:
        raise PatternError("has a bracket that is not closed")
    return pattern[at + 2 : close - 1] if close > at + 2 and pattern[close - 1] == ":" else None


def _assemble(tokens: Sequence[str]) -> str:
    """Join tokens so that matching never takes exponential time: ignore files come from strangers.

    The part between two "**/" holds whole names, and the later "**/" takes any folders: the first place
    where the part fits is as good as any other, so it may be atomic (tried once, never reconsidered).
    """
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == DIRECTORIES:
            parts.append([])
        else:
            parts[-1].append(token)
    first, *middle = (_assemble_part(part) for part in parts)
    if not middle:
        return first
    return first + "".join(f"(?>(?:.*?/)??{part})" for part in middle[:-1]) + f"(?:.*/)?{middle[-1]}"


def _assemble_part(tokens: Sequence[str]) -> str:
    """Join tokens without "**/"; a star that another follows takes the first place that fits, atomically."""
    out: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        stop = at + 1
        while stop < len(tokens) and tokens[stop] not in (STAR, ANYTHING):
            stop += 1
        fixed = "".join(tokens[at + 1 : stop])
        if token == STAR and tokens[stop : stop + 1] == [STAR]:
            out.append(f"(?>[^/]*?{fixed})")
        else:
            out.append({STAR: "[^/]*", ANYTHING: ".*"}.get(token, token) + fixed)
        at = stop
    return "".join(out)


class RuleSet:
    """The rules of one file, in order, compiled so that the last one that matches is found fast."""

    __slots__ = ("_files", "_folders", "has_negation")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.has_negation = any(rule.negated for rule in rules)
        numbered = list(enumerate(rules))
        self._folders = _Table(numbered)
        self._files = _Table([(number, rule) for number, rule in numbered if not rule.folders_only])

    def decide(self, name: str, path: str, is_folder: bool) -> bool | None:
        """Whether the last matching rule takes the entry (True), gives it back (False), or None matches.

        `path` is relative to where the rules stand, `name` its last part. Only the entry itself is
        looked at, not the folders above it.
        """
        return (self._folders if is_folder else self._files).decide(name, path)


class _Table:
    """Rules by what it costs to try them: whole names, extensions, then expressions on names and paths."""

    __slots__ = ("_extensions", "_name_globs", "_names", "_path_globs", "_signs")

    def __init__(self, rules: Iterable[tuple[int, Rule]]) -> None:
        self._names: dict[str, int] = {}
        self._extensions: dict[str, int] = {}
        self._signs: dict[int, bool] = {}
        name_globs: list[tuple[int, str]] = []
        path_globs: list[tuple[int, str]] = []
        for number, rule in rules:
            self._signs[number] = not rule.negated
            if rule.whole_path:
                path_globs.append((number, translate_path(rule.pattern)))
            elif not _SPECIAL.search(rule.pattern):
                self._names[rule.pattern] = number
            elif _EXTENSION.fullmatch(rule.pattern):
                self._extensions[rule.pattern[2:]] = number
            else:
                name_globs.append((number, translate(rule.pattern)))
        self._name_globs = _Expressions(name_globs)
        self._path_globs = _Expressions(path_globs)

    def decide(self, name: str, path: str) -> bool | None:
        best = self._names.get(name, -1)
        if self._extensions:
            _, dot, extension = name.rpartition(".")
            if dot:
                best = max(best, self._extensions.get(extension, -1))
        best = self._path_globs.last_match(path, self._name_globs.last_match(name, best))
        return self._signs[best] if best >= 0 else None


class _Expressions:
    """Numbered expressions: all in one for the common case that none matches, then one by one."""

    __slots__ = ("_any", "_each")

    def __init__(self, expressions: Sequence[tuple[int, str]]) -> None:
        joined = "|".join(f"(?:{expression})" for _, expression in expressions)
        self._any = re.compile(joined, re.DOTALL).fullmatch if expressions else None
        compiled = [(number, re.compile(expression, re.DOTALL)) for number, expression in expressions]
        self._each = compiled[::-1]

    def last_match(self, text: str, floor: int) -> int:
        """The highest number above `floor` whose expression matches `text`, else `floor`."""
        if self._any is None or self._any(text) is None:
            return floor
        for number, expression in self._each:
            if number <= floor:
                break
            if expression.fullmatch(text):
                return number
        return floor
