"""All formats, and reading and writing in whichever one is asked for or found."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats import arrow_file, delimited, json_dict, jsonl, msmarco, trec
from germane.formats.column_names import Kind
from germane.formats.columns import Columns
from germane.formats.detect import Detected
from germane.formats.entry import Format
from germane.formats.qrels_file import read_qrels
from germane.formats.run_file import read_run
from germane.formats.sources import COMPRESSIONS, STDIN, display_name
from germane.formats.targets import open_target
from germane.formats.writing import score_places
from germane.tables.qrels import Qrels
from germane.tables.run import Run

__all__ = ["FORMATS", "format_for", "read_columns", "read_qrels", "read_run", "write_qrels", "write_run"]

FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        trec.FORMAT,
        msmarco.FORMAT,
        delimited.BEIR,
        delimited.CSV,
        delimited.TSV,
        json_dict.FORMAT,
        jsonl.FORMAT,
        arrow_file.PARQUET,
        arrow_file.ARROW,
    )
}


def read_detected_run(detected: Detected) -> Run:
    """The run in a file whose format is known."""
    name = display_name(detected.path)
    return read_columns(detected).to_run(name, duplicates_checked=_checks_duplicates(detected), source=detected.source)


def read_columns(detected: Detected) -> Columns:
    """The columns of a file whose format is known."""
    return FORMATS[detected.format].read_columns(detected)


@checked
def write_run(
    run: Run,
    path: str | Path,
    format: str | None = None,  # noqa: A002
    *,
    lossy: bool = False,
    new: bool = False,
) -> list[str]:
    """Write a run. What the format cannot hold is an error unless `lossy`; it is what comes back.

    With `new` a file that exists already is an error.
    """
    entry = format_for(path, format, "run")
    assert entry.write_run is not None
    lost = lost_from_run(run, entry)
    _accept_loss(lost, entry, "run", path, lossy=lossy)
    with open_target(path, new=new) as target:
        entry.write_run(run, target)
    return lost


@checked
def write_qrels(
    qrels: Qrels,
    path: str | Path,
    format: str | None = None,  # noqa: A002
    *,
    lossy: bool = False,
    new: bool = False,
) -> list[str]:
    """Write judgments. What the format cannot hold is an error unless `lossy`; it is what comes back.

    With `new` a file that exists already is an error.
    """
    entry = format_for(path, format, "qrels")
    assert entry.write_qrels is not None
    lost = lost_from_qrels(qrels, entry)
    _accept_loss(lost, entry, "qrels", path, lossy=lossy)
    if "groups" not in entry.holds:
        from dataclasses import replace

        qrels = replace(qrels, groups=None)
    with open_target(path, new=new) as target:
        entry.write_qrels(qrels, target)
    return lost


def format_for(path: str | Path, name: str | None, kind: Kind) -> Format:
    """The format to write in: the named one, or the one that the file's ending means."""
    if name is None and str(path) == STDIN:
        name = "trec"
    if name is None:
        suffixes = [suffix[1:].lower() for suffix in Path(path).suffixes]
        if suffixes and suffixes[-1] in COMPRESSIONS:
            suffixes.pop()
        ending = suffixes[-1] if suffixes else ""
        name = next((entry.name for entry in FORMATS.values() if ending in entry.endings), None)
        if name is None:
            known = ", ".join(f".{known}" for entry in FORMATS.values() for known in entry.endings)
            hint = f"name the format, one of {', '.join(FORMATS)}; or let the file end with one of {known}"
            raise InputError(path, None, "expected a file name whose ending says the format", hint=hint)
    entry = FORMATS.get(name.removesuffix("-run").removesuffix("-qrels"))
    if entry is None:
        hint = f"the formats are {', '.join(FORMATS)}"
        raise GermaneError(f"no format is called {name!r}{did_you_mean(name, FORMATS)}", hint=hint)
    if kind not in entry.kinds:
        able = ", ".join(other.name for other in FORMATS.values() if kind in other.kinds)
        what = "runs" if kind == "run" else "judgments"
        raise GermaneError(f"{entry.name} is not a format for {what}", hint=f"these are: {able}")
    return entry


def lost_from_run(run: Run, entry: Format) -> list[str]:
    """What of a run the format has no place for, in words."""
    lost = []
    only_ranks = msmarco.has_only_ranks(run)
    if "score" not in entry.holds and not only_ranks:
        lost.append("the scores")
    if (
        run.rank is not None
        and "rank" not in entry.holds
        and not (only_ranks or np.array_equal(run.rank, score_places(run)))
    ):
        lost.append("ranks that differ from the order of the scores")
    if run.tag is not None and "tag" not in entry.holds:
        lost.append(f"the tag {run.tag!r}")
    if "empty queries" not in entry.holds:
        empty = np.flatnonzero(np.bincount(run.query, minlength=len(run.queries)) == 0)
        if len(empty):
            lost.append(f"queries without documents, such as {run.queries[int(empty[0])]!r} ({len(empty)})")
    return lost


def lost_from_qrels(qrels: Qrels, entry: Format) -> list[str]:
    """What of judgments the format has no place for, in words."""
    lost = []
    if qrels.groups is not None and "groups" not in entry.holds:
        lost.append(f"the groups ({len(qrels.groups.labels)}); a document keeps the highest of its grades")
    if qrels.sampling is not None and "sampling" not in entry.holds:
        lost.append(f"the strata ({len(qrels.sampling.labels)}) and inclusion probabilities")
    if "scale" not in entry.holds and qrels.scale != max(float(qrels.grade.max()), 0.0):
        lost.append(f"the scale, whose highest grade is {qrels.scale:g}")
    if "collection size" not in entry.holds and qrels.collection_size is not None:
        lost.append(f"the size of the collection, {qrels.collection_size}")
    return lost


def _checks_duplicates(detected: Detected) -> bool:
    """Whether reading looked at every row; the fast readers leave duplicates to the table."""
    return FORMATS[detected.format].read is not arrow_file.read


def _accept_loss(lost: list[str], entry: Format, kind: Kind, path: str | Path, *, lossy: bool) -> None:
    if lost and not lossy:
        raise InputError(
            path,
            None,
            f"a file in {entry.name} format has no place for {'; '.join(lost)}",
            hint=f"write {'jsonl' if kind == 'run' else 'parquet'}, which has, or accept the loss: `lossy=True`",
        )
