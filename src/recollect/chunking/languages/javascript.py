"""JavaScript, TypeScript and TSX: functions hide in constants, assignments, object literals and calls."""

from __future__ import annotations

from tree_sitter import Node

from recollect.chunking.rules import IMPORTS, Found, Grammar, Rule, container, name_of, named, text_of, unquoted

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_TESTS = frozenset({"describe", "it", "test", "suite", "context", "specify", "bench"})
_EXPORTS = frozenset({"exports", "module.exports", "window", "globalThis", "module", "this", "self"})


def _requires(value: Node) -> bool:
    """Whether an initialiser is require(...), possibly followed by members of it."""
    while value.type in ("member_expression", "call_expression", "await_expression"):
        if value.type == "call_expression" and name_of(value, "function") in ("require", "import"):
            return True
        inner = value.child_by_field_name("object") or value.child_by_field_name("function")
        if inner is None:
            return False
        value = inner
    return False


def _valued(name: str, value: Node | None, kind: str) -> Found:
    """A name bound to a value: functions, classes and object literals count as what they are."""
    if value is None:
        return Found(kind, (name,))
    if value.type in _FUNCTIONS:
        return Found("method" if kind == "field" else "function", (name,))
    if value.type == "class":
        body = value.child_by_field_name("body")
        return Found("class", (name,), (body,) if body is not None else (), name)
    if value.type == "object":
        return Found(kind, (name,), (value,), name)
    return Found(kind, (name,))


def _variables(node: Node) -> Found | None:
    kind = "constant" if any(each.type == "const" for each in node.children) else "variable"
    found: list[Found] = []
    required = False
    for each in node.named_children:
        if each.type != "variable_declarator":
            continue
        name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if value is not None and _requires(value):
            required = True
        elif name is not None and name.type == "identifier":
            found.append(_valued(text_of(name), value, kind))
    if len(found) == 1:
        return found[0]
    if found:
        return Found(found[0].kind, tuple(name for each in found for name in each.names))
    return Found(IMPORTS) if required else None


def _assignment(node: Node) -> Found | None:
    """exports.x = function, Type.prototype.method = function, object.method = () => ..., module.exports = {...}."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression":
        return None
    name, owner = name_of(left, "property"), name_of(left, "object")
    if name == "exports" and owner == "module":
        return Found("", (), (right,)) if right.type == "object" else None
    if right.type not in _FUNCTIONS and right.type != "class":
        return Found("", (), (right,)) if right.type == "object" else None
    if owner.endswith(".prototype"):
        return Found("method", (name,), owner=owner.removesuffix(".prototype"))
    if name == "prototype" or not name:
        return None
    owner = "" if owner in _EXPORTS else owner.removeprefix("module.exports.").removeprefix("exports.")
    found = _valued(name, right, "constant")
    return found._replace(kind="method" if owner and found.kind == "function" else found.kind, owner=owner)


def _call(node: Node) -> Found | None:
    """Blocks of test runners: describe("name", () => {...})."""
    callee, arguments = name_of(node, "function"), node.child_by_field_name("arguments")
    if callee.split(".", 1)[0] not in _TESTS or arguments is None or len(arguments.named_children) < 2:
        return None
    title, function = arguments.named_children[0], arguments.named_children[-1]
    if title.type not in ("string", "template_string") or function.type not in _FUNCTIONS:
        return None
    name = unquoted(text_of(title))
    body = function.child_by_field_name("body")
    if callee.split(".", 1)[0] in ("describe", "suite", "context") and body is not None:
        return Found("test", (name,), (body,), name)
    return Found("test", (name,))


def _member(name: str) -> Rule:
    def rule(node: Node) -> Found | None:
        text = unquoted(name_of(node, name))
        return _valued(text, node.child_by_field_name("value"), "field") if text else None

    return rule


def _pair(node: Node) -> Found | None:
    value = node.child_by_field_name("value")
    if value is None or value.type not in _FUNCTIONS:
        return None
    return Found("method", (unquoted(name_of(node, "key")),))


def _module(node: Node) -> Found | None:
    found = container("module")(node)
    if found is None:
        return None
    name = unquoted(found.names[0]) if found.names else ""
    return found._replace(names=(name,), scope=name)


_RULES: dict[str, Rule] = {
    "function_declaration": named("function"),
    "generator_function_declaration": named("function"),
    "class_declaration": container("class"),
    "class": container("class"),
    "method_definition": named("method"),
    "field_definition": _member("property"),
    "lexical_declaration": _variables,
    "variable_declaration": _variables,
    "assignment_expression": _assignment,
    "call_expression": _call,
    "pair": _pair,
}
_WRAPPERS = frozenset({"export_statement", "expression_statement", "ambient_declaration"})

JAVASCRIPT = Grammar(
    module="tree_sitter_javascript",
    rules=_RULES,
    imports=frozenset({"import_statement"}),
    leading=frozenset({"comment", "decorator"}),
    wrappers=_WRAPPERS,
)


def _typescript(function: str) -> Grammar:
    return Grammar(
        module="tree_sitter_typescript",
        function=function,
        rules={
            **_RULES,
            "abstract_class_declaration": container("class"),
            "public_field_definition": _member("name"),
            "interface_declaration": container("interface"),
            "type_alias_declaration": named("type"),
            "enum_declaration": container("enum"),
            "enum_assignment": named("constant"),
            "property_identifier": lambda node: Found("constant", (text_of(node),)),
            "function_signature": named("function"),
            "abstract_method_signature": named("method"),
            "method_signature": named("method"),
            "property_signature": named("field"),
            "internal_module": container("module"),
            "module": _module,
        },
        imports=frozenset({"import_statement", "import_alias"}),
        leading=frozenset({"comment", "decorator"}),
        wrappers=_WRAPPERS,
        overloads=True,
    )


TYPESCRIPT = _typescript("language_typescript")
TSX = _typescript("language_tsx")
