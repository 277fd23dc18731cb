"""What a reader of a feedback evaluation must know: how it was compared, what was lost, what was assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from germane.tables.notes.counts import EXAMPLES, counted, notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.results.comparison import adjusted_for
from germane.tables.results.feedback_evaluation import FeedbackEvaluation

VIEWS_IN_WORDS = {
    "residual": "documents that were seen are taken out of both rankings and of the judgments",
    "frozen": "documents that were seen keep the places at which they were seen",
    "modified": "documents that were seen keep their places, down to the last relevant one",
    "control": "feedback comes from one half of the collection, and the other half is evaluated",
}


def notes_on_feedback(
    found: FeedbackEvaluation,
    *,
    unjudged: int = 0,
    without_topic: Sequence[str] = (),
    not_judged: Sequence[str] = (),
    absent: Sequence[str] = (),
    remarks: Sequence[tuple[str, int, str]] = (),
    other_models: Mapping[str, str] | None = None,
    unsplit: Sequence[Note] = (),
) -> tuple[Note, ...]:
    """The notes of an evaluation; `remarks` are what the methods said of single queries, with method and round.

    `not_judged` are topics without judgments, `absent` are judged documents that the index does not have, and
    `other_models` has the methods after which another model ranks than before.
    """
    seen = any(trial.seen for trial in found.trials)
    what = "nobody judged, nothing was seen, and the whole list is evaluated"
    notes = [Note("protocol", "pseudo feedback:", what)]
    if seen:
        notes = [Note("protocol", f"{found.protocol}:", VIEWS_IN_WORDS[found.protocol])]
    if found.protocol == "control":
        what = "splits the collection; counts of terms are those of all of it"
        notes.append(Note("split", f"seed {found.seed}", what))
    lost = sorted({query for trial in found.trials for query in trial.no_relevant_left}, key=str.encode)
    handling = "skipped in every trial" if found.no_relevant == "skip" else "kept, and count as 0 before and after"
    notes += _on_queries("no-relevant-left", lost, f"have no relevant document left: {handling}")
    never = [query for query in found.skipped if query not in lost]
    notes += _on_queries("no-relevant", never, "have no relevant document at all: skipped in every trial")
    notes += _on_queries("missing-queries", list(without_topic), "are judged and have no topic: an empty ranking")
    notes += _on_queries("unjudged-queries", list(not_judged), "are not judged: left out")
    if unjudged:
        what = f"that {'were' if unjudged > 1 else 'was'} seen and not judged: taken for not relevant"
        notes.append(Note("unjudged-seen", counted(unjudged, "document"), what, count=unjudged))
    what = "not in the index: are the ids written alike?"
    notes += notes_on_ids("judged-not-in-index", absent, "judged document", what)
    if found.analyser is not None:
        notes.append(Note("analyser", "terms are made by", found.analyser))
    notes += unsplit
    if seen:
        what = "count documents that were judged already: memory, not retrieval"
        notes.append(Note("full-list", "full-list values", what))
    for method, model in (other_models or {}).items():
        what = "ranks what comes of it, so the difference is that of the model too"
        notes.append(Note("other-model", model, what, run=method))
    if not any(trial.pairs for trial in found.trials):
        notes.append(Note("one-query", "one query", "is left: nothing is tested"))
    elif found.num_tests > 1:
        family = adjusted_for("bonferroni", found.num_tests, found.family)
        notes.append(Note("family", "p", f"from paired t tests, {family}; intervals are simultaneous"))
    return (*notes, *_of_methods(remarks))


def _of_methods(remarks: Sequence[tuple[str, int, str]]) -> list[Note]:
    """What the methods said: the same of many queries is said once, and where only the end differs, with examples."""
    alike: dict[tuple[str, int, str], list[str]] = {}
    for method, number, remark in remarks:
        alike.setdefault((method, number, remark.partition(": ")[0]), []).append(remark)
    notes = []
    for (method, number, start), said in alike.items():
        same = len(set(said)) == 1
        examples = () if same else tuple(dict.fromkeys(remark.partition(": ")[2] for remark in said))[:EXAMPLES]
        what = f"in round {number}: {said[0] if same else start}"
        notes.append(Note("method", counted(len(said), "query"), what, run=method, count=len(said), examples=examples))
    return notes


def _on_queries(code: str, queries: Sequence[str], what: str) -> list[Note]:
    if len(queries) == 1:
        what = what.replace("have ", "has ", 1) if what.startswith("have ") else what.replace("are ", "is ", 1)
    return notes_on_ids(code, queries, "query", what)
