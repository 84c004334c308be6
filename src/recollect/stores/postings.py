"""How a document's term counts are packed into one blob, and unpacked again.

Layout, little-endian: uint32 number of chunks; per chunk uint32 number of distinct terms; per chunk
uint32 length in terms; then for all chunks in order uint64 term ids, then uint16 counts of each in path
(bits 12-15), title (bits 8-11) and body (bits 0-7). Larger counts are cut to what fits: BM25 is flat there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.terms import TermIds


@dataclass(frozen=True, slots=True)
class DocumentPostings:
    """Unpacked: `sizes` (n,) distinct terms per chunk, `lengths` (n,) terms per chunk, `ids` and `counts` (sum of sizes,)."""

    sizes: NDArray[np.uint32]
    lengths: NDArray[np.uint32]
    ids: NDArray[np.uint64]
    counts: NDArray[np.uint16]


def pack(chunks: Sequence[tuple[Sequence[str], Sequence[str], Sequence[str]]], ids: TermIds) -> bytes:
    """Pack the (path, title, body) terms of each chunk of a document."""
    sizes: list[int] = []
    lengths: list[int] = []
    all_ids: list[int] = []
    all_counts: list[int] = []
    for path, title, body in chunks:
        counts = Counter(body)
        if counts and max(counts.values()) > 255:
            counts = Counter({term: min(n, 255) for term, n in counts.items()})
        for term, n in Counter(title).items():
            counts[term] = counts.get(term, 0) + (min(n, 15) << 8)
        for term, n in Counter(path).items():
            counts[term] = counts.get(term, 0) + (min(n, 15) << 12)
        sizes.append(len(counts))
        lengths.append(len(path) + len(title) + len(body))
        all_ids += [ids[term] for term in counts]
        all_counts += counts.values()
    return b"".join(
        (
            np.array([len(sizes), *sizes, *lengths], "<u4").tobytes(),
            np.array(all_ids, "<u8").tobytes(),
            np.array(all_counts, "<u2").tobytes(),
        )
    )


def unpack(data: bytes) -> DocumentPostings:
    """Unpack what `pack` packed; the arrays are views of `data`."""
    chunks = int(np.frombuffer(data, "<u4", 1)[0])
    sizes = np.frombuffer(data, "<u4", chunks, 4)
    lengths = np.frombuffer(data, "<u4", chunks, 4 + 4 * chunks)
    entries = int(sizes.sum())
    offset = 4 + 8 * chunks
    return DocumentPostings(
        sizes,
        lengths,
        np.frombuffer(data, "<u8", entries, offset),
        np.frombuffer(data, "<u2", entries, offset + 8 * entries),
    )
