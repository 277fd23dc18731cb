"""Tables for ``docs/reference/retrieval.md``: analysers, input files, index files and engines.

The first column of a table comes from the code, the descriptions are here; a name without a description is an error.
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
For `germane index --analyser`. An analyser is a sequence of steps, joined by `+` in this order. Queries are analysed
like the documents; the name of the analyser is stored in the index and in every record.

{_table(("step", "effect"), step_rows)}
Short names:

{_table(("name", "steps"), short)}
Stop lists (use `--stop-list FILE` for your own):

{_table(("list", "size", "content"), lists)}
Stemmers (`pip install 'germane[search]'`): {", ".join(f"`{name}`" for name in analysis.STEMMERS)}.
"""


STOP_LIST_TEXT = {
    "lucene": "the words of Lucene's English analyser",
    "english": "the function words of English, and the parts that an apostrophe leaves",
}


def documents() -> str:
    """Return the formats of documents."""
    rows = [
        (
            entry.name,
            ", ".join(f"`{ending}`" for ending in entry.endings) or "by the start of the file",
            _names(entry.id_names),
            _names(entry.title_names),
            _names(entry.text_names) + (", joined" if entry.joins else ""),
        )
        for entry in document_formats.FORMATS
    ]
    texts = ", ".join(f"`{ending}`" for ending in document_formats.TEXT_ENDINGS if ending)
    pages = ", ".join(f"`{ending}`" for ending in document_formats.HTML_ENDINGS)
    return f"""
For `germane index` and `germane judge --documents`. Each part of a document may have several names; the first one
present is used.

{_table(("format", "extensions", "id", "title", "text"), rows)}
| other input | how it is read |
| --- | --- |
| a folder of text files ({texts}, or no extension) and HTML files ({pages}) | {EACH_FILE} |
| a folder of files of the formats above | all of their documents |
| a folder with `corpus.jsonl` | a BEIR corpus |
| a tar archive | like a folder |
| `-` | standard input: JSON lines, TREC or SMART documents |

All files may be compressed: {_names(COMPRESSIONS)}. How to [index documents](../how_to/index_documents.md).
"""


EACH_FILE = "each file is a document; its path without the extension is the id"


def topics() -> str:
    """Return the formats of topics."""
    rows = [
        ("TREC", "`<top>` with `<num>`, `<title>`, `<desc>`, `<narr>`, closed or not; `<topic number=\"…\">`; `<DOC>`"),
        ("TSV", "id, title, description, narrative: two to four columns"),
        ("CSV", "a header with the same names as JSON lines"),
        ("JSON lines", f"id {_names(topics_file.ID_NAMES)}; title {_names(topics_file.TITLE_NAMES)}; description "
         f"{_names(topics_file.DESCRIPTION_NAMES)}; narrative {_names(topics_file.NARRATIVE_NAMES)}"),
        ("SMART", "`.I` and a number, `.W` and the text"),
    ]  # fmt: skip
    return f"""
For `germane retrieve` and `germane feedback`. The format is detected from the start of the file.

{_table(("format", "content"), rows)}"""


def folder() -> str:
    """Return the files in the folder of an index."""
    arrays = [(f"`{name}.npy`", group, ARRAYS[name]) for group, names in GROUPS.items() for name in names]
    rows = [
        (f"`{manifest.MANIFEST}`", "the analyser, the segments, the size, type and checksums of every file (CRC-32 "
         f"of each {BLOCK_SIZE // 1024} KiB block), and a checksum of the manifest itself (BLAKE2b). It is replaced "
         "atomically and last, so that readers see either the old state or the new one"),
        (f"`{manifest.LOCK}`", "lock held by the writing process"),
        ("`segment-N/`", "an inverted index of some of the documents; its files never change. `deleted-N.npy` in it "
         "marks deleted documents"),
    ]  # fmt: skip
    return f"""
Version {manifest.VERSION} of the format: memory-mapped NumPy arrays (`.npy`). It stores raw counts, so one index serves
all models.

{_table(("file", "holds"), rows)}
In each segment:

{_table(("file", "part", "holds"), arrays)}"""


ARRAYS = {
    "terms": "the terms, concatenated in byte order",
    "term_offsets": "the start of each term",
    "start": "the start of each term's postings",
    "doc": "the document of each posting",
    "tf": "the term frequency of each posting",
    "max_tf": "the maximum frequency of each term in a document; with the next array, a bound for pruning",
    "min_length": "the length of the shortest document that contains each term",
    "cf": "the collection frequency of each term",
    "length": "the number of words of each document, without stop words",
    "twin_start": "the start of each document's terms",
    "twin_term": "the terms of each document, for feedback and cosine",
    "twin_tf": "the frequencies of these terms in the document",
    "position_start": "with `--positions`: the start of each term's positions",
    "positions": "the positions of words",
    "ids": "the document ids",
    "id_offsets": "the start of each id",
    "id_order": "the documents in the order of their ids, for look-up",
    "titles": "the titles",
    "title_offsets": "the start of each title",
    "texts": "the texts, unless `--no-texts`",
    "text_offsets": "the start of each text",
}


def engines() -> str:
    """Return the sources of runs, and the syntax of addresses."""
    sources = [
        ("a folder", "a germane index"),
        (_names(f"{name}://" for name in opening.POSTGRESQL), "a PostgreSQL table, by its full-text search"),
        (_names(f"{name}://" for name in opening.OPENSEARCH), "an OpenSearch or Elasticsearch index"),
        ("`module:function`", "a Python function that takes the query text"),
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
The values of SOURCE of `germane retrieve`. How to [make a run](../how_to/retrieve.md).

{_table(("SOURCE", "engine"), sources)}
Settings, after the `?` of an address:

{_table(("engine", "setting", "meaning"), settings)}
Environment variables:

{_table(("variable", "content"), secrets)}"""


POSTGRESQL_SETTINGS = {
    "table": "the table, or `schema.table`",
    "id": "the id column; default `id`",
    "text": "text columns, separated by commas",
    "vector": "instead of `text`: one column of type tsvector",
    "config": "the text search configuration; default `english`",
    "rank": "the scoring function; the first is the default",
    "match": "which documents are ranked; the first is the default",
    "normalization": "flags of the scoring function, 0 to 63; default 0",
}
OPENSEARCH_SETTINGS = {
    "fields": "fields to search, separated by commas; default all; `title^2` counts double",
    "id": "the field with the document ids; default `_id`",
}


def _checked(words: Mapping[str, str], known: set[str]) -> Mapping[str, str]:
    if set(words) != known:
        raise ValueError(
            f"settings without a description, or descriptions without a setting: {sorted(set(words) ^ known)}"
        )
    return words


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    escaped = ((cell.replace("|", "\\|") for cell in line) for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)
