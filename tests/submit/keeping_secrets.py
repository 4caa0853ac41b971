"""A session with three secrets, and everything that can be seen of it from outside as one JSON document.

Two secrets are given to the helper, one is a setting of the builder.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from pathlib import Path

from pyspark import TaskContext
from pyspark.sql import SparkSession

from spark_paimon import configure_spark_with_paimon

warehouse, events, token, key, setting = sys.argv[1:]

builder = SparkSession.builder.master("local[1]")
for name, value in {
    "spark.driver.host": "localhost",
    "spark.ui.port": "0",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.dir": events,
    "spark.eventLog.compress": "false",
    "spark.sql.catalog.set": "org.sparkpaimon.PaimonCatalog",
    "spark.sql.catalog.set.metastore": "embedded",
    "spark.sql.catalog.set.warehouse": warehouse + "-set",
    "spark.sql.catalog.set.token": setting,
}.items():
    builder = builder.config(name, value)
configure_spark_with_paimon(
    builder, catalog="helped", warehouse=warehouse, token=token, options={"fs.secret": key}
)
spark = builder.getOrCreate()
for catalog in ("helped", "set"):
    spark.sql(f"CREATE TABLE {catalog}.default.t USING parquet AS SELECT 1 AS id")


def properties(numbers):
    yield json.dumps(TaskContext.get()._localProperties)


page = spark.sparkContext.uiWebUrl
application = f"{page}/api/v1/applications/{spark.sparkContext.applicationId}"
pages = (f"{page}/environment/", f"{application}/environment", f"{page}/SQL/", f"{application}/sql")
jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
new = spark.newSession()
seen = {
    "statements": [str(row) for row in spark.sql("SET -v").collect()],
    "new session": [str(row) for row in new.sql("SET").collect()],
    "context": spark.sparkContext.getConf().getAll(),
    "tasks": spark.range(1).rdd.mapPartitions(properties).collect(),
    "pages": [urllib.request.urlopen(url).read().decode() for url in pages],
    "command line": Path(f"/proc/{jvm}/cmdline").read_text(),
    "environment": Path(f"/proc/{jvm}/environ").read_text(errors="replace"),
    "works": [new.table(f"{catalog}.default.t").count() for catalog in ("helped", "set")],
    "file": spark.conf.get("spark.sql.catalog.helped.secrets-file"),
}
spark.stop()
print("RESULT", json.dumps(seen))
