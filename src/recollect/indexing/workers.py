"""Processes that prepare documents beside this one.

Plain subprocesses that speak pickle over pipes: unlike multiprocessing they never import the caller's main
module, so a script needs no `if __name__ == "__main__"` to index a folder. A process ends when its standard
input does, whatever happens to its parent. Not here: what is done with a file (`files`).
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import StateError
from recollect.indexing.files import Prepared, prepare_files
from recollect.sources import File

if TYPE_CHECKING:
    from recollect.embedding import Embedder

Task = list[tuple[File, str | None]]
_AHEAD = 3
_NEW_GROUP = 0x00000200  # CREATE_NEW_PROCESS_GROUP, a name that only Windows has


def in_processes(tasks: Sequence[Task], count: int, embedder: Embedder | None) -> Generator[list[Prepared], None, None]:
    """Prepare the files of each task in one of `count` processes; yield the results in the order of the tasks.

    No more than a few tasks per process run ahead of the reader, so that results never pile up in memory.
    Raises StateError when a process dies.
    """
    local = threading.local()
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        local.process = _start(embedder)
        started.append(local.process)

    with concurrent.futures.ThreadPoolExecutor(count, thread_name_prefix="recollect-worker", initializer=start) as pool:
        try:
            waiting = [pool.submit(_ask, local, task) for task in tasks[: count * _AHEAD]]
            following = iter(tasks[count * _AHEAD :])
            while waiting:
                yield waiting.pop(0).result()
                if (task := next(following, None)) is not None:
                    waiting.append(pool.submit(_ask, local, task))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            for process in started:
                _end(process)


def _start(embedder: Embedder | None) -> subprocess.Popen[bytes]:
    # The child must find this very package, wherever the caller took it from.
    home = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    command = [
        sys.executable,
        "-P",
        "-c",
        "from recollect.indexing.workers import serve; serve()",
        *(() if embedder is None else (embedder.name, embedder.fingerprint)),
    ]
    # A process group of its own: Ctrl-C is for the parent, which stops this one by closing its input.
    group: dict[str, Any] = {"creationflags": _NEW_GROUP} if os.name == "nt" else {"process_group": 0}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, **group)


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None and process.stdout is not None
    with contextlib.suppress(BrokenPipeError):  # it died with a task unread; `_ask` has said so
        process.stdin.close()
    process.stdout.close()
    process.wait()


def _ask(local: Any, task: Task) -> list[Prepared]:
    process: subprocess.Popen[bytes] = local.process
    assert process.stdin is not None and process.stdout is not None
    try:
        pickle.dump(task, process.stdin, pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
        answer = pickle.load(process.stdout)
    except (EOFError, OSError, pickle.UnpicklingError) as error:
        raise StateError(
            f"A process that prepares files died (exit status {process.wait()}).",
            hint="Run the command again; what was written is kept. With workers = 1 no such process is used.",
        ) from error
    if isinstance(answer, BaseException):
        raise answer
    return answer  # type: ignore[no-any-return]


def serve() -> None:
    """Answer tasks from standard input until it ends: what a worker process runs."""
    from recollect.embedding import open_embedder

    source, sink = sys.stdin.buffer, sys.stdout.buffer
    name, fingerprint = [*sys.argv[1:], None, None][:2]
    opened = open_embedder(name) if name else None
    while True:
        try:
            task: Task = pickle.load(source)
        except EOFError:
            return
        answer: list[Prepared] | Exception
        try:
            if opened is not None and opened.fingerprint != fingerprint:
                # Recollect was upgraded under a running program: two models must not meet in one collection.
                raise StateError("The embedding model changed on disk while indexing.", hint="Run the command again.")
            answer = prepare_files(task, opened)
        except Exception as error:  # noqa: BLE001  (raised again in the parent, where it belongs)
            answer = error
        pickle.dump(answer, sink, pickle.HIGHEST_PROTOCOL)
        sink.flush()
