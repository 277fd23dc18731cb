"""Find the positive label: as given, or inferred from well-known pairs; an error otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from germane.errors import GermaneError, did_you_mean
from germane.tables.decisions.confusion import Label
from germane.tables.notes.note import Note

WORDS = (
    ("yes", "no"),
    ("true", "false"),
    ("positive", "negative"),
    ("pos", "neg"),
    ("p", "n"),
    ("y", "n"),
    ("t", "f"),
)
"""Well-known pairs of labels, in lower case; letter case is ignored."""

NUMBERS = ((1.0, 0.0), (1.0, -1.0))


def positive_label(labels: Sequence[Label], asked: Label | None = None) -> tuple[Label | None, Note | None]:
    """Return the positive label among those that occur, and a note if it was inferred from words.

    The label in `asked` must occur; from the command line it comes as text, and ``"1"`` finds the number 1. Without it,
    the greater one of {0, 1}, {-1, 1} and {False, True} is positive, and the well-known one of pairs such as yes / no.
    Any other two labels are an error. With three labels or more, or where only the negative one of a known pair occurs,
    the result is None.

    >>> positive_label([0, 1]), positive_label([0, 1], "0")[0]
    ((1, None), 0)
    >>> label, note = positive_label(["No", "Yes"])
    >>> label, note.message
    ('Yes', "using 'Yes' as positive label, 'No' as negative (change with --positive)")
    """
    if asked is not None:
        return label_asked_for(labels, asked, "the positive label {!r} does not occur"), None
    if len(labels) > 2:
        return None, None
    numbers = [_number(label) for label in labels]
    for pair in NUMBERS:
        if numbers and set(numbers) <= set(pair):
            return (labels[numbers.index(1.0)] if 1.0 in numbers else None), None
    words = [str(label).strip().casefold() for label in labels]
    for yes, no in WORDS:
        if words and set(words) <= {yes, no}:
            if yes not in words:
                return None, None
            label = labels[words.index(yes)]
            other = "".join(f", {rest!r} as negative" for rest in labels if rest != label)
            what = f"using {label!r} as positive label{other} (change with --positive)"
            return label, Note("positive-label", "", what)
    listed = " and ".join(map(repr, labels)) or "none"
    hint = f"for example `positive={labels[-1]!r}`" if labels else None
    raise GermaneError(f"cannot tell which label is positive: {listed}", hint=hint)


def positive_if_known(labels: Sequence[Label], asked: Label | None = None) -> tuple[Label | None, Note | None]:
    """Return the positive label as `positive_label` does, but None where it cannot be inferred."""
    try:
        return positive_label(labels, asked)
    except GermaneError:
        if asked is not None:
            raise
        return None, None


def label_asked_for(labels: Sequence[Label], asked: Label, problem: str = "unknown class {!r}") -> Label:
    """Return the label of the data that was asked for: on a command line ``1`` is text, in the data a number.

    >>> label_asked_for([0, 1], "1"), label_asked_for(["cat", "dog"], "dog"), label_asked_for([False, True], "true")
    (1, 'dog', True)
    """
    for label in labels:
        if label == asked and isinstance(label, str) == isinstance(asked, str):
            return label
    number = _number(asked)
    for label in labels:
        same_text = str(label) == str(asked)
        same_truth = isinstance(label, bool) and str(label).casefold() == str(asked).casefold()
        if same_text or same_truth or (number is not None and number == _number(label)):
            return label
    known = [str(label) for label in labels]
    hint = f"choose from {', '.join(known[:20])}{', …' if len(known) > 20 else ''}"
    raise GermaneError(f"{problem.format(asked)}{did_you_mean(str(asked), known)}", hint=hint)


def _number(label: Label) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None
