"""A scripted engine and tiny datasets on disk for the evaluation tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from recollect.errors import InvalidRequest
from recollect.evaluation import GroupRun, Machine, QueryScore, Result
from recollect.types import Document, Hit, IndexReport, SearchResponse, Status

CHUNK_LINES = 5


class WordCountEngine:
    """Ranks chunks of five lines by how many words of the query they hold; `vsearch` ranks the other way round."""

    def __init__(self, log: list[str]) -> None:
        self.chunks: list[Hit] = []
        self.log = log

    def index(self, path: str, *, name: str) -> IndexReport:
        self.log.append(f"index {name}")
        root = Path(path)
        for file in sorted(root.rglob("*")):
            if file.is_file():
                self._take(Document(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")), name)
        return self._report(name)

    def add(self, documents: Sequence[Document], *, name: str) -> IndexReport:
        self.log.append(f"add {name}")
        for document in documents:
            self._take(document, name)
        return self._report(name)

    def search(self, query: str, *, collections: tuple[str, ...], limit: int) -> SearchResponse:
        return self._ask("search", query, collections, limit)

    def vsearch(self, query: str, *, collections: tuple[str, ...], limit: int) -> SearchResponse:
        return self._ask("vsearch", query, collections, limit)

    def query(self, query: str, *, collections: tuple[str, ...], limit: int) -> SearchResponse:
        return self._ask("query", query, collections, limit)

    def status(self) -> Status:
        return Status("9.9", "eval.db", 0, 1, "words-1", "f00d", ())

    def _take(self, document: Document, name: str) -> None:
        lines = document.text.splitlines() or [""]
        for start in range(0, len(lines), CHUNK_LINES):
            text = "\n".join(lines[start : start + CHUNK_LINES])
            end = min(start + CHUNK_LINES, len(lines))
            self.chunks.append(Hit("#1", name, document.path, start + 1, end, "", "lines", "", text, 0.5))

    def _ask(self, mode: str, query: str, collections: tuple[str, ...], limit: int) -> SearchResponse:
        self.log.append(f"{mode} {limit} {query}")
        words = re.findall(r"\w+", query.lower())
        if not words:
            raise InvalidRequest("The query holds no words.", hint="Give one.")
        sign = 1 if mode == "vsearch" else -1
        ranked = sorted(self.chunks, key=lambda hit: sign * sum(word in hit.text.lower() for word in words))
        found = [hit for hit in ranked if hit.collection in collections][:limit]
        degraded = ("no vectors",) if mode == "vsearch" else ()
        return SearchResponse(query, tuple(found), degraded, 0.1)

    def _report(self, name: str) -> IndexReport:
        return IndexReport(name, "", 0, 0, 0, 0, len(self.chunks), 0, (), 0.0)


class Opener:
    """Opens a new engine each time, remembering every path and call."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.log: list[str] = []

    def __call__(self, path: Path) -> AbstractContextManager[WordCountEngine]:
        return self._open(path)

    @contextmanager
    def _open(self, path: Path) -> Iterator[WordCountEngine]:
        assert path.parent.is_dir()
        self.paths.append(path)
        yield WordCountEngine(self.log)


@pytest.fixture
def opener() -> Opener:
    return Opener()


@pytest.fixture
def repository_set(tmp_path: Path) -> tuple[Path, Path]:
    """Two repositories: `webby` (python, root src/webby) and `shelly` (bash, the whole tree)."""
    dataset, trees = tmp_path / "code", tmp_path / "trees"
    _write(trees / "webby/src/webby/session.py", "class Session:\n    pass\n")
    _write(trees / "webby/src/webby/retry.py", "\n".join(["# filler"] * 5 + ["def retry_delay():", "    return 1"]))
    _write(trees / "shelly/lib/theme.sh", "theme colours\n")
    _write(trees / "shelly/main.sh", "load plugins\n")
    repos = [
        {"name": "webby", "language": "python", "benchmark_root": "src/webby"},
        {"name": "shelly", "language": "bash", "benchmark_root": None},
    ]
    _write(dataset / "repos.json", json.dumps(repos))
    retry = {"path": "src/webby/retry.py", "start_line": 6, "end_line": 7}
    webby = [
        {"query": "session class", "relevant": ["src/webby/session.py"], "secondary": [], "category": "symbol"},
        {"query": "retry_delay", "relevant": [retry], "category": "semantic"},
    ]
    shelly = [{"query": "theme colours", "relevant": ["theme.sh"], "secondary": ["absent.sh"], "category": "semantic"}]
    _write(dataset / "annotations/webby.json", json.dumps(webby))
    _write(dataset / "annotations/shelly.json", json.dumps(shelly))
    return dataset, trees


@pytest.fixture
def write_text_set(tmp_path: Path) -> Callable[..., Path]:
    """Write a text set; `corpus`, `queries` and `qrels` are file contents."""

    def write(name: str = "texts/small", **contents: str) -> Path:
        corpus = [
            {"_id": "a/1", "title": "Cats", "text": "cats purr\n2\n3\n4\n5\ncats sleep"},
            {"_id": "b", "title": "", "text": "dogs bark"},
            {"_id": "c", "title": "", "text": "birds sing"},
        ]
        queries = [
            {"_id": "q1", "text": "cats purr"},
            {"_id": "q2", "text": "dogs bark"},
            {"_id": "q3", "text": "unjudged"},
        ]
        folder = tmp_path / name
        jsonl = lambda rows: "".join(json.dumps(row) + "\n" for row in rows)  # noqa: E731
        _write(folder / "corpus.jsonl", contents.get("corpus", jsonl(corpus)))
        _write(folder / "queries.jsonl", contents.get("queries", jsonl(queries)))
        qrels = "query-id\tcorpus-id\tscore\nq1\ta/1\t2\nq1\tc\t1\nq2\tb\t1\nq2\tc\t0\n"
        _write(folder / "qrels.tsv", contents.get("qrels", qrels))
        return folder

    return write


@pytest.fixture
def make_result() -> Callable[..., Result]:
    """Build a result from {group: {query id: (values)}}."""

    def make(scores: dict[str, dict[str, tuple[float, ...]]], *, kind: str = "repositories", **fields: str) -> Result:
        queries = tuple(
            QueryScore(group, name, "semantic", values, (1, None), 2.0)
            for group, found in scores.items()
            for name, values in found.items()
        )
        groups = tuple(GroupRun(name, "python", 10, 0.5) for name in scores)
        described = {"dataset": "code", "mode": "query", "date": "2025-01-31"} | fields
        return Result(
            kind=kind,
            limit=10,
            version="9.9",
            embedder="words-1",
            fingerprint="f00d",
            machine=Machine("CPU", 2, 8.0, "CPython 3.11.2", "Linux x86_64"),
            groups=groups,
            queries=queries,
            **described,
        )

    return make


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
