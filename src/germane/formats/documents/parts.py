"""Find the id, the title and the text of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from germane.errors import InputError, did_you_mean
from germane.formats.documents.document_formats import CSV, PARQUET, TSV, RecordFormat
from germane.formats.documents.html_text import read_html
from germane.formats.documents.records import Record, id_field_hint
from germane.formats.documents.streams import decoded

HTML_NAME = "html"
"""Name of the field that contains HTML; all other fields contain text."""

PART_SEPARATOR = "\x1d"
"""ASCII group separator between the parts of a text, so that no phrase match spans two parts."""

MOST_PLANS = 1000
"""Maximum number of field sets cached; in some files every record has its own."""


class Parts(NamedTuple):
    """Id, title and text of a record; the text includes the title unless the fields were chosen."""

    id: str
    title: str
    text: str


class _Plan(NamedTuple):
    """The field names of id, title and text, for records with one set of fields."""

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    texts: tuple[str, ...]


class PartsReader:
    """Extracts id, title and text from records; the text is title and text or, with `fields`, exactly those."""

    def __init__(self, format: RecordFormat, fields: Sequence[str] | None, id_field: str | None) -> None:  # noqa: A002
        self.format = format
        self.fields = None if fields is None else tuple(fields)
        self.id_names: Sequence[str] = format.id_names if id_field is None else (id_field,)
        self.is_table = format in (CSV, TSV, PARQUET)
        self.seen: set[str] = set()
        """The chosen fields that at least one record has."""
        self.names: dict[str, None] = {}
        """The field names of all records."""
        self._unread: dict[str, None] = {}
        """The fields that some record has but that are not used as its id, title or text."""
        self._plans: dict[tuple[str, ...], _Plan] = {}

    def parts(self, record: Record, source: str) -> Parts:
        """Return the parts of one record; raise an `InputError` if one is missing."""
        plan = self._plans.get(tuple(record.fields)) or self._plan(record, source)
        values = record.fields
        given = next((values[name] for name in plan.ids if values[name] is not None), None)
        if not isinstance(given, str | int) or isinstance(given, bool) or not str(given).strip():
            found = repr(given) if plan.ids else _listed(values)
            hint = None if plan.ids else id_field_hint(tuple(values))
            problem = f"expected an id ({', '.join(self.id_names)}), found {found}"
            raise InputError(source, record.line, problem, hint=hint)
        title, texts = "", list[str]()
        for name in plan.titles:
            if values[name] and not title:
                title = _text(values[name], name, source, record.line)[1]
            elif values[name]:
                self._unread[name] = None
        for name in plan.texts:
            if texts and self.fields is None and not self.format.joins:
                if values[name]:
                    self._unread[name] = None
            elif values[name] is not None:
                own_title, text = _text(values[name], name, source, record.line)
                title = title or own_title
                texts.append(text)
        if self.fields is None:
            texts.insert(0, title)
        return Parts(str(given), " ".join(title.split()), f"\n{PART_SEPARATOR}".join([text for text in texts if text]))

    def _plan(self, record: Record, source: str) -> _Plan:
        names = tuple(record.fields)
        if len(self.names) < MOST_PLANS:
            self.names |= dict.fromkeys(names)
        ids, titles, texts = plan = self.names_in_use(names)
        if self.fields is not None:
            missing = [name for name in self.fields if not _present([name], names)]
            self.seen |= set(self.fields) - set(missing)
            if missing and self.is_table:
                raise self.no_such_field(missing[0], source, record.line)
        elif not texts and not self.format.joins:
            doc = next((record.fields[name] for name in ids), None)
            wanted = ", ".join(self._wanted_texts())
            problem = f"document {doc!r}: expected a text field ({wanted}), found {_listed(record.fields)}"
            raise InputError(source, record.line, problem, hint="choose the fields to read with `fields=…`")
        if len(self._plans) >= MOST_PLANS:
            self._plans.clear()
        if len(self._unread) < MOST_PLANS:
            self._unread |= dict.fromkeys(name for name in names if name not in (*ids, *titles, *texts))
        self._plans[names] = plan
        return plan

    def names_in_use(self, names: Sequence[str]) -> _Plan:
        """Return the names among these that are ids, titles and texts, the first choice first."""
        wanted = (self.id_names, self.format.title_names, self._wanted_texts())
        return _Plan(*(_present(some, names) for some in wanted))

    def _wanted_texts(self) -> Sequence[str]:
        return self.fields if self.fields is not None else (*self.format.text_names, HTML_NAME)

    @property
    def unread(self) -> tuple[str, ...]:
        """Fields that are not used in every record that has them; empty if the fields were chosen."""
        return () if self.fields is not None else tuple(self._unread)

    def no_such_field(self, name: str, source: str, line: int | None) -> InputError:
        """Return the error for a requested field that does not exist."""
        problem = f"unknown field {name!r}{did_you_mean(name, self.names)}"
        return InputError(source, line, problem, hint=f"choose from {', '.join(self.names)}")


def _present(wanted: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the wanted names that are there, in any case; if two differ only in case, the exact one wins."""
    by_fold = {name.casefold(): name for name in reversed(names)}
    found = (name if name in names else by_fold.get(name.casefold()) for name in wanted)
    return tuple(dict.fromkeys(name for name in found if name is not None))


def _text(value: Any, name: str, source: str, line: int) -> tuple[str, str]:
    """Return the title of a value, if it is an HTML page, and its text."""
    is_html = name.casefold() == HTML_NAME
    if isinstance(value, str) and not is_html:  # nearly always
        return "", value
    if isinstance(value, bytes):  # untyped text in Parquet
        value = decoded(value, source, line, 0)
    elif isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = "\n".join(value)
    elif isinstance(value, dict | list):
        found = "an object" if isinstance(value, dict) else "a list of non-text values"
        raise InputError(source, line, f"expected text in the field {name!r}, found {found}")
    return read_html(str(value)) if is_html else ("", str(value))


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(map(str, values)) or "nothing"
