"""The judgments that ship with the demonstration: two whole passes over one pool, on the scale of the rubric."""

from __future__ import annotations

from collections import Counter
from importlib.resources import as_file, files

import pytest

from germane.api.truth.agreement import agree
from germane.demo.library_documents import read_library
from germane.formats.truth.judgments_file import read_events
from germane.formats.truth.pool_file import read_pool
from germane.tables.truth.judgments import JudgmentEvent
from germane.tables.truth.pool import Pool
from tests.demo.shipped_questions import demo_rubric, questions

PASSES = ("first", "second")


@pytest.fixture(scope="module")
def passes() -> dict[str, list[JudgmentEvent]]:
    with as_file(files("germane") / "data" / "demo") as folder:
        return {name: read_events(folder / f"judgments_{name}.jsonl.gz") for name in PASSES}


@pytest.fixture(scope="module")
def pool() -> Pool:
    with as_file(files("germane") / "data" / "demo") as folder:
        return read_pool(folder / "pool.jsonl.gz")


@pytest.mark.parametrize("name", PASSES)
def test_each_pass_grades_each_pooled_document_once(
    passes: dict[str, list[JudgmentEvent]], pool: Pool, name: str
) -> None:
    assert Counter(event.pair for event in passes[name]) == Counter((item.topic, item.doc) for item in pool.items)
    assert {event.assessor for event in passes[name]} == {name}
    assert {event.kind for event in passes[name]} == {"grade"}
    assert {event.pool for event in passes[name]} == {pool.hash}
    assert {event.grade for event in passes[name]} == set(demo_rubric().values)


def test_the_passes_agree_as_the_documentation_says(passes: dict[str, list[JudgmentEvent]]) -> None:
    kappa = agree([event for each in passes.values() for event in each], resamples=100)["kappa"]
    assert kappa == pytest.approx(0.971, abs=0.0005)


def test_every_question_has_several_relevant_documents(passes: dict[str, list[JudgmentEvent]]) -> None:
    for name in PASSES:
        found = Counter(event.topic for event in passes[name] if event.grade)
        assert set(found) == set(questions())
        assert min(found.values()) >= 5
        assert max(found.values()) <= 30


def test_nearly_all_judged_names_are_in_this_python(pool: Pool) -> None:
    missing = sorted({item.doc for item in pool.items} - read_library().ids)
    assert len(missing) < 0.05 * len(pool.items), missing[:10]
