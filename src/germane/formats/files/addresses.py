"""Addresses of object stores that Arrow's file systems know, such as s3://bucket/runs/bm25.parquet.

The environment alone configures them: AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, GOOGLE_APPLICATION_CREDENTIALS and the like.
`place` turns whatever was given into something with the interface of a `Path`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from germane.errors import InputError
from germane.formats.files.arrow_tables import pyarrow_for
from germane.formats.rows.text import said_by

STORES = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "abfs": "abfs", "abfss": "abfs"}
"""File system of each scheme; s3a is Spark's name for S3."""
CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for another server, AWS_ENDPOINT_URL",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "abfs": "AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET",
}
"""Environment variables that an error message suggests to check."""
SCHEME = re.compile(r"([a-z][a-z0-9]*)://(.*)", re.DOTALL)
ATTEMPTS = 2
"""Requests at most before an error is reported: a person is waiting."""
CONNECT_SECONDS = 5.0
"""Seconds to wait for a connection."""
REQUEST_SECONDS = 60.0
"""Seconds to wait for the next bytes."""
FIRST_REQUEST = 1 << 16
"""Bytes of the first request for a file, which is the only one if just its format is detected."""
BUFFER = 1 << 23
"""Bytes per request at most where a file is read from its start to its end."""


def is_address(path: object) -> bool:
    """Return whether this is an address of an object store.

    >>> [is_address(path) for path in ("s3://bucket/bm25.run", "runs/bm25.run", "file:///runs/bm25.run")]
    [True, False, False]
    """
    found = SCHEME.match(path) if isinstance(path, str) else None
    return isinstance(path, Address) or (found is not None and found[1] in STORES)


def place(path: str | Path | Address) -> Path | Address:
    """Return a local path, or the address of a file or folder elsewhere.

    >>> place("file:///runs/bm25%20k1.run").as_posix()
    '/runs/bm25 k1.run'
    """
    if not isinstance(path, str) or (found := SCHEME.match(path)) is None:
        return path if isinstance(path, Address) else Path(path)
    if found[1] == "file":
        return Path(unquote(found[2]))
    return Address(path) if found[1] in STORES else Path(path)


def local_path(path: str | Path) -> Path:
    """Return a local path; an address is an error where only a local disk will do."""
    where = place(path)
    if isinstance(where, Address):
        hint = "use a local path; `convert`, `fuse`, `pool`, `report` and `plot` also write to addresses"
        raise InputError(str(where), None, "expected a local path, found an address", hint=hint)
    return where


def file_size(where: Path | Address) -> int:
    """Return the size of a file in bytes."""
    return where.stamp[0] if isinstance(where, Address) else where.stat().st_size


class Address:
    """A file or folder in an object store, with the part of the interface of a `Path` that readers use."""

    def __init__(self, address: str, info: Any = None) -> None:
        scheme, mark, rest = str(address).partition("://")
        if not rest.strip("/"):
            raise InputError(
                address, None, "expected a bucket, found none", hint="for example s3://bucket/runs/bm25.run"
            )
        self._address = f"{scheme}{mark}{rest.rstrip('/')}"
        self._known = info

    def __str__(self) -> str:
        return self._address

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def __truediv__(self, name: str) -> Address:
        return Address(f"{self._address}/{name}")

    @property
    def scheme(self) -> str:
        """Scheme of the file system: s3, gs or abfs."""
        return STORES[self._address.partition("://")[0]]

    @property
    def key(self) -> str:
        """Bucket and path inside it; an Azure address starts with CONTAINER@ACCOUNT.dfs.core.windows.net."""
        bucket, slash, path = self._address.partition("://")[2].partition("/")
        return f"{bucket.partition('@')[0] if self.scheme == 'abfs' else bucket}{slash}{path}"

    @property
    def name(self) -> str:
        """Last part of the path."""
        return PurePosixPath(self.key).name

    @property
    def suffix(self) -> str:
        """Extension of the name."""
        return PurePosixPath(self.key).suffix

    @property
    def parent(self) -> Address:
        """The folder of a file."""
        return Address(self._address.rpartition("/")[0])

    def is_file(self) -> bool:
        """Return whether this is a file."""
        return bool(self._info.is_file)

    def is_dir(self) -> bool:
        """Return whether this is a folder, which in an object store is a common prefix of files."""
        return str(self._info.type.name) == "Directory"

    def exists(self) -> bool:
        """Return whether there is a file or folder here."""
        return str(self._info.type.name) != "NotFound"

    def iterdir(self) -> Iterator[Address]:
        """Yield the files and folders directly in this folder."""
        from pyarrow import fs

        with _errors(self):
            found = self._files.get_file_info(fs.FileSelector(self.key))
        for info in found:
            if info.base_name and info.path.rstrip("/") != self.key:
                yield Address(f"{self._address}/{info.base_name}", info)

    def blocks(self) -> Generator[bytes, None, None]:
        """Yield the bytes of the file from its start to its end."""
        size = FIRST_REQUEST
        with _errors(self), self._files.open_input_stream(self.key, compression=None) as stream:
            while data := stream.read(size):
                yield data
                size = min(8 * size, BUFFER)

    def open_anywhere(self) -> Any:
        """Open the file to read from any position."""
        with _errors(self):
            return self._files.open_input_file(self.key)

    def upload(self, path: Path) -> None:
        """Write a local file to this address."""
        from pyarrow import fs

        with _errors(self):
            fs.copy_files(
                str(path), self.key, source_filesystem=fs.LocalFileSystem(), destination_filesystem=self._files
            )

    @property
    def stamp(self) -> tuple[int, int]:
        """Size and time of the last change, which differ once a file is written again."""
        return self._info.size or 0, self._info.mtime_ns or 0

    @property
    def _info(self) -> Any:
        if self._known is None:
            with _errors(self):
                self._known = self._files.get_file_info(self.key)
        return self._known

    @property
    def _files(self) -> Any:
        begin = "/".join(self._address.split("/")[:3])
        configured = frozenset(each for each in os.environ.items() if each[0].startswith(ENVIRONMENT))
        return _file_system(self.scheme, begin, configured)


ENVIRONMENT = ("AWS_", "GOOGLE_", "AZURE_", "CLOUDSDK_")
"""Prefixes of the variables that decide which of the open file systems is used again."""


@lru_cache(maxsize=16)
def _file_system(scheme: str, begin: str, _: frozenset[tuple[str, str]]) -> Any:
    pyarrow_for(f"reading {scheme}:// addresses")
    from pyarrow import fs

    if scheme == "s3":
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
        return fs.S3FileSystem(
            region=region or (None if endpoint is None else "us-east-1"),
            endpoint_override=endpoint,
            connect_timeout=CONNECT_SECONDS,
            request_timeout=REQUEST_SECONDS,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        )
    if scheme == "gs":
        return fs.GcsFileSystem(retry_time_limit=timedelta(seconds=CONNECT_SECONDS))
    return fs.FileSystem.from_uri(f"{begin}/")[0]


@contextmanager
def _errors(address: Address) -> Iterator[None]:
    """Turn errors of a file system into errors that name the address."""
    pa = pyarrow_for(f"reading {address.scheme}:// addresses")
    try:
        yield
    except FileNotFoundError:
        raise InputError(str(address), None, "no such file, folder or bucket", hint=_hint(address)) from None
    except (pa.ArrowException, OSError, ValueError, NotImplementedError) as error:
        raise InputError(str(address), None, f"cannot access it: {said_by(error)}", hint=_hint(address)) from None


def _hint(address: Address) -> str:
    return f"check the address and the environment: {CREDENTIALS[address.scheme]}"
