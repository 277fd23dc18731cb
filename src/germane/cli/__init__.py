"""The command line: each command is one file that parses, calls one library function and prints."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import Any

import click

from germane.errors import GermaneError, OutOfMemoryError

SECTIONS = {
    "Rankings (search engines, recommenders, nearest neighbours)": {
        "eval": "Score runs against judgments.",
        "compare": "Say whether one system is really better than another.",
        "correlate": "Say how far two rankings, or two measures, agree.",
        "trec_eval": "Print what trec_eval prints, byte for byte.",
    },
    "Decisions (classifiers, detectors, diagnostic tests)": {
        "classify": "Say how good a classifier or detector is.",
        "threshold": "Choose an operating point by a stated rule.",
    },
    "Embeddings (vectors of text or pictures)": {"vectors": "Score embeddings exactly, with no index and no cutoff."},
    "Ground truth (what people say is relevant)": {
        "topics": "Draw queries from a query log.",
        "pool": "Choose the documents that people should judge.",
        "judge": "Let people grade the documents of a pool.",
        "agree": "Say how far assessors agree.",
        "release": "Make qrels of what assessors said.",
    },
    "Retrieval (from documents to runs)": {
        "index": "Make documents searchable.",
        "search": "Search, mark what is relevant, and search again.",
        "retrieve": "Run queries through an index or an engine.",
        "feedback": "Say what relevance feedback is worth, honestly.",
        "fuse": "Make one run of several.",
    },
    "Learning (the best strategy, and what to expect of it)": {
        "tune": "Choose a strategy on judged topics, and say what to expect of it.",
        "learn": "Learn to rank, and say what it is worth on unseen queries.",
        "agent": "Train an agent that searches, and learns from feedback.",
    },
    "A closer look (at rankings and decisions)": {
        "explain": "Show the worked table behind one number.",
        "report": "Write one page that shows it all.",
        "plot": "Draw a single figure.",
        "exercise": "Make exercises for a course, and check the answers.",
    },
    "Files and help": {
        "check": "Say everything that is wrong with runs and judgments.",
        "convert": "Go between file formats, losing nothing.",
        "measures": "List the measures, or say all about one.",
        "demo": "See the whole loop, on data that every machine has.",
        "completion": "Let the shell complete commands, options and names.",
    },
}
"""The commands by the question they answer, in the order in which they are listed."""
CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
COMMANDS = {name: text for commands in SECTIONS.values() for name, text in commands.items()}
FIRST_STEPS = {
    "germane demo --tutorial exercise && cd exercise": "two runs to try",
    "germane eval qrels.txt system1.run system2.run": "how good are they?",
    "germane explain AP qrels.txt system1.run --query Q2": "why this value?",
    "germane .": "what is here?",
}


def _print_help(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


# click's own looks on the disk for a translation of its text, which is a twentieth of a short command's time.
HELP = click.Option(
    CONTEXT["help_option_names"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_help,
    help="Show this message and exit.",
)


class LazyGroup(click.Group):
    """Imports a command's file only when that command is run: start-up counts.

    A first word that is a file or folder, and no command, is looked at: what is it, and which commands take it?
    """

    examples = tuple(FIRST_STEPS)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"germane.cli.commands.{cmd_name}").command
        return command

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return HELP

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            from germane.cli.shell.usage_errors import usage_problem

            raise usage_problem(error, self, ctx, given) from None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        word = args[0] if args else ""
        if word in COMMANDS or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from germane.cli.shell.usage_errors import UsageProblem, no_such_command

        if os.path.lexists(word) or _like_a_path(word):
            hint = _command_for(args)
            if hint is not None:
                raise UsageProblem("no command was given", ctx, hint=hint)
            return word, import_module("germane.cli.commands.recognise").command, args
        if word == "help":
            about = args[1] if len(args) > 1 and args[1] in COMMANDS else ""
            raise UsageProblem("no command is called 'help'", ctx, hint=" ".join(f"germane {about} --help".split()))
        raise no_such_command(word, COMMANDS, ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        options = [] if not incomplete.startswith("-") else click.Command.shell_complete(self, ctx, incomplete)
        commands = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        # The files come first: bash's script forgets what came before them, and takes them where nothing follows.
        return [CompletionItem(incomplete, type="file"), *commands, *options]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("germane", "COMMAND …")
        formatter.write_usage("germane", "FILE …", prefix=" " * len("Usage: "))
        self.format_help_text(ctx, formatter)
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<10}", text) for name, text in commands.items()])
        with formatter.section("First steps"):
            formatter.write_dl(list(FIRST_STEPS.items()), col_max=60)
        with formatter.section("Options"):
            formatter.write_dl([record for param in self.get_params(ctx) if (record := param.get_help_record(ctx))])


def _like_a_path(word: str) -> bool:
    """A word that is meant as a file, though there is none: it has a folder or an ending.

    >>> _like_a_path("runs/bm25.run"), _like_a_path("evla")
    (True, False)
    """
    return os.sep in word or "." in word.strip(".")


def _command_for(args: list[str]) -> str | None:
    """What to say of options after files and no command: the first command that has the options, with these words."""
    asked = {word.partition("=")[0] for word in args if word.startswith("-") and word != "-"} - {"-h", "--help"}
    if not asked:
        return None
    for name in COMMANDS:
        command: click.Command = import_module(f"germane.cli.commands.{name}").command
        if asked <= {option for param in command.params for option in (*param.opts, *param.secondary_opts)}:
            import shlex

            return f"for example: {shlex.join(['germane', name, *args])}"
    return "germane --help lists the commands; one of them comes first"


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from germane import __version__, kernels

        click.echo(f"germane {__version__} ({kernels.in_use()})")
        ctx.exit()


@click.group("germane", cls=LazyGroup, context_settings=CONTEXT)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def group() -> None:
    """Is it any good? Evaluate whatever retrieves, ranks, detects or classifies, exactly and fast.

    `germane COMMAND --help` says all about a command, with examples. Files in place of a command are looked at: what
    are they, and which commands take them?
    """


def main() -> None:
    """Run the command line; a wrong input ends with status 2 and one clear message."""
    # Starting up makes a hundred thousand objects that stay: to look for garbage among them, and once more at the end,
    # takes a sixth of the time of a short command.
    gc.set_threshold(100_000)
    try:
        group(prog_name="germane")
    except GermaneError as problem:
        click.echo(f"germane: {problem}", err=True)
        sys.exit(2)
    except MemoryError:
        click.echo(f"germane: {OutOfMemoryError('not enough memory')}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone (`germane … | head`): nothing is left to say.
        sys.stderr.close()
        sys.exit(0)
    except Exception as problem:
        if isinstance(problem, OSError) and problem.filename is not None:
            click.echo(f"germane: {problem.filename}: {problem.strerror}", err=True)
            sys.exit(2)
        import traceback

        # Status 1 means that a gate failed; a crash must not look like one.
        traceback.print_exc()
        click.echo("germane: this should not happen; please report it with the lines above", err=True)
        sys.exit(3)
    finally:
        gc.freeze()
