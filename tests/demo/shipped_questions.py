"""The questions of the demonstration, and the scale on which their answers were judged.

The questions are a programmer's who knows the task and not the name of what does it. Each has a title, which is what
is searched for, a sentence about the need, and a narrative, which says what deserves which grade.
"""

from __future__ import annotations

from importlib.resources import as_file, files

from germane.formats.truth.topics_file import Topic, read_topics
from germane.judging.rubric import Rubric

DATA = files("germane") / "data" / "demo"


def questions() -> dict[str, Topic]:
    """The questions by id, in order.

    >>> questions()["q01"].title
    'remove common leading white space from a text'
    """
    with as_file(DATA / "questions.tsv") as path:
        return read_topics(path)


def demo_rubric() -> Rubric:
    """The scale: three grades, of which the lowest is not relevant.

    >>> [grade.label for grade in demo_rubric().grades]
    ['no use', 'helps', 'answers it']
    """
    return Rubric.from_json((DATA / "rubric.json").read_text(encoding="utf-8"))
