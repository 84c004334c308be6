"""Chunks of documents with headings: Markdown, reStructuredText and AsciiDoc give sections, this cuts them.

A section that is small joins its next sibling, a long one is cut into prose windows. Not here: how headings and
blocks are recognised (markdown, markup).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from recollect.chunking.context import prose_context
from recollect.chunking.limits import Limits
from recollect.chunking.lines import estimate_tokens, prose_windows
from recollect.chunking.spans import Lines
from recollect.types import Chunk

SEPARATOR = " > "
HEADING_CHARS = 300  # longer headings are cut


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level (1 is the document's own), its plain text, and its first line."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Structure:
    """A document's headings in order, where its blocks begin, and which lines must not begin a window.

    `glued` lines are the inside of fences and small tables; `first` is the first line after front matter.
    """

    headings: Sequence[Heading]
    breaks: Sequence[int]
    glued: frozenset[int]
    first: int = 1

    @property
    def title(self) -> str:
        """The text of the first heading of level 1, or ''."""
        return next((each.text for each in self.headings if each.level == 1), "")


@dataclass(slots=True)
class _Section:
    start: int
    end: int
    paths: list[tuple[str, ...]] = field(default_factory=list)


def section_chunks(language: str, title: str, structure: Structure, lines: Lines, limits: Limits) -> tuple[Chunk, ...]:
    """Chunk the lines after front matter by their headings."""
    sections = _sections(structure.headings, lines, structure.first)
    found: list[Chunk] = []
    breaks = deque(structure.breaks)
    for section in _merged(sections, lines, limits):
        path = _path(section.paths)
        context = prose_context(title, path, limits)
        inner = []
        while breaks and breaks[0] <= section.end:
            inner.append(breaks.popleft())
        for start, end in prose_windows(lines, section.start, section.end, inner, structure.glued, limits):
            found.append(Chunk(start, end, lines.text(start, end), "section", language, path, context))
    return tuple(found)


def _sections(headings: Sequence[Heading], lines: Lines, first: int) -> list[_Section]:
    sections: list[_Section] = []
    if not headings or headings[0].line > first:
        sections.append(_Section(first, headings[0].line - 1 if headings else lines.count, [()]))
    open_headings: list[Heading] = []
    for position, heading in enumerate(headings):
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        end = headings[position + 1].line - 1 if position + 1 < len(headings) else lines.count
        sections.append(_Section(heading.line, end, [tuple(each.text for each in open_headings if each.text)]))
    trimmed = [(lines.trim(each.start, each.end), each) for each in sections]
    return [_Section(start, end, each.paths) for (start, end), each in trimmed if start <= end]


def _merged(sections: list[_Section], lines: Lines, limits: Limits) -> list[_Section]:
    """Join small sections with the next sibling or first child, a small last one with the sibling before."""
    merged: list[_Section] = []
    for position, section in enumerate(sections):
        last = merged[-1] if merged else None
        following = sections[position + 1] if position + 1 < len(sections) else None
        if (
            last is not None
            and _related(last.paths[-1], section.paths[0])
            and (_small(last, lines, limits) or _small_leaf(section, following, lines, limits))
            and _together(last, section, lines, limits)
        ):
            last.end = section.end
            last.paths.extend(section.paths)
        else:
            merged.append(section)
    return merged


def _small(section: _Section, lines: Lines, limits: Limits) -> bool:
    return lines.filled(section.start, section.end) < limits.min_lines


def _small_leaf(section: _Section, following: _Section | None, lines: Lines, limits: Limits) -> bool:
    """Whether a small section has nothing after it that it could join instead."""
    if not _small(section, lines, limits):
        return False
    return following is None or not _related(section.paths[-1], following.paths[0])


def _related(path: tuple[str, ...], following: tuple[str, ...]) -> bool:
    """Siblings under one parent, or a parent and its first child; the text before all headings joins the first."""
    return path[:-1] == following[:-1] or path == following[: len(path)]


def _together(first: _Section, second: _Section, lines: Lines, limits: Limits) -> bool:
    return (
        second.end - first.start < limits.max_lines
        and estimate_tokens(lines.text(first.start, second.end)) <= limits.prose_tokens
    )


def _path(paths: Sequence[tuple[str, ...]]) -> str:
    """One heading path for merged sections: ("A", "B") and ("A", "C") give "A > B, C"."""
    leaves = [
        path
        for position, path in enumerate(paths)
        if path and not (position + 1 < len(paths) and paths[position + 1][: len(path)] == path)
    ]
    if not leaves:
        return ""
    if len(leaves) == 1:
        return SEPARATOR.join(leaves[0])
    common = list(takewhile(lambda names: len(set(names)) == 1, zip(*(path[:-1] for path in leaves), strict=False)))
    rest = dict.fromkeys(SEPARATOR.join(path[len(common) :]) for path in leaves)
    return SEPARATOR.join([*(names[0] for names in common), ", ".join(rest)])
