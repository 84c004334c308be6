"""Write the model file that `recollect.embedding.static` reads: integer rows and weights, vocabulary, settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.embedding.static import FORMAT
from recollect.embedding.tokens import TOKENISER

LARGEST_WEIGHT = 127
"""Seven bits a row weight keep sums of ordinary chunks below 2**24, where float32 is exact and fast."""


def quantise(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.uint16]]:
    """Integer rows and weights whose product is `table` up to one constant factor.

    The weight of a row is rounded first and the row is divided by the rounded weight, so that only rows are inexact.
    """
    largest = np.abs(table).max(axis=1).astype(np.float64)
    unit = largest.max() / LARGEST_WEIGHT
    weights = np.ceil(largest / unit).clip(1, LARGEST_WEIGHT)
    rows = np.round(table / (weights * unit)[:, None] * 127)
    return rows.astype(np.int8), weights.astype(np.uint16)


def write_model(path: Path, table: NDArray[np.float32], vocabulary: Sequence[str], buckets: int) -> None:
    """Quantise `table` (vocabulary then buckets, dimensions) and write it to `path`, the same bytes every time."""
    rows, weights = quantise(table)
    settings = {"format": FORMAT, "tokeniser": TOKENISER, "buckets": buckets}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path,
        rows=rows,
        weights=weights,
        vocabulary=np.frombuffer("\n".join(vocabulary).encode(), np.uint8),
        settings=np.frombuffer(json.dumps(settings, sort_keys=True).encode(), np.uint8),
    )
