"""From a file on disk to its prepared rows, or why there are none. What worker processes do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.indexing.prepare import prepare
from recollect.sources import File, read
from recollect.stores import PreparedDocument
from recollect.types import Document, Skipped

if TYPE_CHECKING:
    from recollect.embedding import Embedder

Prepared = PreparedDocument | Document | Skipped
"""A Document stands for a file whose content is what is stored already; it carries no text."""


def prepare_files(files: Sequence[tuple[File, str | None]], embedder: Embedder | None) -> list[Prepared]:
    """Read and prepare files, each given with the hash that is stored for it."""
    return [prepare_file(file, known, embedder) for file, known in files]


def prepare_file(file: File, known_hash: str | None, embedder: Embedder | None) -> Prepared:
    """Read and prepare one file; a Document without text means that its content is what is stored."""
    document = read(file)
    if isinstance(document, Skipped):
        return document
    if document.hash == known_hash:
        return Document(document.path, "", size_bytes=document.size_bytes, mtime_ns=document.mtime_ns)
    return prepare(document, embedder)
