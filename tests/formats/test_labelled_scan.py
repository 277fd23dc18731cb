"""What the kernel reads of a labelled file is what the plain reader reads, and what it cannot read goes on there."""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from germane.errors import InputError
from germane.formats.decisions import labelled_scan
from germane.formats.decisions.labelled_rows import read_labelled, stream_labelled
from germane.formats.decisions.labelled_scan import RowScanner

# fmt: off
FILES = {
    "numbers": "label,score\n1,0.9\n0,0.4\n1,0.2\n",
    "no final newline": "label,score\n1,0.9\n0,0.4",
    "CRLF": "label,score\r\n1,0.9\r\n0,0.4\r\n",
    "byte order mark": "\ufefflabel,score\n1,0.9\n0,0.4\n",
    "blank lines": "\n  \nlabel,score\n\n1,0.9\n \t\n0,0.4\n\n",
    "blank lines and a bad number": "label,score\n\n1,0.9\n\n0,zero\n",
    "quoted": '"label","score"\n"a","0.9"\n"b","0.4"\n',
    "a delimiter in quotes": 'label,score\n"a,b",0.9\nb,0.4\n',
    "quotes in quotes": 'label,score\n"a ""b""",0.9\nb,0.4\n',
    "quotes in quotes, not needed": 'label,score,text\na,0.9,"the ""b"""\nb,0.4,x\n',
    "a line break in quotes": 'label,score,text\na,0.9,"two\nlines"\nb,x,y\n',
    "a line break in the header": '"label\nof",score\na,0.9\nb,0.4\n',
    "an open quote": 'label,score\na,0.9\n"b,0.4\n',
    "old line ends": "label,score\ra,0.9\rb,0.4\r",
    "mixed line ends": "label,score\na,0.9\rb,0.4\n",
    "white space": "label score\n a\t0.9 \nb  0.4\n",
    "white space, late accents": "label score\na 0.9\né 0.4\n",
    "blanks around": "label;score\n a ; 0.9 \nb;\t0.4\n",
    "accents": "label,score\né,0.9\nü,0.4\n",
    "infinite and underscores": "label,score\n1,inf\n0,1_0\n",
    "NaN": "label,score\n1,0.9\n0,nan\n",
    "a missing score": "label,score\n1,0.9\n0,\n",
    "a missing label": "label,score\n1,0.9\n,0.4\n",
    "NA among numbers": "label,score\n1,0.9\n\nNA,0.4\n",
    "NA among words": "label,score\nx,0.9\nNA,0.4\n",
    "zero-padded codes": "label,score\n01,0.9\n1,0.4\n",
    "fractions": "label,score\n1.5,0.9\n 1,0.4\n",
    "weights": "label,score,w\n1,0.9,2\n0,0.4,0.5\n",
    "a negative weight": "label,score,w\n1,0.9,2\n0,0.4,-1\n",
    "several columns": "label,pred,score,pred2\n1,a,0.9,1\n0,1,0.4,0\n",
    "too few fields": "label,score\n1,0.9\n0\n",
    "too many fields": "label,score\n1,0.9\n0,0.4,3\n",
    "only a header": "label,score\n",
    "nothing after blank lines": "\n\n",
}
# fmt: on
ASKED: dict[str, dict[str, Any]] = {
    "weights": {"weight": "w"},
    "a negative weight": {"weight": "w"},
    "several columns": {"predicted": ["pred", "pred2"], "score": "score"},
}


def outcome(path: Path, **asked: Any) -> object:
    """The columns read, with their types; or the error."""
    try:
        rows = read_labelled(path, **asked)
    except InputError as error:
        return str(error), error.hint
    columns = {"truth": rows.truth, "weight": rows.weight, **rows.predicted, **rows.scores}
    shown = {
        name: (str(getattr(c, "dtype", type(c))), list(map(repr, c))) for name, c in columns.items() if c is not None
    }
    return shown, rows.columns, rows.guessed, rows.num_rows


@pytest.fixture(params=[1 << 22, 16], ids=["one piece", "small pieces"])
def _pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelled_scan, "PIECE", request.param)


def plainly(call: Callable[[], object]) -> object:
    """What comes of a call where the kernel reads nothing."""

    def nothing(scanner: RowScanner) -> Iterator[Any]:
        yield from ()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowScanner, "blocks", nothing)
        return call()


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize("name", FILES)
def test_odd_files_are_read_as_the_plain_reader_reads_them(name: str, tmp_path: Path) -> None:
    path, asked = tmp_path / "items.csv", ASKED.get(name, {})
    path.write_bytes(FILES[name].encode())
    assert outcome(path, **asked) == plainly(lambda: outcome(path, **asked))
    (tmp_path / "items.gz").write_bytes(gzip.compress(path.read_bytes()))
    packed = outcome(tmp_path / "items.gz", **asked)
    assert str(packed).replace("items.gz", "items.csv") == str(outcome(path, **asked))


def test_columns_by_number_are_read_from_the_first_line_on(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes("\ufeff\n1,0.9\n0,0.4\n".encode())
    asked = {"truth": 1, "score": 2}
    assert outcome(path, **asked) == plainly(lambda: outcome(path, **asked))
    assert read_labelled(path, truth=1, score=2).num_rows == 2
    path.write_bytes(b"1,0.9\n0,x\n")
    assert outcome(path, **asked) == plainly(lambda: outcome(path, **asked))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(
    parts=st.lists(
        st.sampled_from(["1", "0", "x", ",", "\n", "\r\n", "0.5", '"', '""', " ", "nan", "é", "1e5", "\t", "1,0.5\n"]),
        max_size=30,
    ),
    piece=st.sampled_from([4, 16, 1 << 20]),
)
def test_any_file_is_read_as_the_plain_reader_reads_it(parts: list[str], piece: int, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(("label,score\n" + "".join(parts)).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled_scan, "PIECE", piece)
        assert outcome(path) == plainly(lambda: outcome(path))


def test_the_plain_reader_goes_on_where_the_kernel_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelled_scan, "PIECE", 64)
    rows = [f"{'cat' if i % 3 else 'dog'},{i / 7}" for i in range(200)]
    rows[150] = '"two\nlines",0.5'
    path = tmp_path / "items.csv"
    path.write_text("\n".join(["label,score", *rows, "cat,oops"]))
    with pytest.raises(InputError) as caught:
        read_labelled(path)
    assert caught.value.line == 203  # 200 rows, one of them on two lines, and the header
    path.write_text("\n".join(["label,score", *rows]))
    whole = read_labelled(path)
    assert whole.truth.count("two\nlines") == 1
    assert whole.scores["score"].tolist() == [0.5 if i == 150 else i / 7 for i in range(200)]


def test_each_batch_has_as_many_rows_as_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("label,score\n" + "".join(f"{i % 2},{i}\n" for i in range(25)))
    parts = list(stream_labelled(path, batch_rows=10))
    assert [len(part) for part in parts] == [10, 10, 5]
    assert np.concatenate([part.scores["score"] for part in parts]).tolist() == list(range(25))
    assert [len(part.truth) for part in parts] == [10, 10, 5]
