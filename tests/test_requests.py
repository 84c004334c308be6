"""What every door holds a caller to: the bounds of each field, said with the field's name and a way out."""

from __future__ import annotations

import dataclasses
import math
import typing
from typing import Any

import pytest
from annotated_doc import Doc
from hypothesis import given
from hypothesis import strategies as st

from recollect import requests
from recollect.errors import InvalidRequest, UnknownName
from recollect.operations import OPERATIONS, run
from recollect.requests import MAX_QUERY_CHARS, GetRequest, IndexRequest, RemoveRequest, SearchRequest, build, validate


@pytest.mark.parametrize(
    ("record", "values", "field"),
    [
        (SearchRequest, {"query": ""}, "query"),
        (SearchRequest, {"query": " \t\n"}, "query"),
        (SearchRequest, {"query": "x" * (MAX_QUERY_CHARS + 1)}, "query"),
        (SearchRequest, {"query": "x", "limit": 0}, "limit"),
        (SearchRequest, {"query": "x", "limit": -1}, "limit"),
        (SearchRequest, {"query": "x", "limit": 1001}, "limit"),
        (SearchRequest, {"query": "x", "limit": "5"}, "limit"),
        (SearchRequest, {"query": "x", "limit": True}, "limit"),
        (SearchRequest, {"query": "x", "min_score": 1.5}, "min-score"),
        (SearchRequest, {"query": "x", "min_score": -0.1}, "min-score"),
        (SearchRequest, {"query": "x", "min_score": math.nan}, "min-score"),
        (SearchRequest, {"query": "x", "max_distance": 2.5}, "max-distance"),
        (GetRequest, {"target": ""}, "target"),
        (IndexRequest, {"path": ".", "name": ""}, "name"),
        (IndexRequest, {"path": ".", "name": "n" * 201}, "name"),
        (RemoveRequest, {"name": ""}, "name"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(record: type[Any], values: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        build(record, values)
    assert field in caught.value.message
    assert caught.value.hint
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("value", [1, 10, 1000])
def test_values_on_the_bounds_are_taken(value: int) -> None:
    assert build(SearchRequest, {"query": "x", "limit": value}).limit == value


def test_what_may_be_absent_may_be_none() -> None:
    assert build(SearchRequest, {"query": "x", "max_distance": None}).max_distance is None
    assert build(IndexRequest, {"path": ".", "name": None}).name is None


def test_a_misspelt_field_is_answered_with_the_right_one() -> None:
    with pytest.raises(InvalidRequest) as caught:
        build(SearchRequest, {"query": "x", "limmit": 3})
    assert caught.value.hint == 'Did you mean "limit"?'


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidRequest, match="query missing"):
        build(SearchRequest, {})


@given(st.text(min_size=1, max_size=80), st.integers(-5, 1005))
def test_whatever_is_built_keeps_its_bounds(query: str, limit: int) -> None:
    try:
        request = build(SearchRequest, {"query": query, "limit": limit})
    except InvalidRequest:
        assert not query.strip() or not 1 <= limit <= 1000
    else:
        assert validate(request) is request
        assert 1 <= request.limit <= 1000


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda operation: operation.name)
def test_every_field_is_described_and_every_operation_named(operation: Any) -> None:
    hints = typing.get_type_hints(operation.request, include_extras=True)
    for f in dataclasses.fields(operation.request):
        (doc,) = [part for part in typing.get_args(hints[f.name]) if isinstance(part, Doc)]
        assert doc.documentation.endswith(".")
    assert set(operation.positional) <= {f.name for f in dataclasses.fields(operation.request)}
    assert operation.summary.endswith(".")
    assert operation.request.__doc__


def test_records_are_frozen_and_equal_by_value() -> None:
    request = SearchRequest("x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.limit = 3  # type: ignore[misc]
    assert request == build(SearchRequest, {"query": "x"})


def test_an_unknown_operation_is_answered_with_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nobody:
        def run(self, name: str, request: object) -> object:
            raise AssertionError("an unknown operation must not reach the engine")

    with pytest.raises(UnknownName) as caught:
        run(typing.cast(Any, Nobody()), "qurey", {})
    assert caught.value.hint == 'Did you mean "query"?'


def test_operations_share_the_limits_of_the_module() -> None:
    assert requests.MAX_QUERY_CHARS >= 100_000
