"""``docs/reference/python.md``: every public name with its signature and what its docstring says."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any, get_args, get_overloads

import germane.types
from docs.reference_pages.markdown import GENERATED, as_markdown, escaped
from germane.api.comparisons.classifiers import compare_classifiers
from germane.api.comparisons.groups import compare_groups
from germane.api.comparisons.systems import compare_systems
from germane.api.decisions.explanation import explain_items
from germane.api.decisions.settings import Settings
from germane.api.options import Average, Task
from germane.api.rankings.evaluation import evaluate
from germane.api.reports.rankings import Choices
from germane.catalogue import Catalogue
from germane.public import HOMES, home_of
from germane.tables.rankings.judged_run import Ties
from germane.types import ScoreType, Topics

ABOUT = {
    "germane": "`import germane as ge`: the verbs, what they return, and what they take.",
    "germane.errors": "Errors: everything that germane raises on purpose is a `GermaneError`.",
    "germane.exercises": "Exercises for a course.",
    "germane.formats": "What says how files are to be read.",
    "germane.learning": "Learning to rank, agents, splits, and what is needed to judge a learner.",
    "germane.measures": "What measures are computed from, and the grammar of their names.",
    "germane.retrieval": "Indexes, models, feedback, and what other engines returned.",
    "germane.stats": "What comparisons and estimates are made of.",
    "germane.truth": "Pools and judgments.",
    "germane.vectors": "Embeddings, evaluated exactly.",
}
"""What the names of a module are about."""


def python_page() -> str:
    """Every public name of every module, with its signature and what its docstring says."""
    parts = ["# Python\n\n", GENERATED, _types()]
    for module in sorted(HOMES):
        parts.append(f"\n## {module}\n\n{ABOUT[module]}\n")
        objects = {name: getattr(import_module(module), name) for name in home_of(module)}
        is_class = {name: inspect.isclass(value) for name, value in objects.items()}
        parts += [
            _python_section(f"{module}.{name}".removeprefix("germane."), objects[name])
            for name in sorted(objects, key=lambda name: (is_class[name], name.casefold()))
            if module == "germane" or name not in home_of("germane")
        ]
    return "".join(parts)


def _types() -> str:
    """What the names of types stand for: words to choose from, and data."""
    choices = {"Ties": Ties, "Topics": Topics, "ScoreType": ScoreType, "Task": Task, "Average": Average}
    listed = "".join(
        f"- `{name}`: {', '.join(f'`{choice!r}`' for choice in get_args(kind))}\n" for name, kind in choices.items()
    )
    data = "".join(f"- `{name}`: {text}\n  `{alias}`\n" for name, (alias, text) in data_types().items())
    return f"Types that are one of a few words:\n\n{listed}\nTypes of data (`germane.types`):\n\n{data}"


def data_types() -> dict[str, tuple[str, str]]:
    """By name, each type of data as it is written and what is said about it."""
    body = ast.parse(inspect.getsource(germane.types)).body
    found = {}
    for line, below in pairwise(body):
        if isinstance(line, ast.AnnAssign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            name = ast.unparse(line.target)
            found[name] = (str(getattr(germane.types, name)), str(below.value.value))
    return dict(sorted(found.items()))


def _python_section(name: str, value: Any) -> str:
    """A public name, as it is called below `germane`."""
    if isinstance(value, Catalogue):
        return f"\n### {name}\n\n{_catalogue(name.rpartition('.')[2], value)}\n"
    text = as_markdown(inspect.cleandoc(value.__doc__ or ""))
    if not inspect.isclass(value):
        forms = "".join(f"{_signature(name, form)}\n" for form in get_overloads(inspect.unwrap(value)))
        called = f"\nCalled as\n\n```text\n{forms}```\n" if forms else ""
        return f"\n### {name}\n\n```text\n{_signature(name, value)}\n```\n{called}\n{text}\n"
    fields = "" if issubclass(value, Exception) else _fields(value)
    return f"\n### {name}\n\n{text}\n{fields}{'' if issubclass(value, Exception) else _methods(value)}"


def _catalogue(name: str, catalogue: Catalogue[Any, Any]) -> str:
    listed = textwrap.fill(f"The catalogue of each {catalogue.what}: {', '.join(catalogue.names)}.", width=120)
    return (
        f"{escaped(listed)}\n\n"
        f"`{name}.parse(text)` reads one as a person writes it, `{name}.entry(name)` has its definition: `summary`,\n"
        f"`parameters`, `facts`. Iterating gives every entry, and `{name}.add(name)` registers one of your own."
    )


def _fields(cls: type) -> str:
    hints = {name: hint for name, hint in cls.__annotations__.items() if not name.startswith("_")}
    listed = "".join(f"- `{name}: {hint}`\n" for name, hint in hints.items())
    return f"\nHolds:\n\n{listed}" if hints else ""


def _methods(cls: type) -> str:
    lines = []
    of_ours = [base for base in cls.__mro__ if base.__module__.startswith("germane.")]
    members = {name: member for base in reversed(of_ours) for name, member in vars(base).items()}
    own_first = {name: members[name] for base in of_ours for name in vars(base)}
    for name, member in own_first.items():
        if name.startswith("_") and name != "__getitem__":
            continue
        function = member.__func__ if isinstance(member, classmethod) else member
        if inspect.isfunction(function):
            call = "scores[run, measure]" if name == "__getitem__" else _signature(name, function, method=True)
        else:
            function, call = getattr(member, "fget", None) or getattr(member, "func", None), name
        doc = inspect.cleandoc(getattr(function, "__doc__", None) or "").partition("\n\n")[0]
        if function is not None and doc:
            lines.append(f"- `{call}`: {as_markdown(' '.join(doc.split()))}\n")
    return "\nOffers:\n\n" + "".join(lines) if lines else ""


WORKERS: dict[str, tuple[Callable[..., Any], ...]] = {
    "classify": (Settings,),
    "compare": (compare_systems, compare_groups, compare_classifiers, evaluate),
    "explain": (explain_items,),
    "plot": (Settings, Choices, evaluate),
    "report": (Settings, Choices, evaluate),
}
"""By verb whose options are declared together, what takes the options and has their defaults."""


def _default(name: str, parameter: inspect.Parameter) -> str:
    """The default of a parameter in words; of an option, where all that take it agree."""
    if parameter.default is Ellipsis:
        return "..."
    others = [inspect.signature(each).parameters.get(parameter.name) for each in WORKERS.get(name, ())]
    known = {repr(each.default) for each in others if each is not None}
    return known.pop() if repr(parameter.default) == "…" and len(known) == 1 else repr(parameter.default)


def _signature(name: str, function: Callable[..., Any], *, method: bool = False) -> str:
    """As it is written in the source, so that it is the same under every version of Python."""
    parameters = list(inspect.signature(function).parameters.values())[1 if method else 0 :]
    parts, keyword_only = [], False
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        hint = "" if parameter.annotation is inspect.Parameter.empty else f": {parameter.annotation}"
        default = "" if parameter.default is inspect.Parameter.empty else f" = {_default(name, parameter)}"
        parts.append(f"{stars}{parameter.name}{hint}{default}")
    returns = f" -> {function.__annotations__['return']}" if "return" in function.__annotations__ else ""
    inside = ", ".join(parts)
    if not method and len(name) + len(inside) + len(returns) > 110:
        inside = "\n" + "".join(f"    {part},\n" for part in parts)
    return f"{name}({inside}){returns}"
