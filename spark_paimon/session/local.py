"""A local session for the package's own programs: the demo, the doctor, the benchmarks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_paimon.session.configure import configure_spark_with_paimon

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def local_session(
    name: str,
    warehouse: str | os.PathLike[str],
    *,
    master: str = "local[*]",
    settings: Mapping[str, str] | None = None,
) -> Iterator[SparkSession]:
    """A session on this machine with the embedded catalog ``paimon``; stopped at the end.

    Parameters
    ----------
    name
        Name of the application.
    warehouse
        Directory of the catalog.
    master
        How many threads.
    settings
        Further settings of Spark.

    Examples
    --------
    >>> with local_session("example", "/data/warehouse") as spark:  # doctest: +SKIP
    ...     spark.sql("SHOW NAMESPACES IN paimon").show()
    """
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName(name)
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    for key, value in {**quiet, **(settings or {})}.items():
        builder.config(key, value)
    spark = configure_spark_with_paimon(builder, warehouse=warehouse).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
