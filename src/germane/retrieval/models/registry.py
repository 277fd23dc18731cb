"""The models by name: one class each, its formula stated once and read by scores and explanations alike."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

from germane.arguments import checked
from germane.errors import GermaneError
from germane.retrieval.models.curves import Curve
from germane.retrieval.query import Query
from germane.retrieval.statistics import TermStats
from germane.tables.ids import FloatArray, IntArray
from germane.tables.spelling import written

if TYPE_CHECKING:
    from germane.retrieval.index import Index

MODELS: dict[str, type[Model]] = {}
"""By the name a person types."""
OTHER_NAMES: dict[str, str] = {}
"""What else a model is called, with the parameters that the name implies: ``BM25+`` is ``BM25(variant=plus)``."""
_PARAMETERS: dict[type[Model], tuple[Parameter, ...]] = {}


@dataclass(frozen=True)
class Range:
    """The values that a parameter can take; written into its type: ``Annotated[float, Range(0, 1)]``."""

    least: float = -float("inf")
    greatest: float = float("inf")
    open: bool = False
    """The ends do not belong to it."""

    def holds(self, value: float) -> bool:
        if self.open:
            return self.least < value < self.greatest
        return self.least <= value <= self.greatest and abs(value) != float("inf")

    def __str__(self) -> str:
        if self.greatest < float("inf"):
            return f" between {self.least:g} and {self.greatest:g}{', both excluded' if self.open else ''}"
        if self.least == -float("inf"):
            return ""
        return f" above {self.least:g}" if self.open else f" of {self.least:g} or more"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model, read off its field."""

    name: str
    default: Any
    kind: type
    choices: tuple[str, ...] = ()
    range: Range | None = None
    optional: bool = False

    @property
    def typed(self) -> str:
        """As a person writes it: ``lambda``, which Python keeps for itself, is the field ``lambda_``."""
        return self.name.rstrip("_")

    def problem(self, value: Any) -> str | None:
        """What is wrong with a value: what was expected of it."""
        if value is None:
            return None if self.optional else "a value"
        if self.choices:
            return None if value in self.choices else " or ".join(self.choices)
        if self.kind is float:
            limits = self.range or Range()
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return None if is_number and limits.holds(value) else f"a number{limits}"
        return None if isinstance(value, self.kind) else f"a {self.kind.__name__}"


@dataclass(frozen=True)
class Model:
    """A ranking model. A document's score is

    scale(d) · Σ over the query's terms t of  query_weight(t) · Π term_factors(t) · curve_t(tf, length)
    +  offset(d) · Σ over the query's terms t of  query_weight(t)

    A model says what its query weights, term factors and curve are; most need neither scale nor offset. Only documents
    that hold one of the terms are ranked, and terms that no document holds are left out of the query.
    """

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = getattr(self, parameter.name)
            if expected := parameter.problem(value):
                raise GermaneError(f"{self.name}: expected {expected} for {parameter.typed}, found {value!r}")

    def query_weights(self, query: Query, terms: Mapping[str, TermStats]) -> dict[str, float]:
        """The query's side, by term. The weights of a query that is a vector already are taken as they are."""
        if query.is_vector:
            return {term: query.weights[term] for term in terms}
        return self.weigh_query({term: query.weights[term] for term in terms}, terms)

    def weigh_query(self, counts: Mapping[str, float], terms: Mapping[str, TermStats]) -> dict[str, float]:
        """The query's side of how often each term was written; unless a model says otherwise, just that."""
        return dict(counts)

    def term_factors(self, term: TermStats) -> dict[str, float]:
        """What the term's weight is the product of, by name."""
        raise NotImplementedError

    def curve(self, term: TermStats) -> Curve:
        """How the contribution grows with the term's frequency in a document."""
        raise NotImplementedError

    def lengths(self, index: Index) -> IntArray:
        """What the curves read as each document's length."""
        return index.lengths

    def scale(self, index: Index) -> FloatArray | None:
        """What each document's sum is multiplied by (cosine); None is 1 for all."""
        return None

    def offset(self, index: Index) -> FloatArray | None:
        """What is added to each document that holds a query term, once for each unit of query weight; None is 0."""
        return None

    def __str__(self) -> str:
        """As a person writes it, with the parameters that are not the default: ``BM25(k1=0.9,b=0.4)``."""
        given = [(p.typed, p.default, getattr(self, p.name)) for p in parameters_of(type(self))]
        inside = ",".join(f"{name}={written(value)}" for name, default, value in given if value != default)
        return f"{self.name}({inside})" if inside else self.name


Class = TypeVar("Class", bound=type[Model])


@checked
def model(name: str, **other_names: str) -> Callable[[Class], Class]:
    """Register a model under the name that a person types.

    Other names are given with what they stand for: ``@model("BM25", **{"BM25+": "variant=plus"})``.
    """

    def register(cls: Class) -> Class:
        taken = MODELS.get(name)
        if taken is not None and (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
            raise GermaneError(f"a model called {name!r} is registered already")
        cls.name = name
        MODELS[name] = cls
        OTHER_NAMES.update({other: f"{name}({inside})" for other, inside in other_names.items()})
        return cls

    return register


def unregister(name: str) -> None:
    """Take a model out again."""
    del MODELS[name]


def all_models() -> list[type[Model]]:
    """Every registered model, in the order of their files."""
    import germane.retrieval.models  # noqa: F401 - fills the registry on first use

    return list(MODELS.values())


def parameters_of(cls: type[Model]) -> tuple[Parameter, ...]:
    """What can be chosen, read off the fields of a model's class."""
    if cls not in _PARAMETERS:
        hints = typing.get_type_hints(cls, include_extras=True)
        _PARAMETERS[cls] = tuple(_parameter(field.name, field.default, hints[field.name]) for field in fields(cls))
    return _PARAMETERS[cls]


def _parameter(name: str, default: Any, hint: Any) -> Parameter:
    limits = None
    if typing.get_origin(hint) is Annotated:
        hint, limits = typing.get_args(hint)[:2]
    if typing.get_origin(hint) is Literal:
        return Parameter(name, default, str, typing.get_args(hint))
    kinds = typing.get_args(hint) or (hint,)
    kind = next(kind for kind in kinds if kind is not type(None))
    return Parameter(name, default, kind, range=limits, optional=type(None) in kinds)
