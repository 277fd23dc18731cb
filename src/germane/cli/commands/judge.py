"""`germane judge`: a web app for judging the documents of a pool."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import click

from germane.cli.options.vocabulary import option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError, MissingExtraError
from germane.output.rendering.messages import print_message
from germane.tables.notes.counts import counted


@make_command(
    "judge",
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv",
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv --judgments-per-doc 2 --assessor ann",
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv --grades '0=no,1=partly,2=yes'",
)
@click.argument("pool")
@shared("--documents", "docs", required=True)
@shared("--fields", otherwise="title and text")
@shared("--id-field", otherwise="inferred from field names")
@shared("--query-texts", "topics", required=True)
@option("--store", "Database: a SQLite file or postgresql://…  [default: next to the pool]", "FILE|URL")
@option("--organiser", "Your name as organiser.  [default: your login name]", "NAME")
@option("--assessor assessors", "Add an assessor and print their link; may be repeated.", "NAME", multiple=True)
@option("--viewer viewers", "Add a viewer, who sees progress and agreement; may be repeated.", "NAME", multiple=True)
@option("--judgments-per-doc judgments_per_document", "Assessors per document.  [default: 1]", "COUNT")
@shared("--grades", "scale", otherwise="0,1")
@option("--rubric", "Rubric as JSON: grades, their meaning, and instructions.", "FILE")
@option("--calibration", "Pool that every assessor judges first.", "FILE")
@option("--repeat-share", "Share of documents shown twice, to measure self-consistency.  [default: 0.03]", "SHARE")
@click.option("--masked/--unmasked", default=None, help="Hide document ids, which may reveal the source of a document.")
@click.option("--active/--shuffled", default=None, help="Show documents by predicted relevance, or shuffled.")
@shared("--seed", otherwise="0")
@shared("--title", otherwise="the pool's name")
@option("--host", "Address to listen on.", "NAME", default="127.0.0.1")
@shared("--port", otherwise="8642, or a free one")
@option(
    "--allowed-host allowed", "Host name under which a proxy serves the app; may be repeated.", "NAME", multiple=True
)
@option("--certificate", "TLS certificate, for access from other machines.", "FILE")
@option("--key", "Private key of the certificate.", "FILE")
@option("--offline", "Write a bundle for an assessor who works offline, and exit.", "FILE")
@option("--for whom", "Assessor of the bundle.  [default: you]", "NAME")
@option("--count", "Number of documents in the bundle.", "COUNT", default=100)
@option("--import-bundle", "Import the judgments of a bundle, and exit.", "FILE")
@option("--revoke", "Release the documents reserved by a bundle, and exit.", "BUNDLE")
def command(
    organiser: str | None,
    active: bool | None,
    scale: str | None,
    rubric: str | None,
    host: str,
    port: int | None,
    allowed: tuple[str, ...],
    certificate: str | None,
    key: str | None,
    assessors: tuple[str, ...],
    viewers: tuple[str, ...],
    fields: str | None,
    **choices: Any,
) -> None:
    """Judge the documents of POOL in a browser. Prints a link to open.

    Judgments are saved in the database (--store); run the command again to continue. `germane agree` and `germane
    release` read the database, or the event log next to it, which lacks the pool and the grades. Documents are a
    folder, JSON lines, TSV or CSV. Grades may have labels, such as 0=no,1=yes; all but the first are relevant.
    """
    serving = _serving()
    if (certificate is None) != (key is None):
        raise GermaneError("--certificate and --key require each other", hint="use both, or neither")
    offline, answers, revoked = (choices.pop(name) for name in ("offline", "import_bundle", "revoke"))
    whom, count = choices.pop("whom"), choices.pop("count")
    settings = {name: choices.pop(name) for name in ("judgments_per_document", "repeat_share", "masked", "seed")}
    settings["ordering"] = None if active is None else ("active" if active else "shuffle")
    steps = {"offline": offline, "import-bundle": answers, "revoke": revoked}
    only_once = [name for name, value in steps.items() if value]
    if len(only_once) > 1:
        raise GermaneError(f"use either --{only_once[0]} or --{only_once[1]}, not both", hint="remove one of them")
    scale_used = _rubric(serving, scale, rubric)
    with ExitStack() as held:
        listening, addresses = None, ()
        if not only_once:
            if certificate is None:  # with one, it depends on accounts, which are known only once the database is open
                serving.check_openness(host, allowed, tls=False, accounts=True)
            listening = held.enter_context(serving.listen(host, port))
            addresses = serving.addresses_of(host, listening.getsockname()[1], allowed, tls=certificate is not None)
        opened = serving.open_site(
            rubric=scale_used,
            settings={name: value for name, value in settings.items() if value is not None},
            addresses=addresses,
            fields=None if fields is None else fields.split(","),
            **choices,
        )
        site = opened.site
        held.callback(site.documents.close)
        held.enter_context(site.database)
        for note in opened.notes:
            print_message(f"{note}", label="note: ")
        me = serving.get_or_add_person(site.database, organiser or _login_name(), "organiser")
        people = [serving.get_or_add_person(site.database, name, "assessor") for name in assessors]
        people += [serving.get_or_add_person(site.database, name, "viewer") for name in viewers]
        if offline:
            _write_bundle(site, whom or me.name, count, Path(offline))
        elif answers:
            _import_answers(site, Path(answers))
        elif revoked:
            _revoke(site, revoked)
        else:
            accounts = serving.has_accounts(site.database)
            serving.check_openness(host, allowed, tls=certificate is not None, accounts=accounts)
            assert listening is not None
            _print_links(opened, me, people)
            with suppress(KeyboardInterrupt):  # Ctrl+C is the normal way to stop
                serving.serve(site, listening, certificate=certificate, key=key)


def _serving() -> Any:
    try:
        import uvicorn  # noqa: F401 - report a missing library before a link is printed

        import germane.web.app  # noqa: F401
        from germane.web import serving
    except ImportError as error:
        if error.name and error.name.startswith("germane"):
            raise
        raise MissingExtraError("judging", "judge") from None
    return serving


def _rubric(serving: Any, scale: str | None, path: str | None) -> Any:
    if scale is not None and path is not None:
        raise GermaneError("--grades cannot be combined with --rubric", hint="remove one of them")
    if path is not None:
        return serving.read_rubric(path)
    if scale is not None:
        from germane.judging.rubric import parse_scale

        return parse_scale(scale)
    return None


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "organiser"


def _print_links(opened: Any, organiser: Any, people: Sequence[Any]) -> None:
    from germane.judging.store.people import make_link

    address = opened.site.addresses[0]
    print_message(opened.work)
    print_message(f"Judgments are saved in {opened.store}")
    print_message(f"Open this link as {organiser.name} (works once):")
    click.echo(address.link(make_link(opened.site.database, organiser, "once")))
    for person in people:
        print_message(f"Link for {person.name} ({person.role}), valid for 90 days:")
        click.echo(address.link(make_link(opened.site.database, person, "personal")))
    print_message("Press Ctrl+C to stop the server; saved judgments are kept.")


def _write_bundle(site: Any, name: str, count: int, path: Path) -> None:
    from germane.formats.files.targets import open_target
    from germane.judging.bundle import reserve
    from germane.judging.store.people import person_named
    from germane.web.offline import bundle_page

    person = person_named(site.database, name)
    if person is None or not person.may_judge:
        raise GermaneError(f"{name!r} is not an assessor in this project", hint=f"add --assessor {name}")
    bundle = reserve(site.database, name, count, ranking=site.ranking)
    with open_target(path) as target:
        target.write(bundle_page(site, bundle).encode())
    click.echo(f"{path}: bundle {bundle.bundle} with {counted(len(bundle.tasks), 'document')} for {name}")


def _revoke(site: Any, bundle: str) -> None:
    from germane.judging.bundle import revoke

    revoke(site.database, bundle)
    click.echo(f"bundle {bundle} revoked; its documents are available again")


def _import_answers(site: Any, path: Path) -> None:
    from germane.judging.bundle import import_answers

    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise GermaneError(f"{path}: cannot read file: {error.strerror}") from None
    found = import_answers(site.database, lines)
    extra = f" ({found.extra} of them extra)" if found.extra else ""
    stored = counted(found.stored, "judgment")
    click.echo(f"{stored} imported{extra}, {found.already} already known, {len(found.refused)} rejected")
    for one in found.refused:
        print_message(f"{path}:{one.line}: rejected: {one.reason}")
