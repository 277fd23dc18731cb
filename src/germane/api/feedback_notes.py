"""What a reader of a feedback evaluation must know: how it was compared, what was lost, what was assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from germane.tables.feedback_evaluation import FeedbackEvaluation
from germane.tables.scores import Note

SHOWN = 5
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
) -> tuple[Note, ...]:
    """The notes of an evaluation; `remarks` are what the methods said of single queries, with method and round.

    `not_judged` are topics without judgments, `absent` are judged documents that the index does not have, and
    `other_models` has the methods after which another model ranks than before.
    """
    notes = [Note("view", f"{found.by}:", VIEWS_IN_WORDS[found.by])]
    if not any(trial.seen for trial in found.trials):
        notes = [Note("view", "pseudo feedback:", "nobody judged, nothing was seen, and the whole list is evaluated")]
    if found.by == "control":
        notes.append(
            Note("split", f"seed {found.seed}", "splits the collection; counts of terms are those of all of it")
        )
    lost = sorted({query for trial in found.trials for query in trial.lost}, key=str.encode)
    if lost:
        fate = "removed from every trial" if found.lost == "remove" else "kept, and count as 0 before and after"
        what = f"have no relevant document left: {fate}"
        notes.append(_counted("lost-queries", lost, what))
    never = [query for query in found.removed if query not in lost]
    if never:
        notes.append(_counted("no-relevant", never, "have no relevant document at all: removed from every trial"))
    if without_topic:
        notes.append(_counted("missing-topics", list(without_topic), "are judged and have no topic: an empty ranking"))
    if not_judged:
        notes.append(_counted("not-judged-topics", list(not_judged), "are not judged: left out"))
    if unjudged:
        what = f"that {'were' if unjudged > 1 else 'was'} seen and not judged: taken for not relevant"
        notes.append(Note("unjudged-seen", f"{unjudged} document{'s' * (unjudged > 1)}", what, count=unjudged))
    if absent:
        amount = f"{len(absent):,} judged document{'s' * (len(absent) > 1)}"
        what = "not in the index: are the ids written alike?"
        notes.append(Note("judged-not-in-index", amount, what, count=len(absent), examples=tuple(absent[:SHOWN])))
    if found.analyser is not None:
        notes.append(Note("analyser", "terms are made by", found.analyser))
    if any(trial.seen for trial in found.trials):
        notes.append(
            Note("memory", "full-list values", "count documents that were judged already: memory, not retrieval")
        )
    for method, model in (other_models or {}).items():
        what = "ranks what comes of it, so the difference is that of the model too"
        notes.append(Note("other-model", model, what, run=method))
    if not any(trial.pairs for trial in found.trials):
        notes.append(Note("one-query", "one query", "is left: nothing is tested"))
    elif len(found.trials) * len(found.measures) > 1:
        family = f"{_several(len(found.trials), 'trial')} × {_several(len(found.measures), 'measure')}"
        notes.append(Note("family", "p", f"is from paired t tests, adjusted (Holm) for {family}"))
    return (*notes, *_of_methods(remarks))


def _several(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _of_methods(remarks: Sequence[tuple[str, int, str]]) -> list[Note]:
    """What the methods said: the same of many queries is said once, and where only the end differs, with examples."""
    alike: dict[tuple[str, int, str], list[str]] = {}
    for method, number, remark in remarks:
        alike.setdefault((method, number, remark.partition(": ")[0]), []).append(remark)
    notes = []
    for (method, number, start), said in alike.items():
        same = len(set(said)) == 1
        examples = () if same else tuple(dict.fromkeys(remark.partition(": ")[2] for remark in said))[:SHOWN]
        amount = f"{len(said)} quer{'ies' if len(said) > 1 else 'y'}"
        what = f"in round {number}: {said[0] if same else start}"
        notes.append(Note("method", amount, what, run=method, count=len(said), examples=examples))
    return notes


def _counted(code: str, queries: Sequence[str], what: str) -> Note:
    one = len(queries) == 1
    amount = f"{len(queries)} quer{'y' if one else 'ies'}"
    if one:
        what = what.replace("have ", "has ", 1) if what.startswith("have ") else what.replace("are ", "is ", 1)
    return Note(code, amount, what, count=len(queries), examples=tuple(queries[:SHOWN]))
