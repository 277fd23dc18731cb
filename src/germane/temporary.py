"""Temporary files hold what is too large for memory, or can be read only once; if they cannot, this says what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from germane.errors import GermaneError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NOT_WRITABLE = (errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS)
"""No folder can be written to; of a named file, it is for others to say so."""


@contextmanager
def written_to_a_temporary_file(what: str, room: str = "") -> Iterator[None]:
    """Turn the failure of a write into an error: what was to be written, and where there may be room.

    >>> with written_to_a_temporary_file("scores", room=", 24 bytes for each row"):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
        ...
    germane.errors.GermaneError: cannot write scores to a temporary file: No space left on device
    Hint: free disk space, or set TMPDIR to a folder with room, 24 bytes for each row (now /tmp)
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL and (error.errno not in NOT_WRITABLE or error.filename is not None):
            raise
        problem = f"cannot write {what} to a temporary file: {error.strerror}"
        mend = "free disk space" if error.errno in FULL else "make it writable"
        hint = f"{mend}, or set TMPDIR to a folder with room{room} (now {_folder()})"
        raise GermaneError(problem, hint=hint) from None


def _folder() -> str:
    import tempfile  # which takes a millisecond to load

    try:
        return tempfile.gettempdir()
    except OSError:
        return "none is usable"
