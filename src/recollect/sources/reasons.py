"""Why a file was left out: the only values of `Skipped.reason` that this folder writes.

Not here: files that ignore rules or globs exclude. Those were asked to be left out and are not reported.
"""

from __future__ import annotations

BINARY = "binary"
"""A known binary extension, NUL bytes, or mostly control characters."""

TOO_LARGE = "too large"
"""Larger than the limit in bytes."""

UNREADABLE = "unreadable"
"""Permission denied, gone since it was listed, or changed while it was being read."""

NOT_TEXT = "not text"
"""No BOM, not UTF-8, and not plausible as a single-byte Western encoding either."""

BAD_NAME = "name is not UTF-8"
"""The file's name cannot be written as text; `Skipped.path` shows the odd bytes as \\xNN."""

OUTSIDE_ROOT = "outside root"
"""A symbolic link whose target is not below the root."""

BROKEN_LINK = "broken link"
"""A symbolic link to nothing, or to itself."""

SPECIAL_FILE = "special file"
"""A pipe, socket or device. Pipes and sockets that git does not track are never listed by git."""

MINIFIED = "minified"
"""Code or data in giant lines: nothing in it can be cited by line."""

ALL = frozenset(
    {
        BINARY,
        TOO_LARGE,
        UNREADABLE,
        NOT_TEXT,
        BAD_NAME,
        OUTSIDE_ROOT,
        BROKEN_LINK,
        SPECIAL_FILE,
        MINIFIED,
    }
)
