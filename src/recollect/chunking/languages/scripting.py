"""Python, Ruby, PHP, Lua and Bash."""

from __future__ import annotations

from tree_sitter import Node

from recollect.chunking.rules import (
    IMPORTS,
    Found,
    Grammar,
    Rule,
    child,
    constant_case,
    container,
    listed,
    name_of,
    named,
    text_of,
    unquoted,
)


def _python_assignment(node: Node) -> Found | None:
    first = node.named_children[0] if node.named_children else None
    if first is None or first.type != "assignment":
        return None
    left = first.child_by_field_name("left")
    if left is None:
        return None
    targets = [left] if left.type == "identifier" else left.named_children if left.type == "pattern_list" else []
    names = tuple(text_of(each) for each in targets if each.type == "identifier")
    return Found(constant_case(names[0], "variable"), names) if names else None


PYTHON = Grammar(
    module="tree_sitter_python",
    rules={
        "function_definition": named("function"),
        "class_definition": container("class"),
        "expression_statement": _python_assignment,
        "type_alias_statement": named("type", "left"),
    },
    imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    wrappers=frozenset({"decorated_definition"}),
    look=frozenset(
        {
            "if_statement",
            "elif_clause",
            "else_clause",
            "try_statement",
            "except_clause",
            "finally_clause",
            "with_statement",
            "block",
        }
    ),
)

_RUBY_TESTS = frozenset({"describe", "context", "it", "specify", "test", "should", "feature", "scenario"})
_RUBY_IMPORTS = frozenset({"require", "require_relative", "load", "autoload"})
_RUBY_BLOCKS = frozenset({"included", "class_methods", "prepended", "refine", "class_eval", "module_eval"})
_RUBY_FIELDS = frozenset({"attr_accessor", "attr_reader", "attr_writer", "cattr_accessor", "mattr_accessor"})


def _ruby_body(node: Node) -> tuple[Node, ...]:
    block = node.child_by_field_name("block")
    body = block.child_by_field_name("body") if block is not None else None
    return (body,) if body is not None else ()


def _ruby_call(node: Node) -> Found | None:
    method = name_of(node, "method")
    given = node.child_by_field_name("arguments")
    arguments = given.named_children if given is not None else []
    if method in _RUBY_IMPORTS:
        return Found(IMPORTS)
    if arguments and arguments[-1].type in ("method", "singleton_method"):  # private def name
        return named("function")(arguments[-1])
    if method in _RUBY_FIELDS:
        return Found("field", tuple(text_of(each).lstrip(":") for each in arguments))
    if method == "define_method" and arguments:
        return Found("method", (unquoted(text_of(arguments[0]).lstrip(":")),))
    if method in _RUBY_BLOCKS:
        return Found("", (), _ruby_body(node))
    if method in _RUBY_TESTS and arguments and node.child_by_field_name("block") is not None:
        name = unquoted(text_of(arguments[0]))
        nested = method in ("describe", "context", "feature")
        return Found("test", (name,), _ruby_body(node) if nested else (), name if nested else "")
    return None


def _ruby_assignment(node: Node) -> Found | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or left.type != "constant":
        return None
    name = text_of(left)
    if right is not None and right.type == "call" and name_of(right, "receiver") in ("Struct", "Class", "Data"):
        return Found("class", (name,), _ruby_body(right), name)
    return Found("constant", (name,))


RUBY = Grammar(
    module="tree_sitter_ruby",
    rules={
        "module": container("module", inside="class"),
        "class": container("class"),
        "singleton_class": lambda node: Found("", (), tuple(filter(None, [node.child_by_field_name("body")]))),
        "method": named("function"),
        "singleton_method": named("method"),
        "assignment": _ruby_assignment,
        "call": _ruby_call,
    },
    look=frozenset({"if", "unless", "begin", "then", "else"}),
)


def _php_names(kind: str, element: str, part: str) -> Rule:
    def rule(node: Node) -> Found | None:
        elements = [each for each in node.named_children if each.type == element]
        parts = [found for each in elements if (found := child(each, part)) is not None]
        return Found(kind, tuple(text_of(each).lstrip("$") for each in parts)) if parts else None

    return rule


def _php_namespace(node: Node) -> Found:
    body = node.child_by_field_name("body")
    return Found(IMPORTS) if body is None else Found("module", (name_of(node),), (body,))


def _php_define(node: Node) -> Found | None:
    arguments = node.child_by_field_name("arguments")
    if name_of(node, "function") != "define" or arguments is None or not arguments.named_children:
        return None
    return Found("constant", (unquoted(text_of(arguments.named_children[0])),))


def _php_variable(node: Node) -> Found | None:
    left = node.child_by_field_name("left")
    if left is None or left.type != "variable_name":
        return None
    return Found("variable", (text_of(left).lstrip("$"),))


PHP = Grammar(
    module="tree_sitter_php",
    function="language_php",
    rules={
        "class_declaration": container("class"),
        "interface_declaration": container("interface"),
        "trait_declaration": container("trait"),
        "enum_declaration": container("enum"),
        "enum_case": named("constant"),
        "method_declaration": named("method"),
        "function_definition": named("function"),
        "const_declaration": _php_names("constant", "const_element", "name"),
        "property_declaration": _php_names("field", "property_element", "variable_name"),
        "namespace_definition": _php_namespace,
        "function_call_expression": _php_define,
        "assignment_expression": _php_variable,
    },
    imports=frozenset({"php_tag", "namespace_use_declaration", "declare_statement"}),
    wrappers=frozenset({"expression_statement"}),
    look=frozenset({"if_statement", "else_clause", "compound_statement", "colon_block"}),
)


def _lua_owner(node: Node) -> tuple[str, str]:
    """Name and owner of `name`, `Table.name` or `Table:name`."""
    if node.type in ("dot_index_expression", "method_index_expression"):
        name = name_of(node, "field") or name_of(node, "method")
        return name, name_of(node, "table").replace(":", ".")
    return (text_of(node), "") if node.type == "identifier" else ("", "")


def _lua_function(node: Node) -> Found | None:
    target = node.child_by_field_name("name")
    name, owner = _lua_owner(target) if target is not None else ("", "")
    return Found("method" if owner else "function", (name,), owner=owner) if name else None


def _lua_assignment(node: Node) -> Found | None:
    inner = child(node, "assignment_statement") if node.type == "variable_declaration" else node
    left = child(inner, "variable_list") if inner is not None else child(node, "variable_list")
    right = child(inner, "expression_list") if inner is not None else None
    if left is None or not left.named_children:
        return None
    value = right.named_children[0] if right is not None and right.named_children else None
    if value is not None and value.type == "function_call" and name_of(value) == "require":
        return Found(IMPORTS)
    name, owner = _lua_owner(left.named_children[0])
    if not name:
        return None
    if value is not None and value.type == "function_definition":
        return Found("method" if owner else "function", (name,), owner=owner)
    if owner:  # a field of a table: only functions and tables of functions are worth a symbol
        return Found("", (), (value,)) if value is not None and value.type == "table_constructor" else None
    bodies = (value,) if value is not None and value.type == "table_constructor" else ()
    return Found(constant_case(name, "variable"), (name,), bodies, name if bodies else "")


def _lua_field(node: Node) -> Found | None:
    value = node.child_by_field_name("value")
    name = name_of(node)
    return Found("method", (name,)) if name and value is not None and value.type == "function_definition" else None


def _lua_return(node: Node) -> Found | None:
    values = child(node, "expression_list")
    tables = tuple(each for each in values.named_children if each.type == "table_constructor") if values else ()
    return Found("", (), tables) if tables else None


LUA = Grammar(
    module="tree_sitter_lua",
    rules={
        "function_declaration": _lua_function,
        "variable_declaration": _lua_assignment,
        "assignment_statement": _lua_assignment,
        "field": _lua_field,
        "return_statement": _lua_return,
    },
    look=frozenset({"do_statement", "if_statement", "block", "else_statement"}),
)


def _bash_command(node: Node) -> Found | None:
    return Found(IMPORTS) if name_of(node) in ("source", ".") else None


def _bash_assignment(node: Node) -> Found | None:
    name = name_of(node)
    return Found(constant_case(name, "variable"), (name,)) if name else None


BASH = Grammar(
    module="tree_sitter_bash",
    rules={
        "function_definition": named("function"),
        "variable_assignment": _bash_assignment,
        "declaration_command": listed("constant", "variable_assignment"),
        "command": _bash_command,
    },
    look=frozenset({"if_statement", "else_clause", "elif_clause"}),
)
