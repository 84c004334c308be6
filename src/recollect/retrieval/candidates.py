"""What could answer? The keyword list, the vector list and the definitions asked for, as one pool of arrays.

Not here: which of them is best (`fusion`, `signals`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.retrieval.query import Query
from recollect.stores import CollectionRow, PathFilter
from recollect.stores.derived import COLUMN_WEIGHTS, CollectionIndex, LexicalScores, top
from recollect.stores.sqlite import SqliteStore


@dataclass(frozen=True, slots=True)
class Scope:
    """One collection to look in, with its index and what may be found of it."""

    collection: CollectionRow
    index: CollectionIndex
    wanted: PathFilter | None


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates side by side (n of them).

    `scope` and `position` say which chunk; `keyword` is BM25 (0: no term matched), `cosine` -2 where there is
    no vector; `anywhere`, `title` and `path` (n, terms) hold the share that each term has of the query's weight by
    IDF, where it stands in the chunk, its title and symbols, its path; `definition` is how surely the chunk
    defines a name the query asks for.
    `keyword_order` and `vector_order` are the two lists, best first, as indices into the pool.
    """

    scope: NDArray[np.int32]
    position: NDArray[np.int64]
    keyword: NDArray[np.float32]
    cosine: NDArray[np.float32]
    anywhere: NDArray[np.float32]
    title: NDArray[np.float32]
    path: NDArray[np.float32]
    definition: NDArray[np.float32]
    keyword_order: NDArray[np.intp]
    vector_order: NDArray[np.intp]

    @property
    def coverage(self) -> NDArray[np.float32]:
        """The share of the query's weight that each candidate covers, 0 to 1."""
        covered: NDArray[np.float32] = self.anywhere.sum(axis=1)
        return covered


def gather(
    store: SqliteStore,
    scopes: Sequence[Scope],
    query: Query,
    vector: NDArray[np.float32] | None,
    depth: int,
    *,
    keywords: bool = True,
) -> Pool:
    """Collect the candidates of every scope: `depth` of each list, and the definitions asked for."""
    parts = [_gather_one(store, scope, query, vector, depth, keywords) for scope in scopes]
    if not parts:
        empty = np.zeros(0, np.float32)
        none = np.zeros((0, 0), np.float32)
        return Pool(np.zeros(0, np.int32), np.zeros(0, np.int64), empty, empty, none, none, none, empty,
                    np.zeros(0, np.intp), np.zeros(0, np.intp))  # fmt: skip
    position, keyword, cosine, anywhere, title, path, definition = (np.concatenate(c) for c in zip(*parts, strict=True))
    scope = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    by_keyword = top(keyword, depth)
    by_vector = top(cosine, depth)
    return Pool(
        scope.astype(np.int32), position.astype(np.int64), keyword, cosine, anywhere, title, path, definition,
        by_keyword[keyword[by_keyword] > 0], by_vector[cosine[by_vector] > -2],
    )  # fmt: skip


def _gather_one(
    store: SqliteStore,
    scope: Scope,
    query: Query,
    vector: NDArray[np.float32] | None,
    depth: int,
    keywords: bool,
) -> tuple[NDArray[np.float32], ...]:
    index = scope.index
    mask = _strict(store, scope, query, index.mask(scope.wanted))
    # The scan of the vectors runs beside the keyword work: neither needs Python for long.
    scan = store.beside(index.nearest, vector, mask, depth) if keywords and vector is not None else None
    defined = _definitions(store, scope, query, mask) if keywords else {}
    chosen = [np.fromiter(defined, np.intp, len(defined))]
    lexical = _lexical(store, scope, query) if keywords else None
    if lexical is not None:
        matched = np.flatnonzero(lexical.scores)
        matched = matched[mask[matched]]
        chosen.append(matched[top(lexical.scores[matched], depth)])
    cosine = None
    if vector is not None:
        nearest, cosine = scan.result() if scan is not None else index.nearest(vector, mask, depth)
        chosen.append(nearest)
    at = np.unique(np.concatenate(chosen))
    blank = np.zeros(len(at), np.float32)
    none = np.zeros((len(at), 0), np.float32)
    shares = (none, none, none) if lexical is None else lexical.shares(at)

    return (
        at.astype(np.float64),
        blank if lexical is None else lexical.scores[at],
        blank - 2 if cosine is None else cosine[at],
        *shares,
        np.array([defined.get(int(p), 0.0) for p in at], np.float32),
    )


def _lexical(store: SqliteStore, scope: Scope, query: Query) -> LexicalScores:
    if scope.index.postings:
        return scope.index.lexical(query.parsed.terms)
    rows = []
    for term, weight in query.parsed.terms.items():
        found = store.term_rows(scope.collection.id, term, COLUMN_WEIGHTS)
        title, path = (
            store.phrase_chunks(scope.collection.id, [term], column=c) if found else [] for c in ("title", "path")
        )
        rows.append((weight, found, title, path))
    return scope.index.lexical_from_rows(rows)


def _strict(store: SqliteStore, scope: Scope, query: Query, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Narrow the mask to what holds every phrase and none of what is excluded."""

    def holding(sequence: Sequence[str]) -> NDArray[np.bool_]:
        ids = np.array(store.phrase_chunks(scope.collection.id, sequence), np.int64)
        at, known = scope.index.positions(ids)
        found = np.zeros(scope.index.size, bool)
        found[at[known]] = True
        return found

    for phrase in query.parsed.phrases:
        mask = mask & holding(phrase)
    for sequence in query.parsed.excluded:
        mask = mask & ~holding(sequence)
    return mask


def _definitions(store: SqliteStore, scope: Scope, query: Query, mask: NDArray[np.bool_]) -> dict[int, float]:
    if not query.names:
        return {}
    found = store.definitions(scope.collection.id, query.names, _MAX_DEFINITIONS)
    at, known = scope.index.positions(np.array([symbol.chunk_id for _, symbol in found], np.int64))
    defined: dict[int, float] = {}
    for (folded, symbol), position, live in zip(found, at.tolist(), known.tolist(), strict=True):
        if live and mask[position]:
            sure = query.names[folded] * _KIND_WEIGHT.get(symbol.kind, 0.6)
            defined[position] = max(defined.get(position, 0.0), sure)
    return defined


_MAX_DEFINITIONS = 40
_KIND_WEIGHT = {
    "class": 1.0, "interface": 1.0, "struct": 1.0, "trait": 1.0, "enum": 1.0, "type": 0.9, "module": 0.9,
    "function": 1.0, "method": 0.8, "macro": 0.9, "constant": 0.7, "variable": 0.6, "field": 0.4, "test": 0.3,
}  # fmt: skip
