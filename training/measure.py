"""Measure a model alone, without keyword search, on a folder of evaluation sets.

Prints nDCG@10 of each text set, recall@10 of conversation turns, and nDCG@10 of repository search over fixed windows
of lines (so that models compare to one another; the harness of `recollect eval` measures the real pipeline).
Not here: any choice of what to train on; evaluation data never enters training.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from languages import DOCUMENTS, EXTENSIONS
from numpy.typing import NDArray

from recollect.embedding.tokens import Tokeniser

WINDOW = 40
Embed = Callable[[sparse.csr_matrix], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """One collection: token counts of passages and queries, names of passages, and what each query should find."""

    passages: sparse.csr_matrix
    queries: sparse.csr_matrix
    names: list[tuple[str, int, int]]
    gold: list[object]


def counts(tokeniser: Tokeniser, texts: Sequence[str]) -> sparse.csr_matrix:
    """Token counts of `texts`: sparse, shape (len(texts), vocabulary)."""
    ids = [tokeniser.ids(text) for text in texts]
    indptr = np.cumsum([0, *map(len, ids)])
    flat = np.fromiter((i for row in ids for i in row), np.int64, int(indptr[-1]))
    matrix = sparse.csr_matrix((np.ones(len(flat), np.float32), flat, indptr), shape=(len(ids), tokeniser.size))
    matrix.sum_duplicates()
    return matrix


def embedder(table: NDArray[np.float32], power: float = 0.75) -> Embed:
    """Weighted sums of table rows at unit length; a token seen n times counts n**power."""

    def embed(matrix: sparse.csr_matrix) -> NDArray[np.float32]:
        vectors = matrix.power(power) @ table
        return np.asarray(vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9), np.float32)

    return embed


def dequantised(path: Path) -> tuple[NDArray[np.float32], Tokeniser]:
    """Table and tokeniser of a model file."""
    with np.load(path) as archive:
        table = archive["rows"].astype(np.float32) * archive["weights"].astype(np.float32)[:, None]
        vocabulary = archive["vocabulary"].tobytes().decode().split("\n")
        buckets = json.loads(archive["settings"].tobytes())["buckets"]
    return table / np.linalg.norm(table, axis=1).mean(), Tokeniser(vocabulary, buckets)


def text_sets(folder: Path, tokeniser: Tokeniser) -> Iterator[tuple[str, Corpus]]:
    """The sets of `folder`/text: corpus.jsonl, queries.jsonl, qrels.tsv each."""
    for path in sorted(p.parent for p in folder.glob("text/*/qrels.tsv")):
        relevant: dict[str, dict[str, float]] = {}
        for line in (path / "qrels.tsv").read_text("utf-8").split("\n")[1:]:
            if line.strip():
                query, passage, score = line.split("\t")
                if float(score) > 0:
                    relevant.setdefault(query, {})[passage] = float(score)
        passages = [json.loads(line) for line in (path / "corpus.jsonl").open(encoding="utf-8")]
        asked = [json.loads(line) for line in (path / "queries.jsonl").open(encoding="utf-8")]
        asked = [query for query in asked if query["_id"] in relevant]
        texts = [f"{passage.get('title') or ''} {passage['text']}" for passage in passages]
        yield (
            path.name,
            Corpus(
                counts(tokeniser, texts),
                counts(tokeniser, [query["text"] for query in asked]),
                [(passage["_id"], 0, 0) for passage in passages],
                [relevant[query["_id"]] for query in asked],
            ),
        )


def conversations(folder: Path, tokeniser: Tokeniser) -> Iterator[Corpus]:
    """Each LoCoMo conversation: turns and questions."""
    for conversation in json.loads((folder / "memory" / "locomo_1-5.json").read_text("utf-8")):
        turns = [
            turn
            for key, session in conversation["conversation"].items()
            if re.fullmatch(r"session_\d+", key) and isinstance(session, list)
            for turn in session
        ]
        known = {turn["dia_id"] for turn in turns}
        questions, gold = [], []
        for question in conversation["qa"]:
            found = re.findall(r"D:?(\d+):0*(\d+)", " ".join(question.get("evidence") or []))
            wanted = {f"D{int(session)}:{int(turn)}" for session, turn in found} & known
            if wanted:
                questions.append(str(question["question"]))
                gold.append(wanted)
        texts = [
            f"{turn['speaker']}: {turn['text']}"
            + (f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else "")
            for turn in turns
        ]
        names = [(turn["dia_id"], 0, 0) for turn in turns]
        yield Corpus(counts(tokeniser, texts), counts(tokeniser, questions), names, gold)


def repositories(folder: Path, trees: Path, tokeniser: Tokeniser) -> Iterator[tuple[str, Corpus]]:
    """Each repository of `folder`/code as windows of lines under its path."""
    for repository in json.loads((folder / "code" / "repos.json").read_text("utf-8")):
        root = trees / repository["name"]
        base = root / (repository.get("benchmark_root") or "")
        annotations = folder / "code" / "annotations" / f"{repository['name']}.json"
        if not base.is_dir() or not annotations.exists():
            continue
        texts, names = [], []
        for path in sorted(base.rglob("*")):
            if path.suffix.lower() not in EXTENSIONS | DOCUMENTS or not path.is_file() or path.is_symlink():
                continue
            lines = path.read_text("utf-8", "replace").split("\n")
            name = path.relative_to(base).as_posix()
            for start in range(0, len(lines), WINDOW):
                window = "\n".join(lines[start : start + WINDOW])
                if window.strip():
                    texts.append(f"{name}\n{window}")
                    names.append((name, start + 1, start + WINDOW))
        rows = json.loads(annotations.read_text("utf-8"))
        gold: list[object] = [row["relevant"] + row.get("secondary", []) for row in rows]
        asked = counts(tokeniser, [row["query"] for row in rows])
        yield repository["name"], Corpus(counts(tokeniser, texts), asked, names, gold)


def rankings(corpus: Corpus, embed: Embed) -> NDArray[np.int64]:
    """The ten nearest passages of each query, best first."""
    scores = embed(corpus.queries) @ embed(corpus.passages).T
    return np.argsort(-scores, axis=1, kind="stable")[:, :10]


def graded_ndcg(corpus: Corpus, embed: Embed) -> float:
    """Mean nDCG@10 with linear gain."""
    values = []
    for ranked, relevant in zip(rankings(corpus, embed), corpus.gold, strict=True):
        assert isinstance(relevant, dict)
        found = sum(relevant.get(corpus.names[i][0], 0) / math.log2(rank + 2) for rank, i in enumerate(ranked))
        ideal = sum(v / math.log2(rank + 2) for rank, v in enumerate(sorted(relevant.values(), reverse=True)[:10]))
        values.append(found / ideal)
    return float(np.mean(values))


def turn_recalls(corpus: Corpus, embed: Embed) -> list[float]:
    """Share of the evidence among the first ten turns, for each question."""
    recalls = []
    for ranked, wanted in zip(rankings(corpus, embed), corpus.gold, strict=True):
        assert isinstance(wanted, set)
        recalls.append(len(wanted & {corpus.names[i][0] for i in ranked}) / len(wanted))
    return recalls


def target_ndcg(corpus: Corpus, embed: Embed) -> float:
    """Mean nDCG@10 over targets: a path, or lines of a path."""
    values = []
    for ranked, targets in zip(rankings(corpus, embed), corpus.gold, strict=True):
        assert isinstance(targets, list)
        hits = [corpus.names[i] for i in ranked]
        ranks = [next((r for r, hit in enumerate(hits) if _is_target(hit, target)), None) for target in targets]
        gain = sum(1 / math.log2(rank + 2) for rank in {r for r in ranks if r is not None})
        values.append(gain / sum(1 / math.log2(rank + 2) for rank in range(min(10, len(targets)))))
    return float(np.mean(values))


def _is_target(hit: tuple[str, int, int], target: object) -> bool:
    path, start, end = hit
    wanted = target["path"] if isinstance(target, dict) else str(target)
    if not (path == wanted or path.endswith(f"/{wanted}") or wanted.endswith(f"/{path}")):
        return False
    first = target.get("start_line") if isinstance(target, dict) else None
    return first is None or not (end < first or start > target["end_line"])  # type: ignore[index]


class Measure:
    """All sets, tokenised once; call it with a table to get its figures."""

    def __init__(self, folder: Path, trees: Path | None, tokeniser: Tokeniser) -> None:
        self._texts = list(text_sets(folder, tokeniser))
        self._turns = list(conversations(folder, tokeniser))
        self._code = list(repositories(folder, trees, tokeniser)) if trees else []

    def __call__(self, embed: Embed) -> dict[str, float]:
        """Figures by set; "code" is the mean over repositories, "text" over text sets."""
        figures = {name: graded_ndcg(corpus, embed) for name, corpus in self._texts}
        figures["text"] = float(np.mean(list(figures.values())))
        figures["locomo_r10"] = float(np.mean([r for corpus in self._turns for r in turn_recalls(corpus, embed)]))
        if self._code:
            figures["code"] = float(np.mean([target_ndcg(corpus, embed) for _, corpus in self._code]))
        return {name: round(value, 4) for name, value in figures.items()}


def main() -> None:
    """Measure a model file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sets", type=Path, required=True, help="folder with text/, memory/ and code/")
    parser.add_argument("--trees", type=Path, help="folder of exported repositories for code/")
    arguments = parser.parse_args()
    table, tokeniser = dequantised(arguments.model)
    print(json.dumps(Measure(arguments.sets, arguments.trees, tokeniser)(embedder(table)), indent=1))


if __name__ == "__main__":
    main()
