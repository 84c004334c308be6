"""Whoever asks where something is defined gets its exact name, kind, parent and lines, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.chunking import chunk
from recollect.types import Document

SAMPLES = Path(__file__).parent / "samples"
LANGUAGES = {
    "Account.java": "java",
    "Cache.swift": "swift",
    "Invoice.php": "php",
    "Orders.cs": "csharp",
    "Parser.hs": "haskell",
    "Repository.kt": "kotlin",
    "Tree.scala": "scala",
    "accounts.ex": "elixir",
    "buffer.zig": "zig",
    "deploy.sh": "bash",
    "graph.cpp": "cpp",
    "inventory.py": "python",
    "mailer.rb": "ruby",
    "model.R": "r",
    "page.html": "html",
    "panel.tsx": "tsx",
    "parser.c": "c",
    "queue.lua": "lua",
    "router.js": "javascript",
    "schema.sql": "sql",
    "server.go": "go",
    "shapes.rs": "rust",
    "store.ts": "typescript",
    "theme.css": "css",
    "widget.dart": "dart",
}


def symbols(name: str) -> list[str]:
    document = Document(name, (SAMPLES / name).read_text(encoding="utf-8"), LANGUAGES[name])
    return [
        f"{each.kind} {each.qualified} {each.start_line}-{each.end_line}"
        for found in chunk(document).chunks
        for each in found.symbols
    ]


def test_every_sample_has_expected_symbols() -> None:
    files = {path.name for path in SAMPLES.iterdir() if path.is_file()}
    assert files == set(LANGUAGES)
    assert {path.stem for path in (SAMPLES / "expected").iterdir()} == files


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_definitions_of(name: str) -> None:
    expected = (SAMPLES / "expected" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert symbols(name) == expected


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_expected_lines_hold_the_name(name: str) -> None:
    """The expectations themselves: a definition's lines contain the last part of its name."""
    lines = (SAMPLES / name).read_text(encoding="utf-8").split("\n")
    unnamed = {"this", "deinit", "init", "subscript", "operator +"}  # spelled otherwise in some language
    for expected in (SAMPLES / "expected" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        _, rest = expected.split(" ", 1)
        qualified, span = rest.rsplit(" ", 1)
        start, end = map(int, span.split("-"))
        last = qualified.rsplit(".", 1)[-1]
        text = "\n".join(lines[start - 1 : end])
        assert last in text or " ".join(last.split()) in " ".join(text.split()) or last in unnamed, expected
