"""Compiled loops, and the plain references that check them and take over where there was no compiler."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from germane.kernels import reference, reference_labels, reference_postings, reference_sort, reference_words

OK, BAD, INTERLEAVED = 0, 1, 2
"""All was well; a line was not what it should be; a query came back after another one (only the kernel minds)."""


def _load(name: str, fallback: str = "reference") -> Any:
    """A kernel if it is there as compiled code, else the references. An uncompiled kernel file must never run."""
    spec = importlib.util.find_spec(f"germane.kernels.{name}")
    # The kernels read eight bytes as one little-endian word.
    if spec is not None and (spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES)) and sys.byteorder == "little":
        module = importlib.import_module(f"germane.kernels.{name}")
        if module.COMPILED:
            return module
    return importlib.import_module(f"germane.kernels.{fallback}")


_scan = _load("_scan")
Matcher: type[reference.Matcher] = _scan.Matcher
TableReader: type[reference.TableReader] = _scan.TableReader
gather_lines: Callable[[Any, Any, bytearray, int, int], tuple[int, int]] = _scan.gather_lines

_ids = _load("_ids")
decimal_text: Callable[[npt.NDArray[np.int64]], reference.Text] = _ids.decimal_text
unpadded: Callable[[npt.NDArray[np.uint8]], reference.Text] = _ids.unpadded
changes: Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int64]], npt.NDArray[np.bool_]] = _ids.changes
row_changes: Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.bool_]] = _ids.row_changes
hashes: Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int64]], npt.NDArray[np.uint64]] = _ids.hashes
places_in_order: Callable[
    [npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int64]],
    npt.NDArray[np.int64],
] = _ids.places_in_order

_sort = _load("_sort", "reference_sort")
score_range: Callable[[npt.NDArray[Any]], tuple[int, int, int]] = _sort.score_range
count_keys: Callable[[npt.NDArray[Any], reference_sort.Truth, int, int, reference_sort.Counts], None] = _sort.count_keys
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
] = _sort.place_keys
sort_bucket: Callable[
    [reference_sort.Keys, reference_sort.Keys, int, int, int, reference_sort.Counts, reference_sort.Counts], int
] = _sort.sort_bucket
twice_area: Callable[[reference_sort.Counts, reference_sort.Counts], int] = _sort.twice_area
add_to_histogram: Callable[
    [npt.NDArray[Any], reference_sort.Truth, npt.NDArray[np.float64], reference_sort.Counts, reference_sort.Counts], int
] = _sort.add_to_histogram

_labels = _load("_labels", "reference_labels")
count_pairs: Callable[[reference_labels.Rows, reference_labels.Rows, int, int, reference_labels.Rows], int]
count_pairs = _labels.count_pairs
encode_rows: Callable[[npt.NDArray[np.uint8], int], tuple[reference_labels.Codes, reference_labels.Rows]]
encode_rows = _labels.encode_rows
encode_objects: Callable[[list[Any]], tuple[reference_labels.Codes, reference_labels.Rows]] = _labels.encode_objects

_draws = _load("_draws", "reference_draws")
multinomial_counts: Callable[[npt.NDArray[np.int64], int, npt.NDArray[np.uint64]], npt.NDArray[np.int64]]
multinomial_counts = _draws.multinomial_counts

_words = _load("_words", "reference_words")
WordReader: type[reference_words.WordReader] = _words.WordReader
used_words: Callable[[reference_words.Codes, int], npt.NDArray[np.bool_]] = _words.used_words
count_terms: Callable[..., tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Any, npt.NDArray[np.int32]]]
count_terms = _words.count_terms
transposed: Callable[..., tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Any]] = _words.transposed
place_positions: Callable[..., int] = _words.place_positions

_postings = _load("_postings", "reference_postings")
top_k_many: Callable[..., reference_postings.Rankings] = _postings.top_k_many
score_documents: Callable[..., npt.NDArray[np.float64]] = _postings.score_documents
contributions: Callable[..., npt.NDArray[np.float64]] = _postings.contributions
root_sums_of_squares: Callable[..., npt.NDArray[np.float64]] = _postings.root_sums_of_squares

_pairs = _load("_pairs", "reference_pairs")
hinge_sums: Callable[..., tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64]]] = _pairs.hinge_sums
pair_differences: Callable[..., npt.NDArray[np.float64]] = _pairs.pair_differences

_vectors = _load("_vectors", "reference_vectors")
squared_norms: Callable[[npt.NDArray[Any], npt.NDArray[np.float64]], None] = _vectors.squared_norms
pair_sums: Callable[..., None] = _vectors.pair_sums
count_block: Callable[..., None] = _vectors.count_block

_KERNELS = (_scan, _ids, _sort, _labels, _draws, _words, _postings, _pairs, _vectors)
ALL_COMPILED: bool = all(kernel.COMPILED for kernel in _KERNELS)
IN_USE = "compiled kernels" if ALL_COMPILED else "reference kernels: no compiled extension"
"""What `germane --version` says of them."""
