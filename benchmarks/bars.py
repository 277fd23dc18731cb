"""Speed targets of the project, checked against the measured results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from benchmarks.parts.growth import GROWING, STREAMED
from benchmarks.results import Part, Results, Row

ALONE = "germane, one core"
SPACES = "tantivy, split at spaces"


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


def _per_second(name: str) -> Callable[[Part], float | None]:
    return lambda part: None if (row := part.row(name)) is None else 1 / row.seconds


def _size(name: str) -> Callable[[Part], float | None]:
    return lambda part: None if (row := part.row(name)) is None else row.disk_mb


def _growth_of_time(part: Part) -> float | None:
    """Seconds per line of the longest file, relative to the second longest."""
    if len(part.rows) < 2:
        return None
    shorter, longer = (row.seconds / (row.lines or 1) for row in part.rows[-2:])
    return longer / shorter


def _growth_of_memory(part: Part) -> float | None:
    """Bytes of peak memory for each further line of the longest file, relative to the second longest.

    A line is 36 bytes long; the judgments grow with the lines. Shorter files do not fill all buffers.
    """
    if len(part.rows) < 2:
        return None
    shorter, longer = part.rows[-2:]
    if shorter.peak_mb is None or longer.peak_mb is None or not shorter.lines or not longer.lines:
        return None
    return (longer.peak_mb - shorter.peak_mb) * 1e6 / (longer.lines - shorter.lines)


def _rows_of(part: Part, work: str) -> list[Row]:
    """The rows of one kind of work, which are called by its name and the number of lines."""
    return [row for row in part.rows if row.name.rpartition(" ")[0] == work]


def _of_work(figure: Callable[[Part], float | None], work: str) -> Callable[[Part], float | None]:
    """The figure of the rows of one kind of work."""
    return lambda part: figure(replace(part, rows=rows)) if (rows := _rows_of(part, work)) else None


BARS = [
    Bar("files", "times as long as germane: pytrec_eval", _times("pytrec_eval", "germane"), "at least", 15),
    Bar("files", "times as long as germane: ir_measures", _times("ir_measures", "germane"), "at least", 25),
    Bar("files", "times as long as germane: ranx", _times("ranx", "germane"), "at least", 35),
    Bar("files", "peak memory in MB", _peak("germane"), "at most", 250),
    Bar("files", "times as long as sorted: unsorted", _times("germane, unsorted", "germane"), "at most", 6),
    Bar("files", "times as long as sorted: interleaved", _times("germane, interleaved", "germane"), "at most", 6),
    Bar("growth", "time per line, longest file against the one before", _growth_of_time, "at most", 1.25),
    Bar("growth", "bytes of memory for each further line", _growth_of_memory, "at most", 1),
    *(
        Bar(
            "growth of others",
            f"time per line, {GROWING[work].label}: largest input against the one before",
            _of_work(_growth_of_time, work),
            "at most",
            1.25,
        )
        for work in GROWING
    ),
    *(
        Bar(
            "growth of others",
            f"bytes of memory for each further line, {GROWING[work].label}",
            _of_work(_growth_of_memory, work),
            "at most",
            2,
        )
        for work in STREAMED
    ),
    Bar("trec_eval", "times as long as germane: two measures", _times("two trec_eval", "two germane"), "at least", 10),
    Bar("trec_eval", "times as long as germane: all, by query", _times("all trec_eval", "all germane"), "at least", 4),
    Bar("trec_eval", "peak memory in MB: two measures", _peak("two germane"), "at most", 250),
    Bar("trec_eval", "peak memory in MB: all, by query", _peak("all germane"), "at most", 580),
    Bar("check", "seconds", _seconds("check"), "at most", 2),
    Bar("check", "peak memory against eval", _of_peaks("check", "eval"), "at most", 1.5),
    Bar("convert", "seconds, text to Parquet", _seconds("to parquet"), "at most", 4),
    Bar("convert", "seconds, Parquet to text", _seconds("to text"), "at most", 4),
    Bar("convert", "peak memory in MB, text to Parquet", _peak("to parquet"), "at most", 400),
    Bar("convert", "peak memory in MB, Parquet to text", _peak("to text"), "at most", 400),
    Bar("memory", "times as fast as pytrec_eval: dicts", _times("pytrec_eval", "dicts"), "at least", 3),
    Bar("memory", "times as fast as pytrec_eval: Arrow strings", _times("pytrec_eval", "arrow"), "at least", 10),
    Bar("memory", "times as fast as pytrec_eval: NumPy integers", _times("pytrec_eval", "integers"), "at least", 10),
    Bar("memory", "times as fast as pytrec_eval: NumPy bytes", _times("pytrec_eval", "bytes"), "at least", 10),
    Bar("parquet", "times as long as pyarrow reading three columns", _times("germane", "pyarrow"), "at most", 1.5),
    Bar("parquet", "times as long as germane: polars ranking it", _times("polars", "germane"), "at least", 1),
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
    Bar("many classes", "times as fast as sklearn", _times("every sklearn", "every germane"), "at least", 5),
    Bar("labelled files", "seconds for ten million rows of CSV", _seconds("classify csv"), "at most", 5),
    Bar("labelled files", "peak memory in MB", _peak("classify csv"), "at most", 1500),
    Bar("labelled files", "seconds of a stream: CSV", _seconds("stream csv"), "at most", 5),
    Bar("labelled files", "seconds of a stream: Parquet", _seconds("stream parquet"), "at most", 5),
    Bar("labelled files", "peak memory of a stream in MB: CSV", _peak("stream csv"), "at most", 250),
    Bar("labelled files", "peak memory of a stream in MB: Parquet", _peak("stream parquet"), "at most", 250),
    Bar(
        "labelled files",
        "four times the rows: times as long",
        _times("classify csv, 4 times", "classify csv"),
        "at most",
        5,
    ),
    Bar("labelled files", "four times the rows: a stream", _times("stream csv, 4 times", "stream csv"), "at most", 5),
    Bar(
        "labelled files",
        "four times the rows: memory of a stream",
        _of_peaks("stream csv, 4 times", "stream csv"),
        "at most",
        1.2,
    ),
    Bar("scorer", "times as long as roc_auc_score", _times("scorer germane", "scorer sklearn"), "at most", 1.5),
    Bar("indexing", "times as long as tantivy, same analysis", _times("germane", "tantivy"), "at most", 0.9),
    Bar("indexing", "times as long as tantivy, split at spaces", _times("germane", SPACES), "at most", 0.9),
    Bar(
        "indexing",
        "times as long as tantivy, same analysis: one core",
        _times(ALONE, "tantivy, one core"),
        "at most",
        1.3,
    ),
    Bar(
        "indexing",
        "times as long as tantivy, split at spaces: one core",
        _times(ALONE, f"{SPACES}, one core"),
        "at most",
        1.3,
    ),
    Bar("indexing", "times as long as tantivy: file", _times("file germane", "file tantivy"), "at most", 0.9),
    Bar("indexing", "peak memory in MB: file", _peak("file germane"), "at most", 500),
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
    Bar("vectors", "times as fast as FAISS: the 100 nearest", _times("faiss", "nearest"), "at least", 1),
    Bar("judging", "acknowledged answers per second", _per_second("answer"), "at least", 200),
    Bar("judging", "seconds until acknowledged, 99th percentile", _seconds("p99"), "at most", 0.1),
    Bar(
        "judging",
        "the same beside pages and commands, ten times the documents",
        _seconds("large p99"),
        "at most",
        0.25,
    ),
]


def check(results: Results) -> Iterator[tuple[Bar, float]]:
    """Return each target whose figure was measured, with that figure."""
    for bar in BARS:
        if bar.part in results.parts and (found := bar.figure(results.parts[bar.part])) is not None:
            yield bar, found
