"""Tasks on retrieval: the score of a document by any model, and query weights after Rocchio feedback."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import replace

import numpy as np

from germane.catalogue import summary_of
from germane.exercises.task import Kind, Mistake, Table, Task, chosen, understood_by
from germane.retrieval.explain import explain_score
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.feedback.rocchio import Rocchio
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, Model
from germane.retrieval.query import Query

MODEL_TOPICS = ("BIR(idf=true)", "TFIDF", "VSM", "BM25", "QL(mu=10)")
FEEDBACK_TOPICS = ("rocchio", "rocchio(gamma=0.25)")
WORDS = ("red", "wine", "white", "rose", "oak", "cellar", "garden")
RAW_COUNTS = "nnn.nnn"

_ALTERNATIVES: dict[str, tuple[tuple[str, str], ...]] = {
    "BM25": (
        ("ignored the length of the document, as with b = 0", "BM25(b=0)"),
        ("multiplied by k1 + 1 and used ln(N/n) as idf, as in the variant atire", "BM25(variant=atire)"),
        ("omitted the 1 + in the idf, as in the variant robertson", "BM25(variant=robertson)"),
        ("normalised fully by length, as with b = 1", "BM25(b=1)"),
        ("multiplied the frequency by idf, without saturation, as in ntn.nnn", "ntn.nnn"),
    ),
    "VSM": (
        ("omitted idf in the document, as in lnc.ltn", "lnc.ltn"),
        ("not normalised the document, as in ltn.ltn", "ltn.ltn"),
        ("used the frequency itself, not 1 + ln of it, as in ntc.ltn", "ntc.ltn"),
        ("omitted idf in the query, as in ltc.lnn", "ltc.lnn"),
        ("normalised the query too, as in ltc.ltc", "ltc.ltc"),
    ),
    "TFIDF": (("not divided by the length of the document, as in ntn.nnn", "ntn.nnn"), ("omitted idf", "nnn.nnn")),
    "QL": (("used Jelinek-Mercer smoothing, not Dirichlet smoothing", "QLJM"),),
}


def _draw_model(topic: str, rng: np.random.Generator) -> Task | None:
    model, texts = MODELS.parse(topic), _texts(rng)
    index = Index.of(texts, analyser="plain")
    query = chosen(rng, WORDS[:4], 2)
    explanation = explain_score(index, " ".join(query), "d1", model=model)
    held = [word for word in query if word in texts["d1"].split()]
    if explanation.score is None or explanation.unknown or len(held) < 2 or abs(explanation.score) < 0.01:
        return None
    value = float(explanation.score)
    return Task(
        topic,
        "A collection has these documents; every word is a term. What is the score of d1 for the query "
        f"{' '.join(query)!r} by {_called(model)}? Use natural logarithms.",
        (Table(("document", "text"), tuple(texts.items())),),
        (summary_of(type(model)), _formula(type(model))),
        value,
        str(explanation).partition("\n\n")[2],
        _mistakes(model, index, " ".join(query), value),
    )


def _texts(rng: np.random.Generator) -> dict[str, str]:
    """Generate four documents of three to six words, some of them repeated."""
    texts = {}
    for number in range(1, 5):
        places = (rng.random(int(rng.integers(3, 7))) * len(WORDS)).astype(int)
        texts[f"d{number}"] = " ".join(WORDS[place] for place in places.tolist())
    return texts


def _mistakes(model: Model, index: Index, query: str, value: float) -> list[Mistake]:
    ways = [way for way in _ALTERNATIVES.get(model.name, ()) if MODELS.parse(way[1]) != model]
    found = [Mistake(done, _score(index, query, name, "d1")) for done, name in ways]
    if model.name != "VSM":  # VSM also has logarithms in the frequency and in the length of the vector
        found += [Mistake(f"used logarithms to base {base}", value / math.log(base)) for base in (10, 2)]
    others = [index.doc_id(doc) for doc in range(1, index.num_places)]
    return [*found, *(Mistake(f"given the score of {doc}", _score(index, query, model, doc)) for doc in others)]


def _score(index: Index, query: str, model: str | Model, doc: str) -> float:
    score = explain_score(index, query, doc, model=model).score
    return math.nan if score is None else float(score)


def _formula(model: type[Model]) -> str:
    """Return the formula of a model with its line breaks, which separate variants."""
    text = inspect.cleandoc(model.__doc__ or "")
    found = re.search(r"^Formula:\s*(.+?)(?=^\S|\Z)", text, flags=re.M | re.S)
    return inspect.cleandoc(found[1]).rstrip() if found else ""


def _called(model: Model) -> str:
    """Describe the model with all its parameters, including defaults, which a student cannot look up."""
    given = list(model.settings.items())
    inside = ", ".join(f"{name} = {value}" for name, value in given if value not in (None, "keep", False))
    return f"{model.name} with {inside}" if inside else model.name


def _draw_feedback(topic: str, rng: np.random.Generator) -> Task | None:
    method = FEEDBACK.parse(topic)
    assert isinstance(method, Rocchio)
    texts = _texts(rng)
    index = Index.of(texts, analyser="plain")
    words = chosen(rng, WORDS[:4], 2)
    term = words[0]
    counts = [texts[f"d{number}"].split().count(term) for number in range(1, 5)]
    if not (counts[0] + counts[1] and counts[2] + counts[3]) or any(not index.statistics(w).df for w in words):
        return None
    value = _weight(method, index, words)
    if value <= 0.05:
        return None
    near, far = (f"({a} + {b}) / 2" for a, b in (counts[:2], counts[2:]))
    return Task(
        topic,
        f"The query is {' '.join(words)!r}; d1 and d2 were marked as relevant, d3 and d4 as non-relevant. "
        f"Query and documents are vectors of counts, not normalised; alpha is {method.alpha:g}, "
        f"beta {method.beta:g} and gamma {method.negative:g}. What is the weight of {term!r} in the new query?",
        (Table(("document", "text"), tuple(texts.items())),),
        (FEEDBACK[method].summary, FEEDBACK[method].sections["Formula"].partition(";")[0]),
        value,
        f"{method.alpha:g} * 1 + {method.beta:g} * {near} - {method.negative:g} * {far} = {value:.4f}",
        _feedback_mistakes(method, index, words),
    )


def _weight(method: Rocchio, index: Index, words: list[str]) -> float:
    """Return the weight of the first word in the new query."""
    query = Query(dict.fromkeys(words, 1.0), is_vector=True)
    refined = method.refine(index, MODELS.parse(RAW_COUNTS), query, (0, 1), (2, 3))
    return float(refined.query.weights.get(words[0], 0.0))


def _feedback_mistakes(method: Rocchio, index: Index, words: list[str]) -> list[Mistake]:
    beta, gamma = method.beta, method.negative
    ways = {
        "ignored the non-relevant documents": replace(method, gamma=0.0),
        "ignored the original query": replace(method, alpha=0.0, gamma=gamma),
        "summed the documents without dividing by their number": replace(method, beta=2 * beta, gamma=2 * gamma),
        "exchanged beta and gamma": replace(method, beta=gamma, gamma=beta),
        "ignored the relevant documents": replace(method, beta=0.0, gamma=gamma),
        "used 1 for alpha, beta and gamma": replace(method, alpha=1.0, beta=1.0, gamma=1.0),
    }
    return [Mistake(done, _weight(other, index, words)) for done, other in ways.items()]


_rocchio_known_as = understood_by(FEEDBACK.parse, lambda method: isinstance(method, Rocchio))
KINDS = (
    Kind("model", "The score of a document", MODEL_TOPICS, understood_by(MODELS.parse), _draw_model),
    Kind("feedback", "Relevance feedback", FEEDBACK_TOPICS, _rocchio_known_as, _draw_feedback),
)
