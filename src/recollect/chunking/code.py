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
from recollect.chunking.grammars import parser
from recollect.chunking.limits import Limits
from recollect.chunking.outline import LINES, Outliner, Unit, closed
from recollect.chunking.packing import Group, pack
from recollect.chunking.rules import IMPORTS, Grammar, chain
from recollect.chunking.spans import Lines
from recollect.chunking.splitting import split
from recollect.types import Chunk, Document, Symbol

_VALUES = frozenset({"constant", "variable", "field"})


Enrich: TypeAlias = Callable[[str, str, str, str], str]  # title, kind, signature, text -> context


def code_chunks(document: Document, grammar: Grammar, lines: Lines, limits: Limits) -> tuple[Chunk, ...]:
    """Chunk a document by its grammar. Syntax errors cost precision where they are, nothing else."""
    outliner = Outliner(grammar, lines, limits)
    tree = parser(grammar.module, grammar.function).parse(document.text.encode("utf-8", "surrogatepass"))
    units = closed(outliner.walk(tree.root_node), lines)
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
    """The symbol chain: "Class.method", "Class.first, second" for merged members, "Class" for its header."""
    first = group[0]
    if first.header:
        members = [unit for unit in group[1:] if unit.scope == first.inner and unit.names]
        own = lines.chars(first.start, first.end)
        if not members or own * 2 >= lines.chars(first.start, group[-1].end):
            return first.inner or _joined(group[:1], most)
        return _joined(members, most)
    return _joined([unit for unit in group if unit.names], most) or first.inner or first.scope


def _joined(units: Sequence[Unit], most: int) -> str:
    """Up to `most` names of the units; values give way to functions and types when there are more."""
    if sum(len(unit.names) for unit in units) > most:
        units = [unit for unit in units if unit.kind not in _VALUES] or units
    scopes = {unit.scope for unit in units}
    if len(scopes) == 1:
        names = dict.fromkeys(name for unit in units for name in unit.names)
        return chain(units[0].scope, ", ".join(list(names)[:most]))
    full = dict.fromkeys(chain(unit.scope, name) for unit in units for name in unit.names)
    return ", ".join(list(full)[:most])
