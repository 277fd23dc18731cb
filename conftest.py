"""Names that every doctest may use without importing them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from germane.tables.rankings.judged_run import judged

pytest_plugins = ["tests.documented_notes", "tests.exercised_record", "tests.hints_that_run"]


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["judged"] = judged
    doctest_namespace["np"] = np
