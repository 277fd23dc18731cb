"""Tables for the page ``docs/reference/retrieval.md``: analysers, files that are read, those of an index, engines.

The first column of a table comes from the code, and the other words are here; a name without them fails at once.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping

from germane.formats.documents import document_formats
from germane.formats.files.sources import COMPRESSIONS
from germane.formats.truth import topics_file
from germane.retrieval.engines import open_engine as opening
from germane.retrieval.engines.servers import opensearch, postgresql, rest
from germane.retrieval.indexes import manifest
from germane.retrieval.indexes.mapped_array import BLOCK_SIZE
from germane.retrieval.indexes.segment import GROUPS
from germane.retrieval.texts import analysis
from germane.retrieval.texts.stop_lists import STOP_LISTS


def analysers() -> str:
    """Steps, short names, stop lists and stemmers."""
    block = inspect.cleandoc(analysis.__doc__ or "").split("\n\n")[1]
    steps = re.findall(r"^ {4}(\S+) +(.+?)(?=^ {4}\S|\Z)", block + "\n", flags=re.M | re.S)
    step_rows = [(f"`{name}`", " ".join(text.split())) for name, text in steps]
    others = [name for name, meant in analysis.SHORT_NAMES.items() if meant == f"words+fold+stem({name})"]
    own = {name: meant for name, meant in analysis.SHORT_NAMES.items() if name not in others}
    short = [(f"`{name}`", f"`{meant}`") for name, meant in own.items()]
    short.append((", ".join(f"`{name}`" for name in others), "`words+fold+stem(`the same name`)`"))
    lists = [
        (f"`{entry.name}`", f"{len(entry.words)} words", STOP_LIST_TEXT[entry.name]) for entry in STOP_LISTS.values()
    ]
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


def documents() -> str:
    """The formats in which documents come."""
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
For `germane index` and `germane judge --documents`. A part of a document is found under the first of its names that it
has.

{_table(("format", "endings", "id", "title", "text"), rows)}
| other input | how it is read |
| --- | --- |
| a folder of text files ({texts}, or no ending) and HTML files ({pages}) | {EACH_FILE} |
| a folder of files of the formats above | all of their documents |
| a folder with `corpus.jsonl` | a BEIR corpus |
| a tar archive | like a folder |
| `-` | standard input: JSON lines, TREC or SMART documents |

Everything may be compressed: {_names(COMPRESSIONS)}. How to [index documents](../how_to/index_documents.md).
"""


EACH_FILE = "each file is a document; its path without the ending is the id"


def topics() -> str:
    """The formats in which topics come."""
    rows = [
        ("TREC", "`<top>` with `<num>`, `<title>`, `<desc>`, `<narr>`, closed or not; `<topic number=\"…\">`; `<DOC>`"),
        ("TSV", "id, title, description, narrative: two to four columns"),
        ("CSV", "a header with the names of JSON lines"),
        ("JSON lines", f"id {_names(topics_file.ID_NAMES)}; title {_names(topics_file.TITLE_NAMES)}; description "
         f"{_names(topics_file.DESCRIPTION_NAMES)}; narrative {_names(topics_file.NARRATIVE_NAMES)}"),
        ("SMART", "`.I` and a number, `.W` and the words"),
    ]  # fmt: skip
    return f"""
For `germane retrieve` and `germane feedback`. The format is told from how the file begins.

{_table(("format", "what is read"), rows)}"""


def folder() -> str:
    """What is in the folder of an index."""
    arrays = [(f"`{name}.npy`", group, ARRAYS[name]) for group, names in GROUPS.items() for name in names]
    rows = [
        (f"`{manifest.MANIFEST}`", "the analyser, the segments, for every file its size, type and checksums (CRC-32 "
         f"of each {BLOCK_SIZE // 1024} KiB block), and a checksum of the manifest itself (BLAKE2b). It is replaced in "
         "one step, last: whoever opens the index sees the old state or the new one"),
        (f"`{manifest.LOCK}`", "held by the one process that writes"),
        ("`segment-N/`", "some of the documents, inverted; its files never change. `deleted-N.npy` in it says which of "
         "its documents are deleted"),
    ]  # fmt: skip
    return f"""
Version {manifest.VERSION} of the format: memory-mapped NumPy arrays (`.npy`). Counts are raw, so one index serves every
model.

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


def engines() -> str:
    """Where runs come from, and how an address is written."""
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


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    escaped = ((cell.replace("|", "\\|") for cell in line) for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)
