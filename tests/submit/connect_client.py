"""A Spark Connect client that knows nothing of spark_paimon; the address of the server is its argument."""

from __future__ import annotations

import sys

from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
spark.sql(
    "CREATE TABLE paimon.default.t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) "
    "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
)
spark.sql("INSERT INTO paimon.default.t VALUES (1, 'a'), (2, 'b'), (3, 'b')")
spark.sql("MSCK REPAIR TABLE paimon.default.t")
spark.sql("ANALYZE TABLE paimon.default.t COMPUTE STATISTICS")
for row in spark.sql("SELECT partition, record_count FROM paimon.default.`t$partitions`").collect():
    print("RESULT", row.partition, row.record_count)
print("RESULT", [row.id for row in spark.sql("SELECT id FROM paimon.default.t WHERE dt = 'a'").collect()])
spark.sql("ALTER TABLE paimon.default.t DROP PARTITION (dt = 'a')")
print("RESULT", [row.partition for row in spark.sql("SHOW PARTITIONS paimon.default.t").collect()])
try:
    spark.sql("ALTER TABLE paimon.default.t DROP PARTITION (dt = '')")
except IllegalArgumentException as error:
    print("RESULT", type(error).__name__, error.getCondition())
print(
    "RESULT", spark.sql("SELECT id FROM paimon.default.t WHERE dt = paimon.sys.max_pt('default.t')").count()
)
spark.sql("CREATE TABLE paimon.default.c (s STRING) USING csv")
spark.sql("INSERT INTO paimon.default.c VALUES ('a'), ('b')")
spark.conf.set("spark.paimon.*.default.c.csv.null-literal", "a")
print("RESULT", sorted(str(row.s) for row in spark.table("paimon.default.c").collect()))
reader = spark.read.option("csv.null-literal", "b")
print("RESULT", sorted(str(row.s) for row in reader.table("paimon.default.c").collect()))
spark.stop()
