"""Agents, their answers and simulations, as tables for people or as JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from germane.learning.agent import Agent, AgentState, Answer, Question, Simulation
from germane.learning.agent.experience import Experience, rates_of
from germane.learning.agent.reranking import RerankingModel
from germane.learning.agent.simulating import SimulatedRound
from germane.learning.agent.utility import costs_text
from germane.learning.agent.weak_spots import weak_spots
from germane.report.comparison_tables import p_text, signed
from germane.report.grids import render_grid
from germane.report.search_tables import printable
from germane.tables.comparison import adjusted_for
from germane.tables.threshold_text import exact_text

STYLES = ("table", "markdown", "latex", "csv", "tsv", "json")
MARKS = {True: "+", False: "-", None: ""}
SHOWN_STRATEGIES = 10
LONGEST = 70
"""Characters of a title."""


def render_answer(answer: Answer, agent: Agent, style: str) -> str:
    """The documents that are returned, each with its probability, and why there are so many."""
    if style == "json":
        return _json(answer_as_dict(answer, agent))
    index, digits = agent.index, digits_that_decide(answer)
    rows = []
    for line in answer.results:
        number = index.doc_number(line.doc)
        stored = None if number is None else index.stored(number)
        said = "" if stored is None else " ".join((stored.title or stored.text[:200]).split())
        shown = said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
        rows.append(
            [
                str(line.rank),
                printable(line.doc),
                f"{line.probability:.{digits}f}",
                MARKS[line.judged],
                printable(shown),
            ]
        )
    text = render_grid(["rank", "document", "P(R|d)", "judged", "title"], rows, style) if rows else ""
    return text + "".join(f"{line}\n" for line in answer_words(answer))


def digits_that_decide(answer: Answer) -> int:
    """Decimals, three at least, with which no printed probability is on the other side of the printed threshold."""
    shown = [line.probability for line in answer.results]
    shown += [] if answer.best_left is None else [answer.best_left]
    for digits in range(3, 17):
        limit = round(answer.threshold, digits)
        if all((round(p, digits) > limit) == (p > answer.threshold) for p in shown):
            return digits
    return 17


def answer_words(answer: Answer) -> list[str]:
    """How many documents are worth it, in words."""
    if not answer.num_found:
        words = ["nothing is found"]
    else:
        worth = f"{answer.num_worth} of {answer.num_found} documents are worth returning"
        digits = digits_that_decide(answer)
        left = "" if answer.best_left is None else f"; the best of the rest has {answer.best_left:.{digits}f}"
        words = [f"{worth}: P(R|d) above {answer.threshold:.{digits}f}{left}"]
    if answer.unknown:
        words.append(f"in no document: {printable(', '.join(answer.unknown))}")
    return words


def answer_as_dict(answer: Answer, agent: Agent) -> dict[str, Any]:
    """The contract for other programs."""
    from germane import __version__

    return {"germane": __version__, "strategy": str(agent.strategy), **asdict(answer), "notes": list(agent.notes)}


def render_question(question: Question, digits: int = 3) -> str:
    """Which document the agent asks about, and what the others would have told."""
    units = {"entropy": "bits less doubt", "cost": "less expected cost", "change": "of the top ten changed"}[
        question.by
    ]
    rows = [
        [printable(each.doc), f"{each.probability:.{digits}f}", f"{each.value:.{digits}f}"]
        for each in question.candidates
    ]
    return (
        f"is {printable(question.doc)} relevant? The answer is worth {question.value:.{digits}f} ({units}); "
        f"doubt about the best 50 is {question.uncertainty:.1f} bits\n\n"
        + render_grid(["document", "P(R|d)", "expected gain"], rows, "table")
    )


def render_simulation(found: Simulation, style: str, digits: int = 4) -> str:
    """Utility over rounds, of the agent that learns and of the frozen one."""
    if style == "json":
        return _json(simulation_as_dict(found))
    header = ["round", "judged", "relevant", "wrong", "queries", f"{found.utility} frozen", "learning", "difference"]
    header += ["low", "high", "p adjusted", "better", "worse"]
    rows = [
        [
            str(each.number), str(each.num_judged), str(each.num_relevant), str(each.num_errors), str(each.num_queries),
            f"{each.frozen:.{digits}f}", f"{each.agent:.{digits}f}", signed(each.difference, digits),
            signed(each.low, digits), signed(each.high, digits), p_text(each.p_adjusted, digits),
            str(each.better), str(each.worse),
        ]
        for each in found.rounds
    ]  # fmt: skip
    return render_grid(header, rows, style)


def simulation_as_dict(found: Simulation) -> dict[str, Any]:
    """The contract for other programs: every number in full, NaN as null."""
    from germane import __version__

    return {
        "germane": __version__,
        "utility": found.utility,
        "behaviour": {**asdict(found.behaviour), "in_words": str(found.behaviour)},
        "seed": found.seed,
        "rounds": [_round(each) for each in found.rounds],
        "queries": {
            query: {"learning": found.agent_values[:, place].tolist(), "frozen": found.frozen_values[:, place].tolist()}
            for place, query in enumerate(found.queries)
        },
        "lost": list(found.lost),
        "notes": list(simulation_notes(found)),
    }


def simulation_notes(found: Simulation) -> tuple[str, ...]:
    """What a reader of the numbers must know."""
    family = adjusted_for("bonferroni", len(found.rounds) - 1, "the rounds from 1 on")
    notes = [
        f"each person {found.behaviour} in each round (seed {found.seed})",
        "residual collection: what a person has seen is out of both rankings and of the judgments; the agent that "
        "learns also learns from the people before, and round 0 shows what that is worth",
        f"p: Student's paired t over queries, {family}; "
        "their intervals are simultaneous at 95%, and round 0 stands by itself",
    ]
    if found.lost:
        what = "topic has" if len(found.lost) == 1 else "topics have"
        notes.append(f"{len(found.lost)} {what} no relevant document left after the last round: they count in no round")
    return (*notes, *found.notes)


def render_agent(state: AgentState, style: str, digits: int = 4) -> str:
    """All about an agent: what it does and why, how good it is, and where it is weak."""
    if style == "json":
        return _json(agent_as_dict(state))
    choice, costs = state.choice, state.utility.costs
    held, evidence, feedback = choice["held_out"], choice["evidence"], choice["feedback"]
    margin, model = held["difference"], _reranking(state)
    parts = [
        f"strategy {state.strategy}, for the utility {choice['utility']}\n"
        f"  {choice['reason']}\n"
        f"  on new queries expect {_ends(held['agent'], digits)} (held out, {held['num_queries']} queries); the best "
        f"single strategy of the training folds has {held['best_single']['mean']:.{digits}f}, the difference is "
        f"{signed(margin['mean'], digits)} [{signed(margin['low'], digits)}, {signed(margin['high'], digits)}]\n",
        render_grid(
            ["strategy", "mean in training"],
            [[each["strategy"], f"{each['mean']:.{digits}f}"] for each in choice["strategies"][:SHOWN_STRATEGIES]],
            style,
        ),
        f"evidence of past queries: weight {state.evidence_weight:g}\n  {evidence['reason']}\n",
        render_grid(*_trials("weight", evidence["trials"], digits), style),
        f"re-ranking model: weight {model['weight']:g}, after feedback {model['weight_after']:g}\n"
        f"  {choice['reranking']['reason']}\n",
        render_grid(*_trials("weight", choice["reranking"]["trials"], digits), style),
        *([_features(state.reranking, style, digits)] if state.reranking is not None else []),
        f"feedback: {state.feedback or 'none'}\n  {feedback['reason']}\n",
        *([render_grid(*_trials("method", feedback["trials"], digits), style)] if feedback["trials"] else []),
        *(f"  {line}\n" for line in feedback["refused"]),
        f"P(R|d): Brier score {choice['calibration']['brier']:.{digits}f}, that of the base rate "
        f"{choice['calibration']['brier_of_base_rate']:.{digits}f} "
        "(estimated without each fold; the strategy was chosen with it)\n",
        f"decisions: {costs_text(costs)}, so that P(R|d) above {exact_text(costs.threshold)} is returned\n",
        "in training, P(R|d) estimated without each fold:\n" + _decisions(state.trained, digits),
    ]
    if state.lived.queries:
        marks = sum(map(len, state.marks.values()))
        parts.append(f"since: {marks} judgments for {len(state.marks)} queries\n" + _decisions(state.lived, digits))
    spots = [*weak_spots(state.trained), *weak_spots(state.lived)]
    parts.append("weak spots:\n" + ("".join(f"  {printable(spot.text)}\n" for spot in spots) or "  none was found\n"))
    return "\n".join(parts)


def agent_as_dict(state: AgentState) -> dict[str, Any]:
    """The contract for other programs."""
    from germane import __version__

    return {
        "germane": __version__,
        "strategy": str(state.strategy),
        "utility": state.utility.to_json(),
        "evidence_weight": state.evidence_weight,
        "reranking": _reranking(state),
        "feedback": None if state.feedback is None else str(state.feedback),
        "trained_on": {name: value for name, value in vars(state.origin).items() if name != "queries"},
        "choice": state.choice,
        "decisions": {
            when: {
                "confusion": _cells(experience),
                "rates": {
                    name: _numbers({"value": found.value, "low": found.low, "high": found.high})
                    for name, found in rates_of(experience).items()
                },
                "weak_spots": [asdict(spot) for spot in weak_spots(experience)],
            }
            for when, experience in (("trained", state.trained), ("since", state.lived))
        },
        "judgments": {query: dict(marks) for query, marks in state.marks.items()},
        "notes": list(state.notes),
    }


def _reranking(state: AgentState) -> dict[str, Any]:
    """The re-ranking model as it is now: its weights by feature, and how much it learned from."""
    model = state.reranking
    if model is None:
        return {"weight": 0.0, "weight_after": 0.0, "num_rows": 0, "num_told": 0, "features": {}}
    return {
        "weight": model.weight,
        "weight_after": model.weight_after,
        "num_rows": model.equations.num_rows,
        "num_told": model.num_told,
        "features": dict(zip(("intercept", *model.names), model.weights().tolist(), strict=True)),
    }


def _features(model: RerankingModel, style: str, digits: int) -> str:
    weights = zip(("intercept", *model.names), model.weights().tolist(), strict=True)
    return (
        f"  P(R|features) of the best {model.depth}, from {model.equations.num_rows:,} documents, "
        f"{model.num_told:,} of them since training\n\n"
        + render_grid(["feature", "weight"], [[name, signed(weight, digits)] for name, weight in weights], style)
    )


def _decisions(experience: Experience, digits: int) -> str:
    rates = ", ".join(
        f"{name} {found.value:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}]"
        for name, found in rates_of(experience).items()
    )
    cells = _cells(experience)
    rows = [
        ["relevant", str(cells["TP"]), str(cells["FN"])],
        ["not relevant", str(cells["FP"]), str(cells["TN"])],
    ]
    return render_grid(["", "returned", "not returned"], rows, "table") + rates + "\n"


def _cells(experience: Experience) -> dict[str, int]:
    (tn, fp), (fn, tp) = experience.confusion.counts.tolist()
    return {"TP": tp, "FP": fp, "FN": fn, "TN": tn}


def _trials(what: str, trials: Sequence[Mapping[str, Any]], digits: int) -> tuple[list[str], list[list[str]]]:
    header = [what, "mean", "difference", "p"]
    rows = [
        [
            f"{each[what]:g}" if isinstance(each[what], float) else str(each[what]),
            f"{each['mean']:.{digits}f}",
            signed(each["difference"], digits),
            p_text(each["p"], digits),
        ]
        for each in trials
    ]
    return header, rows


def _ends(found: Mapping[str, float], digits: int) -> str:
    return f"{found['mean']:.{digits}f} [{found['low']:.{digits}f}, {found['high']:.{digits}f}]"


def _round(each: SimulatedRound) -> dict[str, Any]:
    return _numbers(asdict(each))


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """JSON knows no NaN."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()
    }


def _json(found: Mapping[str, Any]) -> str:
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
