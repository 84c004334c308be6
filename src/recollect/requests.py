"""What a caller can ask: one flat frozen record per operation, each field described and bounded.

Interfaces derive their arguments and schemas from these records; `validate` holds every door to the
same limits. Nothing heavy may be imported here: `recollect --help` reads it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import typing
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_doc import Doc
from annotated_types import Ge, Le, MaxLen, MinLen

from recollect.errors import InvalidRequest, nearest

MAX_QUERY_CHARS = 200_000
"""Longer queries are refused: nobody types them, and a pasted file is better indexed than asked."""

Query = Annotated[str, Doc("What to look for: words, a question, an identifier; quotes and -term are strict."),
                  MinLen(1), MaxLen(MAX_QUERY_CHARS)]  # fmt: skip
Names = Annotated[tuple[str, ...], Doc("Collections to look in; default: the one that contains the working folder.")]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Find chunks. One record serves search (keywords), vsearch (vectors) and query (both, fused)."""

    query: Query
    collections: Names = ()
    all: Annotated[bool, Doc("Look in every collection.")] = False
    limit: Annotated[int, Doc("How many hits to return."), Ge(1), Le(1000)] = 10
    include: Annotated[tuple[str, ...], Doc("Only paths that match one of these globs.")] = ()
    exclude: Annotated[tuple[str, ...], Doc("No paths that match one of these globs.")] = ()
    language: Annotated[tuple[str, ...], Doc("Only these languages (python, rust, markdown ...).")] = ()
    min_score: Annotated[float, Doc("Drop hits whose 0-1 score is lower."), Ge(0.0), Le(1.0)] = 0.0
    max_distance: Annotated[
        float | None, Doc("Drop hits whose cosine distance is larger (0 same, 2 opposite), and those without a vector."),
        Ge(0.0), Le(2.0),
    ] = None  # fmt: skip
    explain: Annotated[bool, Doc("Say how each score came about, and how long each stage took.")] = False


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """Index a folder into a collection; only what changed is read again."""

    path: Annotated[str, Doc("The folder to index.")]
    name: Annotated[str | None, Doc("The collection's name; default: the folder's own."), MinLen(1), MaxLen(200)] = None
    drop: Annotated[bool, Doc("Forget what the collection held and index from scratch.")] = False
    include: Annotated[tuple[str, ...], Doc("Only files that match one of these globs.")] = ()
    exclude: Annotated[tuple[str, ...], Doc("No files that match one of these globs.")] = ()
    embed: Annotated[bool, Doc("Make vectors too; without, `recollect embed` makes them later.")] = True


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """Index again what changed, in the named collections or in all of them."""

    names: Annotated[tuple[str, ...], Doc("Collections to update; default: all.")] = ()


@dataclass(frozen=True, slots=True)
class EmbedRequest:
    """Make the vectors that are missing."""

    names: Annotated[tuple[str, ...], Doc("Collections to embed; default: all.")] = ()
    force: Annotated[bool, Doc("Make every vector again, with the embedder configured now.")] = False


@dataclass(frozen=True, slots=True)
class GetRequest:
    """Read lines of an indexed document."""

    target: Annotated[
        str, Doc("PATH, PATH:START or PATH:START-END (1-based lines), or a hit's id (#1a2b3c...)."), MinLen(1)
    ]
    collections: Names = ()


@dataclass(frozen=True, slots=True)
class CollectionsRequest:
    """List the collections."""


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """Say what is stored where, with which embedder."""


@dataclass(frozen=True, slots=True)
class RemoveRequest:
    """Forget a collection: its documents, chunks and vectors. The folder itself is not touched."""

    name: Annotated[str, Doc("The collection to forget."), MinLen(1)]


def build(record: type[Any], values: dict[str, Any]) -> Any:
    """Make a request of `record` from `values` and validate it.

    Raises InvalidRequest for unknown fields (with the nearest right name), missing fields and values
    out of bounds.
    """
    known = {field.name: field for field in dataclasses.fields(record)}
    for name in values:
        if name not in known:
            raise InvalidRequest(f"{record.__name__} has no field {name!r}.",
                                 hint=nearest(name, known) or f"Fields: {', '.join(known)}.")  # fmt: skip
    required = [n for n, f in known.items() if f.default is dataclasses.MISSING and n not in values]
    if required:
        raise InvalidRequest(f"{', '.join(required)} missing.", hint=f"Fields: {', '.join(known)}.")
    return validate(record(**values))


def validate(request: Any) -> Any:
    """Check every field of a request against its bounds; return the request.

    Raises InvalidRequest naming the field, the value and the bound.
    """
    for name, hint in _hints(type(request)).items():  # type: ignore[arg-type]  # mypy holds classes unhashable
        value = getattr(request, name)
        if value is None:
            continue
        for bound in getattr(hint, "__metadata__", ()):
            _check(name, value, bound)
    query = getattr(request, "query", None)
    if isinstance(query, str) and not query.strip():
        raise InvalidRequest(
            "The query is empty.", hint='Say what to look for, for example: recollect query "retry delay".'
        )
    return request


@functools.cache
def _hints(record: Hashable) -> dict[str, Any]:
    return typing.get_type_hints(record, include_extras=True)


def _check(name: str, value: Any, bound: object) -> None:
    label = name.replace("_", "-")
    if isinstance(bound, Ge | Le) and (
        isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value)
    ):
        raise InvalidRequest(f"{label} must be a number, not {value!r}.", hint=f"Give {label} as a number.")
    if isinstance(bound, Ge) and value < bound.ge:
        raise InvalidRequest(
            f"{label} is {value}, but must be at least {bound.ge}.", hint=f"Give a {label} of {bound.ge} or more."
        )
    if isinstance(bound, Le) and value > bound.le:
        raise InvalidRequest(
            f"{label} is {value}, but must be at most {bound.le}.", hint=f"Give a {label} of {bound.le} or less."
        )
    if isinstance(bound, MinLen) and len(value) < bound.min_length:
        raise InvalidRequest(f"The {label} is empty.", hint=f"Give a {label}.")
    if isinstance(bound, MaxLen) and len(value) > bound.max_length:
        raise InvalidRequest(f"The {label} has {len(value):,} characters, the limit is {bound.max_length:,}.",
                             hint=f"Shorten the {label}.")  # fmt: skip
