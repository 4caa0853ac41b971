"""Tables and warehouses in directories whose paths are as hard as values."""

from __future__ import annotations

import uuid
from collections import Counter
from pathlib import Path

import pytest

from spark_paimon.catalog import load_catalog
from tests.spark.partition_values.tables import DATABASE, EXTERNAL, Table, Tables, component
from tests.spark.partition_values.values import quoted

SEGMENTS = (
    *(
        "a b",
        "100%",
        "a%20b",
        "a+b",
        "a#b",
        "a?b",
        "größe",
        "数据",
        "😀",
        "p=other",
        "dt=1",
        "_hidden",
        ".hidden",
    ),
    *("[x]", "{x}", "*", "a'b", "a&b", "a;b", "a,b", "~", "$x"),
)
TEXTS = ("a b", "x:y", "a%2Fb", "é", "#?")


def _check(table: Table, value_only: bool, managed: bool) -> None:
    rows = list(enumerate(TEXTS, start=1))
    table.insert([(number, quoted(text)) for number, text in rows] + [(9, "NULL")])
    assert table.rows() == Counter([*rows, (9, None)])
    assert table.directories() == {component(text, value_only=value_only) for text in (*TEXTS, None)}
    for number, text in rows:
        assert table.rows(f"p = {quoted(text)}") == Counter([(number, text)])
    table.sql("INSERT OVERWRITE {t} PARTITION (p = 'a b') SELECT 20")
    table.sql("TRUNCATE TABLE {t} PARTITION (p = 'x:y')")
    left = Counter([(20, "a b"), (3, "a%2Fb"), (4, "é"), (5, "#?"), (9, None)])
    if managed:
        table.forget_registrations()
        table.sql("MSCK REPAIR TABLE {t} SYNC PARTITIONS")
        assert table.rows() == left
        table.sql("ANALYZE TABLE {t} COMPUTE STATISTICS")
        assert table.statistics()["a b"] == 1
        table.sql("ALTER TABLE {t} DROP PARTITION (p = '#?')")
        del left[5, "#?"]
    assert table.rows() == left


@pytest.mark.parametrize("segment", SEGMENTS)
def test_p30_external_tables_at_hard_locations(tables: Tables, segment: str) -> None:
    value_only = len(segment) % 2 == 0
    location = tables.root / "places" / segment / uuid.uuid4().hex[:6] / segment
    table = tables.create("STRING", EXTERNAL, value_only, location=location)
    assert table.location == location
    _check(table, value_only, managed=False)
    assert {path.name for path in (tables.root / "places").iterdir()} <= set(SEGMENTS)


@pytest.mark.parametrize("metastore", ["embedded", "filesystem"])
@pytest.mark.parametrize("segment", ["a b", "100%", "a%20b+c", "a#b?c", "größe 数据", "p=other"])
def test_p30_warehouses_at_hard_locations(tables: Tables, segment: str, metastore: str) -> None:
    spark = tables.spark
    catalog = f"hard_{uuid.uuid4().hex[:8]}"
    warehouse = tables.root / "warehouses" / segment / metastore
    spark.conf.set(f"spark.sql.catalog.{catalog}", "org.sparkpaimon.PaimonCatalog")
    spark.conf.set(f"spark.sql.catalog.{catalog}.metastore", metastore)
    spark.conf.set(f"spark.sql.catalog.{catalog}.warehouse", str(warehouse))
    spark.sql(f"CREATE DATABASE {catalog}.db")
    managed = metastore == "embedded"
    properties = " TBLPROPERTIES ('metastore.partitioned-table' = 'true')" if managed else ""
    spark.sql(f"CREATE TABLE {catalog}.db.t (id INT, p STRING) USING parquet PARTITIONED BY (p){properties}")
    opened = load_catalog({"metastore": metastore, "warehouse": str(warehouse)})
    location = Path(opened.load_table_info("db.t").location.removeprefix("file:"))
    assert location == warehouse / "db.db" / "t"
    _check(Table(spark, f"{catalog}.db.t", location, opened), value_only=False, managed=managed)
    opened.close()


def test_p31_a_table_below_a_directory_that_looks_like_its_partition(tables: Tables) -> None:
    location = tables.root / "below" / "p=1" / "p=2"
    table = tables.create("INT", EXTERNAL, location=location)
    table.insert([(1, "7"), (2, "NULL")])
    assert table.rows() == Counter([(1, "7"), (2, None)])
    assert not table.rows("p = 1 OR p = 2")
    assert tables.spark.sql(f"SHOW PARTITIONS paimon.{DATABASE}.{table.name.rsplit('.', 1)[1]}").count() == 2
