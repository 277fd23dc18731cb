"""Texts that people type: measures, rules, strategies, models, queries, scales."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from germane.cli.commands.classify import parse_gates
from germane.judging.pooling import POOLING
from germane.judging.pooling.sampling import parse_strata
from germane.judging.rubric import parse_scale
from germane.learning.features.feature_set import parse_feature
from germane.learning.strategies.space import expand
from germane.learning.strategies.strategy import parse_strategy
from germane.measures.decisions.rates import RATES
from germane.measures.definition import MEASURES
from germane.retrieval.boolean_expression import parse_boolean
from germane.retrieval.engines.address import Address
from germane.retrieval.engines.expected_cost import CALIBRATIONS
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.fusion import FUSION
from germane.retrieval.models import MODELS
from germane.retrieval.texts.analysis import Analyser
from germane.stats.rankings.ranked_items import Ranking
from germane.stats.thresholds.rules import parse_rule, parse_target
from germane.trec_eval.arguments import parse as parse_arguments
from germane.trec_eval.options import EarlyExitError
from tests.fuzz.readers import TypedText, add

VERSION: Any = 9


def address(text: str) -> object:
    return Address.parse(text, {"index", "field"})


TYPED: dict[str, tuple[Callable[[str], object], list[str]]] = {
    "measure": (
        MEASURES.parse,
        [
            *("nDCG@10", "AP(rel=2)", "nDCG(gain=exp)@10", "RBP(p=0.8)", "P@5", "F(beta=2)", "R@5"),
            *("iprec_at_recall_0.10", "set_F_4", "rbp", "nDCG(gain=1:3/2:9)"),
        ],
    ),
    "rate": (
        RATES.parse,
        ["F2", "MCC", "net_benefit(act_at=0.1)", "cost(cost_fp=1,cost_fn=5,prevalence=0.1)", "TPR", "sensitivity"],
    ),
    "threshold_rule": (
        parse_rule,
        [
            *(
                "youden",
                "sensitivity where specificity > 90%",
                "rule-out TPR>=.95, rule-in TNR>=.95",
                "weighted(tpr=0.7)",
            ),
            *("cost(cost_fp=1, cost_fn=5, prevalence=0.01)", "F1 where PPV >= .8 and TPR >= 50%"),
        ],
    ),
    "threshold_target": (parse_target, ["TPR >= 0.9", "specificity > 90%", "PPV>=.5"]),
    "strategy": (
        parse_strategy,
        ["BM25(k1=0.9,b=0.4)+rm3", "fuse(rrf,BM25,QL)", "VSM+bo1", "ltc.ntn+rm3(terms=10)", "QL(mu=100)"],
    ),
    "strategies": (
        lambda text: expand([text]),
        ["BM25(k1={0.9,1.2}){,+rm3}", "QL(mu={100..300..100})", "{BM25,QL}{,+bo1}"],
    ),
    "retrieval_model": (MODELS.parse, ["BM25", "BM25(k1=0.9,b=0.4)", "ltc.ntn", "QL(mu=1000)", "PL2(c=1)", "VSM"]),
    "feedback": (FEEDBACK.parse, ["rm3", "bo1", "rocchio", "rm3(terms=10)", "rocchio(beta=0.5)"]),
    "fusion": (FUSION.parse, ["rrf", "rrf(k=60)", "combsum", "borda"]),
    "feature": (parse_feature, ["BM25", "omega", "cosine", "QL(mu=100)"]),
    "boolean_query": (parse_boolean, ['Brutus Caesar OR NOT (Calpurnia AND "last words")', "a AND b", "(a OR b) c"]),
    "analyser": (Analyser.parse, ["plain", "english", "words+fold+stem(german)", "words+fold+stop(lucene)"]),
    "scale": (parse_scale, ["0=no,1=related,3=perfect", "0=no,1=yes"]),
    "strata": (parse_strata, ["10:1/100:0.2", "5:1"]),
    "pooling_method": (
        POOLING.parse,
        ["depth", "mtf", "maxmean(credit=pulled)", "stratified(strata=10:1/100:0.2)"],
    ),
    "ranking": (Ranking.parse, ["a b c", "a (b c) d", "x"]),
    "engine_address": (
        address,
        ["http://localhost:9200/wine?index=a", "postgresql://u:p@h:5432/db?field=x", "https://[::1]:9200"],
    ),
    "calibration": (CALIBRATIONS.parse, ["logistic", "isotonic"]),
    "gates": (lambda text: parse_gates([text]), ["MCC=.5", "F1[macro]=.8", "recall=.9"]),
}
for _name, (_read, _texts) in TYPED.items():
    add(
        TypedText(
            f"typed_{_name}",
            _read,
            lambda texts=_texts: [text.encode() for text in texts],  # type: ignore[misc]
            covers=(_read, Address.parse),
            share=0.6,
            names_source=False,
        )
    )
add(
    TypedText(
        "typed_trec_eval_arguments",
        lambda text: parse_arguments(text.split(" "), VERSION),
        lambda: [
            b"-q -m map qrels run",
            b"-c -l 2 -M 100 -m P.5,10 a b",
            b"--level_for_rel=2 -n x y",
            b"-J -m all_trec q r",
        ],
        covers=(parse_arguments,),
        refusals=(EarlyExitError,),
        names_source=False,
        share=0.6,
    )
)
