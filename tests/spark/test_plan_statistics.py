"""What Spark's optimiser is told: rows and bytes of exactly the selected partitions, or nothing."""

from __future__ import annotations

import pytest

from tests.spark.workplace import Workplace

PROPERTIES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"


@pytest.fixture
def table(place: Workplace) -> None:
    """Partitions a (100 rows) and b (50 rows) that INSERT has counted."""
    place.run(
        f"CREATE TABLE t (id BIGINT, name STRING, dt STRING) USING parquet PARTITIONED BY (dt) {PROPERTIES}",
        "INSERT INTO t SELECT /*+ COALESCE(1) */ id, repeat('x', 20), if(id < 100, 'a', 'b') FROM range(150)",
    )


def scan_statistics(place: Workplace, query: str) -> tuple[int | None, int]:
    """Rows (None when unknown) and bytes of the only scan of a query."""
    plan = place.sql(query)._jdf.queryExecution().optimizedPlan()
    numbers = plan.collectLeaves().head().stats()
    rows = numbers.rowCount()
    return (int(str(rows.get())) if rows.isDefined() else None), int(str(numbers.sizeInBytes()))


def bytes_of(place: Workplace, partition: str) -> int:
    files = (place.tables / "t" / partition).glob("*.parquet")
    return sum(file.stat().st_size for file in files)


def test_rows_and_bytes_are_those_of_the_selected_partitions(place: Workplace, table: None) -> None:
    a, b = bytes_of(place, "dt=a"), bytes_of(place, "dt=b")
    assert scan_statistics(place, "SELECT * FROM t") == (150, a + b)
    assert scan_statistics(place, "SELECT * FROM t WHERE dt = 'b'") == (50, b)
    assert scan_statistics(place, "SELECT * FROM t WHERE dt > 'b'") == (0, 0)


def test_bytes_shrink_with_the_columns_that_are_read(place: Workplace, table: None) -> None:
    rows, size = scan_statistics(place, "SELECT id FROM t WHERE dt = 'a'")
    assert rows == 100
    assert 0 < size < bytes_of(place, "dt=a") / 2


def test_p61_one_partition_of_unknown_rows_makes_the_rows_unknown(place: Workplace, table: None) -> None:
    place.run(
        f"INSERT OVERWRITE DIRECTORY '{place.tables}/t/dt=c' USING parquet SELECT id, 'y' name FROM range(9)",
        "MSCK REPAIR TABLE t",
    )
    assert scan_statistics(place, "SELECT * FROM t")[0] is None
    assert scan_statistics(place, "SELECT * FROM t WHERE dt <> 'c'")[0] == 150
    place.sql("ANALYZE TABLE t PARTITION (dt = 'c') COMPUTE STATISTICS NOSCAN")
    assert scan_statistics(place, "SELECT * FROM t WHERE dt = 'c'") == (None, bytes_of(place, "dt=c"))
    place.sql("ANALYZE TABLE t PARTITION (dt = 'c') COMPUTE STATISTICS")
    assert scan_statistics(place, "SELECT * FROM t")[0] == 159


def test_p60_what_was_never_measured_is_not_zero(place: Workplace, table: None) -> None:
    """Registered without numbers: the size comes from the files, never from a guess of nothing."""
    place.run(
        f"INSERT OVERWRITE DIRECTORY '{place.tables}/t/dt=c' USING parquet SELECT id, 'y' name FROM range(9)",
        "MSCK REPAIR TABLE t",
    )
    rows, size = scan_statistics(place, "SELECT * FROM t WHERE dt = 'c'")
    assert rows is None
    assert size > 0


def test_tables_of_directories_know_their_bytes_and_no_rows(place: Workplace) -> None:
    place.run("CREATE TABLE t (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt)",
              "INSERT INTO t VALUES (1, 'a'), (2, 'b')")  # fmt: skip
    rows, size = scan_statistics(place, "SELECT * FROM t WHERE dt = 'a'")
    assert rows is None
    assert size == bytes_of(place, "dt=a")


def test_truncated_partitions_have_no_bytes(place: Workplace, table: None) -> None:
    place.sql("TRUNCATE TABLE t PARTITION (dt = 'a')")
    assert scan_statistics(place, "SELECT * FROM t WHERE dt = 'a'")[1] <= 1
    assert scan_statistics(place, "SELECT * FROM t WHERE dt = 'b'")[0] == 50


def test_p61_a_small_measured_table_is_broadcast(place: Workplace) -> None:
    """What the threshold is compared with are the bytes that ANALYZE measured."""
    place.session.conf.set("spark.sql.adaptive.enabled", "false")
    place.session.conf.set("spark.sql.autoBroadcastJoinThreshold", "100")
    place.run(
        "CREATE TABLE dim (k BIGINT, a STRING, b STRING, dt STRING) USING parquet PARTITIONED BY (dt) "
        f"{PROPERTIES}",
        "CREATE TABLE fact USING parquet AS SELECT id AS k, id * 2 AS v FROM range(1000)",
        f"INSERT OVERWRITE DIRECTORY '{place.tables}/dim/dt=a' USING parquet "
        "SELECT /*+ COALESCE(1) */ id AS k, 'x' AS a, 'y' AS b FROM range(3)",
        "MSCK REPAIR TABLE dim",
        "ALTER TABLE dim ADD PARTITION (dt = 'b')",
        "ANALYZE TABLE dim COMPUTE STATISTICS",
    )
    query = "SELECT count(*) FROM fact JOIN dim USING (k) WHERE dt = '{}'"
    assert "SortMergeJoin" in place.plan(query.format("a"))
    assert "BroadcastHashJoin" in place.plan(query.format("b"))
    place.session.conf.set("spark.sql.autoBroadcastJoinThreshold", "10KB")
    assert "BroadcastHashJoin" in place.plan(query.format("a"))
    assert place.values(query.format("a")) == [(3,)]


def test_join_order_uses_the_rows_when_the_optimiser_asks_for_them(place: Workplace, table: None) -> None:
    place.session.conf.set("spark.sql.cbo.enabled", "true")
    cost = place.rows("EXPLAIN COST SELECT * FROM t WHERE dt = 'b'")[0]
    assert "rowCount=50" in cost


def test_describe_and_session_know_the_numbers(place: Workplace, table: None) -> None:
    size = bytes_of(place, "dt=a") + bytes_of(place, "dt=b")
    assert f"Statistics | {size} bytes, 150 rows | NULL" in place.rows("DESCRIBE EXTENDED t")
