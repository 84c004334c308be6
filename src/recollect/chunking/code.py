"""Source code by functions, methods and classes, with their leading comments and decorators.

Units of the outline are split where they are too long, merged where they are too short, and titled with their
symbol chain. Every line that is not blank belongs to exactly one chunk, in order. Not here: the syntax of any
language (languages/).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tree_sitter import Node

from recollect.chunking.context import code_context, imported_names, path_words
from recollect.chunking.grammars import parse
from recollect.chunking.limits import Limits
from recollect.chunking.outline import LINES, Outliner, Unit, closed
from recollect.chunking.packing import Group, pack
from recollect.chunking.rules import IMPORTS, Grammar, chain
from recollect.chunking.spans import Lines
from recollect.chunking.splitting import split
from recollect.types import Chunk, Document, Symbol

KEY = "key"  # the kind of chunks of structured text
_VALUES = frozenset({"constant", "variable", "field"})


Enrich: TypeAlias = Callable[[str, str, str, str], str]  # title, kind, signature, text -> context


def code_chunks(document: Document, grammar: Grammar, lines: Lines, limits: Limits) -> tuple[Chunk, ...]:
    """Chunk a document by its grammar. Syntax errors cost precision where they are; raises Unparsable."""
    outliner = Outliner(grammar, lines, limits)
    units = closed(outliner.walk(parse(document.text, grammar.module, grammar.function)), lines)
    enrich = code_enrichment(document.path, import_texts(outliner.import_nodes), limits)
    return unit_chunks(document.language, units, lines, limits, enrich, grammar)


def import_texts(nodes: Sequence[Node]) -> list[str]:
    """The source of import statements."""
    return [(node.text or b"").decode("utf-8", "replace") for node in nodes]


def code_enrichment(path: str, statements: Sequence[str], limits: Limits) -> Enrich:
    """The enrichment for chunks of one file of code, given the text of its import statements."""
    words, names = path_words(path), imported_names(statements)

    def enrich(title: str, kind: str, signature: str, text: str) -> str:
        return code_context(words, title, signature, text, frozenset() if kind == IMPORTS else names, limits)

    return enrich


def unit_chunks(
    language: str, units: Sequence[Unit], lines: Lines, limits: Limits, enrich: Enrich, grammar: Grammar | None = None
) -> tuple[Chunk, ...]:
    """Split, merge, title and enrich closed units; without a grammar, units are split by indentation."""
    parts = [part for unit in units for part in split(unit, lines, grammar, limits)]
    return tuple(_chunk(language, group, lines, limits, enrich) for group in pack(parts, lines, limits))


def _chunk(language: str, group: Group, lines: Lines, limits: Limits, enrich: Enrich) -> Chunk:
    start, end = group[0].start, group[-1].end
    text = lines.text(start, end)
    title, kind = _title(group, lines, limits.title_names), _kind(group, lines)
    signature = lines.lines[group[0].origin - 1].strip() if group[0].part > 1 else ""
    context = enrich(title, kind, signature, text)
    return Chunk(start, end, text, kind, language, title, context, _symbols(group))


def _symbols(group: Group) -> tuple[Symbol, ...]:
    found = [symbol for unit in group for symbol in unit.symbols]
    found.sort(key=lambda each: each.start_line)
    return tuple(found)


def _kind(group: Group, lines: Lines) -> str:
    """The kind of the largest definition, else "imports" or "lines"."""
    defining = [unit for unit in group if unit.kind not in (IMPORTS, LINES)]
    if defining:
        return max(defining, key=lambda unit: lines.chars(unit.start, unit.end)).kind
    return IMPORTS if any(unit.kind == IMPORTS for unit in group) else LINES


def _title(group: Group, lines: Lines, most: int) -> str:
    """The symbol chain: "Class.method", "Class.first, second" for merged members, "Class" for its header.

    A header gives way to the definitions in its chunk unless it is the larger part of it; a key stands for its
    own keys when more than one of them is in its chunk.
    """
    total = lines.chars(group[0].start, group[-1].end)
    dropped: set[int] = set()
    for position, unit in enumerate(group):
        if not unit.header or position in dropped:
            continue
        if unit.kind != KEY and lines.chars(unit.start, unit.end) * 2 >= total:
            return unit.inner or _joined([unit], most)
        within = f"{unit.inner}."
        members = [n for n, each in enumerate(group) if each.names and f"{each.scope}.".startswith(within)]
        if unit.kind == KEY and len(members) > 1:
            dropped.update(members)
        elif any(group[n].kind not in _VALUES for n in members):
            dropped.add(position)
            dropped.update(n for n in members if group[n].kind in _VALUES)
        else:
            dropped.update(members)
    named = [unit for position, unit in enumerate(group) if unit.names and position not in dropped]
    return _joined(named, most) or group[-1].inner or group[-1].scope


def _joined(units: Sequence[Unit], most: int) -> str:
    """Up to `most` names of the units by scope; values give way to functions and types when there are more."""
    if sum(len(unit.names) for unit in units) > most:
        units = [unit for unit in units if unit.kind not in _VALUES] or units
    scopes: dict[str, dict[str, None]] = {}
    for unit in units:
        scopes.setdefault(unit.scope, {}).update(dict.fromkeys(unit.names))
    each = max(most // max(len(scopes), 1), 1)
    return ", ".join(chain(scope, ", ".join(list(names)[:each])) for scope, names in list(scopes.items())[:most])
