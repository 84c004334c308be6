"""What a walk must not lose, must not leak, and must say."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.errors import InvalidRequest, UnsupportedPath
from recollect.sources import Listing, reasons, walk

Plant = Callable[..., Path]
both = pytest.mark.parametrize("use_git", [True, False], ids=["git", "own"])


def paths(listing: Listing) -> list[str]:
    return [file.path for file in listing.files]


def why(listing: Listing) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in listing.skipped}


def test_both_ways_to_list_give_the_same_files(plant: Plant, git: Callable[..., None]) -> None:
    root = plant(
        {
            ".gitignore": "*.log\n/build/\n!keep.log\n",
            "a.py": "",
            "x.log": "",
            "keep.log": "",
            "build/out.py": "",
            "src/build/source.py": "",
            "src/.gitignore": "!x.log\ngen/*\n!gen/kept.py\n",
            "src/x.log": "",
            "src/gen/a.py": "",
            "src/gen/kept.py": "",
            "src/.ignore": "secret/\n",
            "src/secret/k.txt": "",
            ".recollectignore": "*.bak\n!a.bak\n",
            "a.bak": "",
            "b.bak": "",
            "node_modules/x/index.js": "",
            "web/package-lock.json": "",
            "web/app.min.js": "",
            "tests/test_a.py": "",
            "docs/a b ü 🚀.md": "",
            "target/readme.md": "",
            "crate/Cargo.toml": "",
            "crate/target/debug/x.rs": "",
        },
        git=True,
    )
    plant({"i.py": "", ".gitignore": "only.here\n", "only.here": "", "x.log": ""}, git=True, at="root/inner")
    (root / ".git/info/exclude").write_text("private.txt\n")
    (root / "private.txt").write_text("")
    (root / "link.py").symlink_to("src/gen/a.py")
    through_git, alone = walk(root), walk(root, use_git=False)
    assert through_git == alone
    assert paths(alone) == sorted(paths(alone))
    assert set(paths(alone)) == {
        ".gitignore", "a.py", "keep.log", "src/build/source.py", "src/.gitignore", "src/x.log", "src/gen/kept.py",
        "src/.ignore", ".recollectignore", "a.bak", "tests/test_a.py", "docs/a b ü 🚀.md", "target/readme.md",
        "crate/Cargo.toml", "inner/i.py", "inner/.gitignore", "inner/x.log", "link.py",
    }  # fmt: skip


@both
def test_a_folder_inside_a_repository_obeys_the_rules_above_it(plant: Plant, use_git: bool) -> None:
    root = plant({".gitignore": "*.log\nsub/a.txt\n", "sub/x.log": "", "sub/a.txt": "", "sub/b.txt": ""}, git=True)
    assert paths(walk(root / "sub", use_git=use_git)) == ["b.txt"]


@both
def test_naming_an_ignored_folder_indexes_it(plant: Plant, use_git: bool) -> None:
    root = plant({".gitignore": "scratch/\n", "scratch/a.py": "", "scratch/b/c.py": ""}, git=True)
    assert paths(walk(root / "scratch", use_git=use_git)) == ["a.py", "b/c.py"]
    assert paths(walk(root / "scratch/b", use_git=use_git)) == ["c.py"]


def test_the_users_global_excludes_count_where_git_is(plant: Plant, own_git_settings: Path) -> None:
    root = plant({"a.py": "", "b.swap": ""}, git=True)
    (own_git_settings / ".config/git").mkdir(parents=True)
    (own_git_settings / ".config/git/ignore").write_text("*.swap\n")
    assert paths(walk(root)) == ["a.py"]


def test_tracked_files_stay_even_when_ignored_or_in_a_build_folder(plant: Plant, git: Callable[..., None]) -> None:
    root = plant({"package.json": "", "build/tasks.js": "", "odd.log": "", "node_modules/a.js": ""}, git=True)
    git(root, "add", "-f", ".")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    (root / "build/output.js").write_text("")
    assert paths(walk(root)) == [".gitignore", "build/tasks.js", "odd.log", "package.json"]


@both
def test_our_ignore_files_bring_back_what_git_ignores(plant: Plant, use_git: bool) -> None:
    files = {".gitignore": "notes/\n*.tmp\n", ".recollectignore": "!notes/\n", "notes/a.md": "", "notes/x.tmp": ""}
    root = plant({**files, "b.tmp": "", "c.py": ""}, git=True)
    assert paths(walk(root, use_git=use_git)) == [".gitignore", ".recollectignore", "c.py", "notes/a.md"]


@both
def test_recollectignore_outranks_ignore_and_deeper_files_outrank_higher_ones(plant: Plant, use_git: bool) -> None:
    files = {".recollectignore": "!a.txt\nd.txt\n", ".ignore": "a.txt\nb.txt\n", "a.txt": "", "b.txt": ""}
    root = plant({**files, "deep/.ignore": "!b.txt\n", "deep/b.txt": "", "deep/d.txt": ""}, git=True)
    assert paths(walk(root, use_git=use_git, include=["*.txt"])) == ["a.txt", "deep/b.txt"]


@both
def test_a_nested_repository_ignored_by_our_own_rules_is_left_out(plant: Plant, use_git: bool) -> None:
    root = plant({".recollectignore": "inner/\n", "a.py": ""}, git=True)
    plant({"i.py": ""}, git=True, at="root/inner")
    assert paths(walk(root, use_git=use_git, include=["*.py"])) == ["a.py"]


@both
def test_submodules_are_not_lost(plant: Plant, git: Callable[..., None], use_git: bool) -> None:
    library = plant({"lib.py": ""}, git=True, at="library")
    git(library, "add", ".")
    git(library, "commit", "-qm", "x")
    root = plant({"a.py": ""}, git=True)
    git(root, "submodule", "add", "-q", str(library), "vendor/library")
    git(root, "commit", "-qm", "x")
    (root / "vendor/library/new.py").write_text("")
    found = paths(walk(root, use_git=use_git))
    assert found == [".gitmodules", "a.py", "vendor/library/lib.py", "vendor/library/new.py"]


@both
def test_build_output_needs_evidence(plant: Plant, use_git: bool) -> None:
    kept = {"src/build/a.py": "", "tools/dist/a.py": "", "env/a.py": "", "vendor/a.py": "", "target/a.py": ""}
    output = {
        "py/pyproject.toml": "", "py/build/a.py": "", "py/dist/a.py": "", "v/venv/pyvenv.cfg": "", "v/venv/lib/a.py": "",
        "go/go.mod": "", "go/vendor/a.py": "", "cs/x.csproj": "", "cs/obj/a.py": "", "t/target/CACHEDIR.TAG": "",
        "t/target/a.py": "", "e/mix.exs": "", "e/deps/a.py": "", "p/pkg.egg-info/a.py": "",
    }  # fmt: skip
    root = plant(kept | output, git=use_git)
    assert paths(walk(root, use_git=use_git, include=["*.py"])) == sorted(kept)


@both
def test_an_include_that_names_it_brings_back_what_is_left_out_by_default(plant: Plant, use_git: bool) -> None:
    root = plant(
        {"app.js": "", "app.min.js": "", "node_modules/x/y.js": "", "yarn.lock": "", ".git_x": ""}, git=use_git
    )
    assert paths(walk(root, use_git=use_git, include=["*.js"])) == ["app.js"]
    assert paths(walk(root, use_git=use_git, include=["*.min.js"])) == ["app.min.js"]
    assert paths(walk(root, use_git=use_git, include=["{node_modules,none}/x/**"])) == ["node_modules/x/y.js"]
    assert paths(walk(root, use_git=use_git, include=["yarn.lock"])) == ["yarn.lock"]
    assert ".git/config" not in paths(walk(root, use_git=use_git, include=[".git/**", "**"]))


@both
def test_exclude_wins_over_include(plant: Plant, use_git: bool) -> None:
    root = plant({"a.py": "", "b/c.py": "", "b/d.md": ""}, git=use_git)
    assert paths(walk(root, use_git=use_git, include=["*.py"], exclude=["b/"])) == ["a.py"]


@both
def test_what_is_left_out_is_said(plant: Plant, use_git: bool) -> None:
    root = plant(
        {"a.py": "", "pic.PNG": "", "big.txt": "x" * 2001, "ignored.png": "", ".ignore": "ignored.png"}, git=use_git
    )
    (root / "broken").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    (root / "out").symlink_to("/etc/hostname")
    (root / "outdir").symlink_to("/etc")
    listing = walk(root, use_git=use_git, max_bytes=2000)
    assert paths(listing) == [".ignore", "a.py"]
    assert why(listing) == {
        "pic.PNG": reasons.BINARY,
        "big.txt": reasons.TOO_LARGE,
        "broken": reasons.BROKEN_LINK,
        "loop": reasons.BROKEN_LINK,
        "out": reasons.OUTSIDE_ROOT,
        "outdir": reasons.OUTSIDE_ROOT,
    }
    assert "2,001" in next(s.detail for s in listing.skipped if s.path == "big.txt")
    assert set(why(listing).values()) <= reasons.ALL


def test_a_pipe_is_said_and_does_not_block(plant: Plant) -> None:
    root = plant({"a.py": ""})
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / ".gitignore")
    listing = walk(root)
    assert paths(listing) == ["a.py"]
    assert why(listing) == {"pipe.py": reasons.SPECIAL_FILE, ".gitignore": reasons.SPECIAL_FILE}


@both
def test_links_list_nothing_twice_and_never_go_in_circles(plant: Plant, use_git: bool) -> None:
    root = plant(
        {"a.py": "", "d/b.py": "", ".gitignore": "hidden/\n", "hidden/h.py": "", "hidden/s/t.py": ""}, git=use_git
    )
    (root / "same.py").symlink_to("a.py")
    (root / "same_folder").symlink_to("d")
    (root / "d/up").symlink_to("..")
    (root / "self").symlink_to(".")
    (root / "shown").symlink_to("hidden")
    (root / "hidden/again").symlink_to("../hidden")
    (root / "zt.py").symlink_to("hidden/s/t.py")
    (root / "zs").symlink_to("hidden/s")
    listing = walk(root, use_git=use_git)
    assert paths(listing) == [".gitignore", "a.py", "d/b.py", "shown/h.py", "shown/s/t.py"]
    assert not listing.skipped


@both
def test_links_do_not_lead_into_what_is_left_out(plant: Plant, use_git: bool) -> None:
    root = plant({"a.py": "", "node_modules/x/i.js": ""}, git=True)
    (root / "config").symlink_to(".git/config")
    (root / "g").symlink_to(".git")
    (root / "x").symlink_to("node_modules/x")
    (root / "i.js").symlink_to("node_modules/x/i.js")
    assert paths(walk(root, use_git=use_git)) == ["a.py"]


@both
def test_a_root_that_is_a_link_is_followed(plant: Plant, tmp_path: Path, use_git: bool) -> None:
    root = plant({"a.py": ""}, git=use_git)
    (tmp_path / "link").symlink_to(root)
    listing = walk(tmp_path / "link", use_git=use_git)
    assert paths(listing) == ["a.py"]
    assert listing.files[0].absolute == root.resolve() / "a.py"


@both
def test_names_in_any_script_and_form_are_spelled_as_on_disk(plant: Plant, use_git: bool) -> None:
    names = [unicodedata.normalize(form, "é/naïve ü.md") for form in ("NFC", "NFD")] + [
        "日本 語/🚀.py",
        " a\n.txt",
        "'\"\\.c",
    ]
    root = plant(dict.fromkeys(names, ""), git=use_git)
    assert paths(walk(root, use_git=use_git)) == sorted(names)
    assert len(walk(root, use_git=use_git, include=["é/*.md"]).files) == 2


@both
def test_names_that_are_not_utf8_are_said_not_raised(plant: Plant, use_git: bool) -> None:
    root = plant({"a.py": ""}, git=use_git)
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.py")).write_text("")
    listing = walk(root, use_git=use_git)
    assert paths(listing) == ["a.py"]
    assert why(listing) == {"caf\\xe9.py": reasons.BAD_NAME}


@both
def test_a_folder_that_cannot_be_opened_is_said(plant: Plant, monkeypatch: pytest.MonkeyPatch, use_git: bool) -> None:
    root = plant({"a.py": "", "sub/secret/b.py": ""}, git=use_git)
    if use_git:
        _fake_warning(root.parent, monkeypatch)
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)  # as root nothing is forbidden
    listing = walk(root, use_git=use_git)
    assert paths(listing) == ["a.py"]
    assert why(listing) == {"sub/secret": reasons.UNREADABLE}


def _fake_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that says what git says of a folder it cannot open."""
    program = folder / "bin/git"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\nprintf '? a.py\\0'\necho \"warning: could not open directory 'sub/secret/': Permission denied\" >&2\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"])
def test_running_inside_a_git_hook_lists_the_right_repository(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    root = plant({"a.py": "", "b.log": "", ".gitignore": "*.log"}, git=True)
    other = plant({"z.py": ""}, git=True, at="other")
    monkeypatch.setenv(variable, str(other / ".git" if variable == "GIT_DIR" else other))
    assert paths(walk(root)) == [".gitignore", "a.py"]


def test_a_cloned_repository_cannot_make_us_run_a_program(plant: Plant, git: Callable[..., None]) -> None:
    root = plant({"a.py": ""}, git=True)
    git(root, "add", ".")
    program = root / ".git/evil"
    program.write_text(f"#!/bin/sh\ntouch {root.parent}/ran\n")
    program.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(program))
    assert paths(walk(root)) == ["a.py"]
    assert not (root.parent / "ran").exists()


def test_without_git_installed_the_rules_still_hold(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant({"a.py": "", "b.log": "", ".gitignore": "*.log"}, git=True)
    monkeypatch.setenv("PATH", "")
    assert paths(walk(root)) == [".gitignore", "a.py"]


def test_a_second_work_tree_shares_its_excludes(plant: Plant, git: Callable[..., None], tmp_path: Path) -> None:
    root = plant({"a.py": ""}, git=True)
    git(root, "add", ".")
    git(root, "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", str(tmp_path / "second"))
    (root / ".git/info/exclude").write_text("private.txt\n")
    (tmp_path / "second/private.txt").write_text("")
    for use_git in (True, False):
        assert paths(walk(tmp_path / "second", use_git=use_git)) == ["a.py"]


def test_deleted_but_tracked_files_are_not_listed(plant: Plant, git: Callable[..., None]) -> None:
    root = plant({"a.py": "", "gone.py": "", "d/gone.py": ""}, git=True)
    git(root, "add", ".")
    (root / "gone.py").unlink()
    shutil.rmtree(root / "d")
    (root / "d").write_text("now a file")
    assert paths(walk(root)) == ["a.py", "d"]


@both
def test_an_empty_folder_is_an_empty_listing(plant: Plant, use_git: bool) -> None:
    assert walk(plant(git=use_git), use_git=use_git) == Listing((), ())


def test_bad_roots_say_what_to_do(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant({"project/a.py": ""})
    with pytest.raises(UnsupportedPath) as missing:
        walk(root / "projcet")
    assert 'Did you mean "project"?' in missing.value.hint
    with pytest.raises(UnsupportedPath) as deep:
        walk(root / "zzz/yyy/xxx")
    assert str(root) in deep.value.hint
    with pytest.raises(UnsupportedPath) as file:
        walk(root / "project/a.py")
    assert "--include 'a.py'" in file.value.hint
    for odd in ("a\0b", "x" * 5000):
        with pytest.raises(UnsupportedPath):
            walk(root / odd)
    with pytest.raises(InvalidRequest):
        walk(root, include=["[a"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can pretend to be someone else")
def test_a_root_that_cannot_be_read_is_an_error(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant({"a.py": ""})

    def refuse(path: str) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(UnsupportedPath, match="Permission denied"):
        walk(root)


@pytest.mark.timeout(30)
@both
def test_ten_thousand_files_are_listed_without_hanging(plant: Plant, use_git: bool) -> None:
    root = plant({".gitignore": "*.log\nbuild/\n**/tmp/**\n*~\n"}, git=use_git)
    for folder in range(100):
        (root / f"d{folder}").mkdir()
        for name in range(100):
            (root / f"d{folder}/f{name}.py").touch()
    assert len(walk(root, use_git=use_git).files) == 10_001
