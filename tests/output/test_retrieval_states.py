"""The page on runs, as it is read, linked to and printed: verdict, links, colours, documents, paper."""

from __future__ import annotations

import base64
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from germane.output.plots.theme import config
from germane.output.reports.writing import report
from tests.output.browsers import CHROMIUM, FLAGS, Opened, chromium, serious_faults

pytestmark = pytest.mark.slow  # a browser draws every page

PIXEL = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


def made_data() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Eight queries with one relevant document each; the new system is better on most, worse on q3, and q8 is hard."""
    qrels = {f"q{i}": {"wine": 1, **{f"d{j}": 0 for j in range(9)}} for i in range(1, 9)}
    ranks = {"old/engine": [3, 3, 1, 4, 3, 5, 3, 9], "new engine": [1, 1, 4, 1, 2, 1, 1, 8], "others": [2] * 7 + [9]}
    return qrels, {name: {f"q{i}": ranking(rank) for i, rank in enumerate(found, 1)} for name, found in ranks.items()}


def ranking(rank: int) -> dict[str, float]:
    docs = [*(f"d{j}" for j in range(rank - 1)), "wine", "unjudged"]
    return {doc: float(-place) for place, doc in enumerate(docs)}


QUERY_TEXTS = {f"q{i}": "Wines of <b>France</b>" for i in range(1, 9)}
DOCUMENTS = {
    "wine": "wine\n\nA WINE from France.\nWines, whines and twines: <i>all</i> of France's.",
    "d0": "Beer.",
    "d1": PIXEL,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    path = tmp_path_factory.mktemp("page") / "report.html"
    report(*made_data(), ["RR", "P@1", "nDCG@3"], output=path, query_texts=QUERY_TEXTS, documents=DOCUMENTS)
    return path


@pytest.fixture
def opened(browser: Any, written: Path) -> Iterator[Opened]:
    page = Opened(browser, written)
    yield page
    page.close()


def at(browser: Any, written: Path, fragment: str) -> Opened:
    """The page opened by a link."""
    return Opened(browser, written, fragment=fragment)


def test_the_verdict_comes_first_and_follows_the_measure(opened: Opened) -> None:
    page = opened.page
    assert page.locator("main > section").first.get_attribute("id") == "verdict"
    first = page.locator("#verdict .lead").text_content()
    assert first.startswith("new engine leads in RR (0.")
    assert "It does not significantly beat any other system" in first
    assert "8 queries are too few to tell" in first
    page.locator(".controls").get_by_label("Measure").select_option(label="P@1")
    second = page.locator("#verdict .lead").text_content()
    assert " in P@1 (" in second
    assert "in RR" not in second


def test_the_pair_follows_the_measure_until_the_reader_chooses_another(opened: Opened) -> None:
    reader = Reader(opened)
    assert reader.state()["chosen"] == ["RR", "others", "new engine"]  # the runner-up with the leader
    reader.choose("Measure", "P@1")
    assert reader.state()["chosen"] == ["P@1", "old/engine", "new engine"]
    reader.choose("with", "others")
    reader.choose("Measure", "nDCG@3")
    assert reader.state()["chosen"] == ["nDCG@3", "old/engine", "others"]


def test_intervals_beyond_the_range_are_explained(browser: Any, opened: Opened, tmp_path: Path) -> None:
    explained = "Intervals beyond the range of a measure show that there are too few queries for a t interval"
    assert explained in opened.page.locator(".leaderboard caption").text_content()
    path = tmp_path / "count.html"
    report(*made_data(), ["NumRelRet"], output=path)
    within = Opened(browser, path)
    assert explained not in within.page.locator(".leaderboard caption").text_content()
    within.close()


def test_the_share_of_judged_documents_is_shown_down_to_the_last_rank(opened: Opened) -> None:
    opened.page.locator(".figure.coverage summary").click()
    opened.page.wait_for_selector(".figure.coverage tbody tr")
    depths = opened.page.locator(".figure.coverage tbody td:nth-child(2)").all_text_contents()
    assert list(dict.fromkeys(depths)) == ["1", "3", "5", "10"]
    assert "Grey lines: other systems." in opened.page.locator(".figure.coverage figcaption").text_content()


def test_a_query_in_the_verdict_opens(opened: Opened) -> None:
    opened.page.locator("#verdict button.link").first.click()
    opened.page.wait_for_selector("#query-heading")
    assert "query=" in opened.page.url


def test_headings_legends_and_axes_name_the_systems(opened: Opened) -> None:
    page = opened.page
    page.locator(".by-query tbody button").first.click()
    page.wait_for_selector("#query-heading")
    opened.settled()
    headings = page.locator("figcaption, th, h2, h3, h4, caption").all_text_contents()
    assert [text for text in headings if re.search(r"\b[AB] less [AB]\b|^[AB]$|Rank in [AB]$", text)] == []
    assert "others − new engine" in headings
    drawn = page.locator(".figure:not([hidden]) svg").all_text_contents()
    assert any("new engine is better" in text and "“others” is better" in text for text in drawn)
    assert sum("new engine" in text and "“others”" in text for text in drawn) == 3  # a system called like the rest
    assert not any(re.search(r"\bB is better|\bA is better", text) for text in drawn)


class Reader:
    """A reader who clicks and chooses."""

    def __init__(self, opened: Opened) -> None:
        self.page, self.opened = opened.page, opened

    def choose(self, label: str, name: str) -> None:
        self.page.locator("label.chooser", has_text=re.compile(f"^{label}")).locator("select").select_option(label=name)

    def click(self, where: str) -> None:
        self.page.locator(where).click()

    def state(self) -> dict[str, Any]:
        """What is seen: the measure, the pair, the order, the open query and document."""
        self.opened.settled()
        page = self.page
        return {
            "chosen": page.locator(".controls select").evaluate_all("all => all.map(e => e.selectedOptions[0].text)"),
            "verdict": page.locator("#verdict").text_content(),
            "order": page.locator(".by-query tbody th").all_text_contents(),
            "sorted": page.locator(".by-query th[aria-sort]").all_text_contents(),
            "query": page.locator("#query").text_content(),
            "document": page.locator("dialog[open]").all_text_contents(),
            "curve": page.locator(".radios input").evaluate_all("all => all.map(e => e.checked)"),
        }


# fmt: off
STATES = [
    # what the reader does                                                          what the link then has
    (lambda reader: reader.choose("Measure", "P@1"),                                "measure=P@1"),
    (lambda reader: reader.choose("with", "old/engine"),                            "a=old/engine"),
    (lambda reader: reader.choose("Sort by", "Easiest for all systems"),            "sort=mean:down"),
    (lambda reader: reader.click(".by-query thead th:first-child button"),          "sort=query"),
    (lambda reader: reader.click(".by-query tbody button >> nth=0"),                "query=q8"),
    (lambda reader: reader.click(".radios input >> nth=1"),                         "curve=full"),
    (lambda reader: reader.click('nav a[href="#coverage"]'),                        "at=coverage"),
]
# fmt: on


@pytest.mark.parametrize(("act", "part"), STATES, ids=[part for _, part in STATES])
def test_every_state_has_a_link_that_reproduces_it(
    browser: Any, written: Path, act: Callable[[Reader], None], part: str
) -> None:
    opened = Opened(browser, written)
    reader = Reader(opened)
    before = reader.state()
    act(reader)
    after = reader.state()
    fragment = opened.page.url.partition("#")[2]
    assert part in fragment.split("&"), fragment
    again = at(browser, written, fragment)
    assert Reader(again).state() == after
    again.close()
    opened.page.go_back()
    assert Reader(opened).state() == before
    assert opened.said == []
    opened.close()


def test_a_link_opens_a_document_with_the_words_of_the_query_marked(browser: Any, written: Path) -> None:
    opened = at(browser, written, "query=q1&document=wine")
    page = opened.page
    page.wait_for_selector("dialog[open]")
    assert page.locator("dialog mark").all_text_contents() == ["WINE", "France", "Wines", "France"]
    assert page.locator("dialog p.words").all_text_contents() == [
        "A WINE from France.",
        "Wines, whines and twines: <i>all</i> of France's.",
    ]
    assert "rank 1 in" in page.locator("dialog").text_content()
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.hash.includes('document=')")
    assert page.locator("dialog[open]").count() == 0
    page.go_back()
    page.wait_for_selector("dialog[open]")
    opened.close()


def test_a_document_that_is_a_picture_is_shown(browser: Any, written: Path) -> None:
    opened = at(browser, written, "query=q4&a=old/engine&document=d1")
    opened.page.wait_for_selector("dialog[open] img[alt=d1]")
    assert opened.page.locator("dialog img").get_attribute("src") == PIXEL
    assert [text for text in opened.said if "Security" in text] == []
    opened.close()


def test_a_page_without_pictures_lets_none_in(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "plain.html"
    report(*made_data(), ["RR"], output=path)
    assert "img-src" not in path.read_text(encoding="utf-8").partition("<title>")[0]


def test_a_folder_of_pictures_is_a_collection(browser: Any, tmp_path: Path) -> None:
    folder, path = tmp_path / "pictures", tmp_path / "report.html"
    folder.mkdir()
    (folder / "wine.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    (folder / "stray.svg").write_text("<svg/>")
    report(*made_data(), ["RR"], output=path, documents=folder)
    opened = at(browser, path, "query=q1")
    opened.page.wait_for_selector(".ranking img")
    assert {image.get_attribute("alt") for image in opened.page.locator(".ranking img").all()} == {"wine"}
    assert opened.said == []
    opened.close()


def test_a_link_to_what_the_report_lacks_says_so(browser: Any, written: Path) -> None:
    opened = at(browser, written, "query=q99&b=new%20engine&measure=%E0%A4%A")
    said = opened.page.locator("#verdict [role=status]").text_content()
    assert said == "This link names what the report lacks: measure %E0%A4%A, query q99."
    assert opened.page.locator("#query").is_hidden()
    opened.close()


ODD_NAMES = [b"a=b&c#d", b"50%", b"plus+sign", b"not\xffUTF-8", "\u202eright-to-left".encode(), b"q/1:2,3@4"]


def test_any_name_survives_a_link(browser: Any, tmp_path: Path) -> None:
    path, qrels, run = (tmp_path / name for name in ("odd.html", "qrels.txt", "odd.run"))
    qrels.write_bytes(b"".join(b"%s 0 d 1\n" % name for name in ODD_NAMES))
    run.write_bytes(b"".join(b"%s Q0 d 1 1 x\n" % name for name in ODD_NAMES))
    report(qrels, run, ["RR"], output=path)
    opened = Opened(browser, path)
    for place in range(len(ODD_NAMES)):
        opened.page.locator(".by-query tbody button").nth(place).click()
        opened.page.wait_for_function("() => location.hash.includes('query=')")
        asked = opened.page.locator(".by-query tbody th").nth(place).text_content()
        again = at(browser, path, opened.page.url.partition("#")[2])
        again.page.wait_for_selector("#query-heading")
        assert again.page.locator("#query-heading bdi").text_content() == asked
        assert again.said == []
        again.close()
    assert opened.said == []
    opened.close()


def cells(opened: Opened, column: int) -> list[str]:
    found: list[str] = opened.page.locator(f".by-query tbody tr td:nth-child({column})").all_text_contents()
    return found


def test_queries_are_sorted_by_how_hard_they_are_or_by_the_difference(opened: Opened) -> None:
    page = opened.page
    names = page.locator(".by-query tbody th")
    assert names.first.text_content() == "q8"  # hard for all
    assert cells(opened, 7)[0] == "new engine 0.1250"  # the best of all
    Reader(opened).choose("Compare", "new engine")
    Reader(opened).choose("with", "old/engine")
    Reader(opened).choose("Sort by", "Largest loss of new engine vs. old/engine")
    assert names.first.text_content() == "q3"
    assert cells(opened, 5)[0] == "−0.7500"
    Reader(opened).choose("Sort by", "Largest gain of new engine vs. old/engine")
    assert cells(opened, 5)[0] == "+0.8000"


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = colour => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const linear = c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const luminance = colour => rgb(colour).reduce((sum, c, i) => sum + linear(c / 255) * [0.2126, 0.7152, 0.0722][i], 0);
  return [...document.querySelectorAll(".shade, mark")].map(e => {
    const style = getComputedStyle(e);
    const [a, b] = [style.color, style.backgroundColor].map(luminance).sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  });
}"""
"""The ratio of contrast between text and colour, as WCAG defines it."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_deepen_with_the_value_and_keep_the_text_legible(browser: Any, written: Path, scheme: str) -> None:
    opened = Opened(browser, written, scheme=scheme, fragment="query=q1&document=wine")
    opened.page.wait_for_selector("mark")
    ratios = opened.page.evaluate(CONTRAST)
    assert len(ratios) > 8 * 5
    assert min(ratios) >= 4.5
    shares = dict(
        opened.page.locator(".by-query td:nth-child(4) .shade").evaluate_all(
            "all => all.map(e => [e.textContent, parseFloat(e.style.getPropertyValue('--share'))])"
        )
    )
    assert shares["1.0000"] == 100 > shares["0.5000"] > shares["0.1250"]
    assert opened.page.locator(".shade.gain").count() > 0
    opened.close()


AXES = ("'mean RR'", "'RR: system − new engine", "'queries, sorted", "'top k'", "'RR of each query'", "'recall'")
"""The titles of the figures' horizontal axes; the two heat maps have none."""


def alternatives(pdf: bytes) -> list[str]:
    """The alternative texts in a tagged PDF, which the parts of figures have: in Latin 1, or in hexadecimal UTF-16."""
    plain = [text.decode("latin-1") for text in re.findall(rb"/Alt \(([^)]*)", pdf)]
    return plain + [bytes.fromhex(text.decode()).decode("utf-16-be") for text in re.findall(rb"/Alt <FEFF(\w*)>", pdf)]


def axes_in(pdf: bytes) -> list[str]:
    """The horizontal axes in a PDF, one for each figure, in the order of the page."""
    return [text for text in alternatives(pdf) if text.startswith("X-axis")]


def assert_every_figure_is_in(pdf: bytes) -> None:
    axes = axes_in(pdf)
    assert len(axes) == len(AXES) + 2, axes
    assert [title for title in AXES if not any(f"titled {title}" in axis for axis in axes)] == []


NEVER = "window.requestIdleCallback = () => 0;"
"""Figures that wait for a quiet moment wait for ever."""


def test_printing_draws_every_figure_at_once(browser: Any, written: Path) -> None:
    opened = Opened(browser, written, before=NEVER, scheme="dark")
    opened.page.wait_for_function(
        "() => [...document.querySelectorAll('figure:not([hidden]) figcaption')].every(e => e.textContent)"
    )
    opened.page.wait_for_timeout(500)  # the data are unpacked
    assert opened.page.locator(".drawing svg").count() == 0
    assert_every_figure_is_in(opened.page.pdf(tagged=True))
    inks = opened.page.locator(".drawing svg text[fill]").evaluate_all("all => all.map(e => e.getAttribute('fill'))")
    assert config()["axisBand"]["labelColor"] in inks  # dark on paper, whatever the screen
    assert config(dark=True)["axisBand"]["labelColor"] not in inks
    opened.close()


def test_paper_without_figures_is_noticed(browser: Any, written: Path) -> None:
    opened = Opened(
        browser, written, before=f"{NEVER} window.addEventListener('beforeprint', e => e.stopImmediatePropagation());"
    )
    assert axes_in(opened.page.pdf(tagged=True)) == []
    opened.close()


def test_a_headless_browser_prints_every_figure_without_waiting(written: Path, tmp_path: Path) -> None:
    if CHROMIUM is None:
        pytest.skip("no chromium here (set GERMANE_CHROMIUM to its path)")
    pdf = tmp_path / "report.pdf"
    command = [CHROMIUM, "--headless", *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={pdf}"]
    subprocess.run([*command, written.as_uri()], check=True, capture_output=True, timeout=60)
    assert_every_figure_is_in(pdf.read_bytes())


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1400, "dark")])
def test_axe_finds_nothing_with_a_document_open(browser: Any, written: Path, width: int, scheme: str) -> None:
    opened = Opened(browser, written, width=width, scheme=scheme, fragment="query=q1&document=wine")
    opened.page.wait_for_selector("dialog[open]")
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert opened.page.evaluate(wider) == 0
    assert serious_faults(opened) == []
    opened.close()


def test_many_systems_show_the_pair_and_the_mean_first(browser: Any, tmp_path: Path) -> None:
    qrels, runs = made_data()
    many = {f"s{i}": runs["others"] for i in range(30)} | runs
    path = tmp_path / "many.html"
    report(qrels, many, ["RR"], output=path)
    opened = Opened(browser, path)
    heads = opened.page.locator(".by-query thead th")
    assert heads.count() == 6
    opened.page.get_by_role("button", name="Show all 33 systems").click()
    assert heads.count() == 6 + 31
    opened.close()
