"""What can be asked? Every operation, declared once: interfaces derive their doors from this table.

Not here: how an operation is done (`engine`) and how it is reached (`interfaces`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect import requests
from recollect.errors import UnknownName, nearest

if TYPE_CHECKING:
    from recollect.engine import Engine


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing a caller can ask for.

    `request` is the record it takes, `positional` the fields a command line takes without a flag,
    `read_only` whether it leaves the store as it was. The engine's method has the operation's name.
    """

    name: str
    request: type[Any]
    read_only: bool
    summary: str
    positional: tuple[str, ...] = ()


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("query", requests.SearchRequest, True, "Search by keywords and meaning together.", ("query",)),
        Operation("search", requests.SearchRequest, True, "Search by keywords (BM25).", ("query",)),
        Operation("vsearch", requests.SearchRequest, True, "Search by meaning (vectors).", ("query",)),
        Operation("get", requests.GetRequest, True, "Read lines of an indexed document.", ("target",)),
        Operation("index", requests.IndexRequest, False, "Index a folder.", ("path",)),
        Operation("update", requests.UpdateRequest, False, "Index again what changed.", ("names",)),
        Operation("embed", requests.EmbedRequest, False, "Make the vectors that are missing.", ("names",)),
        Operation("collections", requests.CollectionsRequest, True, "List the collections."),
        Operation("status", requests.StatusRequest, True, "Say what is stored where."),
        Operation("remove", requests.RemoveRequest, False, "Forget a collection.", ("name",)),
    )
}


def run(engine: Engine, name: str, values: dict[str, Any]) -> Any:
    """Run the operation `name` with the fields in `values`; return its response record.

    Raises UnknownName for an operation that does not exist, InvalidRequest for wrong fields, and
    whatever the operation itself raises.
    """
    operation = OPERATIONS.get(name)
    if operation is None:
        raise UnknownName(
            f"There is no operation {name!r}.", hint=nearest(name, OPERATIONS) or f"Known: {', '.join(OPERATIONS)}."
        )
    return engine.run(name, requests.build(operation.request, values))
