"""Rows that ANALYZE counts in the workers of a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spark_paimon.bridge.executors import row_counter
from spark_paimon.statistics.measure import DataFile
from tests.format_tables import write_parquet

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
