"""`germane search --serve`: local pages of results with marks, documents, and the marks as qrels."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from germane.errors import GermaneError
from germane.formats.rankings.detect import FORMATS
from germane.output.rendering import DIGITS
from germane.output.rendering.cells import cells_of
from germane.retrieval.engines.rankers import Boolean
from germane.retrieval.explain import ScoreExplanation, explanations
from germane.retrieval.feedback import FEEDBACK, Feedback
from germane.retrieval.indexes.index import Index, StoredDocument
from germane.retrieval.models import MODELS
from germane.retrieval.rounds import NO_TEXTS, SHOWN_TERMS, AskedModel, Hit, Round, asked_model, search_round
from germane.retrieval.search import as_query
from germane.retrieval.texts.excerpts import Excerpt, highlighted
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.columns import Table
from germane.web.pages import environment
from germane.web.security import guarded
from germane.web.serving import listen, run_server
from germane.web.site import Address, local_addresses

CHARACTERS_IN_PLACE = 4_000
"""Characters of text shown below a result; the rest is on the document page."""
CHARACTERS_ON_A_PAGE = 100_000
MOST_BODY_BYTES = 1_000_000
MOST_RESULTS = 50
SEARCHES_AT_ONCE = 4
"""Maximum number of searches at once; the others wait in turn. More would slow one another and take more memory."""
MOST_ADDRESS_CHARACTERS = 6000
"""Maximum length of an address; longer forms are sent in the request body, as proxies may truncate them."""
MARKS = {"yes": True, "no": False}
BOOLEAN = ("boolean", "AND, OR, NOT, parentheses and phrases. Documents either match or do not; marks have no effect.")


@dataclass(frozen=True)
class Form:
    """The fields as they were typed; a page shows them again whatever is wrong with them. All state is in them, so the
    server remembers nothing and a page can be kept.

    q, model, feedback, k          what to search for, and how; own_model and own_feedback are written out and win
    asked, round                   the query that the marks belong to, and how often it was searched for
    was …                          the results of the page before, in their order
    doc …, m1, m2, …               documents that can be marked, and the mark of each: yes, no or nothing
    topic                          what the query is called in qrels
    """

    query: str = ""
    model: str = "BM25"
    feedback: str = "rocchio"
    size: str = "10"
    asked: str = ""
    round: int = 0
    was: tuple[str, ...] = ()
    marks: dict[str, bool] = field(default_factory=dict)
    topic: str = "1"

    @classmethod
    def read(cls, pairs: Sequence[tuple[str, str]], usual: Form) -> Form:
        """Read a form from a request's fields; `usual` has the defaults."""
        fields = dict(pairs)
        docs = [value for name, value in pairs if name == "doc"]
        marks = [(doc, fields.get(f"m{place}", "")) for place, doc in enumerate(docs, start=1)]
        return cls(
            query=fields.get("q", usual.query).strip(),
            model=fields.get("own_model", "").strip() or fields.get("model", usual.model),
            feedback=fields.get("own_feedback", "").strip() or fields.get("feedback", usual.feedback),
            size=fields.get("k", usual.size),
            asked=fields.get("asked", ""),
            round=_number(fields.get("round", "")),
            was=tuple(value for name, value in pairs if name == "was"),
            marks={doc: MARKS[mark] for doc, mark in marks if mark in MARKS},
            topic=fields.get("topic", usual.topic).strip(),
        )

    @property
    def is_new_query(self) -> bool:
        """Whether the marks belong to a different query."""
        return self.query != self.asked

    @property
    def num_results(self) -> int:
        """Number of results to show."""
        if not self.size.isdecimal() or len(self.size) > 6 or not 1 <= int(self.size) <= MOST_RESULTS:
            raise GermaneError(f"expected 1 to {MOST_RESULTS} results, found {self.size!r}")
        return int(self.size)

    @property
    def address(self) -> str:
        """Return the address of the previous page: the same form with the query that its marks belong to."""
        pairs = [("q", self.asked), ("model", self.model), ("feedback", self.feedback), ("k", self.size)]
        pairs += [("asked", self.asked), ("round", str(self.round)), ("topic", self.topic)]
        pairs += [("was", doc) for doc in self.was]
        for place, (doc, good) in enumerate(self.marks.items(), start=1):
            pairs += [("doc", doc), (f"m{place}", "yes" if good else "no")]
        return "./?" + urlencode(pairs)


def _number(text: str, most_digits: int = 6) -> int:
    """Parse a number set by one of our pages; a hand-written address may contain anything."""
    return int(text) if text.isdecimal() and len(text) <= most_digits else 0


@dataclass(frozen=True)
class Shown:
    """A document on the page; `result` is None if it was marked before but is not among the current results."""

    result: Hit | None
    id: str
    title: Excerpt
    mark: str
    movement: str = ""
    text: Excerpt | None = None
    more: int = 0
    address: str = ""
    explanation: tuple[list[str], list[list[str]]] | None = None


class SearchPages:
    """The pages of one index; `usual` is the initial form."""

    def __init__(self, index: Index, usual: Form) -> None:
        self.index = index
        self.usual = usual
        self.templates = environment()
        self._turns = asyncio.Semaphore(SEARCHES_AT_ONCE)
        self.name = "an index in memory" if index.path is None else index.path.name
        self.models = dict([*((entry.name, entry.summary) for entry in MODELS), BOOLEAN])
        self.methods = {entry.name: entry.summary for entry in FEEDBACK}

    def routes(self) -> list[Route]:
        """All pages."""
        return [
            Route("/", self._of_form(self.results), methods=["GET", "POST"]),
            Route("/qrels", self._of_form(self.qrels), methods=["GET", "POST"]),
            Route("/document", self._document),
        ]

    def _of_form(self, show: Callable[[Form], Response]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            form = Form.read(await _pairs(request), self.usual)
            async with self._turns:
                return await run_in_threadpool(show, form)

        return answer

    def _document(self, request: Request) -> Response:
        return self.document(dict(request.query_params))  # in a thread, as all that is not async

    def results(self, form: Form, problem: GermaneError | None = None) -> Response:
        """Return the page of results. Problems are shown on it; input and marks are kept."""
        found, aside = None, None
        if form.query:
            if form.is_new_query and form.marks:
                aside = form  # the page says where the marks of the query before are
            if form.is_new_query:
                form = replace(form, asked=form.query, round=0, was=(), marks={})
            try:
                found = self._search(form)
            except GermaneError as error:
                problem = problem or error
                form, aside = (aside or form), None  # as if nothing had been sent: the marks wait for a better query
        if found is not None:
            form = replace(form, round=found.number, was=tuple(hit.doc for hit in found.results))
        docs = self._shown(form, found)
        length = len(form.address) + sum(len(quote_plus(doc.id)) + len("&doc=&m99=yes") for doc in docs)
        return self._render(
            "search",
            400 if problem else 200,
            form=form,
            found=found,
            problem=problem,
            aside=aside,
            messages=[] if found is None else [*found.notes, *found.messages],
            results=[doc for doc in docs if doc.result is not None],
            others=[doc for doc in docs if doc.result is None],
            is_boolean=found is not None and isinstance(found.model, Boolean),
            shown_terms=SHOWN_TERMS,
            method="post" if length > MOST_ADDRESS_CHARACTERS else "get",
            models=self.models,
            methods=self.methods,
            most_results=MOST_RESULTS,
        )

    def qrels(self, form: Form) -> Response:
        """Return the marks as a file to download."""
        try:
            if not form.marks:
                raise GermaneError("no marks yet", hint="mark a result as relevant or non-relevant first")
            if not form.topic:
                raise GermaneError("expected a query id for the qrels, found none")
            target = io.BytesIO()
            grades = {doc: int(good) for doc, good in form.marks.items()}
            write = FORMATS["trec"].write_qrels
            assert write is not None
            write(Qrels.from_dict({form.topic: grades}), target)
        except GermaneError as error:
            return self.results(replace(form, query=form.asked), error)
        headers = {"Content-Disposition": 'attachment; filename="qrels.txt"'}
        return Response(target.getvalue(), media_type="text/plain; charset=utf-8", headers=headers)

    def document(self, fields: Mapping[str, str]) -> Response:
        """Return a document's text, in parts if it is long."""
        doc_id = fields.get("id", "")
        number = self.index.doc_number(doc_id)
        stored = StoredDocument(doc_id, "", "") if number is None else self.index.stored(number)
        begin = _number(fields.get("from", ""), 12)
        text = stored.text[begin : begin + CHARACTERS_ON_A_PAGE]
        terms = frozenset(as_query(fields.get("q", ""), self.index).weights)
        address = partial(self._document_address, doc_id, fields.get("q", ""))
        parts = {"before": begin - CHARACTERS_ON_A_PAGE, "after": begin + CHARACTERS_ON_A_PAGE}
        return self._render(
            "search_document",
            404 if number is None else 200,
            id=doc_id,
            is_there=number is not None,
            heading=self._highlighted(stored.title, terms),
            text=self._highlighted(text, terms),
            no_texts=NO_TEXTS,
            begin=begin,
            end=begin + len(text),
            length=len(stored.text),
            links={name: address(place) for name, place in parts.items() if 0 <= place < len(stored.text)},
        )

    def _search(self, form: Form) -> Round:
        model, method = asked_model(form.model), FEEDBACK.parse(form.feedback)
        marks = {self._number(doc): good for doc, good in form.marks.items()}
        before = {self._number(doc): rank for rank, doc in enumerate(form.was, start=1)} if form.round else None
        return search_round(
            self.index, form.query, model, method, marks, size=form.num_results, number=form.round + 1, before=before
        )

    def _number(self, doc_id: str) -> int:
        number = self.index.doc_number(doc_id)
        if number is None:
            raise GermaneError(f"unknown document {doc_id!r}", hint="reload the page; the index may have changed")
        return number

    def _shown(self, form: Form, found: Round | None) -> list[Shown]:
        """Return the results, followed by earlier marked documents that are not among them."""
        terms: frozenset[str] = frozenset() if found is None else found.shown_terms
        results = [] if found is None else self._results(found, form)
        ids = {result.id for result in results}
        words = {True: "yes", False: "no"}
        for doc_id, good in form.marks.items():
            number = self.index.doc_number(doc_id)
            if doc_id not in ids and number is not None:
                title = self._highlighted(self.index.stored(number).title, terms)
                address = self._document_address(doc_id, form.query)
                results.append(Shown(None, doc_id, title, words[good], address=address))
        return results

    def _results(self, found: Round, form: Form) -> list[Shown]:
        if isinstance(found.model, Boolean):
            return [self._result(result, None, found, form) for result in found.results]
        docs = [result.number for result in found.results]
        explained = map(_grid, explanations(self.index, found.query, docs, found.model))
        return [self._result(*row, found, form) for row in zip(found.results, explained, strict=True)]

    def _result(self, result: Hit, explained: Any, found: Round, form: Form) -> Shown:
        stored = self.index.stored(result.number)
        text = stored.text[:CHARACTERS_IN_PLACE]
        mark = {True: "yes", False: "no", None: ""}[result.relevant]
        movement = result.movement if found.number > 1 else ""
        excerpt = self._highlighted(text, found.shown_terms) if text else None
        more, address = len(stored.text) - len(text), self._document_address(result.doc, form.query)
        return Shown(result, result.doc, result.title, mark, movement, excerpt, more, address, explained)

    def _highlighted(self, text: str, terms: frozenset[str]) -> Excerpt:
        return highlighted(text, terms, self.index.analyser)

    def _document_address(self, doc_id: str, query: str, begin: int = 0) -> str:
        return "document?" + urlencode({"id": doc_id, "q": query} | ({"from": begin} if begin else {}))

    def _render(self, name: str, status: int, **values: Any) -> Response:
        # The browser's way back must find what was marked but not yet sent, so pages may stay in its memory.
        # Without any referrer it would call a form's origin "null", and the guard would turn the form away.
        headers = {"Cache-Control": "private, no-cache", "Referrer-Policy": "same-origin"}
        template, title = self.templates.get_template(f"{name}.html"), f"Search {self.name}"
        text = template.render(title=title, person=None, menu=[], here="search", index=self.index, **values)
        return HTMLResponse(text, status, headers=headers)


async def _pairs(request: Request) -> list[tuple[str, str]]:
    """Return the fields of a request, from the address or the body."""
    sent = request.url.query.encode()
    if request.method == "POST":
        sent = b""
        async for chunk in request.stream():
            sent += chunk
            if len(sent) > MOST_BODY_BYTES:
                raise HTTPException(413, "request too large")
    return parse_qsl(sent.decode("utf-8", "replace"), keep_blank_values=True)


def _grid(explanation: ScoreExplanation) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of an explanation."""
    (shown,) = explanation.shown(most=SHOWN_TERMS)
    assert isinstance(shown, Table)
    columns = cells_of(shown, DIGITS)
    return [each.label for each in columns], [list(row) for row in zip(*(each.texts for each in columns), strict=True)]


def build_search_app(index: Index, usual: Form, addresses: tuple[Address, ...]) -> ASGIApp:
    """Return the search pages of an index, behind the guard that the judging pages have."""
    return guarded(SearchPages(index, usual).routes(), {address.host: address for address in addresses})


def serve_search(
    index: Index,
    model: AskedModel,
    method: Feedback,
    size: int,
    *,
    text: str = "",
    port: int | None = None,
    started: Callable[[str], None],
) -> None:
    """Serve requests until interrupted; `started` gets the address, with the query `text` if given."""
    usual = Form(model=str(model), feedback=str(method), size=str(size))
    usual.num_results  # noqa: B018 - too many are an error before anything is served
    with listen("127.0.0.1", port) as listening:
        addresses = local_addresses(listening.getsockname()[1])
        app = build_search_app(index, usual, addresses)
        started(f"{addresses[0].origin}/" + (f"?{urlencode({'q': text})}" if text else ""))
        with suppress(KeyboardInterrupt):  # Ctrl+C is how it is meant to end
            run_server(app, listening)
