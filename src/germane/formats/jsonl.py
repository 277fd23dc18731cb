"""JSON lines: an object per row, with the names that columns have elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from germane.formats.detect import Detected
from germane.formats.entry import Format
from germane.formats.json_text import json_problem
from germane.formats.objects import Numbered, scan_objects
from germane.formats.text import BOM, RowError, TextRow, show
from germane.formats.writing import judgments, sampled_rows
from germane.tables.ids import to_text
from germane.tables.qrels import Qrels
from germane.tables.run import Run


def scan(detected: Detected) -> Iterator[TextRow | RowError]:
    """Each line as a row."""
    return scan_objects(_objects(detected), detected.kind, detected.source)


def _objects(detected: Detected) -> Iterator[Numbered]:
    import json

    for number, line in enumerate(detected.stream, start=1):
        data = line.removeprefix(BOM) if number == 1 else line
        if not data.strip():
            continue
        try:
            item = json.loads(data.decode("utf-8"), object_pairs_hook=_without_doubles)
        except (ValueError, RecursionError) as error:
            problem = f"expected a JSON object, found {show(data.rstrip())} ({json_problem(error)})"
            yield number, RowError(detected.source, number, "json", problem)
            continue
        if isinstance(item, dict):
            yield number, item
        else:
            problem = f"expected a JSON object, found {show(data.rstrip())}"
            yield number, RowError(detected.source, number, "json", problem)


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    item = dict(pairs)
    if len(item) < len(pairs):
        raise ValueError("a name comes twice")
    return item


def write_run(run: Run, target: BinaryIO) -> None:
    """One line per retrieved document, in the order of the run."""
    import json

    queries = list(run.queries)
    rank = None if run.rank is None else run.rank.tolist()
    for row, (query, doc, score) in enumerate(zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True)):
        item: dict[str, object] = {"qid": queries[query], "docno": doc, "score": score}
        if rank is not None:
            item["rank"] = _whole(rank[row])
        if run.tag is not None:
            item["tag"] = run.tag
        target.write(json.dumps(item).encode() + b"\n")


def write_qrels(qrels: Qrels, target: BinaryIO) -> None:
    """One line per judgment."""
    import json

    samples = sampled_rows(qrels)
    for (query, doc, grade, group), (stratum, inclusion) in zip(judgments(qrels), samples, strict=True):
        item: dict[str, object] = {"qid": to_text(query), "docno": to_text(doc), "relevance": _whole(grade)}
        if group is not None:
            item["subtopic"] = to_text(group)
        if stratum is not None:
            item |= {"stratum": to_text(stratum), "inclusion": inclusion}
        target.write(json.dumps(item).encode() + b"\n")


def _whole(number: float) -> float | int:
    return int(number) if number == int(number) else number


FORMAT = Format(
    name="jsonl",
    description="an object per line, with the names of columns",
    example='{"qid": "301", "docno": "FT911-3", "score": 12.5}',
    endings=("jsonl", "ndjson"),
    scan=scan,
    write_run=write_run,
    write_qrels=write_qrels,
    holds=frozenset({"score", "rank", "tag", "groups", "sampling"}),
)
