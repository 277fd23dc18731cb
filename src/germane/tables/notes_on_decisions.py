"""The notes on decisions: classifiers, scores with a threshold, and the choice of one."""

from __future__ import annotations

from germane.tables.note_code import NoteCode

DECIDED = ("classify", "report", "plot")
"""The commands that measure decisions."""

NOTES_ON_DECISIONS = (
    NoteCode(
        "columns-guessed",
        "which column was taken for what, and which one looks like weights and was not used",
        "Name the columns, with `--truth`, `--predicted` or `--score`, if that is wrong, and in scripts always.",
        (*DECIDED, "threshold", "explain"),
    ),
    NoteCode(
        "positive-label",
        "which of two words was taken for the positive label",
        "Say it with `--positive` if it is the other one.",
        (*DECIDED, "threshold", "explain"),
    ),
    NoteCode(
        "default-threshold",
        "scores in [0, 1] were cut at ½",
        "Give `--threshold`; `germane threshold` chooses one by what errors cost.",
        DECIDED,
    ),
    NoteCode(
        "no-threshold",
        "scores without a threshold: no decisions",
        "Give `--threshold` if you want rates besides the curves.",
        DECIDED,
    ),
    NoteCode(
        "every-threshold",
        "a rate was explained at every threshold; the last line is its best value, not that of `germane classify`",
        "Give `--threshold`, such as the one that `germane classify` took, to see how the rate comes about there.",
        ("explain",),
    ),
    NoteCode(
        "not-computed",
        "`count` measures that were asked for and that this one of several classifiers lacks, and why",
        "Give what it needs, or evaluate the classifiers one by one.",
        DECIDED,
    ),
    NoteCode(
        "only-by-class",
        "`count` measures that were asked for and have a value for each class only",
        "Choose an `--average` to have one value over all classes.",
        DECIDED,
    ),
    NoteCode(
        "labels-alike",
        "labels that differ only in case or blanks: two classes, where one may be meant",
        "Spell them alike in the data, unless they are two classes.",
        DECIDED,
    ),
    NoteCode(
        "extreme-prevalence",
        "`share` of positives below 10 % or above 90 %",
        "Do not read accuracy alone: look at recall, precision and MCC.",
        DECIDED,
    ),
    NoteCode(
        "class-without-items",
        "classes that no item has, whose recall is undefined",
        "Averages leave them out. See that the labels are spelled alike in both columns.",
        DECIDED,
    ),
    NoteCode(
        "class-never-predicted",
        "classes that were never predicted, whose precision is undefined",
        "Averages leave them out: the classifier ignores these classes.",
        DECIDED,
    ),
    NoteCode(
        "weights",
        "weights are not whole numbers",
        "Intervals draw whole rows, or there are none. Counts as weights have no such limit.",
        DECIDED,
    ),
    NoteCode(
        "one-class",
        "all items are of one class, so that what needs both is undefined",
        "Get items of the other class too.",
        DECIDED,
    ),
    NoteCode(
        "constant-score",
        "all items have the same score",
        "See that the right column was read as the score.",
        DECIDED,
    ),
    NoteCode(
        "below-diagonal",
        "an AUC under ½: the scores rank negatives higher",
        "Is it the other label that is positive, or is less better in this column? Nothing was inverted.",
        DECIDED,
    ),
    NoteCode(
        "one-versus-rest",
        "several labels count as negative; `examples` are the rarest",
        "Nothing, if one class against all others is what you mean.",
        (*DECIDED, "threshold", "explain"),
    ),
    NoteCode(
        "not-compared",
        "several classifiers that are not compared, and why",
        "Compare them without weights, or read their intervals one by one.",
        DECIDED,
    ),
    NoteCode(
        "items-without-labels",
        "sets of labels that are empty",
        "Nothing, if an item may have no label. See the reader's rules if none should.",
        ("classify",),
    ),
    NoteCode(
        "tied",
        "`count` thresholds are equally good",
        "The highest is taken. Any of those in `tied` does as well on these rows.",
        ("threshold",),
    ),
    NoteCode(
        "extreme-threshold",
        "everything, or nothing, is called positive",
        "By this rule the scores are of no use: look at the costs, or the targets.",
        ("threshold",),
    ),
    NoteCode(
        "no-undecided-zone",
        "rule-in is not above rule-out, so that no zone is undecided",
        "Take one threshold between the two: it meets both targets.",
        ("threshold",),
    ),
    NoteCode(
        "same-rows",
        "no second set, or the first one again: the numbers are of the rows by which the threshold was chosen",
        "They are optimistic. Give a second set, of other rows, with `--test`.",
        ("threshold",),
    ),
    NoteCode(
        "target-missed",
        "a target that the second set does not meet",
        "Choose with `--on lower`, which holds the end of the interval against the target, or from more rows.",
        ("threshold",),
    ),
    NoteCode(
        "fewer-resamples",
        "why the stability has fewer resamples than usual",
        "Read the range as rough, or give `--resamples`: what is asked for is drawn, and takes its time.",
        ("threshold",),
    ),
)
