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
RESAMPLES = whole("how often rows were drawn again")
PERFORMANCE = record(
    "what was found about a classifier",
    {
        "name": text("the column, if there are several classifiers; else the file"),
        "task": text("what was predicted", "classes", "scores", "regression", "clusters", "densities", "multilabel"),
        "num_rows": whole("how many items"),
        "columns": COLUMNS,
        "positive": label("the positive label; null where several classes are equals"),
        "threshold": measured("at or above it a score is positive; null if the decisions were given"),
        "level": LEVEL,
        "seed": SEED,
        "resamples": RESAMPLES,
        "overall": ESTIMATES,
        "by_class": listed(
            "the class against the rest", record("a class", {"label": label("its name"), "measures": ESTIMATES})
        ),
        "averages": by("average", ESTIMATES, "macro, micro, weighted or samples"),
        "clusters": listed("groups of classes that are confused with each other", listed("a group", label("a class"))),
        "curves": nullable(
            record(
                "counts at the thresholds, from high to low; null without scores",
                {
                    "num_thresholds": whole("how many there are; long curves are thinned"),
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
                "what came true of what was claimed; null where scores are no probabilities",
                {
                    "level": number("the level of the band"),
                    "predicted": listed("the predicted probabilities", extended("a probability")),
                    "fitted": listed("what came true, by isotonic regression", extended("a probability")),
                    "low": listed("where the band of true claims begins", extended("a probability")),
                    "high": listed("where it ends", extended("a probability")),
                    "count": listed("how many items claim it", extended("a number of items")),
                },
            )
        ),
        "?confusion": record(
            "the confusion matrix",
            {
                "labels": listed("the classes", label("a class")),
                "rows": text("what each inner list is", "truth"),
                "counts": listed("the matrix", listed("a row", number("a number of items"))),
            },
        ),
        "notes": NOTES,
    },
)
PAIR = record(
    "two classifiers and a measure",
    {
        "measure": text("the measure"),
        "a": text("the one"),
        "b": text("the other"),
        "value_a": extended("the value of a"),
        "value_b": extended("the value of b"),
        "difference": extended("the value of b less that of a"),
        "low": extended("the low end of its interval"),
        "high": extended("the high end of its interval"),
        "p": extended("the test's own p-value"),
        "p_adjusted": extended("the p-value for the whole family of tests"),
        "test": text("what gave p"),
        "interval": text("what gave the ends"),
        "?remark": text("what must be known of this pair"),
    },
)
DIFFERENCES: dict[str, Schema] = {
    "num_items": whole("over how many items"),
    "correction": text("how p is adjusted"),
    "family": text("the tests that p-values are adjusted for"),
    "num_tests": whole("how many tests the family has"),
    "alpha": number("the error rate that is accepted"),
    "level": LEVEL,
    "simultaneous": SIMULTANEOUS,
    "matches_test": MATCHES_TEST,
    "seed": SEED,
    "baseline": nullable(text("the classifier that all others are compared with; null for all pairs")),
    "pairs": listed("one entry per measure and pair", PAIR),
}
COMPARE_CLASSIFIERS = document(
    "what `germane.compare` finds of classifiers on the same items", "compare-classifiers", DIFFERENCES
)
CLASSIFY = document(
    "what `germane classify --format json` prints",
    "classify",
    {
        "classifiers": listed("one entry per classifier, in the order of the command line", PERFORMANCE),
        "?comparison": record("with several classifiers: their differences", DIFFERENCES),
    },
)
AT_THRESHOLDS = document(
    "what `germane classify --at-thresholds --format json` prints",
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
    "how the targets stand",
    record(
        "a target",
        {
            "target": text("the target"),
            "value": extended("the rate"),
            "bound": extended("what was held against the target"),
            "met": truth("whether it is met"),
        },
    ),
)
UNDECIDED = nullable(
    record(
        "what lies between two thresholds; null where there is one",
        {"positives": number("positives"), "negatives": number("negatives"), "share": number("the share of all")},
    )
)
SET = record(
    "a set of items",
    {
        "num_rows": whole("how many items"),
        "num_positive": number("the weight of the positives"),
        "num_negative": number("the weight of the negatives"),
        "undecided": UNDECIDED,
        "at": by("threshold", record("what it does", {"cells": CELLS, "targets": TARGETS, "rates": ESTIMATES})),
    },
)
THRESHOLD = document(
    "what `germane threshold --format json` prints",
    "threshold",
    {
        "rule": text("the rule as germane writes it"),
        "description": text("the rule in words"),
        "objective": text("what was best"),
        "target_by": text("what targets were held against", "value", "lower"),
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
                    "name": text("what it is called"),
                    "threshold": extended("at or above it a score is positive"),
                    "tied": listed("all that are as good, the highest first", extended("a threshold")),
                    "value": extended("what was best there"),
                    "cells": CELLS,
                    "targets": TARGETS,
                },
            ),
        ),
        "undecided": UNDECIDED,
        "sets": record("what the thresholds do", {"dev": SET, "?test": SET}),
        "stability": record(
            "how far the thresholds move if rows are drawn again",
            {
                "resamples": RESAMPLES,
                "remark": text("why there were fewer resamples than asked for, or none"),
                "thresholds": by(
                    "threshold",
                    record(
                        "how far it moves",
                        {
                            "low": extended("the low end of where it lies"),
                            "high": extended("the high end of where it lies"),
                            "same": extended("the share of resamples that choose the very same"),
                            "unmet": extended("the share in which nothing meets the targets"),
                            "optimism": extended("how much too good the value looks"),
                        },
                    ),
                ),
            },
        ),
    },
)
EXPLAIN_DECISIONS = document(
    "what `germane explain --format json` prints of decisions",
    "explain-decisions",
    {
        "measure": text("the measure"),
        "value": extended("the number that is explained"),
        "rows": listed(
            "the worked table: an item or a group of equal scores each; or the cells of one matrix",
            by("column", {"description": "a cell", "type": ["number", "string", "null"]}),
        ),
        "term": text("the column that adds up to the value; empty if none does"),
        "lines": listed("the last lines, written out", text("a line")),
    },
)

SCHEMAS: dict[str, Schema] = {
    "classify": CLASSIFY,
    "classify-at-thresholds": AT_THRESHOLDS,
    "compare-classifiers": COMPARE_CLASSIFIERS,
    "threshold": THRESHOLD,
    "explain-decisions": EXPLAIN_DECISIONS,
}
