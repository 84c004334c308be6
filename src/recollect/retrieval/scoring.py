"""From a ranking to a 0-1 score that means something: how likely the best hit answers, shared out by rank. Pure."""

from __future__ import annotations

import math

BIAS, PER_COVERAGE, PER_COSINE = -4.5, 4.0, 5.0
"""Logistic fit of "the first hit is relevant" on the evaluation harness against its coverage and cosine (docs/ranking.md)."""


def confidence(coverage: float, cosine: float | None) -> float:
    """How likely a hit answers, from the share of the query it covers and its cosine (None: no vector)."""
    # Without vectors the terms have to carry the whole weight.
    evidence = PER_COVERAGE * coverage + (
        PER_COSINE * max(cosine, 0.0) if cosine is not None else PER_COSINE * 0.5 * coverage
    )
    return 1 / (1 + math.exp(-(BIAS + evidence)))
