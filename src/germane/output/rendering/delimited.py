"""A table as CSV or TSV for programs: keys as headers, numbers at full precision, empty cells where undefined."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from germane.tables.results.columns import Table, for_json


def render(table: Table, style: str, digits: int | None = None) -> str:
    """Render a table; `digits` rounds numbers that are not integers."""
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
