"""Reading lines back: PATH, PATH:START-END or a hit's id to the text it names.

Not here: searching.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest, StateError, UnknownName, UnsupportedPath, nearest
from recollect.indexing.prepare import count_lines
from recollect.sources import File, read
from recollect.stores import CollectionRow
from recollect.types import Passage, Skipped

if TYPE_CHECKING:
    from recollect.stores.sqlite import SqliteStore

_RANGE = re.compile(r"^(.*?):(\d+)(?:-(\d*))?$", re.DOTALL)
_KEY = re.compile(r"^#?([0-9a-f]{4,12})$")


def read_passage(store: SqliteStore, collections: Sequence[CollectionRow], target: str, folder: Path) -> Passage:
    """Read what `target` names in the first of `collections` that has it; paths may be relative to `folder`.

    Raises UnknownName (with the nearest path), InvalidRequest for lines that do not exist or a name that fits
    several, UnsupportedPath for a file that cannot be read any more.
    """
    match = _RANGE.match(target)
    whole = _find(store, collections, target, folder)
    if whole is not None:
        return _lines(*whole, 1, None)
    if match and match[1]:
        found = _find(store, collections, match[1], folder)
        if found is not None:
            start = int(match[2])
            # "12" is one line, "12-" runs to the end.
            end = start if match[3] is None else int(match[3]) if match[3] else None
            return _lines(*found, start, end)
    if key := _KEY.match(target):
        by_key = _by_key(store, collections, key[1])
        if by_key is not None:
            return by_key
    path = match[1] if match and match[1] else target
    known = [p for c in collections for p in store.paths(c.id)]
    raise UnknownName(f'Nothing indexed is called "{path}".', hint=nearest(path, known) or "See what is indexed: recollect collections.",
                      code="unknown_document")  # fmt: skip


_Found = tuple[CollectionRow, str, str, str]


def _find(store: SqliteStore, collections: Sequence[CollectionRow], path: str, folder: Path) -> _Found | None:
    """Return (collection, path, language, text) of the document a path names."""
    for collection in collections:
        names = [path.removeprefix("./")]
        if collection.root:
            absolute = (folder / path).resolve()
            if absolute.is_relative_to(collection.root):
                names.insert(0, absolute.relative_to(collection.root).as_posix())
        for name in dict.fromkeys(n for n in names if n):
            found = store.find_documents(collection.id, name)
            if len(found) > 1 and found[0][1] != name:
                options = ", ".join(f[1] for f in found[:5])
                raise InvalidRequest(
                    f'"{path}" fits {len(found)} documents of "{collection.name}".', hint=f"Say which: {options}."
                )
            if found:
                _, stored, _, language, source = found[0]
                text = (
                    zlib.decompress(source).decode("utf-8", "surrogatepass")
                    if source is not None
                    else _from_disk(collection, stored)
                )
                return collection, stored, language, text
    return None


def _from_disk(collection: CollectionRow, path: str) -> str:
    absolute = Path(collection.root) / path
    try:
        stat = absolute.stat()
    except OSError as error:
        raise UnsupportedPath(f"{absolute} cannot be read any more ({error.strerror}).",
                              hint=f"Bring the collection up to date: recollect update {collection.name}") from error  # fmt: skip
    document = read(File(path, absolute, stat.st_size, stat.st_mtime_ns))
    if isinstance(document, Skipped):
        raise UnsupportedPath(f"{absolute} cannot be read any more ({document.reason}).",
                              hint=f"Bring the collection up to date: recollect update {collection.name}")  # fmt: skip
    return document.text


def _lines(collection: CollectionRow, path: str, language: str, text: str, start: int, end: int | None) -> Passage:
    total = count_lines(text)
    last = total if end is None else end
    if start < 1 or last < start or (start > total and total) or (total == 0 and start > 1):
        raise InvalidRequest(
            f"{path} has {total} lines; {start}-{last} is no range of them.",
            hint=f"Ask for lines between 1 and {total}.",
        )
    last = min(last, total)
    chosen = "\n".join(text.split("\n")[start - 1 : last])
    return Passage(collection.name, path, start, last, total, language, chosen)


def _by_key(store: SqliteStore, collections: Sequence[CollectionRow], key: str) -> Passage | None:
    named = {c.name: c for c in collections}
    found = [f for f in store.find_chunks(key) if f[0] in named]
    if not found:
        return None
    if len({(f[2].key, f[0]) for f in found}) > 1:
        options = ", ".join(f"#{f[2].key} ({f[1]}:{f[2].start_line})" for f in found[:5])
        raise InvalidRequest(f'"{key}" fits {len(found)} hits.', hint=f"Say which: {options}.")
    name, path, chunk = found[0]
    documents = store.find_documents(named[name].id, path)
    if not documents:
        raise StateError(f"{path} was removed while it was read.", hint="Run the command again.")
    return Passage(name, path, chunk.start_line, chunk.end_line, documents[0][2], documents[0][3], chunk.text)
