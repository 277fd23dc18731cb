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
What germane reads and writes, with a small file of each kind. Every example here is read by the tests, and what is
said to be refused was refused when this page was made.

All of them may be compressed ({", ".join(f"`.{name}`" for name in COMPRESSIONS)}): that is told from the first
bytes of a file that is read, and from the ending of one that is written. `-` is standard input or output. Text is
UTF-8, with or without a byte order mark; lines may end as on Windows. A file is read as it is or refused: nothing is
repaired. `germane check` says what a file was taken for, and all that is wrong with it.

Formats of JSON that germane itself writes are on the page of [JSON output](json.md); indexes and the records of runs
on that of [retrieval](retrieval.md); models, agents, splits and journals on that of [learning](learning.md).
"""
BINARY = ("parquet", "arrow")
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
For all commands that take QRELS and RUN; `germane convert` makes one of another. The format is told from the content,
never from the name; `--qrels-format` and `--run-format` overrule that. Names of columns are listed in [Read, check
and convert files](../how_to/read_and_convert.md#what-is-read). Refused are lines with other fields than the first
ones have, ids that are empty, scores and grades that are no finite numbers, and a document twice for a query.
"""
ABOUT = {
    "Documents": (
        """
For `germane index`, `germane judge` and `germane report`. Besides these, Parquet files with the same names of columns,
a folder of text or HTML files (each is a document, its path without the ending the id), a folder of files like these,
and a tar archive of one. [Retrieval](retrieval.md#documents) lists the names under which the parts are found.
""",
        "Documents: ",
    ),
    "Topics": (
        """
For all commands that ask an engine, and for reports. [Retrieval](retrieval.md#topics) lists what is read.
""",
        "Topics: ",
    ),
    "Labels, predictions, scores": (
        """
For `germane classify`, `threshold`, `report` and `plot`. Besides these, Parquet and Arrow files with such columns.
Which column is what is guessed from the names, and said; `--truth`, `--predicted` and `--score` say it.
""",
        "Labels: ",
    ),
}
"""What is said of some families, and how their formats are told from those of others with the same name."""
VECTORS = """\

### Vectors

A matrix that `numpy.save` wrote, `.npy`: a row for each vector, of any kind of float or of whole numbers. It is
recognised by its first bytes and mapped, not read into memory, so it cannot be compressed. Refused are `.npz`
archives, arrays of objects, and matrices with a NaN. In Python: `germane.vectors.evaluate`, which also takes arrays.

### Parquet, ORC and JSON on a cluster

With `--engine spark` runs and tables of labels may also be folders or patterns of files on any file system of the
cluster: see [Evaluate on Spark](../how_to/spark.md).
"""


def _registered(entry: Format) -> str:
    """A format of runs and judgments, with what its own writer makes of a small run."""
    endings = ", ".join(f"`.{ending}`" for ending in entry.endings)
    lines = [f"\n### {entry.name}\n\n{escaped(entry.description[:1].upper() + entry.description[1:])}.\n\n"]
    lines += [_shown(entry, kind) for kind in entry.kinds]
    held = ", ".join(HELD[what] for what in sorted(entry.holds, key=list(HELD).index))
    lines.append(f"- Holds, besides queries, documents and their order or grades: {held or 'nothing'}\n")
    by_ending = f"to files that end with {endings}, or " if endings else ""
    lines.append(f"- Written {by_ending}with `germane convert --to {entry.name}`\n")
    return "".join(lines)


def written(entry: Format, kind: str) -> bytes:
    """What a format's writer makes of the small run, or of its judgments."""
    target = io.BytesIO()
    if kind == "run":
        assert entry.write_run is not None
        entry.write_run(Run.from_dict(RUN), target)
    else:
        assert entry.write_qrels is not None
        entry.write_qrels(Qrels.from_dict(JUDGED), target)
    return target.getvalue()


def _shown(entry: Format, kind: str) -> str:
    """The file itself if it is text; of a table, its columns, which are those of CSV."""
    what = "A run" if kind == "run" else "Judgments"
    if entry.name in BINARY:
        columns = written(FORMATS["csv"], kind).decode().partition("\n")[0].split(",")
        return f"{what}: a table with the columns {', '.join(f'`{name}`' for name in columns)}.\n\n"
    text = written(entry, kind).decode()
    return f"{what}:\n\n```text\n{text.rstrip()}\n```\n\n"


def _section(entry: FileFormat, prefix: str) -> str:
    return (
        f"\n### {prefix}{entry.name}\n\n```text\n{entry.example}```\n\n"
        f"- Recognised: {entry.recognised}\n- Refused, for instance: {_refusal(entry)}\n"
    )


def _refusal(entry: FileFormat) -> str:
    """What was wrong with the file that is refused, in the reader's own words."""
    return f"`{refused(entry)}`" if entry.refused else "nothing that is text"


def refused(entry: FileFormat) -> str:
    """The message of the error that the refused example gives."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, entry.file)
        path.write_text(entry.refused, encoding="utf-8")
        try:
            entry.read(path)
        except GermaneError as error:
            return error.message.replace(str(path), entry.file).replace("\n", " ")
    raise ValueError(f"expected {entry.file} to be refused: {entry.refused!r}")
