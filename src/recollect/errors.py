"""Every way Recollect fails: one tree, a stable `code`, and a `hint` that says what to do next.

    RecollectError
    ├── UsageError            the request is wrong            exit status 2
    │   ├── InvalidRequest    a value is out of bounds or malformed
    │   ├── UnknownName       no such collection, document, hit or setting
    │   └── UnsupportedPath   missing, not a folder, outside the root
    └── StateError            the request is right, the world is not   exit status 1
        ├── StoreError        corrupt, foreign, newer or unwritable database
        ├── StoreBusy         another process holds the write lock
        ├── EmbedderMismatch  the collection was embedded by another model
        ├── EmbedderError     the embedder is unreachable or answers nonsense
        └── ConfigError       a settings file that cannot be used

Interfaces map `exit_status`; nothing else decides how a process ends.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RecollectError(Exception):
    """Base of every error Recollect raises on purpose.

    Arguments: `message`, one line that says what is wrong; `hint`, one line that says what to do next;
    `code`, stable words for programs, defaulting to the class's own.
    """

    code = "error"
    exit_status = 1

    def __init__(self, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def to_dict(self) -> dict[str, str]:
        """The error as interfaces send it: code, message, hint."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(RecollectError):
    """The request itself is wrong."""

    code = "usage"
    exit_status = 2


class InvalidRequest(UsageError):
    """A value of the request is out of bounds or malformed."""

    code = "invalid_request"


class UnknownName(UsageError):
    """A collection, document, hit or setting of that name does not exist."""

    code = "unknown_name"


class UnsupportedPath(UsageError):
    """A path is missing, of the wrong kind, or leads out of the collection's root."""

    code = "unsupported_path"


class StateError(RecollectError):
    """The request is right, but the world is not ready for it."""

    code = "state"


class StoreError(StateError):
    """The database cannot be used: corrupt, foreign, newer, or not writable."""

    code = "store"


class StoreBusy(StateError):
    """Another process holds the write lock for longer than the busy timeout."""

    code = "store_busy"


class EmbedderMismatch(StateError):
    """The collection's vectors were made by another embedder than the one configured."""

    code = "embedder_mismatch"


class EmbedderError(StateError):
    """The embedder is unreachable or its answer cannot be used."""

    code = "embedder"


class ConfigError(StateError):
    """A settings file or variable that cannot be used."""

    code = "config"


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint of the form 'Did you mean "x"?', or '' when nothing known is close to `name`."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f'Did you mean "{close[0]}"?' if close else ""
