"""Damage to any file of an index, size and time of change kept, is an error or has no effect; never a crash."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Mapping, Set
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

import germane as ge
from germane.errors import InputError
from germane.retrieval.indexes import mapped_array
from germane.retrieval.indexes.array_file import write_array
from germane.retrieval.indexes.build import build_index
from germane.retrieval.indexes.mapped_array import BLOCK_SIZE, OPTIONAL, RULES, MappedArray, Rule
from germane.retrieval.indexes.segment import Segment
from tests.retrieval.index_damage import QUERY, Doc

ROOT = Path(__file__).parents[2]
DAMAGES = int(os.environ.get("GERMANE_DAMAGES", "4"))
"""Of each file; the program tests.retrieval.index_damage tries as many as it is told to."""

UNCHECKED = """
from germane.retrieval.indexes.mapped_array import MappedArray
MappedArray._check_blocks = lambda self, first, last: None
"""
UNBOUNDED = """
from germane.retrieval.indexes import segment
segment.check_postings = lambda postings, terms: postings.checked.__setitem__(terms, 1)
"""


def tried(folder: Path, num_damages: int, *files: str, broken: str = "") -> tuple[int, list[str]]:
    """The exit status of the program, and what it found."""
    script = f"{broken}\nimport sys, runpy\nrunpy.run_module('tests.retrieval.index_damage', run_name='__main__')"
    command = [sys.executable, "-c", script, str(folder), str(num_damages), *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode <= 0, done.stderr
    lines = done.stdout.splitlines()
    return done.returncode, [line for line in lines if line.startswith("finding")] + lines[-1:]


def test_damage_is_an_error_or_has_no_effect(tmp_path: Path) -> None:
    assert tried(tmp_path, DAMAGES) == (0, ["done"])


def test_without_checksums_damage_changes_results(tmp_path: Path) -> None:
    status, found = tried(tmp_path, 20, "segment-000001/tf.npy", broken=UNCHECKED)
    assert (status, found[-1]) == (0, "done")
    assert any("another result" in line for line in found)


def test_without_checksums_and_bounds_damage_crashes(tmp_path: Path) -> None:
    """The process dies in the kernel: the bounds are what stands between damage and a crash."""
    status, found = tried(tmp_path, 200, "segment-000001/doc.npy", broken=UNCHECKED + UNBOUNDED)
    assert status < 0 or len(found) > 1


def without_a_rule(segment: type[Segment], rules: Mapping[str, Rule], optional: Set[str]) -> list[str]:
    """The arrays of a segment that have no rule, or one that speaks of an array that is not there."""
    arrays = {field.name: field.default is None for field in fields(segment)}
    wrong = set(arrays) ^ set(rules) | {name for name, may_miss in arrays.items() if may_miss} ^ optional
    for name, rule in rules.items():
        if rule.as_long_as not in arrays or (name.endswith(("_offsets", "start")) and rule.offsets_into not in arrays):
            wrong.add(name)
    return sorted(wrong)


def test_every_array_of_a_segment_has_a_rule() -> None:
    assert without_a_rule(Segment, RULES, OPTIONAL) == []


@dataclass(frozen=True, eq=False)
class SegmentWithMore(Segment):
    """Somebody adds arrays, and forgets what they point at."""

    skip_start: MappedArray | None = None


UNRULED: list[tuple[type[Segment], dict[str, Rule], Set[str], str]] = [
    # segment           rules                                                               optional    found
    (SegmentWithMore,   dict(RULES),                                                        OPTIONAL,   "skip_start"),
    (SegmentWithMore,   {**RULES, "skip_start": RULES["length"]},            OPTIONAL | {"skip_start"}, "skip_start"),
    (Segment,           {name: RULES[name] for name in RULES if name != "doc"},             OPTIONAL,   "doc"),
    (Segment,           {**RULES, "start": replace(RULES["start"], offsets_into=None)},     OPTIONAL,   "start"),
    (Segment,           {**RULES, "tf": replace(RULES["tf"], as_long_as="nothing")},        OPTIONAL,   "tf"),
    (Segment,           dict(RULES),                                                OPTIONAL | {"doc"}, "doc"),
]  # fmt: skip


@pytest.mark.parametrize(("segment", "rules", "optional", "found"), UNRULED)
def test_an_array_without_a_rule_is_found(
    segment: type[Segment], rules: dict[str, Rule], optional: Set[str], found: str
) -> None:
    assert without_a_rule(segment, rules, optional) == [found]


COMMANDS = [
    # damaged file              command
    ("manifest.json",           "search INDEX wine"),
    ("segment-000001/doc.npy",  "search INDEX wine"),
    ("segment-000001/tf.npy",   "search INDEX wine --model VSM"),
    ("segment-000001/tf.npy",   "retrieve INDEX topics.tsv -o a.run"),
    ("segment-000001/ids.npy",  "index INDEX --verify"),
    ("segment-000001/terms.npy", "index INDEX --delete d1"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "line"), COMMANDS)
def test_a_command_names_the_damaged_file_and_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    build_index(Path("INDEX"), [Doc(f"d{number}", QUERY) for number in range(3)], analyser="plain")
    Path("topics.tsv").write_text(f"q1\t{QUERY}\n")
    path = Path("INDEX", file)
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(bytes(data))
    command = [sys.executable, "-c", "from germane.cli import main; main()", *line.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert f"INDEX/{file}" in done.stderr
    assert "Hint: index again" in done.stderr
    assert not Path("a.run").exists()


def mapped(
    folder: Path, values: object, dtype: str, largest: int | None = None, *, are_offsets: bool = False
) -> MappedArray:
    array = np.asarray(values, dtype)
    return MappedArray(folder / "a.npy", write_array(folder / "a.npy", array), largest, are_offsets=are_offsets)


def test_only_blocks_that_are_touched_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.arange(100_000, dtype=np.int64)  # 800,128 bytes in 13 blocks
    array = mapped(tmp_path, numbers, "<i8")
    read: list[int] = []
    crc32 = zlib.crc32

    class Counting:
        @staticmethod
        def crc32(data: memoryview) -> int:
            read.append(len(data))
            return crc32(data)

    monkeypatch.setattr(mapped_array, "zlib", Counting)
    assert array[0] == 0
    assert array[5] == 5
    assert read == [BLOCK_SIZE]
    assert array[8_000:9_000].tolist() == list(range(8_000, 9_000))
    assert len(read) == 2, "the stretch begins in the first block"
    assert array[np.array([99_999, 50_000])].tolist() == [99_999, 50_000]
    assert len(read) == 4
    array.check_stretches(np.array([20_000, 5, 5]), np.array([30_000, 5, 6]))
    assert len(read) == 6
    assert np.asarray(array).tolist() == numbers.tolist()
    assert sum(read) == (tmp_path / "a.npy").stat().st_size, "each block once"


def test_files_are_those_of_numpy(tmp_path: Path) -> None:
    mapped(tmp_path, [3, 1, 2], "<i4")
    assert np.load(tmp_path / "a.npy").tolist() == [3, 1, 2]


BEYOND = [
    # values          dtype  largest, offsets  why
    ([0, 5, 3, 9],    "<i8", 9, True,           "offsets fall"),
    ([1, 5, 9],       "<i8", 9, True,           "the first offset is not 0"),
    ([0, 5, 8],       "<i8", 9, True,           "the last offset is not the end"),
    ([0, 5, 10],      "<i8", 9, True,           "the last offset is beyond the end"),
    ([0, -1, 9],      "<i8", 9, True,           "an offset below 0"),
    ([0, 3, -1],      "<i4", 9, False,          "a number below 0"),
    ([0, 10, 1],      "<i4", 9, False,          "a number beyond the last"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "dtype", "largest", "are_offsets", "why"), BEYOND)
def test_bounds_hold_even_where_checksums_do(
    tmp_path: Path, values: list[int], dtype: str, largest: int, are_offsets: bool, why: str
) -> None:
    array = mapped(tmp_path, values, dtype, largest, are_offsets=are_offsets)
    with pytest.raises(InputError, match=r"a\.npy: damaged index: expected (ascending offsets|numbers)"):
        np.asarray(array)


def test_offsets_are_compared_across_blocks(tmp_path: Path) -> None:
    falling = np.repeat([9, 0], [BLOCK_SIZE // 8 - 16, 100])  # the header takes 16 numbers' room of the first block
    falling[0], falling[-1] = 0, 9
    array = mapped(tmp_path, falling, "<i8", 9, are_offsets=True)
    assert array[1] == 9
    with pytest.raises(InputError, match="expected ascending offsets"):
        array[len(falling) - 1]


@pytest.mark.parametrize("key", [-1, 3, slice(0, 4), slice(2, 1), np.array([0, 3]), np.array([-1])])
def test_a_place_beyond_the_file_is_an_error(tmp_path: Path, key: object) -> None:
    with pytest.raises(InputError, match="damaged index: expected 3 values, found references to values"):
        mapped(tmp_path, [3, 1, 2], "<i4")[key]  # type: ignore[index]


def test_documents_that_do_not_ascend_are_named(tmp_path: Path) -> None:
    """A file whose checksums were made for it: only the bounds can tell."""
    documents = [Doc(f"d{i}", QUERY) for i in range(5)]
    build_index(tmp_path / "i", documents, analyser="plain")
    segment = ge.retrieval.Index.open(tmp_path / "i").parts[0].segment
    doc = np.asarray(segment.doc).copy()
    doc[:5] = [0, 3, 2, 1, 4]
    changed = dict(segment.arrays()) | {"doc": mapped(tmp_path, doc, "<i4", 4)}
    with pytest.raises(InputError, match=r"a\.npy: damaged index: expected documents of term 0 to ascend"):
        Segment(**changed).postings_of(np.array([0]))


def test_an_index_of_an_older_version_is_refused(tmp_path: Path) -> None:
    build_index(tmp_path / "i", [Doc("d1", QUERY)], analyser="plain")
    path = tmp_path / "i" / "manifest.json"
    path.write_text(path.read_text().replace('"germane_index": 2', '"germane_index": 1'))
    with pytest.raises(InputError, match="expected an index of version 2, found 1\nHint: index again"):
        ge.retrieval.Index.open(tmp_path / "i")


def test_two_threads_may_touch_a_block_first(tmp_path: Path) -> None:
    from germane.tables.columns.threads import map_in_threads

    array = mapped(tmp_path, np.arange(400_000), "<i8", 400_000)
    assert map_in_threads(lambda _: int(np.asarray(array).sum()), range(4)) == [79_999_800_000] * 4
