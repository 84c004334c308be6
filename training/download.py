"""Fetch the packages that `sources.json` names, through pip, npm and apt, into one folder; nothing is installed.

Packages that cannot be had are named and left out. Debian sources need a `deb-src` line in the system's apt
settings. Not here: the git repositories, which are cloned by hand or by any mirror as OWNER+NAME/repo (README).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).parent


def _run(command: Sequence[str], folder: Path) -> bool:
    """Whether `command` succeeds in `folder`."""
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def python_packages(names: Iterable[str], folder: Path) -> None:
    """Unpack the wheel of each package, without its dependencies, into `folder`/name."""
    for name in names:
        target = folder / name
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:", "--target"]
        if not target.exists() and not _run([*pip, str(target), name], folder):
            print(f"not available: pip {name}")


def node_packages(names: Iterable[str], folder: Path) -> None:
    """Unpack the archive of each package into `folder`/x."""
    for name in names:
        if not _run(["npm", "pack", "--silent", name], folder):
            print(f"not available: npm {name}")
    for archive in sorted(folder.glob("*.tgz")):
        with tarfile.open(archive) as tar:
            tar.extractall(folder / "x" / archive.stem, filter="data")


def debian_packages(names: Iterable[str], folder: Path) -> None:
    """Unpack each package into `folder`/bin/name and, where there is a source package, its source into srcx/name."""
    for name in names:
        if _run(["apt-get", "download", name], folder):
            (folder / "bin" / name).mkdir(parents=True, exist_ok=True)
            for package in folder.glob(f"{name}_*.deb"):
                _run(["dpkg", "-x", str(package), f"bin/{name}"], folder)
        if name.endswith("-src") or not _run(["apt-get", "source", "--download-only", name], folder):
            continue
        target = folder / "srcx" / name
        target.mkdir(parents=True, exist_ok=True)
        for archive in folder.glob(f"{name}_*.orig.tar.*"):
            if archive.suffix != ".asc":
                _run(["tar", "xf", str(archive), "-C", str(target), "--strip-components=1"], folder)


def main() -> None:
    """Download everything into one folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--downloads", type=Path, required=True)
    arguments = parser.parse_args()
    known = json.loads((HERE / "sources.json").read_text("utf-8"))
    for kind, download in (("pip", python_packages), ("npm", node_packages), ("deb", debian_packages)):
        folder = arguments.downloads.resolve() / kind
        folder.mkdir(parents=True, exist_ok=True)
        download(known["debian" if kind == "deb" else kind], folder)


if __name__ == "__main__":
    main()
