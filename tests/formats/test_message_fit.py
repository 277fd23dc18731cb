"""Messages about text files fit what was found: names of columns, hints about the finding, lines of any length."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import germane as ge
from germane.errors import InputError
from germane.formats.rankings.detect import UNTAGGED_RUN
from germane.formats.rankings.trec import MSMARCO_RUN
from germane.formats.rows.text import TREC_QRELS, TREC_RUN, TextLayout, field_names

LAYOUTS = [
    TREC_RUN,
    UNTAGGED_RUN,
    TREC_QRELS,
    MSMARCO_RUN,
    TextLayout("csv-run", query=0, doc=1, value=2, num_fields=3, delimiter=b",", header_lines=1),
    TextLayout("tsv-qrels", query=0, doc=1, value=2, num_fields=4, delimiter=b"\t", header_lines=1, group=3),
]


def wrong_names(layout: TextLayout, names: str) -> Iterator[str]:
    """What is wrong with the names of a line's fields: their number, one that comes twice, or the rank's column."""
    fields = names.split()
    if len(fields) != layout.num_fields:
        yield f"{len(fields)} names for {layout.num_fields} fields"
    yield from (f"{name} twice" for name in {*fields} if name != "…" and fields.count(name) > 1)
    if layout.format == "trec-run" and names.split()[:5] != ["query", "Q0", "document", "rank", "score"]:
        yield "not the columns of a TREC run"


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.format)
@pytest.mark.parametrize("asked", [True, False], ids=["ranks", "no ranks"])
def test_columns_have_their_own_names(layout: TextLayout, asked: bool) -> None:
    """Where ranks do not count, the scanner's layout has none, and the message called their column Q0 too."""
    read = layout if asked else layout._replace(rank=None)
    assert list(wrong_names(read, field_names(read))) == []


def test_the_law_catches_a_name_that_comes_twice() -> None:
    assert "Q0 twice" in list(wrong_names(TREC_RUN, "query Q0 document Q0 score tag"))


def test_eval_names_the_rank_of_a_short_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 d1 1 2.5 x\nq Q0 d2 2 1.5\n")
    with pytest.raises(InputError, match=re.escape("expected 6 fields (query Q0 document rank score tag), found 5")):
        ge.evaluate({"q": {"d1": 1}}, tmp_path / "run", "AP")


@pytest.mark.parametrize(
    "number", [f"{sign}{text}" for sign in ("", "-", "+") for text in ("nan", "NaN", "inf", "Infinity")]
)
@pytest.mark.parametrize("line", ["q Q0 d1 1 {} x", "q 0 d1 {}"], ids=["run", "qrels"])
def test_what_is_not_finite_is_no_header(line: str, number: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(line.format(number) + "\n")
    with pytest.raises(InputError, match=r"expected a finite number as (score|grade), found") as caught:
        (ge.read_run if "x" in line else ge.read_qrels)(tmp_path / "file")
    assert (
        caught.value.hint == f"remove the line, or write the {'score' if 'x' in line else 'grade'} as a finite number"
    )


def test_a_header_is_still_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("qid Q0 docno 1 score tag\nq Q0 d1 1 2.5 x\n")
    with pytest.raises(InputError) as caught:
        ge.read_run(tmp_path / "run")
    assert caught.value.hint == "if this is a header, delete the line"


LENGTHS = [65_530, 65_536, 70_000, 1_000_000]
LINES = {
    "run": "{} Q0 {} 1 2.5 x\n",
    "qrels": "{} 0 {} 1\n",
    "three columns": "{} {} 1\n",
    "header": "qid,docno,score\n{},{},2.5\n",
}


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize(("length", "place"), list(itertools.product(LENGTHS, [0, 1])))
def test_a_long_first_line_is_read_to_its_end(kind: str, length: int, place: int, tmp_path: Path) -> None:
    """65,536 bytes of a file are looked at first; of a longer line that was less than all its fields."""
    ids = ["q", "d"]
    ids[place] = "x" * length
    (tmp_path / "file").write_text(LINES[kind].format(*ids))
    table = (ge.read_qrels if kind == "qrels" else ge.read_run)(tmp_path / "file")
    assert (list(table.queries), list(table.docs)) == ([ids[0]], [ids[1]])


def test_a_long_line_that_is_wrong_is_counted_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(f"q Q0 {'x' * 70_000} 1 2.5\n")
    with pytest.raises(InputError, match="found 5 fields") as caught:
        ge.read_run(tmp_path / "run")
    assert len(str(caught.value)) < 500
