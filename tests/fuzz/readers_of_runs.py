"""Runs and judgments in every format, compressed too; leaderboards; trec_eval's own lenient reader."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import zstandard
from pyarrow import ipc, orc, parquet

from germane import kernels
from germane.errors import InputError
from germane.formats.files.arrow_tables import open_arrow
from germane.formats.files.joined_parts import open_parts
from germane.formats.files.part_tables import open_table, opens
from germane.formats.files.sources import open_raw, open_source, open_start
from germane.formats.rankings import arrow_file, json_files, leaderboard, ranking_files, scan, score_table
from germane.formats.rankings.conversion import convert
from germane.formats.rankings.detect import detect
from germane.formats.rankings.ranking_files import read_qrels, read_run
from germane.formats.rows.slices import read_slices
from germane.formats.rows.text import scan_text, without_problems
from germane.formats.rows.validation import check
from germane.kernels import reference
from germane.measures.definition import MEASURES
from germane.tables.rankings.matching import match
from germane.tables.rankings.qrels import Qrels
from tests.fuzz.mutating_bytes import COMPRESSORS
from tests.fuzz.readers import Reader, add

TREC_RUN = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq1 Q0 d10 3 1.5 tag\nq2 Q0 d1 1 0.25 tag\nq2 Q0 d3 2 -1e-3 tag\n"
TREC_QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 0\nq2 0 d3 1\n"
GROUPED = b"q1 1 d1 1\nq1 2 d1 0\nq1 1 d2 0\nq2 1 d1 1\nq2 2 d3 1\n"
RUN_ROWS = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d1", 3.0)]


def table_of_run() -> pa.Table:
    return pa.table({"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d1"], "score": [2.5, 1.5, 3.0]})


def table_of_qrels() -> pa.Table:
    return pa.table({"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d1"], "relevance": [1, 0, 2]})


def parquet_bytes(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def orc_bytes(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    orc.write_table(table, buffer)
    return buffer.getvalue()


def arrow_bytes(table: pa.Table, *, stream: bool = True) -> bytes:
    buffer = io.BytesIO()
    with (ipc.new_stream if stream else ipc.new_file)(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


RUNS: dict[str, list[bytes]] = {
    "trec": [TREC_RUN, TREC_RUN.replace(b" ", b"\t"), b"# a comment\n" + TREC_RUN],
    "msmarco": [b"q1\td1\t1\nq1\td2\t2\nq2\td1\t1\n", b"1\t10\t1\n1\t20\t2\n1\t30\t3\n"],
    "csv": [
        b'qid,docno,score\nq1,d1,2.5\nq1,"d2",1\nq2,d1,3\n',
        b"docno,qid,rank,score,tag\nd1,q1,1,2,t\nd2,q1,2,1,t\n",
    ],
    "tsv": [b"query_id\tdoc_id\tscore\nq1\td1\t2.5\nq1\td2\t1\nq2\td1\t3\n"],
    "json": [b'{"q1": {"d1": 2, "d2": 0.5}, "q2": {"d1": 3}}'],
    "jsonl": [b'{"qid": "q1", "docno": "d1", "score": 2}\n{"qid": "q1", "docno": "d2", "score": 1.5, "rank": 2}\n'],
    "parquet": [parquet_bytes(table_of_run())],
    "orc": [orc_bytes(table_of_run())],
    "arrow": [arrow_bytes(table_of_run()), arrow_bytes(table_of_run(), stream=False)],
}
QRELS: dict[str, list[bytes]] = {
    "trec": [TREC_QRELS, GROUPED, TREC_QRELS.replace(b" ", b"\t")],
    "beir": [b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td1\t2\n"],
    "csv": [b"qid,docno,relevance\nq1,d1,2\nq1,d2,0\nq2,d1,1\n", b"qid,docno,rel,iteration\nq1,d1,1,a\nq1,d1,0,b\n"],
    "tsv": [b"qid\tdocno\tlabel\nq1\td1\t1\nq1\td2\t0\n"],
    "json": [b'{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 3}}'],
    "jsonl": [b'{"qid": "q1", "docno": "d1", "relevance": 2}\n{"qid": "q1", "docno": "d2", "relevance": 0}\n'],
    "parquet": [parquet_bytes(table_of_qrels())],
    "orc": [orc_bytes(table_of_qrels())],
    "arrow": [arrow_bytes(table_of_qrels())],
}
BINARY = ("parquet", "orc", "arrow")
ENDINGS = {"trec": "txt", "msmarco": "tsv", "beir": "tsv"}
JUDGED = Qrels.from_columns(["q1", "q1", "q2"], ["d1", "d2", "d3"], [1, 0, 2], name="qrels")


@contextmanager
def reference_kernels() -> Iterator[None]:
    """The plain implementations in place of the compiled ones."""
    names = [name for name in ("Matcher", "TableReader", "gather_lines", "changes") if hasattr(reference, name)]
    compiled = {name: getattr(kernels, name) for name in names}
    try:
        for name in names:
            setattr(kernels, name, getattr(reference, name))
        yield
    finally:
        for name, kernel in compiled.items():
            setattr(kernels, name, kernel)


def plainly(read: Callable[[Any], object]) -> Callable[[Any], object]:
    """The same reader, with the reference kernels."""

    def by_reference(given: Any) -> object:
        with reference_kernels():
            return read(given)

    return by_reference


def written_run(run: Any, path: Path, format_name: str) -> object:
    ranking_files.write_run(run, path, format_name)
    back = read_run(path, format=format_name)
    # Some formats want a tag and make one; some have no ranks, which in a run of ranks alone are its scores.
    return replace(back, tag=run.tag and back.tag, rank=run.rank if back.rank is None else back.rank)


def written_qrels(qrels: Any, path: Path, format_name: str) -> object:
    ranking_files.write_qrels(qrels, path, format_name)
    return read_qrels(path, format=format_name)


def checked(path: Path) -> object:
    """`check` finds something if and only if reading refuses; what it says is not compared."""
    from germane.errors import GermaneError

    found = check(path, "run")
    try:
        read_run(path)
        refused = False
    except GermaneError:
        refused = True
    if refused != bool(found.num_problems):
        raise AssertionError(
            f"reading {'refuses' if refused else 'takes'} it, check found {found.num_problems} problems"
        )
    return found.num_problems, found.summary, found.remarks, [str(example) for example in found.examples]


def converted(path: Path) -> object:
    return convert(str(path), str(path.with_name("converted.jsonl")), lossy=True, overwrite=True)


for _name, _seeds in RUNS.items():
    add(
        Reader(
            f"{_name}_run",
            read_run,
            lambda seeds=_seeds: seeds,  # type: ignore[misc]
            file=f"run.{ENDINGS.get(_name, _name)}",
            covers=(read_run, ranking_files.read_columns, detect, scan_text, open_arrow),
            json=_name in ("json", "jsonl"),
            plain=plainly(read_run) if _name not in BINARY else None,
            again=lambda run, path, name=_name: written_run(run, path, name),  # type: ignore[misc]
            share=0.4 if _name in BINARY else 1.5,
        )
    )
for _name, _seeds in QRELS.items():
    add(
        Reader(
            f"{_name}_qrels",
            read_qrels,
            lambda seeds=_seeds: seeds,  # type: ignore[misc]
            file=f"qrels.{ENDINGS.get(_name, _name)}",
            covers=(read_qrels, without_problems, json_files.read, json_files.scan_rows, arrow_file.read),
            json=_name in ("json", "jsonl"),
            plain=plainly(read_qrels) if _name not in BINARY else None,
            again=lambda qrels, path, name=_name: written_qrels(qrels, path, name),  # type: ignore[misc]
            share=0.4 if _name in BINARY else 1.5,
        )
    )


def compressed() -> Iterator[bytes]:
    for compress in (*COMPRESSORS.values(), zstandard.ZstdCompressor(level=1).compress):
        yield compress(TREC_RUN)
        yield compress(TREC_RUN[:60]) + compress(TREC_RUN[60:])


def text_of_matched(path: Path) -> object:
    """Without what only the compiled matcher minds: whether the lines of a query lie together."""
    return replace(scan.match_file(JUDGED, path), interleaved=False)


_TEXT = [seed for name, seeds in RUNS.items() if name not in BINARY for seed in seeds]
add(
    Reader(
        "compressed_run",
        read_run,
        compressed,
        "run",
        (open_source, open_raw),
        again=lambda run, path: written_run(run, path, "trec"),
    )
)
add(
    Reader(
        "matched_run",
        text_of_matched,
        lambda: _TEXT,
        "run",
        (scan.match_file,),
        plain=plainly(text_of_matched),
        share=1.5,
    )
)


def text_of_read(path: Path) -> object:
    """The table read as a whole, then matched: the reference of matching batch by batch."""
    return replace(match(JUDGED, replace(read_run(path), name=path.name)), name="run", interleaved=False)


add(
    Reader(
        "matched_columns",
        text_of_matched,
        lambda: [seed for name in BINARY for seed in RUNS[name]],
        "run",
        (open_table, arrow_file.open_columns),
        plain=text_of_read,
        share=0.4,
    )
)
add(Reader("checked_run", checked, lambda: _TEXT, "run", (check, json_files.scan, arrow_file.scan)))
add(Reader("converted_run", converted, lambda: _TEXT, "run", (convert,)))


def in_parts(path: Path) -> object:
    """The file as the only part of a table, and as one in a key=value folder."""
    answers: list[Any] = []
    problems = []
    for name in ("part-0", "tag=007/x"):
        folder = path.parent / f"table-{name[:4]}"
        part = folder / name
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(path.read_bytes())
        (folder / "_SUCCESS").touch()
        try:
            run = read_run(folder)
            answers.append((list(run.queries), run.query.tolist(), list(run.docs), run.score.tolist()))
        except InputError as error:
            problems.append(error)
    if not answers:
        raise problems[0]
    return repr(answers)


add(
    Reader(
        "run_in_parts",
        in_parts,
        lambda: [*RUNS["csv"], *RUNS["jsonl"], *RUNS["parquet"], RUNS["arrow"][1], *RUNS["trec"]],
        "run",
        (open_parts, open_start, opens),
        share=0.5,
        names_source=False,
    )
)
add(
    Reader(
        "leaderboard",
        lambda path: (leaderboard.is_leaderboard(path), leaderboard.read_leaderboard(path)),
        lambda: [
            b"bm25 0.31\ndense 0.35\n",
            b"run,AP,nDCG@10\nbm25,0.3,0.4\ndense,0.35,0.41\n",
            b"run      queries      AP\nsystem1        3  0.5685\nsystem2        3  0.5389\n",
            b'{"bm25": 0.3, "dense": 0.35}',
            b'{"runs": [{"name": "bm25", "mean": {"AP": 0.3}}, {"name": "dense", "mean": {"AP": 0.35}}]}',
        ],
        "board.txt",
        (leaderboard.is_leaderboard, leaderboard.read_leaderboard),
        json=True,
    )
)
add(
    Reader(
        "score_table",
        lambda path: (
            score_table.possible_layouts(path, MEASURES.accepts),
            score_table.read_score_table(path, MEASURES.accepts),
        ),
        lambda: [
            b"map\tq1\t0.2\nP_5\tq1\t0.4\nrunid\tall\tbm25\nmap\tall\t0.4\n",
            b"q1\tAP\t0.2\nq2\tAP\t0.6\nall\tAP\t0.4\n",
            b",name,qid,measure,value\n0,bm25,q1,map,0.2\n1,dense,q1,map,0.1\n",
            b"query_id,AP,RR\nq1,0.2,1\nq2,0.6,1\n",
        ],
        "scores.csv",
        (score_table.possible_layouts, score_table.read_score_table),
    )
)
add(
    Reader(
        "slices",
        lambda path: read_slices(path, [f"q{n}" for n in range(9)]),
        lambda: [b"q1 short\nq2 long\nq3 short\n", b"# groups\nq1\tone\nq4\ttwo\n"],
        "slices.txt",
        (read_slices,),
    )
)
