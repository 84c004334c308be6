"""The tables of the one SQLite file, and how an older file becomes a current one.

Migrations are append-only: each runs in the transaction that also records it (PRAGMA user_version).
Not here: reading and writing rows.
"""

from __future__ import annotations

import apsw

from recollect.errors import StoreError

APPLICATION_ID = 0x5245434F  # "RECO": tells our files from any other SQLite database

_V1 = """
CREATE TABLE collections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  root TEXT NOT NULL,              -- absolute folder, '' for in-memory documents
  embedder TEXT NOT NULL,          -- how it was asked for ("builtin")
  fingerprint TEXT NOT NULL,       -- stamped on every vector
  dimensions INTEGER NOT NULL,
  include TEXT NOT NULL,           -- JSON array of globs
  exclude TEXT NOT NULL,
  analysis TEXT NOT NULL,          -- versions of chunker and terms
  revision INTEGER NOT NULL DEFAULT 0,
  indexed_at REAL NOT NULL DEFAULT 0
);
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection_id INTEGER NOT NULL REFERENCES collections(id),
  path TEXT NOT NULL,
  title TEXT NOT NULL,
  language TEXT NOT NULL,
  hash TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  metadata TEXT NOT NULL,          -- JSON object
  first_chunk INTEGER NOT NULL,    -- chunk ids of a document are consecutive
  chunks INTEGER NOT NULL,
  UNIQUE (collection_id, path)
);
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: an id held by a reader cannot come to mean other text
  key TEXT NOT NULL,                     -- what users see as a hit's id
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  context TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX documents_first_chunk ON documents(first_chunk);
CREATE INDEX chunks_key ON chunks(key);
CREATE TABLE symbols (
  collection_id INTEGER NOT NULL,
  folded TEXT NOT NULL,            -- the name as `terms` writes wholes: lower case, no separators
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  parent TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  chunk_id INTEGER NOT NULL
);
CREATE INDEX symbols_folded ON symbols(collection_id, folded);
CREATE INDEX symbols_chunk ON symbols(chunk_id);
-- Per document, one blob each: what the derived indexes are loaded from (see postings.py, vectors.py).
CREATE TABLE postings (document_id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE vectors (document_id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE sources (document_id INTEGER PRIMARY KEY, text BLOB NOT NULL);  -- zlib; in-memory documents only
CREATE TABLE skipped (
  collection_id INTEGER NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY (collection_id, path)
) WITHOUT ROWID;
CREATE TABLE writer (id INTEGER PRIMARY KEY CHECK (id = 1), pid INTEGER, host TEXT, task TEXT, since REAL);
"""

MIGRATIONS: tuple[str, ...] = (_V1,)


def lexical_table(collection_id: int) -> str:
    """Return the name of a collection's FTS5 table: its own, so that term statistics are its own too."""
    return f"lexical_{collection_id}"


def create_lexical(connection: apsw.Connection, collection_id: int) -> None:
    """Create the collection's keyword index. Its text is already analysed (`terms`), so tokens pass unchanged."""
    connection.execute(
        f"CREATE VIRTUAL TABLE {lexical_table(collection_id)} USING fts5(path, title, body, content='', "
        "contentless_delete=1, tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* Co M* Cs'\")"
    )


def check(connection: apsw.Connection, path: str) -> None:
    """Make sure that the file is empty or ours, and not newer than this program; writes nothing.

    Raises StoreError for a file that is no Recollect database or was written by a newer version.
    """
    version = int(connection.pragma("user_version"))
    application = int(connection.pragma("application_id"))
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if application != APPLICATION_ID and (tables or version):
        raise StoreError(
            f"{path} is a SQLite database of another program.",
            hint="Choose another file with --db or RECOLLECT_DB.",
            code="foreign_database",
        )
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer Recollect (schema {version}, this one knows {len(MIGRATIONS)}).",
            hint="Upgrade recollect, or choose another file with --db.",
            code="newer_schema",
        )


def migrate(connection: apsw.Connection) -> None:
    """Bring a checked database up to date."""
    if int(connection.pragma("user_version")) == len(MIGRATIONS):
        return
    with connection_transaction(connection):
        # Another process may have migrated while this one waited for the lock.
        for step in range(int(connection.pragma("user_version")), len(MIGRATIONS)):
            connection.execute(MIGRATIONS[step])
            connection.pragma("user_version", step + 1)
            connection.pragma("application_id", APPLICATION_ID)


class connection_transaction:  # noqa: N801  (reads as a statement: with connection_transaction(c))
    """BEGIN IMMEDIATE … COMMIT: takes the write lock at once, so that a wait is a wait and never a deadlock."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> None:
        self.connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is None:
            try:
                self.connection.execute("COMMIT")
            except apsw.Error:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        elif self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
