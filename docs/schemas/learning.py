"""Schemas of `tune`, `learn`, a model's file, and what an agent prints and keeps."""

from __future__ import annotations

from docs.schemas.building import (
    BY_MEASURE,
    CELLS,
    CHECKSUM,
    LEVEL,
    SEED,
    SENTENCES,
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

ALPHA = number("the error rate that is accepted")
ENDS = {"low": measured("the low end of the interval"), "high": measured("the high end of the interval")}
OF_QUERIES = by("query", measured("its value"))
POINT = record(
    "a point",
    {
        "x": number("training queries, or the value of the parameter"),
        "tuned": measured("the score by which strategies were chosen"),
        "held_out": measured("the score on queries that had no say in it"),
    },
)
TUNE = document(
    "what `germane tune --format json` prints",
    "tune",
    {
        "measure": text("what was tuned for"),
        "lower_is_better": truth("whether less is better"),
        "k": whole("documents per topic"),
        "search": text("how the space was searched"),
        "seed": SEED,
        "alpha": ALPHA,
        "level": LEVEL,
        "chosen": text("what Occam's razor leaves"),
        "winner": text("the strategy with the highest mean"),
        "simplest": text("the simplest strategy"),
        "rankings_evaluated": whole("how often a strategy ranked a query"),
        "procedures": listed(
            "one entry per rule to choose by",
            record(
                "a rule",
                {
                    "rule": text("its name"),
                    "strategy": text("what it takes by all queries"),
                    "tuned": measured("the score by which strategies were chosen"),
                    "held_out": measured("the score on queries that had no say in it"),
                    **ENDS,
                    "gap": measured("how much the first promised too much"),
                    "difference": measured("the held-out score less that of the simplest strategy"),
                    "difference_low": measured("the low end of its interval"),
                    "difference_high": measured("the high end of its interval"),
                    "p": measured("of a paired t test"),
                    "by_fold": listed(
                        "by fold",
                        record(
                            "a fold",
                            {
                                "strategy": text("what was taken without it"),
                                "tuned": measured("its mean on the training queries"),
                                "held_out": measured("its mean on the fold"),
                                "num_train": whole("training queries"),
                                "num_held_out": whole("queries of the fold"),
                            },
                        ),
                    ),
                    "queries": OF_QUERIES,
                },
            ),
        ),
        "folds": by("query", whole("the fold that it is in")),
        "strategies": listed(
            "every strategy",
            record(
                "a strategy",
                {
                    "strategy": text("its name"),
                    "parts": whole("how many parts it has"),
                    "changed": whole("parameters that are not at their defaults"),
                    "mean": measured("its mean over all queries; null if it was dropped before the last"),
                    "queries": OF_QUERIES,
                },
            ),
        ),
        "learning_curve": listed("scores by the number of training queries", POINT),
        "validation_curves": by("parameter", listed("scores by its value", POINT)),
    },
)
HELD_OUT = record(
    "what it is worth on unseen queries",
    {
        "queries": whole("how many queries"),
        "folds": whole("how many folds"),
        "level": LEVEL,
        "family": text("the tests that p-values are adjusted for"),
        "correction": text("how p is adjusted"),
        "means": listed(
            "the means",
            record("a mean", {"measure": text("the measure"), "run": text("of what"), "mean": measured("it"), **ENDS}),
        ),
        "differences": listed(
            "what was learned less what it is held against",
            record(
                "a difference",
                {
                    "measure": text("the measure"),
                    "against": text("what it is held against"),
                    "difference": measured("the difference of the means"),
                    **ENDS,
                    "p": measured("adjusted for all of them"),
                },
            ),
        ),
    },
)
LEARNED = {
    "learner": text("the learner"),
    "scaling": text("how features were scaled"),
    "first_stage": nullable(text("what finds the candidates; null for rows of a file")),
    "depth": nullable(whole("how many candidates")),
    "analyser": nullable(text("how text becomes terms")),
    "weights": nullable(by("feature", number("its weight"))),
}
C = measured("the C that was chosen; null for the learner's own")
LEARN = document(
    "what `germane learn --format json` prints",
    "learn",
    {
        **LEARNED,
        "C": C,
        "features": listed("the features", text("a feature")),
        "seed": SEED,
        "rows": whole("how many candidates in all"),
        "held_out": HELD_OUT,
        "folds": listed(
            "one entry per fold",
            record(
                "a fold",
                {
                    "fold": whole("its number"),
                    "learned_from": whole("how many queries"),
                    "held_out": listed("the queries of the fold", text("a query")),
                    "C": C,
                    "best_feature": text("the best single one there; a minus says that low values are good"),
                },
            ),
        ),
        "queries": by("query", by("run", BY_MEASURE)),
    },
)
MODEL = record(
    "the model that `germane learn -o MODEL` writes",
    {
        "format": text("what the file is", "germane ranking model"),
        "version": whole("the version of this format"),
        "germane": VERSION,
        **LEARNED,
        "features": listed(
            "the features",
            record("a feature", {"name": text("its name"), "canonical": text("its name with all parameters")}),
        ),
        "model": anything("what the learner learned; for germane to read"),
        "training": {
            **record(
                "what it was learned from; other keys depend on the source",
                {
                    "sha256": text("the checksum of the rows"),
                    "rows": whole("how many rows"),
                    "queries": whole("how many queries"),
                    "?C": C,
                    "?rel": measured("the least grade that is relevant"),
                    "?seed": SEED,
                    "?query_fingerprints": listed("of the queries, so that they are known again", text("a hash")),
                },
            ),
            "additionalProperties": anything("what else is known of the source"),
        },
        "held_out": HELD_OUT,
        "checksum": CHECKSUM,
    },
)
MEAN = record("a mean", {"mean": measured("it"), **ENDS})
FOUND = {"mean": measured("the mean"), "difference": measured("to doing nothing"), "p": measured("its p-value")}
WEIGHTED = {"weight": number("how much it counts"), **FOUND}
TRIED = record(
    "what was tried",
    {"reason": text("why it was taken, or not"), "trials": listed("each weight", record("a trial", WEIGHTED))},
)
RERANKING_WEIGHT = number("how much re-ranking counts")
UTILITY = record(
    "what the agent is good for",
    {
        "measure": nullable(text("the measure; null if the costs are the utility")),
        "costs": record(
            "what documents cost",
            {
                "relevant": number("a relevant one"),
                "non_relevant": number("another one"),
                "missed": number("a relevant one that is not returned"),
            },
        ),
    },
)
ORIGIN = {
    "index": text("a hash of the index"),
    "analyser": text("how text becomes terms"),
    "num_docs": whole("documents of the index"),
    "num_queries": whole("queries trained on"),
    "folds": whole("how many folds"),
    "seed": SEED,
    "rel": number("the least grade that is relevant"),
    "tolerance": number("how much simpler strategies may be worse"),
    "alpha": ALPHA,
}
CHOICE = record(
    "why the agent does what it does",
    {
        "utility": text("what strategies were compared by"),
        "strategies": listed(
            "all, the best first", record("a strategy", {"strategy": text("its name"), "mean": measured("its mean")})
        ),
        "winner": text("the one with the highest mean"),
        "reason": text("why it was taken"),
        "held_out": record(
            "on queries that had no say in it",
            {
                "num_queries": whole("how many queries"),
                "agent": MEAN,
                "best_single": MEAN,
                "difference": record("the agent less the other", {**MEAN["properties"], "p": measured("its p-value")}),
                "folds": listed(
                    "what was taken without each fold",
                    record(
                        "a fold",
                        {
                            "strategy": text("the strategy"),
                            "weight": number("how much the evidence counts"),
                            "reranking_weight": RERANKING_WEIGHT,
                            "best": text("the strategy with the best mean"),
                        },
                    ),
                ),
            },
        ),
        "evidence": TRIED,
        "reranking": TRIED,
        "calibration": record(
            "of P(R|d), held out",
            {
                "brier": measured("Brier's score"),
                "brier_of_base_rate": measured("that of always saying the share of relevant ones"),
                "num_docs": whole("over how many documents"),
                "num_relevant": whole("relevant ones among them"),
            },
        ),
        "feedback": record(
            "what was tried for feedback",
            {
                "judged": whole("documents judged"),
                "measure": text("the measure"),
                "num_queries": whole("how many queries"),
                "trials": listed(
                    "each method",
                    record("a trial", {"method": text("it"), "reranking_weight": RERANKING_WEIGHT, **WEIGHTED}),
                ),
                "held_out": nullable(record("on queries that had no say in it", {**FOUND, **ENDS})),
                "reason": text("why it was taken, or not"),
                "refused": listed("methods that cannot go with this strategy", anything("a method")),
            },
        ),
    },
)
DECIDED = record(
    "what it decided",
    {
        "confusion": CELLS,
        "rates": by("rate", record("a rate", {"value": measured("it"), **ENDS})),
        "weak_spots": listed(
            "where it is weak",
            record(
                "a spot",
                {
                    "kind": text("of which kind"),
                    "where": text("where"),
                    "rate": text("by which rate"),
                    "value": measured("its value there"),
                    "elsewhere": measured("its value elsewhere"),
                    "description": text("the same in words"),
                },
            ),
        ),
    },
)
JUDGMENTS = by("query", by("document", truth("whether it was called relevant")))
SHOW = record(
    "what `germane agent show --format json` prints, and `agent train`",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "agent-show/1"),
        "strategy": text("how it ranks"),
        "utility": UTILITY,
        "evidence_weight": number("how much the evidence of past queries counts"),
        "reranking": record(
            "the re-ranking model as it is now",
            {
                "weight": number("how much it counts before feedback"),
                "weight_after": number("how much it counts after it"),
                "num_rows": whole("documents it learned from"),
                "num_new": whole("of these, since training"),
                "features": by("feature", number("its weight")),
            },
        ),
        "feedback": nullable(text("its feedback method")),
        "trained_on": record("where it was trained", ORIGIN),
        "choice": CHOICE,
        "decisions": record("how it decides", {"trained": DECIDED, "since": DECIDED}),
        "judgments": JUDGMENTS,
        "notes": SENTENCES,
    },
)
ANSWER = record(
    "what `germane agent search --format json` prints",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "agent-search/1"),
        "strategy": text("what ranked"),
        "query": text("what was asked"),
        "results": listed(
            "what is returned, by rank",
            record(
                "a document",
                {
                    "rank": whole("its rank"),
                    "doc": text("its id"),
                    "score": number("its score, comparable within this answer"),
                    "probability": number("P(R|d)"),
                    "judged": nullable(truth("what somebody said of it for this query")),
                },
            ),
        ),
        "num_worth": whole("documents that are worth their cost"),
        "num_found": whole("of how many"),
        "threshold": number("the probability above which they are"),
        "expected_cost": number("of this answer"),
        "best_unreturned": measured("the highest probability of what is not returned"),
        "unknown": listed("words that no document holds", text("a word")),
        "notes": SENTENCES,
    },
)
BY_ROUND = listed("the utility by round", measured("of a round"))
SIMULATE = record(
    "what `germane agent simulate --format json` prints",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "agent-simulate/1"),
        "utility": text("what is measured"),
        "behaviour": record(
            "what a person does in a round",
            {
                "judged": whole("documents judged"),
                "error_rate": number("how often wrongly"),
                "ask": truth("whether the agent asks"),
                "description": text("the same in words"),
            },
        ),
        "seed": SEED,
        "rounds": listed(
            "one entry per round",
            record(
                "a round",
                {
                    "number": whole("0 is before anything was judged"),
                    "num_queries": whole("over how many queries"),
                    "frozen": measured("the utility of the agent that learns nothing"),
                    "agent": measured("the utility of the one that learns"),
                    "difference": measured("the second less the first"),
                    **ENDS,
                    "p": measured("of a paired t test"),
                    "p_adjusted": measured("adjusted for the rounds"),
                    "better": whole("queries that gained"),
                    "worse": whole("queries that lost"),
                    "num_judged": whole("documents judged by then"),
                    "num_relevant": whole("relevant ones among them"),
                    "num_errors": whole("wrong judgments among them"),
                },
            ),
        ),
        "queries": by("query", record("its utility", {"learning": BY_ROUND, "frozen": BY_ROUND})),
        "no_relevant_left": listed("queries without a relevant document left", text("a query")),
        "notes": SENTENCES,
    },
)
AGENT = record(
    "the file of an agent; what it has learned is for germane to read",
    {
        "germane_agent": whole("the version of this format"),
        "origin": record(
            "where it was trained", {**ORIGIN, "queries": listed("the queries trained on", text("a query"))}
        ),
        "utility": UTILITY,
        "strategy": text("how it ranks"),
        "depth": whole("candidates per query"),
        "evidence_weight": number("how much the evidence of past queries counts"),
        "reranking": anything("the re-ranking model, or null"),
        "indexing": anything("what it knows of documents from past queries"),
        "calibration": anything("how scores become probabilities"),
        "feedback": nullable(text("its feedback method")),
        "weight_after": number("how much the evidence counts after feedback"),
        "calibration_after": anything("how scores become probabilities after feedback, or null"),
        "choice": CHOICE,
        "trained": anything("its decisions in training"),
        "since": anything("its decisions since"),
        "marks": JUDGMENTS,
        "decided": by("query", by("document", truth("whether it was returned"))),
        "judgments": listed(
            "every judgment since the training, in the order given",
            record(
                "a judgment, and what the agent had made of the document before it",
                {
                    "event": text("a random id: a judgment counts once, however often it is merged"),
                    "query": text("the query"),
                    "doc": text("the document"),
                    "relevant": truth("whether it was said to be relevant"),
                    "num_terms": whole("terms of the query"),
                    "probability": number("P(R|d) before it; 0 if the document was not ranked"),
                    "score": nullable(number("the document's score before it")),
                    "refined": truth("whether the ranking came from feedback"),
                },
            ),
        ),
        "notes": SENTENCES,
        "checksum": CHECKSUM,
    },
)

BIAS_VARIANCE = record(
    "why a learner errs on new data, as `germane.learning.bias_variance` returns it",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "bias-variance/1"),
        "loss": text("the loss", "squared", "zero_one"),
        "expected_loss": number("the mean loss over all rows and training sets"),
        "bias": number("how far the main prediction is off"),
        "variance": number("how much predictions change with the training set"),
        "noise": number("how much labels of the same item differ"),
        "parts": listed(
            "the parts of the expected loss",
            record(
                "a part",
                {
                    "part": text("its name"),
                    "value": number("its value"),
                    "adds": measured("what it adds to the expected loss; null for that itself"),
                },
            ),
        ),
        "notes": SENTENCES,
    },
)

SCHEMAS: dict[str, Schema] = {
    "bias-variance": BIAS_VARIANCE,
    "tune": TUNE,
    "learn": LEARN,
    "model": MODEL,
    "agent": AGENT,
    "agent-show": SHOW,
    "agent-search": ANSWER,
    "agent-simulate": SIMULATE,
}
