"""The state of an agent in one JSON file, written atomically and checked when read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import parse_json, require_checksum, shape_problem, with_checksum
from germane.formats.files.sources import open_source, source_name
from germane.formats.files.targets import open_target
from germane.learning.agent.knowledge.calibration import ScoreCalibration
from germane.learning.agent.knowledge.experience import Experience, LoggedJudgment, missing_from
from germane.learning.agent.knowledge.reranking import RerankingModel
from germane.learning.agent.utility import Utility
from germane.learning.strategies.strategy import Strategy, parse_strategy
from germane.retrieval.feedback import FEEDBACK, Feedback
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.binary_independence_indexing import LearnedIndexing
from germane.tables.notes.counts import counted

VERSION = 4


@dataclass(frozen=True)
class Origin:
    """The training of an agent: its index by identity, its queries by hash, and the settings."""

    index: str
    analyser: str
    num_docs: int
    num_queries: int
    queries: tuple[str, ...]
    folds: int
    seed: int
    rel: float
    tolerance: float
    alpha: float


@dataclass
class AgentState:
    """All that was chosen and learned. Marks are by query and document id; everything else that changes is counts."""

    origin: Origin
    utility: Utility
    strategy: Strategy
    depth: int
    evidence_weight: float
    reranking: RerankingModel | None
    """None if the model is not used, neither before nor after feedback."""
    indexing: LearnedIndexing
    calibration: ScoreCalibration
    feedback: Feedback | None
    weight_after: float
    calibration_after: ScoreCalibration | None
    choice: dict[str, Any]
    """Reasons for the choices: what was tried, and what to expect."""
    trained: Experience
    """Decisions on training queries, each by a model trained on the other folds."""
    since: Experience = field(default_factory=Experience)
    """Decisions since deployment, as far as they were judged."""
    marks: dict[str, dict[str, bool]] = field(default_factory=dict)
    """Judgments by query and document: whether it is relevant."""
    decided: dict[str, dict[str, bool]] = field(default_factory=dict)
    """For the same documents: whether the agent had found them worth returning."""
    judgments: list[LoggedJudgment] = field(default_factory=list)
    """Log of all feedback, in order; marks, counts and sums are derived from it."""
    notes: tuple[str, ...] = ()
    digest: str = field(default="", compare=False)
    """Hash of the file last read or written: this state contains everything in that file."""

    def to_json(self) -> dict[str, Any]:
        """Return the state as a JSON object; the file adds a checksum."""
        return {
            "germane_agent": VERSION,
            "origin": {**vars(self.origin), "queries": list(self.origin.queries)},
            "utility": self.utility.to_json(),
            "strategy": str(self.strategy),
            "depth": self.depth,
            "evidence_weight": self.evidence_weight,
            "reranking": None if self.reranking is None else self.reranking.to_json(),
            "indexing": self.indexing.to_json(),
            "calibration": self.calibration.to_json(),
            "feedback": None if self.feedback is None else str(self.feedback),
            "weight_after": self.weight_after,
            "calibration_after": None if self.calibration_after is None else self.calibration_after.to_json(),
            "choice": self.choice,
            "trained": self.trained.to_json(),
            "since": self.since.to_json(),
            "marks": self.marks,
            "decided": self.decided,
            "judgments": [one.to_json() for one in self.judgments],
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any], name: str = "agent") -> AgentState:
        """Return the state from the JSON object of a file; an error says what is wrong with it."""
        if "germane_agent" not in given:
            raise InputError(name, None, "expected an agent, found something else", hint=MAKE_ONE)
        if given["germane_agent"] != VERSION:
            problem = f"expected an agent of version {VERSION}, found {given['germane_agent']!r}"
            raise InputError(name, None, problem, hint=MAKE_ONE)
        require_checksum(given, name, "the agent", hint=MEND)
        try:
            after, model = given["calibration_after"], given["reranking"]
            return cls(
                origin=Origin(**{**given["origin"], "queries": tuple(given["origin"]["queries"])}),
                utility=Utility.from_json(given["utility"]),
                strategy=parse_strategy(given["strategy"]),
                depth=int(given["depth"]),
                evidence_weight=float(given["evidence_weight"]),
                reranking=None if model is None else RerankingModel.from_json(model),
                indexing=LearnedIndexing.from_json(given["indexing"]),
                calibration=ScoreCalibration.from_json(given["calibration"]),
                feedback=None if given["feedback"] is None else FEEDBACK.parse(given["feedback"]),
                weight_after=float(given["weight_after"]),
                calibration_after=None if after is None else ScoreCalibration.from_json(after),
                choice=dict(given["choice"]),
                trained=Experience.from_json(given["trained"]),
                since=Experience.from_json(given["since"]),
                marks=_by_document(given["marks"]),
                decided=_by_document(given["decided"]),
                judgments=[LoggedJudgment.from_json(one) for one in given["judgments"]],
                notes=tuple(given["notes"]),
            )
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, GermaneError) as problem:
            raise InputError(name, None, f"damaged agent: {shape_problem(problem)}", hint=MEND) from None


def _by_document(given: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, bool]]:
    return {str(query): {str(doc): bool(relevant) for doc, relevant in own.items()} for query, own in given.items()}


MAKE_ONE = "run `germane agent train INDEX TOPICS QRELS -o AGENT` to create one"
MEND = "restore the file from a backup, or train again"


def read_state(path: str | Path) -> AgentState:
    """Read an agent from its file."""
    with open_source(path) as stream:
        return _parsed(stream.read(), path)


def newer_state(path: str | Path, state: AgentState) -> AgentState | None:
    """Return the agent in a file if it has judgments that `state` lacks, else None.

    The file of another agent is an error if it holds judgments, because they would be lost.
    """
    if not Path(path).exists():
        return None
    with open_source(path) as stream:
        data = stream.read()
    if state.digest == _digest(data):
        return None
    there = _parsed(data, path)
    if _identity(there) != _identity(state) and there.judgments:
        amount = counted(len(there.judgments), "judgment")
        problem = f"expected a new file or that of this agent, found another agent with {amount}"
        raise InputError(source_name(path), None, problem, hint="choose another name")
    return there if missing_from(state.judgments, there.judgments) else None


def _identity(state: AgentState) -> dict[str, Any]:
    """Return what feedback never changes."""
    given = state.to_json()
    names = ("origin", "utility", "strategy", "depth", "evidence_weight", "feedback", "choice", "trained")
    return {name: given[name] for name in names}


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _parsed(data: bytes, path: str | Path) -> AgentState:
    given = parse_json(data, source_name(path), "an agent", hint=MEND)
    state = AgentState.from_json(given if isinstance(given, dict) else {}, source_name(path))
    try:
        json.dumps(state.to_json(), allow_nan=False)
    except ValueError:
        problem = "damaged agent: infinity or NaN in place of a number"
        raise InputError(source_name(path), None, problem, hint=MEND) from None
    state.digest = _digest(data)
    return state


def write_state(state: AgentState, path: str | Path) -> None:
    """Write an agent to its file, which is replaced once the new one is on disk."""
    body = with_checksum(state.to_json())
    data = (json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n").encode()
    with open_target(path, durable=True) as target:
        target.write(data)
    state.digest = _digest(data)


def identity_of(index: Index) -> str:
    """Return a hash of an index's analyser, document ids and document lengths.

    >>> one, other = Index.of({"d1": "red wine"}, "plain"), Index.of({"d1": "red red wine"}, "plain")
    >>> identity_of(one) == identity_of(Index.of({"d1": "red wine"}, "plain")), identity_of(one) == identity_of(other)
    (True, False)
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{index.analyser.name}\0{index.collection.num_docs}\0{index.collection.num_tokens}\0".encode())
    living = index.living()
    digest.update(np.ascontiguousarray(index.lengths[living], np.int64).tobytes())
    for part in index.parts:
        local = living[(living >= part.base) & (living < part.base + part.segment.num_docs)] - part.base
        digest.update(b"\0".join(part.segment.doc_ids.take(local).to_bytes_list()) + b"\0")
    return digest.hexdigest()


def query_hash(text: str) -> str:
    """Return a hash that identifies a training query without storing it; case and spaces do not matter."""
    return hashlib.blake2b(normal_text(text).casefold().encode(), digest_size=8).hexdigest()


def normal_text(text: str) -> str:
    """Return a query in the form used as a key for marks: single spaces, none at the ends."""
    return " ".join(text.split())


def check_index(state: AgentState, index: Index) -> tuple[str, ...]:
    """Return notes on using an agent with this index; another analyser is an error, because its terms differ."""
    if index.analyser.name != state.origin.analyser:
        theirs, ours = state.origin.analyser, index.analyser.name
        hint = f"index with `germane index --analyser '{theirs}'`, or train an agent on this index"
        problem = f"the agent was trained with the analyser {theirs}, but this index uses {ours}"
        raise GermaneError(problem, hint=hint)
    if identity_of(index) == state.origin.index:
        return ()
    known = sum(index.doc_number(doc) is not None for doc in state.indexing.documents)
    return (
        "not the index that the agent was trained on; strategy and P(R|d) are used as trained",
        f"evidence from past queries applies to {known:,} of {len(state.indexing.documents):,} documents, those whose "
        "ids are in this index",
    )
