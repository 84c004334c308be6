"""A glob that silently means something else makes a user search in the wrong files."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidRequest
from recollect.sources import compile_globs


@pytest.mark.parametrize(
    ("globs", "path", "matches"),
    [
        (["*.py"], "a/b/c.py", True),
        (["*.py"], "c.pyc", False),
        (["src/**/*.ts"], "src/x.ts", True),
        (["src/**/*.ts"], "src/a/b/x.ts", True),
        (["src/**/*.ts"], "lib/src/x.ts", False),
        (["docs/"], "docs/a/b.md", True),
        (["docs/"], "a/docs/b.md", True),
        (["docs/"], "docs", False),
        (["docs"], "docs/a.md", True),
        (["docs/*.md"], "docs/sub/a.md", False),
        (["./README.md"], "README.md", True),
        (["./README.md"], "a/README.md", False),
        (["*.{ts,tsx}"], "a/x.tsx", True),
        (["{src,lib}/**/*.{js,ts}"], "lib/a.js", True),
        (["{id}.tsx"], "pages/{id}.tsx", True),
        (["src/", "!src/gen/"], "src/a.py", True),
        (["src/", "!src/gen/"], "src/gen/a.py", False),
        (["with space.txt"], "a/with space.txt", True),
        (["*🚀*"], "notes/to the 🚀 moon.md", True),
        (["[[]x]"], "[x]", True),
        (["#notes"], "#notes", True),
        (["**"], "a/b", True),
        ([], "a", False),
    ],
)
def test_globs_mean_what_gitignore_lines_mean(globs: list[str], path: str, matches: bool) -> None:
    assert compile_globs(globs)(path) is matches


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("glob_form", ["NFC", "NFD"])
def test_unicode_forms_do_not_matter(form: str, glob_form: str) -> None:
    path = unicodedata.normalize(form, "café/über.md")
    assert compile_globs([unicodedata.normalize(glob_form, "café/*.md")])(path)
    assert compile_globs([unicodedata.normalize(glob_form, "?ber.md")])(path)


@pytest.mark.parametrize(
    "glob",
    [
        "",
        " ",
        "!",
        "[abc",
        "src/[!",
        "/etc/*.py",
        "C:\\x\\*.py",
        "../x",
        "a/../b",
        "a\0b",
        "a\\",
        "[[:nope:]]",
        "/",
        "./",
    ],
)
def test_a_glob_that_cannot_match_is_an_error_with_a_hint(glob: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        compile_globs(["*.py", glob])
    assert caught.value.hint
    assert "\n" not in caught.value.message


def test_only_taking_away_is_an_error() -> None:
    with pytest.raises(InvalidRequest, match="only takes away"):
        compile_globs(["!*.py"])


def test_braces_cannot_fill_the_memory() -> None:
    with pytest.raises(InvalidRequest, match="more than"):
        compile_globs(["{a,b}" * 30])


@given(st.text(min_size=1, max_size=12))
def test_any_text_is_a_glob_or_one_clear_error(text: str) -> None:
    try:
        matches = compile_globs([text])
    except InvalidRequest as error:
        assert error.hint
    else:
        assert matches("some/path.py") in (True, False)
