"""The formats of files, each with an example, what reading it gives, and an example that is refused.

Runs and judgments have a registry of formats, and so have documents; what is listed by hand here are the examples. A
test reads every example back, and knows of every reader and writer whether it is listed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from germane.api.reports.costs import read_costs
from germane.formats.decisions import confusion_file, labelled_rows
from germane.formats.documents import reading as documents
from germane.formats.learning import letor_file, vector_file
from germane.formats.rankings import leaderboard, score_table
from germane.formats.rows import slices
from germane.formats.truth import judgments_file, pool_file, query_log, topics_file
from germane.learning.strategies.space import read_space
from germane.measures.definition import MEASURES
from germane.retrieval.engines.servers.opensearch import read_template
from germane.retrieval.texts.stop_lists import read_stop_list

BY_BEGINNING = "by the start of the file, never by its name"
BY_ROLE = "by the option or argument it is given to"


@dataclass(frozen=True)
class FileFormat:
    """One format: a file in it, how it is read, what that gives, how it is recognised, and a file that is refused."""

    name: str
    file: str
    example: str
    read: Callable[[Path], Any]
    gives: Any
    recognised: str
    refused: str
    functions: tuple[str, ...] = ()


def document_formats_listed() -> list[FileFormat]:
    """Files of documents that are text."""

    def read(path: Path) -> dict[str, str]:
        return {document.id: document.text for document in documents.read_documents(path)}

    ending = "by its extension or, if that is unknown, by the start of the file"
    given = {"d1": "Rivers and banks", "d2": "Wine"}
    reader = ("documents.reading:read_documents",)
    return [
        FileFormat(
            "JSON lines", "docs.jsonl", '{"id": "d1", "text": "Rivers and banks"}\n{"id": "d2", "text": "Wine"}\n',
            read, given, ending, '{"text": "Rivers"}\n', reader,
        ),
        FileFormat("TSV", "docs.tsv", "d1\tRivers and banks\nd2\tWine\n", read, given, ending, "d1\n", reader),
        FileFormat(
            "CSV", "docs.csv", "id,text\nd1,Rivers and banks\nd2,Wine\n", read, given, ending,
            "name,words\nd1,x\n", reader,
        ),
        FileFormat(
            "TREC documents", "docs.trec",
            "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>\nRivers and banks\n</TEXT>\n</DOC>\n"
            "<DOC>\n<DOCNO> d2 </DOCNO>\n<TEXT>\nWine\n</TEXT>\n</DOC>\n",
            read, given, ending, "<DOC>\n<DOCNO> d1 </DOCNO>\n", reader,
        ),
        FileFormat(
            "SMART", "docs.all", ".I 1\n.W\nRivers and banks\n.I 2\n.W\nWine\n",
            read, {"1": "Rivers and banks", "2": "Wine"}, ending, ".I 1\n.W\nRivers\n.I 1\n.W\nWine\n", reader,
        ),
    ]  # fmt: skip


def topic_formats() -> list[FileFormat]:
    """Files of topics."""

    def read(path: Path) -> dict[str, str]:
        return {id_: topic.title for id_, topic in topics_file.read_topics(path).items()}

    given = {"301": "river banks"}
    reader = ("truth.topics_file:read_topics",)
    return [
        FileFormat(
            "TREC topics", "topics.txt",
            "<top>\n<num> Number: 301\n<title> river banks\n<desc> Description:\nWhich rivers have banks?\n</top>\n",
            read, given, BY_BEGINNING, "<top>\n<title> river banks\n</top>\n", reader,
        ),
        FileFormat(
            "TREC topics as XML", "topics.xml",
            '<topics>\n<topic number="301"><query>river banks</query></topic>\n</topics>\n',
            read, given, BY_BEGINNING, '<topics>\n<topic number="301"><query>river banks</query>\n', reader,
        ),
        FileFormat("TSV", "topics.tsv", "301\triver banks\n", read, given, BY_BEGINNING, "301\n", reader),
        FileFormat(
            "CSV", "topics.csv", "id,title\n301,river banks\n",
            read, given, "by its header, or by the extension `.csv`", "301,river banks\n", reader,
        ),
        FileFormat(
            "JSON lines", "topics.jsonl", '{"id": "301", "title": "river banks"}\n',
            read, given, BY_BEGINNING, '{"title": "river banks"}\n', reader,
        ),
        FileFormat(
            "SMART", "queries", ".I 301\n.W\nriver banks\n", read, given, BY_BEGINNING,
            ".I 301\n.W\nriver\n.I 301\n.W\nbank\n", reader
        ),
    ]  # fmt: skip


def label_formats() -> list[FileFormat]:
    """Tables of labels, predictions and scores, and confusion matrices."""

    def read(path: Path) -> tuple[list[Any], list[float]]:
        rows = labelled_rows.read_labelled(path)
        return list(rows.truth), rows.scores["score"].tolist()

    def matrix(path: Path) -> list[list[float]]:
        found: list[list[float]] = confusion_file.read_matrix(path).counts.tolist()
        return found

    given = (["cat", "dog"], [0.9, 0.2])
    readers = ("decisions.labelled_rows:read_labelled", "decisions.labelled_rows:stream_labelled")
    square = ("decisions.confusion_file:read_matrix",)
    return [
        FileFormat(
            "csv", "items.csv", "class,score\ncat,0.9\ndog,0.2\n", read, given, BY_BEGINNING,
            "class,score\ncat\n", readers,
        ),
        FileFormat(
            "tsv", "items.tsv", "class\tscore\ncat\t0.9\ndog\t0.2\n", read, given, BY_BEGINNING,
            "class\tscore\ncat\thigh\n", readers,
        ),
        FileFormat(
            "jsonl", "items.jsonl", '{"class": "cat", "score": 0.9}\n{"class": "dog", "score": 0.2}\n',
            read, given, BY_BEGINNING, '{"class": "cat"}\n{"class": "dog", "score": 0.2}\n', readers,
        ),
        FileFormat(
            "Confusion matrix", "matrix.csv", ",cat,dog\ncat,8,2\ndog,1,9\n", matrix, [[8, 2], [1, 9]],
            "by `--matrix`; CSV, TSV or aligned columns, with labels or a bare square", ",cat,dog\ncat,8,2\n", square,
        ),
        FileFormat(
            "Confusion matrix as JSON", "matrix.json", '{"labels": ["cat", "dog"], "matrix": [[8, 2], [1, 9]]}\n',
            matrix, [[8, 2], [1, 9]], "by `--matrix`", '{"matrix": [[8, 2]]}\n', square,
        ),
    ]  # fmt: skip


def ground_truth_formats() -> list[FileFormat]:
    """Judgments of people, pools and query logs."""

    def grades(path: Path) -> list[tuple[str, str, str, float | None]]:
        events = judgments_file.read_judgments(path).events
        return [(event.assessor, event.topic, event.doc, event.grade) for event in events]

    def pool(path: Path) -> list[tuple[str, str]]:
        return [(item.topic, item.doc) for item in pool_file.read_pool(path).items]

    def log(path: Path) -> list[str]:
        return sorted(query.text for query in query_log.fold(path.read_bytes().splitlines(), "log"))

    event = (
        '{"event": "e1", "kind": "grade", "assessor": "ann", "topic": "301", "doc": "d1", "grade": 1, '
        '"time": "2026-01-02T03:04:05+00:00"}\n'
    )
    reader = (
        "truth.judgments_file:read_judgments",
        "truth.judgments_file:read_events",
        "truth.judgments_file:write_events",
    )
    return [
        FileFormat(
            "Events", "events.jsonl", event, grades, [("ann", "301", "d1", 1.0)], BY_BEGINNING,
            '{"event": "e1", "kind": "grade"}\n', reader,
        ),
        FileFormat(
            "Judgments as CSV", "judgments.csv", "topic,doc,assessor,grade\n301,d1,ann,1\n", grades,
            [("ann", "301", "d1", 1.0)], BY_BEGINNING, "topic,doc,assessor,grade\n301,d1,ann,good\n", reader,
        ),
        FileFormat(
            "Qrels of one assessor", "ann.qrels", "301 0 d1 1\n", grades, [("ann", "301", "d1", 1.0)],
            f"{BY_BEGINNING}; the name of the file names the assessor", "301 0 d1\n", reader,
        ),
        FileFormat(
            "Pool as a plain list", "pool.txt", "301 d1\n301 d2\n", pool, [("301", "d1"), ("301", "d2")],
            f"{BY_BEGINNING}. germane's own pools are JSON lines: see [JSON](json.md#germane-pool)", "301\n",
            ("truth.pool_file:read_pool", "truth.pool_file:write_pool"),
        ),
        FileFormat(
            "Query log", "log.txt", "river bank\t3\nwine\t1\n", log, ["river bank", "wine"],
            "by `germane topics sample`; one query per line, with or without its frequency",
            "river bank\tthree\nwine\t1\n", ("truth.query_log:sample_queries",),
        ),
    ]  # fmt: skip


def other_formats() -> list[FileFormat]:
    """Slices, leaderboards, costs, ids of vectors, features, and small files of settings."""

    def features(path: Path) -> tuple[list[list[float]], list[float]]:
        data = letor_file.read_letor(path)
        assert data.grade is not None
        return data.features.tolist(), data.grade.tolist()

    def scores(path: Path) -> dict[str, dict[str, dict[str, float]]]:
        table = score_table.read_score_table(path, MEASURES.accepts)
        return {system: {name: dict(by) for name, by in of.items()} for system, of in table.values.items()}

    layouts = "; ".join(f"`{name}` ({columns})" for name, columns in score_table.LAYOUTS.items())
    return [
        FileFormat(
            "Slices", "slices.txt", "Q1 short\nQ2 long\n", lambda path: slices.read_slices(path, ["Q1", "Q2"]),
            {"long": ("Q2",), "short": ("Q1",)}, "by `--slices`", "Q1\n", ("rows.slices:read_slices",),
        ),
        FileFormat(
            "Leaderboard", "board.csv", "run,AP,RR\nbm25,0.31,0.6\ndense,0.35,0.7\n", leaderboard.read_leaderboard,
            {"AP": {"bm25": 0.31, "dense": 0.35}, "RR": {"bm25": 0.6, "dense": 0.7}},
            f"{BY_BEGINNING}; also two columns without a header, aligned columns, and the JSON of `germane eval`",
            "run,AP\nbm25,high\n", ("rankings.leaderboard:read_leaderboard",),
        ),
        FileFormat(
            "Scores by query", "scores.csv", "qid,AP\nQ1,0.31\nQ2,0.6\n", scores,
            {"": {"AP": {"Q1": 0.31, "Q2": 0.6}}},
            f"{BY_BEGINNING}, in one of these layouts: {layouts}. Where two fit, `germane compare --layout` decides",
            "qid,AP\nQ1,0.31\nQ2,high\n", ("rankings.score_table:read_score_table",),
        ),
        FileFormat(
            "Costs", "costs.csv", "run,ms per query\nbm25,3\n", lambda path: read_costs(path, ["bm25"]),
            {"ms per query": {"bm25": 3.0}}, "by `--costs` of `germane report`", "run\nbm25\n",
        ),
        FileFormat(
            "Ids or labels of vectors", "ids.txt", "d1\nd2\n",
            lambda path: list(vector_file.read_column(path, "document", "ids")), ["d1", "d2"],
            "by the option or argument it is given to; also a .npy file", "", ("learning.vector_file:read_column",),
        ),
        FileFormat(
            "LETOR and SVMlight", "rows.letor",
            "# feature 1 = BM25\n# feature 2 = length\n"
            "2 qid:301 1:0.5 2:3 # docid = d1\n0 qid:301 1:0.1 # docid = d2\n",
            features, ([[0.5, 3.0], [0.1, 0.0]], [2.0, 0.0]), BY_ROLE, "2 qid:301 1:high\n",
            ("learning.letor_file:read_letor", "learning.letor_file:write_letor"),
        ),
        FileFormat(
            "LightGBM's groups", "rows.group", "2\n3\n", lambda path: letor_file.read_groups(path).tolist(), [2, 3],
            BY_ROLE, "two\n", ("learning.letor_file:read_groups",),
        ),
        FileFormat(
            "Names of features", "names.txt", "BM25\nlength\n", letor_file.read_names, ("BM25", "length"), BY_ROLE,
            "", ("learning.letor_file:read_names",),
        ),
        FileFormat(
            "Strategies", "space.txt", "# what to try\nBM25(b={0,0.75})\n", read_space, ["BM25(b={0,0.75})"],
            "by `--space FILE` of `germane tune`", "BM25(b={0,\n",
        ),
        FileFormat(
            "Stop list", "stop.txt", "# ours\nthe\nof\n", lambda path: sorted(read_stop_list(path).words),
            ["of", "the"], BY_ROLE, "# nothing\n",
        ),
        FileFormat(
            "Request to a server", "request.json", '{"size": "{{k}}", "query": {"match": {"body": "{{query}}"}}}\n',
            read_template, {"size": "{{k}}", "query": {"match": {"body": "{{query}}"}}}, BY_ROLE, '{"size": 10}\n',
        ),
    ]  # fmt: skip


FAMILIES: dict[str, Callable[[], list[FileFormat]]] = {
    "Documents": document_formats_listed,
    "Topics": topic_formats,
    "Labels, predictions, scores": label_formats,
    "Judgments of people, pools, query logs": ground_truth_formats,
    "Other files": other_formats,
}
"""Formats by heading."""
