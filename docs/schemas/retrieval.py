"""Schemas of `index`, `search`, `feedback` and the record of a run."""

from __future__ import annotations

from docs.schemas.building import (
    BY_MEASURE,
    CHECKSUM,
    INTERVALS,
    NOTES,
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

ANALYSER = text("the analyser: how text becomes terms")
BYTES = by("use", whole("bytes on disk"))
INDEX = document(
    "output of `germane index --format json`",
    "index",
    {
        "path": text("the folder of the index"),
        "analyser": ANALYSER,
        "documents": whole("number of documents"),
        "words": whole("number of words, without stop words"),
        "terms": whole("number of distinct terms"),
        "segments": whole("number of segments"),
        "positions": truth("whether word positions are stored"),
        "bytes": BYTES,
        "added": whole("number of documents added by this call"),
        "deleted": whole("number of documents deleted by this call"),
    },
)
PLACE: Schema = {
    "description": "the position of the first character and of the one after the last",
    "type": "array",
    "items": whole("a character position"),
    "minItems": 2,
    "maxItems": 2,
}
SEARCH = record(
    "output of `germane search --format json`",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "search/1"),
        "query": text("the query"),
        "analyser": ANALYSER,
        "model": text("the ranking model"),
        "round": whole("the round: 1, then one more after each round of feedback"),
        "terms": by("term", number("its weight in the query")),
        "unknown": listed("words that no document contains", text("a word")),
        "matched": nullable(whole("number of documents that match a Boolean query; null for a ranking")),
        "notes": SENTENCES,
        "results": listed(
            "the retrieved documents, by rank",
            record(
                "a document",
                {
                    "rank": whole("its rank"),
                    "doc": text("its id"),
                    "score": number("its score"),
                    "title": text("its title"),
                    "excerpt": text("an excerpt"),
                    "marks": listed("positions of the query's words in the excerpt", PLACE),
                    "relevant": nullable(truth("whether it was judged relevant; null if unjudged")),
                    "rank_before": nullable(whole("its rank in the previous round")),
                },
            ),
        ),
    },
)
SOURCE = {"?file": nullable(text("the file")), "?sha256": nullable(text("its checksum"))}
TOPICS = record(
    "topics", {**SOURCE, "count": whole("number of topics"), "field": text("the topic field used as the query")}
)
COSTS = record(
    "with --costs: the decision which documents to return",
    {
        "name": text("the costs, as given"),
        "relevant": number("the cost of returning a relevant document"),
        "non_relevant": number("the cost of returning a non-relevant document"),
        "missed": number("the cost of missing a relevant document"),
        "threshold": number("the P(R|d) above which a document is returned"),
        "calibration": {
            **record(
                "the calibration of scores; other keys are the fitted parameters",
                {
                    "name": text("its name"),
                    "method": text("its method"),
                    "normalise": text("the normalisation of scores per query"),
                    "unjudged": text("how unjudged documents are handled"),
                    "folds": nullable(whole("number of folds, if the engine learns too")),
                    "num_relevant": whole("number of relevant training documents"),
                    "num_non_relevant": whole("number of non-relevant training documents"),
                },
            ),
            "additionalProperties": anything("a part of the fit"),
        },
        "ties": text("how ties in probability are broken"),
        "returned": record(
            "documents per query",
            {
                "min": whole("the minimum"),
                "median": number("the median"),
                "max": whole("the maximum"),
                "by_query": by("query", whole("number of documents")),
            },
        ),
        "expected_cost": record(
            "the expected cost",
            {
                "total": number("the total"),
                "mean": number("the mean per query"),
                "by_query": by("query", number("the cost of a query")),
            },
        ),
    },
)
RANKINGS = document(
    "output of `germane fuse --format json`, and result of `germane.search`",
    "rankings",
    {
        "tag": text("the tag of the run"),
        "rankings": listed(
            "every retrieved document, by query and rank",
            record(
                "a document",
                {
                    "query": text("the query"),
                    "rank": whole("its rank"),
                    "doc": text("its id"),
                    "score": number("its score"),
                },
            ),
        ),
    },
)
EXPLAIN_SCORE = document(
    "the score of a document for a query, term by term",
    "explain-score",
    {
        "model": text("the ranking model"),
        "doc": text("the document"),
        "length": whole("its length, as the model reads it"),
        "unknown": listed("terms that no document contains", text("a term")),
        "total": number("the sum of the contributions"),
        "scale": measured("the factor applied to the sum; null if there is none"),
        "offset": measured("the amount added afterwards; null if there is none"),
        "score": measured("the score; null for a document that is not ranked"),
        "terms": listed(
            "the terms of the query",
            record(
                "a term",
                {
                    "term": text("the term"),
                    "query_weight": number("its weight in the query"),
                    "?factors": by("factor", measured("its value")),
                    "tf": whole("its frequency in the document"),
                    "length": whole("the length of the document"),
                    "curve": measured("the value of the frequency curve; null if the term does not occur"),
                    "contribution": number("its contribution to the score"),
                },
            ),
        ),
    },
)
UNIT = {"unit": text("the unit"), "better": text("which direction is better", "lower", "higher")}
RETRIEVED = {
    "engine": {
        **record(
            "the search engine; other keys describe it, such as the version, address and settings of a server",
            {
                "engine": text("the engine"),
                "?model": text("the model"),
                "?index": nullable(text("the folder of a germane index; null if in memory")),
                "?analyser": ANALYSER,
                "?bytes_by_use": BYTES,
                "?past": record(
                    "past topics to learn from",
                    {
                        "topics": TOPICS,
                        "qrels": record("their judgments", SOURCE),
                        "shared": text("how topics shared with the past topics are handled"),
                        "judged_topics": whole("number of judged past topics"),
                        "rel": number("the minimum grade that counts as relevant"),
                    },
                ),
                "?costs": COSTS,
            },
        ),
        "additionalProperties": anything("further details of the engine"),
    },
    "num_docs": nullable(whole("number of searchable documents; null if the engine does not report it")),
    "topics": TOPICS,
    "k": whole("maximum documents per query"),
    "threads": whole("queries run in parallel"),
    "measures": record(
        "time and space",
        {
            "time_per_query": record(
                "time per query",
                {
                    **UNIT,
                    "mean": measured("the mean"),
                    "median": measured("the median"),
                    "p95": measured("the 95th percentile"),
                    "max": measured("the maximum"),
                    "by_query": by("query", number("its time")),
                },
            ),
            "queries_per_second": record("throughput", {**UNIT, "value": measured("the value")}),
            "index_size": record("the size of the index", {**UNIT, "value": measured("the value")}),
        },
    ),
}
RETRIEVE = document("output of `germane retrieve --format json`", "retrieve", RETRIEVED)
RECORD = record(
    "the record that `germane retrieve -o RUN` writes beside the run",
    {
        "germane_retrieval": whole("the version of this format"),
        "germane": VERSION,
        "run": record(
            "the run",
            {
                "file": text("its file"),
                "format": text("its format"),
                "sha256": text("its checksum"),
                "tag": text("its tag"),
                "topics": whole("number of topics"),
                "documents": whole("number of documents"),
                "empty": listed("queries with an empty ranking", text("a topic")),
            },
        ),
        **RETRIEVED,
        "notes": NOTES,
        "checksum": CHECKSUM,
    },
)
BEFORE_AFTER = {"before": BY_MEASURE, "after": BY_MEASURE}
CHANGE = record(
    "a query", {"query": text("the query"), "before": measured("before feedback"), "after": measured("after it")}
)
TRIAL = record(
    "a method and a round",
    {
        "method": text("the feedback method"),
        "round": whole("the round"),
        "num_queries": whole("number of queries"),
        "seen": whole("number of judged documents"),
        "relevant_seen": whole("number of relevant documents among them"),
        **BEFORE_AFTER,
        "full_list": record("the values on the full list, which count judged documents too", BEFORE_AFTER),
        "differences": listed(
            "differences after − before",
            record(
                "the results for a measure",
                {
                    "measure": text("the measure"),
                    "difference": measured("the difference of the means"),
                    "low": measured("the lower limit of its interval"),
                    "high": measured("the upper limit of its interval"),
                    "p": measured("the unadjusted p-value"),
                    "p_adjusted": measured("the p-value adjusted for all trials and measures"),
                    "better": whole("number of queries that improved"),
                    "same": whole("number of unchanged queries"),
                    "worse": whole("number of queries that got worse"),
                },
            ),
        ),
        "no_relevant_left": listed("queries without a remaining relevant document", text("a query")),
        "hurt": listed("queries that got worse, the largest change first", CHANGE),
        "helped": listed("queries that improved, the largest change first", CHANGE),
        "queries": by("query", record("its values", BEFORE_AFTER)),
    },
)
FEEDBACK = document(
    "output of `germane feedback --format json`",
    "feedback",
    {
        "protocol": text("how judged documents are excluded from the evaluation"),
        "model": text("the first ranking model"),
        "analyser": nullable(ANALYSER),
        "judged": whole("number of documents judged per round"),
        "rel": number("the minimum grade that counts as relevant"),
        "no_relevant": text("how queries without a remaining relevant document are handled"),
        "seed": nullable(whole("the random seed; null if nothing was random")),
        "topics": whole("number of judged topics"),
        "skipped": listed("topics excluded from every trial", text("a topic")),
        "family": text("the family of tests that p-values are adjusted for"),
        "num_tests": whole("number of tests in the family"),
        "correction": text("the correction for multiple tests"),
        "interval": INTERVALS,
        "trials": listed("one entry per method and round", TRIAL),
    },
)

SCHEMAS: dict[str, Schema] = {
    "index": INDEX,
    "search": SEARCH,
    "rankings": RANKINGS,
    "explain-score": EXPLAIN_SCORE,
    "retrieve": RETRIEVE,
    "retrieve-record": RECORD,
    "feedback": FEEDBACK,
}
