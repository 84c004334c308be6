"""Source code by functions, methods and classes, with their leading comments and decorators.

Units of the outline are split where they are too long, merged where they are too short, and titled with their
symbol chain. Every line that is not blank belongs to exactly one chunk, in order. Not here: the syntax of any
language (languages/).
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from recollect.chunking.context import code_context, imported_names, path_words
from recollect.chunking.grammars import parser
from recollect.chunking.limits import Limits
from recollect.chunking.outline import LINES, Outliner, Unit
from recollect.chunking.packing import Group, pack
from recollect.chunking.rules import IMPORTS, Grammar, chain
from recollect.chunking.spans import Lines
from recollect.chunking.splitting import split
from recollect.types import Chunk, Document, Symbol

_VALUES = frozenset({"constant", "variable", "field"})


def code_chunks(document: Document, grammar: Grammar, lines: Lines, limits: Limits) -> tuple[Chunk, ...]:
    """Chunk a document by its grammar. Syntax errors cost precision where they are, nothing else."""
    source = document.text.encode("utf-8", "surrogatepass")
    tree = parser(grammar.module, grammar.function).parse(source)
    outliner = Outliner(grammar, lines, limits)
    units = outliner.walk(tree.root_node)
    statements = [(node.text or b"").decode("utf-8", "replace") for node in outliner.import_nodes]
    return unit_chunks(document, units, grammar, lines, limits, imports=imported_names(statements))


def unit_chunks(
    document: Document,
    units: Sequence[Unit],
    grammar: Grammar | None,
    lines: Lines,
    limits: Limits,
    *,
    imports: Set[str] = frozenset(),
) -> tuple[Chunk, ...]:
    """Split, merge, title and enrich the units of one document."""
    parts = [part for unit in units for part in split(unit, lines, grammar, limits)]
    words = path_words(document.path)
    return tuple(_chunk(document, group, lines, limits, words, imports) for group in pack(parts, lines, limits))


def _chunk(
    document: Document, group: Group, lines: Lines, limits: Limits, words: str, imports: Set[str]
) -> Chunk:
    start, end = group[0].start, group[-1].end
    text = lines.text(start, end)
    title, kind = _title(group, lines, limits.title_names), _kind(group, lines)
    signature = lines.lines[group[0].origin - 1].strip() if group[0].part > 1 else ""
    used = frozenset[str]() if kind == IMPORTS else imports
    return Chunk(
        start_line=start,
        end_line=end,
        text=text,
        kind=kind,
        language=document.language,
        title=title,
        context=code_context(words, title, signature, text, used, limits),
        symbols=_symbols(group),
    )


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
