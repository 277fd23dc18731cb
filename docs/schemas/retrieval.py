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

ANALYSER = text("how text becomes terms")
BYTES = by("use", whole("bytes on disk"))
INDEX = document(
    "what `germane index --format json` prints",
    "index",
    {
        "path": text("the folder of the index"),
        "analyser": ANALYSER,
        "documents": whole("documents that live in it"),
        "words": whole("their words, without stop words"),
        "terms": whole("different terms"),
        "segments": whole("how many segments it has"),
        "positions": truth("whether it holds where words stand"),
        "bytes": BYTES,
        "added": whole("documents that this call added"),
        "deleted": whole("documents that this call deleted"),
    },
)
PLACE: Schema = {
    "description": "the first character, and the one after the last",
    "type": "array",
    "items": whole("a place"),
    "minItems": 2,
    "maxItems": 2,
}
SEARCH = record(
    "what `germane search --format json` prints",
    {
        "germane": VERSION,
        "schema": text("this schema and its version", "search/1"),
        "query": text("what was asked"),
        "analyser": ANALYSER,
        "model": text("what ranked"),
        "round": whole("1, and one more after each round of feedback"),
        "terms": by("term", number("its weight in the query")),
        "unknown": listed("words that no document holds", text("a word")),
        "matched": nullable(whole("how many documents a Boolean query matches; null for a ranking")),
        "notes": SENTENCES,
        "results": listed(
            "what was found, by rank",
            record(
                "a document",
                {
                    "rank": whole("its rank"),
                    "doc": text("its id"),
                    "score": number("its score"),
                    "title": text("its title"),
                    "excerpt": text("a part of it"),
                    "marks": listed("where the query's words stand in the excerpt", PLACE),
                    "relevant": nullable(truth("what somebody said of it")),
                    "rank_before": nullable(whole("its rank in the round before")),
                },
            ),
        ),
    },
)
SOURCE = {"?file": nullable(text("the file")), "?sha256": nullable(text("its checksum"))}
TOPICS = record("topics", {**SOURCE, "count": whole("how many"), "field": text("what was asked with")})
COSTS = record(
    "with --costs: which documents are worth returning",
    {
        "name": text("the costs, as they are spelled"),
        "relevant": number("what a relevant document costs"),
        "non_relevant": number("what another one costs"),
        "missed": number("what a relevant one costs that is not returned"),
        "threshold": number("the P(R|d) above which a document is returned"),
        "calibration": {
            **record(
                "how scores became probabilities; other keys are the fit",
                {
                    "name": text("its name"),
                    "method": text("its method"),
                    "normalise": text("how scores of queries are made comparable"),
                    "unjudged": text("what is done about documents without a judgment"),
                    "folds": nullable(whole("if the engine learns too")),
                    "num_relevant": whole("relevant documents that it was learned from"),
                    "num_non_relevant": whole("non-relevant documents that it was learned from"),
                },
            ),
            "additionalProperties": anything("a part of the fit"),
        },
        "ties": text("how documents of equal probability are ordered"),
        "returned": record(
            "documents per topic",
            {
                "min": whole("the fewest"),
                "median": number("the median"),
                "max": whole("the most"),
                "by_query": by("query", whole("how many")),
            },
        ),
        "expected_cost": record(
            "what that is expected to cost",
            {
                "total": number("in all"),
                "mean": number("per topic"),
                "by_query": by("query", number("of a topic")),
            },
        ),
    },
)
RANKINGS = document(
    "what `germane fuse --format json` prints, and `search` returns",
    "rankings",
    {
        "tag": text("what ranked"),
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
        "model": text("what ranks"),
        "doc": text("the document"),
        "length": whole("its length, as the model reads it"),
        "unknown": listed("terms that no document holds", text("a term")),
        "total": number("the sum of the contributions"),
        "scale": measured("what the sum is multiplied by; null if by nothing"),
        "offset": measured("what is added then; null if nothing"),
        "score": measured("the score; null for a document that is not ranked"),
        "terms": listed(
            "the terms of the query",
            record(
                "a term",
                {
                    "term": text("the term"),
                    "query_weight": number("its weight in the query"),
                    "?factors": by("factor", measured("its value")),
                    "tf": whole("how often the document has it"),
                    "length": whole("the length of the document"),
                    "curve": measured("what frequency and length make; null where it does not occur"),
                    "contribution": number("what it adds to the score"),
                },
            ),
        ),
    },
)
UNIT = {"unit": text("the unit"), "better": text("which direction is better", "lower", "higher")}
RETRIEVED = {
    "engine": {
        **record(
            "what ranked; other keys describe it: of a server, its version, address and settings",
            {
                "engine": text("the engine"),
                "?model": text("the model"),
                "?index": nullable(text("the folder of an index of germane's own; null for one in memory")),
                "?analyser": ANALYSER,
                "?bytes_by_use": BYTES,
                "?past": record(
                    "past topics to learn from",
                    {
                        "topics": TOPICS,
                        "qrels": record("their judgments", SOURCE),
                        "shared": text("what was done about topics that are asked again"),
                        "judged_topics": whole("how many are judged"),
                        "rel": number("the least grade that is relevant"),
                    },
                ),
                "?costs": COSTS,
            },
        ),
        "additionalProperties": anything("what else describes the engine"),
    },
    "num_docs": nullable(whole("documents that can be found; null if the engine does not tell")),
    "topics": TOPICS,
    "k": whole("documents per topic at most"),
    "threads": whole("topics asked at a time"),
    "measures": record(
        "what it cost",
        {
            "time_per_query": record(
                "how long a topic took",
                {
                    **UNIT,
                    "mean": measured("the mean"),
                    "median": measured("the median"),
                    "p95": measured("95 of 100 took no longer"),
                    "max": measured("the longest"),
                    "by_query": by("query", number("how long it took")),
                },
            ),
            "queries_per_second": record("throughput", {**UNIT, "value": measured("the value")}),
            "index_size": record("how large the index is", {**UNIT, "value": measured("the value")}),
        },
    ),
}
RETRIEVE = document("what `germane retrieve --format json` prints", "retrieve", RETRIEVED)
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
                "topics": whole("how many topics"),
                "documents": whole("how many documents"),
                "empty": listed("topics that found nothing", text("a topic")),
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
        "num_queries": whole("over how many queries"),
        "seen": whole("documents that were judged"),
        "relevant_seen": whole("relevant ones among them"),
        **BEFORE_AFTER,
        "full_list": record("the same on the whole list, where what was judged counts", BEFORE_AFTER),
        "differences": listed(
            "after less before",
            record(
                "of one measure",
                {
                    "measure": text("the measure"),
                    "difference": measured("the difference of the means"),
                    "low": measured("the low end of its interval"),
                    "high": measured("the high end of its interval"),
                    "p": measured("the test's own p-value"),
                    "p_adjusted": measured("the p-value for all trials and measures"),
                    "better": whole("queries that gained"),
                    "same": whole("queries that stayed"),
                    "worse": whole("queries that lost"),
                },
            ),
        ),
        "no_relevant_left": listed("queries without a relevant document left", text("a query")),
        "hurt": listed("queries that lost, the largest change first", CHANGE),
        "helped": listed("queries that gained, the largest change first", CHANGE),
        "queries": by("query", record("its values", BEFORE_AFTER)),
    },
)
FEEDBACK = document(
    "what `germane feedback --format json` prints",
    "feedback",
    {
        "protocol": text("how what was seen is kept from counting"),
        "model": text("what ranked first"),
        "analyser": nullable(ANALYSER),
        "judged": whole("documents judged per round"),
        "rel": number("the least grade that is relevant"),
        "no_relevant": text("what becomes of queries without a relevant document left"),
        "seed": nullable(whole("for whatever was drawn at random; null if nothing was")),
        "topics": whole("how many topics are judged"),
        "skipped": listed("topics that count in no trial", text("a topic")),
        "family": text("the tests that p-values are adjusted for"),
        "num_tests": whole("how many tests the family has"),
        "correction": text("how p is adjusted"),
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
