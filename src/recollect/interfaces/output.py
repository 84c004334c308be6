"""Answers as text: JSON, Markdown, paths, and the plain lines of reports. Pure: records in, text out.

Not here: colours and progress (`terminal`), and which answer goes where (`cli`).
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from recollect.config import Resolved, describe
from recollect.interfaces.excerpt import Excerpt, visible
from recollect.types import Collection, Explanation, Hit, IndexReport, Passage, Removed, SearchResponse, Skipped, Status

SHOWN_SKIPPED = 5
"""Skipped files named in a report; --verbose names all."""
NOTHING_INDEXED = "No collections yet. Index a folder with: recollect index PATH"


def to_json(record: Any, *, explain: bool = False) -> str:
    """Return the response record as JSON; a search's `debug` is there only when it was asked for."""
    value = plain(record)
    if isinstance(record, SearchResponse) and not explain:
        del value["debug"]
        for hit in value["hits"]:
            hit["explanation"] = None
    return json.dumps(value, ensure_ascii=False, indent=2)


def plain(value: Any) -> Any:
    """Return `value` as dicts, lists and scalars: records by field, paths as text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, PurePath) else value


def hits_as_paths(hits: Sequence[Hit]) -> str:
    """Return `path:start-end`, one a line, each once, best first."""
    return "\n".join(dict.fromkeys(cite(hit) for hit in hits))


def hits_as_markdown(hits: Sequence[Hit]) -> str:
    """Return each hit as a citation and a fenced block, ready for a chat or an issue."""
    return "\n\n".join(_markdown(hit, _about(hit), f"{rank}. ") for rank, hit in enumerate(hits, 1))


def passage_as_markdown(passage: Passage) -> str:
    """Return a passage as a citation and a fenced block."""
    return _markdown(passage, f"of {passage.total_lines:,} lines")


def passage_as_lines(passage: Passage) -> str:
    """Return a passage as numbered lines under its citation."""
    head = f"{visible(cite(passage))}  of {passage.total_lines:,} lines"
    shown = Excerpt(tuple(visible(passage.text.removesuffix("\n")).split("\n")), passage.start_line, 0, 0)
    return "\n".join([head, *numbered(shown)])


def hit_as_lines(rank: int, hit: Hit, shown: Excerpt, *, several: bool) -> str:
    """Return one hit as plain lines; `several` collections in one answer name theirs."""
    return "\n".join([heading(rank, hit, several=several), *numbered(shown), *explained(hit.explanation)])


def heading(rank: int, hit: Hit, *, several: bool) -> str:
    """Return a hit's first line: rank, citation, collection where needed, what it is, score."""
    where = f"{hit.collection}  " if several else ""
    return visible(f"{rank}. {where}{cite(hit)}  {_about(hit)}")


def numbered(shown: Excerpt) -> list[str]:
    """Return the excerpt's lines with their numbers, and what is hidden around them."""
    rows = [f"{number:>6} │ {line}".rstrip() for number, line in enumerate(shown.lines, shown.first_line)]
    return [*hidden(shown.hidden_before, "above"), *rows, *hidden(shown.hidden_after, "below")]


def hidden(count: int, where: str) -> list[str]:
    """Return the row that stands for `count` lines not shown, if any."""
    return [f"       ┆ {count_of(count, 'more line')} {where}"] if count else []


def explained(explanation: Explanation | None) -> list[str]:
    """Return every number of an explanation, a line for the sentence and one for the figures."""
    if explanation is None:
        return []
    figures = [
        f"keyword {_number(explanation.keyword_score)} (rank {_rank(explanation.keyword_rank)})",
        f"vector {_number(explanation.vector_score)} (rank {_rank(explanation.vector_rank)})",
        f"rrf {explanation.rrf_score:.5f}",
        *(f"{name} {value:.3g}" for name, value in explanation.signals.items()),
        f"final {explanation.final_score:.3f}",
    ]
    return [f"       why: {visible(explanation.breakdown)}", f"       {' · '.join(figures)}"]


def timings(debug: Mapping[str, Any] | None) -> list[str]:
    """Return what a search says about its stages, one a line."""
    if not debug:
        return []
    return [f"{name}: {_figure(value)}" for name, value in _flat(debug)]


def report_as_lines(report: IndexReport, *, verbose: bool = False) -> str:
    """Return what an indexing run did, with the skipped files counted by reason."""
    lines = [summary(report), *_skipped_lines(report.skipped, verbose=verbose)]
    return "\n".join(lines)


def reports_as_lines(reports: Sequence[IndexReport], *, verbose: bool = False) -> str:
    """Return what several indexing runs did."""
    return "\n".join(report_as_lines(report, verbose=verbose) for report in reports) or NOTHING_INDEXED


def summary(report: IndexReport) -> str:
    """Return an indexing run in one line."""
    changes = [(report.added, "added"), (report.changed, "changed"), (report.removed, "removed")]
    files = report.added + report.changed + report.unchanged
    said = ", ".join(f"{count:,} {word}" for count, word in changes if count) or "nothing changed"
    written = f", {count_of(report.chunks, 'chunk')} written" if report.chunks else ""
    made = f", {count_of(report.embedded, 'vector')} made" if report.embedded else ""
    took = human_seconds(report.took_s)
    return f"{visible(report.collection)}: {count_of(files, 'file')} ({said}){written}{made}, in {took}"


def collections_as_lines(collections: Sequence[Collection]) -> str:
    """Return the collections as a table."""
    if not collections:
        return NOTHING_INDEXED
    head = ("NAME", "FILES", "CHUNKS", "VECTORS", "EMBEDDER", "ROOT")
    rows = [
        (visible(c.name), f"{c.documents:,}", f"{c.chunks:,}", f"{c.embedded:,}", c.embedder, visible(c.root) or "-")
        for c in collections
    ]
    return table([head, *rows], right=(1, 2, 3))


def status_as_lines(status: Status) -> str:
    """Return what is stored where, and whether anything leaves the machine."""
    leaves = ", ".join(status.leaves_machine) or "nothing"
    rows = [
        ("version", status.version),
        ("database", f"{visible(status.database)} ({human_bytes(status.size_bytes)}, schema {status.schema})"),
        ("embedder", f"{status.embedder} ({status.fingerprint})"),
        ("leaves the machine", leaves),
    ]
    return table(rows) + "\n\n" + collections_as_lines(status.collections)


def removed_as_line(removed: Removed) -> str:
    """Return what was forgotten in one line."""
    what = f"{count_of(removed.documents, 'file')}, {count_of(removed.chunks, 'chunk')}"
    return f"{visible(removed.collection)} forgotten: {what}. The folder itself is untouched."


def config_as_lines(resolved: Resolved) -> str:
    """Return each setting with its value and origin."""
    rows = [(name, _setting(getattr(resolved.settings, name)), origin) for name, origin in resolved.origins.items()]
    return table([("SETTING", "VALUE", "ORIGIN"), *rows])


def config_as_record(resolved: Resolved) -> dict[str, Any]:
    """Return each setting with value, origin and description, for JSON."""
    return {
        "settings": {
            name: {
                "value": plain(getattr(resolved.settings, name)),
                "origin": origin,
                "description": describe()[name][1],
            }
            for name, origin in resolved.origins.items()
        },
        "warnings": list(resolved.warnings),
    }


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return `rows` with aligned columns; those in `right` are aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = (c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def cite(place: Hit | Passage) -> str:
    """Return `path:start-end`."""
    return f"{place.path}:{place.start_line}-{place.end_line}"


def human_bytes(size: int) -> str:
    """Return a size in the unit a person would choose: 1.2 MB. Units are decimal."""
    value, unit = float(size), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{size} bytes" if unit == "bytes" else f"{value:.1f} {unit}"


def human_seconds(seconds: float) -> str:
    """Return a duration: 850 ms, 3.2 s, 2 min 5 s."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def count_of(count: int, noun: str) -> str:
    """Return a count with its noun in the right number: 1 file, 1,200 files."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _skipped_lines(skipped: Sequence[Skipped], *, verbose: bool) -> list[str]:
    if not skipped:
        return []
    counts = Counter(s.reason for s in skipped)
    lines = [f"skipped {count_of(len(skipped), 'file')}: {', '.join(f'{n:,} {r}' for r, n in counts.most_common())}"]
    shown = skipped if verbose else skipped[:SHOWN_SKIPPED]
    for item in shown:
        detail = f" ({visible(item.detail)})" if item.detail else ""
        lines.append(f"  {visible(item.path)}: {item.reason}{detail}")
    if len(shown) < len(skipped):
        lines.append(f"  and {len(skipped) - len(shown):,} more; --verbose names them all")
    return lines


def _about(hit: Hit) -> str:
    return "  ".join(part for part in (hit.title, hit.kind, f"{hit.score:.0%}") if part)


def _markdown(place: Hit | Passage, about: str, prefix: str = "") -> str:
    text = place.text.removesuffix("\n")
    longest = max((len(run) for run in re.findall(r"`{3,}|~{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{prefix}`{cite(place)}` {about}\n\n{fence}{place.language}\n{text}\n{fence}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _rank(value: int | None) -> str:
    return "none" if value is None else str(value)


def _figure(value: Any) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else visible(str(value))


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, value in values.items():
        rows += _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else [(f"{prefix}{name}", value)]
    return rows


def _setting(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "-"
    return str(value).lower() if isinstance(value, bool) else str(value)
