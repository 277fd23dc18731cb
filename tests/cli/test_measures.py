"""`germane measures`: a name that is nearly one."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from germane.cli import group

NEARLY = [
    ("kapa", "; did you mean kappa?", "of decisions"),
    ("ROC", "; did you mean AUC?", "also where another of its names is nearest"),
    ("ndgc", "; did you mean nDCG?", "of a ranking"),
    ("NDCG10", "; did you mean nDCG@10?", "of a ranking, with the number at its end"),
    ("wxyz", "unknown measure 'wxyz'\n", "nothing is near"),
]


@pytest.mark.parametrize(("name", "said", "why"), NEARLY)
def test_the_nearest_name_is_suggested(name: str, said: str, why: str) -> None:
    assert said in str(CliRunner().invoke(group, ["measures", name]).exception), why
