"""The README's opening claims what its benchmark table says, and shows the commands that everybody needs."""

from __future__ import annotations

import re

from tests.conftest import ROOT
from tests.docs.pages import text_of


def claimed_speed(readme: str) -> str:
    """Return the claim of the opening, made from the figures of the benchmark table."""
    file = re.search(
        r"^\| A file of ([\d,]+) lines.*\| (\d+) ms \| pytrec_eval: .*\| \*\*(\d+) ×\*\* \|$", readme, re.M
    )
    other = re.search(r"^\| the same file .*\| ir_measures: .*\| \*\*(\d+) ×\*\* \|$", readme, re.M)
    assert file, "the table has other rows: change the opening too"
    assert other, "the table has other rows: change the opening too"
    seconds = int(file[2]) / 1000
    times = f"{file[3]}× faster than pytrec_eval, {other[1]}× faster than ir_measures"
    return f"a run of {file[1]} lines in {seconds:.2f} s: {times}"


def test_the_opening_claims_what_was_measured() -> None:
    readme = text_of(ROOT / "README.md")
    assert claimed_speed(readme) in " ".join(readme.split())


def test_another_measurement_makes_another_claim() -> None:
    readme = text_of(ROOT / "README.md")
    assert claimed_speed(re.sub(r"\d+ ms \| pytrec_eval", "999 ms | pytrec_eval", readme)) not in " ".join(
        readme.split()
    )


def test_the_two_commands_and_the_basics_of_learning_are_there() -> None:
    readme = text_of(ROOT / "README.md")
    assert re.search(r"^make demo .*\nmake test ", readme, re.M)
    before_install = readme.partition("## Install")[0]
    assert all(word in before_install for word in ("bias and variance", "missing features", "transduction"))
