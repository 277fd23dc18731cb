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
        "compare": "Test whether one system is really better.",
        "correlate": "Correlate two rankings, or two measures.",
        "trec_eval": "Reproduce trec_eval's output byte for byte.",
    },
    "Decisions (classifiers, detectors, diagnostic tests)": {
        "classify": "Evaluate a classifier or detector.",
        "threshold": "Choose an operating point by a stated rule.",
    },
    "Embeddings (text or image vectors)": {"vectors": "Evaluate embeddings by exact search."},
    "Ground truth (relevance judgments)": {
        "topics": "Sample queries from a query log.",
        "pool": "Choose the documents to judge.",
        "judge": "Judge documents in a browser, alone or as a team.",
        "agree": "Measure inter-assessor agreement.",
        "release": "Turn judgments into qrels, ready to publish.",
    },
    "Retrieval (from documents to runs)": {
        "index": "Make documents searchable.",
        "search": "Search, mark relevant results, and search again.",
        "retrieve": "Run queries through an index or a search engine.",
        "feedback": "Evaluate relevance feedback without counting seen documents.",
        "fuse": "Fuse several runs into one.",
    },
    "Learning (choose or train a ranker)": {
        "tune": "Choose a strategy, and estimate its score on new queries.",
        "learn": "Learn to rank, and evaluate on held-out queries.",
        "agent": "Train a search agent that learns from feedback.",
    },
    "Inspect and share": {
        "explain": "Break a score down, step by step.",
        "report": "Write an interactive HTML report.",
        "plot": "Draw a single figure.",
        "exercise": "Make exercises for a course, and check the answers.",
    },
    "Files and help": {
        "check": "Validate run and qrels files.",
        "convert": "Convert between file formats without loss.",
        "measures": "List measures, or show one in detail.",
        "demo": "Try everything on sample data, offline.",
        "completion": "Set up tab completion for bash, zsh or fish.",
    },
}
"""Commands by task, in the order in which `germane --help` lists them."""
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


# click's own help option looks for a translation file, which takes 5% of the time of a short command.
HELP = click.Option(
    CONTEXT["help_option_names"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_help,
    help="Show this message and exit.",
)


class Context(click.Context):
    """The context of all commands, which formats help in our own way."""

    def make_formatter(self) -> click.HelpFormatter:
        from germane.cli.shell.help_formatter import HelpFormatter

        return HelpFormatter(width=self.terminal_width, max_width=self.max_content_width)


class LazyGroup(click.Group):
    """A group that imports the module of a command only when that command runs, so that start-up is fast.

    A first word that is a file or folder, not a command, runs `recognise` on the arguments.
    """

    context_class = Context
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
                raise UsageProblem("missing command", ctx, hint=hint)
            return word, import_module("germane.cli.commands.recognise").command, args
        if word == "help":
            about = args[1] if len(args) > 1 and args[1] in COMMANDS else ""
            hint = f"run `{' '.join(f'germane {about} --help'.split())}`"
            raise UsageProblem("unknown command 'help'", ctx, hint=hint)
        raise no_such_command(word, COMMANDS, ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        options = [] if not incomplete.startswith("-") else click.Command.shell_complete(self, ctx, incomplete)
        commands = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        # Files come first: click's script for bash drops the completions before them, and offers files only when
        # nothing follows.
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
    """Whether a word is meant as a path: it has a folder or a file extension, though the file may not exist.

    >>> _like_a_path("runs/bm25.run"), _like_a_path("evla")
    (True, False)
    """
    return os.sep in word or "." in word.strip(".")


def _command_for(args: list[str]) -> str | None:
    """Return a hint for options that follow files without a command: the first command that has all of them."""
    asked = {word.partition("=")[0] for word in args if word.startswith("-") and word != "-"} - {"-h", "--help"}
    if not asked:
        return None
    for name in COMMANDS:
        command: click.Command = import_module(f"germane.cli.commands.{name}").command
        if asked <= {option for param in command.params for option in (*param.opts, *param.secondary_opts)}:
            import shlex

            return f"for example: {shlex.join(['germane', name, *args])}"
    return "start with a command; run `germane --help` for a list"


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from germane import __version__, kernels

        click.echo(f"germane {__version__} ({kernels.in_use()})")
        ctx.exit()


@click.group("germane", cls=LazyGroup, context_settings=CONTEXT)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def group() -> None:
    """Evaluate search engines, rankers, detectors and classifiers.

    `germane COMMAND --help` explains a command, with examples. `germane FILE …` tells you what the files are and which
    commands take them.
    """


def _print_error(text: str) -> None:
    from germane.output.rendering.messages import print_message

    print_message(f"germane: {text}")


def main() -> None:
    """Run the command line; wrong input ends with exit status 2 and one clear message."""
    # Start-up allocates about 100,000 objects that live until exit. Scanning them for garbage, now and at exit, would
    # take a sixth of the time of a short command.
    gc.set_threshold(100_000)
    # NumPy is not loaded yet. Its threads would keep a core busy for 30 ms, waiting for work that seldom comes, while
    # germane's own threads read the first files. This lets them sleep; waking them takes microseconds.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    try:
        group(prog_name="germane")
    except GermaneError as problem:
        _print_error(str(problem))
        sys.exit(2)
    except MemoryError:
        click.echo(f"germane: {OutOfMemoryError('not enough memory')}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has closed the pipe (`germane … | head`).
        sys.stderr.close()
        sys.exit(0)
    except Exception as problem:
        if isinstance(problem, OSError) and problem.filename is not None:
            click.echo(f"germane: {problem.filename}: {problem.strerror}", err=True)
            sys.exit(2)
        import traceback

        # Status 1 means that a gate failed; a crash must not look like one.
        traceback.print_exc()
        click.echo("germane: internal error; please report it with the lines above", err=True)
        sys.exit(3)
    finally:
        gc.freeze()
