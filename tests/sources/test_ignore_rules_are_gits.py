"""Our own walk must list what git lists: a difference loses files or leaks ignored ones."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.sources import walk
from recollect.sources.ignores import parse
from recollect.sources.patterns import PatternError, RuleSet, parse_rule, translate, translate_path

NAMES = ("a", "b", "ab", "c.py", "b.c.py", "x y", "é", "[a]", "a!", "#h", "-", "a\\b")
PIECES = ("a", "b", "c", ".", "py", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[^b-c]", "\\", "\\*", " ", "é", "-")
PIECES += ("[]a]", "[z-a]", "[[:alpha:]]", "[a", "!", "#", "[a\\]]", "\t")

folders = st.lists(st.sampled_from(NAMES[:3]) | st.sampled_from(NAMES), max_size=3).map("/".join)
segments = st.sampled_from(("a", "b", "*", "**", "a*", "*b", "[ab]", "?"))
lines = st.one_of(
    st.builds(lambda sign, parts: sign + "/".join(parts), st.sampled_from(("", "!")), st.lists(segments, min_size=2, max_size=4)),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join),
    st.builds(lambda sign, name, end: sign + name + end, st.sampled_from(("", "!", "/", "!/")),
              st.sampled_from(NAMES), st.sampled_from(("", "/", "/*", "/**", "*"))),
    st.sampled_from(("*", "!*/", "!*.py", "/*", "**/b", "a/**/b", "a/**", "**/", "# note", "", "*\r", "!**/c.py")),
)  # fmt: skip
trees = st.lists(st.tuples(folders, st.sampled_from(NAMES)), min_size=1, max_size=12, unique=True)
rule_files = st.dictionaries(folders, st.lists(lines, min_size=1, max_size=5), min_size=1, max_size=3)


def git_lists(root: Path) -> set[str]:
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, check=True
    )
    return {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}


def write(root: Path, files: list[tuple[str, str]], rules: dict[str, list[str]]) -> None:
    for folder, name in files:
        if not any((root / part).is_file() for part in _ancestors(folder)):
            (root / folder).mkdir(parents=True, exist_ok=True)
            if not (root / folder / name).is_dir():
                (root / folder / name).write_text("x")
    for folder, content in rules.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_bytes("\n".join(content).encode())


def _ancestors(folder: str) -> list[str]:
    parts = folder.split("/") if folder else []
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


@settings(max_examples=int(os.environ.get("IGNORE_EXAMPLES", "25")), deadline=None)
@given(files=trees, rules=rule_files)
def test_random_nested_ignore_files_give_the_set_git_gives(
    files: list[tuple[str, str]], rules: dict[str, list[str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        write(root, files, rules)
        listed = {file.path for file in walk(root, use_git=False).files}
        assert listed == git_lists(root), rules


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("foo**/bar", "foox/bar", True),  # git forgets the literal start, then sees "**/"
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**", "a", False),
        ("[z-a]", "z", True),  # a backwards range still holds its first character
        ("[z-a]", "m", False),
        ("[[:digit:]]", "7", True),
        ("[a\\]b]", "]", True),
        ("[!a]", "/", False),
        ("a[!x]b", "a/b", False),
    ],
)
def test_wildmatch_corner_cases(pattern: str, path: str, matches: bool) -> None:
    rule = parse_rule("/" + pattern)
    assert RuleSet([rule]).decide(path.rpartition("/")[2], path, False) is (True if matches else None)


@pytest.mark.parametrize("pattern", ["[a", "[!", "[]", "a\\", "[[:nope:]]", "[a-\\"])
def test_patterns_that_can_never_match_are_dropped_not_raised(pattern: str) -> None:
    with pytest.raises(PatternError):
        translate(pattern)
    assert parse(f"{pattern}\nb\n".encode()) == [parse_rule("b")]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*a" * 30 + "*b", "a" * 200), ("**/a/" * 15 + "b", "a/" * 60 + "c"), ("*a*/" * 15 + "b", "aaaa/" * 20 + "c")],
)
@pytest.mark.timeout(5)
def test_a_hostile_pattern_does_not_hang(pattern: str, path: str) -> None:
    rules = RuleSet([parse_rule("/" + pattern)])
    assert rules.decide(path.rpartition("/")[2], path, False) is None


def test_line_ends_marks_and_spaces_of_ignore_files() -> None:
    rules = parse(b"\xef\xbb\xbf*.log\r\n# note\n\ntrailing  \nkept\\ \n\\#hash\n!back/\n")
    assert [rule.pattern for rule in rules] == ["*.log", "trailing", "kept\\ ", "\\#hash", "back"]
    assert rules[-1].negated
    assert rules[-1].folders_only


def test_stars_before_more_stars_still_find_the_later_match() -> None:
    assert re.fullmatch(translate("*a*ab"), "aaab", re.DOTALL)
    assert re.fullmatch(translate_path("**/a/**/a/b"), "a/a/b", re.DOTALL)
    assert re.fullmatch(translate_path("**/a/**/a/b"), "x/a/x/a/x/a/b", re.DOTALL)
    assert re.fullmatch(translate_path("**/a*/**/b"), "x/ab/a/c/b", re.DOTALL)
