"""``docs/reference/formats.md``: every format that is read or written, with an example and what is refused."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from docs.reference_pages.file_formats import FAMILIES, FileFormat
from docs.reference_pages.markdown import GENERATED, escaped
from germane.errors import GermaneError
from germane.formats.files.sources import COMPRESSIONS
from germane.formats.rankings.detect import FORMATS
from germane.formats.rankings.entry import Format
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

RUN = {"Q1": {"d1": 2.5, "d2": 1.0}, "Q2": {"d3": 0.5}}
JUDGED = {"Q1": {"d1": 1, "d2": 0}, "Q2": {"d3": 2}}
INTRO = f"""\
The file formats that germane reads and writes, with a small example of each. The tests read every example, and the
error messages for rejected files are real.

All of them may be compressed ({", ".join(f"`.{name}`" for name in COMPRESSIONS)}): detected from the first bytes when
reading, chosen by the extension when writing. `-` is standard input or output. Text is UTF-8, with or without a byte
order mark; lines may end as on Windows. A file is read as it is or rejected, never repaired. `germane check` shows the
detected format of a file and everything that is wrong with it.

For germane's own JSON formats see [JSON output](json.md); for indexes and engines, [Retrieval](retrieval.md); for
models, agents, splits and journals, [Learning](learning.md).
"""
BINARY = ("parquet", "orc", "arrow")
"""Formats of runs and judgments that cannot be shown as text."""
HELD = {
    "score": "scores",
    "rank": "ranks",
    "tag": "the tag",
    "groups": "subtopics",
    "empty queries": "queries without documents",
    "scale": "the highest grade of the scale",
    "collection size": "the size of the collection",
    "sampling": "strata and inclusion probabilities",
}


def formats_page() -> str:
    """Every format with an example."""
    parts = ["# Formats\n\n", GENERATED, INTRO, "\n## Runs and judgments\n\n", RUNS_AND_JUDGMENTS]
    parts += [_registered(entry) for entry in FORMATS.values()]
    for heading, formats in FAMILIES.items():
        said, prefix = ABOUT.get(heading, ("", ""))
        parts.append(f"\n## {heading}\n{said}")
        parts += [_section(entry, prefix) for entry in formats()]
    return "".join(parts) + VECTORS


RUNS_AND_JUDGMENTS = """\
For all commands that take QRELS and RUN; `germane convert` converts between them. germane detects the format from the
content, not the file name; `--qrels-format` and `--run-format` override that. Column names are listed in [Read, check
and convert files](../how_to/read_and_convert.md#supported-formats). Rejected: lines with other fields than the first
lines, empty ids, scores and grades that are not finite numbers, and duplicate documents of a query.
"""
ABOUT = {
    "Documents": (
        """
For `germane index`, `germane judge` and `germane report`. Also accepted: Parquet files with the same column names, a
folder of text or HTML files (each file is a document, its path without the extension is the id), a folder of files in
these formats, and a tar archive of such a folder. [Retrieval](retrieval.md#documents) lists the accepted column names.
""",
        "Documents: ",
    ),
    "Topics": (
        """
For all commands that query an engine, and for reports. [Retrieval](retrieval.md#topics) lists the accepted names.
""",
        "Topics: ",
    ),
    "Labels, predictions, scores": (
        """
For `germane classify`, `threshold`, `report` and `plot`. Parquet and Arrow files with such columns are accepted too. A
note says which columns were inferred from their names; `--truth`, `--predicted` and `--score` set them.
""",
        "Labels: ",
    ),
}
"""Introduction of a family, and the prefix that distinguishes its formats from others with the same name."""
VECTORS = """\

### Vectors

A matrix written by `numpy.save` (`.npy`) with one vector per row, of any float or integer type. It is recognised by its
first bytes and memory-mapped, so it cannot be compressed. Rejected: `.npz` archives, arrays of objects, and matrices
with a NaN. In Python: `germane.vectors.evaluate`, which also takes arrays.

### Parquet, ORC and JSON on a cluster

With `--engine spark`, runs and tables of labels may also be folders or file patterns on any file system of the
cluster: see [Evaluate on Spark](../how_to/spark.md).
"""


def _registered(entry: Format) -> str:
    """Return the section of a run or qrels format, with a small example written by its own writer."""
    endings = ", ".join(f"`.{ending}`" for ending in entry.endings)
    lines = [f"\n### {entry.name}\n\n{escaped(entry.description[:1].upper() + entry.description[1:])}.\n\n"]
    lines += [_shown(entry, kind) for kind in entry.kinds]
    held = ", ".join(HELD[what] for what in sorted(entry.holds, key=list(HELD).index))
    lines.append(f"- Stores, besides queries, documents and their order or grades: {held or 'nothing'}\n")
    by_ending = f"to files with the extension {endings}, or " if endings else ""
    lines.append(f"- Written {by_ending}with `germane convert --to {entry.name}`\n")
    return "".join(lines)


def written(entry: Format, kind: str) -> bytes:
    """Return the small run or its judgments in this format."""
    target = io.BytesIO()
    if kind == "run":
        assert entry.write_run is not None
        entry.write_run([Run.from_dict(RUN)], target)
    else:
        assert entry.write_qrels is not None
        entry.write_qrels(Qrels.from_dict(JUDGED), target)
    return target.getvalue()


def _shown(entry: Format, kind: str) -> str:
    """Return the file itself if it is text, else the columns, which are those of CSV."""
    what = "A run" if kind == "run" else "Judgments"
    if entry.name in BINARY:
        columns = written(FORMATS["csv"], kind).decode().partition("\n")[0].split(",")
        return f"{what}: a table with the columns {', '.join(f'`{name}`' for name in columns)}.\n\n"
    text = written(entry, kind).decode()
    return f"{what}:\n\n```text\n{text.rstrip()}\n```\n\n"


def _section(entry: FileFormat, prefix: str) -> str:
    return (
        f"\n### {prefix}{entry.name}\n\n```text\n{entry.example}```\n\n"
        f"- Recognised: {entry.recognised}\n- Rejected, for example: {_refusal(entry)}\n"
    )


def _refusal(entry: FileFormat) -> str:
    """Return the error message for the rejected example."""
    return f"`{refused(entry)}`" if entry.refused else "no text file"


def refused(entry: FileFormat) -> str:
    """Read the rejected example and return the error message."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, entry.file)
        path.write_text(entry.refused, encoding="utf-8")
        try:
            entry.read(path)
        except GermaneError as error:
            return error.message.replace(str(path), entry.file).replace("\n", " ")
    raise ValueError(f"expected {entry.file} to be refused: {entry.refused!r}")
