"""The SQLite store: one file, one connection per thread, one transaction per batch of documents.

Not here: the tables (`schema`), the in-memory indexes for fast search (`derived`).
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apsw

from recollect.errors import RecollectError, StoreBusy, StoreError, UnknownName, nearest
from recollect.stores import schema
from recollect.stores.derived import CollectionIndex
from recollect.stores.records import ChunkRow, CollectionRow, Fingerprint, PreparedDocument, SymbolRow
from recollect.terms import analyse
from recollect.types import Skipped

_COLLECTION = "id, name, root, embedder, fingerprint, dimensions, include, exclude, analysis, revision, indexed_at"
_MAX_VARIABLES = 500
Result = TypeVar("Result")


class SqliteStore:
    """A database file. Use from any thread; close when done.

    Arguments: `path` of the file (its folder is made), `busy_timeout_ms` to wait for another writer.
    Raises StoreError when the file cannot be used.
    """

    def __init__(self, path: Path, *, busy_timeout_ms: int = 30_000) -> None:
        self.path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._lock = threading.Lock()
        self._indexes: dict[int, CollectionIndex] = {}
        self._threads: concurrent.futures.ThreadPoolExecutor | None = None
        with self._translated():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"Cannot make the folder {path.parent}: {error.strerror}.",
                                 hint="Choose another file with --db or RECOLLECT_DB.") from error  # fmt: skip
            schema.migrate(self._connection())

    # -- connections, transactions, errors

    def _connection(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = apsw.Connection(str(self.path))
            connection.set_busy_timeout(self._busy_timeout_ms)
            # Before anything that writes, even into the header: the file may be another program's.
            schema.check(connection, str(self.path))
            # WAL lets readers go on while one writes; NORMAL keeps the file consistent through kill -9.
            connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY")
            self._local.connection = connection
            with self._lock:
                self._connections.append(connection)
        return connection

    def close(self) -> None:
        """Close every connection; a last checkpoint folds the write-ahead log into the file."""
        with self._lock:
            connections, self._connections = self._connections, []
            threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown()
        for connection in connections:
            connection.close()
        self._local = threading.local()
        self._indexes.clear()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (apsw.NotADBError, apsw.CorruptError) as error:
            raise StoreError(f"{self.path} is damaged or no database ({error}).",
                             hint="Move it away and index again, or choose another file with --db.",
                             code="corrupt_database") from error  # fmt: skip
        except (apsw.BusyError, apsw.LockedError) as error:
            raise StoreBusy(f"The database {self.path} is being written by {self._holder()}.",
                            hint="Wait for it to finish, or raise busy_timeout_ms.") from error  # fmt: skip
        except apsw.FullError as error:
            raise StoreError(f"No room left to write {self.path}.", hint="Free disk space and run the command again; nothing is lost.",
                             code="disk_full") from error  # fmt: skip
        except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, apsw.IOError) as error:
            raise StoreError(f"Cannot use the database {self.path} ({error}).",
                             hint="Check that the folder exists and is writable, or choose another file with --db.") from error  # fmt: skip
        except apsw.Error as error:
            raise StoreError(f"The database {self.path} refused a statement ({error}).",
                             hint="Please report this with the command you ran.") from error  # fmt: skip

    def _holder(self) -> str:
        try:
            row = self._connection().execute("SELECT pid, host, task, since FROM writer").fetchone()
        except apsw.Error:
            row = None
        if not row:
            return "another process"
        since = time.strftime("%H:%M:%S", time.localtime(row[3]))
        return f"process {row[0]} on {row[1]} ({row[2]}, since {since})"

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._translated():
            return list(self._connection().execute(sql, values))

    def _one(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        rows = self._all(sql, values)
        return rows[0] if rows else None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        connection = self._connection()
        with self._translated(), schema.connection_transaction(connection):
            yield connection

    @contextlib.contextmanager
    def writing(self, task: str) -> Iterator[None]:
        """Leave a note of who writes while the block runs, for those who have to wait."""
        note = (os.getpid(), socket.gethostname(), task, time.time())
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO writer VALUES (1, ?, ?, ?, ?)", note)
        try:
            yield
        finally:
            # A note that stays behind misleads nobody for long; an error here must not hide the block's own.
            with contextlib.suppress(RecollectError), self._transaction() as connection:
                connection.execute("DELETE FROM writer WHERE pid = ? AND host = ?", note[:2])

    # -- collections

    def collections(self) -> list[CollectionRow]:
        """Return every collection, by name."""
        return [_collection(row) for row in self._all(f"SELECT {_COLLECTION} FROM collections ORDER BY name")]

    def collection(self, name: str) -> CollectionRow:
        """Return the collection called `name`; raises UnknownName with the nearest one."""
        row = self._one(f"SELECT {_COLLECTION} FROM collections WHERE name = ?", (name,))
        if row is None:
            names = [c.name for c in self.collections()]
            listed = f"Known: {', '.join(names[:10])}." if names else "Nothing is indexed yet: recollect index PATH."
            raise UnknownName(
                f'There is no collection "{name}".', hint=nearest(name, names) or listed, code="unknown_collection"
            )
        return _collection(row)

    def create(self, row: CollectionRow) -> CollectionRow:
        """Add a collection (`row.id` is ignored) with its keyword index; return it with its id.

        When another process has just made one of the same name, that one is returned.
        """
        values = (row.name, row.root, row.embedder, row.fingerprint, row.dimensions,
                  json.dumps(row.include), json.dumps(row.exclude), row.analysis)  # fmt: skip
        with self._transaction() as connection:
            made = connection.execute(
                "INSERT INTO collections(name, root, embedder, fingerprint, dimensions, include, exclude, analysis) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO NOTHING RETURNING id", values
            ).fetchone()  # fmt: skip
            if made:
                schema.create_lexical(connection, int(made[0]))
        return self.collection(row.name)

    def configure(self, row: CollectionRow) -> None:
        """Store the root, embedder, globs and analysis of an existing collection."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE collections SET root = ?, embedder = ?, fingerprint = ?, dimensions = ?, include = ?, exclude = ?, "
                "analysis = ?, revision = revision + 1 WHERE id = ?",
                (row.root, row.embedder, row.fingerprint, row.dimensions, json.dumps(row.include),
                 json.dumps(row.exclude), row.analysis, row.id),
            )  # fmt: skip

    def remove(self, collection: CollectionRow) -> tuple[int, int]:
        """Forget a collection with all it holds; return the numbers of documents and chunks forgotten."""
        counts = self.counts(collection.id)
        with self._transaction() as connection:
            self._clear(connection, collection.id)
            connection.execute(f"DROP TABLE IF EXISTS {schema.lexical_table(collection.id)}")
            connection.execute("DELETE FROM collections WHERE id = ?", (collection.id,))
        self._indexes.pop(collection.id, None)
        return counts[0], counts[1]

    def clear(self, collection: CollectionRow) -> None:
        """Forget what a collection holds, but not the collection."""
        with self._transaction() as connection:
            self._clear(connection, collection.id)
            connection.execute(f"DROP TABLE IF EXISTS {schema.lexical_table(collection.id)}")
            schema.create_lexical(connection, collection.id)
            connection.execute(
                "UPDATE collections SET revision = revision + 1, indexed_at = 0 WHERE id = ?", (collection.id,)
            )

    @staticmethod
    def _clear(connection: apsw.Connection, collection_id: int) -> None:
        inside = "(SELECT id FROM documents WHERE collection_id = ?)"
        for table in ("postings", "vectors", "sources"):
            connection.execute(f"DELETE FROM {table} WHERE document_id IN {inside}", (collection_id,))
        connection.execute("DELETE FROM symbols WHERE collection_id = ?", (collection_id,))
        spans = list(
            connection.execute("SELECT first_chunk, chunks FROM documents WHERE collection_id = ?", (collection_id,))
        )
        connection.executemany(
            "DELETE FROM chunks WHERE id >= ? AND id < ?", ((first, first + n) for first, n in spans)
        )
        connection.execute("DELETE FROM documents WHERE collection_id = ?", (collection_id,))
        connection.execute("DELETE FROM skipped WHERE collection_id = ?", (collection_id,))

    def counts(self, collection_id: int) -> tuple[int, int, int]:
        """Return the numbers of documents, chunks and chunks with vectors of the collection's embedder."""
        row = self._one(
            "SELECT count(*), coalesce(sum(chunks), 0), coalesce(sum(chunks) FILTER (WHERE v.fingerprint = c.fingerprint), 0) "
            "FROM documents d JOIN collections c ON c.id = d.collection_id LEFT JOIN vectors v ON v.document_id = d.id "
            "WHERE d.collection_id = ?",
            (collection_id,),
        )
        assert row is not None
        return int(row[0]), int(row[1]), int(row[2])

    # -- writing documents

    def fingerprints(self, collection_id: int) -> dict[str, Fingerprint]:
        """Return what is stored of each document, by path."""
        sql = "SELECT path, id, size_bytes, mtime_ns, hash FROM documents WHERE collection_id = ?"
        return {str(row[0]): Fingerprint(*row[1:]) for row in self._all(sql, (collection_id,))}

    def write(
        self, collection: CollectionRow, documents: Sequence[PreparedDocument], removed: Iterable[str] = ()
    ) -> None:
        """Write a batch in one transaction: each document replaces the one at its path, `removed` paths go."""
        with self._transaction() as connection:
            for path in removed:
                self._delete(connection, collection.id, path)
            for document in documents:
                self._delete(connection, collection.id, document.path)
                self._insert(connection, collection, document)
            connection.execute("UPDATE collections SET revision = revision + 1 WHERE id = ?", (collection.id,))

    @staticmethod
    def _delete(connection: apsw.Connection, collection_id: int, path: str) -> None:
        found = connection.execute(
            "DELETE FROM documents WHERE collection_id = ? AND path = ? RETURNING id, first_chunk, chunks",
            (collection_id, path),
        ).fetchone()
        if found is None:
            return
        document_id, first, n = found
        span = (first, first + n)
        connection.execute(f"DELETE FROM {schema.lexical_table(collection_id)} WHERE rowid >= ? AND rowid < ?", span)
        connection.execute("DELETE FROM symbols WHERE chunk_id >= ? AND chunk_id < ?", span)
        connection.execute("DELETE FROM chunks WHERE id >= ? AND id < ?", span)
        for table in ("postings", "vectors", "sources"):
            connection.execute(f"DELETE FROM {table} WHERE document_id = ?", (document_id,))

    @staticmethod
    def _insert(connection: apsw.Connection, collection: CollectionRow, document: PreparedDocument) -> None:
        first = (connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").get or 0) + 1
        rows = [(first + i, key, c.start_line, c.end_line, c.kind, c.title, c.context, c.text)
                for i, (key, c) in enumerate(zip(document.keys, document.chunks, strict=True))]  # fmt: skip
        connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        document_id = connection.execute(
            "INSERT INTO documents(collection_id, path, title, language, hash, size_bytes, mtime_ns, lines, metadata, "
            "first_chunk, chunks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (collection.id, document.path, document.title, document.language, document.hash, document.size_bytes,
             document.mtime_ns, document.lines, document.metadata, first, len(rows)),
        ).get  # fmt: skip
        connection.executemany(
            f"INSERT INTO {schema.lexical_table(collection.id)}(rowid, path, title, body) VALUES (?, ?, ?, ?)",
            ((first + i, *columns) for i, columns in enumerate(document.lexical)),
        )
        connection.executemany(
            "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((collection.id, fold(s.name), s.name, s.kind, s.parent, s.start_line, s.end_line, first + i)
             for i, c in enumerate(document.chunks) for s in c.symbols),
        )  # fmt: skip
        connection.execute("INSERT INTO postings VALUES (?, ?)", (document_id, document.postings))
        if document.vectors is not None:
            connection.execute(
                "INSERT INTO vectors VALUES (?, ?, ?)", (document_id, collection.fingerprint, document.vectors)
            )
        if document.source is not None:
            connection.execute("INSERT INTO sources VALUES (?, ?)", (document_id, document.source))

    def touch(self, collection_id: int, stats: Iterable[tuple[str, int, int]]) -> None:
        """Store (path, size, mtime) of documents whose content turned out the same."""
        with self._transaction() as connection:
            connection.executemany("UPDATE documents SET size_bytes = ?2, mtime_ns = ?3 WHERE collection_id = ?4 AND path = ?1",
                                   ((*s, collection_id) for s in stats))  # fmt: skip

    def finish(self, collection_id: int, skipped: Sequence[Skipped], now: float) -> None:
        """Record the end of an indexing run and which files it left out."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM skipped WHERE collection_id = ?", (collection_id,))
            connection.executemany("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?)",
                                   ((collection_id, s.path, s.reason, s.detail) for s in skipped))  # fmt: skip
            connection.execute("UPDATE collections SET indexed_at = ? WHERE id = ?", (now, collection_id))

    def write_vectors(self, collection: CollectionRow, rows: Sequence[tuple[int, bytes]]) -> None:
        """Store the vectors of documents (document id, float16 rows of its chunks); ids that are gone are passed over."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM documents WHERE id = ?1)",
                ((document_id, collection.fingerprint, data) for document_id, data in rows),
            )
            connection.execute("UPDATE collections SET revision = revision + 1 WHERE id = ?", (collection.id,))

    # -- reading

    def skipped(self, collection_id: int) -> dict[str, int]:
        """Return how many files the last run left out, by reason."""
        rows = self._all(
            "SELECT reason, count(*) FROM skipped WHERE collection_id = ? GROUP BY reason ORDER BY reason",
            (collection_id,),
        )
        return {str(reason): int(n) for reason, n in rows}

    def missing_vectors(self, collection: CollectionRow, *, all_documents: bool = False) -> list[tuple[int, int, int]]:
        """Return (document id, first chunk, chunks) of documents without vectors of the collection's embedder."""
        having = "" if all_documents else "AND (v.document_id IS NULL OR v.fingerprint != c.fingerprint)"
        return [
            (int(a), int(b), int(n))
            for a, b, n in self._all(
                "SELECT d.id, d.first_chunk, d.chunks FROM documents d JOIN collections c ON c.id = d.collection_id "
                f"LEFT JOIN vectors v ON v.document_id = d.id WHERE d.collection_id = ? AND d.chunks > 0 {having} ORDER BY d.id",
                (collection.id,),
            )
        ]

    def span(self, first: int, count: int) -> list[ChunkRow]:
        """Return the consecutive chunks of a document, in order."""
        rows = self._all("SELECT id, key, start_line, end_line, kind, title, context, text FROM chunks WHERE id >= ? AND id < ? ORDER BY id",
                         (first, first + count))  # fmt: skip
        return [ChunkRow(*row) for row in rows]

    def chunks(self, ids: Sequence[int]) -> dict[int, ChunkRow]:
        """Return the chunks of these ids that (still) exist."""
        found: dict[int, ChunkRow] = {}
        for start in range(0, len(ids), _MAX_VARIABLES):
            part = ids[start : start + _MAX_VARIABLES]
            marks = ",".join("?" * len(part))
            for row in self._all(
                f"SELECT id, key, start_line, end_line, kind, title, context, text FROM chunks WHERE id IN ({marks})",
                part,
            ):
                found[row[0]] = ChunkRow(*row)
        return found

    def definitions(self, collection_id: int, names: Iterable[str], most: int) -> list[tuple[str, SymbolRow]]:
        """Return (folded name, definition) of every symbol called like one of `names`, however it is written.

        Names with more than `most` definitions are left out: "get" or "init" tell nothing apart.
        """
        sql = (
            "SELECT name, kind, parent, start_line, end_line, chunk_id FROM symbols "
            f"WHERE collection_id = ? AND folded = ? LIMIT {most + 1}"
        )
        found: list[tuple[str, SymbolRow]] = []
        for name in names:
            rows = self._all(sql, (collection_id, name))
            if len(rows) <= most:
                found += [(name, SymbolRow(*row)) for row in rows]
        return found

    def find_documents(self, collection_id: int, path: str) -> list[tuple[int, str, int, str, bytes | None]]:
        """Return (id, path, lines, language, source) of the documents whose path is `path` or ends with /`path`."""
        rows = self._all(
            "SELECT d.id, d.path, d.lines, d.language, s.text FROM documents d LEFT JOIN sources s ON s.document_id = d.id "
            "WHERE collection_id = ?1 AND (path = ?2 OR substr(path, -length(?2) - 1) = '/' || ?2) ORDER BY path != ?2, path",
            (collection_id, path),
        )  # fmt: skip
        return [(int(r[0]), str(r[1]), int(r[2]), str(r[3]), r[4]) for r in rows]

    def paths(self, collection_id: int) -> list[str]:
        """Return the path of every document."""
        return [
            str(row[0])
            for row in self._all("SELECT path FROM documents WHERE collection_id = ? ORDER BY path", (collection_id,))
        ]

    def find_chunks(self, key: str) -> list[tuple[str, str, ChunkRow]]:
        """Return (collection, path, chunk) for every chunk whose key begins with `key`."""
        rows = self._all(
            "SELECT c.name, d.path, k.id, k.key, k.start_line, k.end_line, k.kind, k.title, k.context, k.text FROM chunks k "
            "JOIN documents d ON k.id >= d.first_chunk AND k.id < d.first_chunk + d.chunks "
            "JOIN collections c ON c.id = d.collection_id WHERE k.key >= ?1 AND k.key < ?1 || 'g' ORDER BY c.name, d.path LIMIT 20",
            (key,),
        )  # fmt: skip
        return [(str(r[0]), str(r[1]), ChunkRow(*r[2:])) for r in rows]

    def phrase_chunks(self, collection_id: int, terms: Sequence[str], *, column: str = "") -> list[int]:
        """Return the ids of the chunks that hold `terms` in this order, in one of their columns or in `column`."""
        phrase = " ".join(terms).replace('"', '""')
        table = schema.lexical_table(collection_id)
        match = f'{column}: "{phrase}"' if column else f'"{phrase}"'
        return [int(r[0]) for r in self._all(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (match,))]

    def term_rows(self, collection_id: int, term: str, weights: tuple[float, float, float]) -> list[tuple[int, float]]:
        """Return (chunk id, FTS5's own bm25) of every chunk that holds `term`, columns weighted path, title, body."""
        table = schema.lexical_table(collection_id)
        sql = f"SELECT rowid, bm25({table}, ?, ?, ?) FROM {table} WHERE {table} MATCH ?"
        quoted = term.replace('"', '""')
        return [(int(r[0]), float(r[1])) for r in self._all(sql, (*weights, f'"{quoted}"'))]

    def index(self, collection: CollectionRow, *, postings: bool = True) -> CollectionIndex:
        """Return the collection's in-memory index, brought up to date with the file.

        With `postings` False keyword lists come from FTS5 instead: cheaper for a process that asks once.
        """
        with self._lock:
            current = self._indexes.get(collection.id)
        row = self._one("SELECT revision FROM collections WHERE id = ?", (collection.id,))
        if row is None:
            return CollectionIndex.empty(collection)
        if (
            current is None
            or current.revision != row[0]
            or current.fingerprint != collection.fingerprint
            or (postings and not current.postings)
        ):
            with self._translated():
                connection = self._connection()
                # One snapshot: a writer may commit between two statements.
                connection.execute("BEGIN")
                try:
                    current = CollectionIndex.load(connection, collection, current, postings=postings)
                finally:
                    connection.execute("COMMIT")
            with self._lock:
                self._indexes[collection.id] = current
        return current

    def beside(self, work: Callable[..., Result], *values: Any) -> concurrent.futures.Future[Result]:
        """Start `work(*values)` in a thread of the store's; for array work that lets other threads run."""
        with self._lock:
            if self._threads is None:
                self._threads = concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="recollect-scan")
            return self._threads.submit(work, *values)

    def size_bytes(self) -> int:
        """Return the size of the database with its write-ahead log."""
        return sum(p.stat().st_size for p in (self.path, self.path.with_name(self.path.name + "-wal")) if p.exists())


def fold(name: str) -> str:
    """Return a symbol's name as a query is matched with it: lower case, without separators."""
    terms = analyse(name)
    compound = "".join(c for c in name if c.isalnum()).casefold()
    return compound or (terms[0] if terms else name)


def _collection(row: Sequence[Any]) -> CollectionRow:
    values = list(row)
    values[6], values[7] = tuple(json.loads(values[6])), tuple(json.loads(values[7]))
    return CollectionRow(*values)
