"""The verdict of the retrieval page: a few sentences for each measure, to be read aloud."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from germane.api.reports.rankings import RetrievalNumbers
from germane.api.reports.verdict import FAILURE, Lead, Unjudged, Verdict, Verdicts
from germane.measures.definition import MEASURES
from germane.tables.rankings.measure import Measure

NAMED = 3
"""Maximum number of systems or queries that a sentence names."""

FEW_QUERIES = 25
"""Below this many queries, a missing difference says more about the queries than about the systems."""

LEADERS = 2
"""Maximum number of systems that are named as leaders in other measures."""

MEASURES_NAMED = 4
"""Maximum number of measures that a sentence names."""

P_DIGITS = 6
"""Maximum number of decimal places of a p-value close to the significance level."""

CORRECTIONS = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini–Hochberg", "by": "Benjamini–Yekutieli"}

Part = str | dict[str, int]
"""Text, or the place of a system or of a query, which the page shows by its name."""


def verdicts(numbers: RetrievalNumbers) -> list[dict[str, list[Part]]]:
    """Return, by measure, the sentences on the best system, on other measures, on failures and on what is unjudged."""
    facts = Verdicts(numbers)
    found = {measure: facts.of(measure) for measure in numbers.scores.measures}
    return [_sentences(numbers, facts, found, measure) for measure in found]


def _sentences(
    numbers: RetrievalNumbers, facts: Verdicts, found: Mapping[Measure, Verdict | None], measure: Measure
) -> dict[str, list[Part]]:
    verdict = found[measure]
    if verdict is None:
        return {"best": [f"{measure} is undefined for every system."], "fails": [], "unjudged": [], "others": []}
    writer = _Writer(numbers, verdict)
    others = _other_leaders(facts, found, verdict)
    return {"best": writer.best(), "fails": writer.fails(), "unjudged": writer.unjudged(), "others": others}


def _other_leaders(facts: Verdicts, found: Mapping[Measure, Verdict | None], verdict: Verdict) -> list[Part]:
    """Who leads in other measures; "significantly" where a test shows it better than the leader in this measure."""
    best = verdict.best[0]
    led: dict[int, list[Measure]] = {}
    for measure, other in found.items():
        if other is not None and _has_direction(measure) and best not in other.best:
            led.setdefault(other.best[0], []).append(measure)
    if not led or not _has_direction(verdict.measure):
        return []
    shown = {system: [m for m in led[system] if facts.beats(m, system, best)] for system in led}
    order = sorted(led, key=lambda system: (-len(led[system]), -len(shown[system]), system))
    parts: list[Part] = []
    for system in order[:LEADERS]:
        where = f"{', in' if parts else 'In'} {_measures_in_words(led[system])}, "
        parts += [where, _system(system), " leads", *_over_leader(shown[system], len(led[system]), best)]
    rest = sum(len(led[system]) for system in order[LEADERS:])
    more = f"; {'another system leads' if rest == 1 else 'other systems lead'} in {rest} more" if rest else ""
    return [*parts, f"{more}."]


def _over_leader(shown: Sequence[Measure], led: int, best: int) -> list[Part]:
    if not shown:
        return []
    if len(shown) == led:
        return [" and is significantly better than ", _system(best)]
    return [" and is significantly better than ", _system(best), f" in {_measures_in_words(shown)}"]


def _measures_in_words(measures: Sequence[Measure]) -> str:
    """Return the names of a few measures, or the number of many.

    >>> _measures_in_words([Measure("AP"), Measure("RR")])
    'AP and RR'
    """
    if len(measures) > MEASURES_NAMED:
        return f"{len(measures)} other measures"
    return "".join(map(str, _listed([str(measure) for measure in measures])))


def _has_direction(measure: Measure) -> bool:
    return MEASURES[measure].better != "neither"


class _Writer:
    """The sentences on one measure."""

    def __init__(self, numbers: RetrievalNumbers, verdict: Verdict) -> None:
        self._numbers = numbers
        self._verdict = verdict
        self._name = str(verdict.measure)
        self._num_queries = numbers.scores.num_queries(numbers.runs[verdict.best[0]].name)

    def best(self) -> list[Part]:
        """Who is best, over whom that is shown, and over whom it is not."""
        verdict, alone = self._verdict, len(self._numbers.runs) == 1
        interval = self._interval(*verdict.interval)
        value = f"{number(verdict.mean)}, {interval}" if interval else number(verdict.mean)
        if alone:
            over = f"{'total' if MEASURES[verdict.measure].total else 'mean'} over {self._queries}"
            told = f" reaches {self._name} {number(verdict.mean)} ({f'{interval}; ' if interval else ''}{over}). "
            return [_system(0), told, "It is the only system, so there is nothing to compare it with."]
        if self._neutral:
            return [*_names(verdict.best), f": highest {self._name} ({value}), a measure without a better direction."]
        if len(verdict.best) > 1:
            return [*_names(verdict.best), f" share the best {self._name} ({value}). ", *self._over_whom()]
        is_baseline = self._numbers.runs[verdict.best[0]].name == self._numbers.choices.baseline
        sure = len(verdict.leads) == len(self._numbers.runs) - 1 and all(lead.shown for lead in verdict.leads)
        leads = f" {'is best' if sure else 'leads'} in {self._name} ({value}). "
        return [*(["The baseline "] if is_baseline else []), _system(verdict.best[0]), leads, *self._over_whom()]

    @property
    def _neutral(self) -> bool:
        return not _has_direction(self._verdict.measure)

    @property
    def _queries(self) -> str:
        return counted(self._num_queries, "query", "queries")

    def _over_whom(self) -> list[Part]:
        verdict, numbers = self._verdict, self._numbers
        if numbers.not_compared:
            queries = "One query cannot show which system is better." if self._num_queries == 1 else ""
            return [queries or "Differences were not tested."]
        if not verdict.leads:
            if len(verdict.best) == len(numbers.runs):
                return ["No system is better than another."]
            return [f"Differences in {self._name} were not tested."]
        if verdict.baseline_wins is not None:
            return self._over_baseline(verdict.leads[0])
        shown = [lead for lead in verdict.leads if lead.shown]
        rest = [lead for lead in verdict.leads if not lead.shown]
        if not shown:
            return [*self._not_shown(rest), *self._power(rest[0])]
        parts = self._shown(shown, len(verdict.leads))
        return [*parts, " ", *self._not_shown(rest, but=True)] if rest else parts

    def _shown(self, shown: Sequence[Lead], tested: int) -> list[Part]:
        """The systems that are beaten; the closest of them with its interval."""
        closest = shown[0]
        subject = "They beat" if len(self._verdict.best) > 1 else "It beats"
        size = f"{number(closest.lead)} ({self._evidence(closest)})"
        if tested == 1:
            return [f"{subject} ", _system(closest.system), f" by {size}."]
        method = CORRECTIONS.get(self._correction)
        rule = f"{self._p} ≤ {self._numbers.choices.alpha:g}{f', {method}' if method else ''}"
        if len(shown) == tested:
            whom: list[Part] = [f"all {tested} other systems" if tested > 2 else "both other systems"]
        elif len(shown) > NAMED:
            whom = [f"{len(shown)} of the other {tested} systems"]
        else:
            whom = _names([lead.system for lead in shown])
        if len(shown) == 1:
            return [f"{subject} ", _system(closest.system), f" by {size}."]
        return [f"{subject} ", *whom, f" ({rule}); the closest of them, ", _system(closest.system), f", by {size}."]

    def _not_shown(self, rest: Sequence[Lead], *, but: bool = False) -> list[Part]:
        """The systems that are not beaten, and why the closest of them is not."""
        shared = len(self._verdict.best) > 1
        lead = self._open_lead(rest[0], "their" if shared else "its")
        if len(rest) == 1:
            return ["But ", *lead] if but else _capitalised(lead)
        whom = _names([each.system for each in rest]) if but else ["any other system"]
        return ["They do not significantly beat " if shared else "It does not significantly beat ", *whom, ": ", *lead]

    def _open_lead(self, lead: Lead, whose: str, over: str = "") -> list[Part]:
        """One lead that is not shown, with the reason."""
        ends, p = self._evidence_parts(lead)
        if not lead.tested:
            reason = f"is the same on every query, so there is no test{f' ({ends})' if ends else ''}"
        elif lead.excludes_zero:
            reason = f"is not significant among {self._num_tests} tests ({ends}; {p})"
        elif lead.significant and ends:
            reason = f"is uncertain: test and interval disagree ({ends}; {p})"
        else:
            reason = f"could be chance ({self._evidence(lead)})"
        return [f"{whose} lead of {number(lead.lead)} over {over}", _system(lead.system), f" {reason}."]

    def _over_baseline(self, lead: Lead) -> list[Part]:
        others = len(self._numbers.runs) - 2
        if lead.shown:
            size = f"{number(lead.lead)} ({self._evidence(lead)})"
            parts: list[Part] = ["It beats the baseline ", _system(lead.system), f" by {size}."]
        else:
            parts = [*_capitalised(self._open_lead(lead, "its", "the baseline ")), *self._power(lead)]
        wins = (self._verdict.baseline_wins or 0) - lead.shown
        if others == 1:
            beats = "beats" if wins else "does not beat"
            parts.append(f" The other system was tested only against the baseline; it {beats} it.")
        elif others > 1:
            beat = "none of them beats" if not wins else "1 of them beats" if wins == 1 else f"{wins} of them beat"
            parts.append(f" The other {others} systems were tested only against the baseline; {beat} it.")
        return parts

    def _power(self, lead: Lead) -> list[Part]:
        """What this set of queries could have shown."""
        detectable = lead.minimum_detectable
        found = ""
        if detectable is not None and math.isfinite(detectable) and detectable > 0:
            lowest, highest = MEASURES[self._verdict.measure].bounds
            found = f"a true difference of {number(detectable)} or more would be found with 80% power"
            if detectable > highest - lowest:
                return [
                    f" With {self._queries}, even the largest possible difference would not be detected with 80% power."
                ]
        if self._num_queries < FEW_QUERIES:
            return [f" {self._queries} are too few to tell{f': only {found}' if found else ''}."]
        return [f" With {self._queries}, {found}."] if found else []

    def fails(self) -> list[Part]:
        """The queries on which the best system fails, or its weakest ones."""
        failures, several = self._verdict.failures, len(self._numbers.runs) > 1
        queries = failures.queries
        who: Part = _system(self._verdict.best[0])
        if self._num_queries < 2 or not queries or self._neutral:
            return []
        limit = f"{self._name} below {FAILURE:g}"
        if not failures.are_failures:
            return self._weakest(who, queries[0], limit)
        if len(queries) <= NAMED:
            parts: list[Part] = [who, " fails on ", *_listed([{"query": q} for q in queries]), f" ({limit})"]
        else:
            named = _listed([{"query": q} for q in queries[:NAMED]])
            parts = [who, f" fails on {len(queries)} of {self._num_queries:,} queries ({limit}), such as ", *named]
        if several:
            parts.append(_shared_failures(failures.of_all_systems, len(queries)))
        if failures.missing:
            parts.append(
                f" {failures.missing} of them {'is' if failures.missing == 1 else 'are'} missing from the run."
            )
        return parts if several else [*parts, "."]

    def _weakest(self, who: Part, query: int, limit: str) -> list[Part]:
        """The weakest query of a system that fails on none, with the value of the runner-up."""
        scores, rival = self._numbers.scores, self._verdict.runner_up
        values = scores.values[:, scores.measures.index(self._verdict.measure), query]
        told: list[Part] = [f" ({number(float(values[self._verdict.best[0]]))}"]
        if rival is not None and not math.isnan(values[rival]):
            told += ["; ", _system(rival), f" {number(float(values[rival]))}"]
        if self._verdict.failures.can_fail:
            return [who, f" fails on no query ({limit}); its weakest is ", {"query": query}, *told, ")."]
        return [who, "'s weakest query is ", {"query": query}, *told, ")."]

    def unjudged(self) -> list[Part]:
        """The share of unjudged documents, and whether judging them could change who is best."""
        found, best = self._verdict.unjudged, self._verdict.best[0]
        where = "" if found.cut is None else f" in the top {found.cut}"
        if not any(found.shares):
            return [f"All documents retrieved{where} are judged." if where else "All retrieved documents are judged."]
        rivals = self._rivals(found)
        parts: list[Part] = [
            f"{share(found.shares[best]) if found.shares[best] else 'none'} of the documents that ",
            _system(best),
        ]
        parts.append(f" retrieved{where} are unjudged")
        others = [part for r in rivals for part in (", ", _system(r), f": {share(found.shares[r])}")]
        parts += [" (", *others[1:], ")."] if others else ["."]
        return _capitalised(parts if self._neutral else [*parts, " ", *self._effect(found, best)])

    def _rivals(self, found: Unjudged) -> list[int]:
        """The runner-up, and the system with the most unjudged documents if it is not significantly worse."""
        if self._verdict.runner_up is None:
            return []
        within_reach = [lead.system for lead in self._verdict.leads if not lead.shown]
        most = max(within_reach, key=lambda r: found.shares[r], default=self._verdict.runner_up)
        more = found.shares[most] > max(found.shares[self._verdict.runner_up], found.shares[self._verdict.best[0]])
        return [self._verdict.runner_up, *([most] if more else [])]

    def _effect(self, found: Unjudged, best: int) -> list[Part]:
        """What judging them could change, as far as bounds show it."""
        alone = len(found.shares) == 1
        if found.low is None or found.high is None:
            changed = f"How much judging them would change {self._name}"
            changed = changed if alone else "Whether judging them would change the order"
            return [f"{changed} is not known (no bounds for {self._name})."]
        low, high = found.low, found.high
        if alone:
            return [f"With all of them judged, {self._name}{_range(low[0], high[0])}."]
        rivals = [*self._verdict.best[1:], *self._verdict.others]
        lower = self._numbers.scores.lower_is_better(self._verdict.measure)
        overtaking = [r for r in rivals if (low[r] < high[best] if lower else high[r] > low[best])]
        rival = next(iter(overtaking), rivals[0])
        parts: list[Part] = [f"Judging them {'could' if overtaking else 'cannot'} change who is best: "]
        parts += [_system(best), _range(low[best], high[best]), ", ", _system(rival), _range(low[rival], high[rival])]
        return [*parts, "."]

    @property
    def _num_tests(self) -> int:
        comparison = self._numbers.comparison
        return 1 if comparison is None else comparison.num_tests

    @property
    def _correction(self) -> str:
        comparison = self._numbers.comparison
        return "" if comparison is None else comparison.correction

    def _evidence(self, lead: Lead) -> str:
        return "; ".join(part for part in self._evidence_parts(lead) if part)

    def _evidence_parts(self, lead: Lead) -> tuple[str, str]:
        p = "" if math.isnan(lead.p) else f"{self._p} {probability(lead.p, self._numbers.choices.alpha)}"
        return self._interval(lead.low, lead.high, of_difference=True), p

    @property
    def _p(self) -> str:
        return "p" if self._num_tests == 1 or self._correction == "none" else "adjusted p"

    def _interval(self, low: float, high: float, *, of_difference: bool = False) -> str:
        if math.isnan(low) or math.isnan(high):
            return ""
        comparison = self._numbers.comparison
        level = comparison.level if of_difference and comparison is not None else self._numbers.choices.level
        together = "simultaneous " if of_difference and comparison is not None and comparison.simultaneous else ""
        return f"{together}{level * 100:g}% CI {number(low)} to {number(high)}"


def _range(low: float, high: float) -> str:
    """What the bounds of a mean say.

    >>> _range(0.2, 0.6), _range(0.5, 0.5)
    (' would be from 0.200 to 0.600', ' would stay at 0.500')
    """
    ends = number(low), number(high)
    return f" would stay at {ends[0]}" if ends[0] == ends[1] else f" would be from {ends[0]} to {ends[1]}"


def _shared_failures(shared: int, failures: int) -> str:
    if shared == failures:
        return "; every other system fails there too."
    if not shared:
        return "; on each, another system does better."
    return f"; on {shared} of them every system fails."


def _capitalised(parts: list[Part]) -> list[Part]:
    first = parts[0]
    assert isinstance(first, str)
    return [first[:1].upper() + first[1:], *parts[1:]]


def _system(place: int) -> Part:
    return {"system": place}


def _names(systems: Sequence[int]) -> list[Part]:
    """Names of systems as a list in words, the last of many as a number."""
    if len(systems) <= NAMED:
        return _listed([_system(place) for place in systems])
    return _listed([*(_system(place) for place in systems[: NAMED - 1]), f"{len(systems) - NAMED + 1} others"])


def _listed(parts: Sequence[Part]) -> list[Part]:
    """Parts with commas, and "and" before the last.

    >>> _listed(["a", "b", "c"])
    ['a', ', ', 'b', ' and ', 'c']
    """
    found: list[Part] = []
    for place, part in enumerate(parts):
        found += [part] if not place else [" and " if place == len(parts) - 1 else ", ", part]
    return found


def number(value: float) -> str:
    """Return a number to three decimal places, with a true minus sign; small ones to five.

    >>> number(-0.0123), number(0.5), number(0.00042), number(12.0), number(0.0)
    ('−0.012', '0.500', '0.00042', '12', '0')
    """
    if float(value).is_integer():
        return f"{value:,.0f}".replace("-", "−")
    text = f"{value:.5f}" if abs(value) < 0.001 else f"{value:.3f}"
    return text.replace("-", "−")


def share(part: float) -> str:
    """Return a share in percent; one that would round to zero says so.

    >>> share(0.036), share(0.0002), share(0)
    ('3.6%', 'less than 0.1%', '0%')
    """
    return "0%" if not part else "less than 0.1%" if part < 0.0005 else f"{part:.1%}"


def probability(p: float, alpha: float = 0.05) -> str:
    """Return a p-value with its sign; close to the significance level, with the digits that tell them apart.

    >>> probability(0.00001), probability(0.0004), probability(0.0312), probability(1.0)
    ('< 0.0001', '= 0.0004', '= 0.031', '= 1')
    >>> probability(0.04998), probability(0.0501), probability(0.05), probability(0.0499999999)
    ('= 0.04998', '= 0.0501', '= 0.050', '< 0.05')
    """
    if round(p, 3) == alpha != p:
        near = next((rounded for d in range(4, P_DIGITS + 1) if (rounded := round(p, d)) != alpha), None)
        return f"= {near:g}" if near is not None else f"{'<' if p < alpha else '>'} {alpha:g}"
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}" if p < 0.001 else f"= {p:.3f}" if p < 0.9995 else "= 1"


def counted(count: int, noun: str, plural: str) -> str:
    """Return a count with its noun."""
    return f"{count:,} {noun if count == 1 else plural}"
