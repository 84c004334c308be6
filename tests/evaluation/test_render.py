"""People decide by the table: a shifted column or a hidden warning misleads them."""

from __future__ import annotations

import dataclasses

from recollect.evaluation import compare, render, render_comparison

SCORES = {"webby": {"one": (1.0, 1.0, 1.0), "two": (0.5, 0.0, 1.0)}, "shelly": {"three": (0.0, 0.0, 0.0)}}


def test_the_table_lists_repositories_languages_and_categories(make_result):
    assert render(make_result(SCORES)) == (
        "code · query · 3 queries · 2 repositories · 2025-01-31\n"
        "Recollect 9.9 · words-1 · CPU, 2 cores · CPython 3.11.2\n"
        "\n"
        "        ndcg@10   hit@1  hit@10  p50 ms  p95 ms  index s  chunks\n"
        "------  -------  ------  ------  ------  ------  -------  ------\n"
        "all      0.3750  0.2500  0.5000    2.00    2.00     1.00      20\n"
        "shelly   0.0000  0.0000  0.0000    2.00    2.00     0.50      10\n"
        "webby    0.7500  0.5000  1.0000    2.00    2.00     0.50      10\n"
        "\n"
        "language  ndcg@10   hit@1  hit@10\n"
        "--------  -------  ------  ------\n"
        "python     0.3750  0.2500  0.5000\n"
        "\n"
        "category  ndcg@10   hit@1  hit@10\n"
        "--------  -------  ------  ------\n"
        "semantic   0.5000  0.3333  0.6667\n"
    )


def test_what_was_not_available_stands_above_the_scores(make_result):
    result = dataclasses.replace(make_result(SCORES), degraded=("no vectors: the model is missing",))
    assert render(result).splitlines()[2] == "degraded: no vectors: the model is missing"


def test_a_comparison_shows_change_interval_and_verdict(make_result):
    new = make_result({"webby": {"one": (1.0, 1.0, 1.0), "two": (1.0, 1.0, 1.0)}, "shelly": {"four": (0.0,) * 3}})
    lines = render_comparison(compare(make_result(SCORES), new)).splitlines()
    assert lines[2] == "2 common queries, 2 drawn by query; left out: 1 only in old, 1 only in new"
    assert lines[4].split() == ["old", "new", "change", "95", "%", "interval", "p"]
    assert lines[6].split()[:4] == ["ndcg@10", "0.7500", "1.0000", "+0.2500"]
    assert lines[6].endswith("within noise")
    assert lines[9].split() == ["p50", "ms", "2.00", "2.00", "+0.00"]


def test_a_comparison_lists_losses_first(make_result):
    new = make_result({"webby": {"one": (0.5,) * 3, "two": (0.5,) * 3}, "shelly": {"three": (1.0,) * 3}})
    lines = render_comparison(compare(make_result(SCORES), new)).splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["webby", "shelly"]
    assert lines[-1].split() == ["shelly", "0.0000", "1.0000", "+1.0000"]
