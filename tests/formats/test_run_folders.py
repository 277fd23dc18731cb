"""A folder in place of a run: which files are meant, and what is wrong with a folder."""

import os
from pathlib import Path

import pytest

from germane.errors import InputError
from germane.formats.files.part_folders import files_of, hidden_files


def make(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_text("q1 Q0 d1 1 1.0 tag\n")
    return folder


def test_every_file_is_a_run_in_the_byte_order_of_the_names(tmp_path: Path) -> None:
    folder = make(tmp_path / "runs", "b.run", "a.run.gz", "B.run", "input.10", "é")
    assert [Path(file).name for file in files_of(folder)] == ["B.run", "a.run.gz", "b.run", "input.10", "é"]
    assert files_of(str(folder)) == files_of(folder)


@pytest.mark.parametrize("run", ["-", "a.run", Path("a.run"), {"q1": {"d1": 1.0}}, [("q1", "d1", 1.0)]])
def test_what_is_no_folder_stands_for_itself(run: object) -> None:
    assert files_of(run) == [run]
    assert hidden_files(run) == []


def test_hidden_files_are_left_out_and_can_be_named(tmp_path: Path) -> None:
    folder = make(tmp_path / "runs", "a.run", ".DS_Store", ".a.run.swp")
    (folder / ".git").mkdir()
    assert [Path(file).name for file in files_of(folder)] == ["a.run"]
    assert hidden_files(folder) == [".DS_Store", ".a.run.swp", ".git"]


def test_a_folder_inside_is_an_error(tmp_path: Path) -> None:
    folder = make(tmp_path / "runs", "a.run")
    (folder / "old").mkdir()
    with pytest.raises(
        InputError, match="runs: expected only run files, found the folder 'old'\nHint: pass the run files"
    ):
        files_of(folder)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_a_link_to_nothing_is_an_error(tmp_path: Path) -> None:
    folder = make(tmp_path / "runs", "a.run")
    (folder / "lost.run").symlink_to("nowhere")
    with pytest.raises(InputError, match=r"found the special file 'lost\.run'"):
        files_of(folder)


def test_a_folder_without_runs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty: expected run files, found none"):
        files_of(make(tmp_path / "empty"))
    with pytest.raises(InputError, match=r"expected run files, found only hidden files: \.keep"):
        files_of(make(tmp_path / "hidden", ".keep"))
