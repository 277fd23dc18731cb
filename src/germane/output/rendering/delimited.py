"""A table as CSV or TSV for programs: keys as headers, every number in full, empty where one is not defined."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from germane.tables.results.columns import Table, for_json


def render(table: Table, style: str, digits: int | None = None) -> str:
    """Write a table; `digits` rounds what is not a whole number."""
    columns = table.flat()
    texts = ([_text(value, digits) for value in values] for values in columns.values())
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t" if style == "tsv" else ",", lineterminator="\n")
    writer.writerows([[*columns], *zip(*texts, strict=True)])
    return out.getvalue()


def _text(value: Any, digits: int | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value) if digits is None else f"{value:.{digits}f}"
    return json.dumps(for_json(value)) if isinstance(value, (list, tuple)) else str(value)
