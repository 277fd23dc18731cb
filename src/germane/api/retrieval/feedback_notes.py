"""Notes on a feedback evaluation: the protocol, skipped queries, and assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from germane.tables.notes.counts import EXAMPLES, counted, notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.results.comparison import adjusted_for
from germane.tables.results.feedback_evaluation import FeedbackEvaluation

VIEWS_IN_WORDS = {
    "residual": "seen documents are removed from both rankings and from the judgments",
    "frozen": "seen documents keep the ranks at which they were seen",
    "modified": "seen documents keep their ranks, down to the last relevant one",
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
    """Return the notes on an evaluation; `remarks` are those of methods on single queries, with method and round.

    `not_judged` are topics without judgments, `absent` are judged documents that the index does not have, and
    `other_models` has the methods whose rankings come from another model than before.
    """
    seen = any(trial.seen for trial in found.trials)
    what = "no judgments are used, so no document counts as seen and the full ranking is evaluated"
    notes = [Note("protocol", "pseudo feedback:", what)]
    if seen:
        notes = [Note("protocol", f"{found.protocol}:", VIEWS_IN_WORDS[found.protocol])]
    if found.protocol == "control":
        what = "splits the collection; term statistics are those of the whole collection"
        notes.append(Note("split", f"seed {found.seed}", what))
    lost = sorted({query for trial in found.trials for query in trial.no_relevant_left}, key=str.encode)
    handling = "skipped in all trials" if found.no_relevant == "skip" else "scored 0 before and after"
    notes += notes_on_ids("no-relevant-left", lost, "query", f"without a relevant document left; {handling}")
    never = [query for query in found.skipped if query not in lost]
    what = "without any relevant document; skipped in all trials"
    notes += notes_on_ids("no-relevant", never, "query", what)
    what = "without a topic; scored as empty rankings"
    notes += notes_on_ids("missing-queries", without_topic, "judged query", what)
    notes += notes_on_ids("unjudged-queries", not_judged, "query", "without judgments; skipped")
    if unjudged:
        what = "seen but unjudged; treated as non-relevant"
        notes.append(Note("unjudged-seen", counted(unjudged, "document"), what, count=unjudged))
    what = "not in the index; check that document ids match"
    notes += notes_on_ids("judged-not-in-index", absent, "judged document", what)
    if found.analyser is not None:
        notes.append(Note("analyser", "analyser:", found.analyser))
    notes += unsplit
    if seen:
        what = "include documents that were already judged; do not report them as retrieval effectiveness"
        notes.append(Note("full-list", "full-list values", what))
    for method, model in (other_models or {}).items():
        what = "ranks after feedback, so the difference includes the change of model"
        notes.append(Note("other-model", model, what, run=method))
    if not any(trial.pairs for trial in found.trials):
        notes.append(Note("one-query", "", "only one query left, so nothing is tested; add queries"))
    elif found.num_tests > 1:
        family = adjusted_for("bonferroni", found.num_tests, found.family)
        what = f"p-values from paired t-tests, {family}; intervals are simultaneous"
        notes.append(Note("family", "", what))
    return (*notes, *_of_methods(remarks))


def _of_methods(remarks: Sequence[tuple[str, int, str]]) -> list[Note]:
    """Return the remarks of methods as notes: equal ones once, and those that differ only at the end with examples."""
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
