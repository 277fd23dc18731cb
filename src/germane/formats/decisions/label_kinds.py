"""Whether the labels of a table are numbers, truth values or words: decided for all its columns of labels together.

Fields of a text file become numbers only if all of them are: true and predicted labels are considered together, so that
``1`` is the same label in both. In the same way ``True``, ``TRUE`` and ``true`` are one label only if no column has a
label other than true and false: a Boolean, as in files that have such a type. A code such as ``007`` stays text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any

import numpy as np

from germane.errors import InputError
from germane.formats.decisions.coded_columns import Coded, CodedText, coded_column, is_truth_array
from germane.formats.decisions.labelled_values import DECIMAL_COMMA, Where, with_point
from germane.formats.decisions.missing_values import MISSING, MISSING_AMONG_VALUES, is_missing
from germane.tables.columns.ids import BoolArray
from germane.tables.notes.note import Note

NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
TRUTH = {"true": True, "false": False}
"""The spellings of truth values; letter case is ignored."""
DIGITS = {"1": True, "0": False}
"""How a column beside one of truth values may write them."""
Read = tuple[dict[str, Any], dict[str, BoolArray]]
"""Columns of labels, and for each which rows have none."""


class LabelKind:
    """Whether labels are numbers, truth values or words, as decided by the first rows read; with notes on both."""

    def __init__(self, decimal: str = ".", kind: str | None = None) -> None:
        self.kind = kind
        """One of "numbers", "truth" and "words"; None as long as no label was read."""
        self._decimal = decimal
        self._spellings: set[str] = set()
        self._like_missing: set[str] = set()
        self._like_numbers: set[str] = set()

    def notes(self) -> list[Note]:
        """Return the notes on labels that were taken together, and on those that look like something else."""
        found = []
        if self._spellings - {"True", "False"}:
            what = "of true and false are treated as the labels True and False"
            found.append(_note("truth-valued", f"{len(self._spellings)} spellings", what, self._spellings))
        if self._like_missing:
            what = "treated as a label, not as a missing value; empty these cells if they have no label"
            found.append(_note("like-missing", " and ".join(map(repr, sorted(self._like_missing))), what, ()))
        if self._like_numbers:
            shown = sorted(self._like_numbers)
            what = "treated as text, not as numbers with a decimal comma, because other labels are words"
            found.append(_note("like-decimals", " and ".join(map(repr, shown[:3])), what, shown[3:]))
        return found

    def of_text(self, columns: Mapping[str, list[str] | CodedText], where: Where) -> Read:
        """Convert columns of text fields: arrays of numbers or truth values if every label is one, else lists."""
        coded = {name: CodedText.of(column) for name, column in columns.items()}
        distinct = {name: column.distinct() for name, column in coded.items()}
        present = {name: _without(fields.values(), MISSING_AMONG_VALUES) for name, fields in distinct.items()}
        kind = self._settled(self._kind_of_text(present), {label for labels in present.values() for label in labels})
        absent = self._absent(coded, distinct)
        fields = {name: _without(its.values(), MISSING) for name, its in distinct.items()}
        if kind == "words":
            self._require_decimals(coded, distinct, present, where)
            self._remember_words({label for labels in fields.values() for label in labels})
            texts = {
                name: column.replaced([value.strip() for value in column.values]) for name, column in coded.items()
            }
            return texts, absent
        for name, labels in present.items():
            if wrong := {label for label in labels if not self._fits(label)}:
                raise self._late_word(coded[name], name, wrong, where)
        # A field that does not occur in these rows may be any text.
        if kind == "truth":
            self._spellings |= {label for labels in present.values() for label in labels}
            known: dict[str, Any] = {label: (TRUTH | DIGITS)[label.lower()] for label in self._spellings}
            dtype: Any = np.bool_
        else:
            whole = all(INTEGER.fullmatch(label) for labels in present.values() for label in labels)
            known = {label: self._number(label, whole=whole) for labels in present.values() for label in labels}
            dtype = np.int64 if whole else np.float64
        return {name: column.mapped(lambda field: known.get(field, 0), dtype) for name, column in coded.items()}, absent

    def of_values(self, columns: Mapping[str, Any], where: Where) -> Read:
        """Check typed columns (NumPy, Arrow, lists): text that is true or false everywhere becomes truth values."""
        coded: dict[str, Coded] = {}
        found: dict[str, Any] = {}
        absent: dict[str, BoolArray] = {}
        for name, column in columns.items():
            found[name], codes, absent[name] = coded_column(column, name, where)
            if codes is not None:
                coded[name] = codes
        present = {name: _present(each) for name, each in coded.items()}
        values = [value for its in present.values() for value in its]
        others = [found[name] for name in columns if name not in coded]
        kind = self._settled(_kind_of_values(present, others), values or others)
        words = MISSING if kind == "words" else MISSING_AMONG_VALUES
        for name, codes in coded.items():
            absent[name] = codes.rows_of(lambda value: is_missing(value) or _lower(value) in words)
            if kind == "words":
                self._remember_words({value.strip() for value in codes.values if isinstance(value, str)} - {""})
            if kind == "truth" and any(isinstance(value, str) for value in present[name]):
                self._spellings |= {str(value).strip() for value in present[name]}
                if wrong := [value for value in present[name] if _lower(value) not in TRUTH]:
                    raise self._late_truth(name, wrong[0], codes.first_row(wrong[0]), where)
                found[name] = codes.mapped(lambda value: _lower(value) == "true")
        return found, absent

    def _settled(self, kind: str, labels: Collection[Any]) -> str:
        """Return the kind of the labels of the first rows, or this one, which is kept if there is any label."""
        if self.kind is None and len(labels):
            self.kind = kind
        return self.kind or kind

    def _kind_of_text(self, present: Mapping[str, Set[str]]) -> str:
        labels = {label for its in present.values() for label in its}
        if labels and all(map(self._is_number, labels)):
            return "numbers"
        truths = [all(label.lower() in TRUTH for label in its) for its in present.values() if its]
        digits = [its <= DIGITS.keys() for its in present.values() if its]
        are_truth = any(truths) and all(a or b for a, b in zip(truths, digits, strict=True))
        return "truth" if are_truth else "words"

    def _absent(
        self, coded: Mapping[str, CodedText], distinct: Mapping[str, Mapping[str, str]]
    ) -> dict[str, BoolArray]:
        words = MISSING_AMONG_VALUES if self.kind in ("numbers", "truth") else MISSING
        fields = {name: {f for f, label in its.items() if label.lower() in words} for name, its in distinct.items()}
        return {name: column.rows_of(fields[name]) for name, column in coded.items()}

    def _is_number(self, label: str) -> bool:
        return is_label_number(label if self._decimal == "." else with_point(label))

    def _number(self, label: str, *, whole: bool) -> float:
        return int(label) if whole else float(label if self._decimal == "." else with_point(label))

    def _fits(self, label: str) -> bool:
        return self._is_number(label) if self.kind == "numbers" else label.lower() in TRUTH or label in DIGITS

    def _require_decimals(
        self,
        coded: Mapping[str, CodedText],
        distinct: Mapping[str, Mapping[str, str]],
        present: Mapping[str, Set[str]],
        where: Where,
    ) -> None:
        """Refuse columns of numbers with a decimal comma, and text that is not UTF-8."""
        for name, labels in present.items():
            commas = {label for label in labels if DECIMAL_COMMA.fullmatch(label)}
            if commas and self._decimal == "." and all(label in commas or is_label_number(label) for label in labels):
                row = coded[name].first_row({field for field, label in distinct[name].items() if label in commas})
                problem = (
                    f"expected labels in column {name!r}, found {coded[name].label_at(row)!r}, a number with a comma"
                )
                raise where.error(row, problem, 'use `decimal=","`, or write such labels with another character')
            if damaged := {field for field, label in distinct[name].items() if not is_utf8(label)}:
                row = coded[name].first_row(damaged)
                problem = f"expected UTF-8 text in column {name!r}, found {coded[name].label_at(row)!r}"
                raise where.error(row, problem, encoding_hint(coded[name].label_at(row)))
            self._like_numbers |= commas

    def _remember_words(self, labels: Set[str]) -> None:
        self._like_missing |= {label for label in labels if label.lower() in MISSING_AMONG_VALUES - MISSING}

    def _late_word(self, column: CodedText, name: str, wrong: Set[str], where: Where) -> InputError:
        row = column.first_row({value for value in column.values if value.strip() in wrong})
        found = column.label_at(row)
        if self.kind == "truth":
            return self._late_truth(name, found, row, where)
        problem = f"expected a number in column {name!r}, as in all previous rows, found {found!r}"
        return where.error(row, problem, "use only numbers or only text as labels, or read all rows at once")

    def _late_truth(self, name: str, found: object, row: int, where: Where) -> InputError:
        problem = f"expected true or false in column {name!r}, as in all previous rows, found {found!r}"
        hint = "use only true and false as labels, or other words from the first row on, or read all rows at once"
        return where.error(row, problem, hint)


def is_label_number(text: str) -> bool:
    """Return whether a label is a number, and not a code that only looks like one.

    >>> [is_label_number(text) for text in ("1", "-0.5", "1e3", "007", "cat", "1" * 100_000 + "x")]
    [True, True, True, False, False, False]
    >>> is_label_number("12345678901234567890")
    False
    """
    if not NUMBER.fullmatch(text):
        return False
    return not text.lstrip("+-").isdecimal() or INTEGER.fullmatch(text) is not None


def is_utf8(text: str) -> bool:
    """Return whether a text was read from valid UTF-8; other bytes are kept as surrogates."""
    return text.isascii() or not any("\udc80" <= one <= "\udcff" for one in text)


def encoding_hint(text: str) -> str:
    """Return how to read a text whose bytes are not UTF-8.

    >>> encoding_hint(b"caf\\xe9".decode("utf-8", "surrogateescape"))
    'use `encoding="cp1252"` if it should be \\'café\\', or save the file as UTF-8'
    """
    data = text.encode("utf-8", "surrogateescape")
    for encoding in ("cp1252", "latin-1"):
        try:
            return f'use `encoding="{encoding}"` if it should be {data.decode(encoding)!r}, or save the file as UTF-8'
        except UnicodeDecodeError:
            continue
    raise AssertionError("every byte is a character of latin-1")


def _note(code: str, amount: str, what: str, examples: Iterable[str]) -> Note:
    shown = tuple(sorted(examples))
    return Note(code, amount, what, count=len(shown) or None, examples=shown[:6])


def _without(labels: Iterable[str], words: Set[str]) -> set[str]:
    return {label for label in labels if label.lower() not in words}


def _lower(value: Any) -> str | None:
    """Return a text or a truth value in lower case, and None for anything else."""
    return str(value).strip().lower() if isinstance(value, str | bool | np.bool_) else None


def _present(column: Coded) -> list[Any]:
    """Return the values that occur and are not missing, whatever the others are."""
    return [value for value in column.distinct() if not is_missing(value) and _lower(value) not in MISSING_AMONG_VALUES]


def _kind_of_values(present: Mapping[str, list[Any]], others: Iterable[Any]) -> str:
    """Return the kind of typed labels: that of text, as long as no text is anything but true and false."""
    texts = {name: any(isinstance(value, str | bytes) for value in values) for name, values in present.items()}
    others = list(others)
    if not any(texts.values()):
        return "numbers" if others or any(present.values()) else "words"
    for name, values in present.items():
        fits = all(_lower(value) in TRUTH for value in values) if texts[name] else all(_is_binary(v) for v in values)
        if not fits:
            return "words"
    return "truth" if all(map(is_truth_array, others)) else "words"


def _is_binary(value: Any) -> bool:
    return not isinstance(value, str | bytes) and value in (0, 1)
