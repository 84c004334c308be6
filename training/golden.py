"""Write the expected vectors that the tests hold the shipped model to. Run after the model changed on purpose."""

from __future__ import annotations

import json
from pathlib import Path

from recollect.embedding import open_embedder

TEXTS = ("getUserName", "where is the retry delay computed", "Привет, 世界! naïve café", "def add(a, b): return a + b")
GOLDEN = Path(__file__).parents[1] / "tests" / "embedding" / "golden_vectors.json"


def main() -> None:
    """Write fingerprint and the first eight numbers of each text's vector."""
    embedder = open_embedder("builtin")
    vectors = {text: [round(float(value), 5) for value in embedder.embed_query(text)[:8]] for text in TEXTS}
    golden = {"fingerprint": embedder.fingerprint, "vectors": vectors}
    GOLDEN.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
