"""What is lost when the analysis fails: words that stand in the text and are not found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.terms import ParsedQuery, TermIds, analyse, term_id


@pytest.mark.parametrize("written", ["getUserName", "get_user_name", "get-user-name", "GetUserName", "GET_USER_NAME"])
def test_an_identifier_is_found_however_it_is_written(written: str) -> None:
    assert analyse(written) == ["getusername", "get", "user", "name"]


def test_parts_of_acronyms_and_numbers_are_found() -> None:
    assert analyse("HTTPServer2") == ["httpserver2", "http", "server", "2"]
    assert "256" in analyse("sha256")


def test_inflected_words_meet() -> None:
    assert analyse("retries") == analyse("retry") == analyse("retrying")


def test_accents_do_not_hide_a_word() -> None:
    assert analyse("café") == analyse("cafe")


def test_scripts_without_spaces_are_found_by_any_two_characters() -> None:
    assert analyse("日本語") == ["日本", "本語"]
    assert analyse("字") == ["字"]


def test_hindi_words_are_not_cut_at_vowel_signs() -> None:
    assert analyse("नमस्ते दुनिया") == ["नमस्ते", "दुनिया"]


@given(st.text())
def test_any_text_gives_terms_without_blanks(text: str) -> None:
    for term in analyse(text):
        assert term
        assert not any(c.isspace() for c in term)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40), st.text(alphabet="abc XYZ_", max_size=20))
def test_terms_of_joined_lines_are_the_terms_of_each(left: str, right: str) -> None:
    assert analyse(left + "\n" + right) == analyse(left) + analyse(right)


def test_phrases_and_exclusions_are_strict() -> None:
    parsed = ParsedQuery('how to "retry delay" -legacy -"old client" backoff')
    assert parsed.phrases == [["retri", "delay"]]
    assert parsed.excluded == [["legaci"], ["old", "client"]]
    assert set(parsed.terms) == {"retri", "delay", "backoff"}
    assert parsed.text == "how to retry delay backoff"
    assert parsed.strict


def test_quotes_in_a_whole_sentence_are_not_strict() -> None:
    parsed = ParsedQuery('I would like to find articles on "what you see is what you get" systems for text')
    assert not parsed.strict
    assert "articl" in parsed.terms


def test_a_question_of_stop_words_only_still_asks_something() -> None:
    assert set(ParsedQuery("what is this").terms) == {"what", "is", "this"}


def test_option_names_are_words_not_exclusions() -> None:
    assert not ParsedQuery("what does --no-embed do").excluded


def test_term_ids_are_the_same_everywhere() -> None:
    # Stored in databases: a change here would make every existing index unreadable.
    assert term_id("retri") == 16062046915397551464
    assert TermIds()["delay"] == term_id("delay")
