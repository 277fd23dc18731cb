"""Clusters and slices of items in `classify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from germane import classify, compare
from germane.api.reports.decisions import decision_numbers
from germane.errors import GermaneError
from germane.tables.results.performance import Estimate, Performance
from germane.tables.results.performances import Performances
from germane.tables.results.slice_differences import SliceDifferences

RNG = np.random.default_rng(2)
NUM = 160
PATIENT = RNG.integers(0, 40, NUM)
TRUTH = np.where(RNG.random(NUM) < 0.4, "ill", "well")
SCORE = np.round(1 / (1 + np.exp(-(RNG.normal(size=NUM) + 2 * (TRUTH == "ill") - 1 + RNG.normal(size=40)[PATIENT]))), 3)
GUESS = np.where(RNG.random(NUM) < 0.8, TRUTH, np.where(TRUTH == "ill", "well", "ill"))
SITE = np.where(PATIENT < 15, "north", np.where(PATIENT < 30, "south", "west"))
TABLE = {"truth": TRUTH, "predicted": GUESS, "score": SCORE, "patient": PATIENT, "site": SITE}
OF_CLUSTERS = ("clusters", "obuchowski")
ANIMALS = np.asarray(["cat", "dog", "fox", "owl"])
CLASSES = RNG.integers(0, 4, NUM)
SHARES = RNG.random((NUM, 4)) + 0.4 * np.eye(4)[CLASSES]
SHARES /= SHARES.sum(axis=1, keepdims=True)


def every_estimate(found: Performance) -> dict[str, Estimate]:
    """All estimates by name, those of classes, averages and slices too."""
    tables = {"": found.overall, **{str(k): v for k, v in found.by_class.items()}, **dict(found.averages)}
    named = {f"{name} {group}": e for group, table in tables.items() for name, e in table.items()}
    for slice_, each in found.slices.items():
        named |= {f"{name} {slice_}": e for name, e in every_estimate(each).items()}
    return named


ASKED = "F2 kappa[ill] F1[macro] cost ECE(bins=5) EER log_loss(clip=0.01) Jaccard[well] AUC"
# fmt: off
DATA: list[tuple[dict[str, Any], str]] = [
    # arguments                                                                     what
    ({"y_pred": GUESS, "y_score": SCORE, "positive": "ill"},                        "predictions and probabilities"),
    ({"y_score": SCORE * 9, "threshold": 4, "positive": "ill"},                     "scores"),
    ({"y_pred": GUESS, "sample_weight": RNG.random(NUM), "positive": "ill"},        "weights"),
    ({"y_pred": GUESS, "average": "macro"},                                         "averages"),
    ({"y_score": SCORE, "positive": "ill", "sample_weight": RNG.integers(1, 3, NUM)}, "weights that repeat"),
    ({"y_score": SCORE, "positive": "ill", "measures": ASKED, "cost_fp": 2},        "measures asked for"),
]
# fmt: on


@pytest.mark.parametrize(("given", "what"), DATA, ids=[what for _, what in DATA])
def test_every_interval_accounts_for_clusters_or_is_absent_and_values_stay(given: dict[str, Any], what: str) -> None:
    found, plain = classify(TRUTH, **given, cluster=PATIENT, resamples=200), classify(TRUTH, **given, resamples=200)
    estimates, before = every_estimate(found.only), every_estimate(plain.only)
    assert estimates.keys() == before.keys(), what
    for name, each in estimates.items():
        assert each.value == pytest.approx(before[name].value, nan_ok=True), name
        if each.has_interval:
            assert any(word in each.method for word in OF_CLUSTERS), (name, each)
            assert each.low <= each.value <= each.high, name
        else:
            assert each.remark or not before[name].has_interval, (name, each)
    assert sum(each.has_interval for each in estimates.values()) > 0.8 * sum(e.has_interval for e in before.values())


def test_probabilities_of_several_classes() -> None:
    found = classify(ANIMALS[CLASSES], y_proba=SHARES, labels=list(ANIMALS), cluster=PATIENT, resamples=200)
    assert {found[name].method for name in ("log_loss", "Brier")} == {"t, log, clusters", "t, logit, clusters"}
    assert found["ACC"].method == "wilson, clusters"
    assert found["MCC"].method == found["F1", "macro"].method == "bca, clusters"
    areas = [found["AUC", group] for group in ("cat", "macro", "micro", "ovo")]
    assert [each.method for each in areas] == ["obuchowski, logit", *["obuchowski, logit, clusters"] * 3]
    assert found["AP", "cat"].method == found["AP", "weighted"].method == "influence, logit, clusters"
    assert found["top_k_accuracy(k=2)"].method == "wilson, clusters"
    plain = classify(ANIMALS[CLASSES], y_proba=SHARES, labels=list(ANIMALS), resamples=200).only
    for name, each in every_estimate(found.only).items():
        assert each.value == pytest.approx(every_estimate(plain)[name].value, nan_ok=True), name
        assert not each.has_interval or any(word in each.method for word in OF_CLUSTERS), (name, each)


def test_probabilities_of_several_classes_between_slices() -> None:
    asked = ["AUC[macro]", "AP[weighted]", "top_k_accuracy(k=2)", "log_loss", "ACC"]
    given: dict[str, Any] = {"labels": list(ANIMALS), "slices": SITE == "west", "measures": asked, "resamples": 200}
    of_items, of_clusters = (
        {pair.measure: pair for pair in differences(found.only).pairs}
        for found in (
            classify(ANIMALS[CLASSES], y_proba=SHARES, **given),
            classify(ANIMALS[CLASSES], y_proba=SHARES, **given, cluster=np.arange(NUM)),
        )
    )
    assert [of_items[name].test for name in asked] == ["delong", "influence", "chi-squared", "welch", "chi-squared"]
    tests = ["delong of clusters", "influence of clusters", "rao-scott", "cluster t", "rao-scott"]
    assert [of_clusters[name].test for name in asked] == tests
    for name in asked:
        assert of_clusters[name].p == pytest.approx(of_items[name].p, abs=0.05)
    one = np.where(CLASSES == 3, "west", "east")
    lacking = classify(ANIMALS[CLASSES], y_proba=SHARES, labels=list(ANIMALS), slices=one, measures="AUC[macro]").only
    assert differences(lacking).pairs[0].remark == "one side lacks a class"


def test_clusters_of_one_item_give_the_intervals_of_independent_items() -> None:
    given: dict[str, Any] = {"y_pred": GUESS, "y_score": SCORE, "positive": "ill"}
    found, plain = classify(TRUTH, **given, cluster=np.arange(NUM)), classify(TRUTH, **given)
    for name in ("TPR", "ACC", "PPV", "AUC", "log_loss", "Brier"):
        assert (found[name].low, found[name].high) == pytest.approx((plain[name].low, plain[name].high), abs=1e-12)
    drawn = found["F1"], plain["F1"]
    assert drawn[0].low == pytest.approx(drawn[1].low, abs=0.02)


def test_copies_of_items_in_their_cluster_add_no_information() -> None:
    twice = [np.tile(each, 3) for each in (TRUTH, GUESS, SCORE, PATIENT)]
    how: dict[str, Any] = {"positive": "ill", "measures": "TPR AUC F1"}
    once = classify(TRUTH, GUESS, y_score=SCORE, cluster=PATIENT, **how)
    again = classify(twice[0], twice[1], y_score=twice[2], cluster=twice[3], **how)
    naive = classify(twice[0], twice[1], y_score=twice[2], **how)
    for name in ("TPR", "AUC", "F1"):
        assert again[name].high - again[name].low == pytest.approx(once[name].high - once[name].low, rel=0.05)
        assert naive[name].high - naive[name].low < 0.7 * (again[name].high - again[name].low)


def test_measures_that_resampling_biases_keep_their_value_without_an_interval() -> None:
    found = classify(TRUTH, y_score=SCORE, positive="ill", cluster=PATIENT, resamples=200)
    assert not any(found[name].has_interval for name in ("ECE", "hull_AUC", "uncertainty"))
    assert found["ECE"].remark.startswith("15 bins of equal mass")
    assert found["AP"].remark.startswith("step")


def test_zero_division_and_undefined_values_stay() -> None:
    never = np.full(NUM, "well")
    found = classify(TRUTH, never, positive="ill", cluster=PATIENT, zero_division=0, resamples=200)
    assert (found["PPV"].value, found["PPV"].remark) == (0, "0 / 0, set by zero_division")
    assert np.isnan(classify(TRUTH, never, positive="ill", cluster=PATIENT, resamples=200)["PPV"].value)


def test_a_single_cluster_has_no_intervals() -> None:
    found = classify(TRUTH, GUESS, y_score=SCORE, positive="ill", cluster=np.zeros(NUM), resamples=200)
    assert not any(each.has_interval for each in every_estimate(found.only).values())
    assert "all items are in one cluster" in found["TPR"].remark
    assert "requires two of each" in found["AUC"].remark


def test_many_rows_have_no_resampled_interval_of_scores_by_default() -> None:
    many = 110_000
    truth, clusters = np.arange(many) % 2, np.arange(many) // 1000
    found = classify(truth, y_score=RNG.normal(size=many), cluster=clusters, measures="AP AUC")
    assert "no interval by default above 100,000 rows" in found["AP"].remark
    assert found["AUC"].method == "obuchowski, logit"


def test_many_classes_have_no_intervals_of_averages() -> None:
    truth = np.arange(330) % 110
    found = classify(truth, truth, cluster=np.arange(330) // 3, measures="MCC ACC")
    assert "no interval above 100 classes" in found["MCC"].remark
    assert found["ACC"].has_interval


def differences(found: Performance) -> SliceDifferences:
    """The differences between the slices of a classifier that has some."""
    assert found.slice_differences is not None
    return found.slice_differences


def sliced(**more: Any) -> Performances:
    return classify(TABLE, positive="ill", slices="site", resamples=200, **more)


def test_a_slice_is_what_its_items_alone_are() -> None:
    found = sliced().only
    assert list(found.slices) == ["site=north", "site=south", "site=west"]
    for site, each in zip(("north", "south", "west"), found.slices.values(), strict=True):
        of = np.equal(SITE, site)
        alone = classify(TRUTH[of], GUESS[of], y_score=SCORE[of], positive="ill", resamples=200).only
        assert each.num_rows == of.sum()
        assert {n: e.value for n, e in each.overall.items()} == pytest.approx(
            {n: e.value for n, e in alone.overall.items()}, nan_ok=True
        )
        assert (each["TPR"].low, each["TPR"].high) == (alone["TPR"].low, alone["TPR"].high)


def test_slices_of_arrays_have_the_values_as_names_and_several_columns_theirs() -> None:
    one = classify(TRUTH, GUESS, positive="ill", slices=SITE, measures="TPR").only
    assert list(one.slices) == ["north", "south", "west"]
    several = classify(TRUTH, GUESS, positive="ill", slices={"site": SITE, "odd": PATIENT % 2}, measures="TPR").only
    assert list(several.slices) == ["site=north", "site=south", "site=west", "odd=0", "odd=1"]
    by_id = {f"i{n}": value for n, value in enumerate(SITE.tolist())}
    truth, guess = ({f"i{n}": v for n, v in enumerate(column.tolist())} for column in (TRUTH, GUESS))
    assert list(classify(truth, guess, positive="ill", slices=by_id, measures="TPR").only.slices) == list(one.slices)


def test_slices_of_a_frame_and_of_several_classes() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"site": SITE, "half": PATIENT % 2})
    found = classify(
        pd.Series(ANIMALS[CLASSES]), y_proba=pd.DataFrame(SHARES, columns=ANIMALS), slices=frame, resamples=200
    ).only
    assert list(found.slices)[-1] == "half=1"
    of = PATIENT % 2 == 1
    alone = classify(ANIMALS[CLASSES][of], y_proba=SHARES[of], labels=list(ANIMALS), resamples=200)
    assert found.slices["half=1"]["log_loss"].value == pytest.approx(alone["log_loss"].value)


def test_a_class_missing_in_a_slice_is_undefined_there_and_no_error() -> None:
    only_well = np.where(TRUTH == "well", "clinic", SITE)
    only_well[:5], truth = "clinic", TRUTH.copy()
    truth[:5] = "well"
    for given in ({"y_score": SCORE}, {"y_score": SCORE * 9}, {"y_pred": GUESS}):
        found = classify(truth, **given, positive="ill", slices=only_well, resamples=200)
        clinic = found.only.slices["clinic"]
        missing = [name for name in ("TPR", "AUC") if name in found.only.overall]
        assert all(np.isnan(clinic[name].value) and clinic[name].remark for name in missing)
        note = next(note for note in found.notes if note.code == "class-missing-in-slice")
        assert note.message.startswith(("1 slice without items of a class", "4 slices"))


def test_what_cannot_be_evaluated_in_a_slice_is_undefined_there() -> None:
    weight = np.where(SITE == "west", 0.0, 1.0)
    found = classify(TRUTH, GUESS, sample_weight=weight, positive="ill", slices=SITE, measures="TPR").only
    assert np.isnan(found.slices["west"]["TPR"].value)
    assert "found none" in found.slices["west"]["TPR"].remark


def test_the_threshold_and_the_kind_of_scores_are_those_of_all_items() -> None:
    """A slice whose scores happen to lie in [0, 1] is decided as all others are."""
    score = np.where(SITE == "north", SCORE, SCORE * 5)
    found = classify(TRUTH, y_score=score, positive="ill", slices=SITE, measures="AUC").only
    assert all(each.threshold is None and each.confusion is None for each in found.slices.values())
    assert {each.threshold for each in sliced(predicted=(), score="score").only.slices.values()} == {0.5}


# fmt: off
TESTS = [
    # settings                                    measure        test                 why
    ({},                                          "TPR",         "chi-squared",       "independent proportions"),
    ({},                                          "AUC",         "delong",            "independent areas"),
    ({},                                          "F1",          "bootstrap",         "no formula"),
    ({},                                          "AP",          "bootstrap",         "no formula, of scores"),
    ({},                                          "log_loss",    "welch",             "means"),
    ({},                                          "MCC[macro]",  "bootstrap",         "average"),
    ({},                                          "TPR[well]",   "chi-squared",       "a class"),
    ({},                                          "kappa(weights=linear)", "bootstrap", "the whole matrix"),
    ({"cluster": "patient"},                      "TPR",         "rao-scott",         "clusters"),
    ({"cluster": "patient"},                      "AUC",         "obuchowski",        "clusters"),
    ({"cluster": "patient"},                      "F1",          "cluster bootstrap", "clusters"),
    ({"cluster": "patient"},                      "AP",          "cluster bootstrap", "clusters"),
    ({"cluster": "patient"},                      "Brier",       "cluster t",         "clusters"),
    ({"weight": "weight"},                        "TPR",         "rao-scott",         "fractional weights"),
    ({"weight": "weight"},                        "F1",          "bootstrap",         "fractional weights"),
    ({"weight": "weight"},                        "Brier",       "cluster t",         "fractional weights"),
]
# fmt: on


@pytest.mark.parametrize(("settings", "measure", "test", "why"), TESTS)
def test_each_measure_has_its_test_between_slices(settings, measure, test, why) -> None:  # type: ignore[no-untyped-def]
    table = {**TABLE, "weight": RNG.random(NUM) + 0.5}
    found = classify(table, positive="ill", slices="site", measures=[measure], resamples=200, **settings).only
    pairs = differences(found).pairs
    assert [(pair.slice, pair.against, pair.test) for pair in pairs] == [
        (f"site={site}", "rest", test) for site in ("north", "south", "west")
    ], why
    for pair in pairs:
        assert pair.difference == pytest.approx(pair.value - pair.value_against)
        assert pair.value == pytest.approx(found.slices[pair.slice][measure].value)
        assert pair.p <= pair.p_adjusted <= 1
        assert pair.low <= pair.difference <= pair.high


def test_slices_within_clusters_are_compared_by_clusters() -> None:
    found = classify(TRUTH, GUESS, positive="ill", cluster=PATIENT, slices=np.arange(NUM) % 2, measures="TPR").only
    (pair,) = differences(found).pairs
    assert (pair.test, pair.interval) == ("cluster t", "t, clusters")


def test_rest_is_all_others_and_two_slices_are_one_test() -> None:
    found = sliced(measures="ACC").only
    rest = classify(TRUTH[SITE != "west"], GUESS[SITE != "west"], positive="ill", measures="ACC")
    assert differences(found).pairs[-1].value_against == rest["ACC"].value
    two = classify(TRUTH, GUESS, positive="ill", slices=SITE == "west", measures="ACC").only
    assert [(pair.slice, pair.against) for pair in differences(two).pairs] == [("True", "False")]
    assert differences(two).num_tests == 1
    one = classify(TRUTH, GUESS, positive="ill", slices=["all"] * NUM, measures="ACC").only
    assert one.slice_differences is None


@pytest.mark.parametrize("against", ["north", "site=north"])
def test_slices_are_compared_with_one_of_them(against: str) -> None:
    pairs = differences(sliced(measures="ACC", against=against).only).pairs
    assert [(pair.slice, pair.against) for pair in pairs] == [("site=south", "site=north"), ("site=west", "site=north")]


def test_the_correction_is_of_all_slices_and_measures() -> None:
    plain, holm = (differences(sliced(measures="ACC TPR", correction=which).only) for which in ("none", "holm"))
    assert (holm.num_tests, holm.family) == (6, "3 slices × 2 measures")
    assert min(pair.p_adjusted for pair in holm.pairs) == pytest.approx(min(1, 6 * min(pair.p for pair in plain.pairs)))
    assert [pair.p_adjusted for pair in plain.pairs] == [pair.p for pair in plain.pairs]


def test_a_verdict_names_what_differs_and_the_largest_gap() -> None:
    worse = np.where((SITE == "west") & (np.arange(NUM) % 10 > 0), "well", TRUTH)
    text = str(classify(TRUTH, worse, positive="ill", slices=SITE, measures="TPR"))
    assert "3 differences are significant at α = 0.05: TPR of north, TPR of south, TPR of west." in text
    assert "Largest gap: TPR is 0." in text
    same = str(classify(TRUTH, TRUTH, positive="ill", slices=SITE, measures="F1"))
    assert "No difference between slices" in same


def test_slices_are_in_every_output() -> None:
    found = sliced(cluster="patient", measures="TPR AUC")
    rows = [line.split(",") for line in found.to_csv().splitlines()]
    assert rows[0][1] == "slice"
    assert {row[1] for row in rows[1:]} == {"", "site=north", "site=south", "site=west"}
    assert "slice" not in classify(TRUTH, GUESS, positive="ill").to_csv().splitlines()[0]
    (document,) = json.loads(found.to_json())["classifiers"]
    assert [each["slice"] for each in document["slices"]] == ["site=north", "site=south", "site=west"]
    assert document["slices"][0]["overall"]["TPR"]["value"] == found.only.slices["site=north"]["TPR"].value
    assert len(document["slice_differences"]["pairs"]) == 6
    assert found.to_csv(table="slice_differences").count("\n") == 7
    assert "(all)" in str(found)


def test_several_classifiers_have_slices_each_and_tests_of_clusters() -> None:
    table = {**{k: v for k, v in TABLE.items() if k != "predicted"}, "other": SCORE[::-1].copy()}
    found = classify(
        table, score=["score", "other"], positive="ill", threshold=0.5, slices="site", cluster="patient", resamples=200,
        measures="ACC TPR[well] F1 AUC AP",
    )  # fmt: skip
    assert found.comparison is not None
    tests = {pair.measure: pair.test for pair in found.comparison.pairs}
    bootstrap = "paired cluster bootstrap"
    assert tests == {
        "ACC": "cluster t", "TPR[well]": "cluster t", "F1": bootstrap, "AUC": "obuchowski", "AP": bootstrap,
    }  # fmt: skip
    assert found.to_csv(table="slice_differences").splitlines()[0].startswith("classifier,measure,slice,against")
    assert "other: slices, with" in str(found)
    with pytest.raises(GermaneError, match="`mcnemar=` is not supported with `cluster=`"):
        classify(table, score=["score", "other"], positive="ill", cluster="patient", mcnemar="mid-p", threshold=0.5)


# Notes and errors


def codes(found: Performances) -> dict[str, str]:
    return {note.code: note.message for note in found.notes}


def test_repeated_ids_are_noticed_where_no_cluster_is_named(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    rows = zip(PATIENT.tolist(), range(NUM), TRUTH, GUESS, strict=True)
    path.write_text("Patient ID,image,label,predicted\n" + "\n".join(",".join(map(str, row)) for row in rows))
    shared = f"has {len(set(PATIENT.tolist()))} ids in 160 rows; rows that share one are dependent"
    message = f"column 'Patient ID' {shared} (use --cluster 'Patient ID')"
    assert codes(classify(path, positive="ill", measures="ACC"))["repeated-ids"] == message
    assert "repeated-ids" not in codes(classify(path, positive="ill", measures="ACC", cluster="Patient ID"))
    assert "repeated-ids" not in codes(classify(path, positive="ill", measures="ACC", slices="Patient ID"))
    assert "repeated-ids" in codes(classify(TABLE, positive="ill", measures="ACC"))
    unique = {**TABLE, "patient": np.arange(NUM)}
    assert "repeated-ids" not in codes(classify(unique, positive="ill", measures="ACC"))
    missing = {**TABLE, "patient": [None, *PATIENT[1:].tolist()]}
    assert "repeated-ids" not in codes(classify(missing, positive="ill", measures="ACC"))


def test_repeated_ids_of_a_long_file_are_looked_for_in_its_first_rows(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,label,predicted\n" + "".join(f"{n // 2},{n % 2},{n % 2}\n" for n in range(20_100)))
    assert "10,000 ids in the first 20,000 rows" in codes(classify(path, measures="ACC"))["repeated-ids"]


def test_few_clusters_and_few_items_get_a_note() -> None:
    found = codes(classify(TRUTH, GUESS, positive="ill", cluster=PATIENT // 8, measures="ACC"))
    assert found["few-clusters"] == "5 clusters too few for reliable intervals (collect at least 10)"
    ages = np.where(np.arange(NUM) < 9, "old", "young")
    notes = codes(classify(TRUTH, GUESS, positive="ill", cluster=PATIENT, slices=ages, measures="ACC"))
    assert notes["few-items-in-slice"].startswith("1 slice with fewer than 30 items")
    assert notes["few-clusters"].startswith("1 slice with fewer than 10 clusters")
    assert "few-clusters" not in codes(classify(TRUTH, GUESS, positive="ill", cluster=PATIENT, measures="ACC"))


def test_tables_of_probabilities_are_compared_by_clusters() -> None:
    tables = {"old": SHARES, "new": (SHARES + 0.5 * np.eye(4)[CLASSES]) / 1.5}
    asked = ["AUC[macro]", "AUC[cat]", "log_loss", "top_k_accuracy(k=2)", "top_label_ECE"]
    given: dict[str, Any] = {"labels": list(ANIMALS), "measures": asked, "resamples": 200}
    found = classify(ANIMALS[CLASSES], y_proba=tables, cluster=PATIENT, slices=SITE, **given)
    assert found.comparison is not None
    tests = {pair.measure: pair.test for pair in found.comparison.pairs}
    assert tests == {
        "AUC[macro]": "influence of clusters", "AUC[cat]": "obuchowski", "log_loss": "cluster t",
        "top_k_accuracy(k=2)": "cluster t", "top_label_ECE": "paired cluster bootstrap",
    }  # fmt: skip
    assert [list(each.slices) for each in found] == [["north", "south", "west"]] * 2
    alone, plain = (
        {pair.measure: pair for pair in each.comparison.pairs}
        for each in (
            classify(ANIMALS[CLASSES], y_proba=tables, cluster=np.arange(NUM), **given),
            classify(ANIMALS[CLASSES], y_proba=tables, **given),
        )
        if each.comparison is not None
    )
    for name in ("AUC[macro]", "AUC[cat]", "log_loss"):
        assert (alone[name].difference, alone[name].low) == pytest.approx(
            (plain[name].difference, plain[name].low), abs=0.005
        ), name


def test_a_page_says_which_groups_its_figures_do_not_show() -> None:
    found = classify(
        TABLE, predicted=(), score="score", positive="ill", cluster="patient", slices="site", resamples=200
    )
    messages = {note.code: note.message for note in decision_numbers(found).performances[0].notes}
    assert messages["slices-not-shown"].startswith("3 slices not shown here")
    assert messages["bands-without-clusters"].startswith("bands of curves count items as independent")
    plain = decision_numbers(classify(TABLE, predicted="predicted", positive="ill")).performances[0]
    assert not {"slices-not-shown", "bands-without-clusters"} & {note.code for note in plain.notes}


def test_measures_without_a_test_between_slices_are_named() -> None:
    notes = codes(classify(TRUTH, y_score=SCORE, positive="ill", slices=SITE, measures="ECE hull_AUC ACC"))
    assert notes["slices-not-compared"] == "ECE, hull_AUC not compared between slices, since no test suits it"


# fmt: off
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"cluster": "patien"},                                 "unknown column 'patien'; did you mean patient"),
    ({"slices": "sites"},                                   "unknown column 'sites'; did you mean site"),
    ({"cluster": "patient", "stratified": True},            "--cluster cannot be combined with --stratified: whole"),
    ({"cluster": "patient", "stream": True},                "--cluster cannot be combined with --stream: the items"),
    ({"slices": "site", "stream": True},                    "--slices cannot be combined with --stream"),
    ({"slices": "site", "matrix": True},                    "--slices cannot be combined with --matrix: a matrix has"),
    ({"slices": "site", "task": "clusters"},                "--slices cannot be combined with --task: slices are for"),
    ({"slices": "site", "against": "east"},                 "unknown slice 'east'"),
    ({"against": "north"},                                  "`against=` requires slices"),
    ({"cluster": PATIENT},                                  "expected the name of a column as cluster, found ndarray"),
    ({"slices": [SITE]},                                    "expected the name of a column as slices, found ndarray"),
    ({"cluster": "truth", "truth": "truth"},                "cannot be used as both true labels and clusters"),
    ({"cluster": "patient", "slices": "patient"},           "cannot be used as both clusters and slices"),
]
ARRAYS_REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"cluster": "patient"},                                "expected an array as cluster, found 'patient'"),
    ({"slices": "site"},                                    "expected an array as slices, found 'site'"),
    ({"cluster": PATIENT[1:]},                              "160"),
    ({"slices": {"site": SITE[1:]}},                        "value of slices for each of 160 items, found 159"),
    ({"cluster": [None, *PATIENT[1:].tolist()]},            "expected a value in cluster, found None in row 1"),
    ({"cluster": [[1]] * NUM},                              "expected text or numbers as cluster, found list"),
    ({"slices": np.arange(NUM)},                            "expected at most 100 slices, found 160"),
    ({"cluster": PATIENT, "task": "clusters"},              "--cluster cannot be combined with --task"),
]
# fmt: on


@pytest.mark.parametrize(("given", "problem"), REFUSED)
def test_what_cannot_be_done_is_refused(given: dict[str, Any], problem: str, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    rows = zip(TRUTH, GUESS, PATIENT.tolist(), SITE, strict=True)
    path.write_text("truth,predicted,patient,site\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    with pytest.raises(GermaneError) as refused:
        classify(path, **given)
    assert problem in str(refused.value)


@pytest.mark.parametrize(("given", "problem"), ARRAYS_REFUSED)
def test_what_cannot_be_done_with_arrays_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(GermaneError) as refused:
        classify(TRUTH, GUESS, **given)
    assert problem in str(refused.value)


@pytest.mark.parametrize("format_", ["csv", "tsv", "jsonl", "parquet"])
def test_groups_are_read_from_files_of_every_format(format_: str, tmp_path: Path) -> None:
    path = tmp_path / f"items.{format_}"
    columns = {name: column.tolist() for name, column in TABLE.items() if name != "score"}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if format_ == "parquet":
        pa = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), path)
    elif format_ == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        by = "," if format_ == "csv" else "\t"
        path.write_text("\n".join([by.join(columns), *(by.join(map(str, row.values())) for row in rows)]))
    found = classify(path, positive="ill", cluster="patient", slices=["site"], measures="TPR").only
    expected = classify(TRUTH, GUESS, positive="ill", cluster=PATIENT, slices={"site": SITE}, measures="TPR").only
    assert found.columns["cluster"] == "patient"
    for name in ("site=north", "site=west"):
        assert found.slices[name]["TPR"].low == pytest.approx(expected.slices[name]["TPR"].low)
    assert found["TPR"].high == pytest.approx(expected["TPR"].high)


def test_classifiers_are_compared_by_clusters() -> None:
    predictions = {"old": GUESS, "new": np.where(PATIENT % 5 == 0, TRUTH, GUESS)}
    found = compare(TRUTH, y_pred=predictions, positive="ill", cluster=PATIENT // 5)
    assert {pair.test for pair in found.pairs} == {"cluster t", "paired cluster bootstrap"}
    assert [note.code for note in found.notes] == ["few-clusters"]
    classified = classify(TABLE | {"new": predictions["new"]}, predicted=["predicted", "new"], positive="ill")
    assert compare(classified, cluster="patient", measures=["ACC"]).pairs[0].test == "cluster t"
    by_id = {f"i{n}": str(value) for n, value in enumerate(TRUTH)}
    with pytest.raises(GermaneError, match="id"):
        compare(by_id, y_pred={"a": by_id, "b": by_id}, positive="ill", cluster=PATIENT)
    with pytest.raises(GermaneError, match="expected a cluster for each of 160 items, found 159"):
        compare(TRUTH, y_pred=predictions, positive="ill", cluster=PATIENT[1:])
    with pytest.raises(GermaneError, match="`mcnemar=` is not supported with `cluster=`"):
        compare(TRUTH, y_pred=predictions, positive="ill", cluster=PATIENT, mcnemar="mid-p")
