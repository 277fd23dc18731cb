"""The notes on learning: tuning strategies and learning to rank."""

from __future__ import annotations

from germane.tables.note_code import NoteCode

NOTES_ON_LEARNING = (
    NoteCode(
        "evaluated",
        "how many rankings were evaluated",
        "Nothing: it is what the search has cost.",
        ("tune",),
    ),
    NoteCode(
        "resumed",
        "rankings that were in the journal already",
        "Nothing: the search went on where it was stopped.",
        ("tune",),
    ),
    NoteCode(
        "torn",
        "the journal's last line was not finished, and was taken out",
        "Nothing: that ranking was evaluated again.",
        ("tune",),
    ),
    NoteCode(
        "drawn",
        "strategies that were drawn by chance from a larger space",
        "A larger `--candidates` tries more; `--seed` draws others.",
        ("tune",),
    ),
    NoteCode(
        "against-simplest",
        "whether taking the best is worth it, on held-out queries",
        "If it is not, take the simplest strategy.",
        ("tune",),
    ),
    NoteCode(
        "razor",
        "whether a simpler strategy is as good as the winner",
        "If there is one, take it.",
        ("tune",),
    ),
    NoteCode(
        "no-curves",
        "there are no curves with `--search halving`",
        "Search the whole grid if you want them.",
        ("tune",),
    ),
    NoteCode(
        "duplicate-queries",
        "topics with the words of another, kept in one fold",
        "Nothing: the same query in two folds would tell the answer.",
        ("tune",),
    ),
    NoteCode(
        "unjudged-candidates",
        "candidates that nobody judged: their grade is 0",
        "Judge more of the first stage's top, or learn at a smaller `--depth`.",
        ("learn",),
    ),
    NoteCode(
        "relevant-outside",
        "relevant documents that are not among the candidates",
        "No order can find them: better the first stage, or take more candidates.",
        ("learn",),
    ),
    NoteCode(
        "topics-without-results",
        "topics that find nothing",
        "See that index and topics are of one language and analyser.",
        ("learn",),
    ),
    NoteCode(
        "unjudged-topics",
        "topics without judgments, which are left out",
        "Nothing, if they are not of this test collection.",
        ("learn",),
    ),
    NoteCode(
        "no-positions",
        "features that are left out, because the index has no positions",
        "Make the index with positions if you want them.",
        ("learn",),
    ),
    NoteCode(
        "queries-alike",
        "queries that are the same as another, kept in one fold with it",
        "Nothing: the same query in two folds would tell the answer.",
        ("learn",),
    ),
)
