"""What a page of partitions costs, against a bare query of the same rows in the same run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy

from benchmarks.serving import COLUMNS, MANAGED, PAGE, PAGE_RATIO, Pages, bare_select, next_page
from spark_paimon.catalog import load_catalog
from tests.servers import rest_server

ROUNDS = 30
PARTITIONS = 10 * PAGE


def fastest(actions: list[Callable[[], object]]) -> list[float]:
    """Shortest time of each, measured in turn: whatever else the machine does only makes them longer."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(ROUNDS):
        for action, taken in zip(actions, times, strict=True):
            began = time.perf_counter()
            action()
            taken.append(time.perf_counter() - began)
    return [min(taken) for taken in times]


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_page_stays_under_the_stated_ratio(
    request: pytest.FixtureRequest, tmp_path: Path, database: str
) -> None:
    warehouse = tmp_path / "warehouse"
    url = request.getfixturevalue("postgres_url") if database == "postgres" else None
    options = {"metastore": "embedded", "warehouse": str(warehouse), **({"uri": url} if url else {})}
    with load_catalog(options) as catalog:
        catalog.create_table("default.many", COLUMNS, ["dt", "hh"], MANAGED)
        specs = [{"dt": f"d{number:05}", "hh": "0"} for number in range(PARTITIONS)]
        catalog.create_partitions("default.many", specs)
    place = (
        sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
        if url
        else f"sqlite:///{warehouse}/.spark_paimon/catalog.db"
    )
    engine = sqlalchemy.create_engine(place)
    with (
        rest_server(warehouse, database_url=url) as server,
        engine.connect() as connection,
        closing(Pages(server.uri, server.options["token"])) as pages,
    ):
        # Without it PostgreSQL would sort the whole table for the bare query.
        connection.execute(sqlalchemy.text("ANALYZE"))
        token = json.loads(pages("many", f"maxResults={PAGE}"))["nextPageToken"]
        select = bare_select(connection, token)
        shown = [row["spec"] for row in json.loads(pages("many", next_page(token)))["partitions"]]
        assert shown == [json.loads(row[0]) for row in select()] == specs[PAGE : 2 * PAGE]
        page, rows = fastest([lambda: pages("many", next_page(token)), select])
    engine.dispose()
    assert page <= PAGE_RATIO * rows, f"a page took {page / rows:.1f} times as long as its rows"
