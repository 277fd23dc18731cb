"""The search pages, asked as a browser without JavaScript asks them."""

from __future__ import annotations

import asyncio
import html
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from tests.web.search_site import ORIGIN, Client, Page

# isort: split
from germane.retrieval.rounds import Round
from germane.web.search.pages import (
    CHARACTERS_IN_PLACE,
    CHARACTERS_ON_A_PAGE,
    MOST_ADDRESS_CHARACTERS,
    SEARCHES_AT_ONCE,
    Form,
    SearchPages,
)
from tests.web.hostile import XSS

DOCS = {
    "wine": "red wine and white wine",
    "rose": "red roses with thorns",
    "thorn": "thorns of a hedge",
    "long": "barrel " * (CHARACTERS_ON_A_PAGE // 7 + 1),
}


@pytest.fixture
def client() -> Client:
    return Client(DOCS)


def test_ask_mark_and_ask_again(client: Client) -> None:
    empty = client.page()
    assert (empty.status, empty.ids) == (200, [])
    first = client.page(fields=empty.filled(q="red"))
    assert first.ids == ["rose", "wine"]
    assert "<mark>red</mark> roses" in first.source
    assert "Results round 1, by BM25" in first.text
    second = client.page(fields=first.filled({"wine": "yes"}))
    assert second.ids == ["wine", "rose"]
    assert "Results round 2, by VSM" in second.text
    assert "up 1, was 2" in second.text
    assert "down 1, was 1" in second.text
    assert "in 1 of 1 relevant document" in second.text
    third = client.page(fields=second.filled({"rose": "no"}))
    assert "in 1 of 1 non-relevant document" in third.text
    assert "Results round 3" in third.text


def test_many_searches_wait_for_their_turn(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    now, most, lock = 0, 0, threading.Lock()
    search = SearchPages._search

    def counting(pages: SearchPages, form: Form) -> Round:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)  # long enough for others to come in, if they may
        try:
            return search(pages, form)
        finally:
            with lock:
                now -= 1

    async def everybody() -> list[int]:
        answers = await asyncio.gather(*(client.request("/?q=wine") for _ in range(20)))
        return [answer.status for answer in answers]

    monkeypatch.setattr(SearchPages, "_search", counting)
    assert asyncio.run(everybody()) == [200] * 20
    assert 1 < most <= SEARCHES_AT_ONCE


def test_the_same_address_gives_the_same_page(client: Client) -> None:
    fields = client.page(fields={"q": "red"}).filled({"wine": "yes"})
    assert client.page(fields=fields).source == client.page(fields=fields).source


def test_a_mark_outlives_its_place_among_the_results(client: Client) -> None:
    first = client.page(fields={"q": "red", "k": "1"})
    fields = first.filled({"rose": "no"}, feedback="bo1", model="boolean")
    second = client.page(fields=fields)
    assert second.ids == ["wine"]
    assert "Marked earlier, not in these results" in second.text
    assert "feedback is not supported for Boolean queries" in second.text
    assert "score" not in second.text
    third = client.page(fields=second.filled({"wine": "yes"}, model="BM25"))
    assert third.ids == ["wine"]
    assert third.marks == {"wine": "yes", "rose": "no"}
    assert client.ask("/qrels?" + urlencode(third.filled())).text == "1 0 rose 0\n1 0 wine 1\n"


def test_every_score_is_explained(client: Client) -> None:
    page = client.page(fields={"q": "red wine"})
    scores = re.findall(r"· score (\d\.\d+)", page.text)
    assert len(scores) == 2
    for score in scores:
        assert page.text.count(f"score {score}") == 2, "beside the document, and below its terms"


def test_marks_are_saved_as_qrels(client: Client) -> None:
    page = client.page(fields={"q": "red"})
    saved = client.ask("/qrels?" + urlencode(page.filled({"wine": "yes", "rose": "no"}, topic="T7")))
    assert saved.text == "T7 0 rose 0\nT7 0 wine 1\n"
    assert saved.headers["content-disposition"] == 'attachment; filename="qrels.txt"'
    assert saved.headers["x-content-type-options"] == "nosniff"


WRONG = [
    # changed                          said                                              why
    ({"own_model": "BM52"}, "unknown model 'BM52'; did you mean BM25", "a slip"),
    ({"own_feedback": "rochio"}, "did you mean rocchio", "a slip"),
    ({"k": "0"}, "expected 1 to 50 results, found '0'", "too few"),
    ({"k": "many"}, "expected 1 to 50 results, found 'many'", "no number"),
    ({"model": "boolean", "q": "red AND ("}, "expected a word, a phrase or a bracket", "half a query"),
]


@pytest.mark.parametrize(("changed", "said", "why"), WRONG)
def test_what_is_wrong_is_said_and_nothing_is_lost(
    client: Client, changed: dict[str, str], said: str, why: str
) -> None:
    first = client.page(fields={"q": "red"})
    wrong = client.page(fields=first.filled(marks={"wine": "yes"}, **changed))
    assert wrong.status == 400
    assert said in wrong.text, why
    typed = dict(wrong.fields)
    for name, value in changed.items():
        assert value in (typed[name], typed.get(f"own_{name}")), why
    mended = {"q": "red", "own_model": "", "own_feedback": "", "k": "10", "model": "BM25", "feedback": "rocchio"}
    right = client.page(fields=wrong.filled({}, **mended))
    assert right.ids == ["wine", "rose"], "the mark still counts"
    assert "up 1, was 2" in right.text, "and so does the page before"


def test_nothing_to_save_and_a_name_that_qrels_cannot_hold(client: Client) -> None:
    page = client.page(fields={"q": "red"})
    assert "no marks yet" in client.page("/qrels", page.filled()).text
    wrong = client.page("/qrels", page.filled({"wine": "yes"}, topic="a b"))
    assert (wrong.status, wrong.ids) == (400, ["wine", "rose"])
    assert "a b" in wrong.text
    assert "expected a query id" in client.page("/qrels", page.filled({"wine": "yes"}, topic=" ")).text


def test_a_new_query_says_where_the_marks_are(client: Client) -> None:
    first = client.page(fields={"q": "red"})
    other = client.page(fields=first.filled({"wine": "yes"}, q="thorns"))
    assert "Results round 1" in other.text
    assert "1 mark for “red” stays with that query" in other.text
    [address] = re.findall(r'href="\./(\?[^"]+)"', other.source)
    back = Page(client.ask("/" + html.unescape(address)))
    assert dict(back.fields)["q"] == "red"
    assert back.marks == {"wine": "yes"}
    assert back.ids == ["wine", "rose"]


SAID = [
    ("the of", "the query has only stop words"),
    ("zebra", "in no document: zebra"),
    ('"red wine"', "phrases, AND, OR and NOT require the model boolean"),
]


@pytest.mark.parametrize(("query", "said"), SAID)
def test_messages(client: Client, query: str, said: str) -> None:
    page = client.page(fields={"q": query})
    assert page.status == 200
    assert said in page.text


def test_an_empty_index_says_so() -> None:
    assert "the index has no documents" in Client({}).page(fields={"q": "red"}).text


def test_an_estimate_shows_its_steps(client: Client) -> None:
    first = client.page(fields={"q": "red", "feedback": "iterated"})
    again = client.page(fields=first.filled({"wine": "yes"}))
    assert "Iterations of the estimate" in again.text
    assert "p(red)" in again.text


def test_usual_choices_are_those_of_the_command_line() -> None:
    page = Client(DOCS, model="BM25(k1=0.9)", feedback="rm3", size="1").page(fields={"q": "red"})
    fields = dict(page.fields)
    assert (fields["model"], fields["feedback"], fields["k"]) == ("BM25(k1=0.9)", "rm3", "1")
    assert len(page.ids) == 1


def test_a_long_document_is_read_in_parts(client: Client) -> None:
    page = client.page(fields={"q": "barrel"})
    assert f"{len(DOCS['long']) - CHARACTERS_IN_PLACE:,} more characters" in page.text
    first = client.page("/document", {"id": "long", "q": "barrel"})
    assert f"characters 1 to {CHARACTERS_ON_A_PAGE:,} of {len(DOCS['long']):,}" in first.text
    assert first.source.count("<mark>barrel</mark>") >= CHARACTERS_ON_A_PAGE // 7
    last = client.page("/document", {"id": "long", "q": "barrel", "from": str(CHARACTERS_ON_A_PAGE)})
    assert "Previous part" in last.text
    assert "Next part" not in last.text
    assert client.page("/document", {"id": "none"}).status == 404
    assert client.page("/document", {"id": "wine", "from": "x"}).text.count("red wine and white wine") == 1


def test_a_form_too_long_for_an_address_is_posted() -> None:
    docs = {f"{'x' * 200}{number}": "red" for number in range(40)} | {"other": "tea"}
    client = Client(docs)
    first = client.page(fields={"q": "red", "k": "40"})
    assert first.method == "post"
    assert len(urlencode(first.fields)) > MOST_ADDRESS_CHARACTERS
    [marked] = first.ids[-1:]
    fields = first.filled({marked: "yes"})
    second = Page(client.post(fields, origin=ORIGIN))
    assert second.marks == {marked: "yes"}
    assert "Results round 2" in second.text
    assert client.post(fields, origin="http://evil.example").status == 403
    assert client.post({"q": "x" * 2_000_000}, origin=ORIGIN).status == 413


def test_only_this_machine_is_answered_and_pages_have_their_policy(client: Client) -> None:
    assert client.ask("/", host="evil.example").status == 421
    page = client.ask("/")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"
    assert page.headers["cache-control"] == "private, no-cache"
    assert client.ask("/static/search.css").status == 200


def test_hostile_documents_ids_and_queries_are_text() -> None:
    docs = {f"{attack} {number}": f"red {attack}" for number, attack in enumerate(XSS)}
    client = Client(docs, size="50")
    first = client.page(fields={"q": "red"})
    assert sorted(first.ids) == sorted(docs)
    pages = [first, client.page(fields=first.filled({next(iter(docs)): "yes"}))]
    pages += [client.page(fields={"q": f"red {attack}", "own_model": attack, "k": attack}) for attack in XSS]
    pages += [client.page("/document", {"id": doc, "q": "red"}) for doc in docs]
    for page in pages:
        tags = set(re.findall(r"<([a-z0-9]+)", page.source))
        assert not tags & {"script", "img", "svg", "iframe", "object", "embed", "style", "base", "video", "math"}
        assert not re.search(r"<[^>]*\son[a-z]+\s*=", re.sub(r'"[^"]*"', '""', page.source))


def test_hand_written_addresses_do_no_harm(client: Client) -> None:
    odd = "q=red&round=-7&doc=none&m1=yes&was=wine&was=%ff&asked=red&k=%00&topic="
    assert Page(client.ask("/?" + odd)).status == 400
    assert Page(client.ask("/?" + odd.replace("k=%00", "k=5"))).status == 400, "an unknown document is told"
    assert Page(client.ask("/?q=red&asked=red&round=99999999999999999999")).status == 200


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    docs, cellar = tmp_path / "docs.jsonl", str(tmp_path / "cellar")
    docs.write_text('{"id": "d1", "text": "red wine"}\n')
    germane = [sys.executable, "-c", "from germane.cli import main; main()"]
    subprocess.run([*germane, "index", cellar, str(docs)], check=True, capture_output=True)
    serving = [*germane, "search", cellar, "red", "--serve", "--port", "0"]
    with subprocess.Popen(serving, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?q=red", address)
        page = urlopen(address).read().decode()
        assert "<title>red – Search cellar</title>" in page
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 0
