"""The notes on rankings: their queries, documents and scores, their comparison, and their vectors."""

from __future__ import annotations

from germane.tables.note_code import NoteCode

SCORED = ("eval", "vectors", "compare", "correlate", "report", "plot", "learn")
"""The commands that score rankings against judgments."""

NOTES_ON_RANKINGS = (
    NoteCode(
        "missing-topics",
        "judged queries that the run does not have; for `pool`, topics without documents; for `feedback`, judged "
        "queries without a topic",
        "Ask the system the missing queries too. `--topics` says whether they count as 0 or are left out.",
        (*SCORED, "pool make", "pool simulate", "fuse", "feedback"),
    ),
    NoteCode(
        "unknown-topics",
        "queries of the run that are not judged, and are ignored",
        "See that judgments and run are of the same topics, with ids written alike.",
        SCORED,
    ),
    NoteCode(
        "no-relevant",
        "queries without a relevant document",
        "They score 0 with most measures, whatever is retrieved. Judge more documents, or leave them out for all runs.",
        (*SCORED, "feedback"),
    ),
    NoteCode(
        "unjudged",
        "retrieved documents without a judgment, in all; for `pool`, documents that were asked for and nobody judged",
        "They count as not relevant. `--bounds` says how far values could move; `germane pool` chooses what to judge.",
        (*SCORED, "pool make", "pool simulate"),
    ),
    NoteCode(
        "unjudged@K",
        "retrieved documents without a judgment, in the top K",
        "As for `unjudged`; the smaller K is, the more such a document could change the number.",
        SCORED,
    ),
    NoteCode(
        "ties",
        "queries in which a judged document has the same score as another one; for `correlate`, rankings with ties",
        "The order of tied documents is arbitrary. `--ties expected` gives the mean over all orders.",
        SCORED,
    ),
    NoteCode(
        "ties@K",
        "queries in which a judged document is tied across rank K",
        "As for `ties`: what is in the top K depends on how ties are broken.",
        SCORED,
    ),
    NoteCode(
        "undefined",
        "queries, measures or coefficients without a value; means skip them",
        "The note says for which measure and why. Look at `num_queries` before you compare such means.",
        (*SCORED, "pool simulate", "agree"),
    ),
    NoteCode(
        "no-strata",
        "documents pooled and not judged in qrels without strata, so that `XinfAP` takes the pool for one stratum",
        "Give qrels with strata, as `germane release` writes them for a stratified pool.",
        SCORED,
    ),
    NoteCode(
        "grouped-judgments",
        "documents judged in several groups, of which a measure without groups takes the highest grade",
        "Use a measure of subtopics, such as alpha_nDCG, if the groups are subtopics.",
        SCORED,
    ),
    NoteCode(
        "rising-scores",
        "the scores of every query rise down the file, as ranks and distances would",
        "Higher must mean better. If the column holds ranks or distances, write it with the opposite sign.",
        SCORED,
    ),
    NoteCode(
        "no-judged-document",
        "nothing that was retrieved is judged: the ids may be written differently",
        "Compare an id of the run with one of the judgments: prefixes, leading zeros, upper and lower case.",
        SCORED,
    ),
    NoteCode(
        "interleaved",
        "the lines of a query are not together, which makes reading slower",
        "Nothing is wrong. `germane convert` writes them together.",
        SCORED,
    ),
    NoteCode(
        "hidden-files",
        "files in a folder of runs whose names begin with a dot, which are left out; `examples` are their names",
        "Rename them if they are runs.",
        ("eval", "compare", "correlate", "report", "plot"),
    ),
    NoteCode(
        "not-in-collection",
        "judged documents that have no vector, and so are never retrieved",
        "See that ids of vectors and judgments are written alike, and that the collection is complete.",
        ("vectors",),
    ),
    NoteCode(
        "judged-itself",
        "documents that are judged for the query of the same id, and left out of its ranking: they count as missed",
        "Take such judgments out, or do without `--without-itself`.",
        ("vectors",),
    ),
    NoteCode(
        "lone-queries",
        "with `--lone-queries skip`: queries without a relevant document, left out",
        "Nothing, if that was meant. Say how many there were when you publish the mean.",
        ("vectors",),
    ),
    NoteCode(
        "excluded",
        "documents that an approximate index returned and that do not count, such as the query itself",
        "Ask the index for as many documents more as are excluded.",
        ("vectors",),
    ),
    NoteCode(
        "short",
        "queries for which an approximate index has fewer than K documents",
        "Ask it for K documents; what is missing counts as not found.",
        ("vectors",),
    ),
    NoteCode(
        "family",
        "how many tests were made, and what p-values are adjusted for",
        "Say the same where you publish them. Fewer planned comparisons leave more power.",
        ("compare", "feedback", "learn", "vectors", "report"),
    ),
    NoteCode(
        "caution",
        "what the literature has to say about the test",
        "[Choose a test](../how_to/choose_a_test.md) says which to take instead.",
        ("compare", "report", "vectors"),
    ),
    NoteCode(
        "remark",
        "pairs without an ordinary p-value, and why",
        "Read such a pair by its difference; two runs that never differ may be the same file.",
        ("compare", "report", "vectors"),
    ),
    NoteCode(
        "intervals",
        "intervals or p-values that are unadjusted, so that they decide nothing",
        "Decide by `p_adjusted`. With `--correction bonferroni`, the intervals of `--test t` and `--test tukey` agree "
        "with it.",
        ("compare", "report", "vectors"),
    ),
    NoteCode(
        "power",
        "what `smallest_detectable` means",
        "If differences that matter are smaller, add queries: `--difference` says how many it takes.",
        ("compare", "report", "vectors"),
    ),
    NoteCode(
        "direction",
        "measures for which less is better, or neither more nor less",
        "Read `wins` and effect sizes for what is better; the difference says what is more, and that may be neither.",
        ("compare", "report", "vectors"),
    ),
    NoteCode(
        "small-slices",
        "slices of one query, which are left out",
        "Make larger groups; one query has no variance.",
        ("compare", "report"),
    ),
    NoteCode(
        "in-one-only",
        "the share of what one ranking has and the other lacks",
        "`--missing` says what becomes of it; a large share means that the rankings hardly speak of the same items.",
        ("correlate", "report"),
    ),
    NoteCode(
        "nan-values",
        "systems that have no value for a measure, and are left out of its correlation",
        "See why the value is undefined; correlate over systems that have all of them.",
        ("correlate",),
    ),
    NoteCode(
        "turned",
        "measures for which less is better, whose order was turned so that the best system comes first",
        "Nothing: a coefficient of 1 means that both agree on which system is better.",
        ("correlate",),
    ),
    NoteCode(
        "unpaired-queries",
        "queries that only one of two runs has",
        "They are not correlated. See that both systems were asked the same queries.",
        ("correlate",),
    ),
    NoteCode(
        "no-text",
        "documents of the page that the collection does not have",
        "Give the collection that the runs were made from; ids must be written alike.",
        ("report",),
    ),
    NoteCode(
        "no-question",
        "queries of the page that the topics do not have",
        "Give the topics that were asked; ids must be written alike.",
        ("report",),
    ),
)
