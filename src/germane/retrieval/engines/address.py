"""The address of an engine: location, then settings after the question mark. Credentials are never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from germane.errors import GermaneError, did_you_mean


@dataclass(frozen=True)
class Address:
    """An address split into its parts, with germane's own settings separated from the rest.

    >>> address = Address.parse("postgresql://ann:secret@db:5433/lib?table=docs&sslmode=require", {"table", "id"})
    >>> address.settings, address.shown, address.without_settings
    ({'table': 'docs'}, 'postgresql://db:5433/lib', 'postgresql://ann:secret@db:5433/lib?sslmode=require')
    """

    parts: SplitResult
    settings: Mapping[str, str]
    rest: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, url: str, ours: set[str], *, others_allowed: bool = True) -> Address:
        """Parse an address; `ours` are germane's settings. Any other setting is an error unless `others_allowed`."""
        try:
            parts = urlsplit(url)
            given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
            if "@" in url and "@" not in parts.netloc:
                raise ValueError(url)
        except ValueError:
            # Show nothing after the scheme: a password that contains a slash looks like a path.
            problem = f"expected an address such as {url.partition('://')[0]}://host/…, found a malformed address"
            hint = "percent-encode special characters in user names and passwords: %40 for @, %2F for /, %3F for ?"
            raise GermaneError(problem, hint=hint) from None
        settings = {name: value for name, value in given if name in ours}
        rest = tuple((name, value) for name, value in given if name not in ours)
        address = cls(parts, settings, rest)
        names = [name for name, _ in given if name in ours]
        if len(names) != len(settings):
            twice = next(name for name in names if names.count(name) > 1)
            raise GermaneError(f"{address.shown}: duplicate setting {twice!r}")
        if rest and not others_allowed:
            wrong, hint = rest[0][0], f"choose from {', '.join(sorted(ours))}"
            raise GermaneError(f"{address.shown}: unknown setting {wrong!r}{did_you_mean(wrong, ours)}", hint=hint)
        return address

    @property
    def shown(self) -> str:
        """The address for display: without user, password and settings."""
        return f"{self.parts.scheme}://{self.parts.netloc.rpartition('@')[2]}{self.parts.path}"

    @property
    def without_settings(self) -> str:
        """The address without germane's settings, with credentials: for connecting, never for display."""
        return urlunsplit(self.parts._replace(query=urlencode(self.rest, quote_via=quote)))

    def choice(self, name: str, known: tuple[str, ...]) -> str:
        """Return a setting with a fixed set of values; the first is the default."""
        value = self.settings.get(name, known[0])
        if value not in known:
            near = did_you_mean(value, known)
            raise GermaneError(f"{self.shown}: expected {name} to be one of {', '.join(known)}, found {value!r}{near}")
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """Return a comma-separated setting as a tuple of names."""
        return tuple(part.strip() for part in self.settings.get(name, "").split(",") if part.strip())
