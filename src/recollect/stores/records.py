"""The records that pass between a store and those who write to it or read from it.

Not here: what callers of Recollect see (`recollect.types`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recollect.types import Chunk


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection as stored; `analysis` names the versions of chunking and terms it was indexed with."""

    id: int
    name: str
    root: str
    embedder: str
    fingerprint: str
    dimensions: int
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    analysis: str
    revision: int
    indexed_at: float


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells whether a document changed."""

    document_id: int
    size_bytes: int
    mtime_ns: int
    hash: str


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document ready to be written: read, chunked, analysed and, unless `vectors` is None, embedded.

    `keys`, `lexical` (path, title and body terms joined by spaces) and `chunks` run in parallel. `vectors`
    are the float16 rows of all chunks as bytes. `source` is the zlib-compressed text of an in-memory
    document, None where the text can be read from disk.
    """

    path: str
    title: str
    language: str
    hash: str
    size_bytes: int
    mtime_ns: int
    lines: int
    metadata: str
    chunks: tuple[Chunk, ...]
    keys: tuple[str, ...]
    lexical: tuple[tuple[str, str, str], ...]
    postings: bytes
    vectors: bytes | None
    source: bytes | None = None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as stored, without its text."""

    id: int
    path: str
    title: str
    language: str
    hash: str
    lines: int
    first_chunk: int
    chunks: int


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as stored."""

    id: int
    key: str
    start_line: int
    end_line: int
    kind: str
    title: str
    context: str
    text: str


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """A definition as stored."""

    name: str
    kind: str
    parent: str
    start_line: int
    end_line: int
    chunk_id: int


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Which documents may be found: `accepts(path, language)`. `key` identifies it, so masks can be kept."""

    key: str
    accepts: Callable[[str, str], bool]
