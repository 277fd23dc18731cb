"""Bounds under unjudged documents by brute force: the extremes over every grade that each of them could have."""

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings

from germane.errors import MeasureError
from germane.measures.bounds import bounds
from germane.measures.definition import MEASURES, work
from germane.tables.rankings.measure import Measure
from tests.made_runs import Topic, all_settings, is_judged, judged_run, topics

SCALE = 2
DOCUMENTS = ("-", "-1", "-", "0", "1", "2")


def is_tight(measure: Measure) -> bool:
    given = dict(measure.parameters)
    loose = "judged_only" in given or "times" in given or given.get("over") == "retrieved"
    loose |= given.get("empty") == "skip" or given.get("by") == "query"
    return MEASURES[measure].unjudged is not None and not loose


def worlds(topic: Topic) -> Iterator[Topic]:
    """The topic with each retrieved unjudged document given each grade of the scale."""
    unjudged = [i for i, document in enumerate(topic.documents) if not is_judged(document)]
    for grades in itertools.product(map(str, range(SCALE + 1)), repeat=len(unjudged)):
        imagined = dict(zip(unjudged, grades, strict=True))
        yield topic.with_documents([imagined.get(i, document) for i, document in enumerate(topic.documents)])


@settings(max_examples=30)
@given(topic=topics(documents=DOCUMENTS, max_size=5))
@example(topic=Topic.of("- 0 1 - -", "1"))
@example(topic=Topic.of("[- 1 -1 2]", "-1 2"))
def test_bounds_are_the_extremes_over_all_judgments(topic: Topic) -> None:
    run, imagined = judged_run([topic], scale=SCALE), judged_run(list(worlds(topic)), scale=SCALE)
    for measure in filter(is_tight, all_settings()):
        [low], [high] = bounds(measure, run)
        values = work(measure, imagined).value
        assert (low, high) == pytest.approx((values.min(), values.max()), abs=1e-12), str(measure)


@settings(max_examples=20)
@given(topic=topics(documents=("0", "1", "2"), max_size=5))
def test_bounds_meet_where_all_is_judged(topic: Topic) -> None:
    run = judged_run([topic], scale=SCALE)
    for measure in filter(is_tight, all_settings()):
        value = work(measure, run).value.tolist()
        low, high = bounds(measure, run)
        assert (low.tolist(), high.tolist()) == (value, value), str(measure)


def test_what_has_bounds_at_least() -> None:
    able = {definition.name for definition in MEASURES if definition.unjudged}
    assert able >= {"P", "Success", "RR", "RBP", "ERR", "CG", "DCG", "R", "AP", "Rprec"}


# fmt: off
NOT_TIGHT = [
    # measure                    why
    ("nDCG",                     "more gain at the end also raises the ideal; nothing exact is known"),
    ("AP(over=retrieved)",       "a relevant document found late lowers the mean"),
    ("AP(empty=skip)",           "whether the query counts at all hangs on the unjudged ones"),
    ("AP(judged_only=true)",     "once judged it would not be taken out"),
    ("RBP(by=query)",            "the highest grade of the query may be an unjudged one"),
    ("Rprec(times=2)",           "the rank at which it looks moves with R"),
    ("CG(gain=1:9/2:1)",         "the gain of a table need not grow with the grade"),
    ("DCG(gain=1:9/2:1)@3",      "the gain of a table need not grow with the grade"),
]
# fmt: on


@pytest.mark.parametrize(("measure", "why"), NOT_TIGHT)
def test_no_bounds_are_made_up(measure: str, why: str) -> None:
    with pytest.raises(MeasureError, match="bounds for unjudged documents are not available"):
        bounds(MEASURES.parse(measure), judged_run([Topic.of("1 - 2")], scale=SCALE))
    assert why


def test_bounds_need_one_order_of_the_ties() -> None:
    with pytest.raises(MeasureError, match="not supported with `ties='expected'`"):
        bounds(MEASURES.parse("P"), judged_run([Topic.of("[1 -]")], ties="expected"))
