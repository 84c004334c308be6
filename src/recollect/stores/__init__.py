"""How is it kept, and how is it found again?

A store keeps rows, keyword postings and vectors, and answers with scored chunks, filters applied inside;
ranking is not its business. `open_store` opens the SQLite one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.stores.records import (
    ChunkRow,
    CollectionRow,
    DocumentRow,
    Fingerprint,
    PathFilter,
    PreparedDocument,
    SymbolRow,
)

if TYPE_CHECKING:
    from recollect.stores.sqlite import SqliteStore

__all__ = [
    "ChunkRow",
    "CollectionRow",
    "DocumentRow",
    "Fingerprint",
    "PathFilter",
    "PreparedDocument",
    "SymbolRow",
    "open_store",
]


def open_store(path: Path, *, busy_timeout_ms: int = 30_000) -> SqliteStore:
    """Open (or create) the database file at `path`.

    Raises StoreError when the file is corrupt, foreign, newer than this program or not writable.
    """
    from recollect.stores.sqlite import SqliteStore

    return SqliteStore(path, busy_timeout_ms=busy_timeout_ms)
