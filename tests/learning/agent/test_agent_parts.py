"""The agent's arithmetic, on examples that can be checked on paper."""

import math

import numpy as np
import pytest

from germane.errors import GermaneError
from germane.learning.agent.knowledge.calibration import ScoreCalibration, pooled
from germane.learning.agent.knowledge.evidence import Evidence
from germane.learning.agent.knowledge.experience import Experience
from germane.learning.agent.questions import entropy, expected_gain, least_cost
from germane.learning.agent.training.choices import choose_addition, choose_within, p_value
from germane.learning.agent.utility import Marked, Utility
from germane.learning.agent.weak_spots import weak_spots
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.binary_independence_indexing import LearnedIndexing, PastQueries
from germane.retrieval.probability.ranking_principle import Costs
from germane.retrieval.query import Query
from germane.tables.decisions.confusion import Cells

GAINS = [
    # p   now, if relevant, if not   expected    why
    (0.5, (2.0, 0.0, 0.0), 2.0, "either answer tells all"),
    (0.5, (1.0, 1.0, 1.0), 0.0, "no answer tells anything"),
    (0.25, (1.0, 0.0, 1.0), 0.25, "only yes tells, and it is said one time in four"),
    (0.25, (1.0, 3.0, 1.0), -0.5, "yes brings doubt"),
]


@pytest.mark.parametrize(("p", "values", "expected", "why"), GAINS)
def test_the_worth_of_a_question_by_hand(
    p: float, values: tuple[float, float, float], expected: float, why: str
) -> None:
    assert expected_gain(p, *values) == pytest.approx(expected), why


def test_a_question_by_hand() -> None:
    """Three documents at ½, ¼ and ¼: the first is asked about; yes makes the others ½ and ½, no makes them 0 and 0."""
    now = entropy(np.array([0.5, 0.25, 0.25]))
    quarter = 0.25 * 2 + 0.75 * math.log2(4 / 3)
    assert now == pytest.approx(1 + 2 * quarter)
    gain = expected_gain(0.5, now, entropy(np.array([1.0, 0.5, 0.5])), entropy(np.array([0.0, 0.0, 0.0])))
    assert gain == pytest.approx(1 + 2 * quarter - 0.5 * 2)  # 1.6226 bits
    costs = Costs(relevant=-1, non_relevant=1)  # worth it above ½; at ½ both cost 0
    before = least_cost(np.array([0.5, 0.25, 0.25]), costs)
    assert expected_gain(0.5, before, least_cost(np.array([1.0, 0.5, 0.5]), costs), 0.0) == pytest.approx(0.5)


def test_evidence_by_hand() -> None:
    """d1 was relevant for both past queries that asked for red, of ten: S = 2, s(red) = 2, s(wine) = 0."""
    index = Index.of({"d1": "red wine", "d2": "red roses"}, "plain")
    learned = LearnedIndexing(
        prior_weight=2.0, unjudged="non-relevant", num_queries=10, asked_share=0.25, length_ratio=1.0,
        relevant_share=0.1, queries_with={"red": 2}, documents={"d1": PastQueries(2, 0, {"red": 2}, {})},
    )  # fmt: skip
    evidence = Evidence(index, learned)
    prior = math.log((2 + 0.2) / (10 - 2 + 1.8)) - math.log(0.2 / (10 + 1.8))
    red, wine = (2 + 0.5) / 4, 0.5 / 4
    asked_red = prior + math.log(red / 0.25) + math.log((1 - wine) / 0.75)
    asked_wine = prior + math.log((1 - red) / 0.75) + math.log(wine / 0.25)
    docs = np.array([0, 1])
    assert evidence.of(Query.of(["red"]), docs) == pytest.approx([asked_red, 0.0])
    assert evidence.of(Query.of(["wine"]), docs) == pytest.approx([asked_wine, 0.0])


def test_evidence_that_is_taken_back_is_gone() -> None:
    index = Index.of({"d1": "red wine", "d2": "red roses"}, "plain")
    learned = LearnedIndexing(2.0, "non-relevant", 10, 0.25, 1.0, 0.1, {}, {})
    evidence, docs = Evidence(index, learned), np.array([0, 1])
    evidence.judge(Query.of(["red"]), "d2", relevant=True)
    assert evidence.of(Query.of(["red"]), docs)[1] > 0
    evidence.judge(Query.of(["red"]), "d2", relevant=True, times=-1)
    assert evidence.of(Query.of(["red"]), docs).tolist() == [0.0, 0.0]


def test_a_judgment_of_not_relevant_is_silent_about_other_queries() -> None:
    index = Index.of({"d1": "red wine"}, "plain")
    learned = LearnedIndexing(2.0, "non-relevant", 10, 0.25, 1.0, 0.1, {}, {})
    evidence = Evidence(index, learned)
    evidence.judge(Query.of(["red"]), "d1", relevant=False)
    assert evidence.of(Query.of(["red"]), np.array([0])).tolist() == [0.0]
    assert learned.documents["d1"].other == 1


def test_probabilities_never_fall_and_every_document_is_counted() -> None:
    draws = np.random.PCG64(3).random_raw(400) / 2.0**64
    scores = np.round(draws * 20)
    fitted = ScoreCalibration.fit(scores, scores + 5 * draws[::-1] > 17)
    assert fitted.num_documents.sum() == 400
    assert (np.diff(fitted.probabilities(np.linspace(-5, 25, 60))) >= 0).all()
    assert set(np.diff(fitted.lower) > 0) == {True}, "equal scores share a range"
    assert ScoreCalibration.from_json(fitted.to_json()).shares().tolist() == fitted.shares().tolist()


def test_pooling_keeps_what_rises() -> None:
    rising = np.array([0.1, 0.2, 0.2, 0.7])
    assert pooled(rising, np.ones(4)).tolist() == rising.tolist()


def test_one_grade_only_is_an_error() -> None:
    with pytest.raises(GermaneError, match="expected relevant and non-relevant documents"):
        ScoreCalibration.fit([1.0, 2.0], [True, True])


CHOICES = [
    # values by strategy                                  levels    margin  chosen  why
    ([[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]], (1, 0), 0.0, 1, "equal: the simpler"),
    ([[0.5, 0.6, 0.7], [0.4, 0.7, 0.5]], (1, 0), 0.01, 0, "not significantly worse is not shown to be as good"),
    ([[0.505, 0.605, 0.705], [0.5, 0.6, 0.7]], (1, 0), 0.01, 1, "worse by .005 for every query: within .01"),
    ([[0.505, 0.605, 0.705], [0.5, 0.6, 0.7]], (1, 0), 0.001, 0, "and not within .001"),
]


@pytest.mark.parametrize(("values", "levels", "margin", "chosen", "why"), CHOICES)
def test_the_razor_by_hand(
    values: list[list[float]], levels: tuple[int, int], margin: float, chosen: int, why: str
) -> None:
    assert choose_within(np.array(values), np.array(levels), np.arange(3), margin) == chosen, why


def test_additions_need_significance() -> None:
    clear, noise = [0.2, 0.31, 0.4, 0.5], [0.9, 0.0, 0.1, 0.5]
    nothing = [0.1, 0.2, 0.3, 0.4]
    assert choose_addition(np.array([nothing, clear]), 0.05) == 1
    assert choose_addition(np.array([nothing, noise]), 0.05) == 0
    assert (p_value(np.zeros(4)), p_value(np.full(4, 0.5))) == (1.0, 0.0)


def test_costs_of_an_answer_by_hand() -> None:
    """Two of three are returned, one of them relevant; two relevant documents exist, one is missed."""
    marked = Marked((np.array([3.0, 2.0, 1.0]),), (np.array([True, False, True]),), np.array([3]))
    costs = Costs(relevant=-2, non_relevant=1, missed=0.5)  # threshold 2/7
    assert marked.costs(0, np.array([0.9, 0.5, 0.1]), costs) == pytest.approx(-2 + 1 + 2 * 0.5)
    assert Utility.from_json(Utility.of(costs).to_json()) == Utility.of(costs)


def test_weak_spots_are_found_where_they_were_planted_and_only_there() -> None:
    experience = Experience()
    for number in range(30):
        length = 2 if number % 2 else 8
        hits = 1 if length == 2 else 9  # of ten relevant documents each
        record = np.arange(10) < hits
        experience.record(f"q{number}", length, np.where(record, 0.6, 0.1), record, np.ones(10, np.bool_))
    found = weak_spots(experience)
    assert [(spot.kind, spot.where, spot.rate) for spot in found if spot.kind == "length"] == [
        ("length", "2 terms", "TPR")
    ]
    assert "10% [6%, 16%] of the relevant documents are returned" in found[0].description
    low = next(spot for spot in found if spot.kind == "probability")
    assert low.where == "P(R|d) from 0.1 to 0.2"
    assert "too low" in low.description
    assert {spot.where for spot in found if spot.kind == "query"} <= {f"q{number}" for number in range(1, 30, 2)}
    assert experience.confusion.cells("relevant") == Cells(TP=150, FP=0, FN=150, TN=0)
    assert Experience.from_json(experience.to_json()) == experience


def test_an_even_agent_has_no_weak_lengths() -> None:
    experience = Experience()
    for number in range(30):
        record = np.arange(10) < 5
        experience.record(f"q{number}", 2 + number % 6, np.full(10, 0.5), record, record)
    assert [spot for spot in weak_spots(experience) if spot.kind == "length"] == []
