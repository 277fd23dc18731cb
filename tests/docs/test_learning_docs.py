"""The pages on tuning, learning to rank and the agent have all that there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from docs.reference_pages.json_samples import DOCUMENTS, JUDGED, TOPICS
from germane.api.learning.agent import Agent
from germane.api.learning.learning_to_rank import learn
from germane.api.learning.tuning import tune
from germane.learning.agent.questions import By
from germane.learning.data.splits import k_folds
from germane.learning.features.feature import FEATURES
from germane.learning.features.feature_set import DEFAULT_FEATURES
from germane.learning.features.scaling import DESCRIPTIONS, Scaling
from germane.learning.learners.learner import LEARNERS
from germane.learning.strategies.space import DEFAULT_SPACE
from germane.learning.strategies.strategy import OPTIONS
from germane.learning.tuning.cells import SearchName
from germane.learning.tuning.journal import Journal
from germane.retrieval.indexes.index import Index
from tests.conftest import ROOT
from tests.docs.pages import choices_of, text_of
from tests.docs.test_ground_truth_docs import options_without_a_word

PAGE = ROOT / "docs" / "reference" / "learning.md"
HOW_TO = ROOT / "docs" / "how_to"
HOW_TO_OF = {
    "tune": "tune.md",
    "learn": "learn_to_rank.md",
    "agent train": "train_an_agent.md",
    "agent search": "train_an_agent.md",
    "agent simulate": "train_an_agent.md",
    "agent show": "train_an_agent.md",
}
KINDS_OF_LEAKS = re.compile(r'(?:_shared|Leak)\("([a-z ]+)"')


def leak_kinds() -> set[str]:
    """The kinds that the code reports; they are stable, so they are literals there."""
    learning = ROOT / "src" / "germane" / "learning"
    files = [learning / "data" / "leakage.py", learning / "features" / "label_copies.py"]
    return {kind for file in files for kind in KINDS_OF_LEAKS.findall(text_of(file))}


def entries() -> Iterator[tuple[str, str]]:
    """What a registry offers, as the page should write it, with the part where it belongs."""
    yield from (("Features", f"### {feature.name}\n") for feature in FEATURES)
    yield from (("Features", written) for written in ("### cosine\n", "### MODEL\n", "### NAME=FILE\n"))
    yield from (("Features", f"`{name}`") for name in DEFAULT_FEATURES)
    yield from (
        ("Scalings", f"### {name}\n") for name in (*DESCRIPTIONS, *get_args(Scaling), *choices_of("learn", "--scaling"))
    )
    yield from (("Learners", f"### {name}\n") for name in LEARNERS.names)
    yield from (("Learners", learner.summary) for learner in LEARNERS)
    yield from (("Strategies", pattern) for pattern in DEFAULT_SPACE)
    yield from (("Strategies", f"{option}=") for option in OPTIONS)
    yield from (("Searches", f"### {name}\n") for name in get_args(SearchName))
    yield from (("Leaks", f"### {kind}\n") for kind in leak_kinds())
    yield from (("Choices of an agent", f"### {way}\n") for way in get_args(By))


def undocumented(page: str) -> list[str]:
    """What is missing from the page."""
    parts = parts_of(page)
    return [f"{part}: {written.strip()}" for part, written in entries() if written not in parts.get(part, "")]


def parts_of(page: str) -> dict[str, str]:
    """What stands under each heading."""
    return dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))


def test_everything_that_has_a_name_is_in_the_reference() -> None:
    assert len(leak_kinds()) == 5
    assert undocumented(text_of(PAGE)) == []


@pytest.mark.parametrize(
    ("written", "missing"),
    [
        ("### tf_share\n", "Features: ### tf_share"),
        ("### ordinal\n", "Learners: ### ordinal"),
        ("fuse(rrf,{BM25,QL},VSM)\n", "Strategies: fuse(rrf,{BM25,QL},VSM)"),
        ("### halving\n", "Searches: ### halving"),
        ("### group across sides\n", "Leaks: ### group across sides"),
        ("### change\n", "Choices of an agent: ### change"),
    ],
)
def test_a_forgotten_entry_is_caught(written: str, missing: str) -> None:
    assert undocumented(text_of(PAGE).replace(written, "")) == [missing]


def test_every_learner_is_documented_by_the_class_that_its_file_names() -> None:
    for learner in LEARNERS:
        with pytest.raises(Exception, match=learner.ranker_class.__name__):  # it says which class it expected
            learner.restore({"learner": "another"})


@pytest.mark.parametrize("command", HOW_TO_OF)
def test_every_option_is_in_its_how_to(command: str) -> None:
    assert options_without_a_word(command, text_of(HOW_TO / HOW_TO_OF[command])) == set()


# Files


@pytest.fixture(scope="module")
def library() -> Index:
    return Index.of(DOCUMENTS, "plain")


def keys_without_a_word(part: str, keys: Iterator[str] | set[str]) -> set[str]:
    text = parts_of(text_of(PAGE))[part]
    return {key for key in keys if f"`{key}`" not in text}


def test_every_key_of_a_model_file_is_explained(library: Index) -> None:
    found = learn(library, TOPICS, JUDGED, features="cosine,length", learner="linear", folds=2, measures="AP")
    model = found.model.to_json()
    assert keys_without_a_word("The file of a model", {*model, *model["training"], *model["features"][0]}) == set()
    assert keys_without_a_word("The file of a model", {"weight"}) == {"weight"}


def test_every_key_of_an_agent_file_is_explained(library: Index) -> None:
    agent = Agent.train(library, TOPICS, JUDGED, space=["BM25"], folds=3, judged=1).state.to_json()
    assert keys_without_a_word("The file of an agent", {*agent, *agent["origin"], *agent["utility"]}) == set()


def test_every_key_of_a_split_and_of_a_journal_is_explained(library: Index, tmp_path: Path) -> None:
    assert keys_without_a_word("The record of a split", set(k_folds(["a", "b"], 2).to_json())) == set()
    journal = tmp_path / "tuning.jsonl"
    tuning = tune(library, TOPICS, JUDGED, space="BM25", folds=2, resume=journal)
    lines = text_of(journal).splitlines()
    keys = {key for line in lines for key in re.findall(r'"(\w+)": ', line)}
    assert len(Journal.open_again(journal)) == len(lines) - 1
    assert keys_without_a_word("The journal of a tuning", keys) == set()
    assert [f"### {rule}\n" for rule in tuning.procedures if f"### {rule}\n" not in text_of(PAGE)] == []
