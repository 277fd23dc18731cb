"""Every task of the course: what it shows leads to its value, and nothing about it is trivial."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import germane as ge
from germane.errors import GermaneError
from germane.exercises.answers import parse_answer
from germane.exercises.kinds import KINDS, kinds_of
from germane.exercises.mistakes import check_answer
from germane.exercises.sheet import Sheet
from germane.exercises.task import Mistake, Table, Task, distinct_mistakes, near

SEEDS = (1, 2)
COURSE = [(kind.name, topic) for kind in KINDS for topic in kind.topics]
MISSED = re.compile(r"not retrieved: (.*?)\.(?= |$)")


# What a task shows leads to its value: from the printed tables, by another way


def ranking_value(task: Task) -> float:
    """Read the ranking off the sheet as a student does, and evaluate it."""
    (table,) = task.given
    grades = {doc: {"yes": 1, "no": 0}.get(word) for _, doc, word in table.rows}
    grades = {doc: int(word) if grades[doc] is None else grades[doc] for _, doc, word in table.rows}
    found = MISSED.search(task.question)
    assert found is not None
    for missed in found[1].split(", "):
        doc, _, grade = missed.partition(" (grade ")
        grades[doc] = int(grade.rstrip(")") or 1)
    run = {"Q": {doc: -float(rank) for rank, doc, _ in table.rows}}
    scores = ge.evaluate({"Q": grades}, run, task.topic, collection_size=20)
    return next(iter(scores.mean()["run"].values()))


def queries_value(task: Task) -> float:
    (table,) = task.given
    *rows, totals = table.rows
    queries = table.header[1:]
    qrels: dict[str, dict[str, int]] = {query: {} for query in queries}
    run: dict[str, dict[str, float]] = {query: {} for query in queries}
    for rank, *cells in rows:
        for query, cell in zip(queries, cells, strict=True):
            if cell:
                qrels[query][rank], run[query][rank] = int(cell == "relevant"), -float(rank)
    for query, total in zip(queries, totals[1:], strict=True):
        qrels[query] |= {f"missed {n}": 1 for n in range(int(total) - sum(qrels[query].values()))}
    name = {"MAP": "AP", "MRR": "RR", "micro-P": "P", "micro-R": "R"}[task.topic]
    how = "micro" if task.topic.startswith("micro") else "mean"
    return ge.evaluate(qrels, run, name).aggregate(how)["run"][name]


def cells_of(task: Task) -> dict[str, int]:
    (_, tp, fn), (_, fp, tn) = task.given[0].rows
    return {"TP": int(tp), "FN": int(fn), "FP": int(fp), "TN": int(tn)}


def rate_value(task: Task) -> float:
    cells = cells_of(task)
    matrix = [[cells["TN"], cells["FP"]], [cells["FN"], cells["TP"]]]
    items = [(i, j) for i in (0, 1) for j in (0, 1) for _ in range(matrix[i][j])]
    truth, predicted = zip(*items, strict=True)
    return ge.classify(truth, predicted, measures=[task.topic], resamples=40)[task.topic].value


def classes_value(task: Task) -> float:
    (table,) = task.given
    matrix = np.array([[int(cell) for cell in row[1:]] for row in table.rows])
    truth = [i for i in range(3) for j in range(3) for _ in range(matrix[i, j])]
    predicted = [j for i in range(3) for j in range(3) for _ in range(matrix[i, j])]
    is_first, called_first = np.equal(truth, 0), np.equal(predicted, 0)
    oracles: dict[str, Callable[[], float]] = {
        "ACC": lambda: metrics.accuracy_score(truth, predicted),
        "BA": lambda: metrics.balanced_accuracy_score(truth, predicted),
        "PPV": lambda: metrics.precision_score(is_first, called_first),
        "TPR": lambda: metrics.recall_score(is_first, called_first),
        "TNR": lambda: metrics.recall_score(~is_first, ~called_first),
    }
    return oracles[task.topic]()


def items_of(task: Task) -> tuple[list[int], list[float]]:
    rows = task.given[0].rows
    return [int(label == "P") for _, label in rows], [float(score) for score, _ in rows]


def equal_error(labels: list[int], scores: list[float]) -> float:
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    place = np.abs(fpr[1:] + tpr[1:] - 1).argmin() + 1
    return float((fpr[place] + 1 - tpr[place]) / 2)


def score_value(task: Task) -> float:
    oracles = {"AUC": metrics.roc_auc_score, "AP": metrics.average_precision_score, "EER": equal_error}
    return float(oracles[task.topic](*items_of(task)))


def threshold_value(task: Task) -> float:
    labels, scores = items_of(task)
    fpr, tpr, thresholds = metrics.roc_curve(labels, scores, drop_intermediate=False)
    share = sum(labels) / len(labels)
    best = {
        "accuracy": tpr * share + (1 - fpr) * (1 - share),
        "youden": tpr - fpr,
        "closest": -np.hypot(fpr, 1 - tpr),
    }[task.topic]
    return float(thresholds[best.argmax()])


def agreement_value(task: Task) -> float:
    one, other = [], []
    for first, second, count in task.given[0].rows:
        one += [first == "relevant"] * int(count)
        other += [second == "relevant"] * int(count)
    if task.topic == "kappa":
        return float(metrics.cohen_kappa_score(one, other))
    agreed, pooled = np.equal(one, other).mean(), np.mean([one, other])
    expected = pooled**2 + (1 - pooled) ** 2
    return float((agreed - expected) / (1 - expected))


def value_of_test(task: Task) -> float:
    a, b = (np.array([float(row[place]) for row in task.given[0].rows]) for place in (1, 2))
    gain = np.round(b - a, 2)
    if task.topic == "t":
        return float(stats.ttest_rel(b, a).statistic)
    if task.topic == "sign":
        return float(stats.binomtest(int((gain > 0).sum()), len(gain)).pvalue)
    if task.topic == "wilcoxon":
        return float(stats.rankdata(np.abs(gain))[gain > 0].sum())
    return float(gain.mean() + 1.959964 * stats.sem(gain))


def correlation_value(task: Task) -> float:
    ideal = {doc: int(rank) for rank, doc, _ in task.given[0].rows}
    ranks = [ideal[doc] for _, _, doc in task.given[0].rows]
    if task.topic == "spearman":
        return float(stats.spearmanr(range(len(ranks)), ranks).statistic)
    if task.topic == "tau-a":
        return float(stats.kendalltau(range(len(ranks)), ranks).statistic)
    shares = [np.mean([above < rank for above in ranks[:place]]) for place, rank in enumerate(ranks) if place]
    return float(2 * np.mean(shares) - 1)


def prediction_value(task: Task) -> float:
    rows = task.given[0].rows
    if task.topic == "MSE":
        return float(metrics.mean_squared_error(*(list(map(float, column)) for column in zip(*rows, strict=True))))
    return float(metrics.log_loss([word == "yes" for word, _ in rows], [float(p) for _, p in rows]))


def model_value(task: Task) -> float:
    found = re.search(r"query '(.*?)'", task.question)
    assert found is not None
    index = ge.retrieval.Index.of({row[0]: row[1] for row in task.given[0].rows}, analyser="plain")
    return ge.search(index, found[1], task.topic, 10)[found[1]][task.given[0].rows[0][0]]


def feedback_value(task: Task) -> float:
    gamma = 0.25 if "0.25" in task.topic else 0.15
    term = re.search(r"weight of '(.*?)'", task.question)
    assert term is not None
    counts = [text.split().count(term[1]) for _, text in task.given[0].rows]
    return 1 + 0.75 * (counts[0] + counts[1]) / 2 - gamma * (counts[2] + counts[3]) / 2


SHOWN: dict[str, Callable[[Task], float]] = {
    "ranking": ranking_value,
    "queries": queries_value,
    "rates": rate_value,
    "classes": classes_value,
    "scores": score_value,
    "threshold": threshold_value,
    "agreement": agreement_value,
    "tests": value_of_test,
    "correlation": correlation_value,
    "predictions": prediction_value,
    "model": model_value,
    "feedback": feedback_value,
}


def test_the_law_catches_a_task_that_shows_something_else() -> None:
    task = Sheet(("AP",), 1).tasks[0]
    (table,) = task.given
    turned = [(rank, doc, word) for (rank, doc, _), (_, _, word) in zip(table.rows, table.rows[::-1], strict=True)]
    other = Task(task.topic, task.question, (type(table)(table.header, tuple(turned)),), (), task.value, "")
    assert ranking_value(other) != pytest.approx(task.value, abs=1e-6)


# Laws of all tasks


def trivial(task: Task) -> list[str]:
    """What makes a task too easy, or unclear."""
    found = []
    if not math.isfinite(task.value):
        found.append("no value")
    if not task.topic.startswith("Success") and not task.mistakes:
        found.append("nothing can go wrong")
    if any(near(mistake.value, task.value) for mistake in task.mistakes):
        found.append("a mistake has the right value")
    if not task.definition or not task.question.endswith(("?", "natural logarithms.")):
        found.append("no definition or no question")
    numbers = re.findall(r"-?\d+(?:\.\d+)?", task.solution.rpartition("\n")[2])
    if not any(abs(float(number) - task.value) < 6e-5 * max(1, abs(task.value)) for number in numbers):
        found.append("the last line of the solution lacks the value")
    return found


def test_the_law_catches_trivial_tasks() -> None:
    good = Sheet(("AP",), 1).tasks[0]
    broken = {
        "no value": Task("AP", "What?", (), ("AP",), math.nan, "= nan", good.mistakes),
        "nothing can go wrong": Task("AP", "What?", (), ("AP",), 0.5, "= 0.5"),
        "a mistake has the right value": Task("AP", "What?", (), ("AP",), 0.5, "= 0.5", (Mistake("guessed", 0.5),)),
        "no definition or no question": Task("AP", "AP.", (), (), 0.5, "= 0.5", (Mistake("guessed", 0.1),)),
        "the last line of the solution lacks the value": Task(
            "AP", "What?", (), ("AP",), 0.5, "= 1", (Mistake("x", 0.1),)
        ),
    }
    for problem, task in broken.items():
        assert problem in trivial(task)


def one_sided(task: Task) -> list[str]:
    """What a ranking lacks, or which scores are tied."""
    rows = task.given[0].rows
    words = {cell for row in rows for cell in row[1:]}
    found = [] if {"yes", "relevant", "1", "2", "3"} & words else ["nothing relevant"]
    return found + ([] if {"no", "non-relevant", "0"} & words else ["everything is relevant"])


def not_told(task: Task) -> list[str]:
    """The mistakes whose value is taken for right, or for another mistake."""
    wrong = [] if check_answer(task, parse_answer(f"{task.value:.4f}")) == ("right", "") else ["the right value"]
    return wrong + [
        mistake.done
        for mistake in task.mistakes
        if check_answer(task, parse_answer(f"{mistake.value:.4f}")) != ("wrong", mistake.done)
    ]


@pytest.mark.parametrize(("kind", "topic"), COURSE)
def test_a_task_of_the_course(kind: str, topic: str) -> None:
    """One test for all laws: drawing takes longer than looking."""
    assert kinds_of(topic)[0][0].name == kind, "a topic of the course means its own kind"
    for seed in SEEDS:
        task = Sheet((topic,), seed).tasks[0]
        assert task.value == pytest.approx(SHOWN[kind](task), abs=1e-6), task.question
        assert trivial(task) == []
        assert not_told(task) == []
        if kind in ("ranking", "queries"):
            assert one_sided(task) == []
        if kind in ("scores", "threshold"):
            assert len({score for score, _ in task.given[0].rows}) == len(task.given[0].rows), "no ties"


def test_the_laws_catch_what_they_are_for() -> None:
    table = Table(("rank", "document", "relevant"), (("1", "A", "yes"), ("2", "B", "yes")))
    assert one_sided(Task("P", "What?", (table,), (), 1.0, "")) == ["everything is relevant"]
    twins = (Mistake("guessed", 0.1), Mistake("guessed again", 0.1))
    assert not_told(Task("P", "What?", (), (), 0.5, "", twins)) == ["guessed again"]
    assert not_told(Task("P", "What?", (), (), 0.5, "", (Mistake("right", 0.5),))) == ["right"]


# The mistakes of the lectures, by hand


def test_the_mistakes_of_average_precision_by_hand() -> None:
    from germane.exercises.tasks.ranking_mistakes import Drawn, ranking_mistakes

    drawn = Drawn(("A", "B", "C"), {"A": 1, "B": 0, "C": 1, "D": 1})
    found = {mistake.done: mistake.value for mistake in ranking_mistakes(drawn, ge.measures.MEASURES.parse("AP"))}
    by_start = {done[:24]: value for done, value in found.items()}
    assert by_start["divided by the relevant "] == pytest.approx((1 + 2 / 3) / 2)
    assert by_start["averaged the precision a"] == pytest.approx((1 + 1 / 2 + 2 / 3) / 3)
    assert by_start["given the precision of t"] == pytest.approx(2 / 3)


def test_the_mistakes_of_ndcg_by_hand() -> None:
    from germane.exercises.tasks.ranking_mistakes import Drawn, ranking_mistakes

    drawn = Drawn(("A", "B", "C"), {"A": 0, "B": 2, "C": 1, "D": 3})
    found = {mistake.done: mistake.value for mistake in ranking_mistakes(drawn, ge.measures.MEASURES.parse("nDCG@3"))}
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    dcg = 2 / math.log2(3) + 1 / 2
    by_start = {done[:20]: value for done, value in found.items()}
    assert by_start["not divided by the D"] == pytest.approx(dcg)
    assert by_start["ignored relevant doc"] == pytest.approx(dcg / (2 + 1 / math.log2(3)))
    at_log_of_rank = (2 / 1 + 1 / math.log2(3)) / (3 + 2 / 1 + 1 / math.log2(3))
    assert by_start["divided by log2(i) f"] == pytest.approx(at_log_of_rank)
    assert dcg / ideal == pytest.approx(drawn.value(ge.measures.MEASURES.parse("nDCG@3")))


def test_a_mistake_that_cannot_be_told_apart_is_left_out() -> None:
    told = distinct_mistakes(0.5, [Mistake("a", 0.501), Mistake("b", math.nan), Mistake("c", 0.7), Mistake("d", 0.7)])
    assert [mistake.done for mistake in told] == ["c, or d"], "two ways to one value are told together"
    near_by = distinct_mistakes(0.5, [Mistake("c", 0.7), Mistake("d", 0.701), Mistake("e", 0.7, general=True)])
    assert [mistake.done for mistake in near_by] == ["c"], "neither what is only near, nor what goes wrong anywhere"
    assert distinct_mistakes(0.5, [Mistake("c", 0.7), Mistake("c", 0.7)]) == (Mistake("c", 0.7),)


def test_whoever_gives_the_ppv_for_the_tpr_may_have_exchanged_rows_and_columns() -> None:
    done = [mistake.done for mistake in Sheet(("TPR",), 7).tasks[0].mistakes]
    assert (
        "exchanged rows and columns: the rows are the true labels, or given the PPV (positive predictive value)"
        in " ".join(done)
    )


# What a solution and a definition show


DECIDES = {"accuracy": ("ACC", max), "youden": ("TPR + TNR - 1", max), "closest": ("(1 - TPR)^2 + FPR^2", min)}


def decided_elsewhere(task: Task) -> list[str]:
    """The thresholds, other than the value, at which the last column of the worked table is best."""
    header, best = DECIDES[task.topic]
    first, *rows = task.solution.partition("\n\n")[0].splitlines()
    if not first.endswith(f" {header}"):
        return ["no column has it"]
    found = {float(row.split()[1]): float(row.split()[-1]) for row in rows}
    return [str(score) for score in found if found[score] == best(found.values()) and score != task.value]


@pytest.mark.parametrize("rule", DECIDES)
def test_the_table_of_a_threshold_shows_what_decides(rule: str) -> None:
    for seed in (1, 2, 5):
        (task,) = Sheet((f"threshold:{rule}",), seed).tasks
        assert decided_elsewhere(task) == []


def test_the_law_catches_a_table_that_shows_something_else() -> None:
    (task,) = Sheet(("threshold:closest",), 5).tasks
    assert decided_elsewhere(replace(task, value=0.94)) == ["0.91"]
    assert decided_elsewhere(replace(task, topic="youden")) == ["no column has it"]


NAMED = [
    # topic          values       why
    ("E", "b = 1", "by default"),
    ("E(b=2)", "b = 2", "as asked for"),
    ("F1", "beta = 1", "as the name says"),
    ("rates:F2", "beta = 2", "of a rate, too"),
    ("classes:F2", "beta = 2", "and of one class"),
    ("Rprec", "times = 1", "so that `with times = f` does not apply"),
    ("RBP", "p = 0.8", "a decimal"),
    ("IPrec@0.5", "to = beyond", "a word"),
    ("AP", None, "`over` is a parameter, and in the formula a word of English"),
    ("PAtRecall@0.4", None, "what stands after the @ is in the question"),
]


@pytest.mark.parametrize(("topic", "values", "why"), NAMED)
def test_a_definition_has_the_values_that_its_formula_names(topic: str, values: str | None, why: str) -> None:
    lines = Sheet((topic,), 3).tasks[0].definition
    assert [line for line in lines if re.fullmatch(r"\w+ = [\w.]+", line)] == ([values] if values else []), why


# Names


def test_a_name_of_two_meanings_has_both() -> None:
    assert [kind.name for kind, _ in kinds_of("F1")] == ["ranking", "rates"]
    assert [kind.name for kind, _ in kinds_of("kappa")] == ["agreement", "rates"]
    assert [kind.name for kind, _ in kinds_of("rates:kappa")] == ["rates"]


def test_beyond_the_course() -> None:
    for topic in ("RBP", "nERR@5", "Jaccard", "PL2", "BM25(k1=0.9)", "ltc.lnc"):
        (task,) = Sheet((topic,), 4).tasks
        assert trivial(task) == []


def test_what_has_no_task() -> None:
    with pytest.raises(GermaneError, match="unknown topic 'kapa'; did you mean kappa"):
        kinds_of("kapa")
    with pytest.raises(GermaneError, match="unknown topic 'alpha_nDCG'"):
        kinds_of("alpha_nDCG")
    with pytest.raises(GermaneError, match="its value is always trivial"):
        _ = Sheet(("NumQ",)).tasks
