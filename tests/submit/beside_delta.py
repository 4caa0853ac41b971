"""A session with Delta Lake and us; prints the outcome of each statement.

Arguments: ``paimon-first`` or ``delta-first``, a directory, the jars of Delta. Statements are lines of the
standard input.
"""

from __future__ import annotations

import json
import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_paimon import configure_spark_with_paimon

order, folder, *jars = sys.argv[1:]


def with_paimon(builder: SparkSession.Builder) -> SparkSession.Builder:
    return configure_spark_with_paimon(builder, warehouse=f"{folder}/paimon")


def with_delta(builder: SparkSession.Builder) -> SparkSession.Builder:
    """What delta-spark's documentation says, with jars in the place of packages."""
    present = builder._options

    def appended(key: str, *items: str) -> str:
        return ",".join(filter(None, [present.get(key, ""), *items]))

    builder.config("spark.jars", appended("spark.jars", *jars))
    extension = "io.delta.sql.DeltaSparkSessionExtension"
    builder.config("spark.sql.extensions", appended("spark.sql.extensions", extension))
    return builder.config(
        "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    )


builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder.config("spark.driver.host", "localhost").config("spark.sql.shuffle.partitions", "2")
builder.config("spark.sql.warehouse.dir", f"{folder}/spark").config("spark.sql.session.timeZone", "UTC")
# A log of a few lines needs no fifty tasks, a JVM that lives for seconds no second compiler.
builder.config("spark.databricks.delta.snapshotPartitions", "1")
builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
for step in (with_paimon, with_delta) if order == "paimon-first" else (with_delta, with_paimon):
    step(builder)
spark = builder.getOrCreate()
for statement in sys.stdin:
    try:
        found: object = [[str(value) for value in row] for row in spark.sql(statement).collect()]
    except PySparkException as error:
        found = error.getCondition() or type(error).__name__
    print("RESULT", json.dumps(found))
