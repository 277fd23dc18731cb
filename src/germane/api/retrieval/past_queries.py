"""Past topics with judgments, from whatever holds them, and what an engine and its costs learn from them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from germane.errors import GermaneError, did_you_mean
from germane.formats.truth.topics_file import Topic
from germane.retrieval.engines.past_queries import Past, Shared, learned_from, learns, must_learn, not_in, past_run
from germane.retrieval.engines.protocol import Engine
from germane.retrieval.engines.queries import Numbers, described, queries_of
from germane.retrieval.engines.requests import Progress
from germane.tables.notes.note import Note

if TYPE_CHECKING:
    from germane.retrieval.engines.expected_cost import CalibrationChoice, Worth
    from germane.retrieval.probability.ranking_principle import Costs

GIVE_THEM = "give past topics and their judgments: --past-topics FILE --past-qrels FILE"


def load_past(
    topics: str | Path | Mapping[str, str | Topic] | None,
    qrels: Any,
    asked: Mapping[str, str],
    *,
    field: str = "title",
    numbers: Numbers = "given",
    rel: float | None = None,
    shared: Shared | None = None,
    format: str | None = None,  # noqa: A002
) -> Past | None:
    """Past topics and their judgments, apart from the topics that are asked now; None where there are none."""
    if topics is None or qrels is None:
        if topics is not None or qrels is not None:
            has, lacks = ("topics", "judgments") if qrels is None else ("judgments", "topics")
            raise GermaneError(f"expected past topics and their judgments, found {has} without {lacks}", hint=GIVE_THEM)
        for name, value in (("rel", rel), ("shared", shared), ("qrels format", format)):
            if value is not None:
                raise GermaneError(f"past {name} is given without past topics", hint=GIVE_THEM)
        return None
    if shared is not None and shared not in get_args(Shared):
        near = did_you_mean(shared, get_args(Shared))
        raise GermaneError(f"expected past shared to be {' or '.join(get_args(Shared))}, found {shared!r}{near}")
    from germane.api.rankings.evaluation import load_qrels

    queries = queries_of(topics, field, numbers)
    origin = {"topics": described(topics, queries, field), "qrels": _file(qrels), "shared": shared or "refuse"}
    judgments, least = load_qrels(qrels, format=format), 1 if rel is None else rel
    return Past.of(queries, judgments, least, asked=asked, shared=shared or "refuse", origin=origin)


@dataclass(frozen=True, eq=False)
class Deciding:
    """What documents cost, and how scores are to become probabilities; not learned yet."""

    costs: Costs
    choice: CalibrationChoice

    @classmethod
    def of(
        cls, costs: str | Sequence[float] | Costs | None, calibration: str | CalibrationChoice | None
    ) -> Deciding | None:
        """As people say it; None where nobody speaks of costs."""
        from germane.retrieval.engines.expected_cost import CALIBRATIONS, costs_of

        if costs is not None:
            return cls(costs_of(costs), CALIBRATIONS.parse(calibration or "isotonic"))
        if calibration is not None:
            raise GermaneError("calibrate requires costs", hint="add `costs=…`")
        return None


@dataclass(frozen=True, eq=False)
class Prepared:
    """An engine that has learned what there was to learn, and with costs how its scores become probabilities."""

    engine: Engine
    worth: Worth | None = None
    notes: tuple[Note, ...] = ()


def prepare(
    engine: Engine,
    past: Past | None,
    deciding: Deciding | None,
    k: int,
    *,
    threads: int,
    progress: Progress | None = None,
) -> Prepared:
    """Let the engine learn from past topics and, for costs, rank them to as many documents as will be asked for."""
    if past is None:
        if must_learn(engine):
            raise GermaneError("BII learns from past topics with judgments, found none", hint=GIVE_THEM)
        if deciding is not None:
            problem = "costs need probabilities, learned from past topics with judgments, found none"
            raise GermaneError(problem, hint=GIVE_THEM)
        return Prepared(engine)
    if deciding is None and not learns(engine):
        hint = "the model BII and `costs=…` learn from them"
        raise GermaneError("past topics are given, and nothing learns from them", hint=hint)
    ready = Prepared(engine, notes=(*past.notes, *not_in(engine, past)))
    try:
        if deciding is not None:
            from germane.retrieval.engines.expected_cost import Worth

            folds = len(past.folds()) if learns(engine) else None
            run = past_run(engine, past, k, threads=threads, progress=progress)
            learned = deciding.choice.learn(run, past.qrels, past.rel)
            ready = replace(ready, worth=Worth(deciding.costs, deciding.choice, learned, folds))
        return replace(ready, engine=learned_from(engine, past))
    except GermaneError as problem:
        raise GermaneError(f"learning from past topics: {problem.message}", hint=problem.hint) from problem


def _file(qrels: Any) -> dict[str, Any]:
    if not isinstance(qrels, str | Path) or not Path(qrels).is_file():
        return {}
    with Path(qrels).open("rb") as file:
        return {"file": Path(qrels).name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
