"""Calls leave nothing behind (P102, P103); ten thousand of them are in ``tests/soak``."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.spark.bridge.resources import Resources, check_bounded
from tests.spark.workplace import Workplace


@pytest.mark.parametrize("threads", [1, 8])
def test_p103_files_and_threads_do_not_grow_with_calls(spark: SparkSession, threads: int) -> None:
    check_bounded(spark, 800, threads)


def test_p103_nor_with_calls_that_carry_a_session(place: Workplace) -> None:
    place.run(
        "CREATE TABLE t (id INT, dt INT) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')",
        "INSERT INTO t VALUES (1, 1)",
        "ANALYZE TABLE t COMPUTE STATISTICS",
    )
    with_jobs, without = "ANALYZE TABLE t COMPUTE STATISTICS", "ANALYZE TABLE t COMPUTE STATISTICS NOSCAN"
    before = Resources.of(place.session)
    place.run(*[without] * 30, *[with_jobs] * 5)
    after = Resources.of(place.session)
    assert after.within(before, jvm_threads=False), f"{before} -> {after}"
