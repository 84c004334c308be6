"""A user's --include and --exclude globs, made into a test of paths.

They mean what they mean in .gitignore (`*.py` anywhere, `docs/` everything below, `src/**/*.ts`), with
three differences that typing by hand calls for: a glob that cannot match is an error instead of silence,
`{a,b}` is expanded, and Unicode forms do not matter (macOS writes é as two characters).

Not here: ignore files (ignores), the pattern language itself (patterns).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from recollect.errors import InvalidRequest
from recollect.sources.patterns import PatternError, RuleSet, parse_rule, translate

MAX_ALTERNATIVES = 256
"""How many globs one glob with braces may stand for."""

_BRACES = re.compile(r"(?<!\\)\{([^{}]*,[^{}]*)\}")


def compile_globs(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Make a test that says whether a path matches any of `patterns`.

    Paths are relative with "/" between names. Later patterns outrank earlier ones, so that `src/` then
    `!src/generated/` takes all of src but generated. No patterns match nothing.
    Raises InvalidRequest for a glob that is empty, absolute, malformed, or leads out of the root.
    """
    globs = [glob for pattern in patterns for glob in expand_braces(_checked(pattern))]
    if globs and all(glob.startswith("!") for glob in globs):
        raise InvalidRequest(
            f"The glob {patterns[0]!r} only takes away.", hint="Put what to match first, or use --exclude."
        )
    rules = RuleSet([parse_rule(glob) for glob in globs])
    folders: dict[str, bool | None] = {"": None}

    def folder(path: str) -> bool | None:
        if path not in folders:
            parent, _, name = path.rpartition("/")
            own = rules.decide(name, path, True)
            folders[path] = folder(parent) if own is None else own
        return folders[path]

    def matches(path: str) -> bool:
        if not globs:
            return False
        path = normal(path)
        parent, _, name = path.rpartition("/")
        own = rules.decide(name, path, False)
        return bool(folder(parent) if own is None else own)

    return matches


def normal(text: str) -> str:
    """The NFC form, which both sides of every comparison of names use."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def expand_braces(pattern: str) -> list[str]:
    """The globs that `{a,b}` stands for; braces without a comma are ordinary characters.

    Raises InvalidRequest when there would be more than MAX_ALTERNATIVES.
    """
    done: list[str] = []
    todo = [pattern]
    while todo:
        glob = todo.pop()
        braces = _BRACES.search(glob)
        if braces is None:
            done.append(glob)
        else:
            before, after = glob[: braces.start()], glob[braces.end() :]
            todo.extend(f"{before}{choice}{after}" for choice in reversed(braces[1].split(",")))
        if len(done) + len(todo) > MAX_ALTERNATIVES:
            raise InvalidRequest(
                f"The glob {_shown(pattern)} stands for more than {MAX_ALTERNATIVES} globs.",
                hint="Give several simpler globs.",
            )
    return done


def _checked(pattern: str) -> str:
    """The glob in NFC with a leading "./" made an anchor, or InvalidRequest."""
    glob = normal(pattern)
    sign = "!" if glob.startswith("!") else ""
    body = glob.removeprefix("!")
    if not body.strip():
        raise InvalidRequest("A glob is empty.", hint='Give a glob like "*.py" or "docs/".')
    if "\0" in body:
        raise InvalidRequest(f"The glob {_shown(pattern)} holds a NUL character.", hint="Remove it.")
    if body.startswith("/") or re.match(r"[A-Za-z]:[\\/]", body):
        raise InvalidRequest(
            f"The glob {_shown(pattern)} is absolute.",
            hint='Globs are relative to the collection\'s root: "./src/*.py" is src at the root itself.',
        )
    if ".." in body.split("/"):
        raise InvalidRequest(
            f"The glob {_shown(pattern)} leads out of the root.",
            hint='Globs cannot hold "..": index that folder itself.',
        )
    anchored = body.startswith("./")
    body = body.removeprefix("./")
    try:
        for part in expand_braces(body):
            translate(part)
    except PatternError as error:
        raise InvalidRequest(
            f"The glob {_shown(pattern)} {error}.", hint='Write a literal bracket or backslash as "\\[" or "\\\\".'
        ) from error
    if not body.strip("/"):
        raise InvalidRequest(f"The glob {_shown(pattern)} names nothing.", hint='Give a glob like "*.py" or "docs/".')
    return f"{sign}{'/' if anchored else ''}{body}"


def _shown(pattern: str) -> str:
    return ascii(pattern) if len(pattern) <= 80 else f"{pattern[:77]!a}…"
