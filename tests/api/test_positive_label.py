"""Which label is the positive one."""

from typing import Any

import pytest

import germane as ge
from germane.api.decisions.positive_class import positive_label
from germane.errors import GermaneError
from germane.tables.decisions.confusion import Label

# fmt: off
TOLD = [
    # labels                asked   positive  why
    ([0, 1],                None,   1,        "the greater one"),
    ([-1, 1],               None,   1,        "the greater one"),
    ([False, True],         None,   True,     "the greater one"),
    ([0.0, 1.0],            None,   1.0,      "whatever the type"),
    (["0", "1"],            None,   "1",      "whatever the type"),
    ([1],                   None,   1,        "the negative one is missing"),
    ([0],                   None,   None,     "the positive one is missing"),
    (["no"],                None,   None,     "the positive one is missing"),
    (["NO", "Yes"],         None,   "Yes",    "any case"),
    (["N", "P"],            None,   "P",      "p / n"),
    (["N", "Y"],            None,   "Y",      "y / n"),
    (["f", "t"],            None,   "t",      "t / f"),
    (["neg", "pos"],        None,   "pos",    "pos / neg"),
    (["a", "b", "c"],       None,   None,     "three classes have no positive one"),
    (["a", "b", "c"],       "b",    "b",      "unless it is asked for"),
    ([0, 1],                "1",    1,        "the command line has text only"),
    ([0, 1],                "0",    0,        "what is asked for counts"),
    ([0.0, 1.0],            "1",    1.0,      "one number, two spellings"),
    ([False, True],         "true", True,     "any case"),
    (["0", "1"],            1,      "1",      "the other way round"),
    (["yes", "no"],         "no",   "no",     "what is asked for counts"),
]
# fmt: on


@pytest.mark.parametrize(("labels", "asked", "positive", "why"), TOLD)
def test_the_positive_label(labels: list[Label], asked: Label | None, positive: Label | None, why: str) -> None:
    found, _ = positive_label(labels, asked)
    assert (found, type(found)) == (positive, type(positive)), why


def test_a_label_told_from_its_word_is_said_and_others_are_not() -> None:
    _, note = positive_label(["negative", "positive"])
    assert note is not None
    assert note.message == "using 'positive' as positive label, 'negative' as negative (change with --positive)"
    assert positive_label([0, 1])[1] is None
    assert positive_label(["yes", "no"], "no")[1] is None


@pytest.mark.parametrize(
    ("labels", "asked", "said"),
    [
        (
            ["cat", "dog"],
            None,
            "cannot tell which label is positive: 'cat' and 'dog'\nHint: for example `positive='dog'`",
        ),
        ([1, 2], None, "cannot tell which label is positive: 1 and 2"),
        (["yes", "maybe"], None, "cannot tell which label is positive"),
        ([0, 1], "2", "the positive label '2' does not occur\nHint: choose from 0, 1"),
        (["spam", "ham"], "Spam", "does not occur; did you mean spam?"),
    ],
)
def test_nothing_is_guessed(labels: list[Label], asked: Label | None, said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        positive_label(labels, asked)


def test_scikit_learn_s_word_is_an_alias() -> None:
    """Typed code says `positive`; what is moved from scikit-learn works as it is."""
    given: dict[str, Any] = {"pos_label": "a"}
    (found,) = ge.classify(["a", "b", "b"], ["a", "a", "b"], **given)
    assert (found.positive, found["TPR"].value) == ("a", 1.0)
    with pytest.raises(GermaneError, match="classify: expected positive or its alias pos_label, found both"):
        ge.classify(["a", "b"], ["a", "b"], positive="a", **given)
