"""The page on runs, in a real browser: offline, silent, operable by keyboard, and true to the JSON output."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from germane.cli import group
from germane.formats.truth.topics_file import Topic
from germane.output.reports.writing import report
from tests.output.browsers import Opened, chromium, serious_faults

pytestmark = pytest.mark.slow  # a browser draws every page

SCRIPT = "<script>window.hacked = true</script>"
HOSTILE_QUERY = f"\"'>{SCRIPT}\u202eltr\u2066"
HOSTILE_DOC = "</script><img/src=x/onerror=hacked=1>\u202e&amp;`${1}`"
LONG = "x" * 10_000
MEASURES = ["AP", "nDCG", "nDCG@3", "RBP", "RR", "P@2", "Bpref", "ERR@10", "IPrecAvg", "NumRelRet", "InfAP"]


def made_data() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Five queries and three systems; some names are hostile, one query has nothing relevant, one run lacks a query."""
    qrels = {
        HOSTILE_QUERY: {HOSTILE_DOC: 2, "d1": 1, "d2": 0, LONG: 1},
        "q10": {"d1": 1, "d3": 0, "d4": -1},
        "q2": {"d1": 0, "d2": 2, "d9": 1},
        "q3": {"d5": 0},
        LONG[:300]: {"d1": 1, "d7": 1},
    }
    first = {q: {d: float(-i) for i, d in enumerate(["d2", "d1", "u1", *docs])} for q, docs in qrels.items()}
    second = {q: {d: float(i) for i, d in enumerate(dict.fromkeys([*docs, "u2"]))} for q, docs in qrels.items()}
    third = {q: {"d1": 1.0, "d2": 1.0, "u3": 0.5} for q in list(qrels)[:4]}
    return qrels, {"first": first, f"{SCRIPT}": second, "third": third}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    path = tmp_path_factory.mktemp("page") / "report.html"
    qrels, runs = made_data()
    costs = {"first": {"ms": 3.0}, "third": {"ms": 1.0}}
    report(qrels, runs, MEASURES, output=path, title=f"Of {SCRIPT}", depth=3, run_costs=costs)
    return path


@pytest.fixture
def opened(browser: Any, written: Path) -> Iterator[Opened]:
    page = Opened(browser, written)
    yield page
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_it_opens_offline_without_a_word_and_without_a_request(
    browser: Any, written: Path, width: int, scheme: str
) -> None:
    opened = Opened(browser, written, width=width, scheme=scheme)
    assert opened.page.locator("figure svg").count() >= 7
    assert opened.said == []
    assert [url for url in opened.requested if not url.startswith(("file:", "blob:", "data:"))] == []
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert opened.page.evaluate(wider) == 0
    opened.close()


def test_the_policy_lets_nothing_else_in(opened: Opened) -> None:
    content = opened.page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert content.startswith("default-src 'none'; ")
    assert "unsafe" not in content
    opened.page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'stray = 1'}))")
    assert opened.page.evaluate("typeof stray") == "undefined"
    assert any("Content Security Policy" in said for said in opened.said)


def test_hostile_names_stay_text(opened: Opened) -> None:
    page = opened.page
    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator("img").count() == 0
    assert page.title() == f"Of {SCRIPT}"
    button = page.locator(".by-query tbody button").filter(has_text="window.hacked")
    assert button.evaluate("e => e.textContent") == HOSTILE_QUERY
    button.click()
    page.wait_for_selector("#query-heading")
    shown = page.locator(".ranking bdi").evaluate_all("all => all.map(e => e.textContent)")
    assert {HOSTILE_DOC, LONG} <= set(shown)
    assert page.evaluate("typeof hacked") == "undefined"
    assert opened.said == []


@pytest.fixture(scope="module")
def in_words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same data with questions and documents in words, some of them hostile; not all queries have a question."""
    path = tmp_path_factory.mktemp("words") / "report.html"
    qrels, runs = made_data()
    asked: dict[str, str | Topic] = {
        "q10": Topic("q10", f"Wine {SCRIPT}", HOSTILE_DOC, "Any wine."),
        "q2": "Which roses?",
        HOSTILE_QUERY: LONG,
    }
    begin = {"d1": f"d1 {SCRIPT}", "__proto__": "x", "d2": "About roses."}
    report(qrels, runs, ["AP", "P@2"], output=path, depth=3, query_texts=asked, documents=begin, baseline="first")
    return path


def test_questions_and_documents_are_shown_in_words_and_stay_text(browser: Any, in_words: Path) -> None:
    opened = Opened(browser, in_words, width=390)
    page = opened.page
    page.locator("#filter").fill("ROSES")
    assert first_column(opened) == ["q2"]
    page.locator("#filter").fill("q1")
    assert page.locator(".by-query tbody .words").all_text_contents() == [f"Wine {SCRIPT}"]
    open_query(opened, "q10")
    assert page.locator(".question p").all_text_contents() == [f"Wine {SCRIPT}", HOSTILE_DOC, "Any wine."]
    assert set(page.locator(".beginning").all_text_contents()) == {SCRIPT, "About roses."}
    opened.settled()
    assert "query q10: Wine <script>" in page.locator(".figure.iprec figcaption").text_content()
    notes = page.locator(".notes").text_content()
    assert "2 of 5 queries have no text" in notes
    assert re.search(r"\d of \d+ documents shown have no text", notes)
    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert opened.said == []
    opened.close()


def test_a_pointer_on_a_bar_is_told_the_question(browser: Any, in_words: Path) -> None:
    opened = Opened(browser, in_words)
    bar = opened.page.locator(".figure.differences path[aria-roledescription=bar][aria-label*=q10]")
    bar.hover(force=True)
    told = opened.page.locator("#vg-tooltip-element.visible").inner_text()
    assert f"Wine {SCRIPT}" in told
    assert opened.page.evaluate("typeof hacked") == "undefined"
    assert opened.said == []
    opened.close()


def test_letters_are_explained_only_where_there_are_some(browser: Any, written: Path, in_words: Path) -> None:
    for path, lettered in ((written, True), (in_words, False)):  # the second has a baseline, hence no groups
        opened = Opened(browser, path)
        assert (opened.page.locator(".leaderboard .letters").count() > 0) is lettered
        assert ("share a letter" in opened.page.locator(".leaderboard caption").text_content()) is lettered
        opened.close()


def open_query(opened: Opened, name: str) -> None:
    opened.page.locator(".by-query tbody button").filter(has_text=re.compile(f"^{name}$")).click()
    opened.page.wait_for_function(
        "name => document.querySelector('#query-heading bdi')?.textContent === name", arg=name
    )


def choose(opened: Opened, label: str, name: str) -> None:
    opened.page.locator(".controls").get_by_label(label).select_option(label=name)
    opened.settled()


def shown_means(opened: Opened) -> dict[str, list[str]]:
    """The leaderboard as it is seen: by system, the figures of each measure without marks, letters and intervals."""
    text = """rows => rows.map(row => [row.querySelector('th bdi').textContent, [...row.querySelectorAll('.mean')].map(
        cell => [...cell.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join(''))])"""
    return dict(opened.page.locator(".leaderboard tbody tr").evaluate_all(text))


def test_means_values_and_differences_are_those_of_the_json_output(browser: Any, tmp_path: Path) -> None:
    qrels, runs = tmp_path / "qrels.txt", [tmp_path / "old.run", tmp_path / "new.run"]
    data, made = made_data()
    keep = [q for q in data if " " not in q]
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q in keep for d, g in data[q].items()))
    for path, run in zip(runs, (made["first"], made["third"]), strict=True):
        path.write_text("".join(f"{q} Q0 {d} 0 {s} x\n" for q in run if q in keep for d, s in run[q].items()))
    files, asked = [str(qrels), *map(str, runs)], ["-m", "AP nDCG@3 RBP"]
    page = tmp_path / "page.html"
    command = CliRunner().invoke(group, ["report", *files, *asked, "-o", str(page)])
    assert command.exit_code == 0, command.output
    evaluated = json.loads(CliRunner().invoke(group, ["eval", *files, *asked, "-q", "--format", "json"]).stdout)
    compared = json.loads(CliRunner().invoke(group, ["compare", *files, *asked, "--format", "json"]).stdout)

    opened = Opened(browser, page)
    blocks = opened.page.evaluate(
        "Promise.all(['overview', 'values', 'pairs'].map(async name => (await window.germane.readBlock(name))))"
    )
    overview, values, pairs = blocks
    for r, run in enumerate(evaluated["runs"]):
        assert overview["means"][r] == list(run["mean"].values())
        for m, measure in enumerate(run["mean"]):
            assert dict(zip(overview["queries"], values[m][r], strict=True)) == {
                q: v[measure] for q, v in run["queries"].items()
            }
        assert shown_means(opened)[run["name"]] == [f"{mean:.4f}" for mean in run["mean"].values()]
    for i, pair in enumerate(compared["pairs"]):
        assert [pairs[key][i] for key in ("difference", "p", "p_adjusted")] == [
            pair[k] for k in ("difference", "p", "p_adjusted")
        ]
        assert [pairs["low"][i], pairs["high"][i]] == pair["interval"]
    opened.close()


def test_the_worked_table_of_every_measure_adds_up_to_the_value(opened: Opened) -> None:
    for measure in MEASURES:
        choose(opened, "Measure", measure)
        for query in ("q10", "q2", "q3"):
            open_query(opened, query)
            heading = f"How {measure} is computed"
            opened.page.wait_for_function(
                "h => [...document.querySelectorAll('h4')].some(e => e.textContent === h)", arg=heading
            )
            sums = opened.page.locator(".sum").evaluate_all("all => all.map(e => [e.dataset.total, e.dataset.value])")
            assert len(sums) == 2
            assert all(total == value for total, value in sums), (measure, query, sums)
    assert opened.said == []


def test_a_worked_table_with_a_wrong_term_does_not_add_up(browser: Any, written: Path, tmp_path: Path) -> None:
    source = written.read_text(encoding="utf-8")
    bent = source.replace("sum += term", "sum += term * 1.01")
    assert bent != source
    path = tmp_path / "bent.html"
    path.write_text(re.sub(r"script-src [^;]*", "script-src 'unsafe-inline'", bent, count=1), encoding="utf-8")
    opened = Opened(browser, path)
    open_query(opened, "q10")
    sums = opened.page.locator(".sum").evaluate_all("all => all.map(e => [e.dataset.total, e.dataset.value])")
    assert any(total != value for total, value in sums)
    opened.close()


def first_column(opened: Opened) -> list[str]:
    names: list[str] = opened.page.locator(".by-query tbody th").evaluate_all("all => all.map(e => e.textContent)")
    return names


def test_sorting_filtering_and_opening_work_by_keyboard(opened: Opened) -> None:
    page = opened.page
    before = first_column(opened)
    head = page.locator(".by-query thead button").first
    head.focus()
    page.keyboard.press("Enter")
    assert page.locator(".by-query thead th").first.get_attribute("aria-sort") == "ascending"
    assert first_column(opened).index("q2") < first_column(opened).index("q10")  # numbers in names count as numbers
    page.keyboard.press("Space")
    assert page.locator(".by-query thead th").first.get_attribute("aria-sort") == "descending"
    assert first_column(opened) != before

    page.locator("#filter").focus()
    page.keyboard.type("Q1")
    assert first_column(opened) == ["q10"]
    assert page.locator(".count").text_content() == "1 query of 5"
    page.keyboard.press("Tab")
    for _ in range(12):
        if page.evaluate("document.activeElement.textContent") == "q10":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#query-heading:focus")
    page.locator("#query button", has_text="Close").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "q10"
    assert page.locator("#query").is_hidden()


def test_a_column_of_values_sorts_by_number(opened: Opened) -> None:
    heading = opened.page.locator(".by-query thead button").nth(1)
    values = ".by-query tbody tr td:nth-child(2)"
    heading.click()
    falling = [float(text) for text in opened.page.locator(values).all_text_contents()]
    heading.click()
    rising = [float(text) for text in opened.page.locator(values).all_text_contents()]
    assert falling == sorted(falling, reverse=True)
    assert rising == sorted(rising)


def test_a_click_on_a_bar_opens_its_query(opened: Opened) -> None:
    opened.page.locator(".figure.differences").scroll_into_view_if_needed()
    assert opened.page.locator("#query-heading").count() == 0
    opened.page.locator(".figure.differences path[aria-roledescription=bar]").first.click(force=True)
    opened.page.wait_for_selector("#query-heading")
    assert opened.page.locator("#query-heading").count() == 1


def test_rankings_state_every_kind_of_judgment(opened: Opened) -> None:
    open_query(opened, "q10")
    badges = set(opened.page.locator(".badge").all_text_contents())
    assert {"relevant, 1", "non-relevant, 0", "unjudged"} <= badges
    assert "Top 3 of each ranking" in opened.page.locator("#query").text_content()


def test_what_is_relevant_is_listed_even_if_nothing_retrieved_it(opened: Opened) -> None:
    choose(opened, "Compare", "third")
    open_query(opened, "q2")
    table = opened.page.locator(".ranking").first
    assert "Relevant, not retrieved" in table.text_content()
    assert "d9" in table.text_content()


def test_every_figure_has_a_description_and_its_data(opened: Opened) -> None:
    opened.page.evaluate("document.querySelectorAll('details.data').forEach(d => (d.open = true))")
    opened.page.wait_for_selector(".figure details[open] tbody tr")
    figures = opened.page.locator(".figure:not([hidden])")
    for i in range(figures.count()):
        figure = figures.nth(i)
        assert figure.locator("svg").first.get_attribute("aria-label") or figure.locator("svg [aria-label]").count()
        assert figure.locator("details tbody tr").count() > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser: Any, written: Path, scheme: str) -> None:
    opened = Opened(browser, written, scheme=scheme)
    open_query(opened, "q10")
    opened.page.evaluate("document.querySelectorAll('details.data').forEach(d => (d.open = true))")
    opened.settled()
    assert serious_faults(opened) == []
    opened.close()


def test_axe_is_awake(opened: Opened) -> None:
    opened.page.evaluate("document.querySelector('#filter').previousSibling.remove()")
    assert any(fault.startswith("label") for fault in serious_faults(opened))


def test_one_run_and_one_query_make_a_page_too(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    report({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, "AP", output=path)
    opened = Opened(browser, path)
    assert opened.said == []
    assert shown_means(opened) == {"run": ["1.0000"]}
    opened.close()


TEN_MEASURES = "nDCG@10 AP RR P@10 R@1000 Rprec Bpref RBP nDCG ERR@20"


def test_seventeen_runs_stay_below_three_megabytes(browser: Any, shared: Path, tmp_path: Path) -> None:
    path = tmp_path / "robust.html"
    folder = shared / "data" / "robust03"
    runs = sorted((folder / "runs").glob("*.gz"))
    assert len(runs) == 17
    report(folder / "qrels.txt.gz", runs, TEN_MEASURES.split(), output=path)
    assert path.stat().st_size < 3_000_000
    opened = Opened(browser, path)
    open_query(opened, "303")
    sums = opened.page.locator(".sum").evaluate_all("all => all.map(e => [e.dataset.total, e.dataset.value])")
    assert all(total == value for total, value in sums)
    assert opened.said == []
    opened.close()
