"""What a listing costs, in rows and in the plan of the database; times would only tell about the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from spark_paimon.catalog import Catalog, load_catalog, partition_store
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.partition.predicate import parse
from tests.unit.catalog.partition_contract import COLUMNS, MANAGED

DAYS = 100
PER_DAY = 1000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedCatalog]:
    """A table with 100,000 partitions, and an empty one beside it."""
    warehouse = tmp_path_factory.mktemp("large")
    catalog = load_catalog({"metastore": "embedded", "warehouse": str(warehouse)})
    assert isinstance(catalog, EmbeddedCatalog)
    with catalog:
        catalog.create_table("default.p", COLUMNS, ["region", "hh"], MANAGED)
        catalog.create_table("default.empty", COLUMNS, ["region", "hh"], MANAGED)
        batch = [
            {"region": f"day_{day:03}%", "hh": str(number)}
            for day in range(DAYS)
            for number in range(PER_DAY)
        ]
        assert len(catalog.create_partitions("default.p", batch).created) == DAYS * PER_DAY
        yield catalog


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the partition rows that are read."""
    names: list[str] = []
    real = partition_store.specs_of

    def count(rows: Any) -> object:
        names.extend(row.name for row in rows)
        return real(rows)

    monkeypatch.setattr(partition_store, "specs_of", count)
    return names


def plans_of(catalog: EmbeddedCatalog, *arguments: Any, **options: Any) -> list[str]:
    """Query plans of what a listing asks about partitions."""
    return plans(catalog, lambda: catalog.list_partitions(*arguments, **options))


def plans(catalog: EmbeddedCatalog, action: Callable[[], object]) -> list[str]:
    """Query plans of what is asked about partitions."""
    statements: list[tuple[str, Any]] = []
    engine = catalog._database._open()

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        if "FROM spark_paimon_partitions" in statement:
            statements.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    try:
        action()
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert statements
    result = []
    with engine.connect() as connection:
        for statement, parameters in statements:
            rows = connection.exec_driver_sql("EXPLAIN QUERY PLAN " + statement, parameters)
            result.append("; ".join(row[3] for row in rows))
    return result


DAY = {"op": "=", "column": "region", "value": "day_042%"}
MIDDLE = "region=day_042%25/hh=500"
CANONICAL = "INDEX spark_paimon_partitions_canonical (table_id=? AND canonical_name>? AND canonical_name<?)"
RANGE = (
    "SEARCH spark_paimon_partitions USING INDEX spark_paimon_partitions_canonical"
    " (table_id=? AND canonical_name>? AND canonical_name<?)"
)


def test_one_day_costs_what_one_day_costs(large: EmbeddedCatalog, fetched: list[str]) -> None:
    found = large.list_partitions("default.p", {"region": "day_042%"})
    assert len(found) == PER_DAY
    assert len(fetched) == PER_DAY
    assert plans_of(large, "default.p", {"region": "day_042%"}) == [RANGE]


def test_one_partition_is_one_row(large: EmbeddedCatalog, fetched: list[str]) -> None:
    prefix = {"region": "day_042%", "hh": "007"}
    assert [dict(p.spec) for p in large.list_partitions("default.p", prefix)] == [
        {"region": "day_042%", "hh": "7"}
    ]
    assert len(fetched) == 1
    assert plans_of(large, "default.p", prefix) == [RANGE]


def test_equalities_of_a_predicate_use_the_index_too(large: EmbeddedCatalog, fetched: list[str]) -> None:
    columns = large.load_table_info("default.p").schema.fields
    tree = {
        "op": "and",
        "args": [
            {"op": "<", "column": "hh", "value": 10},
            {"op": "=", "column": "region", "value": "day_042%"},
        ],
    }
    assert len(large.list_partitions("default.p", predicate=parse(tree, columns))) == 10
    assert len(fetched) == PER_DAY


def test_a_predicate_that_is_never_true_reads_nothing(large: EmbeddedCatalog, fetched: list[str]) -> None:
    columns = large.load_table_info("default.p").schema.fields
    assert large.list_partitions("default.p", predicate=parse({"op": "false"}, columns)) == []
    assert fetched == []


PAGES: list[tuple[str | None, Any, str | None, str]] = [
    (None, None, None, "PRIMARY KEY (table_id=?)"),
    (None, None, MIDDLE, "PRIMARY KEY (table_id=? AND name>?)"),
    (r"region=day\_04%", None, None, "PRIMARY KEY (table_id=? AND name>? AND name<?)"),
    (r"region=day\_04%", None, MIDDLE, "PRIMARY KEY (table_id=? AND name>? AND name<?)"),
    (MIDDLE.replace("%", r"\%"), None, None, "PRIMARY KEY (table_id=? AND name>? AND name<?)"),
    (None, DAY, None, CANONICAL),
    (None, DAY, MIDDLE, CANONICAL),
    ("region=%", DAY, MIDDLE, CANONICAL),
    (None, {"op": "and", "args": [DAY, {"op": "=", "column": "hh", "value": 7}]}, None, CANONICAL),
    (None, {"op": "=", "column": "hh", "value": 7}, MIDDLE, "PRIMARY KEY (table_id=? AND name>?)"),
]


@pytest.mark.parametrize(("pattern", "tree", "after", "access"), PAGES)
def test_a_page_is_one_range_of_an_index(
    large: EmbeddedCatalog,
    fetched: list[str],
    pattern: str | None,
    tree: Any,
    after: str | None,
    access: str,
) -> None:
    columns = large.load_table_info("default.p").schema.partition_fields
    predicate = parse(tree, columns) if tree else None
    found = plans(large, lambda: large.partitions_page("default.p", pattern, predicate, after, 10))
    prefix = "SEARCH spark_paimon_partitions USING "
    assert set(found) == {prefix + access}
    # A filter on rows reads a thousand at a time.
    assert len(fetched) <= (10 if predicate is None else 11_000)


def test_names_are_looked_up_by_the_primary_key(large: EmbeddedCatalog, fetched: list[str]) -> None:
    wanted = [{"region": f"day_{day:03}%", "hh": "5"} for day in range(DAYS)]
    assert len(large.list_partitions_by_names("default.p", wanted)) == DAYS
    assert len(fetched) == DAYS


def test_counting_reads_no_rows(large: EmbeddedCatalog, fetched: list[str]) -> None:
    assert large.count_partitions("default.p") == DAYS * PER_DAY
    assert large.count_partitions("default.empty") == 0
    assert large.list_partitions("default.empty") == []
    assert fetched == []


def test_all_of_them_come_sorted(large: Catalog) -> None:
    names = [(p.spec["region"], p.spec["hh"]) for p in large.list_partitions("default.p")]
    assert len(names) == DAYS * PER_DAY
    assert names == sorted(names)


def test_requests_are_sent_in_chunks(tmp_path: Path) -> None:
    with load_catalog({"metastore": "embedded", "warehouse": str(tmp_path)}) as catalog:
        assert isinstance(catalog, EmbeddedCatalog)
        catalog.create_table("default.p", COLUMNS, ["region"], MANAGED)
        batch = [{"region": str(number)} for number in range(5_000)]
        statements: list[str] = []
        engine = catalog._database._open()
        event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
        catalog.create_partitions("default.p", batch)
        assert len(statements) < 30
        statements.clear()
        catalog.drop_partitions("default.p", batch)
        assert len(statements) < 40
