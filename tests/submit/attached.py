"""A session that was started without us gets a catalog while it runs."""

from __future__ import annotations

import sys
import warnings

from pyspark.sql import SparkSession

from spark_paimon import attach, configure_spark_with_paimon, errors

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.driver.host", "localhost").getOrCreate()

try:
    configure_spark_with_paimon(SparkSession.builder, warehouse=sys.argv[1])
except errors.IllegalStateError as error:
    print("RESULT", error.condition)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    attach(spark, warehouse=sys.argv[1])
    attach(spark, catalog="fs", metastore="filesystem", warehouse=sys.argv[1] + "-fs")
print("RESULT", len(caught), all("CALL" in str(warning.message) for warning in caught))

spark.sql("CREATE NAMESPACE paimon.s")
spark.sql(
    "CREATE TABLE paimon.s.t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) "
    "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
)
spark.sql("INSERT INTO paimon.s.t VALUES (1, 'a'), (2, 'b')")
print("RESULT", spark.sql("SELECT count(*) FROM paimon.s.t").first()[0])
print("RESULT", spark.sql("CALL paimon.sys.repair(table => 's.t')").count())
measured = spark.sql("CALL paimon.sys.analyze(table => 's.t')").collect()
print("RESULT", [(row.partition, row.record_count) for row in measured])
print("RESULT", [row[0] for row in spark.sql("SHOW NAMESPACES IN fs").collect()])
try:
    spark.sql("MSCK REPAIR TABLE paimon.s.t")
except Exception as error:
    print("RESULT", type(error).__name__)
spark.stop()
