"""A harness that asks the wrong index, or counts the wrong hits, praises the wrong change."""

from __future__ import annotations

import pytest

from recollect.errors import InvalidRequest
from recollect.evaluation import MODES, evaluate, evaluate_modes


def test_repositories_are_scored_by_rank_and_averaged_over_repositories(repository_set, opener):
    dataset, trees = repository_set
    result = evaluate(dataset, mode="search", repos=trees, open_engine=opener)
    by_id = {query.id: query for query in result.queries}
    assert by_id["session class"].ranks == (1,)
    assert by_id["retry_delay"].ranks == (1,)
    assert by_id["theme colours"].ranks == (1, None)
    assert by_id["theme colours"].values[0] == pytest.approx(0.61315, abs=1e-5)  # 1 / (1 + 0.6309297536)
    # webby 1, shelly 0.61315: the mean over repositories, not over the three queries (0.871)
    assert result.scores["ndcg@10"] == pytest.approx(0.806575, abs=1e-5)
    assert result.scores["hit@1"] == 1.0
    assert result.by_language["bash"]["ndcg@10"] == pytest.approx(0.61315)
    assert result.by_category["semantic"]["ndcg@10"] == pytest.approx((1 + 0.61315) / 2)


def test_a_hit_outside_the_named_lines_does_not_count(repository_set, opener):
    dataset, trees = repository_set
    (result,) = evaluate_modes(dataset, modes=["vsearch"], repos=trees, only=["webby"], open_engine=opener)
    retry = next(query for query in result.queries if query.id == "retry_delay")
    # Least matching first: retry.py:1-5 and session.py come before retry.py:6-7, the lines that count.
    assert retry.ranks == (3,)
    assert retry.values == (0.5, 0.0, 1.0)


def test_only_the_first_ten_hits_are_asked_for(repository_set, opener):
    dataset, trees = repository_set
    evaluate(dataset, mode="query", repos=trees, open_engine=opener)
    assert {call.split()[1] for call in opener.log if call.startswith("query")} == {"10"}


def test_text_sets_are_scored_by_document_with_graded_gains(write_text_set, opener):
    result = evaluate(write_text_set(), mode="search", open_engine=opener)
    cats, dogs = result.queries
    # "cats purr": both chunks of a/1 come first and are one document, then b, then c.
    assert cats.ranks == (1, 3)
    assert cats.values[0] == pytest.approx(2.5 / 2.63093, abs=1e-5)  # (2 + 1/2) / (2 + 0.6309297536)
    assert cats.values[1:] == (1.0, 1.0, 1.0, 1.0)
    assert dogs.ranks == (1,)


def test_each_group_gets_a_database_of_its_own_that_is_gone_afterwards(repository_set, opener):
    dataset, trees = repository_set
    evaluate(dataset, mode="search", repos=trees, open_engine=opener)
    assert len(set(opener.paths)) == 2
    assert not any(path.parent.exists() for path in opener.paths)


def test_several_modes_index_once_and_keep_their_own_scores(write_text_set, opener):
    results = evaluate_modes(write_text_set(), modes=["search", "vsearch", "search"], open_engine=opener)
    assert [result.mode for result in results] == ["search", "vsearch"]
    assert [call for call in opener.log if call.startswith("add")] == ["add small"]
    assert results[0].scores["mrr@10"] > results[1].scores["mrr@10"]


def test_what_was_not_available_is_reported_once(write_text_set, opener):
    search, vsearch = evaluate_modes(write_text_set(), modes=["search", "vsearch"], open_engine=opener)
    assert search.degraded == ()
    assert vsearch.degraded == ("no vectors",)


def test_a_question_the_engine_refuses_scores_nothing_and_is_named(write_text_set, opener):
    wordless = '{"_id": "q1", "text": "cats purr"}\n{"_id": "q2", "text": "▄█▄ ██"}\n'
    result = evaluate(write_text_set(queries=wordless), mode="search", open_engine=opener)
    assert [query.values[0] > 0 for query in result.queries] == [True, False]
    assert result.queries[1].ranks == (None,)
    assert result.degraded == ("small: refused 'q2': The query holds no words.",)


def test_the_result_says_what_was_measured_and_with_what(write_text_set, opener):
    write_text_set("texts/other")
    result = evaluate(write_text_set().parent, open_engine=opener)
    assert (result.dataset, result.kind, result.mode) == ("texts", "texts", "query")
    assert (result.version, result.embedder, result.fingerprint) == ("9.9", "words-1", "f00d")
    assert [(group.name, group.chunks) for group in result.groups] == [("other", 4), ("small", 4)]
    assert result.index_s > 0
    assert all(query.took_ms > 0 for query in result.queries)
    assert result.machine.cores >= 1


def test_progress_is_told_for_every_group(repository_set, opener):
    dataset, trees = repository_set
    steps = []
    evaluate(dataset, repos=trees, open_engine=opener, progress=steps.append)
    assert [(step.collection, step.done, step.total) for step in steps] == [
        ("webby", 0, 2),
        ("shelly", 1, 2),
        ("shelly", 2, 2),
    ]


@pytest.mark.parametrize(("modes", "hint"), [(["serach"], '"search"'), ([], "search, vsearch, query")])
def test_an_unknown_mode_is_refused_before_any_work(repository_set, opener, modes, hint):
    dataset, trees = repository_set
    with pytest.raises(InvalidRequest) as caught:
        evaluate_modes(dataset, modes=modes, repos=trees, open_engine=opener)
    assert hint in caught.value.hint
    assert opener.paths == []


def test_the_installed_engine_can_be_evaluated_in_every_mode(repository_set, write_text_set, monkeypatch, tmp_path):
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "users.db"))
    dataset, trees = repository_set
    code = evaluate_modes(dataset, modes=MODES, repos=trees)
    texts = evaluate_modes(write_text_set(), modes=MODES)
    assert [result.mode for result in code] == ["search", "vsearch", "query"]
    for result in (code[0], code[2]):
        assert {query.id: query.ranks[0] for query in result.queries}["session class"] == 1
    assert texts[0].scores["mrr@10"] == 1.0
    assert texts[2].degraded == ()
    assert not (tmp_path / "users.db").exists()
