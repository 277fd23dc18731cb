"""Python functions as engines."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from germane.errors import GermaneError
from germane.retrieval.engines.callable import CallableEngine
from germane.retrieval.engines.open_engine import open_engine


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    Path("wine_engine.py").write_text(
        "DOCS = {'d1': 'red wine', 'd2': 'white wine and more wine'}\n"
        "def search(text):\n"
        "    return [(doc, words.split().count(text)) for doc, words in DOCS.items()]\n"
        "def first(text, *, k):\n"
        "    return dict(search(text)[:k])\n"
        "class Engine:\n"
        "    def ask(self, text):\n"
        "        return ((doc, 1.0) for doc in DOCS)\n"
        "engine = Engine()\n"
        "NUMBER = 3\n"
    )
    Path("broken_engine.py").write_text("import json\njson.loads('{')\n")
    yield
    for name in ("wine_engine", "broken_engine"):
        sys.modules.pop(name, None)


def test_a_function_of_a_module_in_the_working_folder() -> None:
    before = list(sys.path)
    found = open_engine("wine_engine:search").search("wine", k=10)
    assert (found.ids, found.scores.tolist()) == (("d1", "d2"), [1.0, 2.0])
    assert sys.path == before


def test_a_function_that_takes_k_is_told_it() -> None:
    assert CallableEngine.imported("wine_engine:first").search("wine", k=1).ids == ("d1",)


def test_a_method_and_a_generator_do() -> None:
    assert CallableEngine.imported("wine_engine:engine.ask").search("wine", k=2).ids == ("d1", "d2")


def test_one_that_returns_more_than_was_asked_for_is_refused() -> None:
    with pytest.raises(GermaneError, match="expected at most 1 documents, found 2"):
        CallableEngine.imported("wine_engine:search").search("wine", k=1)


@pytest.mark.parametrize(
    ("spelled", "message"),
    [
        ("no_such_engine:search", "no_such_engine:search: no module named 'no_such_engine'"),
        ("wine_engine:serach", "wine_engine:serach: wine_engine has no 'serach'; did you mean search?"),
        ("wine_engine:NUMBER", "wine_engine:NUMBER: expected a function, found int"),
        ("broken_engine:search", "importing broken_engine failed: JSONDecodeError: Expecting property name"),
        ("wine engine:search", "expected a function written as module:function, found 'wine engine:search'"),
    ],
)
def test_what_cannot_be_imported_is_explained(spelled: str, message: str) -> None:
    with pytest.raises(GermaneError) as told:
        CallableEngine.imported(spelled)
    assert message in told.value.message


def test_it_describes_itself() -> None:
    engine = CallableEngine.imported("wine_engine:search")
    assert engine.describe() == {"engine": "python", "model": "wine_engine:search"}
    assert (engine.num_docs(), engine.index_bytes(), engine.notes()) == (None, None, [])
    assert CallableEngine(dict).name == "builtins:dict"
