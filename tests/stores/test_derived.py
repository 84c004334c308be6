"""What is lost when the in-memory index is wrong: hits that SQLite holds, or right order among them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Engine
from recollect.stores.derived import COLUMN_WEIGHTS, CollectionIndex, inverse_frequency, top
from recollect.terms import analyse

QUERIES = [
    "retry delay",
    "socket parser config",
    "thread",
    "render template session cookie",
    "nothingofthatkind",
    "def return",
]


def _scores(engine: Engine, name: str, query: str) -> tuple[dict[int, float], dict[int, float]]:
    """BM25 by chunk id from the arrays and from FTS5."""
    store = engine._store
    row = store.collection(name)
    index = store.index(row, postings=True)
    terms = dict.fromkeys(analyse(query), 1.0)
    arrays = index.lexical(terms)
    rows = [(1.0, store.term_rows(row.id, t, COLUMN_WEIGHTS), store.phrase_chunks(row.id, [t], column="title"),
             store.phrase_chunks(row.id, [t], column="path")) for t in terms]  # fmt: skip
    fts = index.lexical_from_rows(rows)
    everywhere = np.flatnonzero(index.live)
    for ours, theirs in zip(arrays.shares(everywhere), fts.shares(everywhere), strict=True):
        assert np.allclose(ours, theirs, atol=1e-5)

    def by_id(scores: np.ndarray) -> dict[int, float]:
        return {int(index.chunk_ids[p]): float(scores[p]) for p in np.flatnonzero(scores > 0)}

    return by_id(arrays.scores), by_id(fts.scores)


@pytest.mark.parametrize("query", QUERIES)
def test_arrays_and_fts5_agree_on_every_score(engine: Engine, many_files: Callable[..., Path], query: str) -> None:
    engine.index(many_files(80), name="x")
    arrays, fts = _scores(engine, "x", query)
    assert arrays.keys() == fts.keys()
    for chunk, score in arrays.items():
        assert score == pytest.approx(fts[chunk], rel=1e-3)


def test_arrays_and_fts5_still_agree_after_edits_and_deletions(engine: Engine, many_files: Callable[..., Path]) -> None:
    root = many_files(60)
    engine.index(root, name="x")
    engine.query("retry delay", collections=("x",))
    files = sorted(root.rglob("*.py"))
    for file in files[:10]:
        file.unlink()
    for file in files[10:20]:
        file.write_text("def retry_delay_socket(thread):\n    return thread.retry(delay=socket)\n")
    engine.index(root, name="x")
    for query in QUERIES:
        arrays, fts = _scores(engine, "x", query)
        assert arrays.keys() == fts.keys()
        for chunk, score in arrays.items():
            assert score == pytest.approx(fts[chunk], rel=1e-3)


def test_an_index_brought_up_to_date_is_the_index_loaded_afresh(
    engine: Engine, make_engine: Callable[..., Engine], many_files: Callable[..., Path]
) -> None:
    root = many_files(50)
    engine.index(root, name="x")
    engine.query("retry", collections=("x",))
    files = sorted(root.rglob("*.py"))
    for step, file in enumerate(files[:12]):
        if step % 3 == 0:
            file.unlink()
        else:
            file.write_text(file.read_text() + f"\n\ndef cache_worker_{step}(queue):\n    return queue.retry\n")
        engine.index(root, name="x")
        warm = engine.query("cache worker queue retry", collections=("x",), limit=30)
        fresh = make_engine().query("cache worker queue retry", collections=("x",), limit=30)
        assert [(h.path, h.start_line, h.score) for h in warm.hits] == [
            (h.path, h.start_line, h.score) for h in fresh.hits
        ]


def test_the_hundred_nearest_vectors_are_exact(engine: Engine, many_files: Callable[..., Path]) -> None:
    engine.index(many_files(200), name="x")
    index = engine._store.index(engine._store.collection("x"))
    segment = index.segments[0]
    for query in QUERIES[:4]:
        vector = engine._embedder.embed_query(query)
        exact = segment.exact.astype(np.float32) @ vector
        best, got = index.nearest(vector, index.live, 100)
        assert np.allclose(np.sort(exact)[::-1][:100], got[best], atol=1e-5)
        assert np.allclose(exact, got, atol=0.02)


def test_a_collection_of_nothing_answers_nothing(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    engine.index(tmp_path / "empty", name="none")
    assert engine.query("anything", collections=("none",)).hits == ()
    assert CollectionIndex.empty(engine._store.collection("none")).lexical({"a": 1.0}).scores.shape == (0,)


@given(st.lists(st.floats(-2, 2, width=32), max_size=60), st.integers(1, 20))
def test_top_is_the_head_of_a_stable_sort(values: list[float], k: int) -> None:
    scores = np.array(values, np.float32)
    assert top(scores, k).tolist() == np.argsort(-scores, kind="stable")[:k].tolist()


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 6))
def test_top_is_the_same_for_many_scores_with_many_ties(seed: int, k: int, levels: int) -> None:
    scores = np.random.default_rng(seed).integers(0, 10**levels, 3000).astype(np.float32)
    assert top(scores, k).tolist() == np.argsort(-scores, kind="stable")[:k].tolist()


def test_a_rarer_term_weighs_more_and_none_weighs_less_than_nothing() -> None:
    weights = [inverse_frequency(100, n) for n in (1, 10, 50, 99, 100)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0
