"""Every error message of the source is found, with its words, and stands in the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.reference_pages import errors
from docs.reference_pages.error_places import ErrorPlaces, Message
from docs.reference_pages.source_tree import SourceTree

ERRORS = """
class GermaneError(Exception):
    def __init__(self, message, *, hint=None): ...

class InputError(GermaneError):
    def __init__(self, source, line, problem, *, hint=None): ...

class MissingExtraError(GermaneError):
    def __init__(self, what, extra): ...
"""
SPECIMEN = """
from germane.errors import GermaneError, InputError, MissingExtraError, did_you_mean
from germane.shared import HINT

WORDS = "a constant of the module"

def plain(name):
    raise GermaneError(f"no measure is called {name!r}{did_you_mean(name, [])}", hint="`germane measures` lists them")

def constant():
    raise InputError("file", 3, WORDS, hint=HINT)

def assigned(strict):
    if strict:
        problem = "strictly wrong"
    else:
        problem = "wrong"
    raise InputError("file", None, problem)

def assigned_twice(value):
    if value:
        problem = f"first {value}"
        raise GermaneError(problem)
    problem = "second"
    raise GermaneError(problem)

def chosen(some):
    raise GermaneError("too many: " + ("columns" if some else "rows"))

def optional():
    raise MissingExtraError("drawing", "report")

class Reader:
    def read(self, text):
        if not text:
            raise self._wrong("expected text, found none")
        raise self._wrong(f"expected a number, found {text}", hint="write digits")

    def _wrong(self, problem, hint=None):
        return InputError("file", None, problem, hint=hint)

def told(error):
    raise InputError("file", None, error.message, hint=error.hint)

def retold():
    try:
        constant()
    except GermaneError as problem:
        raise InputError("file", None, f"{problem}") from None

def joined(names):
    raise GermaneError("; ".join(f"the feature {name}" for name in names))

def formatted(name):
    _refuse("expected one, found {}", name)

def _refuse(problem, name):
    raise GermaneError(f"{problem.format(name)}{did_you_mean(name, [])}")

class OwnError(InputError): ...

def of_another_class():
    raise OwnError("file", None, "looks like nothing")

def returned(count):
    raise GermaneError(_reason(count))

def _reason(count):
    return f"only {count} of them"
"""
FOUND = {
    "plain": ["no measure is called …"],
    "constant": ["a constant of the module"],
    "assigned": ["strictly wrong", "wrong"],
    "assigned_twice": ["first …", "second"],
    "chosen": ["too many: columns", "too many: rows"],
    "optional": ["drawing needs an optional library"],
    "_wrong": ["expected text, found none", "expected a number, found …"],
    "told": [],
    "retold": [],
    "joined": ["the feature …"],
    "_refuse": ["expected one, found …"],
    "of_another_class": ["looks like nothing"],
    "returned": ["only … of them"],
}


@pytest.fixture
def places(tmp_path: Path) -> ErrorPlaces:
    folder = tmp_path / "germane"
    folder.mkdir()
    for name, text in {"errors": ERRORS, "shared": 'HINT = "look there"\n', "specimen": SPECIMEN}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return ErrorPlaces(SourceTree(folder))


@pytest.mark.parametrize("function", FOUND)
def test_the_words_of_a_message_are_found(places: ErrorPlaces, function: str) -> None:
    found = [message.text for place in places.places if place.function == function for message in place.messages]
    assert sorted(found) == sorted(FOUND[function])


def test_hints_are_found_with_their_messages(places: ErrorPlaces) -> None:
    hints = {message.text: message.hint for place in places.places for message in place.messages}
    assert hints["a constant of the module"] == "look there"
    assert hints["expected a number, found …"] == "write digits"
    assert hints["expected text, found none"] == ""
    assert hints["drawing needs an optional library"] == "pip install 'germane[report]'"


@pytest.mark.parametrize(
    ("text", "said", "is_it"),
    [
        ("expected …, found none", "a.run:3: expected rows, found none", True),
        ("expected …, found none", "a.run:3: expected rows, found none at all", False),
        ("no run is called …", "no run is called 'x'; did you mean xy?", True),
        ("… (…)", "anything (else)", True),
        ("only rows", "only columns", False),
    ],
)
def test_a_message_is_recognised(text: str, said: str, is_it: bool) -> None:
    assert Message(text, "", "GermaneError").matches(said) is is_it


def test_a_message_that_begins_with_its_file_is_listed_by_its_words() -> None:
    message = Message("…:…: expected a run and its team, found …", "", "GermaneError")
    assert message.shown == "expected a run and its team, found …"
    assert message.words == "expected a run and its team, found"


def test_every_message_is_on_the_page_once() -> None:
    entries = [(message.shown, message.kind) for found in errors.entries_by_group().values() for message, _ in found]
    assert len(entries) == len(set(entries))
    assert {(m.shown, m.kind) for place in errors.error_places() for m in place.messages} == set(entries)
    assert len(entries) > 1000


WORDS_OF_OTHERS = {
    "germane.distributed.counting_decisions:merge_all": "what a worker found",
    "germane.distributed.judging_runs:put_together": "what a worker found",
    "germane.learning.leakage:require_no_leaks": "the leaks, which are listed in the reference of learning",
    "germane.report.retrieval_rows:forest_rows": "why runs are not compared, which the report says too",
}
"""Places that are given their words by something else than an error, and what that is."""


def test_an_error_whose_words_cannot_be_found_passes_on_those_of_another() -> None:
    """Where this fails, an error has words that its reference lacks: give them to it as text, or teach `words.py`."""
    without = [place for place in errors.error_places() if not place.messages and not place.passes_on]
    assert {f"{place.module}:{place.function}" for place in without} == set(WORDS_OF_OTHERS)


def test_an_error_that_passes_on_what_another_said_is_known(places: ErrorPlaces) -> None:
    assert {place.function for place in places.places if place.passes_on} == {"told", "retold"}


def test_a_module_without_a_group_is_told() -> None:
    with pytest.raises(ValueError, match=r"no group of errors is that of germane\.new_room\.file"):
        errors.group_of("germane.new_room.file")
