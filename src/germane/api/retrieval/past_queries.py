"""Load past topics with judgments, and let an engine and its costs learn from them."""

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

GIVE_THEM = "add past topics and their judgments: --past-topics FILE --past-qrels FILE"


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
    """Load past topics and their judgments, checked against the current topics; None where none were given."""
    if topics is None or qrels is None:
        if topics is not None or qrels is not None:
            has, lacks = ("topics", "judgments") if qrels is None else ("judgments", "topics")
            raise GermaneError(f"expected past topics and their judgments, found {has} without {lacks}", hint=GIVE_THEM)
        for name, value in (("rel", rel), ("shared", shared), ("qrels_format", format)):
            if value is not None:
                raise GermaneError(f"`past_{name}=` requires past topics", hint=GIVE_THEM)
        return None
    if shared is not None and shared not in get_args(Shared):
        near = did_you_mean(shared, get_args(Shared))
        raise GermaneError(f"expected past_shared to be {' or '.join(get_args(Shared))}, found {shared!r}{near}")
    from germane.api.rankings.evaluation import load_qrels

    queries = queries_of(topics, field, numbers)
    origin = {"topics": described(topics, queries, field), "qrels": _file(qrels), "shared": shared or "refuse"}
    judgments, least = load_qrels(qrels, format=format), 1 if rel is None else rel
    return Past.of(queries, judgments, least, asked=asked, shared=shared or "refuse", origin=origin)


@dataclass(frozen=True, eq=False)
class Deciding:
    """Costs of documents, and the method to turn scores into probabilities, before learning."""

    costs: Costs
    choice: CalibrationChoice

    @classmethod
    def of(
        cls, costs: str | Sequence[float] | Costs | None, calibration: str | CalibrationChoice | None
    ) -> Deciding | None:
        """Return the settings as given; None without costs."""
        from germane.retrieval.engines.expected_cost import CALIBRATIONS, costs_of

        if costs is not None:
            return cls(costs_of(costs), CALIBRATIONS.parse(calibration or "isotonic"))
        if calibration is not None:
            raise GermaneError("`calibrate=` requires costs", hint="add `costs=…`")
        return None


@dataclass(frozen=True, eq=False)
class Prepared:
    """An engine after learning and, with costs, the calibration of its scores."""

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
    """Let the engine learn from past topics; with costs, rank them to the same depth to calibrate its scores."""
    if past is None:
        if must_learn(engine):
            raise GermaneError("BII requires past topics with judgments, found none", hint=GIVE_THEM)
        if deciding is not None:
            problem = "costs require past topics with judgments to calibrate scores, found none"
            raise GermaneError(problem, hint=GIVE_THEM)
        return Prepared(engine)
    if deciding is None and not learns(engine):
        hint = "use `model='BII'` or `costs=…`, or remove past topics"
        raise GermaneError("past topics require the model BII or costs", hint=hint)
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
