"""The two streams a command line speaks through: answers on stdout, everything else on stderr.

The only module that writes to them. Colours and progress are drawn here and only on a terminal; rich
is imported only then. Not here: what is said (`output`, `excerpt`).
"""

from __future__ import annotations

import io
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from recollect.errors import RecollectError
from recollect.interfaces import output
from recollect.interfaces.excerpt import MAX_LINES, Excerpt, emphasised, excerpt, query_terms, visible
from recollect.types import Hit, Progress, SearchResponse

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_REDRAW_S = 0.08
"""Between two drawings of the progress bar: fluent to the eye, nothing to the indexer."""
_BAR_CELLS = 24
_LEXERS = {"csharp": "csharp", "c_sharp": "csharp", "shell": "bash", "jsx": "jsx", "plain": "text", "": "text"}
"""Languages that Pygments calls otherwise; the rest it knows under our name, or shows without colours."""


class Terminal:
    """Own stdout and stderr for one command.

    `color` says whether colours may be drawn where stdout is a terminal; `clock` gives seconds, for the
    progress bar.
    """

    def __init__(
        self, out: TextIO, err: TextIO, *, color: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.quiet = False
        self._out, self._err, self._clock = out, err, clock
        self._colors = color and out.isatty()
        self._draws = color and err.isatty()
        self._drawn_at = float("-inf")
        self._bar_shown = False
        for stream in (out, err):
            if isinstance(stream, io.TextIOWrapper):
                # Paths and queries may hold what the locale cannot say; an escape is better than a crash.
                stream.reconfigure(errors="backslashreplace")

    @property
    def links(self) -> bool:
        """Whether hits are drawn with links to their files, which need the folders of their collections."""
        return self._colors

    def speak_utf8(self) -> None:
        """Write UTF-8 whatever the locale says: JSON is defined so, and a lone surrogate becomes its JSON escape."""
        if isinstance(self._out, io.TextIOWrapper):
            self._out.reconfigure(encoding="utf-8", errors="backslashreplace")

    def speak_bytes(self) -> None:
        """Write paths back byte for byte as the file system spells them, for the next command of a pipe."""
        if isinstance(self._out, io.TextIOWrapper):
            self._out.reconfigure(encoding="utf-8", errors="surrogateescape")

    def answer(self, text: str) -> None:
        """Write an answer to stdout."""
        self._clear_bar()
        if text:
            self._out.write(text if text.endswith("\n") else text + "\n")

    def note(self, text: str) -> None:
        """Say on stderr what is good to know; nothing with --quiet."""
        self._clear_bar()
        if not self.quiet:
            self._err.write(text + "\n")

    def error(self, error: RecollectError, *, as_json: bool = False) -> None:
        """Say on stderr what went wrong and what to do next, in a line each, or as one JSON object."""
        self._clear_bar()
        if as_json:
            self._err.write(json.dumps({"error": error.to_dict()}, ensure_ascii=False) + "\n")
            return
        self._err.write(f"error: {_one_line(error.message)}\n")
        if error.hint:
            self._err.write(f"hint: {_one_line(error.hint)}\n")

    def progress(self, step: Progress) -> None:
        """Draw the progress bar, when stderr is a terminal; at most every _REDRAW_S seconds."""
        now = self._clock()
        if self.quiet or not self._draws or now - self._drawn_at < _REDRAW_S:
            return
        self._drawn_at, self._bar_shown = now, True
        width = shutil.get_terminal_size().columns
        self._err.write("\r\x1b[K" + progress_line(step)[: max(width - 1, 1)])
        self._err.flush()

    def hits(self, response: SearchResponse, roots: Mapping[str, str], *, full: bool = False) -> None:
        """Write hits for people: highlighted on a terminal, plain otherwise. `roots` are collection → folder."""
        self._clear_bar()
        terms = query_terms(response.query)
        several = len({hit.collection for hit in response.hits}) > 1
        shown = [excerpt(hit, terms, None if full else MAX_LINES) for hit in response.hits]
        if self._colors:
            self._colored(response, shown, terms, roots)
        else:
            blocks = [
                output.hit_as_lines(rank, hit, lines, several=several)
                for rank, (hit, lines) in enumerate(zip(response.hits, shown, strict=True), 1)
            ]
            self.answer("\n\n".join(blocks))
        rows = output.timings(response.debug)
        if rows:
            self.answer("\n" + "\n".join(rows))

    def flush(self) -> None:
        """Send what was written; a full disk or a closed pipe is noticed here."""
        self._clear_bar()
        self._out.flush()

    def hang_up(self) -> None:
        """Point stdout nowhere after its reader has gone, so that the interpreter's last flush says nothing."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())

    def _clear_bar(self) -> None:
        if self._bar_shown:
            self._err.write("\r\x1b[K")
            self._err.flush()
            self._bar_shown = False

    def _colored(
        self, response: SearchResponse, shown: list[Excerpt], terms: frozenset[str], roots: Mapping[str, str]
    ) -> None:
        from rich.console import Console

        console = Console(file=self._out, force_terminal=True, highlight=False, soft_wrap=False)
        several = len({hit.collection for hit in response.hits}) > 1
        for rank, (hit, lines) in enumerate(zip(response.hits, shown, strict=True), 1):
            if rank > 1:
                console.print()
            _print(console, _heading(rank, hit, roots.get(hit.collection, ""), several=several))
            for row in output.hidden(lines.hidden_before, "above"):
                console.print(row, style="dim", markup=False)
            for number, text in enumerate(_highlighted(hit, lines, terms), lines.first_line):
                _print(console, _gutter(number).append_text(text))
            for row in [*output.hidden(lines.hidden_after, "below"), *output.explained(hit.explanation)]:
                console.print(row, style="dim", markup=False)


def progress_line(step: Progress) -> str:
    """Return the progress bar as text: what is done, a bar where the end is known, the counts."""
    unit = {"scan": "files seen", "index": "files", "embed": "chunks"}.get(step.stage, step.stage)
    verb = {"scan": "looking at", "index": "indexing", "embed": "embedding"}.get(step.stage, step.stage)
    if step.total <= 0:
        return f"{verb} {visible(step.collection)}  {step.done:,} {unit}"
    filled = round(_BAR_CELLS * min(step.done / step.total, 1.0))
    bar = "█" * filled + "░" * (_BAR_CELLS - filled)
    return f"{verb} {visible(step.collection)}  {bar} {step.done:,}/{step.total:,} {unit}"


def _heading(rank: int, hit: Hit, root: str, *, several: bool) -> Text:
    from rich.style import Style
    from rich.text import Text

    link = (Path(root) / hit.path).as_uri() if root and Path(root).is_absolute() else None
    text = Text().append(f"{rank}. ", style="bold")
    if several:
        text.append(f"{visible(hit.collection)}  ", style="magenta")
    text.append(visible(output.cite(hit)), style=Style(color="cyan", bold=True, link=link))
    for part, style in ((hit.title, "bold"), (hit.kind, "dim"), (f"{hit.score:.0%}", "green")):
        if part:
            text.append(f"  {visible(part)}", style=style)
    return text


def _gutter(number: int) -> Text:
    from rich.text import Text

    return Text().append(f"{number:>6} │ ", style="dim")


def _highlighted(hit: Hit, shown: Excerpt, terms: frozenset[str]) -> list[Text]:
    """The excerpt's lines in colours. The whole chunk is lexed, so that a string opened above stays a string."""
    from rich.syntax import Syntax

    lines = visible(hit.text.removesuffix("\n")).expandtabs(4).split("\n")
    syntax = Syntax("", _LEXERS.get(hit.language, hit.language), theme="ansi_dark", background_color="default")
    colored = list(syntax.highlight("\n".join(lines)).split("\n", allow_blank=True))
    first = shown.hidden_before
    chosen = colored[first : first + len(shown.lines)]
    for text in chosen:
        for start, end in emphasised(text.plain, terms):
            text.stylize("bold underline", start, end)
    return chosen


def _print(console: Console, text: Text) -> None:
    console.print(text, no_wrap=True, overflow="ellipsis", crop=True)


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))
