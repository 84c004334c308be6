"""What people see: golden pages without colours, colours and links on a terminal, the progress bar."""

from __future__ import annotations

import dataclasses
import importlib.util
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect.interfaces.terminal import Terminal, progress_line
from recollect.types import Progress

GOLDEN = Path(__file__).parent.parent / "golden"
ANSI = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\")

PAGES = {
    "query": ["query", "retry delay"],
    "query_explain": ["query", "retry delay", "--explain"],
    "query_markdown": ["query", "retry delay", "--format", "markdown"],
    "query_paths": ["query", "retry delay", "--format", "paths"],
    "query_json": ["query", "retry delay", "--json"],
    "get": ["get", "src/retry.py:10-13"],
    "index": ["index", "."],
    "update": ["update"],
    "collections": ["collections"],
    "status": ["status"],
    "remove": ["remove", "shop"],
    "short_help": [],
}


@pytest.mark.parametrize("page", list(PAGES))
def test_pages_look_as_they_were_approved(page: str, say: Callable[..., Any]) -> None:
    """Delete a file under tests/golden/ and run again to approve a new look."""
    said = say(*PAGES[page])
    path = GOLDEN / f"{page}.txt"
    if not path.exists():
        path.write_text(said.out, encoding="utf-8")
        pytest.fail(f"{path.name} written; read it, then run again")
    assert said.status == 0
    assert said.out == path.read_text(encoding="utf-8")


def test_a_terminal_shows_the_same_words_in_colours_with_links(say: Callable[..., Any]) -> None:
    bare = say("query", "retry delay")
    drawn = say("query", "retry delay", tty=True)
    assert ANSI.sub("", drawn.out).splitlines() == [line.rstrip() for line in bare.out.splitlines()]
    emphasised = re.findall(r"\x1b\[1;4;?[0-9;]*m([^\x1b]*)", drawn.out)  # bold and underlined
    assert {"retry_delay", "retry", "delay"} >= set(emphasised) >= {"retry", "delay"}
    assert "file:///home/ada/shop/docs/wait%20for%20it.md" in drawn.out
    assert "\x1b" not in bare.out


def test_no_color_is_honoured_on_a_terminal(say: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in say("query", "retry delay", tty=True).out


@pytest.mark.parametrize("tty", [True, False])
def test_hostile_text_stays_text(tty: bool, say: Callable[..., Any], engine: Any) -> None:
    hit = engine.responses["query"].hits[0]
    hostile = dataclasses.replace(
        hit, text="\x1b]0;title\x07[bold]markup[/bold]\x1b[2J", title="[red]t\x1b[31m", path="a\x1b[1m.py"
    )
    engine.responses["query"] = dataclasses.replace(engine.responses["query"], hits=(hostile,))
    said = ANSI.sub("", say("query", "retry", tty=tty).out)
    assert "\x1b" not in said.replace("\x1b]8;", "")
    assert "[bold]markup[/bold]" in said
    assert "[red]t␛[31m" in said


@pytest.mark.parametrize("language", ["python", "csharp", "no-such-language", "", "markdown", "tsx"])
def test_any_language_is_drawn(language: str, say: Callable[..., Any], engine: Any) -> None:
    hit = dataclasses.replace(engine.responses["query"].hits[0], language=language)
    engine.responses["query"] = dataclasses.replace(engine.responses["query"], hits=(hit,))
    assert "base * 2**attempt" in ANSI.sub("", say("query", "zebra", tty=True).out)


def test_several_collections_name_theirs(say: Callable[..., Any], engine: Any) -> None:
    first, second = engine.responses["query"].hits
    hits = (first, dataclasses.replace(second, collection="notes"))
    engine.responses["query"] = dataclasses.replace(engine.responses["query"], hits=hits)
    assert "2. notes  docs/wait for it.md:3-4" in say("query", "x", "--all").out


def test_the_bar_counts_and_is_gone_before_anything_is_said() -> None:
    class Tty(io.StringIO):
        def isatty(self) -> bool:
            return True

    times = iter([0.0, 0.01, 1.0])
    err = Tty()
    terminal = Terminal(io.StringIO(), err, clock=lambda: next(times))
    for done in (1, 2, 3):
        terminal.progress(Progress("shop", "index", done, 4))
    assert err.getvalue().count("\r") == 2  # the second came too soon after the first
    assert "3/4 files" in err.getvalue()
    terminal.note("done")
    assert err.getvalue().endswith("\r\x1b[Kdone\n")


def test_no_bar_in_a_pipe_or_when_quiet() -> None:
    err = io.StringIO()
    Terminal(io.StringIO(), err).progress(Progress("shop", "index", 1, 4))
    assert err.getvalue() == ""


def test_the_bar_knows_every_stage() -> None:
    assert progress_line(Progress("shop", "scan", 120, 0)) == "looking at shop  120 files seen"
    assert progress_line(Progress("shop", "embed", 12, 24)) == f"embedding shop  {'█' * 12}{'░' * 12} 12/24 chunks"


def test_colours_come_from_a_library_that_is_installed() -> None:
    assert importlib.util.find_spec("rich") is not None
