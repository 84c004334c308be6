"""What does it mean? Text becomes a vector; texts that mean the same point the same way.

`open_embedder` gives one by name. The built-in one is a table of token vectors that ships in the package
(`static`, tokens in `tokens`). Not here: where vectors are kept and how neighbours are found (`stores`).
Importing this folder loads no numpy: that waits for `open_embedder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from recollect.errors import InvalidRequest, UnknownName, nearest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EMBEDDERS", "Embedder", "open_embedder"]

EMBEDDERS = ("builtin",)
"""Names that `open_embedder` knows."""


class Embedder(Protocol):
    """Makes vectors; safe to call from several threads.

    `name` is what settings call it, `fingerprint` a short hash of model and settings that is stamped on
    every vector, `dimensions` the length of a vector.
    """

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed passages: shape (len(texts), dimensions), rows of unit length, all zero where nothing is known."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a question: shape (dimensions,), unit length, all zero where nothing is known."""
        ...


def open_embedder(spec: str) -> Embedder:
    """Open an embedder by name.

    `spec` is one of `EMBEDDERS`. Raises InvalidRequest when it is empty, UnknownName when there is no such
    embedder, EmbedderError when its model cannot be read.
    """
    available = f"Available: {', '.join(EMBEDDERS)}."
    name = spec.strip()
    if not name:
        raise InvalidRequest("The embedder's name is empty.", hint=available)
    if name != "builtin":
        hint = " ".join(filter(None, (nearest(name, EMBEDDERS), available)))
        raise UnknownName(f'There is no embedder "{name}".', hint=hint)
    from recollect.embedding.static import open_builtin

    return open_builtin()
