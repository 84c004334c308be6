"""What is the smallest thing worth finding? Cuts a document into chunks: functions, sections, keys, paragraphs.

`chunk` chooses by the document's language. Its grammars and parsers are loaded when it is first asked for: a
search needs none of them. Not here: reading files and telling their language (sources), embedding and storing
chunks (indexing).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.chunking.documents import Chunked as Chunked
    from recollect.chunking.documents import chunk as chunk
    from recollect.chunking.limits import LIMITS as LIMITS
    from recollect.chunking.limits import Limits as Limits

__all__ = ["CHUNKER_VERSION", "LIMITS", "Chunked", "Limits", "chunk"]

CHUNKER_VERSION = 1
"""Raised whenever chunks of unchanged text would come out differently."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        from recollect.chunking import documents

        return getattr(documents, name)
    raise AttributeError(f"module 'recollect.chunking' has no attribute {name!r}")
