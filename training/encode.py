"""Turn the collected pairs into flat token arrays, once for all training runs.

Not here: which pairs there are (`collect`) and how they are used (`contrast`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.embedding.tokens import Tokeniser

FIELDS = {"query": 64, "passage": 320, "comment": 48, "name": 12}
"""Parts of a pair and the most tokens kept of each."""

_BATCH = 4000
_tokenisers: dict[str, Tokeniser] = {}


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of token ids of different length: `tokens` one after the other, row i at `starts[i]`, `lengths[i]` long."""

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, tokens: NDArray[np.int32], lengths: NDArray[np.int32]) -> Ragged:
        """From flat tokens and the length of each row."""
        long = lengths.astype(np.int64)
        return cls(tokens, np.cumsum(long) - long, long)


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The pairs in the file `path`, in order."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _batches(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8") as file:
        while batch := list(islice(file, _BATCH)):
            yield batch


def _encode(job: tuple[list[str], Sequence[str]]) -> tuple[dict[str, tuple[Any, Any]], list[str], list[str]]:
    lines, vocabulary = job
    tokeniser = _tokenisers.get("") or _tokenisers.setdefault("", Tokeniser(vocabulary, 0))
    rows = [json.loads(line) for line in lines]
    fields = {}
    for field, most in FIELDS.items():
        ids = [tokeniser.ids(row[field])[:most] for row in rows]
        flat = np.fromiter((i for row in ids for i in row), np.int32)
        fields[field] = (flat, np.array([len(row) for row in ids], np.int32))
    return fields, [row["kind"] for row in rows], [row["source"] for row in rows]


def encode(pairs: Path, vocabulary: Sequence[str], out: Path) -> None:
    """Tokenise the pairs in `pairs` into the archive `out`."""
    parts: dict[str, list[tuple[Any, Any]]] = {field: [] for field in FIELDS}
    kinds: list[str] = []
    sources: list[str] = []
    with ProcessPoolExecutor(2) as pool:
        for fields, kind, source in pool.map(_encode, ((batch, vocabulary) for batch in _batches(pairs))):
            for field, part in fields.items():
                parts[field].append(part)
            kinds += kind
            sources += source
    arrays: dict[str, Any] = {}
    for field, part in parts.items():
        arrays[field] = np.concatenate([tokens for tokens, _ in part])
        arrays[f"{field}_lengths"] = np.concatenate([lengths for _, lengths in part])
    arrays["kind_names"], arrays["kind"] = np.unique(kinds, return_inverse=True)
    arrays["source_names"], arrays["source"] = np.unique(sources, return_inverse=True)
    np.savez(out, **arrays)
