"""What judging reads: topics, documents, query logs, pools, judgments, rubrics, bundles, releases, journals."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from germane.api.reports.costs import read_costs
from germane.api.reports.texts import read_questions
from germane.api.truth.judgment_sources import load_judged
from germane.api.truth.pooling import read_collection
from germane.formats.documents.html_text import read_html
from germane.formats.documents.reading import read_document_blocks, read_documents
from germane.formats.files.sources import open_source
from germane.formats.truth.judgments_file import event_from_dict, read_events, read_judgments, write_events
from germane.formats.truth.pool_file import read_pool, write_pool
from germane.formats.truth.query_log import fold, sample_queries
from germane.formats.truth.topics_file import read_topics
from germane.judging.bundle import import_answers, reserve
from germane.judging.documents import open_documents, read_document_file
from germane.judging.release import check_release
from germane.judging.rubric import Rubric, binary, parse_scale
from germane.judging.store.connection import Database
from germane.judging.store.journal import Journal
from germane.judging.store.people import add_person
from germane.judging.store.project import load_pool, save_rubric
from germane.tables.truth.judgments import JudgmentEvent, in_order, unique
from germane.tables.truth.pool import Pool, PooledRun, PoolItem
from germane.web.serving import read_rubric
from tests.fuzz.checksums import whole
from tests.fuzz.readers import Reader, add, lasting_folder
from tests.fuzz.readers_of_runs import GROUPED, TREC_QRELS, parquet_bytes

TOPICS = [
    b"<top>\n<num> Number: 301\n<title> Crime\n<desc> Description:\nFind gangs.\n<narr> Narrative:\nAny.\n</top>\n"
    b"<top>\n<num> Number: 302\n<title> Polio\n<desc> Description:\nIs it over?\n<narr> Narrative:\nAny.\n</top>\n",
    b'<topics><topic number="1" type="x"><query>wine</query><question>Which wine?</question></topic></topics>',
    b"id\ttitle\n1\tred wine\n2\troses\tFind roses.\tAll of it counts.\n",
    b'{"_id": "1", "text": "wine"}\n{"qid": 2, "title": "roses", "description": "Find them."}\n',
    b".I 1\n.W\nwhat similarity laws\n.I 2\n.T\nTitle\n.W\nwords\nmore words\n",
]
DOCUMENTS: dict[str, list[bytes]] = {
    "jsonl": [
        b'{"_id": "d1", "title": "Wine", "text": "Red?"}\n{"_id": "d2", "text": "Roses"}\n',
        b'{"id": 3, "body": "x"}\n',
    ],
    "tsv": [b"d1\tred wine\nd2\troses\n", b"docno\ttitle\ttext\nd1\tWine\tRed or white?\nd2\t\tRoses\n"],
    "csv": [b'id,title,text\nd1,Wine,"Red, or\nwhite?"\nd2,,Roses\n'],
    "sgml": [
        b"<DOC>\n<DOCNO> FT911-3 </DOCNO>\n<HEADLINE>Wine</HEADLINE>\n<TEXT>\nRed &amp; white.\n</TEXT>\n</DOC>\n"
        b"<DOC><DOCNO>FT911-4</DOCNO><TEXT>Roses</TEXT></DOC>\n"
    ],
    "smart": [b".I 1\n.T\nWine\n.A\nN. N.\n.W\nred or white\n.I 2\n.T\nRoses\n.W\n\n"],
    "parquet": [parquet_bytes(pa.table({"id": ["d1", "d2"], "title": ["Wine", None], "text": ["Red?", "Roses"]}))],
}
PAGE = (
    b"<!doctype html><html><head><title>Wine &amp; roses</title><style>b{}</style><script>x<y</script></head>"
    b"<body><h1>Red</h1><p>or <b>white</b>?<br>&eacute;&#8364;<!-- no --><ul><li>one<li>two</ul></body></html>"
)
EVENT: dict[str, Any] = {"event": "1", "kind": "grade", "assessor": "ann", "topic": "t1", "doc": "d1", "grade": 2}
EVENTS = [
    EVENT | {"time": "2026-01-31T09:30:00Z", "rubric": "1", "seconds": 3.5, "pool": "p", "text": ""},
    EVENT | {"event": "2", "doc": "d2", "kind": "cannot", "grade": None, "time": "2026-01-31T09:31:00Z"},
    EVENT | {"event": "3", "supersedes": "1", "kind": "undo", "grade": None, "time": "2026-01-31T09:32:00Z"},
    EVENT | {"event": "4", "assessor": "bob", "grade": 0, "time": "2026-01-31T09:33:00+01:00"},
]


def events_bytes() -> bytes:
    return "".join(json.dumps(event) + "\n" for event in EVENTS).encode()


def pools() -> Iterator[bytes]:
    items = [PoolItem("t1", "d1", "top", 1.0), PoolItem("t1", "d2", "deep", 0.5), PoolItem("t2", "d1", "top", 1.0)]
    for given in (
        Pool.of(items, method="stratified", runs=(PooledRun("bm25", "0" * 64),)),
        Pool.of(items[:1], method="depth"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            write_pool(given, Path(folder, "pool.jsonl"))
            yield Path(folder, "pool.jsonl").read_bytes()
    yield b"t1 d1\nt1 d2\nt2 d1\n"
    yield b"t1 Q0 d1 1\nt1 Q0 d2 2\n"


def pool_again(pool: Any, path: Path) -> object:
    write_pool(pool, path)
    return read_pool(path)


def ordered_events(path: Path) -> list[JudgmentEvent]:
    """As they are written: each once, by time."""
    return in_order(unique(read_events(path), name=str(path)))


def events_again(events: Any, path: Path) -> object:
    write_events(events, path)
    return read_events(path)


def tar_files() -> Iterator[bytes]:
    for files in ({"a.txt": b"red wine", "deep/b.html": PAGE}, {"c.jsonl": DOCUMENTS["jsonl"][0]}):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for name, data in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        yield buffer.getvalue()


def read_log(path: Path) -> object:
    with open_source(path) as lines:
        sample = sample_queries(lines, 2, seed=1, source=str(path))
    return [(query.text, query.frequency) for query in sample.queries]


def every_document(path: Path) -> object:
    return list(read_documents(path))


def documents_in_blocks(path: Path) -> object:
    return [
        one for block in read_document_blocks(path) for one in zip(block.ids, block.titles, block.texts, strict=True)
    ]


def documents_one_by_one(path: Path) -> object:
    return [(one.id, one.title, one.text) for one in read_documents(path)]


def documents_by_id(path: Path) -> object:
    documents = open_documents(path)
    try:
        return documents.missing(["d1"]), [documents.get(doc) for doc in ("d1", "d2", "FT911-3", "1")]
    finally:
        documents.close()


for _name, _seeds in DOCUMENTS.items():
    for _way, _read in (("documents", every_document), ("documents_by_id", documents_by_id)):
        add(
            Reader(
                f"{_name}_{_way}",
                _read,
                lambda seeds=_seeds: seeds,  # type: ignore[misc]
                f"docs.{_name}",
                (read_documents,) if _read is every_document else (open_documents,),
                json=_name == "jsonl",
                share=0.3 if _name == "parquet" else 0.7,
            )
        )
add(
    Reader(
        "jsonl_document_blocks",
        documents_in_blocks,
        lambda: DOCUMENTS["jsonl"],
        "docs.jsonl",
        (read_document_blocks,),
        json=True,
        plain=documents_one_by_one,
    )
)
add(Reader("tar_documents", every_document, tar_files, "docs.tar", (read_documents,), share=0.5))
add(
    Reader(
        "html_document",
        lambda path: read_document_file(path, "d1"),
        lambda: [PAGE],
        "d1.html",
        (read_document_file, read_html),
    )
)
add(
    Reader(
        "text_document",
        lambda path: read_document_file(path, "d1"),
        lambda: [b"Red wine\nor white?\n"],
        "d1.txt",
        share=0.3,
    )
)
add(
    Reader(
        "topics",
        read_topics,
        lambda: TOPICS,
        "topics.txt",
        (read_topics,),
        json=True,
        share=1.5,
    )
)
add(Reader("questions", read_questions, lambda: TOPICS, "topics.txt", (read_questions,), share=0.3))
add(
    Reader(
        "query_log",
        read_log,
        lambda: [b"bm25\nBM25 \npool depth\nkappa\n", b"wine\t12\nroses\t3\n"],
        "log.txt",
        (sample_queries, fold),
    )
)
add(Reader("pool", read_pool, pools, "pool.jsonl", (read_pool,), json=True, again=pool_again))
add(
    Reader(
        "judgments",
        lambda path: read_judgments(path).judgments,
        lambda: [
            events_bytes(),
            TREC_QRELS,
            GROUPED,
            b"assessor,topic,doc,rating\nann,t1,d1,2\nbob,t1,d1,cannot\nann,t1,d2,\n",
            b"query,url,judge,score\nwine,d1,ann,1\nwine,d2,bob,0\n",
        ],
        "judgments.txt",
        (read_judgments,),
        json=True,
    )
)
add(
    Reader(
        "events",
        ordered_events,
        lambda: [events_bytes()],
        "events.jsonl",
        (read_events, event_from_dict),
        json=True,
        again=events_again,
    )
)
add(Reader("judged_input", load_judged, lambda: [events_bytes(), TREC_QRELS], "judged.txt", (load_judged,), share=0.3))


def rubrics() -> Iterator[bytes]:
    yield binary().as_json().encode()
    yield parse_scale("0=no,1=related,3=perfect").as_json().encode()
    yield b'{"grades": [{"value": 0, "label": "no", "key": "0"}, {"value": 1, "label": "yes"}], "rel": 1}'


def rubric_again(rubric: Any, path: Path) -> object:
    path.write_text(rubric.as_json(), encoding="utf-8")
    return read_rubric(path)


add(
    Reader(
        "rubric", read_rubric, rubrics, "rubric.json", (read_rubric, Rubric.from_json), json=True, again=rubric_again
    )
)


@cache
def project() -> tuple[Database, str]:
    """A small project, and the id of a bundle in it."""
    folder = lasting_folder()
    database = Database(folder / "project.db")
    load_pool(database, Pool.of([PoolItem("t1", "d1"), PoolItem("t1", "d2")], method="given"))
    save_rubric(database, binary())
    add_person(database, "ann", "assessor")
    return database, reserve(database, "ann", 2).bundle


def bundle_answers() -> Iterator[bytes]:
    from germane.judging.bundle import bundle_of

    database, name = project()
    bundle = bundle_of(database, name)
    lines = [
        {
            "bundle": bundle.bundle, "assessor": "ann", "pool": bundle.pool, "rubric": bundle.rubric,
            "event": str(place), "task": task.task, "topic": task.topic, "doc": task.label, "kind": "grade", "grade": 1,
        }
        for place, task in enumerate(bundle.tasks)
    ]  # fmt: skip
    yield "".join(json.dumps(line) + "\n" for line in lines).encode()


def import_bundle(path: Path) -> object:
    return import_answers(project()[0], path.read_bytes().splitlines(), finish=False).refused


def check_released(path: Path) -> object:
    return check_release(whole(path).parent)


def journal_ids(path: Path) -> object:
    return Journal(path).catch_up([])


add(Reader("bundle_answers", import_bundle, bundle_answers, "answers.jsonl", (import_answers,), json=True, share=0.15))
add(
    Reader(
        "release",
        check_released,
        lambda: [b'{"germane_release": 2, "files": {"qrels.txt": {"sha256": "0", "bytes": 1}, "events.jsonl": {}}}'],
        "manifest.json",
        (check_release,),
        json=True,
        share=0.3,
    )
)
add(
    Reader(
        "judging_journal",
        journal_ids,
        lambda: [events_bytes()],
        "journal.jsonl",
        (Journal.catch_up,),
        json=True,
        share=0.3,
    )
)
add(
    Reader(
        "costs",
        lambda path: read_costs(path, ["bm25", "dense"]),
        lambda: [b"run,ms per query,index MB\nbm25,3,120\ndense,15.5,\n"],
        "costs.csv",
        (read_costs,),
        share=0.5,
    )
)
add(Reader("collection", read_collection, lambda: [b"d1\nd2\nd3\n"], "ids.txt", (read_collection,), share=0.3))
