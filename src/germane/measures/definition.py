"""The catalogue of ranking measures: every measure is one decorated function, and all else follows from its entry.

>>> from germane.measures.rankings.precision import precision
>>> from germane.tables.rankings.judged_run import judged
>>> precision(judged("1 0 1"), cut=2)
array([0.5])
>>> [str(MEASURES.parse(name)) for name in ("nDCG@10", "ndcg_cut_10", "ndcg_cut.10", "NDCG@10", "ndcg_at_10")]
['nDCG@10', 'nDCG@10', 'nDCG@10', 'nDCG@10', 'nDCG@10']
>>> [str(MEASURES.parse(name)) for name in ("map", "mrr@10", "AP(rel=2)", "nDCG(gain=exp)@5", "iprec_at_recall_0.1")]
['AP', 'RR@10', 'AP(rel=2)', 'nDCG(gain=exp)@5', 'IPrec(rounding=trec10)@0.1']
>>> [str(MEASURES.parse(name)) for name in ("CMC@5", "mAP", "MAP@R", "r_precision", "precision_at_1", "rbp", "RBP")]
['Success@5', 'AP', 'AP(within=R)', 'Rprec', 'P@1', 'RBP(p=0.9, by=query)', 'RBP']
>>> MEASURES.parse("RRR")
Traceback (most recent call last):
germane.errors.MeasureError: unknown measure 'RRR'; did you mean RR?
Hint: run `germane measures` for a list
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

from germane.arguments import checked, refuse_unknown
from germane.catalogue import Catalogue, Entry, Parameter, Range, Written
from germane.errors import GermaneError, MeasureError
from germane.measures.foreign_names import TrecVersion, bracketed, in_our_words, native_spelling
from germane.tables.rankings.judged_run import JudgedRun, PerQuery, Worked
from germane.tables.rankings.measure import Measure

MANY = float("inf")
Better = Literal["higher", "lower", "neither"]
Needs = Literal["collection size", "groups"]
UnjudgedBounds = Literal["monotone", "recount"]
BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither direction is better"}
NEEDED = {"collection size": "the collection size (`--collection-size`)", "groups": "judgments by subtopic"}
USUAL = {"cut": Range(1, 10**9), "rel": Range(0, without=(0,))}
"""Range of values of parameters with these names, unless the function declares its own."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasureEntry(Entry):
    """Base of ranking and classification measures: the range of values and which direction is better."""

    error: ClassVar[type[GermaneError]] = MeasureError
    bounds: tuple[float, float]
    better: Better = "higher"

    @property
    def declared(self) -> Mapping[str, str]:
        return {"Range": f"{self.bounds[0]:g} to {self.bounds[1]:g}; {BETTER[self.better]}"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Definition(MeasureEntry):
    """A ranking measure: its function, its declared properties and its documentation."""

    total: bool = False
    """Whether it is summed over queries, not averaged, as counts are."""
    needs: tuple[Needs, ...] = ()
    expected_ties: bool = False
    """Whether it has an exact expected value over ties, for ``ties="expected"``."""
    unjudged: UnjudgedBounds | None = None
    """How to find its bounds for unjudged documents, if they are tight."""
    at: str = "cut"
    refuse: Callable[[Mapping[str, Any]], None] | None = None
    """Function that raises an error for parameters that cannot be combined."""
    table: Callable[[Worked, int, Mapping[str, Any]], Mapping[str, list[Any]]] | None = None
    """Function that builds the breakdown, if it is not one row per relevant document."""

    def __call__(self, run: JudgedRun, **parameters: Any) -> PerQuery:
        """Return the value for each query."""
        return self.work(run, **parameters).value

    def work(self, run: JudgedRun, *, judged_only: bool = False, **parameters: Any) -> Worked:
        """Compute the measure: value, terms and breakdown are read from the result."""
        if "collection size" in self.needs and run.qrels.collection_size is None:
            needed = "requires the number of documents in the collection"
            raise MeasureError(f"{self.name} {needed}", hint="pass `collection_size=…`")
        if "groups" in self.needs and run.qrels.groups is None:
            hint = "use diversity qrels, with the subtopic in the second column"
            raise MeasureError(f"{self.name} requires judgments by subtopic", hint=hint)
        if run.ties == "expected" and not self.expected_ties:
            able = ", ".join(d.name for d in MEASURES if d.expected_ties)
            hint = f"use `ties='docno'`, or choose from {able}"
            raise MeasureError(f"`ties='expected'` is not supported by {self.name}", hint=hint)
        self.check(parameters)
        worked = self.target(run.condensed if judged_only else run, **parameters)
        if not isinstance(worked, Worked):
            hint = "return ge.measures.Worked(hits, term=…, over=…)"
            raise MeasureError(f"expected {self.name} to return a Worked, found {type(worked).__name__}", hint=hint)
        return worked

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise an error for parameters that cannot be combined."""
        if self.refuse is not None:
            self.refuse(given)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        own = {
            name: replace(each, range=USUAL[name]) if name in USUAL and each.range == Range() else each
            for name, each in super().parameters.items()
        }
        return {**own, "judged_only": Parameter("judged_only", bool, False)}

    def make(self, values: Mapping[str, Any]) -> Measure:
        self.check(values)
        given = {key: value for key, value in values.items() if key != self.at}
        if isinstance(at := values.get(self.at), str):
            raise MeasureError(f"expected a number after {self.name}@, found {at!r}")
        return Measure(self.name, self.changed(given), at)

    @property
    def declared(self) -> Mapping[str, str]:
        return {
            **super().declared,
            "Needs": ", ".join(NEEDED[need] for need in self.needs),
            "On ties": "an exact expected value" if self.expected_ties else "",
            "On unjudged": "tight bounds" if self.unjudged else "",
        }


class Measures(Catalogue[Definition, Measure]):
    """The catalogue of ranking measures; trec_eval names give the value of one version of trec_eval."""

    version: TrecVersion = 10

    def of_version(self, version: TrecVersion) -> Measures:
        """Return the catalogue with names interpreted as in another version of trec_eval."""
        if version not in get_args(TrecVersion):
            raise MeasureError(f"expected trec_version 9 or 10, found {version!r}")
        other = copy(self)
        other.version = version
        return other

    def read(self, text: str) -> Written:
        try:
            found = super().read(in_our_words(text))
            if re.search(r"\s", found.name):
                raise self.not_one(text)
            return found
        except MeasureError as problem:
            hint = "write parameters before the @, as in R(rel=2)@5" if re.search(r"@[^(]*\(", text) else None
            if (meant := bracketed(text)) is not None:
                hint = f"write parameters in parentheses: {meant}"
            raise MeasureError(problem.message, hint=hint) from None

    def respell(self, name: str, *, any_case: bool) -> str | None:
        native = native_spelling(name, self.version, any_case=any_case)
        if native is None and any_case:
            # ndcg_at_10, recall_at_k of metric learning, and any germane name followed by a cutoff
            suffixed = re.fullmatch(r"(?P<name>.+?)(?:_at_|[._])(?P<number>\.?\d+(?:\.\d+)?)", name)
            if suffixed and (found := self.find(suffixed["name"])) is not None:
                return f"{found.name}@{suffixed['number']}"
        return native

    def translate(self, entry: Definition, given: list[tuple[str, str]]) -> list[tuple[str, str]]:
        gains = {"log2": "linear", "exp-log2": "exp"}  # as ir_measures writes them
        return [("gain", gains[value]) if key == "dcg" and value in gains else (key, value) for key, value in given]

    def parts(self, text: str) -> list[str]:
        """Split a list of measures; a bare number repeats the last name with another cutoff.

        >>> MEASURES.parts("AP(rel=2, empty=one) P@5,10")
        ['AP(rel=2, empty=one)', 'P@5', 'P@10']
        """
        parts: list[str] = []
        for part in super().parts(text):
            numbered = re.fullmatch(r"\d+(\.\d+)?", part) and parts and re.match(r"^(.*[@._])\d+(\.\d+)?$", parts[-1])
            parts.append(numbered[1] + part if numbered else part)
        return parts

    def nearest(self, name: str) -> str:
        """Return the most similar name, with the number typed at the end as its cutoff.

        >>> MEASURES.nearest("NDCG10"), MEASURES.nearest("RRR"), MEASURES.nearest("WXYZ")
        ('nDCG@10', 'RR', '')
        """
        stem = name.rstrip("0123456789")
        meant = super().nearest(stem) if stem != name else ""
        if meant and self[meant].at == "cut" and "cut" in self[meant].parameters:
            return f"{meant}@{name.removeprefix(stem)}"
        return super().nearest(name)

    def unknown(self, name: str) -> GermaneError:
        if name.casefold().startswith("gm_"):
            return MeasureError(f"{name} is a geometric mean", hint=f"use `germane eval -m {name[3:]} --aggregate gm`")
        from germane.measures.decisions.measure import DECISION_MEASURES
        from germane.measures.decisions.rates import RATES

        if name in RATES or name in DECISION_MEASURES:
            return MeasureError(
                f"{name} is a measure of decisions, not of rankings", hint=f"use `germane classify -m {name}`"
            )
        problem = super().unknown(name)
        return MeasureError(problem.message, hint="separate measures by spaces or commas") if ";" in name else problem


FAMILIES = ("counts", "precision", "average_precision", "curves", "gain", "user_models", "incomplete", "diversity")
"""Modules of ranking measures, in the order in which lists print them."""
MEASURES = Measures(
    "measure",
    Definition,
    Measure,
    [f"germane.measures.rankings.{family}" for family in FAMILIES],
    example="nDCG@10 or AP(rel=2)",
    lists="run `germane measures` for a list",
)


@checked
def measure(
    name: str, *, bounds: tuple[float, float], **declared: object
) -> Callable[[Callable[..., Worked]], Definition]:
    """Register a ranking measure: a function of a `JudgedRun` that returns a `Worked`.

    >>> from germane.tables.rankings.judged_run import Worked, judged
    >>> @measure("Late", bounds=(0, float("inf")))
    ... def late(run, *, rel: float = 1) -> Worked:
    ...     '''Sum of the ranks of relevant documents.'''
    ...     hits = run.relevant(rel)
    ...     return Worked(hits, hits.rank * 1.0)
    >>> late(judged("0 1 1"))
    array([5.])
    >>> MEASURES.unregister("Late")
    """
    known = [each.name for each in fields(Definition) if each.name not in ("name", "target", "rest", "bounds")]
    refuse_unknown("measure", declared, known)
    return MEASURES.define(name, bounds=bounds, **declared)


def work(measure: Measure, run: JudgedRun) -> Worked:
    """Compute one measure on one run."""
    return MEASURES[measure].work(run, **given_to(measure))


def given_to(measure: Measure) -> dict[str, Any]:
    """Return the parameters given to a measure, including the number after its @."""
    at = {} if measure.at is None else {MEASURES[measure].at: measure.at}
    return {**dict(measure.parameters), **at}
