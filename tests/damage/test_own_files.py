"""Damage to a file that germane wrote is an error that names it, or has no effect; never a crash or another number.

`GERMANE_DAMAGES` says how many damages of each file are tried.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.damage.own_files import NOT_HERE, OWN_FILES, OwnFile, careless
from tests.fuzz.outcomes import canonical, judge
from tests.fuzz.readers import Reader
from tests.fuzz.running import bounded
from tests.retrieval.index_damage import damages
from tests.writers.written_files import EXCUSED, RACED

DAMAGES = int(os.environ.get("GERMANE_DAMAGES", "25"))


class AnotherValueError(Exception):
    """What was read is not what was written."""


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Some bytes are others; or, as damage to text often goes, one digit is another, or the end is missing."""
    digits = [place for place, byte in enumerate(data) if chr(byte) in "0123456789"]
    match chance.choice(("bytes", "bytes", "digit", "end")):
        case "digit" if digits:
            place = chance.choice(digits)
            return data[:place] + bytes([chance.choice(b"0123456789")]) + data[place + 1 :]
        case "end":
            return data[: chance.randrange(len(data))]
    return damages(data, chance)


def findings(own: OwnFile, file: str, num_damages: int) -> Iterator[str]:
    """What is wrong with the reading of a file, damage by damage."""
    with tempfile.TemporaryDirectory() as template, bounded() as work:
        own.write(Path(template))
        folder = work / "damaged"
        good = canonical(own.read(Path(shutil.copytree(template, work / "good"))))

        def read(_: Path) -> object:
            value = canonical(own.read(folder))
            if own.exact and value != good:
                raise AnotherValueError(f"another value: {str(value)[:200]}")
            return value

        reader = Reader(own.name, read, list, file)
        data = Path(template, file).read_bytes()
        for number in range(num_damages):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(template, folder)
            bad = damaged(data, random.Random(f"{own.name} {file} {number}"))
            if problem := judge(reader, bad, folder).problem:
                yield f"{file} {number}: {problem}"


FILES = [(own, file) for own in OWN_FILES for file in own.files]


@pytest.mark.parametrize(("own", "file"), FILES, ids=[f"{own.name}: {file}" for own, file in FILES])
def test_damage_is_an_error_or_has_no_effect(own: OwnFile, file: str) -> None:
    assert list(findings(own, file, DAMAGES)) == []


@pytest.mark.parametrize(("own", "said"), careless(), ids=[own.name for own, _ in careless()])
def test_a_reader_that_trusts_its_file_is_caught(own: OwnFile, said: str) -> None:
    found = list(findings(own, own.files[0], 60))
    assert any(re.search(said, finding) for finding in found), found


def left_out(writers: set[str]) -> set[str]:
    return writers - {name for own in OWN_FILES for name in own.writers} - NOT_HERE.keys()


def test_every_file_that_germane_writes_is_damaged_or_excused() -> None:
    writers = RACED.keys() | EXCUSED.keys()  # all there are: tests/writers/test_written_files.py finds them
    assert left_out(writers) == set(), "add its file to tests/damage/own_files.py, or say there why not"
    here = {name for own in OWN_FILES for name in own.writers}
    assert here | NOT_HERE.keys() <= writers
    assert not here & NOT_HERE.keys()
    assert left_out({"germane.learning.model_file:write_model", "germane.new:write_new"}) == {"germane.new:write_new"}
