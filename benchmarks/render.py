"""Render results.json: in full in docs/explanation/speed.md, the headlines in README.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.bars import check
from benchmarks.results import QUIET, Part, Results, Row

BEGIN, END = "<!-- benchmarks -->", "<!-- /benchmarks -->"
HEADLINES = [
    # part, row of germane, row of another, what germane does, what the other is
    ("files", "germane", "pytrec_eval", "{title}", "pytrec_eval"),
    ("files", "germane", "ir_measures", "the same file", "ir_measures"),
    ("files", "germane", "ranx", "the same file", "ranx"),
    ("trec_eval", "two germane", "two trec_eval", "the same file, `germane trec_eval`", "trec_eval"),
    ("parquet", "germane", "polars", "the same run as Parquet", "polars, ranking only"),
    ("many runs", "two cores", "pytrec_eval", "{title}", "pytrec_eval, run by run"),
    ("memory", "dicts", "pytrec_eval", "{title}, as dicts", "pytrec_eval"),
    ("randomisation", "randomisation germane", "randomisation scipy", "{title}", "scipy"),
    ("bootstrap", "bca germane", "bca scipy by mean", "{title}", "scipy"),
    ("classify", "auc germane", "auc sklearn", "{label}", "scikit-learn"),
    ("classify", "objects germane", "objects sklearn", "{label}", "scikit-learn"),
    ("retrieval", "build germane", "build bm25s", "{label} of {title}", "bm25s"),
    ("retrieval", "k10 germane", "k10 bm25s", "{label} of them", "bm25s"),
    ("learning", "C=1 germane", "C=1 sklearn", "{label}", "scikit-learn, on pairs"),
    ("vectors", "50 judged", "sort", "{title}, exact ranks of 50 judged documents each", "NumPy, a full sort"),
]
"""Headlines for the README: common tasks, against the usual tool."""


def render(results: Results) -> str:
    """Return a section for each part with the command that measures it, then the targets and the machine."""
    sections = [_section(part) for part in results.parts.values()]
    return "\n".join([*sections, _promises(results), "## Measured on", "", _measured_on(results)]) + "\n"


def render_gist(results: Results) -> str:
    """One line for each headline whose rows were measured."""
    lines = ["| | germane | | |", "| :-- | --: | :-- | --: |"]
    for part_name, ours_name, theirs_name, work, tool in HEADLINES:
        part = results.parts.get(part_name)
        ours, theirs = (part.row(ours_name), part.row(theirs_name)) if part else (None, None)
        if part and ours and theirs:
            ratio = _two_digits(theirs.seconds / ours.seconds)
            label = ours.label.removeprefix("germane, ")
            what = work.format(title=part.title.partition(":")[0], label=label)
            lines.append(f"| {what} | {_seconds(ours.seconds)} | {tool}: {_seconds(theirs.seconds)} | **{ratio} ×** |")
    return "\n".join(lines) + "\n"


PAGES: dict[str, Callable[[Results], str]] = {"README.md": render_gist, "docs/explanation/speed.md": render}
"""Function that renders the results for each page."""


def write_tables(results: Results, root: Path) -> None:
    """Write the results between the markers of each page."""
    for name, rendered in PAGES.items():
        page = root / name
        text = replace_table(page.read_text(encoding="utf-8"), rendered(results))
        if text is None:
            raise SystemExit(f"{name}: expected {BEGIN} and {END}, between which the figures go")
        page.write_text(text, encoding="utf-8")


def replace_table(text: str, table: str) -> str | None:
    """A text with the table between its markers, or None if it has no markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{table}{end}{after}" if begin and end else None


def table_in(text: str) -> str | None:
    """Return the text between the markers, or None if there are none."""
    _, begin, rest = text.partition(BEGIN)
    table, end, _ = rest.partition(END)
    return table.removeprefix("\n") if begin and end else None


def _section(part: Part) -> str:
    lines = [f"## {part.title}", "", "| | time | peak memory | in comparison |", "| :-- | --: | --: | --: |"]
    lines += [_line(part, row) for row in part.rows]
    return "\n".join([*lines, "", f"{part.date}: `{part.command}`", ""])


def _promises(results: Results) -> str:
    lines = ["## What is promised", "", "| | found | promised | |", "| :-- | --: | --: | :-- |"]
    for bar, found in check(results):
        verdict = "" if bar.is_met_by(found) else "**missed**"
        lines.append(f"| {bar.part}: {bar.what} | {found:.2f} | {bar.limit} {bar.value:g} | {verdict} |")
    return "\n".join([*lines, ""])


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
    """Return how much slower or faster it is than the first row, to two digits."""
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
        "Within a part, each row is compared with the first;",
        "where rows come in groups, with that of germane above it.",
        "AP, nDCG@10, RR and R@1000, the same values from every tool.",
        *_starting(results),
        f"Best of several turns, on {machine['cores_used']} cores ({machine['processor']}, {machine['system']}),",
        f"Python {machine['python']}, {versions}; {' to '.join(dict.fromkeys(dates[:1] + dates[-1:]))}.",
        *_disturbed(results),
        "`make bench` measures all of it again.",
    ]
    return "\n".join(sentences)


def _disturbed(results: Results) -> list[str]:
    """Whether the machine was busy with other work."""
    busiest = max((part.busy_share or 0 for part in results.parts.values()), default=0)
    if busiest <= QUIET:
        return []
    return [f"Other processes used up to {busiest:.0%} of the machine, so the times are only indicative."]


def _starting(results: Results) -> list[str]:
    """Return the share of the time on a file that is start-up."""
    rows = results.parts["files"].rows if "files" in results.parts else []
    starts = [f"{row.label} {_seconds(row.start)}" for row in rows if row.start is not None]
    return [f"Of the time for a file, starting up (the same on 2,000 lines) is: {', '.join(starts)}."] if starts else []
