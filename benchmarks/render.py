"""results.json as the README shows it: one table between two markers."""

from __future__ import annotations

from benchmarks.results import QUIET, Part, Results, Row

BEGIN, END = "<!-- benchmarks -->", "<!-- /benchmarks -->"


def render(results: Results) -> str:
    """The table, and under it what it was measured on."""
    lines = ["| | time | peak memory | in comparison |", "| :-- | --: | --: | --: |"]
    for part in results.parts.values():
        lines.append(f"| **{part.title}** | | | |")
        lines += [_line(part, row) for row in part.rows]
    return "\n".join([*lines, "", _measured_on(results)]) + "\n"


def replace_table(text: str, table: str) -> str | None:
    """A text with the table between its markers, or None if it has no markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{table}{end}{after}" if begin and end else None


def table_in(text: str) -> str | None:
    """What stands between the markers, or None if there are none."""
    _, begin, rest = text.partition(BEGIN)
    table, end, _ = rest.partition(END)
    return table.removeprefix("\n") if begin and end else None


def _line(part: Part, row: Row) -> str:
    other = part.rows[0] if row.against is None else part.row(row.against)
    if row.lines is not None:
        comparison = f"{row.seconds / row.lines * 1e6:.3f} s per million lines"
    elif other is None or row is other:
        comparison = ""
    else:
        comparison = _times(row.seconds / other.seconds)
    files = "" if row.disk_mb is None else f", {_megabytes(row.disk_mb)} on disk"
    return f"| {row.label}{files} | {_seconds(row.seconds)} | {_megabytes(row.peak_mb)} | {comparison} |"


def _times(ratio: float) -> str:
    """How much slower or faster than the first row, to two digits."""
    if ratio >= 1:
        return f"{_two_digits(ratio)} × slower"
    return f"{_two_digits(1 / ratio)} × faster"


def _two_digits(number: float) -> str:
    return f"{number:.1f}" if number < 9.95 else f"{number:.0f}"


def _seconds(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def _megabytes(megabytes: float | None) -> str:
    if megabytes is None:
        return ""
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"


def _measured_on(results: Results) -> str:
    machine = results.machine
    versions = ", ".join(f"{library} {version}" for library, version in machine["versions"].items())
    dates = sorted({part.date for part in results.parts.values()})
    sentences = [
        "Within a part, each row is compared with the first.",
        *_in_pairs(results),
        "AP, nDCG@10, RR and R@1000, the same values from every tool.",
        *_starting(results),
        f"Best of several turns, on {machine['cores_used']} cores ({machine['processor']}, {machine['system']}),",
        f"Python {machine['python']}, {versions}; {' to '.join(dict.fromkeys(dates[:1] + dates[-1:]))}.",
        *_disturbed(results),
        "`make bench` measures again.",
    ]
    return "\n".join(sentences)


def _in_pairs(results: Results) -> list[str]:
    """Where rows are not compared with the first."""
    titles = [part.title for part in results.parts.values() if any(row.against for row in part.rows)]
    return [f"Under “{title}”, each row is compared with that of germane above it." for title in titles]


def _disturbed(results: Results) -> list[str]:
    """Whether the machine had other things to do."""
    busiest = max((part.busy_share or 0 for part in results.parts.values()), default=0)
    if busiest <= QUIET:
        return []
    return [f"Other processes used up to {busiest:.0%} of the machine, so the times are only indicative."]


def _starting(results: Results) -> list[str]:
    """How much of the time on a file is spent before there is anything to do."""
    rows = results.parts["files"].rows if "files" in results.parts else []
    starts = [f"{row.label} {_seconds(row.start)}" for row in rows if row.start is not None]
    return [f"Of the time for a file, starting up (the same on 2,000 lines) is: {', '.join(starts)}."] if starts else []
