"""reStructuredText and AsciiDoc: headings by their own rules, found line by line.

Not here: merging and cutting of sections (sections); full parsing, which finding headings does not need.
"""

from __future__ import annotations

import re

from recollect.chunking.lines import paragraph_starts
from recollect.chunking.sections import HEADING_CHARS, Heading, Structure
from recollect.chunking.spans import Lines

_ADORNMENT = re.compile(r"([=\-`:'\"~^_*+#<>.!$%&,/;?@\\|])\1{2,}\s*$")
_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?\s*$")
_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\+{4,}|\*{4,}|_{4,}|/{4,}|`{3}|\|={3,})\s*\w*\s*$")
_DIRECTIVE = re.compile(r"\.\. (?:code|code-block|sourcecode|literalinclude|parsed-literal)::")


def rst_structure(lines: Lines) -> Structure:
    """Headings of reStructuredText: text under- or over- and underlined; styles rank by first appearance."""
    headings: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    for line in range(2, lines.count + 1):
        under, text = lines.lines[line - 1], lines.lines[line - 2]
        if not _ADORNMENT.match(under) or not text.strip() or _ADORNMENT.match(text):
            continue
        above = lines.lines[line - 3] if line > 2 else ""
        overlined = bool(_ADORNMENT.match(above)) and above.rstrip() == under.rstrip()
        if not overlined and (above.strip() or text[:1].isspace() or len(under.rstrip()) < len(text.rstrip())):
            continue  # a paragraph's table, a transition, an indented block
        style = (under[0], overlined)
        if style not in styles:
            styles.append(style)
        headings.append(
            Heading(styles.index(style) + 1, text.strip()[:HEADING_CHARS], line - 2 if overlined else line - 1)
        )
    return Structure(headings, _flush_left(lines), _rst_code(lines))


def _flush_left(lines: Lines) -> list[int]:
    """Paragraphs that begin at the margin; indented ones belong to the list or directive above."""
    return [line for line in paragraph_starts(lines, 1, lines.count) if not lines.indent(line)]


def _rst_code(lines: Lines) -> frozenset[int]:
    """The lines of code directives and literal blocks, but for the one that opens them."""
    glued: set[int] = set()
    inside = -1
    for number, line in enumerate(lines.lines, 1):
        if inside >= 0:
            if not line.strip() or lines.indent(number) > inside:
                glued.add(number)
                continue
            inside = -1
        if _DIRECTIVE.match(line.lstrip()) or (line.rstrip().endswith("::") and not line.lstrip().startswith("..")):
            inside = lines.indent(number)
    return frozenset(glued)


def asciidoc_structure(lines: Lines) -> Structure:
    """Headings of AsciiDoc ("== Text") outside of delimited blocks, which are not cut."""
    headings: list[Heading] = []
    glued: set[int] = set()
    fence = ""
    for number, line in enumerate(lines.lines, 1):
        opened = _ADOC_FENCE.match(line)
        if fence:
            glued.add(number)
            if opened and opened[1] == fence:
                fence = ""
        elif opened:
            fence = opened[1]
        else:
            heading = _ADOC_HEADING.match(line[:HEADING_CHARS])
            if heading:
                headings.append(Heading(len(heading[1]), heading[2], number))
    if fence:  # never closed: it was no block
        glued.clear()
    return Structure(headings, list(paragraph_starts(lines, 1, lines.count)), frozenset(glued))
