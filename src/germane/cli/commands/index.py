"""`germane index`: make documents searchable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from germane.api.retrieval.indexing import index as make_index
from germane.cli.options.printing import format_options, print_result
from germane.cli.options.vocabulary import given, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.formats.files.sources import open_source
from germane.output.rendering.messages import print_message
from germane.output.rendering.progress import progress
from germane.retrieval.indexes.index import Index
from germane.retrieval.texts.analysis import Analyser
from germane.retrieval.texts.stop_lists import read_stop_list
from germane.tables.columns.ids import to_text


@make_command(
    "index",
    "germane index library docs.jsonl",
    "germane index library docs.jsonl --positions --overwrite",
    "germane index library",
)
@click.argument("index", metavar="INDEX")
@click.argument("documents", nargs=-1, metavar="[DOCUMENTS]...")
@option("--analyser", "Text analyser: how text becomes terms.", "NAME", default="english")
@option("--stop-list", "Stop words, one per line, instead of the analyser's own.", "FILE")
@shared("--fields", otherwise="title and text")
@shared("--id-field", otherwise="inferred from field names")
@option("--encoding", "Character encoding of text files.", "NAME", default="utf-8")
@option("--positions", "Store term positions, for phrase queries.")
@option("--no-texts", "Do not store texts; results show only ids.")
@option("--add", "Add documents to an existing index.")
@option("--update", "Add documents, replacing those with the same id.")
@option("--delete", "Delete this document; @FILE has one id per line; may be repeated.", "ID", multiple=True)
@shared("--overwrite")
@option("--merge", "Merge all segments into one and purge deleted documents.")
@option("--verify", "Verify the checksums of all index files.")
@format_options
def command(
    index: str, documents: tuple[str, ...], delete: tuple[str, ...], merge: bool, verify: bool, **choices: Any
) -> None:
    """Index DOCUMENTS into the folder INDEX, or describe an existing INDEX.

    DOCUMENTS are folders of text or HTML files, JSON lines, CSV, TSV, Parquet, TREC or SMART files, or BEIR corpora,
    compressed or not.
    """
    _require_sensible(bool(documents), bool(delete), merge, choices["add"] or choices["update"])
    if documents:
        choices["analyser"] = _analyser(choices["analyser"], choices.pop("stop_list"))
        choices["fields"] = choices["fields"].split(",") if choices["fields"] else None
        choices["texts"] = not choices.pop("no_texts")
        with progress("bytes read") as advance:
            summary = make_index(index, list(documents), progress=advance, **choices)
    elif delete:
        summary = Index.open(index).delete(_ids(delete))
    elif merge:
        summary = Index.open(index).merge()
    else:
        summary = Index.open(index, verify=verify).describe()
    print_result(summary)
    if verify:
        print_message("all checksums match")


OF_DOCUMENTS = ("add", "update", "fields", "id_field", "encoding")
OF_NEW_INDEX = ("analyser", "stop_list", "positions", "no_texts", "overwrite")


def _require_sensible(documents: bool, delete: bool, merge: bool, adds: bool) -> None:
    """Refuse options that would have no effect."""
    typed = given()
    asked = [name for name in click.get_current_context().params if name in typed]
    if documents and (wrong := [name for name in asked if name in ("delete", "merge", "verify")]):
        raise GermaneError(
            f"{_options(wrong)} cannot be combined with documents", hint=f"remove {_options(wrong)} or the documents"
        )
    if not documents and (wrong := [name for name in asked if name in (*OF_DOCUMENTS, *OF_NEW_INDEX)]):
        raise GermaneError(f"{_options(wrong)} requires documents", hint="add documents after the index")
    if adds and (wrong := [name for name in asked if name in OF_NEW_INDEX]):
        hint = f"remove {_options(wrong)}; the index keeps the settings it was created with"
        raise GermaneError(f"{_options(wrong)} requires a new index", hint=hint)
    if delete and merge:
        raise GermaneError("--delete cannot be combined with --merge", hint="run --delete first, then --merge")


def _options(names: list[str]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


def _analyser(name: str, stop_list: str | None) -> Analyser:
    analyser = Analyser.parse(name)
    return analyser if stop_list is None else replace(analyser, stop=read_stop_list(stop_list))


def _ids(words: tuple[str, ...]) -> list[str]:
    """Return the ids given as words or, for @FILE, as lines of a file."""
    ids: list[str] = []
    for item in words:
        if item.startswith("@"):
            with open_source(item[1:]) as lines:
                ids.extend(to_text(line.rstrip(b"\r\n")) for line in lines if line.strip())
        else:
            ids.append(item)
    return ids
