"""`evaluate`: score runs against judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, get_args

import numpy as np

from germane.api.rankings.parallel_evaluation import helpers_for, score_all
from germane.api.rankings.run_scoring import ScoredRun, Scoring, score_run
from germane.arguments import checked
from germane.distributed.spark_run import FusedFrame, SparkRun, is_spark_frame, lies_on_spark
from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.files.part_folders import CHOICE, files_of, hidden_files, is_folder, parts_of
from germane.formats.files.sources import display_name, meant_inside
from germane.formats.rankings.scan import match_file
from germane.formats.rows.column_names import has_names
from germane.measures.caveats import notes_on_qrels
from germane.measures.definition import MEASURES
from germane.measures.foreign_names import TrecVersion
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.notes.counts import notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.matching import match, match_dict
from germane.tables.rankings.qrels import Qrels, scale_for
from germane.tables.rankings.run import Run
from germane.tables.results.result import Inputs
from germane.tables.results.scores import MeanIntervals, RunInfo, Scores
from germane.types import ScoreType, Topics

if TYPE_CHECKING:
    from germane.types import MeasuresLike, Progress, QrelsLike, RunLike, RunsLike, SlicesLike

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@1000")


@checked
def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = DEFAULT_MEASURES,
    *,
    ties: Ties = "docno",
    topics: Topics = "qrels",
    score_type: ScoreType | None = None,
    trec_version: TrecVersion = 10,
    bounds: bool = False,
    interval: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    slices: SlicesLike | None = None,
    scale: float | None = None,
    collection_size: int | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score runs against judgments by measures, query by query.

    Judgments and runs are paths (``-`` is standard input), dicts of dicts, rows, arrays or data frames; `runs` is one
    of these, a folder of run files, a list, or a dict by name. Many files are scored in parallel. Runs in Spark frames
    are matched on the cluster. trec_eval's names of measures give its numbers in `trec_version`, 10 or 9; `score_type`
    is float64 by default, and float32 with version 9, as in trec_eval. `bounds` adds the lowest and highest value that
    unjudged documents could give, `interval` an interval for each mean (normal, t, percentile, bca or studentised);
    `slices` assigns queries to groups; `progress` is called after each run with the number of runs done, and of all.

    >>> scores = evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 2.0, "d1": 1.0}}, ["RR", "P@1"])
    >>> scores.mean()
    {'run': {'RR': 0.5, 'P@1': 0.0}}
    >>> scores["run", "RR"]
    {'q1': 0.5}
    """
    score_type = score_type_of(score_type, trec_version)
    require_choices((ties, Ties, "ties"), (topics, Topics, "topics"), (score_type, ScoreType, "score_type"))
    asked = MEASURES.of_version(trec_version).parse_many(measures)
    wanted = list(dict.fromkeys(asked.values()))
    if not wanted:
        raise GermaneError("expected at least one measure, found none", hint="for example nDCG@10")
    scoring = Scoring(tuple(wanted), ties, topics, score_type, bounds, run_format)
    with helpers_for(_files(runs), scoring) as helpers:
        truth = load_qrels(qrels, scale=scale, collection_size=collection_size, format=qrels_format)
        named = named_runs(runs)
        if any(lies_on_spark(source) for _, source in named):
            from germane.api.rankings.spark_runs import judged_where_they_lie

            named = judged_where_they_lie(truth, named, ties, score_type)
        grouped: dict[str, tuple[str, ...]] = {}
        if slices is not None:
            from germane.formats.rows.slices import read_slices

            grouped = read_slices(slices, list(truth.queries))
        shape = (len(named), len(wanted), truth.num_queries)
        values, numerator, denominator, low, high = (np.empty(shape) for _ in range(5))
        scored, in_run = (np.ones((len(named), truth.num_queries), dtype=bool) for _ in range(2))
        notes_by_run: dict[int, tuple[Note, ...]] = {}

        def score(r: int) -> ScoredRun:
            info, source = named[r]
            return judge_and_score(truth, source, info.name, scoring)

        def keep(r: int, run: ScoredRun) -> None:
            values[r], numerator[r], denominator[r], scored[r] = run.values, run.numerator, run.denominator, run.scored
            if run.low is not None and run.high is not None:
                low[r], high[r] = run.low, run.high
            notes_by_run[r], in_run[r] = run.notes, run.in_run
            if progress is not None:
                progress(len(notes_by_run), len(named))

        score_all(named, truth, scoring, helpers, score=score, keep=keep)
    for folder in _folders(runs):
        inside = set(files_of(folder))
        _require_runs(folder, in_run[[info.path in inside for info, _ in named]])
    notes = [*_notes_on_folders(runs), *notes_on_qrels(truth, wanted)]
    notes += [note for r in range(len(named)) for note in notes_by_run[r]]
    reading: dict[str, Any] = {"ties": ties, "score_type": score_type, "trec_version": trec_version, "scale": scale}
    reading |= {"collection_size": collection_size, "qrels_format": qrels_format, "run_format": run_format}
    result = Scores(
        runs=tuple(info for info, _ in named),
        measures=tuple(wanted),
        queries=tuple(truth.queries),
        values=values,
        numerator=numerator,
        denominator=denominator,
        scored=scored,
        totals=np.asarray([MEASURES[measure].total for measure in wanted]),
        ties=ties,
        topics=topics,
        score_type=score_type,
        notes=tuple(notes),
        low=low if bounds else None,
        high=high if bounds else None,
        slices=grouped,
        asked=asked,
        lower_better=frozenset(str(m) for m in wanted if MEASURES[m].better == "lower"),
        neutral=frozenset(str(m) for m in wanted if MEASURES[m].better == "neither"),
        inputs=Inputs((qrels, runs, list(asked)), reading),
    )
    return result if interval is None else with_intervals(result, interval, level, seed)


def require_choices(*given: tuple[object, Any, str]) -> None:
    """Refuse a value that is not a choice of its type; each value comes with its type and name."""
    for value, kind, what in given:
        words = get_args(kind)
        if value not in words:
            near = did_you_mean(str(value), words)
            raise GermaneError(f"expected {what} to be one of {', '.join(words)}, found {value!r}{near}")


def judge_and_score(qrels: Qrels, source: Any, name: str, scoring: Scoring) -> ScoredRun:
    """Read, match and measure one run."""
    ties, held, layout = scoring.ties, scoring.score_type, scoring.run_format
    return score_run(judge_run(qrels, source, name=name, ties=ties, score_type=held, format=layout), scoring)


def with_intervals(scores: Scores, method: str = "t", level: float = 0.95, seed: int = 0) -> Scores:
    """Return the scores with an interval for each mean; counts, which are summed, have none."""
    from germane.stats.intervals.means import mean_interval

    place = {query: i for i, query in enumerate(scores.queries)}
    slices = {"": list(range(len(scores.queries)))}
    slices.update({label: [place[query] for query in queries] for label, queries in scores.slices.items()})
    ends = {}
    for label, queries in slices.items():
        low, high = np.full((2, len(scores.runs), len(scores.measures)), np.nan)
        for r in range(len(scores.runs)):
            values = scores.values[r][:, queries].T
            for columns in _complete_together(values):
                known = values[~np.isnan(values[:, columns[0]])][:, columns]
                if len(known) > 1 or not label:  # a slice of one query has no interval
                    interval = mean_interval(known, method, level, seed=seed)
                    low[r, columns], high[r, columns] = interval.low, interval.high
        low[:, scores.totals], high[:, scores.totals] = np.nan, np.nan
        ends[label] = low, high
    return replace(scores, intervals=MeanIntervals(method, level, seed, ends))


def _complete_together(values: FloatArray) -> list[list[int]]:
    """Return groups of columns that are undefined for the same queries, so that they can share resamples."""
    groups: dict[bytes, list[int]] = {}
    for column in range(values.shape[1]):
        missing = np.isnan(values[:, column])
        if not missing.all():
            groups.setdefault(missing.tobytes(), []).append(column)
    return list(groups.values())


def score_type_of(score_type: ScoreType | None, trec_version: TrecVersion) -> ScoreType:
    """Return the score precision: as given, else that of the trec_eval version."""
    return score_type or ("float32" if trec_version == 9 else "float64")


@checked
def load_qrels(
    qrels: QrelsLike,
    *,
    scale: float | None = None,
    collection_size: int | None = None,
    format: str | None = None,  # noqa: A002
) -> Qrels:
    """Load judgments from a path, a dict, rows, arrays or a data frame."""
    if isinstance(qrels, str | Path):
        from germane.formats.rankings.ranking_files import read_qrels

        if is_folder(qrels) and parts_of(qrels) is None:
            hint = meant_inside(qrels) or f"are QRELS and RUNS swapped? {CHOICE}"
            raise InputError(qrels, None, "expected a file or a table in parts, found a folder", hint=hint)
        return read_qrels(qrels, format=format, scale=scale, collection_size=collection_size)
    if isinstance(qrels, Qrels):
        if scale is not None:
            qrels = replace(qrels, scale=scale_for(qrels.grade, scale, qrels.name))
        return qrels if collection_size is None else replace(qrels, collection_size=collection_size)
    from germane.formats.rows.memory import qrels_from

    if is_spark_frame(qrels):
        from germane.distributed.frames import collected_qrels

        qrels = collected_qrels(qrels)
    return qrels_from(qrels, scale=scale, collection_size=collection_size)


@checked
def judge_run(
    qrels: QrelsLike,
    run: RunLike,
    *,
    name: str = "run",
    ties: Ties = "docno",
    score_type: str = "float64",
    format: str | None = None,  # noqa: A002
) -> JudgedRun:
    """Load a run and match it with judgments."""
    qrels = load_qrels(qrels)
    if isinstance(run, JudgedRun):
        if run.qrels is not qrels or run.ties != ties:
            hint = "pass the original run, or the same Qrels and ties"
            raise GermaneError(f"{run.name} was matched with other judgments, or with ties={run.ties}", hint=hint)
        judged_run = run
    elif isinstance(run, str | Path):
        judged_run = match_file(qrels, run, ties=ties, score_type=score_type, format=format)
    elif lies_on_spark(run):
        from germane.api.rankings.spark_runs import one_run_where_it_lies

        judged_run = one_run_where_it_lies(qrels, run, name, ties, score_type)
    elif _is_plain_dict(run):
        judged_run = match_dict(qrels, run, ties=ties, score_type=score_type, name=name)
    else:
        from germane.formats.rows.memory import run_from

        judged_run = match(qrels, run_from(run, name=name, check_duplicates=False), ties=ties, score_type=score_type)
    _require_room(judged_run)
    _require_shared_queries(judged_run, path_of(run) or name)
    return replace(judged_run, name=name)


def _is_plain_dict(run: Any) -> TypeGuard[dict[str, dict[str, float]]]:
    """Whether this is a dict of dicts whose ids are all text, which can be matched without a copy."""
    if not isinstance(run, dict) or not all(isinstance(q, str) and isinstance(docs, dict) for q, docs in run.items()):
        return False
    try:
        for docs in run.values():
            "".join(docs)  # the fastest test whether all ids are text
    except TypeError:
        return False
    return True


def judged_runs(
    qrels: QrelsLike,
    named: Iterable[tuple[RunInfo, Any]],
    *,
    ties: Ties = "docno",
    score_type: ScoreType | None = None,
    trec_version: TrecVersion = 10,
    scale: float | None = None,
    collection_size: int | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
) -> Iterator[JudgedRun]:
    """Yield runs matched with judgments, read as `evaluate` does."""
    truth = load_qrels(qrels, scale=scale, collection_size=collection_size, format=qrels_format)
    held = score_type_of(score_type, trec_version)
    for info, source in named:
        yield judge_run(truth, source, name=info.name, ties=ties, score_type=held, format=run_format)


def named_runs(runs: Any) -> list[tuple[RunInfo, Any]]:
    """Return one entry per run, each with a distinct name."""
    if isinstance(runs, Mapping) and runs and not _is_run(runs):
        given = [(str(name), run) for name, run in runs.items()]
    else:
        given = [(_own_name(file), file) for run in several_runs(runs) for file in files_of(run)]
    if not given:
        raise GermaneError("expected at least one run, found none")
    sources = [run for _, run in given]
    infos = map(RunInfo, _distinct([name for name, _ in given], sources), map(path_of, sources))
    return list(zip(infos, sources, strict=True))


def path_of(source: Any) -> str | None:
    """Return the path of a source, if it is a file."""
    return str(source) if isinstance(source, str | Path) else None


def several_runs(runs: Any) -> list[Any]:
    """Return the runs of a list, or the single run that was given."""
    return list(runs) if isinstance(runs, list | tuple) and not _is_rows(runs) else [runs]


def _is_run(runs: Mapping[Any, Any]) -> bool:
    """Whether a dict is itself a run (queries, or columns), and not runs by name."""
    first = next(iter(runs.values()))
    if isinstance(first, Mapping):
        value = next(iter(first.values()), 0.0)
        return not isinstance(value, Mapping) and np.ndim(value) == 0
    return has_names(list(map(str, runs)))


def _is_rows(runs: Sequence[Any]) -> bool:
    """Whether a sequence is rows of one run, or columns of one, and not several runs."""
    first = runs[0] if len(runs) else None
    if isinstance(first, tuple | list):
        return not any(isinstance(value, list | tuple | dict | np.ndarray) for value in first)
    return isinstance(first, np.ndarray)


def _own_name(run: Any) -> str:
    if isinstance(run, str | Path):
        return display_name(run)
    if isinstance(run, FusedFrame):
        return run.tag
    return str(run.name) if isinstance(run, Run | JudgedRun) else "run"


def _distinct(names: list[str], runs: list[Any]) -> list[str]:
    """Return distinct names: the path where file names are equal, with a number where paths are equal too."""
    if len(set(names)) < len(names):
        paths = [path_of(run) or name for name, run in zip(names, runs, strict=True)]
        names = [path if names.count(name) > 1 else name for name, path in zip(names, paths, strict=True)]
    distinct: list[str] = []
    for name in names:
        # A number must not create the name of another run, or tables by name would merge the two.
        numbered = (f"{name}-{number}" for number in count(2))
        taken = {*distinct, *names}
        distinct.append(name if name not in distinct else next(each for each in numbered if each not in taken))
    return distinct


def _require_shared_queries(run: JudgedRun, source: str) -> None:
    """Refuse a run with a query id that almost equals a judged one, which would silently lower the scores."""
    missing = {_bare(run.qrels.queries[int(i)]): run.qrels.queries[int(i)] for i in np.flatnonzero(~run.in_run)}
    for query in run.unknown_queries:
        if (meant := missing.get(_bare(query))) is not None:
            problem = f"query {query!r} is not in {run.qrels.name}; did you mean {meant!r}?"
            hint = "use the same query ids in both; white space, leading zeros and capitals matter"
            raise InputError(source, None, problem, hint=hint)
    if not run.in_run.any():
        theirs = ", ".join(run.unknown_queries[:3]) or "none"
        ours = ", ".join(list(run.qrels.queries)[:3])
        problem = f"run and qrels share no query: the run has {theirs}, {run.qrels.name} has {ours}"
        raise InputError(source, None, problem, hint="check that both use the same query ids")


def _require_room(run: JudgedRun) -> None:
    """Refuse a collection size below the number of documents retrieved or judged for a query."""
    if (size := run.qrels.collection_size) is None:
        return
    listed = np.diff(run.qrels.start) - np.bincount(run.query, minlength=run.num_queries)
    most = int((run.num_retrieved + listed).max(initial=0))
    if size < most:
        problem = f"expected a collection size of at least {most} (documents listed for one query), found {size}"
        raise InputError(run.name, None, problem, hint="correct `collection_size=…`")


def _bare(query: str) -> str:
    return query.strip().lstrip("0").casefold()


def _notes_on_folders(runs: Any) -> list[Note]:
    """Return notes on hidden files, which are skipped in folders of runs."""
    found = [(hidden_files(folder), f"in {folder}; skipped") for folder in _folders(runs)]
    return [note for files, what in found for note in notes_on_ids("hidden-files", files, "hidden file", what)]


def _files(runs: Any) -> list[Path]:
    """Return the files of runs that are clearly files, in folders or in a list; errors come when they are read."""
    several = list(runs.values()) if isinstance(runs, Mapping) else several_runs(runs)
    with suppress(OSError, GermaneError):
        return [Path(file) for run in several if isinstance(run, str | Path) for file in files_of(run)]
    return []


def _folders(runs: Any) -> list[str | Path]:
    """Return the folders among the given runs."""
    if isinstance(runs, Mapping):
        frames = [run for run in runs.values() if isinstance(run, SparkRun)]
        return list(dict.fromkeys(run.folder for run in frames if run.folder is not None))
    return [run for run in several_runs(runs) if is_folder(run) and parts_of(run) is None]


def _require_runs(folder: str | Path, in_run: BoolArray) -> None:
    """Refuse files that share no judged query: they may be parts of one run, and each would get a wrong mean."""
    if len(in_run) > 1 and in_run.sum(axis=0).max(initial=0) <= 1:
        problem = f"expected runs for the same queries, found {len(in_run)} files that share no judged query"
        raise InputError(folder, None, problem, hint=CHOICE)
