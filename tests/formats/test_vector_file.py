"""Matrices that NumPy saved, and columns of ids and labels."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from germane.errors import InputError
from germane.formats.learning.vector_file import open_vectors, read_column


def test_a_matrix_is_mapped_and_not_read(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[1, 2], [3, 4]], dtype=np.float32))
    found = open_vectors(tmp_path / "v.npy")
    assert isinstance(found, np.memmap)
    assert found.tolist() == [[1, 2], [3, 4]]


def test_a_file_larger_than_memory_may_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "large.npy"
    np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(1 << 30, 256))  # a terabyte of holes
    assert open_vectors(path)[1 << 29].tolist() == [0.0] * 256


def save(path: Path, array: Any) -> Path:
    np.save(path, array, allow_pickle=True)
    return path


def truncated(path: Path) -> Path:
    np.save(path, np.zeros((100, 100)))
    path.write_bytes(path.read_bytes()[:5000])
    return path


def several(path: Path) -> Path:
    np.savez(path, a=np.zeros((1, 1)))
    return path


def compressed(path: Path) -> Path:
    np.save(path, np.zeros((1, 1)))
    path.write_bytes(gzip.compress(path.read_bytes()))
    return path


def text(path: Path) -> Path:
    path.write_text("0.1 0.2\n")
    return path


WRONG = [
    (lambda path: save(path, np.zeros(3)), r"expected a matrix with one vector per row, found shape \(3,\)"),
    (lambda path: save(path, np.zeros((3, 2), order="F")), "stored by column\nHint: .*ascontiguousarray"),
    (lambda path: save(path, np.array([[None]])), "Hint: save it as numbers or fixed-width text"),
    (truncated, "Hint: it may be truncated"),
    (several, "Hint: an .npz file contains several arrays"),
    (compressed, "Hint: decompress it first"),
    (text, r"expected a .npy file, found one that starts with b'0.1 0.'\nHint: use numpy.save"),
    (lambda path: path, "no such file"),
    (lambda path: "-", "cannot read vectors from standard input"),
]


@pytest.mark.parametrize(("make", "problem"), WRONG)
def test_what_cannot_be_mapped_is_refused(make: Any, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=problem):
        open_vectors(make(tmp_path / "v.npz" if make is several else tmp_path / "v.npy"))


def test_a_matrix_without_rows_is_a_matrix(tmp_path: Path) -> None:
    assert open_vectors(save(tmp_path / "v.npy", np.zeros((0, 4)))).shape == (0, 4)


COLUMNS = [
    (b"a\nb c\nd\n", ["a", "b c", "d"], "a line as it stands"),
    (b"a\r\nb", ["a", "b"], "ends of lines of another system, and none at the end of the file"),
    (gzip.compress(b"a\nb\n", mtime=0), ["a", "b"], "compressed"),
    (b"", [], "nothing"),
    ("é\n".encode(), ["é"], "not ASCII"),
]


@pytest.mark.parametrize(("content", "expected", "why"), COLUMNS)
def test_a_column_has_one_to_a_line(content: bytes, expected: list[str], why: str, tmp_path: Path) -> None:
    (tmp_path / "ids").write_bytes(content)
    assert list(read_column(tmp_path / "ids", "document", "ids")) == expected, why


@pytest.mark.parametrize("array", [np.array([7, 10]), np.array(["7", "10"]), np.array([b"7", b"10"])])
def test_a_column_may_be_an_array(array: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "ids.npy", array)
    assert list(read_column(tmp_path / "ids.npy", "document", "ids")) == ["7", "10"]
    assert list(read_column(array, "document", "ids")) == ["7", "10"]
    assert list(read_column(array.tolist(), "document", "ids")) == ["7", "10"]


def test_a_line_without_an_id_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ids").write_text("a\n\nb\n")
    with pytest.raises(InputError, match="ids:2: expected a document on every line, found an empty line"):
        read_column(tmp_path / "ids", "document", "ids")


def test_numbers_with_a_point_are_no_ids(tmp_path: Path) -> None:
    np.save(tmp_path / "ids.npy", np.array([1.5]))
    with pytest.raises(InputError, match="expected text as label ids, found an array of float64"):
        read_column(tmp_path / "ids.npy", "label", "labels")


def test_a_column_may_be_a_tensor() -> None:
    torch = pytest.importorskip("torch", reason="tensors are torch's")
    assert list(read_column(torch.tensor([7, 10]), "label", "labels")) == ["7", "10"]
