"""Go, Rust and Zig."""

from __future__ import annotations

from tree_sitter import Node

from recollect.chunking.rules import (
    IMPORTS,
    Found,
    Grammar,
    child,
    container,
    name_of,
    named,
    plain_type,
    text_of,
    unquoted,
)


def _go_method(node: Node) -> Found | None:
    receiver = node.child_by_field_name("receiver")
    parameter = child(receiver, "parameter_declaration") if receiver is not None else None
    owner = plain_type(name_of(parameter, "type")) if parameter is not None else ""
    name = name_of(node)
    return Found("method", (name,), owner=owner) if name else None


def _go_type(node: Node) -> Found | None:
    name, kind = name_of(node), node.child_by_field_name("type")
    if not name:
        return None
    if kind is not None and kind.type == "struct_type":
        fields = child(kind, "field_declaration_list")
        return Found("struct", (name,), (fields,) if fields is not None else (), name)
    if kind is not None and kind.type == "interface_type":
        return Found("interface", (name,), (kind,), name)
    return Found("type", (name,))


def _go_names(kind: str, node: Node) -> Found | None:
    names = tuple(text_of(each) for each in node.children_by_field_name("name") if text_of(each) != "_")
    return Found(kind, names) if names else None


GO = Grammar(
    module="tree_sitter_go",
    rules={
        "function_declaration": named("function"),
        "method_declaration": _go_method,
        "type_spec": _go_type,
        "type_alias": named("type"),
        "const_spec": lambda node: _go_names("constant", node),
        "var_spec": lambda node: _go_names("variable", node),
        "field_declaration": lambda node: _go_names("field", node),
        "method_elem": named("method"),
    },
    imports=frozenset({"package_clause", "import_declaration"}),
    look=frozenset({"type_declaration", "const_declaration", "var_declaration", "var_spec_list"}),
)


def _rust_impl(node: Node) -> Found | None:
    body = node.child_by_field_name("body")
    return Found("", (), (body,) if body is not None else (), plain_type(name_of(node, "type")), "class")


def _rust_module(node: Node) -> Found | None:
    # "mod name;" only says that a file belongs to the crate.
    return container("module")(node) if node.child_by_field_name("body") is not None else Found(IMPORTS)


RUST = Grammar(
    module="tree_sitter_rust",
    rules={
        "function_item": named("function"),
        "function_signature_item": named("function"),
        "struct_item": container("struct"),
        "union_item": container("struct"),
        "enum_item": container("enum"),
        "enum_variant": named("constant"),
        "field_declaration": named("field"),
        "trait_item": container("trait"),
        "impl_item": _rust_impl,
        "mod_item": _rust_module,
        "const_item": named("constant"),
        "static_item": named("variable"),
        "type_item": named("type"),
        "associated_type": named("type"),
        "macro_definition": named("macro"),
    },
    leading=frozenset({"line_comment", "block_comment", "attribute_item", "inner_attribute_item"}),
    imports=frozenset({"use_declaration", "extern_crate_declaration"}),
    look=frozenset({"foreign_mod_item", "declaration_list"}),
)

_ZIG_KINDS = {
    "struct_declaration": "struct",
    "union_declaration": "struct",
    "opaque_declaration": "struct",
    "enum_declaration": "enum",
    "error_set_declaration": "enum",
}


def _zig_variable(node: Node) -> Found | None:
    identifier = child(node, "identifier")
    if identifier is None:
        return None
    name, value = text_of(identifier), node.named_children[-1]
    if value.type in _ZIG_KINDS:
        return Found(_ZIG_KINDS[value.type], (name,), (value,), name)
    if value.type == "builtin_function" and text_of(value).startswith("@import"):
        return Found(IMPORTS)
    mutable = any(each.type == "var" for each in node.children)
    return Found("variable" if mutable else "constant", (name,))


def _zig_function(node: Node) -> Found | None:
    """A function; one that returns a struct is how Zig writes generic types, so its members are found too."""
    found = named("function")(node)
    body = node.child_by_field_name("body")
    if found is None or body is None or not body.named_children:
        return found
    value = body.named_children[-1]
    while value.type in ("expression_statement", "return_expression", "return_statement") and value.named_children:
        value = value.named_children[-1]
    if value.type not in _ZIG_KINDS:
        return found
    return found._replace(bodies=(value,), scope=found.names[0], inside="struct")


def _zig_test(node: Node) -> Found:
    title = child(node, "string", "identifier")
    return Found("test", (unquoted(text_of(title)) if title is not None else "test",))


ZIG = Grammar(
    module="tree_sitter_zig",
    rules={
        "variable_declaration": _zig_variable,
        "function_declaration": _zig_function,
        "test_declaration": _zig_test,
        "container_field": named("field"),
    },
    look=frozenset({"comptime_declaration"}),
)
