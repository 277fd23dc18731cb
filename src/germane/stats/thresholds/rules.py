"""Threshold rules and their syntax.

====================================  ==================================================================
OBJECTIVE                             the threshold at which the objective is best
OBJECTIVE where TARGET and TARGET …   the best of the thresholds that meet every target
rule-out TARGET, rule-in TARGET       two thresholds, with an undecided zone in between
====================================  ==================================================================

An objective is ``accuracy``, ``youden``, ``closest``, ``eer``, ``weighted(tpr=0.7)``, ``cost(cost_fn=5)`` or any rate,
such as ``F2`` or ``MCC``; a target is a rate, a sign and a number: ``TNR>=0.9``, ``predicted<=5%``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from germane.catalogue import Catalogue, Entry, Range, Share, Weight, nearest_entry, spell
from germane.errors import GermaneError, MeasureError, unknown
from germane.measures.decisions.expressions import Expression
from germane.measures.decisions.rates import RATES, Rate
from germane.stats.thresholds.aims import BestRule, Objective, PairRule, Rule, Target


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ObjectiveEntry(Entry):
    """An objective: a function of its parameters that returns an `Objective`; `example` is a rule."""

    error: ClassVar[type[GermaneError]] = MeasureError
    example: str

    def make(self, values: Mapping[str, Any]) -> Objective:
        objective: Objective = self.target(**values)
        return objective


OBJECTIVES = Catalogue("objective", ObjectiveEntry, Objective, example="youden or weighted(tpr=0.7)")


@OBJECTIVES.add("accuracy", example="accuracy")
def accuracy() -> Objective:
    """Highest accuracy. With extreme prevalence, it may predict the same class for every item."""
    return replace(any_rate(RATES["ACC"]), text="accuracy")


@OBJECTIVES.add("youden", example="youden")
def youden() -> Objective:
    """Highest Youden's J: sensitivity + specificity − 1."""
    words = "highest sum of sensitivity and specificity (TPR + TNR - 1)"
    return replace(any_rate(RATES["informedness"]), text="youden", words=words)


@OBJECTIVES.add("closest", example="closest")
def closest() -> Objective:
    """Point of the ROC curve closest to (0, 1). Not the same as Youden's J."""
    squared = Expression("(FN / (TP + FN)) ** 2 + (FP / (FP + TN)) ** 2")
    return Objective("closest", "smallest squared distance from (0, 1) in ROC space", squared, "lower")


@OBJECTIVES.add("eer", example="eer")
def eer() -> Objective:
    """Equal error rate: FPR and FNR are least apart. Its value is their mean, as of the measure EER."""
    apart = Expression("(FP / (FP + TN) - FN / (TP + FN)) ** 2")
    words = "smallest difference of false positive and false negative rate (equal error rate)"
    return Objective("eer", words, apart, "lower", shown=RATES["HTER"], measure="EER")


@OBJECTIVES.add("weighted", example="weighted(tpr=0.7)")
def weighted(*, tpr: Share) -> Objective:
    """Highest weighted sum of sensitivity and specificity: w·TPR + (1 − w)·TNR, with w = `tpr`."""
    formula = Expression("tpr * TP / (TP + FN) + (1 - tpr) * TN / (TN + FP)")
    text, words = spell("weighted", [("tpr", tpr)]), f"highest {tpr:g} TPR + {1 - tpr:g} TNR"
    return Objective(text, words, formula, parameters={"tpr": tpr})


@OBJECTIVES.add("cost", example="cost(cost_fp=1, cost_fn=5, prevalence=0.01)")
def cost(
    *, cost_fp: Weight = 1.0, cost_fn: Weight = 1.0, prevalence: Annotated[float | None, Range(0, 1)] = None
) -> Objective:
    """Lowest expected cost per item.

    By default, a false positive and a false negative cost 1 each, and the prevalence is that of the data.
    """
    costs = {"cost_fp": cost_fp, "cost_fn": cost_fn}
    words = f"lowest expected cost: {cost_fp:g} per false positive, {cost_fn:g} per false negative"
    rate = RATES["cost"]
    if prevalence is not None:
        chosen: Rate = rate.choose(**costs, prevalence=prevalence)
        words += f", prevalence {prevalence:g}"
        return Objective(str(chosen), words, rate.expression, "lower", chosen.settings, chosen)
    # With the prevalence of the data it is the mean cost per item: a fraction of integers, without rounding.
    mean = Expression("(cost_fp * FP + cost_fn * FN) / (TP + FP + FN + TN)")
    return Objective(spell("cost", rate.changed(costs)), f"{words}, prevalence of the data", mean, "lower", costs)


def any_rate(rate: Rate) -> Objective:
    """Best value of any rate (lowest for an error rate): F2, MCC, kappa, HTER, net_benefit(act_at=0.1)."""
    if rate.better == "neither":
        hint = f"use it as a target: TPR where {rate.name}<=0.1"
        raise MeasureError(f"{rate.name} has no better direction, so it cannot be an objective", hint=hint)
    end = "highest" if rate.better == "higher" else "lowest"
    return Objective(str(rate), f"{end} {rate} ({rate.title})", rate.expression, rate.better, rate.filled(), rate)


def _described(function: Callable[..., Any]) -> str:
    return " ".join((function.__doc__ or "").split())


@dataclass(frozen=True)
class RuleEntry:
    """A kind of rule: its name, an example and a description."""

    name: str
    example: str
    description: str


def parse_rule(text: str | Rule) -> Rule:
    """Parse a rule as people type it.

    >>> print(parse_rule("sensitivity where specificity > 90%"))
    TPR where TNR > 0.9
    >>> print(parse_rule("rule-out TPR>=0.95, rule-in TNR>=0.95"))
    rule-out TPR >= 0.95, rule-in TNR >= 0.95
    """
    if not isinstance(text, str):
        return text
    if re.match(r"\s*rule[- ]?(in|out)\b", text, flags=re.I):
        return _pair(text)
    wanted, *rest = re.split(r"\s+where\s+", text.strip(), maxsplit=1, flags=re.I)
    if re.search(r"[<>≤≥]", wanted):
        hint = f"for example '{'TNR' if wanted.startswith(('TPR', 'recall', 'sens')) else 'TPR'} where {wanted}'"
        problem = f"missing objective: {text!r} is only a target"
        raise MeasureError(problem, hint=hint)
    name = RATES.read(wanted).name
    if name not in OBJECTIVES and name not in RATES:
        hint = f"use, for example, {', '.join(repr(entry.example) for entry in THRESHOLD_RULES.values())}"
        near = nearest_entry(name, RATES, OBJECTIVES)
        raise unknown("rule or rate", name, (), near=near, error=MeasureError, hint=hint)
    targets = tuple(map(parse_target, re.split(r"\s+and\s+", rest[0], flags=re.I))) if rest else ()
    objective = OBJECTIVES.parse(wanted) if name in OBJECTIVES else any_rate(RATES.parse(wanted))
    return BestRule(objective, targets)


def parse_target(text: str) -> Target:
    """Parse a target: a rate, a sign and a number.

    >>> print(parse_target("recall ≥ 90%"))
    TPR >= 0.9
    """
    match = re.fullmatch(r"([^<>≤≥]+)(>=|<=|≥|≤|>|<)\s*([-+]?[\d.]+(?:[eE][-+]?\d{1,3})?)\s*(%?)", text.strip())
    try:
        if match is None:
            raise ValueError
        limit = Fraction(match[3][:400]) / (100 if match[4] else 1)
    except ValueError:
        example = "a rate, >= or <=, and a number, such as TNR>=0.9"
        raise MeasureError(f"expected {example}; found {text.strip()!r}") from None
    sign = {"≥": ">=", "≤": "<="}.get(match[2], match[2])
    target = Target(RATES.parse(match[1].strip()), sign, limit)  # type: ignore[arg-type]
    low, high = target.chosen.bounds
    if not low <= limit <= high:
        raise MeasureError(f"{target} is impossible: {target.chosen} is between {low:g} and {high:g}")
    return target


def _pair(text: str) -> PairRule:
    found: dict[str, Target] = {}
    for part in re.split(r",\s*(?=rule)|\s+and\s+(?=rule)", text.strip(), flags=re.I):
        match = re.fullmatch(r"rule[- ]?(in|out)\s+(.+)", part, flags=re.I | re.S)
        if match is None or match[1].lower() in found:
            found.clear()
            break
        found[match[1].lower()] = parse_target(match[2])
    if set(found) != {"in", "out"}:
        example = THRESHOLD_RULES["rule-out, rule-in"].example
        raise MeasureError(
            f"expected rule-out and rule-in with one target each, as in {example!r}; found {text.strip()!r}"
        )
    for side, rates in (("out", _RULES_OUT), ("in", _RULES_IN)):
        target = found[side]
        if rates.get(target.chosen.name) != target.at_least:
            hint = " or ".join(f"{name}{'>=' if up else '<='}…" for name, up in rates.items())
            raise MeasureError(f"{target} cannot rule {side}", hint=f"for rule-{side} use {hint}")
    return PairRule(found["out"], found["in"])


_RULES_OUT = {"TPR": True, "NPV": True, "FNR": False, "FOR": False}
_RULES_IN = {"TNR": True, "PPV": True, "FPR": False, "FDR": False}

THRESHOLD_RULES = {
    entry.name: entry
    for entry in (
        *(RuleEntry(entry.name, entry.example, _described(entry.target)) for entry in OBJECTIVES),
        RuleEntry("rate", "F2", _described(any_rate)),
        RuleEntry(
            "where",
            "TPR where TNR>=0.9",
            "Best of the thresholds that meet one or more targets, joined by `and`: here, highest sensitivity with "
            "specificity at least 0.9. 'TPR where PPV>=0.8' and 'TNR where NPV>=0.99' target a predictive value.",
        ),
        RuleEntry(
            "rule-out, rule-in",
            "rule-out TPR>=0.95, rule-in TNR>=0.95",
            "Two thresholds with an undecided zone in between. Rule-out is the highest with TPR (or NPV) at its "
            "target: scores below it are negative. Rule-in is the lowest with TNR (or PPV) at its target: scores at "
            "or above it are positive.",
        ),
    )
}
"""Every kind of rule by name, in the order of help and documentation."""
