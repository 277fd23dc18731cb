"""The command line: each command is one file that parses, calls one library function and prints."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from typing import Any

import click

from germane.errors import GermaneError

COMMANDS = {
    "eval": "Score runs against judgments.",
    "compare": "Say whether one system is really better than another.",
    "correlate": "Say how far two rankings, or two measures, agree.",
    "classify": "Say how good a classifier or detector is.",
    "threshold": "Choose an operating point by a stated rule.",
    "report": "Write one page that shows it all.",
    "plot": "Draw a single figure.",
    "explain": "Show the worked table behind one number.",
    "measures": "List the measures, or say all about one.",
    "trec_eval": "Print what trec_eval prints, byte for byte.",
    "check": "Say everything that is wrong with a file.",
    "convert": "Go between file formats, losing nothing.",
    "topics": "Draw queries from a query log.",
    "pool": "Choose the documents that people should judge.",
    "judge": "Let people grade the documents of a pool.",
    "agree": "Say how far assessors agree.",
    "release": "Make qrels of what assessors said.",
    "index": "Make documents searchable.",
    "search": "Search, mark what is relevant, and search again.",
    "retrieve": "Run queries through an index or an engine.",
    "feedback": "Say what relevance feedback is worth, honestly.",
    "fuse": "Make one run of several.",
    "tune": "Choose a strategy on judged topics, and say what to expect of it.",
    "learn": "Learn to rank, and say what it is worth on unseen queries.",
    "agent": "Train an agent that searches, and learns from feedback.",
    "vectors": "Score embeddings exactly, with no index and no cutoff.",
    "demo": "See the whole loop, on data that every machine has.",
}


class LazyGroup(click.Group):
    """Imports a command's file only when that command is run: start-up counts."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"germane.cli.{cmd_name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from germane.errors import did_you_mean

            ctx.fail(f"no command is called {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from germane import __version__, kernels

        click.echo(f"germane {__version__} ({kernels.IN_USE})")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def group() -> None:
    """Is it any good? Evaluate whatever retrieves, ranks, detects or classifies, exactly and fast."""


def main() -> None:
    """Run the command line; a wrong input ends with status 2 and one clear message."""
    try:
        group(prog_name="germane")
    except GermaneError as problem:
        click.echo(f"germane: {problem}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone (`germane … | head`): nothing is left to say.
        sys.stderr.close()
        sys.exit(0)
    except Exception:
        # Status 1 means that a gate failed; a crash must not look like one.
        traceback.print_exc()
        click.echo("germane: this should not happen; please report it with the lines above", err=True)
        sys.exit(3)
