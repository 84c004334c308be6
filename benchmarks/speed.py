#!/usr/bin/env python3
"""Measure how fast Recollect is, all in one run on one machine: `python benchmarks/speed.py --corpus DIR`.

Stages, each in a process of its own so that its memory is its own:
  stdlib     index CPython's standard library; then change one file and find the change in the open engine
  unchanged  update a collection of 10,000 files in which nothing changed
  queries    p50 and p95 of the three kinds of query over 1,000 and 100,000 chunks, and memory while indexing
  cli        `--help`, and cold `search` and `query` on 10,000 chunks, as a user would start them

Only the public library and the command line are used. Collections of a given number of chunks are made of real
files: those under each --corpus folder, then the installed packages, then the standard library.
Not here: how good the answers are (`recollect eval`).
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import itertools
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

STAGES = ("stdlib", "unchanged", "queries", "cli")
MODES = ("search", "vsearch", "query")
QUERIES = 200
SAMPLE_S = 0.05
EXTENSIONS = re.compile(
    r"\.(py|pyi|js|ts|tsx|go|rs|c|h|cpp|hpp|cs|java|kt|scala|swift|rb|php|lua|hs|exs?|zig|sh|bash"
    r"|md|rst|txt|toml|ya?ml|json|html|css|sql)"
)
MAX_FILE_BYTES = 1_000_000
BYTES_PER_CHUNK = 750
"""First guess of source bytes per chunk, on the low side (850 measured): most comes in one run, then a little more."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--corpus", type=Path, action="append", default=[], metavar="DIR", help="real files; repeatable"
    )
    parser.add_argument("--stage", choices=STAGES, action="append", help="only these (default: all)")
    parser.add_argument("--chunks", type=int, default=100_000, help="size of the large collection")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", metavar="DIR")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inner:
        print(json.dumps(run_stage(args.stage[0], args.corpus, args.chunks)))
        return 0
    stages = {name: measure_apart(name, args) for name in args.stage or STAGES}
    path = write(stages, args.out)
    print(f"written to {path}")
    return 0


# Stages


def run_stage(name: str, corpora: list[Path], chunks: int) -> dict[str, Any]:
    """Run one stage in this process; return its figures."""
    with tempfile.TemporaryDirectory(prefix="recollect-speed-") as temporary:
        folder = Path(temporary)
        if name == "stdlib":
            return stdlib(folder)
        if name == "unchanged":
            return unchanged(folder)
        if name == "queries":
            small, large = queries(folder / "small", corpora, 1_000), queries(folder / "large", corpora, chunks)
            return {"chunks_1000": small, f"chunks_{chunks}": large}
        return command_line(folder, corpora)


def stdlib(folder: Path) -> dict[str, Any]:
    """Index the standard library, everything persisted; then find one changed file in the open engine."""
    tree = folder / "stdlib"
    files = copy_files(standard_library(), tree)
    database = folder / "stdlib.db"
    with open_engine(database) as engine:
        report, index_s = timed(lambda: engine.index(str(tree), name="stdlib"))
        change_ms = [changed_file_ms(engine, tree, number) for number in range(10)]
    size = sum(path.stat().st_size for path in folder.glob("stdlib.db*"))
    return {
        "files": report.added,
        "files_skipped": files - report.added,
        "chunks": report.chunks,
        "index_s": round(index_s, 2),
        "files_per_s": round(report.added / index_s, 1),
        "chunks_per_s": round(report.chunks / index_s, 1),
        "database_mib": round(size / 2**20, 1),
        "one_file_change_searchable_ms": spread(change_ms),
    }


def changed_file_ms(engine: Any, tree: Path, number: int) -> float:
    """Change one file, update, search for the change; milliseconds from the write to the hit."""
    path = tree / "json" / "decoder.py"
    name = f"zyzzyva{number}quokka"
    text = path.read_text(encoding="utf-8") + f"\n\ndef {name}(value):\n    return value\n"
    started = time.perf_counter()
    path.write_text(text, encoding="utf-8")
    engine.update(("stdlib",))
    hits = engine.search(name, collections=("stdlib",), limit=10).hits
    took_ms = (time.perf_counter() - started) * 1000
    if not any(hit.path == "json/decoder.py" and name in hit.text for hit in hits):
        raise SystemExit(f"the changed file is not found by {name!r}")
    return took_ms


def unchanged(folder: Path) -> dict[str, Any]:
    """Update 10,000 generated files of which none changed."""
    tree = folder / "tree"
    for number in range(10_000):
        path = tree / f"package_{number // 100:03}" / f"module_{number:05}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'"""Module {number}."""\n\n\ndef value_{number}():\n    return {number}\n', encoding="utf-8")
    with open_engine(folder / "unchanged.db") as engine:
        _, index_s = timed(lambda: engine.index(str(tree), name="tree"))
        update_s = [timed(lambda: engine.update(("tree",)))[1] for _ in range(5)]
    with open_engine(folder / "unchanged.db") as engine:
        _, cold_s = timed(lambda: engine.update(("tree",)))
    return {
        "files": 10_000,
        "first_index_s": round(index_s, 2),
        "update_ms": spread(second * 1000 for second in update_s),
        "update_in_a_new_engine_ms": round(cold_s * 1000, 1),
    }


def queries(folder: Path, corpora: list[Path], chunks: int) -> dict[str, Any]:
    """Make a collection of about `chunks` chunks of real files; time distinct queries in the open engine."""
    database, tree = folder / "queries.db", folder / "tree"
    with open_engine(database) as engine:
        sampler = TreeSampler(os.getpid())
        sampler.start()
        made = grow(engine, tree, corpora, chunks)
        indexing_mib = sampler.stop()
        asked = questions(tree, QUERIES)
        figures = {}
        for mode in MODES:
            ask = getattr(engine, mode)
            for text in asked[:20]:
                ask(text + " please", collections=("corpus",), limit=10)
            took = [timed(lambda t=text, a=ask: a(t, collections=("corpus",), limit=10))[1] * 1000 for text in asked]
            figures[mode] = spread(took)
    figures["query_in_a_new_engine_first_ms"] = first_query_ms(database, asked[0])
    return made | {"peak_rss_of_process_tree_indexing_mib": indexing_mib} | peaks_mib() | {"latency_ms": figures}


def first_query_ms(database: Path, text: str) -> float:
    """Open an engine in this warm process and ask once: what a first question pays for derived structures."""
    started = time.perf_counter()
    with open_engine(database) as engine:
        engine.query(text, collections=("corpus",), limit=10)
        return round((time.perf_counter() - started) * 1000, 1)


def command_line(folder: Path, corpora: list[Path]) -> dict[str, Any]:
    """Time whole processes on a collection of 10,000 chunks, median of ten."""
    database = folder / "cli.db"
    with open_engine(database) as engine:
        made = grow(engine, folder / "tree", corpora, 10_000)
    asked = questions(folder / "tree", 10)
    environment = os.environ | {"RECOLLECT_DB": str(database)}
    start = [sys.executable, "-m", "recollect"]

    def wall(arguments: list[str]) -> float:
        _, seconds = timed(
            lambda: subprocess.run(
                [*start, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL, cwd=folder
            )
        )
        return seconds * 1000

    figures: dict[str, Any] = {"bare_python_ms": spread(bare_python_ms() for _ in range(10))}
    figures["help_ms"] = spread(wall(["--help"]) for _ in range(10))
    for mode in ("search", "query"):
        figures[f"{mode}_ms"] = spread(wall([mode, text, "--collection", "corpus", "--json"]) for text in asked)
    return made | figures


def bare_python_ms() -> float:
    return timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))[1] * 1000


# Collections of real files


def grow(engine: Any, tree: Path, corpora: list[Path], chunks: int) -> dict[str, Any]:
    """Copy real files into `tree` and index them as "corpus" until there are at least `chunks` chunks.

    The last batch is sized by the bytes per chunk seen so far, so the collection ends close above the wish.
    """
    source = itertools.chain(*(readable(corpus) for corpus in corpora), installed_packages(), standard_library())
    have = total_bytes = 0
    seconds = 0.0
    ratio: float = BYTES_PER_CHUNK
    while have < chunks:
        want_bytes = max(20_000.0, (chunks - have) * ratio * 0.98)
        batch = list(take_bytes(source, want_bytes))
        if not batch:
            raise SystemExit(f"only {have:,} chunks in the corpora, {chunks:,} are needed: give more --corpus folders")
        copy_files(batch, tree / f"part_{have:06}")
        _, took_s = timed(lambda: engine.index(str(tree), name="corpus"))
        seconds += took_s
        total_bytes += sum(path.stat().st_size for _, path in batch)
        made = next(entry for entry in engine.collections() if entry.name == "corpus")
        have = made.chunks
        ratio = total_bytes / max(1, have)
    return {
        "files": made.documents,
        "chunks": have,
        "source_mib": round(total_bytes / 2**20, 1),
        "index_s": round(seconds, 2),
    }


def readable(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield (relative name, path) of the text files below `root`, in a fixed order."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith(".") and name != "__pycache__")
        for name in sorted(files):
            path = Path(folder) / name
            if EXTENSIONS.fullmatch(path.suffix) and path.is_file() and 0 < path.stat().st_size <= MAX_FILE_BYTES:
                yield path.relative_to(root).as_posix(), path


def standard_library() -> Iterator[tuple[str, Path]]:
    """Yield the .py files of CPython's standard library, without installed packages."""
    for name, path in readable(Path(sysconfig.get_path("stdlib"))):
        if path.suffix == ".py" and not {"site-packages", "dist-packages"} & set(path.parts):
            yield name, path


def installed_packages() -> Iterator[tuple[str, Path]]:
    return readable(Path(sysconfig.get_path("purelib")))


def take_bytes(files: Iterator[tuple[str, Path]], wanted: float) -> Iterator[tuple[str, Path]]:
    for name, path in files:
        yield name, path
        wanted -= path.stat().st_size
        if wanted <= 0:
            return


def copy_files(files: Iterable[tuple[str, Path]], target: Path) -> int:
    """Copy (relative name, path) pairs below `target`; return how many. A name that comes twice gets a number."""
    count = 0
    for name, path in files:
        place = target / name
        if place.exists():
            place = target / f"again_{count:06}" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        count += 1
    return count


def questions(tree: Path, count: int) -> list[str]:
    """Draw distinct queries from the files themselves: half comments and prose, half names that are defined."""
    chance = random.Random(20_250_131)
    paths = [path for _, path in readable(tree)]
    chance.shuffle(paths)
    prose, names = set(), set()
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        found = re.findall(r"^\s*(?:#|//|\*|--)?\s*([A-Z][a-z]+(?: [a-z]+){3,9})[.,]?\s*$", text, re.MULTILINE)
        prose.update(chance.sample(found, min(3, len(found))))
        found = re.findall(r"\b(?:def|class|func|fn|function|interface|struct)\s+(\w{5,})", text)
        names.update(chance.sample(found, min(3, len(found))))
        if len(prose) >= count and len(names) >= count:
            break
    half = count // 2
    drawn = sorted(prose)
    chance.shuffle(drawn)
    asked = drawn[:half] + chance.sample(sorted(names), min(count - half, len(names)))
    chance.shuffle(asked)
    return asked


# Measuring


def open_engine(database: Path) -> Any:
    import recollect

    database.parent.mkdir(parents=True, exist_ok=True)
    return recollect.open(database)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what `work` returns and the seconds it took."""
    started = time.perf_counter()
    value = work()
    return value, time.perf_counter() - started


def spread(values: Iterable[float]) -> dict[str, float]:
    """Summarise milliseconds: median, 95th percentile, least and most."""
    ordered = sorted(values)
    p95 = statistics.quantiles(ordered, n=20, method="inclusive")[-1] if len(ordered) > 1 else ordered[0]
    named = {"p50": statistics.median(ordered), "p95": p95, "min": ordered[0], "max": ordered[-1]}
    return {name: round(value, 2) for name, value in named.items()} | {"n": len(ordered)}


def peaks_mib() -> dict[str, float]:
    """Peak resident memory of this process so far, and of the largest of its finished children (Linux counts KiB)."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    who = {"peak_rss_mib": resource.RUSAGE_SELF, "peak_rss_largest_child_mib": resource.RUSAGE_CHILDREN}
    return {name: round(resource.getrusage(one).ru_maxrss * unit / 2**20, 1) for name, one in who.items()}


def measure_apart(stage: str, args: argparse.Namespace) -> dict[str, Any]:
    """Run one stage in a new process and sample the resident memory of its whole process tree meanwhile."""
    command = [sys.executable, __file__, "--inner", "--stage", stage, "--chunks", str(args.chunks)]
    for corpus in args.corpus:
        command += ["--corpus", str(corpus)]
    print(f"{stage} …", flush=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_before, load_before = before.ru_utime + before.ru_stime, os.getloadavg()[0]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        sampler = TreeSampler(process.pid)
        sampler.start()
        output, _ = process.communicate()
        peak = sampler.stop()
    if process.returncode:
        raise SystemExit(f"stage {stage} failed")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures: dict[str, Any] = json.loads(output) | {
        "peak_rss_of_process_tree_mib": peak,
        "cpu_s": round(spent.ru_utime + spent.ru_stime - cpu_before, 1),
        # Above the number of cores, others were working too, and the times say little.
        "load_average": [round(load, 2) for load in (load_before, os.getloadavg()[0])],
    }
    print(json.dumps(figures, indent=1), flush=True)
    return figures


class TreeSampler(threading.Thread):
    """Watches the summed VmRSS of a process and its descendants. Linux only; reports None elsewhere."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._done = threading.Event()
        self._peak_kib = 0

    def run(self) -> None:
        while not self._done.wait(SAMPLE_S):
            self._peak_kib = max(self._peak_kib, sum(resident_kib(pid) for pid in descendants(self._pid)))

    def stop(self) -> float | None:
        """End sampling; return the peak in MiB."""
        self._done.set()
        self.join()
        return round(self._peak_kib / 2**10, 1) if self._peak_kib else None


def descendants(pid: int) -> list[int]:
    found, place = [pid], 0
    while place < len(found):
        for children in Path(f"/proc/{found[place]}/task").glob("*/children"):
            found += [int(child) for child in read_proc(children).split()]
        place += 1
    return found


def resident_kib(pid: int) -> int:
    match = re.search(r"^VmRSS:\s+(\d+) kB", read_proc(Path(f"/proc/{pid}/status")), re.MULTILINE)
    return int(match[1]) if match else 0


def read_proc(path: Path) -> str:
    """Read a file of /proc; a process that has ended meanwhile has nothing to say."""
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def write(stages: dict[str, Any], folder: Path) -> Path:
    """Write the figures with date, version and machine to `<date>-speed.json`; a part is named by its stages."""
    import recollect
    from recollect.evaluation import describe_machine

    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    part = "" if set(stages) == set(STAGES) else "-" + "+".join(stages)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{date}-speed{part}.json"
    machine = dataclasses.asdict(describe_machine())
    content = {"format": 1, "date": date, "version": recollect.__version__, "machine": machine, "stages": stages}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    raise SystemExit(main())
