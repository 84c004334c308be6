"""What the command line's tests share: a scripted engine, and a call of `recollect` inside this process."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from recollect.config import Settings
from recollect.interfaces import cli
from recollect.types import (
    Collection,
    Explanation,
    Hit,
    IndexReport,
    Passage,
    Progress,
    Removed,
    SearchResponse,
    Skipped,
    Status,
)

RETRY = '''def retry_delay(attempt: int) -> float:
    """Return how long to wait before the next attempt, in seconds."""
    base = 0.5
    return min(base * 2**attempt, 30.0)
'''

EXPLANATION = Explanation(
    keyword_score=12.25,
    keyword_rank=1,
    vector_score=0.625,
    vector_rank=3,
    rrf_score=0.0322,
    signals={"symbol": 1.2},
    final_score=0.87,
    breakdown="first by keywords, third by meaning",
)

HITS = (
    Hit("#a1", "shop", "src/retry.py", 10, 13, "retry_delay", "function", "python", RETRY, 0.87, 0.375, EXPLANATION),
    Hit(
        "#b2",
        "shop",
        "docs/wait for it.md",
        3,
        4,
        "Waiting",
        "section",
        "markdown",
        "The delay grows.\nSee `retry`.",
        0.4,
    ),
)

COLLECTION = Collection("shop", "/home/ada/shop", "builtin", 256, 1200, 5400, 5400, 7, 1.7e9)
REPORT = IndexReport(
    "shop",
    "/home/ada/shop",
    3,
    1,
    0,
    1196,
    5400,
    12,
    (Skipped("logo.png", "binary"), Skipped("b.csv", "too large", "2.1 MB")),
    0.25,
)


@dataclass
class ScriptedEngine:
    """Answers with prepared records and remembers what it was asked. Not a search engine."""

    responses: dict[str, Any] = field(default_factory=dict)
    indexed: IndexReport = REPORT
    home: str | None = "shop"
    failure: BaseException | None = None
    asked: list[tuple[str, Any]] = field(default_factory=list)
    settings: Settings | None = None
    ensured: list[Path] = field(default_factory=list)
    progress: Callable[[Progress], None] | None = None

    def __enter__(self) -> ScriptedEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.progress = None

    def run(self, name: str, request: Any) -> Any:
        self.asked.append((name, request))
        if self.failure is not None:
            raise self.failure
        return self.responses[name]

    def collection_at(self, folder: Path) -> str | None:
        return self.home

    def ensure_indexed(self, folder: Path) -> IndexReport:
        self.ensured.append(folder)
        return self.indexed

    def collections(self) -> tuple[Collection, ...]:
        return (COLLECTION,)


@dataclass(frozen=True)
class Said:
    """What one command line said, and how it ended."""

    status: int
    out: str
    err: str


class FakeTty(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def response(hits: Sequence[Hit] = HITS, **changes: Any) -> SearchResponse:
    fields: dict[str, Any] = {
        "query": "retry delay",
        "hits": tuple(hits),
        "degraded": (),
        "took_ms": 2.5,
        "debug": {"analyse_ms": 0.25, "lists": {"lexical": 40}},
    }
    return SearchResponse(**(fields | changes))


@pytest.fixture
def engine() -> ScriptedEngine:
    status = Status("0.1.0", "/home/ada/recollect.db", 12_345_678, 3, "builtin", "ab12", (COLLECTION,))
    passage = Passage("shop", "src/retry.py", 10, 13, 120, "python", RETRY)
    return ScriptedEngine(
        {
            "query": response(),
            "search": response(),
            "vsearch": response(),
            "get": passage,
            "index": REPORT,
            "update": (REPORT,),
            "embed": (REPORT,),
            "collections": (COLLECTION,),
            "status": status,
            "remove": Removed("shop", 1200, 5400),
        }
    )


@pytest.fixture(autouse=True)
def _quiet_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings of whoever runs the tests, a working folder of our own."""
    config = tmp_path / "config" / "recollect.toml"
    config.parent.mkdir()
    config.write_text("")
    monkeypatch.setenv("RECOLLECT_CONFIG", str(config))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)


@pytest.fixture
def say(engine: ScriptedEngine) -> Callable[..., Said]:
    """Run one command line on the scripted engine."""

    def run(*words: str, tty: bool = False) -> Said:
        out, err = (FakeTty(), FakeTty()) if tty else (io.StringIO(), io.StringIO())

        def open_engine(settings: Settings) -> Any:
            engine.settings = settings
            return engine

        status = cli.main(words, out=out, err=err, open_engine=open_engine)
        return Said(status, out.getvalue(), err.getvalue())

    return run
