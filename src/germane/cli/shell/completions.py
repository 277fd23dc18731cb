"""Completions that a shell offers: names from the catalogues, files and folders.

A catalogue is imported only to complete one of its own names, so that completion is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

Source = Callable[[str], Iterable[str]]
"""Returns the names that an option takes, given the name of the command."""


class Name(StringParamType):
    """A text that starts with one of these names; its parameters are not completed."""

    def __init__(self, source: Source, ending: str = "") -> None:
        self.source = source
        self.ending = ending

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        names = dict.fromkeys(self.source(_command_of(ctx)))
        return [CompletionItem(name + self.ending) for name in names if name.startswith(incomplete)]


class FileName(StringParamType):
    """A path of a file or folder; the command itself checks whether it exists."""

    def __init__(self, kind: str = "file") -> None:
        self.kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type=self.kind)]


def completed_type(param: click.Parameter) -> StringParamType:
    """Return the type for completing a parameter that takes any text."""
    name = next((name for name in param.opts if name in OPTIONS or name in ARGUMENTS), None)
    if isinstance(param, click.Option):
        if name is not None:
            return Name(OPTIONS[name], "=" if name == "--fail-under" else "")
        metavar = param.metavar or ""
        return FileName() if metavar.startswith(("FILE", "PATH", "STRATEGY|FILE", "FOLDER")) else StringParamType()
    return Name(ARGUMENTS[name]) if name is not None else FileName()


def _command_of(ctx: click.Context) -> str:
    """Return the first word of the command: `pool` of `germane pool make`."""
    while ctx.parent is not None and ctx.parent.parent is not None:
        ctx = ctx.parent
    return ctx.command.name or ""


def _of(*places: str, beside: Sequence[str] = ()) -> Source:
    """Complete names of these catalogues, each written ``module:NAME`` below `germane`, and the names in `beside`."""

    def names(_: str) -> Iterable[str]:
        held = [getattr(import_module(f"germane.{module}"), name) for module, name in (p.split(":") for p in places)]
        return [*beside, *(name for each in held for name in getattr(each, "names", each))]

    return names


_FEEDBACK = _of("retrieval.feedback:FEEDBACK")
_FORMATS = _of("formats.rankings.detect:FORMATS")
_DECISIONS = _of("measures.decisions.rates:RATES", "measures.decisions.measure:DECISION_MEASURES")
_METHODS = {"feedback": _FEEDBACK, "pool": _of("judging.pooling:POOLING"), "fuse": _of("retrieval.fusion:FUSION")}


def _measures(command: str) -> Iterable[str]:
    if command == "classify":
        yield from _DECISIONS(command)
        return
    from germane.measures.definition import MEASURES

    for definition in MEASURES:
        yield definition.name
        if definition.at == "cut" and "cut" in definition.parameters:
            # With two candidates, a shell completes their common prefix without adding a space, so that @ can follow.
            yield f"{definition.name}@10"


def _both(command: str) -> Iterable[str]:
    return [*_measures(command), *_DECISIONS(command)]


def _without_cutoffs(command: str) -> Iterable[str]:
    """Return names without cutoffs, since one page describes a measure at all cutoffs."""
    return (name for name in _both(command) if "@" not in name)


def _rules(_: str) -> Iterable[str]:
    from germane.stats.thresholds.rules import THRESHOLD_RULES

    return (entry.example for entry in THRESHOLD_RULES.values())


OPTIONS: dict[str, Source] = {
    "--measure": _measures,
    "--fail-under": _measures,
    "--utility": lambda command: [*_measures(command), "costs"],
    "--model": _of("retrieval.models:MODELS", "retrieval.engines.rankers:RANKERS"),
    "--feedback": _FEEDBACK,
    "--method": lambda command: _METHODS[command](command),
    "--normalise": _of("retrieval.fusion:NORMALISATIONS"),
    "--coefficient": _of("stats.rankings.coefficients:COEFFICIENTS"),
    "--rule": _rules,
    "--qrels-format": _FORMATS,
    "--run-format": _FORMATS,
    "--past-qrels-format": _FORMATS,
    "--from": _FORMATS,
    "--to": _FORMATS,
    "--learner": _of("learning.learners.learner:LEARNERS"),
    "--features": _of("learning.features.feature:FEATURES", beside=["cosine"]),
    "--analyser": _of("retrieval.texts.analysis:SHORT_NAMES"),
}
ARGUMENTS: dict[str, Source] = {
    "measure": _both,
    "name": _without_cutoffs,
    "kind": _of("output.plots.kinds:PLOTS", "output.plots.kinds:DECISION_PLOTS"),
}
"""Sources of arguments that are not files."""
