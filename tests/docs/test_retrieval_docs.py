"""The pages on retrieval have all that there is, and the figures that they print are measured."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from docs.reference_pages.markdown import escaped
from germane.api.retrieval.feedback import evaluate_feedback
from germane.formats.documents.document_formats import FORMATS
from germane.retrieval.engines import open_engine as opening
from germane.retrieval.engines.servers import opensearch, postgresql
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.feedback_evaluation.views import VIEWS
from germane.retrieval.fusion import FUSION, NORMALISATIONS
from germane.retrieval.indexes import manifest
from germane.retrieval.indexes.segment import GROUPS
from germane.retrieval.models import MODELS
from germane.retrieval.search import search_many
from germane.retrieval.texts.analysis import SHORT_NAMES, STEMMERS
from germane.retrieval.texts.stop_lists import STOP_LISTS
from tests.conftest import ROOT
from tests.docs.pages import text_of
from tests.docs.test_ground_truth_docs import options_without_a_word
from tests.retrieval.collections import JudgedCollection, collection

PAGE = ROOT / "docs" / "reference" / "retrieval.md"
HOW_TO = ROOT / "docs" / "how_to"
MODELS_PAGE = ROOT / "docs" / "explanation" / "retrieval_models.md"
HOW_TO_OF = {
    "index": "index_documents.md",
    "search": "search_with_feedback.md",
    "retrieve": "retrieve.md",
    "feedback": "measure_feedback.md",
    "fuse": "fuse_runs.md",
}
COLLECTIONS = ("cranfield", "cacm", "cystic-fibrosis")
"""In the order of the columns of the tables of figures."""


def entries(page: str) -> Iterator[tuple[str, str]]:
    """What a registry offers, as the page should write it, with the part where it belongs."""
    yield from (("Ranking models", f"### {cls.name}\n") for cls in MODELS)
    yield from (
        ("Ranking models", f"{other} for" if text else other)
        for entry in MODELS
        for other, text in entry.shorthands.items()
    )
    yield from (("Ranking models", f"{escaped(name)} = ") for entry in MODELS for name in entry.parameters)
    yield from (("Boolean queries", f" {operator} ") for operator in ("AND", "OR"))
    yield from (("Boolean queries", written) for written in ("`NOT ", '`"'))
    yield from (("Feedback methods", f"### {method.name}\n") for method in FEEDBACK)
    yield from (("Feedback methods", f"{escaped(name)} = ") for method in FEEDBACK for name in method.parameters)
    yield from (("Ways to evaluate feedback", f"### {name}\n") for name in VIEWS)
    yield from (("Fusion methods", f"### {method.name}\n") for method in FUSION)
    yield from (("Score normalisations", f"### {entry.name}\n") for entry in NORMALISATIONS)
    yield from (("Analysers", f"`{name}`") for name in (*SHORT_NAMES, *STEMMERS, *STOP_LISTS))
    yield from (("Documents", f"| {entry.name} |") for entry in FORMATS)
    yield from (("The folder of an index", f"`{name}.npy`") for names in GROUPS.values() for name in names)
    yield from (("The folder of an index", f"`{name}`") for name in (manifest.MANIFEST, manifest.LOCK))
    yield from (("Engines", f"`{scheme}://`") for scheme in (*opening.POSTGRESQL, *opening.OPENSEARCH))
    yield from (("Engines", f"| PostgreSQL | `{name}` |") for name in postgresql.SETTINGS)
    yield from (("Engines", f"Elasticsearch | `{name}` |") for name in opensearch.SETTINGS)


def undocumented(page: str) -> list[str]:
    """What is missing from the page."""
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    return [f"{part}: {written.strip()}" for part, written in entries(page) if written not in parts.get(part, "")]


def test_everything_that_has_a_name_is_in_the_reference() -> None:
    assert undocumented(text_of(PAGE)) == []


@pytest.mark.parametrize(
    ("written", "missing"),
    [
        ("### PL2\n", "Ranking models: ### PL2"),
        ("BM25L for", "Ranking models: BM25L for"),
        ("### bo1\n", "Feedback methods: ### bo1"),
        ("### modified\n", "Ways to evaluate feedback: ### modified"),
        ("### condorcet\n", "Fusion methods: ### condorcet"),
        ("### zmuv\n", "Score normalisations: ### zmuv"),
        ("`dutch_porter`", "Analysers: `dutch_porter`"),
        ("| SMART | by", "Documents: | SMART |"),
        ("`twin_tf.npy`", "The folder of an index: `twin_tf.npy`"),
        ("| PostgreSQL | `match` |", "Engines: | PostgreSQL | `match` |"),
    ],
)
def test_a_forgotten_entry_is_caught(written: str, missing: str) -> None:
    assert undocumented(text_of(PAGE).replace(written, "")) == [missing]


@pytest.mark.parametrize("command", HOW_TO_OF)
def test_every_option_is_in_its_how_to(command: str) -> None:
    assert options_without_a_word(command, text_of(HOW_TO / HOW_TO_OF[command])) == set()


def test_every_fusion_method_and_view_is_in_its_how_to() -> None:
    fusing, measuring = text_of(HOW_TO / "fuse_runs.md"), text_of(HOW_TO / "measure_feedback.md")
    names = [entry.name for entry in (*FUSION, *NORMALISATIONS)]
    assert [name for name in names if f"| `{name}` |" not in fusing] == []
    assert [name for name in VIEWS if f"| `{name}` |" not in measuring] == []


# Figures


def figures(page: str, name: str) -> dict[str, list[float]]:
    """The rows of a table between markers: what stands in the first backticks of each, and its numbers."""
    table = page.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[3:]]
    return {row[0]: [float(cell) for cell in row[1:]] for row in rows if len(row) > 1}


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(COLLECTIONS)), ids=COLLECTIONS)
def test_the_figures_of_the_models_are_measured(place: int) -> None:
    data = collection(COLLECTIONS[place])
    printed = {row.strip("`"): values[place] for row, values in figures(text_of(MODELS_PAGE), "model-figures").items()}
    assert len(printed) == 15
    found = {model: mean_average_precision(model, data) for model in printed}
    assert found == pytest.approx(printed, abs=0.00051)


def relevant_documents(data: JudgedCollection) -> dict[str, list[int]]:
    """By query, the numbers of the documents that are relevant."""
    queries = list(data.qrels.queries)
    found: dict[str, list[int]] = {}
    for query, doc, grade in zip(data.qrels.query.tolist(), data.qrels.docs, data.qrels.grade.tolist(), strict=True):
        if grade >= 1:
            number = data.index.doc_number(doc)
            found.setdefault(queries[query], []).append(-1 if number is None else number)
    return found


def mean_average_precision(model: str, data: JudgedCollection) -> float:
    """Straight from the definition, by document numbers, in the order of the ranking."""
    relevant = relevant_documents(data)
    asked = {topic: text for topic, text in data.topics.items() if topic in relevant}
    rankings = search_many(data.index, list(asked.values()), model, 1000)
    values = []
    for topic, ranking in zip(asked, rankings, strict=True):
        ranks = np.flatnonzero(np.isin(ranking.docs, relevant[topic])) + 1
        values.append((np.arange(1, len(ranks) + 1) / ranks).sum() / len(relevant[topic]))
    return float(np.mean(values))


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(COLLECTIONS)), ids=COLLECTIONS)
def test_the_figures_of_feedback_are_measured(place: int) -> None:
    data = collection(COLLECTIONS[place])
    printed = {
        row: values[place]
        for row, values in figures(text_of(HOW_TO / "measure_feedback.md"), "feedback-figures").items()
    }
    methods = list(dict.fromkeys(re.findall(r"`([^`]+)`", " ".join(printed))))
    found = evaluate_feedback(data.index, data.topics, data.qrels, feedback=methods, judged=10, measures="AP")
    full_list = found["rocchio", 1].full.mean()["rocchio"]["AP"]
    after = {trial.method: trial.scores.mean()[trial.method]["AP"] for trial in found.trials}
    before = found.trials[0].scores.mean()["BM25"]["AP"]
    for row, value in printed.items():
        named = re.search(r"`([^`]+)`", row)
        measured = before if named is None else full_list if "full list" in row else after[named[1]]
        assert value == pytest.approx(measured, abs=0.00051), row


def test_a_table_of_figures_is_read() -> None:
    page = "x <!-- t -->\n| model | A | B |\n| --- | --- | --- |\n| `BM25` | .295 | .325 |\n<!-- /t -->"
    assert figures(page, "t") == {"`BM25`": [0.295, 0.325]}
