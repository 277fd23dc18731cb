"""The check of provoked errors is awake."""

from __future__ import annotations

import pytest

from germane.errors import GermaneError
from tests.errors.provoking import provoked


def test_a_call_without_the_error_is_caught() -> None:
    """The check itself fails where nothing is raised, and where something else is said."""
    check = provoked([("anything", lambda: None)])
    with pytest.raises(pytest.fail.Exception):
        check("anything", lambda: None)

    def says_otherwise() -> None:
        raise GermaneError("something else")

    with pytest.raises(AssertionError):
        check("anything", says_otherwise)
