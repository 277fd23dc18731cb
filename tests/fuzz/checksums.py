"""Checksums are put right after a file was changed, so that what is behind them is tried, too."""

from __future__ import annotations

import json
from pathlib import Path

from germane.formats.files.json_text import with_checksum


def whole(path: Path) -> Path:
    """The same path; the JSON object in the file, or that on each line, has the checksum that belongs to it."""
    path.write_bytes(with_right_checksum(path.read_bytes()))
    return path


def with_right_checksum(data: bytes) -> bytes:
    """The object, or the lines, with their checksums; what is no JSON object stays as it is.

    >>> with_right_checksum(b'[1]'), with_right_checksum(b'{"checksum": 7}\\n')[:13]
    (b'[1]', b'{"checksum": ')
    """
    try:
        return json.dumps(with_checksum(json.loads(data))).encode() + b"\n"
    except (AttributeError, ValueError, TypeError, RecursionError):
        lines = data.splitlines(keepends=True)
        return b"".join(map(with_right_checksum, lines)) if len(lines) > 1 else data
