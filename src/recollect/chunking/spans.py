"""The lines of one text, with sizes of any range in constant time.

Lines end at "\\n" only: form feeds, vertical tabs and Unicode separators are characters like any other,
so that line numbers agree with editors and with tree-sitter. Not here: where to cut.
"""

from __future__ import annotations

from itertools import accumulate


class Lines:
    """One text by lines; all line numbers are 1-based and inclusive."""

    __slots__ = ("_sums", "count", "lines")

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.count = len(self.lines)
        self._sums = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def text(self, start: int, end: int) -> str:
        """The lines start..end, joined by newlines, without a final one."""
        return "\n".join(self.lines[start - 1 : end])

    def chars(self, start: int, end: int) -> int:
        """Characters of start..end, without a final newline; 0 for an empty range."""
        return max(self._sums[end] - self._sums[start - 1] - 1, 0) if end >= start else 0

    def blank(self, number: int) -> bool:
        """Whether the line holds nothing but white space."""
        line = self.lines[number - 1]
        return not line or line.isspace()

    def filled(self, start: int, end: int) -> int:
        """How many lines of start..end are not blank."""
        return sum(1 for line in self.lines[start - 1 : end] if line and not line.isspace())

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """The range without blank lines at its ends; end < start when nothing remains."""
        while start <= end and self.blank(start):
            start += 1
        while end >= start and self.blank(end):
            end -= 1
        return start, end

    def indent(self, number: int) -> int:
        """Leading white space of the line, in characters."""
        line = self.lines[number - 1]
        return len(line) - len(line.lstrip())
