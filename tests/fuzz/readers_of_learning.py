"""What learning reads: LETOR rows, groups and names; models, agents, splits, journals, spaces, columns of features."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from germane.formats.files.json_text import with_checksum
from germane.formats.learning.letor_file import read_groups, read_letor, read_names, write_letor
from germane.learning.agent.knowledge.calibration import ScoreCalibration
from germane.learning.agent.knowledge.experience import Experience, LoggedJudgment
from germane.learning.agent.knowledge.reranking import NormalEquations, RerankingModel
from germane.learning.agent.state import AgentState, read_state, write_state
from germane.learning.agent.utility import Utility
from germane.learning.data.splits import Split, k_folds, read_split, write_split
from germane.learning.features.own_features import Column
from germane.learning.learners.estimator import array_from_json, array_to_json
from germane.learning.learners.learner import LEARNERS
from germane.learning.learners.linear_score import LinearScore
from germane.learning.learners.ordinal import OrderedLogit
from germane.learning.learners.ranking_svm import RankingSVM
from germane.learning.model_file import RankingModel, read_model, write_model
from germane.learning.strategies.space import read_space
from germane.learning.tuning.journal import Journal
from germane.retrieval.probability.binary_independence_indexing import LearnedIndexing
from germane.retrieval.probability.relevance_probability import Calibration
from germane.tables.rankings.ranking_data import RankingData
from tests.fuzz.checksums import whole
from tests.fuzz.readers import Reader, add
from tests.learning.agent import small_world

MODELS: dict[str, Any] = {"linear": LinearScore, "ranking-svm": RankingSVM, "ordinal": OrderedLogit}
LETOR = [
    b"# feature 1 = BM25\n# feature 2 = omega\n2 qid:1 1:0.5 2:3 # docid = d1\n"
    b"0 qid:1 1:0.1 2:1 # docid = d2\n1 qid:2 1:1 2:2 # docid = d1\n",
    b"1 qid:a 1:0.5 3:2\n0 qid:a 2:1\n0.5 qid:b 1:1e-3\n",
]
ABOUT = {"measure": "AP", "queries": ["q1", "q2"]}


def letor_again(data: Any, path: Path) -> object:
    write_letor(data, path)
    return read_letor(path)


def grouped(path: Path) -> object:
    rows = path.with_name("rows.txt")
    rows.write_bytes(b"1 1:0.5\n0 1:1\n2 1:2\n")
    return read_letor(rows, group_sizes=path)


def named(path: Path) -> object:
    return read_names(path)


@cache
def models() -> tuple[bytes, ...]:
    rows = np.random.Generator(np.random.PCG64(1)).normal(size=(60, 2))
    data = RankingData.of(
        rows, np.repeat(range(6), 10).tolist(), grade=(rows[:, 0] > 0).astype(float), names=["BM25", "omega"]
    )
    found = []
    for learner in MODELS:
        model = RankingModel(
            learner, LEARNERS.parse(learner).fit(data, None, 1), ("BM25", "omega"), ("BM25", "omega"), "minmax"
        )
        found.append(json.dumps(model.to_json()).encode())
    return tuple(found)


@cache
def agents() -> tuple[bytes, ...]:
    """An agent that was only trained, and one that was given judgments."""
    agent = small_world.trained(space=["BM25", "VSM"])
    new = json.dumps(agent.state.to_json()).encode()
    agent.learn("merlot wine", {"wine1": True, "sea1": False})
    return new, json.dumps(agent.state.to_json()).encode()


def splits() -> Iterator[bytes]:
    yield json.dumps(k_folds(["a", "b", "c", "d"], 2, seed=1).to_json()).encode()


def model_again(model: Any, path: Path) -> object:
    write_model(model, path)
    return read_model(path).to_json()


def state_again(state: Any, path: Path) -> object:
    write_state(AgentState.from_json(with_checksum(state)), path)
    return read_state(path).to_json()


def split_again(split: Any, path: Path) -> object:
    write_split(split, path)
    return read_split(path)


def tuning_journal(path: Path) -> object:
    with Journal(whole(path), ABOUT) as journal:
        return list(journal.entries())


def array_of(path: Path) -> object:
    try:
        given = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    return array_from_json(given) if isinstance(given, dict) else None


def journals() -> Iterator[bytes]:
    lines = [{"germane_tuning": 2, **ABOUT}, {"strategy": "BM25", "places": [0, 1], "values": [0.25, 0.5]}]
    yield "".join(json.dumps(line) + "\n" for line in lines).encode()


add(Reader("letor", read_letor, lambda: LETOR, "rows.txt", (read_letor,), again=letor_again))
add(Reader("letor_groups", grouped, lambda: [b"2\n1\n", b"1\n1\n1\n"], "groups.txt", (read_groups,), share=0.3))
add(Reader("letor_names", named, lambda: [b"BM25\nomega\n"], "names.txt", (read_names,), share=0.2))
add(
    Reader(
        "model",
        lambda path: read_model(whole(path)).to_json(),
        models,
        "model.json",
        (read_model, RankingModel.from_json, *(kind.from_json for kind in MODELS.values())),
        json=True,
    )
)
add(
    Reader(
        "agent",
        lambda path: read_state(whole(path)).to_json(),
        agents,
        "agent.json",
        (
            read_state,
            AgentState.from_json,
            Utility.from_json,
            Experience.from_json,
            ScoreCalibration.from_json,
            NormalEquations.from_json,
            RerankingModel.from_json,
            LearnedIndexing.from_json,
            Calibration.from_json,
            LoggedJudgment.from_json,
        ),
        json=True,
        share=0.3,
        again=state_again,
    )
)
add(
    Reader(
        "split",
        lambda path: read_split(whole(path)),
        splits,
        "split.json",
        (read_split, Split.from_json),
        json=True,
        again=split_again,
    )
)
add(Reader("tuning_journal", tuning_journal, journals, "tuning.jsonl", (Journal.open_again,), json=True))
add(
    Reader(
        "space",
        read_space,
        lambda: [b"# mine\nBM25(k1={0.9,1.2}){,+rm3}\nQL(mu={100..300..100})\n", b"fuse(rrf,BM25,{QL,VSM})\n"],
        "space.txt",
        (read_space,),
    )
)
add(
    Reader(
        "feature_column",
        lambda path: dict(Column.read("pagerank", path).by),
        lambda: [b"d1 0.3\nd2 0.1\n* 0\n", b"q1 d1 0.5\nq1 d2 1e-3\n# no\n"],
        "column.txt",
        (Column.read,),
    )
)
add(
    Reader(
        "array_json",
        array_of,
        lambda: [json.dumps(array_to_json(np.arange(4.0).reshape(2, 2))).encode()],
        "array.json",
        (array_from_json,),
        json=True,
        names_source=False,
        share=0.3,
    )
)
