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
@option("--analyser", "How text becomes terms.", "NAME", default="english")
@option("--stop-list", "Words to leave out, one per line, instead of the analyser's own.", "FILE")
@shared("--fields", otherwise="title and text")
@shared("--id-field", otherwise="told from its name")
@option("--encoding", "How the documents' bytes are read.", "NAME", default="utf-8")
@option("--positions", "Keep where words stand, for phrases.")
@option("--no-texts", "Do not keep the texts: results will show ids alone.")
@option("--add", "Add to the index that is there.")
@option("--update", "Add; documents whose id is there take the place of the old ones.")
@option("--delete", "Delete this document; may be repeated, @FILE has one a line.", "ID", multiple=True)
@shared("--overwrite")
@option("--merge", "Make one segment of all, leaving deleted documents out for good.")
@option("--verify", "Read all files of the index and compare their checksums.")
@format_options
def command(
    index: str, documents: tuple[str, ...], delete: tuple[str, ...], merge: bool, verify: bool, **choices: Any
) -> None:
    """Index DOCUMENTS into the folder INDEX, or say what INDEX holds.

    DOCUMENTS are folders of text or HTML files, JSON lines, CSV, TSV, Parquet, TREC or SMART files, BEIR corpora; any
    of them compressed or not.
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
        click.echo("every file is as it was written: all checksums agree", err=True)


OF_DOCUMENTS = ("add", "update", "fields", "id_field", "encoding")
OF_NEW_INDEX = ("analyser", "stop_list", "positions", "no_texts", "overwrite")


def _require_sensible(documents: bool, delete: bool, merge: bool, adds: bool) -> None:
    """Refuse options that would do nothing here."""
    typed = given()
    asked = [name for name in click.get_current_context().params if name in typed]
    if documents and (wrong := [name for name in asked if name in ("delete", "merge", "verify")]):
        raise GermaneError(f"{_options(wrong)} takes an index alone, without documents")
    if not documents and (wrong := [name for name in asked if name in (*OF_DOCUMENTS, *OF_NEW_INDEX)]):
        raise GermaneError(f"{_options(wrong)} says how documents are indexed, and none were named")
    if adds and (wrong := [name for name in asked if name in OF_NEW_INDEX]):
        hint = "an index keeps what it was made with"
        raise GermaneError(f"{_options(wrong)} is for a new index, not for adding to one", hint=hint)
    if delete and merge:
        raise GermaneError("--delete and --merge are two steps", hint="delete first, then --merge")


def _options(names: list[str]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


def _analyser(name: str, stop_list: str | None) -> Analyser:
    analyser = Analyser.parse(name)
    return analyser if stop_list is None else replace(analyser, stop=read_stop_list(stop_list))


def _ids(words: tuple[str, ...]) -> list[str]:
    """Ids as they were typed, and the lines of files."""
    ids: list[str] = []
    for item in words:
        if item.startswith("@"):
            with open_source(item[1:]) as lines:
                ids.extend(to_text(line.rstrip(b"\r\n")) for line in lines if line.strip())
        else:
            ids.append(item)
    return ids
