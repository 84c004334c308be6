"""From a ranking to a 0-1 score that means something: how likely the best hit answers, shared out by rank. Pure.

The constants are logistic fits of "the first hit is one that was asked for" over the code queries of the
evaluation harness, each asked of its own repository and of one in another language, which cannot answer
it (docs/ranking.md: area under the curve 0.93, 0.89 and 0.89; deviation per tenth).
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a hit, each 0 to 1; `cosine` is None without a vector, `coverage` None without keywords.

    `coverage` is the share of the query's weight found in the chunk, `definition` and `stem` are the signals.
    """

    coverage: float | None
    cosine: float | None
    definition: float = 0.0
    stem: float = 0.0


def confidence(evidence: Evidence) -> float:
    """How likely a hit answers, 0 to 1."""
    e = evidence
    if e.coverage is None:
        logit = -3.714 + 7.847 * max(e.cosine or 0.0, 0.0)
    elif e.cosine is None:
        logit = -2.688 + 3.734 * e.coverage + 2.965 * e.definition
    else:
        logit = -4.599 + 2.199 * e.coverage + 4.418 * max(e.cosine, 0.0) + 2.041 * e.definition + 1.606 * e.stem
    return 1 / (1 + math.exp(-logit))
