"""Which tokens the model knows: the teacher's own pieces and the words that are frequent in what it is trained on.

Pieces of the teacher are kept when they are letters or up to four digits (any script); whole words are added by
document frequency until `size` is reached. Not here: their vectors (`distill`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from recollect.embedding.tokens import LONGEST_WORD, split_words

_PIECE = re.compile(r"(##)?[^\W_]+")


def document_frequencies(texts: Iterable[str]) -> Counter[str]:
    """How many texts hold each lower-cased word."""
    frequencies: Counter[str] = Counter()
    for text in texts:
        frequencies.update({word.lower() for word in split_words(text)})
    return frequencies


def build_vocabulary(teacher_pieces: Iterable[str], frequencies: Counter[str], size: int) -> list[str]:
    """At most `size` pieces: the teacher's first, then words met in six texts or more, the most frequent first."""
    pieces = [piece for piece in sorted(teacher_pieces) if _keep(piece)]
    known = set(pieces)
    ranked = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))
    words = (word for word, count in ranked if count >= 6 and _is_word(word) and word not in known)
    return pieces + [word for word, _ in zip(words, range(size - len(pieces)), strict=False)]


def _keep(piece: str) -> bool:
    plain = piece.removeprefix("##")
    return bool(_PIECE.fullmatch(piece)) and not (plain.isdigit() and len(plain) > 4)


def _is_word(word: str) -> bool:
    return word.isascii() and word.isalpha() and 3 <= len(word) <= LONGEST_WORD
