"""What is lost when the store fails: what was indexed, or the truth about why it cannot be used."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from recollect.engine import Engine
from recollect.errors import StoreBusy, StoreError, UnknownName
from recollect.stores import open_store


def _rows(db: Path) -> dict[str, int]:
    connection = apsw.Connection(str(db))
    tables = ["documents", "chunks", "symbols", "postings", "vectors", "skipped"]
    counts = {t: connection.execute(f"SELECT count(*) FROM {t}").get for t in tables}
    for (name,) in list(connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'")):
        counts["lexical"] = counts.get("lexical", 0) + connection.execute(f"SELECT count(*) FROM {name}_docsize").get
    connection.close()
    return counts


def test_deleted_renamed_and_shrunk_files_leave_nothing_behind(engine: Engine, many_files: Callable[..., Path]) -> None:
    root = many_files(30)
    engine.index(root, name="x")
    files = sorted(root.rglob("*.py"))
    files[0].unlink()
    files[1].rename(files[1].with_name("renamed.py"))
    files[2].write_text("def only_one():\n    return 1\n")
    files[3].write_text("")
    engine.index(root, name="x")
    counts = _rows(engine.settings.db)
    assert counts["documents"] == 29
    assert counts["lexical"] == counts["chunks"] == engine.collections()[0].chunks
    assert engine.get("renamed.py").text
    assert {h.path for h in engine.query("only_one", collections=("x",)).hits} >= {
        files[2].relative_to(root).as_posix()
    }
    with pytest.raises(UnknownName):
        engine.get(files[0].name)


def test_a_removed_collection_leaves_nothing_behind(engine: Engine, many_files: Callable[..., Path]) -> None:
    engine.index(many_files(10), name="x")
    removed = engine.remove("x")
    assert removed.documents == 10
    assert set(_rows(engine.settings.db).values()) == {0}


@pytest.mark.parametrize(
    "content",
    [b"this is no database at all, but long enough to be looked at" * 20, b"SQLite format 3\0" + b"\xff" * 4000],
)
def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    db = tmp_path / "broken.db"
    db.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        open_store(db)
    assert caught.value.hint
    assert db.read_bytes() == content


def test_another_programs_database_is_not_touched(tmp_path: Path) -> None:
    db = tmp_path / "other.db"
    with sqlite3.connect(db) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        open_store(db)


def test_a_newer_schema_is_refused_with_the_way_out(tmp_path: Path) -> None:
    db = tmp_path / "new.db"
    open_store(db).close()
    connection = apsw.Connection(str(db))
    connection.pragma("user_version", 999)
    connection.close()
    with pytest.raises(StoreError, match="newer") as caught:
        open_store(db)
    assert "Upgrade" in caught.value.hint


def test_a_second_writer_is_told_who_holds_the_lock(
    engine: Engine, make_engine: Callable[..., Engine], project: Path
) -> None:
    engine.index(project, name="x")
    other = make_engine(busy_timeout_ms=50)
    with (
        engine._store.writing("a long task"),
        engine._store._transaction(),
        pytest.raises(StoreBusy, match="a long task"),
    ):
        other.remove("x")


def test_a_second_writer_waits_for_the_first(
    engine: Engine, make_engine: Callable[..., Engine], project: Path, many_files: Callable[..., Path]
) -> None:
    engine.index(project, name="x")
    other = make_engine(busy_timeout_ms=20_000)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with engine._store._transaction():
            held.set()
            done.wait(0.3)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    other.index(many_files(5), name="y")
    thread.join()
    assert {c.name for c in engine.collections()} == {"x", "y"}


def test_readers_go_on_while_another_writes(engine: Engine, make_engine: Callable[..., Engine], project: Path) -> None:
    engine.index(project, name="x")
    with engine._store._transaction() as connection:
        connection.execute("UPDATE collections SET indexed_at = 1")
        readers = [make_engine(), make_engine()]
        assert all(r.query("retry delay", collections=("x",)).hits for r in readers)


_CRASHER = """
import os, sys, threading, time
from pathlib import Path
from recollect.config import Settings
from recollect.engine import Engine
import recollect.indexing.pipeline as pipeline
pipeline._BATCH_FILES = 3
at, pause = int(sys.argv[3]), float(sys.argv[4])
def kill():
    time.sleep(pause)
    os.kill(os.getpid(), 9)
def progress(step):
    if step.stage == "index" and step.done == at:
        threading.Thread(target=kill, daemon=True).start()
    if step.stage == "index" and step.done > at:
        time.sleep(0.002)  # the run must not end before the kill
Engine(Settings(db=Path(sys.argv[1]), workers=1)).index(sys.argv[2], name="x", progress=progress)
"""
_FILES = 120
_KILLS = [(random.Random(n).randint(1, _FILES - 30), random.Random(n).uniform(0, 0.02)) for n in range(8)]


@pytest.mark.parametrize(("at", "pause"), _KILLS)
def test_a_killed_run_is_finished_by_the_next_and_nothing_is_half_written(
    tmp_path: Path, many_files: Callable[..., Path], make_engine: Callable[..., Engine], at: int, pause: float
) -> None:
    root, db = many_files(_FILES, seed=at), tmp_path / "crash.db"
    killed = subprocess.run([sys.executable, "-c", _CRASHER, str(db), str(root), str(at), str(pause)], check=False)
    assert killed.returncode == -9
    with make_engine(db) as engine:
        before = _rows(db)
        assert before["documents"] < _FILES
        assert before["chunks"] == before.get("lexical", 0)
        assert before["documents"] == before["postings"] == before["vectors"]
        engine.query("retry delay", collections=("x",))
        engine.index(root, name="x")
        expected = make_engine(tmp_path / "whole.db")
        expected.index(root, name="x")
        for query in ("retry delay", "cache worker"):
            got, want = engine.query(query, collections=("x",)), expected.query(query, collections=("x",))
            assert [(h.path, h.start_line, h.score) for h in got.hits] == [
                (h.path, h.start_line, h.score) for h in want.hits
            ]
    connection = apsw.Connection(str(db))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()


def test_a_full_disk_loses_nothing_and_says_so(engine: Engine, many_files: Callable[..., Path]) -> None:
    engine.index(many_files(5), name="x")
    before = engine.collections()[0]
    connection = engine._store._connection()
    connection.pragma("max_page_count", connection.pragma("page_count"))
    with pytest.raises(StoreError) as caught:
        engine.index(many_files(200, name="more"), name="y")
    assert caught.value.code == "disk_full"
    connection.pragma("max_page_count", 10_000_000)
    assert engine.collections()[0] == before
    assert engine.query("retry", collections=("x",)).hits
    engine.index(many_files(200, name="more"), name="y")
    assert next(c for c in engine.collections() if c.name == "y").documents == 200
