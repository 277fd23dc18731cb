"""The feedback methods by name: each is one class, a value that prints and parses as a person writes it.

>>> feedback_of("rocchio(beta=.5)")
rocchio(beta=0.5)
>>> feedback_of("rocchio").sections["Reference"][:13]
'Rocchio, "Rel'
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from germane.arguments import checked
from germane.docstrings import sections_of, summary_of
from germane.errors import GermaneError, did_you_mean
from germane.retrieval.feedback.judged_documents import JudgedDocuments, require_documents
from germane.retrieval.feedback.refined import Refined, TermChange
from germane.retrieval.models import Model, parse_model
from germane.retrieval.query import Query
from germane.tables.spelling import given_once, known_name, split_outside_brackets, written

if TYPE_CHECKING:
    from germane.retrieval.index import Index

FEEDBACK: dict[str, type[Feedback]] = {}
"""By the name a person types; `all_feedback` fills it."""

SPELLED = re.compile(r"\s*([\w+-]+)(?:\s*\((.*)\))?\s*", re.S)


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """A feedback method with its parameters.

    `documents` is how many documents of the first ranking are taken for relevant when nobody judged any (pseudo
    feedback); `model` is what ranks the new query, where it is not to be the model of the first ranking.
    """

    name: ClassVar[str]
    documents: int = 10
    model: str = ""

    def __post_init__(self) -> None:
        self.require(self.documents >= 1, "1 document or more to take for relevant", self.documents)
        if self.model:
            object.__setattr__(self, "model", str(parse_model(self.model)))

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
        return parse_model(self.model)

    def require(self, holds: bool, expected: str, found: object) -> None:
        """Refuse a parameter that makes no sense."""
        if not holds:
            raise GermaneError(f"{self.name}: expected {expected}, found {found}")

    def __str__(self) -> str:
        """As a person writes it, with the parameters that are not the default."""
        given = [f"{f.name}={_shown(getattr(self, f.name))}" for f in fields(self)
                 if getattr(self, f.name) != f.default]  # fmt: skip
        return f"{self.name}({','.join(given)})" if given else self.name

    __repr__ = __str__

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return summary_of(self)

    @property
    def sections(self) -> Mapping[str, str]:
        """Formula, reference and edge cases, from the docstring."""
        return sections_of(self)


Class = TypeVar("Class", bound=type[Feedback])


def feedback(name: str) -> Callable[[Class], Class]:
    """Register a method under the name that a person types."""

    def register(cls: Class) -> Class:
        cls.name = name
        FEEDBACK[name] = cls
        return cls

    return register


def all_feedback() -> list[Feedback]:
    """Every method there is, with its defaults."""
    import germane.retrieval.feedback  # noqa: F401 - fills the registry on first use

    return [method() for method in FEEDBACK.values()]


@checked
def feedback_of(text: str | Feedback) -> Feedback:
    """The method that somebody wrote down, such as ``probabilistic(expand=20,model=BM25(k1=0.9))``."""
    if isinstance(text, Feedback):
        return text
    known = {method.name: type(method) for method in all_feedback()}
    spelled = SPELLED.fullmatch(text)
    typed, inside = spelled.groups() if spelled else (text, None)
    name = known_name(typed, known)
    if name is None:
        raise GermaneError(
            f"no feedback method is called {typed!r}{did_you_mean(typed, known)}", hint=f"there are: {', '.join(known)}"
        )
    hints = typing.get_type_hints(known[name])
    names = [f.name for f in fields(known[name])]
    pairs = []
    for part in split_outside_brackets(inside or ""):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise GermaneError(f"expected {name}(parameter=value, …), found {text!r}")
        if key not in names:
            has = f"it has {', '.join(names)}"
            raise GermaneError(f"{name} has no parameter {key!r}{did_you_mean(key, names)}", hint=has)
        pairs.append((key, value))
    given = given_once(pairs, name)
    return known[name](**{key: _value(name, key, value, hints[key]) for key, value in given.items()})


def unchanged(query: Query, model: Model, note: str) -> Refined:
    """The query as it was, and why."""
    terms = tuple(TermChange(term, weight, weight) for term, weight in query.weights.items())
    return Refined(query, model, terms, notes=(note,))


def _value(method: str, name: str, text: str, hint: Any) -> Any:
    """A parameter's value in its own type."""
    kinds = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        chosen = known_name(text, kinds)
        if chosen is None:
            near = did_you_mean(text, kinds)
            raise GermaneError(f"{method}: expected {name} to be one of {', '.join(kinds)}, found {text!r}{near}")
        return chosen
    if type(None) in kinds:
        if text.casefold() in ("all", "none"):
            return None
        hint = next(kind for kind in kinds if kind is not type(None))
    try:
        return hint(text)
    except ValueError:
        kind = "a whole number" if hint is int else "a number"
        raise GermaneError(f"{method}: expected {kind} as {name}, found {text!r}") from None


def _shown(value: object) -> str:
    return "all" if value is None else written(value)
