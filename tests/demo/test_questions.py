"""The questions of the demonstration and their scale, as they ship."""

import re
from collections.abc import Iterable

import pytest

from germane.formats.truth.topics_file import Topic
from tests.demo.shipped_questions import demo_rubric, questions


def incomplete(topics: Iterable[Topic]) -> list[str]:
    """The questions that lack a part, or whose narrative does not say what deserves each grade."""
    return [
        topic.id
        for topic in topics
        if not (topic.title and topic.description and re.fullmatch(r"Grade 2: .+\. Grade 1: .+\.", topic.narrative))
    ]


def test_there_are_enough_questions_and_each_is_another() -> None:
    asked = questions()
    assert len(asked) >= 60
    assert list(asked) == [f"q{number:02}" for number in range(1, len(asked) + 1)]
    assert len({topic.title for topic in asked.values()}) == len(asked)


def test_each_question_says_what_is_wanted_and_how_to_judge_it() -> None:
    assert incomplete(questions().values()) == []


@pytest.mark.parametrize(
    "specimen",
    [
        Topic("a", "title", "", "Grade 2: this. Grade 1: that."),
        Topic("b", "title", "description", "Grade 2: this."),
        Topic("c", "", "description", "Grade 2: this. Grade 1: that."),
    ],
)
def test_the_law_catches_an_incomplete_question(specimen: Topic) -> None:
    assert incomplete([specimen]) == [specimen.id]


def test_three_grades_of_which_the_lowest_is_not_relevant() -> None:
    rubric = demo_rubric()
    assert list(rubric.values) == [0.0, 1.0, 2.0]
    assert rubric.rel == 1
    assert all(grade.text for grade in rubric.grades)
    assert rubric.text
