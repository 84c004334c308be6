"""Pairs from prose: heading path and section, first sentence and rest, definition and example.

Reads Markdown, reStructuredText and DocBook SGML by regular expressions. Not here: code (`code_pairs`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from code_pairs import Pair, is_sentence

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
_TITLE = re.compile(r"(?m)^title:\s*[\"']?(.+?)[\"']?\s*$")
_HEADINGS = {
    "markdown": re.compile(r"(?m)^#{1,5} +(.+?)#*$"),
    "rst": re.compile(r"(?m)^([^\n]{3,90})\n[=\-~^\"'*+#]{3,}\s*$"),
    "sgml": re.compile(r"(?s)<(?:title|refpurpose)>(.*?)</(?:title|refpurpose)>"),
}
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*[^)]*\)|:\w+:`([^`<]*)[^`]*`")
_DECORATION = re.compile(r"[`*_\[\]]|\(http\S+\)|\{[^}]*\}|<[^>]+>|\{\{.*?\}\}")
_NOT_PROSE = re.compile(r"\s*(```|\||<|\.\. |[-*+] |\d+\. |    |\{)")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")


def plain(text: str) -> str:
    """`text` without links, emphasis and tags, as one line."""
    return " ".join(_DECORATION.sub(" ", _LINK.sub(lambda m: m.group(1) or m.group(2) or " ", text)).split())


def prose_pairs(source: str, form: str) -> Iterator[Pair]:
    """Every pair of one document; `form` is markdown, rst or sgml."""
    front = _FRONT_MATTER.match(source)
    title = _TITLE.search(front.group(0)) if front else None
    parts = _HEADINGS[form].split(source[front.end() if front else 0 :])
    page = plain(title.group(1)) if title else ""
    if page and len(parts[0].strip()) > 150:
        parts = ["", page, *parts]  # what stands before the first heading belongs to the title
    for at in range(1, len(parts) - 1, 2):
        heading = plain(parts[at])
        page = page or heading
        yield from _section(page, heading, parts[at + 1].strip())


def _section(page: str, heading: str, text: str) -> Iterator[Pair]:
    path = f"{page} {heading}" if page != heading and len(heading.split()) < 6 else heading
    if len(text) >= 150 and path.isascii() and 2 <= len(path.split()) < 25:
        yield Pair(path, text, "heading")
    paragraphs = [plain(p) for p in re.split(r"\n\s*\n", text) if len(p) > 60 and not _NOT_PROSE.match(p)]
    for number, paragraph in enumerate(paragraphs[:8]):
        sentences = _SENTENCE_END.split(paragraph)
        rest = " ".join([*sentences[1:], *paragraphs[number + 1 : number + 2]])
        if len(rest) > 160 and is_sentence(sentences[0], 5):
            yield Pair(sentences[0], rest, "sentence")
        if len(sentences) >= 4 and is_sentence(sentences[2], 6):
            around = " ".join(sentences[:2] + sentences[3:])
            yield Pair(sentences[2], around, "context")


def gloss_pairs(data: str) -> Iterator[Pair]:
    """Pairs of one WordNet data file: the words of a sense and its definition, definition and example."""
    for line in data.split("\n"):
        fields, _, gloss = line.partition(" | ")
        columns = fields.split(" ")
        if not gloss or len(columns) < 5 or line.startswith("  "):
            continue
        words = [w.replace("_", " ") for w in columns[4 : 4 + 2 * int(columns[3], 16) : 2]]
        words = [re.sub(r"\([a-z]+\)$", "", w) for w in words]
        definition, *examples = re.split(r';\s*"', gloss.strip())
        if len(definition.split()) < 3 or definition.startswith('"') or words[0][:1].isupper():
            continue
        yield Pair(" ".join(words), definition + " " + " ".join(e.rstrip('"; ') for e in examples), "gloss")
        for example in examples[:1]:
            if len(example.split()) >= 4:
                yield Pair(example.rstrip('"; '), f"{' '.join(words)}: {definition}", "gloss")
