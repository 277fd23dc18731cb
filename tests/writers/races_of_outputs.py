"""Results that two processes write to one name: runs with their records, marks that are saved, any other file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from germane.api.retrieval.retrieval import retrieve
from germane.cli.loops.search_loop import Loop
from germane.formats.files.targets import open_target
from germane.formats.rankings.ranking_files import read_qrels, read_run
from germane.retrieval.engines.record import read_record
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.indexes.index import Index
from germane.retrieval.rounds import asked_model
from germane.retrieval.session import Session
from tests.learning.agent import small_world
from tests.writers.race import Race, Ready, add, begin_with_nothing

LINES = 20_000
MODELS = ("BM25", "QL")
EXISTS = "file already exists"


@cache
def index() -> Index:
    return small_world.index()


def lines(number: int) -> bytes:
    return f"{number}\n".encode()


def write_lines(folder: Path, number: int, *, overwrite: bool) -> str:
    with open_target(folder / "result.txt", overwrite=overwrite) as target:
        for _ in range(10):
            target.write(lines(number) * (LINES // 10))
    return str(number)


def replace_result(folder: Path, number: int, ready: Ready) -> str:
    ready()
    return write_lines(folder, number, overwrite=True)


def make_result(folder: Path, number: int, ready: Ready) -> str:
    ready()
    return write_lines(folder, number, overwrite=False)


def whole_result(folder: Path) -> str:
    """Whose result it is; the file is whole, and nothing else is left."""
    data = (folder / "result.txt").read_bytes()
    number = int(data.partition(b"\n")[0])
    assert data == lines(number) * LINES
    return str(number)


def last_result(folder: Path) -> set[str]:
    """The last one replaced the other one, which is what both asked for; killed writers may leave what they began."""
    return {str(number) for number in range(max(1, int(whole_result(folder))) + 1)}


def first_result(folder: Path) -> set[str]:
    assert [path.name for path in folder.glob("result*")] == ["result.txt"]
    return {whole_result(folder)}


def save_marks(folder: Path, number: int, ready: Ready) -> str:
    """``:save`` of `germane search`."""
    loop = Loop(Session(index(), asked_model("BM25"), FEEDBACK.parse("rocchio"), 10))
    loop.answer("grape")
    loop.answer(f"+ {number + 1}")
    ready()
    loop.reply(f":save {folder / 'marks.txt'}")
    return loop.session.result(number + 1).doc


def saved_marks(folder: Path) -> set[str]:
    return set(read_qrels(folder / "marks.txt").docs)


def retrieved(folder: Path, number: int, ready: Ready, *, overwrite: bool) -> str:
    ready()
    made = retrieve(
        index(), small_world.topics(), model=MODELS[number % 2], output=folder / "a.run", overwrite=overwrite
    )
    return str(made.run.tag)


def retrieve_again(folder: Path, number: int, ready: Ready) -> str:
    return retrieved(folder, number, ready, overwrite=True)


def retrieve_new(folder: Path, number: int, ready: Ready) -> str:
    return retrieved(folder, number, ready, overwrite=False)


def run_of_its_record(folder: Path) -> str:
    record = read_record(folder / "a.run")  # an error where the record is of another run
    assert record is not None
    tag = str(read_run(folder / "a.run").tag)
    assert record["engine"]["model"] in tag
    return tag


def last_run(folder: Path) -> set[str]:
    tag = run_of_its_record(folder)
    return {tag.replace(name, other) for name in MODELS for other in MODELS}


def first_run(folder: Path) -> set[str]:
    return {run_of_its_record(folder)}


add(Race("output", begin_with_nothing, replace_result, last_result, kills=True))
add(Race("output_new", begin_with_nothing, make_result, first_result, refusal=EXISTS))
add(Race("saved_marks", begin_with_nothing, save_marks, saved_marks, refusal=EXISTS))
add(Race("retrieved_run", begin_with_nothing, retrieve_again, last_run))
add(Race("retrieved_run_new", begin_with_nothing, retrieve_new, first_run, refusal=EXISTS))
