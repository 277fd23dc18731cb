"""The page on many systems: small, true to the library to the last digit, and readable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.output.page.blocks import plain
from germane.output.reports.writing import report
from germane.tables.rankings.run import Run
from tests.output.browsers import Opened, chromium

pytestmark = pytest.mark.slow  # a browser draws every page

MEASURES = ["nDCG@10", "AP", "P@10", "RR", "R@100"]
DEPTH = 1000


def made_collection(num_runs: int, num_queries: int) -> tuple[dict[str, dict[str, int]], list[Run]]:
    """Runs of a thousand documents a query: common scores with noise of each run's own; a tenth is judged."""
    random = np.random.default_rng(num_runs)
    qrels: dict[str, dict[str, int]] = {}
    columns: list[tuple[list[str], list[str], list[float]]] = [([], [], []) for _ in range(num_runs)]
    noise = random.uniform(0.2, 1.5, num_runs)
    for q in range(num_queries):
        names = np.asarray([f"FT{900 + q}-{d:05}" for d in random.permutation(20_000)[: 3 * DEPTH]], dtype=object)
        judged = random.choice(len(names), 300, replace=False)
        grade = np.zeros(len(names))
        grade[judged[:60]] = random.integers(1, 3, 60)
        qrels[f"{301 + q}"] = {names[d]: int(grade[d]) for d in judged}
        common = random.normal(size=len(names)) + 2 * (grade > 0)
        for (queries, documents, scores), spread in zip(columns, noise, strict=True):
            own = (common + spread * random.normal(size=len(names))).round(4)
            first = np.argsort(-own)[:DEPTH]
            queries.extend([f"{301 + q}"] * DEPTH)
            documents.extend(names[first].tolist())
            scores.extend(own[first].tolist())
    return qrels, [replace(Run.from_columns(*own), name=f"system{r:03}") for r, own in enumerate(columns)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ge.Scores]:
    """Forty systems on twelve queries."""
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    path = tmp_path_factory.mktemp("many") / "report.html"
    scores = ge.evaluate(*made_collection(40, 12), MEASURES)
    report(scores, path)
    return path, scores


def blocks_of(opened: Opened, *names: str) -> list[Any]:
    found: list[Any] = opened.page.evaluate("names => Promise.all(names.map(window.germane.readBlock))", list(names))
    return found


def test_every_pair_is_that_of_the_comparison(browser: Any, forty: tuple[Path, ge.Scores]) -> None:
    path, scores = forty
    opened = Opened(browser, path)
    (pairs,) = blocks_of(opened, "pairs")
    compared = ge.compare(scores).pairs
    assert set(pairs["derived"]) >= {"difference", "low", "high", "p_adjusted", "wins", "ties", "losses", "d_z"}
    for name in ("difference", "low", "high", "p", "p_adjusted", "wins", "ties", "losses"):
        assert pairs[name] == plain([getattr(pair, name) for pair in compared]), name
    assert pairs["d_z"] == plain([pair.effect["d_z"] for pair in compared])
    assert pairs["significant"] == [pair.verdict(0.05) for pair in compared]
    opened.close()


def test_curves_worked_out_by_the_page_are_those_of_the_library(browser: Any, forty: tuple[Path, ge.Scores]) -> None:
    path, scores = forty
    qrels, runs = made_collection(40, 12)
    opened = Opened(browser, path)
    levels = [i / 10 for i in range(11)]
    expected = ge.evaluate(qrels, runs, [f"IPrec@{level:g}" for level in levels])
    means = [list(expected.mean()[name].values()) for name in ranked(scores, "nDCG@10")]
    charted = "all => all.map(e => [...e.querySelectorAll('td')].map(cell => cell.textContent))"
    opened.page.get_by_label("Figures show").select_option(label="all 40")
    opened.page.locator(".figure.iprec summary").click()
    opened.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")  # which draws every row
    # The choice of systems and the opened table are drawn a moment later.
    rows_shown = "wanted => document.querySelectorAll('.figure.iprec tbody tr:not(.gap)').length === wanted"
    opened.page.wait_for_function(rows_shown, arg=len(means) * len(levels))
    shown = opened.page.locator(".figure.iprec tbody tr:not(.gap)").evaluate_all(charted)
    assert shown == [[f"{x:.4f}", f"{y:.4f}"] for mean in means for x, y in zip(levels, mean, strict=True)]
    opened.close()


def test_a_hundred_systems_stay_below_four_megabytes(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    path = tmp_path / "report.html"
    report(*made_collection(100, 50), MEASURES, output=path)
    assert path.stat().st_size < 4_000_000


def systems_in(opened: Opened, table: str) -> list[str]:
    found: list[str] = opened.page.locator(f"{table} tbody th bdi").all_text_contents()
    return found


@pytest.fixture(scope="module")
def ninety(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ge.Scores]:
    """Ninety systems on six queries."""
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    path = tmp_path_factory.mktemp("many") / "report.html"
    scores = ge.evaluate(*made_collection(90, 6), ["AP", "P@10"])
    report(scores, path)
    return path, scores


def ranked(scores: ge.Scores, measure: str) -> list[str]:
    means = scores.mean()
    return sorted(means, key=lambda name: -means[name][measure])


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_a_long_table_has_only_the_rows_in_sight(browser: Any, ninety: Any, width: int, scheme: str) -> None:
    path, scores = ninety
    opened = Opened(browser, path, width=width, scheme=scheme)
    order = ranked(scores, "AP")
    table = opened.page.locator("table.leaderboard")
    assert table.get_attribute("aria-rowcount") == "91"
    assert 10 < table.locator("tbody tr:not(.gap)").count() < 60
    region = opened.page.locator(".scroll:has(.leaderboard)")
    region.focus()
    opened.page.keyboard.press("End")
    opened.page.wait_for_function(
        "name => document.querySelector('table.leaderboard').textContent.includes(name)", arg=order[-1]
    )
    assert order[0] not in " ".join(systems_in(opened, ".leaderboard"))
    assert table.locator("tbody tr:not(.gap)").last.get_attribute("aria-rowindex") == "91"
    opened.page.keyboard.press("Home")
    opened.page.wait_for_function(
        "name => document.querySelector('table.leaderboard').textContent.includes(name)", arg=order[0]
    )
    assert opened.said == []
    assert opened.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    opened.close()


def test_paper_has_every_row(browser: Any, ninety: Any) -> None:
    path, scores = ninety
    opened = Opened(browser, path)
    opened.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    shown = systems_in(opened, ".leaderboard")
    assert shown == ranked(scores, "AP")
    opened.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert len(systems_in(opened, ".leaderboard")) < 60
    opened.close()


def test_tabbing_through_a_long_table_reaches_rows_that_were_not_drawn(browser: Any, ninety: Any) -> None:
    path, scores = ninety
    opened = Opened(browser, path)
    opened.page.locator(".leaderboard thead button").last.focus()
    for _ in range(78):  # the boxes of A, B and the ten best cannot be ticked
        opened.page.keyboard.press("Tab")
    focused = opened.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == f"Draw {ranked(scores, 'AP')[87]} in figures"
    opened.close()


def test_ranks_and_ties_for_best_are_those_of_the_comparison(browser: Any, ninety: Any) -> None:
    path, scores = ninety
    opened = Opened(browser, path)
    compared = ge.compare(scores)
    (overview,) = blocks_of(opened, "overview")
    assert overview["letters"] is None
    for m, measure in enumerate(("AP", "P@10")):
        assert overview["ranks"][m] == [list(ends) for ends in compared.ranks["", measure].values()]
        names = [overview["systems"][r] for r in overview["tied"][m]]
        assert names == compared.tied_for_best(measure)
    tied = compared.tied_for_best("AP")
    told = opened.page.locator("#leaderboard .verdict").inner_text()
    best = f"{len(tied) - 1} systems do not differ significantly in AP from {tied[0]} (adjusted p above 0.05): "
    assert told.startswith(best + tied[1])
    assert "≈ marks systems" in opened.page.locator(".leaderboard caption").inner_text()
    opened.page.get_by_label("Only those not significantly worse").check()
    shown = systems_in(opened, ".leaderboard")
    assert shown == tied[: len(shown)]
    assert opened.page.locator("#leaderboard .count").last.text_content() == f"{len(tied)} systems of 90"
    opened.page.get_by_label("Only those not significantly worse").uncheck()
    opened.page.locator("#system-filter").fill("SYSTEM08")
    assert opened.page.locator("#leaderboard .count").last.text_content() == "10 systems of 90"
    assert sorted(systems_in(opened, ".leaderboard")) == [f"system{i:03}" for i in range(80, 90)]
    opened.close()


def test_figures_draw_the_best_and_what_is_picked(browser: Any, ninety: Any) -> None:
    path, scores = ninety
    opened = Opened(browser, path)
    order = ranked(scores, "AP")

    def drawn(kind: str) -> list[str]:
        labels = opened.page.locator(f".figure.{kind} .role-axis-label text")
        return [text for text in labels.all_text_contents() if text.startswith("system")]

    def drawn_soon(kind: str, expected: list[str]) -> bool:
        for _ in range(200):
            if drawn(kind) == expected:
                return True
            opened.page.wait_for_timeout(50)
        return False

    assert drawn("leaderboard") == order[:10]
    assert drawn("distribution") == order[:10]
    opened.page.locator("#system-filter").fill(order[60])
    opened.page.get_by_label(f"Draw {order[60]} in figures").check()
    assert drawn_soon("leaderboard", [*order[:10], order[60]])
    assert drawn_soon("heat", [*order[:10], order[60]] * 2)
    assert drawn_soon("forest", [name for name in [*order[:10], order[60]] if name != order[0]])
    opened.page.get_by_role("button", name="Clear picks").click()
    opened.page.get_by_label("Figures show").select_option(label="best 20")
    assert drawn_soon("leaderboard", order[:20])
    opened.close()


TIED_RUNS = {
    "tied": {"q1": {"a": 1.0, "b": 1.0, "u": 1.0, "c": 0.5}, "q2": {"b": 2.0, "v": 2.0, "a": 2.0}, "q3": {"d": 1.0}},
    "plain": {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}, "q3": {"u": 2.0, "v": 1.5, "d": 1.0, "a": 0.5}},
}
TIED_QRELS = {"q1": {"a": 2, "b": 0, "c": 0.5, "z": 1}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1, "d": 1}}


@pytest.mark.parametrize(
    "how", [{"ties": "docno"}, {"ties": "best"}, {"ties": "expected"}, {"topics": "both"}], ids=str
)
def test_curves_follow_from_the_rankings_whatever_the_ties(browser: Any, tmp_path: Path, how: dict[str, Any]) -> None:
    path, levels = tmp_path / "report.html", [i / 10 for i in range(11)]
    runs = (
        {"plain": TIED_RUNS["plain"]} if "topics" in how else TIED_RUNS
    )  # runs that answer other queries have no page
    report(TIED_QRELS, runs, "AP", output=path, depth=2, **how)
    ordered = {**how, "ties": "docno"} if how.get("ties") == "expected" else how
    expected = ge.evaluate(TIED_QRELS, runs, [f"IPrec@{level:g}" for level in levels], **ordered)
    opened = Opened(browser, path)
    opened.page.locator(".figure.iprec summary").click()
    opened.page.wait_for_selector(".figure.iprec tbody tr")
    cells = "all => all.map(row => [...row.querySelectorAll('td')].at(-1).textContent)"
    shown = opened.page.locator(".figure.iprec tbody tr").evaluate_all(cells)
    assert shown == [f"{value:.4f}" for mean in expected.mean().values() for value in mean.values()]
    assert opened.said == []
    opened.close()


ODD_REPORTS: dict[str, tuple[dict[str, Any], int, list[str]]] = {
    "baseline": ({"baseline": "system003"}, 4, ["AP", "P@10"]),
    "one query": ({}, 1, ["AP"]),
    "a count": ({}, 3, ["NumRelRet", "AP"]),
    "only a count": ({}, 3, ["NumRelRet"]),
}


@pytest.mark.parametrize("name", ODD_REPORTS)
def test_many_systems_that_cannot_be_compared_make_a_page_too(browser: Any, tmp_path: Path, name: str) -> None:
    options, num_queries, measures = ODD_REPORTS[name]
    path = tmp_path / "report.html"
    report(*made_collection(23, num_queries), measures, output=path, **options)
    opened = Opened(browser, path)
    assert opened.said == []
    assert opened.page.locator("table.leaderboard tbody tr").count() == 23
    assert opened.page.get_by_label("Only those not significantly worse").count() == (1 if name == "a count" else 0)
    opened.close()
