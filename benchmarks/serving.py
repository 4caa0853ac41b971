"""Listings of a REST server against bare queries of the same rows, and a day of many against a day alone."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pyarrow
import sqlalchemy

from benchmarks.timing import Comparison, compare
from spark_paimon.catalog import Catalog, load_catalog
from tests.postgres import PostgresServer, Unavailable
from tests.servers import rest_server

HOURS = 20
PAGE = 1000
#: What a page of 1,000 may cost, as a multiple of a bare SELECT of the same rows.
PAGE_RATIO = 15.0
COLUMNS = pyarrow.schema([("id", pyarrow.int32()), ("dt", pyarrow.string()), ("hh", pyarrow.int32())])
MANAGED = {"type": "format-table", "metastore.partitioned-table": "true"}
COLUMNS_OF_A_PAGE = (
    "spec, record_count, file_size_in_bytes, file_count, last_file_creation_time, total_buckets,"
    " options, done, created_at, updated_at"
)


def run(folder: Path, *, partitions: int, rounds: int) -> Iterator[Comparison]:
    """Over SQLite, and over PostgreSQL where there is one."""
    yield from compared("sqlite", folder / "served", None, partitions, rounds)
    try:
        server = PostgresServer()
    except Unavailable as error:
        print(f"without PostgreSQL: {error}")
        return
    try:
        with server.database() as url:
            yield from compared("postgresql", folder / "served-postgresql", url, partitions, rounds)
    finally:
        server.close()


def compared(
    kind: str, warehouse: Path, url: str | None, partitions: int, rounds: int
) -> Iterator[Comparison]:
    """All comparisons of one database."""
    options = {"metastore": "embedded", "warehouse": str(warehouse), **({"uri": url} if url else {})}
    with load_catalog(options) as catalog:
        for name, days in (("many", partitions // HOURS), ("one", 1)):
            catalog.create_table(f"default.{name}", COLUMNS, ["dt", "hh"], MANAGED)
            for day in range(0, days, 500):
                specs = [
                    {"dt": f"d{number:05}", "hh": str(hour)}
                    for number in range(day, min(days, day + 500))
                    for hour in range(HOURS)
                ]
                catalog.create_partitions(f"default.{name}", specs)
        file = warehouse / ".spark_paimon" / "catalog.db"
        engine = sqlalchemy.create_engine(
            sqlalchemy.make_url(url).set(drivername="postgresql+psycopg") if url else f"sqlite:///{file}"
        )
        with (
            rest_server(warehouse, database_url=url) as server,
            load_catalog(server.options) as client,
            engine.connect() as connection,
            closing(Pages(server.uri, server.options["token"])) as pages,
        ):
            # Without it PostgreSQL would sort the whole table for the bare query.
            connection.execute(sqlalchemy.text("ANALYZE"))
            yield from _compared(kind, catalog, client, pages, connection, rounds)
        engine.dispose()


class Pages:
    """Asks for pages without reading them, on one connection.

    Parameters
    ----------
    uri, token
        Of the server.
    """

    def __init__(self, uri: str, token: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(uri).netloc, timeout=60)
        self._headers = {"authorization": f"Bearer {token}"}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __call__(self, table: str, query: str) -> bytes:
        """The answer to a question about a table of the default database."""
        path = f"/v1/paimon/databases/default/tables/{table}/partitions?{query}"
        self._connection.request("GET", path, headers=self._headers)
        with self._connection.getresponse() as answer:
            assert answer.status == 200
            return answer.read()


def bare_select(connection: sqlalchemy.Connection, after: str) -> Callable[[], list[Any]]:
    """What fetches the rows of a page of the first table, by the driver of the database alone.

    Parameters
    ----------
    connection
        To the database of the catalog.
    after
        Name of the last partition of the page before.
    """
    driver = connection.connection.cursor()
    driver.execute("SELECT min(id) FROM spark_paimon_tables")
    (table,) = driver.fetchone() or (0,)
    mark = "%s" if connection.dialect.name == "postgresql" else "?"
    statement = (
        f"SELECT {COLUMNS_OF_A_PAGE} FROM spark_paimon_partitions"
        f" WHERE table_id = {mark} AND name > {mark} ORDER BY name LIMIT {PAGE}"
    )

    def fetch() -> list[Any]:
        driver.execute(statement, (table, after))
        return list(driver.fetchall())

    return fetch


def next_page(token: str) -> str:
    """The question for the page of 1,000 behind a token."""
    return urlencode({"maxResults": PAGE, "pageToken": token})


def _compared(
    kind: str,
    catalog: Catalog,
    client: Catalog,
    pages: Pages,
    connection: sqlalchemy.Connection,
    rounds: int,
) -> Iterator[Comparison]:
    token = json.loads(pages("many", f"maxResults={PAGE}"))["nextPageToken"]

    def repeated(action: Callable[[], object], times: int = 20) -> Callable[[], object]:
        return lambda: [action() for _ in range(times)]

    yield compare(
        f"20 pages of {PAGE:,} / SELECT ({kind})",
        repeated(lambda: pages("many", next_page(token))),
        repeated(bare_select(connection, token)),
        rounds=rounds,
        limit=PAGE_RATIO,
    )
    day = "partitionNamePattern=dt%3Dd00000%2F%25"
    yield compare(
        f"200 times a day of many / alone ({kind})",
        repeated(lambda: pages("many", day), 200),
        repeated(lambda: pages("one", day), 200),
        rounds=rounds,
    )
    prefix = {"dt": "d00000"}
    yield compare(
        f"100 times a day: client / embedded ({kind})",
        repeated(lambda: client.list_partitions("default.many", prefix), 100),
        repeated(lambda: catalog.list_partitions("default.many", prefix), 100),
        rounds=rounds,
    )
