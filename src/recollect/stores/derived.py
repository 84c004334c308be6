"""The in-memory index of a collection: what SQLite holds, arranged for millisecond answers.

Always derived from the file and rebuilt from it when in doubt. A *segment* is an immutable set of
documents as arrays; an index is a main segment and a small tail of documents written since, with a mask
of what is still live. FTS5 needs 14-23 ms for an OR query over 100,000 chunks, these arrays a fraction of it.

A *position* is a chunk's place in the arrays of all segments one after the other. Not here: which hits are good.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import apsw
import numpy as np
import simsimd
from numpy.typing import NDArray

from recollect.errors import StoreError
from recollect.stores import postings as packed
from recollect.stores.records import CollectionRow, PathFilter
from recollect.terms import term_id

K1, B = 1.2, 0.75
"""BM25 saturation and length normalisation; FTS5 has the same two built in."""

COLUMN_WEIGHTS = (3.0, 3.0, 1.0)
"""Weights of path, title and body in BM25, see docs/ranking.md."""

_RESCORED = 256
"""Vectors rescored in float16 after the int8 scan: on real text the exact top 100 is always among them."""
_BLOCK = 64
_TAIL_SHARE = 0.2
_TAIL_CHUNKS = 4000
"""A tail larger than both is folded into the main segment, as is a main segment of which half is dead."""

_COUNT_TO_WEIGHT = np.array(
    [
        (c >> 12) * COLUMN_WEIGHTS[0] + (c >> 8 & 15) * COLUMN_WEIGHTS[1] + (c & 255) * COLUMN_WEIGHTS[2]
        for c in range(65536)
    ],
    np.float32,
)


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents side by side: ids ascending, with their paths, languages and spans of chunk ids."""

    ids: NDArray[np.int64]
    paths: tuple[str, ...]
    languages: tuple[str, ...]
    first: NDArray[np.int64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """Term-major: the chunks of `terms[t]` are entries starts[t]:starts[t+1] of `chunks`, with packed counts."""

    terms: NDArray[np.uint64]
    starts: NDArray[np.int64]
    chunks: NDArray[np.int32]
    counts: NDArray[np.uint16]
    lengths: NDArray[np.float32]

    def slice(self, identity: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the chunks and packed counts of a term, empty when it does not occur."""
        at = int(np.searchsorted(self.terms, np.uint64(identity)))
        if at == len(self.terms) or int(self.terms[at]) != identity:
            return self.chunks[:0], self.counts[:0]
        low, high = int(self.starts[at]), int(self.starts[at + 1])
        return self.chunks[low:high], self.counts[low:high]


@dataclass(frozen=True, slots=True)
class Segment:
    """A set of documents as arrays. `document_of` maps each chunk to its document; `exact` holds float16 unit rows."""

    documents: Documents
    chunk_ids: NDArray[np.int64]
    document_of: NDArray[np.int32]
    live: NDArray[np.bool_]
    postings: Postings | None
    exact: NDArray[np.float16]
    coarse: NDArray[np.int8]
    embedded: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TermHits:
    """Where a term stands: ascending `positions` with packed `counts`, and its share of the query's weight."""

    share: float
    positions: NDArray[np.integer]
    counts: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """BM25 of every position (0 where no term stands), and what `shares` needs."""

    scores: NDArray[np.float32]
    hits: tuple[TermHits, ...]

    def shares(
        self, positions: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return each term's share of the query's weight (by IDF) where it stands at `positions`: anywhere, in title, in path.

        Three arrays of shape (positions, terms), 0 where a term does not stand.
        """
        anywhere, title, path = (np.zeros((len(positions), len(self.hits)), np.float32) for _ in range(3))
        for column, term in enumerate(self.hits):
            if not len(term.positions):
                continue
            # Of the same type, or numpy converts the whole list of the term first.
            wanted = positions.astype(term.positions.dtype)
            at = np.minimum(np.searchsorted(term.positions, wanted), len(term.positions) - 1)
            counts = np.where(term.positions[at] == wanted, term.counts[at], np.uint16(0))
            anywhere[counts > 0, column] = term.share
            title[counts & 0x0F00 > 0, column] = term.share
            path[counts & 0xF000 > 0, column] = term.share
        return anywhere, title, path


TermRows = tuple[float, Sequence[tuple[int, float]], Sequence[int], Sequence[int]]
"""A term's weight, FTS5's (chunk id, bm25) rows, and the ids of the chunks with the term in title and in path."""


class CollectionIndex:
    """A snapshot of a collection at one revision; safe to read from many threads.

    Attributes: `revision`, `fingerprint`, `postings` (whether keyword arrays are loaded), `chunk_ids` (n,),
    `live` (n,) by position; `live_count` and `embedded_count` of them.
    """

    def __init__(
        self, collection: CollectionRow, revision: int, segments: tuple[Segment, ...], *, postings: bool
    ) -> None:
        self.collection_id = collection.id
        self.fingerprint = collection.fingerprint
        self.revision = revision
        self.segments = segments
        self.postings = postings
        self.chunk_ids = np.concatenate([s.chunk_ids for s in segments])
        self.live = np.concatenate([s.live for s in segments])
        self.size = len(self.chunk_ids)
        self.live_count = int(self.live.sum())
        self.embedded_count = int(sum((s.live & s.embedded).sum() for s in segments))
        self._all_live = self.live_count == self.size
        self._norms: NDArray[np.float32] | None = None
        self._masks: dict[str, NDArray[np.bool_]] = {}
        self._lock = threading.Lock()

    # -- loading

    @classmethod
    def empty(cls, collection: CollectionRow) -> CollectionIndex:
        """Return the index of a collection that holds nothing."""
        return cls(collection, -1, (_segment(collection, [], [], postings=True),), postings=True)

    @classmethod
    def load(
        cls, connection: apsw.Connection, collection: CollectionRow, previous: CollectionIndex | None, *, postings: bool
    ) -> CollectionIndex:
        """Read the collection, taking over from `previous` every document that is still the same."""
        row = connection.execute("SELECT revision FROM collections WHERE id = ?", (collection.id,)).fetchone()
        if row is None:
            return cls.empty(collection)
        same = previous is not None and previous.fingerprint == collection.fingerprint and previous.postings == postings
        if previous is None or not same:
            return cls(collection, row[0], (_read(connection, collection, None, postings=postings),), postings=postings)
        stored = np.array([r[0] for r in connection.execute(
            "SELECT d.id FROM documents d LEFT JOIN vectors v ON v.document_id = d.id WHERE collection_id = ? ORDER BY d.id",
            (collection.id,))], np.int64)  # fmt: skip
        embedded = {r[0] for r in connection.execute(
            "SELECT document_id FROM vectors JOIN documents d ON d.id = document_id WHERE collection_id = ? AND fingerprint = ?",
            (collection.id, collection.fingerprint))}  # fmt: skip
        main = previous.segments[0]
        kept = np.isin(main.documents.ids, stored)
        had = _embedded_documents(main)
        kept &= np.array([h or i not in embedded for i, h in zip(main.documents.ids.tolist(), had, strict=True)], bool)
        tail_ids = np.setdiff1d(stored, main.documents.ids[kept])
        main = replace(main, live=kept[main.document_of] if len(main.document_of) else main.live)
        live_chunks = int(main.live.sum())
        tail = _read(connection, collection, tail_ids, postings=postings)
        tail_chunks = len(tail.chunk_ids)
        if (tail_chunks > _TAIL_CHUNKS and tail_chunks > _TAIL_SHARE * live_chunks) or live_chunks < len(main.live) / 2:
            return cls(collection, row[0], (_read(connection, collection, None, postings=postings),), postings=postings)
        return cls(collection, row[0], (main, tail), postings=postings)

    # -- asking

    def lexical(self, terms: Mapping[str, float]) -> LexicalScores:
        """Score every position by BM25 for weighted `terms`; needs the keyword arrays.

        Okapi BM25 with the IDF of Lucene, ln(1 + (N - n + .5) / (n + .5)), which never turns negative;
        Robertson & Zaragoza 2009, doi:10.1561/1500000019.
        """
        norms = self._length_norms()
        scores = np.zeros(self.size, np.float32)
        weighted: list[TermHits] = []
        for term, weight in terms.items():
            positions, counts = self._slice(term_id(term))
            frequency = len(positions) if self._all_live else int(np.count_nonzero(self.live[positions]))
            gain = weight * inverse_frequency(self.live_count, frequency)
            weighted.append(TermHits(gain, positions, counts))
            tf = _COUNT_TO_WEIGHT[counts]
            scores[positions] += (gain * (K1 + 1)) * (tf / (tf + norms[positions]))
        return self._finish(scores, weighted)

    def _slice(self, identity: int) -> tuple[NDArray[np.integer], NDArray[np.uint16]]:
        found = []
        offset = 0
        for segment in self.segments:
            assert segment.postings is not None
            chunks, counts = segment.postings.slice(identity)
            # One segment is the common case: no addition then.
            found.append((chunks if offset == 0 else chunks + offset, counts))
            offset += len(segment.chunk_ids)
        if len(found) == 1:
            return found[0]
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def lexical_from_rows(self, rows: Sequence[TermRows]) -> LexicalScores:
        """Score every position from FTS5's own figures, per term.

        FTS5 multiplies with its own IDF, which it floors at 1e-6; it is divided out, so both ways agree.
        """
        scores = np.zeros(self.size, np.float32)
        weighted: list[TermHits] = []
        for weight, found, in_title, in_path in rows:
            gain = weight * inverse_frequency(self.live_count, len(found))
            at, known = self.positions(np.fromiter((r[0] for r in found), np.int64, len(found)))
            values = np.fromiter((r[1] for r in found), np.float64, len(found))
            theirs = np.log((self.live_count - len(found) + 0.5) / (len(found) + 0.5))
            scores[at[known]] += (gain * (-values[known] / (theirs if theirs > 0 else 1e-6))).astype(np.float32)
            counts = np.zeros(self.size, np.uint16)
            counts[at[known]] = 1
            for bit, ids in ((0x0100, in_title), (0x1000, in_path)):
                at, known = self.positions(np.array(ids, np.int64))
                counts[at[known]] |= np.uint16(bit)
            positions = np.flatnonzero(counts)
            weighted.append(TermHits(gain, positions, counts[positions]))
        return self._finish(scores, weighted)

    def _finish(self, scores: NDArray[np.float32], weighted: Sequence[TermHits]) -> LexicalScores:
        if not self._all_live:
            scores[~self.live] = 0
        total = sum(h.share for h in weighted) or 1.0
        return LexicalScores(scores, tuple(replace(h, share=h.share / total) for h in weighted))

    def nearest(
        self, vector: NDArray[np.float32], mask: NDArray[np.bool_], k: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return the positions of the `k` vectors inside `mask` nearest to a unit `vector`, best first, and all cosines.

        The cosines, one per position, are -2 where there is no vector or the mask is off. An int8 scan finds the
        best, which are scored again in float16, so the `k` are exact and the others within about 0.01.
        """
        largest = float(np.abs(vector).max()) or 1.0
        query = np.round(vector * (127 / largest)).astype(np.int8)[None, :]
        cosines = np.full(self.size, -2, np.float32)
        offset = 0
        for segment in self.segments:
            n = len(segment.chunk_ids)
            if n and segment.embedded.any():
                distances = np.asarray(simsimd.cdist(query, segment.coarse, metric="cosine"))[0]
                usable = mask[offset : offset + n] & segment.embedded
                np.subtract(1, distances, out=cosines[offset : offset + n], where=usable, casting="same_kind")
            offset += n
        best = top(cosines, max(k, _RESCORED))
        best = best[cosines[best] > -2]
        self._rescore(vector, cosines, best)
        return best[np.argsort(-cosines[best], kind="stable")][:k], cosines

    def _rescore(self, vector: NDArray[np.float32], result: NDArray[np.float32], positions: NDArray[np.intp]) -> None:
        offset = 0
        for segment in self.segments:
            n = len(segment.chunk_ids)
            local = positions[(positions >= offset) & (positions < offset + n)]
            local = local[result[local] > -2]
            result[local] = segment.exact[local - offset].astype(np.float32) @ vector
            offset += n

    def positions(self, chunk_ids: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the position of each chunk id, and which of them are known and live."""
        at = np.zeros(len(chunk_ids), np.intp)
        known = np.zeros(len(chunk_ids), bool)
        offset = 0
        for segment in self.segments:
            n = len(segment.chunk_ids)
            if n:
                local = np.minimum(np.searchsorted(segment.chunk_ids, chunk_ids), n - 1)
                hit = (segment.chunk_ids[local] == chunk_ids) & segment.live[local]
                at[hit] = local[hit] + offset
                known |= hit
            offset += n
        return at, known

    def document(self, position: int) -> tuple[int, str, str]:
        """Return (document id, path, language) of the document that a position belongs to."""
        for segment in self.segments:
            n = len(segment.chunk_ids)
            if position < n:
                d = int(segment.document_of[position])
                return int(segment.documents.ids[d]), segment.documents.paths[d], segment.documents.languages[d]
            position -= n
        raise IndexError(position)

    def places(self, positions: NDArray[np.int64]) -> list[tuple[int, str, str]]:
        """Return (document id, path, language) for each of many positions."""
        if len(self.segments) > 1:
            return [self.document(p) for p in positions.tolist()]
        segment = self.segments[0]
        at = segment.document_of[positions]
        ids, paths, languages = segment.documents.ids[at].tolist(), segment.documents.paths, segment.documents.languages
        return [(i, paths[d], languages[d]) for i, d in zip(ids, at.tolist(), strict=True)]

    def mask(self, wanted: PathFilter | None) -> NDArray[np.bool_]:
        """Return which positions are live and in a document that the filter accepts; masks are kept per filter."""
        if wanted is None:
            return self.live
        with self._lock:
            known = self._masks.get(wanted.key)
        if known is None:
            parts = []
            for s in self.segments:
                accepted = np.array(
                    [wanted.accepts(p, g) for p, g in zip(s.documents.paths, s.documents.languages, strict=True)], bool
                )
                parts.append(s.live & accepted[s.document_of] if len(s.document_of) else s.live)
            known = np.concatenate(parts)
            with self._lock:
                if len(self._masks) >= 16:
                    self._masks.clear()
                self._masks[wanted.key] = known
        return known

    def _length_norms(self) -> NDArray[np.float32]:
        norms = self._norms
        if norms is None:
            lengths = np.concatenate([s.postings.lengths for s in self.segments if s.postings is not None])
            live = lengths[self.live]
            average = float(live.mean()) if len(live) else 1.0
            norms = self._norms = (K1 * (1 - B + B * lengths / max(average, 1e-9))).astype(np.float32)
        return norms


def inverse_frequency(total: int, frequency: int) -> float:
    """Return Lucene's IDF, ln(1 + (N - n + .5) / (n + .5))."""
    return float(np.log1p((total - frequency + 0.5) / (frequency + 0.5)))


def top(scores: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """Return the positions of the `k` highest scores, best first; equal scores in order of position."""
    chosen = np.arange(len(scores))
    if len(scores) > _BLOCK * k:
        # The k-th highest of the blocks' maxima is a floor that at least k scores reach: one pass instead of a partition.
        maxima = scores[: len(scores) // _BLOCK * _BLOCK].reshape(-1, _BLOCK).max(axis=1)
        chosen = np.flatnonzero(scores >= np.partition(maxima, len(maxima) - k)[len(maxima) - k])
    if len(chosen) > k:
        # The least score that can be in: everything at or above it, so that ties are cut by position, not by chance.
        inside = scores[chosen]
        chosen = chosen[inside >= np.partition(inside, len(inside) - k)[len(inside) - k]]
    return chosen[np.argsort(-scores[chosen], kind="stable")][:k]


def _embedded_documents(segment: Segment) -> NDArray[np.bool_]:
    had = np.ones(len(segment.documents.ids), bool)
    had[segment.document_of[~segment.embedded]] = False
    return had


def _read(
    connection: apsw.Connection, collection: CollectionRow, ids: NDArray[np.int64] | None, *, postings: bool
) -> Segment:
    data = "p.data" if postings else "NULL"
    sql = (
        f"SELECT d.id, d.path, d.language, d.first_chunk, d.chunks, {data}, v.fingerprint, v.data FROM documents d "
        + ("JOIN postings p ON p.document_id = d.id " if postings else "")
        + "LEFT JOIN vectors v ON v.document_id = d.id WHERE d.collection_id = ? AND d.chunks > 0"
    )
    if ids is None:
        rows = list(connection.execute(sql + " ORDER BY d.id", (collection.id,)))
    else:
        wanted = sorted(ids.tolist())
        rows = [r for start in range(0, len(wanted), 500)
                for r in connection.execute(f"{sql} AND d.id IN ({','.join('?' * len(wanted[start:start + 500]))}) ORDER BY d.id",
                                            (collection.id, *wanted[start:start + 500]))]  # fmt: skip
    vectors = [r[7] if r[6] == collection.fingerprint else None for r in rows]
    return _segment(collection, rows, vectors, postings=postings)


def _segment(
    collection: CollectionRow, rows: Sequence[tuple[object, ...]], vectors: Sequence[bytes | None], *, postings: bool
) -> Segment:
    documents = Documents(
        np.array([r[0] for r in rows], np.int64),
        tuple(str(r[1]) for r in rows),
        tuple(str(r[2]) for r in rows),
        np.array([r[3] for r in rows], np.int64),
        np.array([r[4] for r in rows], np.int64),
    )
    total = int(documents.counts.sum())
    document_of = np.repeat(np.arange(len(rows), dtype=np.int32), documents.counts)
    starts = np.cumsum(documents.counts) - documents.counts
    chunk_ids = (
        np.arange(total, dtype=np.int64) - starts[document_of] + documents.first[document_of]
        if total
        else np.zeros(0, np.int64)
    )
    exact = np.zeros((total, collection.dimensions), np.float16)
    for at, n, data in zip(starts.tolist(), documents.counts.tolist(), vectors, strict=True):
        if data is not None:
            exact[at : at + n] = np.frombuffer(data, np.float16).reshape(n, collection.dimensions)
    coarse, embedded = _quantise(exact)
    segment = Segment(documents, chunk_ids, document_of, np.ones(total, bool),
                      _postings([r[5] for r in rows], total) if postings else None, exact, coarse, embedded)  # fmt: skip
    if total and not bool(np.all(chunk_ids[1:] > chunk_ids[:-1])):
        raise StoreError(
            "The database's chunks are out of order.",
            hint="Index the collection again with --drop.",
            code="corrupt_database",
        )
    return segment


def _quantise(exact: NDArray[np.float16]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    coarse = np.zeros(exact.shape, np.int8)
    embedded = np.zeros(len(exact), bool)
    # A row's own largest value is its scale: the cosine does not depend on it, and no value is clipped.
    for start in range(0, len(exact), 16384):
        block = exact[start : start + 16384].astype(np.float32)
        largest = np.abs(block).max(axis=1, initial=0.0)
        embedded[start : start + 16384] = largest > 0
        coarse[start : start + 16384] = np.round(block * (127 / np.maximum(largest, 1e-9))[:, None])
    return coarse, embedded


def _postings(blobs: Sequence[object], total: int) -> Postings:
    unpacked = [packed.unpack(b) for b in blobs if isinstance(b, bytes)]
    if not unpacked:
        return Postings(
            np.zeros(0, np.uint64),
            np.zeros(1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0, np.uint16),
            np.zeros(total, np.float32),
        )
    ids = np.concatenate([u.ids for u in unpacked])
    counts = np.concatenate([u.counts for u in unpacked])
    chunks = np.repeat(np.arange(total, dtype=np.int32), np.concatenate([u.sizes for u in unpacked]))
    lengths = np.concatenate([u.lengths for u in unpacked]).astype(np.float32)
    del unpacked
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    first = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1]))) if len(ids) else np.zeros(0, np.intp)
    starts = np.append(first, len(ids)).astype(np.int64)
    return Postings(ids[first], starts, chunks[order], counts[order], lengths)
