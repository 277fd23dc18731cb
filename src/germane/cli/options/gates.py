"""Gates: limits on results, such as `--fail-under nDCG@10=0.45`. A missed limit sets exit status 1."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence

from germane.cli.options.vocabulary import choice, shared, together
from germane.errors import GermaneError
from germane.output.rendering.messages import print_message

MOST_DIGITS = 17

fail_under_option = shared("--fail-under", "gates", multiple=True)
gate_options = together(
    fail_under_option,
    choice(
        "--gate",
        "What --fail-under checks: the value, or the worse end of its interval (a one-sided 97.5% bound for 95%).",
        ["value", "lower"],
    ),
)


def parse_limit(text: str, such_as: str) -> tuple[str, float]:
    """Split a limit into the measure, as written, and the number; 45% is 0.45.

    >>> parse_limit("nDCG@10=0.45", "AP=0.3")
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
    """Refuse a limit in percent for a difference, where the percentage could mean points or a share of the old value.

    >>> require_no_percentages(["nDCG@10=-0.05"])
    """
    for text in texts:
        if text.endswith("%"):
            measure, limit = parse_limit(text, "nDCG@10=-0.02")
            found = text.removeprefix(f"{measure}=")
            raise GermaneError(
                f"--fail-under {measure}: expected a number such as -0.05 for a difference, found {found!r}",
                hint=f"use {measure}={limit:g} for a difference of {limit:g} in the measure itself; "
                "limits relative to the old value are not supported",
            )


def worse_end(
    what: str, value: float, low: float, high: float, *, lower_is_better: bool, why: str, hint: str
) -> tuple[float, str]:
    """Return the worse end of an interval and its name; a value without an interval is an error.

    `why` says why the interval may be missing, and `hint` what to do then.
    """
    end, called = (high, "upper end") if lower_is_better else (low, "lower end")
    if math.isnan(end) and not math.isnan(value):
        raise GermaneError(f"{what} has no interval{f' ({why})' if why else ''}", hint=hint)
    return end, called


def missed(whose: str, what: str, value: float, limit: float, *, lower_is_better: bool) -> list[str]:
    """Return a line if a value is worse than its limit, or undefined; otherwise nothing.

    >>> missed("bm25", "AP", 0.4, 0.45, lower_is_better=False)
    ['bm25: AP is 0.4000, below 0.45']
    """
    if value <= limit if lower_is_better else value >= limit:
        return []
    # A value that misses its limit narrowly must not be rounded to the limit.
    digits = next((n for n in range(4, MOST_DIGITS) if round(value, n) != limit), MOST_DIGITS)
    return [f"{whose}: {what} is {value:.{digits}f}, {'above' if lower_is_better else 'below'} {limit:g}"]


def require_limits(limits: Sequence[object], gate: str) -> None:
    """Refuse --gate without a limit, which would have no effect."""
    if gate != "value" and not limits:
        raise GermaneError("--gate requires --fail-under", hint="add --fail-under MEASURE=VALUE")


def exit_if_missed(lines: Sequence[str]) -> None:
    """Print the missed limits, and exit with status 1 if there are any."""
    for line in lines:
        print_message(f"germane: {line}")
    if lines:
        sys.exit(1)
