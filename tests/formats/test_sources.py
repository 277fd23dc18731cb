import bz2
import gzip
import io
import lzma
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard

from germane.api.rankings.evaluation import load_qrels
from germane.errors import InputError, MissingExtraError
from germane.formats.files.sources import display_name, is_plain_file, open_source, peek
from germane.formats.files.targets import open_target

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}
TEXT = "".join(f"{i} {random.Random(i).random()}\n" for i in range(40_000)).encode()  # does not compress to one block


@pytest.mark.parametrize("kind", COMPRESS)
def test_the_bytes_and_not_the_name_say_how_a_file_is_compressed(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(COMPRESS[kind](TEXT))
    with open_source(path) as stream:
        assert stream.read() == TEXT
    assert not is_plain_file(path)


@pytest.mark.parametrize("kind", COMPRESS)
def test_two_compressed_files_in_a_row_are_one(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(COMPRESS[kind](b"1\n") + COMPRESS[kind](b"2\n"))
    with open_source(path) as stream:
        assert list(stream) == [b"1\n", b"2\n"]


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("share", [0.3, 0.9, 0.9999])
def test_a_truncated_file_is_an_error_that_says_so(kind: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / "run"
    whole = COMPRESS[kind](TEXT)
    path.write_bytes(whole[: int(len(whole) * share)])
    with (
        open_source(path) as stream,
        pytest.raises(InputError, match=f"run: truncated .{kind} file"),
    ):
        stream.read()


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_corrupt_file_is_an_error_that_says_so(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    data = bytearray(COMPRESS[kind](TEXT))
    for place in range(len(data) // 2, len(data) // 2 + 64):
        data[place] ^= 0x55
    path.write_bytes(data)
    with open_source(path) as stream, pytest.raises(InputError, match=f"(corrupt|truncated) .{kind} file"):
        stream.read()


def test_a_plain_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(b"BZh1 Q0 d1 1 2.5 tag\n")  # starts as .bz2 does, and goes on otherwise
    assert is_plain_file(path)
    with open_source(path) as stream:
        assert stream.read() == b"BZh1 Q0 d1 1 2.5 tag\n"


@pytest.mark.parametrize("data", [b"q1 0 d1 1\n", gzip.compress(b"q1 0 d1 1\n")], ids=["plain", "gz"])
def test_standard_input(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO(data)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer))
    assert not is_plain_file("-")
    with open_source("-") as stream:
        assert stream.read() == b"q1 0 d1 1\n"
    assert not buffer.closed, "standard input is not ours to close"


@pytest.mark.parametrize("seekable", [True, False])
def test_peeking_loses_nothing(seekable: bool) -> None:
    class Stream(io.BytesIO):
        def seekable(self) -> bool:
            return seekable

    head, stream = peek(Stream(TEXT), 100)
    longer, stream = peek(stream, 100_000)
    assert head == TEXT[:100]
    assert longer == TEXT[:100_000]
    assert b"".join(stream) == TEXT


def test_a_missing_file_names_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").touch()
    with pytest.raises(InputError, match=r"qrel\.txt: no such file; did you mean qrels\.txt\?"):
        open_source(tmp_path / "qrel.txt")
    with pytest.raises(InputError, match=r"no such file$"):
        open_source(tmp_path / "nowhere" / "qrels.txt")
    (tmp_path / "InexpC2.run.gz").touch()
    for typed in ("InexpC", "InexpC2", "InexpC2.txt"):
        with pytest.raises(InputError, match=r"no such file; did you mean InexpC2\.run\.gz\?"):
            open_source(tmp_path / typed)
    with pytest.raises(InputError, match=r"no such file$"):
        open_source(tmp_path / "bm25.run.gz")  # alike in its endings alone


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a file or a table in parts, found a folder of separate files"):
        open_source(tmp_path)


def test_a_release_is_a_folder_with_files_that_may_be_meant(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").touch()
    with pytest.raises(InputError, match=r"\n.*--folders one"):  # one such file makes no release
        open_source(tmp_path)
    (tmp_path / "events.jsonl").touch()
    with pytest.raises(
        InputError, match=r"\n.*use .*qrels\.txt for qrels, .*events\.jsonl for the judgments of each assessor"
    ):
        open_source(tmp_path)
    with pytest.raises(InputError, match=r"\n.*use .*qrels\.txt for qrels"):
        load_qrels(tmp_path)


def test_without_a_library_for_zstd_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.zst"
    path.write_bytes(COMPRESS["zst"](b"1"))
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"germane\[zstd\]"):
        open_source(path)


DISPLAY_NAMES = [
    ("bm25.run.gz", "bm25"),
    ("runs/input.bm25.txt", "input.bm25"),
    ("results.test", "results.test"),
    ("BM25.RUN", "BM25"),
    ("dense.v2.parquet", "dense.v2"),
    ("run", "run"),
    (".run", ".run"),
    ("x.gz.gz", "x.gz"),
    ("-", "stdin"),
]


@pytest.mark.parametrize(("path", "name"), DISPLAY_NAMES)
def test_a_system_is_called_after_its_file(path: str, name: str) -> None:
    assert display_name(path) == name
    assert display_name(Path(path)) == name


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_a_target_is_compressed_as_its_name_says(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.txt{ending}"
    with open_target(path) as target:
        target.write(TEXT)
    assert is_plain_file(path) == (ending == "")
    with open_source(path) as stream:
        assert stream.read() == TEXT


def test_a_target_that_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("old")

    def fail() -> None:
        with open_target(path) as target:
            target.write(b"new")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.txt"]


def test_a_target_in_no_folder_is_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="cannot write the file: No such file"),
        open_target(tmp_path / "nowhere" / "run.txt"),
    ):
        pass
