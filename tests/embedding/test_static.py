"""What a user would lose: answers found by meaning, vectors that stay valid, and texts of any kind accepted."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.embedding import Embedder, open_embedder
from recollect.embedding.static import StaticEmbedder, _count_weights, open_file
from recollect.errors import EmbedderError, InvalidRequest, UnknownName

GOLDEN = Path(__file__).parent / "golden_vectors.json"
MODEL = Path(str(files("recollect.embedding").joinpath("builtin", "model.npz")))


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder("builtin")


def write_model(path: Path, weights: list[int], rows: list[list[int]]) -> Path:
    vocabulary = ["red", "green", "blue"]
    np.savez(
        path,
        rows=np.array(rows, np.int8),
        weights=np.array(weights, np.uint16),
        vocabulary=np.frombuffer("\n".join(vocabulary).encode(), np.uint8),
        settings=np.frombuffer(json.dumps({"format": 1, "tokeniser": 1, "buckets": 0}).encode(), np.uint8),
    )
    return path


def test_rows_are_unit_length_or_zero(embedder: Embedder) -> None:
    vectors = embedder.embed_documents(["def add(a, b): return a + b", "", "🙂 …", "hello"])
    assert vectors.shape == (4, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1], abs=1e-6)


def test_an_identifier_means_what_its_words_mean(embedder: Embedder) -> None:
    assert embedder.embed_query("getUserName") == pytest.approx(embedder.embed_query("get user name"))


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("how do I delete a file", "removes the given path from disk", "paints the window's border red"),
        ("retry after a network error", "try the request again when the connection fails", "sort a list of integers"),
        ("parse JSON text", "def loads(s): return JSONDecoder().decode(s)", "def sleep(seconds): time.sleep(seconds)"),
        ("When did Anna move to Berlin?", "Anna: I relocated to Germany in May.", "Tom: The soup needs more salt."),
    ],
)
def test_a_paraphrase_ranks_above_something_unrelated(
    embedder: Embedder, question: str, answer: str, other: str
) -> None:
    query = embedder.embed_query(question)
    related, unrelated = embedder.embed_documents([answer, other]) @ query
    assert related > unrelated + 0.1


def test_equal_text_in_other_scripts_is_found(embedder: Embedder) -> None:
    query = embedder.embed_query("向量搜索")
    same, other = embedder.embed_documents(["我们使用向量搜索来查找文档", "今天天气很好"]) @ query
    assert same > other + 0.2


def test_a_very_long_text_is_embedded_like_its_repeated_part(embedder: Embedder) -> None:
    part = "the quick brown fox jumps over the lazy dog "
    long = embedder.embed_query(part * 2500)  # 110 KB, beyond what float32 adds exactly
    assert long == pytest.approx(embedder.embed_query(part), abs=2e-3)  # counts are in sixteenths


@settings(max_examples=60)
@given(st.lists(st.text(), max_size=4))
def test_any_text_gives_the_same_finite_rows_alone_and_in_a_batch(texts: list[str]) -> None:
    embedder = _shared()
    vectors = embedder.embed_documents(texts)
    assert vectors.shape == (len(texts), embedder.dimensions)
    for row, text in zip(vectors, texts, strict=True):
        assert np.array_equal(row, embedder.embed_query(text))
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6) or not row.any()


def test_threads_get_the_same_vectors(embedder: Embedder) -> None:
    texts = [f"function number{i} opens socket {i % 7} and reads bytes" for i in range(400)]
    expected = embedder.embed_documents(texts)
    fresh = open_embedder("builtin")
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(fresh.embed_documents, [texts] * 4):
            assert np.array_equal(vectors, expected)


def test_vectors_of_the_shipped_model_stay_what_they_were(embedder: Embedder) -> None:
    """A change here means that every user's stored vectors are stale: it needs a new model or a new fingerprint."""
    golden = json.loads(GOLDEN.read_text("utf-8"))
    assert embedder.fingerprint == golden["fingerprint"]
    for text, values in golden["vectors"].items():
        assert embedder.embed_query(text)[: len(values)] == pytest.approx(values, abs=1e-4)


def test_sums_are_weighted_by_row_weight_and_count(tmp_path: Path) -> None:
    model = open_file("small", write_model(tmp_path / "m.npz", [1, 3, 2], [[100, 0], [0, 100], [0, 0]]))
    assert model.embed_query("red green") == pytest.approx(np.array([1, 3]) / np.sqrt(10))
    three = math.isqrt(math.isqrt(27 << 16)) / 16  # 3 ** 0.75, rounded down to sixteenths
    assert model.embed_query("red red red green") == pytest.approx(np.array([three, 3]) / np.hypot(three, 3))
    assert not model.embed_query("blue unknown").any()


def test_repetition_counts_less_than_variety() -> None:
    counts = np.arange(1, 70_000)
    weights = _count_weights(counts)
    assert weights[:2].tolist() == [16, 26]
    assert (np.diff(weights) >= -8).all()  # the steps beyond the list are coarse, by less than one part in 300
    assert weights == pytest.approx(16 * counts**0.75, rel=0.02, abs=1)


def test_the_fingerprint_tells_models_apart(tmp_path: Path) -> None:
    first = open_file("m", write_model(tmp_path / "a.npz", [1, 3, 2], [[100, 0], [0, 100], [0, 0]]))
    same = open_file("m", write_model(tmp_path / "b.npz", [1, 3, 2], [[100, 0], [0, 100], [0, 0]]))
    changed = open_file("m", write_model(tmp_path / "c.npz", [1, 3, 2], [[100, 1], [0, 100], [0, 0]]))
    assert first.fingerprint == same.fingerprint != changed.fingerprint


def test_a_missing_or_damaged_model_says_what_to_do(tmp_path: Path) -> None:
    whole = write_model(tmp_path / "m.npz", [1, 3, 2], [[100, 0], [0, 100], [0, 0]]).read_bytes()
    cut, flipped, short = tmp_path / "cut.npz", tmp_path / "flipped.npz", tmp_path / "short.npz"
    cut.write_bytes(whole[: len(whole) // 2])
    at = whole.index(b"red\ngreen")
    flipped.write_bytes(whole[:at] + b"X" + whole[at + 1 :])
    write_model(short, [1, 3], [[100, 0], [0, 100], [0, 0]])
    for path in (cut, flipped, short, tmp_path / "missing.npz"):
        with pytest.raises(EmbedderError) as caught:
            open_file("m", path)
        assert "Install" in caught.value.hint


def test_the_package_stays_small_and_loads_no_numpy_until_asked() -> None:
    assert MODEL.stat().st_size <= 24e6
    code = "import sys, recollect.embedding; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_embedder_lists_what_there_is() -> None:
    with pytest.raises(UnknownName) as caught:
        open_embedder("bultin")
    assert 'Did you mean "builtin"?' in caught.value.hint
    with pytest.raises(InvalidRequest) as empty:
        open_embedder("  ")
    assert "builtin" in empty.value.hint


_opened: list[StaticEmbedder] = []


def _shared() -> StaticEmbedder:
    """One model for all examples of a property test, which cannot take a fixture of this scope."""
    if not _opened:
        _opened.append(open_file("builtin", MODEL))
    return _opened[0]
