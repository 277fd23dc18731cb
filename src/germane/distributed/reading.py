"""Read paths as Spark frames: a file, pattern or address of one run, or a folder of one or several runs.

A local folder is read as everywhere else in germane (see `formats.part_folders`). For an address or a pattern, only
file names are known: several files are one run if they are named as parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from germane.distributed.session import failures, reason_of
from germane.distributed.spark_run import SparkRun
from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.files import part_folders
from germane.formats.files.addresses import is_address
from germane.formats.files.joined_parts import header_of
from germane.formats.files.part_folders import KEY, PartFile, is_folder, parts_of, require_one_table, require_part_names
from germane.formats.files.part_tables import WHOLE_NUMBER, full_parts
from germane.formats.files.patterns import is_pattern
from germane.formats.files.sources import COMPRESSIONS, display_name

FORMATS = {
    "parquet": "parquet",
    "pq": "parquet",
    "orc": "orc",
    "json": "json",
    "jsonl": "json",
    "csv": "csv",
    "tsv": "csv",
}
"""Spark formats by file extension."""
PATTERN = re.compile(r"[*?\[{]")
RUN_HINT = "give the format, for example `run_format='parquet'`"
DECISIONS_HINT = "for a folder, name its files, for example 'folder/*.parquet'"


def read_runs(session: Any, paths: Sequence[str], file_format: str | None = None) -> dict[str, SparkRun]:
    """Return a frame for each path, by name; so far, only the schema is read."""
    folder_of = {file: folder for folder in paths for file in part_folders.files_of(folder) if file != folder}
    return {
        name: replace(_read(session, path, file_format), folder=folder_of.get(path))
        for name, path in named_paths(paths, file_format).items()
    }


def named_paths(paths: Sequence[str], file_format: str | None = None) -> dict[str, str]:
    """Return the paths of runs by name; paths that Spark cannot read are rejected before a session starts."""
    paths = [file for path in paths for file in part_folders.files_of(path)]
    names = [run_name(path) for path in paths]
    names = [path if names.count(name) > 1 else name for name, path in zip(names, paths, strict=True)]
    if len(set(names)) < len(names):
        duplicate = next(name for name in names if names.count(name) > 1)
        raise GermaneError(f"duplicate run {duplicate!r} ({names.count(duplicate)} times)")
    for path in paths:
        format_of(path, file_format)
    return dict(zip(names, paths, strict=True))


def read_decisions(session: Any, path: str) -> SparkRun:
    """Return a frame of decisions; so far, only the schema is read."""
    require_types(path)
    return _read(session, path, None)


def require_types(path: str) -> None:
    """Reject text files, whose columns have no types: it is unknown whether a label such as 1 is a number."""
    require_one_table(path)
    if FORMATS[format_of(path, hint=DECISIONS_HINT)] == "csv":
        problem = "expected Parquet, ORC or JSON files, whose columns have types, found text"
        raise InputError(path, None, problem, hint="use `stream=True` to read text files of any size on one machine")


def run_name(path: str) -> str:
    """Return the name of a run: the last part of its path without wildcards and without the usual extensions.

    >>> [run_name(path) for path in ("runs/bm25.parquet", "hdfs://host/runs/dense/*.parquet", "logs/2024-*/part-*.orc")]
    ['bm25', 'dense', 'logs']
    """
    parts = [part for part in path.rpartition("://")[2].split("/") if part and not PATTERN.search(part)]
    return display_name(parts[-1]) if parts else path


def format_of(path: str, asked: str | None = None, *, hint: str = RUN_HINT) -> str:
    """Return the format of a path's files: the one asked for, or that of its file extension."""
    if asked is not None:
        if asked not in FORMATS:
            problem = f"unknown format {asked!r}{did_you_mean(asked, FORMATS)}"
            raise GermaneError(problem, hint=f"choose from {', '.join(FORMATS)}")
        return asked
    told = _told_by(path.split("/")[::-1])
    if told is None or not (is_pattern(path) or is_address(path)):  # a local folder may be called anything
        told = _told_by([part.path.name for part in (parts_of(path) or [])[:1]]) or told
    if told is not None:
        return told
    raise InputError(path, None, f"expected a file extension (.{', .'.join(FORMATS)})", hint=hint)


def _told_by(names: Sequence[str]) -> str | None:
    """Return the first format that one of these names ends in."""
    for name in names:
        endings = [_ending(name), _ending(name.rpartition(".")[0]) if _ending(name) in COMPRESSIONS else ""]
        if (known := next((ending for ending in endings if ending in FORMATS), None)) is not None:
            return known
    return None


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.removeprefix(".").lower()


def _read(session: Any, path: str, asked: str | None) -> SparkRun:
    ending = format_of(path, asked)
    kind = FORMATS[ending]
    # Keep text as text: what looks like a number may be an id such as 007.
    text = csv_options(ending) | {"inferSchema": False, "columnPruning": False} if kind == "csv" else {}
    # A row with too few or too many fields is an error, too; otherwise Spark drops what does not fit.
    options = text | {"mode": "FAILFAST"} if kind in ("csv", "json") else {}
    parts = parts_of(path) or []
    if kind == "csv" and len(parts) > 1:
        _require_headers(path, parts)
    try:
        frame = _load(session, path, kind, options)
        if not is_folder(path):
            require_part_names(path, frame.inputFiles())
    except failures() as error:
        missing = "PATH_NOT_FOUND" in str(error)
        problem = "no such file" if missing else f"cannot be read as {kind}: {reason_of(error)}"
        raise InputError(path, None, problem) from error
    return SparkRun(_with_keys(frame, path, kind, parts), path, has_text=kind == "csv")


def csv_options(ending: str) -> dict[str, Any]:
    """Return the options for CSV or TSV as other programs write it, with quotes doubled and white space kept."""
    space = dict.fromkeys(("ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace"), False)
    return {"header": True, "sep": "\t" if ending == "tsv" else ",", "extension": ending, "escape": '"', **space}


def _load(session: Any, path: str, kind: str, options: dict[str, Any]) -> Any:
    """Return the frame at a path, with columns of key=value folders as text: Spark would turn a query 007 into 7.

    The types are part of the schema, since a setting would belong to the session of whoever calls.
    """
    from pyspark.sql import types

    reader = session.read.format(kind).options(**options)
    frame = reader.load(str(path))
    keys = {key for file in frame.inputFiles() for key in _keys(path, file)}
    fields = [
        types.StructField(field.name, types.StringType() if field.name in keys else field.dataType, field.nullable)
        for field in frame.schema
    ]
    return reader.schema(types.StructType(fields)).load(str(path)) if keys else frame


def _keys(path: str, file: str) -> list[str]:
    """Return the keys of the key=value folders between a path and a file behind it.

    >>> _keys("s3://logs/year=2024/*", "s3://logs/year=2024/week=1/qid=007/part-0.parquet")
    ['qid']
    """
    base = path if "://" in path else str(Path(path).absolute())
    above, parts = ([part for part in each.rpartition("://")[2].split("/") if part] for each in (base, file))
    return [unquote(found[1]) for part in parts[len(above) : -1] if (found := KEY.fullmatch(part))]


def _with_keys(frame: Any, path: str, kind: str, parts: list[PartFile]) -> Any:
    """Convert columns of key=value folders to integers if all values are, as the local engine does."""
    from pyspark.sql import functions as F  # noqa: N812

    if kind == "csv":
        return frame
    for name in dict.fromkeys(name for part in parts for name in part.columns):
        if all(WHOLE_NUMBER.fullmatch(part.columns[name]) for part in parts if name in part.columns):
            frame = frame.withColumn(name, F.col(f"`{name}`").cast("long"))
    return frame


def _require_headers(path: str, parts: list[PartFile]) -> None:
    """Reject parts without a header: Spark drops the first line of each part."""
    full = full_parts(parts)
    if len(full) > 1 and header_of(path, full) is None:
        raise InputError(path, None, "expected a header in every part, found parts without one")
