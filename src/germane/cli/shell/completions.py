"""What the shell offers for a word: names from the catalogues, files and folders.

A catalogue is imported only when a word of its own is completed: start-up counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

Source = Callable[[str], Iterable[str]]
"""The names that an option of this command takes."""


class Name(StringParamType):
    """A text that is one of these names, or begins with one; its parameters are up to the person."""

    def __init__(self, source: Source, ending: str = "") -> None:
        self.source = source
        self.ending = ending

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        names = dict.fromkeys(self.source(_command_of(ctx)))
        return [CompletionItem(name + self.ending) for name in names if name.startswith(incomplete)]


class FileName(StringParamType):
    """A text that is the name of a file or folder; whether it exists is for the command to say."""

    def __init__(self, kind: str = "file") -> None:
        self.kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type=self.kind)]


def completed_type(param: click.Parameter) -> StringParamType:
    """The type of a parameter that takes any text, so that the shell knows what to offer."""
    name = next((name for name in param.opts if name in OPTIONS or name in ARGUMENTS), None)
    if isinstance(param, click.Option):
        if name is not None:
            return Name(OPTIONS[name], "=" if name == "--fail-under" else "")
        metavar = param.metavar or ""
        return FileName() if metavar.startswith(("FILE", "PATH", "STRATEGY|FILE", "FOLDER")) else StringParamType()
    return Name(ARGUMENTS[name]) if name is not None else FileName()


def _command_of(ctx: click.Context) -> str:
    """The first word of the command: `pool` of `germane pool make`."""
    while ctx.parent is not None and ctx.parent.parent is not None:
        ctx = ctx.parent
    return ctx.command.name or ""


def _of(*places: str, beside: Sequence[str] = ()) -> Source:
    """The names of these catalogues, each written ``module:NAME`` below `germane`, and what there is beside them."""

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
            # Of two names that begin alike a shell types what they share, without a space: the @ can follow.
            yield f"{definition.name}@10"


def _both(command: str) -> Iterable[str]:
    return [*_measures(command), *_DECISIONS(command)]


def _described(command: str) -> Iterable[str]:
    """Measures without a cutoff: what is said of one holds for all."""
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
    "name": _described,
    "kind": _of("output.plots.kinds:PLOTS", "output.plots.kinds:DECISION_PLOTS"),
}
"""What arguments take that are no files."""
