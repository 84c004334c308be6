"""The command line as a process: words in, an exit status out, and one clear line for whatever goes wrong.

Exit status: 0 answered (also when nothing was found), 1 the world is not ready, 2 the request is wrong,
130 interrupted. Not here: what the commands do (`commands`) and which arguments there are (`arguments`).
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from recollect import config
from recollect.errors import RecollectError, StateError
from recollect.interfaces.arguments import Invocation, parse, wants_json

if TYPE_CHECKING:
    from types import TracebackType

    from recollect.interfaces.commands import OpenEngine
    from recollect.interfaces.terminal import Terminal

INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""


def main(
    words: Sequence[str] | None = None,
    *,
    out: TextIO | None = None,
    err: TextIO | None = None,
    open_engine: OpenEngine | None = None,
) -> int:
    """Run one command line and return its exit status.

    Arguments: `words` without the program's name (default: the process's own); the streams to answer
    and to complain on; `open_engine`, what opens the engine on the settings (default: the real one).
    """
    words = sys.argv[1:] if words is None else words
    refused: RecollectError | None = None
    try:
        invocation = parse(words)  # --help ends here, before anything that takes time is imported
    except RecollectError as error:
        refused = error
    from recollect.interfaces.terminal import Terminal

    terminal = Terminal(out or sys.stdout, err or sys.stderr, color=config.colors_allowed())
    if refused is not None:
        terminal.error(refused, as_json=wants_json(words))
        return refused.exit_status
    terminal.quiet = bool(invocation.options.get("quiet"))
    return _answered(invocation, terminal, open_engine)


def excepthook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Say in one line that Recollect itself failed; with --verbose, show where. Meant for `sys.excepthook`."""
    from recollect.interfaces.terminal import Terminal

    terminal = Terminal(sys.stdout, sys.stderr, color=False)
    if issubclass(kind, KeyboardInterrupt):
        terminal.note("interrupted")
        return
    if {"--verbose", "-v"} & set(sys.argv):
        sys.__excepthook__(kind, error, traceback)
    terminal.error(
        RecollectError(
            f"internal error: {kind.__name__}: {error}",
            hint="This is a fault of Recollect. Please report it, with what the same command says with --verbose.",
            code="internal",
        ),
        as_json=wants_json(sys.argv[1:]),
    )


def from_os_error(error: OSError) -> StateError:
    """Translate what the operating system refused into an error with a hint."""
    place = f" ({error.filename})" if error.filename is not None else ""
    said = f"{error.strerror or error}{place}."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StateError(said, hint="Free some space; nothing that was indexed is lost.", code="disk_full")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StateError(
            said, hint="Check the permissions, or keep the database elsewhere: --db PATH.", code="permission"
        )
    return StateError(said, hint="Check the path and the disk, then try again.", code="system")


def _answered(invocation: Invocation, terminal: Terminal, open_engine: OpenEngine | None) -> int:
    """Run the command; whatever may go wrong in the world outside becomes one line and a status."""
    from recollect.interfaces import commands

    if invocation.options.get("verbose"):
        _log_to_stderr()
    failed: RecollectError
    try:
        commands.run(invocation, terminal, open_engine)
        terminal.flush()
        return 0
    except RecollectError as error:
        failed = error
    except KeyboardInterrupt:
        terminal.note("interrupted; what was finished is kept, and the next run goes on from there")
        return INTERRUPTED
    except BrokenPipeError:
        terminal.hang_up()  # the reader has what it wanted
        return 0
    except OSError as error:
        failed = from_os_error(error)
        if error.filename is None:
            terminal.hang_up()  # stdout itself may be what is full: the interpreter's last flush must not fail again
    terminal.error(failed, as_json=invocation.format == "json")
    return failed.exit_status


def _log_to_stderr() -> None:
    import logging

    logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")
