"""Java, C#, Kotlin, Scala, Swift and Dart."""

from __future__ import annotations

from tree_sitter import Node

from recollect.chunking.rules import (
    CONTINUES,
    IMPORTS,
    Found,
    Grammar,
    Rule,
    child,
    constant,
    container,
    first_child,
    kind_only,
    listed,
    name_of,
    named,
    plain_type,
    text_of,
    token,
)

JAVA = Grammar(
    module="tree_sitter_java",
    rules={
        "class_declaration": container("class"),
        "record_declaration": container("class"),
        "interface_declaration": container("interface"),
        "annotation_type_declaration": container("interface"),
        "enum_declaration": container("enum"),
        "enum_constant": named("constant"),
        "method_declaration": named("method"),
        "constructor_declaration": named("method"),
        "compact_constructor_declaration": named("method"),
        "annotation_type_element_declaration": named("method"),
        "field_declaration": listed("field", "variable_declarator"),
        "constant_declaration": listed("constant", "variable_declarator"),
    },
    leading=frozenset({"line_comment", "block_comment"}),
    imports=frozenset({"package_declaration", "import_declaration"}),
    look=frozenset({"enum_body_declarations"}),
)


def _operator(node: Node) -> Found | None:
    symbol = name_of(node, "operator") or name_of(node, "type")
    return Found("method", (f"operator {symbol}",)) if symbol else None


C_SHARP = Grammar(
    module="tree_sitter_c_sharp",
    rules={
        "namespace_declaration": container("module", scoped=False),
        "file_scoped_namespace_declaration": named("module"),
        "class_declaration": container("class"),
        "record_declaration": container("class"),
        "record_struct_declaration": container("struct"),
        "struct_declaration": container("struct"),
        "interface_declaration": container("interface"),
        "enum_declaration": container("enum"),
        "enum_member_declaration": named("constant"),
        "method_declaration": named("method"),
        "constructor_declaration": named("method"),
        "destructor_declaration": named("method"),
        "local_function_statement": named("function"),
        "operator_declaration": _operator,
        "conversion_operator_declaration": _operator,
        "indexer_declaration": constant("method", "this"),
        "property_declaration": named("field"),
        "event_declaration": named("field"),
        "event_field_declaration": listed("field", "variable_declaration", "variable_declarator"),
        "field_declaration": listed("field", "variable_declaration", "variable_declarator"),
        "delegate_declaration": named("type"),
    },
    imports=frozenset({"using_directive", "extern_alias_directive"}),
    wrappers=frozenset({"global_statement"}),
    look=frozenset({"preproc_if", "preproc_else", "preproc_elif"}),
)


def _kotlin_class(node: Node) -> Found | None:
    modifiers = child(node, "modifiers")
    kind = "interface" if token(node, "interface") else "class"
    if token(node, "enum") or (modifiers is not None and "enum" in text_of(modifiers).split()):
        kind = "enum"
    return container(kind, body=("class_body", "enum_class_body"))(node)


def _kotlin_function(node: Node) -> Found | None:
    name = name_of(node)
    receiver = ""
    for each in node.named_children:
        if each.type == "identifier":
            break
        if each.type in ("user_type", "nullable_type"):
            receiver = plain_type(text_of(each).rstrip("?"))
    return Found("method" if receiver else "function", (name,), owner=receiver) if name else None


def _kotlin_property(node: Node) -> Found | None:
    modifiers = child(node, "modifiers")
    kind = "constant" if modifiers is not None and "const" in text_of(modifiers).split() else "variable"
    names = tuple(
        text_of(identifier)
        for each in node.named_children
        if each.type in ("variable_declaration", "multi_variable_declaration")
        if (identifier := child(each, "identifier")) is not None
    )
    return Found(kind, names) if names else None


def _kotlin_companion(node: Node) -> Found:
    """Members of a companion object are reached through its class, so they keep the class as parent."""
    name = name_of(node)
    body = child(node, "class_body")
    return Found("class" if name else "", (name,) if name else (), (body,) if body is not None else (), inside="class")


KOTLIN = Grammar(
    module="tree_sitter_kotlin",
    rules={
        "class_declaration": _kotlin_class,
        "object_declaration": container("class", body=("class_body",)),
        "companion_object": _kotlin_companion,
        "function_declaration": _kotlin_function,
        "secondary_constructor": constant("method", "constructor"),
        "property_declaration": _kotlin_property,
        "type_alias": named("type", "type"),
        "enum_entry": first_child("constant", "identifier"),
    },
    # "@OptIn(X::class)" before a class parses as an expression of its own
    leading=frozenset({"line_comment", "block_comment", "annotation", "file_annotation", "annotated_expression"}),
    imports=frozenset({"package_header", "import", "import_list"}),
)


def _scala_value(kind: str) -> Rule:
    def rule(node: Node) -> Found | None:
        pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
        if pattern is None or "identifier" not in pattern.type:
            return None
        return Found(kind, (text_of(pattern),))

    return rule


def _scala_given(node: Node) -> Found | None:
    found = container("variable", inside="class")(node)
    return found if found is not None and found.names else None


SCALA = Grammar(
    module="tree_sitter_scala",
    rules={
        "trait_definition": container("trait"),
        "class_definition": container("class"),
        "object_definition": container("class"),
        "package_object": container("module", inside="class"),
        "enum_definition": container("enum"),
        "simple_enum_case": named("constant"),
        "full_enum_case": named("constant"),
        "function_definition": named("function"),
        "function_declaration": named("function"),
        "val_definition": _scala_value("variable"),
        "val_declaration": _scala_value("variable"),
        "var_definition": _scala_value("variable"),
        "var_declaration": _scala_value("variable"),
        "type_definition": named("type"),
        "given_definition": _scala_given,
        "extension_definition": lambda node: Found("", (), (node,)),
    },
    leading=frozenset({"comment", "block_comment"}),
    imports=frozenset({"package_clause", "import_declaration"}),
    look=frozenset({"enum_case_definitions", "template_body"}),
)

_SWIFT_KINDS = {"class": "class", "actor": "class", "struct": "struct", "enum": "enum", "extension": ""}


def _swift_class(node: Node) -> Found | None:
    keyword = token(node, *_SWIFT_KINDS)
    found = container(_SWIFT_KINDS.get(keyword, "class"))(node)
    if found is None:
        return None
    name = plain_type(found.scope)
    if keyword == "extension":  # groups members of a type that is defined elsewhere
        return Found("", (), found.bodies, name, "class")
    return found


def _swift_property(node: Node) -> Found | None:
    names = []
    for pattern in node.children_by_field_name("name"):
        bound = pattern.child_by_field_name("bound_identifier")
        if bound is not None:
            names.append(text_of(bound))
    return Found("variable", tuple(names)) if names else None


def _swift_case(node: Node) -> Found | None:
    names = tuple(text_of(each) for each in node.children_by_field_name("name"))
    return Found("constant", names) if names else None


SWIFT = Grammar(
    module="tree_sitter_swift",
    rules={
        "class_declaration": _swift_class,
        "protocol_declaration": container("interface"),
        "function_declaration": named("function"),
        "protocol_function_declaration": named("function"),
        "init_declaration": constant("method", "init"),
        "deinit_declaration": constant("method", "deinit"),
        "subscript_declaration": constant("method", "subscript"),
        "property_declaration": _swift_property,
        "protocol_property_declaration": _swift_property,
        "typealias_declaration": named("type"),
        "associatedtype_declaration": named("type"),
        "enum_entry": _swift_case,
    },
    leading=frozenset({"comment", "multiline_comment"}),
    imports=frozenset({"import_declaration"}),
)


def _dart_signature(node: Node) -> Found | None:
    """Function and method signatures; their bodies are siblings, which the rule CONTINUES joins to them."""
    kind = "method" if node.type == "method_signature" else "function"
    while node.type == "method_signature" and node.named_children:
        node = node.named_children[-1]
    name = name_of(node)
    if node.type.endswith("constructor_signature"):
        name = [text_of(each) for each in node.named_children if each.type == "identifier"][-1]  # Type or Type.name
    elif node.type == "operator_signature":
        name = f"operator {name_of(node, 'operator')}".strip()
    return Found(kind, (name,)) if name else None


def _dart_declaration(node: Node) -> Found | None:
    """A member without a body: fields, constructors, abstract methods."""
    for each in node.named_children:
        if each.type.endswith("_signature"):
            found = _dart_signature(each)
            return found._replace(kind="method") if found is not None else None
    return _dart_names(node, "field")


def _dart_names(node: Node, kind: str) -> Found | None:
    lists = [node, *(each for each in node.named_children if each.type.endswith("_list"))]
    names = [
        text_of(identifier)
        for each in lists
        for item in each.named_children
        if item.type in ("static_final_declaration", "initialized_identifier", "initialized_variable_definition")
        if (identifier := child(item, "identifier")) is not None
    ]
    return Found(kind, tuple(names)) if names else None


def _dart_group(kind: str) -> Rule:
    def rule(node: Node) -> Found | None:
        name = name_of(node)
        identifier = child(node, "identifier")
        text = name or (text_of(identifier) if identifier is not None else "")
        body = child(node, "class_body", "extension_body", "enum_body")
        return Found(kind, (text,), (body,) if body is not None else (), text) if text else None

    return rule


DART = Grammar(
    module="tree_sitter_dart",
    rules={
        "class_definition": _dart_group("class"),
        "mixin_declaration": _dart_group("trait"),
        "extension_declaration": _dart_group("type"),
        "extension_type_declaration": _dart_group("type"),
        "enum_declaration": _dart_group("enum"),
        "enum_constant": named("constant"),
        "type_alias": first_child("type", "type_identifier"),
        "function_signature": _dart_signature,
        "getter_signature": _dart_signature,
        "setter_signature": _dart_signature,
        "method_signature": _dart_signature,
        "declaration": _dart_declaration,
        "static_final_declaration_list": lambda node: _dart_names(node, "constant"),
        "initialized_identifier_list": lambda node: _dart_names(node, "variable"),
        "function_body": kind_only(CONTINUES),
        "part_directive": kind_only(IMPORTS),
    },
    leading=frozenset({"comment", "documentation_comment", "annotation"}),
    imports=frozenset({"import_or_export", "library_name", "part_of_directive"}),
)
