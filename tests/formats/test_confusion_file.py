"""Confusion matrices in files."""

from pathlib import Path

import pytest

from germane.errors import InputError
from germane.formats.decisions.confusion_file import SHAPES, looks_like_matrix, read_matrix

ANIMALS = [[5, 3, 0], [2, 3, 1], [0, 2, 11]]
NAMES = ("cat", "dog", "rabbit")
GOOD = {
    "csv": ",cat,dog,rabbit\ncat,5,3,0\ndog,2,3,1\nrabbit,0,2,11\n",
    "a corner": "truth \\ predicted,cat,dog,rabbit\ncat,5,3,0\ndog,2,3,1\nrabbit,0,2,11\n",
    "tsv": "\tcat\tdog\trabbit\ncat\t5\t3\t0\ndog\t2\t3\t1\nrabbit\t0\t2\t11\n",
    "aligned, without a corner": "       cat dog rabbit\ncat 5 3 0\ndog 2 3 1\nrabbit  0 2 11\n",
    "columns in another order": ",dog,cat,rabbit\ncat,3,5,0\ndog,3,2,1\nrabbit,2,0,11\n",
    "a header only": "cat,dog,rabbit\n5,3,0\n2,3,1\n0,2,11\n",
    "json": '{"labels": ["cat", "dog", "rabbit"], "matrix": [[5, 3, 0], [2, 3, 1], [0, 2, 11]]}',
    "BOM and blank lines": "\ufeff,cat,dog,rabbit\n\ncat,5,3,0\ndog,2,3,1\nrabbit,0,2,11\n\n",
}


def write(text: str, folder: Path) -> Path:
    path = folder / "matrix.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_matrices_with_labels(text: str, tmp_path: Path) -> None:
    found = read_matrix(write(text, tmp_path))
    assert (found.labels, found.counts.tolist(), found.num_rows) == (NAMES, ANIMALS, 27)


@pytest.mark.parametrize("text", ["5,3,0\n2,3,1\n0,2,11", "5 3 0\n2 3 1\n0 2 11", "[[5,3,0],[2,3,1],[0,2,11]]"])
def test_a_bare_square(text: str, tmp_path: Path) -> None:
    found = read_matrix(write(text, tmp_path))
    assert (found.labels, found.counts.tolist()) == ((0, 1, 2), ANIMALS)


def test_rows_may_be_predictions(tmp_path: Path) -> None:
    path = write(GOOD["csv"], tmp_path)
    assert read_matrix(path, rows="prediction").counts.tolist() == read_matrix(path).counts.T.tolist()


def test_labels_that_are_numbers(tmp_path: Path) -> None:
    assert read_matrix(write(",0,1\n0,90,10\n1,5,0.5\n", tmp_path)).labels == (0, 1)


BAD = [
    ("", None, "expected a confusion matrix, found an empty file", SHAPES),
    ("1,2\n3\n", 2, "expected 2 counts, found 1: 3", SHAPES),
    (",a,b\na,1,x\nb,1,2\n", 2, "expected a count, found 'x'", SHAPES),
    (
        ",a,b\na,1,2\nc,1,2\n",
        None,
        "expected row labels as in the header (a, b), found a, c",
        SHAPES,
    ),
    ("1,2\n3,4\n5,6\n", None, "expected a square matrix of counts, found one of shape (3, 2)", SHAPES),
    ("1,-2\n3,4\n", None, "expected counts of 0 or more in a confusion matrix, found other values", SHAPES),
    ("[[1, 2], [3]]", None, "expected a square matrix of counts, found rows of several lengths", SHAPES),
    ('{"labels": ["a"]}', None, "expected the key 'matrix', found 'labels'", SHAPES),
    ("a,b\n", 1, "expected rows of counts after the header, found none", SHAPES),
    (
        ",a,total\na,1,1\ntotal,1,1\n",
        None,
        "expected classes only, found 'total', which looks like totals",
        "remove the row and the column of totals",
    ),
]


@pytest.mark.parametrize(("text", "line", "problem", "hint"), BAD)
def test_bad_matrices(text: str, line: int | None, problem: str, hint: str | None, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_matrix(write(text, tmp_path))
    assert (caught.value.line, caught.value.problem, caught.value.hint) == (line, problem, hint)


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_it_looks_like_a_matrix(text: str, tmp_path: Path) -> None:
    assert looks_like_matrix(write(text, tmp_path))


def test_other_files_do_not_look_like_one(tmp_path: Path) -> None:
    assert not looks_like_matrix(write("label,score\nspam,0.5\nham,0.25\n", tmp_path))
    assert not looks_like_matrix(tmp_path)
    assert not looks_like_matrix("-")
    large = write(GOOD["csv"] + "\n" * 1_000_000, tmp_path)
    assert not looks_like_matrix(large)
