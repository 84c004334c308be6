"""Read questions with known answers from a folder, and recognise those answers among hits.

Two formats. Repository sets: `repos.json` and `annotations/NAME.json`, with the source trees elsewhere.
Text sets: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`, as BEIR (Thakur et al. 2021) lays them out; a
folder of such folders is one dataset with a group for each. Not here: asking and scoring (`run`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from recollect.errors import InvalidRequest, UnknownName, UnsupportedPath, nearest
from recollect.types import Document, Hit

Kind = Literal["repositories", "texts"]

FORMATS_HINT = (
    "A repository set holds repos.json and annotations/; "
    "a text set holds corpus.jsonl, queries.jsonl and qrels.tsv, or folders that do."
)


@dataclass(frozen=True, slots=True)
class Target:
    """A right answer: a path, its lines where they matter (1-based, inclusive), and what finding it is worth."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    gain: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and every right answer. `id` is unique within its task."""

    id: str
    text: str
    targets: tuple[Target, ...]
    category: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One index to build and the questions asked of it.

    `source` is the folder to index (repository sets) or the corpus file (text sets). `prefix` is the
    folder's path inside its repository: targets are written relative to the repository, hits are
    relative to the indexed folder.
    """

    name: str
    source: Path
    questions: tuple[Question, ...]
    language: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """All tasks of one dataset folder. `name` says when only some of them were asked for."""

    name: str
    kind: Kind
    tasks: tuple[Task, ...]


def load_dataset(folder: Path, *, repos: Path | None = None, only: Sequence[str] = ()) -> Dataset:
    """Read the dataset in `folder`.

    Arguments: `repos`, where the source trees of a repository set are (one folder per repository name);
    `only`, names of repositories or text sets to keep (default: all).
    Raises UnsupportedPath for a missing folder, an unknown format or missing trees, UnknownName for a
    name in `only` that the dataset lacks, InvalidRequest for a malformed file (with the line number).
    """
    if not folder.is_dir():
        raise UnsupportedPath(f"There is no dataset folder {folder}.", hint=FORMATS_HINT)
    folder = folder.resolve()  # "." has a name too
    if (folder / "repos.json").is_file():
        return _load_repositories(folder, repos, only)
    sets = {path.name: path for path in sorted([folder, *folder.iterdir()]) if (path / "corpus.jsonl").is_file()}
    if not sets:
        raise UnsupportedPath(f"{folder} is not a dataset in a known format.", hint=FORMATS_HINT)
    kept = _keep(sets, only)
    tasks = tuple(_load_text_task(path) for name, path in sets.items() if name in kept)
    return Dataset(_label(folder.name, kept, len(sets)), "texts", tasks)


def read_documents(corpus: Path) -> Iterator[Document]:
    """Yield the documents of a `corpus.jsonl`; a document's path is its `_id`.

    A record with a title alone (half of CACM) becomes a document whose text is the title: there would
    be nothing to find otherwise.

    Raises InvalidRequest, with the line number, for lines that are not such records or repeat an id.
    """
    seen: set[str] = set()
    for number, record in _read_jsonl(corpus):
        name = _text_field(record, "_id", corpus, number)
        if name in seen:
            raise _malformed(corpus, number, f"the id {name!r} was used before")
        seen.add(name)
        title = str(record.get("title") or "")
        text = _text_field(record, "text", corpus, number)
        yield Document(path=name, text=text, title=title) if text.strip() else Document(path=name, text=title)


def hit_ranks(question: Question, hits: Sequence[Hit], prefix: str = "") -> tuple[int | None, ...]:
    """Find the rank (from 1) of the first hit that answers each target, None where none does.

    A hit answers a target when its path, with `prefix` before it, equals the target's path or ends with
    it after a "/", and, where the target names lines, their lines overlap.
    """
    paths = [f"{prefix}/{hit.path}" if prefix else hit.path for hit in hits]
    return tuple(
        next(
            (rank for rank, (path, hit) in enumerate(zip(paths, hits, strict=True), 1) if _answers(target, path, hit)),
            None,
        )
        for target in question.targets
    )


def document_ranks(question: Question, hits: Sequence[Hit]) -> tuple[int | None, ...]:
    """Find the rank (from 1) of each target among the documents of `hits`, in order of first appearance."""
    places = {path: rank for rank, path in enumerate(dict.fromkeys(hit.path for hit in hits), start=1)}
    return tuple(places.get(target.path) for target in question.targets)


def _answers(target: Target, path: str, hit: Hit) -> bool:
    if path != target.path and not path.endswith("/" + target.path):
        return False
    if target.start_line is None or target.end_line is None:
        return True
    return hit.start_line <= target.end_line and target.start_line <= hit.end_line


def _load_repositories(folder: Path, repos: Path | None, only: Sequence[str]) -> Dataset:
    if repos is None:
        raise InvalidRequest(
            "A repository set needs its source trees.",
            hint="Say where they are: --repos DIR (one folder per repository).",
        )
    listed = {str(entry.get("name", "")): entry for entry in _read_list(folder / "repos.json")}
    kept = _keep(listed, only)
    tasks, missing = [], []
    for name in kept:
        prefix = str(listed[name].get("benchmark_root") or "").strip("/")
        source = repos / name / prefix
        if not source.is_dir():
            missing.append(name)
            continue
        questions = _read_annotations(folder / "annotations" / f"{name}.json")
        tasks.append(Task(name, source, questions, language=str(listed[name].get("language") or ""), prefix=prefix))
    if missing:
        shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise UnsupportedPath(
            f"{repos} lacks the source trees of {shown}.",
            hint="Write the trees there, or name those that exist with --only.",
        )
    return Dataset(_label(folder.name, kept, len(listed)), "repositories", tuple(tasks))


def _read_annotations(path: Path) -> tuple[Question, ...]:
    questions: list[Question] = []
    asked: dict[str, int] = {}
    for number, entry in enumerate(_read_list(path), start=1):
        text = entry.get("query")
        if not isinstance(text, str) or not text.strip():
            raise _malformed(path, f"entry {number}", "it has no query")
        targets = tuple(_read_target(target, path, number) for target in _answers_of(entry))
        if not targets:
            raise _malformed(path, f"entry {number}", "it names no relevant path")
        asked[text] = asked.get(text, 0) + 1
        # One query may be asked twice with different answers; runs are paired by this id.
        label = text if asked[text] == 1 else f"{text} #{asked[text]}"
        questions.append(Question(label, text, targets, category=str(entry.get("category") or "")))
    return tuple(questions)


def _answers_of(entry: Mapping[str, Any]) -> list[Any]:
    return [*(entry.get("relevant") or ()), *(entry.get("secondary") or ())]


def _read_target(target: Any, path: Path, number: int) -> Target:
    if isinstance(target, str):
        return Target(target)
    if not isinstance(target, dict) or not isinstance(target.get("path"), str):
        raise _malformed(path, f"entry {number}", "a target is neither a path nor an object with one")
    lines = (target.get("start_line"), target.get("end_line"))
    if lines == (None, None):
        return Target(target["path"])
    if not all(isinstance(line, int) for line in lines):
        raise _malformed(path, f"entry {number}", "start_line and end_line go together, as numbers")
    return Target(target["path"], *lines)


def _load_text_task(folder: Path) -> Task:
    corpus, queries, qrels = folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv"
    for path in (queries, qrels):
        if not path.is_file():
            raise UnsupportedPath(f"{folder} lacks {path.name}.", hint=FORMATS_HINT)
    judged = _read_qrels(qrels)
    questions = []
    for number, record in _read_jsonl(queries):
        name = _text_field(record, "_id", queries, number)
        targets = judged.get(name)
        if targets:  # queries without judgements cannot be scored; BEIR leaves them out as well
            text = _text_field(record, "text", queries, number)
            questions.append(Question(name, text, tuple(targets), category=str(record.get("category") or "")))
    if not questions:
        raise InvalidRequest(
            f"No query of {queries} is judged in qrels.tsv.", hint="Both files must use the same query ids."
        )
    return Task(folder.name, corpus, tuple(questions))


def _read_qrels(path: Path) -> dict[str, list[Target]]:
    """Read query-id, corpus-id, score lines after a header; scores of 0 or less mean not relevant."""
    judged: dict[str, list[Target]] = {}
    for number, line in _lines(path):
        cells = line.split("\t")
        if number == 1 and cells[0] == "query-id":
            continue
        if len(cells) != 3:
            raise _malformed(path, number, "expected query-id, corpus-id and score, separated by tabs")
        try:
            gain = float(cells[2])
        except ValueError as error:
            raise _malformed(path, number, f"{cells[2]!r} is not a score") from error
        if gain > 0:
            judged.setdefault(cells[0], []).append(Target(cells[1], gain=gain))
    return judged


def _keep(known: Iterable[str], only: Sequence[str]) -> list[str]:
    names = list(known)
    for name in only:
        if name not in names:
            raise UnknownName(
                f"The dataset has no {name!r}.", hint=nearest(name, names) or f"It has: {', '.join(names)}."
            )
    return [name for name in names if not only or name in only]


def _label(name: str, kept: Sequence[str], total: int) -> str:
    # A part must never overwrite, or pass for, the result of the whole.
    if len(kept) == total:
        return name
    return f"{name}-{'+'.join(kept)}" if len(kept) <= 3 else f"{name}-{len(kept)}of{total}"


def _read_list(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise UnsupportedPath(f"There is no {path}.", hint=FORMATS_HINT)
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise _malformed(path, error.lineno, f"it is not JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise _malformed(path, "the file", "it is not UTF-8") from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _malformed(path, 1, "expected a list of objects")
    return entries


def _read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in _lines(path):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise _malformed(path, number, f"it is not JSON: {error.msg}") from error
        if not isinstance(record, dict):
            raise _malformed(path, number, "expected an object")
        yield number, record


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    # Not str.splitlines: texts hold characters such as U+2028 that it would cut at.
    with path.open(encoding="utf-8", newline="\n") as file:
        try:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise _malformed(path, "the file", "it is not UTF-8") from error


def _text_field(record: Mapping[str, Any], name: str, path: Path, number: int) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise _malformed(path, number, f"{name} is missing or not a string")
    return value


def _malformed(path: Path, where: int | str, problem: str) -> InvalidRequest:
    place = f"line {where}" if isinstance(where, int) else where
    return InvalidRequest(f"{path}, {place}: {problem}.", hint="Mend or remove it, then run the evaluation again.")
