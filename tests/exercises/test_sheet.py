"""A sheet is the same on every machine, can be made again from itself, and gives nothing away."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from germane.errors import InputError
from germane.exercises.layout import WRITERS, as_html, as_json, as_markdown
from germane.exercises.sheet import Sheet, has_recipe, read_students, sheet_in, sheets_for

TOPICS = ("AP", "nDCG@5", "TPR", "AUC", "kappa", "t", "spearman", "BM25", "rocchio")
SHEET = Sheet(TOPICS, 7)
"""Its tasks are drawn when they are first asked for, and kept."""


def test_the_same_seed_gives_the_same_sheet_on_every_machine() -> None:
    assert SHEET.fingerprint == "f2bf650c"


def test_another_seed_student_or_place_gives_other_tasks() -> None:
    (first,) = Sheet(("AP",), 7).tasks
    assert Sheet(("AP",), 8).tasks != (first,)
    assert Sheet(("AP",), 7, "ann").tasks != (first,)
    assert Sheet(("AP", "AP"), 7).tasks[1] != first
    assert Sheet(("RR", "AP"), 7).tasks[1] == first, "other topics may come and go"


@pytest.mark.parametrize("ending", [".md", ".html"])
@pytest.mark.parametrize("solutions", [False, True])
def test_a_sheet_is_made_again_from_what_was_written(ending: str, solutions: bool) -> None:
    sheet = Sheet(("AP", "rates:F1"), 7, "ann --> <b>")
    text = WRITERS[ending](sheet, solutions=solutions)
    assert has_recipe(text)
    assert sheet_in(text, "sheet") == sheet


def test_a_changed_recipe_is_noticed() -> None:
    text = as_markdown(Sheet(("AP",), 7), solutions=False)
    with pytest.raises(InputError, match="cannot reproduce the tasks of the sheet from its topics and seed"):
        sheet_in(text.replace('"seed": 7', '"seed": 8'), "sheet.md")
    with pytest.raises(InputError, match="cannot read the topics and seed of the sheet"):
        sheet_in(text.replace('"seed": 7', '"sed": 7'), "sheet.md")


@pytest.mark.parametrize("write", WRITERS.values())
def test_no_value_and_no_mistake_is_given_away(write: object) -> None:
    assert callable(write)
    text = write(SHEET, solutions=False)
    for task in SHEET.tasks:
        assert task.solution.splitlines()[-1] not in text
        assert f"{task.value:.4f}" not in text
        assert all(mistake.done not in text for mistake in task.mistakes)
    assert all(task.solution.splitlines()[-1][:20] in write(SHEET, solutions=True) for task in SHEET.tasks[:1])


def test_markdown_has_a_line_for_each_answer() -> None:
    text = as_markdown(SHEET, solutions=False)
    assert re.findall(r"^Answer (\d+):$", text, re.M) == [str(n) for n in range(1, len(TOPICS) + 1)]
    assert not re.search(r"^Answer", as_markdown(Sheet(("AP",), 7), solutions=True), re.M)


def test_the_definition_is_that_of_the_registry() -> None:
    import germane as ge

    by_name = {definition.name: definition for definition in ge.measures.MEASURES}
    assert by_name["AP"].sections["Formula"] in as_markdown(Sheet(("AP",), 7), solutions=False)
    ndcg = as_markdown(Sheet(("nDCG@5",), 7), solutions=False)
    assert by_name["nDCG"].sections["Formula"] in ndcg
    assert by_name["DCG"].sections["Formula"] in ndcg, "nobody can do nDCG without DCG"
    assert by_name["AP"].sections["Note"] in as_markdown(Sheet(("AP(area=sawtooth)",), 7), solutions=False)


class Tags(HTMLParser):
    """Which tags are open at the end, and which were closed out of turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_the_page_is_well_formed_and_needs_nothing_else() -> None:
    text = as_html(Sheet(("TPR", "t"), 7, "<ann>"), solutions=False)
    tags = Tags()
    tags.feed(text)
    assert (tags.open, tags.wrong) == ([], [])
    assert "http" not in text
    assert "&lt;ann&gt;" in text
    broken = Tags()
    broken.feed(text.replace("</table>", "", 1))
    assert broken.open or broken.wrong


def test_json_has_values_and_mistakes_only_with_the_solutions() -> None:
    asked, solved = (json.loads(as_json(Sheet(("AP",), 7), solutions=solutions)) for solutions in (False, True))
    assert set(solved["tasks"][0]) - set(asked["tasks"][0]) == {"value", "solution", "mistakes"}
    assert asked["tasks"][0]["given"][0]["header"] == ["rank", "document", "relevant"]


def test_students(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("ann\n\n bob \n", encoding="utf-8")
    assert read_students(names) == ["ann", "bob"]
    assert [sheet.student for sheet in sheets_for(("AP",), 1, ["ann", "bob"])] == ["ann", "bob"]
    assert sheets_for(("AP",), 1, []) == [Sheet(("AP",), 1)]
    names.write_text("ann\nann\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"names.txt:2: duplicate student 'ann'"):
        read_students(names)
    names.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="found none"):
        read_students(names)
    names.write_text("name,matr\nann,7\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"names.txt:1: expected a name without a comma, found 'name,matr'"):
        read_students(names)
    names.write_bytes(b"M\xfcller\n")
    with pytest.raises(InputError, match="expected names of students"):
        read_students(names)
    with pytest.raises(InputError, match=r"ann,bob: no such file\nHint: write the names"):
        read_students("ann,bob")
