"""A wrong formula would make every decision about ranking wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.evaluation.metrics import hit_rate, mean, ndcg, percentile, recall, reciprocal_rank

RANKS = st.lists(st.none() | st.integers(1, 200), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("ranks", "gains", "expected"),
    [
        ([1], None, 1.0),
        ([2], None, 0.6309297536),  # 1 / log2(3)
        ([10], None, 0.2890648263),  # 1 / log2(11)
        ([11], None, 0.0),
        ([None], None, 0.0),
        ([1, 3], None, 0.9197207891),  # (1 + 1/2) / (1 + 0.6309297536)
        ([2, None, 5], None, 0.4776237035),  # (0.6309297536 + 0.3868528072) / (1 + 0.6309297536 + 0.5)
        ([1, 2], [1, 3], 0.7967075809),  # (1 + 3 * 0.6309297536) / (3 + 0.6309297536)
        ([1, 2], [3, 1], 1.0),
    ],
)
def test_ndcg_agrees_with_values_worked_out_by_hand(ranks, gains, expected):
    assert ndcg(ranks, gains) == pytest.approx(expected, abs=1e-9)


def test_ndcg_of_more_targets_than_places_can_still_be_perfect():
    assert ndcg([*range(1, 11), None, None]) == pytest.approx(1.0)


def test_one_hit_that_answers_two_targets_does_not_score_above_one():
    assert ndcg([1, 1]) == 1.0


@given(RANKS, st.data())
def test_ndcg_stays_between_zero_and_one(ranks, data):
    gains = data.draw(st.lists(st.floats(0.1, 5), min_size=len(ranks), max_size=len(ranks)))
    assert 0.0 <= ndcg(ranks, gains) <= 1.0


@given(st.lists(st.floats(0.1, 5), min_size=1, max_size=20))
def test_ndcg_of_the_best_possible_order_is_one(gains):
    assert ndcg(list(range(1, len(gains) + 1)), sorted(gains, reverse=True)) == pytest.approx(1.0)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=10, unique=True), st.data())
def test_ndcg_never_falls_when_a_target_moves_up(ranks, data):
    place = data.draw(st.integers(0, len(ranks) - 1))
    better = [max(1, rank - 1) if index == place else rank for index, rank in enumerate(ranks)]
    assert ndcg(better) >= ndcg(ranks)


@pytest.mark.parametrize("gains", [[], [1.0, 1.0], [0.0]])
def test_ndcg_refuses_gains_that_do_not_fit(gains):
    with pytest.raises(ValueError, match="gain per target"):
        ndcg([1], gains)


def test_recall_counts_the_share_of_targets_found_in_time():
    assert recall([3, 10, 11, None], k=10) == 0.5
    assert recall([3, 10, 11, None], k=100) == 0.75
    with pytest.raises(ValueError, match="at least one target"):
        recall([], k=10)


def test_reciprocal_rank_takes_the_best_target_only():
    assert reciprocal_rank([None, 8, 4], k=10) == 0.25
    assert reciprocal_rank([11], k=10) == 0.0
    assert reciprocal_rank([None], k=10) == 0.0


def test_hit_rate_needs_any_target_in_time():
    assert hit_rate([2, 1], k=1) == 1.0
    assert hit_rate([2, None], k=1) == 0.0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(0, 1))
def test_percentile_is_numpys(values, share):
    assert percentile(values, share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-6)


def test_averages_of_nothing_are_zero():
    assert mean([]) == 0.0
    assert percentile([], 0.5) == 0.0
