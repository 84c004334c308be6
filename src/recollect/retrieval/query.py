"""What is being asked? A query taken apart once, for every list and signal to read.

Not here: weights and scores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from recollect.terms import STOP_WORDS, ParsedQuery, words

# The th0th seed's four patterns, widened to what its own program matches (other definition keywords), and to
# what no prose holds: qualified names, snake_case, camelCase.
_CODE = re.compile(
    r"\w+\(\)|\b(?:function|class|interface|enum|import|export|struct|trait|def|fn|const)\b"
    r"|\w+::\w+|\w+->\w+|\b[a-z_]\w+\.[a-z_]\w+\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b[A-Z]{2,}[a-z]\w+"
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_LOOKS_CODED = re.compile(r"_|[a-z][A-Z]|[A-Z]{2,}[a-z]|\d[A-Za-z]|[A-Za-z]\d")
_MAX_NAMES = 64
_ASKS_FOR_PROSE = frozenset(
    ["docs", "documentation", "document", "readme", "guide", "tutorial", "manual", "changelog", "licence", "license", "install", "installation", "installing", "contributing", "contribute", "release", "notes", "faq", "introduction", "overview"]
)  # fmt: skip
_LOOKED_AT = 2000
"""A query's kind shows at its beginning; a pasted file is not searched for it to the end."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query with what was understood of it.

    `code`: it looks like code, so keywords weigh more. `names`: definitions it may speak of, folded (lower
    case, no separators), with how sure that is: 1.0 written as an identifier, less for joined neighbouring words.
    """

    text: str
    parsed: ParsedQuery
    code: bool
    names: dict[str, float]
    wants_tests: bool
    wants_examples: bool
    wants_types: bool
    wants_prose: bool


def understand(text: str) -> Query:
    """Take a query apart."""
    parsed = ParsedQuery(text)
    lower = set(re.findall(r"[a-z]+", text[:_LOOKED_AT].lower()))
    return Query(
        text=parsed.text,
        parsed=parsed,
        code=bool(_CODE.search(text, 0, _LOOKED_AT)),
        names=_names(parsed.text),
        wants_tests=bool(lower & {"test", "tests", "testing", "spec", "specs", "fixture", "fixtures", "mock", "mocks"}),
        wants_examples=bool(lower & {"example", "examples", "sample", "demo", "tutorial", "benchmark", "benchmarks"}),
        wants_types=bool(lower & {"type", "types", "typing", "declaration", "declarations", "header"}),
        wants_prose=bool(lower & _ASKS_FOR_PROSE),
    )


def _names(text: str) -> dict[str, float]:
    text = text[:_LOOKED_AT]
    names: dict[str, float] = {}
    plain = [w for w in words(text) if w.lower() not in STOP_WORDS]
    single = len(plain) == 1
    for word in _IDENTIFIER.findall(text):
        folded = "".join(c for c in word if c.isalnum()).casefold()
        if len(folded) > 1 and (single or _LOOKS_CODED.search(word)):
            names[folded] = 1.0
    for word in plain:
        # A capitalised word in the middle of a query is often a type's name.
        folded = "".join(c for c in word if c.isalnum()).casefold()
        if word[:1].isupper() and len(folded) > 2:
            names.setdefault(folded, 0.8)
        elif len(folded) > 3:
            names.setdefault(folded, 0.35)
    for size, sure in ((2, 0.7), (3, 0.8)):
        for i in range(len(plain) - size + 1):
            names.setdefault("".join(c for w in plain[i : i + size] for c in w if c.isalnum()).casefold(), sure)
    return dict(list(names.items())[:_MAX_NAMES])
