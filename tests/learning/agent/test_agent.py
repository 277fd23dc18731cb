"""An agent's life: trained, sent out, told, asking; and what it must never do."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from germane.api.learning.agent import Agent
from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import with_checksum
from germane.learning.agent.answers import Ranked
from germane.learning.agent.questions import Question
from germane.learning.agent.simulation import Behaviour, simulate_users
from germane.learning.agent.state import identity_of
from germane.learning.agent.training.choices import strategy_values
from germane.learning.agent.training.material import Material
from germane.learning.agent.utility import Utility
from germane.learning.strategies.strategy import Strategy, parse_strategy
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.ranking_principle import Costs
from germane.retrieval.search import as_query
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.qrels import Qrels
from tests.learning.agent import small_world

QUERY = "grape cellar"


@pytest.fixture(scope="module")
def agent() -> Agent:
    return small_world.trained()


def test_training_says_what_was_tried_and_what_to_expect(agent: Agent) -> None:
    choice = agent.state.choice
    assert {each["strategy"] for each in choice["strategies"]} == {"BM25", "VSM", "BM25+rm3"}
    assert {"agent", "best_single", "difference", "folds", "num_queries"} == set(choice["held_out"])
    for added in ("evidence", "reranking"):
        assert next(each["weight"] for each in choice[added]["trials"]) == 0.0
    assert [each["method"] for each in choice["feedback"]["trials"]] == ["none", "rocchio", "probabilistic(expand=20)"]
    assert agent.trained_confusion.total > 0
    assert 0 <= choice["calibration"]["brier"] < choice["calibration"]["brier_of_base_rate"]


def test_the_answer_is_as_long_as_the_costs_justify(agent: Agent) -> None:
    answer = agent.search(QUERY)
    assert answer.num_worth == len(answer.results)
    assert all(line.probability > answer.threshold for line in answer.results)
    assert answer.best_unreturned is None or answer.best_unreturned <= answer.threshold
    assert [line.probability for line in answer.results] == sorted(
        (line.probability for line in answer.results), reverse=True
    )
    assert len(agent.search(QUERY, k=3).results) == 3
    assert agent.search(QUERY, k=3).num_worth == answer.num_worth
    assert agent.search("unheard").num_found == 0
    assert agent.search("unheard").unknown == ("unheard",)


def test_dearer_mistakes_mean_shorter_answers() -> None:
    sizes = [len(small_world.trained(costs=Costs(-1, dear)).search(QUERY).results) for dear in (0.1, 1.0, 10.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def follows_its_strategy(agent: Agent) -> bool:
    """Whether, untold, it ranks as its strategy does."""
    own = agent.strategy.rank(agent.index, [as_query(QUERY, agent.index)], agent.state.depth)[0]
    return bool(agent.ranked(QUERY).docs.tolist() == own.docs.tolist())


def test_untold_and_without_additions_it_is_its_strategy(agent: Agent) -> None:
    plain = agent.copy()
    plain.state.evidence_weight = 0.0
    assert plain.state.reranking is None, "no feature says more than the words: test_agent_reranking has one that does"
    assert follows_its_strategy(plain)


def test_that_law_catches_an_agent_with_another_strategy(agent: Agent) -> None:
    other = agent.copy()
    other.state.evidence_weight = 0.0
    docs = other.ranked(QUERY).docs
    other._found["grape cellar"] = Ranked(docs[::-1], np.zeros(len(docs)), np.zeros(len(docs)))
    assert not follows_its_strategy(other)


def test_it_learns_at_once_for_this_query_and_keeps_what_it_was_told(agent: Agent) -> None:
    told = agent.copy()
    before = told.search(QUERY, k=5)
    lesson = told.learn(QUERY, {before.results[0].doc: False, before.results[2].doc: True})
    assert (lesson.num_new, lesson.num_changed, lesson.num_relevant) == (2, 0, 1)
    after = told.search(QUERY, k=5)
    assert after.results[0].doc == before.results[2].doc
    assert (after.results[0].probability, after.results[0].judged) == (1.0, True)
    assert before.results[0].doc not in [line.doc for line in told.search(QUERY).results]
    assert told.confusion.total == 2
    assert agent.search(QUERY, k=5) == before, "a copy learns for itself"


def test_a_judgment_touches_that_document_alone(agent: Agent) -> None:
    told = agent.copy()
    doc = told.search(QUERY, k=1).results[0].doc
    told.learn(QUERY, {doc: True})
    before, after = agent.state.indexing.documents, told.state.indexing.documents
    assert {name for name in after if after[name] != before.get(name)} == {doc}
    assert told.state.marks == {QUERY: {doc: True}}
    added = told.state.calibration.num_documents - agent.state.calibration.num_documents
    assert (float(added.sum()), int(np.count_nonzero(added))) == (1.0, 1)


def test_a_judgment_may_be_taken_back(agent: Agent) -> None:
    told = agent.copy()
    doc = told.search(QUERY, k=1).results[0].doc
    told.learn(QUERY, {doc: True})
    lesson = told.learn(QUERY, {doc: False})
    assert (lesson.num_new, lesson.num_changed) == (0, 1)
    again = agent.copy()
    again.learn(QUERY, {doc: False})
    assert told.state.indexing.documents[doc].relevant == again.state.indexing.documents[doc].relevant
    assert told.confusion.counts.tolist() == again.confusion.counts.tolist()
    assert told.learn(QUERY, {doc: False}).num_new == 0


def test_what_one_person_says_helps_the_next_query(agent: Agent) -> None:
    told = agent.copy()
    told.state.evidence_weight = 1.0
    doc = told.index.doc_number("wine4")
    before = told.ranked("vineyard tide")
    told.learn("vineyard bottle", {"wine4": True})
    after = told.ranked("vineyard tide")
    gained = {
        int(each): float(after.scores[after.docs == each][0] - before.scores[before.docs == each][0])
        for each in before.docs
    }
    assert {each for each, gain in gained.items() if gain != 0} == {doc}
    assert gained[int(doc or 0)] > 0


def test_the_question_is_the_best_of_its_candidates(agent: Agent) -> None:
    for by in ("entropy", "cost", "change"):
        question = agent.ask(QUERY, by=by, candidates=4)
        assert len(question.candidates) == 4
        assert question.value == max(each.value for each in question.candidates)
        assert question.doc == question.candidates[0].doc
    told = agent.copy()
    told.learn(QUERY, {question.doc: True})
    assert question.doc not in {each.doc for each in told.ask(QUERY).candidates}, "it is known now"


def test_bad_questions(agent: Agent) -> None:
    with pytest.raises(GermaneError, match="did you mean entropy"):
        agent.ask(QUERY, by="entropie")  # type: ignore[arg-type]
    with pytest.raises(GermaneError, match="no unjudged document is left"):
        agent.ask("unheard")
    with pytest.raises(GermaneError, match="expected a query, found an empty text"):
        agent.search("  ")


# The file


def test_the_file_holds_all_of_it(agent: Agent, tmp_path: Path) -> None:
    told = agent.copy()
    told.learn(QUERY, {"wine3": True, "sea1": False})
    told.save(tmp_path / "agent.json")
    back = Agent.open(tmp_path / "agent.json", agent.index)
    assert back.state.to_json() == told.state.to_json()
    assert back.search(QUERY) == told.search(QUERY)
    assert [path.name for path in tmp_path.iterdir()] == ["agent.json"]


BROKEN = [
    # content                              told
    (b"{", "damaged file"),
    (b"[1, 2]", "expected an agent"),
    (b'{"germane_index": 1}', "expected an agent"),
    (b'{"germane_agent": 99}', "expected an agent of version 4, found 99"),
    (b'{"germane_agent": 3}', "expected an agent of version 4, found 3"),
    (b'{"germane_agent": 4}', "the agent was damaged or edited: expected checksum 'none', found"),
    (json.dumps(with_checksum({"germane_agent": 4})).encode(), "damaged agent"),
]


@pytest.mark.parametrize(("content", "told"), BROKEN)
def test_broken_files_are_told(content: bytes, told: str, agent: Agent, tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        Agent.open(path, agent.index)


def test_a_number_without_end_is_told(agent: Agent, tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    path.write_text(
        json.dumps(with_checksum({**agent.state.to_json(), "evidence_weight": float("inf")})).replace(
            "Infinity", "1e999"
        )
    )
    with pytest.raises(InputError, match="infinity or NaN in place of a number"):
        Agent.open(path, agent.index)


@pytest.mark.parametrize("name", ["strategy", "calibration", "indexing", "since", "marks"])
def test_a_part_that_is_missing_or_wrong_is_told(name: str, agent: Agent, tmp_path: Path) -> None:
    wrongs: tuple[object, ...] = (None, "nonsense", {})
    for wrong in wrongs:
        body = with_checksum({**agent.state.to_json(), name: wrong})
        if name == "marks" and wrong == {}:
            continue
        (tmp_path / "agent.json").write_text(json.dumps(body))
        with pytest.raises(InputError, match="damaged agent"):
            Agent.open(tmp_path / "agent.json", agent.index)


def test_another_index_is_told_and_another_analyser_refused(agent: Agent, tmp_path: Path) -> None:
    agent.save(tmp_path / "agent.json")
    assert not any("not the index" in note for note in Agent.open(tmp_path / "agent.json", small_world.index()).notes)
    some = dict(list(small_world.documents().items())[:20])
    elsewhere = Agent.open(tmp_path / "agent.json", Index.of({**some, "new": "grape tide"}, "plain"))
    assert any("not the index" in note for note in elsewhere.notes)
    [note] = [note for note in elsewhere.notes if "evidence from past queries" in note]
    known = len(agent.state.indexing.documents)
    assert f"of {known}" in note
    assert "new" in {line.doc for line in elsewhere.search("grape tide", k=30).results}
    assert identity_of(elsewhere.index) != identity_of(agent.index)
    with pytest.raises(GermaneError, match=r"trained with the analyser words\+fold,"):
        Agent.open(tmp_path / "agent.json", Index.of(small_world.documents(), "english"))


def test_an_interrupted_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class StopHereError(Exception):
        pass

    def stop(done: int, total: int | None) -> None:
        if done == 2:
            raise StopHereError

    journal = tmp_path / "agent.json.journal"
    with pytest.raises(StopHereError):
        small_world.trained(resume=journal, progress=stop)
    computed: list[Strategy] = []

    def counted(material: Material, strategy: Strategy) -> FloatArray:
        computed.append(strategy)
        return strategy_values(material, strategy)

    monkeypatch.setattr("germane.learning.agent.training.train.strategy_values", counted)
    resumed = small_world.trained(resume=journal)
    assert computed == [parse_strategy("BM25+rm3")], "two of three were there"
    assert resumed.state.to_json() == small_world.trained().state.to_json()
    with pytest.raises(InputError, match="journal belongs to another"):
        small_world.trained(resume=journal, utility="nDCG@10")


# Bad input


def test_bad_training() -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"folds": 2}, "expected 3 folds or more"),
        ({"folds": 99}, r"as many judged queries as folds \(99\), found 15"),
        ({"rel": 7}, "expected relevant documents for at least one query"),
        ({"space": []}, "expected at least one strategy, found none"),
        ({"feedback": ()}, "expected at least one feedback method"),
        ({"utility": "APP"}, "did you mean"),
        ({"utility": Costs(-1, 1), "costs": Costs(-1, 1)}, "costs given twice"),
        ({"depth": 0}, "expected depth to be 1 or more"),
    ]
    for choices, told in cases:
        with pytest.raises(GermaneError, match=told):
            small_world.trained(**choices)
    with pytest.raises(GermaneError, match="topics and qrels share no id"):
        Agent.train(small_world.index(), {"x": "grape"}, small_world.judgments(), space=["BM25"])


def test_bad_feedback_changes_nothing(agent: Agent) -> None:
    told = agent.copy()
    before = json.dumps(told.state.to_json())
    with pytest.raises(GermaneError, match="not in the index: 'nowhere'"):
        told.learn(QUERY, {"wine1": True, "nowhere": True})
    with pytest.raises(GermaneError, match="expected true or false for 'wine1', found 3"):
        told.learn(QUERY, {"wine1": 3})  # type: ignore[dict-item]
    assert json.dumps(told.state.to_json()) == before


def test_costs_as_utility() -> None:
    agent = small_world.trained(utility=Costs(-2, 1))
    held = agent.state.choice["held_out"]
    assert agent.costs == Costs(-2, 1)
    assert held["agent"]["mean"] > 0, "it gains more than it costs"
    assert agent.simulate(small_world.topics(), small_world.judgments(), rounds=1, judged=2).rounds[0].frozen > 0


# Simulation


class Recorder:
    """An agent, and all that it ever showed."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.shown: list[tuple[str, tuple[int, ...]]] = []
        self.told: list[tuple[str, dict[str, bool]]] = []

    def ranked(self, query: str) -> Ranked:
        found = self.agent.ranked(query)
        self.shown.append((query, tuple(found.docs.tolist())))
        return found

    def learn(self, query: str, judgments: Mapping[str, bool]) -> object:
        self.told.append((query, dict(judgments)))
        return self.agent.learn(query, judgments)

    def ask(self, query: str) -> Question:
        return self.agent.ask(query)


class Peeking(Recorder):
    """The specimen: it reads the judgments, and puts what is relevant on top."""

    def __init__(self, agent: Agent, qrels: Mapping[str, Mapping[str, int]]) -> None:
        super().__init__(agent)
        self.relevant = {
            text: {doc for doc, grade in qrels[topic].items() if grade > 0}
            for topic, text in small_world.topics().items()
        }

    def ranked(self, query: str) -> Ranked:
        found = self.agent.ranked(query)
        good = np.array([self.agent.index.doc_id(int(doc)) in self.relevant[query] for doc in found.docs])
        order = np.argsort(~good, kind="stable")
        found = Ranked(found.docs[order], found.scores, found.probabilities)
        self.shown.append((query, tuple(found.docs.tolist())))
        return found


def peeks(agent: Agent, kind: type[Recorder]) -> bool:
    """Whether what is shown changes with judgments of documents that nobody had seen."""

    def play(qrels: dict[str, dict[str, int]]) -> Recorder:
        learner = kind(agent.copy(), qrels) if kind is Peeking else kind(agent.copy())
        simulate_users(
            learner, agent.copy(), agent.index, small_world.topics(), Qrels.from_dict(qrels), Utility.of("AP"),
            rounds=2, behaviour=Behaviour(judged=2),
        )  # fmt: skip
        return learner

    qrels = small_world.judgments()
    first = play(qrels)
    seen = {(query, doc) for query, told in first.told for doc in told}
    other = {
        topic: {
            doc: grade if (small_world.topics()[topic], doc) in seen else 1 - grade for doc, grade in grades.items()
        }
        for topic, grades in qrels.items()
    }
    return play(other).shown != first.shown


def test_no_agent_sees_what_nobody_told_it(agent: Agent) -> None:
    assert not peeks(agent, Recorder)


def test_that_law_catches_an_agent_that_peeks(agent: Agent) -> None:
    assert peeks(agent, Peeking)


def test_people_say_only_what_they_saw_and_never_twice(agent: Agent) -> None:
    recorder = Recorder(agent.copy())
    qrels = Qrels.from_dict(small_world.judgments())
    found = simulate_users(
        recorder, agent.copy(), agent.index, small_world.topics(), qrels, Utility.of("AP"),
        rounds=2, behaviour=Behaviour(judged=3, ask=True),
    )  # fmt: skip
    pairs = [(query, doc) for query, told in recorder.told for doc in told]
    assert len(pairs) == len(set(pairs)) == found.rounds[-1].num_judged
    assert [each.num_judged for each in found.rounds] == [0, 45, 90]
    assert found.rounds[0].number == 0


def test_people_err_as_often_as_they_should(agent: Agent) -> None:
    topics, qrels = small_world.topics(), small_world.judgments()
    always = agent.simulate(topics, qrels, rounds=1, judged=2, error_rate=1.0)
    never = agent.simulate(topics, qrels, rounds=1, judged=2)
    assert (always.rounds[1].num_errors, never.rounds[1].num_errors) == (always.rounds[1].num_judged, 0)
    some = [
        agent.simulate(topics, qrels, rounds=1, judged=2, error_rate=0.5, seed=1).rounds[1].num_errors for _ in (1, 2)
    ]
    assert 0 < some[0] == some[1] < 30


def test_topics_of_the_training_are_told(agent: Agent) -> None:
    found = agent.simulate(small_world.topics(), small_world.judgments(), rounds=1, judged=1)
    assert any("15 of 15 scored topics were used in training" in note for note in found.notes)


def test_topics_that_are_not_scored_are_not_counted_as_trained_on(agent: Agent) -> None:
    topics, qrels = small_world.topics(), small_world.judgments()
    few = {query: qrels[query] for query in list(qrels)[:6]}
    found = agent.simulate({**topics, "new": "something nobody asked before"}, few, rounds=1, judged=1)
    assert len(found.queries) + len(found.no_relevant_left) == 6
    assert any(note.startswith(f"{len(found.queries)} of {len(found.queries)} scored topics") for note in found.notes)
    assert any(note.startswith("10 of 16 queries without judgments") for note in found.notes)
    new = {f"n{query}": f"{text} unheard" for query, text in topics.items()}
    judged = {f"n{query}": docs for query, docs in few.items()}
    found = agent.simulate({**topics, **new}, judged, rounds=1, judged=1)
    assert not any("in its training" in note for note in found.notes)


def test_bad_simulations(agent: Agent) -> None:
    qrels = small_world.judgments()
    for choices, told in (
        ({"rounds": 0}, "1 round or more"),
        ({"judged": 0}, "at least 1 judged document"),
        ({"error_rate": 1.5}, "between 0 and 1"),
        ({"judged": 50}, "no query has a relevant document left"),
    ):
        with pytest.raises(GermaneError, match=told):
            agent.simulate(small_world.topics(), qrels, **choices)
    with pytest.raises(GermaneError, match="topics and qrels share no id"):
        agent.simulate({"x": "grape"}, qrels)


def test_a_space_may_be_one_pattern_as_for_tune() -> None:
    texts, judged = small_world.topics(), small_world.judgments()
    assert str(Agent.train(small_world.index(), texts, judged, space="BM25").strategy) == "BM25"


# Two processes, one file


def test_two_who_save_one_agent_lose_nothing(agent: Agent, tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    agent.copy().save(path)
    first, second = Agent.open(path, agent.index), Agent.open(path, agent.index)
    first.learn("grape", {"wine1": True, "sea2": False})
    second.learn("tide", {"sea3": True})
    first.save(path)
    second.save(path)
    back = Agent.open(path, agent.index)
    assert back.state.marks == {"grape": {"wine1": True, "sea2": False}, "tide": {"sea3": True}}
    assert second.state.to_json() == back.state.to_json(), "who saves last knows all of it"
    alone = agent.copy()
    alone.learn("grape", {"wine1": True, "sea2": False})
    alone.learn("tide", {"sea3": True})
    assert back.state.indexing.to_json() == alone.state.indexing.to_json(), "as if one had learned all of it"
    first.save(path)
    assert len(Agent.open(path, agent.index).state.judgments) == 3, "a judgment counts once, however often it is saved"


def test_the_later_of_two_opposite_judgments_counts_and_both_are_kept(agent: Agent, tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    agent.copy().save(path)
    first, second = Agent.open(path, agent.index), Agent.open(path, agent.index)
    first.learn("grape", {"wine1": True})
    second.learn("grape", {"wine1": False})
    first.save(path)
    second.save(path)
    back = Agent.open(path, agent.index).state
    assert back.marks == {"grape": {"wine1": False}}
    assert [one.relevant for one in back.judgments] == [True, False]
    assert back.since.queries["grape"].cells.TP + back.since.queries["grape"].cells.FN == 0


def test_an_agent_that_learned_nothing_may_be_replaced(agent: Agent, tmp_path: Path) -> None:
    agent.copy().save(tmp_path / "agent.json")
    other = small_world.trained(space=["VSM"])
    other.save(tmp_path / "agent.json")
    assert Agent.open(tmp_path / "agent.json", agent.index).strategy == other.strategy
