"""What is lost when fusion fails: a good hit of one list, pushed down by noise of another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval.fusion import fuse

SIZE = 31
LISTS = st.lists(
    st.tuples(st.floats(0.1, 3), st.lists(st.integers(0, SIZE - 1), unique=True, max_size=15).map(lambda x: np.array(x, np.intp))),
    max_size=4,
)  # fmt: skip
Lists = list[tuple[float, np.ndarray]]


def test_scores_are_those_of_the_formula() -> None:
    scores = fuse([(1.0, np.array([0, 1])), (2.5, np.array([1, 2]))], 4)
    assert scores.tolist() == pytest.approx([1 / 61, 1 / 62 + 2.5 / 61, 2.5 / 62, 0.0])


def test_no_lists_give_nothing() -> None:
    assert fuse([], 3).tolist() == [0, 0, 0]
    assert fuse([(1.0, np.zeros(0, np.intp))], 0).tolist() == []


@given(LISTS)
def test_everything_that_was_in_a_list_scores_and_nothing_else(lists: Lists) -> None:
    assert set(np.flatnonzero(fuse(lists, SIZE)).tolist()) == {int(i) for _, ranked in lists for i in ranked}


@given(LISTS, st.integers(0, SIZE - 1))
def test_another_vote_never_lowers_a_score(lists: Lists, key: int) -> None:
    assert fuse([*lists, (1.0, np.array([key]))], SIZE)[key] > fuse(lists, SIZE)[key]


@given(LISTS)
def test_the_order_of_the_lists_does_not_matter(lists: Lists) -> None:
    assert fuse(lists, SIZE) == pytest.approx(fuse(lists[::-1], SIZE), rel=1e-5)
