"""A result that cannot be read back, or says something else then, cannot be compared with."""

from __future__ import annotations

import json

import pytest

from recollect.errors import InvalidRequest, UnsupportedPath
from recollect.evaluation import describe_machine, read_result, write_result

SCORES = {"webby": {"one": (1.0, 1.0, 1.0), "two": (0.5, 0.0, 1.0)}, "shelly": {"three": (0.0, 0.0, 0.0)}}


def test_a_result_reads_back_as_it_was_written(make_result, tmp_path):
    result = make_result(SCORES)
    path = write_result(result, tmp_path / "new/folder")
    assert path.name == "2025-01-31-code-query.json"
    assert read_result(path) == result
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_file_holds_the_averages_people_look_for(make_result):
    data = json.loads(make_result(SCORES).to_json())
    assert data["scores"] == {"ndcg@10": 0.375, "hit@1": 0.25, "hit@10": 0.5}
    assert data["latency_ms"] == {"p50": 2.0, "p95": 2.0}
    assert data["groups"][0]["queries"] == 2
    assert data["by_language"]["python"]["ndcg@10"] == 0.375
    assert data["by_category"]["semantic"]["ndcg@10"] == 0.5
    assert data["machine"]["cpu"] == "CPU"


def test_six_hundred_queries_fit_in_two_hundred_kilobytes(make_result):
    names = {
        f"how are retries scheduled after a connection was lost {number}": (0.63093, 0.0, 1.0) for number in range(20)
    }
    result = make_result({f"repository-{number}": dict(names) for number in range(30)})
    assert len(result.to_json().encode()) < 200_000


def test_a_second_run_of_the_day_replaces_the_first(make_result, tmp_path):
    write_result(make_result(SCORES), tmp_path)
    better = make_result({"webby": {"one": (1.0, 1.0, 1.0)}})
    assert read_result(write_result(better, tmp_path)) == better
    assert len(list(tmp_path.iterdir())) == 1


def test_names_that_are_no_file_names_are_made_safe(make_result, tmp_path):
    path = write_result(make_result(SCORES, dataset="my set/1"), tmp_path)
    assert path.name == "2025-01-31-my_set_1-query.json"


def test_a_folder_that_cannot_be_written_is_said(make_result, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnsupportedPath, match="cannot be written"):
        write_result(make_result(SCORES), tmp_path / "file")


def test_a_missing_result_is_said(tmp_path):
    with pytest.raises(UnsupportedPath, match="no result file"):
        read_result(tmp_path / "old.json")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "kind": "other", "columns": []}', "\ufeff{"]
)
def test_something_else_is_not_taken_for_a_result(tmp_path, text):
    path = tmp_path / "old.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRequest, match="not an evaluation result"):
        read_result(path)


def test_a_newer_format_is_refused(tmp_path):
    path = tmp_path / "old.json"
    path.write_text('{"format": 2}')
    with pytest.raises(InvalidRequest, match="format 2"):
        read_result(path)


def test_the_machine_is_described_without_naming_its_owner():
    machine = describe_machine()
    assert machine.cpu
    assert machine.cores >= 1
    assert machine.python.startswith(("CPython 3.", "PyPy 3."))
