"""What a user loses when the engine fails: answers, clear errors, what was indexed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect.embedding import open_embedder
from recollect.engine import Engine
from recollect.errors import EmbedderMismatch, InvalidRequest, RecollectError, UnknownName, UnsupportedPath
from recollect.types import Document


def _paths(response: recollect.SearchResponse) -> list[str]:
    return [h.path for h in response.hits]


@pytest.mark.parametrize("mode", ["search", "vsearch", "query"])
def test_the_right_lines_come_first_three_ways(engine: Engine, project: Path, mode: str) -> None:
    engine.index(project, name="x")
    hit = getattr(engine, mode)("where is the retry delay computed", collections=("x",)).hits[0]
    assert hit.path in ("src/retry.py", "tests/test_retry.py") if mode != "query" else hit.path == "src/retry.py"
    lines = (project / hit.path).read_text().split("\n")
    assert hit.text == "\n".join(lines[hit.start_line - 1 : hit.end_line])
    assert 0 <= hit.score <= 1


def test_the_library_works_as_its_documentation_says(tmp_path: Path, project: Path) -> None:
    with recollect.open(tmp_path / "lib.db") as engine:
        engine.index(project, name="x")
        hit = engine.query("render template", collections=("x",), limit=10).hits[0]
        assert (hit.collection, hit.path, hit.kind, hit.language) == ("x", "web/app.ts", "function", "typescript")
        assert hit.title == "renderTemplate"
        assert hit.distance is not None
        assert engine.get(f"#{hit.id}").text == hit.text


def test_a_second_run_reads_only_what_changed(engine: Engine, project: Path) -> None:
    first = engine.index(project, name="x")
    assert first.added == 6
    again = engine.index(project, name="x")
    assert (again.added, again.changed, again.removed, again.unchanged) == (0, 0, 0, 6)
    file = project / "src" / "server.go"
    os.utime(file, ns=(1, 1))
    touched = engine.index(project, name="x")
    assert (touched.changed, touched.unchanged) == (0, 6)
    file.write_text("package server\n\nfunc Listen(port int) error {\n\treturn dial(port)\n}\n")
    assert engine.index(project, name="x").changed == 1
    file.unlink()
    assert engine.index(project, name="x").removed == 1


def test_a_changed_file_is_searchable_in_an_open_engine(engine: Engine, project: Path) -> None:
    engine.index(project, name="x")
    engine.query("anything", collections=("x",))
    (project / "src" / "retry.py").write_text("def zebra_crossing():\n    return 'stripes'\n")
    engine.index(project, name="x")
    assert _paths(engine.query("zebra crossing", collections=("x",)))[0] == "src/retry.py"
    assert engine.search("should", collections=("x",)).hits == ()


def test_filters_work_inside_the_lists_not_after_them(engine: Engine, many_files: Callable[..., Path]) -> None:
    root = many_files(300)
    engine.index(root, name="x")
    (only := root / "only.md").write_text("# Notes\n\nretry delay socket\n")
    engine.index(root, name="x")
    for mode in ("search", "vsearch", "query"):
        ask = getattr(engine, mode)
        assert _paths(ask("retry delay", collections=("x",), include=("*.md",))) == [only.name]
        assert _paths(ask("retry delay", collections=("x",), language=("markdown",))) == [only.name]
        assert only.name not in _paths(ask("retry delay", collections=("x",), exclude=("*.md",), limit=1000))
        assert all(p.startswith("pkg3/") for p in _paths(ask("retry delay", collections=("x",), include=("pkg3/",))))


def test_quotes_and_minus_are_strict(engine: Engine) -> None:
    engine.add(
        [{"path": "a", "text": "the retry delay is short"}, {"path": "b", "text": "a delay before retry"}], name="n"
    )
    assert _paths(engine.query('"retry delay"', collections=("n",))) == ["a"]
    assert _paths(engine.query("delay -short", collections=("n",))) == ["b"]


def test_scores_explain_themselves(engine: Engine, project: Path) -> None:
    engine.index(project, name="x")
    response = engine.query("compute_retry_delay", collections=("x",), explain=True)
    e = response.hits[0].explanation
    assert e is not None
    assert e.keyword_rank is not None and e.keyword_score is not None and e.vector_score is not None
    assert e.rrf_score == pytest.approx(
        2.5 / (60 + e.keyword_rank) + (1 / (60 + e.vector_rank) if e.vector_rank else 0), abs=1e-6
    )
    assert e.final_score == response.hits[0].score
    assert "RRF" in e.breakdown
    assert response.debug is not None and response.debug["kind"] == "code"
    assert engine.query("compute_retry_delay", collections=("x",)).hits[0].explanation is None


def test_scores_and_distances_cut_off(engine: Engine, project: Path) -> None:
    engine.index(project, name="x")
    hits = engine.query("retry delay", collections=("x",)).hits
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    cut = engine.query("retry delay", collections=("x",), min_score=hits[1].score).hits
    assert len(cut) >= 2 and all(h.score >= hits[1].score for h in cut)
    near = engine.query("retry delay", collections=("x",), max_distance=0.6).hits
    assert all(h.distance is not None and h.distance <= 0.6 for h in near) and len(near) < len(hits)


@pytest.mark.parametrize("nonsense", ["xqzvy wqplk zzzt", "!!! ???", "asdkjh qweoiu"])
def test_nonsense_is_never_a_confident_hit(engine: Engine, project: Path, nonsense: str) -> None:
    engine.index(project, name="x")
    try:
        hits = engine.query(nonsense, collections=("x",)).hits
    except InvalidRequest:
        hits = ()
    assert all(h.score < 0.3 for h in hits)
    assert engine.query("compute_retry_delay", collections=("x",)).hits[0].score > 0.5


def test_several_collections_answer_together(engine: Engine, project: Path) -> None:
    engine.index(project, name="code")
    engine.add([{"path": "n.md", "text": "# Retry\n\nThe retry delay doubles."}], name="notes")
    both = engine.query("retry delay", collections=("code", "notes"))
    assert {h.collection for h in both.hits} == {"code", "notes"}
    assert {h.collection for h in engine.query("retry delay", all=True).hits} == {"code", "notes"}


def test_the_collection_of_the_working_folder_is_the_default(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.index(project, name="x")
    engine.add([{"path": "n", "text": "retry"}], name="other")
    monkeypatch.chdir(project / "src")
    assert {h.collection for h in engine.query("retry").hits} == {"x"}
    monkeypatch.chdir(project.parent)
    with pytest.raises(UnknownName, match="No collection"):
        engine.query("retry")


def test_a_folder_never_indexed_is_indexed_on_the_first_question(engine: Engine, project: Path) -> None:
    (project / ".git").mkdir()
    report = engine.ensure_indexed(project / "src")
    assert report.root == str(project.resolve())
    assert engine.ensure_indexed(project / "src").unchanged == report.added


def test_without_vectors_keywords_answer_and_it_is_said(engine: Engine, project: Path) -> None:
    engine.index(project, name="x", embed=False)
    response = engine.query("retry delay", collections=("x",))
    assert response.hits and "embed" in response.degraded[0]
    assert engine.vsearch("retry delay", collections=("x",)).hits == ()
    assert engine.embed(["x"])[0].embedded == engine.collections()[0].chunks
    after = engine.query("retry delay", collections=("x",))
    assert not after.degraded and after.hits[0].distance is not None


def test_a_collection_of_another_embedder_is_not_mixed(engine: Engine, project: Path) -> None:
    engine.index(project, name="x")
    row = engine._store.collection("x")
    with engine._store._transaction() as connection:
        connection.execute("UPDATE collections SET embedder = 'other', fingerprint = 'theirs' WHERE id = ?", (row.id,))
        connection.execute("UPDATE vectors SET fingerprint = 'theirs'")
    for ask in (engine.query, engine.vsearch):
        with pytest.raises(EmbedderMismatch, match="other") as caught:
            ask("retry", collections=("x",))
        assert "recollect embed --force" in caught.value.hint
    assert engine.search("retry", collections=("x",)).hits
    with pytest.raises(EmbedderMismatch):
        engine.embed(["x"])
    engine.embed(["x"], force=True)
    assert engine.query("retry", collections=("x",)).hits[0].distance is not None


def test_a_new_version_of_the_built_in_model_embeds_again_by_itself(engine: Engine, project: Path) -> None:
    engine.index(project, name="x")
    with engine._store._transaction() as connection:
        connection.execute("UPDATE collections SET fingerprint = 'builtin-old'")
        connection.execute("UPDATE vectors SET fingerprint = 'builtin-old'")
    with pytest.raises(EmbedderMismatch, match="another version"):
        engine.query("retry", collections=("x",))
    report = engine.index(project, name="x")
    assert report.unchanged == 6 and report.embedded == engine.collections()[0].chunks
    assert engine.query("retry", collections=("x",)).hits[0].distance is not None


def test_added_documents_are_read_back_whole(engine: Engine) -> None:
    text = "# Title\n\n" + "\n".join(f"line {i}" for i in range(50)) + "\n"
    engine.add([Document("deep/notes.md", text), {"path": "b", "text": ""}], name="n")
    assert engine.get("deep/notes.md", ["n"]).text == text.rstrip("\n")
    assert engine.get("notes.md:3-4", ["n"]).text == "line 0\nline 1"
    assert engine.add([Document("deep/notes.md", text)], name="n").unchanged == 1
    assert engine.add([Document("deep/notes.md", "changed")], name="n").changed == 1
    assert engine.get("deep/notes.md", ["n"]).text == "changed"


@pytest.mark.parametrize("name", ["a b.py", "emoji 🎉.md", "cafe\u0301.txt", "日本.md"])
def test_odd_file_names_are_indexed_found_and_read(engine: Engine, tmp_path: Path, name: str) -> None:
    root = tmp_path / "odd"
    root.mkdir()
    (root / name).write_text("# Retry\n\nthe retry delay\n")
    engine.index(root, name="x")
    assert _paths(engine.query("retry delay", collections=("x",))) == [name]
    assert engine.get(name, ["x"]).total_lines == 3


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda e, p: e.index(p / "projetc"), UnsupportedPath, "project"),
        (lambda e, p: e.index(p / "project" / "config.json"), UnsupportedPath, "file, not a folder"),
        (lambda e, p: e.query("x", collections=("projekt",)), UnknownName, "project"),
        (lambda e, p: e.query("", collections=("project",)), InvalidRequest, "empty"),
        (lambda e, p: e.query("   ", collections=("project",)), InvalidRequest, "empty"),
        (lambda e, p: e.query("?!. --", collections=("project",)), InvalidRequest, "no words"),
        (lambda e, p: e.query("x", collections=("project",), include=("[",)), InvalidRequest, "["),
        (lambda e, p: e.query("x", collections=("project",), limit=-1), InvalidRequest, "limit"),
        (lambda e, p: e.query("x", collections=("project",), limit=0), InvalidRequest, "limit"),
        (lambda e, p: e.query("x", collections=("project",), min_score=2), InvalidRequest, "min-score"),
        (lambda e, p: e.query("x", collections=("project",), langauge=("go",)), InvalidRequest, "language"),
        (lambda e, p: e.query("x", collections=("project",), language=("pyton",)), InvalidRequest, "python"),
        (lambda e, p: e.query("x" * 300_000, collections=("project",)), InvalidRequest, "200,000"),
        (lambda e, p: e.get("src/retyr.py"), UnknownName, "src/retry.py"),
        (lambda e, p: e.get("src/retry.py:900"), InvalidRequest, "lines"),
        (lambda e, p: e.get("../../etc/passwd"), UnknownName, "Nothing indexed"),
        (lambda e, p: e.remove("projct"), UnknownName, "project"),
        (lambda e, p: e.add([{"path": "", "text": "x"}], name="n"), InvalidRequest, "path"),
        (lambda e, p: e.add([{"path": "a", "txt": "x"}], name="n"), InvalidRequest, "text"),
        (lambda e, p: e.add([{"path": "a", "text": "x"}], name="project"), InvalidRequest, "folder"),
        (lambda e, p: open_embedder("bultin"), RecollectError, "builtin"),
    ],
)  # fmt: skip
def test_bad_input_ends_in_one_clear_line_with_a_hint(
    engine: Engine, project: Path, ask: Callable[[Engine, Path], object], error: type[RecollectError], words: str
) -> None:
    before = engine.index(project, name="project")
    with pytest.raises(error) as caught:
        ask(engine, project.parent)
    text = f"{caught.value.message} {caught.value.hint}"
    assert words in text
    assert caught.value.hint and "\n" not in text
    assert engine.index(project, name="project").unchanged == before.added


@pytest.mark.parametrize(
    "query",
    [
        '"unbalanced',
        "a AND OR NOT (",
        "col:value*",
        "^x NEAR/3 y",
        "-",
        "--",
        '-"',
        "a\0b",
        "\ud800 x",
        "'; DROP TABLE chunks; --",
        "{path}: retry",
    ],
)
def test_no_syntax_breaks_a_search(engine: Engine, project: Path, query: str) -> None:
    engine.index(project, name="x")
    for mode in ("search", "vsearch", "query"):
        try:
            getattr(engine, mode)(query, collections=("x",))
        except InvalidRequest as error:
            assert "no words" in error.message
    assert engine.query("retry", collections=("x",)).hits


@pytest.mark.timeout(30)
def test_a_pasted_file_as_query_answers(engine: Engine, project: Path) -> None:
    engine.index(project, name="x")
    assert engine.query("retry delay " * 8000, collections=("x",)).hits[0].path == "src/retry.py"


def test_a_name_taken_by_another_folder_is_not_overwritten(
    engine: Engine, project: Path, many_files: Callable[..., Path]
) -> None:
    engine.index(project, name="x")
    other = many_files(3)
    with pytest.raises(InvalidRequest, match="already holds"):
        engine.index(other, name="x")
    engine.index(other, name="x", drop=True)
    assert engine.collections()[0].documents == 3


def test_an_index_of_an_older_chunker_is_made_anew(engine: Engine, project: Path) -> None:
    engine.index(project, name="x")
    with engine._store._transaction() as connection:
        connection.execute("UPDATE collections SET analysis = 'old'")
    assert engine.index(project, name="x").added == 6


def test_worker_processes_give_what_one_process_gives(
    make_engine: Callable[..., Engine], tmp_path: Path, many_files: Callable[..., Path]
) -> None:
    root = many_files(160)
    one = make_engine(tmp_path / "one.db")
    many = make_engine(tmp_path / "many.db", workers=2)
    a, b = one.index(root, name="x"), many.index(root, name="x")
    assert (a.added, a.chunks, a.embedded) == (b.added, b.chunks, b.embedded)
    for query in ("retry delay", "cache worker queue"):
        left, right = one.query(query, collections=("x",)), many.query(query, collections=("x",))
        assert [(h.id, h.score) for h in left.hits] == [(h.id, h.score) for h in right.hits]


def test_modules_of_the_indexed_project_are_never_run(
    make_engine: Callable[..., Engine], many_files: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = many_files(160)
    for name in ("subprocess", "pickle", "numpy", "typing", "recollect"):
        (root / f"{name}.py").write_text(f"open({str(root / 'was_run')!r}, 'w')\nraise SystemExit('run')\n")
    monkeypatch.chdir(root)
    engine = make_engine(workers=2)
    assert engine.index(root, name="x").added == 165
    assert not (root / "was_run").exists()


def test_a_process_that_asks_once_ranks_as_an_open_engine_does(
    make_engine: Callable[..., Engine], many_files: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine()
    engine.index(many_files(120), name="x")
    monkeypatch.setattr("recollect.engine._SMALL_CHUNKS", 0)
    once = make_engine(once=True)
    for query in ("retry delay socket", "cache_worker", "how is the queue merged"):
        warm, cold = engine.query(query, collections=("x",)), once.query(query, collections=("x",))
        assert [(h.id, pytest.approx(h.score, abs=2e-4)) for h in warm.hits] == [(h.id, h.score) for h in cold.hits]
    assert not once._store.index(once._store.collection("x"), postings=False).postings
