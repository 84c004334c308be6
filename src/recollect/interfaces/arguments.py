"""The command line's arguments, derived from the operations table and the settings: words in, Invocation out.

Not here: running anything, drawing anything. Nothing heavy is imported, so that `--help` answers at once.
"""

from __future__ import annotations

import argparse
import dataclasses
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from annotated_doc import Doc

from recollect import config
from recollect.errors import InvalidRequest, UsageError, nearest
from recollect.operations import OPERATIONS, Operation
from recollect.requests import SearchRequest

FLAGS: dict[str, tuple[str, ...]] = {
    "collections": ("--collection", "-c"),
    "limit": ("--limit", "-n"),
    "explain": ("--explain", "--debug"),
}
"""Flags that are not just the field's name."""
WORDS = {"query"}
"""Positional texts that may be given as several words, unquoted."""
FORMATS = ("terminal", "json", "markdown", "paths")
REQUEST_SETTINGS = frozenset({"limit", "exclude"})
"""Settings without a global flag: the commands have their own argument of that name."""

_FIELD, _SETTING, _OPTION = "field_", "setting_", "option_"

SHORT_HELP = """\
recollect finds the right lines in code and documents, offline.

  recollect query where is the retry delay computed
                             index the project you are in, and answer
  recollect index PATH       index another folder
  recollect collections      what is indexed
  recollect get PATH:10-20   read lines back
  recollect --help           every command; recollect query --help for one
"""

EVAL_SUMMARY = "Measure search quality over a dataset folder."
CONFIG_SUMMARY = "Show each setting with its value and origin."


@dataclass(frozen=True, slots=True)
class Invocation:
    """What one command line asks for.

    `values` are the fields of the request that were given, `settings` the settings that were, `options`
    what only this door knows (format, full, quiet, verbose, and those of `config` and `eval`).
    `command` is empty when no command was named.
    """

    command: str
    values: Mapping[str, object] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def format(self) -> str:
        """The format of the answer, one of FORMATS."""
        return str(self.options.get("format", "terminal"))


def parse(words: Sequence[str]) -> Invocation:
    """Parse a command line (without the program's name).

    Raises UsageError and InvalidRequest for what cannot be understood; `--help` prints and raises SystemExit.
    """
    parser = build_parser(_commands_in(words))
    namespace, rest = parser.parse_known_args(list(words))
    given = vars(namespace)
    command = given.pop("command", None) or ""
    values = {name.removeprefix(_FIELD): value for name, value in given.items() if name.startswith(_FIELD)}
    values = _with_words(command, values, rest)
    return Invocation(
        command=command,
        values={name: _plain(command, name, value) for name, value in values.items()},
        settings={name.removeprefix(_SETTING): v for name, v in given.items() if name.startswith(_SETTING)},
        options={name.removeprefix(_OPTION): v for name, v in given.items() if name.startswith(_OPTION)},
    )


def wants_json(words: Sequence[str]) -> bool:
    """Whether the command line asks for JSON, even where it cannot be parsed: errors follow the same wish."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return "--json" in words or any(w == "--format=json" or (w == "--format" and after == "json") for w, after in pairs)


def build_parser(filled: Collection[str] | None = None) -> argparse.ArgumentParser:
    """Build the parser; only the commands in `filled` get their arguments (None: all do), which saves milliseconds."""
    parser = _Parser(
        prog="recollect", description="A local-first context engine: index code and documents, ask, offline."
    )
    _add_globals(parser)
    parser.add_argument("--version", action="store_true", dest=f"{_OPTION}version", help="Print the version.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=_Parser)
    for name, operation in OPERATIONS.items():
        sub = commands.add_parser(name, help=operation.summary, description=_first_line(operation))
        if filled is None or name in filled:
            _add_operation(sub, operation)
    for name, summary, add in (("config", CONFIG_SUMMARY, _add_config), ("eval", EVAL_SUMMARY, _add_eval)):
        sub = commands.add_parser(name, help=summary, description=summary)
        if filled is None or name in filled:
            add(sub)
    return parser


def flags_of(operation: Operation) -> dict[str, tuple[str, ...]]:
    """Return, for each field of the operation's request, its flags; () for a positional one."""
    return {
        f.name: () if f.name in operation.positional else FLAGS.get(f.name, (_flag(f.name),))
        for f in dataclasses.fields(operation.request)
    }


class _Parser(argparse.ArgumentParser):
    """argparse, but errors are ours: one line, a hint with the nearest right word, and no exit from here."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False, argument_default=argparse.SUPPRESS)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", hint=f"Try: {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = list(action.choices or ())
        if choices and value not in choices:
            known = ", ".join(map(str, choices))
            what = (
                "command" if isinstance(action, argparse._SubParsersAction) else f"value of {action.option_strings[0]}"
            )
            raise UsageError(f"{value!r} is no {what}.", hint=nearest(str(value), choices) or f"Known: {known}.")


def _commands_in(words: Sequence[str]) -> frozenset[str]:
    """Every word that could name the command; one too many (`--db query`) only costs a millisecond."""
    return frozenset(words) & {*OPERATIONS, "config", "eval"}


def _with_words(command: str, values: dict[str, Any], rest: Sequence[str]) -> dict[str, Any]:
    """Take words that argparse left over (after a flag in the middle of a query) into the query."""
    flags = [word for word in rest if word.startswith("-") and len(word) > 1]
    if flags:
        known = _known_flags(command)
        message = f"Unknown option {flags[0].split('=')[0]}."
        fallback = "A query that starts with a dash goes in quotes, or after --." if command in SEARCHES else ""
        hint = nearest(flags[0].split("=")[0], known) or fallback or f"Try: recollect {command} --help".rstrip()
        raise UsageError(message, hint=hint)
    takes = [name for name in values if name in WORDS and isinstance(values[name], list)]
    if rest and not takes:
        raise UsageError(f"Unexpected word {rest[0]!r}.", hint=f"Try: recollect {command} --help")
    return {**values, **{name: [*values[name], *rest] for name in takes}}


SEARCHES = frozenset(name for name, operation in OPERATIONS.items() if operation.request is SearchRequest)
"""Commands that answer with hits."""


def _known_flags(command: str) -> list[str]:
    parser = build_parser({command})
    sub = _subparser(parser, command)
    return [flag for p in (parser, sub) if p for action in p._actions for flag in action.option_strings]


def _subparser(parser: argparse.ArgumentParser, command: str) -> argparse.ArgumentParser | None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return typing.cast("dict[str, argparse.ArgumentParser]", action.choices).get(command)
    return None


def _plain(command: str, name: str, value: object) -> object:
    """The parsed value as the request wants it: lists become tuples, words one text without NULs and broken bytes."""
    if name in WORDS and isinstance(value, list):
        value = " ".join(value)
    if isinstance(value, list):
        return tuple(_text(v) for v in value)
    return _text(value) if isinstance(value, str) and name in WORDS else value


def _text(value: Any) -> Any:
    """Text without NUL and without the surrogates that stand for undecodable bytes of an argument."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", " ").encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _add_operation(parser: argparse.ArgumentParser, operation: Operation) -> None:
    flags = flags_of(operation)
    hints = typing.get_type_hints(operation.request, include_extras=True)
    group = parser.add_argument_group("arguments of the request") if any(flags.values()) else parser
    for f in dataclasses.fields(operation.request):
        hint = hints[f.name]
        if flags[f.name]:
            _add_flag(group, f"{_FIELD}{f.name}", flags[f.name], hint, f.default)
        else:
            _add_positional(parser, f.name, hint)
    output = parser.add_argument_group("output")
    _add_format(output, FORMATS if operation.name in SEARCHES or operation.name == "get" else FORMATS[:2])
    if operation.name in SEARCHES:
        output.add_argument(
            "--full", action="store_true", dest=f"{_OPTION}full", help="Whole chunks, not the best lines."
        )
    _add_globals(parser)


def _add_positional(parser: argparse.ArgumentParser, name: str, hint: Any) -> None:
    metavar = {"names": "NAME"}.get(name, name.upper())
    many = typing.get_origin(_base(hint)) is tuple
    nargs = "*" if many else "+" if name in WORDS else None
    if nargs is None:
        parser.add_argument(f"{_FIELD}{name}", metavar=metavar, help=_doc(hint))
    else:
        parser.add_argument(f"{_FIELD}{name}", metavar=metavar, nargs=nargs, help=_doc(hint))


def _add_flag(parser: Any, dest: str, flags: tuple[str, ...], hint: Any, default: object) -> None:
    base, help_text = _base(hint), _doc(hint).replace("%", "%%")
    if base is bool:
        # argparse writes the --no- form for every long flag.
        parser.add_argument(*flags, dest=dest, action=argparse.BooleanOptionalAction, help=help_text)
        return
    name = flags[0].removeprefix("--")
    if typing.get_origin(base) is tuple:
        metavar = "GLOB" if "glob" in help_text else "NAME"
        parser.add_argument(*flags, dest=dest, action="append", metavar=metavar, help=f"{help_text} Repeatable.")
        return
    suffix = "" if default in (None, dataclasses.MISSING) else f" Default: {default}."
    convert = _converter(name, base)
    parser.add_argument(*flags, dest=dest, type=convert, metavar=_METAVARS[base], help=f"{help_text}{suffix}")


def _add_format(parser: Any, formats: tuple[str, ...]) -> None:
    dest = f"{_OPTION}format"
    parser.add_argument("--format", choices=formats, dest=dest, metavar="FORMAT", help=f"One of {', '.join(formats)}.")
    parser.add_argument("--json", action="store_const", const="json", dest=dest, help="Short for --format json.")


def _add_globals(parser: argparse.ArgumentParser) -> None:
    """Add what every command takes, before or after its name."""
    group = parser.add_argument_group("settings and messages")
    for name, (kind, doc) in config.describe().items():
        if name in REQUEST_SETTINGS:
            continue
        if kind is bool:
            group.add_argument(_flag(name), dest=f"{_SETTING}{name}", action=argparse.BooleanOptionalAction, help=doc)
        else:
            convert = _converter(name.replace("_", "-"), kind)
            group.add_argument(
                _flag(name),
                dest=f"{_SETTING}{name}",
                type=convert,
                metavar=_METAVARS[kind],
                help=doc.replace("%", "%%"),
            )
    group.add_argument(
        "--quiet", "-q", action="store_true", dest=f"{_OPTION}quiet", help="Nothing but answers and errors."
    )
    group.add_argument(
        "--verbose",
        "-v",
        action="store_true",
        dest=f"{_OPTION}verbose",
        help="Say more: every skipped file, the log, tracebacks.",
    )


def _add_config(parser: argparse.ArgumentParser) -> None:
    _add_format(parser, FORMATS[:2])
    _add_globals(parser)


def _add_eval(parser: argparse.ArgumentParser) -> None:
    def add(flag: str, help_text: str, **options: Any) -> None:
        parser.add_argument(flag, dest=f"{_OPTION}{flag.removeprefix('--')}", help=help_text, **options)

    parser.add_argument(f"{_OPTION}dataset", metavar="DATASET", help="A dataset folder: repository search or passages.")
    modes = sorted(SEARCHES)
    add("--mode", f"What to measure: {', '.join(modes)}. Repeatable.", action="append", choices=modes, metavar="MODE")
    add("--repos", "Where the repositories' trees lie (repository search).", metavar="DIR")
    add("--only", "Only the repository or set of that name. Repeatable.", action="append", metavar="NAME")
    add("--write", "Write the result as a dated JSON file into this folder.", metavar="DIR")
    add("--compare", "Print the differences from an earlier result, with a significance test.", metavar="OLD.json")
    _add_format(parser, FORMATS[:2])
    _add_globals(parser)


_METAVARS: dict[Any, str] = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


def _converter(name: str, base: Any) -> Callable[[str], Any]:
    """A converter for argparse whose error says which argument wanted what."""
    if base is int or base is float:
        kind = "a whole number" if base is int else "a number"

        def convert(text: str) -> Any:
            try:
                return base(text)
            except ValueError as error:
                raise InvalidRequest(
                    f"{name} must be {kind}, not {text!r}.", hint=f"For example: --{name} 5"
                ) from error

        return convert
    return typing.cast(Callable[[str], Any], base)


def _base(hint: Any) -> Any:
    """The type inside Annotated, without `| None`."""
    inner = typing.get_args(hint)[0]
    arms = [arm for arm in typing.get_args(inner) if arm is not type(None)]
    return arms[0] if type(None) in typing.get_args(inner) else inner


def _doc(hint: Any) -> str:
    return next(part.documentation for part in typing.get_args(hint) if isinstance(part, Doc))


def _first_line(operation: Operation) -> str:
    lines: Iterable[str] = (operation.request.__doc__ or operation.summary).splitlines()
    return operation.summary if operation.name in SEARCHES else next(iter(lines))


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
