"""`germane search`: ask an index, mark what is relevant, ask again."""

from __future__ import annotations

import click

from germane.cli.loops.conversation import require_text
from germane.cli.loops.search_loop import HELP, Loop
from germane.cli.options.printing import print_result, printing, result_options, wants_color
from germane.cli.options.vocabulary import option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError, MissingExtraError
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.indexes.index import Index
from germane.retrieval.rounds import asked_model
from germane.retrieval.session import Session


@make_command(
    "search", "germane search library red wine -k 2", "germane search library", "germane search library --serve"
)
@click.argument("index", metavar="INDEX")
@click.argument("query", nargs=-1)
@shared("--model", default="BM25")
@shared("--feedback", default="rocchio")
@shared("--top", "size", default=10)
@option("--serve", "The same in a browser, for this machine only.")
@shared("--port", otherwise="8642, or a free one")
@result_options
def command(
    index: str, query: tuple[str, ...], model: str, feedback: str, size: int, serve: bool, port: int | None
) -> None:
    """Search INDEX: once for QUERY, or again and again, learning from what you mark as relevant.

    With the model boolean a query has AND, OR, NOT, brackets and "phrases" (which need an index with positions).
    """
    if port is not None and not serve:
        raise GermaneError("--port is for --serve")
    style = printing().style
    if style != "table" and (serve or not query):
        raise GermaneError(f"--format {style} prints the results of one query", hint="give the query after the index")
    session = Session(Index.open(index), asked_model(model), FEEDBACK.parse(feedback), size)
    text = require_text(" ".join(query))
    if serve:
        _serve(session, text, port)
        return
    if query:
        print_result(session.ask(text))
        if style not in ("json", "jsonl"):
            click.echo(f"note: terms by {session.index.analyser.name}, ranked by {session.model}", err=True)
        return
    about = f"{session.index.collection.num_docs:,} documents, analysed by {session.index.analyser.name}"
    click.echo(f"{about}\nmodel {session.model}, feedback {session.method}\n\n{HELP}")
    Loop(session, coloured=wants_color()).run()


def _serve(session: Session, text: str, port: int | None) -> None:
    try:
        from germane.web.search.pages import serve_search
    except ImportError as error:
        if error.name and error.name.startswith("germane"):
            raise
        raise MissingExtraError("--serve", "judge") from None

    def started(address: str) -> None:
        click.echo(address)
        click.echo("Open this in a browser; Ctrl+C stops the server.", err=True)

    serve_search(session.index, session.model, session.method, session.size, text=text, port=port, started=started)
