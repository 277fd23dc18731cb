"""Schemas of pools, events, `pool simulate`, `agree` and the manifest of a release."""

from __future__ import annotations

from docs.schemas.building import (
    CHECKSUM,
    LEVEL,
    RUN_OF_A_POOL,
    SEED,
    VERSION,
    Schema,
    anything,
    by,
    document,
    listed,
    measured,
    nullable,
    number,
    record,
    text,
    truth,
    whole,
)

KIND = text("the kind of item", "ordinary", "distractor", "calibration", "repeat")
MADE = {
    "method": text("the pooling method"),
    "parameters": by("parameter", anything("its value")),
    "seed": SEED,
    "runs": listed("the pooled runs", RUN_OF_A_POOL),
    "hash": text("a hash of the settings, the runs and the documents"),
}
POOL_LINE: Schema = {
    "description": "one line of a pool: the first says how it was made, every other line is a document to judge",
    "anyOf": [
        record("how it was made", {"germane_pool": whole("the version of this format"), **MADE}),
        record(
            "a document",
            {
                "topic": text("the topic"),
                "doc": text("the document"),
                "?kind": KIND,
                "?stratum": text("the stratum it was sampled from"),
                "?inclusion": number("the inclusion probability; 1 if omitted"),
                "?sampled": truth("false for a pooled document that was not sampled"),
            },
        ),
    ],
}
EVENT = record(
    "one line of an event file: an action of an assessor",
    {
        "event": text("the id of the event"),
        "kind": text("the action", "grade", "undo", "later", "cannot", "comment", "adjudicate"),
        "assessor": text("the assessor"),
        "topic": text("the topic"),
        "doc": text("the document"),
        "grade": measured("the grade, if any"),
        "rubric": text("the version of the rubric"),
        "pool": text("the hash of the pool"),
        "time": text("the time (ISO 8601, UTC); empty if unknown"),
        "supersedes": nullable(text("the event that this one replaces or withdraws")),
        "item_kind": KIND,
        "text": text("a comment"),
        "seconds": measured("seconds the assessor spent on the document"),
    },
)
POOL = document(
    "output of `germane pool make --format json`",
    "pool",
    {
        **MADE,
        "items": listed(
            "the documents by topic",
            record(
                "a document",
                {
                    "topic": text("the topic"),
                    "doc": text("the document"),
                    "stratum": text("the stratum it was sampled from; empty if there are none"),
                    "inclusion": number("the inclusion probability"),
                    "kind": KIND,
                    "sampled": truth("false for a pooled document that was not sampled"),
                },
            ),
        ),
        "topics": listed(
            "the size of each topic",
            record(
                "a topic",
                {
                    "topic": text("the topic"),
                    "num_docs": whole("documents to judge"),
                    "num_unsampled": whole("pooled documents that were not sampled"),
                },
            ),
        ),
        "?strata": listed(
            "of a sample: the size of each stratum",
            record(
                "a stratum",
                {
                    "stratum": text("its name"),
                    "num_docs": whole("sampled documents"),
                    "num_pooled": whole("pooled documents"),
                },
            ),
        ),
    },
)
SIMULATE = document(
    "output of `germane pool simulate --format json`",
    "pool-simulate",
    {
        "qrels": text("the judgments that were replayed"),
        "runs": listed("the runs", RUN_OF_A_POOL),
        "topics": whole("number of topics"),
        "relevant": whole("number of relevant documents"),
        "measure": text("the measure that ranks the systems"),
        "rel": number("the minimum grade that counts as relevant"),
        "depth": whole("the pooling depth"),
        "seed": SEED,
        "repeats": whole("number of repetitions of random methods"),
        "budgets": listed(
            "one entry per method and budget",
            record(
                "a pool",
                {
                    "method": text("the pooling method"),
                    "budget": whole("documents per topic"),
                    "judged": number("requested documents that are judged"),
                    "unjudged": number("requested documents that are unjudged"),
                    "found": number("relevant documents among the judged ones"),
                    "share": number("the share of all relevant documents"),
                    "tau": measured("Kendall's tau-b between the leaderboards of the pool and of all judgments"),
                    "tau_low": measured("its lowest value over the repeats"),
                    "tau_high": measured("its highest value over the repeats"),
                    "repeats": whole("number of repeats"),
                    "measure": text("the measure that evaluates the pool"),
                },
            ),
        ),
        "leave_one_out": listed(
            "with --leave-one-out: each run, evaluated without its contribution to the pool",
            record(
                "a run",
                {
                    "method": text("the pooling method"),
                    "run": text("the run"),
                    "score": measured("its score"),
                    "score_without": measured("its score when it is not in the pool"),
                    "rank": whole("its rank"),
                    "rank_without": whole("its rank when it is not in the pool"),
                    "unique": whole("relevant documents that only this run contributed"),
                    "drop": whole("number of ranks lost"),
                },
            ),
        ),
        "fairness": by(
            "method",
            record(
                "how fair the method is to runs outside the pool",
                {
                    "mean_change": measured("the mean change of the score"),
                    "largest_loss": measured("the largest loss of the score"),
                    "mean_drop": measured("the mean drop in rank"),
                    "largest_drop": whole("the largest drop in rank"),
                    "run": text("the run with the largest drop"),
                },
            ),
        ),
    },
)
OF_TOPIC: Schema = {
    **record("a topic; all other keys are measures", {"num_docs": whole("documents with at least two grades")}),
    "additionalProperties": measured("the value of a measure"),
}
MATRIX = listed("a table of grades", listed("a row", number("a count")))
JUDGE = record(
    "an assessor",
    {
        "assessor": text("the assessor"),
        "graded": whole("graded documents"),
        "shared": whole("graded documents that another assessor graded too"),
        "cannot_judge": whole("number of `cannot judge` answers"),
        "mean_grade": measured("the mean grade"),
        "relevant": measured("the share graded relevant"),
        "agreement": measured("share of other assessors' grades that are equal"),
        "distractors": whole("number of distractors seen"),
        "distractors_failed": whole("number of distractors graded relevant"),
        "repeats": whole("number of repeated items seen"),
        "repeats_same": whole("number of repeated items graded as before"),
        "pair_share": measured("share of all pairs of grades that involve this assessor"),
        "alpha_without": measured("alpha without this assessor; null unless one assessor is in most pairs"),
        "too_fast": whole("number of judgments given in under 1 s"),
    },
)
AGREE = document(
    "output of `germane agree --format json`",
    "agree",
    {
        "assessors": listed("the assessors", text("an assessor")),
        "grades": listed("the grading scale", number("a grade")),
        "rel": measured("the minimum grade that counts as relevant"),
        "num_topics": whole("topics with shared documents"),
        "num_docs": whole("judged documents"),
        "num_shared": whole("documents with at least two grades"),
        "verdict": text("the conclusion in a few sentences"),
        "reading": text("how to interpret alpha"),
        "headline": text("the measure that the verdict is based on", "alpha_nominal", "alpha_interval"),
        "interval": record(
            "how the intervals were computed",
            {
                "method": text("the method"),
                "resampled": text("the units that are resampled"),
                "level": LEVEL,
                "resamples": whole("number of bootstrap resamples"),
                "seed": SEED,
            },
        ),
        "agreement": by(
            "measure",
            record(
                "inter-assessor agreement",
                {
                    "title": text("its full name"),
                    "value": measured("the value"),
                    "low": measured("the lower limit of its interval"),
                    "high": measured("the upper limit of its interval"),
                    "?undefined": text("why the value is undefined"),
                    "?no_interval": text("why the value has no interval"),
                },
            ),
        ),
        "pairs": listed(
            "each pair of assessors",
            record(
                "two assessors",
                {
                    "first": text("the first assessor"),
                    "second": text("the second assessor"),
                    "num_docs": whole("documents graded by both"),
                    "first_higher_by": measured("mean difference of their grades, first − second"),
                    "agreement": by("measure", measured("inter-assessor agreement")),
                    "confusion": MATRIX,
                },
            ),
        ),
        "topics": by("topic", OF_TOPIC),
        "by_grade": listed(
            "each grade",
            record(
                "a grade",
                {
                    "grade": number("the grade"),
                    "given": whole("number of times it was given"),
                    "agreement": measured("share of other assessors' grades that are equal"),
                },
            ),
        ),
        "confusion": MATRIX,
        "by_assessor": listed("each assessor", JUDGE),
        "self_consistency": nullable(
            {
                **record(
                    "agreement on repeated items; all other keys are measures",
                    {"items": whole("number of repeated items")},
                ),
                "additionalProperties": measured("agreement of an assessor's first and second grade"),
            }
        ),
        "systems": nullable(
            record(
                "with --runs: the effect of disagreement on the ranking of systems",
                {
                    "measure": text("the measure that ranks the systems"),
                    "mean_tau_b": measured("the mean over pairs of assessors"),
                    "means": by("assessor", by("run", measured("its mean"))),
                    "pairs": listed(
                        "each pair of assessors",
                        record(
                            "two assessors",
                            {
                                "first": text("the first assessor"),
                                "second": text("the second assessor"),
                                "num_topics": whole("number of topics"),
                                "tau_b": measured("Kendall's tau-b between the two rankings of systems"),
                                "tau_ap_b": measured("tau_AP,b, which weights the top more"),
                            },
                        ),
                    ),
                },
            )
        ),
    },
)
FILE = record("a file", {"bytes": whole("its size"), "sha256": text("its checksum")})
MANIFEST = record(
    "`manifest.json` of a release",
    {
        "germane_release": whole("the version of this format"),
        "germane": VERSION,
        "name": text("the name of the release"),
        "policy": record(
            "how grades were combined",
            {
                "name": text("the policy"),
                "rule": text("its rule in words"),
                "adjudicated": text("how adjudicated grades are used"),
                "undecided": text("how undecided documents are handled"),
                "undecided_description": text("a description"),
                "min_grades": whole("minimum number of grades per document"),
            },
        ),
        "counts": record(
            "counts",
            {
                "topics": whole("topics"),
                "documents": whole("documents in the qrels"),
                "graded": whole("graded documents"),
                "grades": by("grade", whole("number of documents")),
                "scale": measured("the highest grade of the scale"),
                "decided": by("way", whole("number of documents decided this way")),
                "judgments": whole("judgments"),
                "cannot_judge": whole("number of `cannot judge` answers"),
                "events": whole("events"),
                "assessors": whole("assessors"),
            },
        ),
        "excluded": listed(
            "excluded judgments",
            record(
                "a group",
                {"kind": text("the kind"), "count": whole("number of judgments"), "reason": text("the reason")},
            ),
        ),
        "pools": listed("how the pools were made", record("a pool", MADE)),
        "pools_of_events": by("hash", whole("number of events that refer to it")),
        "rubrics": listed("the versions of the rubric", anything("a rubric")),
        "rubrics_of_events": by("rubric", whole("number of events that refer to it")),
        "rel": measured("the minimum grade that counts as relevant; null if undeclared"),
        "project": anything("the settings over time, pools, rubrics and events of a judging project; else null"),
        "assessors": listed("the assessors", text("an assessor")),
        "pseudonyms": truth("whether names are replaced by A1, A2, …"),
        "files": by("file", FILE),
        "checksum": CHECKSUM,
    },
)

RELEASE = document(
    "output of `germane release --format json`",
    "release",
    {"folder": text("the folder that was written"), "manifest": MANIFEST},
)
CHECK = document(
    "output of `germane check --format json` and `germane release --check --format json`",
    "check",
    {
        "problems": listed(
            "the first problems of each kind in each file",
            record(
                "a problem",
                {
                    "file": text("the file"),
                    "line": nullable(whole("the line; null if it concerns the whole file")),
                    "kind": text("the kind of problem"),
                    "problem": text("what was expected and what was found"),
                    "hint": nullable(text("what to do")),
                },
            ),
        ),
        "files": listed(
            "every file",
            record(
                "a file",
                {
                    "file": text("the file"),
                    "content": text("the content and format, and how they were inferred; empty if unknown"),
                    "num_problems": whole("number of problems"),
                    "?counts": by("kind", nullable(whole("number of problems of this kind"))),
                    "summary": listed("a summary of files without problems", text("a sentence")),
                    "remarks": listed("observations that are not errors", text("a sentence")),
                },
            ),
        ),
    },
)

SCHEMAS: dict[str, Schema] = {
    "pool-line": POOL_LINE,
    "event": EVENT,
    "pool": POOL,
    "pool-simulate": SIMULATE,
    "agree": AGREE,
    "release": RELEASE,
    "release-manifest": MANIFEST,
    "check": CHECK,
}
