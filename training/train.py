"""Make the built-in model: vocabulary, teacher's vectors, contrastive training, post-processing, model file.

One command after `download` and `collect`; each stage keeps its result in the work folder and is skipped when it is
there. Not here: the stages themselves.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from contrast import Aim, Options, Pairs, Trainer
from distill import BUCKETS, SEED, VOCABULARY, initial_table
from encode import Ragged, encode, records
from model_file import write_model
from numpy.typing import NDArray
from teacher import Teacher, cached_pieces, cached_texts
from vocabulary import build_vocabulary, document_frequencies

from recollect.embedding.tokens import Tokeniser

TEACHER_TEXTS = 16_000
_PASSAGES = {"heading": 0.2, "sentence": 0.2, "context": 0.1}
_QUERIES = {"doc": 0.15, "sentence": 0.15, "context": 0.1, "gloss": 0.1}
SHRINK = 300.0
SOUP = 0.2
RUNS = 2
"""Runs with different seeds from the same start, whose tables are averaged."""


def teacher_texts(pairs: Path, amount: int) -> list[str]:
    """A sample of passages and queries by kind, for the teacher to embed."""
    chosen = random.Random(SEED)
    passages: dict[str, list[str]] = {}
    queries: dict[str, list[str]] = {}
    for record in records(pairs):
        if chosen.random() < 0.3:
            passages.setdefault(record["kind"], []).append(" ".join(record["passage"].split())[:450])
            queries.setdefault(record["kind"], []).append(record["query"])
    texts: list[str] = []
    for shares, pool in ((_PASSAGES, passages), (_QUERIES, queries)):
        for kind, share in shares.items():
            available = pool.get(kind, [])
            texts += chosen.sample(available, min(len(available), int(amount * share)))
    return texts


def prepare(work: Path, pairs: Path) -> tuple[list[str], Path]:
    """Vocabulary and encoded pairs, made when they are not there yet."""
    listed, encoded = work / "vocabulary.json", work / "encoded.npz"
    if not listed.exists():
        texts = (f"{r['query']} {r['comment']} {r['passage']}" for i, r in enumerate(records(pairs)) if i % 2 == 0)
        vocabulary = build_vocabulary(Teacher().vocabulary(), document_frequencies(texts), VOCABULARY)
        listed.write_text(json.dumps(vocabulary), "utf-8")
    vocabulary = json.loads(listed.read_text("utf-8"))
    if not encoded.exists():
        encode(pairs, vocabulary, encoded)
    return vocabulary, encoded


def teacher_aim(work: Path, pairs: Path, vocabulary: list[str], axes: NDArray[np.float32]) -> Aim:
    """The teacher's vectors of the sample, on the table's own axes."""
    texts = teacher_texts(pairs, TEACHER_TEXTS)
    vectors = cached_texts(work / "teacher.npz", texts)
    vectors = (vectors - vectors.mean(axis=0)) @ axes
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
    tokeniser = Tokeniser(vocabulary, 0)
    ids = [tokeniser.ids(text)[:128] for text in texts]
    kept = [i for i, row in enumerate(ids) if row]
    flat = np.array([token for i in kept for token in ids[i]], np.int32)
    lengths = np.array([len(ids[i]) for i in kept], np.int32)
    return Aim(Ragged.of(flat, lengths), np.ascontiguousarray(vectors[kept], np.float32))


def finish(
    trained: NDArray[np.float32], start: NDArray[np.float32], counts: NDArray[np.int64], shrink: float, soup: float
) -> NDArray[np.float32]:
    """Draw tokens that training saw rarely back to where they began, then mix in a share of the start.

    A token seen n times keeps n / (n + shrink) of what it learned; `soup` is the share of the start.
    """
    learned = np.zeros(len(trained), np.float32)
    learned[: len(counts)] = counts / (counts + shrink)
    table = start + (trained - start) * learned[:, None]
    return np.asarray(table * (1 - soup) + start * soup, np.float32)


def main() -> None:
    """Train and write the model file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, help="what `collect` wrote")
    parser.add_argument("--work", type=Path, required=True, help="folder for intermediate results")
    parser.add_argument("--out", type=Path, required=True, help="model file to write")
    parser.add_argument("--epochs", type=float, default=Options().epochs)
    parser.add_argument("--power", type=float, default=Options().power, help="exponent of repeated tokens")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs to average")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    vocabulary, encoded = prepare(arguments.work, arguments.pairs)
    pieces = cached_pieces(arguments.work / "pieces.npz", vocabulary)
    pairs = Pairs(encoded)
    counts = pairs.counts(len(vocabulary))
    start, axes = initial_table(pieces, counts, BUCKETS)
    aim = teacher_aim(arguments.work, arguments.pairs, vocabulary, axes)
    print(f"{len(vocabulary)} tokens, {len(pairs.rows)} pairs, {len(aim.vectors)} teacher texts", flush=True)
    trained = np.zeros_like(start)
    for run in range(arguments.runs):
        options = Options(epochs=arguments.epochs, power=arguments.power, seed=SEED + run)
        trainer = Trainer(start.copy(), pairs, aim, options)
        trainer.run()
        trained += trainer.table.detach().numpy() / arguments.runs
    np.savez(arguments.work / "trained.npz", start=start, trained=trained, counts=counts)
    write_model(arguments.work / "start.npz", start, vocabulary, BUCKETS)
    write_model(arguments.out, finish(trained, start, counts, SHRINK, SOUP), vocabulary, BUCKETS)
    print(f"{arguments.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
