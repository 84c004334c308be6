"""Errors a program can rely on: one tree, a stable code each, a hint, and the status a process ends with."""

from __future__ import annotations

import inspect

import pytest

from recollect import errors
from recollect.errors import RecollectError, StateError, UsageError, nearest

TREE = sorted(
    (kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, RecollectError)),
    key=lambda kind: kind.__name__,
)
CODES = {
    "RecollectError": "error",
    "UsageError": "usage",
    "InvalidRequest": "invalid_request",
    "UnknownName": "unknown_name",
    "UnsupportedPath": "unsupported_path",
    "StateError": "state",
    "StoreError": "store",
    "StoreBusy": "store_busy",
    "EmbedderMismatch": "embedder_mismatch",
    "EmbedderError": "embedder",
    "ConfigError": "config",
}


def test_codes_are_stable_and_each_its_own() -> None:
    assert {kind.__name__: kind.code for kind in TREE} == CODES
    assert len(set(CODES.values())) == len(CODES)


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_the_status_follows_from_whose_fault_it_is(kind: type[RecollectError]) -> None:
    expected = 2 if issubclass(kind, UsageError) else 1
    assert kind.exit_status == expected
    assert issubclass(kind, UsageError | StateError) or kind is RecollectError


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_the_tree_is_drawn_at_the_top_of_the_file(kind: type[RecollectError]) -> None:
    assert errors.__doc__ is not None
    assert kind.__name__ in errors.__doc__


def test_an_error_travels_as_code_message_and_hint() -> None:
    error = errors.StoreError("The file is no database.", hint="Name another.")
    assert error.to_dict() == {"code": "store", "message": "The file is no database.", "hint": "Name another."}
    assert str(error) == "The file is no database."


def test_a_finer_code_belongs_to_one_error_only() -> None:
    assert errors.StateError("x", code="disk_full").code == "disk_full"
    assert errors.StateError("x").code == "state"


@pytest.mark.parametrize(
    ("name", "hint"), [("shpo", 'Did you mean "shop"?'), ("zzz", ""), ("", ""), ("shop", 'Did you mean "shop"?')]
)
def test_the_nearest_name_is_suggested_only_when_it_is_near(name: str, hint: str) -> None:
    assert nearest(name, ["shop", "notes"]) == hint
