"""Recollect: a local-first context engine.

    import recollect

    with recollect.open("notes.db") as engine:
        engine.index("path/to/project", name="project")
        for hit in engine.query("where is the retry delay computed", collections=("project",)).hits:
            print(hit.path, hit.start_line, hit.title, hit.score)

Public names only, loaded when first used, so that `import recollect` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from recollect.engine import Engine as Engine
    from recollect.errors import RecollectError as RecollectError
    from recollect.types import Collection as Collection
    from recollect.types import Document as Document
    from recollect.types import Explanation as Explanation
    from recollect.types import Hit as Hit
    from recollect.types import IndexReport as IndexReport
    from recollect.types import Passage as Passage
    from recollect.types import SearchResponse as SearchResponse
    from recollect.types import Status as Status
    from recollect.version import __version__ as __version__

_HOMES = {
    "Engine": "engine",
    "RecollectError": "errors",
    "Collection": "types",
    "Document": "types",
    "Explanation": "types",
    "Hit": "types",
    "IndexReport": "types",
    "Passage": "types",
    "SearchResponse": "types",
    "Status": "types",
    "__version__": "version",
}

__all__ = sorted([*_HOMES, "open"])


def open(db_path: str | Path | None = None, **settings: Any) -> Engine:
    """Open an engine on the database at `db_path` (default: the one in the user's data folder).

    `settings` are those of `recollect config`. Raises StoreError when the database cannot be used, ConfigError
    for a setting that cannot be.
    """
    from recollect.config import load_settings
    from recollect.engine import open_engine

    arguments = dict(settings) if db_path is None else {"db": str(db_path), **settings}
    return open_engine(load_settings(arguments).settings)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    return getattr(importlib.import_module(f"recollect.{home}"), name)
