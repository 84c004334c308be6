"""Settings a user would lose: the order of strength, origins, and one clear line for what cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.config import Settings, colors_allowed, default_db, describe, load_settings
from recollect.errors import ConfigError, InvalidRequest, RecollectError, UnknownName


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    path = tmp_path / "config" / "recollect.toml"
    path.parent.mkdir()
    path.write_text("")
    return path


@pytest.fixture
def environ(user_file: Path) -> dict[str, str]:
    return {"RECOLLECT_CONFIG": str(user_file)}


def test_without_anything_every_setting_is_its_default(environ: dict[str, str], tmp_path: Path) -> None:
    resolved = load_settings({}, environ, tmp_path)
    assert resolved.settings == Settings()
    assert set(resolved.origins.values()) == {"default"}
    assert resolved.settings.db == default_db()
    assert resolved.settings.db.name == "recollect.db"
    assert resolved.warnings == ()


def test_arguments_beat_environment_beats_file_beats_default(
    environ: dict[str, str], user_file: Path, tmp_path: Path
) -> None:
    user_file.write_text('limit = 2\nworkers = 2\nembedder = "file"\n')
    environ |= {"RECOLLECT_LIMIT": "3", "RECOLLECT_WORKERS": "3"}
    resolved = load_settings({"limit": 4, "db": None}, environ, tmp_path)
    assert (resolved.settings.limit, resolved.settings.workers, resolved.settings.embedder) == (4, 3, "file")
    assert resolved.origins["limit"] == "argument"
    assert resolved.origins["workers"] == "environment RECOLLECT_WORKERS"
    assert resolved.origins["embedder"] == f"file {user_file}"
    assert resolved.origins["db"] == "default"


@pytest.mark.parametrize("name", list(describe()))
def test_every_setting_can_be_given_in_each_way(
    name: str, environ: dict[str, str], user_file: Path, tmp_path: Path
) -> None:
    kind, doc = describe()[name]
    text, value = {
        "db": ("/x/y.db", Path("/x/y.db")),
        "embedder": ("other", "other"),
        "exclude": ("*.md, *.txt", ("*.md", "*.txt")),
        "auto_update": ("no", False),
    }.get(name, ("7", 7))
    toml = {bool: "false", int: "7"}.get(kind, '["*.md", "*.txt"]' if name == "exclude" else f'"{text}"')
    assert doc.endswith(".")
    assert getattr(load_settings({name: value}, environ, tmp_path).settings, name) == value
    from_variable = load_settings({}, environ | {f"RECOLLECT_{name.upper()}": text}, tmp_path)
    assert getattr(from_variable.settings, name) == value
    user_file.write_text(f"{name} = {toml}\n")
    assert getattr(load_settings({}, environ, tmp_path).settings, name) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("limit = ", "not valid TOML"),
        ("limit = 'ten'", "whole number"),
        ("limit = true", "whole number"),
        ("limit = 0", "at least 1"),
        ("limit = 5000", "at most 1000"),
        ("embedder = ''", "not empty"),
        ("exclude = '*.md'", "list of texts"),
        ("exclude = [1]", "list of texts"),
        ("auto_update = 1", "true or false"),
        ("db = 3", "a path"),
        ("[limit]\na = 1", "whole number"),
        ("\ufffd = 1", "not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_is_wrong(
    text: str, says: str, environ: dict[str, str], user_file: Path, tmp_path: Path
) -> None:
    user_file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_settings({}, environ, tmp_path)
    assert says in caught.value.message
    assert str(user_file) in caught.value.message
    assert caught.value.hint


def test_a_misspelt_setting_is_answered_with_the_right_name(
    environ: dict[str, str], user_file: Path, tmp_path: Path
) -> None:
    user_file.write_text("limmit = 3")
    with pytest.raises(ConfigError) as caught:
        load_settings({}, environ, tmp_path)
    assert caught.value.hint == 'Did you mean "limit"?'
    with pytest.raises(UnknownName, match="lmit"):
        load_settings({"lmit": 3}, {}, tmp_path)


def test_bytes_that_are_no_text_and_files_too_large_are_refused(
    environ: dict[str, str], user_file: Path, tmp_path: Path
) -> None:
    user_file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_settings({}, environ, tmp_path)
    user_file.write_bytes(b"#" * 1_000_001)
    with pytest.raises(ConfigError, match="larger than"):
        load_settings({}, environ, tmp_path)


@pytest.mark.parametrize(
    ("variable", "text", "says"),
    [
        ("RECOLLECT_LIMIT", "many", "whole number"),
        ("RECOLLECT_LIMIT", "-1", "at least 1"),
        ("RECOLLECT_AUTO_UPDATE", "perhaps", "true or false"),
        ("RECOLLECT_CONFIG", "/nowhere/recollect.toml", "not a file"),
        ("RECOLLECT_DB", "~nobody-of-that-name/x.db", "RECOLLECT_DB"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(
    variable: str, text: str, says: str, environ: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings({}, environ | {variable: text}, tmp_path)
    assert variable in caught.value.message
    assert says in caught.value.message
    assert caught.value.hint


def test_empty_variables_count_as_not_set_and_unknown_ones_are_mentioned(
    environ: dict[str, str], tmp_path: Path
) -> None:
    resolved = load_settings({}, environ | {"RECOLLECT_LIMIT": "", "RECOLLECT_LIMITS": "3"}, tmp_path)
    assert resolved.settings.limit == Settings().limit
    assert resolved.warnings == ('RECOLLECT_LIMITS is not a setting. Did you mean "RECOLLECT_LIMIT"?',)


def test_a_wrong_argument_is_the_callers_mistake(environ: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="at least 0"):
        load_settings({"workers": -1}, environ, tmp_path)
    with pytest.raises(InvalidRequest, match="a path"):
        load_settings({"db": "a\0b"}, environ, tmp_path)


def test_a_projects_own_file_may_set_only_what_does_no_harm(environ: dict[str, str], tmp_path: Path) -> None:
    project = tmp_path / "cloned" / "recollect.toml"
    inner = project.parent / "src" / "deep"
    inner.mkdir(parents=True)
    project.write_text(
        'limit = 3\nexclude = ["*.lock"]\ndb = "/tmp/stolen.db"\nembedder = "http://evil"\nfrom_later = 1\n'
    )
    resolved = load_settings({}, environ, inner)
    assert (resolved.settings.limit, resolved.settings.exclude) == (3, ("*.lock",))
    assert resolved.origins["limit"] == f"file {project}"
    assert resolved.settings.db == default_db()
    assert resolved.settings.embedder == "builtin"
    (warning,) = resolved.warnings
    assert "db, embedder, from_later ignored" in warning


def test_the_users_own_file_keeps_its_rights_when_one_stands_beside_it(
    environ: dict[str, str], user_file: Path
) -> None:
    user_file.write_text('embedder = "mine"')
    resolved = load_settings({}, environ, user_file.parent)
    assert resolved.settings.embedder == "mine"
    assert resolved.warnings == ()


def test_relative_paths_start_where_they_were_written(environ: dict[str, str], user_file: Path, tmp_path: Path) -> None:
    user_file.write_text('db = "mine.db"')
    assert load_settings({}, environ, tmp_path).settings.db == user_file.parent / "mine.db"
    assert load_settings({"db": "here.db"}, environ, tmp_path).settings.db == tmp_path / "here.db"


@pytest.mark.parametrize(
    ("environ", "allowed"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_are_left_out_when_the_user_asks(environ: dict[str, str], allowed: bool) -> None:
    assert colors_allowed(environ) is allowed


def test_every_config_error_is_one_of_ours() -> None:
    assert issubclass(ConfigError, RecollectError)
    assert ConfigError("x").exit_status == 1
