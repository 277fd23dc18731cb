"""The law of arguments: whatever a public function is given, it returns a value or raises an error of germane.

An argument that is missing, or a name that a function without options does not have, is Python's own TypeError with the
name of the function; an unknown option of one that takes options is an error of germane that names it.
"""

from __future__ import annotations

import inspect
import pickle
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.arguments import checked
from germane.errors import GermaneError
from tests.laws.public_calls import CALLS, EXCUSED, Arguments, door_of, doors

Door = Callable[..., Any]


class Odd:
    """An object that nobody expects."""

    def __repr__(self) -> str:
        return "<Odd>"


JUNK: dict[str, Any] = {
    "object": Odd(),
    "class": Odd,
    "text": "xyzzy",
    "empty text": "",
    "bytes": b"xyzzy",
    "list": [1, "a"],
    "empty list": [],
    "list of objects": [Odd()],
    "dict": {"xyzzy": 1},
    "set": {1, 2},
    "NaN": float("nan"),
    "infinity": float("inf"),
    "negative": -1,
    "zero": 0,
    "fraction": 1.5,
    "complex": 1j,
    "array of three axes": np.zeros((2, 2, 2)),
    "array of none": np.array(1.0),
    "None": None,
}
CALLBACKS = ("progress", "learner", "source")
"""Functions of the caller's own: what they raise is theirs, so a class is not tried as one of them."""
SLOW = (
    "report",
    "plot",
    "compare",
    "learning.Agent.train",
    "learning.Agent.open",
    "tune",
)
"""A call of these takes long: they are tried with what is refused at the door, and with unknown options."""
QUICK_JUNK = ("object", "list of objects", "complex", "array of three axes")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arguments")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a text that is an output is a file


@cache
def functions() -> dict[str, Door]:
    return dict(doors())


def names(error: TypeError, name: str) -> bool:
    """Whether Python's error is about the call of the public function itself."""
    own = door_of(name).rpartition(".")[2]
    return any(f"{called}()" in str(error) for called in (own, f"{own}.__init__"))


def problem(name: str, door: Door, arguments: Arguments) -> str | None:
    """What a call raises that germane does not stand for; None if there is no such thing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            door(**arguments)
        except GermaneError:
            return None
        except TypeError as error:
            return None if names(error, name) else f"TypeError: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return None


def leaks(name: str, door: Door, call: Callable[[], Arguments]) -> Iterator[str]:
    """Junk for one argument after the other that ends in an exception from inside."""
    for parameter in inspect.signature(door).parameters.values():
        if parameter.name == "self" or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        for kind, junk in JUNK.items():
            if (door_of(name) in SLOW and kind not in QUICK_JUNK) or (kind == "class" and parameter.name in CALLBACKS):
                continue
            if found := problem(name, door, call() | {parameter.name: junk}):
                yield f"{parameter.name}={kind}: {found}"


def unknown_options(name: str, door: Door, call: Callable[[], Arguments]) -> Iterator[str]:
    """Options that a function does not have and that it does not name in an error."""
    for option in ("xyzzy", "seeed"):
        try:
            door(**call() | {option: 1})
        except GermaneError as error:
            if option not in str(error):
                yield f"{option}: {error}"
        except TypeError as error:
            if not names(error, name) or option not in str(error):
                yield f"{option}: TypeError: {error}"
        except Exception as error:
            yield f"{option}: {type(error).__name__}: {error}"
        else:
            yield f"{option}: taken in silence"


NAMES = [name for name in CALLS if not name.startswith("all_")]


@pytest.mark.parametrize("name", NAMES)
def test_junk_is_an_error_of_germane(name: str, folder: Path) -> None:
    assert list(leaks(name, functions()[door_of(name)], lambda: CALLS[name](folder))) == []


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_is_named(name: str, folder: Path) -> None:
    assert list(unknown_options(name, functions()[door_of(name)], lambda: CALLS[name](folder))) == []


def test_functions_with_options_that_have_no_call_name_unknown_ones_too() -> None:
    with_options = {
        name
        for name, door in functions().items()
        if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(door).parameters.values())
    }
    assert with_options & set(EXCUSED) == {"measure", "retrieval.model"}
    assert list(unknown_options("measure", ge.measure, lambda: {"name": "New", "bounds": (0, 1)})) == []


SLIPS = [
    # call                                                            what is said
    (lambda: ge.report({"q": {"d": 1}}, {"q": {"d": 1.0}}, output="x.html", tiess="docno"),  # type: ignore[call-arg]
     "report: unknown option 'tiess'; did you mean ties?"),
    (lambda: ge.plot("distribution", {"q": {"d": 1}}, {"q": {"d": 1.0}}, levle=0.9),  # type: ignore[call-arg]
     "plot: unknown option 'levle'"),
    (lambda: ge.report({"truth": [0, 1]}, output="x.html", rule=["youden"]),  # type: ignore[call-arg]
     "did you mean rules?"),
    (lambda: ge.classify([0, 1], [0, 1], interwal="wilson"),  # type: ignore[call-arg]
     "did you mean interval?"),
    (lambda: ge.index("x", {"d": "text"}, analyser=str.split),  # type: ignore[arg-type]
     "index: expected text or Analyser as analyser, found"),
    (lambda: ge.learning.k_folds(["a", "b"], 2, seed=-1), "k_folds: expected seed of 0 or more, found -1"),
    (lambda: ge.search(ge.retrieval.Index.of({"d": "red"}), "red", k="ten"),  # type: ignore[arg-type]
     "search: expected an integer as k, found 'ten'"),
    (lambda: ge.measures.judged("1 x"), "expected grades separated by spaces, such as '1 0 2', found 'x'"),
    (lambda: ge.learn(
        ge.learning.RankingData.of([[0.0], [1.0]], ["a", "a"], grade=[0, 1]), measures=[], C=1.0),
     "expected at least one measure, found none"),
    (lambda: ge.classify([1, 2], [1, 2], resamples=0, task="regression"), "expected resamples of 1 or more, found 0"),
    (lambda: ge.agree({"ann": {"q": {"d": "yes"}}}), "expected a grade, a number or None, found 'yes'"),
    (lambda: ge.retrieval.read_record(""), "expected a file name, found ''"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), SLIPS, ids=[said for _, said in SLIPS])
def test_a_slip_is_named(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(GermaneError) as caught:
        call()
    assert said in str(caught.value)


def test_what_fits_is_let_through() -> None:
    one: Any = np.int64(1)
    assert ge.search(ge.retrieval.Index.of({"d": "red"}), "red", k=one)["red"].keys() == {"d"}
    assert len(ge.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, np.array(["AP", "RR"])).measures) == 2
    assert pickle.loads(pickle.dumps(ge.classify)) is ge.classify


# Specimens that the laws must catch -----------------------------------------------------------------------------------


def leaky(k: int = 3) -> list[int]:
    return [0] * k


def passing_on(**options: Any) -> Any:
    return dict.fromkeys([1], **options)


def silent(**options: Any) -> int:
    return len(options)


def test_the_laws_catch_what_leaks() -> None:
    found = "\n".join(leaks("leaky", leaky, dict))
    assert "k=object: TypeError" in found
    assert "k=text: TypeError" in found
    assert list(leaks("leaky", checked(leaky), dict)) == []
    assert "TypeError" in next(unknown_options("passing_on", passing_on, dict))
    assert list(unknown_options("silent", silent, dict)) == ["xyzzy: taken in silence", "seeed: taken in silence"]
