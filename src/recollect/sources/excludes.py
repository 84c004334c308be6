"""What is left out without being asked: version control, dependencies, build output, caches, lock files.

Two kinds of folders. Some names mean one thing everywhere (node_modules). Others are also good names for
source (build, target, vendor): they count only with evidence beside or inside them, and never for files
that git tracks. Tests and documentation are not excluded.

Not here: ignore files (ignores); what is binary by content (readers).
"""

# Plain strings: asked for every folder of a walk.
# ruff: noqa: PTH120, PTH208, SIM905

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.sources.globs import expand_braces

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS"})
"""Never indexed, whatever is asked: they hold credentials and other people's history."""

FOLDERS = frozenset(
    """
    node_modules bower_components jspm_packages .pnpm-store .yarn
    __pycache__ __pypackages__ .venv .tox .nox .mypy_cache .pytest_cache .ruff_cache .pytype .pyre .hypothesis
    .ipynb_checkpoints .eggs site-packages htmlcov
    .gradle .idea .vs .settings .metals .bloop .bsp .scala-build .cxx .externalNativeBuild
    .next .nuxt .svelte-kit .angular .astro .docusaurus .parcel-cache .turbo .nyc_output .vercel .netlify .expo
    .terraform .terragrunt-cache .serverless .aws-sam
    .dart_tool .pub-cache DerivedData Pods Carthage .swiftpm xcuserdata
    .stack-work dist-newstyle .cabal-sandbox elm-stuff .elixir_ls .zig-cache zig-cache .ccls-cache .clangd
    CMakeFiles .cache .sass-cache .bundle .vagrant .direnv .devenv .Rproj.user .Trash __MACOSX .Spotlight-V100
    """.split()
)
"""Folder names that mean dependencies, build output or a cache wherever they stand."""

FOLDER_SUFFIXES = (".egg-info", ".dist-info", ".xcodeproj", ".xcassets")

_PYTHON = ("setup.py", "setup.cfg", "pyproject.toml")
_JAVASCRIPT = ("package.json",)
_GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
_DOTNET = (".csproj", ".fsproj", ".vbproj", ".vcxproj")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What makes a folder of an ambiguous name build output: an entry `inside` it, or one `beside` it.

    `suffixes` are endings of names beside it. `also_inside`: the entry beside it is not enough alone.
    """

    inside: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    also_inside: bool = False

    def holds_for(self, folder: str) -> bool:
        """Look on disk at `folder` (absolute path)."""
        parent = os.path.dirname(folder)
        inside = any(os.path.lexists(f"{folder}/{name}") for name in self.inside)
        if inside and not self.also_inside:
            return True
        if self.inside and self.also_inside and not inside:
            return False
        if any(os.path.lexists(f"{parent}/{name}") for name in self.beside):
            return True
        return bool(self.suffixes) and _has_suffix(parent, self.suffixes)


def _has_suffix(folder: str, suffixes: tuple[str, ...]) -> bool:
    try:
        return any(name.endswith(suffixes) for name in os.listdir(folder))
    except OSError:
        return False  # the walk itself reports a folder that cannot be listed


_ENVIRONMENT = Evidence(inside=("pyvenv.cfg", "conda-meta"))
_CACHE_TAG = ("CACHEDIR.TAG",)

AMBIGUOUS: dict[str, Evidence] = {
    "venv": _ENVIRONMENT,
    "env": _ENVIRONMENT,
    ".env": _ENVIRONMENT,
    "virtualenv": _ENVIRONMENT,
    "target": Evidence(inside=_CACHE_TAG, beside=("Cargo.toml", "pom.xml", "build.sbt", "project.clj")),
    "build": Evidence(
        inside=(*_CACHE_TAG, "CMakeCache.txt", "build.ninja"),
        beside=(*_JAVASCRIPT, *_PYTHON, *_GRADLE, "CMakeLists.txt", "meson.build", "pubspec.yaml"),
    ),
    "dist": Evidence(inside=_CACHE_TAG, beside=(*_JAVASCRIPT, *_PYTHON, "angular.json")),
    "_build": Evidence(inside=_CACHE_TAG, beside=("mix.exs", "rebar.config", "dune-project", "conf.py")),
    "deps": Evidence(beside=("mix.exs",)),
    "vendor": Evidence(beside=("go.mod", "composer.lock")),
    "obj": Evidence(suffixes=_DOTNET),
    "bin": Evidence(suffixes=_DOTNET),
    ".build": Evidence(beside=("Package.swift",)),
    "zig-out": Evidence(beside=("build.zig",)),
    "cmake-build-debug": Evidence(beside=("CMakeLists.txt",)),
    "cmake-build-release": Evidence(beside=("CMakeLists.txt",)),
    "coverage": Evidence(inside=("lcov.info", "lcov-report", "coverage-final.json", "clover.xml")),
    "storybook-static": Evidence(beside=_JAVASCRIPT),
    "renv": Evidence(inside=("activate.R",), beside=("renv.lock",), also_inside=True),
    "packrat": Evidence(inside=("packrat.lock",)),
}
"""Folder names that are build output only with evidence."""

FILES = frozenset(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    Cargo.lock poetry.lock uv.lock pdm.lock Pipfile.lock pixi.lock conda-lock.yml
    go.sum go.work.sum composer.lock Gemfile.lock mix.lock rebar.lock pubspec.lock Podfile.lock Package.resolved
    Cartfile.resolved flake.lock gradle.lockfile packages.lock.json paket.lock project.assets.json renv.lock
    stack.yaml.lock cabal.project.freeze shard.lock .terraform.lock.hcl MODULE.bazel.lock
    .DS_Store Thumbs.db desktop.ini .pnp.cjs .pnp.loader.mjs
    """.split()
)
"""Files that a tool writes and nobody reads."""

FILE_SUFFIXES = (
    ".min.js", ".min.css", ".min.mjs", ".bundle.js", ".chunk.js", ".chunk.css", ".map", ".tsbuildinfo", ".swp", ".swo",
)  # fmt: skip

BINARY_EXTENSIONS = frozenset(
    """
    png jpg jpeg jpe jfif gif bmp ico icns tif tiff webp avif heic heif psd xcf ai eps cr2 nef dng jxl exr hdr tga dds
    mp3 mp4 m4a m4v wav flac ogg oga ogv opus aac wma wmv avi mov mkv webm mpg mpeg flv 3gp aif aiff mid midi
    zip gz tgz bz2 tbz2 xz txz zst 7z rar tar lz lz4 lzma br cab iso dmg img jar war ear aar apk ipa deb rpm whl egg
    crate nupkg gem flatpak appimage msi xpi vsix
    exe dll so dylib a lib o obj ko elf bin class dex pyc pyo pyd wasm beam rlib rmeta nib pdb ilk exp pch gch
    woff woff2 ttf otf eot ttc fon pfb pfm
    pdf doc docx xls xlsx xlsm xlsb ppt pptx odt ods odp odg epub mobi azw3 djvu pages numbers keynote rtfd vsd vsdx
    sqlite sqlite3 db db3 mdb accdb dbf rdb ldb sst frm ibd myd myi
    npy npz pkl pickle joblib h5 hdf5 hdf parquet feather arrow orc avro tfrecord pb onnx pt pth ckpt safetensors gguf
    ggml tflite mlmodel mat rds rda rdata sav dta sas7bdat fits grib mmdb msgpack bson
    blend fbx glb 3ds mb stl usdz dwg dxb skp unitypackage uasset umap pak
    p12 pfx jks keystore der crt cer gpg kdbx
    swf fla psb sketch fig xd rsrc gmo suo pcap pcapng dmp hprof jfr
    """.split()
)
"""Lower-case extensions of files that are not opened at all; shared ones (.mo, .res, .dat) are judged by content."""


def is_excluded_folder(name: str, path: str, tracked: bool, named: Named) -> bool:
    """Whether the folder `name` at the absolute `path` is left out by default.

    `tracked`: the question is asked for a file that git tracks, so an ambiguous name means source.
    """
    if name in VERSION_CONTROL:
        return True
    if name in named.segments:
        return False
    if name in FOLDERS or name.endswith(FOLDER_SUFFIXES):
        return True
    evidence = None if tracked else AMBIGUOUS.get(name)
    return evidence is not None and evidence.holds_for(path)


def is_excluded_file(name: str, named: Named) -> bool:
    """Whether a file of that name is left out by default."""
    if name in VERSION_CONTROL:  # the .git file of a submodule or a second work tree
        return True
    if name in FILES:
        return name not in named.segments
    lowered = name.lower()
    for suffix in FILE_SUFFIXES:
        if lowered.endswith(suffix):
            return not any(segment.endswith(suffix) for segment in named.segments)
    return False


def is_binary_name(name: str) -> bool:
    """Whether the extension says that the file is not text."""
    _, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in BINARY_EXTENSIONS


@dataclass(frozen=True, slots=True)
class Named:
    """What the user's include globs name outright, which brings it back: the names between their slashes.

    `node_modules/left-pad/**` names node_modules, `*.min.js` names minified scripts; `*.js` names neither.
    """

    segments: frozenset[str] = frozenset()


def named_by(include: Sequence[str]) -> Named:
    """The names that `include` globs spell out."""
    globs = [glob for pattern in include for glob in expand_braces(pattern)]
    return Named(frozenset(segment for glob in globs for segment in glob.split("/") if segment))
