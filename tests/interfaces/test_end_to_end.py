"""The command line on the real engine: from a folder nothing knows to the right lines, and every way it can fail."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect.interfaces import cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: a small project with names that are not easy."""
    root = tmp_path / "shop"
    files = {
        "src/retry.py": 'def compute_retry_delay(attempt: int) -> float:\n    """Wait: exponential backoff."""\n    return 0.5 * 2**attempt\n',
        "src/cart.go": "package cart\n\n// Total adds up the prices of a cart.\nfunc Total(prices []int) int {\n\treturn 0\n}\n",
        "docs/schön & gut 🙂.md": "# Handbook\n\n## Refunds\n\nA refund is paid back within a week.\n",
        "logo.png": "\x89PNG\x00\x00",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / ".git").mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "data" / "recollect.db"))
    monkeypatch.setenv("RECOLLECT_WORKERS", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(recollect.__file__).parent.parent))
    return root


@pytest.fixture
def run(work: Path) -> Run:
    """Run one command line in this process, on the real engine."""

    def once(*words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        status = cli.main(words, out=out, err=err)
        return status, out.getvalue(), err.getvalue()

    return once


def _process(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    ran: subprocess.CompletedProcess[str] = subprocess.run(
        [sys.executable, "-m", "recollect", *words],
        capture_output="stdout" not in options,
        text=True,
        timeout=60,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    return ran


def test_a_question_in_a_folder_nothing_knows_is_answered(run: Run, work: Path) -> None:
    status, out, err = run("query", "where", "is", "the", "retry", "delay", "computed")
    assert status == 0
    assert out.startswith("1. src/retry.py:1-3  compute_retry_delay")
    assert err.startswith("shop: 3 files (3 added)")
    assert run("query", "where is the retry delay computed")[2] == ""
    (work / "src" / "new.py").write_text("def zebra_crossing():\n    return 1\n")
    status, out, err = run("search", "zebra", "crossing", "--format", "paths")
    assert (status, out) == (0, "src/new.py:1-2\n")
    assert "1 added" in err


def test_a_search_below_the_root_asks_the_whole_project(run: Run, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work / "docs")
    assert run("query", "refund paid back", "--format", "paths", "-n", "1")[1] == "docs/schön & gut 🙂.md:1-5\n"


@pytest.mark.parametrize("command", ["query", "search", "vsearch"])
def test_each_kind_of_search_gives_the_same_record(command: str, run: Run) -> None:
    status, out, _ = run(command, "retry delay", "--json", "--explain")
    assert status == 0
    said = json.loads(out)
    assert set(said) == {"query", "hits", "degraded", "took_ms", "debug"}
    best = said["hits"][0]
    assert (best["collection"], best["path"], best["start_line"], best["language"]) == (
        "shop",
        "src/retry.py",
        1,
        "python",
    )
    assert 0 <= best["score"] <= 1
    assert best["explanation"]["breakdown"]
    assert json.loads(run(command, "retry delay", "--json")[1])["hits"][0]["explanation"] is None


def test_filters_reach_the_search(run: Run) -> None:
    paths = [
        run("query", "retry total refund", "--format", "paths", *words)[1].split("\n")[0].split(":")[0]
        for words in (["--language", "go"], ["--include", "docs/**"], ["--exclude", "docs/**", "--exclude", "*.go"])
    ]
    assert paths == ["src/cart.go", "docs/schön & gut 🙂.md", "src/retry.py"]


def test_the_commands_of_a_day(run: Run, work: Path) -> None:
    assert run("index", ".", "--name", "day", "--no-embed")[1].startswith("day: 3 files (3 added)")
    assert "skipped 1 file: 1 binary" in run("index", ".", "--drop")[1]
    assert "made" in run("embed", "day", "--force")[1]
    (work / "src" / "cart.go").unlink()
    assert "1 removed" in run("update", "day")[1]
    assert json.loads(run("collections", "--json")[1])[0]["documents"] == 2
    assert "leaves the machine  nothing" in run("status")[1]
    status, out, _ = run("get", "src/retry.py:2-3")
    assert (status, out.splitlines()[0]) == (0, "src/retry.py:2-3  of 3 lines")
    hit = json.loads(run("query", "retry", "--json")[1])["hits"][0]
    assert json.loads(run("get", hit["id"], "--json")[1])["text"].rstrip() == hit["text"].rstrip()
    assert run("remove", "day")[1].startswith("day forgotten: 2 files")
    assert json.loads(run("collections", "--json")[1]) == []


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["index", "absent"], 2, "absent"),
        (["index", "src/retry.py"], 2, "is a file"),
        (["index", ".", "--include", "[z-a"], 2, "["),
        (["query", "x", "--include", "[z-a"], 2, "["),
        (["query", "x", "-c", "shpo"], 2, 'Did you mean "shop"?'),
        (["update", "shpo"], 2, 'Did you mean "shop"?'),
        (["embed", "shpo"], 2, 'Did you mean "shop"?'),
        (["remove", "shpo"], 2, 'Did you mean "shop"?'),
        (["get", "src/rerty.py"], 2, "rerty"),
        (["get", "src/retry.py:900"], 2, "900"),
        (["get", "#nothing"], 2, "nothing"),
        (["query", "x", "--language", "pyhton"], 2, 'Did you mean "python"?'),
        (["query", "?!...", "--all"], 2, "word"),
        (["query", "x", "--limit", "-1"], 2, "at least 1"),
        (["query", " "], 2, "empty"),
        (["status", "--embedder", "absent"], 2, "absent"),
        (["eval", "absent"], 2, "absent"),
    ],
)
def test_a_mistake_is_one_clear_line_with_a_hint(words: list[str], status: int, says: str, run: Run) -> None:
    run("index", ".")
    ended, out, err = run(*words)
    assert (ended, out) == (status, "")
    lines = err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["error", "hint"]
    assert says in err
    ended, out, err = run(*words, "--json")
    assert (ended, out) == (status, "")
    assert json.loads(err)["error"]["hint"]
    assert json.loads(run("status", "--json")[1])["collections"][0]["documents"] == 3


@pytest.mark.parametrize(
    "query",
    [
        "'",
        '"',
        'un"closed',
        "a AND",
        "NEAR(a b",
        "path:x*",
        "^a",
        "{}()[]",
        "-only",
        "é́",
        "漢字",
        "\0",
        "%s %n",
        "--",
    ],
)
def test_no_query_breaks_the_search(query: str, run: Run) -> None:
    status, out, err = run("query", "--json", "--", query)
    assert status in (0, 2)
    if status == 0:
        assert json.loads(out)["hits"] is not None
    else:
        assert json.loads(err.splitlines()[-1])["error"]["hint"]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("query", ["x" * 100_000, "retry delay " * 8_000, '"' * 100_000, "a_" * 50_000])
def test_a_pasted_file_of_100_kb_is_answered_promptly(query: str, run: Run) -> None:
    run("index", ".")
    status, _, err = run("query", "--json", "--", query)
    assert status == 0 or json.loads(err)["error"]["hint"]


def test_nonsense_is_never_answered_with_confidence(run: Run) -> None:
    status, out, _ = run("query", "qzxv wjkpt blorf", "--json")
    assert status == 0
    assert all(hit["score"] < 0.5 for hit in json.loads(out)["hits"])


def test_an_empty_folder_is_indexed_as_such(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    status, out, _ = run("index", str(tmp_path / "empty"))
    assert status == 0
    assert out.startswith("empty: 0 files")
    status, out, err = run("query", "anything", "-c", "empty")
    assert (status, out) == (0, "")
    assert "no hits" in err


def _corrupt(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)


def _not_a_database(path: Path) -> None:
    path.write_text("my diary\n" * 500)


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
        connection.execute("INSERT INTO bookmarks VALUES ('x')")
    connection.close()


@pytest.mark.parametrize("spoil", [_corrupt, _not_a_database, _foreign])
def test_a_database_that_is_not_ours_is_named_and_left_as_it_is(
    spoil: Callable[[Path], None], run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "other.db"
    spoil(path)
    before = path.read_bytes()
    for words in (["status"], ["index", "."], ["query", "x"]):
        status, out, err = run(*words, "--db", str(path))
        assert (status, out) == (1, "")
        assert str(path) in err
        assert "\nhint: " in err
    assert path.read_bytes() == before


def test_a_database_of_a_newer_version_is_not_touched(run: Run, tmp_path: Path) -> None:
    run("index", ".")
    path = tmp_path / "data" / "recollect.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    status, out, err = run("status", "--json")
    assert (status, out) == (1, "")
    assert json.loads(err)["error"]["code"] == "newer_schema"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_named(run: Run, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    status, out, err = run("index", ".", "--db", str(locked / "x.db"))
    assert (status, out) == (1, "")
    assert "locked" in err


def test_a_database_path_that_cannot_be_is_one_line(run: Run, work: Path) -> None:
    for path in (work, work / "src" / "retry.py" / "x.db"):
        status, out, err = run("status", "--db", str(path))
        assert (status, out) == (1, "")
        assert err.count("\n") == 2


def test_a_full_disk_ends_in_one_line_and_a_database_that_still_answers(work: Path, run: Run) -> None:
    run("index", ".")
    (work / "big.md").write_text("\n\n".join(f"# Part {n}\n\nword{n} " + "some text " * 40 for n in range(2000)))

    def no_more_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    ran = _process("index", ".", preexec_fn=no_more_room)
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr.startswith("error: ")
    assert "internal error" not in ran.stderr
    status, out, _ = run("query", "retry delay", "--no-auto-update", "--format", "paths", "-n", "1")
    assert (status, out) == (0, "src/retry.py:1-3\n")


def test_a_reader_that_has_gone_is_no_error(work: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, "-m", "recollect", "config"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_answer_that_cannot_be_written_is_one_line(work: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "recollect", "config"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: No space left on device")
    assert ran.stderr.count("\n") == 2


def test_the_process_says_its_help_version_and_mistakes(work: Path) -> None:
    assert "commands:" in _process("--help").stdout
    assert _process("--version").stdout.startswith("recollect 0.")
    assert _process().stdout.startswith("recollect finds the right lines")
    wrong = _process("qurey", "x")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "error: 'qurey' is no command.\nhint: Did you mean \"query\"?\n"
    undecodable = _process("query", b"caf\xe9".decode("utf-8", "surrogateescape"), "--json")
    assert undecodable.returncode == 0
    assert json.loads(undecodable.stdout)["query"] == "caf\ufffd"


def test_help_loads_nothing_heavy(work: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "recollect", "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=work,
    )
    loaded = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in found.stderr.splitlines()}
    assert "argparse" in loaded
    assert not loaded & {"numpy", "rich", "apsw", "simsimd", "tree_sitter", "yaml", "platformdirs"}


def test_quality_is_measured_kept_and_compared(run: Run, tmp_path: Path) -> None:
    dataset = tmp_path / "faq"
    dataset.mkdir()
    answers = {
        "refund": "A refund is paid back within a week.",
        "retry": "The retry delay doubles.",
        "cart": "Prices add up.",
    }
    rows = [json.dumps({"_id": name, "title": name, "text": text}) for name, text in answers.items()]
    (dataset / "corpus.jsonl").write_text("\n".join(rows))
    (dataset / "queries.jsonl").write_text(
        "\n".join(json.dumps({"_id": f"q-{n}", "text": f"{n} please"}) for n in answers)
    )
    (dataset / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(f"q-{n}\t{n}\t1\n" for n in answers))
    status, out, err = run(
        "eval", str(dataset), "--mode", "search", "--mode", "query", "--write", str(tmp_path / "kept"), "--json"
    )
    assert status == 0, err
    results = json.loads(out)["results"]
    assert [result["mode"] for result in results] == ["search", "query"]
    kept = sorted((tmp_path / "kept").glob("*-search.json"))
    assert len(kept) == 1
    assert str(kept[0]) in err
    status, out, _ = run("eval", str(dataset), "--mode", "search", "--compare", str(kept[0]))
    assert status == 0
    assert "ndcg@10" in out
    assert "within noise" in out
    status, out, err = run("eval", str(dataset), "--mode", "vsearch", "--compare", str(kept[0]))
    assert (status, out) == (2, "")
    assert "--mode search" in err
    assert json.loads(run("collections", "--json")[1]) == []


def test_an_interrupted_index_says_so_in_one_line_and_goes_on_later(work: Path, tmp_path: Path, run: Run) -> None:
    for n in range(1500):
        folder = work / f"part{n % 30}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{n}.py").write_text("".join(f"def f{n}_{i}(a):\n    return a + {i}\n\n\n" for i in range(60)))
    command = [sys.executable, "-m", "recollect", "index", ".", "--workers", "2"]
    began = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (tmp_path / "data" / "recollect.db").exists():
        time.sleep(0.02)
    time.sleep(0.5)
    os.killpg(began.pid, signal.SIGINT)  # as a terminal does: to everything it started
    out, err = began.communicate(timeout=60)
    assert (began.returncode, out) == (130, "")
    assert err.startswith("interrupted")
    assert err.count("\n") == 1
    assert run("status")[0] == 0
