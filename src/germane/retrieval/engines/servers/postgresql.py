"""PostgreSQL full-text search as an engine: one statement per query, on a table that is only read.

All settings are in the address: ``postgresql://user@host/database?table=docs&id=id&text=title,body&config=english``.
Other parameters (``sslmode``, ``host`` …) are passed to libpq, which also reads PGPASSWORD and ~/.pgpass.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from germane.errors import GermaneError, MissingExtraError
from germane.retrieval.engines.address import Address
from germane.retrieval.engines.protocol import Ranked, ranked
from germane.tables.notes.note import Note

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

SETTINGS = {"table", "id", "text", "vector", "config", "rank", "match", "normalization"}
RANKS = ("ts_rank_cd", "ts_rank")
MATCHES = ("or", "and", "websearch")
ALL_FLAGS = 63
"""The sum of all normalization flags of ts_rank: 1, 2, 4, 8, 16 and 32."""


class PostgresqlEngine:
    """A table with an id column and either text columns or one tsvector column.

    `match` selects the documents to rank: those with any query word (``or``), those with all of them (``and``,
    PostgreSQL's default), or those that websearch_to_tsquery selects (quotes, "or", minus signs). Ties are broken by
    id, as in trec_eval, so that the cut at k is reproducible.
    """

    threads = 1  # so that times are those of a single client

    def __init__(self, url: str, *, timeout_seconds: float = 60.0) -> None:
        try:
            import psycopg
        except ImportError:
            raise MissingExtraError("searching in PostgreSQL", "postgres") from None
        self._errors = psycopg.Error
        self._address = Address.parse(url, SETTINGS)
        self.name = self._address.shown
        self._timeout_ms = max(1, round(timeout_seconds * 1000))
        self._rank = self._address.choice("rank", RANKS)
        self._match = self._address.choice("match", MATCHES)
        self._normalization = self._flags()
        self._config = self._address.settings.get("config", "english")
        self._local = threading.local()
        self._open: list[psycopg.Connection[Any]] = []
        self._opening = threading.Lock()
        try:
            self._check()
            self._statement = self._search_statement()
        except BaseException:
            self.close()
            raise

    def search(self, query: str, k: int) -> Ranked:
        return ranked(self._rows(self._statement, {"query": query, "k": k}), k)

    def describe(self) -> dict[str, Any]:
        own = self._address
        chosen = {name: own.settings[name] for name in ("table", "id", "text", "vector") if name in own.settings}
        version = self._rows("SHOW server_version")[0][0]
        model = self._rank if not self._normalization else f"{self._rank}(normalization={self._normalization})"
        return {
            "engine": "postgresql",
            "version": version,
            "address": own.shown,
            "id": "id",
            **chosen,
            "model": model,
            "match": self._match,
            "analyser": f"PostgreSQL {self._config}",
            "table_bytes": self._rows(self._compose("SELECT pg_total_relation_size({table})"))[0][0],
        }

    def num_docs(self) -> int | None:
        from psycopg import sql

        return int(self._rows(sql.SQL("SELECT count(*) FROM {}").format(self._table()))[0][0])

    def index_bytes(self) -> int | None:
        """Size of the table's full-text indexes; None if it has none, and each query scans the table."""
        statement = self._compose(
            "SELECT pg_relation_size(i.indexrelid) FROM pg_index i WHERE i.indrelid = {table} AND EXISTS "
            "(SELECT FROM pg_opclass o WHERE o.oid = ANY (i.indclass) AND o.opcintype = 'tsvector'::regtype)"
        )
        return sum(int(size) for (size,) in self._rows(statement)) or None

    def notes(self) -> list[Note]:
        if self.index_bytes() is not None:
            return []
        table = self._address.settings["table"]
        what = f"full-text index on {table}, so each query scans the whole table; create a GIN index"
        return [Note("no-index", "no", what)]

    def close(self) -> None:
        with self._opening:
            for connection in self._open:
                connection.close()
            self._open.clear()

    # Statements. Values are bound or quoted as literals, names are quoted as identifiers: never pasted.

    def _table(self) -> sql.Identifier:
        from psycopg import sql

        return sql.Identifier(*_doubled(self._address.settings["table"]).split(".", 1))

    def _compose(self, text: str) -> sql.Composed:
        """Return a statement about the table as a database object."""
        from psycopg import sql

        quoted = sql.Literal(self._table().as_string(None))
        return sql.SQL(text).format(table=sql.SQL("{}::regclass").format(quoted))

    def _search_statement(self) -> sql.Composed:
        from psycopg import sql

        # A literal, not a bound value: otherwise the planner cannot match an index on the expression.
        config = sql.SQL("{}::regconfig").format(sql.Literal(_doubled(self._config)))
        if vector := self._address.settings.get("vector"):
            words: sql.Composable = sql.Identifier(_doubled(vector))
        else:
            columns = [sql.Identifier(_doubled(name)) for name in self._address.names("text")]
            text: sql.Composable = columns[0]
            if len(columns) > 1:
                text = sql.SQL(" || ' ' || ").join(sql.SQL("coalesce({}, '')").format(column) for column in columns)
            words = sql.SQL("to_tsvector({}, {})").format(config, text)
        query = {
            # The lexemes of the query joined by |, quoted as tsquery requires.
            "or": "(SELECT string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')"
            "::tsquery FROM unnest(to_tsvector({config}, %(query)s)))",
            "and": "plainto_tsquery({config}, %(query)s)",
            "websearch": "websearch_to_tsquery({config}, %(query)s)",
        }[self._match]
        return sql.SQL(
            "SELECT {id}::text, {rank}({words}, asked.query, {flags}) AS score "
            f"FROM {{table}}, (SELECT {query} AS query) AS asked "
            "WHERE {words} @@ asked.query "
            'ORDER BY score DESC, {id}::text COLLATE "C" DESC LIMIT %(k)s'
        ).format(
            id=sql.Identifier(_doubled(self._address.settings.get("id", "id"))),
            rank=sql.Identifier("pg_catalog", self._rank),
            flags=sql.Literal(self._normalization),
            words=words,
            table=self._table(),
            config=config,
        )

    def _flags(self) -> int:
        given = self._address.settings.get("normalization", "0")
        if not given.isdecimal() or int(given) > ALL_FLAGS:
            hint = "add up flags 1, 2, 4, 8, 16 and 32 (see ts_rank in the PostgreSQL manual)"
            raise GermaneError(f"{self.name}: expected normalization from 0 to 63, found {given!r}", hint=hint)
        return int(given)

    # The server.

    def _check(self) -> None:
        settings = self._address.settings
        if "table" not in settings or ("text" in settings) == ("vector" in settings):
            hint = f"write {self.name}?table=docs&id=id&text=title,body (or vector=COLUMN for a tsvector)"
            raise GermaneError(f"{self.name}: expected a table, and either text or vector", hint=hint)
        if "text" in settings and not self._address.names("text"):
            raise GermaneError(
                f"{self.name}: expected columns in text=, found none",
                hint="add them to the address, as in ?text=title,body",
            )
        self._rows("SELECT %(config)s::text::regconfig", {"config": self._config})
        self._rows(self._compose("SELECT {table}"))

    def _connection(self) -> psycopg.Connection[Any]:
        """Return this thread's own read-only connection."""
        import psycopg

        connection: psycopg.Connection[Any] | None = getattr(self._local, "connection", None)
        if connection is None or connection.closed:
            options = {"autocommit": True, "application_name": "germane", "connect_timeout": 10}
            connection = psycopg.connect(self._address.without_settings, **options)  # type: ignore[arg-type]
            with self._opening:
                self._open.append(connection)
            connection.execute("SET default_transaction_read_only = on")
            connection.execute(f"SET statement_timeout = {self._timeout_ms}")
            self._local.connection = connection
        return connection

    def _rows(self, statement: Any, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        try:
            return self._connection().execute(statement, values or {}).fetchall()
        except self._errors as error:
            first_line = " ".join(str(error).split("\n")[0].split())
            raise GermaneError(f"{self.name}: {first_line or type(error).__name__}") from None
        except (UnicodeError, ValueError) as error:  # null characters, halves of surrogate pairs, a damaged address
            raise GermaneError(f"{self.name}: {error}") from None


def _doubled(name: str) -> str:
    """Double per cent signs: psycopg reads a single one as a placeholder, even inside quotes."""
    return name.replace("%", "%%")
