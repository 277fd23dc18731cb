"""The address of an engine: where it is, and the settings after the question mark. Secrets never leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from germane.errors import GermaneError, did_you_mean


@dataclass(frozen=True)
class Address:
    """An address in its parts, with the settings that are ours taken out of it.

    >>> address = Address.parse("postgresql://ann:secret@db:5433/lib?table=docs&sslmode=require", {"table", "id"})
    >>> address.settings, address.shown, address.without_settings
    ({'table': 'docs'}, 'postgresql://db:5433/lib', 'postgresql://ann:secret@db:5433/lib?sslmode=require')
    """

    parts: SplitResult
    settings: Mapping[str, str]
    rest: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, url: str, ours: set[str], *, others_allowed: bool = True) -> Address:
        """Split an address; `ours` are the settings to take out, and no other may be there unless allowed."""
        try:
            parts = urlsplit(url)
            given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
            if "@" in url and "@" not in parts.netloc:
                raise ValueError(url)
        except ValueError:
            # Nothing after the scheme is shown: a password with a slash in it looks like a path.
            problem = f"expected an address such as {url.partition('://')[0]}://host/…, found one that is not"
            hint = "special characters of names and passwords are written as %40 (@), %2F (/), %3F (?) and such"
            raise GermaneError(problem, hint=hint) from None
        settings = {name: value for name, value in given if name in ours}
        rest = tuple((name, value) for name, value in given if name not in ours)
        address = cls(parts, settings, rest)
        names = [name for name, _ in given if name in ours]
        if len(names) != len(settings):
            twice = next(name for name in names if names.count(name) > 1)
            raise GermaneError(f"{address.shown}: the setting {twice!r} comes twice")
        if rest and not others_allowed:
            wrong, hint = rest[0][0], f"there are: {', '.join(sorted(ours))}"
            raise GermaneError(f"{address.shown}: no setting is called {wrong!r}{did_you_mean(wrong, ours)}", hint=hint)
        return address

    @property
    def shown(self) -> str:
        """The address as people may see it: without user, password and settings."""
        return f"{self.parts.scheme}://{self.parts.netloc.rpartition('@')[2]}{self.parts.path}"

    @property
    def without_settings(self) -> str:
        """The address with all but our settings: for whoever connects, not for people's eyes."""
        return urlunsplit(self.parts._replace(query=urlencode(self.rest, quote_via=quote)))

    def choice(self, name: str, known: tuple[str, ...]) -> str:
        """A setting that is one of a few words; the first of them is the default."""
        value = self.settings.get(name, known[0])
        if value not in known:
            near = did_you_mean(value, known)
            raise GermaneError(f"{self.shown}: expected {name} to be one of {', '.join(known)}, found {value!r}{near}")
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """A setting that lists names between commas."""
        return tuple(part.strip() for part in self.settings.get(name, "").split(",") if part.strip())
