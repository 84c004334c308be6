"""Keep count of what is on the shelves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

LOW_STOCK = 5
_cache: dict[str, int] = {}


@dataclass
class Item:
    """One kind of thing on a shelf."""

    name: str
    count: int = 0

    @property
    def is_low(self) -> bool:
        return self.count < LOW_STOCK

    @classmethod
    def from_json(cls, text: str) -> Item:
        raw = json.loads(text)
        return cls(**raw)

    class Meta:
        table = "items"


# Reads the whole file at once:
# shelves are small.
def load(path: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for line in path.read_text().splitlines():
        name, _, number = line.partition("=")
        counts[name] += int(number)
    return counts


@retry(times=3)
async def refresh(url):
    def parse(body):
        return json.loads(body)

    return parse(await get(url))


if TYPE_CHECKING:
    import numpy

    def fast_sum(values): ...
else:
    fast_sum = sum

if __name__ == "__main__":
    print(load(Path("shelf.txt")))
# ruff: noqa
