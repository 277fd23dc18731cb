"""A streamed classifier has the numbers of one that is read at once, to the last bit."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import germane as ge
from germane.api.decisions.streamed_scores import STREAMED
from germane.errors import GermaneError
from germane.formats.decisions import labelled_rows
from germane.tables.decisions import score_spill


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("PART", 7), ("HELD", 10), ("WINDOW", 6), ("SMALLEST_WINDOW", 2)):
        monkeypatch.setattr(score_spill, name, size)
    monkeypatch.setattr(labelled_rows.stream_labelled, "__kwdefaults__", {"format": None, "batch_rows": 11})


def written(path: Path, **columns: Any) -> str:
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows)]))
    return str(path)


def said(found: Any) -> list[tuple[str, str]]:
    """The notes, but for the advice on a curve below the diagonal: a stream cannot be inverted."""
    return [(note.code, "" if note.code == "below-diagonal" else note.message) for note in found.notes]


def violations(whole: Any, stream: Any) -> list[str]:
    """The measures of a streamed result that differ from those of the whole."""
    found = [] if set(whole.overall) - set(stream.overall) <= {"AP(area=interpolated)"} else ["measures are missing"]
    for name, there in stream.overall.items():
        here = whole.overall[name]
        ends = ("value",) if "no interval with --stream" in there.remark else ("value", "low", "high")
        if repr([getattr(here, end) for end in ends]) != repr([getattr(there, end) for end in ends]):  # NaN is NaN
            found.append(f"{name}: {here} and {there}")
    if whole.confusion is not None and whole.confusion.counts.tolist() != stream.confusion.counts.tolist():
        found.append("the matrix")
    if said(whole) != said(stream):
        found.append(f"{whole.notes} and {stream.notes}")
    if (whole.positive, whole.threshold, whole.seed) != (stream.positive, stream.threshold, stream.seed):
        found.append("the settings")
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 20).map(lambda s: s / 20), st.integers(1, 3)),
        min_size=4,
        max_size=60,
    ),
    scale=st.sampled_from([1, 3]),
    options=st.sampled_from(
        [{}, {"threshold": 0.3}, {"weight": "w"}, {"auc_scale": "plain"}, {"positive": "0"}, {"predicted": "w"}]
    ),
)
def test_a_stream_finds_what_reading_at_once_finds(
    rows: list[tuple[int, float, int]], scale: int, options: dict[str, Any], tmp_path: Path
) -> None:
    truth, score, weight = zip(*rows, strict=True)
    if len({*truth}) < 2:
        return
    if "predicted" in options:
        weight = tuple(w % 2 for w in weight)
    path = written(tmp_path / "items.csv", label=truth, score=[scale * s for s in score], w=weight)
    asked: dict[str, Any] = {"score": "score", "resamples": 40, "seed": 3, **options}
    whole, stream = ge.classify(path, **asked)[0], ge.classify(path, stream=True, **asked)[0]
    assert violations(whole, stream) == []


def test_the_law_catches_another_value(tmp_path: Path) -> None:
    first = written(tmp_path / "a.csv", label=[0, 1, 0, 1], score=[0.1, 0.9, 0.2, 0.4])
    second = written(tmp_path / "b.csv", label=[0, 1, 0, 1], score=[0.1, 0.9, 0.2, 0.400001])
    assert violations(ge.classify(first)[0], ge.classify(second, stream=True)[0]) != []


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_many_full_scores_in_any_order(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    random = np.random.default_rng(3)
    truth = (random.random(5000) < 0.3).astype(int)
    score = np.sort(1 / (1 + np.exp(-random.normal(size=5000) - truth)))  # the worst order for bins of the first rows
    for size in ("PART", "HELD", "WINDOW"):
        monkeypatch.setattr(score_spill, size, 500)
    monkeypatch.setattr(labelled_rows.stream_labelled, "__kwdefaults__", {"format": None, "batch_rows": 1000})
    path, table = tmp_path / f"items.{name}", pa.table({"label": truth, "score": score})
    csv.write_csv(table, path) if name == "csv" else parquet.write_table(table, path)
    if not truth[:1000].any():
        truth[0] = 1
    whole, stream = ge.classify(str(path))[0], ge.classify(str(path), stream=True)[0]
    assert violations(whole, stream) == []
    assert stream["log_loss"].has_interval
    assert stream["Brier"].has_interval
    assert not any(each.method == "bound" for each in stream.overall.values())


@pytest.mark.parametrize(
    ("score", "label", "measure", "value"),
    [
        ([0.0, 1.0, 0.5, 0.2], [1, 0, 1, 0], "log_loss", math.inf),
        ([0.5, 0.5, 0.5, 0.5], [1, 0, 1, 0], "AUC", 0.5),
        ([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], "AUC", 1.0),
    ],
)
def test_extreme_scores(score: list[float], label: list[int], measure: str, value: float, tmp_path: Path) -> None:
    path = written(tmp_path / "items.csv", label=label, score=score)
    whole, stream = ge.classify(path)[0], ge.classify(path, stream=True)[0]
    assert stream[measure] == whole[measure]
    assert stream[measure].value == value
    assert said(stream) == said(whole)


def test_only_what_was_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "items.csv", label=[0, 1, 0, 1], score=[0.1, 0.9, 0.2, 0.4])
    assert list(ge.classify(path, stream=True, measures=["AP", "log_loss"])[0].overall) == ["AP", "log_loss"]


ASKED = [
    *("F2", "F2[macro]", "ECE(bins=3)", "ECE(binning=equal width)", "MCE", "Cllr", "minCllr", "minDCF(prior=0.2)"),
    *("partial_AUC(max_fpr=0.3)", "partial_AUC(scale=raw)", "log_loss(clip=0.01)", "log_loss(clip=0)", "AP(area=step)"),
    *("EER(at=midpoint)", "kappa(chance=pooled)", "partial_AUC(max_fpr=1)"),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20), st.integers(1, 3)), min_size=4, max_size=60))
def test_what_is_asked_for_is_streamed(rows: list[tuple[int, int, int]], tmp_path: Path) -> None:
    truth, score, weight = zip((0, 0, 1), (1, 20, 2), *rows, strict=True)
    path = written(tmp_path / "items.csv", label=truth, score=[s / 20 for s in score], w=weight)
    asked: dict[str, Any] = {"score": "score", "weight": "w", "resamples": 40, "measures": ASKED}
    whole, stream = ge.classify(path, **asked)[0], ge.classify(path, stream=True, **asked)[0]
    assert set(whole.overall) == set(stream.overall)
    assert violations(whole, stream) == []


@pytest.mark.parametrize("score", [[math.inf, 2.0, -1.0, 0.5], [-math.inf, 2.0, -1.0, 0.5]])
def test_infinite_log_likelihood_ratios_are_streamed(score: list[float], tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("label,score\n" + "".join(f"{n % 2},{s}\n" for n, s in enumerate(score)))
    whole, stream = (ge.classify(path, measures=["Cllr"], resamples=40, stream=each)[0] for each in (False, True))
    assert whole["Cllr"].value == stream["Cllr"].value


@pytest.mark.parametrize("measure", ["AP(area=interpolated)"])
def test_a_measure_that_cannot_be_streamed_names_those_that_can(measure: str, tmp_path: Path) -> None:
    path = written(tmp_path / "items.csv", label=[0, 1], score=[0.1, 0.9])
    with pytest.raises(GermaneError, match="is not supported with --stream") as caught:
        ge.classify(path, stream=True, measures=["AUC", measure])
    assert set(STREAMED) <= set(str(caught.value.hint).removesuffix("; or remove `stream=True`").split(", "))


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ({"label": [0, 1], "score": [0.1, 0.9], "w": [0, 0]}, {"weight": "w"}, "expected at least one weight above 0"),
        ({"label": [0, 1], "score": [0.1, 1.9]}, {"are_probabilities": True}, "expected probabilities between 0 and 1"),
    ],
)
def test_what_is_wrong(columns: dict[str, Any], options: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = written(tmp_path / "items.csv", **columns)
    for stream in (False, True):
        with pytest.raises(GermaneError, match=said):
            ge.classify(path, stream=stream, **options)


def test_progress_is_told_in_rows(tmp_path: Path) -> None:
    path = written(tmp_path / "items.csv", label=[0, 1] * 15, score=[0.1, 0.9] * 15)
    told: list[tuple[int, int | None]] = []
    ge.classify(path, stream=True, progress=lambda done, total: told.append((done, total)))
    assert told == [(11, None), (22, None), (30, None)]


LATE = [
    # labels, of which the first eleven rows have one         how it is read
    (["no"] * 12 + ["yes"] * 3 + ["no"],                      {}),
    (["no"] * 12 + ["yes"] * 3 + ["no"],                      {"positive": "yes"}),
    (["yes"] * 12 + ["no"] * 4,                               {"positive": "no"}),
    (["0"] * 12 + ["1"] * 4,                                  {}),
    (["b"] * 8 + ["a"] * 4 + ["c"] * 4,                       {"positive": "a"}),
    (["b"] * 8 + ["a"] * 4 + ["c"] * 4,                       {"positive": "a", "weight": "w"}),
    (["0"] * 16,                                              {"predicted": "called"}),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "options"), LATE)
def test_a_file_may_be_sorted_by_label(labels: list[str], options: dict[str, Any], tmp_path: Path) -> None:
    rows = [f"{label},{(7 * i) % 16 / 16},{i % 4},{i % 2}" for i, label in enumerate(labels)]
    path = tmp_path / "items.csv"
    path.write_text("\n".join(["label,score,w,called", *rows]))
    asked = {"score": "score", "resamples": 40, **options}
    assert violations(*(ge.classify(str(path), stream=stream, **asked)[0] for stream in (False, True))) == []


NO_POSITIVE = [
    # labels                               options             said
    (["no"] * 8 + ["yes"] * 5 + ["maybe"], {},                 "cannot tell which of 3 labels is positive: maybe, no"),
    (["a"] * 12 + ["b"] * 4,               {},                 "cannot tell which label is positive: 'a' and 'b'"),
    (["no"] * 14,                          {},                 "expected positives and negatives, found 'no' in all"),
    (["no"] * 8 + ["yes"] * 5,             {"positive": "ye"}, "the positive label 'ye' does not occur; did you mean"),
    (["0"] * 8 + ["1"] * 5,                {"threshold": math.nan}, "expected a number as threshold, found NaN"),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "options", "said"), NO_POSITIVE)
def test_a_positive_class_that_is_not_known(
    labels: list[str], options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "items.csv"
    path.write_text("\n".join(["label,score", *(f"{label},{i / 20}" for i, label in enumerate(labels))]))
    for stream in (False, True):
        with pytest.raises(GermaneError, match=said):
            ge.classify(str(path), stream=stream, **options)


def test_a_positive_label_that_comes_late_among_three_is_said(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("\n".join(["label,score", *(f"{label},0.5" for label in "abababababababc")]))
    with pytest.raises(GermaneError, match="expected the positive label 'c' among the first rows, found other labels"):
        ge.classify(str(path), stream=True, positive="c")


def test_predictions_that_share_no_label_with_the_truth(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("label,called\na,x\nb,y\n")
    for stream in (False, True):
        with pytest.raises(GermaneError, match="expected predictions among the true labels 'a', 'b', found only"):
            ge.classify(str(path), predicted="called", stream=stream)


def test_sums_of_weights_leave_no_crumbs(tmp_path: Path) -> None:
    """Every item is above the threshold, in whatever order the weights were added: no cell below has a rest of them."""
    random = np.random.default_rng(2)
    label, weight = (random.random(40) < 0.5).astype(int).tolist(), random.random(40).tolist()
    path = written(tmp_path / "items.csv", label=label, score=[1 + i % 9 for i in range(40)], w=weight)
    found = ge.classify(path, stream=True, weight="w", threshold=0.5)[0]
    assert found.confusion is not None
    assert found.confusion.counts[:, 0].tolist() == [0, 0]
    assert math.isnan(found["NPV"].value)


def test_an_infinite_loss_of_weights_names_their_sum(tmp_path: Path) -> None:
    path = written(tmp_path / "items.csv", label=[0, 1], score=[0.0, 0.0], w=[0.5, 0.25])
    for stream in (False, True):
        remark = ge.classify(path, stream=stream, weight="w")["log_loss"].remark
        assert remark == "infinite: items of weight 0.25 had predicted probability 0 for the true class"


def test_a_hint_names_measures_of_streamed_scores(tmp_path: Path) -> None:
    path = written(tmp_path / "items.csv", label=[0, 1], score=[3, 4])
    with pytest.raises(GermaneError, match="cannot compute Brier: needs probabilities") as caught:
        ge.classify(path, stream=True, measures=["Brier"])
    assert caught.value.hint == "choose from AUC"


@pytest.mark.parametrize("columns", [{"predicted": "w", "weight": "w"}, {"predicted": "w", "score": "w"}])
@pytest.mark.parametrize("stream", [False, True])
def test_a_column_is_either_text_or_numbers(columns: dict[str, Any], stream: bool, tmp_path: Path) -> None:
    path = written(tmp_path / "items.csv", label=[0, 1], score=[3, 4], w=[1, 2])
    with pytest.raises(GermaneError, match="column 'w' cannot be used as both predictions and"):
        ge.classify(path, stream=stream, **columns)
