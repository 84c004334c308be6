"""What is lost when a query is misread: the exact definition someone asked for by name."""

from __future__ import annotations

import pytest

from recollect.retrieval.paths import traits
from recollect.retrieval.query import understand


@pytest.mark.parametrize(
    "text",
    [
        "cn() utility function",
        "class RetryPolicy",
        "std::vector",
        "compute_retry_delay",
        "getUserName",
        "HTTPServer",
        "self.cache",
        "ptr->next",
        "import numpy",
    ],
)
def test_code_is_told_from_prose(text: str) -> None:
    assert understand(text).code


@pytest.mark.parametrize(
    "text", ["how are passwords hashed", "Where is the config read?", "retry delay", "e.g. this thing"]
)
def test_prose_is_not_taken_for_code(text: str) -> None:
    assert not understand(text).code


def test_names_are_found_however_they_are_written() -> None:
    assert understand("compute_retry_delay").names["computeretrydelay"] == 1.0
    assert understand("what does RetryPolicy do").names["retrypolicy"] == 1.0
    assert understand("retry policy limits").names["retrypolicy"] > 0.5
    assert understand("RetryPolicy").names == {"retrypolicy": 1.0}


def test_who_asks_for_tests_gets_tests() -> None:
    assert understand("tests of the parser").wants_tests
    assert not understand("the parser").wants_tests


@pytest.mark.parametrize(
    ("path", "trait"),
    [
        ("tests/test_a.py", "test"), ("src/a_test.go", "test"), ("a/FooTest.java", "test"), ("x/foo.spec.ts", "test"), ("spec/models/a.rb", "test"),
        ("examples/a.py", "example"), ("docs_src/tutorial/a.py", "example"), ("src/compat/old.py", "legacy"), ("api/v1.pb.go", "generated"),
        ("vendor/lib/a.c", "vendored"), ("pkg/__init__.py", "index"), ("src/index.ts", "index"), ("types/a.d.ts", "declarations"),
    ],
)  # fmt: skip
def test_paths_tell_what_they_hold(path: str, trait: str) -> None:
    assert getattr(traits(path), trait)


@pytest.mark.parametrize(
    "path",
    [
        "src/attestation.py",
        "src/contest.go",
        "latest/run.py",
        "src/parser.py",
        "src/inspect.py",
        "golden/a.py",
        "src/indexer.ts",
    ],
)
def test_ordinary_paths_carry_no_penalty(path: str) -> None:
    found = traits(path)
    assert not any(
        (found.test, found.example, found.legacy, found.generated, found.vendored, found.index, found.declarations)
    )
