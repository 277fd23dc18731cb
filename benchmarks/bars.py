"""Speed targets of the project, checked against the measured results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from benchmarks.results import Part, Results


@dataclass(frozen=True)
class Bar:
    """A target: a minimum or maximum for one figure of a part."""

    part: str
    what: str
    figure: Callable[[Part], float | None]
    limit: Literal["at least", "at most"]
    value: float

    def is_met_by(self, found: float) -> bool:
        """Whether the target is met."""
        return found >= self.value if self.limit == "at least" else found <= self.value


def _times(name: str, to: str) -> Callable[[Part], float | None]:
    return lambda part: part.ratio(name, to)


def _peak(name: str) -> Callable[[Part], float | None]:
    return lambda part: None if (row := part.row(name)) is None else row.peak_mb


def _of_peaks(name: str, to: str) -> Callable[[Part], float | None]:
    def figure(part: Part) -> float | None:
        this, other = part.row(name), part.row(to)
        return this.peak_mb / other.peak_mb if this and other and this.peak_mb and other.peak_mb else None

    return figure


def _of_files(name: str, to: str) -> Callable[[Part], float | None]:
    def figure(part: Part) -> float | None:
        this, other = part.row(name), part.row(to)
        return this.disk_mb / other.disk_mb if this and other and this.disk_mb and other.disk_mb else None

    return figure


def _seconds(name: str) -> Callable[[Part], float | None]:
    return lambda part: None if (row := part.row(name)) is None else row.seconds


def _size(name: str) -> Callable[[Part], float | None]:
    return lambda part: None if (row := part.row(name)) is None else row.disk_mb


def _growth_of_time(part: Part) -> float | None:
    """Seconds per line of the longest file, relative to the second longest."""
    if len(part.rows) < 2:
        return None
    shorter, longer = (row.seconds / (row.lines or 1) for row in part.rows[-2:])
    return longer / shorter


def _growth_of_memory(part: Part) -> float | None:
    """Bytes of peak memory for each further line. A line is 36 bytes long; the judgments grow with the lines."""
    first, last = part.rows[0], part.rows[-1]
    if first.peak_mb is None or last.peak_mb is None or not first.lines or not last.lines or first is last:
        return None
    return (last.peak_mb - first.peak_mb) * 1e6 / (last.lines - first.lines)


BARS = [
    Bar("files", "times as long as germane: pytrec_eval", _times("pytrec_eval", "germane"), "at least", 15),
    Bar("files", "times as long as germane: ir_measures", _times("ir_measures", "germane"), "at least", 25),
    Bar("files", "times as long as germane: ranx", _times("ranx", "germane"), "at least", 35),
    Bar("files", "peak memory in MB", _peak("germane"), "at most", 250),
    Bar("files", "times as long as sorted: unsorted", _times("germane, unsorted", "germane"), "at most", 6),
    Bar("files", "times as long as sorted: interleaved", _times("germane, interleaved", "germane"), "at most", 6),
    Bar("growth", "time per line, longest file against the one before", _growth_of_time, "at most", 1.25),
    Bar("growth", "bytes of memory for each further line", _growth_of_memory, "at most", 1),
    Bar("memory", "times as fast as pytrec_eval: dicts", _times("pytrec_eval", "dicts"), "at least", 3),
    Bar("memory", "times as fast as pytrec_eval: Arrow strings", _times("pytrec_eval", "arrow"), "at least", 10),
    Bar("memory", "times as fast as pytrec_eval: NumPy integers", _times("pytrec_eval", "integers"), "at least", 10),
    Bar("memory", "times as fast as pytrec_eval: NumPy bytes", _times("pytrec_eval", "bytes"), "at least", 10),
    Bar("many runs", "times as fast on two cores as on one", _times("one core", "two cores"), "at least", 1.7),
    Bar("many runs", "times as fast as pytrec_eval run by run", _times("pytrec_eval", "two cores"), "at least", 20),
    Bar("report", "seconds for 17 runs", _seconds("17 runs"), "at most", 6),
    Bar("report", "seconds for 100 runs", _seconds("100 runs"), "at most", 25),
    Bar("report", "megabytes of 100 runs", _size("100 runs"), "at most", 4),
    Bar(
        "randomisation",
        "times as fast as scipy",
        _times("randomisation scipy", "randomisation germane"),
        "at least",
        200,
    ),
    Bar("bootstrap", "times as fast as scipy, by mean", _times("bca scipy by mean", "bca germane"), "at least", 15),
    Bar("bootstrap", "times as fast as scipy, at once", _times("bca scipy at once", "bca germane"), "at least", 4),
    Bar("classify", "times as fast as sklearn: AUC", _times("auc sklearn", "auc germane"), "at least", 8),
    Bar(
        "classify", "times as fast as two curves: all rates", _times("curves sklearn", "curves germane"), "at least", 1
    ),
    Bar(
        "classify", "times as fast as sklearn: integers", _times("integers sklearn", "integers germane"), "at least", 20
    ),
    Bar(
        "classify",
        "times as fast as sklearn: object array",
        _times("objects sklearn", "objects germane"),
        "at least",
        40,
    ),
    Bar("classify", "times as fast as sklearn: list", _times("lists sklearn", "lists germane"), "at least", 8),
    Bar(
        "classify",
        "times as fast as sklearn: fixed width",
        _times("fixed width sklearn", "fixed width germane"),
        "at least",
        4,
    ),
    Bar("classify", "times as fast as scipy: interval of F1", _times("f1 scipy", "f1 germane"), "at least", 1000),
    Bar("classify", "peak memory of a stream in MB", _peak("stream"), "at most", 1000),
    Bar("retrieval", "times as fast as bm25s: index", _times("build bm25s", "build germane"), "at least", 1.5),
    Bar("retrieval", "times as fast as bm25s: 10 best", _times("k10 bm25s", "k10 germane"), "at least", 1.2),
    Bar("retrieval", "times as fast as bm25s: 1000 best", _times("k1000 bm25s", "k1000 germane"), "at least", 0.9),
    Bar(
        "retrieval",
        "two threads against one: 10 best",
        _times("k10 germane", "k10 germane, two threads"),
        "at least",
        1.6,
    ),
    Bar(
        "retrieval",
        "two threads against one: 1000 best",
        _times("k1000 germane", "k1000 germane, two threads"),
        "at least",
        1.6,
    ),
    Bar("retrieval", "times as fast as bm25s: first answer", _times("first bm25s", "first germane"), "at least", 5),
    Bar("retrieval", "peak memory of a search against bm25s", _of_peaks("k1000 germane", "k1000 bm25s"), "at most", 1),
    Bar("retrieval", "term-major files against bm25s", _of_files("build germane", "build bm25s"), "at most", 1),
    Bar(
        "learning",
        "times as fast as LinearSVC on pairs: C = 0.01",
        _times("C=.01 sklearn", "C=.01 germane"),
        "at least",
        5,
    ),
    Bar("learning", "times as fast as LinearSVC on pairs: C = 1", _times("C=1 sklearn", "C=1 germane"), "at least", 30),
    Bar(
        "learning",
        "times as fast as LinearSVC: a million pairs",
        _times("made sklearn", "made germane"),
        "at least",
        20,
    ),
    Bar(
        "learning",
        "peak memory, 102 million pairs against 96 thousand",
        _of_peaks("many pairs germane", "few pairs germane"),
        "at most",
        1.1,
    ),
    Bar("startup", "times as long as importing numpy", _times("germane", "numpy"), "at most", 1.6),
    Bar("startup", "times as long as importing scipy.special: compare", _times("compare", "scipy"), "at most", 1.4),
    Bar("vectors", "times the product alone, 1 judged", _times("1 judged", "product"), "at most", 1.5),
    Bar("vectors", "times the product alone, 50 judged", _times("50 judged", "product"), "at most", 2.5),
    Bar("vectors", "times as fast as product and full sort, 1 judged", _times("sort", "1 judged"), "at least", 10),
    Bar("vectors", "times as fast as product and full sort, 50 judged", _times("sort", "50 judged"), "at least", 10),
]


def check(results: Results) -> Iterator[tuple[Bar, float]]:
    """Return each target whose figure was measured, with that figure."""
    for bar in BARS:
        if bar.part in results.parts and (found := bar.figure(results.parts[bar.part])) is not None:
            yield bar, found
