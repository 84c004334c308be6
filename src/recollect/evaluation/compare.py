"""Did a change help? Two results of the same questions, metric by metric, with a paired test.

Pure functions of two results. Not here: running, and how the answer looks (`render`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidRequest
from recollect.evaluation.metrics import mean, percentile
from recollect.evaluation.results import QueryScore, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 10_000
"""Bootstrap resamples and random sign flips: a p-value of .05 is then known to within about .004."""

SEED = 20_240_229
"""Fixed, so that the same two files always give the same verdict."""

BATCH_CELLS = 4_000_000
"""Resampling weights held at once (32 MB of doubles)."""


@dataclass(frozen=True, slots=True)
class Delta:
    """How one metric changed: means over the common questions, `change` = new - old.

    `low` and `high` bound the 95 % bootstrap interval of the change; `p_value` is the chance of a
    change at least this large, either way, if old and new were interchangeable.
    """

    metric: str
    old: float
    new: float
    change: float
    low: float
    high: float
    p_value: float

    @property
    def significant(self) -> bool:
        """Whether the change would be a surprise, at the 5 % level, if nothing had changed."""
        return self.p_value < 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two results side by side.

    `unit` says what was resampled ("repository" or "query") and `units` how many there were; `common`
    counts the questions both results answered, `only_old` and `only_new` those that were left out.
    `groups` holds old and new of the first metric for each group; latencies are in milliseconds.
    """

    old_label: str
    new_label: str
    deltas: tuple[Delta, ...]
    unit: str
    units: int
    common: int
    only_old: int
    only_new: int
    groups: Mapping[str, tuple[float, float]]
    p50_ms: tuple[float, float]
    p95_ms: tuple[float, float]


def compare(old: Result, new: Result) -> Comparison:
    """Compare two results question by question.

    Questions are paired by group and id; those that only one result has are left out and counted. In
    repository sets the repository is what is drawn anew, because questions about the same repository
    rise and fall together; in text sets it is the query, within its set.
    Interval: percentile bootstrap of the paired differences (Efron 1979; for retrieval: Sakai 2006).
    p-value: two-sided paired randomisation by sign flips (Fisher; Smucker et al. 2007).
    Raises InvalidRequest when the results are of different kinds or share no question.
    """
    if old.kind != new.kind:
        raise InvalidRequest(f"A result on {old.kind} cannot be compared with one on {new.kind}.",
                             hint="Compare two runs of the same dataset.")  # fmt: skip
    before, after = _keyed(old), _keyed(new)
    pairs = [(before[key], query) for key, query in after.items() if key in before]
    if not pairs:
        raise InvalidRequest(
            f"{_label(old)} and {_label(new)} share no question.", hint="Compare two runs of the same dataset."
        )
    groups = _by_group(pairs)
    strata, unit = _strata(groups, by_repository=old.kind == "repositories")
    return Comparison(
        old_label=_label(old),
        new_label=_label(new),
        deltas=_deltas(new.metrics, groups, strata),
        unit=unit,
        units=sum(len(stratum) for stratum in strata),
        common=len(pairs),
        only_old=len(before) - len(pairs),
        only_new=len(after) - len(pairs),
        groups={
            name: (mean(a.values[0] for a, _ in found), mean(b.values[0] for _, b in found))
            for name, found in groups.items()
        },
        p50_ms=_latencies(pairs, 0.5),
        p95_ms=_latencies(pairs, 0.95),
    )


def bootstrap_interval(strata: Sequence[Floats], *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Bound the mean change by a 95 % percentile bootstrap.

    Arguments: `strata`, each of shape (units, metrics) with the differences new - old. Units are drawn
    with replacement within their stratum; the statistic is the mean over strata of each one's mean.
    Returns shape (2, metrics): low and high.
    """
    import numpy as np

    random = np.random.default_rng(seed)

    def draw(size: int, units: int) -> Floats:
        return random.multinomial(units, np.full(units, 1.0 / units), size=size) / units

    return np.quantile(_resampled(strata, draw, resamples), (0.025, 0.975), axis=0)


def randomisation_p(strata: Sequence[Floats], *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Estimate the two-sided p-value of the mean change by flipping signs of units at random.

    Arguments as `bootstrap_interval`. Returns shape (metrics,), never 0: the observed change counts as
    one of the draws (Davison and Hinkley 1997, 4.11).
    """
    import numpy as np

    random = np.random.default_rng(seed)

    def draw(size: int, units: int) -> Floats:
        return (random.integers(0, 2, size=(size, units)) * 2.0 - 1.0) / units

    observed = np.mean([stratum.mean(axis=0) for stratum in strata], axis=0)
    flipped = _resampled(strata, draw, resamples)
    # The tolerance keeps sums that differ only by rounding on the side of "as large".
    extreme = (np.abs(flipped) >= np.abs(observed) - 1e-12).sum(axis=0)
    return np.asarray((extreme + 1) / (resamples + 1), dtype=np.float64)


def _resampled(strata: Sequence[Floats], draw: Any, resamples: int) -> Floats:
    """Apply `resamples` rows of random weights to each stratum and average; shape (resamples, metrics)."""
    import numpy as np

    total = np.zeros((resamples, strata[0].shape[1]))
    for stratum in strata:
        units = len(stratum)
        batch = max(1, BATCH_CELLS // units)
        for start in range(0, resamples, batch):
            size = min(batch, resamples - start)
            total[start : start + size] += draw(size, units) @ stratum
    return total / len(strata)


def _deltas(names: Sequence[str], groups: Mapping[str, _Pairs], strata: Sequence[Floats]) -> tuple[Delta, ...]:
    low, high = bootstrap_interval(strata)
    p_values = randomisation_p(strata)
    deltas = []
    for place, name in enumerate(names):
        before = mean(mean(a.values[place] for a, _ in found) for found in groups.values())
        after = mean(mean(b.values[place] for _, b in found) for found in groups.values())
        deltas.append(
            Delta(name, before, after, after - before, float(low[place]), float(high[place]), float(p_values[place]))
        )
    return tuple(deltas)


_Pairs = list[tuple[QueryScore, QueryScore]]


def _strata(groups: Mapping[str, _Pairs], *, by_repository: bool) -> tuple[list[Floats], str]:
    import numpy as np

    changes = [
        np.array([np.subtract(b.values, a.values) for a, b in found], dtype=np.float64) for found in groups.values()
    ]
    if by_repository and len(changes) > 1:  # a single repository says nothing about others, only about its queries
        return [np.array([change.mean(axis=0) for change in changes])], "repository"
    return changes, "query"


def _by_group(pairs: _Pairs) -> dict[str, _Pairs]:
    groups: dict[str, _Pairs] = {}
    for pair in pairs:
        groups.setdefault(pair[1].group, []).append(pair)
    return groups


def _keyed(result: Result) -> dict[tuple[str, str], QueryScore]:
    return {(query.group, query.id): query for query in result.queries}


def _latencies(pairs: _Pairs, share: float) -> tuple[float, float]:
    return percentile((a.took_ms for a, _ in pairs), share), percentile((b.took_ms for _, b in pairs), share)


def _label(result: Result) -> str:
    return f"{result.date} {result.dataset} {result.mode}"
