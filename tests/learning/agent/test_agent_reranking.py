"""The agent's re-ranking model: least squares that goes on learning, and what it may and may not do to a ranking."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

from germane.api.learning.agent import Agent
from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import with_checksum
from germane.learning.agent.knowledge.reranking import RIDGE, NormalEquations, RerankingModel
from germane.retrieval.indexes.index import Index
from germane.retrieval.search import as_query
from germane.tables.columns.ids import BoolArray, FloatArray

TOPIC_WORDS = [f"word{number}" for number in range(12)]
QUERY = "word3 word4"


def length_world(*, positions: bool = False) -> Index:
    """Ten documents hold each word once: every second one has two words in all, the others eleven."""
    texts = {
        f"{word}-{number}": f"{word} filler" if number % 2 else " ".join([word, *["filler"] * (9 + number % 3)])
        for word in TOPIC_WORDS
        for number in range(10)
    }
    return Index.of(texts, "plain", positions=positions)


def relevant_are_short() -> dict[str, dict[str, int]]:
    return {word: {f"{word}-{number}": number % 2 for number in range(10)} for word in TOPIC_WORDS}


def trained(index: Index) -> Agent:
    """Its only strategy is blind to the length of documents."""
    topics = {word: word for word in TOPIC_WORDS}
    return Agent.train(index, topics, relevant_are_short(), space=["BM25(b=0)"], folds=3, judged=2, depth=50)


@pytest.fixture(scope="module")
def agent() -> Agent:
    return trained(length_world())


def model_of(agent: Agent) -> RerankingModel:
    assert agent.state.reranking is not None
    return agent.state.reranking


# The arithmetic


def test_least_squares_by_hand() -> None:
    """Rows 0, 1, 2 with y = 0, 0, 1: Σx = 3, Σx² = 5, Σxy = 2, so the slope is (3·2 - 3·1) / (3·5 - 9) = ½."""
    sums = NormalEquations.of([[0.0], [1.0], [2.0]], [False, False, True])
    assert sums.products.tolist() == [[3.0, 3.0], [3.0, 5.0]]
    assert sums.targets.tolist() == [1.0, 2.0]
    assert sums.weights(0.0) == pytest.approx([1 / 3 - 0.5, 0.5])
    # With ρ = 1/3, ρ·n = 1 is added to Σx²: the slope is (3·2 - 3·1) / (3·6 - 9) = 1/3.
    assert sums.weights(1 / 3) == pytest.approx([1 / 3 - 1 / 3, 1 / 3])
    assert (sums.num_rows, sums.num_relevant) == (3, 1)


def test_no_rows_say_nothing() -> None:
    assert NormalEquations.of_nothing(2).weights(RIDGE).tolist() == [0.0, 0.0, 0.0]


class Averaging(NormalEquations):
    """The specimen: it learns from new rows by themselves, and takes the mean of old and new."""

    def add(self, rows: object, is_relevant: object) -> None:
        new = NormalEquations.of(rows, is_relevant)  # type: ignore[arg-type]
        if self.num_rows:
            self.products = (self.products + new.products) / 2
            self.targets = (self.targets + new.targets) / 2
        else:
            self.take_in(new)


def adding_is_refitting(kind: type[NormalEquations]) -> bool:
    """Whether rows that come in three parts teach what all of them together do."""
    draws = np.random.PCG64(5).random_raw(300) / 2.0**64
    rows: FloatArray = draws.reshape(60, 5)
    relevant: BoolArray = rows[:, 0] + rows[:, 1] > 1
    bit_by_bit = kind.of_nothing(5)
    for part in np.split(np.arange(60), [30, 59]):
        bit_by_bit.add(rows[part], relevant[part])
    x = np.hstack([np.ones((60, 1)), rows])
    penalty = np.sqrt(RIDGE * 60) * np.eye(6)[1:]
    refitted = np.linalg.lstsq(np.vstack([x, penalty]), np.append(relevant, np.zeros(5)), rcond=None)[0]
    return bool(np.allclose(bit_by_bit.weights(RIDGE), refitted, rtol=1e-9, atol=1e-12))


def test_adding_rows_is_refitting_all_of_them() -> None:
    assert adding_is_refitting(NormalEquations)


def test_that_law_catches_an_average() -> None:
    assert not adding_is_refitting(Averaging)


def test_a_corrected_row_is_as_if_it_had_been_so() -> None:
    rows = [[1.0, 2.0], [3.0, -1.0], [0.0, 4.0]]
    sums = NormalEquations.of(rows, [True, False, False])
    sums.correct(rows[1], relevant=True)
    sums.correct(rows[0], relevant=False)
    other = NormalEquations.of(rows, [False, True, False])
    assert (sums.products.tolist(), sums.targets.tolist()) == (other.products.tolist(), other.targets.tolist())


# The agent


def test_it_is_used_where_features_know_what_the_strategy_does_not(agent: Agent) -> None:
    model, choice = model_of(agent), agent.state.choice
    assert model.weight > 0
    assert "significantly better than 0" in choice["reranking"]["reason"]
    assert next(each["weight"] for each in choice["reranking"]["trials"]) == 0.0
    assert choice["held_out"]["difference"]["low"] > 0
    assert {each["reranking_weight"] for each in choice["held_out"]["folds"]} != {0.0}
    assert model.names[:3] == ("strategy", "cosine", "BM25")
    assert "omega" not in model.names, "this index has no positions"
    assert model.equations.num_rows == 12 * 10
    assert model.equations.num_relevant == 12 * 5
    top = [line.doc for line in agent.search("word7", k=5).results]
    assert {int(doc[-1]) % 2 for doc in top} == {1}


def test_with_weight_0_it_is_its_strategy(agent: Agent) -> None:
    plain = agent.copy()
    own = plain.strategy.rank(plain.index, [as_query(QUERY, plain.index)], plain.state.depth)[0]
    assert plain.ranked(QUERY).docs.tolist() != own.docs.tolist()
    plain = agent.copy()
    plain.state.evidence_weight = model_of(plain).weight = 0.0
    assert plain.ranked(QUERY).docs.tolist() == own.docs.tolist()


def test_what_is_not_looked_at_never_passes_a_candidate(agent: Agent) -> None:
    short = agent.copy()
    model_of(short).depth = 4
    own = short.strategy.rank(short.index, [as_query(QUERY, short.index)], short.state.depth)[0]
    found = short.ranked(QUERY)
    assert set(found.docs[:4].tolist()) == set(own.docs[:4].tolist())
    assert found.docs[4:].tolist() == own.docs[4:].tolist()


def test_judgments_are_rows_and_the_model_is_that_of_all_of_them(agent: Agent) -> None:
    told = agent.copy()
    before = copy.deepcopy(model_of(agent).equations)
    judged = {"word3-1": False, "word3-2": True, "word4-0": True, "word9-1": True}
    told.learn(QUERY, judged)
    model = model_of(told)
    rows = model.told[QUERY]
    assert set(rows) == {"word3-1", "word3-2", "word4-0"}, "word9-1 is no candidate, so it has no row"
    before.add(list(rows.values()), [judged[doc] for doc in rows])
    assert model.weights() == pytest.approx(before.weights(RIDGE), abs=1e-12)
    length = model.names.index("length") + 1
    assert model.weights()[length] > model_of(agent).weights()[length], "long ones were said to be relevant"
    assert told.ranked("word5").scores.tolist() != agent.ranked("word5").scores.tolist(), "other queries see it"
    assert model.equations.num_rows == model_of(agent).equations.num_rows + 3


def test_a_judgment_that_is_taken_back_leaves_no_trace(agent: Agent) -> None:
    told, other = agent.copy(), agent.copy()
    told.learn(QUERY, {"word3-2": True})
    told.learn(QUERY, {"word3-2": False})
    other.learn(QUERY, {"word3-2": False})
    one, two = model_of(told), model_of(other)
    assert one.told == two.told
    assert one.weights() == pytest.approx(two.weights(), abs=1e-12)
    once = one.equations.targets.copy()
    told.learn(QUERY, {"word3-2": False})
    assert one.equations.targets.tolist() == once.tolist(), "saying it again changes nothing"


def test_it_says_whether_the_model_is_used_and_what_it_weighs(agent: Agent) -> None:
    told = agent.copy()
    told.learn(QUERY, {"word3-2": True})
    model = model_of(told)
    shown = str(told.describe())
    assert f"re-ranking model: weight {model.weight:g}, after feedback {model.weight_after:g}" in shown
    assert "P(R|features) of the top 100, learned from 121 documents, 1 of them judged since training" in shown
    found = told.describe().to_dict()["reranking"]
    assert (found["num_rows"], found["num_new"]) == (121, 1)
    assert list(found["features"].values()) == model.weights().tolist()
    assert list(found["features"]) == ["intercept", *model.names]


# The file


def test_the_file_holds_the_model(agent: Agent, tmp_path: Path) -> None:
    told = agent.copy()
    told.learn(QUERY, {"word3-2": True})
    told.save(tmp_path / "agent.json")
    back = Agent.open(tmp_path / "agent.json", agent.index)
    assert back.state.to_json() == told.state.to_json()
    assert back.search(QUERY) == told.search(QUERY)
    back.learn(QUERY, {"word3-2": False})
    told.learn(QUERY, {"word3-2": False})
    events: dict[str, object] = {"judgments": []}  # their ids are random
    assert back.state.to_json() | events == told.state.to_json() | events


DAMAGED: list[dict[str, object]] = [
    {"features": ["cosine"]},
    {"targets": [1.0]},
    {"scaling": "none"},
    {"told": {"q": {"d": [1.0]}}},
    {"weight": "much"},
]


@pytest.mark.parametrize("wrong", DAMAGED)
def test_a_damaged_model_is_told(wrong: dict[str, object], agent: Agent, tmp_path: Path) -> None:
    body = agent.state.to_json()
    body["reranking"] = {**body["reranking"], **wrong}
    (tmp_path / "agent.json").write_text(json.dumps(with_checksum(body)))
    with pytest.raises(InputError, match="damaged agent"):
        Agent.open(tmp_path / "agent.json", agent.index)


def test_features_that_nobody_knows_are_told(agent: Agent, tmp_path: Path) -> None:
    body = agent.state.to_json()
    body["reranking"]["features"][-1] = "nonesuch"
    (tmp_path / "agent.json").write_text(json.dumps(with_checksum(body)))
    with pytest.raises(InputError, match="damaged agent: unknown feature 'nonesuch'"):
        Agent.open(tmp_path / "agent.json", agent.index)


def test_an_index_without_positions_is_refused_where_the_model_needs_them(tmp_path: Path) -> None:
    agent = trained(length_world(positions=True))
    assert "omega" in model_of(agent).names
    agent.save(tmp_path / "agent.json")
    with pytest.raises(GermaneError, match="uses omega, which requires word positions"):
        Agent.open(tmp_path / "agent.json", length_world())
