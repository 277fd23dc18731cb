"""The page on classifiers, in a real browser: offline, silent, operable by keyboard, and equal to the library."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from germane.api.decisions.classification import classify
from germane.api.reports.decisions import decision_numbers
from germane.cli import group
from germane.measures.decisions.expressions import Expression
from germane.measures.decisions.rates import RATES
from germane.output.reports.classification_page import CURVE_WIDTH
from germane.output.reports.writing import report
from germane.stats.thresholds.choice import choose_threshold
from germane.tables.decisions.confusion import Cells, Confusion
from germane.tables.decisions.decisions import Decisions
from tests.laws.test_printed_thresholds import close_items, recounted
from tests.output.browsers import Opened, chromium, serious_faults

pytestmark = pytest.mark.slow  # a browser draws every page

SCRIPT = "<script>window.hacked = true</script>"
HOSTILE = f"\"'>{SCRIPT}\u202eltr\u2066</script>"
LONG = "x" * 10_000
STOPS = 50


def scored_items() -> dict[str, Any]:
    """Two columns of scores, with ties; one is a probability."""
    rng = np.random.default_rng(5)
    truth = rng.random(240) < 0.35
    latent = rng.normal(size=240) + 1.5 * truth
    return {
        "truth": np.where(truth, "spam", "ham"),
        "good": np.round(1 / (1 + np.exp(0.7 - latent)), 2),
        "poor": np.round(latent + 2 * rng.normal(size=240), 1),
    }


def labelled_items(classes: list[str], size: int) -> dict[str, Any]:
    """Predictions that take each class for its neighbour now and then."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, len(classes), size)
    wrong = rng.random(size) < 0.3
    predicted = np.where(wrong, truth ^ 1, truth) % len(classes)
    return {"truth": [classes[i] for i in truth], "prediction": [classes[i] for i in predicted]}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    folder = tmp_path_factory.mktemp("pages")
    items = scored_items()
    made: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "scores": (items, {"score": ["good", "poor"], "positive": "spam", "resamples": 100}),
        "classes": (labelled_items(["cat", "dog", "horse", "cow", HOSTILE, LONG], 300), {"resamples": 100}),
        "many": (labelled_items([f"class {i:02}" for i in range(40)], 2000), {"resamples": 100}),
        "hostile": (
            {"truth": [HOSTILE if t == "spam" else LONG for t in items["truth"]], HOSTILE: items["good"]},
            {"score": [HOSTILE], "truth": "truth", "positive": HOSTILE, "resamples": 100},
        ),
    }
    for name, (data, options) in made.items():
        report(data, output=folder / f"{name}.html", title=f"Of {SCRIPT}", **options)
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture
def scores(browser: Any, pages: dict[str, Path]) -> Iterator[Opened]:
    page = Opened(browser, pages["scores"])
    yield page
    page.close()


@pytest.fixture(scope="module")
def shared(browser: Any, pages: dict[str, Path]) -> Iterator[Opened]:
    """One page for all tests that find their own way from wherever the slider stands."""
    page = Opened(browser, pages["scores"])
    yield page
    page.close()


@pytest.fixture
def classes(browser: Any, pages: dict[str, Path]) -> Iterator[Opened]:
    page = Opened(browser, pages["classes"])
    yield page
    page.close()


def decisions(column: str = "good") -> Decisions:
    items = scored_items()
    return Decisions.of(items["truth"] == "spam", items[column], positive="spam")


@pytest.mark.parametrize(
    ("name", "width", "scheme"), [("scores", 1280, "light"), ("scores", 390, "dark"), ("classes", 390, "light")]
)
def test_it_opens_offline_without_a_word_and_without_a_request(
    browser: Any, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    opened = Opened(browser, pages[name], width=width, scheme=scheme)
    opened.page.wait_for_selector("html[data-ready=yes]")
    assert opened.said == []
    assert [url for url in opened.requested if not url.startswith(("file:", "blob:", "data:"))] == []
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert opened.page.evaluate(wider) == 0
    opened.close()


READ = """async stop => {
    const slider = document.getElementById('threshold-slider');
    slider.value = stop;
    slider.dispatchEvent(new Event('input'));
    await new Promise(done => requestAnimationFrame(() => setTimeout(done, 15)));
    const cell = (i, j) => document.querySelector(`.live td[data-row="${i}"][data-column="${j}"] .count`).textContent;
    const point = name => {
        const drawn = document.querySelector(`.figure.${name} .drawing [aria-roledescription="point"]`);
        const [x, y] = drawn.getAttribute('transform').match(/-?[\\d.]+(?:e-?\\d+)?/g).map(Number);
        return { said: drawn.getAttribute('aria-label'), x, y };
    };
    return {
        text: document.querySelector('.reading').textContent,
        cells: [[0, 0], [0, 1], [1, 0], [1, 1]].map(([i, j]) => Number(cell(i, j).replaceAll(',', ''))),
        rates: Object.fromEntries([...document.querySelectorAll('[data-rate]')].map(
            e => [e.dataset.rate, [e.dataset.value, e.textContent]])),
        roc: point('roc'), steps: point('steps'), det: point('det'),
    };
}"""


def read(opened: Opened, stop: int) -> dict[str, Any]:
    found: dict[str, Any] = opened.page.evaluate(READ, stop)
    return found


def differences_from_the_library(opened: Opened, stops: Any) -> list[str]:
    """Whatever the page shows at a stop that the library does not say there."""
    seen, wrong = decisions(), []
    view = opened.page.evaluate("window.germane.readBlock('views')")[0]
    side = CURVE_WIDTH
    for stop in stops:
        threshold, shown = float(view["thresholds"][stop]), read(opened, stop)
        cells = seen.at(threshold)
        if shown["cells"] != [cells.TN, cells.FP, cells.FN, cells.TP]:
            wrong.append(f"cells at {threshold}: {shown['cells']} for {cells}")
        for rate in RATES:
            given = {"prevalence": view["prevalence"], "act_at": 0.5}
            value = rate(cells, **{name: given[name] for name in given if name in rate.parameters}).item()
            text = shown["rates"][rate.name]
            same = text[0] == "NaN" and text[1] == "–" if math.isnan(value) else float(text[0]) == value
            if not same:
                wrong.append(f"{rate.name} at {threshold}: {text} for {value}")
        fpr, tpr, ppv = (RATES[name](cells).item() for name in ("FPR", "TPR", "PPV"))
        if f"FPR {fpr:.4f}, TPR {tpr:.4f}" not in shown["roc"]["said"]:
            wrong.append(f"ROC at {threshold}: {shown['roc']}")
        if not (
            math.isclose(shown["roc"]["x"], fpr * side, abs_tol=0.01)
            and math.isclose(shown["roc"]["y"], (1 - tpr) * side, abs_tol=0.01)
        ):
            wrong.append(f"ROC is drawn elsewhere at {threshold}: {shown['roc']} for {fpr}, {tpr}")
        if not math.isnan(ppv) and f"recall {tpr:.4f}, precision {ppv:.4f}" not in shown["steps"]["said"]:
            wrong.append(f"PR at {threshold}: {shown['steps']}")
        inside = 0.0005 < fpr < 0.5 and 0.5 < tpr < 0.9995
        if inside and f"FPR {fpr:.4f}, FNR {RATES['FNR'](cells).item():.4f}" not in shown["det"]["said"]:
            wrong.append(f"DET at {threshold}: {shown['det']}")
    return wrong


def test_at_fifty_stops_matrix_rates_and_points_are_those_of_the_library(scores: Opened) -> None:
    last = int(scores.page.locator("#threshold-slider").get_attribute("max"))
    assert last >= STOPS
    assert differences_from_the_library(scores, np.linspace(0, last, STOPS).astype(int).tolist()) == []
    assert scores.said == []


def test_a_wrong_evaluator_is_found_out(browser: Any, pages: dict[str, Path], tmp_path: Path) -> None:
    source = pages["scores"].read_text(encoding="utf-8")
    bent = source.replace("left(values) / right(values)", "1.0001 * left(values) / right(values)")
    assert bent != source
    path = tmp_path / "bent.html"
    path.write_text(re.sub(r"script-src [^;]*", "script-src 'unsafe-inline'", bent, count=1), encoding="utf-8")
    opened = Opened(browser, path)
    assert differences_from_the_library(opened, [20, 30]) != []
    opened.close()


FORMULAS = [
    "-2 ** 2",
    "2 ** -1",
    "2 ** 3 ** 2",
    "7 - 2 - 1",
    "8 / 4 / 2",
    "-(TP - 3) * .5e1",
    "sqrt(TP) / (FN - FN)",
    "sqrt(FP) * sqrt",
]


def test_formulas_mean_in_the_page_what_they_mean_in_the_library(shared: Opened) -> None:
    rng = np.random.default_rng(1)
    cases = [
        {**dict(zip(["TP", "FP", "FN", "TN"], row, strict=True)), "sqrt": 3.0}
        for row in rng.integers(0, 9, (40, 4)).tolist()
    ]
    given = {"beta": 0.5, "prevalence": 0.25, "cost_fp": 2.0, "cost_fn": 7.0, "act_at": 0.2}
    texts = [*(rate.formula for rate in RATES), *FORMULAS[:-1]]
    run = "([texts, cases]) => texts.map(text => cases.map(values => String(germane.formula(text)(values))))"
    found = shared.page.evaluate(run, [texts, [{**case, **given} for case in cases]])
    for text, values in zip(texts, found, strict=True):
        expression = Expression(text)
        for case, value in zip(cases, values, strict=True):
            expected = expression(**case, **given).item()
            assert float(value) == expected or (value == "NaN" and math.isnan(expected)), (text, case)


@pytest.mark.parametrize("text", ["", "TP +", "(TP", "TP)", "TP; alert(1)", "TP[0]", "f(TP)", "constructor"])
def test_what_is_no_formula_is_refused(shared: Opened, text: str) -> None:
    run = (
        "text => { try { return String(germane.formula(text)({ TP: 1 })); } catch (problem) { return problem.name; } }"
    )
    assert shared.page.evaluate(run, text) in ("SyntaxError", "ReferenceError")


def test_the_slider_obeys_the_keyboard(shared: Opened) -> None:
    page = shared.page
    slider = page.locator("#threshold-slider")
    slider.focus()
    before = int(slider.input_value())
    page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) == before + 1
    page.keyboard.press("End")
    assert "∞" in page.locator(".reading").text_content()
    assert slider.get_attribute("aria-valuetext").startswith("threshold ∞: 0 true and 0 false positives")
    assert page.locator('[data-rate="PPV"]').text_content() == "–"
    page.keyboard.press("Home")
    assert page.locator('[data-rate="TPR"]').text_content() == "1.0000"


@pytest.mark.parametrize("rule", ["accuracy", "youden", "closest", "F1", "MCC"])
def test_a_rule_s_button_moves_to_the_threshold_that_the_library_chooses(shared: Opened, rule: str) -> None:
    button = shared.page.locator(".rules button", has_text=re.compile(f"^{rule}$"))
    button.focus()
    shared.page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    chosen = choose_threshold(decisions(), rule)
    assert f"score ≥ {decisions().text(chosen.threshold)} is" in shared.page.locator(".reading").text_content()


def test_a_threshold_that_is_read_off_the_page_gives_the_counts_beside_it(browser: Any, tmp_path: Path) -> None:
    items = close_items()
    report(items, output=tmp_path / "close.html", truth="truth", score=["score"], resamples=100)
    opened = Opened(browser, tmp_path / "close.html")
    slider = opened.page.locator("#threshold-slider")
    for stop in range(int(slider.get_attribute("max"))):
        slider.evaluate("(slider, stop) => { slider.value = stop; slider.dispatchEvent(new Event('input')); }", stop)
        threshold = re.search(r"score ≥ (\S+) is", opened.page.locator(".reading").text_content())
        counts = re.search(r"TP (\d+) · FP (\d+)", opened.page.locator(".reading-counts").text_content())
        assert threshold is not None
        assert counts is not None
        assert tuple(map(int, counts.groups())) == recounted(threshold[1])
    opened.close()


@pytest.mark.parametrize(("cost_fp", "cost_fn", "prevalence"), [(1, 1, 0.35), (1, 9, 0.1), (5, 1, 0.5), (1, 0, 0.2)])
def test_the_lowest_cost_is_found_for_any_costs(
    shared: Opened, cost_fp: float, cost_fn: float, prevalence: float
) -> None:
    page = shared.page
    given = {"cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": prevalence}
    for name, value in given.items():
        page.locator(f"input[name={name}]").fill(str(value))
    page.locator(".rules button", has_text="lowest cost").click()
    chosen = choose_threshold(decisions(), f"cost(cost_fp={cost_fp}, cost_fn={cost_fn}, prevalence={prevalence})")
    cells = chosen.points[0].cells
    shown = {
        name: float(page.locator(f'[data-rate="{name}"]').get_attribute("data-value")) for name in ("cost", "PPV_at")
    }
    assert shown["cost"] == pytest.approx(RATES["cost"](cells, **given).item(), abs=1e-15)
    if cells.TP + cells.FP:
        assert shown["PPV_at"] == pytest.approx(RATES["PPV_at"](cells, prevalence=prevalence).item())


def test_a_prevalence_that_cannot_be_is_marked_and_gives_nothing(shared: Opened) -> None:
    shared.page.locator(".rules button", has_text="youden").click()
    field = shared.page.locator("input[name=prevalence]")
    field.fill("1.5")
    assert field.get_attribute("aria-invalid") == "true"
    assert shared.page.locator('[data-rate="PPV_at"]').text_content() == "–"
    field.fill("0.5")
    assert shared.page.locator('[data-rate="PPV_at"]').text_content() != "–"


def test_the_undecided_zone_states_its_share(shared: Opened) -> None:
    shared.page.locator(".rules .zone").click()
    undecided = choose_threshold(decisions(), "rule-out TPR>=0.95, rule-in TNR>=0.95").undecided
    assert undecided is not None
    said = shared.page.locator("#threshold").text_content()
    assert f"{undecided.positives + undecided.negatives} items, {undecided.share * 100:.1f}% of all" in said


def test_another_classifier_takes_the_slider_over(scores: Opened) -> None:
    scores.page.locator(".controls").get_by_label("Classifier").select_option(label="poor")
    scores.settled()
    view = scores.page.evaluate("window.germane.readBlock('views')")[1]
    stop = 30
    cells = decisions("poor").at(float(view["thresholds"][stop]))
    assert read(scores, stop)["cells"] == [cells.TN, cells.FP, cells.FN, cells.TP]
    assert "not probabilities" in scores.page.locator("#calibration").text_content()
    assert scores.said == []


def test_curves_and_values_are_those_of_the_json_output(browser: Any, tmp_path: Path) -> None:
    data, page = tmp_path / "spam.csv", tmp_path / "page.html"
    items = scored_items()
    data.write_text("truth,good\n" + "".join(f"{t},{s}\n" for t, s in zip(items["truth"], items["good"], strict=True)))
    asked = [str(data), "--score", "good", "--truth", "truth", "--positive", "spam"]
    written = CliRunner().invoke(group, ["report", *asked, "-o", str(page), "--rule", "F2"])
    assert written.exit_code == 0, written.output
    (found,) = json.loads(CliRunner().invoke(group, ["classify", *asked, "--format", "json"]).stdout)["classifiers"]
    opened = Opened(browser, page)
    views, estimates = opened.page.evaluate("Promise.all(['views', 'estimates'].map(germane.readBlock))")
    at = {float(t): (tp, fp) for t, tp, fp in zip(*(views[0][key] for key in ("thresholds", "TP", "FP")), strict=True)}
    curves = found["curves"]
    for threshold, *counts in zip(curves["thresholds"], curves["TP"], curves["FP"], strict=True):
        assert at[float(threshold)] == tuple(counts)
    names, overall = estimates[0]["measures"], estimates[0]["groups"][0]
    for place, value, low in zip(overall["measure"], overall["value"], overall["low"], strict=True):
        assert (value, low) == (found["overall"][names[place]]["value"], found["overall"][names[place]]["low"])
    button = opened.page.locator(".rules button", has_text=re.compile("^F2$"))
    assert button.get_attribute("aria-pressed") == "true", "the page opens where the rule puts the threshold"
    chosen = choose_threshold(decisions(), "F2")
    assert f"score ≥ {decisions().text(chosen.threshold)} is" in opened.page.locator(".reading").text_content()
    opened.close()


def shown_counts(opened: Opened) -> list[list[int]]:
    rows = opened.page.locator("#confusion .heat-table tbody tr:not(.totals)")
    text = """rows => rows.map(row => [...row.querySelectorAll('.cell .count')].map(
        e => Number(e.textContent.replaceAll(',', ''))))"""
    found: list[list[int]] = rows.evaluate_all(text)
    return found


def matrix_of(name: str) -> Confusion:
    size = {"classes": (["cat", "dog", "horse", "cow", HOSTILE, LONG], 300)}[name]
    found = decision_numbers(classify(labelled_items(*size), resamples=100)).performances[0].confusion
    assert found is not None
    return found


def test_the_matrix_turns_and_collapses_by_keyboard(classes: Opened) -> None:
    page, confusion = classes.page, matrix_of("classes")
    page.locator("#confusion").get_by_label("as given").check()
    assert shown_counts(classes) == confusion.counts.tolist()
    truth = page.locator("#confusion").get_by_label("true label", exact=True)
    truth.focus()
    page.keyboard.press("ArrowRight")
    assert shown_counts(classes) == confusion.counts.T.tolist()
    page.keyboard.press("ArrowLeft")
    head = page.locator("#confusion .heat-table thead button", has_text="horse")
    head.focus()
    page.keyboard.press("Enter")
    tp, fp, fn, tn = confusion.cells("horse")
    assert shown_counts(classes) == [[tn, fp], [fn, tp]]
    assert page.evaluate("document.activeElement.textContent") == "Back to all classes"
    assert f"{RATES['PPV'](Cells(tp, fp, fn, tn)).item():.4f}" in page.locator("#confusion .estimates").text_content()
    page.keyboard.press("Enter")
    assert shown_counts(classes) == confusion.counts.tolist()
    assert page.evaluate("document.activeElement.textContent") == "horse"
    assert classes.said == []


def test_clusters_of_confused_classes_stand_together_outlined(classes: Opened) -> None:
    heads = classes.page.locator("#confusion .heat-table thead button").all_text_contents()
    assert abs(heads.index("cat") - heads.index("dog")) == 1
    outlined = classes.page.locator("#confusion .cell.top.left")
    assert outlined.count() == 3
    assert outlined.first.evaluate("e => getComputedStyle(e).borderTopWidth") == "2px"


def test_of_many_classes_parts_are_shown_and_every_row_still_adds_up(browser: Any, pages: dict[str, Path]) -> None:
    opened = Opened(browser, pages["many"])
    chooser = opened.page.locator("#confusion").get_by_label("Shown")
    parts = chooser.locator("option").count()
    assert parts == 3  # the most confused ones, and 40 classes by 25
    seen: dict[str, str] = {}
    for part in range(1, parts):
        opened.page.locator("#confusion").get_by_label("Shown").select_option(index=part)
        names = opened.page.locator("#confusion tbody th .name").evaluate_all("all => all.map(e => e.textContent)")
        totals = opened.page.locator("#confusion tbody tr:not(.totals) td.total .count").all_text_contents()
        for name, row, total in zip(names, shown_counts(opened), totals, strict=False):
            assert sum(row) == int(total.replace(",", "")), name
            seen[name] = total
    truth = labelled_items([f"class {i:02}" for i in range(40)], 2000)["truth"]
    assert {name: int(total) for name, total in seen.items() if name != "other classes"} == {
        name: truth.count(name) for name in set(truth)
    }
    opened.close()


@pytest.mark.parametrize("name", ["hostile", "classes"])
def test_hostile_names_stay_text(browser: Any, pages: dict[str, Path], name: str) -> None:
    opened = Opened(browser, pages[name])
    page = opened.page
    page.wait_for_selector("html[data-ready=yes]")
    assert page.title() == f"Of {SCRIPT}"
    assert page.evaluate("typeof hacked") == "undefined"
    shown = page.locator("bdi").evaluate_all("all => all.map(e => e.textContent)")
    assert {HOSTILE, LONG} <= set(shown)
    assert opened.said == []
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wider) == 0
    opened.close()


@pytest.mark.parametrize(("name", "scheme"), [("scores", "light"), ("classes", "dark")])
def test_no_serious_fault_of_accessibility(browser: Any, pages: dict[str, Path], name: str, scheme: str) -> None:
    opened = Opened(browser, pages[name], scheme=scheme)
    opened.page.wait_for_selector("html[data-ready=yes]")
    assert serious_faults(opened) == []
    opened.close()


def test_on_paper_nothing_is_cut_off_and_nothing_can_be_operated(browser: Any, pages: dict[str, Path]) -> None:
    opened = Opened(browser, pages["scores"], width=720)
    opened.page.emulate_media(media="print")
    opened.settled()
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 720
    assert opened.page.locator("input:visible, select:visible").count() == 0
    assert opened.page.locator(".reading:visible").inner_text().startswith("score ≥")
    opened.close()


LONG_NAMES = ["a calibrated gradient boosting classifier, version 2", "logistic regression on hashed words"]


@pytest.fixture(scope="module")
def spiky(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two good classifiers that are as good as each other and one that is worse; most scores are close to 0 or 1."""
    rng = np.random.default_rng(8)
    truth = rng.random(900) < 0.35
    latent = 4 * (rng.normal(size=900) + 3.4 * truth - 1.7)
    scores = [latent, latent + rng.normal(size=900) / 4, rng.normal(size=900) + truth]
    names = [*LONG_NAMES, "keyword rules"]
    columns = {name: np.round(1 / (1 + np.exp(-score)), 4) for name, score in zip(names, scores, strict=True)}
    classes = np.where(truth, "unsolicited commercial message", "message that somebody asked for")
    path = tmp_path_factory.mktemp("spiky") / "page.html"
    report({"truth": classes, **columns}, truth="truth", score=names, positive=classes[truth][0], output=path)
    return path


TICKS = "name => [...document.querySelectorAll(`.figure.${name} .role-axis-label text`)].map(e => e.textContent)"


def test_curves_zoom_by_keyboard_to_the_corner_of_few_errors(browser: Any, spiky: Path) -> None:
    opened = Opened(browser, spiky)
    page = opened.page
    assert page.evaluate(TICKS, "roc")[:6] == ["0%", "20%", "40%", "60%", "80%", "100%"]
    page.locator("#curves").get_by_label("full range").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    for name in ("roc", "steps", "det"):
        page.wait_for_selector(f".figure.{name} [role=graphics-document][aria-label*='(zoomed)']")
    ticks = page.evaluate(TICKS, "roc")
    assert ticks[:6] == ["0%", "2%", "4%", "6%", "8%", "10%"]
    assert float(ticks[6].rstrip("%")) >= 80
    assert "80%" in page.evaluate(TICKS, "steps")
    assert page.evaluate(TICKS, "det")[-1] in ("5", "10", "20")
    page.locator("#threshold-slider").focus()
    page.keyboard.press("Home")  # everything is positive: FPR 100%, outside of what is shown
    point = page.locator('.figure.roc [aria-roledescription="point"]')
    assert point.get_attribute("aria-label").endswith("outside of this figure")
    assert point.get_attribute("opacity") == "0"
    page.locator("#curves").get_by_label("full range").check()
    page.wait_for_selector('.figure.roc [aria-roledescription="point"][opacity="1"]')
    assert opened.said == []
    opened.close()


CUT = """() => [...document.querySelectorAll('.drawing')].flatMap(drawing => {
    const box = drawing.getBoundingClientRect();
    return [...drawing.querySelectorAll('svg text')].filter(text => {
        const {left, right, top, bottom, width} = text.getBoundingClientRect();
        return width && (left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1);
    }).map(text => text.textContent);
})"""
SIDES = """() => [...document.querySelectorAll('.curves svg')].map(
    svg => svg.querySelector('.background').getBoundingClientRect().width)"""
HIDDEN = """() => [...document.querySelectorAll('bdi.name')].filter(
    name => name.closest('main') && name.offsetParent && name.scrollHeight > name.clientHeight + 2
).map(name => name.textContent)"""


@pytest.mark.parametrize("width", [1400, 390])
def test_no_label_and_no_name_is_cut(browser: Any, spiky: Path, width: int) -> None:
    opened = Opened(browser, spiky, width=width)
    assert opened.page.evaluate(CUT) == []
    assert opened.page.evaluate(HIDDEN) == []
    sides = opened.page.evaluate(SIDES)
    assert min(sides) >= (CURVE_WIDTH if width == 1400 else 200)
    opened.page.evaluate("document.querySelector('.drawing svg text').textContent = 'x'.repeat(999)")
    assert opened.page.evaluate(CUT) != []
    opened.close()


def test_low_densities_can_be_seen_beside_two_spikes(browser: Any, spiky: Path) -> None:
    opened = Opened(browser, spiky)
    bars = ".figure.densities .mark-rect path[aria-label*='positive']"
    height = f'Math.min(...[...document.querySelectorAll("{bars}")].map(e => e.getBBox().height).filter(Boolean))'
    assert opened.page.evaluate(height) > 5
    assert "square-root scale" in opened.page.locator(".figure.densities figcaption").inner_text()
    opened.page.locator("#threshold").get_by_label("linear", exact=True).check()
    opened.page.wait_for_function(f"() => {height} < 2")
    assert "square-root" not in opened.page.locator(".figure.densities figcaption").inner_text()
    opened.close()


def test_a_star_needs_a_significant_difference_from_all_others(browser: Any, spiky: Path, tmp_path: Path) -> None:
    opened = Opened(browser, spiky)
    assert opened.page.locator("#overview .star").count() == 0  # the two best are as good as each other
    assert "No value is significantly better" in opened.page.locator("#overview caption").inner_text()
    opened.close()
    items = scored_items()
    clear = {"truth": items["truth"], "clear": (items["truth"] == "spam") + 0.0, "random": items["poor"] ** 2}
    report(clear, truth="truth", score=["clear", "random"], positive="spam", output=tmp_path / "page.html")
    opened = Opened(browser, tmp_path / "page.html")
    starred = opened.page.locator("#overview tbody tr", has=opened.page.locator(".star"))
    assert starred.count() == 1
    assert starred.locator("th").inner_text() == "clear"
    opened.close()


def test_intervals_are_written_in_one_way_and_the_axis_in_words(browser: Any, spiky: Path) -> None:
    opened = Opened(browser, spiky)
    text = "".join(opened.page.locator(f"#{name}").inner_text() for name in ("overview", "rates", "comparison"))
    assert len(re.findall(r"\[−?\d+\.\d+, −?\d+\.\d+\]", text)) > 50
    assert re.findall(r"\d – [−+]?\d", text) == []
    axis = opened.page.locator(".figure.forest .role-axis-title text").all_text_contents()
    assert any("difference, with confidence interval" in title for title in axis)
    opened.close()


def test_a_level_is_said_without_the_tail_of_a_product(browser: Any, tmp_path: Path) -> None:
    report({"truth": ["a", "b", "b"], "predicted": ["a", "b", "a"]}, output=tmp_path / "page.html", level=0.55)
    opened = Opened(browser, tmp_path / "page.html")
    assert "With 55% confidence intervals" in opened.page.locator("#overview caption").inner_text()
    opened.close()


def test_every_figure_has_a_description_and_its_data(shared: Opened) -> None:
    shared.page.evaluate("document.querySelectorAll('details.data').forEach(d => (d.open = true))")
    shared.page.wait_for_function(
        "[...document.querySelectorAll('details.data')].every(d => d.querySelector('tbody tr'))"
    )
    documents = shared.page.locator("figure [role=graphics-document]")
    labels = documents.evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    assert len(labels) == shared.page.locator("figure").count() >= 7
    assert all(label and len(label) > 40 for label in labels)


@pytest.mark.parametrize(
    "data",
    [
        {"truth": [1] * 9, "score": list(range(9))},
        {"truth": [0, 1], "score": [0.5, 0.5]},
        {"truth": [0, 1, 1], "score": [-math.inf, 0.0, math.inf]},
    ],
)
def test_odd_data_make_a_page_that_says_nothing_wrong(browser: Any, tmp_path: Path, data: dict[str, Any]) -> None:
    report(data, output=tmp_path / "odd.html", positive=1, resamples=100)
    opened = Opened(browser, tmp_path / "odd.html")
    slider = opened.page.locator("#threshold-slider")
    slider.focus()
    for key in ("Home", "End", "ArrowLeft"):
        opened.page.keyboard.press(key)
    for button in opened.page.locator(".rules button").all():
        button.click()
    opened.settled()
    assert opened.said == []
    opened.close()
