"""A misread question or a misjudged hit would measure something else than search."""

from __future__ import annotations

import json

import pytest

from recollect.errors import InvalidRequest, UnknownName, UnsupportedPath
from recollect.evaluation.datasets import Question, Target, document_ranks, hit_ranks, load_dataset, read_documents
from recollect.types import Hit


def hit(path, start=1, end=10):
    return Hit("#1", "x", path, start, end, "", "lines", "", "", 0.5)


def ranks(target, *hits, prefix=""):
    return hit_ranks(Question("q", "q", (target,)), hits, prefix)[0]


def test_targets_are_found_by_whole_path_or_by_its_end():
    assert ranks(Target("mux.go"), hit("tree.go"), hit("mux.go")) == 2
    assert ranks(Target("mux.go"), hit("middleware/mux.go")) == 1
    assert ranks(Target("mux.go"), hit("demux.go")) is None


def test_hits_inside_the_indexed_folder_answer_targets_named_from_the_repository():
    assert ranks(Target("src/requests/auth.py"), hit("auth.py"), prefix="src/requests") == 1
    assert ranks(Target("Layout.hs"), hit("Layout.hs"), prefix="src/XMonad") == 1


def test_a_file_of_the_same_name_elsewhere_is_no_answer():
    assert ranks(Target("lib/core/utils.js"), hit("utils.js"), prefix="lib") is None


@pytest.mark.parametrize(
    ("start", "end", "rank"), [(1, 19, None), (1, 20, 1), (25, 26, 1), (30, 40, 1), (31, 40, None), (1, 90, 1)]
)
def test_lines_must_overlap_where_the_target_names_them(start, end, rank):
    assert ranks(Target("a.py", 20, 30), hit("a.py", start, end)) == rank


def test_documents_rank_by_the_first_of_their_chunks():
    question = Question("q", "q", (Target("b"), Target("c"), Target("d")))
    assert document_ranks(question, [hit("a"), hit("a"), hit("b"), hit("a"), hit("c")]) == (2, 3, None)


def test_repository_sets_come_with_language_prefix_and_both_kinds_of_target(repository_set):
    dataset, trees = repository_set
    loaded = load_dataset(dataset, repos=trees)
    webby, shelly = loaded.tasks
    assert (loaded.name, loaded.kind) == ("code", "repositories")
    assert (webby.language, webby.prefix, webby.source) == ("python", "src/webby", trees / "webby/src/webby")
    assert webby.questions[1].targets == (Target("src/webby/retry.py", 6, 7),)
    assert shelly.prefix == ""
    assert shelly.questions[0].targets == (Target("theme.sh"), Target("absent.sh"))


def test_a_query_asked_twice_keeps_two_ids(repository_set):
    dataset, trees = repository_set
    twice = [{"query": "same", "relevant": ["a"]}, {"query": "same", "relevant": ["b"]}]
    (dataset / "annotations/shelly.json").write_text(json.dumps(twice))
    (task,) = load_dataset(dataset, repos=trees, only=["shelly"]).tasks
    assert [(question.id, question.text) for question in task.questions] == [("same", "same"), ("same #2", "same")]


def test_a_part_of_a_dataset_does_not_carry_the_name_of_the_whole(repository_set):
    dataset, trees = repository_set
    assert load_dataset(dataset, repos=trees, only=["shelly"]).name == "code-shelly"


def test_text_sets_keep_graded_gains_and_only_judged_queries(write_text_set):
    (task,) = load_dataset(write_text_set()).tasks
    assert [question.id for question in task.questions] == ["q1", "q2"]
    assert task.questions[0].targets == (Target("a/1", gain=2.0), Target("c", gain=1.0))
    assert task.questions[1].targets == (Target("b"),)


def test_documents_keep_id_title_and_text(write_text_set):
    first, *_ = read_documents(write_text_set() / "corpus.jsonl")
    assert (first.path, first.title, first.text.splitlines()[0]) == ("a/1", "Cats", "cats purr")


def test_a_document_with_a_title_alone_can_still_be_found(write_text_set):
    (document,) = read_documents(write_text_set(corpus='{"_id": "a", "title": "Cats", "text": " "}\n') / "corpus.jsonl")
    assert (document.text, document.title) == ("Cats", "")


def test_a_line_separator_inside_a_text_does_not_cut_the_record(write_text_set):
    line = json.dumps({"_id": "a", "text": "one\u2028two\x85three"}, ensure_ascii=False)
    (document,) = read_documents(write_text_set(corpus=line + "\n") / "corpus.jsonl")
    assert document.text == "one\u2028two\x85three"


def test_a_folder_of_text_sets_is_one_dataset(write_text_set):
    write_text_set("texts/one")
    folder = write_text_set("texts/two").parent
    (folder / "notes").mkdir()
    loaded = load_dataset(folder)
    assert (loaded.name, [task.name for task in loaded.tasks]) == ("texts", ["one", "two"])
    assert load_dataset(folder, only=["two"]).name == "texts-two"


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"corpus": '{"_id": "a", "text": "x"}\n{"_id": \n'}, "corpus.jsonl, line 2: it is not JSON"),
        ({"corpus": '{"_id": "a", "text": "x"}\n[1]\n'}, "corpus.jsonl, line 2: expected an object"),
        ({"corpus": '{"_id": "a"}\n'}, "corpus.jsonl, line 1: text is missing"),
        ({"corpus": '{"_id": "a", "text": ""}\n\n{"_id": "a", "text": ""}\n'}, "corpus.jsonl, line 3: the id 'a'"),
        ({"queries": '{"_id": "q1"}\n'}, "queries.jsonl, line 1: text is missing"),
        ({"queries": '{"_id": "other", "text": "x"}\n'}, "is judged in qrels.tsv"),
        ({"qrels": "q1 a 1\n"}, "qrels.tsv, line 1: expected query-id"),
        ({"qrels": "query-id\tcorpus-id\tscore\nq1\ta\tgood\n"}, "qrels.tsv, line 2: 'good' is not a score"),
    ],
)
def test_a_malformed_line_is_named_with_file_and_number(write_text_set, files, place):
    folder = write_text_set(**files)
    with pytest.raises(InvalidRequest) as caught:
        (task,) = load_dataset(folder).tasks
        list(read_documents(task.source))
    assert place in caught.value.message
    assert caught.value.hint


def test_text_that_is_not_utf8_is_refused(write_text_set):
    folder = write_text_set()
    (folder / "queries.jsonl").write_bytes(b'{"_id": "q1", "text": "\xff"}\n')
    with pytest.raises(InvalidRequest, match="not UTF-8"):
        load_dataset(folder)


@pytest.mark.parametrize(
    ("annotations", "problem"),
    [
        ("[{]", "line 1: it is not JSON"),
        ("{}", "expected a list"),
        ('[{"relevant": ["a"]}]', "entry 1: it has no query"),
        ('[{"query": "x", "relevant": []}]', "entry 1: it names no relevant path"),
        ('[{"query": "x", "relevant": [3]}]', "entry 1: a target is neither"),
        ('[{"query": "x", "relevant": [{"path": "a", "start_line": 3}]}]', "entry 1: start_line and end_line"),
    ],
)
def test_a_malformed_annotation_is_named(repository_set, annotations, problem):
    dataset, trees = repository_set
    (dataset / "annotations/webby.json").write_text(annotations)
    with pytest.raises(InvalidRequest) as caught:
        load_dataset(dataset, repos=trees)
    assert problem in caught.value.message


def test_missing_folders_files_and_trees_are_said_with_a_hint(repository_set, write_text_set, tmp_path):
    dataset, trees = repository_set
    incomplete = write_text_set("incomplete")
    (incomplete / "qrels.tsv").unlink()
    (tmp_path / "empty").mkdir()
    (trees / "webby/src/webby").rename(trees / "moved")
    cases = [
        (tmp_path / "nowhere", trees, "no dataset folder"),
        (tmp_path / "empty", trees, "not a dataset in a known format"),
        (incomplete, None, "lacks qrels.tsv"),
        (dataset, trees, "lacks the source trees of webby"),
    ]
    for folder, repos, message in cases:
        with pytest.raises(UnsupportedPath, match=message) as caught:
            load_dataset(folder, repos=repos)
        assert caught.value.hint


def test_a_repository_set_without_trees_asks_for_them(repository_set):
    with pytest.raises(InvalidRequest) as caught:
        load_dataset(repository_set[0])
    assert "--repos" in caught.value.hint


def test_an_unknown_repository_suggests_the_nearest_one(repository_set):
    dataset, trees = repository_set
    with pytest.raises(UnknownName) as caught:
        load_dataset(dataset, repos=trees, only=["webbi"])
    assert '"webby"' in caught.value.hint
