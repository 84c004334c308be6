"""What is running? The engine owns the store and the embedder and does each operation.

One method per operation of `operations`, keyword arguments being the fields of its request record.
Not here: how operations are reached (`interfaces`), how hits are ranked (`retrieval`).
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from recollect import requests
from recollect.config import Settings, load_settings
from recollect.embedding import open_embedder
from recollect.errors import EmbedderMismatch, InvalidRequest, UnknownName, UnsupportedPath, nearest
from recollect.indexing import Indexer
from recollect.indexing.prepare import ANALYSIS
from recollect.passages import read_passage
from recollect.retrieval import Scope, search
from recollect.sources import compile_globs, language_of
from recollect.sources.languages import KNOWN
from recollect.stores import CollectionRow, PathFilter, open_store
from recollect.stores.schema import MIGRATIONS
from recollect.types import (
    Collection,
    Document,
    IndexReport,
    Passage,
    Progress,
    Removed,
    SearchResponse,
    Status,
)

_SMALL_CHUNKS = 30_000
"""A process that asks once loads keyword arrays up to this size (0.1 s); above, FTS5 answers sooner."""
_PROJECT_MARKS = (".git", ".hg", "pyproject.toml", "package.json", "go.mod", "Cargo.toml", "pom.xml", "recollect.toml")


def open_engine(settings: Settings | Path | str | None = None, *, once: bool = False) -> Engine:
    """Open the engine on a database.

    Arguments: `settings`, or the path of the database, or None for the settings of file and environment;
    `once` says that the process asks a single question, so that nothing is loaded that only pays later.
    Raises StoreError when the database cannot be used, UnknownName for an unknown embedder.
    """
    if not isinstance(settings, Settings):
        settings = load_settings({} if settings is None else {"db": str(settings)}).settings
    return Engine(settings, once=once)


class Engine:
    """An open database with its embedder; use as a context manager or close it.

    `progress`, when set, is told of every step of indexing.
    """

    def __init__(self, settings: Settings, *, once: bool = False) -> None:
        self.settings = settings
        self.progress: Callable[[Progress], None] | None = None
        self._once = once
        self._embedder = open_embedder(settings.embedder)
        self._store = open_store(settings.db, busy_timeout_ms=settings.busy_timeout_ms)

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database. A closed engine cannot be used again."""
        self._store.close()

    def run(self, operation: str, request: Any) -> Any:
        """Run an operation by name with its request record; return its response record (`operations.run` checks names)."""
        return getattr(self, f"_{operation}")(requests.validate(request))

    # -- search

    def query(self, query: str, **fields: Any) -> SearchResponse:
        """Search by keywords and vectors together; `fields` are those of `requests.SearchRequest`."""
        return self._query(requests.build(requests.SearchRequest, {"query": query, **fields}))

    def search(self, query: str, **fields: Any) -> SearchResponse:
        """Search by keywords (BM25); `fields` are those of `requests.SearchRequest`."""
        return self._search(requests.build(requests.SearchRequest, {"query": query, **fields}))

    def vsearch(self, query: str, **fields: Any) -> SearchResponse:
        """Search by vectors; `fields` are those of `requests.SearchRequest`."""
        return self._vsearch(requests.build(requests.SearchRequest, {"query": query, **fields}))

    def _query(self, request: requests.SearchRequest) -> SearchResponse:
        return self._find(request, "query")

    def _search(self, request: requests.SearchRequest) -> SearchResponse:
        return self._find(request, "search")

    def _vsearch(self, request: requests.SearchRequest) -> SearchResponse:
        return self._find(request, "vsearch")

    def _find(self, request: requests.SearchRequest, mode: str) -> SearchResponse:
        wanted = _filter(request)
        rows = self._store.collections() if request.all else self._chosen(request.collections)
        if mode != "search":
            for row in rows:
                if row.fingerprint != self._embedder.fingerprint:
                    raise self._mismatch(row)
        scopes = [
            Scope(row, self._store.index(row, postings=not self._once or _small(row, self._store)), wanted)
            for row in rows
        ]
        degraded = [] if mode == "search" else [note for scope in scopes if (note := _missing_vectors(scope))]
        response = search(self._store, self._embedder, scopes, request, mode, degraded)
        if not response.hits and not re.search(r"\w", request.query):
            raise InvalidRequest("The query holds no words.", hint="Give at least one word or identifier to look for.")
        return response

    def _chosen(self, names: Sequence[str]) -> list[CollectionRow]:
        if names:
            return [self._store.collection(name) for name in dict.fromkeys(names)]
        here = self.collection_at(Path.cwd())
        if here is not None:
            return [self._store.collection(here)]
        known = self._store.collections()
        if len(known) == 1:
            return known
        listed = (
            f"Known: {', '.join(c.name for c in known[:10])}."
            if known
            else "Index a folder first: recollect index PATH."
        )
        raise UnknownName("No collection contains this folder.", hint=f"Name one with --collection, or use --all. {listed}"
                          if known else listed, code="unknown_collection")  # fmt: skip

    def _is_upgrade(self, row: CollectionRow) -> bool:
        """Whether only the built-in model's version differs: embedding again costs seconds and no one's money."""
        return row.embedder == self._embedder.name == "builtin"

    def _mismatch(self, row: CollectionRow) -> EmbedderMismatch:
        theirs = f"another version of {row.embedder}" if row.embedder == self._embedder.name else row.embedder
        return EmbedderMismatch(
            f'The collection "{row.name}" was embedded with {theirs}, but {self._embedder.name} is configured.',
            hint=f"Run: recollect embed --force {row.name}, or set the embedder back. Keyword search works: recollect search.",
        )

    # -- reading

    def get(self, target: str, collections: Sequence[str] = ()) -> Passage:
        """Read PATH, PATH:START, PATH:START-END or a hit's id.

        Raises UnknownName when nothing of that name is indexed, InvalidRequest for lines that do not exist.
        """
        return self._get(requests.build(requests.GetRequest, {"target": target, "collections": tuple(collections)}))

    def _get(self, request: requests.GetRequest) -> Passage:
        named = [self._store.collection(name) for name in request.collections]
        here = None if named else self.collection_at(Path.cwd())
        rows = named or self._store.collections()
        rows.sort(key=lambda row: row.name != here)
        return read_passage(self._store, rows, request.target, Path.cwd())

    def collections(self) -> tuple[Collection, ...]:
        """List the collections with their counts."""
        return self._collections(requests.CollectionsRequest())

    def _collections(self, _: requests.CollectionsRequest) -> tuple[Collection, ...]:
        return tuple(self._describe(row) for row in self._store.collections())

    def _describe(self, row: CollectionRow) -> Collection:
        documents, chunks, embedded = self._store.counts(row.id)
        return Collection(row.name, row.root, row.embedder, row.dimensions, documents, chunks, embedded, row.revision,
                          row.indexed_at, self._store.skipped(row.id), row.include, row.exclude)  # fmt: skip

    def status(self) -> Status:
        """Say what is stored where, with which embedder."""
        return self._status(requests.StatusRequest())

    def _status(self, _: requests.StatusRequest) -> Status:
        from recollect.version import __version__

        return Status(__version__, str(self.settings.db), self._store.size_bytes(), len(MIGRATIONS), self._embedder.name,
                      self._embedder.fingerprint, self.collections())  # fmt: skip

    def collection_at(self, folder: Path) -> str | None:
        """Return the collection whose root contains `folder`, the innermost one, or None."""
        resolved = folder.resolve()
        containing = [c for c in self._store.collections() if c.root and resolved.is_relative_to(c.root)]
        return max(containing, key=lambda c: len(c.root)).name if containing else None

    # -- writing

    def index(self, path: str | Path, name: str | None = None, *, progress: Callable[[Progress], None] | None = None,
              **fields: Any) -> IndexReport:  # fmt: skip
        """Index a folder; `fields` are those of `requests.IndexRequest` (drop, include, exclude, embed)."""
        if progress is not None:
            self.progress = progress
        return self._index(requests.build(requests.IndexRequest, {"path": str(path), "name": name, **fields}))

    def _index(self, request: requests.IndexRequest) -> IndexReport:
        root = Path(request.path).expanduser()
        if not root.exists():
            near = nearest(root.name, [p.name for p in root.parent.iterdir()]) if root.parent.is_dir() else ""
            raise UnsupportedPath(f"{root} does not exist.", hint=near or "Give the path of a folder.")
        if not root.is_dir():
            raise UnsupportedPath(
                f"{root} is a file, not a folder.", hint=f"Index its folder: recollect index {root.parent}"
            )
        compile_globs(request.include)
        compile_globs(request.exclude)
        row = self._collection_for(root.resolve(), request)
        if request.drop:
            self._store.clear(row)
            row = self._store.collection(row.name)
        return self._bring_up(row, embed=request.embed)

    def _bring_up(self, row: CollectionRow, *, embed: bool) -> IndexReport:
        if row.analysis != ANALYSIS:
            # Written by another version of chunking or terms: what is stored cannot be compared with what would be now.
            self._store.clear(row)
            self._store.configure(dataclasses.replace(row, analysis=ANALYSIS))
            row = self._store.collection(row.name)
        if row.fingerprint != self._embedder.fingerprint:
            if self._store.counts(row.id)[2] and not self._is_upgrade(row):
                raise self._mismatch(row)
            self._store.configure(self._stamped(row))
            row = self._store.collection(row.name)
        report = self._indexer().index(row, embed=embed)
        _, chunks, embedded = self._store.counts(row.id)
        if embed and embedded < chunks:
            later = self._indexer().embed(row, force=False)
            return dataclasses.replace(
                report, embedded=report.embedded + later.embedded, took_s=round(report.took_s + later.took_s, 3)
            )
        return report

    def _collection_for(self, root: Path, request: requests.IndexRequest) -> CollectionRow:
        known = {c.name: c for c in self._store.collections()}
        same_root = next((c for c in known.values() if c.root == str(root)), None)
        include, exclude = tuple(request.include), tuple(request.exclude)
        name = request.name or (same_root.name if same_root else _free_name(root, known))
        row = known.get(name)
        if row is None:
            made = CollectionRow(0, name, str(root), self._embedder.name, self._embedder.fingerprint, self._embedder.dimensions,
                                 include, exclude, ANALYSIS, 0, 0.0)  # fmt: skip
            return self._store.create(made)
        if row.root != str(root) and not request.drop:
            raise InvalidRequest(
                f'The collection "{name}" already holds {row.root or "in-memory documents"}.',
                hint=f"Choose another name, or replace it: recollect index {root} --name {name} --drop",
            )
        changed = dataclasses.replace(
            row, root=str(root), include=include or row.include, exclude=exclude or row.exclude
        )
        if changed != row:
            self._store.configure(changed)
        return self._store.collection(name)

    def add(self, documents: Iterable[Document | Mapping[str, Any]], name: str, *, embed: bool = True) -> IndexReport:
        """Add in-memory documents (records, or mappings with at least path and text) to the collection `name`.

        Each replaces the document at its path. Raises InvalidRequest for a document without path or text, or
        when the collection is a folder's.
        """
        if not name.strip():
            raise InvalidRequest("The name is empty.", hint="Give the collection a name.")
        records = [_document(d) for d in documents]
        row = next((c for c in self._store.collections() if c.name == name), None)
        if row is not None and row.root:
            raise InvalidRequest(
                f'The collection "{name}" belongs to the folder {row.root}.', hint="Choose another name."
            )
        if row is None:
            row = self._store.create(CollectionRow(0, name, "", self._embedder.name, self._embedder.fingerprint,
                                                   self._embedder.dimensions, (), (), ANALYSIS, 0, 0.0))  # fmt: skip
        elif row.fingerprint != self._embedder.fingerprint:
            raise self._mismatch(row)
        return self._indexer().add(row, records, embed=embed)

    def update(self, names: Sequence[str] = ()) -> tuple[IndexReport, ...]:
        """Index again what changed in the named collections, or in all."""
        return self._update(requests.UpdateRequest(tuple(names)))

    def _update(self, request: requests.UpdateRequest) -> tuple[IndexReport, ...]:
        rows = [self._store.collection(n) for n in request.names] or self._store.collections()
        # What was indexed without vectors stays so until `embed`.
        return tuple(self._bring_up(row, embed=self._has_vectors(row)) for row in rows if row.root)

    def _has_vectors(self, row: CollectionRow) -> bool:
        _, chunks, embedded = self._store.counts(row.id)
        return embedded > 0 or chunks == 0

    def embed(self, names: Sequence[str] = (), *, force: bool = False) -> tuple[IndexReport, ...]:
        """Make missing vectors, or all with `force` (then with the embedder that is configured now)."""
        return self._embed(requests.EmbedRequest(tuple(names), force))

    def _embed(self, request: requests.EmbedRequest) -> tuple[IndexReport, ...]:
        rows = [self._store.collection(n) for n in request.names] or self._store.collections()
        reports = []
        for row in rows:
            if row.fingerprint != self._embedder.fingerprint:
                if not request.force and self._store.counts(row.id)[2] and not self._is_upgrade(row):
                    raise self._mismatch(row)
                self._store.configure(self._stamped(row))
            reports.append(self._indexer().embed(self._store.collection(row.name), force=request.force))
        return tuple(reports)

    def remove(self, name: str) -> Removed:
        """Forget a collection; the folder itself is not touched."""
        return self._remove(requests.build(requests.RemoveRequest, {"name": name}))

    def _remove(self, request: requests.RemoveRequest) -> Removed:
        row = self._store.collection(request.name)
        documents, chunks = self._store.remove(row)
        return Removed(row.name, documents, chunks)

    def ensure_indexed(self, folder: Path) -> IndexReport:
        """Index the project that contains `folder`, or check it for changes when it is indexed already."""
        name = self.collection_at(folder)
        if name is not None:
            return self._bring_up(self._store.collection(name), embed=self._has_vectors(self._store.collection(name)))
        return self._index(requests.IndexRequest(str(_project(folder.resolve()))))

    def _indexer(self) -> Indexer:
        return Indexer(self._store, self._embedder, self.settings.workers or os.cpu_count() or 1, self.settings.max_file_bytes, self.settings.exclude,
                       self.progress or (lambda _: None))  # fmt: skip

    def _stamped(self, row: CollectionRow) -> CollectionRow:
        return dataclasses.replace(
            row,
            embedder=self._embedder.name,
            fingerprint=self._embedder.fingerprint,
            dimensions=self._embedder.dimensions,
        )


def _missing_vectors(scope: Scope) -> str:
    """Say how many chunks of a collection have no vectors; '' when all have."""
    name, index = scope.collection.name, scope.index
    if index.embedded_count >= index.live_count:
        return ""
    missing = f'{index.live_count - index.embedded_count} of {index.live_count} chunks of "{name}"'
    return f"{missing} have no vectors yet: run recollect embed {name}"


def _small(row: CollectionRow, store: Any) -> bool:
    return bool(store.counts(row.id)[1] <= _SMALL_CHUNKS)


def _filter(request: requests.SearchRequest) -> PathFilter | None:
    languages = {name.lower() for name in request.language}
    for name in languages - set(KNOWN):
        raise InvalidRequest(
            f'"{name}" is no language Recollect knows.',
            hint=nearest(name, KNOWN) or f"Known: {', '.join(sorted(KNOWN))}.",
        )
    if not (request.include or request.exclude or languages):
        return None
    included = compile_globs(request.include)
    excluded = compile_globs(request.exclude)

    def accepts(path: str, language: str) -> bool:
        if languages and language not in languages:
            return False
        return (not request.include or included(path)) and not (request.exclude and excluded(path))

    return PathFilter(repr((request.include, request.exclude, sorted(languages))), accepts)


def _document(given: Document | Mapping[str, Any]) -> Document:
    if isinstance(given, Mapping):
        known = {"path", "text", "language", "title", "metadata"}
        for name in given.keys() - known:
            raise InvalidRequest(
                f"A document has no field {name!r}.",
                hint=nearest(str(name), known) or f"Fields: {', '.join(sorted(known))}.",
            )
        if not isinstance(given.get("path"), str) or not isinstance(given.get("text"), str):
            raise InvalidRequest(
                "A document needs a path and a text.", hint='For example {"path": "notes/today.md", "text": "..."}.'
            )
        given = Document(**given)
    if not given.path.strip():
        raise InvalidRequest("A document has an empty path.", hint="Give each document a path of its own.")
    text = given.text.replace("\r\n", "\n").replace("\r", "\n")
    return dataclasses.replace(given, text=text, language=given.language or language_of(given.path, text[:1000]))


def _project(folder: Path) -> Path:
    """Return the project that `folder` stands in: the nearest folder above with a project's mark, or itself."""
    home = Path.home()
    for candidate in (folder, *folder.parents):
        if candidate == home or candidate == Path(candidate.anchor):
            break
        if any((candidate / mark).exists() for mark in _PROJECT_MARKS):
            return candidate
    return folder


def _free_name(root: Path, known: Mapping[str, CollectionRow]) -> str:
    base = root.name or "root"
    if base not in known:
        return base
    parent = f"{root.parent.name}-{base}" if root.parent.name else base
    return next(n for n in (parent, *(f"{base}-{i}" for i in range(2, 10_000))) if n not in known)
