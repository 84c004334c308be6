"""Text without structure is still found in pieces of a readable size."""

from __future__ import annotations

import pytest

from recollect.chunking import LIMITS, chunk
from recollect.chunking.context import imported_names, path_words
from recollect.chunking.lines import estimate_tokens
from recollect.types import Document


def test_plain_text_is_cut_between_paragraphs() -> None:
    paragraph = "\n".join(["Some words that make up one line of the paragraph in question."] * 6)
    text = "\n\n".join([paragraph] * 12)
    found = chunk(Document("notes/my_diary.txt", text, "text"))
    assert found.title == "my diary"
    assert len(found.chunks) > 2
    for each in found.chunks:
        assert each.kind == "paragraph"
        assert estimate_tokens(each.text) <= LIMITS.prose_tokens
        assert each.end_line == text.count("\n") + 1 or text.split("\n")[each.end_line] == ""


def test_one_very_long_paragraph_is_cut_between_lines() -> None:
    text = "\n".join(f"line {number} of a log without any blank line" for number in range(500))
    found = chunk(Document("a.log", text, "text")).chunks
    assert all(estimate_tokens(each.text) <= LIMITS.prose_tokens for each in found)


def test_unknown_languages_are_windows_that_end_at_blank_lines() -> None:
    text = "\n".join("" if number % 20 == 19 else f"word {number}" for number in range(200))
    found = chunk(Document("Makefile", text, "makefile")).chunks
    assert len(found) >= 200 / LIMITS.fallback_lines
    for each in found:
        assert each.kind == "lines"
        assert each.end_line - each.start_line < LIMITS.fallback_lines
        assert each.start_line % 20 == 1


def test_one_endless_line_is_one_chunk() -> None:
    assert len(chunk(Document("data.bin", "x" * 100_000, "unknown")).chunks) == 1


@pytest.mark.parametrize(
    ("text", "counted"),  # by cl100k_base
    [
        (
            "Documents are split into chunks of approximately 400 tokens, with 80 tokens of overlap between neighbours.",
            20,
        ),
        ("def load_items(self, path: str) -> list[Item]:\n    return []", 17),
    ],
)
def test_tokens_are_estimated_close_to_a_tokenizer(text: str, counted: int) -> None:
    assert abs(estimate_tokens(text) - counted) <= counted * 0.1


def test_path_words_are_split_at_every_kind_of_border() -> None:
    assert path_words("src/authStore/HTTPServer_v2.test.py") == "src auth Store HTTP Server v 2 test"
    assert path_words("pkg/.bashrc") == "pkg bashrc"


def test_imported_names_are_the_last_components() -> None:
    statements = [
        "from pkg.store import load as read",
        "use std::collections::{HashMap, HashSet};",
        '#include "util/buffer.h"',
        'import shop from "./lib/why"',
    ]
    assert imported_names(statements) == {
        "store",
        "load",
        "read",
        "HashMap",
        "HashSet",
        "collections",
        "buffer",
        "shop",
        "why",
    }
