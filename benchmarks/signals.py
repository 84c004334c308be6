#!/usr/bin/env python3
"""Measure what each ranking signal is worth: `python benchmarks/signals.py --code DIR --repos DIR [--text DIR]`.

The candidates of every query of the evaluation sets are gathered once; then they are ranked again with each
signal left out, each factor set to 1. Prints a Markdown table for docs/ranking.md. `--folds` instead fits the
weights by coordinate ascent on half of the repositories and reports on the other half, both ways.
Not here: the evaluation of the program as users run it (`recollect eval`).
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recollect.config import Settings
from recollect.engine import Engine
from recollect.retrieval import DEPTH, Scope, rank, signals
from recollect.retrieval.candidates import gather
from recollect.retrieval.paths import traits
from recollect.retrieval.query import understand
from recollect.types import Document

LOG = 1 / np.log2(np.arange(2, 12))
TEXT_QUERIES = 150
"""Drawn from each text set, always the same ones."""


@dataclasses.dataclass(slots=True)
class Case:
    """One query: candidates with their signals, and which target each of them reaches. `gains` is None for code."""

    group: str
    values: dict[str, Any]
    factors: dict[str, Any]
    files: Any
    reached: Any
    gains: Any


def case(engine: Engine, name: str, text: str, targets: Sequence[Any], gains: Any) -> Case | None:
    row = engine._store.collection(name)
    index = engine._store.index(row)
    scopes = [Scope(row, index, None)]
    query = understand(text)
    pool = gather(engine._store, scopes, query, engine._embedder.embed_query(query.text), DEPTH)
    if not len(pool.position):
        return None
    ranked = rank(query, pool, scopes, "query", 10)
    paths = [index.document(int(p))[1] for p in pool.position]
    unit = signals.Factors(**{f.name: 0.0 for f in dataclasses.fields(signals.Factors)})
    factors = {n: v == 0 for n, v in signals.factors(query, [traits(p) for p in paths], unit).items()}
    ids = [int(index.chunk_ids[int(p)]) for p in pool.position]
    chunks = engine._store.chunks(ids)
    reached = np.zeros((len(ids), len(targets)), bool)
    for i, (chunk, path) in enumerate(zip(ids, paths, strict=True)):
        for j, (target, start, end) in enumerate(targets):
            same = path == target or path.endswith("/" + target) or target.endswith("/" + path)
            lines = start is None or not (chunks[chunk].end_line < start or chunks[chunk].start_line > end)
            reached[i, j] = same and lines
    return Case(name, ranked.values, factors, ranked.files, reached, gains)


def code_cases(engine: Engine, dataset: Path, repos: Path) -> Iterator[Case | None]:
    for repo in json.loads((dataset / "repos.json").read_text()):
        engine.index(repos / repo["name"] / (repo.get("benchmark_root") or "."), name=repo["name"])
        for entry in json.loads((dataset / "annotations" / f"{repo['name']}.json").read_text()):
            found = [t if isinstance(t, dict) else {"path": t} for t in entry["relevant"] + entry.get("secondary", [])]
            targets = [(t["path"], t.get("start_line"), t.get("end_line")) for t in found]
            yield case(engine, repo["name"], entry["query"], targets, None)


def text_cases(engine: Engine, folder: Path) -> Iterator[Case | None]:
    for dataset in sorted(p for p in folder.iterdir() if (p / "corpus.jsonl").exists()):
        name = f"text/{dataset.name}"
        corpus = [json.loads(line) for line in (dataset / "corpus.jsonl").open(encoding="utf-8")]
        engine.add([Document(d["_id"], d["text"], title=d.get("title") or "") for d in corpus], name=name)
        queries = {q["_id"]: q["text"] for q in map(json.loads, (dataset / "queries.jsonl").open(encoding="utf-8"))}
        gold: dict[str, dict[str, float]] = defaultdict(dict)
        for line in (dataset / "qrels.tsv").read_text().splitlines()[1:]:
            query, document, gain = line.split("\t")
            if float(gain) > 0:
                gold[query][document] = float(gain)
        chosen = sorted(gold)
        random.Random(0).shuffle(chosen)
        for query in chosen[:TEXT_QUERIES]:
            targets = [(document, None, None) for document in gold[query]]
            yield case(engine, name, queries[query], targets, np.array(list(gold[query].values())))


def ndcg(one: Case, weights: signals.Weights, factors: signals.Factors, saturation: float) -> float:
    scores = signals.combine(one.values, weights)
    for name, applies in one.factors.items():
        scores = np.where(applies, scores * np.float32(getattr(factors, name)), scores)
    limit = 10 if one.gains is None else 30
    order = [i for i, _ in signals.diversify(scores, one.files, limit, saturation)]
    if one.gains is None:
        reached = one.reached[order]
        ranks = np.unique(reached.argmax(0)[reached.any(0)])
        return float(LOG[ranks].sum() / LOG[: min(10, reached.shape[1])].sum())
    _, first = np.unique(one.files[order], return_index=True)
    documents = np.array(order)[np.sort(first)][:10]
    gained = np.array([one.gains[one.reached[i]].max(initial=0.0) for i in documents])
    ideal = np.sort(one.gains)[::-1][:10]
    return float((gained * LOG[: len(gained)]).sum() / (ideal * LOG[: len(ideal)]).sum())


def means(cases: Sequence[Case], *setting: Any) -> tuple[float, float]:
    """Return nDCG@10 of the code sets and of the text sets, each a mean over repositories or sets."""
    groups: dict[str, list[float]] = defaultdict(list)
    for one in cases:
        groups[one.group].append(ndcg(one, *setting))
    code = [np.mean(v) for name, v in groups.items() if not name.startswith("text/")]
    text = [np.mean(v) for name, v in groups.items() if name.startswith("text/")]
    return (float(np.mean(code)) if code else math.nan), (float(np.mean(text)) if text else math.nan)


def leave_one_out(cases: Sequence[Case]) -> None:
    weights, factors, saturation = signals.WEIGHTS, signals.FACTORS, signals.SATURATION
    code, text = means(cases, weights, factors, saturation)
    print(f"| left out | value | code | text |\n|---|---|---|---|\n| nothing | | {code:.4f} | {text:.4f} |")
    settings = [(f.name, getattr(weights, f.name), dataclasses.replace(weights, **{f.name: 0.0}), factors, saturation)
                for f in dataclasses.fields(weights)]  # fmt: skip
    settings += [(f"× {f.name}", getattr(factors, f.name), weights, dataclasses.replace(factors, **{f.name: 1.0}), saturation)
                 for f in dataclasses.fields(factors)]  # fmt: skip
    settings.append(("saturation", saturation, weights, factors, 1.0))
    for name, value, *setting in settings:
        c, t = means(cases, *setting)
        print(f"| {name} | {value} | {c - code:+.4f} | {t - text:+.4f} |", flush=True)


def fit(cases: Sequence[Case], rounds: int = 2) -> signals.Weights:
    """Coordinate ascent on code + text/2, from equal weights."""
    factors, saturation = signals.FACTORS, signals.SATURATION
    weights = signals.Weights(
        **{f.name: 0.0 if f.name == "prose" else 0.4 for f in dataclasses.fields(signals.Weights)}
    )

    def worth(w: signals.Weights) -> float:
        code, text = means(cases, w, factors, saturation)
        return code + (0 if math.isnan(text) else text / 2)

    best = worth(weights)
    for _ in range(rounds):
        for field in dataclasses.fields(weights):
            now = getattr(weights, field.name)
            for value in (0.0, now * 0.5, now * 1.5, now * 2, now + 0.2, now - 0.25):
                tried = dataclasses.replace(weights, **{field.name: value})
                if (found := worth(tried)) > best + 2e-4:
                    best, weights = found, tried
    return weights


def folds(cases: Sequence[Case]) -> None:
    names = sorted({c.group for c in cases if not c.group.startswith("text/")})
    random.Random(0).shuffle(names)
    halves = [set(names[::2]), set(names[1::2])]
    for train, test in (halves, halves[::-1]):
        weights = fit([c for c in cases if c.group in train or c.group.startswith("text/")])
        setting = (weights, signals.FACTORS, signals.SATURATION)
        seen, unseen = (means([c for c in cases if c.group in half], *setting)[0] for half in (train, test))
        shipped = means([c for c in cases if c.group in test], signals.WEIGHTS, *setting[1:])[0]
        print(
            f"fitted on {len(train)} repositories: {seen:.4f}, on the other {len(test)}: {unseen:.4f}; shipped: {shipped:.4f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--code", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--folds", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Engine(Settings(db=Path(folder) / "signals.db")) as engine:
        found = list(code_cases(engine, args.code, args.repos))
        if args.text:
            found += list(text_cases(engine, args.text))
    cases = [c for c in found if c is not None]
    folds(cases) if args.folds else leave_one_out(cases)


if __name__ == "__main__":
    main()
