"""`germane demo`: every step from documents to a report, on data that comes with Python."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import click

from germane.cli.options.vocabulary import option, shared
from germane.cli.shell.command_class import make_command
from germane.demo.library_documents import Library, read_library
from germane.demo.tutorials import TUTORIALS, write_tutorial
from germane.errors import GermaneError
from germane.formats.files.addresses import local_path
from germane.formats.rankings.ranking_files import read_qrels, write_qrels
from germane.tables.columns.ids import to_text
from germane.tables.rankings.qrels import Qrels

MODELS = {"bm25": "BM25", "vsm": "VSM", "bir": "BIR", "ql": "QL", "pl2": "PL2"}
"""Models by the name of their run; a sixth run adds feedback to BM25."""
MEASURES = "nDCG@10 AP P@5 RR"
JUDGED = ("judgments_first.jsonl.gz", "judgments_second.jsonl.gz")


@make_command("demo", "germane demo", "germane demo --tutorial exercise", "germane demo --images pictures.html")
@shared("--output", otherwise="germane-demo, or the name of the tutorial")
@option("--tutorial", "Only write the files of a tutorial.", list(TUTORIALS))
@option("--images", "Instead, compare image features for similarity search and write a report.", "FILE.html")
def command(output: str | None, tutorial: str | None, images: str | None) -> None:
    """Index Python's own documentation, search it with six systems, evaluate, compare and report.

    The queries and two sets of judgments come with germane. --images uses the handwritten digits that come with
    scikit-learn.
    """
    if images is not None and (tutorial is not None or output is not None):
        other = "--output" if tutorial is None else "--tutorial"
        raise GermaneError(f"--images cannot be combined with {other}", hint=f"remove {other}")
    if images is not None:
        _compare_pictures(local_path(images))
        return
    if tutorial is not None:
        _begin_tutorial(tutorial, local_path(output or tutorial))
        return
    begin = time.monotonic()
    place = _prepare(local_path(output or "germane-demo"))
    library = read_library()
    _write_data(place, library)
    with contextlib.chdir(place):
        _run_steps(library)
    germane = "germane" if shutil.which("germane") else sys.argv[0]
    click.echo(
        f"\nDone in {time.monotonic() - begin:.0f} seconds. What to look at next:\n"
        f"  {place / 'report.html'}      open it in a browser: which queries fail, and what was retrieved for them\n"
        f"  {germane} search {place / 'index'}      type a query, mark results with + and -, press Enter\n"
        f"  {germane} explain AP {place / 'qrels.txt'} {place / 'bm25.run'} --query q01      how a score is computed\n"
    )


def _compare_pictures(output: Path) -> None:
    """Compare three features of the same images by exact search, and write a page with what they retrieve."""
    from germane.demo.digits import compare_features, read_digits
    from germane.formats.files.targets import open_target
    from germane.output.plots.figures import require_folder, vl_convert
    from germane.output.rendering.notes import print_notes
    from germane.output.reports.pictures_page import pictures_page

    begin = time.monotonic()
    vl_convert()  # report a missing library before the work, not after it
    require_folder(output)
    collection = read_digits()
    _heading(f"Images: {len(collection.digit):,} handwritten digits; for each one, find the others of the same digit")
    result = compare_features(collection)
    for feature, size in zip(result.features, result.dimensions, strict=True):
        click.echo(f"{feature.name:<13}{size:>3} components: {feature.what}")
    _heading("How good is it? Is it really better?")
    click.echo(str(result.comparison), nl=False)
    print_notes(result.comparison.notes)
    with open_target(output) as target:
        target.write(pictures_page(result).encode())
    click.echo(
        f"\nDone in {time.monotonic() - begin:.0f} seconds. What to look at next:\n"
        f"  {output}      open it in a browser: which images are hard queries, and what was retrieved for them"
    )


def _run_steps(library: Library) -> None:
    """Run the steps, each as a command that can be repeated in this folder."""
    _heading(f"Documents: the documentation of {len(library.documents):,} public names in Python {library.python}")
    _run("index index documents.jsonl --positions --overwrite")
    _heading("Search: describe the task if you do not know the name")
    _run("search index remove common leading white space from a text -k 2")
    _heading("Runs: 75 queries, five models, and BM25 with pseudo-relevance feedback")
    for name, model in MODELS.items():
        _run(f"retrieve index questions.tsv --model {model} -k 100 -o {name}.run --overwrite")
    _run("retrieve index questions.tsv --model BM25 --feedback rm3 -k 100 -o rm3.run --overwrite")
    _heading("Judgments: every pooled document was judged twice")
    _run(f"agree {' '.join(JUDGED)}", lines=3)
    shutil.rmtree("release", ignore_errors=True)
    _run(f"release {' '.join(JUDGED)} --pool pool.jsonl.gz -o release", lines=3)
    _keep_known(library)
    runs = " ".join(f"{name}.run" for name in (*MODELS, "rm3"))
    _heading("How good is it?")
    _run(f"eval qrels.txt {runs} -m '{MEASURES}'")
    _heading("Is it really better?")
    _run(f"compare qrels.txt {runs} -m nDCG@10 --baseline bm25")
    _heading("Does feedback help if documents that were already judged do not count?")
    _run("feedback index questions.tsv qrels.txt --method rocchio --method rm3 --judged 5 -k 100")
    _heading("Where does it fail? An interactive report")
    texts = "--query-texts questions.tsv --documents index"
    _run(f"report qrels.txt {runs} -m '{MEASURES}' --baseline bm25 {texts} -o report.html")


def _heading(text: str) -> None:
    click.echo(f"\n== {text}\n")


def _run(line: str, *, lines: int | None = None) -> None:
    """Print a command and run it; print only the first lines of a long output."""
    from germane.cli import group

    click.echo(f"$ germane {line}")
    with _first_lines(lines):
        group.main(shlex.split(line), prog_name="germane", standalone_mode=False)


@contextlib.contextmanager
def _first_lines(number: int | None) -> Iterator[None]:
    if number is None:
        yield
        return
    answer = io.StringIO()
    with contextlib.redirect_stdout(answer), contextlib.redirect_stderr(io.StringIO()):
        yield
    shown = answer.getvalue().splitlines()
    click.echo("\n".join(shown[:number]))
    if len(shown) > number:
        click.echo(f"({len(shown) - number} more lines)")


def _prepare(folder: Path) -> Path:
    """Create the folder, or reuse it if it is empty or was made by this command."""
    if folder.exists() and not (folder.is_dir() and ((folder / "questions.tsv").exists() or not any(folder.iterdir()))):
        raise GermaneError(
            f"{folder}: already exists, and was not made by this command", hint="use --output to choose another name"
        )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_data(folder: Path, library: Library) -> None:
    """Write the documentation of this Python; copy the queries, pool, rubric and judgments that come with germane."""
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as stream:
        for document in library.documents:
            stream.write(json.dumps({"id": document.id, "text": document.text}, ensure_ascii=False) + "\n")
    with as_file(files("germane") / "data" / "demo") as shipped:
        for file in sorted(shipped.iterdir()):
            shutil.copy(file, folder / file.name)


def _keep_known(library: Library) -> None:
    """Drop judgments of names that this version of Python does not have, and report how many."""
    qrels = read_qrels("release/qrels.txt")
    known = set(library.ids)
    rows = [
        (to_text(query), to_text(doc), grade)
        for query, doc, grade in zip(
            [qrels.queries.bytes_at(q) for q in qrels.query.tolist()], qrels.docs.to_bytes_list(), qrels.grade.tolist(),
            strict=True,
        )
    ]  # fmt: skip
    kept = [row for row in rows if row[1] in known]
    write_qrels(Qrels.from_columns(*zip(*kept, strict=True)), "qrels.txt")
    click.echo(f"qrels.txt: {len(kept):,} judgments; {len(rows) - len(kept)} dropped (names that this Python lacks)\n")


def _begin_tutorial(name: str, folder: Path) -> None:
    written = write_tutorial(name, folder)
    click.echo(f"{folder}: {TUTORIALS[name]}")
    click.echo("".join(f"  {file}\n" for file in written), nl=False)
