"""A script that calls the helper under ``spark-submit``, where ``spark.jars`` of a builder comes too late."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from spark_paimon import configure_spark_with_paimon

builder = configure_spark_with_paimon(SparkSession.builder, warehouse=sys.argv[1])
spark = builder.getOrCreate()
print("RESULT", [row[0] for row in spark.sql("SHOW NAMESPACES IN paimon").collect()])
print("RESULT", spark.conf.get("spark.sql.extensions"))
spark.stop()
