"""``docs/reference/python.md``: every public name with its signature and what its docstring says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_args

import germane
from docs.reference_pages.markdown import GENERATED, as_markdown
from germane.api.evaluating import ScoreType, Topics
from germane.tables.judged_run import Ties


def python_page() -> str:
    """Every public name, with its signature and what its docstring says."""
    names = sorted(germane.__all__, key=str.casefold)
    objects = {name: getattr(germane, name) for name in names}
    functions = [name for name, value in objects.items() if not inspect.isclass(value)]
    errors = [name for name, value in objects.items() if inspect.isclass(value) and issubclass(value, Exception)]
    classes = [name for name in names if name not in functions and name not in errors]
    choices = {"Ties": Ties, "Topics": Topics, "ScoreType": ScoreType}
    listed = "".join(
        f"- `{name}`: {', '.join(f'`{choice!r}`' for choice in get_args(kind))}\n" for name, kind in choices.items()
    )
    intro = (
        "All of these are names of the module `germane`: `import germane as ge`. Types that are one of a few words:\n\n"
    )
    parts = ["# Python\n\n", GENERATED, intro, listed]
    for title, chosen in (("Functions", functions), ("Classes", classes), ("Errors", errors)):
        parts.append(f"\n## {title}\n")
        parts += [_python_section(name, objects[name]) for name in chosen]
    return "".join(parts)


def _python_section(name: str, value: Any) -> str:
    text = as_markdown(inspect.cleandoc(value.__doc__ or ""))
    if not inspect.isclass(value):
        return f"\n### {name}\n\n```text\n{_signature(name, value)}\n```\n\n{text}\n"
    fields = "" if issubclass(value, Exception) else _fields(value)
    return f"\n### {name}\n\n{text}\n{fields}{'' if issubclass(value, Exception) else _methods(value)}"


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
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
        parts.append(f"{stars}{parameter.name}{hint}{default}")
    returns = f" -> {function.__annotations__['return']}" if "return" in function.__annotations__ else ""
    inside = ", ".join(parts)
    if not method and len(name) + len(inside) + len(returns) > 110:
        inside = "\n" + "".join(f"    {part},\n" for part in parts)
    return f"{name}({inside}){returns}"
