"""A setting is found under its key path, at its line."""

from __future__ import annotations

import json

import pytest

from recollect.chunking import Chunked, chunk
from recollect.types import Document


def read(text: str, language: str) -> Chunked:
    return chunk(Document("config/app-settings.json", text, language))


def options(count: int, prefix: str) -> dict[str, str]:
    return {f"{prefix}_option_{number}": f"the value of option number {number}" for number in range(count)}


def test_small_keys_are_merged_and_large_values_split_by_their_own_keys() -> None:
    value = {
        "name": "shop",
        "version": 3,
        "licence": "MIT",
        "private": True,
        "keywords": "shop, server, mail, http, plants and all that grows in gardens",
        "author": "a gardener with a long name",
        "server": {"http": options(25, "http"), "mail": options(25, "mail")},
        "log": 1,
    }
    found = read(json.dumps(value, indent=2), "json").chunks
    assert [each.title for each in found] == ["name, version, licence, private", "server.http", "server.mail, log"]
    assert found[1].text.lstrip().startswith('"server": {\n    "http": {')
    assert found[1].start_line == 8
    assert {each.kind for each in found} == {"key"}
    assert found[1].context == "Document: app settings\nSection: server.http"


def test_arrays_are_cut_between_elements() -> None:
    value = {"people": [{"id": number, **options(4, "person")} for number in range(40)]}
    found = read(json.dumps(value, indent=1), "json").chunks
    assert len(found) > 4
    assert {each.title for each in found} == {"people"}
    assert all(each.text.lstrip().startswith("{") for each in found[1:])


def test_yaml_keys_have_their_real_lines_and_comments() -> None:
    jobs = "\n".join(f"    - run: make target-{number} # and some more words to fill the line" for number in range(40))
    text = f"# Builds.\non:\n  push:\n    branches: [main, release, and-every-other-branch-that-begins-with-a-word]\n  pull_request:\n    branches: [main, release, and-every-other-branch-that-begins-with-a-word]\n\n# Runs tests.\ntests:\n  steps:\n{jobs}\nlint:\n  steps:\n{jobs}\n"
    found = read(text, "yaml").chunks
    assert found[0].text.startswith("# Builds.\non:")
    tests = next(each for each in found if each.title == "tests.steps")
    assert tests.text.startswith("# Runs tests.\ntests:\n  steps:")
    assert tests.start_line == 8
    assert next(each for each in found if each.title.startswith("lint")).start_line == 51


def test_yaml_documents_in_one_file_do_not_mix() -> None:
    document = "kind: {0}\nmetadata:\n  name: {0}\nspec:\n" + "".join(
        f"  key{n}: value number {n} of the spec\n" for n in range(60)
    )
    text = "---\n".join(document.format(name) for name in ("Service", "Deployment"))
    found = read(text, "yaml").chunks
    assert [each.title for each in found] == ["kind, metadata, spec", "spec.key39, key40, key41, key42"] * 2
    assert not [each for each in found if "kind: Service" in each.text and "kind: Deployment" in each.text]


def test_yaml_aliases_and_cycles_end() -> None:
    filler = "".join(f"  - item {number} with a text that takes some room\n" for number in range(60))
    assert read(f"a: &a\n{filler}b: *a\nc: [*a, *a]\n", "yaml").chunks[-1].text.endswith("c: [*a, *a]")
    assert read("&a\n" + "- *a\n" * 400, "yaml").chunks
    assert read("a: &a {b: &b [*a, *b, *a], " + "c: 1,\n" * 400 + "}", "yaml").chunks


def test_unicode_line_separators_do_not_shift_yaml_lines() -> None:
    filler = "".join(f"  key{number}: 'a\u2028b \x85 c'\n" for number in range(80))
    found = read(f"first:\n{filler}last:\n{filler}", "yaml").chunks
    assert next(each for each in found if each.title.startswith("last")).start_line == 82


def test_toml_tables_are_keys() -> None:
    entries = "".join(f'option_{number} = "the value of option number {number}"\n' for number in range(40))
    text = f'title = "x"\n\n# The server.\n[server.http]\n{entries}\n[[plugin]]\nname = "a"\n'
    found = read(text, "toml").chunks
    assert found[0].title == "title, server.http"
    assert found[0].text.startswith('title = "x"\n\n# The server.\n[server.http]')
    assert found[-1].title.endswith("plugin")


@pytest.mark.parametrize(
    ("language", "text"), [("json", '{"a": 1,, }}\n'), ("yaml", "a: [1\nb: }\n"), ("toml", "[a\nb = = 2\n")]
)
def test_broken_files_are_read_by_lines(language: str, text: str) -> None:
    found = read(text * 40, language).chunks
    assert {each.kind for each in found} == {"lines"}
    assert "\n".join(each.text for each in found).count("\n") == (text * 40).rstrip("\n").count("\n")
