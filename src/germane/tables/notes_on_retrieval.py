"""The notes on retrieval: indexes, engines, feedback and fusion."""

from __future__ import annotations

from germane.tables.note_code import NoteCode

NOTES_ON_RETRIEVAL = (
    NoteCode(
        "empty-documents",
        "documents without a word: indexed, and never found",
        "See that the right fields were read (`--fields`).",
        ("index",),
    ),
    NoteCode(
        "fields-not-searched",
        "columns or keys of documents that are neither title nor text, so that no query finds them",
        "Nothing, unless people would search in one: `--fields title,text,heading` names all that are searched.",
        ("index",),
    ),
    NoteCode(
        "files-left-out",
        "files of a folder that are no documents",
        "Nothing, unless one of the examples is one.",
        ("index",),
    ),
    NoteCode(
        "unsplit-text",
        "documents in scripts without spaces between words, indexed by an analyser that does not split them",
        "Index again with the analyser that the note names: its step `bigrams` finds words as pairs of characters.",
        ("index",),
    ),
    NoteCode(
        "unsplit-queries",
        "queries in scripts without spaces between words, on an index whose analyser does not split them",
        "Index again with the analyser that the note names; documents and queries are analysed alike.",
        ("retrieve", "feedback", "tune", "learn"),
    ),
    NoteCode(
        "topic-fields-not-used",
        "fields of topics that are neither id, title, description nor narrative, so that no query is made of them",
        "Nothing, unless one of them is what people ask: call it `title` in the file.",
        ("retrieve",),
    ),
    NoteCode(
        "empty-queries",
        "topics with nothing in that field, or without words that can be asked",
        "`--field` says which part of a topic is asked with.",
        ("retrieve", "tune"),
    ),
    NoteCode(
        "empty-rankings",
        "topics that found nothing",
        "Their words are stop words, or in no document: see that index and topics are of one language and analyser.",
        ("retrieve",),
    ),
    NoteCode(
        "repeated-requests",
        "requests that a server got again after a failure",
        "The times of this run hold the waiting: measure speed again when the server is well.",
        ("retrieve",),
    ),
    NoteCode(
        "no-index",
        "PostgreSQL reads the whole table for each query",
        "Make a full-text index on these columns.",
        ("retrieve",),
    ),
    NoteCode(
        "boolean-ties",
        "all matches of a Boolean query score 1, so that ties order them",
        "Measures of ranks say little here: use set measures, or `germane eval --ties expected`.",
        ("retrieve",),
    ),
    NoteCode(
        "boolean",
        "what is said of Boolean queries, such as words left out",
        "Look at the examples: a stop word in a query is ignored.",
        ("retrieve",),
    ),
    NoteCode(
        "feedback",
        "what a feedback method says of topics",
        "Look at the examples, such as topics without a relevant document to learn from.",
        ("retrieve",),
    ),
    NoteCode(
        "BII",
        "what learning from past queries says of topics",
        "Look at the examples: a topic without past evidence is ranked as before.",
        ("retrieve",),
    ),
    NoteCode(
        "rerank",
        "what a learned model says of topics: that it was learned from them, or on other candidates",
        "Do not publish scores of topics that the model has seen.",
        ("retrieve",),
    ),
    NoteCode(
        "past-not-judged",
        "past topics without judgments or words",
        "Nothing is learned from them.",
        ("retrieve",),
    ),
    NoteCode(
        "past-without-topic",
        "judgments of topics that are not given",
        "Give these topics, or nothing is learned from them.",
        ("retrieve",),
    ),
    NoteCode(
        "past-shared",
        "past topics that are asked again",
        "`--past-shared` says what is done about them: a topic that was learned from is no test.",
        ("retrieve",),
    ),
    NoteCode(
        "judged-not-in-index",
        "documents that were judged and that the index does not have",
        "See that ids are written alike and the index is complete.",
        ("retrieve", "feedback"),
    ),
    NoteCode(
        "costs",
        "how many documents are worth their cost, and how that was learned",
        "Nothing: the record of the run has it in full.",
        ("retrieve",),
    ),
    NoteCode(
        "nothing-worth-its-cost",
        "topics of which no candidate is worth its cost",
        "Nothing is returned for them. See whether the costs are what you meant.",
        ("retrieve",),
    ),
    NoteCode(
        "more-may-be-worth",
        "topics of which all candidates are worth their cost",
        "Make k larger.",
        ("retrieve",),
    ),
    NoteCode(
        "no-overlap",
        "no document is in two runs for the same query",
        "See that the runs write ids alike: nothing is gained by fusing them as they are.",
        ("fuse",),
    ),
    NoteCode(
        "equal-scores",
        "queries whose scores are all the same, and what normalisation makes of them",
        "Fuse by ranks, such as with RRF, or ask the engine for its scores.",
        ("fuse",),
    ),
    NoteCode(
        "negative-scores",
        "the `share` of scores below 0, which rank under a document that the run lacks",
        "Normalise the scores first (`--normalise`).",
        ("fuse",),
    ),
    NoteCode(
        "view",
        "how what was seen is kept from counting",
        "Say it where you publish the numbers.",
        ("feedback",),
    ),
    NoteCode(
        "split",
        "the seed that divides the collection, with `--by control`",
        "Give it with `--seed` to get the same split.",
        ("feedback",),
    ),
    NoteCode(
        "lost-queries",
        "queries that have no relevant document left",
        "`--lost` says what becomes of them.",
        ("feedback",),
    ),
    NoteCode(
        "not-judged-topics",
        "topics without judgments, which are left out",
        "Nothing, if they are not of this test collection.",
        ("feedback",),
    ),
    NoteCode(
        "unjudged-seen",
        "documents that were seen and nobody judged: taken for not relevant",
        "A person would have judged them. Judge them, or expect a little less of feedback here than there is.",
        ("feedback",),
    ),
    NoteCode(
        "analyser",
        "how the index makes terms of text",
        "Say it where you publish the numbers.",
        ("feedback",),
    ),
    NoteCode(
        "memory",
        "what the full-list values are: they count what was judged already",
        "Do not publish them as retrieval.",
        ("feedback",),
    ),
    NoteCode(
        "other-model",
        "the model that ranks after this method, where it is not the one that ranked before",
        "Hold feedback with that model against that model without feedback.",
        ("feedback",),
    ),
    NoteCode(
        "one-query",
        "nothing is tested, because one query is left",
        "Add topics.",
        ("feedback",),
    ),
    NoteCode(
        "method",
        "what a method says of queries, such as terms it cut",
        "Look at the examples.",
        ("feedback",),
    ),
)
