"""What one evaluation run found: the records, their averages, and the file they are kept in.

Only the scores of single queries are data; every average is computed from them, so a file that is read
back says what the run said. Not here: running (`run`), showing (`render`), judging a change (`compare`).
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import InvalidRequest, UnsupportedPath
from recollect.evaluation.machine import Machine
from recollect.evaluation.metrics import mean, percentile

FORMAT = 1
"""Version of the result file; raised when an older reader would misread a newer file."""

METRICS = {
    "repositories": ("ndcg@10", "hit@1", "hit@10"),
    "texts": ("ndcg@10", "recall@10", "recall@100", "mrr@10", "hit@1"),
}
"""What is reported for each kind of dataset, the deciding one first."""

Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class QueryScore:
    """How one query did. `values` follow the metrics of the result; `ranks` has one entry per target."""

    group: str
    id: str
    category: str
    values: tuple[float, ...]
    ranks: tuple[int | None, ...]
    took_ms: float


@dataclass(frozen=True, slots=True)
class GroupRun:
    """One index that was built: a repository or a text set, and the seconds until it was searchable."""

    name: str
    language: str
    chunks: int
    index_s: float


@dataclass(frozen=True, slots=True)
class Result:
    """One dataset asked in one mode.

    `limit` is how many hits each query asked for (latency depends on it). `degraded` holds what the
    engine said was not available. `date` is ISO 8601, `version` Recollect's.
    """

    dataset: str
    kind: str
    mode: str
    limit: int
    date: str
    version: str
    embedder: str
    fingerprint: str
    machine: Machine
    groups: tuple[GroupRun, ...]
    queries: tuple[QueryScore, ...]
    degraded: tuple[str, ...] = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics, in the order of `QueryScore.values`."""
        return METRICS[self.kind]

    @property
    def scores(self) -> Scores:
        """Each metric: mean over the queries of each group, then over groups."""
        return self._mean_of(self.by_group.values())

    @property
    def by_group(self) -> dict[str, Scores]:
        """Each metric for each repository or text set."""
        return self._averages(lambda query: query.group)

    @property
    def by_category(self) -> dict[str, Scores]:
        """Each metric for each category of question: mean over its queries, wherever they come from."""
        return self._averages(lambda query: query.category)

    @property
    def by_language(self) -> dict[str, Scores]:
        """Each metric for each language: mean over the groups written in it."""
        groups = self.by_group
        languages = sorted({group.language for group in self.groups if group.language})
        return {
            language: self._mean_of(groups[group.name] for group in self.groups if group.language == language)
            for language in languages
        }

    @property
    def index_s(self) -> float:
        """Seconds all indexes took together."""
        return sum(group.index_s for group in self.groups)

    def latency_ms(self, share: float, group: str | None = None) -> float:
        """Give the percentile `share` (0..1) of the query times in milliseconds, of one group or of all."""
        return percentile((query.took_ms for query in self.queries if group in (None, query.group)), share)

    def to_dict(self) -> dict[str, Any]:
        """Lay the result out for its file: averages for people, then one short row per query."""
        by_group = self.by_group
        return {
            "format": FORMAT,
            "dataset": self.dataset,
            "kind": self.kind,
            "mode": self.mode,
            "limit": self.limit,
            "date": self.date,
            "version": self.version,
            "embedder": self.embedder,
            "fingerprint": self.fingerprint,
            "machine": dataclasses.asdict(self.machine),
            "degraded": list(self.degraded),
            "scores": _rounded(self.scores),
            "latency_ms": {"p50": round(self.latency_ms(0.5), 2), "p95": round(self.latency_ms(0.95), 2)},
            "index_s": round(self.index_s, 3),
            "by_category": {name: _rounded(scores) for name, scores in self.by_category.items()},
            "by_language": {name: _rounded(scores) for name, scores in self.by_language.items()},
            "groups": [self._group_row(group, by_group[group.name]) for group in self.groups],
            "columns": ["group", "id", "category", list(self.metrics), "ranks", "took_ms"],
            "queries": [
                [query.group, query.id, query.category, list(query.values), list(query.ranks), round(query.took_ms, 2)]
                for query in self.queries
            ],
        }

    def to_json(self) -> str:
        """Write the result as JSON with one row per line: small, and two runs can be compared by diff."""
        return "{\n" + ",\n".join(_entry(key, value) for key, value in self.to_dict().items()) + "\n}\n"

    def _group_row(self, group: GroupRun, scores: Scores) -> dict[str, Any]:
        row = dataclasses.asdict(group) | {"index_s": round(group.index_s, 3)}
        row["queries"] = sum(1 for query in self.queries if query.group == group.name)
        row |= _rounded(scores)
        row["p50_ms"] = round(self.latency_ms(0.5, group.name), 2)
        row["p95_ms"] = round(self.latency_ms(0.95, group.name), 2)
        return row

    def _averages(self, key: Callable[[QueryScore], str]) -> dict[str, Scores]:
        members: dict[str, list[QueryScore]] = {}
        for query in self.queries:
            if key(query):
                members.setdefault(key(query), []).append(query)
        return {
            name: {metric: mean(query.values[place] for query in found) for place, metric in enumerate(self.metrics)}
            for name, found in members.items()
        }

    def _mean_of(self, scores: Iterable[Scores]) -> Scores:
        listed = list(scores)
        return {metric: mean(one[metric] for one in listed) for metric in self.metrics}


def write_result(result: Result, folder: Path) -> Path:
    """Write `result` to `<date>-<dataset>-<mode>.json` in `folder` and return the path.

    A run of the same day, dataset and mode replaces the file, all at once.
    Raises UnsupportedPath when `folder` cannot be written to.
    """
    name = re.sub(r"[^\w.+-]+", "_", f"{result.date}-{result.dataset}-{result.mode}")
    path = folder / f"{name}.json"
    partial = path.with_suffix(".partial")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_text(result.to_json(), encoding="utf-8")
        os.replace(partial, path)  # noqa: PTH105 - the call that is known to be atomic
    except OSError as error:
        raise UnsupportedPath(f"The result cannot be written to {folder}: {error.strerror}.",
                              hint="Choose a folder you can write to.") from error  # fmt: skip
    return path


def read_result(path: Path) -> Result:
    """Read a result that `write_result` wrote.

    Raises UnsupportedPath when there is no such file, InvalidRequest when it is no result, or a newer
    format than this version reads.
    """
    if not path.is_file():
        raise UnsupportedPath(
            f"There is no result file {path}.", hint="`recollect eval ... --write DIR` keeps a result there."
        )
    hint = "Give a file that `recollect eval` wrote."
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise InvalidRequest(f"{path} has format {data['format']}, this version reads {FORMAT}.",
                                 hint="Run the evaluation again, or use the version that wrote it.")  # fmt: skip
        return _from_dict(data)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidRequest(f"{path} is not an evaluation result.", hint=hint) from error


def _from_dict(data: Mapping[str, Any]) -> Result:
    if data["kind"] not in METRICS or tuple(data["columns"][3]) != METRICS[data["kind"]]:
        raise ValueError("other metrics")
    groups = tuple(
        GroupRun(**{field.name: row[field.name] for field in dataclasses.fields(GroupRun)}) for row in data["groups"]
    )
    queries = tuple(
        QueryScore(group, name, category, tuple(values), tuple(ranks), took_ms)
        for group, name, category, values, ranks, took_ms in data["queries"]
    )
    plain = ("dataset", "kind", "mode", "limit", "date", "version", "embedder", "fingerprint")
    return Result(**{name: data[name] for name in plain}, machine=Machine(**data["machine"]), groups=groups,
                  queries=queries, degraded=tuple(data["degraded"]))  # fmt: skip


def _entry(key: str, value: Any) -> str:
    if key in ("groups", "queries") and value:
        rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False, separators=(',', ':'))}" for row in value)
        return f" {json.dumps(key)}: [\n{rows}\n ]"
    return f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"


def _rounded(scores: Scores) -> dict[str, float]:
    return {name: round(value, 4) for name, value in scores.items()}
