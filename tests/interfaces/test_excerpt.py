"""The lines and words of a hit that a reader's eye needs, and nothing that could take over the terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.interfaces.excerpt import MAX_LINES, emphasised, excerpt, query_terms, visible
from recollect.types import Hit


def _hit(text: str, start: int = 1) -> Hit:
    return Hit("#1", "c", "p", start, start + text.count("\n"), "", "lines", "", text, 0.5)


def test_a_short_hit_is_shown_whole() -> None:
    shown = excerpt(_hit("one\ntwo\n", start=7), frozenset())
    assert (shown.lines, shown.first_line, shown.hidden_before, shown.hidden_after) == (("one", "two"), 7, 0, 0)


def test_of_a_long_hit_the_lines_around_the_querys_words_are_shown() -> None:
    lines = [f"line {n}" for n in range(100)]
    lines[60], lines[63] = "the retry happens", "after this delay"
    lines[5] = "a retry, but nothing else"
    shown = excerpt(_hit("\n".join(lines), start=10), query_terms("retry delay"))
    assert {"the retry happens", "after this delay"} <= set(shown.lines)
    assert len(shown.lines) <= MAX_LINES
    assert shown.lines[0] == lines[shown.first_line - 10]
    assert shown.hidden_before == shown.first_line - 10
    assert shown.hidden_before + len(shown.lines) + shown.hidden_after == 100


def test_without_any_word_of_the_query_the_beginning_is_shown() -> None:
    shown = excerpt(_hit("\n".join(f"line {n}" for n in range(40))), query_terms("absent"))
    assert (shown.first_line, shown.hidden_before) == (1, 0)


def test_full_shows_everything() -> None:
    assert len(excerpt(_hit("x\n" * 200), frozenset(), None).lines) == 200


def test_words_are_emphasised_by_what_they_mean_to_the_index() -> None:
    line = "self.retryDelay = compute_delays(other)"
    spans = emphasised(line, query_terms("retry delay"))
    assert [line[a:b] for a, b in spans] == ["retryDelay", "compute_delays"]


def test_quoted_words_are_emphasised_too() -> None:
    line = "an exact phrase"
    assert [line[a:b] for a, b in emphasised(line, query_terms('"exact phrase"'))] == ["exact", "phrase"]


def test_indexed_text_cannot_steer_the_terminal_or_disguise_code() -> None:
    assert visible("a\x1b[31mb\x07\x9b2J\u202ec\u2066\x7f\x00") == "a␛[31mb␇\ufffd2J\ufffdc\ufffd␡␀"
    assert visible("tab\tstays\r\nand lines\n") == "tab\tstays\nand lines\n"


@given(st.text(max_size=400), st.integers(1, 5))
def test_whatever_the_text_an_excerpt_counts_its_lines_right(text: str, size: int) -> None:
    shown = excerpt(_hit(text), query_terms("some words"), size)
    total = len(visible(text.removesuffix("\n")).split("\n"))
    assert shown.hidden_before + len(shown.lines) + shown.hidden_after == total
    assert 1 <= len(shown.lines) <= size
    assert shown.first_line == 1 + shown.hidden_before


@given(st.text(max_size=200))
def test_emphasis_stays_inside_the_line(line: str) -> None:
    for start, end in emphasised(line, query_terms(line or "x")):
        assert 0 <= start < end <= len(line)
