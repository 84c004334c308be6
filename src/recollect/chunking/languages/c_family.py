"""C and C++: declarators carry the names, the preprocessor wraps everything.

Prototypes are not definitions and get no symbol; member declarations of a C++ class do.
"""

from __future__ import annotations

from tree_sitter import Node

from recollect.chunking.rules import (
    IMPORTS,
    Found,
    Grammar,
    chain,
    child,
    container,
    kind_only,
    name_of,
    named,
    plain_type,
    text_of,
)

_SPECIFIERS = {
    "struct_specifier": "struct",
    "union_specifier": "struct",
    "class_specifier": "class",
    "enum_specifier": "enum",
}
_NAMES = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "operator_name",
        "destructor_name",
        "operator_cast",
        "primitive_type",
        "template_function",
    }
)
_STATEMENTS = frozenset({"if", "for", "while", "switch", "return", "else", "do", "catch"})  # names of misparses
_QUALIFIERS = frozenset({"type_qualifier", "storage_class_specifier"})
_TEST_MACROS = frozenset({"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TEST_CASE", "SCENARIO", "BOOST_AUTO_TEST_CASE"})


def _declared(node: Node | None) -> tuple[str, str, bool]:
    """Name, owner and whether a function is declared, from a chain of declarators."""
    function = False
    owner: list[str] = []
    while node is not None:
        kind = node.type
        if kind in _NAMES:
            name = text_of(node)
            if kind == "operator_cast":
                name = name.split("(", 1)[0].strip()
                function = True
            elif kind == "template_function":
                name = plain_type(name)
            return name, chain(*owner), function
        if kind == "qualified_identifier":
            scope = node.child_by_field_name("scope")
            if scope is not None:
                owner.append(plain_type(text_of(scope)))
            node = node.child_by_field_name("name")
            continue
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next((each for each in node.named_children if _is_declarator(each)), None)
        # "int (*callback)(int)" declares a variable: the function declarator holds a parenthesised pointer.
        if kind == "function_declarator":
            function = inner is not None and inner.type != "parenthesized_declarator"
        node = inner
    return "", "", False


def _is_declarator(node: Node) -> bool:
    return node.type.endswith("declarator") or node.type in _NAMES or node.type == "qualified_identifier"


def _function(node: Node) -> Found | None:
    declarator = node.child_by_field_name("declarator")
    specifier = node.child_by_field_name("type")
    body = node.child_by_field_name("body")
    if declarator is None:
        return None
    if specifier is not None and specifier.type in _SPECIFIERS and body is not None and declarator.type == "identifier":
        name = text_of(declarator)  # "class EXPORT Name : Base { ... }" parses as a function of that name
        return Found(_SPECIFIERS[specifier.type], (name,), (body,), name)
    name, owner, _ = _declared(declarator)
    if not name or name in _STATEMENTS:
        return None
    if name == "namespace" and body is not None:  # "BEGIN_MACRO namespace detail { ... }"
        error = child(node, "ERROR")
        name = text_of(error).replace("::", ".") if error is not None else ""
        return Found("module" if name else "", (name,) if name else (), (body,), name, "module")
    if specifier is None and name in _TEST_MACROS:
        parameters = declarator.child_by_field_name("parameters")
        given = [text_of(each) for each in parameters.named_children] if parameters is not None else []
        return Found("test", (chain(*given[:2]) or name,))
    return Found("method" if owner else "function", (name,), owner=owner)


def _specifier(node: Node) -> Found | None:
    body = node.child_by_field_name("body")
    if body is None:
        return None
    name = name_of(node)
    if not name:
        return Found("", (), (body,))
    scope = node.child_by_field_name("name")
    text = plain_type(name) if scope is not None and scope.type == "template_type" else name.replace("::", ".")
    return Found(_SPECIFIERS[node.type], (text,), (body,), text)


def _declaration(node: Node) -> Found | None:
    if node.parent is not None and node.parent.type == "field_declaration_list":
        return _member(node)  # constructors and destructors of a class
    qualifiers = {text_of(each) for each in node.named_children if each.type in _QUALIFIERS}
    if "extern" in qualifiers:
        return None
    names = []
    for each in node.children_by_field_name("declarator"):
        name, owner, function = _declared(each)
        if name and not function:
            names.append(chain(owner, name))
    specifier = node.child_by_field_name("type")
    inner = _specifier(specifier) if specifier is not None and specifier.type in _SPECIFIERS else None
    if inner is not None:
        return inner._replace(kind=inner.kind or ("variable" if names else ""), names=(*inner.names, *names))
    return Found("constant" if qualifiers & {"const", "constexpr"} else "variable", tuple(names)) if names else None


def _member(node: Node) -> Found | None:
    """A field or the declaration of a method inside a struct or class."""
    names: list[str] = []
    functions: list[str] = []
    for each in node.children_by_field_name("declarator") or [node]:
        name, _, function = _declared(each)
        if name:
            (functions if function else names).append(name)
    if functions:
        return Found("method", tuple(functions))
    specifier = node.child_by_field_name("type")
    if specifier is not None and specifier.type in _SPECIFIERS:
        inner = _specifier(specifier)
        if inner is not None:
            return inner._replace(kind=inner.kind or ("field" if names else ""), names=(*inner.names, *names))
    return Found("field", tuple(names)) if names else None


def _typedef(node: Node) -> Found | None:
    names = tuple(filter(None, (_declared(each)[0] for each in node.children_by_field_name("declarator"))))
    specifier = node.child_by_field_name("type")
    if specifier is not None and specifier.type in _SPECIFIERS:
        body = specifier.child_by_field_name("body")
        if body is not None:
            own = name_of(specifier)
            every = tuple(dict.fromkeys(filter(None, (own, *names))))
            return Found(_SPECIFIERS[specifier.type], every, (body,), (names or (own,))[0])
    return Found("type", names) if names else None


def _macro(node: Node) -> Found | None:
    # "#define GUARD_H" without a value is a flag, not something to find.
    return named("macro")(node) if node.child_by_field_name("value") is not None else None


_RULES = {
    "function_definition": _function,
    "declaration": _declaration,
    "field_declaration": _member,
    "type_definition": _typedef,
    "struct_specifier": _specifier,
    "union_specifier": _specifier,
    "enum_specifier": _specifier,
    "enumerator": named("constant"),
    "preproc_def": _macro,
    "preproc_function_def": _macro,
}
_LOOK = frozenset(
    {
        "preproc_ifdef",
        "preproc_if",
        "preproc_else",
        "preproc_elif",
        "preproc_elifdef",
        "linkage_specification",
        "declaration_list",
    }
)

C = Grammar(module="tree_sitter_c", rules=_RULES, imports=frozenset({"preproc_include"}), look=_LOOK)

CPP = Grammar(
    module="tree_sitter_cpp",
    rules={
        **_RULES,
        "class_specifier": _specifier,
        "namespace_definition": container("module"),
        "alias_declaration": named("type"),
        "concept_definition": named("type"),
        "using_declaration": kind_only(IMPORTS),
    },
    imports=frozenset({"preproc_include"}),
    wrappers=frozenset({"template_declaration"}),
    look=_LOOK,
)
