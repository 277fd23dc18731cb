"""Every measure that pytrec_eval-terrier (trec_eval 9.0.8) shares with us, by the name it has there, to 1e-12."""

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import germane
from germane.measures.definition import MEASURES
from germane.tables.rankings.measure import Measure

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

ONLY_THERE = {"runid", "relstring", "num_nonrel_judged_ret", "ndcg_rel", "Rndcg", "binG", "G", "yaap", "num_q"}
AGGREGATES = {"gm_map": "AP", "gm_bpref": "Bpref"}
TOPICS = st.sampled_from(["1", "10", "9"])
DOCS = st.sampled_from([f"d{i}" for i in range(8)] + ["D1", "é"])
SCORES = st.integers(-3, 3).map(float) | st.floats(-1e6, 1e6, width=32)
# A topic with only negative grades reads what the topic before it left in memory.
JUDGMENTS = st.dictionaries(DOCS, st.integers(-2, 4), min_size=1).filter(lambda grades: max(grades.values()) >= 0)


def same_measure(name: str, rel: int, judged_only: bool) -> Measure:
    """What we call it, as trec_eval 9 has it."""
    measure = MEASURES.of_version(9).parse(name)
    definition = MEASURES[measure]
    given = dict(measure.parameters)
    given |= {definition.at: measure.at} if measure.at is not None else {}
    given |= {"rel": rel} if "rel" in definition.parameters else {}
    chosen: Measure = definition.choose(**{**given, "judged_only": judged_only})
    return chosen


@settings(max_examples=60)
@given(
    qrels=st.dictionaries(TOPICS, JUDGMENTS, min_size=1),
    run=st.dictionaries(TOPICS, st.dictionaries(DOCS, SCORES, min_size=1), min_size=1),
    rel=st.integers(1, 4),
    judged_only=st.booleans(),
)
def test_every_shared_measure(qrels: Qrels, run: Run, rel: int, judged_only: bool) -> None:
    if qrels.keys().isdisjoint(run):
        return
    asked = pytrec_eval.supported_measures - ONLY_THERE - AGGREGATES.keys()
    oracle = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=rel, judged_docs_only_flag=judged_only)
    expected = oracle.evaluate(run)
    names = sorted(next(iter(expected.values())))
    ours = {name: same_measure(name, rel, judged_only) for name in names}
    scores = germane.evaluate(qrels, run, ours.values(), score_type="float32")
    for name, measure in ours.items():
        values = scores["run", measure]
        for topic, theirs in expected.items():
            if judged_only and name.startswith(("iprec", "11pt")) and theirs[name] != theirs[name]:
                continue  # 0/0 where condensing leaves nothing: the -nan that trec_eval prints
            assert values[topic] == pytest.approx(theirs[name], abs=1e-12), f"{name}, {measure}, topic {topic}"


@given(qrels=st.dictionaries(TOPICS, JUDGMENTS, min_size=1), data=st.data())
@settings(max_examples=30)
def test_means(qrels: Qrels, data: st.DataObject) -> None:
    run = {topic: data.draw(st.dictionaries(DOCS, SCORES, min_size=1)) for topic in qrels}
    asked = {"map", "P_5", "num_ret", "num_rel_ret", *AGGREGATES}
    by_topic = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
    ours = germane.evaluate(qrels, run, ["AP", "P@5", "NumRet", "NumRelRet", "Bpref"], score_type="float32")
    for name, how, measure in [
        ("map", "mean", "AP"),
        ("P_5", "mean", "P@5"),
        ("num_ret", "mean", "NumRet"),
        ("num_rel_ret", "mean", "NumRelRet"),
        ("gm_map", "gm", "AP"),
        ("gm_bpref", "gm", "Bpref"),
    ]:
        theirs = pytrec_eval.compute_aggregated_measure(name, [values[name] for values in by_topic.values()])
        assert ours.aggregate(how)["run"][measure] == pytest.approx(theirs, abs=1e-12), name


def test_all_its_families_are_compared() -> None:
    asked = pytrec_eval.supported_measures - ONLY_THERE - AGGREGATES.keys()
    [compared] = pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, asked).evaluate({"q": {"d": 1.0}}).values()
    assert {MEASURES[MEASURES.parse(name)].name for name in compared} == {
        *("AP", "P", "R", "F", "SetAP", "RelativeP", "Success", "RR", "Rprec", "Bpref", "InfAP", "Utility"),
        *("IPrec", "IPrecAvg", "nDCG", "NumRet", "NumRel", "NumRelRet"),
    }
