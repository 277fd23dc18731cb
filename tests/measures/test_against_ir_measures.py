"""What ir_measures computes with cwl_eval (RBP), pyndeval (diversity) and by itself (Judged), to 1e-10.

Scores are all different: these providers break ties each in its own way.
"""

from collections.abc import Iterable
from fractions import Fraction

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP_IA, ERR_IA, P_IA, RBP, Judged, StRecall, alpha_nDCG

from germane.measures.definition import MEASURES, work
from germane.tables.rankings.matching import match
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

Judgments = dict[tuple[str, str, str], int]  # query, document, subtopic
Ranking = dict[str, list[str]]

DOCS = [f"d{i}" for i in range(7)]
# Its subtopics are numbers, and it wants to see one relevant document.
JUDGMENTS = st.dictionaries(
    st.tuples(st.sampled_from(["1", "2"]), st.sampled_from(DOCS), st.sampled_from(["1", "2", "3"])),
    st.integers(0, 2),
    min_size=1,
    max_size=14,
).filter(lambda grades: {query for (query, *_), grade in grades.items() if grade} == {query for query, *_ in grades})
RANKINGS = st.fixed_dictionaries({query: st.permutations(DOCS).map(lambda docs: docs[:5]) for query in ("1", "2")})

# fmt: off
PLAIN = [
    # ours                     theirs
    ("RBP(p=0.5, rel=1)",      RBP(p=0.5, rel=1)),
    ("RBP(p=0.95, rel=2)",     RBP(p=0.95, rel=2)),
    ("Judged@3",               Judged @ 3),
    ("Judged@10",              Judged @ 10),  # five are retrieved, and both divide by five
    ("Judged",                 Judged),
]
BY_SUBTOPIC = [
    ("StRecall@2",             StRecall @ 2),
    ("StRecall(rel=2)@5",      StRecall(rel=2) @ 5),
    ("P_IA@2",                 P_IA @ 2),
    ("P_IA@10",                P_IA @ 10),
    ("P_IA(rel=2)@5",          P_IA(rel=2) @ 5),
    ("AP_IA",                  AP_IA),
    ("AP_IA(rel=2)",           AP_IA(rel=2)),
    ("alpha_nDCG@2",           alpha_nDCG @ 2),
    ("alpha_nDCG@5",           alpha_nDCG @ 5),
    ("alpha_nDCG@10",          alpha_nDCG @ 10),
    ("alpha_nDCG(rel=2)@5",    alpha_nDCG(rel=2) @ 5),
    ("alpha_nDCG(alpha=0.25)@5", alpha_nDCG(alpha=0.25) @ 5),
]
# fmt: on


def theirs(measure: ir_measures.Measure, judgments: Judgments, ranking: Ranking) -> dict[str, float]:
    qrels = [ir_measures.Qrel(query, doc, grade, group) for (query, doc, group), grade in judgments.items()]
    run = [ir_measures.ScoredDoc(query, doc, -i) for query, docs in ranking.items() for i, doc in enumerate(docs)]
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}


def ours(measure: str, judgments: Judgments, ranking: Ranking, scale: float | None = None) -> dict[str, float]:
    query, doc, group = zip(*([part.encode() for part in key] for key in judgments), strict=True)
    qrels = Qrels.from_columns(query, doc, list(map(float, judgments.values())), group, scale=scale)
    rows: Iterable[tuple[str, str, float]] = [
        (query, doc, -i) for query, docs in ranking.items() for i, doc in enumerate(docs)
    ]
    run = Run.from_columns(*map(list, zip(*rows, strict=True)))
    return dict(zip(qrels.queries, work(MEASURES.parse(measure), match(qrels, run)).value.tolist(), strict=True))


@pytest.mark.parametrize(("our_name", "their_measure"), PLAIN)
@settings(max_examples=25)
@given(judgments=JUDGMENTS, ranking=RANKINGS)
def test_the_same_value(
    our_name: str, their_measure: ir_measures.Measure, judgments: Judgments, ranking: Ranking
) -> None:
    one_subtopic = {(query, doc, "1"): grade for (query, doc, _), grade in judgments.items()}
    expected = theirs(their_measure, one_subtopic, ranking)
    found = ours(our_name, one_subtopic, ranking)
    assert {query: found[query] for query in expected} == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("our_name", "their_measure"), BY_SUBTOPIC)
@settings(max_examples=25)
@given(judgments=JUDGMENTS, ranking=RANKINGS)
def test_the_same_value_by_subtopic(
    our_name: str, their_measure: ir_measures.Measure, judgments: Judgments, ranking: Ranking
) -> None:
    expected = theirs(their_measure, judgments, ranking)
    found = ours(our_name, judgments, ranking)
    assert {query: found[query] for query in expected} == pytest.approx(expected, abs=1e-10)


@settings(max_examples=25)
@given(judgments=JUDGMENTS, ranking=RANKINGS)
def test_err_ia_is_theirs_but_for_their_normalisation(judgments: Judgments, ranking: Ranking) -> None:
    """ndeval knows relevant or not, and divides by what a ranking would have if all were relevant for all subtopics."""
    binary = {key: min(grade, 1) for key, grade in judgments.items()}
    best = float(sum(Fraction(1, i * 2**i) for i in range(1, 6)))
    expected = {query: value * best for query, value in theirs(ERR_IA @ 5, binary, ranking).items()}
    found = ours("ERR_IA@5", binary, ranking, scale=1)
    assert {query: found[query] for query in expected} == pytest.approx(expected, abs=1e-10)
