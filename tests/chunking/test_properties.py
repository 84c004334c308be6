"""No text, however broken, loses a line: chunks cover everything, in order, exactly as it stands in the file."""

from __future__ import annotations

import itertools
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.chunking import LIMITS, Chunked, chunk
from recollect.chunking.grammars import GRAMMARS
from recollect.types import Document

SAMPLES = sorted(path for path in (Path(__file__).parent / "samples").iterdir() if path.is_file())
CODE = sorted([*GRAMMARS, "html", "vue", "r", "json", "yaml", "toml", "makefile", "unknown"])
PROSE = ["markdown", "rst", "asciidoc", "text", ""]
PIECES = [
    *("{", "}", "(", ")", "[", "]", '"', "'", "`", "#", "//", "/*", "*/", "--", "<<EOF", "EOF", "```", "~~~", "---"),
    *("def f():", "class A:", "function f() {", "end", "do", "if x", "else", "struct S {", "impl A {", "<p>", "</p>"),
    *("<script>", "</script>", "# Title", "## Part", "- item", "| a | b |", "|---|---|", "key: value", "a = 1", "::"),
    *(
        "=====",
        "== Part",
        "\t",
        "    ",
        "\f",
        "\v",
        "\u2028",
        "\x85",
        "\r",
        "\x00",
        "é",
        "漢字",
        "🙂",
        "\\",
        ";",
        ",",
        "@x",
    ),
    *("import a", "x <- function(a) a", 'r"(', "&a [*a]", "- &b b", "? k", "!!set", "%YAML 1.2", "defmodule A do"),
]
LINE = st.one_of(st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join), st.text(max_size=40))
TEXT = st.lists(LINE, max_size=60).map("\n".join)


def check(document: Document, chunked: Chunked, *, exact: bool) -> None:
    """Every rule that holds for any text; `exact` for kinds of text whose chunks never overlap."""
    lines = document.text.split("\n")
    covered: set[int] = set()
    for each in chunked.chunks:
        assert 1 <= each.start_line <= each.end_line <= len(lines)
        assert each.text == "\n".join(lines[each.start_line - 1 : each.end_line])
        assert each.end_line - each.start_line < LIMITS.max_lines
        if exact and each.end_line > each.start_line:
            assert len(each.text) <= LIMITS.code_max_chars
        assert len(each.context) <= LIMITS.context_chars
        for symbol in each.symbols:
            assert each.start_line <= symbol.start_line <= each.end_line
            assert symbol.start_line <= symbol.end_line
            assert symbol.name.strip()
        covered.update(range(each.start_line, each.end_line + 1))
    for first, second in itertools.pairwise(chunked.chunks):
        assert first.start_line < second.start_line
        if exact:
            assert first.end_line < second.start_line
    missing = [number for number, line in enumerate(lines, 1) if line.strip() and number not in covered]
    if not chunked.metadata:  # front matter is metadata, not text
        assert missing == []


@pytest.mark.parametrize("language", CODE)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=TEXT)
def test_code_loses_no_line(language: str, text: str) -> None:
    document = Document("src/a file.x", text, language)
    check(document, chunk(document), exact=True)


@pytest.mark.parametrize("language", PROSE)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=TEXT)
def test_prose_loses_no_line(language: str, text: str) -> None:
    document = Document("docs/a file.x", text, language)
    check(document, chunk(document), exact=False)


@pytest.mark.parametrize("language", CODE)
def test_any_file_survives_being_read_as_any_language(language: str) -> None:
    """Samples of all languages, cut in pieces and glued together out of order, as one language."""
    generator = random.Random(7)
    lines = [line for path in SAMPLES for line in path.read_text(encoding="utf-8").split("\n")]
    start = generator.randrange(len(lines) // 2)
    text = "\n".join(generator.sample(lines[start : start + 400], 300) + lines[start : start + 300])
    document = Document("src/mixed.x", text, language)
    check(document, chunk(document), exact=True)


@pytest.mark.parametrize("language", [*CODE, *PROSE])
def test_deep_nesting_is_no_recursion(language: str) -> None:
    for opening in ("(", "[", "{", "<div>", "- ", "> ", "a: ", "if x {\n", "class A {\n", "begin\n", "((\n"):
        document = Document("deep.x", opening * 3_000, language)
        check(document, chunk(document), exact=language not in PROSE)


@pytest.mark.parametrize("language", [*CODE, *PROSE])
def test_undecodable_bytes_kept_as_surrogates_are_text(language: str) -> None:
    document = Document(
        "odd.x", b"a = 'caf\xe9'\n# \xff\n\nb: \xed\xa0\x80\n".decode("utf-8", "surrogateescape"), language
    )
    check(document, chunk(document), exact=language not in PROSE)


def test_threads_do_not_share_parsers() -> None:
    documents = [Document(path.name, path.read_text(encoding="utf-8"), "python") for path in SAMPLES] * 4
    alone = [chunk(document) for document in documents]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(chunk, documents)) == alone
