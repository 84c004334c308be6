"""JSON, YAML and TOML by keys: a large value is split by its own keys, small neighbouring keys are merged.

Titles are key paths, line numbers those of the file. A file that does not parse raises `Unparsable` and is
chunked by lines. Not here: interpreting values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from recollect.chunking.code import KEY, unit_chunks
from recollect.chunking.context import prose_context
from recollect.chunking.grammars import Unparsable, parse
from recollect.chunking.limits import Limits
from recollect.chunking.outline import Unit, closed
from recollect.chunking.rules import NAME_CHARS, chain, text_of, unquoted
from recollect.chunking.spans import Lines
from recollect.types import Chunk

if TYPE_CHECKING:
    from tree_sitter import Node
    from yaml.nodes import Node as YamlNode

_MOST_LEVELS = 32  # deeper values stay whole and are cut by lines


class Entry(NamedTuple):
    """A key (or an element, without a name) by its first line, and the syntax node of its value."""

    name: str
    line: int
    value: Any


Members: TypeAlias = Callable[[Any], Sequence[Entry]]


@dataclass(slots=True)
class _Level:
    entries: Iterator[tuple[Entry, int]]  # each with its last line
    path: str


def structured_chunks(language: str, title: str, text: str, lines: Lines, limits: Limits) -> tuple[Chunk, ...]:
    """Chunk a JSON, YAML or TOML document; raises Unparsable."""
    entries, members = _READERS[language](text)
    units = closed(list(_units(entries, members, lines, limits)), lines)
    # Keys are short: merging stops at the target size only, not at the size of a small function.
    sized = replace(limits, code_target_chars=limits.structured_chars, code_small_chars=limits.structured_chars // 2)

    def enrich(path: str, _kind: str, _signature: str, _text: str) -> str:
        return prose_context(title, path, limits)

    return unit_chunks(language, units, lines, replace(sized, code_small_lines=limits.code_merge_lines), enrich)


def _units(entries: Sequence[Entry], members: Members, lines: Lines, limits: Limits) -> Iterator[Unit]:
    """One unit for every key that is small or cannot be split, a header and its members for the others."""
    reached = 0
    levels = [_Level(_bounded(entries, lines, 1, lines.count), "")]
    while levels:
        level = levels[-1]
        following = next(level.entries, None)
        if following is None:
            levels.pop()
            continue
        entry, end = following
        inner: Sequence[Entry] = ()
        if len(levels) < _MOST_LEVELS and _large(entry.line, end, lines, limits):
            inner = members(entry.value)
        path = chain(level.path, entry.name)
        opens_itself = bool(entry.name) or not inner or inner[0].line > entry.line
        if entry.line > reached and opens_itself:
            names = [entry.name] if entry.name else []
            yield Unit(entry.line, end, KEY, level.path, names, inner=path, header=bool(inner) and bool(entry.name))
            reached = entry.line
        if inner:
            levels.append(_Level(_bounded(inner, lines, entry.line, end), path))


def _bounded(entries: Sequence[Entry], lines: Lines, first: int, last: int) -> Iterator[tuple[Entry, int]]:
    """Entries in order and inside first..last, each with its last line; comments go with what follows them.

    An alias in YAML stands where its anchor is, outside of these bounds: it is left out.
    """
    kept: list[Entry] = []
    reached = first
    for entry in entries:
        if not reached <= entry.line <= last:
            continue
        line = entry.line
        while line - 1 > reached and lines.lines[line - 2].lstrip().startswith(("#", "//", "---")):
            line -= 1
        kept.append(entry._replace(line=line))
        reached = entry.line
    for position, entry in enumerate(kept):
        yield entry, kept[position + 1].line - 1 if position + 1 < len(kept) else last


def _large(start: int, end: int, lines: Lines, limits: Limits) -> bool:
    return end - start >= limits.code_target_lines or lines.chars(start, end) > limits.structured_chars


def _tree(module: str, text: str) -> Node:
    root = parse(text, module)
    if root.has_error:
        raise Unparsable(module)
    return root


def _json(text: str) -> tuple[Sequence[Entry], Members]:
    values = [each for each in _tree("tree_sitter_json", text).named_children if each.type != "comment"]
    if len(values) == 1 and values[0].type in ("object", "array"):
        return _json_members(values[0]), _json_members
    return [Entry("", each.start_point[0] + 1, each) for each in values], _json_members


def _json_members(value: Node | None) -> Sequence[Entry]:
    if value is None or value.type not in ("object", "array"):
        return ()
    entries = []
    for each in value.named_children:
        line = each.start_point[0] + 1
        if each.type == "pair":
            key = each.child_by_field_name("key")
            name = unquoted(text_of(key)) if key is not None else ""
            entries.append(Entry(name, line, each.child_by_field_name("value")))
        elif each.type != "comment":
            entries.append(Entry("", line, each))
    return entries


def _toml(text: str) -> tuple[Sequence[Entry], Members]:
    root = _tree("tree_sitter_toml", text)
    return _toml_members(root), _toml_members


def _toml_members(value: Node | None) -> Sequence[Entry]:
    if value is None or value.type in ("string", "integer", "float", "boolean"):
        return ()
    entries = []
    for each in value.named_children:
        if each.type == "comment" or each.type.endswith("_key"):
            continue
        line = each.start_point[0] + 1
        if each.type in ("pair", "table", "table_array_element") and each.named_children:
            key = unquoted(text_of(each.named_children[0]))
            inner = each.named_children[-1] if each.type == "pair" else each
            entries.append(Entry(key, line, inner))
        else:
            entries.append(Entry("", line, each))
    return entries


def _yaml(text: str) -> tuple[Sequence[Entry], Members]:
    import yaml

    # YAML ends lines at these too; the file's line numbers do not.
    for character in "\r\x85\u2028\u2029":
        text = text.replace(character, " ")
    try:
        documents = [node for node in yaml.compose_all(text, yaml.CSafeLoader) if node is not None]
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
        raise Unparsable("yaml") from error
    if len(documents) == 1:
        return _yaml_members(documents[0]), _yaml_members
    return [Entry("", node.start_mark.line + 1, node) for node in documents], _yaml_members


def _yaml_members(node: YamlNode) -> Sequence[Entry]:
    from yaml.nodes import MappingNode, ScalarNode, SequenceNode

    if isinstance(node, MappingNode):
        return [
            Entry(str(key.value)[:NAME_CHARS] if isinstance(key, ScalarNode) else "", key.start_mark.line + 1, value)
            for key, value in node.value
        ]
    if isinstance(node, SequenceNode):
        return [Entry("", each.start_mark.line + 1, each) for each in node.value]
    return ()


_READERS: dict[str, Callable[[str], tuple[Sequence[Entry], Members]]] = {"json": _json, "toml": _toml, "yaml": _yaml}
