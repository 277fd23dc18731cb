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

KIND = text("what kind of item it is", "ordinary", "distractor", "calibration", "repeat")
MADE = {
    "method": text("how documents were chosen"),
    "parameters": by("parameter", anything("its value")),
    "seed": SEED,
    "runs": listed("the runs that documents came from", RUN_OF_A_POOL),
    "hash": text("of all that made the pool, and of its documents"),
}
POOL_LINE: Schema = {
    "description": "one line of a pool: the first says how it was made, each other one is a document to judge",
    "anyOf": [
        record("how it was made", {"germane_pool": whole("the version of this format"), **MADE}),
        record(
            "a document",
            {
                "topic": text("the topic"),
                "doc": text("the document"),
                "?kind": KIND,
                "?stratum": text("the group it was drawn from"),
                "?inclusion": number("the probability of being drawn; 1 where it is left out"),
                "?sampled": truth("false for a document that chance left out"),
            },
        ),
    ],
}
EVENT = record(
    "one line of a file of events: something that an assessor did",
    {
        "event": text("an id of its own"),
        "kind": text("what was done", "grade", "undo", "later", "cannot", "comment", "adjudicate"),
        "assessor": text("who did it"),
        "topic": text("of which topic"),
        "doc": text("of which document"),
        "grade": measured("the grade, if there is one"),
        "rubric": text("the version of the rubric"),
        "pool": text("the hash of the pool"),
        "time": text("when (ISO 8601, UTC); empty if unknown"),
        "supersedes": nullable(text("the event that this one replaces or takes back")),
        "item_kind": KIND,
        "text": text("a comment"),
        "seconds": measured("how long the document was looked at"),
    },
)
POOL = document(
    "what `germane pool make --format json` prints",
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
                    "stratum": text("the group it was drawn from; empty where there are none"),
                    "inclusion": number("the probability of being drawn"),
                    "kind": KIND,
                    "sampled": truth("false for a document that was pooled and not drawn"),
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
                    "num_unsampled": whole("documents pooled and not drawn"),
                },
            ),
        ),
        "?strata": listed(
            "of a sample: the size of each stratum",
            record(
                "a stratum",
                {
                    "stratum": text("its name"),
                    "num_docs": whole("documents drawn"),
                    "num_pooled": whole("documents pooled"),
                },
            ),
        ),
    },
)
SIMULATE = document(
    "what `germane pool simulate --format json` prints",
    "pool-simulate",
    {
        "qrels": text("the judgments that were replayed"),
        "runs": listed("the runs", RUN_OF_A_POOL),
        "topics": whole("how many topics"),
        "relevant": whole("how many relevant documents"),
        "measure": text("what systems were ordered by"),
        "rel": number("the least grade that counts as relevant"),
        "depth": whole("how far down runs were read"),
        "seed": SEED,
        "repeats": whole("how often methods with chance were repeated"),
        "budgets": listed(
            "one entry per method and budget",
            record(
                "a pool",
                {
                    "method": text("how documents were chosen"),
                    "budget": whole("documents per topic"),
                    "judged": number("documents that were asked for and are judged"),
                    "unjudged": number("documents that were asked for and nobody judged"),
                    "found": number("relevant ones among them"),
                    "share": number("the share of all relevant documents"),
                    "tau": measured("Kendall's tau-b between the leaderboards"),
                    "tau_low": measured("its lowest value over the repeats"),
                    "tau_high": measured("its highest value over the repeats"),
                    "repeats": whole("how many repeats"),
                    "measure": text("what the pool was evaluated with"),
                },
            ),
        ),
        "leave_one_out": listed(
            "with --leave-one-out: each run without its own documents",
            record(
                "a run",
                {
                    "method": text("how documents were chosen"),
                    "run": text("the run"),
                    "score": measured("its score"),
                    "score_without": measured("its score without it in the pool"),
                    "rank": whole("its rank"),
                    "rank_without": whole("its rank without it in the pool"),
                    "unique": whole("relevant documents that only it brought"),
                    "drop": whole("places lost"),
                },
            ),
        ),
        "fairness": by(
            "method",
            record(
                "how fair it is to a run that is not in the pool",
                {
                    "mean_change": measured("the mean change of the score"),
                    "largest_loss": measured("the largest loss of the score"),
                    "mean_drop": measured("the mean drop in rank"),
                    "largest_drop": whole("the largest drop in rank"),
                    "run": text("the run of the latter"),
                },
            ),
        ),
    },
)
OF_TOPIC: Schema = {
    **record("a topic; all other keys are measures", {"num_docs": whole("documents with two grades or more")}),
    "additionalProperties": measured("the value of a measure"),
}
MATRIX = listed("a table of grades", listed("a row", number("how often")))
JUDGE = record(
    "an assessor",
    {
        "assessor": text("who"),
        "graded": whole("documents graded"),
        "shared": whole("of these, shared with somebody"),
        "cannot_judge": whole("answers of `cannot judge`"),
        "mean_grade": measured("the mean grade"),
        "relevant": measured("the share relevant"),
        "agreement": measured("how often another judge said the same"),
        "distractors": whole("distractors seen"),
        "distractors_failed": whole("distractors called relevant"),
        "repeats": whole("repeated items seen"),
        "repeats_same": whole("answered as before"),
        "pair_share": measured("share of all pairs of grades of a document that one of theirs is part of"),
        "alpha_without": measured("alpha of all others, where one assessor is in most pairs; else null"),
        "too_fast": whole("judgments given in under 1 s, too fast to read a line"),
    },
)
AGREE = document(
    "what `germane agree --format json` prints",
    "agree",
    {
        "assessors": listed("who judged", text("an assessor")),
        "grades": listed("the scale", number("a grade")),
        "rel": measured("the least grade that counts as relevant"),
        "num_topics": whole("topics with shared documents"),
        "num_docs": whole("documents that somebody judged"),
        "num_shared": whole("those with two grades or more"),
        "verdict": text("the report in a few sentences"),
        "reading": text("how alpha is read"),
        "headline": text("the measure of the verdict", "alpha_nominal", "alpha_interval"),
        "interval": record(
            "how intervals were made",
            {
                "method": text("the method"),
                "resampled": text("the units that are resampled"),
                "level": LEVEL,
                "resamples": whole("how often"),
                "seed": SEED,
            },
        ),
        "agreement": by(
            "measure",
            record(
                "how far they agree",
                {
                    "title": text("its name in words"),
                    "value": measured("the value"),
                    "low": measured("the low end of its interval"),
                    "high": measured("the high end of its interval"),
                    "?undefined": text("why there is no value"),
                    "?no_interval": text("why the value has no interval"),
                },
            ),
        ),
        "pairs": listed(
            "each pair of judges",
            record(
                "two judges",
                {
                    "first": text("the one"),
                    "second": text("the other"),
                    "num_docs": whole("documents that both graded"),
                    "first_higher_by": measured("how much higher the first one grades"),
                    "agreement": by("measure", measured("how far they agree")),
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
                    "given": whole("how often it was given"),
                    "agreement": measured("how often another judge gave the same"),
                },
            ),
        ),
        "confusion": MATRIX,
        "by_assessor": listed("each assessor", JUDGE),
        "self_consistency": nullable(
            {
                **record("of repeated items; all other keys are measures", {"items": whole("how many")}),
                "additionalProperties": measured("first against second grade"),
            }
        ),
        "systems": nullable(
            record(
                "with --runs: what the disagreement does to systems",
                {
                    "measure": text("what they are ordered by"),
                    "mean_tau_b": measured("the mean over pairs of judges"),
                    "means": by("judge", by("run", measured("its mean"))),
                    "pairs": listed(
                        "each pair of judges",
                        record(
                            "two judges",
                            {
                                "first": text("the one"),
                                "second": text("the other"),
                                "num_topics": whole("over how many topics"),
                                "tau_b": measured("how alike they order the systems"),
                                "tau_ap_b": measured("the same, with more weight on the top"),
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
        "name": text("what the release is called"),
        "policy": record(
            "how grades became one",
            {
                "name": text("the policy"),
                "rule": text("its rule in words"),
                "adjudicated": text("what becomes of adjudicated grades"),
                "undecided": text("what is done where the policy cannot decide"),
                "undecided_description": text("the same in words"),
                "min_grades": whole("how many grades a document needs"),
            },
        ),
        "counts": record(
            "how many of what",
            {
                "topics": whole("topics"),
                "documents": whole("documents in the qrels"),
                "graded": whole("those with a grade"),
                "grades": by("grade", whole("how many documents")),
                "scale": measured("the highest grade of the scale"),
                "decided": by("way", whole("how many documents were decided so")),
                "judgments": whole("judgments"),
                "cannot_judge": whole("answers of `cannot judge`"),
                "events": whole("events"),
                "assessors": whole("assessors"),
            },
        ),
        "excluded": listed(
            "judgments that took no part",
            record("some", {"kind": text("which"), "count": whole("how many"), "reason": text("why")}),
        ),
        "pools": listed("how the pools were made", record("a pool", MADE)),
        "pools_of_events": by("hash", whole("how many events name it")),
        "rubrics": listed("the versions of the rubric", anything("a rubric")),
        "rubrics_of_events": by("rubric", whole("how many events name it")),
        "rel": measured("the least grade that counts as relevant; null if nobody said"),
        "project": anything("of a judging project: its settings over time, its pools, rubrics and events; else null"),
        "assessors": listed("who judged", text("an assessor")),
        "pseudonyms": truth("whether these are A1, A2, … in place of names"),
        "files": by("file", FILE),
        "checksum": CHECKSUM,
    },
)

RELEASE = document(
    "what `germane release --format json` prints",
    "release",
    {"folder": text("where it was written"), "manifest": MANIFEST},
)
CHECK = document(
    "what `germane check --format json` and `germane release --check --format json` print",
    "check",
    {
        "problems": listed(
            "the first problems of each kind in each file",
            record(
                "a problem",
                {
                    "file": text("the file"),
                    "line": nullable(whole("the line; null where the whole file is meant")),
                    "kind": text("a word for problems that are alike"),
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
                    "content": text("what it is and how that was inferred; empty where that is not known"),
                    "num_problems": whole("how many problems it has"),
                    "?counts": by("kind", nullable(whole("how many problems of this kind it has"))),
                    "summary": listed("what is in a file without problems", text("a sentence")),
                    "remarks": listed("what may be worth a look", text("a sentence")),
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
