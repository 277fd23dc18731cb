"""Options of commands that can leave their work to Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from germane.cli.options.vocabulary import choice, option, together
from germane.errors import GermaneError

spark_options = together(
    choice("--engine", "Where rows are read and matched: here, or on a cluster that has them.", ["local", "spark"]),
    option(
        "--master",
        "With --engine spark: the cluster, e.g. yarn or 'local[2]'.  [default: as Spark is configured]",
        "URL",
    ),
)
"""The options that say where the work is done."""


def require_spark(engine: str, master: str | None) -> bool:
    """Whether Spark is asked for; a master without it is an error."""
    if master is not None and engine != "spark":
        raise GermaneError("--master is the cluster of --engine spark", hint="add --engine spark, or leave it out")
    return engine == "spark"


@contextmanager
def runs_on(engine: str, master: str | None, paths: Sequence[str], run_format: Any, ties: Any) -> Iterator[Any]:
    """The runs at these paths: the paths themselves or, on Spark, frames by name.

    What cannot be done is refused before a session is started, which takes long.
    """
    if not require_spark(engine, master):
        yield list(paths)
        return
    from germane.distributed.frames import require_tie_rule
    from germane.distributed.reading import named_paths, read_runs
    from germane.distributed.session import spark_session

    require_tie_rule(ties)
    named_paths(paths, run_format)
    with spark_session(master) as session:
        yield read_runs(session, paths, run_format)


@contextmanager
def decisions_on(engine: str, master: str | None, path: str) -> Iterator[Any]:
    """The decisions at this path: the path itself or, on Spark, a frame."""
    if not require_spark(engine, master):
        yield path
        return
    from germane.distributed.reading import read_decisions, require_types
    from germane.distributed.session import spark_session

    require_types(path)
    with spark_session(master) as session:
        yield read_decisions(session, path)
