"""Elixir, where definitions are calls, and Haskell, where one function is several equations."""

from __future__ import annotations

from tree_sitter import Node

from recollect.chunking.rules import IMPORTS, LEADING, Found, Grammar, child, name_of, named, text_of, unquoted

_MODULES = {"defmodule": "module", "defprotocol": "interface", "defimpl": ""}
_DEFINITIONS = {
    "def": "function",
    "defp": "function",
    "defdelegate": "function",
    "defguard": "macro",
    "defguardp": "macro",
    "defmacro": "macro",
    "defmacrop": "macro",
}
_IMPORTS = frozenset({"use", "import", "alias", "require"})
_LEADING = frozenset({"doc", "spec", "impl", "typedoc", "deprecated", "since", "tag", "dialyzer"})
_TYPES = frozenset({"type", "typep", "opaque"})


def _elixir_call(node: Node) -> Found | None:
    target = name_of(node, "target")
    arguments = child(node, "arguments")
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if target in _IMPORTS:
        return Found(IMPORTS)
    if target in _MODULES:
        return _elixir_module(node, target, first)
    if target in _DEFINITIONS and first is not None:
        name = _elixir_head(first)
        return Found(_DEFINITIONS[target], (name,)) if name else None
    if target in ("describe", "test") and first is not None and first.type == "string":
        name = unquoted(text_of(first))
        block = child(node, "do_block") if target == "describe" else None
        return Found("test", (name,), (block,) if block is not None else (), name if block is not None else "")
    return None


def _elixir_module(node: Node, target: str, first: Node | None) -> Found:
    block = child(node, "do_block")
    name = text_of(first) if first is not None else ""
    if target == "defimpl":
        name = _implementation(node, name)
    bodies = (block,) if block is not None else ()
    kind = _MODULES[target]
    return Found(kind, (name,) if kind and name else (), bodies, name, "module")


def _implementation(node: Node, protocol: str) -> str:
    """The module that `defimpl Protocol, for: Type` makes: Protocol.Type."""
    arguments = child(node, "arguments")
    keywords = child(arguments, "keywords") if arguments is not None else None
    pair = keywords.named_children[0] if keywords is not None and keywords.named_children else None
    target = name_of(pair, "value") if pair is not None else ""
    return f"{protocol}.{target}" if target and not target.startswith("[") else protocol


def _elixir_head(head: Node) -> str:
    """The name in `name(args)`, `name`, `name(args) when guard`, `left <~> right`."""
    while head.type == "binary_operator" and name_of(head, "operator") == "when":
        left = head.child_by_field_name("left")
        if left is None:
            return ""
        head = left
    if head.type == "call":
        return name_of(head, "target")
    if head.type == "binary_operator":
        return name_of(head, "operator")
    return text_of(head) if head.type == "identifier" else ""


def _elixir_attribute(node: Node) -> Found | None:
    call = node.child_by_field_name("operand")
    if call is None or call.type != "call" or not (node.text or b"").startswith(b"@"):
        return None
    name = name_of(call, "target")
    if name in _LEADING:
        return Found(LEADING)
    arguments = child(call, "arguments")
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if name in _TYPES or name in ("callback", "macrocallback"):
        while first is not None and first.type == "binary_operator":
            first = first.child_by_field_name("left")
        text = _elixir_head(first) if first is not None else ""
        return Found("type" if name in _TYPES else "function", (text,)) if text else None
    return None if name == "moduledoc" else Found("constant", (name,))


ELIXIR = Grammar(
    module="tree_sitter_elixir",
    rules={"call": _elixir_call, "unary_operator": _elixir_attribute},
    overloads=True,
)


def _haskell_function(node: Node) -> Found | None:
    name = name_of(node) or ", ".join(text_of(each) for each in node.children_by_field_name("names"))
    names = tuple(part.strip().removeprefix("(").removesuffix(")") for part in name.split(",") if part.strip())
    return Found("function", names) if names else None


def _haskell_data(node: Node) -> Found | None:
    name = name_of(node)
    if not name:
        return None
    held = node.child_by_field_name("constructors") or node.child_by_field_name("constructor")
    bodies = () if held is None else (held,) if held.type.endswith("constructors") else (node,)
    return Found("type", (name,), bodies, name)


def _haskell_constructor(node: Node) -> Found | None:
    inner: Node | None = node
    while inner is not None:
        name = name_of(inner)
        if name:
            return Found("constant", (name,))
        inner = inner.child_by_field_name("constructor") or (inner.named_children[0] if inner.named_children else None)
        if inner is not None and inner.type == "constructor":
            return Found("constant", (text_of(inner),))
    return None


def _haskell_class(node: Node) -> Found | None:
    name, body = name_of(node), node.child_by_field_name("declarations")
    return Found("class", (name,), (body,) if body is not None else (), name) if name else None


def _haskell_instance(node: Node) -> Found:
    body = node.child_by_field_name("declarations")
    scope = " ".join(filter(None, (name_of(node), name_of(node, "patterns"))))
    return Found("", (), (body,) if body is not None else (), scope, "class")


HASKELL = Grammar(
    module="tree_sitter_haskell",
    rules={
        "signature": _haskell_function,
        "function": _haskell_function,
        "bind": _haskell_function,
        "data_type": _haskell_data,
        "newtype": _haskell_data,
        "data_constructor": _haskell_constructor,
        "newtype_constructor": _haskell_constructor,
        "gadt_constructor": _haskell_constructor,
        "type_synonym": named("type"),
        "type_synomym": named("type"),
        "type_family": named("type"),
        "data_family": named("type"),
        "class": _haskell_class,
        "instance": _haskell_instance,
    },
    leading=frozenset({"comment", "haddock", "pragma"}),
    imports=frozenset({"header", "import"}),
    look=frozenset({"imports", "declarations"}),
    overloads=True,
)
