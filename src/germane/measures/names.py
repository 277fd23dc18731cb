"""From what a person types to a `Measure`: our own grammar, and the spellings of other tools."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import get_args

from germane.arguments import checked
from germane.errors import MeasureError, did_you_mean
from germane.measures.foreign_names import TrecVersion, bracketed, native_spelling
from germane.measures.registry import Definition, Parameter, all_definitions
from germane.tables.measure import Measure, ParameterValue
from germane.tables.spelling import folded, given_once, known_name, split_outside_brackets, written

# NAME, NAME(key=value, ...), NAME@10, NAME(key=value)@10
_NATIVE = re.compile(
    r"^\s*(?P<name>[^\s@()=]+?)\s*(?:\((?P<inside>.*)\))?\s*(?:@(?P<at>[^@()-]+(?<=[eE])-\d+|[^@()-]+))?(?:-l(?P<level>\d+))?\s*$"
)
# ndcg_at_10, recall_at_k of metric learning, and any name of ours with a cutoff behind it
_SUFFIXED = re.compile(r"^(?P<name>.+?)(?:_at_|[._])(?P<number>\.?\d+(?:\.\d+)?)$")

# Names that stand for a measure together with parameters.
_WITH_PARAMETERS = {"f1": "F(beta=1)", "ndcg_burges": "nDCG(gain=exp)", "dcg_burges": "DCG(gain=exp)"}
# What metric learning calls the average precision of the first R ranks; R is no number that could follow an @.
_WITHIN_R = re.compile(r"^\s*(?:m?ap@r|map_at_r|mean_average_precision_at_r)\s*$", re.IGNORECASE)
_IR_MEASURES_DCG = {"log2": "linear", "exp-log2": "exp"}


@checked
def parse_measure(text: str | Measure, *, trec_version: TrecVersion = 10) -> Measure:
    """Read a measure as a person writes it, in any case; a name of trec_eval stands for its number in this version.

    >>> [str(parse_measure(name)) for name in ("nDCG@10", "ndcg_cut_10", "ndcg_cut.10", "NDCG@10", "ndcg_at_10")]
    ['nDCG@10', 'nDCG@10', 'nDCG@10', 'nDCG@10', 'nDCG@10']
    >>> [str(parse_measure(name)) for name in ("map", "mrr@10", "AP(rel=2)", "nDCG(gain=exp)@5", "iprec_at_recall_0.1")]
    ['AP', 'RR@10', 'AP(rel=2)', 'nDCG(gain=exp)@5', 'IPrec(rounding=trec10)@0.1']
    >>> [str(parse_measure(name)) for name in ("CMC@5", "mAP", "MAP@R", "r_precision", "precision_at_1", "rbp", "RBP")]
    ['Success@5', 'AP', 'AP(within=R)', 'Rprec', 'P@1', 'RBP(p=0.9, by=query)', 'RBP']
    >>> parse_measure("RRR")
    Traceback (most recent call last):
    germane.errors.MeasureError: no measure is called 'RRR'; did you mean RR?
    Hint: `germane measures` lists them
    """
    if isinstance(text, Measure):
        return text
    if trec_version not in get_args(TrecVersion):
        raise MeasureError(f"expected trec_version to be 9 or 10, found {trec_version!r}")
    text = _WITHIN_R.sub("AP(within=R)", text)
    match = _NATIVE.match(text)
    if match is None:
        hint = "parameters come before the @: R(rel=2)@5" if re.search(r"@[^(]*\(", text) else None
        if (meant := bracketed(text)) is not None:
            hint = f"write parameters in brackets: {meant}"
        raise MeasureError(f"expected a measure such as nDCG@10 or AP(rel=2), found {text!r}", hint=hint)
    name, inside, at, level = match.group("name", "inside", "at", "level")
    found = _look_up(name, trec_version)
    if found is None:
        raise _unknown(name)
    definition, implied = found
    pairs = _split(inside or "", text)
    if at is not None:
        pairs.append((definition.at, at.strip()))
    if level is not None:  # ranx writes the least relevant grade at the end: map@10-l2
        pairs.append(("rel", level))
    given = _as_ours(definition, given_once(pairs, definition.name, error=MeasureError))
    for key in given:
        if key in implied:
            raise MeasureError(
                f"{name} stands for {make_measure(definition, implied)}: expected no {key} beside it",
                hint=f"write {definition.name} with parameters of your own",
            )
    return make_measure(definition, {**implied, **given})


def _look_up(name: str, trec_version: TrecVersion) -> tuple[Definition, dict[str, ParameterValue]] | None:
    """The definition behind a name, and the parameters that the name implies; None where nothing is called so.

    Our own spelling comes first, then others' to the letter, then ours and others' in any case.
    """
    known = {definition.name: definition for definition in all_definitions()}
    if name in known:
        return known[name], {}
    if (native := native_spelling(name, trec_version)) is not None:
        return _implied(native)
    if (meant := known_name(name, _WITH_PARAMETERS)) is not None:
        return _implied(_WITH_PARAMETERS[meant])
    if (definition := _find(name)) is not None:
        return definition, {}
    if (native := native_spelling(name, trec_version, any_case=True)) is not None:
        return _implied(native)
    if (suffixed := _SUFFIXED.match(name)) and (definition := _find(suffixed["name"])) is not None:
        return definition, {definition.at: suffixed["number"]}
    return None


def _implied(native: str) -> tuple[Definition, dict[str, ParameterValue]]:
    """A spelling of our own, taken apart."""
    match = _NATIVE.match(native)
    assert match is not None
    definition = {each.name: each for each in all_definitions()}[match["name"]]
    given = dict(_split(match["inside"] or "", native))
    return definition, given if match["at"] is None else {**given, definition.at: match["at"]}


def _as_ours(definition: Definition, given: dict[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Parameters as ir_measures writes them, in our words: ``dcg=exp-log2`` is the exponential gain."""
    if given.get("dcg") not in _IR_MEASURES_DCG or "dcg" in definition.parameters:
        return given
    pairs = [("gain", _IR_MEASURES_DCG[str(value)]) if key == "dcg" else (key, value) for key, value in given.items()]
    return given_once(pairs, definition.name, error=MeasureError)


def is_measure(text: str, *, trec_version: TrecVersion = 10) -> bool:
    """Whether a text names a measure."""
    try:
        parse_measure(text, trec_version=trec_version)
    except MeasureError:
        return False
    return True


def asked_measures(
    texts: str | Measure | Iterable[str | Measure], *, trec_version: TrecVersion = 10
) -> dict[str, Measure]:
    """Read several, each under the name it was asked for; a text may hold more than one, between spaces or commas.

    >>> {name: str(measure) for name, measure in asked_measures("nDCG@10 map, P@5,10").items()}
    {'nDCG@10': 'nDCG@10', 'map': 'AP', 'P@5': 'P@5', 'P@10': 'P@10'}
    """
    found: dict[str, Measure] = {}
    for text in [texts] if isinstance(texts, str | Measure) else texts:
        for part in _parts(text) if isinstance(text, str) else [text]:
            found[str(part)] = parse_measure(part, trec_version=trec_version)
    return found


def _parts(text: str) -> list[str]:
    """Divide at white space and commas outside brackets; a bare number repeats the last name with another cutoff.

    >>> _parts("AP(rel=2, empty=one) P@5,10")
    ['AP(rel=2, empty=one)', 'P@5', 'P@10']
    """
    parts: list[str] = []
    for part in split_outside_brackets(text, ", \t\n"):
        if parts and re.fullmatch(r"\d+(\.\d+)?", part) and (stem := re.match(r"^(.*[@._])\d+(\.\d+)?$", parts[-1])):
            parts.append(stem[1] + part)
        else:
            parts.append(part)
    return parts


def make_measure(definition: Definition, given: dict[str, ParameterValue]) -> Measure:
    """A measure with these parameters, checked, those that equal a default left out."""
    known = {**definition.parameters, "judged_only": Parameter("judged_only", False, bool)}
    for key in given:
        if key not in known:
            raise MeasureError(
                f"{definition.name} has no parameter {key!r}{did_you_mean(key, known)}",
                hint=f"it takes: {', '.join(known)}",
            )
    values = {key: _convert(definition, known[key], given[key]) for key in known if key in given}
    definition.check(values)
    at = values.pop(definition.at, None)
    parameters = tuple((key, value) for key, value in values.items() if value != known[key].default)
    if at is not None and not isinstance(at, int | float):
        raise MeasureError(f"expected a number after {definition.name}@, found {at!r}")
    return Measure(definition.name, parameters, at)


def _unknown(name: str) -> MeasureError:
    """An error that suggests our own name, also where an alias is nearest to what was typed."""
    if name.casefold().startswith("gm_"):
        return MeasureError(f"{name} is a geometric mean", hint=f"use `germane eval -m {name[3:]} --aggregate gm`")
    hint = "separate measures by spaces or commas" if ";" in name else "`germane measures` lists them"
    return MeasureError(f"no measure is called {name!r}{_near(name)}", hint=hint)


def _near(name: str) -> str:
    """The end of a message: our own name, also where an alias is nearest, with the number that was typed at its end.

    >>> _near("NDCG10"), _near("RRR"), _near("WXYZ")
    ('; did you mean nDCG@10?', '; did you mean RR?', '')
    """
    stem = name.rstrip("0123456789")
    number = name.removeprefix(stem)
    for typed, at in ((stem, f"@{number}"), (name, "")) if number else ((name, ""),):
        meant = _nearest(typed)
        if meant is not None and (not at or (meant.at == "cut" and "cut" in meant.parameters)):
            return f"; did you mean {meant.name}{at}?"
    return ""


def _nearest(name: str) -> Definition | None:
    own = {alias: definition for definition in all_definitions() for alias in (definition.name, *definition.names)}
    return own.get(did_you_mean(name, own).removeprefix("; did you mean ").removesuffix("?"))


def _find(name: str) -> Definition | None:
    for definition in all_definitions():
        if folded(name) in map(folded, (definition.name, *definition.names)):
            return definition
    return None


def _split(inside: str, text: str) -> list[tuple[str, ParameterValue]]:
    given: list[tuple[str, ParameterValue]] = []
    for part in split_outside_brackets(inside):
        key, equals, value = part.partition("=")
        if not equals:
            raise MeasureError(f"expected key=value in the brackets of {text!r}, found {part!r}")
        given.append((key.strip(), value.strip().strip("'\"")))
    return given


_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def _convert(definition: Definition, parameter: Parameter, value: ParameterValue) -> ParameterValue:
    expected = f"one of {', '.join(parameter.choices)}" if parameter.choices else _KINDS[parameter.kind]
    if math.isfinite(parameter.least):
        upper = f" to {parameter.greatest:g}" if math.isfinite(parameter.greatest) else " or more"
        expected += f", {parameter.least:g}{upper}"
    try:
        converted = _converted(parameter, written(value))
        if isinstance(converted, int | float) and not parameter.least <= converted <= parameter.greatest:
            raise ValueError
    except MeasureError:  # of a text that has a form of its own
        raise
    except (ValueError, KeyError):
        where = (
            f"after {definition.name}@"
            if parameter.name == definition.at
            else f"for {parameter.name} of {definition.name}"
        )
        raise MeasureError(f"expected {expected} {where}, found {str(value)!r}") from None
    return converted


def _converted(parameter: Parameter, text: str) -> ParameterValue:
    if parameter.choices:
        return {choice: choice for choice in parameter.choices}[known_name(text, parameter.choices) or text]
    if parameter.kind is bool:
        return {"true": True, "false": False}[text.lower()]
    if parameter.kind is int:
        if not re.fullmatch(r"\d+", text):
            raise ValueError
        return int(text)
    if parameter.kind is float:
        number = float(text)
        if not math.isfinite(number):
            raise ValueError
        return int(number) if number.is_integer() and not isinstance(parameter.default, float) else number
    return text if parameter.read is None else parameter.read(text)
