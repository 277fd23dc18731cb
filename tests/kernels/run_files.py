"""Run files made up by hypothesis, as untidy as they may be, and both kernels at work on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from germane import kernels
from germane.errors import InputError
from germane.formats.rankings import scan
from germane.kernels import reference
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.qrels import Qrels

# Ids around the eight bytes that are looked at together, ids that begin alike, ids that are not ASCII, or not text.
QUERIES = [b"1", b"10", b"301", b"abcdefg", b"abcdefgh", b"abcdefghi", b"\xc3\xa9", b"unjudged", b"q" * 40]
DOCS = [
    *(b"d", b"D", b"d1", b"abcdefg", b"abcdefgh", b"abcdefgi", b"abcdefghi", b"0123456789abcdef", b"0123456789abcdeg"),
    *(
        b"0123456789abcdef0",
        b"FT911-3",
        b"clueweb09-en0000-00-00000",
        b"\xe2\x82\xac",
        b"\xff\xfe",
        b"#1",
        b"~",
        b"x" * 99,
    ),
]
# Many are equal, written differently or once they have 32 bits; some need all their digits.
SCORES = [
    *(
        b"1",
        b"1.0",
        b"+1",
        b"1e0",
        b"10E-1",
        b"0.1e1",
        b"0",
        b"-0",
        b"0.0",
        b"1e-400",
        b"-3",
        b"-3.5",
        b".5",
        b"5.",
        b"2.5",
    ),
    *(b"0.1", b"0.1000000000000000055", b"0.10000000000000001", b"0.1000000000000000056", b"16777216", b"16777217"),
    *(b"0.500000011", b"0.500000012", b"9007199254740993", b"9007199254740992", b"9007199254740993.0000001"),
    *(b"12345678901234567890", b"12345678901234567891", b"1e22", b"1e23", b"123.4567890123456789", b"1" * 30, b"1e-30"),
]
RANKS = [b"1", b"2", b"3", b"10", b"0", b"1.5"]
GAPS = [b" ", b" ", b"\t", b"  ", b" \t", b"\v", b"\f ", b"\r "]
NOTHING = [b"", b" \t", b"# a comment", b"#", b"#1 Q0 d 1 1 x"]

QRELS = Qrels.from_columns(
    [query for query in QUERIES if query != b"unjudged" for _ in DOCS[::2]],
    [doc for query in QUERIES if query != b"unjudged" for doc in DOCS[::2]],
    [1.0] * (len(QUERIES) - 1) * len(DOCS[::2]),
)


@dataclass(frozen=True)
class RunFile:
    """The bytes, and how they are to be read."""

    content: bytes
    format: str = "trec"


Row = tuple[bytes, bytes, bytes, bytes]  # query, document, rank, score


@st.composite
def rows(draw: st.DrawFn, grouped: bool = True) -> list[Row]:
    """Rows of a run, each document once per query; those of a query together, or not."""
    queries = draw(st.lists(st.sampled_from(QUERIES), min_size=1, max_size=4, unique=True))
    pair = st.tuples(st.sampled_from(queries), st.sampled_from(DOCS))
    pairs = draw(st.lists(pair, min_size=1, max_size=14, unique=True))
    if grouped:
        first = {query: i for i, (query, _) in reversed(list(enumerate(pairs)))}
        pairs.sort(key=lambda row: first[row[0]])
    scores = draw(st.lists(st.sampled_from(SCORES), min_size=1, max_size=6))  # few, so that there are ties
    number = st.tuples(st.sampled_from(RANKS), st.sampled_from(scores))
    numbers = draw(st.lists(number, min_size=len(pairs), max_size=len(pairs)))
    made: list[Row] = [(*pair, *number) for pair, number in zip(pairs, numbers, strict=True)]
    return sorted(made, key=lambda row: -float(row[3])) if grouped and draw(st.booleans()) and len(first) == 1 else made


@st.composite
def trec_files(draw: st.DrawFn, grouped: bool = True) -> RunFile:
    """TREC's six columns with any white space, and lines that say nothing in between."""
    lines: list[bytes] = []
    for query, doc, rank, score in draw(rows(grouped)):
        gap = draw(st.sampled_from(GAPS))
        start, tag = (
            draw(st.sampled_from([b"", b" ", b"\t"])),
            draw(st.sampled_from([b"tag", b"tag", b"t", b"tag and more"])),
        )
        lines.append(start + gap.join([query, b"Q0", doc, rank, score, tag]) + draw(st.sampled_from([b"", b"", b" "])))
        lines += draw(st.lists(st.sampled_from(NOTHING), max_size=1))
    return RunFile(_joined(draw, lines))


@st.composite
def msmarco_files(draw: st.DrawFn, grouped: bool = True) -> RunFile:
    """Three columns: query, document, rank; the score is what the rank says."""
    lines = [b"\t".join([query, doc, rank]) for query, doc, rank, _ in draw(rows(grouped))]
    return RunFile(_joined(draw, lines), "msmarco")


@st.composite
def delimited_files(draw: st.DrawFn, grouped: bool = True) -> RunFile:
    """A header and columns in any order, divided by commas or tabs."""
    comma = draw(st.booleans())
    columns = draw(st.permutations(["qid", "docno", "rank", "score", "tag"]))
    delimiter = b"," if comma else b"\t"
    lines = [delimiter.join(column.encode() for column in columns)]
    for query, doc, rank, score in draw(rows(grouped)):
        cells = {"qid": query, "docno": doc, "rank": rank, "score": score, "tag": b"my tag"}
        lines.append(delimiter.join(cells[column] for column in columns))
    return RunFile(_joined(draw, lines), "csv" if comma else "tsv")


def _joined(draw: st.DrawFn, lines: list[bytes]) -> bytes:
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    # A file of one line must end with \n, or a \r in it looks like the line end of an old Mac.
    return end.join(lines) + (draw(st.sampled_from([end, b""])) if len(lines) > 1 else end)


def run_files(grouped: bool = True) -> st.SearchStrategy[RunFile]:
    """Files in every layout that is scanned."""
    return trec_files(grouped) | trec_files(grouped) | msmarco_files(grouped) | delimited_files(grouped)


@contextmanager
def small_blocks(block: int, threads: int = 1) -> Iterator[None]:
    """Read files in blocks of so many bytes, and divide them among threads however short they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "BLOCK", block)
        patch.setattr(scan, "GATHERED", block)
        patch.setattr(scan, "BYTES_PER_THREAD", 1)
        patch.setattr(scan, "num_threads", lambda: threads)
        yield


@contextmanager
def the_reference() -> Iterator[None]:
    """Use the plain implementation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "Matcher", reference.Matcher)
        patch.setattr(kernels, "gather_lines", reference.gather_lines)
        yield


def outcome(path: Path, file: RunFile, ties: Ties = "docno", score_type: str = "float64", qrels: Qrels = QRELS) -> Any:
    """What is known of the run once it is matched, or what is said to be wrong with it."""
    path.write_bytes(file.content)
    try:
        run = scan.match_file(qrels, path, ties=ties, score_type=score_type, format=file.format)
    except InputError as error:
        return str(error)
    return found(run)


def found(run: JudgedRun) -> dict[str, Any]:
    """All that a matched run holds, in a form that compares."""
    arrays = {name: getattr(run, name).tolist() for name in ("in_run", "num_retrieved", "doc", "rank", "first", "last")}
    return {**arrays, "unknown": run.unknown_queries}
