"""An agreement report for people, section by section, or as JSON for programs."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from germane.report.grids import render_grid
from germane.report.notes import note_as_dict
from germane.tables.agreement_report import (
    MIN_FOR_COEFFICIENT,
    READING,
    AgreementReport,
    AgreementValue,
    RankingAgreement,
)
from germane.tables.counted import counted

STYLES = ("table", "markdown", "json")
SHOWN_TOPICS, SHOWN_PAIRS = 5, 30
PAIR_COLUMNS = {
    "observed": "observed",
    "kappa_pooled": "kappa (pooled)",
    "kappa": "kappa (Cohen)",
    "kappa_quadratic": "quadratic",
    "AC1": "AC1",
    "overlap": "overlap",
}

Section = tuple[str, list[str], list[list[str]]]


def render_agreement(report: AgreementReport, style: str, *, per_topic: bool = False, digits: int = 4) -> str:
    """Write an agreement report in one of the styles."""
    if style == "json":
        return json.dumps(agreement_as_dict(report), indent=1, ensure_ascii=False) + "\n"
    parts = [textwrap.fill(report.verdict, 100) + "\n"]
    shown = sections(report, per_topic=per_topic, digits=digits) if report.num_shared else ()
    for title, header, rows in shown:
        heading = f"### {title}\n\n" if style == "markdown" else f"{title}\n"
        parts.append(heading + render_grid(header, rows, style))
    return "\n".join(parts)


def sections(report: AgreementReport, *, per_topic: bool = False, digits: int = 4) -> Iterator[Section]:
    """The tables of a report, each with its title."""
    yield _overall(report, digits)
    yield _pairs(report, digits)
    yield _judges(report, digits)
    yield _grades(report, digits)
    yield _topics(report, per_topic, digits)
    if report.repeats:
        rows = [
            [name.replace("_", " "), _cell(value, digits)]
            for name, value in report.repeats.items()
            if name != "items" and not math.isnan(value)
        ]
        yield f"Assessors with themselves, on {report.repeats['items']:.0f} repeated items", ["measure", "value"], rows
    if report.ranking is not None:
        yield from _ranking(report.ranking, digits)


def _overall(report: AgreementReport, digits: int) -> Section:
    shared = f"{counted(report.num_shared, 'document')} with two grades or more"
    title = (
        f"Agreement ({counted(len(report.assessors), 'assessor')}, {shared}, {counted(len(report.topics), 'topic')})"
    )
    rows = [
        [
            entry.title,
            _cell(entry.value, digits),
            _interval(entry, digits),
        ]
        for entry in report.overall
        if not (entry.is_mean and entry.reason)  # a note names the means that are not given
    ]
    return title, ["measure", "value", f"{report.level:.0%} interval"], rows


def _interval(entry: AgreementValue, digits: int) -> str:
    """Return the interval of a measure in words, or why the measure or its interval is missing."""
    if entry.reason is not None:
        return f"undefined: {entry.reason}"
    if math.isnan(entry.low):
        return f"none: {entry.no_interval}"
    return f"{entry.low:.{digits}f} to {entry.high:.{digits}f}"


def _pairs(report: AgreementReport, digits: int) -> Section:
    shown = {name: title for name, title in PAIR_COLUMNS.items() if name in report.pairs[0].values}
    pairs, rest = report.pairs, ""
    if len(pairs) > SHOWN_PAIRS:
        pairs = tuple(sorted(pairs, key=lambda pair: -pair.items)[:SHOWN_PAIRS])
        rest = f", the {SHOWN_PAIRS} of {len(report.pairs)} that share most documents"
    few = f" (coefficients need {MIN_FOR_COEFFICIENT} documents)"
    blank = few if any(pair.items < MIN_FOR_COEFFICIENT for pair in pairs) else ""
    rows = [
        [
            pair.first,
            pair.second,
            str(pair.items),
            *(_cell(pair.values[name], digits) for name in shown),
            f"{pair.higher:+.2f}" if pair.items else "",
        ]
        for pair in pairs
    ]
    header = ["first", "second", "documents", *shown.values(), "first higher by"]
    return f"Pairs of assessors{rest}{blank}", header, rows


def _judges(report: AgreementReport, digits: int) -> Section:
    header = ["assessor", "graded", "shared", "mean grade", "relevant", "with others", "cannot judge"]
    controls = {
        "distractors failed": [(judge.distractors_failed, judge.distractors) for judge in report.judges],
        "repeats same": [(judge.repeats_same, judge.repeats) for judge in report.judges],
    }
    used = {title: counts for title, counts in controls.items() if any(total for _, total in counts)}
    left_out = not all(math.isnan(judge.alpha_without) for judge in report.judges)
    rows = [
        [
            judge.assessor,
            str(judge.graded),
            str(judge.shared),
            f"{judge.mean_grade:.2f}",
            _percent(judge.relevant),
            _percent(judge.agreement),
            str(judge.cannot),
            *(f"{counts[place][0]} of {counts[place][1]}" for counts in used.values()),
            *([_percent(judge.pair_share), _cell(judge.alpha_without, digits)] if left_out else []),
        ]
        for place, judge in enumerate(report.judges)
    ]
    header += [*used, *(["in pairs", "alpha without"] if left_out else [])]
    return "Assessors (relevant: share of grades; with others: same grade as another assessor)", header, rows


def _grades(report: AgreementReport, digits: int) -> Section:
    names = [f"{grade:g}" for grade in report.grades]
    rows = []
    for place, entry in enumerate(report.by_grade):
        total = report.confusion[place].sum()
        cells = (_percent(count / total) if total else "" for count in report.confusion[place].tolist())
        rows.append([names[place], str(entry.given), *cells])
    return "Grades (where one assessor gives this, another gives …)", ["grade", "given", *names], rows


def _topics(report: AgreementReport, per_topic: bool, digits: int) -> Section:
    first = report.by_topic[0].values if report.by_topic else {}
    columns = {report.alpha.name: "alpha", "observed": "observed", "AC1": "AC1", "positive": "on relevant"}
    shown = {name: title for name, title in columns.items() if name in first}
    if per_topic or len(report.by_topic) <= SHOWN_TOPICS:
        topics, title = list(report.by_topic), "Topics"
    else:
        topics = sorted(report.by_topic, key=lambda topic: topic.values["observed"])[:SHOWN_TOPICS]
        title = f"Topics with the least agreement ({SHOWN_TOPICS} of {len(report.by_topic)}; --per-query shows all)"
    if any(topic.items < MIN_FOR_COEFFICIENT for topic in topics):
        title += f" (coefficients need {MIN_FOR_COEFFICIENT} documents)"
    rows = [[topic.topic, str(topic.items), *(_cell(topic.values[name], digits) for name in shown)] for topic in topics]
    return title, ["topic", "documents", *shown.values()], rows


def _ranking(ranking: RankingAgreement, digits: int) -> Iterator[Section]:
    by_system = dict(zip(ranking.systems, zip(*ranking.means.values(), strict=True), strict=True))
    best_first = sorted(by_system.items(), key=lambda entry: -sum(entry[1]))
    rows = [[system, *(_cell(value, digits) for value in values)] for system, values in best_first]
    yield (
        f"Systems by assessor ({ranking.measure}, the highest mean over assessors first)",
        ["system", *ranking.means],
        rows,
    )
    pairs = [
        [pair.first, pair.second, str(pair.topics), _cell(pair.tau, digits), _cell(pair.tau_ap, digits)]
        for pair in ranking.pairs
    ]
    yield "Order of the systems, between assessors", ["first", "second", "topics", "tau-b", "tau-ap-b"], pairs


def _cell(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}"


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{share:.0%}"


def agreement_as_dict(report: AgreementReport) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    from germane import __version__

    return {
        "germane": __version__,
        "assessors": list(report.assessors),
        "grades": list(report.grades),
        "relevant_from": report.rel,
        "num_topics": len(report.topics),
        "num_documents": report.num_items,
        "num_shared": report.num_shared,
        "verdict": report.verdict,
        "reading": READING,
        "headline": report.alpha.name,
        "interval": {
            "method": "percentile",
            "resampled": report.resampled,
            "level": report.level,
            "resamples": report.resamples,
            "seed": report.seed,
        },
        "agreement": {
            entry.name: {
                "title": entry.title,
                "value": _number(entry.value),
                "low": _number(entry.low),
                "high": _number(entry.high),
                **({} if entry.reason is None else {"undefined": entry.reason}),
                **({} if entry.no_interval is None else {"no_interval": entry.no_interval}),
            }
            for entry in report.overall
        },
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "num_documents": pair.items,
                "first_higher_by": _number(pair.higher),
                "agreement": _numbers(pair.values),
                "confusion": _whole(pair.confusion.tolist()),
            }
            for pair in report.pairs
        ],
        "topics": {topic.topic: {"num_documents": topic.items, **_numbers(topic.values)} for topic in report.by_topic},
        "by_grade": [
            {"grade": entry.grade, "given": entry.given, "agreement": _number(entry.agreement)}
            for entry in report.by_grade
        ],
        "confusion": _whole(report.confusion.tolist()),
        "judges": [
            {
                "assessor": judge.assessor,
                "graded": judge.graded,
                "shared": judge.shared,
                "cannot_judge": judge.cannot,
                "mean_grade": _number(judge.mean_grade),
                "relevant": _number(judge.relevant),
                "agreement": _number(judge.agreement),
                "distractors": judge.distractors,
                "distractors_failed": judge.distractors_failed,
                "repeats": judge.repeats,
                "repeats_same": judge.repeats_same,
                "pair_share": _number(judge.pair_share),
                "alpha_without": _number(judge.alpha_without),
                "too_fast": judge.too_fast,
            }
            for judge in report.judges
        ],
        "self_consistency": _numbers(report.repeats) or None,
        "systems": None if report.ranking is None else _ranking_as_dict(report.ranking),
        "notes": [note_as_dict(note) for note in report.notes],
    }


def _ranking_as_dict(ranking: RankingAgreement) -> dict[str, Any]:
    return {
        "measure": ranking.measure,
        "mean_tau_b": _number(ranking.mean_tau),
        "means": {
            who: _numbers(dict(zip(ranking.systems, values, strict=True))) for who, values in ranking.means.items()
        },
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "num_topics": pair.topics,
                "tau_b": _number(pair.tau),
                "tau_ap_b": _number(pair.tau_ap),
            }
            for pair in ranking.pairs
        ],
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in values.items()}


def _whole(table: Sequence[Sequence[float]]) -> list[list[int]]:
    return [[round(count) for count in row] for row in table]
