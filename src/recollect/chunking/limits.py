"""How large a chunk may be: every constant of chunking in one table.

Not here: what a chunk's borders are (code, markdown, structured, lines decide that).

The line limits are those of the th0th seed (200, 5, 80, 50), the prose window that of the ctxpkg seed
(400 tokens, 80 overlap). The character limits follow from retrieval: the best published peers index
750-1,500 characters a chunk; larger ones dilute BM25 length and the embedding.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in lines, characters or tokens. A copy with other values can be passed to `chunk` to measure them."""

    max_lines: int = 200  # no chunk is ever longer
    min_lines: int = 5  # fewer non-blank lines than this are merged with a neighbour
    code_target_lines: int = 80  # a definition longer than this is split at statements
    fallback_lines: int = 50  # window for text without known structure
    prose_tokens: int = 400  # window for prose
    prose_overlap_tokens: int = 80  # what two neighbouring windows of one section share
    code_max_chars: int = 4_000  # a definition larger than this is split; only one long line may exceed it
    code_part_chars: int = 2_500  # about the size of a split definition's parts
    code_target_chars: int = 1_500  # a larger class is split into header and members; merging stops here
    code_merge_lines: int = 40  # merging of small neighbours stops here
    code_small_chars: int = 300  # a definition up to this size ...
    code_small_lines: int = 10  # ... in characters and lines is merged with small neighbours
    code_min_chars: int = 150  # less than this, or than min_lines, is taken in by a neighbour ...
    code_absorb_chars: int = 2_500  # ... that does not become larger than this
    structured_chars: int = 1_500  # a larger value of JSON, YAML, TOML is split by its own keys
    title_names: int = 4  # names a merged chunk's title lists
    context_chars: int = 400  # ceiling of the enrichment
    context_imports: int = 10  # imported names the enrichment lists
    parsed_line_chars: int = 2_000  # mean line length above which a file is generated or minified: not parsed


LIMITS = Limits()
