"""Past queries with judgments: what an engine learns from. What it is to be tried on must not be among them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from germane.errors import GermaneError
from germane.retrieval.engines.protocol import Engine
from germane.retrieval.engines.requests import Answer, Progress, ask, run_of
from germane.tables.notes.counts import notes_on_ids
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
    """The texts of past queries that have judgments, by id, and the judgments; grades from `rel` on are relevant.

    `origin` says where they came from, as JSON can hold it.
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
        """Past queries as far as they have words and judgments, apart from what is asked now; notes count the rest."""
        judged = set(qrels.queries)
        kept = {id_: text for id_, text in queries.items() if id_ in judged and text.strip()}
        if not kept:
            ours, theirs = (", ".join(list(ids)[:SHOWN]) for ids in (queries, qrels.queries))
            hint = "are the ids of topics those of the judgments?"
            raise GermaneError(f"no past topic is judged: past topics {ours}, past judgments {theirs}", hint=hint)
        without_topic = [id_ for id_ in qrels.queries if id_ not in queries and id_ not in asked]
        left_out = [id_ for id_ in queries if id_ not in kept]
        notes = (
            *notes_on_ids("past-unjudged", left_out, "past topic", "without judgments or words"),
            *notes_on_ids("past-without-topic", without_topic, "past topic", "judged, but not given"),
        )
        return cls(kept, qrels, rel, notes, origin or {}).apart_from(asked, shared)

    def apart_from(self, asked: Mapping[str, str], shared: Shared = "refuse") -> Past:
        """The same without what is asked now: an engine that has seen the answers shows nothing.

        A query is shared if its id or its words are among those of `asked`.
        """
        texts = {words for text in asked.values() if (words := _words(text))}
        found = [id_ for id_, text in self.queries.items() if id_ in asked or _words(text) in texts]
        if not found:
            return self
        if shared == "refuse":
            examples = f"{', '.join(found[:SHOWN])}{', …' * (len(found) > SHOWN)}"
            raise GermaneError(
                f"{len(found):,} of the past topics {'is' if len(found) == 1 else 'are'} among the topics, by id or by "
                f"text ({examples}): what was learned from a topic's own judgments says nothing when tried on it",
                hint="`past_shared='skip'` learns from the others; `past_shared='keep'` learns from all of them",
            )
        kept, what = self.queries, "learned from and asked again: figures on them are too good"
        if shared == "skip":
            what = "asked again, and so not learned from"
            kept = {id_: text for id_, text in kept.items() if id_ not in set(found)}
            if not kept:
                raise GermaneError("every past topic is among the topics: none is left to learn from")
        own = notes_on_ids("past-shared", found, "past topic", what)
        return replace(self, queries=kept, notes=(*self.notes, *own))

    def describe(self) -> dict[str, Any]:
        """For the record of whatever learned from them."""
        return {**self.origin, "judged_topics": len(self.queries), "rel": self.rel}

    def judged_docs(self) -> list[str]:
        """The documents that were judged for these queries, each once."""
        names = list(self.qrels.queries)
        rows = zip(self.qrels.query.tolist(), self.qrels.docs, self.qrels.grade.tolist(), strict=True)
        # A negative grade is pooled and not judged.
        return list(dict.fromkeys(doc for query, doc, grade in rows if names[query] in self.queries and grade >= 0))

    def folds(self) -> list[tuple[dict[str, str], dict[str, str]]]:
        """Each fold's queries, and all others: every fifth query, or each, where there are fewer."""
        all_ = list(self.queries.items())
        if len(all_) < 2:
            hint = "each is scored by what the others taught"
            raise GermaneError("expected 2 or more judged past topics to learn probabilities from, found 1", hint=hint)
        num = min(FOLDS, len(all_))
        return [
            (dict(all_[fold::num]), dict(one for place, one in enumerate(all_) if place % num != fold))
            for fold in range(num)
        ]


def learns(engine: Engine) -> bool:
    """Whether an engine's ranking is learned from past queries."""
    return _learner(engine) is not None


def must_learn(engine: Engine) -> bool:
    """Whether an engine cannot rank before it learned."""
    learner = _learner(engine)
    return learner is not None and learner.documents is None


def _learner(engine: Engine) -> Learned | None:
    from germane.retrieval.engines.local import LocalEngine
    from germane.retrieval.engines.rankers import Learned

    ranker = engine.ranker if isinstance(engine, LocalEngine) else None
    return ranker if isinstance(ranker, Learned) else None


def learned_from(engine: Engine, past: Past, queries: Mapping[str, str] | None = None) -> Engine:
    """The engine as it ranks after past queries (all, or these of them); one that does not learn, without memories."""
    from germane.retrieval.engines.local import LocalEngine

    if not isinstance(engine, LocalEngine):
        return engine
    learner = _learner(engine)
    if learner is None:
        return LocalEngine(engine.index, model=engine.ranker)
    learned = learner.learning(engine.index, queries or past.queries, past.qrels, past.rel)
    return LocalEngine(engine.index, model=learned)


def past_run(engine: Engine, past: Past, k: int, *, threads: int, progress: Progress | None = None) -> Run:
    """How the engine ranks past queries. One that learns has not seen those that it ranks: it learns from the others.

    Otherwise its scores for them would be better than its scores for any new query can be.
    """
    parts = past.folds() if learns(engine) else [(dict(past.queries), dict(past.queries))]
    answers: list[Answer] = []
    for asked, others in parts:
        told = None if progress is None else _from(progress, len(answers), len(past.queries))
        answers += ask(learned_from(engine, past, others), asked, k, threads=threads, progress=told)
    return run_of(answers)


def not_in(engine: Engine, past: Past) -> list[Note]:
    """A note if the index lacks judged documents; other engines do not tell what they have."""
    from germane.retrieval.engines.local import LocalEngine

    judged = past.judged_docs()
    absent = engine.absent(judged) if isinstance(engine, LocalEngine) else []
    verbs = ("is", "teaches") if len(absent) == 1 else ("are", "teach")
    what = f"of the {len(judged):,} judged for past topics {verbs[0]} not in the index, and {verbs[1]} nothing"
    return notes_on_ids("judged-not-in-index", absent, "document", what)


def _from(progress: Progress, done: int, total: int) -> Progress:
    return lambda more, _: progress(done + more, total)


def _words(text: str) -> tuple[str, ...]:
    """In one order: to most models `wine red` is `red wine`."""
    return tuple(sorted(_WORD.findall(text.casefold())))
