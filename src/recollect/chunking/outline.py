"""The definitions of a parsed file as consecutive units that together cover every line.

A unit runs from its leading comments to the line before the next unit, so coverage holds by construction and
closing braces stay with what they close. Classes beyond the target size become a header and members; function
bodies are never entered. Not here: merging and splitting units (packing, splitting), titles (code).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from recollect.chunking.limits import Limits
from recollect.chunking.rules import CONTINUES, IMPORTS, LEADING, SECTION, Found, Grammar, chain
from recollect.chunking.spans import Lines
from recollect.types import Symbol

LINES = "lines"
_METHOD_SCOPES = frozenset({"class", "interface", "struct", "enum", "trait", "type"})
_NO_SYMBOL = frozenset({"", IMPORTS, LEADING, CONTINUES, SECTION})


@dataclass(slots=True)
class Unit:
    """Consecutive lines that belong together: a definition, a header of a class, imports, other statements.

    `names` are what the unit defines, relative to `scope` (the chain of enclosing names). A header has
    `inner`, the scope of its members. `nodes` are the syntax nodes to split at; `part` counts the pieces of a
    split definition from 1, 0 for a whole one, and `origin` is the line of its signature.
    """

    start: int
    end: int
    kind: str
    scope: str = ""
    names: list[str] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    inner: str = ""
    header: bool = False
    part: int = 0
    origin: int = 0


@dataclass(slots=True)
class _Frame:
    """Children still to visit, and what they are members of. With a sink, only symbols are collected."""

    nodes: Iterator[Node]
    scope: str
    inside: str
    sink: Unit | None
    loose: bool = False  # inside a large statement: local variables are not definitions


def last_line(node: Node) -> int:
    """The 1-based line of the node's last character (a node may end at column 0 of the next line)."""
    row, column = node.end_point
    return row + 1 if column else max(row, node.start_point[0] + 1)


class Outliner:
    """One walk over one tree. Iterative: nesting is as deep as the text's author wants it to be."""

    def __init__(self, grammar: Grammar, lines: Lines, limits: Limits) -> None:
        self.grammar = grammar
        self.lines = lines
        self.limits = limits
        self.units: list[Unit] = []
        self.import_nodes: list[Node] = []
        self._stack: list[_Frame] = []
        self._pending: tuple[int, int] | None = None  # lines of comments that wait for what they describe
        self._reached = 0  # last line of the newest unit's own node

    def walk(self, root: Node) -> list[Unit]:
        """The units of a tree, in order; `closed` sets their ends."""
        self._stack.append(_Frame(iter(root.named_children), "", "", None))
        while self._stack:
            frame = self._stack[-1]
            node = next(frame.nodes, None)
            if node is None:
                self._stack.pop()
            else:
                self._visit(node, frame)
        self._flush()
        return self.units

    def _visit(self, node: Node, frame: _Frame) -> None:
        grammar, kind = self.grammar, node.type
        if kind in grammar.leading:
            self._lead(node, frame)
            return
        if kind in grammar.imports:
            self._import(node, frame)
            return
        inner = node
        while inner.type in grammar.wrappers and inner.named_child_count:
            inner = inner.named_children[-1]
        rule = grammar.rules.get(inner.type)
        found = rule(inner) if rule is not None else None
        if found is None or (frame.loose and found.kind in ("variable", "constant") and not found.bodies):
            self._other(node, frame)
        elif found.kind == LEADING:
            self._lead(node, frame)
        elif found.kind == IMPORTS:
            self._import(node, frame)
        elif found.kind == CONTINUES:
            self._continue(node, frame)
        else:
            self._define(node, inner, found, frame)

    def _define(self, node: Node, inner: Node, found: Found, frame: _Frame) -> None:
        scope = chain(frame.scope, found.scope)
        inside = found.inside or found.kind or frame.inside
        start, end = node.start_point[0] + 1, last_line(node)
        symbols = self._symbols(inner, found, frame)
        if frame.sink is not None:
            if not (self.grammar.overloads and _extend(frame.sink.symbols, symbols)):
                frame.sink.symbols.extend(symbols)
            self._push(found.bodies, _Frame(iter(()), scope, inside, frame.sink, frame.loose))
            return
        if self._is_overload(symbols, found, frame, end):
            self.units[-1].nodes.append(node)
            self._pending, self._reached = None, end
            return
        names = [chain(found.owner, name) for name in found.names if name.strip()]
        kind = symbols[0].kind if symbols else found.kind or (found.inside if found.scope else LINES)
        unit = Unit(start, end, kind, frame.scope, names, symbols, [node])
        if found.bodies and self._large(start, end):
            unit.inner, unit.header = scope, True
            self._open(unit, start)
            self._push(found.bodies, _Frame(iter(()), scope, inside, None, frame.loose))
        else:
            if not names:
                unit.inner = scope
            unit = self._open(unit, end)
            self._push(found.bodies, _Frame(iter(()), scope, inside, unit, frame.loose))

    def _symbols(self, inner: Node, found: Found, frame: _Frame) -> list[Symbol]:
        if found.kind in _NO_SYMBOL:
            return []
        kind = found.kind
        parent = chain(frame.scope, found.owner)
        if frame.inside in _METHOD_SCOPES:
            kind = {"function": "method", "variable": "field"}.get(kind, kind)
        if kind == "method" and not parent:
            kind = "function"
        start, end = inner.start_point[0] + 1, last_line(inner)
        return [Symbol(name, kind, start, end, parent) for name in found.names if name.strip()]

    def _is_overload(self, symbols: list[Symbol], found: Found, frame: _Frame, end: int) -> bool:
        """Join a further equation or signature to the unit of the same name, while that stays small."""
        if not self.grammar.overloads or not self.units or found.bodies or not symbols:
            return False
        last = self.units[-1]
        if last.scope != frame.scope or last.header or self._large(last.start, end):
            return False
        return _extend(last.symbols, symbols)

    def _other(self, node: Node, frame: _Frame) -> None:
        """A statement that defines nothing: look through it, or take it as it is."""
        looked = node.type in self.grammar.look or node.type == "ERROR"
        if frame.sink is not None:
            if looked:
                self._push((node,), _Frame(iter(()), frame.scope, frame.inside, frame.sink, frame.loose))
            return
        start, end = node.start_point[0] + 1, last_line(node)
        if node.named_child_count and self._large(start, end):
            # A line of its own ("if DEBUG:", "(function () {") opens a unit; otherwise the first child does.
            if node.named_children[0].start_point[0] + 1 > start:
                self._open(Unit(start, end, LINES, frame.scope), start)
            self._push((node,), _Frame(iter(()), frame.scope, frame.inside, None, frame.loose or not looked))
            return
        unit = self._open(Unit(start, end, LINES, frame.scope, nodes=[node]), end)
        if looked:
            self._push((node,), _Frame(iter(()), frame.scope, frame.inside, unit, frame.loose))

    def _import(self, node: Node, frame: _Frame) -> None:
        self.import_nodes.append(node)
        if frame.sink is None:
            end = last_line(node)
            self._open(Unit(node.start_point[0] + 1, end, IMPORTS, frame.scope, nodes=[node]), end)

    def _continue(self, node: Node, frame: _Frame) -> None:
        """The body of the definition before: its symbols end where the body ends."""
        holder = frame.sink or (self.units[-1] if self.units else None)
        if holder is None:
            self._other(node, frame)
            return
        end = last_line(node)
        if holder.symbols:
            holder.symbols[-1] = replace(holder.symbols[-1], end_line=end)
        if frame.sink is None:
            holder.nodes.append(node)
            self._pending, self._reached = None, end

    def _lead(self, node: Node, frame: _Frame) -> None:
        """Keep a comment until what it describes; one at the end of a line of code stays with that line."""
        start, end = node.start_point[0] + 1, last_line(node)
        if frame.sink is not None or start <= self._reached:
            return
        if self._pending is not None and start <= self._pending[1] + 1:
            self._pending = (self._pending[0], max(end, self._pending[1]))
        else:
            self._flush()
            self._pending = (start, end)

    def _flush(self) -> None:
        """A comment that nothing follows directly is a unit of its own."""
        if self._pending is not None:
            start, end = self._pending
            self._pending = None
            self._append(Unit(start, end, LINES, self._stack[-1].scope if self._stack else ""))

    def _open(self, unit: Unit, reached: int) -> Unit:
        if self._pending is not None:
            start, end = self._pending
            if unit.start <= end + 1:
                unit.start = min(unit.start, start)
                self._pending = None
            else:
                self._flush()
        self._reached = max(reached, self._reached)
        return self._append(unit)

    def _append(self, unit: Unit) -> Unit:
        """Add the unit, or join it to the last one when both start on one line."""
        if not self.units or unit.start > self.units[-1].start:
            self.units.append(unit)
            return unit
        last = self.units[-1]
        if last.kind in (LINES, IMPORTS) and unit.kind not in (LINES, IMPORTS):
            last.kind, last.scope = unit.kind, unit.scope
        if not last.header:
            last.inner, last.header = unit.inner or last.inner, unit.header
        last.names.extend(unit.names)
        last.symbols.extend(unit.symbols)
        last.nodes.extend(unit.nodes)
        return last

    def _push(self, bodies: tuple[Node, ...], frame: _Frame) -> None:
        for body in reversed(bodies):
            self._stack.append(replace(frame, nodes=iter(body.named_children)))

    def _large(self, start: int, end: int) -> bool:
        return (
            end - start >= self.limits.code_target_lines or self.lines.chars(start, end) > self.limits.code_target_chars
        )


def closed(units: list[Unit], lines: Lines) -> list[Unit]:
    """Set each unit's end to the line before the next one and drop blank edges; name statements after what they hold.

    `units` are in order of their distinct starts; the first is extended to the first line.
    """
    units = units or [Unit(1, lines.count, LINES)]
    units[0].start = 1
    kept = []
    for position, unit in enumerate(units):
        end = units[position + 1].start - 1 if position + 1 < len(units) else lines.count
        unit.start, unit.end = lines.trim(unit.start, end)
        if unit.kind in (LINES, IMPORTS) and unit.symbols and not unit.names:
            unit.kind = unit.symbols[0].kind
            unit.names = [each.name for each in unit.symbols if each.parent == unit.scope]
        if unit.start <= unit.end:
            kept.append(unit)
    _rehome(kept)
    return kept


def _rehome(units: list[Unit]) -> None:
    """Give symbols to the unit that holds their first line.

    It is another one when two definitions share a line ("} class B {"), or a broken node begins on a blank line.
    """
    strays: list[Symbol] = []
    for unit in units:
        inside = [each for each in unit.symbols if unit.start <= each.start_line <= unit.end]
        if len(inside) < len(unit.symbols):
            strays.extend(each for each in unit.symbols if not unit.start <= each.start_line <= unit.end)
            unit.symbols = inside
    starts = [unit.start for unit in units] if strays else []
    for stray in strays:
        unit = units[max(bisect_right(starts, stray.start_line) - 1, 0)]
        line = min(max(stray.start_line, unit.start), unit.end)
        unit.symbols.append(replace(stray, start_line=line, end_line=max(stray.end_line, line)))


def _extend(known: list[Symbol], more: list[Symbol]) -> bool:
    """Lengthen the last known symbol when the new one is the same name again."""
    if not known or len(more) != 1 or (known[-1].name, known[-1].parent) != (more[0].name, more[0].parent):
        return False
    known[-1] = replace(known[-1], end_line=more[0].end_line)
    return True
