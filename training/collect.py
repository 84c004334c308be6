"""Collect training pairs from downloaded packages and cloned repositories into one JSON Lines file.

Reads `sources.json` (what, under which licence) and `excluded.txt` (names of benchmark repositories, which are
never read, nor copies of them inside other packages). `--block` names folders of evaluation data: a pair that
equals one of their queries or passages is dropped. Not here: downloading (`download`) and the pairs (`code_pairs`,
`prose_pairs`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from code_pairs import Pair, code_pairs
from languages import DOCUMENTS, EXTENSIONS
from prose_pairs import gloss_pairs, prose_pairs

HERE = Path(__file__).parent
MOST_FILES = 6000
MOST_PAIRS = {"heading": 9000, "sentence": 9000, "context": 5000, "test": 4000, "inline": 9000, "gloss": 200_000}
MOST_DOCUMENTED = 9_000
_SKIPPED = re.compile(
    r"(^|/)(vendor|vendored|_vendor|node_modules|third[_-]?party|bundled|extern|external|dist|build|generated|fixtures?"
    r"|testdata|snapshots?|__snapshots__|locales?|i18n|l10n|translations?|deps|es5|umd|cjs|min)/"
    r"|\.min\.js$|\.pb\.go$|_pb2\.pyi?$|changelog|changes\.|licen[sc]e|copying|third.?party.?notices|release.?notes|[._-]generated\.",
    re.I,
)
_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|e2e)/|[._-](test|spec)s?\.|(^|/)test_|Tests?\.(java|cs|kt|swift|scala|php)$|_test\.",
    re.I,
)
_PERMISSIVE = re.compile(
    r"\b(mit|bsd|apache|isc|zlib|0bsd|unlicense|cc0|python software foundation|psf|hpnd|public domain|postgresql)\b",
    re.I,
)
_COPYLEFT = re.compile(r"\b(a?gpl|lgpl|mpl|epl|gnu|mozilla|eupl|cddl|sspl|busl|cc.by.nc|elastic)", re.I)


@lru_cache(maxsize=1)
def _excluded() -> frozenset[str]:
    lines = (HERE / "excluded.txt").read_text("utf-8").split("\n")
    return frozenset(line.strip().lower() for line in lines if line.strip() and not line.startswith("#"))


def is_wanted(path: str) -> bool:
    """Whether a file may be read: not built or vendored, no part of its path named like a benchmark repository."""
    parts = PurePosixPath(path.lower()).parts
    stem = PurePosixPath(path.lower()).stem
    return not _SKIPPED.search(path) and stem not in _excluded() and not any(p in _excluded() for p in parts)


def pairs_of_file(path: str, text: str) -> Iterator[Pair]:
    """Every pair of one file, by its extension; none for kinds of files that are not read."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in EXTENSIONS:
        yield from code_pairs(text, EXTENSIONS[suffix], bool(_TEST.search(path)))
    elif suffix in DOCUMENTS:
        yield from prose_pairs(text, DOCUMENTS[suffix])
    elif re.fullmatch(r"data\.(noun|verb|adj|adv)", PurePosixPath(path).name):
        yield from gloss_pairs(text)
    elif re.fullmatch(r"pep-\d+\.txt", PurePosixPath(path).name):
        yield from prose_pairs(text, "rst")


def _is_readable(path: str) -> bool:
    suffix = PurePosixPath(path).suffix.lower()
    return suffix in EXTENSIONS or suffix in DOCUMENTS or suffix in {".noun", ".verb", ".adj", ".adv", ".txt"}


def _git_files(repository: Path) -> Iterator[tuple[str, str]]:
    listing = subprocess.run(
        ["git", "--git-dir", str(repository), "ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, check=True
    ).stdout.decode("utf-8", "replace")
    entries = []
    for entry in filter(None, listing.split("\0")):
        attributes, path = entry.split("\t", 1)
        _, kind, blob, size = attributes.split()
        if kind == "blob" and size.isdigit() and 150 <= int(size) <= 300_000 and _is_readable(path) and is_wanted(path):
            entries.append((path, blob))
    random.Random(str(repository.parent.name)).shuffle(entries)
    with subprocess.Popen(
        ["git", "--git-dir", str(repository), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for path, blob in entries[:MOST_FILES]:
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            header = process.stdout.readline().split()
            if len(header) == 3:
                data = process.stdout.read(int(header[2]))
                process.stdout.read(1)
                yield path, data.decode("utf-8", "replace")
        process.stdin.close()


def _folder_files(folder: Path) -> Iterator[tuple[str, str]]:
    paths = sorted(p for p in folder.rglob("*") if _is_readable(p.name) and p.is_file() and not p.is_symlink())
    random.Random(folder.name).shuffle(paths)
    taken = 0
    for path in paths:
        name = path.relative_to(folder).as_posix()
        limit = 20_000_000 if name.rpartition("/")[2].startswith("data.") else 400_000
        if is_wanted(name) and 150 <= path.stat().st_size <= limit:
            taken += 1
            yield name, path.read_text("utf-8", "replace")
        if taken >= MOST_FILES:
            return


def licence_of(folder: Path) -> str:
    """The licence that a Python wheel (METADATA) or npm package (package.json) declares, '' when it declares none."""
    for metadata in folder.glob("*.dist-info/METADATA"):
        head = metadata.read_text("utf-8", "replace").split("\n\n")[0]
        named = re.findall(r"(?m)^(?:License-Expression|License): *(.+)$|^Classifier: License :: (.+)$", head)
        return "; ".join((a or b).strip()[:60] for a, b in named)
    for package in [*folder.glob("package/package.json"), *folder.glob("*/package.json")]:
        licence = json.loads(package.read_text("utf-8")).get("license", "")
        return str(licence.get("type", "") if isinstance(licence, dict) else licence)
    return ""


def pairs_of_source(name: str, location: str) -> list[dict[str, Any]]:
    """All pairs of one source as records, capped by kind; `location` is a bare clone or a folder."""
    path = Path(location)
    files = _git_files(path) if path.name == "repo" else _folder_files(path)
    counts: Counter[str] = Counter()
    seen: set[bytes] = set()
    records = []
    for file, text in files:
        language = EXTENSIONS.get(PurePosixPath(file).suffix.lower(), "prose")
        for pair in pairs_of_file(file, text):
            key = hashlib.blake2b((pair.kind + pair.query.lower() + pair.passage[:60]).encode(), digest_size=8).digest()
            if key in seen or counts[pair.kind] >= MOST_PAIRS.get(pair.kind, MOST_DOCUMENTED):
                continue
            seen.add(key)
            counts[pair.kind] += 1
            cut = Pair(pair.query[:400], pair.passage[:1800], pair.kind, pair.name, pair.comment[:300])
            records.append(asdict(cut) | {"language": language, "path": file, "source": name})
    return records


def sources(arguments: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """Name, folder and licence of every source that is present and may be used."""
    known = json.loads((HERE / "sources.json").read_text("utf-8"))
    for name, licence in known["repositories"].items():
        location = arguments.mirrors / name.replace("/", "+") / "repo"
        if location.is_dir():
            yield f"repository {name}", str(location), licence
    for name, licence in known["debian"].items():
        for location in (arguments.downloads / "deb" / "bin" / name, arguments.downloads / "deb" / "srcx" / name):
            if location.is_dir():
                yield f"debian {name}", str(location), licence
    for kind, folder in (("pip", arguments.downloads / "pip"), ("npm", arguments.downloads / "npm" / "x")):
        for location in sorted(folder.iterdir()) if folder.is_dir() else []:
            licence = licence_of(location)
            if _PERMISSIVE.search(licence) and not _COPYLEFT.search(licence):
                yield f"{kind} {location.name}", str(location), licence
            else:
                print(f"left out {kind} {location.name}: licence {licence!r}", flush=True)


def normalised(text: str) -> str:
    """Letters and digits only, for comparing with evaluation data."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def blocked_texts(folders: Iterable[Path]) -> tuple[set[str], set[int]]:
    """Normalised queries and passage starts of evaluation data, and hashes of long lines of trees beside it."""
    starts: set[str] = set()
    lines: set[int] = set()
    for folder in folders:
        for file in folder.rglob("*.jsonl"):
            starts |= {normalised(json.loads(line)["text"])[:60] for line in file.open(encoding="utf-8")}
        for file in folder.rglob("annotations/*.json"):
            starts |= {normalised(row["query"])[:60] for row in json.loads(file.read_text("utf-8"))}
        for file in folder.rglob("*"):
            if PurePosixPath(file.name).suffix.lower() in EXTENSIONS and file.is_file():
                lines |= long_lines(file.read_text("utf-8", "replace"))
    return {start for start in starts if len(start) > 15}, lines


def long_lines(text: str) -> set[int]:
    """Hashes of lines that are too long to be equal by chance."""
    return {hash(line.strip()) for line in text.split("\n") if len(line.strip()) >= 45}


def is_blocked(record: dict[str, Any], starts: set[str], lines: set[int]) -> bool:
    """Whether a pair repeats evaluation data: its query, its passage's start, or most long lines of its passage."""
    if normalised(record["query"])[:60] in starts or normalised(record["passage"])[:60] in starts:
        return True
    own = long_lines(record["passage"])
    return len(own) >= 3 and len(own & lines) >= 0.6 * len(own)


def main() -> None:
    """Write the pairs and, beside them, the sources with their licences and counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--downloads", type=Path, required=True, help="folder that `download` filled")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of bare clones, OWNER+NAME/repo")
    parser.add_argument("--block", type=Path, nargs="*", default=[], help="folders of evaluation data to keep out")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    starts, lines = blocked_texts(arguments.block)
    print(f"blocked: {len(starts)} texts, {len(lines)} lines", flush=True)
    present = list(sources(arguments))
    table, seen, kinds, blocked = [], set(), Counter[str](), 0
    with arguments.out.open("w", encoding="utf-8") as out, ProcessPoolExecutor(2) as pool:
        results = pool.map(pairs_of_source, [s[0] for s in present], [s[1] for s in present])
        for (name, _, licence), records in zip(present, results, strict=True):
            kept = 0
            for record in records:
                key = hash((record["query"], record["passage"][:200]))
                if key in seen:
                    continue
                seen.add(key)
                if is_blocked(record, starts, lines):
                    blocked += 1
                    continue
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
                kinds[record["kind"]] += 1
                kept += 1
            table.append({"source": name, "licence": licence, "pairs": kept})
            print(name, kept, sum(kinds.values()), flush=True)
    arguments.out.with_suffix(".sources.json").write_text(json.dumps(table, indent=1), "utf-8")
    print(f"blocked {blocked}; kinds {dict(kinds)}")


if __name__ == "__main__":
    main()
