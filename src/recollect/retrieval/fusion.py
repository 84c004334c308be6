"""Several ranked lists into one: Reciprocal Rank Fusion. Pure.

Cormack, Clarke & Büttcher 2009, doi:10.1145/1571941.1572114: score(d) = Σ weight / (k + rank(d)).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

K = 60
"""Smoothing of the ranks, from the paper and both seeds."""


def fuse(lists: Sequence[tuple[float, NDArray[np.intp]]], size: int, k: int = K) -> NDArray[np.float32]:
    """Fuse ranked lists over `size` candidates.

    Each list is a weight and the indices of its candidates, best first, none twice; ranks start at 1.
    Returns the fused score of every candidate, shape (size,), 0 where no list holds it.
    """
    scores = np.zeros(size, np.float32)
    for weight, ranked in lists:
        scores[ranked] += np.float32(weight) / np.arange(k + 1, k + 1 + len(ranked), dtype=np.float32)
    return scores
