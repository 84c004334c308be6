"""Cut a definition that is too long at its own statements, as evenly as they allow.

Not here: which units exist (outline) and which small ones are merged (packing).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from tree_sitter import Node

from recollect.chunking.limits import Limits
from recollect.chunking.outline import Unit, last_line
from recollect.chunking.rules import Grammar, chain
from recollect.chunking.spans import Lines
from recollect.types import Symbol

_NESTED = frozenset({"function", "method", "class"})
_UNMARKED = 1_000  # cost of cutting where no statement starts; the indentation is added
_SIGNATURE_LINES = 8  # where the name is looked for: annotations and return types may come first
_DESCEND_LINES = 4  # nodes of fewer lines are not entered: a cut inside them gains nothing


def split(unit: Unit, lines: Lines, grammar: Grammar | None, limits: Limits) -> list[Unit]:
    """The unit in parts within the limits, or alone when it already is.

    Functions and classes that start inside it become symbols of the part that holds them.
    """
    if fits(lines, unit.start, unit.end, limits):
        return [unit]
    marks, nested = _statements(unit, grammar) if grammar is not None else ({}, [])
    symbols = [*unit.symbols, *nested]
    starts = cuts(lines, unit.start, unit.end, marks, limits)
    origin = _signature_line(unit, lines)
    parts = []
    for number, start in enumerate(starts, 1):
        following = starts[number] - 1 if number < len(starts) else unit.end
        begin, end = lines.trim(start, following)
        if begin > end:
            continue
        inside = [each for each in symbols if start <= each.start_line <= following]
        header = unit.header and number == len(starts)
        part = replace(unit, start=begin, end=end, symbols=inside, nodes=[], header=header)
        part.part, part.origin = number, origin
        parts.append(part)
    return parts


def _signature_line(unit: Unit, lines: Lines) -> int:
    """The line that names the definition, below its comments and annotations; the unit's first without a name."""
    if not unit.symbols:
        return unit.start
    first = unit.symbols[0]
    near = range(first.start_line, min(first.end_line, unit.end) + 1)[:_SIGNATURE_LINES]
    return next((line for line in near if first.name in lines.lines[line - 1]), first.start_line)


def fits(lines: Lines, start: int, end: int, limits: Limits) -> bool:
    """Whether the lines can stay one chunk of code."""
    return end - start < limits.code_target_lines and lines.chars(start, end) <= limits.code_max_chars


def cuts(lines: Lines, start: int, end: int, marks: Mapping[int, int], limits: Limits) -> list[int]:
    """The first line of every part of start..end.

    `marks` gives the nesting depth of statements by their first line; the shallowest one in the second half
    of a part's room is taken, then the one that leaves the most even parts.
    """
    starts = [start]
    while start < end and not fits(lines, start, end, limits):
        rest = lines.chars(start, end)
        parts = max(math.ceil((end - start + 1) / limits.code_target_lines), math.ceil(rest / limits.code_part_chars))
        aim = rest / max(parts, 2)
        best, best_cost = start + 1, (math.inf, math.inf)
        for line in range(start + 1, min(start + limits.code_target_lines, end) + 1):
            size = lines.chars(start, line - 1)
            if size > limits.code_max_chars:
                break
            if lines.blank(line) or size < aim / 2:
                continue
            cost = (marks.get(line, _UNMARKED + lines.indent(line)), abs(size - aim))
            if cost < best_cost:
                best, best_cost = line, cost
        if best_cost[0] == math.inf:
            best = _furthest(lines, start, end, limits)
        start = best
        starts.append(start)
    return starts


def _furthest(lines: Lines, start: int, end: int, limits: Limits) -> int:
    """The line after the longest run from `start` within the limits; at least one line, however long it is."""
    line = start + 1
    while line <= end and fits(lines, start, line, limits):
        line += 1
    return min(line, end)


def _statements(unit: Unit, grammar: Grammar) -> tuple[dict[int, int], list[Symbol]]:
    """Depth of every statement by first line, and the named functions and classes among them."""
    marks: dict[int, int] = {}
    nested: list[Symbol] = []
    known = {(each.name, each.start_line) for each in unit.symbols}
    own = chain(unit.scope, unit.names[0]) if unit.names else unit.scope
    stack: list[tuple[Node, int]] = [(node, 0) for node in unit.nodes]
    while stack:
        node, depth = stack.pop()
        previous_end, previous_leads = 0, False
        for each in node.named_children:
            line, end = each.start_point[0] + 1, last_line(each)
            # A comment's statement, and an "else" on the line of a closing brace, stay where they are.
            if line > previous_end and not (previous_leads and line == previous_end + 1):
                marks[line] = min(depth, marks.get(line, depth))
            previous_end, previous_leads = end, each.type in grammar.leading
            symbol = _definition(each, grammar, own)
            if symbol is not None and (symbol.name, symbol.start_line) not in known:
                known.add((symbol.name, symbol.start_line))
                nested.append(symbol)
            if end - line + 1 >= _DESCEND_LINES:
                stack.append((each, depth + 1))
    return marks, sorted(nested, key=lambda each: each.start_line)


def _definition(node: Node, grammar: Grammar, parent: str) -> Symbol | None:
    rule = grammar.rules.get(node.type)
    found = rule(node) if rule is not None else None
    if found is None or found.kind not in _NESTED or not found.names:
        return None
    return Symbol(found.names[0], found.kind, node.start_point[0] + 1, last_line(node), chain(parent, found.owner))
