"""From what a person types to a `Measure`: our own grammar, and the spellings of other tools."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from germane.errors import MeasureError, did_you_mean
from germane.measures.registry import Definition, Parameter, all_definitions
from germane.tables.measure import Measure, ParameterValue

# NAME, NAME(key=value, ...), NAME@10, NAME(key=value)@10
_NATIVE = re.compile(
    r"^\s*(?P<name>[^\s@()=]+?)\s*(?:\((?P<inside>.*)\))?\s*(?:@(?P<at>[^@()-]+))?(?:-l(?P<level>\d+))?\s*$"
)
# ndcg_cut_10, ndcg_cut.10, ndcg_at_10, P_5, P.5, iprec_at_recall_0.10, Rprec_mult_0.20, rbp.95
_SUFFIXED = re.compile(r"^(?P<name>.+?)(?:_at_|[._])(?P<number>\.?\d+(?:\.\d+)?)$")

# Names that stand for a measure together with parameters.
_WITH_PARAMETERS = {
    "f1": "F(beta=1)",
    "ndcg_burges": "nDCG(gain=exp)",
    "dcg_burges": "DCG(gain=exp)",
    "mrr": "RR",
}
# Where the number at the end of another tool's name is not a cutoff: the parameter, and how it is converted.
_NUMBER_IS = {
    "Rprec": ("times", float),
    "RBP": ("p", lambda text: float(f"0.{text}") if "." not in text and float(text) > 1 else float(text)),
    "F": ("beta", lambda text: math.sqrt(float(text))),  # trec_eval's set_F takes beta squared
}
_IR_MEASURES_DCG = {"log2": None, "exp-log2": "exp"}


def parse_measure(text: str | Measure) -> Measure:
    """Read a measure as a person writes it.

    >>> [str(parse_measure(name)) for name in ("nDCG@10", "ndcg_cut_10", "ndcg_cut.10", "NDCG@10", "ndcg_at_10")]
    ['nDCG@10', 'nDCG@10', 'nDCG@10', 'nDCG@10', 'nDCG@10']
    >>> [str(parse_measure(name)) for name in ("map", "mrr@10", "AP(rel=2)", "nDCG(gain=exp)@5", "iprec_at_recall_0.1")]
    ['AP', 'RR@10', 'AP(rel=2)', 'nDCG(gain=exp)@5', 'IPrec@0.1']
    >>> parse_measure("RRR")
    Traceback (most recent call last):
    germane.errors.MeasureError: no measure is called 'RRR'; did you mean RR?
    Hint: `germane measures` lists them
    """
    if isinstance(text, Measure):
        return text
    match = _NATIVE.match(text)
    if match is None:
        raise MeasureError(f"expected a measure such as nDCG@10 or AP(rel=2), found {text!r}")
    name, inside, at, level = match.group("name", "inside", "at", "level")
    definition = _find(name)
    given = _split(inside or "", text)
    if definition is None and (suffixed := _SUFFIXED.match(name)) and at is None:
        definition = _find(suffixed["name"])
        if definition is not None:
            parameter, convert = _NUMBER_IS.get(definition.name, (definition.at, str))
            given[parameter] = str(convert(suffixed["number"]))
    if definition is None:
        known = [n for d in all_definitions() for n in (d.name, *d.names)]
        raise MeasureError(
            f"no measure is called {name!r}{did_you_mean(name, known)}", hint="`germane measures` lists them"
        )
    if name.casefold() in _WITH_PARAMETERS:
        given = {**dict(parse_measure(_WITH_PARAMETERS[name.casefold()]).parameters), **given}
    if at is not None:
        given[definition.at] = at.strip()
    if level is not None:  # ranx writes the least relevant grade at the end: map@10-l2
        given["rel"] = level
    return make_measure(definition, given)


def parse_measures(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Read several; each text may hold more than one, divided by white space or commas. Repeats are dropped.

    >>> [str(m) for m in parse_measures("nDCG@10 AP, P@5,10")]
    ['nDCG@10', 'AP', 'P@5', 'P@10']
    """
    found: dict[Measure, None] = {}
    for text in [texts] if isinstance(texts, str | Measure) else texts:
        for part in _parts(text) if isinstance(text, str) else [text]:
            found[parse_measure(part)] = None
    return list(found)


def _parts(text: str) -> list[str]:
    """Divide at white space and commas outside brackets; a bare number repeats the last name with another cutoff."""
    parts: list[str] = []
    for part in re.findall(r"[^\s,()]+(?:\([^)]*\)(?:@[^\s,()]+)?)?", text):
        if parts and re.fullmatch(r"\d+(\.\d+)?", part) and (stem := re.match(r"^(.*[@._])\d+(\.\d+)?$", parts[-1])):
            parts.append(stem[1] + part)
        else:
            parts.append(part)
    return parts


def make_measure(definition: Definition, given: dict[str, ParameterValue]) -> Measure:
    """A measure with these parameters, checked, those that equal a default left out."""
    if "dcg" in given and given["dcg"] in _IR_MEASURES_DCG:  # how ir_measures writes the exponential gain
        gain = _IR_MEASURES_DCG[str(given.pop("dcg"))]
        given = {**given, **({"gain": gain} if gain else {})}
    known = {**definition.parameters, "judged_only": Parameter("judged_only", False, bool)}
    for key in given:
        if key not in known:
            raise MeasureError(
                f"{definition.name} has no parameter {key!r}{did_you_mean(key, known)}",
                hint=f"it takes: {', '.join(known)}",
            )
    values = {key: _convert(definition, known[key], given[key]) for key in known if key in given}
    at = values.pop(definition.at, None)
    parameters = tuple((key, value) for key, value in values.items() if value != known[key].default)
    if at is not None and not isinstance(at, int | float):
        raise MeasureError(f"expected a number after {definition.name}@, found {at!r}")
    return Measure(definition.name, parameters, at)


def _find(name: str) -> Definition | None:
    spelt = name.casefold().replace("-", "_")
    spelt = _WITH_PARAMETERS.get(spelt, spelt).partition("(")[0].casefold()
    for definition in all_definitions():
        if spelt in (definition.name.casefold(), *(n.casefold().replace("-", "_") for n in definition.names)):
            return definition
    return None


def _split(inside: str, text: str) -> dict[str, ParameterValue]:
    given: dict[str, ParameterValue] = {}
    for part in filter(None, (piece.strip() for piece in inside.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise MeasureError(f"expected key=value in the brackets of {text!r}, found {part!r}")
        given[key.strip()] = value.strip().strip("'\"")
    return given


def _convert(definition: Definition, parameter: Parameter, value: ParameterValue) -> ParameterValue:
    expected = (
        f"one of {', '.join(parameter.choices)}" if parameter.choices else f"a value of type {parameter.kind.__name__}"
    )
    try:
        if parameter.choices:
            return parameter.choices[parameter.choices.index(str(value))]
        if parameter.kind is bool:
            return {"true": True, "false": False}[str(value).lower()]
        if parameter.kind is int:
            number = int(str(value))
            if number < 1:
                expected = "a rank of 1 or more"
                raise ValueError
            return number
        if parameter.kind is float:
            decimal = float(str(value))
            return int(decimal) if decimal.is_integer() and not isinstance(parameter.default, float) else decimal
        return str(value)
    except (ValueError, KeyError):
        raise MeasureError(f"{definition.name}: expected {expected} for {parameter.name}, found {value!r}") from None
