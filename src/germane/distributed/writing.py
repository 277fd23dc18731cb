"""Write a frame where Spark keeps its files: a folder of part files at a path or an address."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from germane.distributed.reading import FORMATS, csv_options
from germane.distributed.session import failures, reason_of
from germane.errors import GermaneError, InputError


def write_frame(frame: Any, path: str, file_format: str, *, overwrite: bool) -> None:
    """Write a frame as files of a format; without `overwrite`, anything at the path is an error."""
    options = csv_options(file_format) if FORMATS[file_format] == "csv" else {}
    mode = "overwrite" if overwrite else "errorifexists"
    # Spark removes the whole folder before it writes.
    if overwrite and (lost := sorted(file for file in frame.inputFiles() if _holds(path, file))):
        problem = f"expected an output that holds no input, found {lost[0]}"
        raise InputError(path, None, problem, hint="choose another name")
    try:
        frame.write.format(FORMATS[file_format]).options(**options).mode(mode).save(path)
    except failures() as error:
        if "PATH_ALREADY_EXISTS" in str(error):
            raise InputError(path, None, "file already exists", hint="use `overwrite=True` to replace it") from error
        raise GermaneError(f"Spark could not write {path}: {reason_of(error)}") from error


def _holds(path: str, file: str) -> bool:
    """Whether a file, with the address that Spark gives, is at a path or below it.

    A path without a scheme may be relative to a folder that only Spark knows.

    >>> [_holds(path, "s3a://logs/runs/a.orc") for path in ("s3a://logs/runs/", "s3://logs/runs/a.orc", "s3a://b/runs")]
    [True, True, False]
    """
    folder, found = urlsplit(path), urlsplit(file)
    place = unquote(found.path)
    if found.scheme == "file":
        return folder.scheme in ("", "file") and Path(place).resolve().is_relative_to(Path(folder.path).resolve())
    below = f"/{folder.path.strip('/')}/" in f"{place}/"
    return below and folder.netloc in ("", found.netloc)
