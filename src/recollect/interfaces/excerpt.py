"""Which lines of a hit to show, and which words in them to emphasise. Pure: text in, lines out.

Not here: drawing them (`terminal`) or choosing hits (`retrieval`).
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.terms import ParsedQuery, analyse, words
from recollect.types import Hit

MAX_LINES = 12
"""Lines shown of a hit: enough for a small function, few enough that ten hits stay readable."""

_UNSAFE = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}
"""Control characters move the cursor or rewrite the title, bidirectional overrides disguise code
(CVE-2021-42574): text of indexed files must do neither. Each is replaced by one visible character."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines first..last of a hit (1-based within the document, inclusive) and how many lie hidden around them."""

    lines: tuple[str, ...]
    first_line: int
    hidden_before: int
    hidden_after: int


def query_terms(query: str) -> frozenset[str]:
    """Return the terms that make a word of a hit worth emphasising."""
    parsed = ParsedQuery(query)
    return frozenset(parsed.terms) | {term for phrase in parsed.phrases for term in phrase}


def excerpt(hit: Hit, terms: frozenset[str], max_lines: int | None = MAX_LINES) -> Excerpt:
    """Choose the lines of `hit` with the most different `terms`; all lines when `max_lines` is None."""
    lines = tuple(visible(hit.text.removesuffix("\n")).split("\n"))
    if max_lines is None or len(lines) <= max_lines:
        return Excerpt(lines, hit.start_line, 0, 0)
    start = _densest([frozenset(analyse(line)) & terms for line in lines], max_lines)
    end = start + max_lines
    while not lines[end - 1].strip() and end - 1 > start:
        end -= 1
    while not lines[start].strip() and start < end - 1:
        start += 1
    return Excerpt(lines[start:end], hit.start_line + start, start, len(lines) - end)


def emphasised(line: str, terms: frozenset[str]) -> list[tuple[int, int]]:
    """Return the (start, end) of each word in `line` that shares a term with the query."""
    spans, position = [], 0
    for word in words(line):
        start = line.find(word, position)
        position = start + len(word)
        if not terms.isdisjoint(analyse(word)):
            spans.append((start, position))
    return spans


def visible(text: str) -> str:
    """Return `text` with carriage returns dropped at line ends and control characters made visible, one for one."""
    return text.replace("\r\n", "\n").removesuffix("\r").translate(_UNSAFE)


def _densest(found: list[frozenset[str]], size: int) -> int:
    """The start of the window with the most different terms; then the most matching lines; then the earliest."""

    def worth(start: int) -> tuple[int, int, int]:
        window = found[start : start + size]
        return len(frozenset().union(*window)), sum(map(bool, window)), -start

    return max(range(len(found) - size + 1), key=worth)
