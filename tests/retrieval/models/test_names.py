"""Names of models: what people type, and what they are told when it is wrong."""

from __future__ import annotations

import pytest

from germane.errors import GermaneError
from germane.retrieval.models import BIR, BM25, MODELS, QL, QLJM, TFIDF, VSM, Model, model

TYPED: list[tuple[str, Model]] = [
    ("BM25", BM25()),
    ("bm25", BM25()),
    ("BM25()", BM25()),
    ("BM25(0.9)", BM25(k1=0.9)),
    ("bm25( k1 = .9 , b=0.40 )", BM25(k1=0.9, b=0.4)),
    ("BM25(k1=2)", BM25(k1=2.0)),
    ("bm25+", BM25(variant="plus")),
    ("BM25+(delta=0.5)", BM25(variant="plus", delta=0.5)),
    ("BM25L", BM25(variant="l")),
    ("BM25(k3=none)", BM25()),
    ("ltc.Lnc", VSM("ltc.Lnc")),
    ("vsm(ltc.lnc, slope=.2)", VSM("ltc.lnc", 0.2)),
    ("tf-idf", TFIDF()),
    ("TFIDF(dot)", TFIDF("dot")),
    ("BIR(query_tf=TRUE,bent=true)", BIR(query_tf=True, bent=True)),
    ("Dirichlet(300)", QL(300)),
    ("QLJM(lambda=0.7)", QLJM(0.7)),
]


@pytest.mark.parametrize(("text", "expected"), TYPED, ids=str)
def test_typed(text: str, expected: Model) -> None:
    assert MODELS.parse(text) == expected
    assert MODELS.parse(expected) is expected


def test_numbers_are_written_to_the_last_digit() -> None:
    assert str(BM25(k1=0.1 + 0.2, b=1)) == "BM25(k1=0.30000000000000004,b=1)"
    assert MODELS.parse(str(BM25(k1=0.1 + 0.2, b=1))) == BM25(k1=0.1 + 0.2, b=1)


WRONG = [
    # typed                     said
    ("BM52",                    "unknown model 'BM52'; did you mean BM25?"),
    ("",                        "expected a model such as BM25"),
    ("BM25(",                   "expected a model such as BM25"),
    ("BM25(varient=l)",         "BM25 has no parameter 'varient'; did you mean variant?"),
    ("BM25(k1=much)",           "BM25: expected a number of 0 or more for k1, found 'much'"),
    ("BM25(k1=-1)",             "BM25: expected a number of 0 or more for k1, found '-1'"),
    ("BM25(k1=nan)",            "BM25: expected a number of 0 or more for k1, found 'nan'"),
    ("BM25(k1=inf)",            "BM25: expected a number of 0 or more for k1, found 'inf'"),
    ("BM25(b=1.1)",             "BM25: expected a number between 0 and 1 for b, found '1.1'"),
    ("BM25(b=0.5,b=0.6)",       "BM25: expected b once, found it twice"),
    ("BM25(1.2,0.75)",          "BM25: expected parameter=value, found '0.75'"),
    ("BM25(variant=best)",      "BM25: expected one of lucene, robertson, atire, plus, l for variant, found 'best'"),
    ("BM25(delta=1)",           "BM25: delta requires variant plus or l, found lucene"),
    ("BM25(b=none)",            "BM25: expected a number between 0 and 1 for b, found 'none'"),
    ("BIR(idf=yes)",            "BIR: expected true or false for idf, found 'yes'"),
    ("BIR(prior=1)",            "BIR: expected a number above 0 and below 1 for prior, found '1'"),
    ("QL(mu=0)",                "QL: expected a number above 0 for mu, found '0'"),
    ("QLJM(lambda=1)",          "QLJM: expected a number above 0 and below 1 for lambda, found '1'"),
    ("xyz.ltn",                 "VSM: expected a weighting such as ltc.ltn, found 'xyz.ltn'"),
    ("ltc.ltu",                 "VSM: expected a weighting such as ltc.ltn, found 'ltc.ltu'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_wrong(text: str, said: str) -> None:
    with pytest.raises(GermaneError) as raised:
        MODELS.parse(text)
    assert said in str(raised.value)


def test_a_value_of_the_wrong_kind_is_refused_in_python_too() -> None:
    with pytest.raises(GermaneError, match="expected a number of 0 or more for k1, found True"):
        BM25(k1=True)
    with pytest.raises(GermaneError, match="expected text for weighting, found 3"):
        VSM(3)  # type: ignore[arg-type]
    with pytest.raises(GermaneError, match="expected true or false for idf, found 1"):
        BIR(idf=1)  # type: ignore[arg-type]


def test_a_name_belongs_to_one_model() -> None:
    class Other(Model):
        pass

    with pytest.raises(GermaneError, match="model 'BM25' is already registered"):
        model("BM25")(Other)
    assert MODELS["BM25"].target is BM25
    model("Mine")(Other)
    try:
        assert MODELS.parse("mine") == Other()
    finally:
        MODELS.unregister("Mine")
