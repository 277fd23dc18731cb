"""``docs/reference/python.md`` and the folder beside it: an index of public names, and a page for each of them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any, get_args, get_overloads

import germane.types
from docs.reference_pages.entries import TITLES
from docs.reference_pages.markdown import GENERATED, ROOT, anchor, as_markdown, escaped, table
from docs.reference_pages.parameters import command_called, commands_of, meaning_of
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
    "germane": "The main functions and their results. `import germane as ge`.",
    "germane.errors": "Errors. Everything that germane raises on purpose is a `GermaneError`.",
    "germane.exercises": "Exercises for courses.",
    "germane.formats": "File checks, and runs in several parts.",
    "germane.learning": "Learning to rank, agents, splits, leaks, and bias and variance.",
    "germane.measures": "Measures, and what they are computed from.",
    "germane.retrieval": "Indexes, ranking models, feedback, and the runs of other engines.",
    "germane.sklearn": "Scorers, displays and comparisons of cross-validated estimators, for scikit-learn.",
    "germane.stats": "Comparisons and estimates.",
    "germane.truth": "Pools and judgments.",
    "germane.vectors": "Exact evaluation of embeddings.",
}
"""Description of each module."""


CHOICES = {"Ties": Ties, "Topics": Topics, "ScoreType": ScoreType, "Task": Task, "Average": Average}
"""Types with a fixed set of values."""
FOLDER = "docs/reference/python"
DOCS = ROOT / "docs"
ERRORS = {name if name in home_of("germane") else f"errors.{name}" for name in home_of("germane.errors")}
"""Names of errors, which share a page."""


def python_pages() -> dict[str, str]:
    """Return the index of public names, a page for each name, and one for the types, by path."""
    names = public_objects()
    pages: dict[str, list[str]] = {}
    for name in names:
        pages.setdefault(page_of(name), []).append(name)
    used = _pages_that_use(names)
    return {
        "docs/reference/python.md": _index(names),
        f"{FOLDER}/types.md": f"# Types\n\n{GENERATED}{_types()}",
        **{f"{FOLDER}/{page}": _page(members, names, used) for page, members in pages.items()},
    }


def public_objects() -> dict[str, Any]:
    """Return every public name as it is called below `germane`, functions before classes; one of the top only once."""
    objects = {
        f"{module}.{name}".removeprefix("germane."): getattr(import_module(module), name)
        for module in sorted(HOMES)
        for name in home_of(module)
    }
    again = {name for name, value in objects.items() if "." in name and value is objects.get(name.rpartition(".")[2])}
    first = (item for item in objects.items() if item[0] not in again)
    return dict(sorted(first, key=lambda item: (inspect.isclass(item[1]), item[0].casefold())))


def page_of(name: str) -> str:
    """Return the file of a name's page. Names that differ in case alone share one, and so do the errors."""
    return "errors.md" if name in ERRORS else f"{name.casefold()}.md"


def _index(names: dict[str, Any]) -> str:
    """List every name with its summary, by module."""
    parts = ["# Python\n\n", GENERATED, INTRO]
    for module in sorted(HOMES):
        here = [name for name in names if _module_of(name) == module]
        rows = ([f"[`{name}`](python/{page_of(name)})", escaped(_summary(names[name]))] for name in here)
        parts.append(f"\n## {module}\n\n{ABOUT[module]}\n\n{table('name | summary', rows)}")
    return "".join(parts)


INTRO = """One page per function and class: signature, parameters, result, an example, and the matching command.
[Types](python/types.md) explains `QrelsLike`, `RunsLike` and the other types of parameters.
"""


def _module_of(name: str) -> str:
    return f"germane.{name.rpartition('.')[0]}".rstrip(".")


def _summary(value: Any) -> str:
    """Return the first sentence of what a name says about itself."""
    if isinstance(value, Catalogue):
        return f"Catalogue of each {value.what}."
    first = " ".join(inspect.cleandoc(value.__doc__ or "").partition("\n\n")[0].split()).replace("``", "`")
    return re.split(r"(?<=[.?]) ", first)[0]


def _page(members: list[str], names: dict[str, Any], used: dict[str, list[str]]) -> str:
    """Return the page of a name, or of a few."""
    sections = [_section(name, names, used, level=1 if len(members) == 1 else 2) for name in members]
    title = "Errors" if members[0] in ERRORS else " and ".join(members)
    top = f"# {title}\n\n{GENERATED}" if len(members) > 1 else ""
    text = top + "\n".join(sections)
    return text if top else text.replace("\n\n", f"\n\n{GENERATED}", 1)


def _section(name: str, names: dict[str, Any], used: dict[str, list[str]], *, level: int) -> str:
    """Return everything about a public name; its own heading has this level."""
    value = names[name]
    if isinstance(value, Catalogue):
        parts = {"": _catalogue(name.rpartition(".")[2], value)}
    elif inspect.isclass(value):
        text, example = _prose(value.__doc__ or "")
        parts = {"": text, "Example": example}
        if not issubclass(value, Exception):
            parts = {"": text, "Fields": _fields(value), "Methods": _methods(value, names), "Example": example}
    else:
        text, example = _prose(value.__doc__ or "")
        summary, _, rest = text.partition("\n\n")
        forms = "".join(f"germane.{_signature(name, form)}\n" for form in get_overloads(inspect.unwrap(value)))
        parts = {
            "": f"{summary}\n\n```python\ngermane.{_signature(name, value)}\n```\n\n{rest}".rstrip(),
            "Called as": f"```python\n{forms}```" if forms else "",
            "Parameters": _parameters(name, value),
            "Returns": _returned(value, names),
            "Example": example,
            "On the command line": _on_the_command_line(name),
        }
    parts["See also"] = _see_also(name, names, used)
    shown = (f"{'#' * (level + 1)} {title}\n\n{text}" if title else text for title, text in parts.items() if text)
    return f"{'#' * level} {name}\n\n" + "\n\n".join(part.strip() for part in shown) + "\n"


def _prose(docstring: str) -> tuple[str, str]:
    """Return a docstring's text and its examples as Markdown; what stands under a title becomes a list."""
    text: list[str] = []
    examples: list[str] = []
    for paragraph in inspect.cleandoc(docstring).split("\n\n"):
        titled = re.findall(r"^([A-Z][\w ]*):\s+(.+?)(?=^[A-Z][\w ]*:\s|\Z)", paragraph, flags=re.M | re.S)
        if paragraph.startswith(">>>") or (examples and paragraph.startswith("...")):
            examples.append(f"```python\n{paragraph}\n```")
        elif titled and titled[0][0] in TITLES:
            text.append("".join(f"- {title}: {_one_line(title, body)}\n" for title, body in titled).rstrip())
        else:
            text.append(re.sub(r"``([^`]+)``", r"`\1`", paragraph))
    return "\n\n".join(text), "\n\n".join(examples)


def _one_line(title: str, body: str) -> str:
    line = " ".join(body.split())
    return f"`{line}`" if title == "Formula" and "`" not in line else escaped(line.replace("``", "`"))


def _parameters(name: str, function: Callable[..., Any]) -> str:
    """Return a table of parameters: meaning, type, default."""
    rows = []
    for parameter in inspect.signature(function).parameters.values():
        default = "" if parameter.default is inspect.Parameter.empty else f"`{_default(name, parameter)}`"
        meaning = meaning_of(name, parameter.name, data_types().get(_bare(parameter), ("", ""))[1])
        if parameter.default is not None:  # the table has the default
            meaning = meaning.partition(" Default: ")[0]
        shown = "" if default == "`…`" else default.replace("|", "\\|")
        rows.append([f"`{parameter.name}`", escaped(meaning), _linked_type(parameter), shown])
    return table("parameter | meaning | type | default", rows) if rows else ""


def _bare(parameter: inspect.Parameter) -> str:
    return str(parameter.annotation).removesuffix(" | None")


def _linked_type(parameter: inspect.Parameter) -> str:
    """Return the type of a parameter for a cell of a table, with a link to its page."""
    bare, hint = _bare(parameter), str(parameter.annotation)
    place = anchor(bare) if bare in data_types() else "choices" if bare in CHOICES else ""
    optional = " or `None`" if bare != hint else ""
    return f"[`{bare}`](types.md#{place}){optional}" if place else "`{}`".format(hint.replace("|", "\\|"))


def _returned(function: Callable[..., Any], names: dict[str, Any]) -> str:
    """Return the type of what a function returns; a class of our own with its summary."""
    hint = str(function.__annotations__.get("return", ""))
    ours = [(name, value) for name, value in names.items() if inspect.isclass(value) and hint == value.__name__]
    if hint in ("", "None"):
        return ""
    return "\n".join(f"[`{name}`]({page_of(name)}): {_summary(value)}" for name, value in ours) or f"`{hint}`"


def _on_the_command_line(name: str) -> str:
    """Return the command that does the same, with its first example."""
    commands = commands_of(name)
    if not commands:
        return ""
    command = command_called(commands[0])
    example = next(iter(getattr(command, "examples", ())), "")
    link = f"[`germane {commands[0]}`](../commands.md#{anchor(f'germane {commands[0]}')})"
    return f"{link}: {command.get_short_help_str(limit=200)}\n" + (f"\n```sh\n{example}\n```" if example else "")


def _see_also(name: str, names: dict[str, Any], used: dict[str, list[str]]) -> str:
    """List the names that a docstring mentions, those that return this one, and the pages that use it."""
    value, last = names[name], name.rpartition(".")[2]
    mentioned = set(
        re.findall(r"`(?:germane\.)?([\w.]+)`", "" if isinstance(value, Catalogue) else value.__doc__ or "")
    )
    mentioned |= {str(value.__annotations__.get("return"))} if inspect.isfunction(value) else set()
    other = [
        each
        for each in names
        if each != name
        and (
            each in mentioned
            or each.rpartition(".")[2] in mentioned - names.keys()
            or each.rpartition(".")[2].casefold() == last.casefold()
            or (inspect.isfunction(names[each]) and names[each].__annotations__.get("return") == last)
        )
    ]
    return "\n".join([f"- [`{each}`]({page_of(each)}): {_summary(names[each])}" for each in other] + used.get(name, []))


def _pages_that_use(names: dict[str, Any]) -> dict[str, list[str]]:
    """Return links to the pages that call a name, by name."""
    used: dict[str, list[str]] = {}
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for title, page in re.findall(
        r"^\|.*\[([^\]]+)\]\(((?:how_to|tutorial|explanation)/\w+\.md)\) \|$", index, flags=re.M
    ):
        text = (DOCS / page).read_text(encoding="utf-8")
        called = set(re.findall(r"\b(?:ge|germane)\.([\w.]*\w)", text))
        called |= {
            word for line in re.findall(r"from germane\S* import (.+)", text) for word in re.findall(r"\w+", line)
        }
        for name in names:
            if name in called or ("." in name and name.rpartition(".")[2] in called - names.keys()):
                used.setdefault(name, []).append(f"- [{title}](../../{page})")
    return used


def _types() -> str:
    """Return the definitions of type names: choices and data types."""
    listed = "".join(
        f"- `{name}`: {', '.join(f'`{choice!r}`' for choice in get_args(kind))}\n" for name, kind in CHOICES.items()
    )
    data = "".join(f"\n### {name}\n\n{text}\n\n`{alias}`\n" for name, (alias, text) in data_types().items())
    return f"## Choices\n\n{listed}\n## Data\n\nFrom `germane.types`.\n{data}"


@cache
def data_types() -> dict[str, tuple[str, str]]:
    """Return the definition and the description of each data type by name."""
    body = ast.parse(inspect.getsource(germane.types)).body
    found = {}
    for line, below in pairwise(body):
        if isinstance(line, ast.AnnAssign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            name = ast.unparse(line.target)
            found[name] = (str(getattr(germane.types, name)), str(below.value.value))
    return dict(sorted(found.items()))


def _catalogue(name: str, catalogue: Catalogue[Any, Any]) -> str:
    listed = textwrap.fill(f"The catalogue of each {catalogue.what}: {', '.join(catalogue.names)}.", width=120)
    return (
        f"{escaped(listed)}\n\n"
        f"`{name}.parse(text)` parses an entry with its parameters, `{name}.entry(name)` returns its definition:\n"
        f"`summary`, `parameters`, `facts`. Iterating yields every entry, and `{name}.add(name)` registers your own."
    )


def _fields(cls: type) -> str:
    hints = {name: str(hint) for name, hint in cls.__annotations__.items() if not name.startswith("_")}
    return "".join(f"- `{name}: {hint}`\n" for name, hint in hints.items() if not hint.startswith("ClassVar"))


def _methods(cls: type, names: dict[str, Any]) -> str:
    """List the methods of a class; those that it has from a public class are on the page of that."""
    lines = []
    bases = {base: name for name, base in names.items() if base is not cls and base in cls.__mro__}
    of_ours = [base for base in cls.__mro__ if base.__module__.startswith("germane.") and base not in bases]
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
    lines += [f"- and those of [`{name}`]({page_of(name)})\n" for name in bases.values()]
    return "".join(lines)


WORKERS: dict[str, tuple[Callable[..., Any], ...]] = {
    "classify": (Settings,),
    "compare": (compare_systems, compare_groups, compare_classifiers, evaluate),
    "explain": (explain_items,),
    "plot": (Settings, Choices, evaluate),
    "report": (Settings, Choices, evaluate),
}
"""The functions that take the options of a verb and declare their defaults."""


def _default(name: str, parameter: inspect.Parameter) -> str:
    """Return the default of a parameter as text; for an option, only if all functions that take it agree."""
    if parameter.default is Ellipsis:
        return "..."
    others = [inspect.signature(each).parameters.get(parameter.name) for each in WORKERS.get(name, ())]
    known = {repr(each.default) for each in others if each is not None and each.default is not each.empty}
    return known.pop() if repr(parameter.default) == "…" and len(known) == 1 else repr(parameter.default)


def _signature(name: str, function: Callable[..., Any], *, method: bool = False) -> str:
    """Return the signature as written in the source, so that it is the same under every version of Python."""
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
