"""Every example on a page prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import examples
from germane.measures.definition import MEASURES
from tests.docs.pages import WRITTEN, name_of, text_of

SLOW = ("ml_engineer.md", "search_engineer.md", "researcher.md", "show_results.md", "train_an_agent.md", "tune.md")
"""Pages whose examples take a while."""
PARAMETERS = [pytest.param(page, id=name_of(page), marks=[pytest.mark.slow] * (page.name in SLOW)) for page in WRITTEN]


@pytest.mark.parametrize("page", PARAMETERS)
def test_examples_print_what_the_page_shows(page: Path) -> None:
    problems = examples.rerun(text_of(page), name_of(page)).problems
    assert problems == [], "\n\n".join(["run `make docs` and look at the difference", *map(str, problems)])


LYING = """
```console
$ germane eval qrels.txt system1.run -m RR
run          RR
system1  0.9999
$ echo $?
0
```
"""


def test_an_example_that_shows_another_output_is_caught_and_corrected() -> None:
    rerun = examples.rerun(LYING, "page.md")
    assert [(problem.line, problem.example) for problem in rerun.problems] == [
        (3, "$ germane eval qrels.txt system1.run -m RR")
    ]
    assert "system1        3  0.8333" in rerun.text
    assert examples.rerun(rerun.text, "page.md").problems == []


def test_a_python_example_that_shows_another_result_is_caught_and_corrected() -> None:
    page = "```python\nx = 2\n```\n\n```python\n>>> x + x\n5\n\n```\n"
    rerun = examples.rerun(page, "page.md")
    assert [(problem.line, problem.expected, problem.found) for problem in rerun.problems] == [(6, "5\n", "4\n")]
    assert rerun.text == page.replace("5", "4")
    assert examples.rerun(rerun.text, "page.md").problems == []


def test_a_python_example_that_fails_is_caught_and_left_as_it_is() -> None:
    page = "```python\n>>> 1 / 0\n1\n```\n"
    rerun = examples.rerun(page, "page.md")
    assert ["ZeroDivisionError" in problem.found for problem in rerun.problems] == [True]
    assert rerun.text == page


def test_a_page_makes_the_files_that_it_shows_and_sees_exit_statuses() -> None:
    page = "```console\n$ cat new.txt\nQ1 0 Im38 1\n\n$ germane check new.txt gone.txt\n...\n$ echo $?\n2\n```\n"
    rerun = examples.rerun(page, "page.md")
    assert [problem.example for problem in rerun.problems] == ["$ germane check new.txt gone.txt"]
    assert "new.txt: judgments in trec format" in rerun.text


def test_a_measure_that_a_page_registers_is_gone_after_it() -> None:
    before = [definition.name for definition in MEASURES]
    page = (
        "```python\nimport germane\n\n@germane.measure('OfThePage', bounds=(0, 1))\n"
        "def of_the_page(run):\n    '''One.'''\n```\n"
    )
    assert examples.rerun(page, "page.md").problems == []
    assert [definition.name for definition in MEASURES] == before


def test_what_a_block_prints_stays_off_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert examples.rerun("```python\nprint(1 + 1)\n```\n", "page.md").problems == []
    assert capsys.readouterr().out == ""
