"""API of the judging screen: serve documents blind and record judgments."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.responses import Response

from germane.errors import GermaneError
from germane.formats.documents.reading import Document
from germane.judging.store.answers import Answer
from germane.judging.store.events import record
from germane.judging.store.leases import renew
from germane.judging.store.progress import assessor_progress, in_others_hands
from germane.judging.store.queues import (
    BlindTask,
    OwnAnswer,
    TaskNotFoundError,
    document_of,
    history,
    next_tasks,
    task_of,
)
from germane.web.batches import Afterwards
from germane.web.document_view import framed, shown, visible
from germane.web.endpoints import BOOLEAN, INTEGER, ApiError, Call, Endpoint, a_list, an_object, one_of, text
from germane.web.site import Site

FRAME_STYLE = '<link rel="stylesheet" href="static/document.css">'
MOST_AHEAD = 5

TASKS = a_list(text(64), 64)
NUMBER_OR_NULL = {"type": ["number", "null"]}
ANSWER = an_object(
    {
        "event": text(64, description="a UUID made by the sender; sending it again is harmless"),
        "task": text(64),
        "kind": one_of("grade", "cannot", "later", "undo", "comment", "adjudicate"),
    },
    {
        "grade": NUMBER_OR_NULL,
        "rubric": text(16, description="the version that was shown"),
        "supersedes": {"type": ["string", "null"], "maxLength": 64},
        "text": text(20_000),
        "time": text(64, description="the sender's clock, ISO 8601"),
        "seconds": NUMBER_OR_NULL,
    },
)
REPLACED = "the event of your earlier judgment of this document, which this one replaces"
RECEIPT = an_object(
    {"event": text(), "status": one_of("stored", "already", "refused"), "extra": BOOLEAN, "reason": text()}
    | {"replaces": {"type": ["string", "null"], "description": REPLACED}}
)
OWN_ANSWER = an_object({"event": text(), "kind": text(), "grade": NUMBER_OR_NULL, "comment": text(20_000)})
TOPIC = an_object({"id": text(), "title": text(), "description": text(), "narrative": text()})
KIND = one_of("text", "html", "image", "missing")
DOCUMENT = an_object(
    {"kind": KIND, "title": text(), "text": {"type": "string"}, "remarks": a_list(text())},
    {
        "html": {"type": "string", "description": "a whole page for a sandboxed iframe"},
        "image": {"type": "string", "description": "its address"},
    },
)
TASK = an_object({"task": text(), "topic": TOPIC, "label": text(), "document": DOCUMENT}, {"answer": OWN_ANSWER})
PROGRESS = an_object(
    {
        **dict.fromkeys(("judged", "today", "put_off"), INTEGER),
        "left": {**INTEGER, "description": "number of documents that you could still get"},
        "topic": {"type": ["string", "null"]},
        **dict.fromkeys(("judged_in_topic", "left_in_topic"), INTEGER),
    }
)
IN_OTHERS_HANDS = "if `tasks` is empty: number of documents that other assessors hold and may return"


@Endpoint(
    "POST",
    "/api/work",
    "assessors",
    takes=an_object(
        {"seen": TASKS, "holding": TASKS, "want": {**INTEGER, "minimum": 0, "maximum": MOST_AHEAD}},
        {
            "answered": {**TASKS, "description": "tasks whose judgments are still being sent"},
            "keep": {**BOOLEAN, "description": "false does not renew the leases of `holding`"},
            "progress": BOOLEAN,
        },
    ),
    gives=an_object(
        {"lost": TASKS, "tasks": a_list(TASK)},
        {"in_others_hands": {**INTEGER, "description": IN_OTHERS_HANDS}, "progress": PROGRESS},
    ),
    frequent=True,
)
def work(call: Call) -> Any:
    """Keep the documents in hand, and get up to `want` more.

    Call it when a document is shown and every 20 seconds: what was only prefetched goes back within a minute. What is
    `lost` has gone to somebody else.
    """
    site, name = call.site, call.person.name
    seen, holding = call.body["seen"], call.body["holding"]
    kept = holding if call.body.get("keep", True) else []
    lost = renew(site.database, name, seen=seen, holding=kept) if seen or kept else []
    found: list[BlindTask] = []
    if call.body["want"]:
        held = [task for task in (*seen, *holding, *call.body.get("answered", ())) if task not in lost]
        found = next_tasks(site.database, name, call.body["want"], holding=held, ranking=site.ranking)
    docs = [document_of(site.database, name, task.task)[1] for task in found]

    def reply() -> dict[str, Any]:
        tasks = [presented(site, task, doc) for task, doc in zip(found, docs, strict=True)]
        result: dict[str, Any] = {"lost": lost, "tasks": tasks}
        if call.body["want"] and not found:
            result["in_others_hands"] = in_others_hands(site.database, name)
        if call.body.get("progress"):
            result["progress"] = progress_of(call)
        return result

    return Afterwards(reply)


def presented(site: Site, task: BlindTask, doc: str) -> dict[str, Any]:
    """Return what the browser may know of a task, with topic and document."""
    document = fetched(site, doc)
    return {
        "task": task.task,
        "topic": topic_of(site, task.topic),
        "label": visible(task.label),
        "document": for_page(site, document, image=f"api/tasks/{task.task}/image"),
    }


def for_page(site: Site, document: Document | None, *, image: str = "") -> dict[str, Any]:
    """The document, its HTML as a whole page."""
    body = shown(document, site.documents, image=image)
    if "html" in body:
        body["html"] = framed(body["html"], style=FRAME_STYLE)
    return body


def topic_of(site: Site, topic: str) -> dict[str, str]:
    """Return a topic without hidden characters."""
    return {name: visible(value) for name, value in asdict(site.topic(topic)).items()}


def fetched(site: Site, doc: str) -> Document | None:
    """Return the document; an unreadable one is reported to the assessor as missing."""
    try:
        return site.documents.get(doc)
    except (GermaneError, OSError):  # its message names files of the server, which are nobody's business here
        return Document(doc, "", remarks=("This document cannot be read.",))


@Endpoint("GET", "/api/tasks/{task}", "assessors", gives=TASK)
def task(call: Call) -> Any:
    """One of your tasks, with your own answer to it."""
    found = _own_task(call)
    said = next((one for one in history(call.site.database, call.person.name, 500) if one.task == found.task), None)
    _, doc = document_of(call.site.database, call.person.name, found.task)
    return presented(call.site, found, doc) | ({} if said is None else {"answer": own_answer(said)})


@Endpoint("GET", "/api/tasks/{task}/image", "assessors", media_type="image/*")
def image(call: Call) -> Response:
    """The picture that a task is about."""
    _, doc = document_of(call.site.database, call.person.name, _own_task(call).task)
    document = fetched(call.site, doc)
    if document is None or document.kind != "image":
        raise ApiError(404, "this document is not a picture")
    return Response(document.data, media_type=document.media_type)


def _own_task(call: Call) -> BlindTask:
    try:
        return task_of(call.site.database, call.person.name, call.part("task"))
    except TaskNotFoundError:
        raise ApiError(404, "this task is not assigned to you") from None


@Endpoint(
    "POST",
    "/api/answers",
    "assessors",
    takes=an_object({"answers": a_list(ANSWER, 100)}, {"assessor": text(64)}),
    gives=an_object({"receipts": a_list(RECEIPT)}),
    most_bytes=4_000_000,
    frequent=True,
)
def answers(call: Call) -> Any:
    """Record answers: grade, cannot, later, undo, comment.

    Each has an id of the sender's making, so that an answer may be sent again; it is acknowledged after it was
    committed. `assessor`, if given, must be the caller.
    """
    if call.body.get("assessor", call.person.name) != call.person.name:
        raise ApiError(
            409, f"these are judgments of {call.body['assessor']}, but you are signed in as {call.person.name}"
        )
    said = [Answer(**one) for one in call.body["answers"]]
    if not call.person.may_organise and any(one.kind == "adjudicate" for one in said):
        raise ApiError(403, "only organisers can adjudicate")
    return {"receipts": [asdict(receipt) for receipt in record(call.site.database, call.person.name, said)]}


ANSWERED = an_object({"task": text(), "topic": text(), "label": text(), "answer": OWN_ANSWER})


@Endpoint("GET", "/api/history", "assessors", gives=an_object({"answers": a_list(ANSWERED)}))
def own_history(call: Call) -> Any:
    """Your own last answers, newest first."""
    answers = [
        {"task": one.task, "topic": one.topic, "label": visible(one.label), "answer": own_answer(one)}
        for one in history(call.site.database, call.person.name, 50)
    ]
    return {"answers": answers}


def own_answer(one: OwnAnswer) -> dict[str, Any]:
    """Return the caller's own judgment of a document."""
    return {"event": one.event, "kind": one.kind, "grade": one.grade, "comment": one.comment}


@Endpoint("GET", "/api/progress", "assessors", gives=PROGRESS)
def progress_of(call: Call) -> dict[str, Any]:
    """Your own progress."""
    found = asdict(assessor_progress(call.site.database, call.person.name))
    return {name: found[name] for name in PROGRESS["properties"]}
