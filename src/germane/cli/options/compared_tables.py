"""Whether `germane compare` is given judgments and runs, or tables of scores that are made already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from germane.api.rankings.score_tables import is_score_table
from germane.cli.options.vocabulary import given
from germane.errors import GermaneError, InputError

ONLY_WITH_QRELS = ("ties", "score_type", "scale", "collection_size", "qrels_format", "run_format", "comment")
"""Options that need rankings and judgments, which a table of scores does not have."""


def are_tables(files: Sequence[str], layout: str | None) -> bool:
    """Tell tables of scores from judgments and runs. A mixture is an error; so is an option that would do nothing."""
    tables = [file for file in files if is_score_table(file)] if layout is None else list(files)
    others = [file for file in files if file not in tables]
    if not tables or (others and files[0] in others):
        if len(files) < 2:
            if files[0] != "-" and not Path(files[0]).exists():
                raise InputError(files[0], None, "no such file")
            raise GermaneError(
                "expected QRELS and RUNS, or tables of scores by query, found one file that is not a table of scores",
                hint="germane compare qrels.txt a.run b.run, or germane compare a.csv b.csv",
            )
        return False
    if others:
        raise GermaneError(
            f"expected tables of scores by query, found {others[0]} beside {tables[0]}",
            hint="name judgments and runs, or tables alone; --layout reads every file as a table",
        )
    typed = given()
    for name in ONLY_WITH_QRELS:
        if name in typed:
            option = typed[name].opts[0]
            raise GermaneError(f"{option} requires QRELS and RUNS, found tables of scores", hint=f"remove {option}")
    return True
