"""One document into the rows that are written for it: chunked, analysed, packed, embedded. Pure.

Runs in worker processes when there is much to do; nothing here touches the store.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.chunking import CHUNKER_VERSION
from recollect.stores import PreparedDocument
from recollect.stores.postings import pack
from recollect.terms import TERMS_VERSION, TermIds, analyse
from recollect.types import Chunk, Document

if TYPE_CHECKING:
    from recollect.embedding import Embedder

PREPARE_VERSION = 1
ANALYSIS = f"chunks {CHUNKER_VERSION}, terms {TERMS_VERSION}, rows {PREPARE_VERSION}"
"""Stored with a collection: one indexed by other versions is indexed again as a whole."""

_ids = TermIds()


def prepare(document: Document, embedder: Embedder | None, *, keep_text: bool = False) -> PreparedDocument:
    """Make the rows of `document`; with `embedder` None they have no vectors yet, `keep_text` stores the text."""
    from recollect.chunking.documents import chunk  # parsers: a search without changes needs none

    chunked = chunk(document)
    path_terms = analyse(document.path)
    lexical = [
        (path_terms, analyse(_title(document.title or chunked.title, c)), analyse(c.text)) for c in chunked.chunks
    ]
    metadata = {**document.metadata, **chunked.metadata}
    return PreparedDocument(
        path=document.path,
        title=document.title or chunked.title,
        language=document.language,
        hash=document.hash,
        size_bytes=document.size_bytes,
        mtime_ns=document.mtime_ns,
        lines=count_lines(document.text),
        metadata=json.dumps(metadata, ensure_ascii=False, default=str),
        chunks=tuple(chunked.chunks),
        keys=_keys(document.path, chunked.chunks),
        lexical=tuple((" ".join(p), " ".join(t), " ".join(b)) for p, t, b in lexical),
        postings=pack(lexical, _ids),
        vectors=None if embedder is None else embed(embedder, [(c.context, c.text) for c in chunked.chunks]),
        source=zlib.compress(document.text.encode("utf-8", "surrogatepass"), 6) if keep_text else None,
    )


def embed(embedder: Embedder, texts: Sequence[tuple[str, str]]) -> bytes:
    """Embed (context, text) of chunks; return their float16 rows as bytes."""
    import numpy as np

    if not texts:
        return b""
    rows = embedder.embed_documents([f"{context}\n{text}" if context else text for context, text in texts])
    return rows.astype(np.float16).tobytes()


def count_lines(text: str) -> int:
    """Count lines as editors do: a trailing newline ends the last line and begins no other."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def _title(document_title: str, chunk: Chunk) -> str:
    """What the title column holds: the document's title, the chunk's place in it, and every name it defines."""
    return " ".join((document_title, chunk.title, *(s.name for s in chunk.symbols)))


def _keys(path: str, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Name each chunk by its place and text, so that the name lives as long as both do."""
    seen: dict[str, int] = {}
    keys = []
    for c in chunks:
        seen[c.text] = seen.get(c.text, -1) + 1
        content = f"{path}\0{seen[c.text]}\0{c.text}".encode("utf-8", "surrogatepass")
        keys.append(hashlib.blake2b(content, digest_size=6).hexdigest())
    return tuple(keys)
