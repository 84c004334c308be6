"""The records Recollect speaks in: one per idea, frozen, the same inside and on the wire.

Not here: requests (what a caller asks) and settings; anything that does work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that a chunk defines.

    `kind` is one of function, method, class, interface, struct, enum, trait, type, module, constant,
    variable, field, macro, test. Lines are 1-based and inclusive. `parent` is the chain of enclosing
    names joined by dots ("Outer.Inner"), empty at top level.
    """

    name: str
    kind: str
    start_line: int
    end_line: int
    parent: str = ""

    @property
    def qualified(self) -> str:
        """The name with its parents: "Outer.Inner.name"."""
        return f"{self.parent}.{self.name}" if self.parent else self.name


@dataclass(frozen=True, slots=True)
class Document:
    """One file (or in-memory text) with its identity.

    `path` is relative to the collection's root, with "/" separators, spelled as on disk. `hash` is the
    hex BLAKE2b-128 of the raw bytes. `mtime_ns` and `size_bytes` are 0 for in-memory documents.
    """

    path: str
    text: str
    language: str = ""
    title: str = ""
    hash: str = ""
    size_bytes: int = 0
    mtime_ns: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The smallest thing that can be found: whole lines of one document.

    `text` is exactly lines start_line..end_line (1-based, inclusive) of the document. `kind` says what
    they are (function, method, class, module, section, key, paragraph, lines ...). `title` is the symbol
    chain ("Class.method") or heading path ("Install > Linux"). `context` is the enrichment that is
    indexed and embedded together with the text but is not part of it.
    """

    start_line: int
    end_line: int
    text: str
    kind: str
    language: str
    title: str = ""
    context: str = ""
    symbols: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was left out, and why (one of the reasons in `sources`)."""

    path: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """A named source indexed with one embedder. Times are Unix seconds; `root` is empty for in-memory ones."""

    name: str
    root: str
    embedder: str
    dimensions: int
    documents: int
    chunks: int
    embedded: int
    revision: int
    indexed_at: float
    skipped: Mapping[str, int] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Every number behind a hit's score. Ranks start at 1; None means the list did not hold the chunk.

    `keyword_score` is raw BM25, `vector_score` the cosine, `rrf_score` the fused sum before signals,
    `signals` the factor or addition of each ranking signal, `final_score` the calibrated 0-1 score.
    """

    keyword_score: float | None
    keyword_rank: int | None
    vector_score: float | None
    vector_rank: int | None
    rrf_score: float
    signals: Mapping[str, float]
    final_score: float
    breakdown: str


@dataclass(frozen=True, slots=True)
class Hit:
    """What a search returns: a chunk, where it stands, and how good it is.

    `score` is calibrated to 0-1. `distance` is the cosine distance (0 same, 2 opposite), None when the
    chunk has no vector. `id` is short, stable while the chunk's text and place stay the same.
    """

    id: str
    collection: str
    path: str
    start_line: int
    end_line: int
    title: str
    kind: str
    language: str
    text: str
    score: float
    distance: float | None = None
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The answer to search, vsearch and query. `degraded` names what was not available, in words."""

    query: str
    hits: tuple[Hit, ...]
    degraded: tuple[str, ...]
    took_ms: float
    debug: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one indexing run did to one collection. `skipped` lists every file left out, with the reason."""

    collection: str
    root: str
    added: int
    changed: int
    removed: int
    unchanged: int
    chunks: int
    embedded: int
    skipped: tuple[Skipped, ...]
    took_s: float


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines read back from a collection: what `get` returns."""

    collection: str
    path: str
    start_line: int
    end_line: int
    total_lines: int
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """What is stored where. `leaves_machine` names every place text is sent to; empty means nowhere."""

    version: str
    database: str
    size_bytes: int
    schema: int
    embedder: str
    fingerprint: str
    collections: tuple[Collection, ...]
    leaves_machine: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """What `remove` forgot."""

    collection: str
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of an indexing run, for progress bars. `stage` is scan, index or embed."""

    collection: str
    stage: str
    done: int
    total: int
