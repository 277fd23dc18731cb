"""Three old collections with judgments, each indexed once per session: Cranfield, CACM and Cystic Fibrosis.

All are analysed alike: Porter stems, Lucene's 33 stop words. Cranfield's documents are their .W alone, which repeats
the title; those of Cystic Fibrosis are title, subjects (MJ, MN) and abstract or extract, and a grade there is the sum
of what four judges gave.
"""

import re
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from germane.formats.documents.reading import Document, read_documents
from germane.formats.truth.topics_file import read_topics
from germane.retrieval.indexes.build import build_index
from germane.retrieval.indexes.index import Index
from germane.tables.rankings.qrels import Qrels
from tests.conftest import SHARED

FOLDER = tempfile.TemporaryDirectory(prefix="germane-collections-")
"""Where the indexes are until the tests end."""

CODE_NOT_RELEVANT = -1
"""Cranfield's fifth code, one for each question: no interest."""


@dataclass(frozen=True, eq=False)
class JudgedCollection:
    """An index, the topics' texts by their ids, and the judgments."""

    index: Index
    topics: dict[str, str]
    qrels: Qrels


@cache
def collection(name: str) -> JudgedCollection:
    """One of `COLLECTIONS`, indexed the first time that it is asked for."""
    documents, topics, qrels = COLLECTIONS[name](SHARED / "data")
    path = Path(FOLDER.name) / name
    build_index(path, documents, analyser="words+fold+accents+stop(lucene)+stem(porter)")
    return JudgedCollection(Index.open(path), topics, qrels)


Parts = tuple[Iterator[Document], dict[str, str], Qrels]


def _cranfield(data: Path) -> Parts:
    folder = data / "cranfield"
    topics = read_topics(folder / "cran.qry", numbers="position")
    grades: dict[str, dict[str, float]] = {}
    for line in (folder / "cranqrel").read_text(encoding="utf-8").splitlines():
        query, doc, code = line.split()
        # Code 1 is the best and 4 the least, so grades are 4 to 1; -1 ("no interest") was judged, and is not relevant.
        grades.setdefault(query, {})[doc] = 0 if int(code) == CODE_NOT_RELEVANT else 5 - int(code)
    documents = read_documents(folder / "cran.all.1400", fields=["W"])
    return documents, {topic.id: topic.title for topic in topics.values()}, Qrels.from_dict(grades)


def _cacm(data: Path) -> Parts:
    folder = data / "cacm"
    grades: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.cacm.txt").read_text(encoding="utf-8").splitlines():
        query, _, doc, grade = line.split()
        # 55 of the judgments say CACM-141 of what the files call CACM-0141.
        grades.setdefault(query, {})[f"CACM-{int(doc.removeprefix('CACM-')):04}"] = float(grade)
    topics = {topic.id: topic.title for topic in read_topics(folder / "topics.cacm.txt").values()}
    return read_documents(folder / "cacm.tar.gz"), topics, Qrels.from_dict(grades)


def _cacm_as_often_read(data: Path) -> Parts:
    """CACM as quick programs read it: 55 judgments match no file's name, and whatever stands from a < to a > is gone.

    The latter takes words out of abstracts with formulas such as "1 <= m <= n".
    """
    folder = data / "cacm"
    texts = {}
    with tarfile.open(folder / "cacm.tar.gz") as archive:
        for member in archive:
            page = archive.extractfile(member)
            assert page is not None
            texts[Path(member.name).stem] = re.sub(r"<[^>]+>", " ", page.read().decode("latin-1"))
    _, topics, qrels = _cacm(data)
    exact = {line.split()[2] for line in (folder / "qrels.cacm.txt").read_text(encoding="utf-8").splitlines()}
    queries = list(qrels.queries)
    grades: dict[str, dict[str, float]] = {}
    for query, doc in zip(qrels.query.tolist(), qrels.docs, strict=True):
        if doc in exact:
            grades.setdefault(queries[query], {})[doc] = 1.0
    return (Document(name, text) for name, text in texts.items()), topics, Qrels.from_dict(grades)


def _cystic_fibrosis(data: Path) -> Parts:
    folder = data / "cystic-fibrosis"
    topics, grades = {}, {}
    for fields in _records(folder / "cfquery"):
        query = str(int(fields["QN"]))
        topics[query] = fields["QU"]
        judged = re.findall(r"(\d+)\s+([0-2]{4})\b", fields["RD"])
        grades[query] = {doc: float(sum(map(int, four))) for doc, four in judged}

    def documents() -> Iterator[Document]:
        for year in range(74, 80):
            for fields in _records(folder / f"cf{year}"):
                parts = (fields.get(name, "") for name in CYSTIC_FIBROSIS_FIELDS)
                yield Document(str(int(fields["RN"])), "\n".join(filter(None, parts)))

    return documents(), topics, Qrels.from_dict(grades)


CYSTIC_FIBROSIS_FIELDS = ("TI", "MJ", "MN", "AB", "EX")


FIELDS = ("PN", "RN", "AN", "AU", "TI", "SO", "MJ", "MN", "AB", "EX", "RF", "CT", "QN", "QU", "NR", "RD")


def _records(path: Path) -> Iterator[dict[str, str]]:
    """MEDLINE-like records: a field starts with its two letters, and PN (or QN, for a question) starts a record."""
    fields: dict[str, str] = {}
    name = ""
    for line in path.read_text(encoding="latin-1").splitlines():
        if line[:2] in FIELDS and line[2:3] in ("", " "):
            name = line[:2]
            if name in ("PN", "QN") and fields:
                yield fields
                fields = {}
            fields[name] = line[3:].strip()
        elif line.strip(" \x1a"):
            fields[name] += " " + line.strip()
    yield fields


COLLECTIONS: dict[str, Callable[[Path], Parts]] = {
    "cranfield": _cranfield,
    "cacm": _cacm,
    "cacm as often read": _cacm_as_often_read,
    "cystic-fibrosis": _cystic_fibrosis,
}
