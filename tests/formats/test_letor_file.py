"""SVMlight and LETOR files: there and back, and each thing that can be wrong with its line."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.errors import InputError
from germane.formats.learning.letor_file import read_groups, read_letor, write_letor
from germane.tables.rankings.ranking_data import RankingData

LETOR = """# feature 1 = BM25
# feature 2 = omega
2 qid:10 1:0.5 2:3 #docid = GX000-00 inc = 1 prob = 0.08

0 qid:10 2:7.25 # docid = GX000-01
1 qid:9 1:-1e-3 # docid=GX000-00
"""


def test_a_letor_file(tmp_path: Path) -> None:
    (tmp_path / "train.gz").write_bytes(gzip.compress(LETOR.encode()))
    data = read_letor(tmp_path / "train.gz")
    assert (data.names, list(data.queries), data.query.tolist()) == (("BM25", "omega"), ["10", "9"], [0, 0, 1])
    assert data.features.tolist() == [[0.5, 3.0], [0.0, 7.25], [-0.001, 0.0]], "what is not named is 0"
    assert data.grades.tolist() == [2.0, 0.0, 1.0]
    assert data.docs is not None
    assert list(data.docs) == ["GX000-00", "GX000-01", "GX000-00"]


def test_lightgbms_two_files(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("1 1:1\n0 1:2 3:4\n2 2:1\n")
    (tmp_path / "sizes").write_text("2\n1\n")
    data = read_letor(tmp_path / "rows", group_sizes=tmp_path / "sizes")
    assert (list(data.queries), data.sizes.tolist(), data.names, data.docs) == (
        ["1", "2"],
        [2, 1],
        ("1", "2", "3"),
        None,
    )
    assert read_groups(tmp_path / "sizes").tolist() == [2, 1]


def test_names_beside_the_rows_and_features_from_0(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("1 qid:1 0:5\n")
    (tmp_path / "names").write_text("BM25\nomega\n")
    data = read_letor(tmp_path / "rows", feature_names=tmp_path / "names", zero_based=True)
    assert (data.names, data.features.tolist()) == (("BM25", "omega"), [[5.0, 0.0]])


WRONG = [
    # content                                         what is said, with the line
    ("1 1:2\n", "1: expected qid:N after the grade, found none"),
    ("1 qid:1 1:2\n0 1:2\n", "2: expected qid:N after the grade, found none"),
    ("1 qid:1 2:1 1:1\n", "1: expected features in ascending order, found 1 after 2"),
    ("1 qid:1 1:1 1:1\n", "1: expected features in ascending order, found 1 after 1"),
    ("1 qid:1 1:nan\n", "1: expected a finite number for feature 1, found 'nan'"),
    ("1 qid:1 1:1\n1 qid:1 1:-inf\n", "2: expected a finite number for feature 1, found '-inf'"),
    ("1 qid:1 1:1e999\n", "1: expected a finite value for feature 1, found inf"),
    ("1 qid:1 1:1\n1 qid:2 1:1\n0 qid:1 1:0\n", "3: expected rows grouped by query, found query '1' again"),
    ("1 qid:1 1:1 # docid = a\n0 qid:1 1:0 # docid = a\n", "2: duplicate document 'a' for the same query"),
    ("1 qid:1 1:1 # docid = a\n0 qid:1 1:0\n", "2: expected `# docid = …` on all rows or none"),
    ("1 qid:1 1:1\n0 qid:1 1:0 # docid = a\n", "2: expected `# docid = …` on all rows or none"),
    ("high qid:1 1:1\n", "1: expected a finite number as the grade, found 'high'"),
    ("1 qid:1 BM25:1\n", "1: expected a feature such as 3:0.25, found 'BM25:1'"),
    ("1 qid:1 1:2:3 4\n", "1: expected a finite number for feature 1, found '2:3'"),
    ("1 1:2 qid:1\n", "1: expected qid directly after the grade, found 'qid:1'"),
    ("1 qid: 1:2\n", "1: expected a query id, found 'qid:'"),
    ("1 qid:1 0:2\n", "1: expected features numbered from 1 to"),
    ("# feature 2 = BM25\n1 qid:1 1:2\n", "1: expected the name of feature 1, found feature 2"),
    ("# feature 1 = BM25\n1 qid:1 1:2 2:3\n", "2: expected 1 features \\(the number of names\\), found feature 2"),
    ("", "expected rows such as"),
]


@pytest.mark.parametrize(("content", "message"), WRONG)
def test_each_wrong_line_is_told(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "rows").write_text(content)
    with pytest.raises(InputError, match=message):
        read_letor(tmp_path / "rows")


@pytest.mark.parametrize(
    ("rows", "sizes", "message"),
    [
        ("1 1:1\n0 1:2\n", "3\n", "sizes: expected sizes that sum to the 2 rows of .*, found 3"),
        ("1 1:1\n0 1:2\n", "2\n0\n", "sizes:2: expected the number of rows of a query"),
        ("1 1:1\n0 1:2\n", "2.0\n", "sizes:1: expected the number of rows of a query"),
        ("1 qid:1 1:1\n", "1\n", "rows:1: group sizes cannot be combined with qid, found qid:1"),
    ],
)
def test_group_sizes_that_do_not_fit(tmp_path: Path, rows: str, sizes: str, message: str) -> None:
    (tmp_path / "rows").write_text(rows)
    (tmp_path / "sizes").write_text(sizes)
    with pytest.raises(InputError, match=message):
        read_letor(tmp_path / "rows", group_sizes=tmp_path / "sizes")


def test_ids_that_the_format_cannot_hold(tmp_path: Path) -> None:
    for ids in (["a b"], ["a#b"]):
        with pytest.raises(InputError, match="expected ids without white space and #"):
            write_letor(RankingData.of([[1.0]], ["q"], docs=ids, grade=[1]), tmp_path / "rows")
    assert not (tmp_path / "rows").exists()


numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60)
@given(
    groups=st.lists(
        st.lists(st.tuples(st.floats(-2, 9), st.lists(numbers, min_size=3, max_size=3)), min_size=1), min_size=1
    ),
    with_docs=st.booleans(),
    sparse=st.booleans(),
)
def test_there_and_back(
    tmp_path_factory: pytest.TempPathFactory,
    groups: list[list[tuple[float, list[float]]]],
    with_docs: bool,
    sparse: bool,
) -> None:
    rows = [row for group in groups for row in group]
    query = [f"q{place}" for place, group in enumerate(groups) for _ in group]
    data = RankingData.of(
        [values for _, values in rows], query, grade=[grade for grade, _ in rows], names=["a", "b (c=1)", "é"],
        docs=[f"d:{i}" for i in range(len(rows))] if with_docs else None,
    )  # fmt: skip
    path = tmp_path_factory.getbasetemp() / "there.letor"
    write_letor(data, path, sparse=sparse)
    back = read_letor(path)
    assert np.array_equal(back.features, data.features)
    assert np.array_equal(back.grades, data.grades)
    assert (back.names, list(back.queries), back.query.tolist()) == (
        data.names,
        list(data.queries),
        data.query.tolist(),
    )
    assert (back.docs is None) is (data.docs is None)
    assert list(back.docs or ()) == list(data.docs or ())


@pytest.mark.shared
def test_lightgbms_example(shared: Path) -> None:
    folder = shared / "data" / "lambdarank"
    train = read_letor(folder / "rank.train.gz", group_sizes=folder / "rank.train.query")
    test = read_letor(folder / "rank.test.gz", group_sizes=folder / "rank.test.query")
    assert (repr(train), test.num_queries) == ("<rank.train: 201 queries, 3005 rows, 300 features>", 50)
    assert np.unique(train.grades).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match="pass `group_sizes=FILE` with the number of rows"):
        read_letor(folder / "rank.train.gz")
