"""A Python function as an engine: it takes the query text and returns documents with scores."""

from __future__ import annotations

import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, did_you_mean
from germane.retrieval.engines.protocol import Engine, Ranked, ranked

SPELLED = re.compile(r"(?P<module>[A-Za-z_]\w*(\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*(\.[A-Za-z_]\w*)*)")
"""How a function is named on the command line: ``package.module:function``."""

Answer = Mapping[str, float] | Iterable[tuple[str, float]]


class CallableEngine(Engine):
    """An engine that calls a function with the query text and, if the function has such a parameter, with `k`.

    The function returns (id, score) pairs, or a dict of scores by id.

    >>> CallableEngine(lambda text: {"d1": float(len(text))}, "by length").search("red wine", k=10).scores
    array([8.])
    """

    threads = 1  # the function need not be thread-safe

    def __init__(self, function: Callable[..., Answer], name: str | None = None) -> None:
        self.function = function
        own = getattr(function, "__qualname__", type(function).__qualname__)
        self.name = name or f"{getattr(function, '__module__', None) or 'python'}:{own}"
        self._takes_k = _takes_k(function)

    @classmethod
    def imported(cls, spelled: str) -> CallableEngine:
        """Import the function named ``module:function``; the working folder is searched first."""
        match = SPELLED.fullmatch(spelled)
        if match is None:
            raise GermaneError(
                f"expected a function written as module:function, found {spelled!r}", hint="for example mymodule:search"
            )
        folder = str(Path.cwd())
        sys.path.insert(0, folder)
        try:
            found: Any = import_module(match["module"])
        except ModuleNotFoundError as error:
            hint = f"{match['module']}.py must be in the working folder, or {match['module']} must be installed"
            raise GermaneError(f"{spelled}: no module named {error.name!r}", hint=hint) from None
        except Exception as error:
            raise GermaneError(f"{spelled}: importing {match['module']} failed: {_described(error)}") from error
        finally:
            if folder in sys.path:
                sys.path.remove(folder)
        for part in match["name"].split("."):
            if not hasattr(found, part):
                near = did_you_mean(part, [name for name in dir(found) if not name.startswith("_")])
                raise GermaneError(f"{spelled}: {match['module']} has no {part!r}{near}")
            found = getattr(found, part)
        if not callable(found):
            raise GermaneError(f"{spelled}: expected a function, found {type(found).__name__}")
        return cls(found, spelled)

    def search(self, query: str, k: int) -> Ranked:
        try:
            answer = self.function(query, k=k) if self._takes_k else self.function(query)
            pairs = list(answer.items() if isinstance(answer, Mapping) else answer)
        except Exception as error:
            raise GermaneError(_described(error)) from error
        return ranked(pairs, k)

    def describe(self) -> dict[str, Any]:
        return {"engine": "python", "model": self.name}


def _takes_k(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C, without a signature
        return False
    return any((p.name == "k" and p.kind is not p.POSITIONAL_ONLY) or p.kind is p.VAR_KEYWORD for p in parameters)


def _described(error: Exception) -> str:
    """Return the message of an exception with the file and line where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = "" if where.filename == __file__ else f" ({Path(where.filename).name}, line {where.lineno})"
    return f"{type(error).__name__}: {error}{place}"
