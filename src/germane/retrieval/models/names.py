"""From what a person types to a model: ``BM25``, ``bm25(k1=0.9, b=0.4)``, ``VSM(ltc.ltn)``, ``ltc.ltn``."""

from __future__ import annotations

import re
from typing import Any

from germane.arguments import checked
from germane.errors import GermaneError, did_you_mean
from germane.retrieval.models.registry import MODELS, OTHER_NAMES, Model, Parameter, all_models, parameters_of
from germane.tables.spelling import given_once, known_name

_WRITTEN = re.compile(r"^\s*(?P<name>[^\s()=,]+)(?:\s*\((?P<inside>[^()]*)\))?\s*$")
_SMART = re.compile(r"^[A-Za-z]{3}\.[A-Za-z]{3}$")


@checked
def parse_model(text: str | Model) -> Model:
    """Read a model as a person writes it; the first parameter may be given without its name.

    >>> [str(parse_model(name)) for name in ("bm25", "BM25( k1=.9, b=0.40 )", "BM25+", "ltc.lnc", "QLJM(0.5)")]
    ['BM25', 'BM25(k1=0.9,b=0.4)', 'BM25(variant=plus)', 'VSM(weighting=ltc.lnc)', 'QLJM(lambda=0.5)']
    >>> parse_model("BM52")
    Traceback (most recent call last):
    germane.errors.GermaneError: no model is called 'BM52'; did you mean BM25?
    Hint: there are BIR, BM25, PL2, QL, QLJM, TFIDF, VSM
    """
    if isinstance(text, Model):
        return text
    match = _WRITTEN.match(text)
    if match is None:
        raise GermaneError(f"expected a model such as BM25 or BM25(k1=0.9,b=0.4), found {text!r}")
    name, inside = match["name"], match["inside"] or ""
    if _SMART.match(name) and not inside:
        name, inside = "VSM", name
    all_models()
    if (other := known_name(name, OTHER_NAMES)) is not None:
        name, _, implied = OTHER_NAMES[other][:-1].partition("(")
        inside = ", ".join(filter(None, (implied, inside)))
    known = known_name(name, MODELS)
    if known is None:
        if name.casefold() in ("boolean", "bii"):
            raise GermaneError(f"{name} has no weights to work with here", hint="germane retrieve takes it as a model")
        near = did_you_mean(name, [*MODELS, *OTHER_NAMES])
        raise GermaneError(f"no model is called {name!r}{near}", hint=f"there are {', '.join(sorted(MODELS))}")
    return MODELS[known](**_parameters(MODELS[known], inside))


def _parameters(cls: type[Model], inside: str) -> dict[str, Any]:
    known = {parameter.typed: parameter for parameter in parameters_of(cls)}
    pairs = []
    for place, piece in enumerate(filter(None, (piece.strip() for piece in inside.split(",")))):
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            if place:
                raise GermaneError(f"{cls.name}: expected name=value, found {piece!r}", hint=_takes(known))
            key, value = next(iter(known)), key
        if key not in known:
            near = did_you_mean(key, known)
            raise GermaneError(f"{cls.name} has no parameter {key!r}{near}", hint=_takes(known))
        pairs.append((key, value))
    given = given_once(pairs, cls.name)
    return {known[key].name: _value(cls, known[key], value) for key, value in given.items()}


def _takes(known: dict[str, Parameter]) -> str:
    return f"it takes {', '.join(known)}"


def _value(cls: type[Model], parameter: Parameter, text: str) -> Any:
    """What was typed, as the kind that the parameter has; the model itself checks its range."""
    if parameter.optional and text.casefold() == "none":
        return None
    if parameter.kind is bool:
        if text.casefold() in ("true", "false"):
            return text.casefold() == "true"
        raise GermaneError(f"{cls.name}: expected true or false for {parameter.typed}, found {text!r}")
    if parameter.kind is float:
        try:
            return float(text)
        except ValueError:
            raise GermaneError(f"{cls.name}: expected a number for {parameter.typed}, found {text!r}") from None
    return known_name(text, parameter.choices) or text
