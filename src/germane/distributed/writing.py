"""Write a frame where Spark keeps its files: a folder of part files at a path or an address."""

from __future__ import annotations

from typing import Any

from germane.distributed.reading import FORMATS
from germane.errors import GermaneError, InputError


def write_frame(frame: Any, path: str, file_format: str, *, overwrite: bool) -> None:
    """Write a frame as files of a format; without `overwrite`, anything at the path is an error."""
    from pyspark.errors import AnalysisException, PySparkException

    options = {"header": True, "sep": "\t" if file_format == "tsv" else ","} if FORMATS[file_format] == "csv" else {}
    mode = "overwrite" if overwrite else "errorifexists"
    try:
        frame.write.format(FORMATS[file_format]).options(**options).mode(mode).save(path)
    except PySparkException as error:
        if isinstance(error, AnalysisException) and "PATH_ALREADY_EXISTS" in str(error):
            raise InputError(path, None, "file already exists", hint="use `overwrite=True` to replace it") from error
        raise GermaneError(f"Spark could not write {path}: {str(error).splitlines()[0]}") from error
