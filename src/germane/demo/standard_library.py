"""Describe the standard library of the Python that runs this file: one JSON line per public name, on standard output.

This file runs as a program in its own process, because importing the whole library has side effects. It therefore does
not import germane. It describes public modules, their functions and classes, and the methods and properties that those
classes define, if they have a docstring. An object with several names is described once, under the name that
`Name.order` puts first: `posix.stat` as `os.stat`, `_io.StringIO` as `io.StringIO`, `asyncio.runners.run` as
`asyncio.run`. So names change as little as possible between versions.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import re
import sys
import types
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

LEFT_OUT = {
    # importing them opens a window or a browser, or needs a display
    *("antigravity", "this", "turtle", "turtledemo", "tkinter", "idlelib", "__hello__", "__phello__"),
    # tests, examples and tables
    *("test", "pydoc_data", "xxlimited", "xxlimited_35", "xxsubtype"),
    # deprecated in 3.11 and removed by 3.13
    *("aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt", "distutils", "imghdr", "imp"),
    *("lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes", "smtpd", "sndhdr", "spwd"),
    *("sunau", "telnetlib", "uu", "xdrlib"),
}
"""Top-level modules that are excluded."""

IMPLEMENTATIONS = {
    *("genericpath", "nt", "ntpath", "nturl2path", "opcode", "posix", "posixpath", "pyexpat"),
    *("sre_compile", "sre_constants", "sre_parse"),
}
"""Modules without an underscore whose contents are documented under another module (`os`, `os.path`, `re` …)."""

LEFT_OUT_INSIDE = frozenset(["__main__", "test", "tests", "macholib", "encodings.", "ensurepip."])
"""Excluded parts of packages: programs, tests, platform-specific; a final dot means all submodules of a package."""

ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")

MADE_UP = "An enumeration."
"""Docstring that Python 3.11 gives to an enumeration without one."""

METHODS = (types.FunctionType, types.MethodDescriptorType, types.ClassMethodDescriptorType, types.BuiltinFunctionType)
ATTRIBUTES = (property, cached_property, types.GetSetDescriptorType, types.MemberDescriptorType)


class Name(NamedTuple):
    """A public name; `thing` is equal for all names of one object, and `order` chooses among them."""

    text: str
    kind: str
    target: Any
    thing: int
    order: tuple[Any, ...]


def is_private(dotted: str) -> bool:
    """Whether a module is an implementation, whose contents are documented under a public module."""
    return dotted in IMPLEMENTATIONS or any(part.startswith("_") for part in dotted.split("."))


def public_modules() -> Iterator[str]:
    """Yield the names of all modules to try, parents before children."""
    waiting = sorted(name for name in sys.stdlib_module_names if not (name in LEFT_OUT or is_private(name)))
    yield from waiting
    yield "os.path"
    for name in waiting:
        package = imported(name)
        if package is not None and hasattr(package, "__path__"):
            found = pkgutil.walk_packages(package.__path__, prefix=f"{name}.", onerror=lambda _: None)
            yield from (module.name for module in found if is_described(module.name))


def is_described(submodule: str) -> bool:
    """Whether a module inside a package is included."""
    return not (
        is_private(submodule)
        or LEFT_OUT_INSIDE.intersection(submodule.split("."))
        or any(submodule.startswith(prefix) for prefix in LEFT_OUT_INSIDE if prefix.endswith("."))
    )


def imported(name: str) -> types.ModuleType | None:
    """Import a module; None if this machine lacks what it needs."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit):  # modules of other platforms may raise anything
        return None


def offered(module: types.ModuleType, module_name: str) -> Iterator[tuple[str, Any, bool]]:
    """Yield the names of a module: the name, the object, and whether the module lists or defines it.

    Without `__all__`, these are the names it defines and those it imports from a private module.
    """
    listed = getattr(module, "__all__", ())
    for name in [*listed, *(name for name in vars(module) if name not in listed)]:
        target = getattr(module, name, None)
        if name.startswith("_") or isinstance(target, types.ModuleType):
            continue
        home = home_of(target)
        if name in listed or module_name == "builtins" or (home == module_name and not listed):
            yield name, target, True
        elif listed:
            # 3.11 forgot to list asyncio.TaskGroup, which its submodule lists
            is_listed_below = name in getattr(sys.modules.get(home), "__all__", ())
            if is_listed_below and hasattr(module, "__path__") and home.startswith(f"{module_name}."):
                yield name, target, True
        elif is_private(home):
            yield name, target, False


def home_of(target: Any) -> str:
    """Return the module of an object; one without a module counts as private."""
    home = getattr(target, "__module__", None)
    return home if isinstance(home, str) else "_"


def names_of_modules(modules: dict[str, types.ModuleType]) -> Iterator[Name]:
    """Yield the functions and classes of modules, under every name."""
    for module_name, module in modules.items():
        prefix = "" if module_name == "builtins" else f"{module_name}."
        for place, (name, target, is_its_own) in enumerate(offered(module, module_name)):
            if not (isinstance(target, type) or inspect.isroutine(target) or is_documented_form(target)):
                continue
            kind, home = "class" if isinstance(target, type) else "function", home_of(target)
            is_elsewhere = prefix != "" and not is_private(home) and not f"{home}.".startswith(prefix)
            is_renamed = own_name(target, name) != name
            order = ("function", not is_its_own, is_renamed, is_elsewhere, len(prefix), prefix, place)
            # secrets.choice is a method of random, bound to a secure source, and so not the same as random.choice
            yield Name(prefix + name, kind, target, id(target) if is_elsewhere else identity(target), order)


def own_name(target: Any, name: str) -> str:
    """Return the name of an object; before 3.13, only the function of a property has it."""
    return str(getattr(getattr(target, "fget", target), "__name__", name))


def is_documented_form(target: Any) -> bool:
    """Whether an object is used like a function or class and has a docstring: `typing.Optional`, `typing.Literal`.

    Other data has the docstring of its type, and `typing.List` that of the class it stands for.
    """
    own = getattr(target, "__doc__", None)
    is_form = is_private(type(target).__name__) and not hasattr(target, "__origin__")
    return is_form and isinstance(own, str) and own != type(target).__doc__


def names_in_class(owner: Name, public_classes: set[int]) -> Iterator[Name]:
    """Yield the methods and properties that a public class defines, or inherits from a private base class."""
    seen: set[str] = set()
    for steps, base in enumerate(owner.target.__mro__):
        if steps > 0 and (id(base) in public_classes or base is object):
            break
        for place, (name, attribute) in enumerate(vars(base).items()):
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            target = attribute.__func__ if isinstance(attribute, (staticmethod, classmethod)) else attribute
            if not isinstance(target, (*METHODS, *ATTRIBUTES)):
                continue
            kind = "method" if isinstance(target, METHODS) else "attribute"
            # socket.socket has its methods from _socket.socket, which is also offered as socket.SocketType
            is_other_class = base.__name__.lstrip("_") != owner.text.rpartition(".")[2]
            order = ("method", is_other_class, steps, own_name(target, name) != name, *owner.order, place)
            yield Name(f"{owner.text}.{name}", kind, target, id(target), order)


def identity(target: Any) -> int:
    """Return a key that is equal for all names of an object: `random.choice` is `random.Random.choice`, bound."""
    if inspect.ismethod(target):
        return id(target.__func__)
    if isinstance(target, types.BuiltinFunctionType):
        bound_to = type(target.__self__)
        if bound_to not in (types.ModuleType, type, types.NoneType):
            return id(inspect.getattr_static(bound_to, target.__name__, target))
    return id(target)


def best_names(names: Iterator[Name]) -> list[Name]:
    """Choose one name for each object."""
    best: dict[int, Name] = {}
    for name in names:
        if name.thing not in best or name.order < best[name.thing].order:
            best[name.thing] = name
    return list(best.values())


def signature_of(name: Name) -> str:
    """Return the signature as a caller sees it, or an empty text if Python does not know it."""
    if name.kind in ("module", "attribute"):
        return ""
    try:
        signature = inspect.signature(name.target)
    except Exception:  # annotations and proxies may raise anything
        return ""
    parameters = list(signature.parameters.values())
    if name.kind == "method" and parameters and parameters[0].name in ("self", "cls"):
        signature = signature.replace(parameters=parameters[1:])
    return str(signature)


def portable(signature: str) -> str:
    """Remove addresses and paths from the defaults of a signature, since they differ between machines."""
    for place in (sys.executable, str(Path(os.__file__).parent)):
        signature = signature.replace(place, "…")
    return ADDRESS.sub("", signature)


def docstrings_of(target: Any) -> Iterator[str]:
    """Yield the cleaned docstrings of an object and, for a class, of its constructor."""
    constructor = vars(target).get("__init__") if isinstance(target, type) else None
    for owner in (target, constructor):
        own = getattr(owner, "__doc__", None)
        is_written_for_it = owner is target or isinstance(owner, types.FunctionType)
        if is_written_for_it and isinstance(own, str) and own.strip() and own != MADE_UP:
            yield inspect.cleandoc(own)


def described(name: Name) -> dict[str, str] | None:
    """Return the record of a name; None without a docstring."""
    docs = list(docstrings_of(name.target))
    if not docs:
        return None
    text = "\n\n".join([name.text + portable(signature_of(name)), *docs])
    return {"id": name.text, "kind": name.kind, "text": text}


def describe_library() -> Iterator[dict[str, str]]:
    """Yield the records of all documented names, in order of name."""
    modules = {name: module for name in dict.fromkeys(public_modules()) if (module := imported(name)) is not None}
    top = best_names(names_of_modules(modules))
    classes = [name for name in top if name.kind == "class"]
    public_classes = {id(name.target) for name in classes if name.text.rpartition(".")[2] == name.target.__name__}
    inside = (inner for owner in classes for inner in names_in_class(owner, public_classes))
    things = best_names(iter([*top, *inside]))
    # a function goes before a module of the same name (`unittest.main`)
    taken = {name.text for name in things}
    things += [Name(name, "module", module, id(module), ()) for name, module in modules.items() if name not in taken]
    by_text = {name.text: name for name in sorted(things, key=lambda name: name.text)}
    yield from (record for name in by_text.values() if (record := described(name)) is not None)


def main() -> None:
    """Write the records to standard output, protected from modules that print on import."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as output:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        for record in describe_library():
            output.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
