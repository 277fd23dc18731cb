"""Sets of labels as text: the labels of an item with a separator between them, a hyphen for the empty set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from germane.errors import GermaneError
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.label_matrices import wrong_labels

SEPARATOR = ";"
"""Usual separator between the labels of a set."""
OTHER_SEPARATORS = (";", ",", "|", "/", "+", "&", " ")
"""Separators that are looked for where the usual one does not occur."""
EMPTY = ("", "-")
"""Text of the empty set."""


def sets_of_text(column: Iterable[object], separator: str = SEPARATOR) -> list[set[Label]]:
    """Return the labels of each item; white space around a label is ignored, and so is a label that is repeated.

    >>> [sorted(each) for each in sets_of_text(["b; a", "-", "a", ""])]
    [['a', 'b'], [], ['a'], []]
    """
    texts = [str(text) for text in column]
    known = {text: _split(text, separator) for text in dict.fromkeys(texts)}
    return [known[text] for text in texts]


def require_separator(separator: str) -> None:
    """Refuse a separator that could not separate anything."""
    if not separator or separator == "-":
        raise GermaneError(f"expected text between labels as separator, found {separator!r}", hint="for example ';'")


def require_usual_separator(columns: Mapping[str, Sequence[object]]) -> None:
    """Refuse columns of text without the usual separator in which another one evidently separates labels.

    A separator is evident if some text consists of parts by it that all occur in another text too, such as ``red,blue``
    beside ``red`` and ``blue,green``. Labels of several words are common, so a space is evident only if that holds for
    every text with one.

    >>> require_usual_separator({"truth": ["a,b", "a"], "predicted": ["b", "-"]})
    Traceback (most recent call last):
    germane.errors.InputError: label sets: expected ';' between labels, found none, but ',' as in 'a,b' (truth)
    Hint: use `separator=','` to split there, or `separator=';'` if these are whole labels
    """
    texts = {str(text).strip(): name for name, column in columns.items() for text in column}
    if any(SEPARATOR in text for text in texts):
        return
    for other in OTHER_SEPARATORS:
        split = {text: _split(text, other) for text in texts}
        occurs = Counter(part for parts in split.values() for part in parts)
        several = {text: parts for text, parts in split.items() if len(parts) > 1}
        shared = [text for text, parts in several.items() if all(occurs[part] > 1 for part in parts)]
        if shared and (other != " " or len(shared) == len(several)):
            text = min(shared)
            problem = f"expected {SEPARATOR!r} between labels, found none, but {other!r} as in {text!r} ({texts[text]})"
            hint = f"use `separator={other!r}` to split there, or `separator={SEPARATOR!r}` if these are whole labels"
            raise wrong_labels(problem, hint)


def _split(text: str, separator: str) -> set[Label]:
    return set[Label](part.strip() for part in text.split(separator)).difference(EMPTY)
