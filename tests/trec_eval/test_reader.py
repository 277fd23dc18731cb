"""What the reader lets pass, what it makes of it, and where it gives up."""

import io
from pathlib import Path

import pytest

from germane.measures.foreign_names import TrecVersion
from germane.trec_eval import main
from tests.trec_eval.conftest import TrecEval, qrels_of, run_of

QRELS = qrels_of("1 0")
RUN = run_of("a b")

LENIENT = [
    # arguments         qrels                          run                                      prints              why
    ("-m map", "1 0 a 1.9\n1 0 b 0.7\n", RUN, "map all 1.0000", "a grade is cut down to an integer"),
    ("-m num_rel", "1 0 a yes\n1 0 b 1x\n", RUN, "num_rel all 1", "a grade that is no number is 0"),
    ("-m map", QRELS, "1 Q0 a 1 x t\n1 Q0 b 2 1 t\n", "map all 0.5000", "a score that is no number is 0"),
    ("-m map", QRELS, "1 Q0 a 1 2e1x t\n1 Q0 b 2 3 t\n", "map all 1.0000", "a score is read from its front"),
    ("-m map", QRELS, "1 Q0 a 1 0x1F t\n1 Q0 b 2 3 t\n", "map all 1.0000", "a hexadecimal score"),
    ("-m map", QRELS, "1 Q0 a 1 -inf t\n1 Q0 b 2 3 t\n", "map all 0.5000", "an infinite score"),
    (
        "-m map",
        QRELS,
        "\n \t\n1 Q0 a 1 2 t extra fields\n\n",
        "map all 1.0000",
        "blank lines and extra fields of a run",
    ),
    ("-m map", QRELS, "  1\tQ0\va 1 2 t\r\n", "map all 1.0000", "any white space, CRLF"),
    ("-m map", " 1 0 a 1 \r\n", RUN, "map all 1.0000", "the same in qrels"),
    ("-m map", QRELS.rstrip(), RUN.rstrip(), "map all 1.0000", "no newline at the end"),
    ("-m runid", QRELS, "1 Q0 a 1 2 s\n2 Q0 b 1 2 t\n", "runid all t", "the tag of the last line"),
    ("-m map", QRELS, "1 Q0 b 1 2 t\n1 Q0 a 9 2 t\n", "map all 0.5000", "ties by document, Z first; ranks are ignored"),
    ("-m num_ret", QRELS, RUN + "7 Q0 a 1 2 t\n", "num_ret all 2", "a topic that nobody judged is ignored"),
]


@pytest.mark.parametrize(("arguments", "qrels", "run", "prints", "why"), LENIENT)
@pytest.mark.parametrize("version", [9, 10])
def test_lenient(
    trec_eval: TrecEval, version: int, arguments: str, qrels: str, run: str, prints: str, why: str
) -> None:
    assert trec_eval(arguments, qrels, run, version=version) == (0, [prints]), why


EXITS = [
    # arguments  qrels                    run                            status   why
    ("", "", RUN, 2, "empty qrels"),
    ("", QRELS, "", 2, "empty run"),
    ("", QRELS + "\n" + QRELS, RUN, 2, "a blank line in qrels"),
    ("", "1 0 a\n", RUN, 2, "three fields in qrels"),
    ("", "1 0 a 1 x\n", RUN, 2, "five fields in qrels"),
    ("", QRELS, "1 Q0 a 1 2\n", 2, "five fields in a run"),
    ("", QRELS, RUN + "1 Q0 a 9 1 t\n", 4, "a document twice in a run"),
    ("", QRELS + "1 0 a 0\n", RUN, 4, "a document twice in qrels"),
    ("-M2", QRELS, RUN + "1 Q0 a 9 1 t\n", 0, "the second one is beyond -M"),
    ("-m runid", QRELS, RUN + "1 Q0 a 9 1 t\n", 0, "a measure that looks at no document"),
    ("-Z nowhere", QRELS, RUN, 255, "no z-scores"),
    ("-R qrels_jg -m map_avgjg", QRELS + "1 0 a 0\n", RUN, 2, "a document twice in a judgment group"),
    ("-R qrels_jg -m map_avgjg", QRELS + "1 1 a 0\n", RUN, 0, "a document in two judgment groups"),
]


@pytest.mark.parametrize(("arguments", "qrels", "run", "status", "why"), EXITS)
@pytest.mark.parametrize("version", [9, 10])
def test_exit_status(
    trec_eval: TrecEval, version: int, arguments: str, qrels: str, run: str, status: int, why: str
) -> None:
    outcome = trec_eval(arguments, qrels, run, version=version)
    assert outcome.status == status, why
    assert bool(outcome.lines) == (status == 0), why


COMMENTED = [
    # qrels                             run                                  why
    ("# c\n" + QRELS, RUN, "at the start of the qrels"),
    ("# one two three four five\n#\n" + QRELS, RUN, "two in a row"),
    (QRELS, " # c\n" + RUN + "#1 Q0 c 1 9 t\n", "in a run, after white space too"),
]


@pytest.mark.parametrize(("qrels", "run", "why"), COMMENTED)
def test_comments_came_with_version_10(trec_eval: TrecEval, qrels: str, run: str, why: str) -> None:
    assert trec_eval("-m map", qrels, run, version=10) == (0, ["map all 1.0000"]), why
    assert trec_eval("-m map", qrels, run, version=9) != (0, ["map all 1.0000"]), why


def test_a_hash_inside_an_id_is_data(trec_eval: TrecEval) -> None:
    assert trec_eval("-m map", "1 0 a#1 1\n", "1 Q0 a#1 1 2 t\n").lines == ["map all 1.0000"]


def test_scores_have_32_bits_in_version_9(trec_eval: TrecEval) -> None:
    run = "1 Q0 a 1 0.500000012 t\n1 Q0 b 2 0.500000011 t\n"
    assert trec_eval("-m recip_rank", QRELS, run, version=9).lines == ["recip_rank all 0.5000"]
    assert trec_eval("-m recip_rank", QRELS, run, version=10).lines == ["recip_rank all 1.0000"]


def test_ids_are_bytes(trec_eval: TrecEval) -> None:
    assert trec_eval("-m map", b"1 0 \xff 1\n", b"1 Q0 \xff 1 2 t\n").lines == ["map all 1.0000"]


def test_preferences_break_ties_the_other_way_round(trec_eval: TrecEval) -> None:
    preferences = "1 g s a 1\n1 g s b 0\n"
    tied = "1 Q0 a 1 2 t\n1 Q0 b 2 2 t\n"
    assert trec_eval("-R prefs -m prefs_simp", preferences, tied).lines == ["prefs_simp all 1.0000"]
    assert trec_eval("-m recip_rank", QRELS, tied).lines == ["recip_rank all 0.5000"]


def test_contradictory_preferences(trec_eval: TrecEval) -> None:
    chained = "1 g s a 2\n1 g s b 1\n1 g t b 2\n1 g t a 1\n"
    assert trec_eval("-R prefs -m prefs -q", chained, RUN) == (134, [])
    two_levels = "1 g s a 2\n1 g s a 1\n"
    assert trec_eval("-R prefs -m prefs -q", two_levels, RUN) == (4, [])
    relevant_and_not = "1 g s a 2\n1 g s b 1\n1 g t a 0\n"
    assert trec_eval("-R prefs -m prefs -q", relevant_and_not, RUN) == (4, [])


def test_a_missing_file() -> None:
    stdout, stderr = io.BytesIO(), io.StringIO()
    assert main(["nowhere", "run"], stdout, stderr) == 2
    assert "nowhere" in stderr.getvalue()


@pytest.mark.parametrize(("version", "status"), [(9, 2), (10, 0)])
def test_standard_input(version: TrecVersion, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    Path("qrels").write_text(QRELS)
    assert main(["qrels", "-"], io.BytesIO(), io.StringIO(), version=version) == status


def test_an_error_on_standard_input_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    for data, said in ((b"", "the file is empty"), (b"1 Q0 d1\n", "expected 6 fields on line 1, found 3")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        errors = io.StringIO()
        assert main(["qrels", "-"], io.BytesIO(), errors) == 2
        assert errors.getvalue() == f"trec_eval: Quit in file '-': {said}\n"
