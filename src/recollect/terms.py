"""Lexical terms, the same for index and query.

A term is what the keyword index counts: the stem of a word, each part of an identifier and the
identifier as a whole (written without its separators, so that getUserName, get_user_name and
get-user-name meet), two-character windows of scripts written without spaces. Tokens, which a model
counts, are something else (see `embedding`).
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections.abc import Iterator

import Stemmer

TERMS_VERSION = 1
"""Raised when the analysis changes; a collection indexed with another version is indexed again."""

# Scripts without spaces between words (Thai, Lao, Myanmar, Khmer, kana, Han, Hangul) are cut into
# bigrams; Hangul has spaces, but its particles stick to the words.
_DENSE = (
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17dd\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0002fa1f"
)
# Python's \w leaves out combining vowel signs, so Hindi or Arabic words would break at each of them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u0900-\u0963\u0966-\u0dff"
)
_PIECE = rf"(?:[^\W_{_DENSE}]|[{_MARKS}])+"
_WORD = re.compile(rf"[{_DENSE}]+|_*{_PIECE}(?:(?:_+|-){_PIECE})*")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:(?:_+|-)[A-Za-z0-9]+)*")
_SEPARATORS = re.compile(r"[_\-]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_DENSE_START = re.compile(rf"[{_DENSE}]")

_MAX_TERM_CHARS = 64
"""Longer words (hashes, base64) are cut: nobody searches their tails, and they would bloat the index."""
_MAX_CACHED_WORDS = 60_000
MAX_STRICT_WORDS = 6
"""Quotes and -term are strict in a query of at most so many other words."""
_QUERY_PATTERN = re.compile(r'(-)?"([^"]*)"|(?<!\S)-(?=[^\s\-"])(\S+)')

STOP_WORDS = frozenset(
    [
        "a",
        "about",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "no",
        "of",
        "on",
        "or",
        "our",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "up",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
"""Left out of the keyword list of a query when other words remain: a question's scaffolding carries no meaning."""


class _Analyzer(threading.local):
    """Words to terms, with a cache per thread (PyStemmer objects are not to be shared between threads)."""

    def __init__(self) -> None:
        self.stem = Stemmer.Stemmer("english", 0).stemWord
        self.words: dict[str, tuple[str, ...]] = {}

    def terms(self, word: str) -> tuple[str, ...]:
        known = self.words.get(word)
        if known is None:
            if len(self.words) >= _MAX_CACHED_WORDS:
                self.words.clear()
            known = self.words[word] = tuple(self._analyse(word))
        return known

    def _analyse(self, word: str) -> Iterator[str]:
        if not word.isascii():
            if _DENSE_START.match(word):
                word = unicodedata.normalize("NFKC", word)
                yield from _bigrams(word)
                return
            word = _fold(word)
        pieces = [p for p in _SEPARATORS.split(word) if p]
        # The whole of a compound of many pieces (a line of dashes and words, a slug) is no identifier.
        parts = [part for piece in pieces for part in (_CAMEL.findall(piece) if piece.isascii() else [piece])]
        if 1 < len(parts) <= 8:
            yield "".join(pieces).lower()[:_MAX_TERM_CHARS]
        for part in parts:
            lower = part.casefold()[:_MAX_TERM_CHARS]
            yield self.stem(lower) if lower.isascii() and not lower.isdigit() else lower


_analyzer = _Analyzer()


def _fold(word: str) -> str:
    """Strip accents: café and cafe meet, as they do for whoever types without them."""
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def words(text: str) -> list[str]:
    """Return the words of `text` as written, in order: identifiers whole, scripts without spaces as runs."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def analyse(text: str) -> list[str]:
    """Return the terms of `text`, in order; an identifier gives its whole first, then its parts."""
    found: list[str] = []
    extend, terms = found.extend, _analyzer.terms
    for word in words(text):
        extend(terms(word))
    return found


def term_id(term: str) -> int:
    """Return the 64-bit identity of a term: the same in every process, needing no shared dictionary."""
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class TermIds(dict[str, int]):
    """A cache from term to `term_id`, bounded by starting afresh when it is full."""

    def __missing__(self, term: str) -> int:
        if len(self) >= _MAX_CACHED_WORDS:
            self.clear()
        value = self[term] = term_id(term)
        return value


class ParsedQuery:
    """A query taken apart: weighted terms to rank by, and what is strict.

    `terms` maps each term to its weight (a repeated word counts once per occurrence), `phrases` are
    term sequences that a hit must hold in order, `excluded` those it must not hold.
    """

    __slots__ = ("excluded", "phrases", "terms", "text")

    def __init__(self, query: str) -> None:
        self.phrases: list[list[str]] = []
        self.excluded: list[list[str]] = []
        # A sentence with a word in quotes or a dash in it is a question, not a command to the search.
        outside = _QUERY_PATTERN.sub(" ", query)
        rest = _QUERY_PATTERN.sub(self._take_strict, query) if len(words(outside)) <= MAX_STRICT_WORDS else query
        self.text = " ".join(rest.replace('"', " ").split())
        """What is left to mean: the query without exclusions and quotation marks."""
        counted: dict[str, float] = {}
        kept = [w for w in words(rest) if w.lower() not in STOP_WORDS] or words(rest)
        for word in kept:
            for term in _analyzer.terms(word):
                counted[term] = counted.get(term, 0.0) + 1.0
        self.terms = counted

    def _take_strict(self, match: re.Match[str]) -> str:
        minus, quoted, single = match.groups()
        sequence = analyse(quoted if quoted is not None else single)
        if not sequence:
            return " "
        if minus or single is not None:
            self.excluded.append(sequence)
            return " "
        self.phrases.append(sequence)
        return f" {quoted} "

    @property
    def strict(self) -> bool:
        """Whether the query holds phrases or exclusions."""
        return bool(self.phrases or self.excluded)
