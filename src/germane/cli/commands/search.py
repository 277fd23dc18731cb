"""`germane search`: search an index, mark relevant results, and search again."""

from __future__ import annotations

import click

from germane.cli.loops.conversation import require_text
from germane.cli.loops.search_loop import HELP, Loop
from germane.cli.options.printing import print_result, printing, result_options, wants_color
from germane.cli.options.vocabulary import option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError, MissingExtraError
from germane.output.rendering.messages import print_message
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
@option("--serve", "Search in a browser, on this machine only.")
@shared("--port", otherwise="8642, or a free one")
@result_options
def command(
    index: str, query: tuple[str, ...], model: str, feedback: str, size: int, serve: bool, port: int | None
) -> None:
    """Search INDEX: once for QUERY, or interactively, learning from the results you mark as relevant.

    With --model boolean, a query may use AND, OR, NOT, brackets and "phrases" (which require an index with positions).
    """
    if port is not None and not serve:
        raise GermaneError("--port requires --serve", hint="add --serve, or remove --port")
    style = printing().style
    if style != "table" and (serve or not query):
        hint = "remove --serve" if serve else "add the query after the index"
        raise GermaneError(f"--format {style} requires a query", hint=hint)
    session = Session(Index.open(index), asked_model(model), FEEDBACK.parse(feedback), size)
    text = require_text(" ".join(query))
    if serve:
        _serve(session, text, port)
        return
    if query:
        print_result(session.ask(text))
        if style not in ("json", "jsonl"):
            print_message(f"analyser {session.index.analyser.name}, model {session.model}", label="note: ")
        return
    about = f"{session.index.collection.num_docs:,} documents, analyser {session.index.analyser.name}"
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
        print_message("Open this link in a browser; press Ctrl+C to stop the server.")

    serve_search(session.index, session.model, session.method, session.size, text=text, port=port, started=started)
