"""Several ranked lists into one: Reciprocal Rank Fusion. Pure.

Cormack, Clarke & Büttcher 2009, doi:10.1145/1571941.1572114: score(d) = Σ weight / (k + rank(d)).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

K = 60
"""Smoothing of the ranks, from the paper and both seeds."""

Key = TypeVar("Key", bound=Hashable)


def fuse(lists: Sequence[tuple[float, Sequence[Key]]], k: int = K) -> dict[Key, float]:
    """Fuse ranked lists, each with a weight, best first; ranks start at 1.

    Returns each key's fused score, in descending order; equal scores keep the order in which keys were first met.
    """
    scores: dict[Key, float] = {}
    for weight, ranked in lists:
        for rank, key in enumerate(ranked, 1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank)
    return dict(sorted(scores.items(), key=lambda item: -item[1]))
