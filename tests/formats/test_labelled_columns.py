"""Which column is what: by name, by guess, and what is said when that cannot be told."""

from typing import Any

import pytest

from germane.errors import InputError
from germane.formats.decisions.labelled_columns import GUESSES, Asked, choose_columns

GUESSED = [
    # columns                              truth           predicted        score        weight
    ("truth,prediction", "truth", ("prediction",), (), None),
    ("y_true,y_score", "y_true", (), ("y_score",), None),
    ("Y-True,Y Pred,Y_Score", "Y-True", ("Y Pred",), ("Y_Score",), None),
    ("id,label,p,sample weight", "label", (), ("p",), None),
    ("class,actual,decision", "actual", ("decision",), (), None),
    ("text,target,p_0,p_1", "target", (), ("p_1",), None),
    ("gold,predicted,output,logit,proba", "gold", ("predicted",), ("proba",), None),
]


@pytest.mark.parametrize(("columns", "truth", "predicted", "score", "weight"), GUESSED)
def test_guesses(
    columns: str, truth: str, predicted: tuple[str, ...], score: tuple[str, ...], weight: str | None
) -> None:
    chosen = choose_columns(columns.split(","), Asked(), "dev.csv")
    assert (chosen.truth, chosen.predicted, chosen.score, chosen.weight) == (truth, predicted, score, weight)
    for name in chosen.needed:
        assert any(repr(name) in said for said in chosen.guessed)


def test_no_name_is_guessed_to_be_two_things() -> None:
    names = [name for groups in GUESSES.values() for group in groups for name in group]
    assert len(names) == len(set(names))


def test_nothing_is_guessed_beside_what_is_asked_for() -> None:
    names = ["truth", "mine", "prediction", "score", "weight"]
    chosen = choose_columns(names, Asked.of(truth="truth", predicted="MINE"), "dev.csv")
    assert chosen.roles == {"truth": ("truth",), "predicted": ("mine",)}
    assert chosen.guessed == (UNUSED,)
    half = choose_columns(names, Asked.of(score="score"), "dev.csv")
    assert half.guessed == ("using column 'truth' as true labels (change with --truth)", UNUSED)


UNUSED = "column 'weight' looks like weights but is not used (use it with --weight weight)"


@pytest.mark.parametrize("asked", [{}, {"truth": "truth"}, {"score": "score"}, {"truth": "truth", "score": "score"}])
def test_whatever_is_named_nothing_is_weighed_by_a_guess(asked: dict[str, str]) -> None:
    names = ["truth", "score", "weight", "w"]
    chosen = choose_columns(names, Asked.of(**asked), "dev.csv")
    assert chosen.weight is None
    assert chosen.guessed[-2:] == (UNUSED, UNUSED.replace("weight'", "w'").replace("--weight weight", "--weight w"))
    weighed = choose_columns(names, Asked.of(**asked, weight="w"), "dev.csv")
    assert weighed.weight == "w"
    assert not any("looks like weights" in said for said in weighed.guessed)
    scored = choose_columns(names, Asked.of(**{**asked, "score": "w"}), "dev.csv")
    assert [said for said in scored.guessed if "looks like" in said] == [UNUSED]


def test_a_column_for_each_class_is_not_taken_for_one_score() -> None:
    names = ["y", *(f"proba_{label}" for label in range(10))]
    with pytest.raises(InputError, match="expected one score column, found 10: 'proba_0'") as error:
        choose_columns(names, Asked(), "digits.csv")
    assert (
        error.value.hint
        == "use `probabilities='proba'` for one column per class, or `score='proba_9'` for a single score"
    )
    assert choose_columns(names, Asked.of(score="proba_1"), "digits.csv").score == ("proba_1",)
    assert choose_columns([*names, "pred"], Asked(), "digits.csv").predicted == ("pred",)


def test_several_columns_of_a_role() -> None:
    chosen = choose_columns(["truth", "a", "b"], Asked.of(score=["b", "a"]), "dev.csv")
    assert chosen.score == ("b", "a")


def test_a_column_belongs_to_the_longest_prefix_that_fits() -> None:
    names = ["truth", "p_cat", "p_dog", "p_new_cat", "p_new_dog"]
    chosen = choose_columns(names, Asked.of(probabilities=["p", "p_new"]), "dev.csv")
    assert chosen.probabilities == {
        "p": {"cat": "p_cat", "dog": "p_dog"},
        "p_new": {"cat": "p_new_cat", "dog": "p_new_dog"},
    }
    with pytest.raises(InputError, match="expected different prefixes, found p, P_"):
        choose_columns(names, Asked.of(probabilities=["p", "P_"]), "dev.csv")


@pytest.mark.parametrize("asked", [{"probabilities": "p"}, {"probabilities": ["p_*"]}, {"score": "P-*"}])
def test_probabilities_by_the_beginning_of_their_names(asked: dict[str, Any]) -> None:
    chosen = choose_columns(["truth", "p_cat", "P_big dog", "other"], Asked.of(**asked), "dev.csv")
    assert list(chosen.probabilities.values()) == [{"cat": "p_cat", "big dog": "P_big dog"}]
    assert chosen.roles == {"truth": ("truth",), "probabilities": ("p_cat", "P_big dog")}


WRONG = [
    # columns, what is asked for, the message, the hint
    (
        "a,b",
        {},
        "expected a column of true labels (truth, y_true, gold, actual, …), found 'a', 'b'",
        "use `truth=…`",
    ),
    (
        "1,0.5",
        {},
        "expected a column of true labels (truth, y_true, gold, actual, …), found '1', '0.5'",
        "use `truth=…`; if the file has no header, add one such as `truth,score` as its first "
        "line, or use column numbers: `truth=1` `score=2`",
    ),
    (
        "truth,text",
        {},
        "expected a column of predictions or scores besides the true labels 'truth' (predicted, prediction, pred, "
        "y_pred, …), found 'truth', 'text'",
        "use `predicted=…` or `score=…`",
    ),
    (
        "label,target,score",
        {},
        "expected one column of true labels, found 'label' and 'target'",
        "choose one with `truth=…`",
    ),
    (
        "truth,prob,score",
        {},
        "expected one column of scores, found 'prob' and 'score'",
        "choose one with `score=…`",
    ),
    (
        "truth,score",
        {"score": "scroe"},
        "unknown column 'scroe'; did you mean score?",
        "choose from 'truth', 'score'",
    ),
    (
        "truth,Score,SCORE",
        {"score": "score"},
        "expected one column 'score', found 'Score' and 'SCORE'",
        "use the exact name, such as 'Score'",
    ),
    (
        "truth,score,truth",
        {},
        "duplicate column 'truth' among 'truth', 'score', 'truth'",
        "rename one of them",
    ),
    (
        "truth,score",
        {"predicted": "truth"},
        "column 'truth' cannot be used as both true labels and predictions",
        "choose another column for one of them",
    ),
    (
        "truth,p_cat",
        {"probabilities": "p"},
        "expected one column per class starting with 'p', found p_cat",
        "use the common prefix of these columns, such as p for p_cat and p_dog; found 'truth', 'p_cat'",
    ),
]


@pytest.mark.parametrize(("columns", "asked", "problem", "hint"), WRONG)
def test_what_cannot_be_told_is_said(columns: str, asked: dict[str, Any], problem: str, hint: str | None) -> None:
    with pytest.raises(InputError) as caught:
        choose_columns(columns.split(","), Asked.of(**asked), "dev.csv", 1)
    assert (caught.value.message, caught.value.hint) == (f"dev.csv:1: {problem}", hint)
