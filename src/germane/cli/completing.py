"""What the shell offers for a word: names from the registries, files and folders.

A registry is imported only when a word of its own is completed: start-up counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
    names = []
    step: click.Context | None = ctx
    while step is not None:
        names.append(step.command.name or "")
        step = step.parent
    return names[-2] if len(names) > 1 else names[0]


def _measures(command: str) -> Iterable[str]:
    if command == "classify":
        yield from _of_decisions(command)
        return
    from germane.measures.registry import all_definitions

    for definition in all_definitions():
        yield definition.name
        if definition.at == "cut" and "cut" in definition.parameters:
            # Of two names that begin alike a shell types what they share, without a space: the @ can follow.
            yield f"{definition.name}@10"


def _of_decisions(_: str) -> Iterable[str]:
    from germane.measures.deciding.rates import all_rates
    from germane.measures.deciding.registry import all_deciding

    return [*(rate.name for rate in all_rates()), *(measure.name for measure in all_deciding())]


def _both(command: str) -> Iterable[str]:
    return [*_measures(command), *_of_decisions(command)]


def _described(command: str) -> Iterable[str]:
    """Measures without a cutoff: what is said of one holds for all."""
    return (name for name in _both(command) if "@" not in name)


def _models(_: str) -> Iterable[str]:
    from germane.retrieval.models import all_models

    return [*(model.name for model in all_models()), "boolean", "BII"]


def _feedback(_: str) -> Iterable[str]:
    from germane.retrieval.feedback import all_feedback

    return (method.name for method in all_feedback())


def _methods(command: str) -> Iterable[str]:
    if command == "feedback":
        return _feedback(command)
    if command == "pool":
        from germane.judging.pooling import all_methods as pooling

        return [method.name for method in pooling()]
    from germane.retrieval.fusion import all_methods as fusion

    return [method.name for method in fusion()]


def _normalisations(_: str) -> Iterable[str]:
    from germane.retrieval.fusion import all_normalisations

    return (entry.name for entry in all_normalisations())


def _coefficients(_: str) -> Iterable[str]:
    from germane.stats.coefficients import all_coefficients

    return (entry.name for entry in all_coefficients())


def _rules(_: str) -> Iterable[str]:
    from germane.stats.threshold_rules import THRESHOLD_RULES

    return (entry.example for entry in THRESHOLD_RULES.values())


def _formats(_: str) -> Iterable[str]:
    from germane.formats.detect import FORMAT_NAMES

    return FORMAT_NAMES


def _learners(_: str) -> Iterable[str]:
    from germane.learning.learners import LEARNERS

    return LEARNERS


def _features(_: str) -> Iterable[str]:
    from germane.learning.feature_registry import all_features

    return ["cosine", *(feature.name for feature in all_features())]


def _analysers(_: str) -> Iterable[str]:
    from germane.retrieval.analysis import SHORT_NAMES

    return SHORT_NAMES


def _plots(_: str) -> Iterable[str]:
    from germane.report.plots.registry import DECISION_PLOTS, PLOTS

    return [*PLOTS, *DECISION_PLOTS]


OPTIONS: dict[str, Source] = {
    "--measure": _measures,
    "--fail-under": _measures,
    "--utility": lambda command: [*_measures(command), "costs"],
    "--model": _models,
    "--feedback": _feedback,
    "--method": _methods,
    "--normalise": _normalisations,
    "--coefficient": _coefficients,
    "--rule": _rules,
    "--qrels-format": _formats,
    "--run-format": _formats,
    "--past-qrels-format": _formats,
    "--from": _formats,
    "--to": _formats,
    "--learner": _learners,
    "--features": _features,
    "--analyser": _analysers,
}
ARGUMENTS: dict[str, Source] = {"measure": _both, "name": _described, "kind": _plots}
"""What arguments take that are no files."""
