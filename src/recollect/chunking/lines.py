"""Text without known structure: prose by paragraphs and token windows, everything else by windows of lines.

Also the estimate of tokens that prose windows are measured in. Not here: headings (markdown, markup).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from itertools import accumulate

from recollect.chunking.limits import Limits
from recollect.chunking.spans import Lines
from recollect.chunking.splitting import cuts
from recollect.types import Chunk

# Words in pieces of nine letters, digits in threes, runs of ASCII punctuation in fours; letters of other scripts
# singly, after an accented letter up to two more. Measured against cl100k_base: 0.93-1.03 of the real count on
# English prose, Markdown and Python; 0.8-1.2 on Arabic, Chinese, Cyrillic, Devanagari, Greek, Thai and accented
# Latin script. 9 MB/s.
_TOKEN = re.compile(
    r"\d{1,3}|[a-zA-Z]{1,9}|[\u00c0-\u024f][a-z]{0,2}|[^\W\d_a-zA-Z\u00c0-\u024f]|[!-/:-@\[-^{-~`]{1,4}|[^\w\s]|_+"
)


def estimate_tokens(text: str) -> int:
    """About how many cl100k tokens the text has."""
    return len(_TOKEN.findall(text))


def paragraph_starts(lines: Lines, start: int, end: int) -> Iterator[int]:
    """The lines in start..end that follow a blank line or the beginning."""
    blank = True
    for line in range(start, end + 1):
        now = lines.blank(line)
        if blank and not now:
            yield line
        blank = now


def prose_windows(
    lines: Lines, start: int, end: int, breaks: Iterable[int], glued: Set[int], limits: Limits
) -> list[tuple[int, int]]:
    """Cut start..end into windows of at most `prose_tokens` that share up to `prose_overlap_tokens`.

    Windows end before a line of `breaks` (where blocks begin); a block larger than a window is cut between
    lines, but never before a line of `glued` (the inside of code fences) unless `max_lines` demands it.
    """
    sums = [0, *accumulate(estimate_tokens(line) for line in lines.lines[start - 1 : end])]

    def tokens(first: int, last: int) -> int:
        return sums[last - start + 1] - sums[first - start]

    atoms = _atoms(lines, start, end, sorted({start, *breaks}), glued, limits)
    windows: list[tuple[int, int]] = []
    begin = position = 0
    while position < len(atoms):
        begin = atoms[position][0] if not windows else _overlap(windows[-1], atoms[position][0], tokens, glued, limits)
        if tokens(begin, atoms[position][1]) > limits.prose_tokens or atoms[position][1] - begin >= limits.max_lines:
            begin = atoms[position][0]  # no room left for what is shared
        last = atoms[position][1]
        position += 1
        while position < len(atoms):
            reach = atoms[position][1]
            if tokens(begin, reach) > limits.prose_tokens or reach - begin >= limits.max_lines:
                break
            last = reach
            position += 1
        windows.append((begin, last))
    trimmed = (lines.trim(*window) for window in windows)
    return [window for window in trimmed if window[0] <= window[1]]


def _atoms(
    lines: Lines, start: int, end: int, breaks: list[int], glued: Set[int], limits: Limits
) -> list[tuple[int, int]]:
    """What windows are made of: blocks, or the lines of blocks that are larger than a window."""
    atoms: list[tuple[int, int]] = []
    firsts = [line for line in breaks if start <= line <= end and (line not in glued or line == start)]
    for position, first in enumerate(firsts):
        last = firsts[position + 1] - 1 if position + 1 < len(firsts) else end
        if last - first < limits.max_lines and estimate_tokens(lines.text(first, last)) <= limits.prose_tokens:
            atoms.append((first, last))
            continue
        begin = first
        for line in range(first + 1, last + 1):
            if line not in glued or line - begin >= limits.max_lines:
                atoms.append((begin, line - 1))
                begin = line
        atoms.append((begin, last))
    return atoms


def _overlap(
    window: tuple[int, int], following: int, tokens: Callable[[int, int], int], glued: Set[int], limits: Limits
) -> int:
    """The first line that the next window repeats from the last one; `following` when nothing fits."""
    begin = following
    for line in range(following - 1, window[0], -1):
        if tokens(line, following - 1) > limits.prose_overlap_tokens:
            break
        if line not in glued:
            begin = line
    return begin


def paragraph_chunks(language: str, lines: Lines, limits: Limits, context: str) -> tuple[Chunk, ...]:
    """Plain text by paragraphs, merged up to the prose window."""
    breaks = paragraph_starts(lines, 1, lines.count)
    windows = prose_windows(lines, 1, lines.count, breaks, frozenset(), limits)
    return tuple(
        Chunk(start, end, lines.text(start, end), "paragraph", language, context=context) for start, end in windows
    )


def line_chunks(language: str, lines: Lines, limits: Limits, context: str) -> tuple[Chunk, ...]:
    """Text of unknown structure in windows of `fallback_lines`, cut after blank lines where there are any."""
    start, end = lines.trim(1, lines.count)
    if start > end:
        return ()
    marks = {line: lines.indent(line) for line in paragraph_starts(lines, start, end)}
    starts = cuts(lines, start, end, marks, replace(limits, code_target_lines=limits.fallback_lines))
    found = []
    for position, first in enumerate(starts):
        begin, last = lines.trim(first, starts[position + 1] - 1 if position + 1 < len(starts) else end)
        if begin <= last:
            found.append(Chunk(begin, last, lines.text(begin, last), "lines", language, context=context))
    return tuple(found)
