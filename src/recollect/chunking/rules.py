"""How a definition is recognised in a syntax tree: the record and the builders that language tables use.

Not here: the tables (languages/), and what is done with a definition (outline).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tree_sitter import Node

NAME_CHARS = 120  # a longer "name" is a misparse or a sentence (test titles); it is cut

IMPORTS = "imports"
LEADING = "leading"  # documentation of what follows (Elixir's @doc)
SECTION = "section"  # titled markup: names a chunk, is not a symbol
CONTINUES = "continues"  # belongs to the definition before it (Dart's function bodies)


class Found(NamedTuple):
    """What a syntax node defines.

    `kind` is a Symbol kind, IMPORTS, LEADING, CONTINUES, or "" for something that groups members without
    being a definition (Rust's impl). `bodies` are the nodes whose children are members; `scope` is what members'
    parents are extended by, `inside` the kind members see ("" = kind). `owner` is a parent that the
    definition spells out itself (Go's receiver, C++'s qualifier).
    """

    kind: str
    names: tuple[str, ...] = ()
    bodies: tuple[Node, ...] = ()
    scope: str = ""
    inside: str = ""
    owner: str = ""


Rule: TypeAlias = Callable[[Node], Found | None]


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language: the wheel that parses it and what its nodes mean.

    `leading`: comments, decorators, attributes that stand before a definition. `imports`: import
    statements. `wrappers`: nodes whose last named child is what they are about (export, template).
    `look`: nodes to look through for definitions (if, try, preprocessor branches, grouped declarations).
    `rules`: node type to rule. `overloads`: neighbours of one name are one definition (Haskell equations).
    """

    module: str
    rules: Mapping[str, Rule]
    function: str = "language"
    leading: frozenset[str] = frozenset({"comment"})
    imports: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    look: frozenset[str] = frozenset()
    overloads: bool = False


def text_of(node: Node) -> str:
    """The node's source on one line, cut at NAME_CHARS."""
    raw = node.text or b""
    return " ".join(raw[: NAME_CHARS * 4].decode("utf-8", "replace").split())[:NAME_CHARS]


def child(node: Node, *types: str) -> Node | None:
    """The first named child of one of the types."""
    return next((each for each in node.named_children if each.type in types), None)


def token(node: Node, *types: str) -> str:
    """The type of the first child (named or not) of one of the types, or ''."""
    return next((each.type for each in node.children if each.type in types), "")


def name_of(node: Node, name: str = "name") -> str:
    """The text of a field, or ''."""
    found = node.child_by_field_name(name)
    return text_of(found) if found is not None else ""


def unquoted(text: str) -> str:
    """A string literal without its quotes."""
    return text.strip("\"'`")


def chain(*parts: str) -> str:
    """Names joined by dots, empty ones left out."""
    return ".".join(part for part in parts if part)


def plain_type(text: str) -> str:
    """A type's own name: without references, type arguments, and qualification ("&ns::Stack<T>" is "Stack")."""
    bare = text.split("<", 1)[0].split("[", 1)[0].strip("&* ")
    return bare.replace("::", ".").rsplit(".", 1)[-1].rsplit(" ", 1)[-1]


def named(kind: str, name: str = "name", owner: Callable[[Node], str] | None = None) -> Rule:
    """A rule for a definition whose name is a field; nothing is found when the field is missing."""

    def rule(node: Node) -> Found | None:
        text = name_of(node, name)
        return Found(kind, (text,), owner=owner(node) if owner else "") if text else None

    return rule


def constant(kind: str, text: str) -> Rule:
    """A rule for a definition that always has the same name (init, subscript)."""
    return lambda _node: Found(kind, (text,))


def kind_only(kind: str) -> Rule:
    """A rule that names nothing: IMPORTS, LEADING, CONTINUES."""
    return lambda _node: Found(kind)


def container(
    kind: str, *, name: str = "name", body: str | tuple[str, ...] = "body", inside: str = "", scoped: bool = True
) -> Rule:
    """A rule for a definition with members.

    `body` is the field that holds the members, or a tuple of child types where the grammar has no field.
    An unscoped container (C#'s namespace) does not become part of its members' parents.
    """

    def rule(node: Node) -> Found | None:
        text = name_of(node, name)
        inner = node.child_by_field_name(body) if isinstance(body, str) else child(node, *body)
        bodies = (inner,) if inner is not None else ()
        if not text and not bodies:
            return None
        dotted = text.replace("::", ".").replace("\\", ".") if scoped else ""
        return Found(kind if text else "", (text,) if text else (), bodies, dotted, inside)

    return rule


def listed(kind: str, *path: str, name: str = "name") -> Rule:
    """A rule for declarations of several names: walk down children of the given types, take their field.

    `listed("field", "variable_declaration", "variable_declarator")` finds all names of a C# field.
    """

    def rule(node: Node) -> Found | None:
        nodes = [node]
        for step in path:
            nodes = [each for parent in nodes for each in parent.named_children if each.type == step]
        names = tuple(filter(None, (name_of(each, name) for each in nodes)))
        return Found(kind, names) if names else None

    return rule


def first_child(kind: str, *types: str) -> Rule:
    """A rule for a definition whose name is its first child of one of the types."""

    def rule(node: Node) -> Found | None:
        found = child(node, *types)
        return Found(kind, (text_of(found),)) if found is not None else None

    return rule


def constant_case(name: str, otherwise: str) -> str:
    """`constant` for names in capitals, else the given kind."""
    return "constant" if name.isupper() else otherwise
