"""How a command ends: exit status, one clear line with a hint, stdout for answers only."""

from __future__ import annotations

import dataclasses
import errno
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import EmbedderMismatch, StoreBusy, StoreError, UnknownName, UnsupportedPath
from recollect.interfaces import cli
from recollect.types import IndexReport

Say = Callable[..., Any]


def test_a_search_without_collection_brings_the_project_up_to_date_and_asks_it(say: Say, engine: Any) -> None:
    said = say("query", "retry", "delay")
    ((name, request),) = engine.asked
    assert (name, request.query, request.collections, request.limit) == ("query", "retry delay", ("shop",), 10)
    assert engine.ensured == [Path.cwd()]
    assert said.err == "shop: 1,200 files (3 added, 1 changed), 5,400 chunks written, 12 vectors made, in 250 ms\n"
    assert said.status == 0


def test_an_unchanged_project_is_not_worth_a_word(say: Say, engine: Any) -> None:
    engine.indexed = IndexReport("shop", "/r", 0, 0, 0, 9, 9, 0, (), 0.01)
    assert say("search", "x").err == ""


@pytest.mark.parametrize("words", [["--all"], ["-c", "shop"]])
def test_a_named_collection_is_asked_as_it_is(words: list[str], say: Say, engine: Any) -> None:
    say("query", "x", *words)
    assert engine.ensured == []


def test_auto_update_can_be_turned_off(say: Say, engine: Any) -> None:
    assert say("query", "x", "--no-auto-update").status == 0
    assert engine.ensured == []
    assert engine.asked[0][1].collections == ("shop",)
    engine.home = None
    said = say("query", "x", "--no-auto-update")
    assert said.status == 2
    assert "hint: Index it with: recollect index .\n" in said.err


def test_the_limit_comes_from_the_settings_unless_given(say: Say, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_LIMIT", "4")
    say("query", "x")
    say("query", "x", "-n", "2")
    assert [request.limit for _, request in engine.asked] == [4, 2]


def test_settings_reach_the_engine(say: Say, engine: Any, tmp_path: Path) -> None:
    say("--db", str(tmp_path / "x.db"), "status", "--workers", "2")
    assert (engine.settings.db, engine.settings.workers) == (tmp_path / "x.db", 2)


def test_no_hits_is_an_answer(say: Say, engine: Any) -> None:
    engine.responses["query"] = dataclasses.replace(engine.responses["query"], hits=())
    said = say("query", "zebra", "--all")
    assert (said.status, said.out) == (0, "")
    assert said.err.startswith("no hits")
    assert json.loads(say("query", "zebra", "--all", "--json").out)["hits"] == []


def test_what_was_not_available_is_said_and_quiet_is_quiet(say: Say, engine: Any) -> None:
    engine.responses["query"] = dataclasses.replace(engine.responses["query"], degraded=("no vectors yet",))
    assert "note: no vectors yet\n" in say("query", "x").err
    assert say("query", "x", "--quiet").err == ""


FAILURES = [
    (UnknownName("There is no collection 'shp'.", hint='Did you mean "shop"?'), 2, "unknown_name"),
    (UnsupportedPath("/x is a file.", hint="Name a folder."), 2, "unsupported_path"),
    (StoreError("x.db is not a Recollect database.", hint="Name another with --db."), 1, "store"),
    (StoreBusy("Process 12 is writing.", hint="Wait for it."), 1, "store_busy"),
    (EmbedderMismatch("Embedded with another model.", hint="Run: recollect embed --force"), 1, "embedder_mismatch"),
    (OSError(errno.ENOSPC, "No space left on device", "/x.db"), 1, "disk_full"),
    (PermissionError(errno.EACCES, "Permission denied", "/x.db"), 1, "permission"),
    (OSError(errno.EIO, "Input/output error", "/x.db"), 1, "system"),
]


@pytest.mark.parametrize(("failure", "status", "code"), FAILURES, ids=[code for _, _, code in FAILURES])
def test_a_failure_is_one_line_a_hint_and_a_status(
    failure: Exception, status: int, code: str, say: Say, engine: Any
) -> None:
    engine.failure = failure
    said = say("query", "x", "--all")
    assert (said.status, said.out) == (status, "")
    assert said.err.count("\n") == 2
    assert said.err.startswith("error: ")
    assert "\nhint: " in said.err
    as_json = say("query", "x", "--all", "--json")
    assert (as_json.status, as_json.out) == (status, "")
    error = json.loads(as_json.err)["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["query", "  "], "invalid_request"),
        (["query", ""], "invalid_request"),
        (["query", "x", "--limit", "-1"], "invalid_request"),
        (["query", "x", "--limit", "0"], "invalid_request"),
        (["query", "x", "--min-score", "nan"], "invalid_request"),
        (["query", "x", "--max-distance", "3"], "invalid_request"),
        (["query", "x" * 200_001], "invalid_request"),
        (["query", "x", "--nonsense"], "usage"),
        (["nonsense"], "usage"),
        (["get", ""], "invalid_request"),
        (["index", ".", "--name", ""], "invalid_request"),
        (["status", "--workers", "-1"], "invalid_request"),
    ],
)
def test_a_wrong_request_ends_before_anything_is_opened(words: list[str], code: str, say: Say, engine: Any) -> None:
    said = say(*words, "--json")
    assert (said.status, said.out) == (2, "")
    assert json.loads(said.err)["error"]["code"] == code
    assert engine.settings is None
    assert say(*words).err.startswith("error: ")


def test_a_settings_file_that_cannot_be_used_is_named(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_CONFIG", "/nowhere.toml")
    said = say("status")
    assert said.status == 1
    assert "/nowhere.toml" in said.err


def test_interrupted_work_says_so_and_ends_as_shells_expect(say: Say, engine: Any) -> None:
    engine.failure = KeyboardInterrupt()
    said = say("index", ".")
    assert (said.status, said.out) == (130, "")
    assert said.err.startswith("interrupted")
    assert said.err.count("\n") == 1


def test_config_shows_every_setting_with_its_origin(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_LIMIT", "4")
    monkeypatch.setenv("RECOLLECT_LIMITS", "4")
    said = say("config", "--db", "/x.db")
    assert "environment RECOLLECT_LIMIT" in said.out
    assert "/x.db" in said.out
    assert 'warning: RECOLLECT_LIMITS is not a setting. Did you mean "RECOLLECT_LIMIT"?' in said.err
    record = json.loads(say("config", "--json", "--db", "/x.db").out)
    assert record["settings"]["db"]["value"] == "/x.db"
    assert record["settings"]["db"]["origin"] == "argument"
    assert record["settings"]["limit"]["value"] == 4
    assert all(setting["description"] for setting in record["settings"].values())


def test_verbose_names_every_skipped_file(say: Say) -> None:
    assert "b.csv: too large (2.1 MB)" in say("index", ".", "--verbose").out


def test_several_lines_in_a_message_stay_one_line(say: Say, engine: Any) -> None:
    engine.failure = StoreError("first\nsecond\x1b[31m", hint="do\nthis")
    assert say("query", "x", "--all").err == "error: first second␛[31m\nhint: do this\n"


def test_our_own_fault_is_one_line_that_says_where_to_go(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["recollect", "query"])
    cli.excepthook(ZeroDivisionError, ZeroDivisionError("division\nby zero"), None)
    said = capsys.readouterr()
    assert said.err.splitlines()[0] == "error: internal error: ZeroDivisionError: division by zero"
    assert "report" in said.err
    assert said.out == ""


def test_our_own_fault_with_verbose_shows_where(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["recollect", "query", "--verbose", "--json"])
    cli.excepthook(ZeroDivisionError, ZeroDivisionError("by zero"), None)
    lines = capsys.readouterr().err.splitlines()
    assert json.loads(lines[-1])["error"]["code"] == "internal"
    assert "ZeroDivisionError: by zero" in lines[0]


def test_paths_that_are_no_text_come_back_as_the_file_system_spells_them(engine: Any) -> None:
    hit = dataclasses.replace(engine.responses["query"].hits[0], path="caf\udce9.py")
    engine.responses["query"] = dataclasses.replace(engine.responses["query"], hits=(hit,))
    for form, spelt in (
        ("paths", b"caf\xe9.py:10-13"),
        ("terminal", b"caf\\udce9.py:10-13"),
        ("json", b'"caf\\udce9.py"'),
    ):
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding="ascii")
        status = cli.main(["query", "x", "--format", form], out=out, err=io.StringIO(), open_engine=lambda _: engine)
        assert status == 0
        assert spelt in raw.getvalue()
