"""The write path at work: list, read, prepare in workers, write in batches, one transaction each.

A batch that was written stays written, so an interrupted run is continued by the next one. Not here: what
counts as changed (`plan`), what a document's rows are (`prepare`).
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.indexing.files import Prepared, prepare_file
from recollect.indexing.plan import plan
from recollect.indexing.prepare import embed, prepare
from recollect.indexing.workers import in_processes
from recollect.sources import File, walk
from recollect.stores import CollectionRow, PreparedDocument
from recollect.types import Document, IndexReport, Progress, Skipped

if TYPE_CHECKING:
    from recollect.embedding import Embedder
    from recollect.stores.sqlite import SqliteStore

_BATCH_FILES = 100
_BATCH_CHUNKS = 2000
_TASK_FILES = 16
_WORKERS_FROM = 150
"""Fewer files than this are done before worker processes have started (about 0.3 s)."""


@dataclass(slots=True)
class _Tally:
    """What a run has done so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    embedded: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    touched: list[tuple[str, int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Indexer:
    """Writes to collections of one store.

    `embedder` makes the vectors; `workers` is the number of processes (1: none beside this one);
    `exclude` holds globs that no collection indexes;
    `progress` is told of every step.
    """

    store: SqliteStore
    embedder: Embedder
    workers: int
    max_file_bytes: int
    exclude: tuple[str, ...]
    progress: Callable[[Progress], None]

    def index(self, collection: CollectionRow, *, embed: bool) -> IndexReport:
        """Bring a folder's collection up to date.

        Raises UnsupportedPath when the folder is gone, StoreError and StoreBusy from the store.
        """
        began = time.perf_counter()
        self.progress(Progress(collection.name, "scan", 0, 0))
        listing = walk(
            Path(collection.root),
            include=collection.include,
            exclude=(*collection.exclude, *self.exclude),
            max_bytes=self.max_file_bytes,
        )
        stored = self.store.fingerprints(collection.id)
        todo = plan(listing.files, stored)
        tally = _Tally(unchanged=todo.unchanged, skipped=list(listing.skipped))
        if not (todo.read or todo.removed) and collection.indexed_at:
            return self._report(collection, tally, began)
        with self.store.writing(f"indexing {collection.root}"):
            known = {path: f.hash for path, f in stored.items()}
            gone = list(todo.removed)
            tally.removed = len(gone)
            results = self._prepared(todo.read, known, self.embedder if embed else None)
            for batch in self._batches(collection, results, len(todo.read), tally, known):
                self.store.write(collection, batch, gone)
                gone = []
            # A file that turned unreadable, binary or too large since is not what is stored any more.
            gone += [s.path for s in tally.skipped if s.path in stored]
            if gone:
                self.store.write(collection, (), gone)
            if tally.touched:
                self.store.touch(collection.id, tally.touched)
            self.store.finish(collection.id, tally.skipped, time.time())
        return self._report(collection, tally, began)

    def add(self, collection: CollectionRow, documents: Iterable[Document], *, embed: bool) -> IndexReport:
        """Add in-memory documents; each replaces the one at its path. Their text is kept in the store."""
        began = time.perf_counter()
        tally = _Tally()
        known = {path: f.hash for path, f in self.store.fingerprints(collection.id).items()}
        items = [d if d.hash else _with_hash(d) for d in documents]
        embedder = self.embedder if embed else None
        with self.store.writing(f"adding documents to {collection.name}"):
            results = (
                (d, prepare(d, embedder, keep_text=True)) if known.get(d.path) != d.hash else (d, d) for d in items
            )
            for batch in self._batches(collection, (r for _, r in results), len(items), tally, known):
                self.store.write(collection, batch)
            self.store.finish(collection.id, (), time.time())
        return self._report(collection, tally, began)

    def embed(self, collection: CollectionRow, *, force: bool) -> IndexReport:
        """Make the vectors that are missing, or all of them with `force`."""
        began = time.perf_counter()
        tally = _Tally()
        missing = self.store.missing_vectors(collection, all_documents=force)
        done = 0
        if missing:
            with self.store.writing(f"embedding {collection.name}"):
                for start in range(0, len(missing), _BATCH_FILES):
                    part = missing[start : start + _BATCH_FILES]
                    spans = [(document_id, self.store.span(first, n)) for document_id, first, n in part]
                    rows = [
                        (document_id, embed(self.embedder, [(c.context, c.text) for c in span]))
                        for document_id, span in spans
                        if span
                    ]
                    self.store.write_vectors(collection, rows)
                    tally.embedded += sum(len(span) for _, span in spans)
                    done += len(part)
                    self.progress(Progress(collection.name, "embed", done, len(missing)))
        return self._report(collection, tally, began)

    def _batches(
        self, collection: CollectionRow, results: Iterable[Prepared], total: int, tally: _Tally,
        known: dict[str, str],
    ) -> Iterator[list[PreparedDocument]]:  # fmt: skip
        """Group results into batches worth a transaction, counting what becomes of each."""
        batch: list[PreparedDocument] = []
        chunks = 0
        for done, result in enumerate(results, 1):
            if isinstance(result, Skipped):
                tally.skipped.append(result)
            elif isinstance(result, Document):
                tally.unchanged += 1
                tally.touched.append((result.path, result.size_bytes, result.mtime_ns))
            else:
                tally.changed += result.path in known
                tally.added += result.path not in known
                tally.chunks += len(result.chunks)
                tally.embedded += len(result.chunks) if result.vectors is not None else 0
                batch.append(result)
                chunks += len(result.chunks)
            if len(batch) >= _BATCH_FILES or chunks >= _BATCH_CHUNKS:
                yield batch
                batch, chunks = [], 0
            self.progress(Progress(collection.name, "index", done, total))
        if batch:
            yield batch

    def _prepared(self, files: Sequence[File], known: dict[str, str], embedder: Embedder | None) -> Iterator[Prepared]:
        if self.workers < 2 or len(files) < _WORKERS_FROM:
            for file in files:
                yield prepare_file(file, known.get(file.path), embedder)
            return
        tasks = [
            [(f, known.get(f.path)) for f in files[i : i + _TASK_FILES]] for i in range(0, len(files), _TASK_FILES)
        ]
        with contextlib.closing(in_processes(tasks, self.workers, embedder)) as results:
            for prepared in results:
                yield from prepared

    @staticmethod
    def _report(collection: CollectionRow, tally: _Tally, began: float) -> IndexReport:
        return IndexReport(
            collection=collection.name, root=collection.root, added=tally.added, changed=tally.changed, removed=tally.removed,
            unchanged=tally.unchanged, chunks=tally.chunks, embedded=tally.embedded, skipped=tuple(tally.skipped),
            took_s=round(time.perf_counter() - began, 3),
        )  # fmt: skip


def _with_hash(document: Document) -> Document:
    digest = hashlib.blake2b(
        f"{document.title}\0{document.text}".encode("utf-8", "surrogatepass"), digest_size=16
    ).hexdigest()
    return Document(document.path, document.text, document.language, document.title, digest,
                    len(document.text.encode("utf-8", "surrogatepass")), document.mtime_ns, document.metadata)  # fmt: skip
