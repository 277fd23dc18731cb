"""Schemas of `tune`, `learn`, model files, and the output and files of agents."""

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

ALPHA = number("the significance level α")
ENDS = {"low": measured("the lower limit of the interval"), "high": measured("the upper limit of the interval")}
OF_QUERIES = by("query", measured("its value"))
POINT = record(
    "a point",
    {
        "x": number("the number of training queries, or the value of the parameter"),
        "tuned": measured("the score on the training queries"),
        "held_out": measured("the score on the held-out queries"),
    },
)
TUNE = document(
    "output of `germane tune --format json`",
    "tune",
    {
        "measure": text("the measure that was optimised"),
        "lower_is_better": truth("whether lower is better"),
        "k": whole("documents per query"),
        "search": text("the search method"),
        "seed": SEED,
        "alpha": ALPHA,
        "level": LEVEL,
        "chosen": text(
            "the strategy chosen by Occam's razor: the simplest that the winner does not beat significantly"
        ),
        "winner": text("the strategy with the highest mean"),
        "simplest": text("the simplest strategy"),
        "rankings_evaluated": whole("number of query rankings evaluated"),
        "procedures": listed(
            "one entry per selection rule",
            record(
                "a rule",
                {
                    "rule": text("its name"),
                    "strategy": text("the strategy it selects on all queries"),
                    "tuned": measured("the score on the training queries"),
                    "held_out": measured("the score on the held-out queries"),
                    **ENDS,
                    "gap": measured("the tuned score − the held-out score"),
                    "difference": measured("the held-out score − that of the simplest strategy"),
                    "difference_low": measured("the lower limit of its interval"),
                    "difference_high": measured("the upper limit of its interval"),
                    "p": measured("the p-value of a paired t-test"),
                    "by_fold": listed(
                        "by fold",
                        record(
                            "a fold",
                            {
                                "strategy": text("the strategy selected without this fold"),
                                "tuned": measured("its mean on the training queries"),
                                "held_out": measured("its mean on the fold"),
                                "num_train": whole("number of training queries"),
                                "num_held_out": whole("number of queries in the fold"),
                            },
                        ),
                    ),
                    "queries": OF_QUERIES,
                },
            ),
        ),
        "folds": by("query", whole("its fold")),
        "strategies": listed(
            "every strategy",
            record(
                "a strategy",
                {
                    "strategy": text("its name"),
                    "parts": whole("number of parts"),
                    "changed": whole("number of parameters that differ from their defaults"),
                    "mean": measured("its mean over all queries; null if it was dropped early"),
                    "queries": OF_QUERIES,
                },
            ),
        ),
        "learning_curve": listed("scores by the number of training queries", POINT),
        "validation_curves": by("parameter", listed("scores by its value", POINT)),
    },
)
HELD_OUT = record(
    "the performance on held-out queries",
    {
        "queries": whole("number of queries"),
        "folds": whole("number of folds"),
        "level": LEVEL,
        "family": text("the family of tests that p-values are adjusted for"),
        "correction": text("the correction for multiple tests"),
        "means": listed(
            "the means",
            record(
                "a mean", {"measure": text("the measure"), "run": text("the run"), "mean": measured("the mean"), **ENDS}
            ),
        ),
        "differences": listed(
            "differences: the learned ranking − the reference",
            record(
                "a difference",
                {
                    "measure": text("the measure"),
                    "against": text("the reference"),
                    "difference": measured("the difference of the means"),
                    **ENDS,
                    "p": measured("the adjusted p-value"),
                },
            ),
        ),
    },
)
LEARNED = {
    "learner": text("the learner"),
    "scaling": text("the scaling of the features"),
    "first_stage": nullable(text("the first-stage ranker; null for rows of a file")),
    "depth": nullable(whole("number of candidates per query")),
    "analyser": nullable(text("the analyser: how text becomes terms")),
    "weights": nullable(by("feature", number("its weight"))),
}
C = measured("the chosen C; null for the default")
LEARN = document(
    "output of `germane learn --format json`",
    "learn",
    {
        **LEARNED,
        "C": C,
        "features": listed("the features", text("a feature")),
        "seed": SEED,
        "rows": whole("number of candidates"),
        "held_out": HELD_OUT,
        "folds": listed(
            "one entry per fold",
            record(
                "a fold",
                {
                    "fold": whole("its number"),
                    "learned_from": whole("number of training queries"),
                    "held_out": listed("the queries of the fold", text("a query")),
                    "C": C,
                    "best_feature": text(
                        "the best single feature on the training queries; a minus means that low values are better"
                    ),
                },
            ),
        ),
        "queries": by("query", by("run", BY_MEASURE)),
    },
)
MODEL = record(
    "the model that `germane learn -o MODEL` writes",
    {
        "format": text("the type of the file", "germane ranking model"),
        "version": whole("the version of this format"),
        "germane": VERSION,
        **LEARNED,
        "features": listed(
            "the features",
            record("a feature", {"name": text("its name"), "canonical": text("its name with all parameters")}),
        ),
        "model": anything("the learned parameters; internal to germane"),
        "training": {
            **record(
                "the training data; other keys depend on the source",
                {
                    "sha256": text("the checksum of the rows"),
                    "rows": whole("number of rows"),
                    "queries": whole("number of queries"),
                    "?C": C,
                    "?rel": measured("the minimum grade that counts as relevant"),
                    "?seed": SEED,
                    "?query_fingerprints": listed("hashes that identify the training queries", text("a hash")),
                },
            ),
            "additionalProperties": anything("further details of the source"),
        },
        "held_out": HELD_OUT,
        "checksum": CHECKSUM,
    },
)
MEAN = record("a mean", {"mean": measured("the mean"), **ENDS})
FOUND = {
    "mean": measured("the mean"),
    "difference": measured("the difference from not using it"),
    "p": measured("its p-value"),
}
WEIGHTED = {"weight": number("the weight"), **FOUND}
TRIED = record(
    "the alternatives that were tried",
    {"reason": text("why it was or was not selected"), "trials": listed("each weight", record("a trial", WEIGHTED))},
)
RERANKING_WEIGHT = number("the weight of the re-ranking model")
UTILITY = record(
    "the utility that the agent optimises",
    {
        "measure": nullable(text("the measure; null if the costs are the utility")),
        "costs": record(
            "the costs of a document",
            {
                "relevant": number("a relevant one"),
                "non_relevant": number("a non-relevant one"),
                "missed": number("a relevant one that is not returned"),
            },
        ),
    },
)
ORIGIN = {
    "index": text("a hash of the index"),
    "analyser": text("the analyser: how text becomes terms"),
    "num_docs": whole("number of documents in the index"),
    "num_queries": whole("number of training queries"),
    "folds": whole("number of folds"),
    "seed": SEED,
    "rel": number("the minimum grade that counts as relevant"),
    "tolerance": number("how much worse a simpler strategy may be"),
    "alpha": ALPHA,
}
CHOICE = record(
    "how the agent's settings were chosen",
    {
        "utility": text("the utility that strategies were compared by"),
        "strategies": listed(
            "all strategies, the best first",
            record("a strategy", {"strategy": text("its name"), "mean": measured("its mean")}),
        ),
        "winner": text("the strategy with the highest mean"),
        "reason": text("why it was selected"),
        "held_out": record(
            "results on held-out queries",
            {
                "num_queries": whole("number of queries"),
                "agent": MEAN,
                "best_single": MEAN,
                "difference": record(
                    "the agent − the best single strategy", {**MEAN["properties"], "p": measured("its p-value")}
                ),
                "folds": listed(
                    "the selection without each fold",
                    record(
                        "a fold",
                        {
                            "strategy": text("the strategy"),
                            "weight": number("the weight of the evidence"),
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
            "the calibration of P(R|d) on held-out queries",
            {
                "brier": measured("the Brier score"),
                "brier_of_base_rate": measured("the Brier score of always predicting the share of relevant documents"),
                "num_docs": whole("number of documents"),
                "num_relevant": whole("number of relevant documents"),
            },
        ),
        "feedback": record(
            "the feedback methods that were tried",
            {
                "judged": whole("number of judged documents"),
                "measure": text("the measure"),
                "num_queries": whole("number of queries"),
                "trials": listed(
                    "each method",
                    record("a trial", {"method": text("the method"), "reranking_weight": RERANKING_WEIGHT, **WEIGHTED}),
                ),
                "held_out": nullable(record("results on held-out queries", {**FOUND, **ENDS})),
                "reason": text("why it was or was not selected"),
                "refused": listed("methods that this strategy does not support", anything("a method")),
            },
        ),
    },
)
DECIDED = record(
    "the agent's decisions",
    {
        "confusion": CELLS,
        "rates": by("rate", record("a rate", {"value": measured("the value"), **ENDS})),
        "weak_spots": listed(
            "groups in which a rate is worse than elsewhere",
            record(
                "a group",
                {
                    "kind": text("the kind of group"),
                    "where": text("the group"),
                    "rate": text("the rate"),
                    "value": measured("its value in the group"),
                    "elsewhere": measured("its value elsewhere"),
                    "description": text("a description"),
                },
            ),
        ),
    },
)
JUDGMENTS = by("query", by("document", truth("whether it was judged relevant")))
SHOW = record(
    "output of `germane agent show --format json` and `germane agent train --format json`",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "agent-show/1"),
        "strategy": text("the ranking strategy"),
        "utility": UTILITY,
        "evidence_weight": number("the weight of the evidence from past queries"),
        "reranking": record(
            "the current re-ranking model",
            {
                "weight": number("its weight before feedback"),
                "weight_after": number("its weight after feedback"),
                "num_rows": whole("number of training documents"),
                "num_new": whole("number of these added since training"),
                "features": by("feature", number("its weight")),
            },
        ),
        "feedback": nullable(text("its feedback method")),
        "trained_on": record("the training data", ORIGIN),
        "choice": CHOICE,
        "decisions": record("its decisions", {"trained": DECIDED, "since": DECIDED}),
        "judgments": JUDGMENTS,
        "notes": SENTENCES,
    },
)
ANSWER = record(
    "output of `germane agent search --format json`",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "agent-search/1"),
        "strategy": text("the ranking model"),
        "query": text("the query"),
        "results": listed(
            "the returned documents, by rank",
            record(
                "a document",
                {
                    "rank": whole("its rank"),
                    "doc": text("its id"),
                    "score": number("its score; comparable within this result only"),
                    "probability": number("P(R|d)"),
                    "judged": nullable(truth("its judgment for this query")),
                },
            ),
        ),
        "num_worth": whole("number of documents worth returning"),
        "num_found": whole("number of documents found"),
        "threshold": number("the probability above which a document is worth returning"),
        "expected_cost": number("the expected cost of this result"),
        "best_unreturned": measured("the highest probability among documents not returned"),
        "unknown": listed("words that no document contains", text("a word")),
        "notes": SENTENCES,
    },
)
BY_ROUND = listed("the utility by round", measured("in a round"))
SIMULATE = record(
    "output of `germane agent simulate --format json`",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "agent-simulate/1"),
        "utility": text("the utility"),
        "behaviour": record(
            "the simulated user's behaviour in each round",
            {
                "judged": whole("number of judged documents"),
                "error_rate": number("the share of wrong judgments"),
                "ask": truth("whether the agent chooses the last document to judge"),
                "description": text("a description"),
            },
        ),
        "seed": SEED,
        "rounds": listed(
            "one entry per round",
            record(
                "a round",
                {
                    "number": whole("the round; 0 is before any judgment"),
                    "num_queries": whole("number of queries"),
                    "frozen": measured("the utility of the agent without learning"),
                    "agent": measured("the utility of the agent with learning"),
                    "difference": measured("with learning − without learning"),
                    **ENDS,
                    "p": measured("the p-value of a paired t-test"),
                    "p_adjusted": measured("the p-value adjusted for the number of rounds"),
                    "better": whole("number of queries that improved"),
                    "worse": whole("number of queries that got worse"),
                    "num_judged": whole("number of documents judged so far"),
                    "num_relevant": whole("number of relevant documents"),
                    "num_errors": whole("number of wrong judgments among them"),
                },
            ),
        ),
        "queries": by("query", record("its utility", {"learning": BY_ROUND, "frozen": BY_ROUND})),
        "no_relevant_left": listed("queries without a remaining relevant document", text("a query")),
        "notes": SENTENCES,
    },
)
AGENT = record(
    "the file of an agent; what it has learned is internal to germane",
    {
        "germane_agent": whole("the version of this format"),
        "origin": record("the training data", {**ORIGIN, "queries": listed("the queries trained on", text("a query"))}),
        "utility": UTILITY,
        "strategy": text("the ranking strategy"),
        "depth": whole("candidates per query"),
        "evidence_weight": number("the weight of the evidence from past queries"),
        "reranking": anything("the re-ranking model, or null"),
        "indexing": anything("the evidence from past queries, by document"),
        "calibration": anything("the mapping from scores to probabilities"),
        "feedback": nullable(text("its feedback method")),
        "weight_after": number("the weight of the evidence after feedback"),
        "calibration_after": anything("the mapping from scores to probabilities after feedback, or null"),
        "choice": CHOICE,
        "trained": anything("its decisions in training"),
        "since": anything("its decisions since"),
        "marks": JUDGMENTS,
        "decided": by("query", by("document", truth("whether it was returned"))),
        "judgments": listed(
            "every judgment since training, in the order given",
            record(
                "a judgment, and the agent's estimate before it",
                {
                    "event": text("a random id, so that merging counts each judgment once"),
                    "query": text("the query"),
                    "doc": text("the document"),
                    "relevant": truth("whether it was judged relevant"),
                    "num_terms": whole("number of terms in the query"),
                    "probability": number("P(R|d) before the judgment; 0 if the document was not ranked"),
                    "score": nullable(number("the document's score before the judgment")),
                    "refined": truth("whether the ranking came from feedback"),
                },
            ),
        ),
        "notes": SENTENCES,
        "checksum": CHECKSUM,
    },
)

BIAS_VARIANCE = record(
    "bias-variance decomposition, as returned by `germane.learning.bias_variance`",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "bias-variance/1"),
        "loss": text("the loss", "squared", "zero_one"),
        "expected_loss": number("the mean loss over all rows and training sets"),
        "bias": number("the loss of the main prediction"),
        "variance": number("the variation of predictions over training sets"),
        "noise": number("the disagreement between labels of the same item"),
        "parts": listed(
            "the parts of the expected loss",
            record(
                "a part",
                {
                    "part": text("its name"),
                    "value": number("its value"),
                    "adds": measured("its contribution to the expected loss; null for the total"),
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
