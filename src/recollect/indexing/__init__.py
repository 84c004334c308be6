"""The write path: what changed, and how does it get into the store?

`plan` decides (pure), `prepare` turns one document into rows (pure, runs in worker processes),
`pipeline` drives both and writes batches.
"""

from __future__ import annotations

from recollect.indexing.pipeline import Indexer
from recollect.indexing.plan import Plan, plan

__all__ = ["Indexer", "Plan", "plan"]
