"""Contrastive training of the token table, with the teacher's sentence vectors as a second aim.

Symmetric InfoNCE with in-batch negatives (van den Oord et al. 2018); batches are made of groups of pairs from one
source, so that many negatives are about the same subject. The gradient is written out by hand and the bag of tokens
is a sparse matrix product, which is several times faster on a CPU than automatic differentiation of an embedding bag.
Not here: where pairs come from (`collect`), the start (`distill`) and the model file (`model_file`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
import torch
from encode import FIELDS, Ragged
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Options:
    """What a run is: see the comments for what each does."""

    epochs: float = 3.0
    batch: int = 2048
    rate: float = 6e-3
    scale: float = 20.0  # 1 / temperature
    group: int = 32  # neighbouring pairs of one source
    drop_words: float = 0.2  # share of query words left out, in every second query
    keep_comment: float = 0.2  # share of passages that keep the comment that their query came from
    name_query: float = 0.1  # share of documented bodies asked for by the words of their name
    crop: int = 256  # most tokens of a passage
    teacher: float = 2.0  # weight of the teacher's aim
    seed: int = 20261121
    threads: int = 2
    power: float = 0.75  # a token seen n times counts n**power, as in `recollect.embedding.static`


@dataclass(frozen=True, slots=True)
class Aim:
    """Texts as tokens and where the teacher puts them: `vectors` (n, dimensions), unit rows."""

    tokens: Ragged
    vectors: Array


class Pairs:
    """The encoded pairs that take part in training."""

    def __init__(self, archive: Path, left_out: tuple[str, ...] = ()) -> None:
        with np.load(archive) as arrays:
            self.fields = {f: Ragged.of(arrays[f], arrays[f"{f}_lengths"]) for f in FIELDS}
            kind_names = [str(name) for name in arrays["kind_names"]]
            kind, self.source = arrays["kind"], arrays["source"]
        self.is_documented = kind == kind_names.index("doc")
        long_enough = (self.fields["query"].lengths >= 2) & (self.fields["passage"].lengths >= 8)
        wanted = ~np.isin(kind, [kind_names.index(name) for name in left_out if name in kind_names])
        self.rows = np.flatnonzero(long_enough & wanted)

    def counts(self, size: int) -> NDArray[np.int64]:
        """How often each token occurs in the pairs: shape (size,)."""
        fields = (self.fields[name].tokens for name in ("query", "passage", "comment"))
        return np.sum([np.bincount(tokens, minlength=size) for tokens in fields], axis=0)


def take(ragged: Ragged, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """Tokens of the spans (starts, lengths), one after the other."""
    offsets = np.cumsum(lengths) - lengths
    return ragged.tokens[np.repeat(starts - offsets, lengths) + np.arange(int(lengths.sum()))]


class Trainer:
    """Trains `table` in place; `pairs` and `aim` are what it learns from."""

    def __init__(self, table: Array, pairs: Pairs, aim: Aim, options: Options) -> None:
        torch.set_num_threads(options.threads)
        self.options = options
        self.table = torch.nn.Parameter(torch.from_numpy(table))
        self._pairs, self._aim = pairs, aim
        self._random = np.random.default_rng(options.seed)

    def run(self) -> None:
        """Train to the end of the last epoch, printing the loss now and then."""
        options = self.options
        a_epoch = len(self._pairs.rows) // options.batch
        steps = int(options.epochs * a_epoch)
        optimiser = torch.optim.Adam([self.table], lr=options.rate, betas=(0.9, 0.99), fused=True)
        started, total = time.monotonic(), 0.0
        for step, rows in zip(range(steps), self._batches(), strict=False):
            for group in optimiser.param_groups:
                group["lr"] = options.rate * min(1.0, (step + 1) / 20) * max(0.02, 1 - step / steps)
            loss, gradient = self._step(rows)
            self.table.grad = gradient
            optimiser.step()
            total += loss
            if step % 100 == 99:
                print(f"{step + 1}/{steps} loss {total / 100:.3f} {time.monotonic() - started:.0f} s", flush=True)
                total = 0.0

    def _batches(self) -> Iterator[NDArray[np.int64]]:
        options = self.options
        while True:
            order = self._random.permutation(self._pairs.rows)
            order = order[np.argsort(self._pairs.source[order], kind="stable")]
            groups = order[: len(order) // options.group * options.group].reshape(-1, options.group)
            order = self._random.permutation(groups).reshape(-1)
            for start in range(0, len(order) - options.batch + 1, options.batch):
                yield order[start : start + options.batch]

    def _step(self, rows: NDArray[np.int64]) -> tuple[float, torch.Tensor]:
        """Loss of one batch and the gradient of the table."""
        table = self.table.detach().numpy()
        queries, passages = Bags(table, self._queries(rows)), Bags(table, self._passages(rows))
        loss, query_gradient, passage_gradient = info_nce(queries.vectors, passages.vectors, self.options.scale)
        chosen = self._random.integers(0, len(self._aim.vectors), 1024)
        texts = self._aim.tokens
        taken = take(texts, texts.starts[chosen], texts.lengths[chosen])
        aims = Bags(table, self._matrix(taken, texts.lengths[chosen]))
        aim_gradient = -self.options.teacher / len(chosen) * self._aim.vectors[chosen]
        stacked = sparse.vstack([queries.matrix, passages.matrix, aims.matrix], format="csr")
        backward = np.vstack(
            [queries.backward(query_gradient), passages.backward(passage_gradient), aims.backward(aim_gradient)]
        )
        return loss, torch.from_numpy(np.asarray(stacked.T.tocsr() @ backward, np.float32))

    def _queries(self, rows: NDArray[np.int64]) -> sparse.csr_matrix:
        options, fields, random = self.options, self._pairs.fields, self._random
        query, name = fields["query"], fields["name"]
        lengths = np.minimum(query.lengths[rows], 48)
        tokens = take(query, query.starts[rows], lengths)
        by_name = self._pairs.is_documented[rows] & (name.lengths[rows] >= 2)
        by_name &= random.random(len(rows)) < options.name_query
        name_lengths = np.where(by_name, name.lengths[rows], 0)
        tokens, lengths = joined(
            (tokens, np.where(by_name, 0, lengths), np.repeat(~by_name, lengths)),
            (take(name, name.starts[rows], name_lengths), name_lengths, None),
        )
        share = np.where(random.random(len(rows)) < 0.5, options.drop_words, 0.0)
        kept = random.random(len(tokens)) >= np.repeat(share, lengths)
        kept[np.cumsum(lengths) - lengths] = True  # never an empty query
        row = np.repeat(np.arange(len(rows)), lengths)[kept]
        return self._matrix(tokens[kept], np.bincount(row, minlength=len(rows)))

    def _passages(self, rows: NDArray[np.int64]) -> sparse.csr_matrix:
        """Random crops, from the start in 60 % of cases, sometimes with the comment that stands above."""
        options, random = self.options, self._random
        passage, comment = self._pairs.fields["passage"], self._pairs.fields["comment"]
        whole = passage.lengths[rows]
        lengths = np.minimum(whole, random.integers(options.crop // 4, options.crop + 1, len(rows)))
        shift = (random.random(len(rows)) * (whole - lengths + 1)).astype(np.int64)
        starts = passage.starts[rows] + np.where(random.random(len(rows)) < 0.6, 0, shift)
        above = np.where(random.random(len(rows)) < options.keep_comment, comment.lengths[rows], 0)
        tokens, total = joined(
            (take(passage, starts, lengths), lengths, None),
            (take(comment, comment.starts[rows], above), above, None),
        )
        return self._matrix(tokens, total)

    def _matrix(self, tokens: NDArray[np.int32], lengths: NDArray[np.int64]) -> sparse.csr_matrix:
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        shape = (len(lengths), len(self.table))
        matrix = sparse.csr_matrix((np.ones(len(tokens), np.float32), tokens, indptr), shape=shape)
        matrix.sum_duplicates()
        matrix.data **= self.options.power
        return matrix


Part = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_] | None]


def joined(first: Part, second: Part) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Two lists of rows put end to end, row by row; a mask says which tokens of a part take part."""
    tokens, owners = [], []
    for part, lengths, mask in (first, second):
        tokens.append(part if mask is None else part[mask])
        owners.append(np.repeat(np.arange(len(lengths)), lengths))
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return np.concatenate(tokens)[order], np.bincount(owner, minlength=len(first[1]))


class Bags:
    """Unit vectors of weighted token sums, and the way back through the normalisation."""

    def __init__(self, table: Array, matrix: sparse.csr_matrix) -> None:
        self.matrix = matrix
        sums = np.asarray(matrix @ table, np.float32)
        self._norms = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9
        self.vectors: Array = sums / self._norms

    def backward(self, gradient: Array) -> Array:
        """Gradient of the sums, from the gradient of the unit vectors."""
        along = (gradient * self.vectors).sum(axis=1, keepdims=True)
        return np.asarray((gradient - self.vectors * along) / self._norms, np.float32)


def info_nce(queries: Array, passages: Array, scale: float) -> tuple[float, Array, Array]:
    """Symmetric InfoNCE: mean loss and its gradients by queries and by passages."""
    left, right = torch.from_numpy(queries), torch.from_numpy(passages)
    left16, right16 = left.bfloat16(), right.bfloat16()
    diagonal = (left * right).sum(1)
    share = (left16 @ right16.T).float().sub_(1.0).mul_(scale).exp_()
    by_row, by_column = share.sum(1), share.sum(0)
    loss = (torch.log(by_row) + torch.log(by_column)).mean() / 2 - (scale * (diagonal - 1)).mean()
    share.mul_((1 / by_row)[:, None] + (1 / by_column)[None, :]).mul_(scale / 2 / len(left))
    share16, pull = share.bfloat16(), scale / len(left)
    to_left = (share16 @ right16).float() - right * pull
    to_right = (share16.T @ left16).float() - left * pull
    return float(loss), to_left.numpy(), to_right.numpy()
