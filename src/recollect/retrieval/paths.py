"""What a path says about a document: its words, and whether it is a test, an example, generated ... Pure, cached."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from recollect.terms import analyse

_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures?|mocks?|__mocks__)(?:/|$)"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*[_.\-](?:test|tests|spec|specs)\.[^/.]+|[^/]*(?:Test|Tests|Spec|IT|TestCase)\.(?:java|kt|kts|scala|cs|swift|php|groovy|hs))$"
)
_EXAMPLE = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|docs_src|tutorials?|benchmarks?|bench|playground|cookbook)(?:/|$)"
)
_LEGACY = re.compile(
    r"(?:^|/)_?(?:compat|legacy|deprecated|obsolete|old|v0)(?:/|\.|$)|(?:^|/)[^/]*(?:_compat|_legacy|[-_.]deprecated)\.[^/]+$",
    re.IGNORECASE,
)
_GENERATED = re.compile(
    r"(?:^|/)(?:generated|__generated__|gen|autogen)(?:/|$)|[_.](?:pb|pb2|pb2_grpc|g|gen|generated|designer)\.[^/.]+$"
)
_VENDORED = re.compile(r"(?:^|/)(?:vendor|vendored|_vendor|third[-_]?party|deps|external|extern)(?:/|$)")
_INDEX = re.compile(
    r"(?:^|/)(?:__init__\.pyi?|index\.(?:[mc]?[jt]sx?)|mod\.rs|lib\.rs|package-info\.java|package\.scala|exports?\.[jt]s)$"
)
_DECLARATIONS = re.compile(r"\.d\.[mc]?ts$|\.pyi$")


FLAGS = ("test", "example", "legacy", "generated", "vendored", "index", "declarations")


@dataclass(frozen=True)
class PathTraits:
    """`stem` and `folders` are terms, `whole` the stem without separators; the rest are yes or no.

    `flags` repeats those in the order of `FLAGS`, to be read for many paths at once.
    """

    stem: frozenset[str]
    whole: str
    folders: frozenset[str]
    test: bool
    example: bool
    legacy: bool
    generated: bool
    vendored: bool
    index: bool
    declarations: bool

    @functools.cached_property
    def flags(self) -> tuple[bool, ...]:
        return tuple(getattr(self, name) for name in FLAGS)


@functools.lru_cache(maxsize=200_000)
def traits(path: str) -> PathTraits:
    """Read the traits off a path relative to its collection's root."""
    pure = PurePosixPath(path)
    stem = pure.name.split(".")[0] or pure.name
    whole = "".join(c for c in stem if c.isalnum()).casefold()
    parts = frozenset(analyse(stem))
    return PathTraits(
        stem=parts - {whole} or parts,
        whole=whole,
        folders=frozenset(t for part in pure.parts[-3:-1] for t in analyse(part)),
        test=bool(_TEST.search(path)),
        example=bool(_EXAMPLE.search(path)),
        legacy=bool(_LEGACY.search(path)),
        generated=bool(_GENERATED.search(path)),
        vendored=bool(_VENDORED.search(path)),
        index=bool(_INDEX.search(path)),
        declarations=bool(_DECLARATIONS.search(path)),
    )
