"""From ranked candidates to hits: text read back, score calibrated, every number on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.retrieval.scoring import Evidence, confidence
from recollect.types import Explanation, Hit

if TYPE_CHECKING:
    from recollect.requests import SearchRequest
    from recollect.retrieval import Ranked
    from recollect.retrieval.candidates import Scope
    from recollect.stores.sqlite import SqliteStore


def hits_of(
    store: SqliteStore, scopes: Sequence[Scope], ranked: Ranked, request: SearchRequest, mode: str
) -> list[Hit]:
    """Read the chosen chunks back and make hits of them, dropping what misses the asked score or distance."""
    pool = ranked.pool
    ids = [int(scopes[int(pool.scope[i])].index.chunk_ids[int(pool.position[i])]) for i, _ in ranked.chosen]
    rows = store.chunks(ids)
    scores = _calibrated(ranked, mode)
    ranks = _ranks(ranked) if request.explain else ({}, {})
    hits = []
    for (i, _), chunk_id, score in zip(ranked.chosen, ids, scores, strict=True):
        row = rows.get(chunk_id)
        cosine = float(pool.cosine[i])
        distance = round(1 - cosine, 4) if cosine > -2 else None
        if row is None or score < request.min_score:
            continue  # removed by another process since the lists were made, or not good enough
        if request.max_distance is not None and (distance is None or distance > request.max_distance):
            continue
        scope = scopes[int(pool.scope[i])]
        _, path, language = scope.index.document(int(pool.position[i]))
        hits.append(Hit(
            id=row.key, collection=scope.collection.name, path=path, start_line=row.start_line, end_line=row.end_line,
            title=row.title, kind=row.kind, language=language, text=row.text, score=score, distance=distance,
            explanation=_explanation(ranked, i, score, ranks) if request.explain else None,
        ))  # fmt: skip
    return hits


def _calibrated(ranked: Ranked, mode: str) -> list[float]:
    """Give the best hit its confidence and the others their share of it by score, so that order and score agree."""
    pool = ranked.pool
    if not ranked.chosen:
        return []
    first = ranked.chosen[0][0]
    cosine = float(pool.cosine[first])
    stem = ranked.values.get("stem")
    sure = confidence(
        Evidence(
            coverage=None if mode == "vsearch" else float(pool.anywhere[first].sum()),
            cosine=None if mode == "search" or cosine == -2 else cosine,
            definition=float(pool.definition[first]),
            stem=0.0 if stem is None else float(stem[first]),
        )
    )
    best = max(ranked.chosen[0][1], 1e-9)
    return [round(max(0.0, min(1.0, sure * max(score, 0.0) / best)), 4) for _, score in ranked.chosen]


def _ranks(ranked: Ranked) -> tuple[dict[int, int], dict[int, int]]:
    return (
        {int(i): rank for rank, i in enumerate(ranked.pool.keyword_order, 1)},
        {int(i): rank for rank, i in enumerate(ranked.pool.vector_order, 1)},
    )


def _explanation(ranked: Ranked, i: int, final: float, ranks: tuple[dict[int, int], dict[int, int]]) -> Explanation:
    pool = ranked.pool
    keyword_rank, vector_rank = ranks[0].get(i), ranks[1].get(i)
    keyword = round(float(pool.keyword[i]), 4) if pool.keyword[i] > 0 else None
    vector = round(float(pool.cosine[i]), 4) if pool.cosine[i] > -2 else None
    applied = {name: round(float(v[i]), 4) for name, v in ranked.values.items()}
    applied |= {f"×{name}": round(float(v[i]), 4) for name, v in ranked.factors.items() if v[i] != 1}
    parts = []
    if vector is not None:
        parts.append(f"Vector: {vector:.1%}" + (f" (rank #{vector_rank})" if vector_rank else ""))
    if keyword is not None:
        parts.append(f"Keyword: {keyword:.2f}" + (f" (rank #{keyword_rank})" if keyword_rank else ""))
    breakdown = f"{' + '.join(parts) or 'Definition'} → RRF: {ranked.fused[i]:.4f} → Final: {final:.1%}"
    return Explanation(
        keyword, keyword_rank, vector, vector_rank, round(float(ranked.fused[i]), 6), applied, final, breakdown
    )
