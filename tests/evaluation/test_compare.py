"""A change that is noise must not look like progress, and progress must not look like noise."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.errors import InvalidRequest
from recollect.evaluation.compare import bootstrap_interval, compare, randomisation_p

ZEROS = (0.0, 0.0)


def repositories(values):
    """One repository per value, two queries each, whose nDCG average that value."""
    return {f"r{n}": {"a": (value - 0.1, *ZEROS), "b": (value + 0.1, *ZEROS)} for n, value in enumerate(values)}


def test_identical_results_differ_by_nothing(make_result):
    result = make_result(repositories([0.5, 0.6, 0.7]))
    comparison = compare(result, result)
    assert {(delta.change, delta.low, delta.high, delta.p_value) for delta in comparison.deltas} == {
        (0.0, 0.0, 0.0, 1.0)
    }
    assert not any(delta.significant for delta in comparison.deltas)


def test_means_are_over_repositories_not_queries(make_result):
    old = make_result({"big": {f"q{n}": (0.0, *ZEROS) for n in range(9)}, "small": {"q": (0.0, *ZEROS)}})
    new = make_result({"big": {f"q{n}": (0.0, *ZEROS) for n in range(9)}, "small": {"q": (1.0, *ZEROS)}})
    delta = compare(old, new).deltas[0]
    assert (delta.old, delta.new, delta.change) == (0.0, 0.5, 0.5)


def test_repositories_are_the_unit_in_code_sets_and_queries_in_text_sets(make_result):
    code = make_result(repositories([0.5, 0.6]))
    assert (compare(code, code).unit, compare(code, code).units) == ("repository", 2)
    texts = make_result({"s": {f"q{n}": (0.0,) * 5 for n in range(7)}, "t": {"q": (0.0,) * 5}}, kind="texts")
    assert (compare(texts, texts).unit, compare(texts, texts).units) == ("query", 8)
    single = make_result(repositories([0.5]))
    assert (compare(single, single).unit, compare(single, single).units) == ("query", 2)


def test_a_steady_gain_is_significant_and_one_lucky_repository_is_not(make_result):
    old = make_result(repositories([0.5] * 12))
    steady = make_result(repositories([0.5 + 0.01 * (1 + n % 3) for n in range(12)]))
    lucky = make_result(repositories([0.74] + [0.5] * 11))
    assert compare(old, steady).deltas[0].change == pytest.approx(compare(old, lucky).deltas[0].change)
    assert compare(old, steady).deltas[0].significant
    assert compare(old, steady).deltas[0].low > 0
    assert not compare(old, lucky).deltas[0].significant
    assert compare(old, lucky).deltas[0].low == pytest.approx(0.0)


def test_many_queries_of_one_good_repository_do_not_buy_significance(make_result):
    old = make_result({name: {f"q{n}": (0.4, *ZEROS) for n in range(200)} for name in ("a", "b")})
    new = make_result({name: {f"q{n}": (0.9, *ZEROS) for n in range(200)} for name in ("a", "b")})
    assert compare(old, new).deltas[0].p_value == pytest.approx(0.5, abs=0.02)  # 2 of the 4 sign patterns are as large


def test_the_same_files_always_give_the_same_verdict(make_result):
    old, new = make_result(repositories([0.5, 0.6, 0.7])), make_result(repositories([0.6, 0.6, 0.8]))
    assert compare(old, new) == compare(old, new)


def test_questions_only_one_result_has_are_left_out_and_counted(make_result):
    old = make_result({"r": {"a": (0.5, *ZEROS), "gone": (1.0, *ZEROS)}})
    new = make_result({"r": {"a": (0.7, *ZEROS), "added": (0.0, *ZEROS), "more": (0.0, *ZEROS)}})
    comparison = compare(old, new)
    assert (comparison.common, comparison.only_old, comparison.only_new) == (1, 1, 2)
    assert comparison.deltas[0].change == pytest.approx(0.2)


def test_results_that_share_nothing_are_refused(make_result):
    code = make_result({"r": {"a": (0.5, *ZEROS)}})
    with pytest.raises(InvalidRequest, match="share no question"):
        compare(code, make_result({"other": {"a": (0.5, *ZEROS)}}))
    with pytest.raises(InvalidRequest, match="cannot be compared"):
        compare(code, make_result({"r": {"a": (0.5,) * 5}}, kind="texts"))


def test_the_p_value_is_that_of_all_sign_patterns():
    # Differences 1, 2, 3: of the eight sign patterns only +++ and --- are as large as 6: p = 2/8.
    assert randomisation_p([np.array([[1.0], [2.0], [3.0]])])[0] == pytest.approx(0.25, abs=0.015)
    # With 1, 1, -1 the sum is 1 and every pattern of odd numbers is at least as large: p = 1.
    assert randomisation_p([np.array([[1.0], [1.0], [-1.0]])])[0] == 1.0


def test_the_interval_is_that_of_the_mean():
    sample = np.random.default_rng(1).normal(0.3, 1.0, size=(400, 1))
    low, high = bootstrap_interval([sample])[:, 0]
    error = sample.std() / 20
    assert (low, high) == pytest.approx((sample.mean() - 1.96 * error, sample.mean() + 1.96 * error), abs=0.01)


def test_the_interval_of_sets_together_weighs_each_set_alike():
    small, large = np.zeros((3, 1)), np.ones((500, 1))
    assert bootstrap_interval([small, large]).ravel() == pytest.approx([0.5, 0.5])


def test_a_false_alarm_is_rare():
    random = np.random.default_rng(7)
    alarms = [randomisation_p([random.normal(size=(30, 1))], resamples=500)[0] < 0.05 for _ in range(300)]
    assert 0.01 < np.mean(alarms) < 0.10
