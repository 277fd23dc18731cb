"""A table of which no column says what it is: no documents, and the command for labels and scores is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from germane.api.files.file_types import UnrecognisedError, recognise

NAMES = ("day", "channel", "fraud", "old", "new")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_say_nothing_are_listed(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"dev.{ending}"
    if ending == "parquet":
        arrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(arrow.table({name: [0, 1] for name in NAMES}), path)
    else:
        path.write_text(f"{','.join(NAMES)}\n1,0,1,0,1\n1,1,0,1,0\n")
    with pytest.raises(UnrecognisedError, match="cannot tell what these columns are: day, channel, fraud") as e:
        recognise(path)
    assert e.value.hint == f"for true labels and scores, run `germane classify {path} --truth COLUMN --score COLUMN`"


def test_documents_in_parquet_are_documents_still(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for names in (("docid", "contents"), ("pid", "passage"), ("id", "segment")):
        parquet.write_table(arrow.table({name: ["a", "b"] for name in names}), tmp_path / "collection.parquet")
        assert recognise(tmp_path / "collection.parquet").thing == "documents"


def rows(header: str, num_rows: int) -> str:
    """Each row has its number, a label (every third is 1), a group, and two fractions."""
    values: dict[str, Callable[[int], str]] = {
        "id": lambda row: f"{row}",
        "churned": lambda row: f"{int(row % 3 == 0)}",
        "plan": lambda row: "gold" if row % 5 else "basic",
        "a": lambda row: f"{row / 7:.3f}",
        "b": lambda row: "" if row == 4 else f"{row / 9:.3f}",
    }
    names = header.split(",")
    return f"{header}\n" + "".join(",".join(values[name](row) for name in names) + "\n" for row in range(num_rows))


GUESSES = [
    # columns         rows    what the hint says
    ("id,churned,a",     60, ["churned may be true labels and a scores;",
                              "--truth churned --score a` to evaluate", "threshold {} --truth"]),
    ("id,churned,a,b", 9000, ["churned may be true labels and a, b scores;",
                              "--score a --score b` to evaluate", "--score a` to choose"]),
    ("plan,churned,a",   60, ["plan or churned may be true labels and a scores;", "--truth COLUMN --score a`"]),
]  # fmt: skip


@pytest.mark.parametrize(("header", "num_rows", "said"), GUESSES)
def test_labels_and_scores_are_guessed_by_their_values(
    header: str, num_rows: int, said: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "dev.csv"
    path.write_text(rows(header, num_rows))
    with pytest.raises(UnrecognisedError) as raised:
        recognise(path)
    assert raised.value.hint is not None
    assert raised.value.hint.startswith("by their values, ")
    for part in said:
        assert part.format(path) in raised.value.hint


@pytest.mark.parametrize(("header", "num_rows"), [("id,churned,a", 20), ("id,a,b", 60), ("id,churned", 60)])
def test_few_rows_or_no_labels_are_no_items(header: str, num_rows: int, tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(rows(header, num_rows).replace(",,", ",0,").replace(",\n", ",0\n"))
    assert recognise(path).thing == "leaderboard"
