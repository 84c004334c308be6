"""Name the language of a file: by its name, its extension, then its first lines.

The ids are those of `chunking` where it has a grammar, and common names elsewhere. Not here: what the ids
mean for chunking or ranking; whether a file is text at all (readers).
"""

from __future__ import annotations

import re

DEFAULT = "text"
"""What unknown text is."""


def _table(rows: str) -> dict[str, str]:
    """Turn lines of "language: key key" into {key: language}."""
    pairs = (row.split(":", 1) for row in rows.strip().splitlines())
    return {key: language.strip() for language, keys in pairs for key in keys.split()}


_EXTENSIONS = _table("""
ada: adb ads
apex: apex trigger
asciidoc: adoc asciidoc
assembly: s asm nasm
astro: astro
awk: awk
bash: sh bash zsh ksh bats ebuild command
batch: bat cmd
bibtex: bib
c: c h
clojure: clj cljs cljc edn bb
cmake: cmake
coffeescript: coffee
cpp: cc cpp cxx c++ hh hpp hxx h++ ipp inl ino tcc tpp cu cuh cppm ixx
crystal: cr
csharp: cs csx cake
css: css
csv: csv tsv
cuda: cuda
cypher: cypher cql
cython: pyx pxd pxi
d: d di
dart: dart
diff: diff patch
dockerfile: dockerfile containerfile
elisp: el
elixir: ex exs
elm: elm
erlang: erl hrl escript
fish: fish
fortran: f f77 f90 f95 f03 f08 for
fsharp: fs fsi fsx
gdscript: gd
gherkin: feature
gleam: gleam
glsl: glsl vert frag geom comp tesc tese wgsl hlsl metal
go: go
graphql: graphql gql graphqls
groovy: groovy gradle gvy jenkinsfile
haskell: hs lhs hsc
haxe: hx
hcl: tf tfvars hcl nomad
html: html htm xhtml hbs handlebars mustache ejs jsp cshtml twig liquid njk
ini: ini cfg conf cnf properties prefs editorconfig gitconfig gitmodules npmrc env desktop service socket timer
java: java
javascript: js mjs cjs jsx es6 gs
json: json jsonc json5 geojson topojson webmanifest har avsc ipynb sarif arb importmap code-workspace
jsonl: jsonl ndjson
julia: jl
just: just
kotlin: kt kts
latex: tex sty cls ltx
less: less
lisp: lisp lsp asd
lua: lua rockspec luau
makefile: mk mak make
markdown: md markdown mdx mdown mkd mkdn mdc qmd rmd
matlab: matlab
nim: nim nims nimble
nix: nix
objc: m mm
ocaml: ml mli mll mly
odin: odin
org: org
pascal: pas dpr lpr
perl: pl pm t pod perl
php: php phtml php3 php4 php5 php7 phps
powershell: ps1 psm1 psd1
prisma: prisma
prolog: pro prolog
properties: strings
proto: proto
purescript: purs
python: py pyi pyw py3 gyp gypi sage smk
r: r rprofile
racket: rkt
raku: raku rakumod p6
reason: re rei
rescript: res resi
rst: rst rest
ruby: rb rake gemspec ru rbi jbuilder podspec thor
rust: rs
sass: sass
scala: scala sc sbt mill
scheme: scm ss sld
scss: scss
smali: smali
solidity: sol
sql: sql ddl dml pgsql psql plsql plpgsql mysql hql pks pkb
starlark: bzl bazel star
svelte: svelte
swift: swift swiftinterface
tcl: tcl tk
template: j2 jinja jinja2 tmpl tpl gotmpl erb eex heex leex haml slim pug jade
text: txt text log
thrift: thrift
toml: toml
tsx: tsx
typescript: ts mts cts
vala: vala vapi
vb: vb vbs bas frx
verilog: v vh sv svh
vhdl: vhd vhdl
vim: vim vimrc
vue: vue
xml: xml xsd xsl xslt wsdl svg plist csproj fsproj vbproj vcxproj props targets nuspec xaml axml storyboard xib
xml: rss atom resx kml gpx dtd rng iml xhtml5 xlf xliff qrc ui tmx
yaml: yaml yml clang-format clang-tidy cff sublime-syntax
zig: zig zon
""")

# Case matters for these alone: .C and .H are C++ from before extensions grew longer, `build` may be a script.
_CASED_EXTENSIONS = {"C": "cpp", "H": "cpp"}
_CASED_NAMES = {"BUILD": "starlark", "WORKSPACE": "starlark"}

_NAMES = _table("""
awk: .awkrc
bash: .bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile pkgbuild apkbuild configure
clojure: .lein-env
cmake: cmakelists.txt
dockerfile: dockerfile containerfile
elisp: .emacs
gomod: go.mod go.work
groovy: jenkinsfile
haskell: .ghci
ini: .env .editorconfig .gitconfig .gitmodules .npmrc .flake8 .pylintrc .coveragerc .hgrc .pypirc .condarc
json: .babelrc .eslintrc .prettierrc .stylelintrc .jshintrc .swcrc .watchmanconfig .luarc composer.lock flake.lock
just: justfile .justfile
makefile: makefile gnumakefile bsdmakefile kbuild
markdown: .cursorrules .windsurfrules .clinerules
perl: cpanfile makefile.pl
python: sconstruct sconscript wscript snakefile .pythonrc .pystartup
r: .rprofile
ruby: rakefile gemfile podfile
ruby: vagrantfile brewfile guardfile capfile fastfile appfile dangerfile berksfile .irbrc .pryrc
starlark: tiltfile buck
swift: package.swift
toml: cargo.lock poetry.lock uv.lock pdm.lock pipfile .taplo
vim: .vimrc .gvimrc _vimrc
yaml: .clang-format .clang-tidy .yamllint .yarnrc.yml .travis.yml .gemrc
""")

_NAME_PREFIXES = {"dockerfile.": "dockerfile", "containerfile.": "dockerfile", "makefile.": "makefile", ".env.": "ini"}
_NAME_PREFIXES |= {"jenkinsfile.": "groovy", "readme.": "text", "license.": "text", "gemfile.": "ruby"}

_INTERPRETERS = _table("""
awk: awk gawk mawk
bash: sh bash zsh dash ksh ash
clojure: bb clojure
crystal: crystal
elixir: elixir iex
erlang: escript
fish: fish
groovy: groovy
haskell: runhaskell runghc stack
javascript: node nodejs qjs
julia: julia
kotlin: kotlin kotlinc
lisp: sbcl clisp
lua: lua luajit texlua
makefile: make gmake
nix: nix-shell
ocaml: ocaml
perl: perl
php: php
powershell: pwsh powershell
python: python pypy uv
r: rscript r littler
racket: racket
ruby: ruby jruby rake macruby
scala: scala amm
scheme: guile
sql: sqlite3 psql
swift: swift
tcl: tclsh wish expect
typescript: deno bun ts-node tsx
""")

_WRAPPERS = frozenset(
    {
        "j2",
        "jinja",
        "jinja2",
        "tmpl",
        "tpl",
        "gotmpl",
        "erb",
        "in",
        "template",
        "example",
        "sample",
        "dist",
        "default",
        "bak",
        "orig",
        "old",
    }
)
"""Endings put behind another extension: the inner one says more ("nginx.conf.j2")."""

_SHEBANG = re.compile(r"#!\s*(\S+)(?:\s+(.*))?")
_MODELINE = re.compile(r"-\*-\s*(?:.*?\bmode:\s*)?([\w+#]+)\s*(?:;.*?)?-\*-|\bvim?:.*?\b(?:ft|filetype|syntax)=(\w+)")
_MODES = {"c++": "cpp", "cperl": "perl", "js": "javascript", "js2": "javascript", "sh": "bash", "shell-script": "bash"}
_MODES |= {"emacs-lisp": "elisp", "csharp": "csharp", "c#": "csharp", "conf": "ini", "make": "makefile", "cs": "csharp"}

_STARTS = (
    (re.compile(r"<\?php|<\?="), "php"),
    (re.compile(r"<\?xml|<!DOCTYPE\s+(?!html)", re.IGNORECASE), "xml"),
    (re.compile(r"<!DOCTYPE\s+html|<html\b", re.IGNORECASE), "html"),
    (re.compile(r"#compdef\b|#autoload\b"), "bash"),
    (re.compile(r"%YAML\b|---\s*$", re.MULTILINE), "yaml"),
    (re.compile(r"diff --git |--- a/"), "diff"),
    (re.compile(r"\\documentclass\b"), "latex"),
)

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_CPP = re.compile(
    r"^[ \t]*(?:class|namespace|template|using)\b\s*[\w<{:]|\w::|\b(?:public|private|protected)\s*:"
    r"|\b(?:constexpr|nullptr|noexcept|typename|static_cast|dynamic_cast|virtual)\b"
    r"|^[ \t]*#[ \t]*include\s*<[a-z_]+>",
    re.MULTILINE,
)
_OBJC = re.compile(r"^[ \t]*(?:@(?:interface|implementation|protocol|class|import|property)\b|#import\b)", re.MULTILINE)
_MATLAB = re.compile(r"^[ \t]*(?:%|function\b|classdef\b|end\s*$)", re.MULTILINE)
_PROLOG = re.compile(r"^[ \t]*(?::-|\w+\(.*\)\s*:-)", re.MULTILINE)

PROSE = frozenset({"asciidoc", "latex", "markdown", "org", "rst", "text"})
"""Languages for people: long lines are paragraphs, sections are what can be found."""

_DATA = frozenset(
    {"bibtex", "csv", "diff", "gomod", "html", "ini", "json", "jsonl", "properties", "template", "toml", "xml", "yaml"}
)

KNOWN = frozenset({DEFAULT, "properties"}.union(*(t.values() for t in (_EXTENSIONS, _NAMES, _INTERPRETERS))))
"""Every id that `language_of` can return."""

CODE = KNOWN - PROSE - _DATA
"""Languages for machines to run, build, query or style with."""


def language_of(path: str, head: str = "") -> str:
    """Name the language of the file at `path`, one of KNOWN; "text" when nothing says otherwise.

    `head` is the beginning of its text (a few thousand characters are enough); it decides where the name
    does not: scripts without extension, and extensions that languages share (.h, .m, .pl, .ts, .v).
    """
    name = path.rpartition("/")[2]
    head = head.removeprefix("\ufeff")
    return _by_name(name, head) or _by_head(head) or DEFAULT


def _by_name(name: str, head: str) -> str:
    lowered = name.lower()
    found = _CASED_NAMES.get(name) or _NAMES.get(lowered)
    if found:
        return found
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return ""
    if extension in _CASED_EXTENSIONS:
        return _CASED_EXTENSIONS[extension]
    if extension.lower() in _WRAPPERS and "." in stem.strip("."):
        inner = _by_name(stem, head)
        if inner:
            return inner
    language = _EXTENSIONS.get(extension.lower(), "")
    if language:
        return _shared(extension.lower(), language, head)
    return next((language for prefix, language in _NAME_PREFIXES.items() if lowered.startswith(prefix)), "")


def _shared(extension: str, language: str, head: str) -> str:
    """Decide between the languages that use one extension; `language` is the most common one."""
    if extension == "h":
        code = _COMMENT.sub(" ", head)
        if _OBJC.search(code):
            return "objc"
        return "cpp" if _CPP.search(code) else language
    if extension == "m" and _MATLAB.search(head) and not _OBJC.search(head):
        return "matlab"
    if extension == "pl" and _PROLOG.search(head):
        return "prolog"
    if extension in ("ts", "res") and head.lstrip().startswith(("<?xml", "<!DOCTYPE")):
        return "xml"
    if extension == "cls" and head and not head.lstrip().startswith(("\\", "%")):
        return "apex"
    return language


def _by_head(head: str) -> str:
    first, _, _ = head.partition("\n")
    shebang = _SHEBANG.match(first)
    if shebang:
        return _by_interpreter(shebang[1], shebang[2] or "")
    start = head.lstrip()
    for pattern, language in _STARTS:
        if pattern.match(start):
            return language
    mode = _MODELINE.search("\n".join(line[:200] for line in head.split("\n", 3)[:3]))
    if mode is None:
        return ""
    named = (mode[1] or mode[2]).lower()
    named = _MODES.get(named, named)
    return named if named in KNOWN else ""


def _by_interpreter(program: str, arguments: str) -> str:
    """The language of "#!program arguments": looks through env, its options and its assignments."""
    words = [program, *arguments.split()]
    if words[0].rpartition("/")[2] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if not words:
        return ""
    base = re.sub(r"[\d.]+$", "", words[0].rpartition("/")[2].lower())
    return _INTERPRETERS.get(words[0].rpartition("/")[2].lower(), "") or _INTERPRETERS.get(base, "")
