"""The parity of the command line with the operations table, and what a mistyped line is answered."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config import describe
from recollect.errors import RecollectError
from recollect.interfaces.arguments import FLAGS, SEARCHES, flags_of, parse, wants_json
from recollect.operations import OPERATIONS, Operation
from recollect.requests import build

FIELDS = [(operation, f.name) for operation in OPERATIONS.values() for f in dataclasses.fields(operation.request)]


def _required(operation: Operation) -> dict[str, Any]:
    return {f.name: "something" for f in dataclasses.fields(operation.request) if f.default is dataclasses.MISSING}


def _example(operation: Operation, name: str) -> tuple[list[str], Any]:
    """Words that set the field to something that is not its default, and the value they stand for."""
    hint = typing.get_args(typing.get_type_hints(operation.request, include_extras=True)[name])[0]
    default = {f.name: f.default for f in dataclasses.fields(operation.request)}[name]
    flags = flags_of(operation)[name]
    if typing.get_origin(hint) is tuple:
        return ([flags[0], "a", flags[0], "b"] if flags else ["a", "b"]), ("a", "b")
    if hint is bool:
        return [flags[0].replace("--", "--no-") if default else flags[0]], not default
    value = {int: 3, float: 0.5, float | None: 0.5}.get(hint, "other")
    return ([flags[0], str(value)] if flags else [str(value)]), value


@pytest.mark.parametrize(("operation", "name"), FIELDS, ids=[f"{o.name}-{n}" for o, n in FIELDS])
def test_every_field_of_every_request_is_reachable(operation: Operation, name: str) -> None:
    words, value = _example(operation, name)
    others = {k: v for k, v in _required(operation).items() if k != name}
    invocation = parse([operation.name, *words, *others.values()])
    request = build(operation.request, dict(invocation.values))
    assert getattr(request, name) == value
    assert request != operation.request(**(_required(operation)))


@pytest.mark.parametrize("name", sorted(set(describe()) - {"limit", "exclude"}))
def test_every_setting_is_reachable_before_and_after_the_command(name: str) -> None:
    kind, _ = describe()[name]
    flag = "--" + name.replace("_", "-")
    words, value = {
        bool: ([f"--no-{name.replace('_', '-')}"], False),
        int: ([flag, "7"], 7),
        Path: ([flag, "x"], Path("x")),
    }.get(kind, ([flag, "x"], "x"))
    assert parse([*words, "status"]).settings == {name: value}
    assert parse(["status", *words]).settings == {name: value}


@pytest.mark.parametrize("command", sorted(SEARCHES))
@pytest.mark.parametrize("flag", ["--debug", "--explain"])
def test_short_forms_mean_the_same_as_the_long_ones(command: str, flag: str) -> None:
    short = parse([command, "x", "-n", "3", "-c", "a", "--json", flag])
    long = parse([command, "x", "--limit", "3", "--collection", "a", "--format", "json", "--explain"])
    assert short == long
    assert FLAGS["limit"] == ("--limit", "-n")


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (["where", "is", "it"], "where is it"),
        (["where is it"], "where is it"),
        (["where", "--limit", "3", "is", "it"], "where is it"),
        (["--limit", "3", "where"], "where"),
        (['"exact words"', "other"], '"exact words" other'),
        (["--", "-term", "other"], "-term other"),
        (["-term other"], "-term other"),
        (["index", "search", "update"], "index search update"),
        (["nul\0byte", "bad\udcffbyte"], "nul byte bad\ufffdbyte"),
    ],
)
def test_a_query_needs_no_quotes(words: list[str], query: str) -> None:
    assert parse(["query", *words]).values["query"] == query


def test_a_settings_value_that_is_a_commands_name_is_no_command() -> None:
    invocation = parse(["--db", "query", "search", "words", "--limit", "2"])
    assert (invocation.command, invocation.values["limit"], invocation.settings["db"]) == ("search", 2, Path("query"))


@pytest.mark.parametrize(
    ("line", "says", "hint"),
    [
        ("qurey words", "'qurey' is no command", 'Did you mean "query"?'),
        ("frobnicate", "'frobnicate' is no command", "Known: query"),
        ("query words --limti 3", "Unknown option --limti", 'Did you mean "--limit"?'),
        ("query words --collectoin=x", "Unknown option --collectoin", 'Did you mean "--collection"?'),
        ("query words -zzz", "Unknown option -zzz", "in quotes"),
        ("query words --limit three", "limit must be a whole number, not 'three'", "--limit 5"),
        ("query words --min-score high", "min-score must be a number, not 'high'", "--min-score"),
        ("query words --format yaml", "'yaml' is no value of --format", "terminal, json"),
        ("collections --format paths", "'paths' is no value of --format", "terminal, json"),
        ("query words --limit", "expected one argument", "recollect query --help"),
        ("query", "required: QUERY", "recollect query --help"),
        ("index", "required: PATH", "recollect index --help"),
        ("index a b", "Unexpected word 'b'", "recollect index --help"),
        ("status now", "Unexpected word 'now'", "recollect status --help"),
        ("--dbb=x query words", "Unknown option --dbb", 'Did you mean "--db"?'),
        ("eval data --mode fast", "'fast' is no value of --mode", "query"),
    ],
)
def test_a_mistyped_line_is_answered_in_one_line_with_a_hint(line: str, says: str, hint: str) -> None:
    with pytest.raises(RecollectError) as caught:
        parse(line.split())
    assert says in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.exit_status == 2
    assert "\n" not in caught.value.message + caught.value.hint


@given(st.lists(st.text(max_size=12), max_size=5))
def test_no_words_whatever_end_in_anything_but_an_answer_or_one_of_our_errors(words: list[str]) -> None:
    try:
        parse(["search", "x", *words])
    except RecollectError as error:
        assert error.message
    except SystemExit:
        assert {"-h", "--help"} & set(words)


@pytest.mark.parametrize(
    ("words", "json"),
    [(["--json"], True), (["--format", "json"], True), (["--format=json"], True), (["--format", "paths"], False)],
)
def test_the_wish_for_json_is_seen_even_in_a_line_that_cannot_be_parsed(words: list[str], json: bool) -> None:
    assert wants_json(["query", "--nonsense", *words]) is json


def test_help_describes_every_field_in_the_words_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    for operation in OPERATIONS.values():
        with pytest.raises(SystemExit) as ended:
            parse([operation.name, "--help"])
        assert ended.value.code == 0
        shown = " ".join(capsys.readouterr().out.split())
        for hint in typing.get_type_hints(operation.request, include_extras=True).values():
            doc: Callable[..., Any] = typing.get_args(hint)[1]
            assert " ".join(doc.documentation.split()) in shown
