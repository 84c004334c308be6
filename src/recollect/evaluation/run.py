"""Index a dataset afresh, ask its questions, score the answers.

Not here: reading datasets (`datasets`), formulas (`metrics`), files and averages (`results`).
"""

from __future__ import annotations

import datetime
import functools
import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from recollect.errors import InvalidRequest, nearest
from recollect.evaluation import metrics
from recollect.evaluation.datasets import (
    Dataset,
    Question,
    Task,
    document_ranks,
    hit_ranks,
    load_dataset,
    read_documents,
)
from recollect.evaluation.machine import describe_machine
from recollect.evaluation.results import METRICS, GroupRun, QueryScore, Result
from recollect.types import Document, Hit, IndexReport, Progress, SearchResponse, Status

logger = logging.getLogger(__name__)

MODES = ("search", "vsearch", "query")
"""The ways a question can be asked: the engine's methods of these names."""

LIMITS = {"repositories": 10, "texts": 300}
"""How many hits to ask for. Texts are judged down to document 100, and hits are chunks of documents."""

WARM_UP = "warm up"
"""Asked once, untimed, in each mode: latency is that of an open engine, not of loading a model."""


class SearchEngine(Protocol):
    """What evaluation needs of an engine; `recollect.engine.Engine` has it."""

    def index(self, path: str, *, name: str) -> IndexReport: ...
    def add(self, documents: Sequence[Document], *, name: str) -> IndexReport: ...
    def search(self, query: str, *, collections: tuple[str, ...], limit: int) -> SearchResponse: ...
    def vsearch(self, query: str, *, collections: tuple[str, ...], limit: int) -> SearchResponse: ...
    def query(self, query: str, *, collections: tuple[str, ...], limit: int) -> SearchResponse: ...
    def status(self) -> Status: ...


OpenEngine = Callable[[Path], AbstractContextManager[SearchEngine]]


def evaluate(
    dataset: Path,
    *,
    mode: str = "query",
    repos: Path | None = None,
    only: Sequence[str] = (),
    open_engine: OpenEngine | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Result:
    """Ask every question of `dataset` in one mode; see `evaluate_modes`."""
    return evaluate_modes(dataset, modes=(mode,), repos=repos, only=only, open_engine=open_engine, progress=progress)[0]


def evaluate_modes(
    dataset: Path,
    *,
    modes: Sequence[str],
    repos: Path | None = None,
    only: Sequence[str] = (),
    open_engine: OpenEngine | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Result, ...]:
    """Ask every question of `dataset` in each mode; index once. One result per mode, in the order given.

    Each repository or text set is indexed into a temporary database of its own, so that neither its
    scores nor its times depend on the others.

    Arguments: `modes`, of "search", "vsearch", "query"; `repos` and `only`, see `load_dataset`;
    `open_engine`, opens an engine on a database path (default: the installed one, as configured);
    `progress`, told before and after each group, stage "evaluate".
    Raises what `load_dataset` raises, InvalidRequest for an unknown mode, and whatever the engine raises.
    """
    modes = _checked(modes)
    loaded = load_dataset(dataset, repos=repos, only=only)
    opener = open_engine or _default_engine()
    runs: list[_TaskRun] = []
    for done, task in enumerate(loaded.tasks):
        if progress:
            progress(Progress(task.name, "evaluate", done, len(loaded.tasks)))
        runs.append(_run_task(task, loaded, modes, opener))
    if progress and runs:
        progress(Progress(runs[-1].group.name, "evaluate", len(runs), len(runs)))
    return tuple(_result(loaded, mode, runs) for mode in modes)


class _TaskRun:
    """What one task gave: its group, the engine's description of itself, and the scores of each mode."""

    def __init__(self, group: GroupRun, status: Status, modes: Sequence[str]) -> None:
        self.group = group
        self.status = status
        self.scores: dict[str, list[QueryScore]] = {mode: [] for mode in modes}
        self.degraded: dict[str, list[str]] = {mode: [] for mode in modes}


def _run_task(task: Task, dataset: Dataset, modes: Sequence[str], open_engine: OpenEngine) -> _TaskRun:
    limit = LIMITS[dataset.kind]
    documents = tuple(read_documents(task.source)) if dataset.kind == "texts" else ()
    with (
        tempfile.TemporaryDirectory(prefix="recollect-eval-") as folder,
        open_engine(Path(folder) / "eval.db") as engine,
    ):
        started = time.perf_counter()
        report = _index(engine, task, dataset.kind, documents)
        group = GroupRun(task.name, task.language, report.chunks, time.perf_counter() - started)
        logger.info("%s: %d chunks in %.2f s", task.name, group.chunks, group.index_s)
        run = _TaskRun(group, engine.status(), modes)
        for mode in modes:
            ask = functools.partial(getattr(engine, mode), collections=(task.name,), limit=limit)
            ask(WARM_UP)
            for question in task.questions:
                started = time.perf_counter()
                hits, notes = _ask(ask, question, task)
                took_ms = (time.perf_counter() - started) * 1000
                run.scores[mode].append(_score(question, task, dataset.kind, hits, took_ms))
                run.degraded[mode].extend(notes)
    return run


def _ask(
    ask: Callable[[str], SearchResponse], question: Question, task: Task
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """Return the hits and what was degraded. A refused question was not answered: no hits, and a note that says so.

    Real sets hold such questions (banners of box characters, without a word); losing the whole run to
    one of them would be worse than its zero. An engine that refuses everything fails at the warm-up.
    """
    try:
        response = ask(question.text)
    except InvalidRequest as error:
        return (), (f"{task.name}: refused {question.id!r}: {error.message}",)
    return response.hits, response.degraded


def _index(engine: SearchEngine, task: Task, kind: str, documents: Sequence[Document]) -> IndexReport:
    if kind == "texts":
        return engine.add(documents, name=task.name)
    return engine.index(str(task.source), name=task.name)


def _score(question: Question, task: Task, kind: str, hits: Sequence[Hit], took_ms: float) -> QueryScore:
    ranks = document_ranks(question, hits) if kind == "texts" else hit_ranks(question, hits, task.prefix)
    values = tuple(round(_value(name, ranks, question), 5) for name in METRICS[kind])
    return QueryScore(task.name, question.id, question.category, values, ranks, took_ms)


def _value(metric: str, ranks: metrics.Ranks, question: Question) -> float:
    name, _, depth = metric.partition("@")
    k = int(depth)
    if name == "ndcg":
        return metrics.ndcg(ranks, [target.gain for target in question.targets], k=k)
    formulas = {"recall": metrics.recall, "mrr": metrics.reciprocal_rank, "hit": metrics.hit_rate}
    return formulas[name](ranks, k=k)


def _result(dataset: Dataset, mode: str, runs: Sequence[_TaskRun]) -> Result:
    status = runs[0].status
    return Result(
        dataset=dataset.name,
        kind=dataset.kind,
        mode=mode,
        limit=LIMITS[dataset.kind],
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        version=status.version,
        embedder=status.embedder,
        fingerprint=status.fingerprint,
        machine=describe_machine(),
        groups=tuple(run.group for run in runs),
        queries=tuple(score for run in runs for score in run.scores[mode]),
        degraded=tuple(dict.fromkeys(note for run in runs for note in run.degraded[mode])),
    )


def _checked(modes: Sequence[str]) -> tuple[str, ...]:
    for mode in modes:
        if mode not in MODES:
            raise InvalidRequest(
                f"There is no mode {mode!r}.", hint=nearest(mode, MODES) or f"Modes: {', '.join(MODES)}."
            )
    if not modes:
        raise InvalidRequest("No mode to evaluate.", hint=f"Modes: {', '.join(MODES)}.")
    return tuple(dict.fromkeys(modes))


def _default_engine() -> OpenEngine:
    from recollect.engine import open_engine  # loads the store and the models: only when really running

    return open_engine
