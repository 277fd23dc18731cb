"""Strategies: printed and parsed, ordered by simplicity, and ranking as their parts do."""

import math
from pathlib import Path

import numpy as np
import pytest

from germane.api.retrieval.fusion import fuse
from germane.api.retrieval.retrieval import retrieve
from germane.errors import GermaneError, InputError
from germane.learning.strategies.space import DEFAULT_SPACE, expand, read_space
from germane.learning.strategies.strategy import Simplicity, Strategy, parse_strategy
from germane.retrieval.indexes.index import Index
from germane.retrieval.search import Ranking
from germane.tables.rankings.run import Run

TEXTS = {
    "d1": "wine wine wine", "d2": "wine wine rose", "d3": "wine merlot grape", "d4": "merlot grape grape", "d5": "rose",
    "d6": "beer", "d7": "beer malt hops", "d8": "malt hops", "d9": "water",
}  # fmt: skip
INDEX = Index.of(TEXTS, analyser="plain")
QUERIES = {"1": "wine", "2": "beer rose", "3": "vodka"}

WRITTEN = [
    # as somebody writes it                           as it is printed                              parts, changed
    ("bm25", "BM25", (1, 0)),
    (" BM25( k1=.9, b=0.40 ) ", "BM25(k1=0.9,b=0.4)", (1, 2)),
    ("BM25(k1=1.2)", "BM25", (1, 0)),  # that is the default
    ("BM25+", "BM25(variant=plus)", (1, 1)),
    ("BM25++rm3", "BM25(variant=plus)+rm3", (2, 1)),
    ("QL+ rm3(terms=20)", "QL+rm3(terms=20)", (2, 1)),
    ("QL+probabilistic(expand=5,model=BM25(k1=2))", "QL+probabilistic(model=BM25(k1=2),expand=5)", (2, 2)),
    ("fuse(rrf, BM25, QL)", "fuse(rrf,BM25,QL)", (3, 0)),
    ("fuse(rrf(k=10), BM25(b=.4)+rm3, QL, VSM)", "fuse(rrf(k=10),BM25(b=0.4)+rm3,QL,VSM)", (5, 2)),
    ("fuse(combsum,BM25,QL,normalise=minmax)", "fuse(combsum,BM25,QL)", (3, 0)),  # the default too
    ("fuse(weighted,PL2,QL,normalise=zmuv,weights=2/.5)", "fuse(weighted,PL2,QL,normalise=zmuv,weights=2/0.5)", (3, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "printed", "simplicity"), WRITTEN)
def test_what_is_written_is_printed_and_parsed_back(text: str, printed: str, simplicity: tuple[int, int]) -> None:
    strategy = parse_strategy(text)
    assert str(strategy) == printed
    assert parse_strategy(printed) == strategy
    assert hash(parse_strategy(printed)) == hash(strategy)
    assert strategy.simplicity == Simplicity(*simplicity)


def test_fewer_parts_are_simpler_then_fewer_changes() -> None:
    texts = ["fuse(rrf,BM25,QL)", "BM25+rm3(terms=20)", "BM25(k1=0.9,b=0.4)", "QL", "BM25+rm3"]
    assert sorted(texts, key=lambda text: parse_strategy(text).simplicity) == [
        "QL", "BM25(k1=0.9,b=0.4)", "BM25+rm3", "BM25+rm3(terms=20)", "fuse(rrf,BM25,QL)",
    ]  # fmt: skip


WRONG = [
    ("BM52", "unknown model 'BM52'; did you mean BM25"),
    ("BM25(k3x=1)", "BM25 has no parameter 'k3x'"),
    ("BM25+rm33", "unknown feedback method 'rm33'"),
    ("BM25+rm3(words=3)", "rm3 has no parameter 'words'"),
    ("fuse(rff,BM25,QL)", "unknown fusion method 'rff'; did you mean rrf"),
    ("fuse(rrf,BM25)", "at least two parts to fuse, found 1"),
    ("fuse()", "found nothing"),
    ("fuse", "found nothing"),
    ("fuse(rrf,BM25,QL", r"expected a fusion such as fuse\(METHOD"),
    ("fuse(rrf,BM25),QL)", "expected a model such as BM25"),
    ("fuse(rrf,BM25,QL,normalise=zmuv)", "uses only ranks, so normalise is not supported"),
    ("fuse(combsum,BM25,QL,normalise=zmvv)", "unknown normalisation 'zmvv'"),
    ("fuse(rrf,BM25,QL,weights=1)", "expected 2 weights, one for each part, found 1"),
    ("fuse(rrf,BM25,QL,weights=0/0)", "not all 0"),
    ("fuse(rrf,BM25,QL,weights=a/b)", "weights such as 2/1"),
    ("fuse(rrf,BM25,QL,weights=1/2,weights=2/1)", "expected weights once, found it twice"),
    ("", "expected a model"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_slip_is_told(text: str, message: str) -> None:
    with pytest.raises(GermaneError, match=message) as raised:
        parse_strategy(text)
    assert raised.value.message.startswith(f"strategy {text!r}")


def test_several_parts_need_a_fusion() -> None:
    one = parse_strategy("BM25").parts[0]
    with pytest.raises(GermaneError, match="one part without fusion"):
        Strategy((one, one))
    with pytest.raises(GermaneError, match="normalise and weights require fuse"):
        Strategy((one,), normalise="max")


def by_id(rankings: list[Ranking]) -> dict[str, dict[str, float]]:
    return {
        query: {INDEX.doc_id(int(doc)): score for doc, score in zip(ranking.docs, ranking.scores.tolist(), strict=True)}
        for query, ranking in zip(QUERIES, rankings, strict=True)
    }


@pytest.mark.parametrize("text", ["BM25", "QL(mu=10)", "BM25+rm3(documents=2)", "QL+bo1", "BM25+rocchio"])
def test_one_part_ranks_as_retrieve_does(text: str) -> None:
    model, _, feedback = text.partition("+")
    run = retrieve(INDEX, QUERIES, model=model, feedback=feedback or None).run
    expected: dict[str, dict[str, float]] = {query: {} for query in QUERIES}
    for query, doc, score in zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True):
        expected[run.queries[query]][doc] = score
    assert by_id(parse_strategy(text).rank(INDEX, list(QUERIES.values()))) == expected


@pytest.mark.parametrize("text", ["fuse(rrf,BM25,QL+rm3)", "fuse(weighted,BM25,VSM,normalise=zmuv,weights=2/1)"])
def test_a_fusion_ranks_as_fuse_does(text: str) -> None:
    strategy = parse_strategy(text)
    runs = {
        str(number): by_id(Strategy((part,)).rank(INDEX, list(QUERIES.values())))
        for number, part in enumerate(strategy.parts)
    }
    weights = None if strategy.weights is None else {str(n): weight for n, weight in enumerate(strategy.weights)}
    run = fuse(runs, strategy.fusion, normalise=strategy.normalise, weights=weights)  # type: ignore[arg-type]
    assert isinstance(run, Run)
    expected: dict[str, dict[str, float]] = {query: {} for query in QUERIES}
    for query, doc, score in zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True):
        expected[run.queries[query]][doc] = score
    found = by_id(strategy.rank(INDEX, list(QUERIES.values())))
    assert found["3"] == {}
    assert {query: pytest.approx(docs) for query, docs in expected.items()} == found
    assert [len(ranking) for ranking in strategy.rank(INDEX, list(QUERIES.values()), k=2)] == [2, 2, 0]


def test_more_than_nine_queries_keep_their_places() -> None:
    queries = [*["vodka"] * 9, "beer", "wine", "rose"]
    alone = [parse_strategy("fuse(rrf,BM25,QL)").rank(INDEX, [query])[0].docs.tolist() for query in queries]
    together = [ranking.docs.tolist() for ranking in parse_strategy("fuse(rrf,BM25,QL)").rank(INDEX, queries)]
    assert together == alone


def test_settings_name_every_parameter() -> None:
    assert parse_strategy("QL+bo1").settings["bo1.documents"] == 3
    fused = parse_strategy("fuse(rrf(k=5),BM25(k1=0.9),BM25)").settings
    assert (fused["1.BM25.k1"], fused["2.BM25.k1"], fused["rrf.k"]) == (0.9, 1.2, 5)


EXPANDED = [
    ("BM25(k1={0.9,1.2})", ["BM25(k1=0.9)", "BM25"]),
    ("{BM25,QL}{,+rm3}", ["BM25", "BM25+rm3", "QL", "QL+rm3"]),
    ("QL(mu={100..300..100})", ["QL(mu=100)", "QL(mu=200)", "QL(mu=300)"]),
    ("BM25(b={0..0.3..0.1})", ["BM25(b=0)", "BM25(b=0.1)", "BM25(b=0.2)", "BM25(b=0.3)"]),
    ("BM25(k1={1.2,1.20})", ["BM25"]),  # equal ones once
]


@pytest.mark.parametrize(("pattern", "expected"), EXPANDED)
def test_braces_expand_as_in_a_shell(pattern: str, expected: list[str]) -> None:
    assert list(map(str, expand([pattern]))) == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("BM25(k1={0.9,1.2)", "expected alternatives"),
        ("BM25(k1=0.9})", "before each }"),
        ("{BM25{,+rm3},QL}", "do not nest braces"),
        ("QL(mu={300..100..50})", "expected an ascending"),
        ("QL(mu={1..2..0})", "expected an ascending"),
        ("QL(mu={a..2..1})", "expected numbers"),
        ("BM25(k1={0.1..2..0.01},b={0.01..0.99..0.01})", "at most 10,000 strategies"),
        ("QL(mu={1..99999999..1})", "at most 10,000 numbers"),
    ],
)
def test_bad_patterns_are_told(pattern: str, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        expand([pattern])
    with pytest.raises(GermaneError, match="found none"):
        expand([])


def test_a_file_of_patterns(tmp_path: Path) -> None:
    path = tmp_path / "space.txt"
    path.write_text("# plain\nBM25{,+rm3}\n\nQL  # and one more\n")
    assert read_space(path) == ["BM25{,+rm3}", "QL"]
    path.write_text("BM25\nBM52\n")
    with pytest.raises(InputError, match=r"space.txt:2: .*BM52"):
        read_space(path)
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="one per line, found none"):
        read_space(path)


def test_the_default_space_ranks_and_has_what_it_says() -> None:
    strategies = expand(DEFAULT_SPACE)
    names = set(map(str, strategies))
    assert {"BM25", "QL", "VSM", "PL2", "BM25+rm3", "PL2+bo1", "fuse(rrf,BM25,QL)"} <= names
    assert str(min(strategies, key=lambda strategy: strategy.simplicity)) == "BM25"
    for strategy in strategies:
        ranking = strategy.rank(INDEX, ["wine merlot"], 3)[0]
        assert len(ranking) == 3
        assert math.isfinite(np.diff(ranking.scores).max())
        assert np.diff(ranking.scores).max() <= 0
