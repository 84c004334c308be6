"""Markdown by headings: heading path as title, front matter as metadata, code fences in one piece.

Not here: merging and cutting of sections (sections). Line numbers are those of the file: front matter is blanked,
not removed, before parsing.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.chunking.context import prose_context
from recollect.chunking.limits import Limits
from recollect.chunking.lines import estimate_tokens
from recollect.chunking.sections import HEADING_CHARS, Heading, Structure, section_chunks
from recollect.chunking.spans import Lines
from recollect.types import Chunk

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_YAML_FENCES = ("---", "...")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_MARKUP = re.compile(r"[`*]+|\s*\{[#.][^}]*\}\s*$|<[^<>]*>|(?<!\w)_+|_+(?!\w)")
_WHOLE = frozenset({"fence", "code_block", "html_block"})
_STARTS = frozenset({"bullet_list_open", "ordered_list_open", "blockquote_open", "hr", "tr_open", "table_open"})
_METADATA_VALUES = 1_000  # front matter beyond this many values (or eight levels) is an attack or an accident
_METADATA_DEPTH = 8


class FrontMatter(NamedTuple):
    """Metadata at the head of a document, and its last line (0 without front matter).

    `broken` front matter is text like any other: it was not understood.
    """

    values: Mapping[str, Any]
    last_line: int
    broken: bool = False


def markdown_chunks(
    language: str, given: str, fallback: str, lines: Lines, limits: Limits
) -> tuple[str, Mapping[str, Any], tuple[Chunk, ...]]:
    """Chunk a Markdown document.

    The title is the `given` one, that of the front matter, the first heading of level 1, or the `fallback`.
    Returns the title, the front matter's values, and the chunks.
    """
    front = front_matter(lines)
    body = "\n".join([""] * front.last_line + lines.lines[front.last_line :])
    # markdown-it ends lines at a lone CR too; here it is a character like any other.
    structure = _structure(_parser().parse(body.replace("\r", " ")), front.last_line + 1, lines, limits)
    named = front.values.get("title")
    title = given or (named.strip() if isinstance(named, str) else "") or structure.title or fallback
    chunks = section_chunks(language, title, structure, lines, limits)
    if front.broken:
        head = Chunk(
            1, front.last_line, lines.text(1, front.last_line), "lines", language, "", prose_context(title, "", limits)
        )
        chunks = (head, *chunks)
    return title, front.values, chunks


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def _structure(tokens: list[Token], first: int, lines: Lines, limits: Limits) -> Structure:
    headings: list[Heading] = []
    breaks: list[int] = []
    glued: set[int] = set()
    for position, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = token.map[0] + 1, token.map[1]
        if token.type == "heading_open" and token.level == 0:
            headings.append(Heading(int(token.tag[1:]), plain_heading(tokens[position + 1].content), start))
        if token.type in _WHOLE or (
            token.type == "table_open" and estimate_tokens(lines.text(start, end)) <= limits.prose_tokens
        ):
            glued.update(range(start + 1, end + 1))
        if token.level == 0 or token.type in _STARTS or token.type == "list_item_open":
            breaks.append(start)
    return Structure(headings, sorted(set(breaks)), frozenset(glued), first)


def plain_heading(text: str) -> str:
    """A heading's text without emphasis, code marks, link targets, HTML and attributes."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", text[:HEADING_CHARS])).split())


def front_matter(lines: Lines) -> FrontMatter:
    """YAML between "---" lines or TOML between "+++" lines at the very beginning."""
    fence = lines.lines[0].rstrip()
    if fence not in ("---", "+++"):
        return FrontMatter({}, 0)
    closing = _YAML_FENCES if fence == "---" else ("+++",)
    last = next((n for n in range(2, lines.count + 1) if lines.lines[n - 1].rstrip() in closing), 0)
    if not last or lines.filled(2, last - 1) == 0 or lines.blank(2):
        return FrontMatter({}, 0)  # "---" followed by a blank line is a rule, not front matter
    values = _values(fence, lines.text(2, last - 1))
    return FrontMatter({}, last, broken=True) if values is None else FrontMatter(values, last)


def _values(fence: str, text: str) -> Mapping[str, Any] | None:
    """The parsed front matter with values that can be stored as JSON; None when it cannot be read."""
    import yaml

    try:
        raw = tomllib.loads(text) if fence == "+++" else yaml.load(text, yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError):
        return None  # ValueError: impossible dates and numbers; TypeError: unhashable keys
    if not isinstance(raw, dict):
        return None
    budget = [_METADATA_VALUES]
    return {str(key): _plain(value, _METADATA_DEPTH, budget) for key, value in raw.items()}


def _plain(value: Any, depth: int, budget: list[int]) -> Any:
    budget[0] -= 1
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if depth == 0 or budget[0] <= 0:
        return None
    if isinstance(value, dict):
        return {str(key): _plain(each, depth - 1, budget) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(each, depth - 1, budget) for each in value]
    return str(value)
