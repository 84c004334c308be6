"""Answers for programs and for reading: JSON, Markdown, paths, reports, and sizes a person understands."""

from __future__ import annotations

import dataclasses
import json

import pytest

from recollect.interfaces import output
from recollect.types import Explanation, Hit, IndexReport, Passage, SearchResponse, Skipped

HIT = Hit("#a", "shop", "a b.py", 1, 2, "f", "function", "python", 'x = "é"\ny\n', 0.5)
WHY = Explanation(1.0, 1, None, None, 0.03, {"symbol": 1.2}, 0.5, "by keywords")


def _response(*hits: Hit) -> SearchResponse:
    return SearchResponse("q", hits, ("no vectors",), 1.5, {"stage_ms": 1.0})


def test_json_is_the_record_and_nothing_else() -> None:
    said = json.loads(output.to_json(_response(HIT)))
    assert list(said) == ["query", "hits", "degraded", "took_ms"]
    assert list(said["hits"][0]) == [f.name for f in dataclasses.fields(Hit)]
    assert said["hits"][0]["text"] == HIT.text
    assert said["degraded"] == ["no vectors"]


def test_json_holds_explanations_only_when_asked() -> None:
    response = _response(dataclasses.replace(HIT, explanation=WHY))
    assert json.loads(output.to_json(response))["hits"][0]["explanation"] is None
    said = json.loads(output.to_json(response, explain=True))
    assert said["hits"][0]["explanation"] == dataclasses.asdict(WHY)
    assert said["debug"] == {"stage_ms": 1.0}


def test_json_keeps_letters_readable() -> None:
    assert "é" in output.to_json(_response(HIT))


def test_paths_name_each_place_once_in_order() -> None:
    other = dataclasses.replace(HIT, path="z.py")
    assert output.hits_as_paths([other, HIT, other]) == "z.py:1-2\na b.py:1-2"


def test_markdown_fences_hold_text_that_has_fences_itself() -> None:
    fenced = dataclasses.replace(HIT, text="````\ncode\n````\n", language="markdown")
    lines = output.hits_as_markdown([HIT, fenced]).splitlines()
    assert lines[0] == "1. `a b.py:1-2` f  function  50%"
    assert lines[2] == "```python"
    assert lines.count("`````") == 1
    assert "`````markdown" in lines


def test_a_passage_is_numbered_as_in_its_file() -> None:
    passage = Passage("shop", "a.py", 9, 10, 40, "python", "x\ny\n")
    assert output.passage_as_lines(passage) == "a.py:9-10  of 40 lines\n     9 │ x\n    10 │ y"
    assert output.passage_as_markdown(passage).startswith("`a.py:9-10` of 40 lines\n\n```python\nx\ny\n```")


def test_a_report_counts_what_was_skipped_by_reason_and_names_some() -> None:
    skipped = (*(Skipped(f"{n}.png", "binary") for n in range(8)), Skipped("big.csv", "too large", "2.1 MB"))
    report = IndexReport("shop", "/r", 1, 0, 2, 0, 4, 4, skipped, 0.5)
    said = output.report_as_lines(report)
    assert said.splitlines()[0] == "shop: 1 file (1 added, 2 removed), 4 chunks written, 4 vectors made, in 500 ms"
    assert "skipped 9 files: 8 binary, 1 too large" in said
    assert "and 4 more" in said
    everything = output.report_as_lines(report, verbose=True)
    assert "big.csv: too large (2.1 MB)" in everything
    assert "more;" not in everything


def test_nothing_to_do_is_said_as_such() -> None:
    report = IndexReport("shop", "/r", 0, 0, 0, 1, 0, 0, (), 0.0123)
    assert output.report_as_lines(report) == "shop: 1 file (nothing changed), in 12 ms"
    assert output.reports_as_lines(()) == output.NOTHING_INDEXED
    assert output.collections_as_lines(()) == output.NOTHING_INDEXED


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (12_345_678, "12.3 MB"), (5 * 10**15, "5000.0 TB")],
)
def test_sizes_are_human(size: int, said: str) -> None:
    assert output.human_bytes(size) == said


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.0004, "0 ms"), (0.85, "850 ms"), (0.9999, "1.0 s"), (3.21, "3.2 s"), (125.2, "2 min 5 s")]
)
def test_durations_are_human(seconds: float, said: str) -> None:
    assert output.human_seconds(seconds) == said


def test_every_number_of_an_explanation_is_shown() -> None:
    said = "\n".join(output.explained(WHY))
    for part in (
        "by keywords",
        "keyword 1.000 (rank 1)",
        "vector none (rank none)",
        "rrf 0.03000",
        "symbol 1.2",
        "final 0.500",
    ):
        assert part in said
