"""The notes on ground truth: pools, the agreement of those who judge, and releases."""

from __future__ import annotations

from germane.tables.note_code import NoteCode

NOTES_ON_GROUND_TRUTH = (
    NoteCode(
        "short-lists",
        "topics for which a run has fewer documents than the depth of the pool",
        "Ask the system for more documents, or expect less of it in the pool.",
        ("pool make",),
    ),
    NoteCode(
        "not-replayed",
        "an adaptive method without judgments: all that it may ask for is in the pool",
        "Judge in the order that it asks for, or give `--qrels` to replay it.",
        ("pool make",),
    ),
    NoteCode(
        "inferred",
        "samples, which are evaluated by a measure that infers the rest",
        "Compare such values with each other, not with the plain measure.",
        ("pool simulate",),
    ),
    NoteCode(
        "not-left-out",
        "samples have no leave-one-run-out",
        "Simulate a method without chance to see what a new run would lose.",
        ("pool simulate",),
    ),
    NoteCode(
        "judged-by-one",
        "documents without two grades",
        "They say nothing on agreement. `germane judge --judgments 2` has everything judged twice.",
        ("agree",),
    ),
    NoteCode(
        "cannot-judge",
        "judgments without a grade",
        "Look at the examples: the rubric may need a rule for them, or the document a better text.",
        ("agree",),
    ),
    NoteCode(
        "not-judged",
        "documents that nobody judged; for `tune`, topics without judgments, which are left out",
        "Nothing, if they are still to be judged. For `release`, qrels list them with grade -1.",
        ("agree", "release", "tune"),
    ),
    NoteCode(
        "left-behind",
        "answers that do not stand, such as those taken back",
        "Nothing: they are kept, and do not count.",
        ("agree",),
    ),
    NoteCode(
        "no-common-negatives",
        "no shared document is not relevant to all of its assessors",
        "Chance-corrected values are too low then: look at overlap. Share documents that look irrelevant, too.",
        ("agree",),
    ),
    NoteCode(
        "too-fast",
        "judgments given in under 1 s: too fast to have read more than a line of the document",
        "Ask the assessors named whether they meant them; judge those documents again if not. They still count.",
        ("agree",),
    ),
    NoteCode(
        "distractors-failed",
        "distractors that were called relevant",
        "Ask those who did whether they read the rubric, or whether the distractor is relevant after all.",
        ("agree",),
    ),
    NoteCode(
        "distractor-items",
        "judgments of distractors, which test the assessors and are left out",
        "Nothing.",
        ("agree",),
    ),
    NoteCode(
        "calibration-items",
        "judgments of calibration items, which are left out",
        "`--with-calibration` takes them in.",
        ("agree",),
    ),
    NoteCode(
        "repeat-items",
        "judgments of repeated items, which tell self-consistency only",
        "Nothing: see `self_consistency`.",
        ("agree",),
    ),
    NoteCode(
        "adjudicated-items",
        "adjudications, which were made knowing the other grades and are left out",
        "Nothing.",
        ("agree",),
    ),
    NoteCode(
        "pairs-without-items",
        "pairs of assessors that share no document",
        "Give them documents in common, if their agreement matters.",
        ("agree",),
    ),
    NoteCode(
        "few-topics",
        "fewer than eight topics: the bootstrap resamples documents, and not topics",
        "Read intervals as those of these topics; more topics say more than more documents.",
        ("agree",),
    ),
    NoteCode(
        "few-shared",
        "fewer than 30 documents with two grades: the interval of alpha covers less often than it says",
        "Have more documents judged twice before you build on the verdict.",
        ("agree",),
    ),
    NoteCode(
        "rare-grade",
        "fewer than 10 shared documents with another grade than the most frequent one",
        "Share more documents that are likely to be relevant; look at agreement on relevant meanwhile.",
        ("agree",),
    ),
    NoteCode(
        "undefined-resamples",
        "more than 1% of the resamples have one grade only, and no alpha",
        "Share more documents: the interval of alpha is that of the other resamples.",
        ("agree",),
    ),
    NoteCode(
        "one-in-most-pairs",
        "one assessor is in most pairs of grades, so that agreement is agreement with them",
        "Compare alpha with alpha without each assessor, in the table of assessors.",
        ("agree",),
    ),
    NoteCode(
        "scale",
        "the scale was taken from the grades given",
        "Give `--grades` if there are grades that nobody gave: weighted measures need them.",
        ("agree",),
    ),
    NoteCode(
        "undecided",
        "documents on which the policy cannot decide, and what became of them",
        "Have them adjudicated, or choose another `--otherwise`.",
        ("release",),
    ),
    NoteCode(
        "not-judgeable",
        "documents that all who saw them called impossible to judge: no grade",
        "Nothing: qrels list them as not judged.",
        ("release",),
    ),
    NoteCode(
        "too-few",
        "documents with fewer grades than `--at-least`: no grade",
        "Have them judged again, or ask for fewer.",
        ("release",),
    ),
    NoteCode(
        "left-out",
        "judgments that took no part, of what kind, and why",
        "Nothing: the manifest counts them.",
        ("release",),
    ),
    NoteCode(
        "comments",
        "comments of assessors are in the file of events as they were written",
        "Read them before you publish it.",
        ("release",),
    ),
    NoteCode(
        "several-rubrics",
        "events that name several versions of the rubric",
        "See that a grade meant the same in all of them.",
        ("release",),
    ),
    NoteCode(
        "other-pool",
        "pools that events name and that were not given",
        "Give these pools too, so that the manifest tells how all documents were chosen.",
        ("release",),
    ),
    NoteCode(
        "fractional-grades",
        "grades that are no whole numbers, which trec_eval cuts",
        "Choose a policy that takes one of the grades given, such as the majority or the median that is lower.",
        ("release",),
    ),
)
