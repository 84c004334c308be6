"""A reader gets the section that answers, with its heading path, whole code examples, and the right line numbers."""

from __future__ import annotations

import itertools

from recollect.chunking import LIMITS, Chunked, chunk
from recollect.chunking.lines import estimate_tokens
from recollect.types import Document

SENTENCE = "The gardener waters every plant of the long border before the sun is high."


def markdown(text: str, path: str = "docs/getting-started.md") -> Chunked:
    return chunk(Document(path, text, "markdown"))


def paragraphs(count: int) -> str:
    return "\n\n".join(f"{SENTENCE}\n{SENTENCE} {number}\n{SENTENCE}\n{SENTENCE}" for number in range(count))


def test_sections_are_titled_with_their_path() -> None:
    found = markdown(
        f"# Garden\n\n{paragraphs(1)}\n\n## Roses\n\n{paragraphs(1)}\n\n### *Cutting* `them`\n\n{paragraphs(1)}\n"
    )
    assert found.title == "Garden"
    assert [each.title for each in found.chunks] == ["Garden", "Garden > Roses", "Garden > Roses > Cutting them"]
    assert found.chunks[2].context == "Document: Garden\nSection: Garden > Roses > Cutting them"
    assert {each.kind for each in found.chunks} == {"section"}


def test_front_matter_is_metadata_and_not_text() -> None:
    found = markdown("---\ntitle: My page\ntags: [a, b]\ndate: 2024-05-01\n---\n\n# Other\n\nText.\n")
    assert found.title == "My page"
    assert found.metadata == {"title": "My page", "tags": ["a", "b"], "date": "2024-05-01"}
    assert [(each.start_line, each.text) for each in found.chunks] == [(7, "# Other\n\nText.")]


def test_toml_front_matter_is_understood_too() -> None:
    assert markdown('+++\ntitle = "Hugo"\n+++\nText.\n').title == "Hugo"


def test_broken_front_matter_stays_text() -> None:
    for broken in ("a: [", "date: 2024-13-45", "? {a: b}\n: c", "- just\n- a list"):
        found = markdown(f"---\n{broken}\n---\n\n# Title\n\nText.\n")
        assert found.metadata == {}
        assert found.title == "Title"
        assert broken in "\n".join(each.text for each in found.chunks)


def test_front_matter_that_explodes_is_bounded() -> None:
    levels = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))
    found = markdown(f"---\na0: &a0 [x]\n{levels}\n---\nText.\n")
    assert len(str(found.metadata)) < 100_000


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert "Intro" in markdown("---\n\nIntro\n\n---\n\nMore.\n").chunks[0].text


def test_the_title_falls_back_to_the_file_name() -> None:
    assert markdown("Just text.\n").title == "getting started"


def test_code_fences_are_never_cut() -> None:
    code = "\n".join(f"print('line {number} of an example that goes on and on')" for number in range(120))
    found = markdown(f"# A\n\n{paragraphs(4)}\n\n```python\n# not a heading\n{code}\n```\n\n{paragraphs(4)}\n")
    holding = [each for each in found.chunks if "```python" in each.text]
    assert len(holding) == 1
    assert holding[0].text.count("```") == 2
    assert all(each.title == "A" for each in found.chunks)


def test_a_fence_longer_than_a_chunk_may_be_is_cut_at_the_limit() -> None:
    code = "\n".join(f"line {number}" for number in range(450))
    found = markdown(f"```\n{code}\n```\n")
    assert max(each.end_line - each.start_line + 1 for each in found.chunks) == LIMITS.max_lines


def test_a_table_that_fits_is_not_cut() -> None:
    rows = "\n".join(f"| plant {number} | water |" for number in range(30))
    found = markdown(f"# A\n\n{paragraphs(5)}\n\n| what | how |\n|---|---|\n{rows}\n\n{paragraphs(5)}\n")
    assert [each for each in found.chunks if "| what |" in each.text and "| plant 29 |" in each.text]


def test_long_sections_are_windows_that_overlap() -> None:
    found = markdown(f"# A\n\n{paragraphs(20)}\n").chunks
    assert len(found) > 2
    for first, second in itertools.pairwise(found):
        assert estimate_tokens(first.text) <= LIMITS.prose_tokens
        assert second.start_line <= first.end_line
        shared = "\n".join(first.text.split("\n")[second.start_line - first.start_line :])
        assert 0 < estimate_tokens(shared) <= LIMITS.prose_overlap_tokens


def test_small_sections_are_merged_with_their_siblings() -> None:
    parts = "\n\n".join(f"## Option {name}\n\nOne line." for name in "abcde")
    found = markdown(f"# Options\n\n{paragraphs(2)}\n\n{parts}\n\n# Other\n\n{paragraphs(2)}\n").chunks
    assert [each.title for each in found] == [
        "Options",
        "Options > Option a, Option b, Option c",
        "Options > Option d, Option e",
        "Other",
    ]


def test_a_heading_alone_goes_with_its_first_part() -> None:
    found = markdown(f"# Guide\n\n## First\n\n{paragraphs(2)}\n").chunks
    assert [(each.title, each.start_line) for each in found] == [("Guide > First", 1)]


def test_setext_headings_count_and_headings_in_quotes_do_not() -> None:
    found = markdown(f"Top\n===\n\n{paragraphs(2)}\n\n> # Quoted\n\nPart\n----\n\n{paragraphs(2)}\n").chunks
    assert [each.title for each in found] == ["Top", "Top > Part"]


def test_a_heading_that_is_only_a_picture_leaves_no_gap_in_the_path() -> None:
    found = markdown(f"# <img src='logo.svg'>\n\n{paragraphs(2)}\n\n## Install\n\n{paragraphs(2)}\n")
    assert found.title == "getting started"
    assert [each.title for each in found.chunks] == ["", "Install"]
