"""Show results and comparisons as plain aligned text, for people.

Not here: colours and terminals (`interfaces`), and any computation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.evaluation.compare import Comparison, Delta
from recollect.evaluation.results import GroupRun, Result, Scores

Row = Sequence[str]


def render(result: Result) -> str:
    """Lay out a result: the averages, then each repository or text set, language and category."""
    machine = result.machine
    groups = sorted(result.groups, key=lambda group: group.name)
    lines = [
        f"{result.dataset} · {result.mode} · {len(result.queries):,} queries · {_groups(result)} · {result.date}",
        f"Recollect {result.version} · {result.embedder} · {machine.cpu}, {machine.cores} cores · {machine.python}",
        *(f"degraded: {note}" for note in result.degraded),
        "",
        *_table(
            ["", *result.metrics, "p50 ms", "p95 ms", "index s", "chunks"],
            [_summary_row(result), *(_group_row(result, group) for group in groups)],
        ),
    ]
    for title, scores in (("language", result.by_language), ("category", result.by_category)):
        if scores:
            rows = [[name, *_cells(scores[name], result.metrics)] for name in sorted(scores)]
            lines += ["", *_table([title, *result.metrics], rows)]
    return "\n".join(lines) + "\n"


def render_comparison(comparison: Comparison) -> str:
    """Lay out a comparison: each metric's change with interval and p-value, then every group, losses first."""
    counted = f"{comparison.common:,} common queries, {comparison.units:,} drawn by {comparison.unit}"
    if comparison.only_old or comparison.only_new:
        counted += f"; left out: {comparison.only_old} only in old, {comparison.only_new} only in new"
    rows = [_delta_row(delta) for delta in comparison.deltas]
    rows += [
        [f"{name} ms", f"{old:.2f}", f"{new:.2f}", f"{new - old:+.2f}", "", "", ""]
        for name, (old, new) in (("p50", comparison.p50_ms), ("p95", comparison.p95_ms))
    ]
    lines = [
        f"old: {comparison.old_label}",
        f"new: {comparison.new_label}",
        counted,
        "",
        *_table(["", "old", "new", "change", "95 % interval", "p", ""], rows),
    ]
    if len(comparison.groups) > 1:
        lines += ["", *_table([comparison.deltas[0].metric, "old", "new", "change"], _moved(comparison.groups))]
    return "\n".join(lines) + "\n"


def _moved(groups: Mapping[str, tuple[float, float]]) -> list[Row]:
    ordered = sorted(groups.items(), key=lambda item: item[1][1] - item[1][0])
    return [[name, _score(old), _score(new), _signed(new - old)] for name, (old, new) in ordered]


def _summary_row(result: Result) -> Row:
    chunks = sum(group.chunks for group in result.groups)
    return [
        "all",
        *_cells(result.scores, result.metrics),
        *_times(result, None),
        f"{result.index_s:.2f}",
        f"{chunks:,}",
    ]


def _group_row(result: Result, group: GroupRun) -> Row:
    scores = _cells(result.by_group[group.name], result.metrics)
    return [group.name, *scores, *_times(result, group.name), f"{group.index_s:.2f}", f"{group.chunks:,}"]


def _times(result: Result, group: str | None) -> Row:
    return [f"{result.latency_ms(0.5, group):.2f}", f"{result.latency_ms(0.95, group):.2f}"]


def _cells(scores: Scores, metrics: Sequence[str]) -> Row:
    return [_score(scores[metric]) for metric in metrics]


def _score(value: float) -> str:
    return f"{value:.4f}"


def _signed(value: float) -> str:
    return f"{value:+.4f}"


def _groups(result: Result) -> str:
    one, many = {"repositories": ("repository", "repositories"), "texts": ("text set", "text sets")}[result.kind]
    count = len(result.groups)
    return f"{count} {one if count == 1 else many}"


def _delta_row(delta: Delta) -> Row:
    verdict = "significant" if delta.significant else "within noise"
    interval = f"{_signed(delta.low)} … {_signed(delta.high)}"
    scores = [_score(delta.old), _score(delta.new), _signed(delta.change)]
    return [delta.metric, *scores, interval, f"{delta.p_value:.4f}", verdict]


def _table(header: Row, rows: Sequence[Row]) -> list[str]:
    """Align columns: the first to the left, the others to the right; two spaces between."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = []
    for row in (header, *rows):
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines
