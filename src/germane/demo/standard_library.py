"""Describe the standard library of the Python that runs this file: one JSON line per public name, on standard output.

This file is run as a program, in a process of its own, because importing the whole library leaves things behind.
It therefore imports nothing of germane. What is described: public modules, the functions and classes they offer, and
the methods and properties that those classes define, each if it has a docstring. An object that several names reach
is described once, under the name that `Name.order` puts first, so that `posix.stat` is `os.stat`, `_io.StringIO` is
`io.StringIO`, `asyncio.runners.run` is `asyncio.run`, and names change as little as possible between versions.
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
    # importing them shows or opens something, or needs a display
    *("antigravity", "this", "turtle", "turtledemo", "tkinter", "idlelib", "__hello__", "__phello__"),
    # tests, examples and tables
    *("test", "pydoc_data", "xxlimited", "xxlimited_35", "xxsubtype"),
    # deprecated when 3.11 came out and gone by 3.13: nobody should be sent there
    *("aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt", "distutils", "imghdr", "imp"),
    *("lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes", "smtpd", "sndhdr", "spwd"),
    *("sunau", "telnetlib", "uu", "xdrlib"),
}
"""Top-level modules that are not described."""

IMPLEMENTATIONS = {
    *("genericpath", "nt", "ntpath", "nturl2path", "opcode", "posix", "posixpath", "pyexpat"),
    *("sre_compile", "sre_constants", "sre_parse"),
}
"""Modules with a public-looking name whose contents are documented as another module's (`os`, `os.path`, `re` …)."""

LEFT_OUT_INSIDE = frozenset(["__main__", "test", "tests", "macholib", "encodings.", "ensurepip."])
"""Parts of packages that are not described: programs, tests, one system's; with a dot, all submodules of a package."""

ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")

MADE_UP = "An enumeration."
"""The docstring that Python 3.11 gives to an enumeration without one."""

METHODS = (types.FunctionType, types.MethodDescriptorType, types.ClassMethodDescriptorType, types.BuiltinFunctionType)
ATTRIBUTES = (property, cached_property, types.GetSetDescriptorType, types.MemberDescriptorType)


class Name(NamedTuple):
    """A public name of something; `thing` is the same for all names of one thing, and `order` chooses among them."""

    text: str
    kind: str
    target: Any
    thing: int
    order: tuple[Any, ...]


def is_private(dotted: str) -> bool:
    """Whether a module is an implementation, to be named by the public module that offers what is in it."""
    return dotted in IMPLEMENTATIONS or any(part.startswith("_") for part in dotted.split("."))


def public_modules() -> Iterator[str]:
    """The names of all modules to try, parents before children."""
    waiting = sorted(name for name in sys.stdlib_module_names if not (name in LEFT_OUT or is_private(name)))
    yield from waiting
    yield "os.path"
    for name in waiting:
        package = imported(name)
        if package is not None and hasattr(package, "__path__"):
            found = pkgutil.walk_packages(package.__path__, prefix=f"{name}.", onerror=lambda _: None)
            yield from (module.name for module in found if is_described(module.name))


def is_described(submodule: str) -> bool:
    """Whether a module inside a package counts."""
    return not (
        is_private(submodule)
        or LEFT_OUT_INSIDE.intersection(submodule.split("."))
        or any(submodule.startswith(prefix) for prefix in LEFT_OUT_INSIDE if prefix.endswith("."))
    )


def imported(name: str) -> types.ModuleType | None:
    """The module, or None where this machine lacks what it needs."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit):  # other systems' modules fail in their own ways
        return None


def offered(module: types.ModuleType, module_name: str) -> Iterator[tuple[str, Any, bool]]:
    """The names a module offers: the name, the object, and whether the module says so or defines it itself.

    A module without `__all__` offers what it defines and what it took from a private module.
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
    """The module that an object says it is from; what says nothing is taken to be private."""
    home = getattr(target, "__module__", None)
    return home if isinstance(home, str) else "_"


def names_of_modules(modules: dict[str, types.ModuleType]) -> Iterator[Name]:
    """The functions and classes that modules offer, under every name."""
    for module_name, module in modules.items():
        prefix = "" if module_name == "builtins" else f"{module_name}."
        for place, (name, target, is_its_own) in enumerate(offered(module, module_name)):
            if not (isinstance(target, type) or inspect.isroutine(target) or is_documented_form(target)):
                continue
            kind, home = "class" if isinstance(target, type) else "function", home_of(target)
            is_elsewhere = prefix != "" and not is_private(home) and not f"{home}.".startswith(prefix)
            is_renamed = own_name(target, name) != name
            order = ("function", not is_its_own, is_renamed, is_elsewhere, len(prefix), prefix, place)
            # secrets.choice is a method of random's, bound to a safer source: another thing than random.choice
            yield Name(prefix + name, kind, target, id(target) if is_elsewhere else identity(target), order)


def own_name(target: Any, name: str) -> str:
    """What an object calls itself; a property does not know before 3.13, but its function does."""
    return str(getattr(getattr(target, "fget", target), "__name__", name))


def is_documented_form(target: Any) -> bool:
    """Whether an object is meant to be used like a function or class and says how: `typing.Optional`, `typing.Literal`.

    Other data has the docstring of its type, and `typing.List` that of the class it stands for.
    """
    own = getattr(target, "__doc__", None)
    is_form = is_private(type(target).__name__) and not hasattr(target, "__origin__")
    return is_form and isinstance(own, str) and own != type(target).__doc__


def names_in_class(owner: Name, public_classes: set[int]) -> Iterator[Name]:
    """The methods and properties that a public class defines, or takes from a base class that is not public itself."""
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
    """What two names of the same thing have in common: `random.choice` is `random.Random.choice`, bound."""
    if inspect.ismethod(target):
        return id(target.__func__)
    if isinstance(target, types.BuiltinFunctionType):
        bound_to = type(target.__self__)
        if bound_to not in (types.ModuleType, type, types.NoneType):
            return id(inspect.getattr_static(bound_to, target.__name__, target))
    return id(target)


def best_names(names: Iterator[Name]) -> list[Name]:
    """One name for each thing."""
    best: dict[int, Name] = {}
    for name in names:
        if name.thing not in best or name.order < best[name.thing].order:
            best[name.thing] = name
    return list(best.values())


def signature_of(name: Name) -> str:
    """The signature as a caller sees it, or nothing where Python knows none."""
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
    """A signature without addresses and places in its defaults, which differ from machine to machine."""
    for place in (sys.executable, str(Path(os.__file__).parent)):
        signature = signature.replace(place, "…")
    return ADDRESS.sub("", signature)


def docstrings_of(target: Any) -> Iterator[str]:
    """An object's own docstrings, cleaned: a class may say what it needs in that of its constructor."""
    constructor = vars(target).get("__init__") if isinstance(target, type) else None
    for owner in (target, constructor):
        own = getattr(owner, "__doc__", None)
        is_written_for_it = owner is target or isinstance(owner, types.FunctionType)
        if is_written_for_it and isinstance(own, str) and own.strip() and own != MADE_UP:
            yield inspect.cleandoc(own)


def described(name: Name) -> dict[str, str] | None:
    """The record of a name; None if it has no docstring."""
    docs = list(docstrings_of(name.target))
    if not docs:
        return None
    text = "\n\n".join([name.text + portable(signature_of(name)), *docs])
    return {"id": name.text, "kind": name.kind, "text": text}


def describe_library() -> Iterator[dict[str, str]]:
    """The records of all documented names, in order of name."""
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
    """Write the records to standard output, which modules cannot write to while they are imported."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as output:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        for record in describe_library():
            output.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
