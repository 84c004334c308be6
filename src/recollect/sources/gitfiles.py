"""Ask git which files of a work tree count, and find where a repository keeps its rules.

`git ls-files` is ten times faster than trying every pattern in Python, and it alone knows what is tracked
and what the user ignores everywhere. Nothing here reads history, and nothing a cloned repository
configures is run.
Not here: a collection made from a remote repository; what is left out besides (files).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

GIT_TIMEOUT_S = 120
"""After this long the folder is walked without git."""

# `git rev-parse --local-env-vars`: inside a hook these point git at another repository than the folder's.
_LOCAL_VARIABLES = frozenset(
    """
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_OBJECT_DIRECTORY GIT_DIR
    GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE
    GIT_PREFIX GIT_SHALLOW_FILE GIT_COMMON_DIR GIT_INTERNAL_SUPER_PREFIX GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS
    GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_TRACE
    """.split()  # noqa: SIM905 - as git prints it
)

# core.fsmonitor names a program that git starts: a cloned repository must not choose it.
_LIST = ("-c", "core.fsmonitor=false", "ls-files", "--cached", "--others", "--exclude-standard", "-t", "-z")
_CANNOT_OPEN = re.compile(r"^warning: could not open directory '(.*)/': (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GitListing:
    """What git says about a folder: paths relative to it, and the folders that could not be opened.

    `tracked` tells for each path whether git tracks it. A submodule or another repository is one path that
    is a folder on disk. `unreadable` pairs paths relative to the *top of the work tree* with the cause.
    """

    tracked: dict[str, bool]
    unreadable: tuple[tuple[str, str], ...]


def list_files(folder: str) -> GitListing | None:
    """Ask git for the tracked and the not ignored files below `folder`; None when git cannot say.

    Git cannot say where it is not installed, where the folder is in no work tree, or where it refuses to
    trust the repository's owner.
    """
    git = shutil.which("git")
    if git is None:
        return None
    environment = {name: value for name, value in os.environ.items() if name not in _LOCAL_VARIABLES}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(
            [git, *_LIST], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=GIT_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    tracked: dict[str, bool] = {}
    for entry in os.fsdecode(done.stdout).split("\0"):
        if entry:  # "H path" and other letters: in the index; "? path": not
            path = entry[2:].removesuffix("/")
            tracked[path] = tracked.get(path, False) or entry[0] != "?"
    unreadable = _CANNOT_OPEN.findall(os.fsdecode(done.stderr))
    return GitListing(tracked, tuple((path, cause) for path, cause in unreadable))


def is_repository(folder: str) -> bool:
    """Whether `folder` is the top of a git work tree, also that of a submodule or second work tree."""
    return git_folder(Path(folder)) is not None


def git_folder(top: Path) -> Path | None:
    """The folder in which git keeps its files for the work tree at `top`; None when there is none."""
    folder = top / ".git"
    try:
        if folder.is_file():
            line = folder.read_text(encoding="utf-8", errors="surrogateescape")
            if not line.startswith("gitdir:"):
                return None
            folder = top / line.removeprefix("gitdir:").strip()
        return folder if (folder / "HEAD").exists() else None
    except (OSError, ValueError):  # unreadable, or a path with a NUL
        return None


def info_exclude(folder: Path) -> Path:
    """The path of info/exclude for a git folder; second work trees share that of the first."""
    shared = folder / "commondir"
    if shared.is_file():
        folder /= shared.read_text(encoding="utf-8", errors="surrogateescape").strip()
    return folder / "info" / "exclude"


def work_tree_top(folder: Path) -> Path | None:
    """The nearest folder at or above `folder` that is the top of a git work tree."""
    return next((top for top in (folder, *folder.parents) if git_folder(top) is not None), None)
