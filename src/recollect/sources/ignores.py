"""Ignore files: which rules hold in a folder, and what they decide about its entries.

Two groups, each with the deepest file first: git's (.gitignore, then .git/info/exclude) and ours
(.recollectignore, then .ignore). Ours are asked first, so that `!docs/` in a .recollectignore brings back
what git ignores. A folder that is ignored is not entered, so nothing below it can be brought back: as in git.

Not here: git's global excludes (only git knows where they are), the built-in excludes (excludes).
"""

# Plain strings: asked for every folder of a walk.
# ruff: noqa: PTH123

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from recollect.sources.patterns import PatternError, Rule, RuleSet, parse_rule, translate, translate_path

GIT_IGNORE = ".gitignore"
OWN_IGNORES = (".recollectignore", ".ignore")
"""Our own ignore files, strongest first."""

# O_NONBLOCK: a pipe of that name would wait for a writer for ever. Windows has neither flag.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

MAX_IGNORE_BYTES = 4_000_000
"""An ignore file larger than this is not one; git itself stops at 100 MB."""


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one ignore file. `base` is the folder they are relative to, absolute, ending with "/"."""

    base: str
    rules: RuleSet

    def decide(self, name: str, path: str, is_folder: bool) -> bool | None:
        """Whether the entry at the absolute `path` is ignored (True), brought back (False), or neither."""
        relative = path[len(self.base) :]
        if not relative.isascii():
            name, relative = as_bytes(name), as_bytes(relative)
        return self.rules.decide(name, relative, is_folder)


@dataclass(frozen=True, slots=True)
class Ignores:
    """All rules that hold for the entries of one folder; the first file that decides wins."""

    git: tuple[IgnoreFile, ...] = ()
    recollect: tuple[IgnoreFile, ...] = ()
    ignore: tuple[IgnoreFile, ...] = ()

    def by_git(self, name: str, path: str, is_folder: bool) -> bool:
        """Whether git's rules ignore the entry."""
        return _first(self.git, name, path, is_folder) or False

    def by_own(self, name: str, path: str, is_folder: bool) -> bool | None:
        """Whether .recollectignore and .ignore ignore the entry (True), bring it back (False), or neither."""
        if not self.recollect and not self.ignore:
            return None
        own = _first(self.recollect, name, path, is_folder)
        return _first(self.ignore, name, path, is_folder) if own is None else own

    @property
    def can_bring_back(self) -> bool:
        """Whether one of our own files holds a rule with "!"."""
        return any(file.rules.has_negation for file in (*self.recollect, *self.ignore))

    def below(self, folder: str, names: frozenset[str] | None = None) -> Ignores:
        """The rules inside `folder` (absolute): these, and those of the ignore files in it.

        `names`, when known, are the entries of the folder; it saves trying to open what is not there.
        """
        found = {
            name: file
            for name in (GIT_IGNORE, *OWN_IGNORES)
            if (names is None or name in names) and (file := load(f"{folder}/{name}", folder)) is not None
        }
        if not found:
            return self
        return Ignores(
            git=_stacked(found, GIT_IGNORE, self.git),
            recollect=_stacked(found, OWN_IGNORES[0], self.recollect),
            ignore=_stacked(found, OWN_IGNORES[1], self.ignore),
        )

    def at_repository(self, info_exclude: IgnoreFile | None) -> Ignores:
        """The rules at the top of a git repository: an outer repository's do not reach into it, ours do."""
        return Ignores((info_exclude,) if info_exclude else (), self.recollect, self.ignore)


def _stacked(found: dict[str, IgnoreFile], name: str, rest: tuple[IgnoreFile, ...]) -> tuple[IgnoreFile, ...]:
    return (found[name], *rest) if name in found else rest


def _first(files: tuple[IgnoreFile, ...], name: str, path: str, is_folder: bool) -> bool | None:
    for file in files:
        decision = file.decide(name, path, is_folder)
        if decision is not None:
            return decision
    return None


def load(path: str, base: str) -> IgnoreFile | None:
    """Read the ignore file at `path`, whose rules are relative to `base`; None when it has no rules.

    A link is not followed (git does not either), and one that cannot be read gives no rules: it is listed
    like any file, and reading it is what reports it.
    """
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        rules = parse(file.read(MAX_IGNORE_BYTES))
    return IgnoreFile(base.rstrip("/") + "/", RuleSet(rules)) if rules else None


def parse(data: bytes) -> list[Rule]:
    """The rules of an ignore file. Lines that can never match are dropped silently, as git does."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")  # git compares bytes: one character each
    rules = []
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        pattern = _without_trailing_spaces(line.removesuffix("\r"))
        if not pattern:
            continue
        rule = parse_rule(pattern)
        try:
            (translate_path if rule.whole_path else translate)(rule.pattern)
        except PatternError:
            continue
        rules.append(rule)
    return rules


def _without_trailing_spaces(line: str) -> str:
    """Cut trailing spaces, but not one that a backslash protects; tabs stay (git cuts only spaces)."""
    kept = line.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return kept + " " if backslashes % 2 and len(kept) < len(line) else kept


def as_bytes(name: str) -> str:
    """A name as its bytes, one character each: the form in which ignore rules are compared."""
    return os.fsencode(name).decode("latin-1")
