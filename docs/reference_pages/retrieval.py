"""What the page ``docs/reference/retrieval.md`` says, read off the registries of the retrieval side.

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
    "What `germane index`, `search`, `retrieve`, `feedback` and `fuse` know by name, and the files that they read and\n"
    "write. [Retrieval models](../explanation/retrieval_models.md) says what the models assume and how they do.\n"
)


def retrieval_page() -> str:
    """Every model, feedback method, way of fusing, analyser, format and engine in full."""
    return page_of_parts("Retrieval", RETRIEVAL_INTRO, parts())


def fusion_table() -> str:
    """Each fusion method with its formula, what it looks at, and whether it takes weights."""
    weights = {"optional": "yes", "needed": "yes, needed", "refused": "no"}
    rows = [[f"`{e.name}`", f"`{e.sections['Formula']}`", e.uses, weights[e.weights]] for e in FUSION]
    return table("method | score of a document | looks at | weights", rows)


def normalisations_table() -> str:
    """Each normalisation with its formula and what happens at the edges."""
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
        Part("Normalisations of scores", NORMALISING_TEXT, entries_of(NORMALISATIONS, examples=False)),
        Part("Analysers", files.analysers()),
        Part("Documents", files.documents()),
        Part("Topics", files.topics()),
        Part("The folder of an index", files.folder()),
        Part("Engines", files.engines()),
    ]


# Models

MODELS_TEXT = """
For `--model` of `germane search`, `germane retrieve` and `germane feedback`, and `model=` in Python. Written as `BM25`
or with parameters, `BM25(k1=0.9,b=0.4)`; the first parameter needs no name, so `VSM(ltc.ltn)`, and for this one even
`ltc.ltn` will do. Upper and lower case are the same.

N is the number of documents, n how many of them hold the term, tf how often this one does; S documents were judged
relevant, s of them hold the term. The score of a document is

```text
scale(d) · Σ over the query's terms t of  query_weight(t) · Π term_factors(t) · curve_t(tf, length)
+ offset(d) · Σ over the query's terms t of  query_weight(t)
```

Only documents that hold one of the terms are ranked; of equal scores, the document that was indexed first goes first.
How to [add your own](../how_to/your_own_model.md); [what they assume](../explanation/retrieval_models.md).
"""


# Boolean queries, costs, indexing


def _boolean() -> str:
    about = _plain(inspect.cleandoc(match_boolean.__doc__ or "").split("\n\n")[1])
    return f"""
For `--model boolean`. A document matches or it does not; none is better than another.

| written | matches |
| --- | --- |
| `wine` | documents that hold the word, analysed as the documents were |
| `"red wine"` | these words in this order; needs an index with `--positions` |
| `red wine`, `red AND wine` | documents that both sides match |
| `red OR white` | documents that one side matches, or both |
| `NOT red` | all other documents |
| `(red OR white) AND wine` | brackets first, then `NOT`, then `AND`, then `OR` |

Operators are written in capitals: a small `and` is a word.

{about}
"""


INDEXING_TEXT = """
For `germane retrieve --model BII`, with `--past-topics` and `--past-qrels`. Binary Independence Retrieval looks at one
query and many documents; here it is one document and many queries. What is learned from past queries with judgments is
how those ask who find this document relevant. The names of the example are in
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
The Probability Ranking Principle: rank by P(R|d), and return a document if that costs less than leaving it out.
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
For `--method` of `germane feedback`, and `--feedback` of `germane search` and `germane retrieve`. Each makes a new
query of the old one and of the documents that were judged; where nobody judges, the first `documents` of the ranking
are taken for relevant. `model` is what ranks the new query, if not what ranked the first. How to [search with
feedback](../how_to/search_with_feedback.md).
"""


VIEWS_TEXT = """ For `germane feedback --protocol`. Whatever a person has judged relevant, feedback brings to the top:
on the full list that is memory, not retrieval. How to [measure feedback](../how_to/measure_feedback.md).
"""


def _views() -> Entries:
    return {name: (_doc(function), {"In short": VIEWS_IN_WORDS[name]}) for name, function in VIEWS.items()}


# Fusion

FUSION_TEXT = """
For `germane fuse --method`; `germane fuse --list` prints the same. w is the weight of the run, 1 unless weights are
given; n is how many documents any run has for the query. How to [fuse runs](../how_to/fuse_runs.md).
"""
NORMALISING_TEXT = """
For `germane fuse --normalise`, with methods that look at scores: the scores of each run and query by themselves.
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
