"""Merge small neighbouring units into groups of the size that is worth finding.

Pure: units and line sizes in, groups of units out. Not here: what the units are (outline), splitting.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.chunking.limits import Limits
from recollect.chunking.outline import LINES, Unit
from recollect.chunking.rules import IMPORTS
from recollect.chunking.spans import Lines

Group = list[Unit]


def pack(units: Sequence[Unit], lines: Lines, limits: Limits) -> list[Group]:
    """Consecutive units in groups, each of which becomes one chunk.

    First, small neighbours of one scope are joined up to the target size; then groups of fewer than
    `min_lines` filled lines or `code_min_chars` are taken in by a neighbour that stays within
    `code_absorb_chars`.
    """
    groups: list[Group] = []
    for unit in units:
        if groups and _joins(groups[-1], unit, lines, limits):
            groups[-1].append(unit)
        else:
            groups.append([unit])
    return _absorb(groups, lines, limits)


def _joins(group: Group, unit: Unit, lines: Lines, limits: Limits) -> bool:
    start, last = group[0].start, group[-1]
    if unit.part or last.part or unit.header:
        return False
    chars = lines.chars(start, unit.end)
    preamble = _preamble(group[0]) and _preamble(last)
    if preamble and _preamble(unit):  # the head of a file: licence, documentation, imports
        together = unit.kind == IMPORTS or last.kind == IMPORTS or _small(unit, lines, limits)
        return together and unit.end - start < limits.code_target_lines and chars <= limits.code_max_chars
    if preamble and any(each.kind == IMPORTS for each in group):
        return False
    if unit.end - start >= limits.code_merge_lines or chars > limits.code_target_chars:
        return False
    if last.header and last.inner == unit.scope and unit.kind == LINES:  # the documentation of a class
        return True
    if last.scope != unit.scope and not (group[0].header and group[0].inner == unit.scope):
        return False
    return all(_small(each, lines, limits) for each in (group[0], last, unit))


def _preamble(unit: Unit) -> bool:
    return unit.kind in (IMPORTS, LINES) and not unit.scope


def _small(unit: Unit, lines: Lines, limits: Limits) -> bool:
    short = unit.end - unit.start < limits.code_small_lines
    return short and lines.chars(unit.start, unit.end) <= limits.code_small_chars


def _absorb(groups: list[Group], lines: Lines, limits: Limits) -> list[Group]:
    """Give groups of too few lines to a neighbour: a header to its first member, others to the smaller one."""
    result: list[Group] = []
    for position, group in enumerate(groups):
        start, end = group[0].start, group[-1].end
        if lines.filled(start, end) >= limits.min_lines and lines.chars(start, end) >= limits.code_min_chars:
            result.append(group)
            continue
        before = result[-1] if result else None
        after = groups[position + 1] if position + 1 < len(groups) else None
        costs = {
            "before": _cost(before, group, lines, limits) if before else None,
            "after": _cost(group, after, lines, limits) if after else None,
        }
        possible = {side: cost for side, cost in costs.items() if cost is not None}
        side = min(possible, key=possible.__getitem__) if possible else ""
        if side == "before" and before is not None:
            before.extend(group)
        elif side == "after" and after is not None:
            groups[position + 1] = [*group, *after]
        else:
            result.append(group)
    return result


def _cost(first: Group, second: Group, lines: Lines, limits: Limits) -> tuple[int, int] | None:
    """How badly two groups go together, None when they would become too large.

    A header and its first member belong together most, then neighbours of one scope, then a file's head.
    """
    chars = lines.chars(first[0].start, second[-1].end)
    length = second[-1].end - first[0].start + 1
    opens = first[-1].header and first[-1].inner == second[0].scope
    ceiling = limits.code_max_chars if opens else limits.code_absorb_chars
    if length > limits.code_target_lines or chars > ceiling:
        return None
    if opens:
        return 0, chars
    distance = 1 if first[-1].scope == second[0].scope else 2
    return distance + _preamble(first[-1]), chars
