"""Rows that ANALYZE counts in the workers of a session, and ``count(*)`` within the one task of a scan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark_paimon.bridge.executors import row_counter
from spark_paimon.statistics.measure import DataFile
from tests.format_tables import write_parquet
from tests.spark.workplace import Workplace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_workers_have_the_storage_options_of_the_catalog(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(21):
        write_parquet(tmp_path / f"{number}.parquet", number)
    (tmp_path / "13.parquet").write_bytes(b"no footer")
    # This file system of fsspec can do nothing without its options.
    options = {"path": str(tmp_path), "target_protocol": "file"}
    files = [DataFile(f"dir:/{number}.parquet", "parquet") for number in range(21)]
    session = spark._jsparkSession
    assert row_counter(session, options)(files, 8) == [None if n == 13 else n for n in range(21)]
    assert row_counter(session, options)(files[:1], 8) == [0]
    assert row_counter(session, options)([], 8) == []


def test_a_huge_partition_is_many_small_tasks(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "dt=huge"
    for number in range(200):
        write_parquet(folder / f"{number}.parquet", 1)
    files = [DataFile(f"file:{path}", "parquet") for path in sorted(folder.iterdir())]
    files.append(DataFile(f"file:{tmp_path}/dt=small/0.parquet", "parquet"))
    write_parquet(tmp_path / "dt=small" / "0.parquet", 7)
    context = spark.sparkContext
    context.setJobGroup("row-counting", "counting")
    try:
        assert row_counter(spark._jsparkSession, {})(files, 8) == [1] * 200 + [7]
    finally:
        context._jsc.clearJobGroup()
    tracker = context.statusTracker()
    (job,) = tracker.getJobIdsForGroup("row-counting")
    (stage,) = tracker.getJobInfo(job).stageIds
    assert tracker.getStageInfo(stage).numTasks == context.defaultParallelism * 4


@pytest.mark.parametrize("kind", ["parquet", "orc", "csv", "json", "text"])
def test_the_one_task_of_a_scan_counts_and_nothing_is_exchanged(place: Workplace, kind: str) -> None:
    place.run(
        f"CREATE TABLE c (s STRING, dt STRING) USING {kind} PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')",
        "INSERT INTO c SELECT /*+ COALESCE(1) */ * FROM "
        "VALUES ('a', 'x'), ('b', 'x'), ('d', 'x'), ('c', 'y')",
        "ALTER TABLE c ADD PARTITION (dt = 'empty')",
    )
    query = "SELECT count(*) FROM c WHERE dt = 'x'"
    plan = place.plan(query)
    assert "Exchange" not in plan
    assert f"count(*) {'from footers' if kind in ('parquet', 'orc') else 'within the task'}" in plan
    assert place.values(query) == [(3,)]
    assert place.values("SELECT count(1) + 1 AS n FROM c WHERE dt IN ('x', 'empty')") == [(4,)]
    assert place.values("SELECT count(1) + 1 AS n FROM c") == [(5,)]
    # No task at all, a condition on rows, groups, and a count of some rows are Spark's to do.
    assert place.values("SELECT count(*) FROM c WHERE dt = 'empty'") == [(0,)]
    assert place.values("SELECT count(*) FROM c WHERE dt = 'x' AND s > 'a'") == [(2,)]
    assert place.values("SELECT count(*) FILTER (WHERE s = 'a') FROM c") == [(1,)]
    assert place.values("SELECT dt, count(*) FROM c GROUP BY dt ORDER BY dt") == [("x", 3), ("y", 1)]
    assert place.values("SELECT count(*) FROM (SELECT * FROM c LIMIT 2)") == [(2,)]
    assert place.values("SELECT count(*), max(dt) FROM c") == [(4, "y")]
    assert place.values("SELECT count(*) FROM c a JOIN c b ON a.dt = b.dt") == [(10,)]


def test_footers_tell_only_where_all_files_have_them(place: Workplace) -> None:
    place.run(
        "CREATE TABLE c (s STRING, dt STRING) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')",
        "INSERT INTO c SELECT /*+ COALESCE(1) */ * FROM VALUES ('a', 'x'), ('b', 'x')",
        "ALTER TABLE c ADD PARTITION (dt = 'y')",
        f"CALL {place.catalog}.sys.alter_partition(table => '{place.database}.c', partition => 'dt=y', "
        "options => map('file.format', 'csv'))",
    )
    folder = place.tables / "c" / "dt=y"
    (folder / "lines.csv").write_text("c\nd\ne\n")
    for partition, rows in (("x", 2), ("y", 3)):
        assert place.values(f"SELECT count(*) FROM c WHERE dt = '{partition}'") == [(rows,)]
    assert place.values("SELECT count(*) FROM c") == [(5,)]


def test_a_scan_of_several_tasks_is_added_up(place: Workplace) -> None:
    place.run(
        "CREATE TABLE c (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt)",
        "INSERT INTO c SELECT id, 'x' FROM range(0, 1000, 1, 4)",
    )
    place.session.conf.set("spark.sql.files.maxPartitionBytes", "1000")
    try:
        assert "Exchange" in place.plan("SELECT count(*) FROM c WHERE dt = 'x'")
        assert place.values("SELECT count(*) FROM c WHERE dt = 'x'") == [(1000,)]
    finally:
        place.session.conf.unset("spark.sql.files.maxPartitionBytes")


def test_a_file_that_cannot_be_read_is_not_counted_as_nothing(place: Workplace) -> None:
    place.run(
        "CREATE TABLE c (id INT, dt STRING) USING parquet PARTITIONED BY (dt)",
        "INSERT INTO c VALUES (1, 'x')",
    )
    (place.tables / "c" / "dt=x" / "broken.parquet").write_bytes(b"no footer here")
    place.fails("SELECT count(*) FROM c WHERE dt = 'x'", "*", text="broken.parquet")
