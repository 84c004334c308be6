"""The built-in embedder: a table of token vectors; a text is their weighted sum, at unit length.

Results are the same bit for bit on every platform: the table holds integers (int8 rows, uint16 row weights),
sums of them are exact in float32 below 2**24 and in float64 below 2**53 whatever the order in which a BLAS adds,
squares are summed as 64-bit integers, and the final square root and division are correctly rounded by IEEE 754.
Not here: how the table is made (`training/` in the repository) and the split into tokens (`tokens`).
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from recollect.embedding.tokens import TOKENISER, Tokeniser
from recollect.errors import EmbedderError

FORMAT = 1
"""Version of the model file: rows int8 (tokens, dimensions), weights uint16 (tokens,), vocabulary and settings
as UTF-8 bytes; each row stands for `rows * weights` times a constant that unit length cancels."""

POOLING = 1
"""Version of the arithmetic below; part of the fingerprint."""

_LARGEST_ROW = 127
_EXACT_FLOAT32 = 2**24
_EXACT_FLOAT64 = 2**53
_LARGEST_SQUARE = 2**27  # 256 squares of it stay below 2**63

# A token seen n times counts 16 * n**0.75, rounded down. Repetition says less than variety: against plain counts
# (measured 2026-11-21) +.011 nDCG@10 on repositories and +.015 on text sets; square roots and logarithms favour
# snippets at the cost of long pages (-.1 on documentation pages).
_LISTED = 1024
_COUNT_WEIGHTS = np.array([math.isqrt(math.isqrt(n**3 << 16)) for n in range(_LISTED)], np.int64)


class StaticEmbedder:
    """Embed text with a token table; see `recollect.embedding.Embedder`.

    `source` is a binary file in the format above, open at its start; it is read at once and not kept.
    Raises EmbedderError when it is not such a file.
    """

    def __init__(self, name: str, source: IO[bytes]) -> None:
        self.name = name
        try:
            # A zip file keeps a CRC-32 of every member, checked when it is read: hashing those four says as
            # much about which model this is as hashing 15 MB, and costs nothing.
            members = {info.filename: info.CRC for info in zipfile.ZipFile(source).infolist()}
            source.seek(0)
            with np.load(source, allow_pickle=False) as archive:
                self._rows: NDArray[np.int8] = archive["rows"]
                self._weights: NDArray[np.int64] = archive["weights"].astype(np.int64)
                vocabulary = archive["vocabulary"].tobytes().decode().split("\n")
                settings: dict[str, Any] = json.loads(archive["settings"].tobytes())
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise EmbedderError(f'The model of embedder "{name}" cannot be read: {error}.', hint=_REINSTALL) from error
        if settings.get("format") != FORMAT or settings.get("tokeniser") != TOKENISER:
            raise EmbedderError(f'The model of embedder "{name}" belongs to another version.', hint=_REINSTALL)
        self.tokens, self.dimensions = self._rows.shape
        self._tokeniser = Tokeniser(vocabulary, int(settings["buckets"]))
        if not (self._rows.shape[0] == self._weights.shape[0] == self._tokeniser.size):
            raise EmbedderError(f'The model of embedder "{name}" is inconsistent.', hint=_REINSTALL)
        identity = json.dumps([FORMAT, TOKENISER, POOLING, sorted(members.items())])
        self.fingerprint = f"{name}-{hashlib.blake2b(identity.encode(), digest_size=6).hexdigest()}"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed passages: shape (len(texts), dimensions), rows of unit length, all zero where nothing is known."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            self._embed(text, vectors[row])
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a question: shape (dimensions,), unit length, all zero where nothing is known."""
        vector = np.zeros(self.dimensions, np.float32)
        self._embed(text, vector)
        return vector

    def _embed(self, text: str, out: NDArray[np.float32]) -> None:
        counts = Counter(self._tokeniser.ids(text))
        if not counts:
            return
        tokens = np.fromiter(counts.keys(), np.int64, len(counts))
        weights = self._weights[tokens] * _count_weights(np.fromiter(counts.values(), np.int64, len(counts)))
        bound = int(weights.sum()) * _LARGEST_ROW
        while bound >= _EXACT_FLOAT64:  # more than 10**8 tokens; weights lose their last bits, equally everywhere
            weights, bound = weights >> 1, bound >> 1
        exact = np.float32 if bound < _EXACT_FLOAT32 else np.float64
        total = (weights.astype(exact) @ self._rows[tokens].astype(exact)).astype(np.int64)
        largest = int(np.abs(total).max())
        if largest == 0:
            return
        total >>= max(0, largest.bit_length() - _LARGEST_SQUARE.bit_length() + 1)
        out[:] = total / math.sqrt(int((total * total).sum()))


def _count_weights(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weights of tokens seen `counts` times, in integers: n**0.75 is 8 * (n / 16)**0.75 where the list ends."""
    factors = np.ones_like(counts)
    while int(counts.max()) >= _LISTED:
        large = counts >= _LISTED
        counts = np.where(large, counts >> 4, counts)
        factors = np.where(large, factors * 8, factors)
    return factors * _COUNT_WEIGHTS[counts]


_REINSTALL = "Install Recollect again: pip install --force-reinstall recollect"


def open_builtin() -> StaticEmbedder:
    """Open the model that ships in the package. Raises EmbedderError when it is missing or damaged."""
    return open_file("builtin", Path(str(files("recollect.embedding").joinpath("builtin", "model.npz"))))


def open_file(name: str, path: Path) -> StaticEmbedder:
    """Open the model file at `path` under `name`. Raises EmbedderError when it is missing or damaged."""
    try:
        with path.open("rb") as source:
            return StaticEmbedder(name, source)
    except FileNotFoundError as error:
        raise EmbedderError(f'The model file of embedder "{name}" is missing: {path}.', hint=_REINSTALL) from error
