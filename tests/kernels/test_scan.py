"""The compiled scanner against its plain reference, on files as untidy as they may be."""

import gzip
import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from germane import kernels
from germane.errors import InputError
from germane.formats.rankings import scan
from germane.formats.rankings.detect import detect
from germane.formats.rows.text import TREC_RUN, TextLayout
from germane.kernels import reference
from germane.tables.rankings import matching
from germane.tables.rankings.judged_run import Ties
from germane.tables.rankings.matching import match, match_dict
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run
from tests.kernels.run_files import (
    DOCS,
    QRELS,
    QUERIES,
    RunFile,
    found,
    outcome,
    run_files,
    small_blocks,
    the_reference,
)

pytestmark = pytest.mark.skipif(kernels.Matcher is reference.Matcher, reason="no compiled extension")

TIES: list[Ties] = ["docno", "order", "rank"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file, written over and over."""
    return tmp_path_factory.mktemp("scan") / "run"


# Numbers ---------------------------------------------------------------------------------------------------------

HARD_NUMBERS = [
    *("0", "-0", "0.0", "00", "1.", ".5", "+1", "1e0", "1E+2", "1e-2", "0e5", "0e999", "123456789"),
    # 2^53 and beyond, where the last bit needs care
    *("9007199254740992", "9007199254740993", "9007199254740995", "18014398509481983", "9223372036854775807"),
    *("9999999999999999999", "18446744073709551615", "18446744073709551616", "99999999999999999999999"),
    # exactly between two numbers, and a little off
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    *("0.5000000000000000277", "0.50000000000000005551", "0.500000000000000055511151231257827"),
    # 17 digits, as Python and C write them
    *("0.1", "0.10000000000000001", "12.345678901234567", "0.30000000000000004", "2.2204460492503131e-16"),
    *("1e22", "1e23", "1e-22", "1e-23", "8.98846567431158e307", "1.7976931348623157e308", "4.9e-324", "2.4e-324"),
    *("2.2250738585072011e-308", "2.2250738585072014e-308", "1e-400", "3" * 119, "0." + "0" * 100 + "7"),
]


@settings(max_examples=60)
@given(
    texts=st.lists(
        st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,2})?", fullmatch=True)
        | st.floats(allow_nan=False, allow_infinity=False).map(repr)
        | st.floats(-100, 100).map(lambda x: f"{x:.6f}")
        | st.floats(-1, 1).map(lambda x: f"{x:.17g}")
        | st.integers(0, 2**64).map(str)
        | st.integers(2**53, 2**63).flatmap(lambda m: st.integers(1, 19).map(lambda k: f"{str(m)[:-k]}.{str(m)[-k:]}")),
        min_size=20,
        max_size=60,
    )
)
@example(texts=HARD_NUMBERS)
def test_numbers_are_read_to_the_last_bit(texts: list[str]) -> None:
    content = "".join(f"q Q0 d {i} {text} x\n" for i, text in enumerate(texts)).encode()
    state, *columns = kernels.TableReader(TREC_RUN).read(bytearray(content + bytes(64)), len(content))
    values = columns[-4]
    assert state == kernels.OK
    wrong = [
        (text, value, float(text)) for text, value in zip(texts, values.tolist(), strict=True) if value != float(text)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "text", ["", ".", "-", "+-1", "1e", "1e+", "e5", "1x", "0x10", "1_000", "nan", "inf", "1,5", "1e309"]
)
def test_what_is_no_finite_number_is_refused(text: str) -> None:
    content = f"q Q0 d 1 {text} x y\n".encode()
    state, *_ = kernels.TableReader(TREC_RUN).read(bytearray(content + bytes(64)), len(content))
    assert state == kernels.BAD


# Whole files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", TIES)
@settings(max_examples=40)
@given(file=run_files(), block=st.sampled_from([8, 64, 1 << 19]))
def test_the_kernel_finds_what_the_reference_finds(file: RunFile, block: int, ties: Ties, path: Path) -> None:
    if file.format == "msmarco" and ties == "rank":
        ties = "order"  # there the rank is the score
    with small_blocks(block):
        ours = outcome(path, file, ties)
    with the_reference():
        plain = outcome(path, file, ties)
    assert isinstance(plain, dict), plain
    assert ours == plain


@settings(max_examples=40)
@given(file=run_files(grouped=False), block=st.sampled_from([8, 64, 1 << 19]), threads=st.integers(1, 5))
def test_interleaved_queries_are_brought_together(file: RunFile, block: int, threads: int, path: Path) -> None:
    with small_blocks(block, threads):
        ours = outcome(path, file)
    with the_reference():
        plain = outcome(path, file)
    assert isinstance(plain, dict), plain
    assert ours == plain


@settings(max_examples=40)
@given(file=run_files(), block=st.sampled_from([8, 64]), threads=st.integers(2, 5))
def test_a_file_divided_among_threads_is_the_same_file(file: RunFile, block: int, threads: int, path: Path) -> None:
    with small_blocks(block, threads):
        divided = outcome(path, file)
    assert divided == outcome(path, file)


@settings(max_examples=20)
@given(file=run_files() | run_files(grouped=False), block=st.sampled_from([8, 1 << 19]))
def test_a_compressed_file_is_the_same_file(file: RunFile, block: int, path: Path) -> None:
    compressed = path.with_suffix(".gz")
    with small_blocks(block):
        streamed = outcome(compressed, RunFile(gzip.compress(file.content), file.format))
    assert streamed == outcome(path, file)


@settings(max_examples=40)
@given(file=run_files())
def test_scores_as_32_bit_numbers(file: RunFile, path: Path) -> None:
    ours = outcome(path, file, score_type="float32")
    with the_reference():
        plain = outcome(path, file, score_type="float32")
    assert isinstance(plain, dict), plain
    assert ours == plain


# fmt: off
TIED = [
    # scores of a, b, c      score type   groups of ties
    (["1", "1.0", "1e0"],    "float64",   [(1, 3), (1, 3), (1, 3)]),
    (["0.1", "0.10000000000000001", "0.1000000000000001"], "float64", [(2, 3), (2, 3), (1, 1)]),
    (["9007199254740993", "9007199254740992", "9007199254740994"], "float64", [(2, 3), (2, 3), (1, 1)]),
    (["0.500000011", "0.500000012", "0.4"], "float64", [(2, 2), (1, 1), (3, 3)]),
    (["0.500000011", "0.500000012", "0.4"], "float32", [(1, 2), (1, 2), (3, 3)]),
    (["16777216", "16777217", "16777218"],  "float32", [(2, 3), (2, 3), (1, 1)]),
    (["-0", "0", "1e-400"],  "float64",   [(1, 3), (1, 3), (1, 3)]),
]
# fmt: on


@pytest.mark.parametrize(("scores", "score_type", "expected"), TIED)
def test_scores_that_are_the_same_number_tie(
    scores: list[str], score_type: str, expected: list[tuple[int, int]], path: Path
) -> None:
    qrels = Qrels.from_dict({"q": {"a": 1, "b": 1, "c": 1}})
    path.write_text("".join(f"q Q0 {doc} 0 {score} x\n" for doc, score in zip("abc", scores, strict=True)))
    run = scan.match_file(qrels, path, score_type=score_type)
    by_doc = {int(doc): (int(a), int(b)) for doc, a, b in zip(run.doc, run.first, run.last, strict=True)}
    assert [by_doc[i] for i in range(3)] == expected


def test_32_bits_that_do_not_hold_the_score_are_an_error(path: Path) -> None:
    with pytest.raises(InputError, match="expected a finite score"):
        match_dict(QRELS, {"1": {"d": 1e39, "d1": 2e39}}, ties="docno", score_type="float32", name="run")
    file = RunFile(b"1 Q0 d 1 1e39 x\n1 Q0 d1 2 2e39 x\n")
    assert isinstance(outcome(path, file), dict)
    assert "expected finite scores" in outcome(path, file, score_type="float32")
    with the_reference():
        assert "expected finite scores" in outcome(path, file, score_type="float32")


# fmt: off
BAD_LINES = [
    # a line that is wrong, after one that is right           what the error says
    (b"1 Q0 d1 2 2",                                          "6 fields"),
    (b"1 Q0 d1",                                              "6 fields"),
    (b"1 Q0 d1 2 high x",                                     "as score"),
    (b"1 Q0 d1 2 nan x",                                      "as score"),
    (b"1 Q0 d1 2 -inf x",                                     "as score"),
    (b"1 Q0 d1 2 1e999 x",                                    "as score"),
    (b"1 Q0 d1 2 1.5.2 x",                                    "as score"),
    (b"1 Q0 d 2 0.5 x",                                       "duplicate document"),
    (b"1 Q0 d1 2 2 x\x00",                                    "0x00"),
    (b"1 Q0 d\x011 2 2 x",                                    "0x01"),
]
# fmt: on


@pytest.mark.parametrize(("line", "problem"), BAD_LINES)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_bad_line_is_named(line: bytes, problem: str, threads: int, path: Path) -> None:
    content = b"1 Q0 d 1 3 x\n" + line + b"\n" + b"".join(b"10 Q0 d%d 1 1 x\n" % i for i in range(20))
    with small_blocks(16, threads):
        ours = outcome(path, RunFile(content))
    with the_reference():
        plain = outcome(path, RunFile(content))
    assert isinstance(ours, str)
    assert ours == plain
    assert ours.startswith(f"{path}:2: ")
    assert problem in ours


@settings(max_examples=40)
@given(file=run_files(), where=st.integers(0, 10_000), block=st.sampled_from([8, 1 << 19]))
def test_a_repeated_document_is_always_seen(file: RunFile, where: int, block: int, path: Path) -> None:
    end = b"\r\n" if b"\r\n" in file.content else b"\n"
    lines = file.content.removesuffix(end).split(end)
    rows = [line for line in lines[file.format in ("csv", "tsv") :] if line.strip() and not line.startswith(b"#")]
    repeated = RunFile(end.join([*lines, rows[where % len(rows)]]), file.format)
    with small_blocks(block):
        assert "duplicate document" in outcome(path, repeated)


# Sizes -----------------------------------------------------------------------------------------------------------


def large_file(num_queries: int, docs_of: Callable[[int], int], seed: int = 0) -> tuple[Qrels, RunFile]:
    """Unsorted scores, some of them tied, every third document judged, and every seventh query not."""
    random = np.random.default_rng(seed)
    judgments: dict[object, dict[object, float]] = {}
    lines = []
    for query in range(num_queries):
        scores = random.integers(0, 1 + docs_of(query) // 2, docs_of(query)) / 8
        lines += [f"topic{query} Q0 document{doc} 0 {score} x\n" for doc, score in enumerate(scores.tolist())]
        if query % 7:
            judgments[f"topic{query}"] = {f"document{doc}": 1 for doc in range(0, docs_of(query) + 3, 3)}
    return Qrels.from_dict(judgments), RunFile("".join(lines).encode())


# fmt: off
SIZES = [
    # queries, documents of each                  what has to grow
    (5000, lambda query: 2,                       "the tables of queries, groups and hits"),
    (8,    lambda query: 3000 if query % 2 else 5, "the table of documents, in the midst of a query"),
    (40,   lambda query: 200,                     "nothing"),
]
# fmt: on


@pytest.mark.parametrize(("num_queries", "docs_of", "what"), SIZES)
@pytest.mark.parametrize(("block", "ties"), [(1 << 10, "docno"), (1 << 19, "order")])
def test_what_is_too_large_for_its_place_gets_a_larger_one(
    num_queries: int, docs_of: Callable[[int], int], what: str, block: int, ties: Ties, path: Path
) -> None:
    qrels, file = large_file(num_queries, docs_of)
    with small_blocks(block, threads=3):
        ours = outcome(path, file, ties, qrels=qrels)
    with the_reference():
        assert ours == outcome(path, file, ties, qrels=qrels), what


def test_a_query_larger_than_the_buffer_when_queries_are_interleaved(path: Path) -> None:
    qrels, file = large_file(6, lambda query: 300)
    lines = file.content.splitlines(keepends=True)
    shuffled = RunFile(b"".join(lines[i] for i in np.random.default_rng(1).permutation(len(lines))))
    expected = outcome(path, file, qrels=qrels)
    for block, threads in [(32, 1), (2048, 3), (1 << 19, 1)]:
        with small_blocks(block, threads):
            assert outcome(path, shuffled, qrels=qrels) == expected


def test_the_buffer_of_the_last_query_is_still_there_when_its_ties_are_broken(tmp_path: Path) -> None:
    """In a process of its own: reading memory that was given back may end it."""
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 x\nq Q0 b 2 1 x\nq Q0 c 3 1 x\n")
    code = "import germane, sys; print(germane.evaluate(*sys.argv[1:], 'RR').mean())"
    command = [sys.executable, "-c", code, str(tmp_path / "qrels"), str(tmp_path / "run")]
    environment = {"PYTHONPATH": str(Path(kernels.__file__).parents[2]), "MALLOC_MMAP_THRESHOLD_": "65536"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "{'run': {'RR': 0.5}}\n"), done.stderr


# Rows in memory --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", TIES)
@settings(max_examples=30)
@given(data=st.data(), threads=st.integers(1, 4))
def test_rows_in_memory(data: st.DataObject, threads: int, ties: Ties) -> None:
    file_rows = data.draw(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 16)), max_size=30, unique=True))
    numbers = st.sampled_from([0.0, 1.0, 2.0])
    size = len(file_rows)
    scores, ranks = (np.array(data.draw(st.lists(numbers, min_size=size, max_size=size))) for _ in range(2))
    run = Run.from_columns(
        [QUERIES[query] for query, _ in file_rows], [DOCS[doc] for _, doc in file_rows], scores, ranks
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "ROWS_PER_THREAD", 1)
        patch.setattr(matching, "num_threads", lambda: threads)
        ours = found(match(QRELS, run, ties=ties))
    with the_reference():
        assert ours == found(match(QRELS, run, ties=ties))


# The parts -------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(file=run_files(), comments=st.booleans())
def test_tables_are_read_alike(file: RunFile, comments: bool, path: Path) -> None:
    layout = layout_of(file, path)._replace(comments=comments)
    header, _, body = file.content.partition(b"\n") if layout.header_lines else (b"", b"", file.content)
    content = body if body.endswith(b"\n") else body + b"\n"
    compiled, plain = kernels.TableReader(layout), reference.TableReader(layout)
    found, expected = (each.read(bytearray(content + bytes(64)), len(content), 7, 100) for each in (compiled, plain))
    assert [np.asarray(part).tolist() for part in found] == [np.asarray(part).tolist() for part in expected], header
    assert compiled.has_fractions == plain.has_fractions


def layout_of(file: RunFile, path: Path) -> TextLayout:
    path.write_bytes(file.content)
    with detect(path, "run", file.format) as detected:
        assert detected.layout is not None
        return detected.layout


@given(
    lines=st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), min_size=1, max_size=12),
    data=st.data(),
)
def test_lines_are_gathered_alike(lines: list[bytes], data: st.DataObject) -> None:
    source = b"\n".join(lines)
    starts = [0, *itertools.accumulate(len(line) + 1 for line in lines[:-1])]
    places = np.array(data.draw(st.permutations(starts)), dtype=np.int64)
    limit = data.draw(st.integers(4, 100))
    ours, plain = bytearray(128), bytearray(128)
    assert kernels.gather_lines(source, places, ours, 4, limit) == reference.gather_lines(
        source, places, plain, 4, limit
    )
    assert ours == plain


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("falling", [True, False])
def test_large_groups_of_ties(falling: bool, ties: Ties, tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    docs = [f"d{i}" for i in generator.permutation(200)]
    scores = sorted((float(s) for s in generator.integers(0, 4, 200)), reverse=falling)
    ranks = generator.permutation(200).tolist()
    path = tmp_path / "ties.run"
    rows = zip(docs, ranks, scores, strict=True)
    path.write_text("".join(f"q Q0 {doc} {rank} {score} t\n" for doc, rank, score in rows))
    qrels = Qrels.from_dict({"q": {f"d{i}": i % 3 for i in range(0, 200, 2)}})
    ours = found(scan.match_file(qrels, path, ties=ties))
    with the_reference():
        assert ours == found(scan.match_file(qrels, path, ties=ties))
