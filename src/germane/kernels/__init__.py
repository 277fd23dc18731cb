"""Compiled loops, and the plain references that check them and take over where there was no compiler.

A kernel is loaded when something of it is first asked for: starting up counts.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a kernel has the types of its reference
    from germane.kernels.reference import *  # noqa: F403
    from germane.kernels.reference_documents import *  # noqa: F403
    from germane.kernels.reference_draws import *  # noqa: F403
    from germane.kernels.reference_labels import *  # noqa: F403
    from germane.kernels.reference_lines import *  # noqa: F403
    from germane.kernels.reference_pairs import *  # noqa: F403
    from germane.kernels.reference_postings import *  # noqa: F403
    from germane.kernels.reference_sort import *  # noqa: F403
    from germane.kernels.reference_sums import *  # noqa: F403
    from germane.kernels.reference_survey import *  # noqa: F403
    from germane.kernels.reference_vectors import *  # noqa: F403
    from germane.kernels.reference_words import *  # noqa: F403

OK, BAD, INTERLEAVED = 0, 1, 2
"""All was well; a line was not what it should be; a query came back after another one (only the kernel minds)."""

_KERNELS = {
    # kernel: what takes its place, what it has
    "_scan": ("reference", ("Matcher", "TableReader", "ColumnReader", "gather_lines")),
    "_ids": (
        "reference",
        ("decimal_text", "unpadded", "changes", "row_changes", "hashes", "places_in_order", "byte_order"),
    ),
    "_sort": ("reference_sort", ("score_range", "count_keys", "place_keys", "sort_bucket", "twice_area")),
    "_sums": ("reference_sums", ("add_exactly", "add_moments")),
    "_lines": ("reference_lines", ("float_text", "joined_rows")),
    "_survey": ("reference_survey", ("Survey",)),
    "_labels": ("reference_labels", ("count_pairs", "encode_rows", "encode_objects")),
    "_draws": ("reference_draws", ("multinomial_counts",)),
    "_documents": ("reference_documents", ("DocumentColumns", "IdSet")),
    "_words": (
        "reference_words",
        (
            *("WordReader", "used_words", "count_terms", "transposed", "term_bounds", "place_positions"),
            *("merge_postings", "merge_positions"),
        ),
    ),
    "_postings": (
        "reference_postings",
        ("check_postings", "top_k_many", "score_documents", "contributions", "root_sums_of_squares"),
    ),
    "_pairs": ("reference_pairs", ("hinge_sums", "pair_differences")),
    "_vectors": ("reference_vectors", ("squared_norms", "pair_sums", "count_block")),
}
_HOME_OF = {name: kernel for kernel, (_, names) in _KERNELS.items() for name in names}


def in_use() -> str:
    """What `germane --version` says of them."""
    all_compiled = all(_load(kernel).COMPILED for kernel in _KERNELS)
    return "compiled kernels" if all_compiled else "reference kernels: no compiled extension"


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(_load(_HOME_OF[name]), name)
    return found


@cache
def _load(name: str) -> Any:
    """A kernel if it is there as compiled code, else its reference. An uncompiled kernel file must never run."""
    spec = importlib.util.find_spec(f"germane.kernels.{name}")
    # The kernels read eight bytes as one little-endian word.
    if spec is not None and (spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES)) and sys.byteorder == "little":
        module = importlib.import_module(f"germane.kernels.{name}")
        if module.COMPILED:
            return module
    reference, _ = _KERNELS[name]
    return importlib.import_module(f"germane.kernels.{reference}")
