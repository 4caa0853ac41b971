"""A script that never imports spark_paimon; everything comes from the command line."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE NAMESPACE paimon.s")
spark.sql(
    "CREATE TABLE paimon.s.t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) "
    "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
)
spark.sql("INSERT INTO paimon.s.t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1)")
spark.sql("MSCK REPAIR TABLE paimon.s.t")
spark.sql("ANALYZE TABLE paimon.s.t COMPUTE STATISTICS")
spark.sql("ALTER TABLE paimon.s.t DROP PARTITION (dt = 'a')")
for row in spark.sql("SELECT partition, record_count FROM paimon.s.`t$partitions`").collect():
    print("RESULT", row[0], row[1])
print("RESULT", spark.sql("SELECT sum(id) FROM paimon.s.t").first()[0])
spark.stop()
assert not any(name.startswith("spark_paimon") for name in sys.modules)
