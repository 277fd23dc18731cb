"""The description of an agent, as a result: its choices and reasons, its quality, and its weak spots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from germane.learning.agent.knowledge.experience import cells_of, rates_of
from germane.learning.agent.state import AgentState
from germane.learning.agent.utility import costs_text
from germane.learning.agent.weak_spots import weak_spots
from germane.tables.decisions.threshold_text import exact_text
from germane.tables.notes.counts import counted
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

STRATEGIES = (F("strategy", "name"), F("mean", "value", "mean in training"))
EXPECTED = (F("of", "name"), F("mean", "value"), F("low", "value"), F("high", "value"))
FOUND = (F("mean", "value"), F("difference", "difference"), F("p", "p"))
WEIGHTS = (F("weight", "parameter"), *FOUND)
METHODS = (F("method", "name"), F("weight", "parameter", people=False), *FOUND)
FEATURES = (F("feature", "name"), F("weight", "difference"))
CALIBRATION = (
    F("brier", "value", "Brier score"),
    F("brier_of_base_rate", "value", "Brier score of the base rate"),
    F("num_docs", "count", "documents"),
    F("num_relevant", "count", "relevant"),
)
WHEN = F("when", "name", people="sent out")
DECISIONS = (WHEN, F("documents", "name", ""), F("returned", "count"), F("not_returned", "count"))
RATES = (WHEN, F("rate", "name"), F("value", "value"), F("low", "value"), F("high", "value"))
WEAK_SPOTS = (
    WHEN,
    F("kind", "name", people=False),
    F("where", "text", people=False),
    F("rate", "name", people=False),
    F("value", "value", people=False),
    F("elsewhere", "value", people=False),
    F("description", "text"),
)
SHOWN_STRATEGIES = 10


@dataclass(frozen=True, eq=False)
class AgentDescription(Result):
    """Description of an agent, derived from its state."""

    state: AgentState
    notes: tuple[str, ...] = ()

    schema: ClassVar[str] = "agent-show/1"

    @property
    def decisions(self) -> dict[str, dict[str, Any]]:
        """Confusion matrix, rates and weak spots in training and since deployment."""
        return {
            when: {
                "confusion": cells_of(one.queries.values())._asdict(),
                "rates": {n: {"value": r.value, "low": r.low, "high": r.high} for n, r in rates_of(one).items()},
                "weak_spots": [vars(spot) for spot in weak_spots(one)],
            }
            for when, one in (("trained", self.state.trained), ("since", self.state.since))
        }

    def tables(self) -> Iterator[Table]:
        """Return what was tried and chosen, then the outcome of its decisions."""
        choice, held = self.state.choice, self.state.choice["held_out"]
        yield table("strategies", STRATEGIES, choice["strategies"])
        expected = {"agent": "agent", "best_single": "best single strategy", "difference": "difference"}
        rows = [{"of": name, **held[key]} for key, name in expected.items()]
        title = f"Expected on new queries ({held['num_queries']} held-out queries)"
        yield table("expected", EXPECTED, rows, title=title)
        yield table("evidence", WEIGHTS, choice["evidence"]["trials"])
        yield table("reranking", WEIGHTS, choice["reranking"]["trials"])
        features = [{"feature": name, "weight": weight} for name, weight in self.reranking["features"].items()]
        yield table("features", FEATURES, features)
        yield table("feedback", METHODS, choice["feedback"]["trials"])
        title = "P(R|d), estimated out of fold; the strategy was chosen on all folds"
        yield table("calibration", CALIBRATION, [choice["calibration"]], title=title)
        sent_out = {"sent out": bool(self.state.since.queries)}
        decided = {when: one for when, one in self.decisions.items() if when == "trained" or sent_out["sent out"]}
        matrix = [
            {"when": when, "documents": name, "returned": one["confusion"][yes], "not_returned": one["confusion"][no]}
            for when, one in decided.items()
            for name, yes, no in (("relevant", "TP", "FN"), ("non-relevant", "FP", "TN"))
        ]
        title = "Decisions; in training, P(R|d) was estimated out of fold"
        yield table("decisions", DECISIONS, matrix, title=title, when=sent_out)
        rates = [{"when": w, "rate": name, **ends} for w, one in decided.items() for name, ends in one["rates"].items()]
        yield table("rates", RATES, rates, when=sent_out)
        spots = [{"when": when, **spot} for when, one in decided.items() for spot in one["weak_spots"]]
        below = () if spots else ("none found",)
        yield table("weak_spots", WEAK_SPOTS, spots, title="Weak spots", below=below, when=sent_out)

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Return the tables, each preceded by the choice made from it and the reason."""
        state, choice, model = self.state, self.state.choice, self.reranking
        strategies, expected, evidence, reranking, features, feedback, *decided = self.tables()
        yield f"strategy {state.strategy}, chosen for the utility {choice['utility']}\n  {choice['reason']}\n"
        yield strategies.chosen(range(len(strategies))[:SHOWN_STRATEGIES])
        yield expected
        yield f"evidence from past queries: weight {state.evidence_weight:g}\n  {choice['evidence']['reason']}\n"
        yield evidence
        weights = f"weight {model['weight']:g}, after feedback {model['weight_after']:g}"
        yield f"re-ranking model: {weights}\n  {choice['reranking']['reason']}\n"
        yield reranking
        if state.reranking is not None:
            learned = f"{counted(model['num_rows'], 'document')}, {model['num_new']:,} of them judged since training"
            yield f"P(R|features) of the top {state.reranking.depth}, learned from {learned}\n"
            yield features
        yield f"feedback: {state.feedback or 'none'}\n  {choice['feedback']['reason']}\n"
        if len(feedback):
            yield feedback
        if choice["feedback"]["refused"]:
            yield "".join(f"{line}\n" for line in choice["feedback"]["refused"])
        costs = state.utility.costs
        yield f"decisions: {costs_text(costs)}, so P(R|d) above {exact_text(costs.threshold)} is returned\n"
        if state.since.queries:
            judged = counted(sum(map(len, state.marks.values())), "judgment")
            yield f"since training: {judged} for {counted(len(state.marks), 'query')}\n"
        yield from decided

    @property
    def reranking(self) -> dict[str, Any]:
        """The current re-ranking model: weights by feature, and the number of rows it learned from."""
        model = self.state.reranking
        if model is None:
            return {"weight": 0.0, "weight_after": 0.0, "num_rows": 0, "num_new": 0, "features": {}}
        return {
            "weight": model.weight,
            "weight_after": model.weight_after,
            "num_rows": model.equations.num_rows,
            "num_new": model.num_new,
            "features": dict(zip(("intercept", *model.names), model.weights().tolist(), strict=True)),
        }

    def document(self) -> dict[str, Any]:
        """Return the agent's settings, the reasons for them, and the outcome of its decisions."""
        state = self.state
        return {
            "strategy": state.strategy,
            "utility": state.utility.to_json(),
            "evidence_weight": state.evidence_weight,
            "reranking": self.reranking,
            "feedback": state.feedback,
            "trained_on": {name: value for name, value in vars(state.origin).items() if name != "queries"},
            "choice": state.choice,
            "decisions": self.decisions,
            "judgments": state.marks,
        }
