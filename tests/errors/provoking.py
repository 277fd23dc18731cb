"""How the tables of provoked errors are checked: a call, and what its error must say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from germane.errors import GermaneError

Row = tuple[str, Callable[[], Any]]


def provoked(rows: Iterable[Row]) -> Any:
    """A parametrised test over rows of a message and a call that must end with it."""

    def check(message: str, call: Callable[[], Any]) -> None:
        with pytest.raises(GermaneError, match=re.escape(message)):
            call()

    rows = list(rows)
    return pytest.mark.parametrize(("message", "call"), rows, ids=[message for message, _ in rows])(check)
