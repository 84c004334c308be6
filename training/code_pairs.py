"""Pairs from source code: documentation comment and body, inline comment and block, test name and test.

Line-based with the tables of `languages`, so that nineteen languages take one reader. Not here: prose (`prose_pairs`)
and which files are read (`collect`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from languages import (
    ASSIGNED_FUNCTION,
    ATTRIBUTE,
    CALLABLE,
    DECLARATION,
    HASKELL_NAME,
    MARKER,
    TEST_NAMES,
    Style,
    style_of,
)

_UNWANTED = re.compile(
    r"copyright|licen[sc]e|spdx|eslint-|nolint|@generated|do not edit|fixme|todo|pylint|noqa|rubocop:|istanbul"
    r"|shellcheck|https?://\S+$|all rights reserved|ifdef|endif|#include|inherit-?doc|webpackChunk",
    re.I,
)
_MARKUP = re.compile(r"</?(?:summary|remarks|p|para|li|ul|ol|code|tt|em|b|i|pre|c|br|h\d)\b[^>]*>", re.I)
_REFERENCE = re.compile(r'<(?:see|paramref|typeparamref)\b[^>]*?(?:cref|name|langword)="(?:[A-Z]:)?([^"]+)"[^>]*>')
_INLINE_TAG = re.compile(r"\{@\w+\s+([^}]*)\}")
_DETAILS = re.compile(
    r"(?m)^\s*(?:[@\\](?:param|return|throws|since|author|see|deprecated|type|example|tparam|template|api|private"
    r"|internal|var|property|\w+\s)|:param|:type|:return|Args:|Arguments:|Parameters\b|Returns?:|Raises|Examples?\b"
    r"|\#\#? |```|- [Pp]aramet|- [Rr]eturns|>>>|\.\. |<param|</)"
)
_TITLE_TAG = re.compile(r"^\s*[\\@](?:brief|short|summary|doc|moduledoc|internal|property|class|fn|name|desc)\b")
_LONGEST_BODY = 45


@dataclass(frozen=True, slots=True)
class Pair:
    """A text as someone might ask it and the passage that answers; `comment` stands in the passage's file above it."""

    query: str
    passage: str
    kind: str
    name: str = ""
    comment: str = ""


def code_pairs(source: str, language: str, is_test: bool) -> Iterator[Pair]:
    """Every pair of one source file; `is_test` also gives test names as queries."""
    lines = source.split("\n")
    if is_test:
        yield from _tests(lines, language)
        return
    if language == "python":
        yield from _docstrings(source)
    yield from _comments(lines, language)


def summary(comment: str) -> str:
    """The first paragraph of a documentation comment as one line of plain words."""
    text = _MARKUP.sub(" ", _REFERENCE.sub(r" \1 ", _INLINE_TAG.sub(r"\1", comment)))
    text = _DETAILS.split(_TITLE_TAG.sub("", text))[0]
    text = re.split(r"\n\s*\n", text.strip())[0]
    return " ".join(text.replace("`", "").split())


def is_sentence(text: str, least_words: int = 3) -> bool:
    """Whether `text` reads like words a person would write: mostly letters, English script, no licence."""
    if not (least_words <= len(text.split()) <= 90) or len(text) < 12 or not text.isascii() or _UNWANTED.search(text):
        return False
    return sum(c.isalpha() or c == " " for c in text) / len(text) > 0.72


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def body(lines: list[str], start: int, style: Style) -> str:
    """The declaration that begins at line `start`, at most 45 lines, by braces or by indentation."""
    taken = _indented_body(lines, start) if style.indented else _braced_body(lines, start)
    return "\n".join(taken)


def _indented_body(lines: list[str], start: int) -> list[str]:
    base, taken = _indent(lines[start]), [lines[start]]
    for at in range(start + 1, min(len(lines), start + _LONGEST_BODY)):
        line = lines[at]
        if line.strip() and _indent(line) <= base:
            if re.match(r"\s*(end\b|fi\b|done\b|\}|esac\b)", line):
                return [*taken, line]
            if _indent(line) < base or not lines[at - 1].strip():
                return taken
        taken.append(line)
    return taken


def _braced_body(lines: list[str], start: int) -> list[str]:
    depth, opened, taken = 0, False, []
    for at in range(start, min(len(lines), start + _LONGEST_BODY)):
        line = lines[at]
        depth += line.count("{") - line.count("}")
        opened = opened or "{" in line
        if depth < 0 or (not opened and at > start and not line.strip()):
            return taken
        taken.append(line)
        if opened and depth == 0:
            return taken
        if not opened and line.rstrip().endswith(";") and line.count("(") == line.count(")"):
            return taken
    return taken


def _comment_at(lines: list[str], at: int, language: str, style: Style) -> tuple[list[str], int, bool]:
    """The comment that starts at line `at`, the line after it, and whether it is a documentation block."""
    text = lines[at].strip()
    if style.block and text.startswith("/*"):
        end = _find(lines, at, "*/")
        return [MARKER.sub("", line).rstrip("*/ \t") for line in lines[at : end + 1]], end + 1, True
    if language == "haskell" and text.startswith("{-"):
        end = _find(lines, at, "-}")
        return [MARKER.sub("", line).replace("-}", "") for line in lines[at : end + 1]], end + 1, False
    if language == "elixir" and re.match(r'@(?:doc|moduledoc|typedoc)\s+(?:~[sS])?"', text):
        if '"""' not in text:
            return [text.split('"', 1)[1].rstrip('"')], at + 1, True
        end = _find(lines, at + 1, '"""')
        return [line.strip() for line in lines[at + 1 : end]], end + 1, True
    end = at
    while end < len(lines) and style.line.match(lines[end]):
        end += 1
    return [MARKER.sub("", line).rstrip() for line in lines[at:end]], end, False


def _find(lines: list[str], start: int, mark: str) -> int:
    for at in range(start, min(len(lines), start + 120)):
        if mark in lines[at]:
            return at
    return min(len(lines), start + 120) - 1


def _comments(lines: list[str], language: str) -> Iterator[Pair]:
    style, at = style_of(language), 0
    while at < len(lines):
        start = at
        comment, at, is_block = _comment_at(lines, at, language, style)
        if at == start:
            at += 1
            continue
        below = at
        while below < len(lines) and ((not lines[below].strip() and below == at) or ATTRIBUTE.match(lines[below])):
            below += 1
        if below >= len(lines) or not lines[below].strip() or style.line.match(lines[below]):
            continue
        query = summary("\n".join(comment))
        if is_sentence(query):
            yield from _below(query, lines, (start, at, below), language, is_block)


def _below(query: str, lines: list[str], span: tuple[int, int, int], language: str, is_block: bool) -> Iterator[Pair]:
    """The pair of a comment (lines span[0] to span[1]) and what stands at line span[2]."""
    start, end, below = span
    head = lines[below].strip()
    found = ASSIGNED_FUNCTION.search(head) if language in {"javascript", "typescript"} else None
    found = found or DECLARATION.search(head) or (HASKELL_NAME.match(head) if language == "haskell" else None)
    if not found and language in {"c", "cpp", "java", "csharp", "kotlin", "javascript", "typescript", "bash"}:
        found = CALLABLE.search(head) if _indent(lines[below]) <= 4 else None
    if found or is_block:
        passage = body(lines, below, style_of(language))
        if len(passage) >= 30:
            name = found.group(1) if found else ""
            yield Pair(query, passage, "doc", name, "\n".join(lines[start:end]))
        return
    base, block = _indent(lines[below]), []
    for line in lines[below : below + 14]:
        if not line.strip() or _indent(line) < base:
            break
        block.append(line)
    passage = "\n".join(block)
    if len(block) >= 2 and len(passage) >= 80 and len(query.split()) >= 5:
        yield Pair(query, passage, "inline")


def _docstrings(source: str) -> Iterator[Pair]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return  # Python 2, templates: their comments are still read
    lines = source.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        docstring = ast.get_docstring(node)
        query = summary(docstring) if docstring else ""
        if not docstring or not is_sentence(query) or node.end_lineno is None:
            continue
        first = node.body[0]
        end = min(node.end_lineno, node.lineno + 60)
        passage = "\n".join(lines[node.lineno - 1 : first.lineno - 1] + lines[first.end_lineno or 0 : end])
        if len(passage) > 40:
            yield Pair(query, passage, "doc", node.name, docstring)


def _tests(lines: list[str], language: str) -> Iterator[Pair]:
    style = style_of(language)
    for at, line in enumerate(lines):
        for pattern in TEST_NAMES:
            found = pattern.search(line)
            if not found:
                continue
            words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", found.group(1))
            passage = "\n".join(body(lines, at, style).split("\n")[1:])
            if len(words.split()) >= 3 and len(passage) >= 80 and is_sentence(words):
                yield Pair(words, passage, "test")
            break
