"""SQL and CSS."""

from __future__ import annotations

from tree_sitter import Node

from recollect.chunking.rules import Found, Grammar, Rule, child, first_child, name_of, named, text_of


def _created(kind: str) -> Rule:
    """CREATE ... name: the last part of the first object reference."""

    def rule(node: Node) -> Found | None:
        reference = child(node, "object_reference")
        name = name_of(reference) if reference is not None else ""
        return Found(kind, (name,)) if name else None

    return rule


def _index(node: Node) -> Found | None:
    return named("constant", "column")(node) or first_child("constant", "identifier")(node)


SQL = Grammar(
    module="tree_sitter_sql",
    rules={
        "create_table": _created("struct"),
        "create_view": _created("type"),
        "create_materialized_view": _created("type"),
        "create_function": _created("function"),
        "create_procedure": _created("function"),
        "create_trigger": _created("function"),
        "create_type": _created("type"),
        "create_sequence": _created("variable"),
        "create_schema": first_child("module", "identifier"),
        "create_index": _index,
    },
    leading=frozenset({"comment", "marginalia"}),
    wrappers=frozenset({"statement"}),
)


def _rule_set(node: Node) -> Found | None:
    selectors, block = child(node, "selectors"), child(node, "block")
    if selectors is None:
        return None
    return Found("class", (text_of(selectors),), (block,) if block is not None else ())


def _custom_property(node: Node) -> Found | None:
    name = child(node, "property_name")
    text = text_of(name) if name is not None else ""
    return Found("variable", (text,)) if text.startswith("--") else None


CSS = Grammar(
    module="tree_sitter_css",
    rules={
        "rule_set": _rule_set,
        "declaration": _custom_property,
        "keyframes_statement": first_child("type", "keyframes_name"),
    },
    imports=frozenset({"import_statement", "charset_statement"}),
    look=frozenset({"media_statement", "supports_statement", "block", "at_rule"}),
)
