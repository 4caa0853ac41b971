"""Ten thousand calls of the bridge (P102, P103)."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.spark.bridge.resources import check_bounded


@pytest.mark.parametrize("threads", [1, 16])
def test_p103_files_and_threads_stay_bounded(spark: SparkSession, threads: int) -> None:
    check_bounded(spark, 10_000, threads)
