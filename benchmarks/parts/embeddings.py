"""Exact ranks among vectors, against NumPy."""

from __future__ import annotations

import json
import sys

from benchmarks.measure_process import Task, measure
from benchmarks.parts.settings import Settings, part_of
from benchmarks.results import Part, Row

VECTORS = {
    "product": "NumPy, the matrix product alone",
    "1 judged": "germane, exact ranks, 1 judged document per query",
    "50 judged": "germane, exact ranks, 50 judged documents per query",
    "sort": "NumPy, the product and a full sort",
    "nearest": "germane, the 100 nearest, exact",
    "faiss": "FAISS, IndexFlatIP, the 100 nearest",
}


def vectors(settings: Settings) -> Part | None:
    """Exact ranks among all vectors, against the product alone and a full sort; the nearest, against FAISS."""
    module = [sys.executable, "-m", "benchmarks.vectors", str(settings.vectors), str(settings.rounds)]
    found = json.loads(measure([Task("vectors", [module])], 1)["vectors"].outputs[0])
    rows = [
        Row(name, label, min(found[name]), [round(second, 4) for second in found[name]])
        for name, label in VECTORS.items()
        if name in found
    ]
    return part_of(settings, f"1,000 queries × {settings.vectors:,} documents × 384: the calls alone", rows)
