"""Files by chance for every reader; see CONTRIBUTING.md.

python -m tests.fuzz --files 1000000
python -m tests.fuzz --seconds 60
python -m tests.fuzz --reader trec_run --case 123456 --seed 1
"""

from __future__ import annotations

import sys
import time

import click

from tests.fuzz.outcomes import case_of
from tests.fuzz.readers import Reader, all_readers
from tests.fuzz.running import bounded, run_cases, shares
from tests.fuzz.supervising import WITHOUT_END, Job, Tallies, supervised


@click.command()
@click.option("--files", default=20_000, show_default=True, help="How many files, shared among the readers.")
@click.option("--seconds", type=float, help="How long, shared evenly among the readers, in place of a number of files.")
@click.option("--seed", default=1, show_default=True)
@click.option("--reader", "names", multiple=True, help="Only this one; may be repeated.")
@click.option("--case", type=int, help="Only this case, of the one reader named; prints it, and what comes of it.")
@click.option("--messages", is_flag=True, help="Say which errors there were, and how often.")
def main(
    files: int, seconds: float | None, seed: int, names: tuple[str, ...], case: int | None, messages: bool
) -> None:
    """Read files made by chance with every reader, and say what does not hold."""
    every = all_readers()
    for name in names:
        if name not in every:
            raise click.ClickException(f"no reader is called {name}; there are: {', '.join(every)}")
    readers = {name: reader for name, reader in every.items() if not names or name in names}
    if case is not None:
        sys.exit(one_case(readers[names[0]], case, seed))
    start, num_done = time.perf_counter(), 0

    def told(name: str, findings: list[str]) -> None:
        nonlocal num_done
        num_done += 1
        end = "\r" if sys.stderr.isatty() and num_done < len(readers) else "\n"
        click.echo(f"{num_done}/{len(readers)} {name:32}{end}", nl=False, err=True)
        for finding in findings:
            click.echo(f"\n{finding}")

    tallies, findings = supervised(readers, planned(readers, files, seconds), seed, told)
    print_summary(tallies, messages=messages)
    num_files = sum(tally["files"] for tally in tallies.values())
    click.echo(f"\n{num_files:,} files in {time.perf_counter() - start:,.0f} s, seed {seed}: {len(findings)} findings")
    sys.exit(bool(findings))


def planned(readers: dict[str, Reader], files: int, seconds: float | None) -> list[Job]:
    """Which cases of which readers."""
    if seconds is not None:
        return [(name, 0, WITHOUT_END, seconds / len(readers)) for name in readers]
    return [(name, 0, count, None) for name, count in shares(readers, files).items()]


def one_case(reader: Reader, number: int, seed: int) -> int:
    """A single case: itself, and what came of it."""
    _ = reader.good
    click.echo(f"{case_of(reader, seed, number)!r:.3000}")
    with bounded() as folder:
        tally, findings = run_cases(reader, iter([number]), folder, seed)
    click.echo("accepted" if tally.accepted else f"refused: {', '.join(tally.messages)}")
    for finding in findings:
        click.echo(f"\n{finding}")
    return int(bool(findings))


def print_summary(tallies: Tallies, *, messages: bool) -> None:
    """A line for each reader, and its errors if they are asked for."""
    line = "{:32} {:>9} {:>9} {:>10} {:>7} {:>9}".format
    click.echo(line("reader", "files", "accepted", "refusals", "kinds", "per s"))
    for name, tally in tallies.items():
        refused = sum(tally["messages"].values())
        share = f"{tally['accepted'] / tally['files']:.0%}" if tally["files"] else ""
        speed = f"{tally['files'] / tally['seconds']:,.0f}" if tally["seconds"] else ""
        click.echo(line(name, f"{tally['files']:,}", share, f"{refused:,}", len(tally["messages"]), speed))
        if messages:
            for message, count in sorted(tally["messages"].items(), key=lambda pair: -pair[1]):
                click.echo(f"    {count:>7,}  {message.encode('utf-8', 'backslashreplace').decode()}")


if __name__ == "__main__":
    main()
