"""What each command of the command line does: settings read, engine opened, request run, answer shown.

Not here: arguments (`arguments`), streams and colours (`terminal`), exit statuses (`cli`).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect import config
from recollect.errors import InvalidRequest, UnknownName
from recollect.interfaces import output
from recollect.interfaces.arguments import SEARCHES, SHORT_HELP, Invocation
from recollect.interfaces.terminal import Terminal
from recollect.operations import OPERATIONS
from recollect.requests import build
from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.engine import Engine

OpenEngine = Callable[[config.Settings], "Engine"]


def run(invocation: Invocation, terminal: Terminal, open_engine: OpenEngine | None = None) -> None:
    """Run the command of `invocation` and say its answer on `terminal`.

    `open_engine` opens the engine on the settings (default: the real one). Raises what the settings,
    the engine and the operation raise, and OSError.
    """
    # A command asks one question; an evaluation asks hundreds, and is worth what takes longer to load.
    open_engine = open_engine or functools.partial(_open_engine, once=invocation.command != "eval")
    if invocation.options.get("version"):
        terminal.answer(f"recollect {__version__}")
        return
    if not invocation.command:
        terminal.answer(SHORT_HELP)
        return
    resolved = config.load_settings(invocation.settings)
    for warning in resolved.warnings:
        terminal.note(f"warning: {warning}")
    if invocation.format == "json":
        terminal.speak_utf8()
    elif invocation.format == "paths":
        terminal.speak_bytes()
    if invocation.command == "config":
        _show_config(invocation, resolved, terminal)
    elif invocation.command == "eval":
        _evaluate(invocation, resolved.settings, terminal, open_engine)
    else:
        _operate(invocation, resolved.settings, terminal, open_engine)


def _operate(invocation: Invocation, settings: config.Settings, terminal: Terminal, open_engine: OpenEngine) -> None:
    operation = OPERATIONS[invocation.command]
    values = dict(invocation.values)
    if operation.name in SEARCHES:
        values.setdefault("limit", settings.limit)
    # Before the engine opens: a wrong request must not cost a start, or hide behind a broken database.
    request = build(operation.request, values)
    with open_engine(settings) as engine:
        engine.progress = terminal.progress
        if operation.name in SEARCHES and not request.collections and not request.all:
            name = _here(engine, settings, terminal)
            request = dataclasses.replace(request, collections=(name,))
        response = engine.run(operation.name, request)
        roots: dict[str, str] = {}
        if operation.name in SEARCHES and invocation.format == "terminal" and terminal.links:
            roots = {collection.name: collection.root for collection in engine.collections()}
    _show(invocation, response, terminal, roots)


def _here(engine: Engine, settings: config.Settings, terminal: Terminal) -> str:
    """The collection of the working folder, brought up to date when the settings want that."""
    folder = Path.cwd()
    if settings.auto_update:
        report = engine.ensure_indexed(folder)
        if report.added or report.changed or report.removed:
            terminal.note(output.summary(report))
        return report.collection
    name = engine.collection_at(folder)
    if name is None:
        raise UnknownName(f"No collection contains {folder}.", hint="Index it with: recollect index .")
    return name


def _show(invocation: Invocation, response: Any, terminal: Terminal, roots: Mapping[str, str]) -> None:
    explain = bool(invocation.values.get("explain"))
    if invocation.format == "json":
        terminal.answer(output.to_json(response, explain=explain))
        return
    if invocation.command in SEARCHES:
        _show_hits(invocation, response, terminal, roots)
        return
    verbose = bool(invocation.options.get("verbose"))
    shown: dict[str, Callable[[Any], str]] = {
        "get": {"markdown": output.passage_as_markdown, "paths": output.cite}.get(
            invocation.format, output.passage_as_lines
        ),
        "index": lambda report: output.report_as_lines(report, verbose=verbose),
        "update": lambda reports: output.reports_as_lines(reports, verbose=verbose),
        "embed": lambda reports: output.reports_as_lines(reports, verbose=verbose),
        "collections": output.collections_as_lines,
        "status": output.status_as_lines,
        "remove": output.removed_as_line,
    }
    terminal.answer(shown[invocation.command](response))


def _show_hits(invocation: Invocation, response: Any, terminal: Terminal, roots: Mapping[str, str]) -> None:
    if not invocation.values.get("explain"):
        hits = tuple(dataclasses.replace(hit, explanation=None) for hit in response.hits)
        response = dataclasses.replace(response, hits=hits, debug=None)
    for note in response.degraded:
        terminal.note(f"note: {note}")
    if not response.hits:
        terminal.note("no hits: nothing indexed here answers that; other words, or --all for every collection, may")
    elif invocation.format == "markdown":
        terminal.answer(output.hits_as_markdown(response.hits))
    elif invocation.format == "paths":
        terminal.answer(output.hits_as_paths(response.hits))
    else:
        terminal.hits(response, roots, full=bool(invocation.options.get("full")))


def _show_config(invocation: Invocation, resolved: config.Resolved, terminal: Terminal) -> None:
    if invocation.format == "json":
        terminal.answer(output.to_json(output.config_as_record(resolved)))
    else:
        terminal.answer(output.config_as_lines(resolved))


def _evaluate(invocation: Invocation, settings: config.Settings, terminal: Terminal, open_engine: OpenEngine) -> None:
    from recollect import evaluation

    given = invocation.options
    modes = given.get("mode", ["query"])
    earlier = evaluation.read_result(Path(given["compare"])) if "compare" in given else None
    if earlier is not None and earlier.mode not in modes:
        raise InvalidRequest(
            f"The earlier result measured {earlier.mode}, not {', '.join(modes)}.", hint=f"Add: --mode {earlier.mode}"
        )
    results = evaluation.evaluate_modes(
        Path(given["dataset"]),
        modes=modes,
        repos=Path(given["repos"]) if "repos" in given else None,
        only=given.get("only", ()),
        open_engine=lambda db: open_engine(dataclasses.replace(settings, db=db)),
        progress=terminal.progress,
    )
    comparisons = [evaluation.compare(earlier, result) for result in results if earlier and result.mode == earlier.mode]
    if "write" in given:
        for result in results:
            terminal.note(f"written: {evaluation.write_result(result, Path(given['write']))}")
    if invocation.format == "json":
        record = {"results": [result.to_dict() for result in results], "comparisons": output.plain(comparisons)}
        terminal.answer(output.to_json(record))
        return
    texts = [evaluation.render(result) for result in results]
    terminal.answer("\n".join([*texts, *(evaluation.render_comparison(c) for c in comparisons)]))


def _open_engine(settings: config.Settings, *, once: bool) -> Engine:
    # numpy and the grammars come in with the engine; help, config and wrong requests do without.
    from recollect.engine import open_engine

    return open_engine(settings, once=once)
