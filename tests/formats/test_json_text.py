"""JSON that is damaged, nested too deeply, or not made as it should be: errors in words of JSON."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from germane.errors import InputError
from germane.formats.decisions.confusion_file import read_matrix
from germane.formats.files.json_text import parse_json
from germane.formats.rankings.leaderboard import read_leaderboard
from germane.formats.rankings.ranking_files import read_qrels, read_run
from germane.formats.truth.judgments_file import read_events
from germane.formats.truth.pool_file import read_pool
from germane.formats.truth.topics_file import read_topics
from germane.judging.release import check_release
from germane.judging.store.journal import Journal
from germane.learning.agent.state import read_state
from germane.learning.data.splits import read_split
from germane.learning.model_file import read_model
from germane.retrieval.engines.record import read_record
from germane.retrieval.engines.servers.opensearch import read_template
from germane.retrieval.indexes.manifest import read_manifest

DEEP, LONG = b"[" * 100_000, b"9" * 5000

DAMAGED = [
    # data                    what is said
    (b'{"a": 1',              r"file\.json:1: expected JSON, found a damaged file: .* at column 8"),
    (b'{"a": \xff}',          r"byte 0xff at offset 6 is not UTF-8"),
    (DEEP,                    r"nested too deeply"),
    (LONG,                    r"a number with too many digits"),
    (b'{"a": "\\ud800"}',     r"\\ud800 without the other half of its surrogate pair"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "said"), DAMAGED)
def test_damaged_json(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_json(data, "file.json")


@pytest.mark.parametrize("text", ['"\\ud83d\\ude00"', '"é"', '"\\u00e9"'])
def test_characters_written_either_way_are_whole(text: str) -> None:
    assert parse_json(text.encode(), "file.json") == json.loads(text)


def beside(name: str, read: Callable[[Path], object]) -> Callable[[Path], object]:
    """Reads the folder of a file that must have this name."""

    def in_folder(path: Path) -> object:
        path.with_name(name).write_bytes(path.read_bytes())
        return read(path.parent)

    return in_folder


def record(path: Path) -> object:
    path.with_name("x.run").write_bytes(b"")
    path.with_name("x.run.json").write_bytes(path.read_bytes())
    return read_record(path.with_name("x.run"))


def journal(path: Path) -> object:
    return [name for _, name, _ in Journal(path).events()]


READERS: list[Any] = [
    *(read_run, read_qrels, read_leaderboard, read_topics, read_events, read_pool, read_matrix, read_split, read_model),
    *(read_state, read_template, record, journal, beside("manifest.json", read_manifest)),
    beside("manifest.json", check_release),
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "data", [b'{"a": ' + DEEP, b'{"a": ' + LONG + b"}", b'{"runs": [[]], "files": [[]], "event": 1}']
)
def test_every_reader_of_json_says_what_is_wrong(read: Callable[[Path], object], data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(data + b"\n")
    with pytest.raises(InputError) as error:
        read(path)
    assert tmp_path.name in str(error.value)
    assert "recursion" not in str(error.value)
