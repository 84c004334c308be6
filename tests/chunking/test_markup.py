"""reStructuredText and AsciiDoc are found by section like Markdown."""

from __future__ import annotations

from recollect.chunking import Chunked, chunk
from recollect.types import Document

TEXT = "\n".join(f"Line {number} of the text." for number in range(8))


def read(text: str, language: str) -> Chunked:
    return chunk(Document("docs/guide.x", text, language))


def test_rst_headings_rank_by_first_appearance() -> None:
    found = read(
        f"=====\nGuide\n=====\n\n{TEXT}\n\nPart\n====\n\n{TEXT}\n\nDetail\n------\n\n{TEXT}\n\nNext\n====\n\n{TEXT}\n",
        "rst",
    )
    assert found.title == "Guide"
    assert [each.title for each in found.chunks] == ["Guide", "Guide > Part", "Guide > Part > Detail", "Guide > Next"]
    assert found.chunks[1].text.startswith("Part\n====")


def test_rst_tables_and_transitions_are_no_headings() -> None:
    table = "=====  =====\na      b\n=====  =====\n1      2\n=====  ====="
    found = read(f"Guide\n=====\n\n{TEXT}\n\n{table}\n\n----\n\n{TEXT}\n", "rst")
    assert {each.title for each in found.chunks} == {"Guide"}


def test_rst_code_is_not_cut() -> None:
    code = "\n\n".join(f"    call_number({number}, with_some_more_arguments)" for number in range(60))
    found = read(f"Guide\n=====\n\n{TEXT}\n\n.. code-block:: python\n\n{code}\n\nAfter.\n", "rst")
    holding = [each for each in found.chunks if "call_number(0," in each.text]
    assert len(holding) == 1
    assert "call_number(59," in holding[0].text


def test_asciidoc_headings_and_blocks() -> None:
    found = read(
        f"= Guide\n\n{TEXT}\n\n== Part\n\n{TEXT}\n\n----\n== not a heading\n----\n\n=== Detail\n\n{TEXT}\n", "asciidoc"
    )
    assert found.title == "Guide"
    assert [each.title for each in found.chunks] == ["Guide", "Guide > Part", "Guide > Part > Detail"]


def test_an_asciidoc_block_that_never_closes_swallows_nothing() -> None:
    found = read(f"= Guide\n\n{TEXT}\n\n----\nopen\n\n" + "\n\n".join([TEXT] * 60), "asciidoc")
    assert len(found.chunks) > 3
