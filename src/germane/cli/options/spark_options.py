"""Options of commands that can run on Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from germane.cli.options.vocabulary import choice, option, together
from germane.errors import GermaneError

spark_options = together(
    choice("--engine", "Where to read and match rows: on this machine, or on a Spark cluster.", ["local", "spark"]),
    option(
        "--master",
        "Spark cluster for --engine spark, such as yarn or 'local[2]'.  [default: as Spark is configured]",
        "URL",
    ),
)
"""Options for where the work is done."""


def require_spark(engine: str, master: str | None) -> bool:
    """Return whether the command runs on Spark; `master` without Spark is an error."""
    if master is not None and engine != "spark":
        raise GermaneError("--master requires --engine spark", hint="add --engine spark, or remove --master")
    return engine == "spark"


@contextmanager
def runs_on(engine: str, master: str | None, paths: Sequence[str], run_format: Any, ties: Any = None) -> Iterator[Any]:
    """Yield the runs at these paths: the paths themselves or, on Spark, frames by name.

    Options that Spark does not support are refused before a session starts, which takes long.
    """
    if not require_spark(engine, master):
        yield list(paths)
        return
    from germane.distributed.frames import require_tie_rule
    from germane.distributed.reading import named_paths, read_runs
    from germane.distributed.session import spark_session

    if ties is not None:
        require_tie_rule(ties)
    named_paths(paths, run_format)
    with spark_session(master) as session:
        yield read_runs(session, paths, run_format)


@contextmanager
def decisions_on(engine: str, master: str | None, path: str) -> Iterator[Any]:
    """Yield the decisions at this path: the path itself or, on Spark, a frame."""
    if not require_spark(engine, master):
        yield path
        return
    from germane.distributed.reading import read_decisions, require_types
    from germane.distributed.session import spark_session

    require_types(path)
    with spark_session(master) as session:
        yield read_decisions(session, path)
