"""What the page ``docs/reference/retrieval.md`` says, read off the registries of the retrieval side.

A table whose first column comes from the code has its other words here; a name without them fails at once.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from germane.api.feedback_notes import VIEWS_IN_WORDS
from germane.formats import document_formats, topics_file
from germane.formats.sources import COMPRESSIONS
from germane.retrieval import analysis, manifest, ranking_principle
from germane.retrieval.binary_independence_indexing import BII, LearnedIndexing
from germane.retrieval.boolean import match_boolean
from germane.retrieval.engines import opening, opensearch, postgresql, rest
from germane.retrieval.feedback import all_feedback
from germane.retrieval.feedback_evaluation.views import VIEWS
from germane.retrieval.fusion import Method, all_methods, all_normalisations
from germane.retrieval.models import Model, all_models
from germane.retrieval.models.registry import OTHER_NAMES, Parameter, parameters_of, written
from germane.retrieval.relevance_probability import calibrate
from germane.retrieval.segment import GROUPS
from germane.retrieval.stop_lists import STOP_LISTS

Entries = dict[str, tuple[str, dict[str, str]]]
"""By name, a docstring and facts; what a fact says is Markdown."""


@dataclass(frozen=True)
class Part:
    """A heading, what is said under it, and entries with a heading of their own."""

    heading: str
    text: str
    entries: Entries = field(default_factory=dict)


def parts() -> list[Part]:
    """The page, in its order."""
    return [
        Part("Ranking models", MODELS_TEXT, {cls.name: (_prose(cls), _facts_of_model(cls)) for cls in all_models()}),
        Part("Boolean queries", _boolean()),
        Part("Binary Independence Indexing", INDEXING_TEXT, _learned_indexing()),
        Part("Costs and probabilities", COSTS_TEXT, _costs()),
        Part("Feedback methods", FEEDBACK_TEXT, _feedback()),
        Part("Ways to evaluate feedback", VIEWS_TEXT, _views()),
        Part("Fusion methods", FUSION_TEXT, {entry.name: _fusion(entry) for entry in all_methods()}),
        Part("Normalisations of scores", NORMALISING_TEXT, _normalisations()),
        Part("Analysers", _analysers()),
        Part("Documents", _documents()),
        Part("Topics", _topics()),
        Part("The folder of an index", _folder()),
        Part("Engines", _engines()),
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


def _facts_of_model(cls: type[Model]) -> dict[str, str]:
    names = [f"`{other}`" for other, meant in OTHER_NAMES.items() if meant.partition("(")[0] == cls.name]
    return {"Parameters": _listed(_parameter(entry) for entry in parameters_of(cls)), "Also called": ", ".join(names)}


def _parameter(entry: Parameter) -> str:
    kind = {float: "a number", bool: "`true` or `false`", str: "a text"}[entry.kind]
    if entry.choices:
        kind = ", ".join(f"`{choice}`" for choice in entry.choices)
    elif entry.range is not None:
        kind += str(entry.range)
    return f"`{entry.typed} = {written(entry.default)}` ({kind})"


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
Binary Independence Retrieval looks at one query and many documents; here it is one document and many queries. What is
learned from past queries with judgments is how those ask who find this document relevant. The names of the example are
in `germane.retrieval.binary_independence_indexing`, and `IndexedDocuments` of
`germane.retrieval.binary_independence_ranking` ranks by what was learned.
"""


def _learned_indexing() -> Entries:
    parameters = {entry.name: entry.default for entry in fields(BII)}
    listed = _listed(f"`{name} = {value}`" for name, value in parameters.items())
    names = "λ is `prior_weight`; `unjudged` is `left out` or `non-relevant`"
    example = _doc(BII).partition(">>>")[2]
    text = f"{_prose(BII)}\n\n{_sections(LearnedIndexing)}\n\n>>>{example}"
    return {"BII": (text, {"Parameters": f"{listed}; {names}"})}


COSTS_TEXT = """
The Probability Ranking Principle: rank by P(R|d), and return a document if that costs less than leaving it out. The
names of the examples are in `germane.retrieval.ranking_principle` and `germane.retrieval.relevance_probability`.
"""


def _costs() -> Entries:
    bayes = ranking_principle.BAYES
    written_out = f"`Costs(relevant={bayes.relevant}, non_relevant={bayes.non_relevant}, missed={bayes.missed})`"
    return {
        "Costs": (_doc(ranking_principle.Costs), {"Bayes' decision rule": f"{written_out}, called `BAYES`"}),
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


def _feedback() -> Entries:
    found: Entries = {}
    for method in all_feedback():
        given = {name: "none" if value is None else value for name, value in method.parameters.items() if value != ""}
        parameters = _listed(f"`{name} = {value}`" for name, value in given.items())
        found[method.name] = (_prose(type(method)), {"Parameters": parameters})
    return found


VIEWS_TEXT = """
For `germane feedback --by`. Whatever a person has judged relevant, feedback brings to the top: on the full list that is
memory, not retrieval. How to [measure feedback](../how_to/measure_feedback.md).
"""


def _views() -> Entries:
    return {name: (_doc(function), {"In short": VIEWS_IN_WORDS[name]}) for name, function in VIEWS.items()}


# Fusion

FUSION_TEXT = """
For `germane fuse --method`; `germane fuse --methods` prints the same. w is the weight of the run, 1 unless weights are
given; n is how many documents any run has for the query. How to [fuse runs](../how_to/fuse_runs.md).
"""
NORMALISING_TEXT = """
For `germane fuse --normalise`, with methods that look at scores: the scores of each run and query by themselves.
"""
UNANIMITY = {
    "always": "a document that no run puts below another does not score less (scores from 0 on)",
    "complete": "a document that no run puts below another does not score less, where every run has both",
}


def _fusion(entry: Method) -> tuple[str, dict[str, str]]:
    facts = {
        "Looks at": entry.uses,
        "Weights": entry.weights,
        "Parameters": _listed(f"`{name} = {value:g}`" for name, value in entry.parameters.items()),
        "Unanimity": UNANIMITY[entry.unanimity],
    }
    return _prose(entry.function), facts


def _normalisations() -> Entries:
    return {
        entry.name: (_prose(entry.function), {"Where all scores are the same": f"they {entry.equal_scores}"})
        for entry in all_normalisations()
    }


# Analysers


def _analysers() -> str:
    block = inspect.cleandoc(analysis.__doc__ or "").split("\n\n")[1]
    steps = re.findall(r"^ {4}(\S+) +(.+?)(?=^ {4}\S|\Z)", block + "\n", flags=re.M | re.S)
    step_rows = [(f"`{name}`", " ".join(text.split())) for name, text in steps]
    others = [name for name, meant in analysis.SHORT_NAMES.items() if meant == f"words+fold+stem({name})"]
    own = {name: meant for name, meant in analysis.SHORT_NAMES.items() if name not in others}
    short = [(f"`{name}`", f"`{meant}`") for name, meant in own.items()]
    short.append((", ".join(f"`{name}`" for name in others), "`words+fold+stem(`the same name`)`"))
    lists = [(f"`{entry.name}`", f"{len(entry.words)} words", STOP_LIST_TEXT[entry.name]) for entry in STOP_LISTS.values()]
    return f"""
For `germane index --analyser`. An analyser is its steps, joined by `+` in this order; queries are analysed as the
documents were, and the name is in the index and in every record.

{_table(("step", "what it does"), step_rows)}
Short names:

{_table(("name", "stands for"), short)}
Stop lists, and `--stop-list FILE` for one of your own:

{_table(("list", "size", "what it has"), lists)}
Stemmers (`pip install 'germane[search]'`): {", ".join(f"`{name}`" for name in analysis.STEMMERS)}.
"""


STOP_LIST_TEXT = {
    "lucene": "the words of Lucene's English analyser",
    "english": "the function words of English, and the parts that an apostrophe leaves",
}


# Files


def _documents() -> str:
    rows = [
        (
            entry.name,
            ", ".join(f"`{ending}`" for ending in entry.endings) or "told from its beginning",
            _names(entry.id_names),
            _names(entry.title_names),
            _names(entry.text_names) + (", joined" if entry.joins else ""),
        )
        for entry in document_formats.FORMATS
    ]
    texts = ", ".join(f"`{ending}`" for ending in document_formats.TEXT_ENDINGS if ending)
    pages = ", ".join(f"`{ending}`" for ending in document_formats.HTML_ENDINGS)
    return f"""
For `germane index` and `germane judge --docs`. A part of a document is found under the first of its names that it has.

{_table(("format", "endings", "id", "title", "text"), rows)}
| other input | how it is read |
| --- | --- |
| a folder of text files ({texts}, or no ending) and HTML files ({pages}) | each file is a document; its path without the ending is the id |
| a folder of files of the formats above | all of their documents |
| a folder with `corpus.jsonl` | a BEIR corpus |
| a tar archive | like a folder |
| `-` | standard input: JSON lines, TREC or SMART documents |

Everything may be compressed: {_names(COMPRESSIONS)}. How to [index documents](../how_to/index_documents.md).
"""


def _topics() -> str:
    rows = [
        ("TREC", "`<top>` with `<num>`, `<title>`, `<desc>`, `<narr>`, closed or not; `<topic number=\"…\">`; `<DOC>`"),
        ("TSV", "id, title, description, narrative: two to four columns"),
        ("JSON lines", f"id {_names(topics_file.ID_NAMES)}; title {_names(topics_file.TITLE_NAMES)}; description "
         f"{_names(topics_file.DESCRIPTION_NAMES)}; narrative {_names(topics_file.NARRATIVE_NAMES)}"),
        ("SMART", "`.I` and a number, `.W` and the words"),
    ]  # fmt: skip
    return f"""
For `germane retrieve` and `germane feedback`. The format is told from how the file begins.

{_table(("format", "what is read"), rows)}"""


def _folder() -> str:
    arrays = [(f"`{name}.npy`", group, ARRAYS[name]) for group, names in GROUPS.items() for name in names]
    rows = [
        (f"`{manifest.MANIFEST}`", "the analyser, the segments, and of every file its size and checksum (BLAKE2b). It "
         "is replaced in one step, last: whoever opens the index sees the old state or the new one"),
        (f"`{manifest.CHECKED}`", "which files were found whole, by size and time of change, so that opening does not "
         "read them again; it may be deleted"),
        (f"`{manifest.LOCK}`", "held by the one process that writes"),
        ("`segment-N/`", "some of the documents, inverted; its files never change. `deleted-N.npy` in it says which of "
         "its documents are deleted"),
    ]  # fmt: skip
    return f"""
Version {manifest.VERSION} of the format: memory-mapped NumPy arrays (`.npy`). Counts are raw, so one index serves every model.

{_table(("file", "holds"), rows)}
In each segment:

{_table(("file", "part", "holds"), arrays)}"""


ARRAYS = {
    "terms": "the terms, in byte order, one after the other",
    "term_offsets": "where each term begins",
    "start": "where each term's postings begin",
    "doc": "of each posting, the document",
    "tf": "of each posting, how often the document holds the term",
    "max_tf": "of each term, the largest of its frequencies: with the next one, a bound for pruning",
    "min_length": "of each term, the length of the shortest document that holds it",
    "cf": "of each term, how often it occurs in all",
    "length": "of each document, its number of words, stop words left out",
    "twin_start": "where each document's terms begin",
    "twin_term": "the terms of each document, for feedback and cosine",
    "twin_tf": "how often it holds them",
    "position_start": "with `--positions`: where each term's positions begin",
    "positions": "the places at which words stand",
    "ids": "the documents' ids",
    "id_offsets": "where each id begins",
    "id_order": "the documents by their ids, to look one up",
    "titles": "the titles",
    "title_offsets": "where each title begins",
    "texts": "the texts, unless `--no-texts`",
    "text_offsets": "where each text begins",
}


# Engines


def _engines() -> str:
    sources = [
        ("a folder", "an index of germane's own"),
        (_names(f"{name}://" for name in opening.POSTGRESQL), "a table of PostgreSQL, by its full-text search"),
        (_names(f"{name}://" for name in opening.OPENSEARCH), "an index of OpenSearch or Elasticsearch"),
        ("`module:function`", "a Python function of the query's text"),
    ]
    choices = {"rank": postgresql.RANKS, "match": postgresql.MATCHES}
    settings = [
        ("PostgreSQL", f"`{name}`", text + (f": {_names(choices[name])}" if name in choices else ""))
        for name, text in _checked(POSTGRESQL_SETTINGS, postgresql.SETTINGS).items()
    ]
    settings += [
        ("OpenSearch, Elasticsearch", f"`{name}`", text)
        for name, text in _checked(OPENSEARCH_SETTINGS, opensearch.SETTINGS).items()
    ]
    secrets = [
        ("`PGPASSWORD`", "PostgreSQL's password (or `~/.pgpass`)"),
        (f"`{rest.USER}`, `{rest.PASSWORD}`", "user and password of OpenSearch or Elasticsearch"),
        (f"`{rest.API_KEY}`", "or an API key"),
    ]
    return f"""
What SOURCE of `germane retrieve` may be. How to [make a run](../how_to/retrieve.md).

{_table(("SOURCE", "what answers"), sources)}
Settings, after the `?` of an address:

{_table(("engine", "setting", "means"), settings)}
From the environment:

{_table(("variable", "holds"), secrets)}"""


POSTGRESQL_SETTINGS = {
    "table": "the table, or `schema.table`",
    "id": "its column of ids; `id` unless given",
    "text": "columns of text, between commas",
    "vector": "or else one column of type tsvector",
    "config": "the text search configuration; `english` unless given",
    "rank": "the function that scores, the first unless given",
    "match": "which documents are ranked, the first unless given",
    "normalization": "flags of that function, 0 to 63; 0 unless given",
}
OPENSEARCH_SETTINGS = {
    "fields": "fields to search, between commas; all unless given; `title^2` counts double",
    "id": "the field that holds the documents' ids; `_id` unless given",
}


def _checked(words: Mapping[str, str], known: set[str]) -> Mapping[str, str]:
    if set(words) != known:
        raise ValueError(f"settings without words, or words without settings: {sorted(set(words) ^ known)}")
    return words


# Words


def _doc(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "")


def _prose(thing: Any) -> str:
    """A docstring without its examples: they need names that a reader of the page does not see."""
    return _doc(thing).partition(">>>")[0].rstrip()


def _sections(thing: Any) -> str:
    """Of a docstring, the paragraphs with titles."""
    return "\n\n".join(paragraph for paragraph in _prose(thing).split("\n\n") if re.match(r"[A-Z][\w ]*: {2,}", paragraph))


def _plain(paragraph: str) -> str:
    return paragraph.replace("``", "`")


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    escaped = ((cell.replace("|", "\\|") for cell in line) for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)
