"""Statements that frequent requests run, prepared once.

SQLAlchemy takes ten times as long to build a statement, and still several times as long to run one that is built, as
SQLite takes to answer it. So a statement is built and compiled once, and SQLite's own module runs it; any other
database gets it from SQLAlchemy.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa


class Prepared:
    """A statement with named parameters, run on the connection of a transaction.

    >>> engine = sa.create_engine("sqlite://")
    >>> double = Prepared(sa.select((2 * sa.bindparam("number", type_=sa.Integer)).label("doubled")))
    >>> with engine.begin() as connection:
    ...     double.first(connection, number=21).doubled, double.value(connection, number=2)
    (42, 4)
    """

    def __init__(self, statement: sa.Select[Any] | sa.Insert | sa.Update | sa.Delete) -> None:
        self.statement = statement
        self._text: str | None = None
        self._names: tuple[tuple[str, Any], ...] = ()
        self._row: Callable[..., Any] | None = None

    def rows(self, connection: sa.Connection, **parameters: Any) -> Sequence[Any]:
        """Return all rows."""
        if connection.dialect.name != "sqlite":
            return connection.execute(self.statement, parameters).all()
        cursor = self._run(connection, parameters)
        if self._row is None:
            names = [one[0] for one in cursor.description]
            row: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc]
            self._row = row._make
        return list(map(self._row, cursor))

    def first(self, connection: sa.Connection, **parameters: Any) -> Any:
        """Return the first row, or None."""
        return next(iter(self.rows(connection, **parameters)), None)

    def value(self, connection: sa.Connection, **parameters: Any) -> Any:
        """Return the first value of the first row, or None."""
        row = self.first(connection, **parameters)
        return None if row is None else row[0]

    def change(self, connection: sa.Connection, **parameters: Any) -> None:
        """Run a statement that gives no rows."""
        if connection.dialect.name == "sqlite":
            self._run(connection, parameters)
        else:
            connection.execute(self.statement, parameters)

    def _run(self, connection: sa.Connection, parameters: dict[str, Any]) -> Any:
        if self._text is None:
            keys = list(parameters) if isinstance(self.statement, sa.Insert) else None
            compiled: Any = self.statement.compile(dialect=connection.dialect, column_keys=keys)
            self._names = tuple((name, compiled.params[name]) for name in compiled.positiontup)
            self._text = str(compiled)
        values = [parameters.get(name, fixed) for name, fixed in self._names]
        own: Any = connection.connection.dbapi_connection
        return own.execute(self._text, values)
