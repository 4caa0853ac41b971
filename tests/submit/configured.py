"""The helper in a plain Python process; prints what the session became."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from spark_paimon import configure_spark_with_paimon

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
configure_spark_with_paimon(builder.config("spark.driver.host", "localhost"), warehouse=sys.argv[1])
spark = builder.getOrCreate()
print("RESULT", [row[0] for row in spark.sql("SHOW NAMESPACES IN paimon").collect()])

# A second session in the same process, with one catalog more.
configure_spark_with_paimon(
    SparkSession.builder, catalog="fs", metastore="filesystem", warehouse=sys.argv[1] + "-fs"
).getOrCreate()
print("RESULT", [row[0] for row in spark.sql("SHOW NAMESPACES IN fs").collect()])
spark.stop()

again = configure_spark_with_paimon(
    SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false"), warehouse=sys.argv[1]
).getOrCreate()
print("RESULT", again.sql("SHOW NAMESPACES IN paimon").count())
again.stop()
