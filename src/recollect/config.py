"""Settings: read once from file, environment and arguments, then frozen. Nobody else reads the environment.

Strength, weakest first: default, the user's `recollect.toml`, a project's own `recollect.toml` (only its
harmless keys), `RECOLLECT_<NAME>` variables, arguments. Not here: what a single request asks (`requests`).
"""

from __future__ import annotations

import dataclasses
import functools
import os
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from annotated_doc import Doc
from annotated_types import Ge, Le, MinLen

from recollect.errors import ConfigError, InvalidRequest, RecollectError, UnknownName, nearest

FILE_NAME = "recollect.toml"
PREFIX = "RECOLLECT_"
PROJECT_KEYS = frozenset({"exclude", "limit", "max_file_bytes"})
"""What a project's own file may set. A cloned repository must not choose where data lies or which model reads it."""
MAX_CONFIG_BYTES = 1_000_000
"""A settings file is a page of text; reading a larger one would only serve whoever planted it."""


def default_db() -> Path:
    """Return the database in the user's data folder. platformdirs is imported here only (25 ms)."""
    import platformdirs

    return Path(platformdirs.user_data_dir("recollect", appauthor=False)) / "recollect.db"


@dataclass(frozen=True, slots=True)
class Settings:
    """How this process works: where data lies, which embedder, how much of the machine. Sizes in bytes, times in ms."""

    db: Annotated[Path, Doc("The database file; default: recollect.db in the user's data folder.")] = field(
        default_factory=default_db
    )
    embedder: Annotated[str, Doc("What makes vectors; `builtin` needs no network and no download."), MinLen(1)] = (
        "builtin"
    )
    max_file_bytes: Annotated[int, Doc("Larger files are skipped, and counted as such."), Ge(1), Le(1 << 30)] = (
        1_000_000
    )
    workers: Annotated[int, Doc("Processes that index at once; 0 for as many as there are cores."), Ge(0), Le(256)] = 0
    busy_timeout_ms: Annotated[
        int, Doc("How long to wait for another process that is writing, in ms."), Ge(0), Le(3_600_000)
    ] = 30_000
    limit: Annotated[int, Doc("How many hits a search returns when it does not say."), Ge(1), Le(1000)] = 10
    exclude: Annotated[tuple[str, ...], Doc("Globs of files that are never indexed.")] = ()
    auto_update: Annotated[bool, Doc("Look for changed files before a search in the working folder's project.")] = True


@dataclass(frozen=True, slots=True)
class Resolved:
    """Settings, the origin of each ("default", "file PATH", "environment NAME", "argument"), and warnings to show."""

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Layer:
    """The values one origin gives, still unchecked. `base` is what its relative paths start from."""

    values: Mapping[str, object]
    origin: Callable[[str], str]
    base: Path
    error: type[RecollectError] = ConfigError


def load_settings(
    arguments: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Resolved:
    """Resolve every setting from the default, the files, the environment and `arguments`.

    An argument of None counts as not given. `environ` and `cwd` default to the process's own.

    Raises ConfigError for a file or variable that cannot be used, UnknownName and InvalidRequest for
    arguments that cannot.
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd
    warnings: list[str] = []
    values: dict[str, object] = {}
    origins = dict.fromkeys(_hints(), "default")
    for layer in _layers(arguments or {}, environ, cwd, warnings):
        for name, value in layer.values.items():
            origins[name] = layer.origin(name)
            values[name] = _checked(name, value, layer)
    return Resolved(Settings(**typing.cast(Any, values)), MappingProxyType(origins), tuple(warnings))


def describe() -> Mapping[str, tuple[Any, str]]:
    """Return, for each setting, its type and its description: what interfaces derive their arguments from."""
    return {name: (typing.get_args(hint)[0], _doc(hint)) for name, hint in _hints().items()}


def colors_allowed(environ: Mapping[str, str] | None = None) -> bool:
    """Whether colours may be drawn: not with NO_COLOR set (no-color.org) or a terminal that calls itself dumb."""
    environ = os.environ if environ is None else environ
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def limit_numpy_threads() -> None:
    """Keep numpy's OpenBLAS to one thread, unless the user chose: starting its pool doubles the import of numpy.

    To be called before numpy is imported; the scans Recollect makes are bound by memory, not by cores.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _layers(
    arguments: Mapping[str, object], environ: Mapping[str, str], cwd: Path, warnings: list[str]
) -> Iterator[_Layer]:
    user = _user_file(environ)
    if user is not None:
        values = _known_keys(_read(user), user)
        yield _Layer(values, lambda _: f"file {user}", user.parent)
    project = _project_file(cwd)
    if project is not None and (user is None or project.resolve() != user.resolve()):
        values = _harmless_keys(_read(project), project, warnings)
        yield _Layer(values, lambda _: f"file {project}", project.parent)
    variables = _variables(environ, warnings)
    yield _Layer(variables, lambda name: f"environment {_variable(name)}", cwd)
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given:
        if name not in _hints():
            raise UnknownName(f"There is no setting {name!r}.", hint=_known_settings(name))
    yield _Layer(given, lambda _: "argument", cwd, InvalidRequest)


def _user_file(environ: Mapping[str, str]) -> Path | None:
    named = environ.get(f"{PREFIX}CONFIG")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise ConfigError(
                f"{PREFIX}CONFIG names {path}, which is not a file.",
                hint="Create it, or unset the variable.",
            )
        return path
    import platformdirs

    path = Path(platformdirs.user_config_dir("recollect", appauthor=False)) / FILE_NAME
    return path if path.is_file() else None


def _project_file(cwd: Path) -> Path | None:
    return next((path for folder in (cwd, *cwd.parents) if (path := folder / FILE_NAME).is_file()), None)


def _read(path: Path) -> dict[str, object]:
    import tomllib

    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror or error}.", hint="Check the file's permissions."
        ) from error
    if len(data) > MAX_CONFIG_BYTES:
        raise ConfigError(
            f"{path} is larger than {MAX_CONFIG_BYTES:,} bytes.", hint="A settings file holds a few lines."
        )
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} is not valid TOML: {error}.", hint="Correct that line, or move the file away."
        ) from error


def _known_keys(table: dict[str, object], path: Path) -> dict[str, object]:
    for name in table:
        if name not in _hints():
            raise ConfigError(f"{path}: there is no setting {name!r}.", hint=_known_settings(name))
    return table


def _harmless_keys(table: dict[str, object], path: Path, warnings: list[str]) -> dict[str, object]:
    ignored = sorted(set(table) - PROJECT_KEYS)
    if ignored:
        warnings.append(
            f"{path}: {', '.join(ignored)} ignored; a project's file may only set {', '.join(sorted(PROJECT_KEYS))}."
        )
    return {name: value for name, value in table.items() if name in PROJECT_KEYS}


def _variables(environ: Mapping[str, str], warnings: list[str]) -> dict[str, object]:
    known = {_variable(name): name for name in _hints()}
    warnings.extend(
        f"{variable} is not a setting. {nearest(variable, known)}".rstrip()
        for variable in environ
        if variable.startswith(PREFIX) and variable not in known and variable != f"{PREFIX}CONFIG"
    )
    return {
        name: _from_text(name, environ[variable], variable)
        for variable, name in known.items()
        if environ.get(variable)  # an empty variable counts as not set, as everywhere in a shell
    }


def _from_text(name: str, text: str, variable: str) -> object:
    kind = describe()[name][0]
    if kind is bool:
        words = {
            "1": True,
            "true": True,
            "yes": True,
            "on": True,
            "0": False,
            "false": False,
            "no": False,
            "off": False,
        }
        if text.strip().lower() not in words:
            raise ConfigError(f"{variable} is {text!r}, but must be true or false.", hint="Write 1 or 0.")
        return words[text.strip().lower()]
    if kind is int:
        try:
            return int(text.replace("_", ""))
        except ValueError as error:
            raise ConfigError(
                f"{variable} is {text!r}, but must be a whole number.", hint=f"For example {variable}=10."
            ) from error
    if typing.get_origin(kind) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _checked(name: str, value: Any, layer: _Layer) -> object:
    """Bring `value` to the setting's type and hold it to its bounds; errors name the origin."""
    hint = _hints()[name]
    value = _typed(name, value, layer)
    for bound in typing.get_args(hint)[1:]:
        broken = (
            (isinstance(bound, Ge) and value < bound.ge and f"at least {bound.ge}")
            or (isinstance(bound, Le) and value > bound.le and f"at most {bound.le}")
            or (isinstance(bound, MinLen) and not value and "not empty")
        )
        if broken:
            raise layer.error(
                f"{name} is {value!r} ({layer.origin(name)}), but must be {broken}.", hint=f"Change {name}."
            )
    return value


def _typed(name: str, value: object, layer: _Layer) -> Any:
    kind = typing.get_args(_hints()[name])[0]
    if kind is Path and isinstance(value, str | Path) and str(value) and "\0" not in str(value):
        try:
            return layer.base / Path(value).expanduser()
        except RuntimeError as error:
            raise layer.error(f"{name} is {value} ({layer.origin(name)}): {error}", hint=f"Change {name}.") from error
    if kind is bool and isinstance(value, bool):
        return value
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind is str and isinstance(value, str):
        return value
    if typing.get_origin(kind) is tuple and isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
        return tuple(value)
    raise layer.error(
        f"{name} is {value!r} ({layer.origin(name)}), but must be {_KIND_NAMES[typing.get_origin(kind) or kind]}.",
        hint=f"Change {name}.",
    )


_KIND_NAMES: dict[Any, str] = {
    Path: "a path",
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    tuple: "a list of texts",
}


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _known_settings(name: str) -> str:
    return nearest(name, _hints()) or f"Settings: {', '.join(_hints())}."


def _doc(hint: Any) -> str:
    return next(part.documentation for part in typing.get_args(hint) if isinstance(part, Doc))


@functools.cache
def _hints() -> dict[str, Any]:
    declared = typing.get_type_hints(Settings, include_extras=True)
    return {f.name: declared[f.name] for f in dataclasses.fields(Settings)}
