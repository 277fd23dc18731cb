"""Version 9 against pytrec_eval-terrier, which embeds trec_eval 9.0.8 of 2020: made-up runs, all its measures."""

from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from germane.trec_eval.arguments import parse
from germane.trec_eval.evaluation import evaluate
from germane.trec_eval.judgments import read_judgments
from germane.trec_eval.printer import columns, requested
from germane.trec_eval.reader import FORMATS
from germane.trec_eval.retrieved import read_run

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

MEASURES = sorted(pytrec_eval.supported_measures - {"runid", "num_q", "relstring"})
TOPICS = st.sampled_from(["1", "10", "9"])
DOCS = st.sampled_from([f"d{i}" for i in range(8)] + ["D1", "é"])
# The last two are one number to 32 bits.
SCORES = st.sampled_from([-1.0, 0.0, 1.0, 2.0, 2.5, 0.500000011, 0.500000012]) | st.floats(-1e6, 1e6, width=32)
# A topic with only negative grades reads what the topic before it left in memory.
JUDGMENTS = st.dictionaries(DOCS, st.integers(-2, 4), min_size=1).filter(lambda grades: max(grades.values()) >= 0)


def by_topic(qrels: Qrels, run: Run, arguments: list[str], folder: Path) -> dict[str, dict[str, float]]:
    """What the drop-in computes, before it is rounded for printing."""
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    (folder / "run").write_text("".join(f"{q} Q0 {d} 0 {s!r} x\n" for q, docs in run.items() for d, s in docs.items()))
    options = parse([*arguments, *(f"-m{name}" for name in MEASURES), "qrels", "run"], 9)
    judgments = read_judgments(str(folder / "qrels"), FORMATS[b"qrels"], 9)
    retrieved = read_run(str(folder / "run"), judgments, options)
    evaluation = evaluate(options, judgments, retrieved, judged=True, fails=False)
    table = columns(evaluation, requested(options), None)
    return {
        topic.decode(): {column.name.decode(): float(column.values[i]) for column in table}
        for i, topic in enumerate(evaluation.topics)
    }


@given(
    qrels=st.dictionaries(TOPICS, JUDGMENTS, min_size=1),
    run=st.dictionaries(TOPICS, st.dictionaries(DOCS, SCORES, min_size=1), min_size=1),
    rel=st.integers(1, 4),
    judged_only=st.booleans(),
)
def test_every_measure_of_version_9(
    qrels: Qrels, run: Run, rel: int, judged_only: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if qrels.keys().isdisjoint(run):
        return
    oracle = pytrec_eval.RelevanceEvaluator(qrels, MEASURES, relevance_level=rel, judged_docs_only_flag=judged_only)
    expected = {topic: pytest.approx(values, abs=1e-12, nan_ok=True) for topic, values in oracle.evaluate(run).items()}
    arguments = [f"-l{rel}", *(["-J"] if judged_only else [])]
    assert by_topic(qrels, run, arguments, tmp_path_factory.getbasetemp()) == expected
