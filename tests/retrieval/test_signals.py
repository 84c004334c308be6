"""What is lost when a signal fails: the order of the hits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval import signals
from recollect.retrieval.paths import traits
from recollect.retrieval.query import understand
from recollect.retrieval.scoring import Evidence, confidence


def test_a_file_named_like_the_query_is_raised() -> None:
    values = signals.stem_match(
        understand("interceptor manager"),
        [traits(p) for p in ("lib/InterceptorManager.js", "lib/manager.js", "lib/other.js")],
    )
    assert values[0] > values[2] and values[1] > values[2] == 0
    assert values[0] == pytest.approx(1.0)


def test_tests_are_lowered_unless_asked_for() -> None:
    paths = [traits("src/parser.py"), traits("tests/test_parser.py")]
    lowered = signals.factors(understand("how does the parser work"), paths, signals.FACTORS)["test"]
    assert lowered[0] == 1 and lowered[1] == pytest.approx(signals.FACTORS.test)
    assert "test" not in signals.factors(understand("tests for the parser"), paths, signals.FACTORS)


def test_several_good_chunks_raise_their_file() -> None:
    values = signals.coherence(np.array([0.5, 0.4, 0.6], np.float32), np.array([0, 0, 1]))
    assert values.tolist() == pytest.approx([1.0, 1.0, 0.6 / 0.9])


def test_a_second_hit_of_a_file_yields_to_another_file() -> None:
    chosen = signals.diversify(np.array([1.0, 0.9, 0.6], np.float32), np.array([0, 0, 1]), 3, saturation=0.5)
    assert [i for i, _ in chosen] == [0, 2, 1]
    assert chosen[2][1] == pytest.approx(0.45)


@given(st.lists(st.tuples(st.floats(0, 10, width=32), st.integers(0, 5)), min_size=1, max_size=60), st.integers(1, 20))
def test_the_best_candidate_stays_first_and_order_follows_score(items: list[tuple[float, int]], limit: int) -> None:
    scores = np.array([s for s, _ in items], np.float32)
    chosen = signals.diversify(scores, np.array([f for _, f in items]), limit)
    assert len(chosen) == min(limit, len(items))
    assert len({i for i, _ in chosen}) == len(chosen)
    assert scores[chosen[0][0]] == scores.max()
    values = [s for _, s in chosen]
    assert values == sorted(values, reverse=True)


def test_more_evidence_is_more_confidence() -> None:
    nothing, some, much = (confidence(Evidence(v, v)) for v in (0.0, 0.5, 1.0))
    assert nothing < 0.05 < some < much
    assert confidence(Evidence(0.5, 0.5, definition=1.0)) > some < confidence(Evidence(0.5, 0.5, stem=1.0))
    assert confidence(Evidence(0.0, None)) < 0.1 < 0.5 < confidence(Evidence(1.0, None))
    assert confidence(Evidence(None, 0.1)) < 0.1 < 0.5 < confidence(Evidence(None, 0.7))
