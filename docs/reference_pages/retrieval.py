"""``docs/reference/retrieval.md``, generated from the registries of `germane.retrieval`.

Models, feedback and fusion are here; `retrieval_files` has the tables of analysers, files and engines.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from docs.reference_pages import retrieval_files as files
from docs.reference_pages.entries import Entries, Part, entries_of, page_of_parts
from docs.reference_pages.markdown import escaped, table
from germane.api.retrieval.feedback_notes import VIEWS_IN_WORDS
from germane.retrieval.boolean import match_boolean
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.feedback_evaluation.views import VIEWS
from germane.retrieval.fusion import FUSION, NORMALISATIONS
from germane.retrieval.models import MODELS
from germane.retrieval.probability import ranking_principle
from germane.retrieval.probability.binary_independence_indexing import BII, LearnedIndexing
from germane.retrieval.probability.relevance_probability import calibrate

RETRIEVAL_INTRO = (
    "Models, methods and analysers that `germane index`, `search`, `retrieve`, `feedback` and `fuse` accept by name,\n"
    "and the files that they read and write. [Retrieval models](../explanation/retrieval_models.md) explains the\n"
    "assumptions of the models and how well they do.\n"
)


def retrieval_page() -> str:
    """Every model, feedback method, way of fusing, analyser, format and engine in full."""
    return page_of_parts("Retrieval", RETRIEVAL_INTRO, parts())


def fusion_table() -> str:
    """Return each fusion method with its formula, its input, and whether it takes weights."""
    weights = {"optional": "yes", "needed": "required", "refused": "no"}
    rows = [[f"`{e.name}`", f"`{e.sections['Formula']}`", e.uses, weights[e.weights]] for e in FUSION]
    return table("method | score of a document | uses | weights", rows)


def normalisations_table() -> str:
    """Return each normalisation with its formula and edge cases."""
    rows = [[f"`{e.name}`", f"`{e.sections['Formula']}`", escaped(e.sections["Edge cases"])] for e in NORMALISATIONS]
    return table("normalisation | a score becomes | edge cases", rows)


def parts() -> list[Part]:
    """The page, in its order."""
    return [
        Part("Ranking models", MODELS_TEXT, entries_of(MODELS, examples=False)),
        Part("Boolean queries", _boolean()),
        Part("Binary Independence Indexing", INDEXING_TEXT, _learned_indexing()),
        Part("Costs and probabilities", COSTS_TEXT, _costs()),
        Part("Feedback methods", FEEDBACK_TEXT, entries_of(FEEDBACK, examples=False)),
        Part("Ways to evaluate feedback", VIEWS_TEXT, _views()),
        Part("Fusion methods", FUSION_TEXT, entries_of(FUSION, examples=False)),
        Part("Score normalisations", NORMALISING_TEXT, entries_of(NORMALISATIONS, examples=False)),
        Part("Analysers", files.analysers()),
        Part("Documents", files.documents()),
        Part("Topics", files.topics()),
        Part("The folder of an index", files.folder()),
        Part("Engines", files.engines()),
    ]


# Models

MODELS_TEXT = """
For `--model` of `germane search`, `germane retrieve` and `germane feedback`, and `model=` in Python. Written as `BM25`
or with parameters, `BM25(k1=0.9,b=0.4)`; the first parameter needs no name, as in `VSM(ltc.ltn)`, which can even be
shortened to `ltc.ltn`. Case does not matter.

N is the number of documents, n the number of them that contain the term, tf the frequency of the term in this document;
S documents were judged relevant, s of them contain the term. The score of a document is

```text
scale(d) · Σ over the query's terms t of  query_weight(t) · Π term_factors(t) · curve_t(tf, length)
+ offset(d) · Σ over the query's terms t of  query_weight(t)
```

Only documents that contain at least one of the terms are ranked; ties are broken by the order of indexing.
How to [add your own](../how_to/your_own_model.md); [what they assume](../explanation/retrieval_models.md).
"""


# Boolean queries, costs, indexing


def _boolean() -> str:
    about = _plain(inspect.cleandoc(match_boolean.__doc__ or "").split("\n\n")[1])
    return f"""
For `--model boolean`. A document either matches or not; matching documents are not ranked.

| written | matches |
| --- | --- |
| `wine` | documents that contain the word, analysed like the documents |
| `"red wine"` | the exact phrase; requires an index with `--positions` |
| `red wine`, `red AND wine` | documents that both sides match |
| `red OR white` | documents that at least one side matches |
| `NOT red` | all other documents |
| `(red OR white) AND wine` | brackets first, then `NOT`, then `AND`, then `OR` |

Operators are written in capitals; lower-case `and` is a word.

{about}
"""


INDEXING_TEXT = """
For `germane retrieve --model BII`, with `--past-topics` and `--past-qrels`. Binary Independence Retrieval considers one
query and many documents; BII considers one document and many queries. From past queries with judgments it learns which
terms occur in queries for which the document is relevant. The names in the example are in
`germane.retrieval.probability.binary_independence_indexing`.
"""


def _learned_indexing() -> Entries:
    parameters = {entry.name: entry.default for entry in fields(BII)}
    listed = _listed(f"`{name} = {value}`" for name, value in parameters.items())
    names = "λ is `prior_weight`; `unjudged` is `left out` or `non-relevant`"
    example = _doc(BII).partition(">>>")[2]
    text = f"{_prose(BII)}\n\n{_sections(LearnedIndexing)}\n\n>>>{example}"
    return {"BII": (text, {"Parameters": f"{listed}; {names}"})}


COSTS_TEXT = """
For `germane retrieve --costs` and `--calibrate`; in Python `Costs`, `decide` and `calibrate` of
`germane.retrieval`.
The Probability Ranking Principle: rank by P(R|d), and return a document if that has a lower expected cost.
"""


def _costs() -> Entries:
    bayes = ranking_principle.BAYES
    written_out = f"`Costs(relevant={bayes.relevant}, non_relevant={bayes.non_relevant}, missed={bayes.missed})`"
    return {
        "Costs": (
            _doc(ranking_principle.Costs),
            {"Bayes' decision rule": f"{written_out}, called `BAYES`, and `bayes` on the command line"},
        ),
        "decide": (_doc(ranking_principle.decide), {}),
        "calibrate": (_doc(calibrate), {}),
    }


# Feedback

FEEDBACK_TEXT = """
For `--method` of `germane feedback`, and `--feedback` of `germane search` and `germane retrieve`. Each builds a new
query from the old one and the judged documents; without judgments, the first `documents` of the ranking are treated as
relevant (pseudo relevance feedback). `model` ranks the new query; the default is the model of the first ranking. How to
[search with feedback](../how_to/search_with_feedback.md).
"""


VIEWS_TEXT = """
For `germane feedback --protocol`. Feedback moves documents that were judged relevant to the top: on the full list that
is memory, not retrieval. How to [measure feedback](../how_to/measure_feedback.md).
"""


def _views() -> Entries:
    return {name: (_doc(function), {"In short": VIEWS_IN_WORDS[name]}) for name, function in VIEWS.items()}


# Fusion

FUSION_TEXT = """
For `germane fuse --method`; `germane fuse --list` prints the same list. w is the weight of the run, 1 by default; n is
the number of documents that any run has for the query. How to [fuse runs](../how_to/fuse_runs.md).
"""
NORMALISING_TEXT = """
For `germane fuse --normalise`, with methods that use scores. The scores of each run and query are normalised
separately.
"""


# Words


def _doc(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "")


def _prose(thing: Any) -> str:
    """A docstring without its examples: they need names that a reader of the page does not see."""
    return _doc(thing).partition(">>>")[0].rstrip()


def _sections(thing: Any) -> str:
    """Of a docstring, the paragraphs with titles."""
    return "\n\n".join(
        paragraph for paragraph in _prose(thing).split("\n\n") if re.match(r"[A-Z][\w ]*: {2,}", paragraph)
    )


def _plain(paragraph: str) -> str:
    return paragraph.replace("``", "`")


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)
