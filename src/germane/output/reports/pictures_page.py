"""The page on a picture collection: features compared, and the pictures of the best and the worst queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from germane.demo.digits import DigitsComparison
from germane.output.page.shell import page, skeleton
from germane.output.plots import systems
from germane.output.reports.pictures import definitions, picture, picture_row

FIRST = "AP"
"""The measure by which queries are the best and the worst."""
SHOWN = 5
"""Number of best and of worst queries shown."""
INK = 16.0
SIZE = 36
EFFECT = "g_z"


def pictures_page(result: DigitsComparison, title: str = "Finding similar pictures") -> str:
    """The page, complete: everything it shows is inside."""
    body = skeleton(title, {name: heading for name, (heading, _) in SECTIONS.items()})
    for heading, content in SECTIONS.values():
        body = body.replace(f"{heading}</h2>", f"{heading}</h2>{content(result)}")
    body = body.replace('<p id="summary">', f'<p id="summary">{_summary(result)}')
    shown = {int(row) for row in re.findall(r'href="#picture-(\d+)"', body)}
    pictures = definitions(result.collection.pictures, sorted(shown), INK)
    wide = {"width": "container"}
    specs = {"leaderboard": systems.leaderboard([], **wide), "forest": systems.forest([], **wide)}
    return page(title, pictures + body, "pictures.js", {"figures": _figure_rows(result)}, specs)


def _summary(result: DigitsComparison) -> str:
    num = len(result.collection.digit)
    return (
        f"{num:,} handwritten digits of 8 × 8 pixels. Each is a query once; the other pictures of the same"
        f" digit are relevant, and all {num - 1:,} other pictures are ranked."
    )


def _figure_rows(result: DigitsComparison) -> dict[str, Any]:
    """What the two figures show, the best first."""
    scores, comparison = result.scores, result.comparison
    assert scores.intervals is not None
    means = {name: row[FIRST] for name, row in scores.mean().items()}
    place = [str(measure) for measure in scores.measures].index(FIRST)
    ends = [(float(scores.intervals.low[r][place]), float(scores.intervals.high[r][place])) for r in range(len(means))]
    letters = comparison.letters["", FIRST]
    best = max(means.values())
    board = [
        {"system": name, "mean": mean, "low": low, "high": high, "start": low, "end": high, "letters": letters[name]}
        | {"best": "best" if mean == best else ""}
        for (name, mean), (low, high) in zip(means.items(), ends, strict=True)
    ]
    pairs = [
        {"system": f"{pair.b} − {pair.a}", "difference": pair.difference, "low": pair.low, "high": pair.high}
        | {"p": pair.p_adjusted, "significant": pair.verdict(comparison.alpha)}
        for pair in comparison.pairs
        if pair.measure == FIRST
    ]
    return {
        "measure": FIRST,
        "level": f"{scores.intervals.level * 100:g}%",
        "intervals": comparison.intervals_in_words,
        "family": f"p {comparison.family_in_words}",
        "leaderboard": sorted(board, key=lambda row: -float(row["mean"])),
        "forest": pairs,
    }


def _leaderboard(result: DigitsComparison) -> str:
    scores = result.scores
    assert scores.intervals is not None
    means = scores.mean()
    best = {str(measure): max(row[str(measure)] for row in means.values()) for measure in scores.measures}
    rows = []
    for r, (feature, size) in enumerate(zip(result.features, result.dimensions, strict=True)):
        cells = [f'<th scope="row">{feature.name}</th>', f"<td>{feature.what}</td>", _number(str(size))]
        for m, measure in enumerate(map(str, scores.measures)):
            low, high = scores.intervals.low[r][m], scores.intervals.high[r][m]
            letters = result.comparison.letters["", measure][feature.name]
            is_best = means[feature.name][measure] == best[measure]
            star = '<span class="star">★<span class="unseen"> best </span></span>' if is_best else ""
            cells.append(
                f'<td class="number"><div class="mean{" best" * is_best}">{star}{means[feature.name][measure]:.4f}'
                f'<sup class="letters">{letters}</sup><div class="interval">{low:.3f} – {high:.3f}</div></div></td>'
            )
        rows.append(cells)
    header = ["Feature", "Vector", "#Components", *(f"#{measure}" for measure in scores.measures)]
    caption = (
        f"Means over {len(scores.queries):,} queries with {scores.intervals.level * 100:g}% intervals."
        " ★ marks the best. Features that share a letter do not differ significantly."
    )
    return '<div id="board"></div>' + _table(caption, header, rows)


def _differences(result: DigitsComparison) -> str:
    comparison = result.comparison
    rows = []
    for pair in comparison.pairs:
        sure = pair.significant(comparison.alpha)
        p = "&lt; 0.0001" if pair.p_adjusted < 0.0001 else f"{pair.p_adjusted:.4f}"
        rows.append(
            [
                f'<th scope="row">{pair.measure}</th>',
                f"<td>{pair.b} − {pair.a}</td>",
                f'<td class="number"><div class="mean{" best" * sure}">{pair.difference:+.4f}'
                f'<div class="interval">{pair.low:+.4f} to {pair.high:+.4f}</div></div></td>',
                _number(p),
                f"<td>{'yes' if sure else 'no'}</td>",
                _number(f"{pair.effect[EFFECT]:+.2f}"),
                _number(f"{pair.wins} / {pair.ties} / {pair.losses}"),
            ]
        )
    caption = (
        f"Paired {comparison.test} test over {comparison.pairs[0].num_queries:,} queries,"
        f" p {comparison.family_in_words}; {comparison.intervals_in_words}. {EFFECT} is the mean"
        " difference in standard deviations of the difference: with that many queries, a significant difference may"
        " still be small."
    )
    header = [
        "Measure",
        "Pair",
        "#Difference",
        "#Adjusted p",
        "Significant",
        f"#Effect {EFFECT}",
        "#Better / same / worse",
    ]
    return '<div id="forest"></div>' + _table(caption, header, rows)


def _digits(result: DigitsComparison) -> str:
    scores, digit = result.scores, result.collection.digit
    rows = []
    for label in sorted(scores.slices, key=int):
        means = {name: row[FIRST] for name, row in scores.aggregate("mean", scores.slices[label]).items()}
        best = max(means.values())
        first = int(np.flatnonzero(digit == int(label))[0])
        shown = [f'<th scope="row">{picture(first, 32, f"a {label}")}</th>']
        shown += [_number(label), _number(str(len(scores.slices[label])))]
        rows.append([*shown, *(f'<td class="number{" best" * (m == best)}">{m:.4f}</td>' for m in means.values())])
    header = ["One of them", "#Digit", "#Queries", *(f"#{feature.name}" for feature in result.features)]
    caption = f"Mean {FIRST} over the queries of each digit; the best feature in bold. No tests here."
    return _table(caption, header, rows)


def _queries(result: DigitsComparison) -> str:
    parts = [
        f'<p class="hint">Ordered by {FIRST}, which takes the whole ranking into account. Shown are the nearest'
        " pictures, nearest first: ✓ is the same digit, ✕ (in a broken frame) another one.</p>"
    ]
    for r, feature in enumerate(result.features):
        order = np.argsort(_values(result, r), kind="stable").tolist()
        parts.append(f"<h3>{feature.name}</h3>")
        parts.append('<div class="halves">')
        for name, chosen in (("Worst", order[:SHOWN]), ("Best", order[::-1][:SHOWN])):
            rows = "".join(_ranking(result, r, query) for query in chosen)
            parts.append(f"<div><h4>{name}</h4>{rows}</div>")
        parts.append("</div>")
    return "".join(parts)


def _movers(result: DigitsComparison) -> str:
    """The best feature against the next one: the queries that gain and that lose most."""
    means = {name: row[FIRST] for name, row in result.scores.mean().items()}
    best, second = sorted(means, key=lambda name: -means[name])[:2]
    names = [feature.name for feature in result.features]
    pair = next(p for p in result.comparison.pairs if p.measure == FIRST and {p.a, p.b} == {best, second})
    gained, lost = (pair.gained, pair.lost) if pair.b == best else (pair.lost, pair.gained)
    parts = [f'<p class="hint">{best} against {second}, the two with the highest mean {FIRST}.</p><div class="halves">']
    for heading, queries in ((f"Where {best} do better", gained), (f"Where {second} do better", lost)):
        rows = [
            f"<p><strong>{name}</strong></p>{_ranking(result, names.index(name), int(query))}"
            for query, _ in queries
            for name in (best, second)
        ]
        parts.append(f"<div><h3>{heading}</h3>{''.join(rows)}</div>")
    return "".join([*parts, "</div>"])


def _ranking(result: DigitsComparison, r: int, query: int) -> str:
    """A query with what is nearest to it by one feature, and its value."""
    digit = result.collection.digit
    found = result.neighbours[r][query].tolist()
    right = (digit[found] == digit[query]).tolist()
    value = f"{FIRST} {_values(result, r)[query]:.3f}"
    words = f"a {digit[query]}, picture {query}: {value}; {sum(right)} of the {len(found)} nearest are right"
    drawing = picture_row(query, found, right, SIZE, f"{words}; found {', '.join(map(str, digit[found].tolist()))}")
    return f'{drawing}<p class="hint">{escape(words)}</p>'


def _values(result: DigitsComparison, r: int) -> Any:
    """The value of each picture as a query, in the order of the pictures."""
    by_query = result.scores[result.features[r].name, FIRST]
    return np.asarray([by_query[str(row)] for row in range(len(result.collection.digit))])


def _method(result: DigitsComparison) -> str:
    comparison, intervals = result.comparison, result.scores.intervals
    assert intervals is not None
    lines = {
        "Pictures": "scikit-learn's digits (Alpaydin and Kaynak, UCI 1998): 1,797 of them, part of the package",
        "Relevant": "the same digit; the query itself is excluded from its ranking",
        "Score": "exact cosine of the two vectors; ties broken by picture number, descending as text",
        "Intervals of means": f"{intervals.level * 100:g}%, {intervals.method}",
        "Intervals of differences": comparison.intervals_in_words,
        "Test": f"paired {comparison.test} test, two-sided, p {comparison.family_in_words}",
        "Mind": "pictures of one digit are relevant to each other, so queries are not quite independent: "
        "intervals are somewhat too narrow, and p somewhat too small",
    }
    rows = "".join(f"<div><dt>{name}</dt><dd>{escape(text)}</dd></div>" for name, text in lines.items())
    return f'<dl class="settings">{rows}</dl>'


def _number(text: str) -> str:
    return f'<td class="number">{text}</td>'


def _table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, shown in full, of cells that are HTML already; a heading that begins with # stands above numbers."""
    sides = (' class="number"' if text.startswith("#") else "" for text in header)
    titles = (escape(text.removeprefix("#")) for text in header)
    head = "".join(f'<th scope="col"{side}>{text}</th>' for side, text in zip(sides, titles, strict=True))
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption.partition(".")[0])}">'
        f'<table class="leaderboard"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


SECTIONS = {
    "leaderboard": ("How good are the features?", _leaderboard),
    "differences": ("Is one really better?", _differences),
    "digits": ("Which digits are hard?", _digits),
    "queries": ("The worst and the best queries", _queries),
    "movers": ("Where two features differ most", _movers),
    "method": ("Methods", _method),
}
"""By id, the heading of each section and what makes it."""
