"""What a user would lose: a word of the question would no longer meet the same word inside an identifier."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.embedding.tokens import Tokeniser, split_words

VOCABULARY = ["get", "user", "name", "http", "response", "play", "##ing", "##er", "2", "urls", "parse", "cafe"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserName", ["get", "User", "Name"]),
        ("getHTTPResponse_code2", ["get", "HTTP", "Response", "code", "2"]),
        ("parse_URLs(IDs)", ["parse", "URLs", "IDs"]),
        ("SCREAMING_SNAKE-kebab.dot", ["SCREAMING", "SNAKE", "kebab", "dot"]),
        ("sha256sum 20261121", ["sha", "256", "sum", "2026", "1121"]),
        ("café Straße Łódź ﬁle", ["cafe", "Strasse", "Lodz", "file"]),
        ("что делает getX", ["что", "делает", "get", "X"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("… 🙂 -- ()", []),
    ],
)
def test_identifiers_and_scripts_split_into_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_longest_known_pieces_are_taken_whatever_the_case() -> None:
    tokeniser = Tokeniser(VOCABULARY, 0)
    assert tokeniser.ids("Playing player") == [5, 6, 5, 7]
    assert tokeniser.ids("getUserName") == tokeniser.ids("get user_NAME") == [0, 1, 2]


def test_a_word_with_an_unknown_part_is_left_out() -> None:
    assert Tokeniser(VOCABULARY, 0).ids("plays zebra get") == [0]


def test_other_scripts_meet_themselves_in_buckets_after_the_vocabulary() -> None:
    tokeniser = Tokeniser(VOCABULARY, 64)
    assert tokeniser.size == len(VOCABULARY) + 64
    russian, chinese = tokeniser.ids("поиск"), tokeniser.ids("向量搜索")
    assert len(russian) == 1
    assert len(chinese) == 3  # overlapping pairs of characters
    assert all(len(VOCABULARY) <= token < tokeniser.size for token in russian + chinese)
    assert set(tokeniser.ids("поисковый")) & set(tokeniser.ids("поисковая"))  # the first five letters are shared
    assert set(tokeniser.ids("用向量")) & set(chinese)


def test_hashes_and_base64_do_not_flood_the_text() -> None:
    assert Tokeniser(list("abcdefghijklmnopqrstuvwxyz") + [f"##{c}" for c in "abcdef"], 0).ids("abcdef" * 10) == []


@given(st.text())
def test_any_text_gives_known_ids_and_the_same_ones_again(text: str) -> None:
    tokeniser = Tokeniser(VOCABULARY, 16)
    first = tokeniser.ids(text)
    assert first == tokeniser.ids(text) == Tokeniser(VOCABULARY, 16).ids(text)
    assert all(0 <= token < tokeniser.size for token in first)


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_the_cached_split_agrees_with_the_word_split(text: str) -> None:
    tokeniser = Tokeniser([*VOCABULARY, *"abcdefghijklmnopqrstuvwxyz0123456789"], 0)
    assert tokeniser.ids(text) == [token for word in split_words(text) for token in tokeniser.ids(word)]
