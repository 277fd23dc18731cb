"""The compiled scanner against the lenient reader: what it reads is the same, and what is not is left to the reader."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.trec_eval import reader, scanning
from germane.trec_eval.judgments import read_judgments
from tests.kernels.run_files import small_blocks
from tests.trec_eval.both_ways import differences

QRELS = b"1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 d -1\n2 0 a 3\n2 0 b 1\n3 0 a 1\n#4 0 a 1\n"
RUN = b"1 Q0 b 1 3 x\n1 Q0 a 2 2.5 x\n1 Q0 z 3 2.5 x\n1 Q0 c 4 2.5 x\n2 Q0 z 1 -1e-3 x\n2 Q0 a 2 -2 x\n3 Q0 a 1 7 y\n"

BOTH, NINE, TEN, NEITHER = (9, 10), (9,), (10,), ()
RUNS = [
    # the scanner may read it in   run                                               why
    (BOTH, RUN, "an ordinary run"),
    (BOTH, RUN.rstrip(), "no newline at the end"),
    (BOTH, RUN.replace(b"\n", b"\r\n"), "CRLF"),
    (BOTH, RUN.replace(b" ", b"\t"), "tabs"),
    (BOTH, RUN.replace(b" ", b" \v\f \t"), "any white space"),
    (BOTH, RUN.replace(b" ", b"\r"), "CR between fields"),
    (BOTH, b"\n \t\n" + RUN.replace(b"\n", b" \n\n \r\n"), "blank lines"),
    (BOTH, RUN.replace(b"x\n", b"x and more fields\n"), "extra fields"),
    (BOTH, RUN.replace(b" y\n", b" y more fields\n\n\n"), "the tag of the last line"),
    (BOTH, RUN.replace(b"Q0 a", "Q0 \xe9\x85\xa0".encode()), "odd bytes in an id"),
    (BOTH, RUN.replace(b" 3 x", b" +3.e0 x").replace(b"-2 ", b"-.2E+1 "), "numbers in other forms"),
    (BOTH, RUN + b"1 Q0 e 5 9 x\n", "a topic that comes back"),
    (BOTH, b"".join(sorted(RUN.splitlines(keepends=True), reverse=True)), "topics in another order"),
    (BOTH, b"7 Q0 a 1 2 x\n", "no topic with judgments"),
    (BOTH, RUN.replace(b"\n1 Q0 a", b"\nx Q0 a", 1), "a topic between the lines of another"),
    (BOTH, b"# 1 2 3 4 5 6\n" + RUN, "a comment that is a line for version 9"),
    (TEN, b"# comment\n" + RUN, "one that is an error for version 9"),
    (BOTH, RUN + b"#4 Q0 a 1 2 t\n", "a comment like a line, which is one in version 9"),
    (BOTH, RUN + b"#4 Q0 a 1 2 t\n3 Q0 b 1 2 t\n#4 Q0 c 1 1 u\n", "and interleaved"),
    (NINE, RUN + b" #4 Q0 a 1 2 t\n", "an indented comment"),
    (NINE, RUN + b" #9 Q0 a 1 2 t\n", "an indented comment, if the topic is not judged"),
    (NEITHER, b"\xef\xbb\xbf" + RUN, "a byte order mark, which belongs to the topic"),
    (NEITHER, RUN.replace(b" 3 x", b" 1e5x x"), "a number with a letter behind"),
    (NEITHER, RUN.replace(b" 3 x", b" 0x1p3 x"), "a hexadecimal number"),
    (NEITHER, RUN.replace(b" 3 x", b" inf x"), "an infinite score"),
    (NEITHER, RUN.replace(b" 3 x", b" -INFINITY x"), "a negative one"),
    (NEITHER, RUN.replace(b" 3 x", b" 1e999 x"), "a score that overflows"),
    (TEN, RUN.replace(b" 3 x", b" 1e99 x"), "a score that overflows 32 bits"),
    (NEITHER, RUN.replace(b" 3 x", b" best x"), "no number"),
    (NEITHER, RUN.replace(b" 3 x", b" 1_0 x"), "a number for Python alone"),
    (NEITHER, RUN.replace(b" 3 x", b" 1,5 x"), "a comma"),
    (NEITHER, RUN.replace(b" 3 x", b" 1" + b"0" * 200 + b"e-199 x"), "a very long number"),
    (NEITHER, RUN + b"1 Q0 a 9 0.5 x\n", "a duplicate"),
    (NEITHER, RUN + b"2 Q0 z 9 -9 x\n", "a duplicate of an unjudged document"),
    (NEITHER, RUN.replace(b"Q0 z", b"Q0 z\0", 1), "a NUL byte in an id"),
    (NEITHER, RUN.replace(b" x\n", b" x\0\n"), "in a tag"),
    (NEITHER, RUN.replace(b" x\n", b" x \x1c\n"), "a control character"),
    (NEITHER, RUN + b"1 Q0 e 5 9\n", "five fields"),
    (NEITHER, RUN + b"stray\n", "one field"),
    (NEITHER, b"", "an empty file"),
    (NEITHER, b"\n\n", "only blank lines"),
    (NEITHER, b"# comment\n", "only a comment"),
    (NEITHER, b"\x1f\x8b" + RUN, "looks like a compressed file"),
]  # fmt: skip

HUGE = b"1 0 a 99999999999999999999\n1 0 b 9000000000000000000\n"
JUDGMENTS = [
    # the scanner may read it in   qrels                                             why
    (BOTH, QRELS.replace(b"#", b""), "ordinary judgments"),
    (NINE, QRELS, "a comment, which is data in version 9"),
    (BOTH, QRELS.replace(b"#", b"").rstrip(), "no newline at the end"),
    (BOTH, b" 1\t0 a\v1 \r\n2 0 a +1\n3 0 b -0\n", "white space and signs"),
    (BOTH, b"1 0 a 1\n2 0 a 1\n1 0 b 2\n", "a topic that comes back"),
    (BOTH, QRELS.replace(b"#", b"") + b"2 0 a 1\n", "a duplicate"),
    (BOTH, b"1 g a 1\n1 h a 0\n1 g b 2\n2 g b 1\n2 f a 0\n2 f c 1\n2 h z 1\n", "judgment groups"),
    (BOTH, b"1 0 ceci_nest_pas_un_docno 1\n2 0 a 1\n4 0 ceci_nest_pas_un_docno 1\n4 0 b 0\n", "the missing document"),
    (BOTH, b"1 0 a 9007199254740993\n1 0 b 9223372036854774783\n", "grades with more than 53 bits"),
    (NEITHER, HUGE, "with more than 64 bits"),
    (NEITHER, b"1 0 a -99999999999999999999\n1 0 b 9000000000000000000\n", "a negative one"),
    (NEITHER, b"1 0 a 1.9999999999999999999\n", "a grade that is cut down"),
    (NEITHER, b"1 0 a 1e1\n2 0 a 0.7\n", "an exponent, which is ignored"),
    (NEITHER, b"1 0 a yes\n2 0 b 1x\n", "a grade that is no number"),
    (NEITHER, b"1 0 a 0x1F\n", "a hexadecimal grade"),
    (NEITHER, b"1 0 a inf\n", "an infinite grade"),
    (NEITHER, b"1 0 a 1 \n\n2 0 a 1\n", "a blank line"),
    (NEITHER, b"1 0 a 1\n \n", "one with a blank"),
    (NEITHER, b"1 0 a 1 x\n", "five fields"),
    (NEITHER, b"1 0 a 1\n2 0 a 1 x\n2 0 b 1\n", "five fields on one line"),
    (NEITHER, b"1 0 a\n", "three fields"),
    (NEITHER, b"1 0 a\0 1\n", "a NUL byte"),
    (NEITHER, b"# c\n1 0 a 1\n", "a comment of two fields"),
    (NEITHER, b"", "nothing"),
    (NEITHER, b"\n", "nothing but a newline"),
]  # fmt: skip

OPTIONS = [
    *("", "-q -m all_trec", "-q -c -m all_trec", "-q -c -J -m all_trec -m relstring.3", "-q -M2 -m all_trec -N9"),
    *("-q -c -M0 -m all_trec", "-M1 -J -q -m set", "-l2 -q -m official", "-D 0.2 -q -m all_trec"),
    "-m runid -m num_q -c",
    *("-R qrels_jg -m qrels_jg -q", "-R qrels_jg -m qrels_jg -q -J -c -M2", "-R qrels_prefs -m all_prefs -q"),
    *("-R qrels_prefs -m all_prefs -q -c -M2", "-R prefs -m prefs -q", "-m map_avgjg", "-m utility.1,2", "-T x"),
    "-q -c -m ndcg.1=3,2=9 -m G.1=.3,-1=.2 -m ndcg_rel.2=1 -m Rndcg.1=.5,2=1.25 -m P.1,3 -m iprec_at_recall..5",
    "-q -c -m rbp.p=.5 -m rbp_resid -m unj.1,2 -m dcg.1=.7,2=3 -m ideal_dcg.-2=1 -m rbp.p=.5,1=.3",
]  # fmt: skip


SOME = OPTIONS[2::4]
"""Options for each of the files above; those that are made up try all."""


@pytest.mark.parametrize(("run", "why"), [row[1:] for row in RUNS], ids=[row[-1] for row in RUNS])
def test_runs(run: bytes, why: str, tmp_path: Path) -> None:
    with small_blocks(64, threads=3):
        for arguments in SOME:
            assert list(differences(arguments, QRELS, run, tmp_path)) == [], f"{why}: {arguments}"


@pytest.mark.parametrize(("qrels", "why"), [row[1:] for row in JUDGMENTS], ids=[row[-1] for row in JUDGMENTS])
def test_judgments(qrels: bytes, why: str, tmp_path: Path) -> None:
    # The other measures need memory for each grade up to the highest.
    for arguments in ["-q -m official -m ndcg -m relstring"] if b"0000000" in qrels or b"9007" in qrels else SOME:
        assert list(differences(arguments, qrels, RUN, tmp_path)) == [], f"{why}: {arguments}"


@pytest.mark.parametrize(("versions", "run", "why"), RUNS, ids=[row[-1] for row in RUNS])
def test_which_runs_are_scanned(versions: tuple[int, ...], run: bytes, why: str, tmp_path: Path) -> None:
    qrels, path = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(QRELS)
    path.write_bytes(run)
    judged = read_judgments(str(qrels), reader.FORMATS[b"qrels"], 9).qrels
    assert tuple(v for v in BOTH if scanning.scan_run(str(path), judged, v) is not None) == versions, why  # type: ignore[arg-type]


@pytest.mark.parametrize(("versions", "qrels", "why"), JUDGMENTS, ids=[row[-1] for row in JUDGMENTS])
def test_which_judgments_are_scanned(versions: tuple[int, ...], qrels: bytes, why: str) -> None:
    form = reader.FORMATS[b"qrels"]
    assert tuple(v for v in BOTH if scanning.scan_judgments(qrels, form, v) is not None) == versions, why  # type: ignore[arg-type]


GAPS = st.sampled_from([" ", " ", " ", "\t", "  ", " \r", "\v"])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\n#", "\n #", ""])
TOPICS = st.sampled_from(["1", "2", "10", "#1", "é", "%s"])
DOCS = st.sampled_from(["a", "A", "b", "b1", "é", "#", "d%d", "ceci_nest_pas_un_docno"])
SCORES = st.sampled_from(
    [
        "1",
        "2",
        "2.0",
        "-1",
        "0",
        "-0",
        ".5",
        "1e2",
        "0.500000011",
        "0.500000012",
        "3.",
        "1e",
        "nan ",
        "1x",
        "0x2",
        "Inf",
    ]
)
GRADES = st.sampled_from(["0", "1", "2", "3", "-1", "-2", "+1", "007", "1.5", "1e1", "x"])
ORDINARY = st.sampled_from(["1", "2", "2.5", "-1", "0", "-0.5", "1e2", "0.500000011", "0.500000012"])


@st.composite
def files(draw: st.DrawFn, *columns: st.SearchStrategy[str]) -> bytes:
    """Lines of these fields; most of them in order and without duplicates, so that few are errors."""
    lines = draw(st.lists(st.tuples(*columns), min_size=1, max_size=12, unique_by=lambda line: (line[0], line[2])))
    if draw(st.booleans()):
        lines.sort(key=lambda line: line[0])
    if draw(st.integers(0, 5)) == 0:
        lines.append(lines[0])
    gap, end = draw(GAPS), draw(ENDS)
    return "".join(gap.join(line) + (draw(ENDS) if end == "" else "\n") for line in lines).encode()


JUDGED = files(TOPICS, st.sampled_from(["0", "0", "g"]), DOCS, GRADES) | files(
    st.sampled_from(["1", "2", "10"]), st.just("0"), DOCS, st.sampled_from(["0", "1", "2", "-1"])
)
RETRIEVED = files(TOPICS, st.just("Q0"), DOCS, st.just("1"), SCORES, st.sampled_from(["t", "u"])) | files(
    st.sampled_from(["1", "2", "10"]), st.just("Q0"), DOCS, st.just("1"), ORDINARY, st.just("t")
)


@given(qrels=JUDGED, run=RETRIEVED, arguments=st.sampled_from(OPTIONS), block=st.sampled_from([16, 64, 1 << 16]))
def test_made_files(qrels: bytes, run: bytes, arguments: str, block: int, tmp_path_factory: Any) -> None:
    with small_blocks(block, threads=2):
        assert list(differences(arguments, qrels, run, tmp_path_factory.getbasetemp())) == []


TOO_GENEROUS = [
    # what the scanner does not check          arguments    qrels, run
    ("_has_indented_comments", lambda _: False, "-c -m map", QRELS + b" #4 0 a 1\n", RUN + b" #4 Q0 a 1 2 t\n"),
    ("BEYOND_LONG", float("inf"), "-m ndcg", HUGE, RUN),
    ("BOM", b"none", "-m num_ret -m map", b"\xef\xbb\xbf1 0 a 1\n", b"\xef\xbb\xbf1 Q0 a 1 2 t\n"),
]


@pytest.mark.parametrize(("check", "blind", "arguments", "qrels", "run"), TOO_GENEROUS)
def test_the_law_catches_a_scanner_that_is_too_generous(
    check: str,
    blind: object,
    arguments: str,
    qrels: bytes,
    run: bytes,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    assert list(differences(arguments, qrels, run, tmp_path)) == []
    monkeypatch.setattr(scanning, check, blind)
    assert list(differences(arguments, qrels, run, tmp_path)) != []
