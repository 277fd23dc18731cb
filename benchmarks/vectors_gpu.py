"""Exact evaluation of embeddings on a GPU, against the products alone and against torch's top 1000, in one run.

    python benchmarks/vectors_gpu.py [--case few-queries] [--rounds 3] [--scale 0.01] [--json FILE]

Documents are random directions in bfloat16. For each query 50 more are planted at similarities at which, among so many
documents, ranks from 1 to a million would be: as many between 1 and 10 as between 10 and 100, and so on. In one case
the judged documents are drawn from all documents instead. One query sees one or all 50 of its own as judged. What is
timed begins with vectors on the device and judged pairs known by their rows (products, counting, scoring again what is
near a threshold, ranks) and ends with AP and nDCG of all queries. Ranks are checked against a full count of exact
scores for a few queries.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from germane.measures.definition import MEASURES, work
from germane.tables.columns.id_columns import from_integers
from germane.tables.rankings.qrels import Qrels
from germane.vectors.counting import Found, judge_vectors
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import NO_PAIRS
from germane.vectors.similarity import similarity_called

JUDGED = 50
BLOCK = 1 << 16
MEASURES = [MEASURES.parse(name) for name in ("AP", "nDCG")]


@dataclass(frozen=True)
class Case:
    """Sizes of a collection, and where the judged documents are."""

    queries: int
    docs: int
    dimensions: int
    planted: bool = True

    def scaled(self, scale: float) -> Case:
        """The same with fewer documents."""
        return replace(self, docs=int(self.docs * scale))

    def __str__(self) -> str:
        where = "planted near the query" if self.planted else "anywhere"
        return f"{self.queries:,} × {self.docs:,} × {self.dimensions}, judged documents {where}"


CASES = {
    "planted": Case(6980, 8_800_000, 768),
    "spread": Case(6980, 8_800_000, 768, planted=False),
    "few-queries": Case(300, 20_000_000, 1024),
    "components-1000": Case(6980, 8_800_000, 1000),
    "components-300": Case(6980, 8_800_000, 300),
}


def main() -> None:
    """Make the vectors of each case, check, time, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", choices=CASES, help="only this case; may be repeated")
    parser.add_argument("--scale", type=float, default=1, help="share of the documents")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cuda", choices=["cuda", "torch"], help="torch: on the processor")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    device = torch.cuda.get_device_name() if asked.device == "cuda" else asked.device
    date = datetime.now(UTC).date().isoformat()
    print(f"{device}, torch {torch.__version__}, {date}, --rounds {asked.rounds}")
    cases = [
        {"case": name, **measure(CASES[name].scaled(asked.scale), asked.rounds, asked.device)}
        for name in asked.case or CASES
    ]
    if asked.json:
        results = {"date": date, "device": device, "torch": torch.__version__, "cases": cases}
        asked.json.write_text(json.dumps(results, indent=1) + "\n")


def measure(case: Case, rounds: int, device: str) -> dict[str, Any]:
    """Return the seconds of one case, printed on the way."""
    queries, docs, listed = made(case, "cpu" if device == "torch" else device)
    _JUDGMENTS.clear()
    checked = {judged: check(queries, docs, listed[:, :judged], device) for judged in (1, JUDGED)}
    held = Vectors.of(docs)  # with the numbers of rows as ids, made once
    products = timed(lambda: multiply(queries, docs), rounds, device)
    top = timed(lambda: top_thousand(queries, docs), rounds, device)
    print(case)
    print(f"  {'products alone':40} {products:8.4f} s")
    print(f"  {'products and torch.topk(1000)':40} {top:8.4f} s   {top / products:5.2f} ×")
    results: dict[str, Any] = {"size": str(case), "products, seconds": products, "top 1000, seconds": top}
    for judged in (1, JUDGED):
        parts: dict[str, list[float]] = {}

        def whole(judged: int = judged, parts: dict[str, list[float]] = parts) -> Any:
            return evaluate(Vectors.of(queries), held, listed[:, :judged], device, parts)

        seconds = timed(whole, rounds, device)
        results[f"{judged} judged, seconds"] = seconds
        each = ", ".join(f"{name} {min(found):.4f}" for name, found in parts.items())
        title = f"AP and nDCG at full depth, {judged} judged"
        print(
            f"  {title:40} {seconds:8.4f} s   {seconds / products:5.2f} ×   ({each}; {checked[judged]} ranks checked)"
        )
    return results


def made(case: Case, device: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries, documents, and the rows of the documents judged for each query."""
    num_queries, num_docs, dimensions = case.queries, case.docs, case.dimensions
    torch.manual_seed(0)

    def directions(count: int) -> torch.Tensor:
        return torch.nn.functional.normalize(torch.randn(count, dimensions, device=device))

    queries = directions(num_queries)
    docs = torch.empty(num_docs, dimensions, dtype=torch.bfloat16, device=device)
    for first in range(0, num_docs, 1 << 20):
        docs[first : first + (1 << 20)] = directions(min(1 << 20, num_docs - first)).bfloat16()
    deepest = min(1e6, num_docs / 2)
    rank = torch.exp(torch.rand(num_queries, JUDGED, device=device, dtype=torch.float64) * math.log(deepest))
    similarity = (torch.special.ndtri(1 - rank / num_docs) / math.sqrt(dimensions)).clamp(-0.9, 0.9).float()
    listed = torch.randperm(num_docs, device=device)[: num_queries * JUDGED].view(num_queries, JUDGED)
    if not case.planted:
        return queries.bfloat16(), docs, listed
    for query in range(0, num_queries, 256):
        wanted = similarity[query : query + 256, :, None]
        own = queries[query : query + 256, None, :]
        other = directions(wanted.shape[0] * JUDGED).view(-1, JUDGED, dimensions)
        other = torch.nn.functional.normalize(other - (other * own).sum(-1, keepdim=True) * own, dim=-1)
        docs[listed[query : query + 256]] = (wanted * own + (1 - wanted**2).sqrt() * other).bfloat16()
    return queries.bfloat16(), docs, listed


def multiply(queries: torch.Tensor, docs: torch.Tensor) -> None:
    """Compute all products into one reused block of memory."""
    room = torch.empty(len(queries), BLOCK, dtype=queries.dtype, device=queries.device)
    for part in docs.split(BLOCK):
        torch.mm(queries, part.T, out=room if len(part) == BLOCK else None)


def top_thousand(queries: torch.Tensor, docs: torch.Tensor) -> torch.Tensor:
    """The usual method: only the top 1,000; deeper documents count as missing."""
    best, number = [], []
    for first, part in zip(range(0, len(docs), BLOCK), docs.split(BLOCK), strict=True):
        value, at = torch.topk(torch.mm(queries, part.T), min(1000, len(part)), dim=1)
        best.append(value)
        number.append(at + first)
        if len(best) > 8:
            value, at = torch.topk(torch.cat(best, 1), 1000, dim=1)
            best, number = [value], [torch.cat(number, 1).gather(1, at)]
    value, at = torch.topk(torch.cat(best, 1), min(1000, len(docs)), dim=1)
    return torch.cat(number, 1).gather(1, at)


def evaluate(
    queries: Vectors,
    docs: Vectors,
    listed: torch.Tensor,
    device: str,
    parts: dict[str, list[float]] | None = None,
) -> Any:
    """AP and nDCG of each query over the ranking of all documents."""
    qrels, found = judgments(listed)
    began = time.perf_counter()
    run = judge_vectors(qrels, queries, docs, found, similarity_called("dot"), device=device)
    counted = time.perf_counter()
    values = [work(measure, run).value for measure in MEASURES]
    if parts is not None:
        parts.setdefault("ranks", []).append(counted - began)
        parts.setdefault("measures", []).append(time.perf_counter() - counted)
    return run, values


_JUDGMENTS: dict[int, tuple[Qrels, Found]] = {}


def judgments(listed: torch.Tensor) -> tuple[Qrels, Found]:
    """Return judgments of the planted documents, all relevant, with their row numbers; computed once."""
    if listed.shape[1] not in _JUDGMENTS:
        rows = listed.sort(1).values.cpu().numpy()
        num_queries, judged = rows.shape
        width = len(str(num_queries))
        names = [f"{number:0{width}}" for number in range(num_queries)]
        qrels = Qrels.from_columns(
            [name for name in names for _ in range(judged)], from_integers(rows.ravel()), np.ones(rows.size)
        )
        doc = np.asarray([int(text) for text in qrels.docs], dtype=np.int64)
        _JUDGMENTS[judged] = qrels, Found(np.arange(num_queries), doc, NO_PAIRS)
    return _JUDGMENTS[listed.shape[1]]


def check(queries: torch.Tensor, docs: torch.Tensor, listed: torch.Tensor, device: str) -> int:
    """Compare the ranks of a few queries with the number of higher scores in double precision."""
    run, _ = evaluate(Vectors.of(queries), Vectors.of(docs), listed, device)
    some = range(0, len(queries), max(1, len(queries) // 8))
    num = 0
    for query in some:
        score = torch.cat([part.double() @ queries[query].double() for part in docs.split(1 << 20)])
        mine = run.query == query
        doc = _JUDGMENTS[listed.shape[1]][1].doc[run.doc[mine]]
        place = torch.as_tensor(doc, device=docs.device)
        above = np.asarray([int((score > score[row] + 1e-12).sum()) for row in place])
        assert (run.first[mine] == above + 1).all(), (query, run.first[mine], above + 1)
        num += len(doc)
    return num


def timed(call: Callable[[], object], rounds: int, device: str) -> float:
    """Return the minimum of several times, after a warm-up call."""
    call()
    times = []
    for _ in range(rounds):
        if device == "cuda":
            torch.cuda.synchronize()
        began = time.perf_counter()
        call()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    main()
