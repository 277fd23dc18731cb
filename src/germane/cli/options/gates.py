"""Gates: limits that results are held against, as in `--fail-under nDCG@10=.45`. A missed one sets exit status 1."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence

import click

from germane.cli.options.vocabulary import choice, shared, together
from germane.errors import GermaneError

MOST_DIGITS = 17

fail_under_option = shared("--fail-under", "gates", multiple=True)
gate_options = together(
    fail_under_option,
    choice(
        "--gate",
        "What --fail-under looks at: the value, or the worse end of its interval. That end of a two-sided 95% "
        "interval is a one-sided bound at 97.5%.",
        ["value", "lower"],
    ),
)


def parse_limit(text: str, such_as: str) -> tuple[str, float]:
    """What is measured, as it was written, and its limit; 45% is .45.

    >>> parse_limit("nDCG@10=.45", "AP=.3")
    ('nDCG@10', 0.45)
    """
    match = re.fullmatch(r"(.+)=([-+.\deE]+)(%?)", text)
    try:
        if match is None:
            raise ValueError
        return match[1], float(match[2]) / (100 if match[3] else 1)
    except ValueError:
        raise GermaneError(f"expected --fail-under MEASURE=VALUE such as {such_as}, found {text!r}") from None


def require_no_percentages(texts: Sequence[str]) -> None:
    """Refuse a limit in percent where it is a difference: of what is lost, or of what there was?

    >>> require_no_percentages(["nDCG@10=-.05"])
    """
    for text in texts:
        if text.endswith("%"):
            measure, limit = parse_limit(text, "nDCG@10=-.02")
            found = text.removeprefix(f"{measure}=")
            raise GermaneError(
                f"--fail-under {measure}: expected a number such as -.05 for a difference, found {found!r}",
                hint=f"{measure}={limit:g} is a difference of {limit:g} in the measure itself, "
                "whatever the old value; a share of the old value cannot be asked for",
            )


def worse_end(
    what: str, value: float, low: float, high: float, *, lower_is_better: bool, why: str, hint: str
) -> tuple[float, str]:
    """The end of an interval at which things look worse, and what it is called; that there is none is an error.

    `why` says why there may be none, and `hint` what to do then.
    """
    end, called = (high, "upper end") if lower_is_better else (low, "lower end")
    if math.isnan(end) and not math.isnan(value):
        raise GermaneError(f"{what} has no interval{f' ({why})' if why else ''}", hint=hint)
    return end, called


def missed(whose: str, what: str, value: float, limit: float, *, lower_is_better: bool) -> list[str]:
    """A line if a value is worse than its limit, or not defined; otherwise none.

    >>> missed("bm25", "AP", 0.4, 0.45, lower_is_better=False)
    ['bm25: AP is 0.4000, under 0.45']
    """
    if value <= limit if lower_is_better else value >= limit:
        return []
    # What was missed by a hair must not be printed as if it had been kept.
    digits = next((n for n in range(4, MOST_DIGITS) if round(value, n) != limit), MOST_DIGITS)
    return [f"{whose}: {what} is {value:.{digits}f}, {'above' if lower_is_better else 'under'} {limit:g}"]


def require_limits(limits: Sequence[object], gate: str) -> None:
    """An option that would do nothing is an error."""
    if gate != "value" and not limits:
        raise GermaneError(f"--gate {gate} says how limits are meant, and there is none", hint="name one: --fail-under")


def exit_if_missed(lines: Sequence[str]) -> None:
    """Say which limits were missed, and exit with status 1 if any was."""
    for line in lines:
        click.echo(f"germane: {line}", err=True)
    if lines:
        sys.exit(1)
