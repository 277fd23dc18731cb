"""`germane exercise`: sheets of tasks drawn from a seed, and what the answers to them are worth."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from germane.cli.options.printing import format_options, print_result
from germane.cli.options.vocabulary import list_option, option, shared
from germane.cli.shell.command_class import Group, make_command, subcommand
from germane.errors import GermaneError
from germane.formats.files.targets import open_target, require_new
from germane.tables.notes.counts import counted


def _exercise() -> None:
    """Make exercises for a course, and check the answers."""


command: Group = make_command("exercise", cls=Group)(_exercise)


def _topics() -> str:
    from germane.exercises.kinds import KINDS

    listed = [
        f"{kind.title} ({kind.name})\n"
        + textwrap.fill("  ".join(kind.topics), 96, initial_indent="  ", subsequent_indent="  ")
        for kind in KINDS
    ]
    others = (
        "Any other measure of a ranking, rate or model will do as well, with parameters, as in\n"
        "'nDCG(gain=exp)@5'. A name that means two things takes the kind: rates:ERR.\n"
    )
    return "\n\n".join([*listed, others])


@subcommand(
    command,
    "make",
    "germane exercise make AP nDCG@5 F1 kappa --seed 7 -o sheet.md",
    "germane exercise make AP nDCG@5 F1 kappa --seed 7 --solutions -o solutions.html",
    "germane exercise make AP TPR --students names.txt -o sheet.md",
)
@click.argument("topics", nargs=-1, required=True, metavar="TOPICS...")
@option("--solutions", "The worked solutions, not the lines to fill in.")
@option("--students", "Names, one a line: each has a variant, in a file of their own.", "FILE")
@shared("--seed", default=0)
@shared("--output", otherwise="the screen, in Markdown")
@list_option(_topics)
def make(topics: tuple[str, ...], solutions: bool, students: str | None, seed: int, output: str | None) -> None:
    """Make a sheet of exercises, one for each of TOPICS: small data to work on with pencil and paper.

    The same topics and seed give the same sheet on every machine. --output ends in .md, .html or .json. Of a class
    with --students, each file has the student's name before that ending. Nothing is overwritten by something else.
    """
    from germane.exercises.layout import WRITERS, as_markdown
    from germane.exercises.sheet import read_students, sheets_for

    _note_meanings(topics)
    sheets = sheets_for(topics, seed, read_students(students) if students else ())
    if output is None:
        if students:
            raise GermaneError("every student has a file of their own", hint="name them: -o sheet.md")
        click.echo(as_markdown(sheets[0], solutions=solutions), nl=False)
        return
    ending = Path(output).suffix
    if ending not in WRITERS:
        raise GermaneError(f"{output}: expected a name that ends in {', '.join(WRITERS)}")
    texts = {_named(output, sheet.student): WRITERS[ending](sheet, solutions=solutions) for sheet in sheets}
    _write(texts, len(sheets))
    click.echo(f"{counted(len(topics), 'task')}, seed {seed}: {_some(list(texts))}", err=True)


@subcommand(
    command,
    "check",
    "germane exercise check sheet.md",
    "germane exercise check sheet.md mine.txt",
    "germane exercise check sheet-*.md class.csv",
)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@format_options
def check(files: tuple[str, ...]) -> None:
    """Check the answers in FILES: sheets that were filled in, or sheets and a file of answers.

    A file of answers has a task and a value to a line, as in `1 5/9`; that of a class is CSV, with the columns student,
    1, 2, … An answer is right to the digits that it has. For a wrong one, the mistake that leads to just that value is
    named where there is one; the right value is not.
    """
    from germane.exercises.mistakes import check_files

    print_result(check_files(files))


def _note_meanings(topics: tuple[str, ...]) -> None:
    """A name that means two things is told apart here, and never in silence."""
    from germane.exercises.kinds import kinds_of

    for topic in dict.fromkeys(topics):
        (kind, name), *others = kinds_of(topic)
        if others:
            listed = ", ".join(f"{other.name}:{name}" for other, name in others)
            click.echo(f"note: {topic} is taken for {kind.name}:{name} ({kind.title.lower()}), not {listed}", err=True)


def _named(output: str, student: str) -> Path:
    path = Path(output)
    if not student:
        return path
    plain = "".join(character if character.isalnum() else "_" for character in student)
    return path.with_name(f"{path.stem}-{plain}{path.suffix}")


def _write(texts: dict[Path, str], expected: int) -> None:
    if len(texts) < expected:
        raise GermaneError("two students would have the same file", hint="names differ in letters or digits")
    for path, text in texts.items():
        if path.exists() and path.read_bytes() != text.encode():
            require_new(path, hint="choose another name")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_target(path) as target:
            target.write(text.encode())


def _some(paths: list[Path]) -> str:
    return ", ".join(map(str, paths[:3])) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
