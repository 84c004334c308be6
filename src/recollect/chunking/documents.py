"""A whole document into chunks, by the rules of its language. What `recollect.chunking` stands for.

Not here: the rules (code, markdown, structured, lines ...).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.chunking.code import code_chunks
from recollect.chunking.context import path_words, prose_context
from recollect.chunking.grammars import GRAMMARS, Unparsable
from recollect.chunking.limits import LIMITS, Limits
from recollect.chunking.lines import line_chunks, paragraph_chunks
from recollect.chunking.spans import Lines
from recollect.types import Chunk, Document

_MARKUP = frozenset({"rst", "asciidoc"})
_STRUCTURED = frozenset({"json", "yaml", "toml"})
_PAGES = frozenset({"html", "vue", "svelte"})
_PROSE = frozenset({"", "text", "plaintext", "latex", "org", "textile", "man"})
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,10}$")


@dataclass(frozen=True, slots=True)
class Chunked:
    """A document's title, its metadata (its own plus front matter), and its chunks in order."""

    title: str
    metadata: Mapping[str, Any]
    chunks: tuple[Chunk, ...]


def chunk(document: Document, limits: Limits = LIMITS) -> Chunked:
    """Cut a document into chunks by the rules of its language.

    Never fails for any text: what does not parse is cut by lines. Chunks of code cover every line that is not
    blank exactly once; chunks of prose may share up to `prose_overlap_tokens`, and leave out front matter.
    """
    lines = Lines(document.text)
    language = document.language
    title = document.title or _stem(document.path)
    start, end = lines.trim(1, lines.count)
    if start > end:
        return Chunked(title, document.metadata, ())
    if lines.chars(start, end) > limits.parsed_line_chars * (end - start + 1):  # generated or minified
        return Chunked(title, document.metadata, line_chunks(language, lines, limits, path_words(document.path)))
    try:
        return _by_language(document, title, lines, limits)
    except Unparsable:
        context = prose_context(title, "", limits)
        return Chunked(title, document.metadata, line_chunks(language, lines, limits, context))


def _by_language(document: Document, title: str, lines: Lines, limits: Limits) -> Chunked:
    language = document.language
    if language in GRAMMARS:
        return Chunked(title, document.metadata, code_chunks(document, GRAMMARS[language], lines, limits))
    if language == "markdown":
        return _markdown(document, title, lines, limits)
    if language in _MARKUP:
        return _markup(document, title, lines, limits)
    if language in _STRUCTURED:
        from recollect.chunking.structured import structured_chunks

        return Chunked(title, document.metadata, structured_chunks(language, title, document.text, lines, limits))
    if language in _PROSE:
        context = prose_context(title, "", limits)
        return Chunked(title, document.metadata, paragraph_chunks(language, lines, limits, context))
    return _other(document, title, lines, limits)


def _other(document: Document, title: str, lines: Lines, limits: Limits) -> Chunked:
    if document.language in _PAGES:
        from recollect.chunking.html import html_chunks, html_title

        found = document.title or html_title(document.text) or title
        return Chunked(found, document.metadata, html_chunks(document, lines, limits))
    if document.language == "r":
        from recollect.chunking.rlang import r_chunks

        return Chunked(title, document.metadata, r_chunks(document, lines, limits))
    context = path_words(document.path)
    return Chunked(title, document.metadata, line_chunks(document.language, lines, limits, context))


def _markdown(document: Document, title: str, lines: Lines, limits: Limits) -> Chunked:
    from recollect.chunking.markdown import markdown_chunks

    found, front, chunks = markdown_chunks(document.language, document.title, title, lines, limits)
    return Chunked(found, {**document.metadata, **front}, chunks)


def _markup(document: Document, title: str, lines: Lines, limits: Limits) -> Chunked:
    from recollect.chunking.markup import asciidoc_structure, rst_structure
    from recollect.chunking.sections import section_chunks

    structure = (rst_structure if document.language == "rst" else asciidoc_structure)(lines)
    title = document.title or structure.title or title
    chunks = section_chunks(document.language, title, structure, lines, limits)
    return Chunked(title, document.metadata, chunks)


def _stem(path: str) -> str:
    """The words of a file's name: "docs/getting-started.md" is "getting started"."""
    name = _EXTENSION.sub("", path.rsplit("/", 1)[-1]) or path
    return " ".join(re.split(r"[-_\s]+", name)).strip()
