"""What is read must be what is on disk, line for line, whatever the bytes are."""

from __future__ import annotations

import hashlib
import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.sources import File, read, reasons
from recollect.types import Document, Skipped


def file_of(path: Path) -> File:
    status = path.stat()
    return File(path.name, path, status.st_size, status.st_mtime_ns)


def written(folder: Path, data: bytes, name: str = "a.txt") -> Document | Skipped:
    path = folder / name
    path.write_bytes(data)
    return read(file_of(path))


def document(folder: Path, data: bytes, name: str = "a.txt") -> Document:
    found = written(folder, data, name)
    assert isinstance(found, Document), found
    return found


def reason(folder: Path, data: bytes, name: str = "a.txt") -> str:
    found = written(folder, data, name)
    assert isinstance(found, Skipped), found
    return found.reason


def test_identity_is_that_of_the_raw_bytes(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfdef f():\r\n    pass\r\n"
    found = document(tmp_path, data, "a.py")
    assert found.text == "def f():\n    pass\n"
    assert found.hash == hashlib.blake2b(data, digest_size=16).hexdigest()
    assert (found.size_bytes, found.mtime_ns) == (len(data), (tmp_path / "a.py").stat().st_mtime_ns)
    assert (found.path, found.language, found.title, dict(found.metadata)) == ("a.py", "python", "", {})


@pytest.mark.parametrize("data", [b"a\r\nb\r\nc", b"a\rb\rc", b"a\nb\nc", b"a\r\nb\rc"])
def test_line_ends_do_not_move_lines(tmp_path: Path, data: bytes) -> None:
    assert document(tmp_path, data).text == "a\nb\nc"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-32-be"])
def test_wide_encodings_are_read_by_their_mark(tmp_path: Path, encoding: str) -> None:
    mark = "" if encoding in ("utf-16", "utf-32") else "\ufeff"
    found = document(tmp_path, (mark + "größe 🚀\n").encode(encoding))
    assert found.text == "größe 🚀\n"
    assert str(found.metadata["encoding"]).startswith(encoding[:6])


def test_western_single_byte_text_is_read_and_marked(tmp_path: Path) -> None:
    text = "Der Schlüssel für die Größe – “ähnlich” wie früher, très élégant.\n"
    found = document(tmp_path, text.encode("cp1252"))
    assert (found.text, found.metadata) == (text, {"encoding": "cp1252"})


def test_one_cut_character_does_not_make_mojibake_of_the_rest(tmp_path: Path) -> None:
    found = document(tmp_path, "これは日本語の文章です。".encode() + b"\xe3\x81\n" + "終わり".encode())
    assert found.text.startswith("これは日本語")
    assert found.metadata == {"damaged": 1}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"abc\0def", reasons.BINARY),
        (bytes(range(1, 256)) * 20, reasons.BINARY),
        (b"\xff\xfe\x00\xd8\x00", reasons.BINARY),
        (b"\xff\xfeab\x01\x00\x00\x00\x02\x00\x03\x00", reasons.BINARY),
        (("Это русский текст в старой кодировке. " * 9).encode("cp1251"), reasons.NOT_TEXT),
        (("これは日本語の文章です。" * 9).encode("shift-jis"), reasons.NOT_TEXT),
        (b"abcdefghij" * 20 + b"\x81\x8d\x90", reasons.NOT_TEXT),
    ],
)  # fmt: skip
def test_what_is_not_text_is_said(tmp_path: Path, data: bytes, expected: str) -> None:
    assert reason(tmp_path, data) == expected


def test_compressed_data_is_binary(tmp_path: Path) -> None:
    assert reason(tmp_path, random.Random(1).randbytes(20_000)) == reasons.BINARY


def test_a_nul_after_the_head_is_damage_not_binary(tmp_path: Path) -> None:
    assert document(tmp_path, b"x" * 9000 + b"\0y").text == "x" * 9000 + "\ufffdy"


def test_an_empty_file_is_an_empty_document(tmp_path: Path) -> None:
    assert document(tmp_path, b"").text == ""
    assert document(tmp_path, b"\xef\xbb\xbf").text == ""


def test_giant_lines_of_code_are_minified_and_of_prose_are_not(tmp_path: Path) -> None:
    assert reason(tmp_path, b"var a=1;" * 1000, "a.js") == reasons.MINIFIED
    assert reason(tmp_path, b"x\n" * 100_000 + b"a" * 200_001, "a.json") == reasons.MINIFIED
    assert document(tmp_path, b"word " * 2000, "a.md").language == "markdown"
    assert document(tmp_path, b"x = '" + b"a" * 4000 + b"'\n", "a.py").language == "python"


def test_gone_locked_and_replaced_files_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("x")
    file = file_of(path)
    path.unlink()
    assert read(file) == Skipped("a.py", reasons.UNREADABLE, "No such file or directory")
    path.mkdir()
    assert isinstance(read(file), Skipped)
    path.rmdir()
    os.mkfifo(path)
    assert read(file) == Skipped("a.py", reasons.UNREADABLE, "it is no longer a regular file")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # as root nothing is forbidden
    assert read(file) == Skipped("a.py", reasons.UNREADABLE, "Permission denied")


def test_a_file_that_changed_since_the_walk_is_read_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("old")
    file = file_of(path)
    path.write_text("newer")
    os.utime(path, ns=(1, 1))
    found = read(file)
    assert isinstance(found, Document)
    assert (found.text, found.size_bytes, found.mtime_ns) == ("newer", 5, 1)


def test_a_file_that_changes_while_it_is_read_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    file = file_of(path)
    os_read = os.read

    def read_and_append(descriptor: int, size: int) -> bytes:
        data = os_read(descriptor, size)
        if data:
            path.write_text("x = 1\ny = 2\n")
        return data

    monkeypatch.setattr(os, "read", read_and_append)
    found = read(file)
    assert isinstance(found, Skipped)
    assert found.reason == reasons.UNREADABLE


def test_a_file_that_grew_out_of_bounds_is_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("x")
    file = file_of(path)
    path.write_text("x" * 1_000_001)
    found = read(file)
    assert isinstance(found, Skipped)
    assert found.reason == reasons.TOO_LARGE


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": "print('```')\n```\n", "outputs": [{"text": "SECRET OUTPUT"}]},
        {"cell_type": "code", "source": []},
        {"cell_type": "raw", "source": "raw \ud800"},
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
}


def test_notebooks_are_read_as_their_cells(tmp_path: Path) -> None:
    found = document(tmp_path, json.dumps(NOTEBOOK).encode(), "n.ipynb")
    assert found.text == "# Title\ntext\n\n````python\nprint('```')\n```\n````\n\nraw ?\n"
    assert (found.language, found.metadata) == ("markdown", {"notebook": True})


def test_old_notebooks_are_read_too(tmp_path: Path) -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "H"}, {"cell_type": "code", "input": ["a = 1"]}]
    found = document(tmp_path, json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode(), "n.ipynb")
    assert found.text == "## H\n\n```python\na = 1\n```\n"


@pytest.mark.parametrize("text", ["{", "[1]", "{}", '{"cells": 1}', "[" * 100_000])
def test_a_broken_notebook_is_json_not_a_crash(tmp_path: Path, text: str) -> None:
    found = written(tmp_path, text.encode(), "n.ipynb")
    assert isinstance(found, Skipped) or found.language == "json"


@given(data=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_any_bytes_become_a_document_or_a_reason(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    found = written(tmp_path_factory.getbasetemp(), data, "any.txt")
    if isinstance(found, Document):
        assert "\r" not in found.text
        assert "\0" not in found.text
        found.text.encode("utf-8")
    else:
        assert found.reason in reasons.ALL
