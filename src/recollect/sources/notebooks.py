"""Turn a Jupyter notebook into Markdown: its cells in order, code in fences, outputs left out.

Line numbers of what is found in it are those of this rendering, not of the JSON on disk.
Not here: reading files (readers).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any


def render(text: str) -> str | None:
    """The cells of the notebook whose JSON is `text`, as Markdown; None when it is not a notebook."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells = _cells(notebook)
    if cells is None:
        return None
    language = _language(notebook)
    parts = [part for cell in cells if isinstance(cell, dict) and (part := _render_cell(cell, language))]
    # A lone surrogate is valid in JSON and invalid everywhere else.
    return "".join(f"{part}\n\n" for part in parts).rstrip("\n").encode("utf-8", "replace").decode() + "\n"


def _cells(notebook: object) -> list[Any] | None:
    """The cells of format 4, or of the first worksheet of format 3."""
    if not isinstance(notebook, dict):
        return None
    if isinstance(notebook.get("cells"), list):
        return list(notebook["cells"])
    sheets = notebook.get("worksheets")
    if isinstance(sheets, list) and sheets and isinstance(sheets[0], dict) and isinstance(sheets[0].get("cells"), list):
        return list(sheets[0]["cells"])
    return None


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict):
        return "python"
    for holder, key in (("language_info", "name"), ("kernelspec", "language")):
        entry = metadata.get(holder)
        if isinstance(entry, dict) and isinstance(entry.get(key), str):
            return re.sub(r"[^\w+#-]", "", entry[key]).lower() or "python"
    return "python"


def _render_cell(cell: Mapping[str, Any], language: str) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str) or not source.strip():
        return ""
    source = source.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if cell.get("cell_type") == "heading":  # format 3
        level = cell.get("level", 1)
        return f"{'#' * min(max(level if isinstance(level, int) else 1, 1), 6)} {source}"
    if cell.get("cell_type") != "code":
        return source
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", source, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{source}\n{fence}"
