"""Whatever writes to a disk is raced, or there is a reason why it need not be: found in the source, never forgotten."""

import pytest

from tests.test_layers import SOURCES, module_name
from tests.writers import race_processes
from tests.writers.race import RACES
from tests.writers.writing_calls import writing_functions
from tests.writers.written_files import EXCUSED, RACED

assert race_processes.MODULES  # they fill the registry


def found() -> set[str]:
    return {
        f"{module_name(path)}:{function}"
        for path in SOURCES
        for function in writing_functions(path.read_text(encoding="utf-8"))
    }


def test_every_function_that_writes_is_raced_or_excused() -> None:
    unknown = found() - RACED.keys() - EXCUSED.keys()
    assert not unknown, "race it in tests/writers/races_of_*.py and name it in written_files.py, or excuse it there"


def test_what_is_raced_or_excused_exists_and_its_race_does() -> None:
    assert RACED.keys() | EXCUSED.keys() <= found()
    assert not RACED.keys() & EXCUSED.keys()
    assert set(RACED.values()) <= RACES.keys()
    assert all(EXCUSED.values())


CARELESS = [
    "def save(path, marks):\n    path.write_text(marks)",
    "def save(path, marks):\n    with open(path, 'w') as file:\n        file.write(marks)",
    "def save(path, marks):\n    with path.open(mode='a+b' if marks else 'wb') as file:\n        file.write(marks)",
    "def save(path, marks):\n    os.replace(marks, path)",
    "def save(path, marks):\n    marks.replace(path)",
    "def save(path, marks):\n    with open_target(path) as file:\n        file.write(marks)",
    "def save(path, marks):\n    sqlite3.connect(path).execute(marks)",
    "def save(path, marks):\n    np.save(path, marks)",
]
HARMLESS = [
    "def read(path):\n    return open(path).read().replace('a', 'b')",
    "def read(path):\n    with path.open('rb') as file:\n        return file.read()",
    "def read(state):\n    return replace(state, marks=1)",
    "def read(state):\n    return dataclasses.replace(state)",
]


@pytest.mark.parametrize("source", CARELESS)
def test_a_function_that_writes_is_found(source: str) -> None:
    assert list(writing_functions(source)) == ["save"]


@pytest.mark.parametrize("source", HARMLESS)
def test_a_function_that_reads_is_not_taken_for_one(source: str) -> None:
    assert list(writing_functions(source)) == []
