"""trec_eval's oddities, one row each: what a drop-in has to print even where it is not what anybody would expect."""

import pytest

from tests.trec_eval.conftest import TrecEval, qrels_of, run_of

BOTH, NINE, TEN = (9, 10), (9,), (10,)

BUGS = [
    # versions arguments  grades of a, b, c  prints  the oddity; the run ranks a b c
    (BOTH, "-c -l2 -m num_rel", "2 1 0", "num_rel all 2", "num_rel with -c counts grades above 0, whatever -l says"),
    (BOTH, "-l2 -m num_rel", "2 1 0", "num_rel all 1", "and obeys -l without -c"),
    (BOTH, "-l2 -m ndcg", "0 1 2", "ndcg all 0.6199", "ndcg ignores -l: (1/1.585 + 2/2) / (2 + 1/1.585)"),
    (BOTH, "-m ndcg.1=0.3,3=0.9", "3 1 0", "ndcg_1=0.3,3=0.9 all 0.0000", "gains less than 1 apart sort wrongly"),
    (BOTH, "-m ndcg.1=3,3=9", "3 1 0", "ndcg_1=3,3=9 all 1.0000", "others sort well"),
    (BOTH, "-m ndcg.-1=1", "0 0 -", "ndcg_-1=1 all 0.0000", "a gain for unlisted documents, not in the ideal"),
    (TEN, "-m dcg.-1=1", "0 0 -", "dcg_-1=1 all 0.5000", "but in the run: 1/log2(4)"),
    (NINE, "-m ndcg.x=1", "0 2", "ndcg_x=1 all 0.8597", "a level that is no number is 0: (1 + 2/1.585)/(2 + 1/1.585)"),
    (TEN, "-m ndcg.x=1", "0 2", "ndcg_x=1 all 0.6309", "and skipped in version 10: 1/1.585"),
    (BOTH, "-M1 -m ndcg -m ndcg_cut.1", "1 1", "ndcg all 0.6131|ndcg_cut_1 all 1.0000", "-M leaves the ideal"),
    (BOTH, "-m set_F.4", "1 0 0", "set_F_4 all 0.7143", "the parameter is beta squared: 5 * 1/3 / (4/3 + 1)"),
    (NINE, "-m iprec_at_recall..3", "0 0 1 1", "iprec_at_recall_0.30 all 0.3333", "trunc(.3 * 2 + .9) = 1 is needed"),
    (NINE, "-m iprec_at_recall..6", "0 0 1 1", "iprec_at_recall_0.60 all 0.0000", "trunc(.6 * 2 + .9) = 2"),
    (TEN, "-m iprec_at_recall..6", "0 0 1 1", "iprec_at_recall_0.60 all 0.3333", "round(.6 * 2) = 1"),
    (BOTH, "-m 11pt_avg.0,1", "1 - 1", "11pt_avg_0,1 all 0.8333", "the mean over any levels: (1 + 2/3) / 2"),
    (BOTH, "-m 11pt_avg.1,0", "1 - 1", "11pt_avg_1,0 all 1.0000", "a level after a higher one is read at the top"),
    (BOTH, "-J -m iprec_at_recall.0", "- - - 1", "iprec_at_recall_0.00 all -nan", "0/0, where nothing is left"),
    (BOTH, "-M0 -m 11pt_avg.0 -m map", "1", "map all 0.0000|11pt_avg_0 all -nan", "the same"),
    (BOTH, "-m gm_map", "0 0 0", "gm_map all 0.0000", "the floor of the geometric mean is .00001"),
    (BOTH, "-m bpref", "0 1 -2", "bpref all 0.0000", "any negative grade is unjudged"),
    (BOTH, "-q -n -m relstring.5", "10 -1 -", "relstring_5 1 '>.-'", "the characters of relstring"),
    *(
        (BOTH, f"-q -n -m relstring.{length}", "1", f"relstring_{length} 1 ''", "no integer holds this length")
        for length in ("nan", "inf", "-inf", "1e30")
    ),
    (BOTH, "-m Rndcg", "2 1 0", "Rndcg all 1.0000", "experimental measures of 2008"),
    (BOTH, "-m Rndcg.1=0", "1 0 0", "Rndcg_1=0 all -nan", "0/0, where there is nothing to gain"),
    (BOTH, "-m yaap", "1 0 0", "yaap all 0.6931", "log(2 / 1)"),
    (BOTH, "-m binG", "0 1 0", "binG all 0.6309", "1/log2(2 + 1)"),
    (BOTH, "-m G", "0 1 0", "G all 0.6309", "1/log2(2 + 2 - 1)"),
    (TEN, "-m rbp_resid", "1 0 0", "rbp_resid all 0.0000", "0 where all is judged, however short the ranking"),
    (TEN, "-m rbp.p=.5", "4 0 2", "rbp_p=.5 all 0.5625", "gain over the topic's largest: .5 * (1 + .5/4)"),
]  # fmt: skip


@pytest.mark.parametrize(("versions", "arguments", "grades", "prints", "oddity"), BUGS)
def test_oddity(
    trec_eval: TrecEval, versions: tuple[int, ...], arguments: str, grades: str, prints: str, oddity: str
) -> None:
    for version in versions:
        assert trec_eval(arguments, qrels_of(grades), run_of("a b c"), version=version) == (0, prints.split("|")), (
            oddity
        )


TWO_OF_THREE = run_of("a", "", "b")
THREE = qrels_of("1", "1", "1 1")

MISSING = [
    # version arguments                   status  prints                                          the oddity
    (9, "-q -m map", 0, "map 1 1.0000|map 3 0.5000|map all 0.7500", "topics in both files"),
    (9, "-q -c -m map", 0, "map 1 1.0000|map 3 0.5000|map all 0.5000", "-c divides by all topics, prints these"),
    (9, "-c -m gm_map", 0, "gm_map all 0.0171", "each missing topic counts as .00001: (.5 * .00001) ** (1/3)"),
    (9, "-c -m num_q -m num_rel", 0, "num_q all 3|num_rel all 4", "counts are of all topics"),
    (10, "-q -m map", 4, "map 1 1.0000", "version 10 gives up at the first topic without results"),
    (10, "-q -c -m map", 0, "map 1 1.0000|map 2 0.0000|map 3 0.5000|map all 0.5000", "and with -c prints it"),
    (10, "-q -n -c -m num_ret", 0, "num_ret 1 1|num_ret 2 0|num_ret 3 1", "a document that nobody has is taken back"),
    (10, "-q -n -c -D.2 -m utility", 0, "utility 2 0.0000", "from utility too"),
    (10, "-q -n -c -D.2 -m utility.1,-1,0,0", 0, "utility_1,-1,0,0 2 -1.0000", "but not if it has parameters"),
    (10, "-q -n -c -D.2 -m relstring", 0, "relstring 2 ''", "the same for relstring"),
    (10, "-q -n -c -D.2 -m relstring.5", 0, "relstring_5 2 '-'", ""),
    (10, "-q -n -c -D.2 -m rbp_resid", 0, "rbp_resid 2 0.0000", "and for rbp_resid"),
    (10, "-q -n -c -D.2 -m rbp_resid.p=.5", 0, "rbp_resid_p=.5 2 1.0000", ""),
    (10, "-q -n -c -D.2 -m unj.1,2", 0, "unj_1 2 0.0000|unj_2 2 0.0000", "unj is taken back with parameters and all"),
    (10, "-q -n -c -J -D.2 -m iprec_at_recall.0", 0, "iprec_at_recall_0.00 2 -nan", "-J drops even that document"),
]  # fmt: skip


@pytest.mark.parametrize(("version", "arguments", "status", "prints", "oddity"), MISSING)
def test_missing_topics(
    trec_eval: TrecEval, version: int, arguments: str, status: int, prints: str, oddity: str
) -> None:
    assert trec_eval(arguments, THREE, TWO_OF_THREE, version=version) == (status, prints.split("|")), oddity


def test_topics_are_in_byte_order(trec_eval: TrecEval) -> None:
    qrels = "".join(f"{topic} 0 a 1\n" for topic in (9, 10, 1))
    run = "".join(f"{topic} Q0 a 1 1 t\n" for topic in (9, 10, 1))
    assert [line.split()[1] for line in trec_eval("-q -n -m map", qrels, run).lines] == ["1", "10", "9"]


def test_no_topic_in_common(trec_eval: TrecEval) -> None:
    assert trec_eval("", "1 0 a 1\n", "2 Q0 a 1 1 t\n", version=9) == (7, [])
    assert trec_eval("", "1 0 a 1\n", "2 Q0 a 1 1 t\n", version=10) == (4, [])


def test_one_duplicate_loses_the_rest(trec_eval: TrecEval) -> None:
    run = run_of("a", "b") + "2 Q0 b 9 1 t\n"
    assert trec_eval("-q -m map", qrels_of("1", "1"), run) == (4, ["map 1 1.0000"])


def test_topics_before_a_duplicate_are_evaluated(trec_eval: TrecEval) -> None:
    run = run_of("a b", "b", "a", "a") + "3 Q0 a 9 1 t\n"
    printed = ["num_ret 1 2", "relstring 1 '1-'", "num_ret 2 1", "relstring 2 '-'"]
    for version in (9, 10):
        found = trec_eval("-q -m num_ret -m relstring", qrels_of("1", "1", "1", "1"), run, version=version)
        assert (found.status, found.lines) == (4, printed)


def test_z_scores(trec_eval: TrecEval) -> None:
    means = "1 map 0.5 0.25\n1 Rprec 1 0\n1 bpref 0 0\n1 num_rel 3 1\n"
    assert trec_eval(
        "-Z means -m map -m Rprec -m bpref -m num_rel", qrels_of("1 0"), run_of("a b"), means=means
    ).lines == [
        "Znum_rel all -2.0000",
        "Zmap all 2.0000",
        "ZRprec all 0.0000",  # no deviation, and none from the mean
        "Zbpref all -1000000.0000",  # no deviation, but one from the mean
    ]
    assert trec_eval("-Z means -m P.5", qrels_of("1 0"), run_of("a b"), means=means).lines == ["ZP_5 all -1000000.0000"]


def test_nonrelevant_documents_compared_with_themselves(trec_eval: TrecEval) -> None:
    """R = 1, N = 2: a is above the first non-relevant document; that one is compared with itself and the other, too."""
    preferences = "1 g s a 1\n1 g s b 0\n1 g s c 0\n"
    assert trec_eval("-R prefs -m prefs_avgjg_Rnonrel", preferences, run_of("a b c")).lines == [
        "prefs_avgjg_Rnonrel all 0.3333"
    ]


def test_judgment_groups_count_alike(trec_eval: TrecEval) -> None:
    groups = "1 x a 1\n1 y b 1\n1 y a 0\n"
    assert trec_eval("-R qrels_jg -m map_avgjg", groups, run_of("a b")).lines == ["map_avgjg all 0.7500"]
