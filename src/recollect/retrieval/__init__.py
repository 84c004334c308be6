"""The read path: query, candidate lists, fusion, signals, hits. `search` below tells it whole."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recollect.retrieval import signals
from recollect.retrieval.candidates import Pool, Scope, gather
from recollect.retrieval.explain import hits_of
from recollect.retrieval.fusion import fuse
from recollect.retrieval.paths import traits
from recollect.retrieval.query import Query, understand
from recollect.sources.languages import PROSE
from recollect.types import SearchResponse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from recollect.embedding import Embedder
    from recollect.requests import SearchRequest
    from recollect.stores.sqlite import SqliteStore

__all__ = ["Ranked", "Scope", "rank", "search"]

DEPTH = 200
"""Candidates per list: beyond it nothing relevant was found on the harness."""
CODE_KEYWORD_WEIGHT = 2.5
"""The keyword list's weight when the query looks like code (th0th seed)."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A pool with its scores: `fused` by RRF, `values` per signal, `factors` per penalty, `chosen` (index, score) best first."""

    query: Query
    pool: Pool
    fused: NDArray[np.float32]
    values: dict[str, NDArray[np.float32]]
    factors: dict[str, NDArray[np.float32]]
    chosen: list[tuple[int, float]]
    files: NDArray[np.int64]


def search(
    store: SqliteStore,
    embedder: Embedder,
    scopes: Sequence[Scope],
    request: SearchRequest,
    mode: str,
    degraded: Sequence[str],
) -> SearchResponse:
    """Answer a request: `mode` is search (keywords), vsearch (vectors) or query (both and signals)."""
    began = time.perf_counter()
    query = understand(request.query)
    vector = (
        embedder.embed_query(query.text) if mode != "search" and any(s.collection.dimensions for s in scopes) else None
    )
    if vector is not None and not vector.any():
        vector = None
    embedded = time.perf_counter()
    pool = gather(store, scopes, query, vector, max(DEPTH, 2 * request.limit), keywords=mode != "vsearch")
    gathered = time.perf_counter()
    ranked = rank(query, pool, scopes, mode, request.limit)
    ordered = time.perf_counter()
    hits = hits_of(store, scopes, ranked, request, mode)
    debug = {
        "kind": "code" if query.code else "text",
        "terms": query.parsed.terms,
        "names": query.names,
        "keyword_candidates": len(pool.keyword_order),
        "vector_candidates": len(pool.vector_order),
        "embed_ms": _ms(began, embedded),
        "gather_ms": _ms(embedded, gathered),
        "rank_ms": _ms(gathered, ordered),
        "read_ms": _ms(ordered, time.perf_counter()),
    }
    took = _ms(began, time.perf_counter())
    return SearchResponse(request.query, tuple(hits), tuple(degraded), took, debug if request.explain else None)


def rank(query: Query, pool: Pool, scopes: Sequence[Scope], mode: str, limit: int) -> Ranked:
    """Order a pool: vsearch by cosine, search by BM25 and a little saturation, query by fusion and all signals."""
    # Candidates come scope by scope, so the places of each scope's are in order.
    found = [place for n, scope in enumerate(scopes) for place in scope.index.places(pool.position[pool.scope == n])]
    _, files = np.unique(np.array([d for d, _, _ in found], np.int64), return_inverse=True)
    places = signals.Places(
        tuple(traits(path) for _, path, _ in found),
        np.array([language in PROSE for _, _, language in found], bool),
        files,
    )
    keyword_weight = CODE_KEYWORD_WEIGHT if query.code else 1.0
    lists = [(keyword_weight, pool.keyword_order)] if mode != "vsearch" else []
    lists += [(1.0, pool.vector_order)] if mode != "search" else []
    fused = fuse(lists, len(pool.position))
    if mode == "vsearch":
        nearest = [(int(i), float(pool.cosine[i])) for i in pool.vector_order[:limit]]
        return Ranked(query, pool, fused, {}, {}, nearest, files)
    if mode == "search":
        best = signals.diversify(pool.keyword, files, limit, signals.LIST_SATURATION)
        return Ranked(query, pool, fused, {}, {}, [(i, score) for i, score in best if score > 0], files)
    values = signals.additions(pool, fused, query, places)
    applied = signals.factors(query, places.paths, signals.FACTORS)
    scores = signals.combine(values, signals.WEIGHTS)
    for factor in applied.values():
        scores = scores * factor
    return Ranked(query, pool, fused, values, applied, signals.diversify(scores, files, limit), files)


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)
