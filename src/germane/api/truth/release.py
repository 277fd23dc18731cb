"""`release`: write qrels from judgments, with everything they were made from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from germane.api.truth.judgment_sources import Judged, load_judged
from germane.arguments import checked
from germane.errors import GermaneError
from germane.formats.truth.pool_file import read_pool
from germane.judging.consolidate import Undecided
from germane.judging.release import Release, write_release
from germane.tables.truth.pool import Pool

if TYPE_CHECKING:
    from germane.types import JudgmentsLike


@checked
def release(
    judgments: JudgmentsLike,
    output: str | Path,
    policy: str = "majority",
    *,
    pool: str | Path | Pool | None = None,
    undecided: Undecided = "lowest",
    min_grades: int = 1,
    grades: Sequence[float] | None = None,
    rel: float | None = None,
    pseudonyms: bool = False,
    name: str = "release",
) -> Release:
    """Consolidate judgments by a stated policy, and write a folder with qrels, qrels per assessor, events and manifest.

    Judgments are what `agree` takes; those without a history become one event each. `policy` is majority, median,
    lowest-of-top-three or adjudicated; an adjudicated grade wins under each. With a `pool`, the qrels list all of it.
    `grades` is the scale, by default up to the highest grade given. A judging project brings its own pools, its scale,
    and the minimum relevant grade (`rel`), which the manifest records.
    """
    from germane import __version__

    held = load_judged(judgments)
    given = read_pool(pool) if isinstance(pool, str | Path) else pool
    scale = held.grades if grades is None else _scale_of(held, grades)
    return write_release(
        held.events,
        output,
        policy,
        pools=held.pools if given is None else (given,),
        listed=held.listed,
        rubrics=held.rubrics,
        undecided=undecided,
        min_grades=min_grades,
        scale=None if scale is None else scale[-1],
        rel=held.rel if rel is None else rel,
        pseudonyms=pseudonyms,
        name=name,
        record=held.record,
        version=__version__,
    )


def _scale_of(held: Judged, grades: Sequence[float]) -> tuple[float, ...]:
    """Return the stated scale, lowest first. A grade that is not on it is an error, as in `agree`."""
    scale = tuple(sorted(grades))
    given = {grade for grade in held.judgments.grade.tolist() if not math.isnan(grade)}
    if strange := sorted(given - set(scale)):
        told, found = (", ".join(f"{grade:g}" for grade in some) for some in (scale, strange))
        hint = "list every grade of the scale: `grades=…`"
        raise GermaneError(f"expected the grades {told or 'of a scale'}, found {found}", hint=hint)
    return scale
