"""The feedback methods by name: each is one class, a value that prints and parses as a person writes it.

>>> FEEDBACK.parse("Rocchio(beta=.5)")
rocchio(beta=0.5)
>>> FEEDBACK["rocchio"].sections["Reference"][:13]
'Rocchio, "Rel'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated

from germane.catalogue import Catalogue, Choice, Count, Entry
from germane.retrieval.feedback.judged_documents import JudgedDocuments, require_documents
from germane.retrieval.feedback.refined import Refined, TermChange
from germane.retrieval.models import MODELS, Model
from germane.retrieval.query import Query

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


def model_as_printed(text: str) -> str:
    """A model as it is typed, checked, in the form in which it is printed; nothing stays nothing."""
    return str(MODELS.parse(text)) if text else ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Feedback(Choice):
    """A feedback method with its parameters.

    `documents` is how many documents of the first ranking are taken for relevant when nobody judged any (pseudo
    feedback); `model` is what ranks the new query, where it is not to be the model of the first ranking.
    """

    documents: Count = 10
    model: Annotated[str, model_as_printed] = ""

    def refine(
        self, index: Index, model: Model, query: Query, relevant: Sequence[int], nonrelevant: Sequence[int] = ()
    ) -> Refined:
        """The new query, from the numbers of the documents judged relevant and not relevant."""
        require_documents(index, relevant, nonrelevant)
        good, bad = JudgedDocuments(index, tuple(relevant)), JudgedDocuments(index, tuple(nonrelevant))
        own = self.ranking_model(model)
        if not self.can_use(good, bad):
            return unchanged(query, own, "no document was judged relevant: the query stays as it was")
        return self.refined(index, own, query, good, bad)

    def pseudo(self, index: Index, model: Model, query: Query, ranking: Iterable[int] | None = None) -> Refined:
        """The new query when nobody judged: the top documents of a ranking are taken for relevant.

        By default that is the ranking of the query itself.
        """
        if ranking is None:
            from germane.retrieval.search import search

            ranking = search(index, query, model, self.documents).docs
        return self.refine(index, model, query, [int(number) for number in islice(ranking, self.documents)])

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        """What the method itself does."""
        raise NotImplementedError

    def can_use(self, relevant: JudgedDocuments, nonrelevant: JudgedDocuments) -> bool:
        """Whether these documents tell the method anything; most need a relevant one."""
        return len(relevant) > 0

    def ranking_model(self, model: Model) -> Model:
        """What ranks the new query."""
        if not self.model:
            return model
        return MODELS.parse(self.model)


FAMILIES = ("rocchio", "probabilistic", "iterated", "rm3", "bo1", "kl")
FEEDBACK = Catalogue(
    "feedback method",
    Entry,
    Feedback,
    [f"germane.retrieval.feedback.{family}" for family in FAMILIES],
    example="rm3 or rm3(terms=20)",
)


def unchanged(query: Query, model: Model, note: str) -> Refined:
    """The query as it was, and why."""
    terms = tuple(TermChange(term, weight, weight) for term, weight in query.weights.items())
    return Refined(query, model, terms, notes=(note,))
