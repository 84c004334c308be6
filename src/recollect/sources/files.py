"""List the files of a folder that are worth indexing, and say why others were left out.

Where the folder is in a git work tree and git is installed, git lists it; otherwise it is walked here. Both
give the same files, with three exceptions that only git can know: tracked files stay although an ignore
rule names them, the user's global excludes count, and so does case where the file system ignores it.

Links: a link to a file or folder inside the root is followed only when its target is not listed under its
own name, so that nothing is listed twice; links never lead out of the root or into what is left out.
Not here: opening files (readers), what is left out by default (excludes), ignore files (ignores).
"""

# Plain strings: building Path objects would double the time of a walk.
# ruff: noqa: PTH112, PTH116, PTH119, PTH120, PTH208

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import UnsupportedPath, nearest
from recollect.sources import excludes, gitfiles, ignores, reasons
from recollect.sources.globs import compile_globs
from recollect.sources.ignores import Ignores
from recollect.types import Skipped

DEFAULT_MAX_BYTES = 1_000_000
"""Larger files are data or generated; a person did not write them."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. `path` is relative to the root with "/", spelled as on disk; size and time are lstat's."""

    path: str
    absolute: Path
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Listing:
    """What a walk found, both sorted by path. What ignore rules and globs exclude is in neither."""

    files: tuple[File, ...]
    skipped: tuple[Skipped, ...]


def walk(
    root: Path,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_git: bool = True,
) -> Listing:
    """List the files below `root` that are worth indexing.

    `include` keeps only matching paths, `exclude` takes matching paths away (globs as in .gitignore). An
    include that spells out a name that is left out by default (`*.min.js`, `vendor/**`) brings it back; it
    does not bring back what ignore files exclude. Files over `max_bytes` are skipped. `use_git=False`
    never starts git.
    Raises UnsupportedPath when `root` is missing, a file, or cannot be read; InvalidRequest for a bad glob.
    """
    selected = _selection(include, exclude)
    folder = checked_root(root)
    work = _Walk(folder, selected, excludes.named_by(include), max_bytes, use_git)
    work.start()
    work.follow_links()
    files = sorted(work.files.values(), key=lambda file: file.path)
    return Listing(tuple(files), tuple(sorted(work.skipped.values(), key=lambda skipped: skipped.path)))


def checked_root(root: Path) -> str:
    """The real path of a folder that can be listed, or UnsupportedPath with the nearest name that exists."""
    path = ""
    try:
        path = os.path.realpath(root.expanduser())
        with os.scandir(path):
            return path
    except FileNotFoundError as error:
        raise UnsupportedPath(f"{root} does not exist.", hint=_sibling_hint(path)) from error
    except NotADirectoryError as error:
        parent, name = os.path.split(path)
        raise UnsupportedPath(
            f"{root} is a file, not a folder.", hint=f"Give its folder, {parent}, and --include {name!r} for it alone."
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        cause = error.strerror if isinstance(error, OSError) else str(error)
        raise UnsupportedPath(f"{root} cannot be read: {cause}.", hint="Check the path and its permissions.") from error


def _sibling_hint(path: str) -> str:
    """What exists nearby: a name like the first missing one, or the last folder that exists."""
    missing = path
    while not os.path.isdir(parent := os.path.dirname(missing)):
        missing = parent
    try:
        names = os.listdir(parent)
    except OSError:
        names = []
    return nearest(os.path.basename(missing), names) or f"The nearest folder that exists is {parent}."


def _selection(include: Sequence[str], exclude: Sequence[str]) -> Callable[[str], bool]:
    wanted, unwanted = compile_globs(include), compile_globs(exclude)
    return lambda path: (not include or wanted(path)) and not (exclude and unwanted(path))


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to list: `path` absolute, `name` relative to the root ("" or ending with "/").

    `brought_back`: it is here only because one of our own ignore files takes back what git's say.
    """

    path: str
    name: str
    ignores: Ignores
    brought_back: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    """What our own rules and the built-in excludes say about a folder that git listed files of."""

    ignores: Ignores
    keep: bool
    keep_tracked: bool


class _Walk:
    """One walk: what it has found so far. Paths are strings; `files`, `skipped` and `links` are by name."""

    def __init__(
        self, root: str, selected: Callable[[str], bool], named: excludes.Named, max_bytes: int, use_git: bool
    ) -> None:
        self.root = root
        self.selected = selected
        self.named = named
        self.max_bytes = max_bytes
        self.use_git = use_git
        self.files: dict[str, File] = {}
        self.skipped: dict[str, Skipped] = {}
        self.links: dict[str, Ignores] = {}
        self.folders: set[str] = set()
        self.only_brought_back = False

    def start(self) -> None:
        """List the root: through git where it is in a work tree, else on our own."""
        rules, ignored = self._rules_above()
        root = _Folder(self.root, "", rules)
        if ignored or not self.use_git or not self._list_with_git(root):
            self._list_alone(root)

    def _rules_above(self) -> tuple[Ignores, bool]:
        """The rules of the work tree above the root, and whether they ignore the root itself.

        Who names an ignored folder wants it indexed: then its own rules alone hold.
        """
        top = gitfiles.work_tree_top(Path(self.root))
        if top is None:
            return Ignores(), False
        rules = Ignores().at_repository(_info_exclude(top))
        folder = str(top)
        for name in Path(self.root).relative_to(top).parts:
            rules = rules.below(folder)
            folder = f"{folder.rstrip('/')}/{name}"
            own = rules.by_own(name, folder, True)
            if own or (own is None and rules.by_git(name, folder, True)):
                return Ignores(), True
        return rules, False

    # -- through git ---------------------------------------------------------------------------------

    def _list_with_git(self, top: _Folder) -> bool:
        """List `top`, in a work tree, through git. False when git cannot, or knows nothing in there."""
        listing = gitfiles.list_files(top.path)
        if listing is None or not listing.tracked:
            return False
        self._report_unreadable(top, listing)
        states = {"": _State(top.ignores.below(top.path), True, True)}
        brings_back = states[""].ignores.can_bring_back
        for name, tracked in listing.tracked.items():
            parent, _, last = name.rpartition("/")
            state = states.get(parent) or self._state(top, parent, states)
            brings_back = brings_back or state.ignores.can_bring_back
            path = f"{top.path}/{name}"
            if (state.keep_tracked if tracked else state.keep) and not state.ignores.by_own(last, path, False):
                self._add_listed(top.name + name, last, path, state.ignores)
        self.folders.update(f"{top.name}{name}".rstrip("/") for name, state in states.items() if state.keep)
        if brings_back:
            outer, self.only_brought_back = self.only_brought_back, True
            self._list_alone(top)
            self.only_brought_back = outer
        return True

    def _report_unreadable(self, top: _Folder, listing: gitfiles.GitListing) -> None:
        if not listing.unreadable:
            return
        work_tree = gitfiles.work_tree_top(Path(top.path))
        for name, cause in listing.unreadable:
            path = f"{work_tree}/{name}"
            if path.startswith(f"{self.root}/"):
                self._skip(path[len(self.root) + 1 :], reasons.UNREADABLE, cause)

    def _state(self, top: _Folder, name: str, states: dict[str, _State]) -> _State:
        """The state of the folder `name` (relative to `top`), made from that of its parent."""
        parent_name, _, last = name.rpartition("/")
        parent = states.get(parent_name) or self._state(top, parent_name, states)
        path = f"{top.path}/{name}"
        keep_tracked = parent.keep_tracked and not (
            parent.ignores.by_own(last, path, True) or excludes.is_excluded_folder(last, path, True, self.named)
        )
        keep = keep_tracked and parent.keep and not excludes.is_excluded_folder(last, path, False, self.named)
        states[name] = _State(parent.ignores.below(path) if keep_tracked else parent.ignores, keep, keep_tracked)
        return states[name]

    def _add_listed(self, name: str, last: str, path: str, rules: Ignores) -> None:
        """Add what git listed: a file, a link, or (a submodule, another repository) a folder to list."""
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return  # tracked, but deleted from the work tree
        except OSError as error:
            self._skip(name, reasons.UNREADABLE, error.strerror or "")
            return
        if not stat.S_ISDIR(status.st_mode):
            self._add(name, last, path, status, rules)
        elif not rules.by_own(last, path, True) and not excludes.is_excluded_folder(last, path, True, self.named):
            self._list_folder(_Folder(path, f"{name}/", rules))

    def _list_folder(self, folder: _Folder) -> None:
        """List a folder that may be a repository of its own."""
        if not gitfiles.is_repository(folder.path):
            self._list_alone(folder)
            return
        inner = _Folder(folder.path, folder.name, folder.ignores.at_repository(_info_exclude(Path(folder.path))))
        if not self.use_git or not self._list_with_git(inner):
            self._list_alone(inner)

    # -- on our own ----------------------------------------------------------------------------------

    def _list_alone(self, top: _Folder) -> None:
        """List `top` and everything below it that is not ignored, without recursion."""
        todo = [top]
        while todo:
            folder = todo.pop()
            if not self.only_brought_back:
                self.folders.add(folder.name.rstrip("/"))
            try:
                with os.scandir(folder.path) as scan:
                    entries = list(scan)
            except FileNotFoundError:
                continue  # deleted since its parent was listed
            except OSError as error:
                self._skip(folder.name.rstrip("/"), reasons.UNREADABLE, error.strerror or "")
                continue
            rules = folder.ignores.below(folder.path, frozenset(entry.name for entry in entries))
            for entry in entries:
                self._take(folder, rules, entry, todo)

    def _take(self, folder: _Folder, rules: Ignores, entry: os.DirEntry[str], todo: list[_Folder]) -> None:
        """Decide about one entry: add it, put it on the list of folders to do, or leave it out."""
        name, path = entry.name, f"{folder.path}/{entry.name}"
        is_folder = _is_folder(entry)
        own = rules.by_own(name, path, is_folder)
        if own:
            return
        by_git = rules.by_git(name, path, is_folder)
        if by_git and own is None:
            return
        brought_back = folder.brought_back or by_git
        if not is_folder:
            if brought_back or not self.only_brought_back:
                self._add_scanned(folder.name + name, entry, path, rules)
        elif not excludes.is_excluded_folder(name, path, False, self.named):
            below = _Folder(path, f"{folder.name}{name}/", rules, brought_back)
            if not os.path.lexists(f"{path}/.git") or not gitfiles.is_repository(path):
                todo.append(below)
            elif brought_back or not self.only_brought_back:
                self._list_folder(below)

    def _add_scanned(self, name: str, entry: os.DirEntry[str], path: str, rules: Ignores) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # deleted since its folder was listed
        except OSError as error:
            self._skip(name, reasons.UNREADABLE, error.strerror or "")
            return
        self._add(name, entry.name, path, status, rules)

    # -- what both found -----------------------------------------------------------------------------

    def _add(self, name: str, last: str, path: str, status: os.stat_result, rules: Ignores) -> None:
        """Add one entry that is not a folder, if it is wanted and can be read as text."""
        if excludes.is_excluded_file(last, self.named):
            return
        if not name.isascii() and not _is_utf8(name):
            self._skip(name, reasons.BAD_NAME)
        elif stat.S_ISLNK(status.st_mode):
            self.links[name] = rules
        elif not self.selected(name):
            return
        elif not stat.S_ISREG(status.st_mode):
            self._skip(name, reasons.SPECIAL_FILE)
        elif excludes.is_binary_name(last):
            self._skip(name, reasons.BINARY, "by its extension")
        elif status.st_size > self.max_bytes:
            self._skip(name, reasons.TOO_LARGE, f"{status.st_size:,} bytes, the limit is {self.max_bytes:,}")
        else:
            self.files[name] = File(name, Path(path), status.st_size, status.st_mtime_ns)

    def _skip(self, name: str, reason: str, detail: str = "") -> None:
        shown = name if _is_utf8(name) else os.fsencode(name).decode("utf-8", "backslashreplace")
        self.skipped[shown] = Skipped(shown, reason, detail)

    # -- links ---------------------------------------------------------------------------------------

    def follow_links(self) -> None:
        """Add the targets of links that are inside the root, and not listed under their own name.

        In order of name, so that of two links to one target always the same one is listed. Links found
        below a linked folder join the next round.
        """
        self.use_git = False  # git does not look behind links
        seen = {f"{self.root}/{name}" for name in self.files} if self.links else set()
        while self.links:
            links, self.links = self.links, {}
            for name in sorted(links):
                self._follow(name, links[name], seen)

    def _follow(self, name: str, rules: Ignores, seen: set[str]) -> None:
        """List the target of one link under the link's name, unless it is in `seen` (real paths)."""
        path = f"{self.root}/{name}"
        target = os.path.realpath(path)
        try:
            status = os.stat(path)
        except OSError as error:
            if self.selected(name):
                broken = reasons.UNREADABLE if isinstance(error, PermissionError) else reasons.BROKEN_LINK
                self._skip(name, broken, error.strerror or "")
            return
        if target != self.root and not target.startswith(f"{self.root.rstrip('/')}/"):
            if self.selected(name):
                self._skip(name, reasons.OUTSIDE_ROOT)
        elif target not in seen and not self._is_excluded(target):
            seen.add(target)
            if stat.S_ISDIR(status.st_mode):
                self._follow_folder(name, target, rules, seen)
            else:
                self._add(name, name.rpartition("/")[2], path, status, rules)

    def _follow_folder(self, name: str, target: str, rules: Ignores, seen: set[str]) -> None:
        """List a linked folder under the link's name, without the files that are in `seen`."""
        path = f"{self.root}/{name}"
        listed_already = target[len(self.root) + 1 :] in self.folders
        if listed_already or excludes.is_excluded_folder(name.rpartition("/")[2], path, False, self.named):
            return
        before = set(self.files)
        self._list_alone(_Folder(path, f"{name}/", rules))
        for added in sorted(self.files.keys() - before):
            real = os.path.realpath(self.files[added].absolute)
            if real in seen:
                del self.files[added]
            seen.add(real)

    def _is_excluded(self, target: str) -> bool:
        """Whether a folder or file on the way from the root to `target` is left out by default."""
        path = self.root
        *folders, last = target[len(self.root) + 1 :].split("/")
        for name in folders:
            path = f"{path}/{name}"
            if excludes.is_excluded_folder(name, path, False, self.named):
                return True
        if os.path.isdir(target):
            return bool(last) and excludes.is_excluded_folder(last, target, False, self.named)
        return excludes.is_excluded_file(last, self.named)


def _info_exclude(top: Path) -> ignores.IgnoreFile | None:
    folder = gitfiles.git_folder(top)
    return ignores.load(str(gitfiles.info_exclude(folder)), str(top)) if folder else None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False  # asking for its status again is what reports it


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
