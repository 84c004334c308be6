"""HTML, and the Vue and Svelte files built on it: markup by elements with headings, scripts as code.

Not here: the languages of scripts (languages/); a script's lines are those of the file that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from recollect.chunking.code import code_enrichment, import_texts, unit_chunks
from recollect.chunking.grammars import GRAMMARS, parse
from recollect.chunking.limits import Limits
from recollect.chunking.outline import LINES, Outliner, Unit, closed
from recollect.chunking.rules import SECTION, Found, Grammar, child, text_of
from recollect.chunking.spans import Lines
from recollect.types import Chunk, Document

_SCRIPT_TAG = re.compile(r"<(/?)script\b([^<>]*)>", re.IGNORECASE)
_TYPESCRIPT = re.compile(r"""lang\s*=\s*["']?tsx?""", re.IGNORECASE)
_DATA = re.compile(r"""type\s*=\s*["']?(?!module|text/javascript|application/javascript|text/babel)""", re.IGNORECASE)
_HEADING = re.compile(rb"h[1-6]$", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_HEAD_CHARS = 20_000  # where a title is looked for
_SEARCHED = 60  # elements looked at for the heading of a section


class _Script(NamedTuple):
    first: int
    last: int
    language: str


def html_chunks(document: Document, lines: Lines, limits: Limits) -> tuple[Chunk, ...]:
    """Chunk a page by its elements and scripts; raises Unparsable."""
    scripts = list(_scripts(document.text))
    held = {line for script in scripts for line in range(script.first, script.last + 1)}
    walked = Outliner(_HTML, lines, limits).walk(parse(document.text, "tree_sitter_html"))
    units = [unit for unit in walked if unit.start not in held]
    _carry_headings(units)
    statements: list[str] = []
    for script in scripts:
        grammar = GRAMMARS[script.language]
        # Blank lines before the script keep its line numbers.
        source = "\n" * (script.first - 1) + lines.text(script.first, script.last)
        outliner = Outliner(grammar, lines, limits)
        units.extend(outliner.walk(parse(source, grammar.module, grammar.function)))
        statements.extend(import_texts(outliner.import_nodes))
    units = list({unit.start: unit for unit in sorted(units, key=lambda each: each.start)}.values())
    enrich = code_enrichment(document.path, statements, limits)
    return unit_chunks(document.language, closed(units, lines), lines, limits, enrich)


def html_title(text: str) -> str:
    """The content of the title element, or ''."""
    found = _TITLE.search(text[:_HEAD_CHARS])
    return " ".join(_TAG.sub("", found[1]).split()) if found else ""


def _scripts(text: str) -> Iterator[_Script]:
    """Scripts of more than one line, by the lines between their tags."""
    opened: re.Match[str] | None = None
    line, position = 1, 0
    for tag in _SCRIPT_TAG.finditer(text):
        if not tag[1]:
            opened = opened or tag
            continue
        if opened is None:
            continue
        line += text.count("\n", position, opened.end())
        first, position = line, opened.end()
        line += text.count("\n", position, tag.start())
        position = tag.start()
        if line - first > 1 and not _DATA.search(opened[2]):
            yield _Script(first + 1, line - 1, "typescript" if _TYPESCRIPT.search(opened[2]) else "javascript")
        opened = None


def _element(node: Node) -> Found:
    """An element, named after the first heading in it or its id; large ones are looked into."""
    start = node.named_children[0] if node.named_children else None
    if start is not None and (_HEADING.match(_tag(start))):
        return Found(SECTION, (_content(node),))
    return Found(SECTION, tuple(filter(None, [_heading(node)])), (node,))


def _tag(start: Node) -> bytes:
    name = child(start, "tag_name")
    return (name.text or b"") if name is not None else b""


def _heading(node: Node) -> str:
    stack, seen = [node], 0
    while stack and seen < _SEARCHED:
        current = stack.pop()
        seen += 1
        children = current.named_children
        if children and _HEADING.match(_tag(children[0])):
            return _content(current)
        stack.extend(each for each in reversed(children) if each.type == "element")
    return _identifier(node)


def _identifier(node: Node) -> str:
    start = child(node, "start_tag")
    for attribute in start.named_children if start is not None else ():
        if attribute.type == "attribute" and text_of(attribute.named_children[0]) == "id":
            value = child(attribute, "quoted_attribute_value", "attribute_value")
            return text_of(value).strip("\"'") if value is not None else ""
    return ""


def _content(node: Node) -> str:
    return " ".join(_TAG.sub(" ", text_of(node)).split())


def _carry_headings(units: list[Unit]) -> None:
    """Markup without a heading of its own is titled with the last one before it."""
    heading = ""
    for unit in units:
        if unit.names and unit.kind == SECTION:
            heading = unit.names[-1]
        elif heading and unit.kind in (SECTION, LINES):
            unit.names = [heading]


_HTML = Grammar(module="tree_sitter_html", rules={"element": _element})
