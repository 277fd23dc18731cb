"""`germane learn` and `germane retrieve --rerank`: from judgments to a model's file to a run, on made documents."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from germane.api.learning.folds import HeldOut, Task, cross_validate, doc_ids
from germane.api.learning.learning_to_rank import learn
from germane.api.retrieval.retrieval import retrieve
from germane.cli.commands.learn import command
from germane.cli.commands.retrieve import command as retrieve_command
from germane.errors import GermaneError
from germane.formats.documents.reading import Document
from germane.formats.learning.letor_file import read_letor
from germane.learning.learners.learner import LEARNERS
from germane.learning.model_file import read_model
from germane.retrieval.indexes.build import build_index
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.ranking_data import RankingData

NUM_TOPICS = 12


def made(topic: int) -> dict[str, str]:
    """Four documents with both words of a topic: relevant where these stand side by side, which BM25 cannot see."""
    a, b = f"a{topic}", f"b{topic}"
    return {
        f"t{topic}-far": f"{a} x y z u v w {b}",
        f"t{topic}-near": f"x y z u v w {a} {b}",
        f"t{topic}-farther": f"{a} x y z u v w o {b}",
        f"t{topic}-nearer": f"x {a} {b} y z u v w o o p",
    }


TEXTS = {name: text for topic in range(NUM_TOPICS) for name, text in made(topic).items()}
TOPICS = {f"q{topic}": f"a{topic} b{topic}" for topic in range(NUM_TOPICS)}
QRELS = {
    f"q{topic}": {f"t{topic}-near": 1, f"t{topic}-nearer": 2, f"t{topic}-far": 0, f"t{topic}-farther": 0}
    for topic in range(NUM_TOPICS)
}
FEATURES = "BM25,proximity,length"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learn")
    documents = (Document(name, text) for name, text in TEXTS.items())
    build_index(folder / "index", documents, analyser="plain", positions=True)
    build_index(folder / "bare", (Document(n, t) for n, t in TEXTS.items()), analyser="plain")
    (folder / "topics.tsv").write_text("".join(f"{query}\t{text}\n" for query, text in TOPICS.items()))
    rows = [f"{query} 0 {doc} {grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items()]
    (folder / "qrels.txt").write_text("".join(rows))
    return folder


def run(files: Path, *options: str, index: str = "index") -> Result:
    names = [str(files / name) for name in (index, "topics.tsv", "qrels.txt")]
    return CliRunner().invoke(command, [*names, *options])


@pytest.fixture(scope="module")
def model(files: Path) -> Path:
    path = files / "model.json"
    result = run(files, "--features", FEATURES, "--learner", "linear", "-o", str(path), "--folds", "4", "--digits", "2")
    assert result.exit_code == 0, result.output
    return path


def test_held_out_figures_against_the_first_stage_and_the_best_feature(files: Path) -> None:
    options = ("--features", FEATURES, "--learner", "linear", "--folds", "4", "-m", "P@2", "--digits", "2")
    result = run(files, *options)
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["held", "out", "measure", "queries", "mean", "low", "high"]
    assert lines[1][:6] == ["BM25", "(first", "stage)", "P@2", "12", "0.50"]
    assert lines[2][:6] == ["best", "single", "feature", "P@2", "12", "1.00"]
    assert lines[3][:4] == ["linear", "P@2", "12", "1.00"]
    assert "linear vs. the others" in result.stdout
    assert "+0.50" in result.stdout
    assert [line for line in result.stdout.splitlines() if line.endswith("proximity")], "what the folds chose"


def test_the_models_file_says_all_and_json_is_the_whole_result(files: Path, model: Path) -> None:
    told = json.loads(model.read_text())
    assert (told["learner"], told["scaling"], told["first_stage"], told["depth"]) == ("linear", "minmax", "BM25", 100)
    assert [one["name"] for one in told["features"]] == ["BM25", "proximity", "length"]
    assert len(told["training"]["sha256"]) == 64
    result = json.loads(
        run(files, "--features", FEATURES, "--learner", "linear", "--folds", "4", "--format", "json").stdout
    )
    assert result["held_out"] == told["held_out"]
    assert (result["rows"], len(result["folds"]), len(result["queries"])) == (4 * NUM_TOPICS, 4, NUM_TOPICS)
    held_out = [query for fold in result["folds"] for query in fold["held_out"]]
    assert sorted(held_out) == sorted(TOPICS)


def test_reranking_puts_the_model_on_top(files: Path, model: Path) -> None:
    target = files / "reranked.run"
    arguments = [
        str(files / "index"),
        str(files / "topics.tsv"),
        "-o",
        str(target),
        "--rerank",
        str(model),
        "--depth",
        "4",
    ]
    result = CliRunner().invoke(retrieve_command, arguments)
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in target.read_text().splitlines()]
    for query in TOPICS:
        best = {row[2].partition("-")[2] for row in rows if row[0] == query and int(row[3]) <= 2}
        assert best == {"near", "nearer"}
    assert rows[0][5] == "germane-BM25+linear"
    assert "12 queries: among the model's training queries" in result.stderr.replace("\n", " ")
    record = json.loads((files / "reranked.run.json").read_text())
    assert (record["engine"]["rerank"], record["engine"]["rerank_depth"]) == ("linear", "4")


def test_what_lies_below_the_depth_stays_there(files: Path, model: Path) -> None:
    whole = retrieve(files / "index", {"new": "a1 b1 a2"}, k=8)
    part = retrieve(files / "index", {"new": "a1 b1 a2"}, k=8, rerank=model, depth=4)
    before, after = list(whole.run.docs), list(part.run.docs)
    assert (set(after[:4]), after[4:]) == (set(before[:4]), before[4:])
    assert after[:4] != before[:4]
    assert (np.diff(part.run.score) <= 0).all()
    assert part.run.score[4] < part.run.score[3]
    assert not [note for note in part.notes if note.code == "rerank"], "these words were not learned from"
    assert len(retrieve(files / "index", {"new": "a1 b1"}, k=1, rerank=model).run.docs) == 1


def test_another_first_stage_is_said(files: Path, model: Path) -> None:
    found = retrieve(files / "index", {"new": "a1 b1 a2"}, model="QL", rerank=read_model(model))
    assert [note.message for note in found.notes if note.code == "rerank"] == [
        "1 query: first stage is QL, but the model was trained on BM25; results may be worse"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": "bare"}, "uses proximity, which requires word positions"),
        ({"source": lambda text: []}, "rerank is not supported with"),
        ({"model": "boolean"}, "rerank is not supported with boolean"),
        ({"rerank": None, "depth": 3}, "depth and features of re-ranking require a model"),
        ({"rerank_features": ("rank=x.tsv",)}, "no such file"),
        ({"depth": 0}, "expected depth above 0"),
    ],
)
def test_reranking_that_cannot_be(files: Path, model: Path, options: dict[str, object], message: str) -> None:
    given = {"source": "index", "rerank": model, **options}
    source = given.pop("source")
    with pytest.raises(GermaneError, match=message):
        retrieve(files / source if isinstance(source, str) else source, {"q": "a1"}, **given)  # type: ignore[arg-type]


def test_rows_are_logged_and_can_be_learned_from(files: Path, tmp_path: Path) -> None:
    log = tmp_path / "rows.letor.gz"
    own = run(
        files,
        "--features",
        FEATURES,
        "--learner",
        "linear",
        "--save-features",
        str(log),
        "-m",
        "AP",
        "--format",
        "json",
    )
    data = read_letor(log)
    assert (data.names, data.num_rows) == (("BM25", "proximity", "length"), 4 * NUM_TOPICS)
    again = CliRunner().invoke(command, ["--data", str(log), "--learner", "linear", "-m", "AP", "--format", "json"])
    assert again.exit_code == 0, again.output
    ours, theirs = json.loads(own.stdout), json.loads(again.stdout)
    assert theirs["weights"] == ours["weights"]
    assert theirs["first_stage"] is None
    means = {one["run"]: one["mean"] for one in theirs["held_out"]["means"]}
    assert set(means) == {"best single feature", "linear"}


WRONG = [
    (("--features", "omga"), "unknown feature 'omga'"),
    (("--learner", "forest"), "unknown learner 'forest'"),
    (("--learner", "linear", "--C", "1"), "linear does not support --C"),
    (("--C", "0"), "expected C above 0"),
    (("--folds", "20"), "20 folds require 20 different queries, found 12"),
    (("--group-sizes", "x"), "--group-sizes requires rows of features"),
    (("--data", "x"), "--data cannot be combined with"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_choices(files: Path, options: tuple[str, ...], message: str) -> None:
    problem = run(files, *options).exception
    assert isinstance(problem, GermaneError)
    assert message in str(problem)


def test_other_things_that_are_refused(files: Path, model: Path) -> None:
    assert "expected INDEX TOPICS QRELS, found 0" in str(CliRunner().invoke(command, []).exception)
    told = str(CliRunner().invoke(command, ["--data", "x", "--depth", "5"]).exception)
    assert told == "--depth requires an index\nHint: remove --depth"
    assert "file already exists" in str(run(files, "-o", str(model)).exception)
    with pytest.raises(GermaneError, match="an index requires topics and qrels, found no qrels"):
        learn(files / "index", TOPICS)
    with pytest.raises(GermaneError, match="omega needs word positions"):
        learn(files / "bare", TOPICS, QRELS, features="omega")
    with pytest.raises(GermaneError, match="found only grade 1"):
        learn(
            files / "index", TOPICS, {query: dict.fromkeys(docs, 1) for query, docs in QRELS.items()}, features="BM25"
        )
    with pytest.raises(GermaneError, match="topics and qrels share no id"):
        learn(files / "index", TOPICS, {"other": {"d": 1}})


def test_a_planted_label_is_caught(files: Path) -> None:
    label = {(query, doc): float(grade) for query, docs in QRELS.items() for doc, grade in docs.items()}
    with pytest.raises(GermaneError, match="the feature planted equals the label"):
        learn(files / "index", TOPICS, QRELS, features={"planted": label})


def test_queries_that_are_the_same_stay_in_one_fold(files: Path) -> None:
    twice = {**TOPICS, "again": "B3, a3!"}
    found = learn(
        files / "index",
        twice,
        {**QRELS, "again": QRELS["q3"]},
        features=FEATURES,
        learner="linear",
        folds=5,
        measures="AP",
    )
    fold_of = {query: fold.fold for fold in found.folds for query in fold.held_out}
    assert fold_of["again"] == fold_of["q3"]
    assert [note.message for note in found.notes if note.code == "duplicate-queries"] == [
        "1 query duplicates another; kept in the same fold"
    ]


def test_several_c_are_chosen_among_without_the_held_out_queries(files: Path) -> None:
    found = learn(
        files / "index", TOPICS, QRELS, features=FEATURES, learner="ordinal", C=(0.1, 1), folds=3, measures="AP"
    )
    assert {fold.C for fold in found.folds} <= {0.1, 1}
    assert found.model.training["C"] in (0.1, 1)


def test_without_positions_the_usual_features_are_fewer_and_it_is_said(files: Path) -> None:
    found = learn(files / "bare", TOPICS, QRELS, learner="linear", folds=2, measures="AP")
    assert "omega" not in found.model.names
    assert [note.code for note in found.notes if note.code == "no-positions"]


def test_the_list_says_all() -> None:
    told = CliRunner().invoke(command, ["--list"]).stdout
    for name in ("cosine:", "BM25:", "omega: ω", "Requires:   an index with `--positions`", "NAME=FILE", "ranking-svm"):
        assert name in told


def test_the_held_out_queries_teach_nothing() -> None:
    """Turn the grades of one fold around: what scores that fold stays as it is, and what scores the others does not."""
    features = np.random.Generator(np.random.PCG64(3)).normal(size=(60, 3))
    query = [f"q{number:02}" for number in np.repeat(range(15), 4)]
    grade = (features @ [1.0, 0.5, 0.0] > 0).astype(float)
    before = held_out_of(RankingData.of(features, query, grade=grade))
    for fold in before.folds:
        mine = np.isin(query, fold.held_out)
        after = held_out_of(RankingData.of(features, query, grade=np.where(mine, 1 - grade, grade)))
        assert after.learned[mine].tolist() == before.learned[mine].tolist()
        assert after.best_feature[mine].tolist() == before.best_feature[mine].tolist()
        assert (after.learned[~mine] != before.learned[~mine]).all()


def held_out_of(rows: RankingData) -> HeldOut:
    truth = Qrels.from_columns([rows.queries[q] for q in rows.query.tolist()], doc_ids(rows), rows.grades)
    groups = {name: name for name in rows.queries}
    task = Task(rows, rows, truth, LEARNERS.parse("linear"), (None,), 1, Measure("AP"), groups, 0)
    return cross_validate(task, 3, {})


def test_the_file_can_be_read_again(model: Path) -> None:
    assert read_model(model).names == ("BM25", "proximity", "length")
