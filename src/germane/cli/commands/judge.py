"""`germane judge`: a web app in which people grade the documents of a pool."""

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


@make_command(
    "judge",
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv",
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv --judgments-per-doc 2 --assessor ann",
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv --grades '0=no,1=partly,2=yes'",
)
@click.argument("pool")
@shared("--documents", "docs", required=True)
@shared("--fields", otherwise="title and text")
@shared("--id-field", otherwise="told from its name")
@shared("--query-texts", "topics", required=True)
@option("--store", "A SQLite file or postgresql://…  [default: beside the pool]", "FILE|URL")
@option("--organiser", "Your name as organiser.  [default: your login name]", "NAME")
@option("--assessor assessors", "Let somebody judge; prints their link.", "NAME", multiple=True)
@option("--viewer viewers", "Let somebody see progress and agreement.", "NAME", multiple=True)
@option("--judgments-per-doc judgments_per_document", "How many people judge each document.  [default: 1]", "COUNT")
@shared("--grades", "scale", otherwise="0,1")
@option("--rubric", "Grades, their meaning and the rules, as JSON.", "FILE")
@option("--calibration", "A pool that everybody judges first.", "FILE")
@option("--repeat-share", "Share of documents shown twice.  [default: 0.03]", "SHARE")
@click.option("--masked/--unmasked", default=None, help="Hide document ids, which may tell where a document is from.")
@click.option("--active/--shuffled", default=None, help="Show first what a model finds likely to be relevant.")
@shared("--seed", otherwise="0")
@shared("--title", otherwise="the pool's name")
@option("--host", "The address to listen on.", "NAME", default="127.0.0.1")
@shared("--port", otherwise="8642, or a free one")
@option("--allowed-host allowed", "The name that a proxy serves this under.", "NAME", multiple=True)
@option("--certificate", "TLS certificate, for others than this machine.", "FILE")
@option("--key", "Its private key.", "FILE")
@option("--offline", "Write a bundle for an assessor without a network, and end.", "FILE")
@option("--for whom", "Whom the bundle is for.  [default: you]", "NAME")
@option("--count", "Documents in the bundle.", "COUNT", default=100)
@option("--import-bundle", "Import the judgments of a bundle, and end.", "FILE")
@option("--revoke", "End a bundle's reservation, and end.", "BUNDLE")
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
    """Judge the documents of POOL in a browser: prints a link, and works at once on a single file.

    Everything is kept in the store, and a second start goes on where the first one ended. `germane agree` and `germane
    release` read the store, or the events file beside it, which does not know the pool and the grades. Documents are a
    folder, JSON lines, TSV or CSV. The grades may have labels, as in 0=no,1=yes; those from the second on are relevant.
    """
    serving = _serving()
    if (certificate is None) != (key is None):
        raise GermaneError("--certificate and --key belong together")
    offline, answers, revoked = (choices.pop(name) for name in ("offline", "import_bundle", "revoke"))
    whom, count = choices.pop("whom"), choices.pop("count")
    settings = {name: choices.pop(name) for name in ("judgments_per_document", "repeat_share", "masked", "seed")}
    settings["ordering"] = None if active is None else ("active" if active else "shuffle")
    steps = {"offline": offline, "import-bundle": answers, "revoke": revoked}
    only_once = [name for name, value in steps.items() if value]
    if len(only_once) > 1:
        raise GermaneError(f"--{only_once[0]} and --{only_once[1]} are two things to do: say one")
    scale_used = _rubric(serving, scale, rubric)
    with ExitStack() as held:
        listening, addresses = None, ()
        if not only_once:
            if certificate is None:  # with one, it depends on the accounts, which are known once the store is open
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
            click.echo(f"note: {note}", err=True)
        me = serving.welcome(site.database, organiser or _login_name(), "organiser")
        people = [serving.welcome(site.database, name, "assessor") for name in assessors]
        people += [serving.welcome(site.database, name, "viewer") for name in viewers]
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
            with suppress(KeyboardInterrupt):  # Ctrl+C is how it is meant to end
                serving.serve(site, listening, certificate=certificate, key=key)


def _serving() -> Any:
    try:
        import uvicorn  # noqa: F401 - the server needs both last, and a link that leads nowhere should not be printed

        import germane.web.app  # noqa: F401
        from germane.web import serving
    except ImportError as error:
        if error.name and error.name.startswith("germane"):
            raise
        raise MissingExtraError("judging", "judge") from None
    return serving


def _rubric(serving: Any, scale: str | None, path: str | None) -> Any:
    if scale is not None and path is not None:
        raise GermaneError("--grades and --rubric both say what the grades are", hint="give one of them")
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
    click.echo(opened.work, err=True)
    click.echo(f"Judgments are kept in {opened.store}", err=True)
    click.echo(f"Open this as {organiser.name} (it works once):", err=True)
    click.echo(address.link(make_link(opened.site.database, organiser, "once")))
    for person in people:
        click.echo(f"For {person.name} ({person.role}), for 90 days:", err=True)
        click.echo(address.link(make_link(opened.site.database, person, "personal")))
    click.echo("Ctrl+C stops the server; nothing that was saved is lost.", err=True)


def _write_bundle(site: Any, name: str, count: int, path: Path) -> None:
    from germane.formats.files.targets import open_target
    from germane.judging.bundle import reserve
    from germane.judging.store.people import person_named
    from germane.web.offline import bundle_page

    person = person_named(site.database, name)
    if person is None or not person.may_judge:
        raise GermaneError(f"nobody called {name!r} may judge here", hint=f"add --assessor {name}")
    bundle = reserve(site.database, name, count, ranking=site.ranking)
    with open_target(path) as target:
        target.write(bundle_page(site, bundle).encode())
    click.echo(f"{path}: bundle {bundle.bundle} with {len(bundle.tasks)} documents for {name}")


def _revoke(site: Any, bundle: str) -> None:
    from germane.judging.bundle import revoke

    revoke(site.database, bundle)
    click.echo(f"bundle {bundle} is revoked; its documents are free again")


def _import_answers(site: Any, path: Path) -> None:
    from germane.judging.bundle import import_answers

    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise GermaneError(f"{path}: cannot be read: {error.strerror}") from None
    found = import_answers(site.database, lines)
    extra = f" ({found.extra} of them extra)" if found.extra else ""
    click.echo(f"{found.stored} answers stored{extra}, {found.already} were there, {len(found.refused)} refused")
    for one in found.refused:
        click.echo(f"{path}:{one.line}: refused: {one.reason}", err=True)
