"""`germane agent`: it prints what the library found, and what it is told it keeps."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.api.learning.agent import Agent
from germane.cli.commands.agent import command
from germane.cli.loops.agent_loop import AgentLoop
from germane.errors import GermaneError, InputError
from germane.formats.documents.reading import Document
from germane.retrieval.indexes.build import build_index
from tests.learning.agent import small_world

OPTIONS = ("--space", "BM25{,+rm3}", "--judged", "3", "--depth", "50")
FOLDS = ("--folds", "3")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agent")
    texts = small_world.documents().items()
    build_index(folder / "index", (Document(name, text) for name, text in texts), analyser="plain")
    (folder / "topics.tsv").write_text("".join(f"{id_}\t{text}\n" for id_, text in small_world.topics().items()))
    lines = [f"{q} 0 {doc} {grade}\n" for q, own in small_world.judgments().items() for doc, grade in own.items()]
    (folder / "qrels.txt").write_text("".join(lines))
    result = train(folder, "agent.json")
    assert result.exit_code == 0, result.output
    return folder


def train(folder: Path, output: str, *options: str) -> Result:
    names = [str(folder / name) for name in ("index", "topics.tsv", "qrels.txt")]
    folds = () if "--folds" in options else FOLDS
    return CliRunner().invoke(command, ["train", *names, "-o", str(folder / output), *OPTIONS, *folds, *options])


def run(folder: Path, name: str, *arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(command, [name, *arguments], input=typed)


def test_training_is_told_and_leaves_one_file(files: Path) -> None:
    result = train(files, "other.json", "--digits", "2")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("strategy BM25")
    for part in (
        "Expected on new queries (15 held-out queries)",
        "evidence from past queries: weight",
        "re-ranking model: weight",
        "feedback:",
        "Brier",
        "Weak spots",
    ):
        assert part in result.stdout
    assert "note: unjudged documents count as non-relevant" in result.stderr
    assert sorted(path.name for path in files.glob("other*")) == ["other.json"]
    (files / "other.json").unlink()


def test_an_agent_is_not_overwritten(files: Path) -> None:
    result = train(files, "agent.json")
    assert isinstance(result.exception, GermaneError)
    assert "file already exists" in str(result.exception)


def test_show_as_json_is_all_of_it(files: Path) -> None:
    found = json.loads(run(files, "show", str(files / "agent.json"), "--format", "json").stdout)
    agent = Agent.open(files / "agent.json", files / "index")
    assert found["strategy"] == str(agent.strategy)
    assert found["choice"] == agent.state.choice
    assert set(found["decisions"]) == {"trained", "since"}
    (tn, fp), (fn, tp) = agent.trained_confusion.counts.tolist()
    assert found["decisions"]["trained"]["confusion"] == {"TP": tp, "FP": fp, "FN": fn, "TN": tn}


def test_one_question_one_answer(files: Path) -> None:
    arguments = (str(files / "agent.json"), str(files / "index"), "grape", "cellar")
    agent = Agent.open(files / "agent.json", files / "index")
    table = run(files, "search", *arguments).stdout
    found = json.loads(run(files, "search", *arguments, "--format", "json").stdout)
    assert [line["doc"] for line in found["results"]] == [line.doc for line in agent.search("grape cellar").results]
    assert "documents are worth returning: P(R|d) above 0.200" in table
    assert len(json.loads(run(files, "search", *arguments, "-k", "2", "--format", "json").stdout)["results"]) == 2


def test_what_is_told_in_the_loop_is_kept(files: Path) -> None:
    (files / "told.json").write_bytes((files / "agent.json").read_bytes())
    arguments = (str(files / "told.json"), str(files / "index"), "-k", "3")
    typed = "\n+ 1\ngrape cellar\n+ 1\n- 2, 3\n\n:ask\n+\n:k\n:show\n+ 9\n+ x\n:aks\n:quit\n"
    result = run(files, "search", *arguments, typed=typed)
    assert result.exit_code == 0, result.output
    assert "no query yet" in result.stdout
    assert "1 new, 1 relevant so far" in result.stdout
    assert "+ if relevant, - if not" in result.stdout
    assert "since training: 4 judgments for 1 query" in result.stdout
    assert "expected ranks from 1 to" in result.stdout
    assert "expected ranks, as in + 1 3, found 'x'" in result.stdout
    assert "did you mean ask?" in result.stdout
    marks = Agent.open(files / "told.json", files / "index").state.marks["grape cellar"]
    assert sorted(marks.values()) == [False, False, True, True]


def test_two_loops_on_one_file_lose_no_mark(files: Path) -> None:
    path = files / "shared.json"
    path.write_bytes((files / "agent.json").read_bytes())
    first, second = (AgentLoop(Agent.open(path, files / "index"), str(path), 3) for _ in range(2))
    first.reply("grape cellar")
    second.reply("harbour")
    assert "merged" not in first.reply("+ 1")
    assert "merged 1 judgment that another process saved" in second.reply("- 1")
    assert "merged" not in second.reply("+ 2")
    assert "merged 2 judgments that another process saved" in first.reply("- 2")
    marks = Agent.open(path, files / "index").state.marks
    assert {query: list(docs.values()) for query, docs in marks.items()} == {
        "grape cellar": [True, False],
        "harbour": [False, True],
    }


def test_simulation_against_the_frozen_agent(files: Path) -> None:
    names = [str(files / name) for name in ("agent.json", "index", "topics.tsv", "qrels.txt")]
    before = (files / "agent.json").read_bytes()
    result = run(files, "simulate", *names, "--rounds", "2", "--judged", "2", "--error-rate", "0.1", "--seed", "7")
    assert result.exit_code == 0, result.output
    title, _, header, *rows = result.stdout.splitlines()
    assert title == "Utility: AP"
    assert header.split()[:5] == ["round", "judged", "relevant", "wrong", "queries"]
    assert [row.split()[0] for row in rows] == ["0", "1", "2"]
    assert "judges the top 2 (error rate 10%) in each round (seed 7)" in result.stderr
    assert "15 of 15 scored topics were used in training" in result.stderr
    assert (files / "agent.json").read_bytes() == before
    found = json.loads(run(files, "simulate", *names, "--rounds", "1", "--judged", "2", "--format", "json").stdout)
    agent = Agent.open(files / "agent.json", files / "index")
    library = agent.simulate(small_world.topics(), small_world.judgments(), rounds=1, judged=2)
    assert [each["agent"] for each in found["rounds"]] == [each.agent for each in library.rounds]
    assert set(found["queries"]) == set(library.queries)


WRONG = [
    # options                                      told
    (("--costs", "1"), "expected costs C,C′ or C,C′,MISSED"),
    (("--costs", "2,1"), "expected C"),
    (("--utility", "costs"), "--utility costs requires --costs"),
    (("--space", "BM26"), "unknown model 'BM26'"),
    (("--folds", "77"), "as many judged queries as folds"),
]


@pytest.mark.parametrize(("options", "told"), WRONG)
def test_wrong_options(options: tuple[str, ...], told: str, files: Path) -> None:
    result = train(files, "wrong.json", *options)
    assert isinstance(result.exception, GermaneError)
    assert told in str(result.exception)
    assert not (files / "wrong.json").exists()


def test_costs_on_the_command_line(files: Path) -> None:
    result = train(files, "costs.json", "--utility", "costs", "--costs=-2,1,0.5")
    assert result.exit_code == 0, result.output
    assert "for the utility costs (relevant -2, non-relevant 1, missed 0.5)" in result.stdout


def test_a_file_that_is_no_agent(files: Path) -> None:
    result = run(files, "show", str(files / "qrels.txt"))
    assert isinstance(result.exception, InputError)
    assert "expected an agent" in str(result.exception)
