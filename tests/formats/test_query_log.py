import io
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import InputError
from germane.formats.truth.query_log import _draw, fold, sample_queries


def folded(*lines: str) -> list[tuple[str, int]]:
    return [(query.text, query.frequency) for query in fold([line.encode() for line in lines], "log")]


def test_queries_that_differ_in_case_and_white_space_are_one() -> None:
    assert folded("BM25\n", "bm25", " bm25  \r\n", "", "pool\u00a0 depth", "Pool depth") == [
        ("bm25", 3),
        ("pool depth", 2),
    ]
    assert folded("STRASSE", "straße", "Straße", "straße") == [("straße", 4)]


def test_the_spelling_asked_most_often_is_kept() -> None:
    assert folded("Kappa", "kappa", "kappa", "KAPPA") == [("kappa", 4)]
    assert folded("Kappa", "kappa") == [("Kappa", 2)]


def test_counted_queries() -> None:
    assert folded("bm25\t3", "kappa\t1", "BM25\t4\r\n") == [("BM25", 7), ("kappa", 1)]


CSV_LOGS = [
    # source        lines                                            queries and counts                why
    ("log.csv",    ["query,count", "green,2", "Green,1"],           [("green", 3)],                   "a header"),
    ("log.csv.gz", ["Query", "green, dark", '"red, light"'],        None,                             "one field more"),
    ("log.csv",    ["Query", "green", '"red, light"', "green"],     [("green", 2), ("red, light", 1)], "a column"),
    ("log.csv",    ["day,frequency,query", "1,7,green", "2,1,red"], [("green", 7), ("red", 1)],       "any order"),
    ("<stdin>",    ["query,count", "green,2"],                      [("green", 2)],                   "by its header"),
    ("log.txt",    ["green,2", "query"],                            [("green,2", 1), ("query", 1)],   "no header"),
    ("log.csv",    ["green,2", "red,1"],                            None,                             "no header"),
    ("log.csv",    ["query,count,frequency", "a,1,1"],              None,                             "which one?"),
    ("log.csv",    ["query,count", "green"],                        None,                             "a field less"),
    ("log.csv",    ["query,count", ",3"],                           None,                             "no query"),
    ("log.csv",    ["query,count", '"green,3'],                     None,                             "an open quote"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "lines", "expected", "why"), CSV_LOGS)
def test_a_log_as_csv(source: str, lines: list[str], expected: list[tuple[str, int]] | None, why: str) -> None:
    data = [f"{line}\n".encode() for line in lines]
    if expected is None:
        with pytest.raises(InputError, match=source):
            fold(data, source)
    else:
        assert [(query.text, query.frequency) for query in fold(data, source)] == expected, why


BAD_LOGS = [
    ([], "log: expected queries, found none"),
    (["", " "], "log: expected queries, found none"),
    (["bm25\t0"], r"log:1: expected the count of the query \(an integer ≥ 1\), found '0'"),
    (["bm25\t-1"], "found '-1'"),
    (["bm25\tmany"], "found 'many'"),
    (["bm25\t1.5"], "found '1.5'"),
    (["bm25\t1", "kappa"], "log:2: expected 2 fields, as on previous lines, found 1 fields: 'kappa'"),
    (["bm25", "kappa\t2"], "log:2: expected 1 fields, as on previous lines, found 2 fields"),
    (["a\tb\tc"], "log:1: expected a query, or a query, a tab and its count, found 3 fields"),
    (["\t3"], "log:1: expected a query before the tab, found none"),
    (["a\x00b"], r"log:1: expected text, found byte 0x00 \(binary data\?\)"),
    (["a", b"\xff"], "log:2: expected UTF-8 text"),
]


@pytest.mark.parametrize(("lines", "expected"), BAD_LOGS)
def test_logs_that_are_wrong(lines: list[str | bytes], expected: str) -> None:
    data = [line if isinstance(line, bytes) else line.encode() for line in lines]
    with pytest.raises(InputError, match=expected):
        sample_queries(data, 1, seed=1)


def test_more_queries_than_there_are() -> None:
    with pytest.raises(InputError, match="log: expected at least 3 distinct queries, found 2"):
        sample_queries([b"a", b"b", b"A"], 3, seed=1)


LOG = [b"rare", *[b"common"] * 9]


def test_the_same_seed_gives_the_same_sample() -> None:
    lines = [f"q{i}\t{i}".encode() for i in range(1, 200)]
    first, again, other = (sample_queries(lines, 20, seed) for seed in (7, 7, 8))
    assert [query.text for query in first.queries] == [query.text for query in again.queries]
    assert [query.text for query in first.queries] != [query.text for query in other.queries]
    assert (first.num_distinct, first.num_asked, first.seed) == (199, 199 * 100, 7)


@pytest.mark.parametrize(("weighted", "share"), [(True, 0.9), (False, 0.5)])
def test_the_chance_of_a_query_is_its_share_of_the_log(weighted: bool, share: float) -> None:
    drawn = Counter(sample_queries(LOG, 1, seed, weighted=weighted).queries[0].text for seed in range(2000))
    assert drawn["common"] / 2000 == pytest.approx(share, abs=0.03)


def test_the_second_draw_is_in_proportion_to_what_is_left() -> None:
    # Counts 6, 3, 1: after the first query, the second comes before the third with probability 3 to 1.
    orders = Counter(tuple(_draw([6, 3, 1], 3, np.random.default_rng(seed))) for seed in range(4000))
    expected = {
        (0, 1, 2): 0.6 * 3 / 4,
        (0, 2, 1): 0.6 / 4,
        (1, 0, 2): 0.3 * 6 / 7,
        (1, 2, 0): 0.3 / 7,
        (2, 0, 1): 0.1 * 6 / 9,
    }
    for order, probability in expected.items():
        assert orders[order] / 4000 == pytest.approx(probability, abs=0.025)


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=20), st.data())
def test_each_query_is_drawn_at_most_once(counts: list[int], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(counts)))
    drawn = _draw(counts, size, np.random.default_rng(1))
    assert len(set(drawn)) == len(drawn) == size
    assert set(drawn) <= set(range(len(counts)))


WRONG_RECORDS = [
    # log                                       what is said
    (b'{"query": "wine"}\n{"query": \n', r"log:2: expected a JSON object, found"),
    (b'{"query": 7}\n', r"log:1: expected an object with text as 'query'"),
    (b"<top><num> Number: 1<narr> long</top>", r"log: expected a title for topic '1', found none"),
]


@pytest.mark.parametrize(("log", "said"), WRONG_RECORDS)
def test_what_is_wrong_with_records(log: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        sample_queries(io.BytesIO(log), 1, 0)


def test_records_and_topics_are_queries_and_what_is_left_out_is_named() -> None:
    sample = sample_queries(io.BytesIO(b'{"query": "wine", "count": 3, "user": "ann"}\n'), 1, 0)
    assert (sample.queries[0].text, sample.num_asked, sample.left_out) == ("wine", 3, ("user",))
    smart = b".I 273\n.W\nred\nwine\n.A\nann\n"
    sample = sample_queries(io.BytesIO(smart), 1, 0)
    assert ([query.text for query in sample.queries], sample.left_out) == (["red wine"], (".A",))
