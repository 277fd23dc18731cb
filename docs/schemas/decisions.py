"""Schemas of `classify`, `threshold`, and of `explain` for decisions."""

from __future__ import annotations

from docs.schemas.building import (
    CELLS,
    ESTIMATE,
    LEVEL,
    MATCHES_TEST,
    NOTES,
    SEED,
    SIMULTANEOUS,
    Schema,
    by,
    document,
    extended,
    label,
    listed,
    measured,
    nullable,
    number,
    record,
    text,
    truth,
    whole,
)

ESTIMATES = by("measure", ESTIMATE)
COLUMNS = by("role", text("the column it was read from"))
RESAMPLES = whole("number of bootstrap resamples")
MEASURED: dict[str, Schema] = {
    "name": text("the column if there are several classifiers, else the file"),
    "task": text("what was predicted", "classes", "scores", "regression", "clusters", "densities", "multilabel"),
    "num_rows": whole("number of items"),
    "columns": COLUMNS,
    "positive": label("the positive label; null if no class is singled out"),
    "threshold": measured("scores at or above it are positive; null if decisions were given"),
    "level": LEVEL,
    "seed": SEED,
    "resamples": RESAMPLES,
    "overall": ESTIMATES,
    "by_class": listed(
        "each class against the rest", record("a class", {"label": label("the label"), "measures": ESTIMATES})
    ),
    "averages": by("average", ESTIMATES, "macro, micro, weighted or samples"),
    "clusters": listed("groups of classes that are often confused", listed("a group", label("a class"))),
    "curves": nullable(
        record(
            "counts at the thresholds, from high to low; null without scores",
            {
                "num_thresholds": whole("number of thresholds before thinning"),
                "thresholds": listed("the thresholds", extended("a threshold")),
                "TP": listed("true positives", number("at a threshold")),
                "FP": listed("false positives", number("at a threshold")),
                "FN": listed("false negatives", number("at a threshold")),
                "TN": listed("true negatives", number("at a threshold")),
            },
        )
    ),
    "densities": nullable(
        record(
            "histograms of the scores; null without scores of both classes",
            {
                "edges": listed("the edges of the bins", number("an edge")),
                "positives": listed("the density of the positives", number("in a bin")),
                "negatives": listed("the density of the negatives", number("in a bin")),
            },
        )
    ),
    "calibration": nullable(
        record(
            "the calibration curve; null if scores are not probabilities",
            {
                "level": number("the level of the band"),
                "predicted": listed("the predicted probabilities", extended("a probability")),
                "fitted": listed("the observed frequencies, by isotonic regression", extended("a probability")),
                "low": listed(
                    "the lower limit of the band expected under perfect calibration", extended("a probability")
                ),
                "high": listed("the upper limit of the band", extended("a probability")),
                "count": listed("number of items with this prediction", extended("a number of items")),
            },
        )
    ),
    "?confusion": record(
        "the confusion matrix",
        {
            "labels": listed("the classes", label("a class")),
            "rows": text("what a row of the matrix is", "truth"),
            "counts": listed("the matrix", listed("a row", number("a number of items"))),
        },
    ),
    "notes": NOTES,
}
SLICE_PAIR = record(
    "a slice against the rest or another slice, by a measure",
    {
        "measure": text("the measure"),
        "slice": text("the slice"),
        "against": text("the slice that it is compared with, or rest"),
        "value": extended("the value in the slice"),
        "value_against": extended("the value in what it is compared with"),
        "difference": extended("the first value − the second"),
        "low": extended("the lower limit of its interval"),
        "high": extended("the upper limit of its interval"),
        "p": extended("the unadjusted p-value"),
        "p_adjusted": extended("the p-value adjusted for the whole family of tests"),
        "test": text("the test"),
        "interval": text("the interval method"),
        "?remark": text("a caution about this pair"),
    },
)
SLICE_DIFFERENCES = record(
    "differences between slices; p-values are adjusted, intervals are not",
    {
        "correction": text("the correction for multiple tests"),
        "family": text("the family of tests that p-values are adjusted for"),
        "num_tests": whole("number of tests in the family"),
        "alpha": number("the significance level α"),
        "level": LEVEL,
        "simultaneous": SIMULTANEOUS,
        "pairs": listed("one entry per slice and measure", SLICE_PAIR),
    },
)
PERFORMANCE = record(
    "the evaluation of a classifier",
    {
        **MEASURED,
        "?slices": listed(
            "the same classifier on each slice of its items",
            record("a slice", {"slice": text("the name of the slice: column=value"), **MEASURED}),
        ),
        "?slice_differences": SLICE_DIFFERENCES,
    },
)
PAIR = record(
    "two classifiers and a measure",
    {
        "measure": text("the measure"),
        "a": text("the first"),
        "b": text("the second"),
        "value_a": extended("the value of a"),
        "value_b": extended("the value of b"),
        "difference": extended("the value of b − that of a"),
        "low": extended("the lower limit of its interval"),
        "high": extended("the upper limit of its interval"),
        "p": extended("the unadjusted p-value"),
        "p_adjusted": extended("the p-value adjusted for the whole family of tests"),
        "test": text("the test"),
        "interval": text("the interval method"),
        "?remark": text("a caution about this pair"),
    },
)
DIFFERENCES: dict[str, Schema] = {
    "num_items": whole("number of items"),
    "correction": text("the correction for multiple tests"),
    "family": text("the family of tests that p-values are adjusted for"),
    "num_tests": whole("number of tests in the family"),
    "alpha": number("the significance level α"),
    "level": LEVEL,
    "simultaneous": SIMULTANEOUS,
    "matches_test": MATCHES_TEST,
    "seed": SEED,
    "baseline": nullable(text("the baseline classifier; null for all pairs")),
    "pairs": listed("one entry per measure and pair", PAIR),
}
COMPARE_CLASSIFIERS = document(
    "result of `germane.compare` for classifiers on the same items", "compare-classifiers", DIFFERENCES
)
CLASSIFY = document(
    "output of `germane classify --format json`",
    "classify",
    {
        "classifiers": listed("one entry per classifier, in the order of the command line", PERFORMANCE),
        "?comparison": record("with several classifiers: their differences", DIFFERENCES),
    },
)
AT_THRESHOLDS = document(
    "output of `germane classify --at-thresholds --format json`",
    "classify-at-thresholds",
    {
        "thresholds": listed(
            "one entry per threshold, from high to low",
            {
                **record(
                    "counts and rates at a threshold",
                    {
                        "threshold": extended("the threshold"),
                        "TP": number("true positives"),
                        "FP": number("false positives"),
                        "FN": number("false negatives"),
                        "TN": number("true negatives"),
                    },
                ),
                "additionalProperties": extended("a rate"),
            },
        ),
    },
)
TARGETS = listed(
    "the targets and whether they are met",
    record(
        "a target",
        {
            "target": text("the target"),
            "value": extended("the rate"),
            "bound": extended("the value compared with the target"),
            "met": truth("whether it is met"),
        },
    ),
)
UNDECIDED = nullable(
    record(
        "items between the two thresholds; null with one threshold",
        {"positives": number("positives"), "negatives": number("negatives"), "share": number("the share of all items")},
    )
)
SET = record(
    "a set of items",
    {
        "num_rows": whole("number of items"),
        "num_positive": number("the weight of the positives"),
        "num_negative": number("the weight of the negatives"),
        "undecided": UNDECIDED,
        "at": by(
            "threshold",
            record("the results at this threshold", {"cells": CELLS, "targets": TARGETS, "rates": ESTIMATES}),
        ),
    },
)
THRESHOLD = document(
    "output of `germane threshold --format json`",
    "threshold",
    {
        "rule": text("the rule as germane writes it"),
        "description": text("the rule in words"),
        "objective": text("the objective"),
        "target_by": text("whether targets apply to the value or to its lower limit", "value", "lower"),
        "level": LEVEL,
        "seed": SEED,
        "resamples": RESAMPLES,
        "positive": label("the positive label"),
        "negative": label("the negative label"),
        "columns": COLUMNS,
        "thresholds": listed(
            "one threshold, or rule-out and rule-in",
            record(
                "a threshold",
                {
                    "name": text("its name"),
                    "threshold": extended("scores at or above it are positive"),
                    "tied": listed("all equally good thresholds, the highest first", extended("a threshold")),
                    "value": extended("the objective at this threshold"),
                    "cells": CELLS,
                    "targets": TARGETS,
                },
            ),
        ),
        "undecided": UNDECIDED,
        "sets": record("the results on each data set", {"dev": SET, "?test": SET}),
        "stability": record(
            "how much the thresholds vary over bootstrap resamples",
            {
                "resamples": RESAMPLES,
                "remark": text("why fewer resamples were used than requested, or none"),
                "thresholds": by(
                    "threshold",
                    record(
                        "how much it varies",
                        {
                            "low": extended("the lower limit of its range"),
                            "high": extended("the upper limit of its range"),
                            "same": extended("the share of resamples that choose the same threshold"),
                            "unmet": extended("the share of resamples in which no threshold meets the targets"),
                            "optimism": extended("the expected drop of the objective on new data"),
                        },
                    ),
                ),
            },
        ),
    },
)
EXPLAIN_DECISIONS = document(
    "output of `germane explain --format json` for decisions",
    "explain-decisions",
    {
        "measure": text("the measure"),
        "value": extended("the value that is explained"),
        "rows": listed(
            "the breakdown: one row per item or group of tied scores, or the cells of one matrix",
            by("column", {"description": "a cell", "type": ["number", "string", "null"]}),
        ),
        "term": text("the column whose sum is the value; empty if there is none"),
        "lines": listed("the calculation, written out", text("a line")),
    },
)

SCHEMAS: dict[str, Schema] = {
    "classify": CLASSIFY,
    "classify-at-thresholds": AT_THRESHOLDS,
    "compare-classifiers": COMPARE_CLASSIFIERS,
    "threshold": THRESHOLD,
    "explain-decisions": EXPLAIN_DECISIONS,
}
