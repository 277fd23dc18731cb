"""Iterated pseudo-relevance feedback: assume the top documents relevant, re-estimate, and repeat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from germane.catalogue import Count
from germane.retrieval.feedback.method import FEEDBACK, Feedback, JudgedDocuments, Refined, Step, TermChange, by_weight
from germane.retrieval.feedback.probabilistic import Estimate, RelevanceWeighted, known, require_replaceable
from germane.retrieval.models import Model
from germane.retrieval.query import Query, Relevance, TermStats
from germane.tables.notes.counts import counted

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@FEEDBACK.add("iterated")
@dataclass(frozen=True, kw_only=True, repr=False)
class Iterated(Feedback):
    """Iterated estimate of p and r for the query terms from the top documents, repeated until it converges.

    Formula:    start with p = ½ and r = n/N; V = the top `documents` documents; p = |Vi| / |V| and
                r = (n - |Vi|) / (N - |V|), where Vi are the documents of V with the term; rank by
                c = ln p/(1-p) + ln (1-r)/r, and repeat until V no longer changes.
    Reference:  Croft & Harper, "Using Probabilistic Models of Document Retrieval Without Relevance Information",
                J. Doc. 1979.
    Edge cases: c has ½ added to each of its four counts, since p may be 0 or 1; p and r are shown without it. Documents
                judged relevant are always in V, which grows if there are more of them; those judged non-relevant never
                are. If V recurs after more than one round, the rankings would cycle forever; a note says so, and the
                last estimate is used. After `rounds` rounds the iteration stops in any case, with a note.
    """

    rounds: Count = 20

    def can_use(self, relevant: JudgedDocuments, nonrelevant: JudgedDocuments) -> bool:
        return True

    def pseudo(self, index: Index, model: Model, query: Query, ranking: Iterable[int] | None = None) -> Refined:
        return self.refine(index, model, query, ())

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        require_replaceable(self.name, model)
        terms = index.statistics_of(query.weights)
        if not terms:
            return Refined.unchanged(query, model, "no document contains a query term, so the query is unchanged")
        kept = Query({term: query.weights[term] for term in terms})
        first = {term: Estimate.of(found).weight for term, found in terms.items()}
        share = {term: found.df / found.num_docs for term, found in terms.items()}
        steps = [Step((), dict.fromkeys(terms, 0.5), share, first)]
        seen: dict[frozenset[int], int] = {}
        note = f"not converged after {counted(self.rounds, 'round')}; the last one is used"
        for number in range(1, self.rounds + 1):
            top = self._top(index, kept, RelevanceWeighted(model, steps[-1].weight, {}), relevant, nonrelevant)
            chosen = frozenset(top.numbers)
            if chosen in seen:
                back = number - seen[chosen]
                note = (
                    f"converged after {counted(number - 1, 'round')}"
                    if back == 1
                    else f"not converged: {back} rankings repeat in a cycle from round {seen[chosen]} on"
                )
                break
            seen[chosen] = number
            steps.append(self._step(terms, top))
        last = steps[-1]
        taken = JudgedDocuments(index, last.documents)
        changes = []
        for term in terms:
            why = f"{taken.holding(term, kind='top')}: p = {last.p[term]:.4f}, r = {last.r[term]:.4f}"
            changes.append(TermChange(term, first[term], last.weight[term], why))
        new = kept.knowing(Relevance(len(taken), {term: taken.num_holders[term] for term in terms}))
        weighted = RelevanceWeighted(model, last.weight, {})
        return Refined(new, weighted, by_weight(changes), tuple(steps), (note,))

    def _top(
        self, index: Index, query: Query, model: Model, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> JudgedDocuments:
        """Return V: the documents judged relevant, filled up from the top of the ranking."""
        from germane.retrieval.search import search

        out = {*relevant.numbers, *nonrelevant.numbers}
        ranking = search(index, query, model, self.documents + len(out))
        ranked = [int(number) for number in ranking.docs if int(number) not in out]
        return JudgedDocuments(index, (*relevant.numbers, *ranked[: max(0, self.documents - len(relevant))]))

    def _step(self, terms: dict[str, TermStats], top: JudgedDocuments) -> Step:
        p, r, weight = {}, {}, {}
        for term, found in terms.items():
            held, others = top.num_holders[term], found.num_docs - len(top)
            p[term] = held / len(top)
            r[term] = (found.df - held) / others if others else 0.0
            weight[term] = Estimate.of(known(found, top)).weight
        return Step(top.numbers, p, r, weight)
