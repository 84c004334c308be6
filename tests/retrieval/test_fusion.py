"""What is lost when fusion fails: a good hit of one list, pushed down by noise of another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval.fusion import fuse

LISTS = st.lists(
    st.tuples(st.floats(0.1, 3), st.lists(st.integers(0, 30), unique=True, max_size=15)), max_size=4
)  # fmt: skip


def test_scores_are_those_of_the_formula() -> None:
    scores = fuse([(1.0, ["a", "b"]), (2.5, ["b", "c"])])
    assert scores == pytest.approx({"b": 1 / 62 + 2.5 / 61, "c": 2.5 / 62, "a": 1 / 61})
    assert list(scores) == ["b", "c", "a"]


def test_no_lists_give_nothing() -> None:
    assert fuse([]) == {}
    assert fuse([(1.0, [])]) == {}


@given(LISTS)
def test_everything_that_was_in_a_list_is_in_the_fusion_in_order(lists: list[tuple[float, list[int]]]) -> None:
    scores = fuse(lists)
    assert scores.keys() == {key for _, ranked in lists for key in ranked}
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


@given(LISTS, st.integers(0, 30))
def test_another_vote_never_lowers_a_score(lists: list[tuple[float, list[int]]], key: int) -> None:
    assert fuse([*lists, (1.0, [key])])[key] > fuse(lists).get(key, 0.0)


@given(LISTS)
def test_the_order_of_the_lists_does_not_matter(lists: list[tuple[float, list[int]]]) -> None:
    assert fuse(lists) == pytest.approx(fuse(lists[::-1]))
