"""Ranking signals: what raises or lowers a candidate beside its place in the lists. Pure functions of arrays.

Every constant stands in `WEIGHTS` and `FACTORS`; docs/ranking.md has the measurement behind each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.retrieval.candidates import Pool
from recollect.retrieval.paths import FLAGS, PathTraits
from recollect.retrieval.query import Query

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """What each addition is worth, in units of the best fused score of the query."""

    fused: float = 0.2
    keyword: float = 0.65
    vector: float = 0.5
    coverage: float = 0.45
    title: float = 0.2
    definition: float = 1.0
    stem: float = 0.75
    folders: float = 0.6
    coherence: float = 0.45
    file_keyword: float = 0.25
    prose: float = -0.4
    prose_coverage: float = 0.3


@dataclass(frozen=True, slots=True)
class Factors:
    """What a trait of the path multiplies the score with, unless the query asks for such documents."""

    test: float = 0.6
    example: float = 0.7
    legacy: float = 0.5
    generated: float = 0.6
    vendored: float = 0.4
    index: float = 0.95
    declarations: float = 0.7


WEIGHTS = Weights()
FACTORS = Factors()
SATURATION = 0.4
LIST_SATURATION = 0.85
"""Each further hit of one file (the second value: in plain keyword search) counts this much less: ten places of ten files tell more than ten of one."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where each candidate stands: the traits of its path, whether its document is prose, and its document's number."""

    paths: tuple[PathTraits, ...]
    prose: NDArray[np.bool_]
    files: NDArray[np.int64]


def additions(pool: Pool, fused: Floats, query: Query, places: Places) -> dict[str, Floats]:
    """Return each signal's value per candidate, 0 to 1."""
    paths, files = places.paths, places.files
    return {
        "fused": _share_of_best(fused),
        "keyword": _share_of_best(pool.keyword),
        "vector": _spread(pool.cosine),
        "coverage": pool.coverage,
        "title": pool.title.sum(axis=1),
        "definition": definition(pool, query, paths),
        # The name of a page of prose says what it is called, not what it defines.
        "stem": np.where(places.prose, np.float32(0), stem_match(query, paths)),
        "folders": folder_match(query, paths),
        "coherence": coherence(fused, files),
        "file_keyword": coherence(_share_of_best(pool.keyword) ** 2, files),
        # Words are what prose is made of: how much of a question it holds says more there than in code.
        "prose_coverage": np.where(places.prose, pool.coverage, np.float32(0)),
        "prose": np.where(query.wants_prose, np.float32(0), places.prose.astype(np.float32)),
    }


def combine(values: Mapping[str, Floats], weights: Weights) -> Floats:
    """Add the signals up."""
    total = np.zeros_like(values["fused"])
    for name, weight in asdict(weights).items():
        total += np.float32(weight) * values[name]
    return total


def _share_of_best(scores: Floats) -> Floats:
    best = float(scores.max(initial=0.0))
    return scores / np.float32(best) if best > 0 else np.zeros_like(scores)


SURE_COSINE = 0.6
"""Below this best cosine the vectors found nothing they are sure of, and weigh less (other languages, rare names)."""


def _spread(cosine: Floats) -> Floats:
    """Cosines of static vectors live in a narrow band: what counts is where between nothing and the best."""
    known = np.maximum(cosine, 0)
    sure = min(1.0, float(known.max(initial=0.0)) / SURE_COSINE)
    return np.float32(sure) * _share_of_best(known) ** 2


def definition(pool: Pool, query: Query, paths: Sequence[PathTraits]) -> Floats:
    """How surely the chunk defines what is asked for; a file that bears the name makes it surer."""
    same = np.array([t.whole in query.names for t in paths], np.float32)
    return pool.definition * (np.float32(2 / 3) + same / np.float32(3))


def stem_match(query: Query, paths: Sequence[PathTraits]) -> Floats:
    """The share of the file name's terms that the query holds, weighed by how much of the query they are."""
    terms = query.parsed.terms.keys()
    values = np.zeros(len(paths), np.float32)
    for i, trait in enumerate(paths):
        if not trait.stem.isdisjoint(terms):
            values[i] = len(trait.stem & terms) / len(trait.stem)
        if trait.whole in query.names:
            values[i] = max(values[i], query.names[trait.whole])
    return values


def folder_match(query: Query, paths: Sequence[PathTraits]) -> Floats:
    """The share of the query's terms among the names of the enclosing folders."""
    terms = query.parsed.terms.keys()
    return np.array([len(p.folders & terms) for p in paths], np.float32) / np.float32(max(len(terms), 1))


def coherence(fused: Floats, files: NDArray[np.int64]) -> Floats:
    """Several good chunks in one file: the file's sum, as a share of the best file's."""
    if not len(files):
        return fused
    sums = np.bincount(files, weights=fused).astype(np.float32)
    return _share_of_best(sums)[files]


def factors(query: Query, paths: Sequence[PathTraits], table: Factors) -> dict[str, Floats]:
    """Return what each trait multiplies each candidate's score with (1 where it does not apply)."""
    spared = {
        "test": query.wants_tests,
        "example": query.wants_examples or query.wants_tests,
        "declarations": query.wants_types,
    }
    flags = np.array([p.flags for p in paths], bool).reshape(len(paths), len(FLAGS))
    found: dict[str, Floats] = {}
    for column, name in enumerate(FLAGS):
        if flags[:, column].any() and not spared.get(name):
            found[name] = np.where(flags[:, column], np.float32(getattr(table, name)), np.float32(1))
    return found


def diversify(
    scores: Floats, files: NDArray[np.int64], limit: int, saturation: float = SATURATION
) -> list[tuple[int, float]]:
    """Choose `limit` candidates, best first, each further one of a file counting `saturation` times as much."""
    order = np.argsort(-scores, kind="stable")
    taken: dict[int, int] = {}
    waiting: list[tuple[int, float]] = []
    for i in order.tolist():
        file = int(files[i])
        seen = taken.get(file, 0)
        if len(waiting) >= 4 * limit and seen:
            continue
        taken[file] = seen + 1
        waiting.append((i, float(scores[i]) * saturation**seen))
    waiting.sort(key=lambda c: -c[1])
    return waiting[:limit]
