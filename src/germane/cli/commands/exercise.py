"""`germane exercise`: make exercise sheets from a seed, and check the answers."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from germane.cli.options.printing import format_options, print_result
from germane.cli.options.vocabulary import list_option, option, shared
from germane.cli.shell.command_class import Group, make_command, subcommand
from germane.errors import GermaneError
from germane.formats.files.addresses import local_path
from germane.formats.files.targets import open_target, require_new
from germane.output.rendering.messages import print_message
from germane.tables.notes.counts import counted


def _exercise() -> None:
    """Make exercises for a course, and check the answers."""


command: Group = make_command("exercise", cls=Group)(_exercise)


def _topics(width: int | None) -> str:
    from germane.exercises.kinds import KINDS

    listed = [
        f"{kind.title} ({kind.name})\n"
        + textwrap.fill("  ".join(kind.topics), width or 96, initial_indent="  ", subsequent_indent="  ")
        for kind in KINDS
    ]
    others = (
        "You can also use any other ranking measure, rate or model, with parameters, such as 'nDCG(gain=exp)@5'. "
        "If a name has two meanings, add the kind: rates:ERR."
    )
    return "\n\n".join([*listed, textwrap.fill(others, width or 96) + "\n"])


@subcommand(
    command,
    "make",
    "germane exercise make AP nDCG@5 F1 kappa --seed 7 -o sheet.md",
    "germane exercise make AP nDCG@5 F1 kappa --seed 7 --solutions -o solutions.html",
    "germane exercise make AP TPR --students names.txt -o sheet.md",
)
@click.argument("topics", nargs=-1, required=True, metavar="TOPICS...")
@option("--solutions", "Write worked solutions instead of blanks to fill in.")
@option("--students", "Write one variant and file per student; FILE has one name per line.", "FILE")
@shared("--seed", default=0)
@shared("--output", otherwise="standard output, in Markdown")
@list_option(_topics)
def make(topics: tuple[str, ...], solutions: bool, students: str | None, seed: int, output: str | None) -> None:
    """Make a sheet with one exercise for each of TOPICS: small data to work on with pencil and paper.

    The same topics and seed give the same sheet on every machine. --output ends in .md, .html or .json; with
    --students, each student's name is added to the file name. Existing files with other content are not overwritten.
    """
    from germane.exercises.layout import WRITERS, as_markdown
    from germane.exercises.sheet import read_students, sheets_for

    _note_meanings(topics)
    sheets = sheets_for(topics, seed, read_students(students) if students else ())
    if output is None:
        if students:
            raise GermaneError("--students requires --output", hint="add -o sheet.md")
        click.echo(as_markdown(sheets[0], solutions=solutions), nl=False)
        return
    ending = Path(output).suffix
    if ending not in WRITERS:
        raise GermaneError(f"{output}: expected one of the file extensions {', '.join(WRITERS)}")
    texts = {_named(output, sheet.student): WRITERS[ending](sheet, solutions=solutions) for sheet in sheets}
    _write(texts, len(sheets))
    print_message(f"{counted(len(topics), 'task')}, seed {seed}: {_some(list(texts))}")


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
    """Check the answers in FILES: completed sheets, or sheets and a file of answers.

    A file of answers has one `task value` per line, such as `1 5/9`; that of a class is CSV with the columns student,
    1, 2, … An answer is compared to as many digits as it has. A wrong answer is explained if a known mistake leads to
    exactly that value; the right value is not revealed.
    """
    from germane.exercises.mistakes import check_files

    print_result(check_files(files))


def _note_meanings(topics: tuple[str, ...]) -> None:
    """Print which meaning is used of a name that has two."""
    from germane.exercises.kinds import kinds_of

    for topic in dict.fromkeys(topics):
        (kind, name), *others = kinds_of(topic)
        if others:
            listed = ", ".join(f"{other.name}:{name}" for other, name in others)
            print_message(f"using {topic} as {kind.name}:{name} ({kind.title.lower()}), not {listed}", label="note: ")


def _named(output: str, student: str) -> Path:
    path = local_path(output)
    if not student:
        return path
    plain = "".join(character if character.isalnum() else "_" for character in student)
    return path.with_name(f"{path.stem}-{plain}{path.suffix}")


def _write(texts: dict[Path, str], expected: int) -> None:
    if len(texts) < expected:
        raise GermaneError("two students would get the same file", hint="make their names differ in letters or digits")
    for path, text in texts.items():
        if path.exists() and path.read_bytes() != text.encode():
            require_new(path, hint="choose another name")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_target(path) as target:
            target.write(text.encode())


def _some(paths: list[Path]) -> str:
    return ", ".join(map(str, paths[:3])) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
