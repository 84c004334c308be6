"""Ranking metrics as pure functions of ranks and gains.

Ranks start at 1; None means the target was not returned. Not here: how a hit is recognised as a
target (`datasets`), and how queries are averaged (`results`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

Ranks = Sequence[int | None]


def discount(rank: int) -> float:
    """Weigh a hit at `rank` (from 1): 1 / log2(rank + 1), Järvelin and Kekäläinen 2002, equation 2."""
    return 1.0 / math.log2(rank + 1)


def ndcg(ranks: Ranks, gains: Sequence[float] | None = None, *, k: int = 10) -> float:
    """Compute the normalised discounted cumulative gain of the first `k` hits, with linear gain.

    Arguments: `ranks`, one per target; `gains`, one positive number per target (default: 1 each).
    The ideal places the min(k, targets) largest gains first. The value stays in 0..1 even where one
    hit answers two targets at once, which the plain quotient would put above 1.
    Raises ValueError without targets, for gains that are not positive, or of another length.
    """
    gains = [1.0] * len(ranks) if gains is None else gains
    if not ranks or len(gains) != len(ranks) or min(gains) <= 0:
        raise ValueError("nDCG needs at least one target and one positive gain per target")
    gained = sum(gain * discount(rank) for rank, gain in zip(ranks, gains, strict=True) if rank and rank <= k)
    ideal = sum(gain * discount(place) for place, gain in enumerate(sorted(gains, reverse=True)[:k], start=1))
    return min(1.0, gained / ideal)


def recall(ranks: Ranks, *, k: int) -> float:
    """Compute the share of targets among the first `k` hits. Raises ValueError without targets."""
    if not ranks:
        raise ValueError("recall needs at least one target")
    return sum(1 for rank in ranks if rank and rank <= k) / len(ranks)


def reciprocal_rank(ranks: Ranks, *, k: int) -> float:
    """Compute 1 / rank of the best target, 0 when none is among the first `k` hits."""
    best = min((rank for rank in ranks if rank), default=None)
    return 1.0 / best if best and best <= k else 0.0


def hit_rate(ranks: Ranks, *, k: int) -> float:
    """Say whether any target is among the first `k` hits: 1.0 or 0.0."""
    return float(any(rank and rank <= k for rank in ranks))


def mean(values: Iterable[float]) -> float:
    """Average the values; 0 when there are none."""
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else 0.0


def percentile(values: Iterable[float], share: float) -> float:
    """Interpolate the value below which `share` (0..1) of the values lie; 0 when there are none.

    Linear interpolation between order statistics, the default of numpy (Hyndman and Fan, type 7).
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
