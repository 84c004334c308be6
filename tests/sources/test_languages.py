"""The wrong language means the wrong chunker: symbols a user cannot find."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.sources import language_of, languages
from recollect.sources.languages import CODE, KNOWN, PROSE

CHUNKED = (
    "bash c cpp csharp elixir go haskell java javascript kotlin lua php python ruby rust scala swift typescript tsx "
    "zig sql html css dart r markdown rst asciidoc json yaml toml ini xml text"
)


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a/b.py", "", "python"),
        ("a/b.PY", "", "python"),
        ("x.tsx", "", "tsx"),
        ("x.jsx", "", "javascript"),
        ("Dockerfile", "", "dockerfile"),
        ("Dockerfile.dev", "", "dockerfile"),
        ("CMakeLists.txt", "", "cmake"),
        ("notes.txt", "", "text"),
        ("nginx.conf.j2", "", "ini"),
        ("page.html.erb", "", "html"),
        ("config.h.in", "", "c"),
        ("analysis.R", "", "r"),
        ("old.C", "", "cpp"),
        ("BUILD", "", "starlark"),
        ("build", "#!/bin/sh\n", "bash"),
        ("noext", "", "text"),
        ("", "", "text"),
        (".gitignore", "*.pyc", "text"),
        ("tool", "#!/usr/bin/env python3\n", "python"),
        ("tool", "#!/usr/bin/env -S uv run --script\n", "python"),
        ("tool", "#! /usr/local/bin/python3.11 -u\n", "python"),
        ("tool", "#!/usr/bin/env -i FOO=1 bash -e\n", "bash"),
        ("tool", "#!\n", "text"),
        ("tool", "\ufeff#!/usr/bin/ruby\n", "ruby"),
        ("index", "<?php echo 1;", "php"),
        ("index", "\n<!doctype HTML>", "html"),
        ("feed", "<?xml version='1.0'?>", "xml"),
        ("mode", "# -*- mode: ruby -*-", "ruby"),
        ("mode", "# vim: set ft=python :", "python"),
        ("mode", "# -*- coding: utf-8 -*-", "text"),
        ("app_de.ts", '<?xml version="1.0"?><!DOCTYPE TS>', "xml"),
        ("app.ts", "export const a = 1", "typescript"),
        ("View.m", "#import <Foundation/Foundation.h>\n@implementation View\n", "objc"),
        ("solve.m", "function y = solve(x)\n% solves\n", "matlab"),
        ("facts.pl", ":- module(facts, []).\n", "prolog"),
        ("run.pl", "use strict;\n", "perl"),
    ],
)  # fmt: skip
def test_files_get_their_language(path: str, head: str, language: str) -> None:
    assert language_of(path, head) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("#include <stdio.h>\nint f(void);\n", "c"),
        ("/* class Foo, std::string, public: */\nint f(void);\n", "c"),
        ('// see http://x::y\n#ifdef __cplusplus\nextern "C" {\n#endif\n', "c"),
        ("struct class_info { int class; };\n", "c"),
        ("namespace a { }\n", "cpp"),
        ("#include <vector>\n", "cpp"),
        ("template<typename T> T f();\n", "cpp"),
        ("struct A {\npublic:\n int x; };\n", "cpp"),
        ("void f(std::string);\n", "cpp"),
        ("", "c"),
    ],
)
def test_headers_are_c_unless_they_are_clearly_cpp(head: str, language: str) -> None:
    assert language_of("x.h", head) == language


def test_every_language_with_a_chunker_is_known() -> None:
    assert set(CHUNKED.split()) <= KNOWN


def test_prose_and_code_do_not_overlap_and_leave_out_data() -> None:
    assert not PROSE & CODE
    assert not {"json", "yaml", "csv"} & (PROSE | CODE)


def test_no_extension_or_name_is_given_twice() -> None:
    source = Path(languages.__file__).read_text(encoding="utf-8")
    for block in source.split('_table("""')[1:]:
        rows = block.split('""")')[0].strip().splitlines()
        keys = [key for row in rows for key in row.split(":", 1)[1].split()]
        assert len(keys) == len(set(keys)), sorted({key for key in keys if keys.count(key) > 1})


@given(st.text(max_size=30), st.text(max_size=300))
def test_anything_has_a_known_language(path: str, head: str) -> None:
    assert language_of(path, head) in KNOWN


@pytest.mark.timeout(5)
def test_hostile_heads_do_not_hang() -> None:
    for head in ("\n" * 8192, "-*-" * 2700, "/*" * 4096, '"\\' * 4096, "vim:" * 2048, "a(" * 4096):
        for name in ("x", "x.h", "x.m", "x.pl"):
            assert language_of(name, head)
