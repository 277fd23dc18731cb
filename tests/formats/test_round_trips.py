"""Every format gives back what was written to it, and refuses what it cannot hold."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.errors import GermaneError, InputError
from germane.formats.rankings.detect import FORMATS
from germane.formats.rankings.ranking_files import format_for, read_qrels, read_run, write_qrels, write_run
from germane.formats.rows.number_text import judgments, sampled_rows
from germane.tables.columns.ids import Ids
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

RUN_FORMATS = [name for name, entry in FORMATS.items() if entry.write_run]
QRELS_FORMATS = [name for name, entry in FORMATS.items() if entry.write_qrels]
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def ids_of(lowest: int) -> st.SearchStrategy[bytes]:
    """Ids of bytes from the lowest one on, the difficult ones often; none starts like a comment."""
    difficult = [byte for byte in b'a1,"\t \n#' if byte >= lowest]
    byte = st.one_of(st.sampled_from(difficult), st.integers(lowest, 255))
    return st.lists(byte, min_size=1, max_size=4).map(bytes).filter(lambda data: not data.startswith((b"#", b"\xef")))


ANY_IDS = st.one_of(ids_of(0), st.just(b"#1"), st.just(b"\xef\xbb\xbf1"))
FIELD_IDS = ids_of(0x21)
DELIMITED_IDS = ids_of(0x20)
IDS = {"trec": FIELD_IDS, "msmarco": FIELD_IDS, "beir": DELIMITED_IDS, "csv": DELIMITED_IDS, "tsv": DELIMITED_IDS}


@st.composite
def runs(draw: st.DrawFn, name: str) -> Run:
    """Runs with everything that the format can hold."""
    ids = IDS.get(name, ANY_IDS)
    holds = FORMATS[name].holds
    pairs = draw(st.lists(st.tuples(ids, ids), min_size=1, max_size=8, unique=True))
    numbers = draw(st.lists(FINITE, min_size=len(pairs), max_size=len(pairs)))
    places = FINITE if "score" in holds else st.integers(0, 1 << 40).map(float)
    rank = draw(st.lists(places, min_size=len(pairs), max_size=len(pairs))) if "rank" in holds else None
    score = numbers if "score" in holds or rank is None else [-value for value in rank]
    tag = draw(ids) if "tag" in holds else None
    query, doc = zip(*pairs, strict=True)
    text = None if tag is None else tag.decode("utf-8", "surrogateescape")
    run = Run.from_columns(query, doc, score, rank, tag=text)
    if "empty queries" in holds:
        unused = draw(ids.filter(lambda data: data not in query))
        run = replace(run, queries=Ids.of([*run.queries, unused]))
    return run


@st.composite
def all_qrels(draw: st.DrawFn, name: str) -> Qrels:
    """Judgments with everything that the format can hold."""
    ids = IDS.get(name, ANY_IDS)
    holds = FORMATS[name].holds
    keys = draw(st.lists(st.tuples(ids, ids, ids), min_size=2, max_size=8, unique=True))
    query, doc, group = zip(*keys, strict=True)
    grouped = "groups" in holds and len(set(group)) > 1
    if not grouped:
        query, doc = zip(*dict.fromkeys(zip(query, doc, strict=True)), strict=True)
    grade = draw(st.lists(st.one_of(FINITE, st.integers(-1, 4)), min_size=len(query), max_size=len(query)))
    strata: tuple[bytes, ...] | None = None
    inclusion: tuple[float, ...] | None = None
    if "sampling" in holds and draw(st.booleans()):
        # One stratum and one probability per document, however many groups it has.
        chances = st.floats(0, 1, exclude_min=True)
        of_doc = {key: (draw(ids), draw(chances)) for key in dict.fromkeys(zip(query, doc, strict=True))}
        strata, inclusion = zip(*(of_doc[key] for key in zip(query, doc, strict=True)), strict=True)
    qrels = Qrels.from_columns(query, doc, grade, group if grouped else None, stratum=strata, inclusion=inclusion)
    if "scale" in holds:
        qrels = replace(qrels, scale=qrels.scale + 1)
    return replace(qrels, collection_size=7_000_000) if "collection size" in holds else qrels


def content(run: Run) -> object:
    """All that a run says. Order counts within a query (a dict of dicts brings the rows of a query together)."""
    rank = [None] * len(run.docs) if run.rank is None else run.rank.tolist()
    rows: dict[str, list[tuple[str, float, float | None]]] = {query: [] for query in run.queries}
    for code, doc, score, place in zip(run.query, run.docs, run.score, rank, strict=True):
        rows[run.queries[int(code)]].append((doc, float(score), place))
    return rows, run.tag


def qrels_content(qrels: Qrels) -> object:
    rows = sorted(zip(judgments(qrels), sampled_rows(qrels), strict=True))
    return rows, qrels.scale, qrels.collection_size, list(qrels.queries), qrels.grade.tolist()


def back_again(table: Run | Qrels, name: str, ending: str = "") -> Run | Qrels:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{ending}"
        if isinstance(table, Run):
            assert write_run(table, path, name) == []
            return read_run(path)
        assert write_qrels(table, path, name) == []
        return read_qrels(path)


@pytest.mark.parametrize("name", RUN_FORMATS)
@settings(max_examples=50)
@given(data=st.data())
def test_runs_come_back(name: str, data: st.DataObject) -> None:
    run = data.draw(runs(name))
    back = back_again(run, name)
    assert isinstance(back, Run)
    assert content(back) == content(run)


@pytest.mark.parametrize("name", QRELS_FORMATS)
@settings(max_examples=50)
@given(data=st.data())
def test_judgments_come_back(name: str, data: st.DataObject) -> None:
    qrels = data.draw(all_qrels(name))
    back = back_again(qrels, name)
    assert isinstance(back, Qrels)
    assert qrels_content(back) == qrels_content(qrels)


@pytest.mark.parametrize("ending", [".gz", ".zst", ".bz2", ".xz"])
@pytest.mark.parametrize("name", RUN_FORMATS)
def test_compressed_files_come_back(name: str, ending: str) -> None:
    run = Run.from_columns(["q1", "q1"], ["d1", "d2"], [-1.0, -2.0], [1, 2] if name == "msmarco" else None)
    if name == "trec":
        run = replace(run, rank=np.array([1.0, 2.0]), tag="t")
    assert content(back_again(run, name, ending)) == content(run)  # type: ignore[arg-type]


def test_what_trec_files_look_like(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_run(Run.from_columns(["q1", "q1", "q2"], ["d1", "d2", "d1"], [0.1, 1e-7, 3.0], tag="bm25"), path, "trec")
    assert path.read_text() == "q1 Q0 d1 1 0.1 bm25\nq1 Q0 d2 2 1e-07 bm25\nq2 Q0 d1 1 3.0 bm25\n"
    write_qrels(Qrels.from_dict({"q1": {"d1": 1, "d2": 0.5, "d3": -1}}), path, "trec")
    assert path.read_text() == "q1 0 d1 1\nq1 0 d2 0.5\nq1 0 d3 -1\n"


def test_without_ranks_a_trec_file_gets_the_places_by_score(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_run(Run.from_columns(["q", "q", "q"], ["d1", "d2", "d3"], [1, 2, 1], name="my run"), path, "trec")
    assert path.read_text() == "q Q0 d1 3 1.0 my_run\nq Q0 d2 1 2.0 my_run\nq Q0 d3 2 1.0 my_run\n"


def test_grades_are_whole_numbers_in_json_where_they_can_be(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_qrels(Qrels.from_dict({"q1": {"d1": 1, "d2": 0.5}}), path, "json")
    assert path.read_text().split() == ["{", '"q1":', "{", '"d1":', "1,", '"d2":', "0.5", "}", "}"]


def test_subtopics(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("q1 1 d1 1\nq1 2 d1 0\nq1 2 d2 2\n")
    qrels = read_qrels(path)
    assert qrels.groups is not None
    assert list(qrels.groups.labels) == ["1", "2"]
    assert qrels.grade.tolist() == [1, 2]
    write_qrels(qrels, path, "trec")
    assert path.read_text() == "q1 1 d1 1\nq1 2 d1 0\nq1 2 d2 2\n"


def test_a_second_column_that_is_the_same_everywhere_is_no_group(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("q1 Q0 d1 1\nq1 Q0 d2 0\n")
    assert read_qrels(path).groups is None


def test_tags(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("q1 Q0 d1 1 2 bm25\nq1 Q0 d2 2 1 bm25\n")
    assert read_run(path).tag == "bm25"
    path.write_text("q1 Q0 d1 1 2 bm25\nq1 Q0 d2 2 1 dense\n")
    assert read_run(path).tag is None


def test_a_rank_that_is_no_number_cannot_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("q1 Q0 d1 first 2 bm25\n")
    with pytest.raises(InputError, match="file:1: expected a finite number as rank, found 'first'"):
        read_run(path)


def test_scale_and_collection_size_are_told_or_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("q1 0 d1 1\n")
    told = read_qrels(path, scale=3, collection_size=1400)
    assert (told.scale, told.collection_size) == (3, 1400)
    write_qrels(told, path, "parquet")
    kept = read_qrels(path)
    assert (kept.scale, kept.collection_size) == (3, 1400)
    assert read_qrels(path, scale=4).scale == 4


PLAIN = Run.from_columns(["q1", "q1"], ["d1", "d2"], [2.5, 1.5])
GRADES = Qrels.from_dict({"q1": {"d1": 1}})
LOSSES: list[tuple[Run | Qrels, str, str]] = [
    # table                                                        format      what is lost
    (replace(PLAIN, tag="bm25"), "json", "the tag 'bm25'"),
    (replace(PLAIN, rank=np.array([2.0, 1.0])), "json", "ranks that differ from the score order"),
    (PLAIN, "msmarco", "the scores"),
    (replace(PLAIN, queries=Ids.of(["q1", "q2"])), "trec", "1 query without documents, such as 'q2'"),
    (Qrels.from_columns([b"q", b"q"], [b"d", b"d"], [0, 1], [b"1", b"2"]), "json", "the 2 groups"),
    (Qrels.from_columns([b"q", b"q"], [b"d", b"d"], [0, 1], [b"1", b"2"]), "beir", "the 2 groups"),
    (replace(GRADES, scale=4.0), "trec", "the highest grade of the scale, 4"),
    (replace(GRADES, collection_size=9), "jsonl", "the size of the collection, 9"),
]


@pytest.mark.parametrize(("table", "name", "lost"), LOSSES)
def test_what_a_format_cannot_hold_is_an_error_unless_accepted(
    table: Run | Qrels, name: str, lost: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    write: Callable[..., list[str]] = write_run if isinstance(table, Run) else write_qrels
    with pytest.raises(InputError, match=f"{name} format cannot store {lost}"):
        write(table, path, name)
    assert not path.exists()
    assert len(write(table, path, name, lossy=True)) == 1
    assert path.stat().st_size > 0


def test_ranks_that_say_what_the_scores_say_are_no_loss(tmp_path: Path) -> None:
    assert write_run(replace(PLAIN, rank=np.array([1.0, 2.0])), tmp_path / "file", "json") == []


IMPOSSIBLE_IDS = [
    ("trec", "a b"),
    ("trec", "#1"),
    ("msmarco", "a\tb"),
    ("tsv", "#1"),
    ("tsv", "a\tb"),
    ("csv", "a\nb"),
]


@pytest.mark.parametrize(("name", "query"), IMPOSSIBLE_IDS)
def test_ids_that_would_not_come_back_are_not_written(name: str, query: str, tmp_path: Path) -> None:
    run = Run.from_columns([query], ["d1"], [-1.0], [1])
    with pytest.raises(InputError, match="this format cannot store the query id"):
        write_run(run, tmp_path / "file", name)
    assert list(tmp_path.iterdir()) == []


def test_a_tag_with_white_space_is_not_written_to_a_trec_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot store the tag 'my run'"):
        write_run(replace(PLAIN, tag="my run"), tmp_path / "file", "trec")


ENDINGS = [
    ("x.run", "trec"),
    ("x.qrels.gz", "trec"),
    ("x.JSON", "json"),
    ("x.feather", "arrow"),
    ("x.tsv.zst", "tsv"),
    ("-", "trec"),
]


@pytest.mark.parametrize(("path", "name"), ENDINGS)
def test_the_ending_says_the_format_to_write(path: str, name: str) -> None:
    assert format_for(path, None, "run").name == name


def test_formats_that_cannot_be_written() -> None:
    with pytest.raises(InputError, match=r"x\.doc: cannot infer the format from the file extension"):
        format_for("x.doc", None, "run")
    with pytest.raises(GermaneError, match="unknown format 'paquet'; did you mean parquet"):
        format_for("x", "paquet", "run")
    with pytest.raises(GermaneError, match=r"beir is not a format for runs\nHint: choose from trec, msmarco, csv"):
        format_for("x", "beir", "run")
    with pytest.raises(GermaneError, match="msmarco is not a format for judgments"):
        format_for("x", "msmarco", "qrels")


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_describes_itself(name: str, tmp_path: Path) -> None:
    entry = FORMATS[name]
    assert entry.description
    assert entry.kinds
    if entry.example:
        path = tmp_path / "file"
        path.write_text(entry.example)
        read = read_run if "run" in entry.kinds else read_qrels
        assert len(read(path, format=name).docs) == 1
