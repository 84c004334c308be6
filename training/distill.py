"""The table before training: each token's teacher vector, reduced to 256 dimensions and weighted by rarity.

Principal components as in Model2Vec (github.com/MinishLab/model2vec), weights a/(a+p) with a = 1e-3 as in SIF
(Arora et al. 2017). Words of scripts that the vocabulary lacks get fixed random vectors. Run alone it writes a
usable model; `train` starts from the same table.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from model_file import write_model
from numpy.typing import NDArray
from teacher import Teacher, cached_pieces
from vocabulary import build_vocabulary, document_frequencies

from recollect.embedding.tokens import Tokeniser

DIMENSIONS = 256
BUCKETS = 8192
VOCABULARY = 48_500
RARITY = 1e-3
SEED = 20261121

_TEXT = {".py", ".js", ".ts", ".md", ".rst", ".c", ".h", ".go", ".rs", ".java", ".php", ".rb"}


def projection(vectors: NDArray[np.float32], dimensions: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and leading principal axes of `vectors`: shapes (384,) and (384, dimensions); axes point to positive sums."""
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    _, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    leading = axes[:, ::-1][:, :dimensions]
    return mean, (leading * np.where(leading.sum(axis=0) < 0, -1, 1)).astype(np.float32)


def initial_table(
    vectors: NDArray[np.float32], counts: NDArray[np.int64], buckets: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The table (len(vectors) + buckets, 256) and the projection axes, from teacher vectors and training counts."""
    mean, axes = projection(vectors, DIMENSIONS)
    reduced = (vectors - mean) @ axes
    reduced /= np.linalg.norm(reduced, axis=1).mean()
    share = (counts + 1) / (counts + 1).sum()
    reduced *= (RARITY / (RARITY + share))[:, None]
    random = np.random.default_rng(SEED).standard_normal((buckets, DIMENSIONS)) / np.sqrt(DIMENSIONS)
    return np.vstack([reduced, random]).astype(np.float32), axes


def token_counts(tokeniser: Tokeniser, texts: Iterator[str], vocabulary: Sequence[str]) -> NDArray[np.int64]:
    """How often each vocabulary entry occurs in `texts`."""
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(tokeniser.ids(text))
    return np.array([counts[i] for i in range(len(vocabulary))], np.int64)


def files_under(folders: Sequence[Path], limit: int) -> Iterator[str]:
    """Texts of source and documentation files, an even sample of at most `limit` of them."""
    paths = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in _TEXT and path.is_file())
    for path in paths[:: max(1, len(paths) // limit)]:
        yield path.read_text("utf-8", errors="replace")[:60_000]


def main() -> None:
    """Write a model that was only distilled, from the words of the given folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder for intermediate results")
    parser.add_argument("--out", type=Path, required=True, help="model file to write")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    frequencies = document_frequencies(files_under(arguments.folders, 8000))
    vocabulary = build_vocabulary(Teacher().vocabulary(), frequencies, VOCABULARY)
    vectors = cached_pieces(arguments.work / "pieces.npz", vocabulary)
    counts = token_counts(Tokeniser(vocabulary, 0), files_under(arguments.folders, 8000), vocabulary)
    table, _ = initial_table(vectors, counts, BUCKETS)
    write_model(arguments.out, table, vocabulary, BUCKETS)
    print(f"{len(vocabulary)} tokens, {arguments.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
