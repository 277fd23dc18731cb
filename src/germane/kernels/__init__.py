"""Compiled loops, and the plain references that check them and take over where there was no compiler.

A kernel is loaded when something of it is first asked for: starting up counts.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from germane.kernels import reference, reference_labels, reference_postings, reference_sort, reference_words

    Matcher: type[reference.Matcher]
    TableReader: type[reference.TableReader]
    gather_lines: Callable[[Any, Any, bytearray, int, int], tuple[int, int]]

    decimal_text: Callable[[npt.NDArray[np.int64]], reference.Text]
    unpadded: Callable[[npt.NDArray[np.uint8]], reference.Text]
    changes: Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int64]], npt.NDArray[np.bool_]]
    row_changes: Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.bool_]]
    hashes: Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int64]], npt.NDArray[np.uint64]]
    places_in_order: Callable[
        [npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int64]],
        npt.NDArray[np.int64],
    ]

    score_range: Callable[[npt.NDArray[Any]], tuple[int, int, int]]
    count_keys: Callable[[npt.NDArray[Any], reference_sort.Truth, int, int, reference_sort.Counts], None]
    place_keys: Callable[
        [
            npt.NDArray[Any],
            reference_sort.Truth,
            int,
            int,
            npt.NDArray[np.int32],
            reference_sort.Counts,
            reference_sort.Keys,
        ],
        None,
    ]
    sort_bucket: Callable[
        [reference_sort.Keys, reference_sort.Keys, int, int, int, reference_sort.Counts, reference_sort.Counts], int
    ]
    twice_area: Callable[[reference_sort.Counts, reference_sort.Counts], int]
    add_to_histogram: Callable[
        [npt.NDArray[Any], reference_sort.Truth, npt.NDArray[np.float64], reference_sort.Counts, reference_sort.Counts],
        int,
    ]

    count_pairs: Callable[[reference_labels.Rows, reference_labels.Rows, int, int, reference_labels.Rows], int]
    encode_rows: Callable[[npt.NDArray[np.uint8], int], tuple[reference_labels.Codes, reference_labels.Rows]]
    encode_objects: Callable[[list[Any]], tuple[reference_labels.Codes, reference_labels.Rows]]

    multinomial_counts: Callable[[npt.NDArray[np.int64], int, npt.NDArray[np.uint64]], npt.NDArray[np.int64]]

    WordReader: type[reference_words.WordReader]
    used_words: Callable[[reference_words.Codes, int], npt.NDArray[np.bool_]]
    count_terms: Callable[..., tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Any, npt.NDArray[np.int32]]]
    transposed: Callable[..., tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Any]]
    place_positions: Callable[..., int]

    check_postings: Callable[[reference_postings.Postings, npt.NDArray[np.int64]], None]
    top_k_many: Callable[..., reference_postings.Rankings]
    score_documents: Callable[..., npt.NDArray[np.float64]]
    contributions: Callable[..., npt.NDArray[np.float64]]
    root_sums_of_squares: Callable[..., npt.NDArray[np.float64]]

    hinge_sums: Callable[..., tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64]]]
    pair_differences: Callable[..., npt.NDArray[np.float64]]

    squared_norms: Callable[[npt.NDArray[Any], npt.NDArray[np.float64]], None]
    pair_sums: Callable[..., None]
    count_block: Callable[..., None]

OK, BAD, INTERLEAVED = 0, 1, 2
"""All was well; a line was not what it should be; a query came back after another one (only the kernel minds)."""

_KERNELS = {
    # kernel: what takes its place, what it has
    "_scan": ("reference", ("Matcher", "TableReader", "gather_lines")),
    "_ids": ("reference", ("decimal_text", "unpadded", "changes", "row_changes", "hashes", "places_in_order")),
    "_sort": (
        "reference_sort",
        ("score_range", "count_keys", "place_keys", "sort_bucket", "twice_area", "add_to_histogram"),
    ),
    "_labels": ("reference_labels", ("count_pairs", "encode_rows", "encode_objects")),
    "_draws": ("reference_draws", ("multinomial_counts",)),
    "_words": ("reference_words", ("WordReader", "used_words", "count_terms", "transposed", "place_positions")),
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
