"""Documents in the rows of a Parquet file, read in batches."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from germane.errors import InputError, MissingExtraError
from germane.formats.document_records import ID_NAMES, Record
from germane.formats.text import said_by

START = b"PAR1"
ROWS_AT_ONCE = 256
"""Rows may hold long texts, and a batch is in memory as a whole."""


class ParquetRows:
    """The rows of a Parquet file. Columns of vectors and of structures hold no text: they are not read."""

    def __init__(self, source: str, *, errors: str = "strict", id_names: Sequence[str] = ID_NAMES) -> None:
        self.source = source

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            raise MissingExtraError("reading Parquet files", "arrow") from None
        with tempfile.TemporaryFile() as spool:
            if not stream.seekable():  # the table of contents is at the end
                shutil.copyfileobj(stream, spool)
                spool.seek(0)
            try:
                file = parquet.ParquetFile(stream if stream.seekable() else spool)
                names = [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
                number = 0
                for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=names):
                    for row in batch.to_pylist():
                        number += 1
                        yield Record(0, 0, number, row)
            except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
                problem = f"cannot be read as Parquet: {said_by(error)}"
                raise InputError(self.source, None, problem, hint="is the file complete?") from None
