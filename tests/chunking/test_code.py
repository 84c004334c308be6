"""A search for a function finds that function: one chunk each, with its comments, titled with its symbol chain."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from recollect.chunking import LIMITS, Limits, chunk
from recollect.types import Chunk, Document


def chunks(
    text: str, language: str = "python", limits: Limits = LIMITS, path: str = "src/auth/tokenStore.py"
) -> list[Chunk]:
    return list(chunk(Document(path, text, language), limits).chunks)


def body(lines: int, indent: str = "    ") -> str:
    return "".join(
        f"{indent}value_{number} = compute_something_of({number}, other_argument)\n" for number in range(lines)
    )


def c_body(lines: int) -> str:
    return "".join(f"    int value_{n} = compute_something_of({n}, other_argument);\n" for n in range(lines))


CLASS = f'''"""Tokens, and all that users prove who they are with."""
import json
from pathlib import Path
from typing import Any
import logging.handlers
import concurrent.futures

class Store(Base):
    """Keeps tokens in one file per user, and never in memory for longer
    than it takes to answer.

    A token is forgotten when its user is.
    """

    limit = 3

    # Opens the file
    # once.
    @retry(3)
    def load(self, path: Path) -> Any:
{body(12, "        ")}        return json.loads(path)

    def save(self):
{body(14, "        ")}
    @property
    def size(self):
        return 1

    @property
    def empty(self):
        return not self.size
'''


def test_a_large_class_is_a_header_and_its_methods() -> None:
    found = chunks(CLASS)
    assert [(each.kind, each.title) for each in found] == [
        ("imports", ""),
        ("class", "Store"),
        ("method", "Store.load"),
        ("method", "Store.save, size, empty"),
    ]
    assert [symbol.qualified for symbol in found[1].symbols] == ["Store", "Store.limit"]


def test_comments_and_decorators_come_with_their_function() -> None:
    load = next(each for each in chunks(CLASS) if each.title == "Store.load")
    assert load.text.startswith("    # Opens the file\n    # once.\n    @retry(3)\n    def load")
    assert load.symbols[0].start_line == load.start_line + 3


def test_the_context_names_path_symbol_and_used_imports() -> None:
    load = next(each for each in chunks(CLASS) if each.title == "Store.load")
    assert load.context == "src auth token Store\nStore.load\nuses Path Any json"


def test_imports_do_not_list_themselves() -> None:
    assert chunks(CLASS)[0].context == "src auth token Store"


def test_a_small_class_stays_in_one_piece() -> None:
    text = 'class Point:\n    """Where."""\n\n    def __init__(self, x):\n        self.x = x\n\n    def norm(self):\n        return self.x\n'
    assert [each.title for each in chunks(text)] == ["Point"]


def test_a_long_function_is_cut_at_statements_and_keeps_its_name() -> None:
    blocks = "".join(
        f"    if ready({n}):\n        for item in items:\n            use(item)\n        # done\n        stop({n})\n"
        for n in range(50)
    )
    found = chunks(f"@cached\ndef process(items,\n            more):\n    total = 0\n{blocks}    return total\n")
    assert len(found) > 2
    assert {each.title for each in found} == {"process"}
    assert {each.kind for each in found} == {"function"}
    for each in found:
        assert each.end_line - each.start_line < LIMITS.code_target_lines
        assert len(each.text) <= LIMITS.code_max_chars
    for each in found[1:]:
        assert each.text.startswith("    if ready(")
        assert "\ndef process(items,\n" in f"\n{each.context}\n"
    assert [len(each.symbols) for each in found] == [1] + [0] * (len(found) - 1)
    sizes = [len(each.text) for each in found]
    assert min(sizes) * 2 > max(sizes)


def test_functions_inside_a_split_function_are_still_found() -> None:
    text = f"def outer():\n{body(60)}    def inner(a):\n        return a\n{body(60)}    return inner\n"
    found = {symbol.qualified: symbol for each in chunks(text) for symbol in each.symbols}
    assert found["outer.inner"].start_line == 62
    assert found["outer.inner"].end_line == 63


def test_local_variables_are_not_symbols() -> None:
    text = "def f():\n    local = 1\n    return local\n\n\nTOP = 1\n"
    assert [symbol.name for each in chunks(text) for symbol in each.symbols] == ["f", "TOP"]


def test_getters_are_merged_but_functions_are_not() -> None:
    getters = "".join(f"def get_{n}():\n    return {n}\n\n\n" for n in range(6))
    functions = "".join(f"def work_{n}():\n{body(12)}\n\n" for n in range(3))
    found = chunks(getters + functions)
    assert [each.title for each in found] == ["get_0, get_1, get_2, get_3", "work_0", "work_1", "work_2"]
    assert len(found[0].symbols) == 6


def test_a_syntax_error_costs_only_its_neighbourhood() -> None:
    text = f"def good():\n{body(12)}\n\ndef bad(:\n    ) = ]\n\n\ndef also_good():\n{body(12)}"
    names = {symbol.name for each in chunks(text) for symbol in each.symbols}
    assert {"good", "also_good"} <= names


def test_lines_count_newlines_only() -> None:
    text = "x = 1\f\ny = '\u2028'\n\vz = 2\n\n\ndef f():\n    return '\x85'\n"
    found = [symbol for each in chunks(text) for symbol in each.symbols]
    assert [(each.name, each.start_line) for each in found if each.name in "xyf"] == [("x", 1), ("y", 2), ("f", 6)]


def test_clauses_of_one_function_are_one_definition() -> None:
    clauses = "".join(f"  def kind({n}), do: :number_{n}\n" for n in range(6))
    text = f"defmodule Kinds do\n{clauses}end\n"
    found = [symbol for each in chunks(text, "elixir") for symbol in each.symbols]
    assert [(each.qualified, each.start_line, each.end_line) for each in found] == [
        ("Kinds", 1, 8),
        ("Kinds.kind", 2, 7),
    ]


def test_an_include_guard_is_looked_through() -> None:
    functions = "".join(f"int work_{n}(int a)\n{{\n{c_body(14)}}}\n\n" for n in range(3))
    text = f"#ifndef A_H\n#define A_H\n#include <stdio.h>\n{functions}#endif\n"
    found = chunks(text, "c")
    assert [each.title for each in found] == ["work_0", "work_1", "work_2"]
    assert found[-1].text.endswith("#endif")


def test_definitions_inside_a_module_wrapper_are_found() -> None:
    functions = "".join(f"  function work{n}(a) {{\n{body(14)}  }}\n" for n in range(3))
    text = f"(function (root) {{\n  var local = 1;\n{functions}  root.work = work0;\n}})(this);\n"
    names = [symbol.name for each in chunks(text, "javascript") for symbol in each.symbols]
    assert names == ["work0", "work1", "work2"]


def test_a_namespace_opened_by_a_macro_is_looked_through() -> None:
    methods = "".join(f"  int scan_{n}() {{\n{c_body(14)}  }}\n" for n in range(3))
    text = f"BEGIN_NAMESPACE\nnamespace detail\n{{\nclass lexer {{\n{methods}}};\n}}\nEND_NAMESPACE\n"
    assert [each.title for each in chunks(text, "cpp")] == [f"detail.lexer.scan_{n}" for n in range(3)]


def test_limits_can_be_passed_to_measure_them() -> None:
    functions = "".join(f"def work_{n}():\n{body(8)}\n\n" for n in range(4))
    wide = replace(LIMITS, code_small_chars=2_000, code_small_lines=80, code_target_chars=4_000, code_merge_lines=80)
    assert len(chunks(functions)) == 4
    assert len(chunks(functions, limits=wide)) == 1


def test_minified_code_is_not_parsed() -> None:
    found = chunks("var a=1;" * 2_000, "javascript")
    assert [(each.kind, each.symbols) for each in found] == [("lines", ())]


def test_an_empty_file_has_no_chunks() -> None:
    for language in ("python", "markdown", "json", "yaml", "text", "html", "r", "unknown"):
        assert chunks("\n \n\t\n", language) == []
        assert chunks("", language) == []


def test_definitions_that_share_a_line_are_found_on_it() -> None:
    text = (
        f"class A {{\n{c_body(14)}\nvoid f() {{}}\nvoid g() {{}} }}; class B {{\n{c_body(14)}\n  void h() {{}}\n}};\n"
    )
    found = chunks(text, "cpp")
    places = {symbol.qualified: symbol.start_line for each in found for symbol in each.symbols}
    assert {name: places[name] for name in ("A", "A.g", "B", "B.h")} == {"A": 1, "A.g": 18, "B": 18, "B.h": 34}
    for each in found:
        assert all(each.start_line <= symbol.start_line <= each.end_line for symbol in each.symbols)


def test_errors_that_a_grammar_cannot_recover_from_do_not_stop_indexing() -> None:
    """Some lines of other languages took Kotlin's parser more than three minutes; now the file is read by lines."""
    text = (Path(__file__).parent / "samples" / "hard" / "recovery.kt.txt").read_text(encoding="utf-8")
    started = time.process_time()
    found = chunks(text, "kotlin")
    assert time.process_time() - started < 10
    assert {each.kind for each in found} == {"lines"}
