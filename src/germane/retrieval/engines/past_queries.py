"""Past queries with judgments, from which an engine learns; the test queries must not be among them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from germane.errors import GermaneError
from germane.retrieval.engines.protocol import Engine
from germane.retrieval.engines.requests import Answer, Progress, ask, run_of
from germane.tables.notes.counts import counted, notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

if TYPE_CHECKING:
    from germane.retrieval.engines.rankers import Learned

Shared = Literal["refuse", "skip", "keep"]
FOLDS = 5
SHOWN = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class Past:
    """Texts of judged past queries by id, and their judgments; grades of `rel` or more are relevant.

    `origin` describes their source, as JSON.
    """

    queries: Mapping[str, str]
    qrels: Qrels
    rel: float = 1
    notes: tuple[Note, ...] = ()
    origin: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        queries: Mapping[str, str],
        qrels: Qrels,
        rel: float = 1,
        *,
        asked: Mapping[str, str],
        shared: Shared = "refuse",
        origin: Mapping[str, Any] | None = None,
    ) -> Past:
        """Return the past queries with text and judgments that are not test queries; notes count the others."""
        judged = set(qrels.queries)
        kept = {id_: text for id_, text in queries.items() if id_ in judged and text.strip()}
        if not kept:
            ours, theirs = (", ".join(list(ids)[:SHOWN]) for ids in (queries, qrels.queries))
            hint = "check that past topics and past qrels use the same ids"
            raise GermaneError(f"past topics and past qrels share no id: topics {ours}, qrels {theirs}", hint=hint)
        without_topic = [id_ for id_ in qrels.queries if id_ not in queries and id_ not in asked]
        left_out = [id_ for id_ in queries if id_ not in kept]
        notes = (
            *notes_on_ids("past-unjudged", left_out, "past query", "without judgments or text; skipped"),
            *notes_on_ids("past-without-topic", without_topic, "judged past query", "without a past topic; skipped"),
        )
        return cls(kept, qrels, rel, notes, origin or {}).apart_from(asked, shared)

    def apart_from(self, asked: Mapping[str, str], shared: Shared = "refuse") -> Past:
        """Return the past queries without the test queries: results on queries already seen would mean nothing.

        A query is shared if its id or its words are those of a query of `asked`.
        """
        texts = {words for text in asked.values() if (words := _words(text))}
        found = [id_ for id_, text in self.queries.items() if id_ in asked or _words(text) in texts]
        if not found:
            return self
        if shared == "refuse":
            examples = f"{', '.join(found[:SHOWN])}{', …' * (len(found) > SHOWN)}"
            raise GermaneError(
                f"past and test queries overlap in {counted(len(found), 'query')}, by id or text ({examples}); "
                f"results on queries that the engine learned from are optimistic",
                hint="use `past_shared='skip'` to learn from the others, or `past_shared='keep'` to learn from all",
            )
        kept, what = self.queries, "also among the test queries and learned from, so results on them are optimistic"
        if shared == "skip":
            what = "also among the test queries; held out of training"
            kept = {id_: text for id_, text in kept.items() if id_ not in set(found)}
            if not kept:
                raise GermaneError(
                    "every past query is also a test query, so none is left to learn from",
                    hint="add other past queries, or use `past_shared='keep'` to learn from all",
                )
        own = notes_on_ids("past-shared", found, "past query", what)
        return replace(self, queries=kept, notes=(*self.notes, *own))

    def describe(self) -> dict[str, Any]:
        """Return the origin and number of the past queries, for the record beside a run."""
        return {**self.origin, "judged_topics": len(self.queries), "rel": self.rel}

    def judged_docs(self) -> list[str]:
        """Return the documents judged for these queries, each once."""
        names = list(self.qrels.queries)
        rows = zip(self.qrels.query.tolist(), self.qrels.docs, self.qrels.grade.tolist(), strict=True)
        # A negative grade means pooled but unjudged.
        return list(dict.fromkeys(doc for query, doc, grade in rows if names[query] in self.queries and grade >= 0))

    def folds(self) -> list[tuple[dict[str, str], dict[str, str]]]:
        """Return the cross-validation folds: the queries of each fold, and all other queries."""
        all_ = list(self.queries.items())
        if len(all_) < 2:
            hint = "add judged past queries; each is scored by what was learned from the others"
            raise GermaneError("expected at least 2 judged past queries to calibrate probabilities, found 1", hint=hint)
        num = min(FOLDS, len(all_))
        return [
            (dict(all_[fold::num]), dict(one for place, one in enumerate(all_) if place % num != fold))
            for fold in range(num)
        ]


def learns(engine: Engine) -> bool:
    """Whether an engine's ranking model is learned from past queries."""
    return _learner(engine) is not None


def must_learn(engine: Engine) -> bool:
    """Whether an engine cannot rank until it has learned."""
    learner = _learner(engine)
    return learner is not None and learner.documents is None


def _learner(engine: Engine) -> Learned | None:
    from germane.retrieval.engines.local import LocalEngine
    from germane.retrieval.engines.rankers import Learned

    ranker = engine.ranker if isinstance(engine, LocalEngine) else None
    return ranker if isinstance(ranker, Learned) else None


def learned_from(engine: Engine, past: Past, queries: Mapping[str, str] | None = None) -> Engine:
    """Return the engine trained on past queries (all, or `queries`); one that does not learn, without its remarks."""
    from germane.retrieval.engines.local import LocalEngine

    if not isinstance(engine, LocalEngine):
        return engine
    learner = _learner(engine)
    if learner is None:
        return LocalEngine(engine.index, model=engine.ranker)
    learned = learner.learning(engine.index, queries or past.queries, past.qrels, past.rel)
    return LocalEngine(engine.index, model=learned)


def past_run(engine: Engine, past: Past, k: int, *, threads: int, progress: Progress | None = None) -> Run:
    """Return the engine's run on past queries; an engine that learns is cross-validated.

    Each fold is ranked by what was learned from the others: scores on training queries would be too good.
    """
    parts = past.folds() if learns(engine) else [(dict(past.queries), dict(past.queries))]
    answers: list[Answer] = []
    for asked, others in parts:
        told = None if progress is None else _from(progress, len(answers), len(past.queries))
        answers += ask(learned_from(engine, past, others), asked, k, threads=threads, progress=told)
    return run_of(answers)


def not_in(engine: Engine, past: Past) -> list[Note]:
    """Return a note if judged documents are missing from the index; other engines cannot list theirs."""
    from germane.retrieval.engines.local import LocalEngine

    judged = past.judged_docs()
    absent = engine.absent(judged) if isinstance(engine, LocalEngine) else []
    what = f"(of {len(judged):,} for past queries) missing from the index; ignored in learning"
    return notes_on_ids("judged-not-in-index", absent, "judged document", what)


def _from(progress: Progress, done: int, total: int) -> Progress:
    return lambda more, _: progress(done + more, total)


def _words(text: str) -> tuple[str, ...]:
    """Return the sorted words of a query: to most models `wine red` equals `red wine`."""
    return tuple(sorted(_WORD.findall(text.casefold())))
