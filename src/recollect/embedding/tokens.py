"""Tokens of the built-in model: identifier-aware words, then the longest known pieces of each.

Pure Python and the same on every platform; training and inference share this file, so a change here
needs a new model and a higher `TOKENISER`. Not here: lexical terms for the keyword index (`recollect.terms`),
and token counts of language models.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain
from zlib import crc32

TOKENISER = 1
"""Version of the rules below; part of the fingerprint."""

LONGEST_WORD = 24
"""Longer runs of letters are hashes, base64 and the like, and are left out."""

CACHED_RUNS = 60_000
"""Runs of letters and digits whose tokens are remembered (about 50 MB when full); others are split each time."""

_LONGEST_CACHED = 48

# A run is cut from the text first because most runs were met before: one dictionary look-up replaces the split.
_RUN = re.compile(r"[\w\u0900-\u109f]+")
_ASCII_RUN = re.compile(r"\w+", re.ASCII)  # the same runs of ASCII text, in half the time
_WORD = re.compile(
    r"[A-Z]{2,}s(?![A-Za-z])"  # plural of an acronym: URLs, IDs
    r"|[A-Z]+(?=[A-Z][a-z])"  # the acronym in HTTPServer
    r"|[A-Z]?[a-z]+"
    r"|[A-Z]+"
    r"|[0-9]{1,4}"
    r"|(?:[^\W\d_A-Za-z]|[\u0900-\u109f])+"  # other scripts; the range keeps Indic and Thai vowel signs in the word
)
_ACCENT = re.compile("[\u0300-\u036f]")
_LATIN = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae"}
    | {"œ": "oe", "Œ": "Oe", "ı": "i", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D"}
)
# Scripts written without spaces between words: two neighbouring characters carry what a word does elsewhere.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def split_words(text: str) -> list[str]:
    """Split text into words, identifiers into their parts; case is kept, accents are not.

    "getHTTPResponse_code2" gives get, HTTP, Response, code, 2. Punctuation and symbols are dropped,
    numbers are cut into groups of at most four digits, letters of other scripts stay together.
    """
    return _WORD.findall(_plain(text))


def _plain(text: str) -> str:
    """Text without accents and Latin ligatures; ASCII text, nearly all there is, is returned as it is."""
    if text.isascii():
        return text
    stripped = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", stripped).translate(_LATIN)


class Tokeniser:
    """Turn text into token ids of one vocabulary.

    `vocabulary` lists the pieces by id, continuations marked "##"; `buckets` more ids follow it for words
    of scripts it lacks. Safe to share between threads.
    """

    def __init__(self, vocabulary: Sequence[str], buckets: int) -> None:
        self.size = len(vocabulary) + buckets
        self._runs = _Runs(vocabulary, buckets)

    def ids(self, text: str) -> list[int]:
        """Token ids of `text` in order of appearance; empty when it holds no word."""
        runs = _ASCII_RUN.findall(text) if text.isascii() else _RUN.findall(_plain(text))
        return list(chain.from_iterable(map(self._runs.__getitem__, runs)))


class _Runs(dict[str, tuple[int, ...]]):
    """Token ids of each run of letters and digits met so far, filled on first use."""

    def __init__(self, vocabulary: Sequence[str], buckets: int) -> None:
        super().__init__()
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._first_bucket = len(vocabulary)
        self._buckets = buckets

    def __missing__(self, run: str) -> tuple[int, ...]:
        ids = tuple(chain.from_iterable(map(self._word, _WORD.findall(run))))
        if len(run) <= _LONGEST_CACHED and len(self) < CACHED_RUNS:
            self[run] = ids
        return ids

    def _word(self, word: str) -> list[int]:
        lowered = word.lower()
        return self._known_pieces(lowered) or ([] if word.isascii() else self._hashed_pieces(lowered))

    def _known_pieces(self, word: str) -> list[int]:
        """The longest known pieces from left to right (WordPiece), or nothing when some part is unknown."""
        if len(word) > LONGEST_WORD:
            return []
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    pieces.append(number)
                    start = end
                    break
            else:
                return []
        return pieces

    def _hashed_pieces(self, word: str) -> list[int]:
        """Buckets for a word of a script the vocabulary lacks, so that equal text still meets equal text."""
        if not self._buckets:
            return []
        if _UNSPACED.search(word):
            grams: Iterable[str] = [word] if len(word) == 1 else (word[i : i + 2] for i in range(len(word) - 1))
        else:
            # The whole word and its first five letters: inflection is at the end in most spaced scripts.
            grams = dict.fromkeys((word, word[:5]))
        return [self._first_bucket + crc32(gram.encode()) % self._buckets for gram in grams]
