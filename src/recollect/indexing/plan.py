"""What has to be read again: the listing of a folder against what is stored. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.sources import File
from recollect.stores import Fingerprint


@dataclass(frozen=True, slots=True)
class Plan:
    """`read`: files that are new or look changed; `removed`: stored paths that are gone; `unchanged`: a count."""

    read: tuple[File, ...]
    removed: tuple[str, ...]
    unchanged: int


def plan(files: Sequence[File], stored: Mapping[str, Fingerprint]) -> Plan:
    """Compare by size and modification time; content decides later, for those that look changed."""
    read = [
        file
        for file in files
        if (known := stored.get(file.path)) is None
        or known.size_bytes != file.size_bytes
        or known.mtime_ns != file.mtime_ns
    ]
    removed = sorted(stored.keys() - {file.path for file in files})
    return Plan(tuple(read), tuple(removed), len(files) - len(read))
