"""Vega, Vega-Lite and Vega-Embed in one script, bundled by the library that draws.

Bundling takes a second in which the library holds Python's lock, so a report has another process do it meanwhile.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from subprocess import DEVNULL, PIPE, Popen

from germane.api.rankings.parallel_evaluation import can_start_python
from germane.output.plots.figures import vl_convert
from germane.tables.columns.threads import num_threads

BUNDLE = "import sys; sys.path[:] = {path!r}; import vl_convert as v; sys.stdout.buffer.write({end})"
END = "v.javascript_bundle().encode() + b'\\n// end'"
"""What the process writes: the script and a mark, without which it is not complete."""
MARK = b"\n// end"

_ahead: list[Popen[bytes]] = []


@contextmanager
def bundling_ahead() -> Iterator[None]:
    """Bundle in another process while the numbers of a page are computed here, if a core is free for it."""
    if num_threads() > 1 and can_start_python() and not vega_bundle.cache_info().currsize:
        command = [sys.executable, "-c", BUNDLE.format(path=list(map(str, sys.path)), end=END)]
        with suppress(OSError):
            _ahead.append(Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, start_new_session=True))
    try:
        yield
    finally:
        while _ahead:
            with _ahead.pop() as process:
                process.kill()


@cache
def vega_bundle() -> str:
    """Return the script, from the process that was started for it or made here."""
    while _ahead:
        with _ahead.pop() as process:
            written, _ = process.communicate()
        if process.returncode == 0 and written.endswith(MARK):
            return written.removesuffix(MARK).decode()
    bundle: str = vl_convert().javascript_bundle()
    return bundle
