"""The enrichment of a chunk: what a reader of the file would know that the chunk's own lines do not say.

For prose and structured text the document's title and the section; for code the words of the path, the symbol
chain, the signature of a split function, and imported names that the chunk uses. It is indexed and embedded
together with the text. Not here: the text itself, and how much the enrichment weighs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from recollect.chunking.limits import Limits

_IDENTIFIER = re.compile(r"[A-Za-z_]\w+")
_SEPARATORS = re.compile(r"[\s,;(){}\[\]<>=*\"'`]+")
_LAST_PART = re.compile(r"[./:\\]+")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "import from as use using package require require_relative include export default type static const let var "
        "local source mod crate self super extern namespace module library part of hiding qualified only typeof "
        "declare strict_types php function final public if endif else where with h hpp js ts rb dart py",
    )
)


def prose_context(title: str, section: str, limits: Limits) -> str:
    """`Document: …` and `Section: …`, each left out when unknown."""
    found = []
    if title:
        found.append(f"Document: {title}")
    if section and section != title:
        found.append(f"Section: {section}")
    return "\n".join(found)[: limits.context_chars]


def path_words(path: str) -> str:
    """The words of a path, without its extension: "src/authStore/load_all.py" gives "src auth Store load all"."""
    stem = path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1].lstrip(".") else path
    return " ".join(_WORD.findall(stem))


def imported_names(statements: Iterable[str]) -> frozenset[str]:
    """The names that import statements bring in: last path components, without keywords."""
    names = set()
    for statement in statements:
        for part in _SEPARATORS.split(statement):
            for component in reversed(_LAST_PART.split(part)):
                if component and component not in _KEYWORDS:
                    if _IDENTIFIER.fullmatch(component):
                        names.add(component)
                    break
    return frozenset(names)


def code_context(path: str, title: str, signature: str, text: str, imports: Set[str], limits: Limits) -> str:
    """Path words, symbol chain, signature (of later parts), and up to `context_imports` imported names in use.

    `path` is already in words (`path_words`): it is the same for all chunks of a file.
    """
    found = [path] if path else []
    if title:
        found.append(title)
    if signature:
        found.append(signature)
    if imports:
        used = [name for name in dict.fromkeys(_IDENTIFIER.findall(text)) if name in imports]
        if used:
            found.append("uses " + " ".join(used[: limits.context_imports]))
    return "\n".join(found)[: limits.context_chars]
