"""What a person asks for: a measure with its parameters, and the class or average in brackets."""

from __future__ import annotations

from typing import Literal, NamedTuple

from germane.errors import MeasureError
from germane.measures.decisions.matrix import AVERAGES
from germane.measures.decisions.measure import DECISION_MEASURES, DecisionMeasure, Input
from germane.measures.decisions.names import PARTS_OF_BRIER, base_name, canonical_name, entry_named
from germane.measures.decisions.rates import RATES, Rate

ALL = "all"
"""What stands for the usual measures in a list of measures."""
Kind = Input | Literal["rate"]
"""What a measure is computed from; a rate needs the four cells of one class."""


class Request(NamedTuple):
    """A measure by its canonical name, and the class or average (empty: overall)."""

    name: str
    group: str = ""

    @classmethod
    def of(cls, text: str, **given: float | None) -> Request:
        """Parse what a person wrote; required parameters that are not written come from `given`.

        >>> [str(Request.of(text)) for text in ("recall", "f1[macro]", "F(beta=3)[my cat]", "macro F1", "macro recall")]
        ['TPR', 'F1[macro]', 'F3[my cat]', 'F1[macro]', 'BA']
        >>> Request.of("PPV_at", prevalence=0.01)
        Request(name='PPV_at(prevalence=0.01)', group='')
        >>> Request.of("net_benefit[spam]")
        Traceback (most recent call last):
        germane.errors.MeasureError: net_benefit requires act_at
        Hint: write net_benefit(act_at=…)
        """
        written, group = _parted(text.strip())
        name = canonical_name(written)
        if name == "cost" and not group and not given.get("cost_fp") is given.get("cost_fn") is None:
            return cls(name)  # at the prevalence of the data, unless another one is given
        if name in PARTS_OF_BRIER:
            return cls(name, group)
        entry = entry_named(name)
        return cls(str(filled(entry, **given)) if isinstance(entry, Rate) and not entry.rest else name, group)

    @classmethod
    def read(cls, name: str) -> Request:
        """Return the parts of what `str` gives.

        >>> Request.read("F1[macro]")
        Request(name='F1', group='macro')
        """
        measure, bracket, group = name.partition("[")
        return cls(measure, group[:-1]) if bracket else cls(measure)

    def __str__(self) -> str:
        return f"{self.name}[{self.group}]" if self.group else self.name

    @property
    def kind(self) -> Kind:
        """What the measure is computed from; kappa and the like are rates and measures of the matrix, here a rate."""
        return kind_of(self.name)


def kind_of(name: str) -> Kind:
    """Return what a measure is computed from, given its canonical name.

    >>> [kind_of(name) for name in ("F2", "kappa", "kappa(weights=linear)", "AUC", "within(binned)", "NMI")]
    ['rate', 'rate', 'matrix', 'scores', 'probabilities', 'clusters']
    """
    if name in PARTS_OF_BRIER:
        return "probabilities"
    entry = entry_named(name)
    return "rate" if isinstance(entry, Rate) else entry.of


def chosen_rate(name: str) -> Rate | None:
    """Return a rate with its parameters; None for other measures, and where required parameters are missing."""
    entry = None if name in PARTS_OF_BRIER else entry_named(name)
    return entry if isinstance(entry, Rate) and (entry.rest or not entry.needs_parameters) else None


def chosen_measure(name: str) -> DecisionMeasure:
    """Return a measure other than a rate with its parameters, ready to be called.

    >>> chosen_measure("ECE(bins=15)").rest, chosen_measure("ECE(bins=10)").rest
    ((), (('bins', 10),))
    """
    return DECISION_MEASURES.parse(name)


def filled(rate: Rate, **given: float | None) -> Rate:
    """Return a rate with those of its required parameters that are not written yet; a missing one is an error."""
    if rate.rest or not rate.needs_parameters:
        return rate
    known = {key: value for key, value in given.items() if key in rate.parameters and value is not None}
    chosen: Rate = rate.choose(**known)
    return chosen


def require_rate(name: str, what: str, **given: float | None) -> Rate:
    """Return the rate of this name; any other measure is an error that says why `what` cannot have it."""
    request = Request.of(name, **given)
    entry = None if request.name in PARTS_OF_BRIER or request.group else entry_named(request.name)
    if isinstance(entry, Rate):
        return filled(entry, **given)
    why = "is of classes or averages" if request.group else "is not a rate of four cells"
    hint = "choose rates such as TPR or F2, without brackets"
    raise MeasureError(f"{request} {why}, so {what} cannot have it", hint=hint)


def _parted(text: str) -> tuple[str, str]:
    """Split a text into the measure and the group: ``F1[macro]`` or ``macro F1``."""
    if text.endswith("]") and "[" in text:
        measure, _, group = text[:-1].partition("[")
        if not measure.strip() or not group.strip():
            raise MeasureError(f"expected a measure such as F1[macro], found {text!r}")
        return measure.strip(), group.strip()
    average, _, measure = text.partition(" ")
    is_name = text in DECISION_MEASURES or base_name(text) in RATES
    return (measure.strip(), average) if average in AVERAGES and not is_name else (text, "")
