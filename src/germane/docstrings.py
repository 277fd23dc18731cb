"""What the docstring of a registered thing says: help, reference and report are printed from it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

_SECTION = re.compile(r"^(Formula|Reference|Edge cases|Ties|Undefined|Note):\s*(.+?)(?=^\S|\Z|\n\n)", flags=re.M | re.S)


def summary_of(thing: object) -> str:
    """The first line.

    >>> summary_of(summary_of)
    'The first line.'
    """
    return inspect.cleandoc(thing.__doc__ or "").partition("\n")[0]


def sections_of(thing: object) -> Mapping[str, str]:
    """What stands under Formula, Reference, Edge cases and the like, each as one line.

    >>> from germane.measures.ranking.precision import precision
    >>> sections_of(precision)["Formula"]
    'P@k = (relevant in the top k) / k; without a cutoff, / retrieved'
    """
    text = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[2].partition(">>>")[0]
    return {title: " ".join(body.split()) for title, body in _SECTION.findall(text)}
