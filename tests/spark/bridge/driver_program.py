"""A Spark driver that does what it is told, one line of JSON after another.

``{"start": {settings}, "catalogs": {name: options}}``, ``{"sql": statement}``, ``{"fail_once": number}``,
``{"stop": true}``, ``{"exit": true}``. Every line is answered by one: ``{"rows": [...]}`` or
``{"error": {"class", "condition", "message"}}``.
"""

import json
import os
import sys

from pyspark import TaskContext
from pyspark.sql import SparkSession

from spark_paimon import configure_spark_with_paimon

ARGUMENTS = ("metastore", "warehouse", "uri", "token")
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
session = None


def start(settings, catalogs):
    """A session with the given settings and catalogs; answers the process id of its JVM."""
    builder = SparkSession.builder.master("local[2]").appName("spark-paimon driver of a test")
    for key, value in settings.items():
        builder = builder.config(key, value)
    for name, options in catalogs.items():
        known = {key: options[key] for key in ARGUMENTS if key in options}
        extra = {key: value for key, value in options.items() if key not in ARGUMENTS}
        configure_spark_with_paimon(builder, catalog=name, **known, options=extra)
    started = builder.getOrCreate()
    return started, [[started._jvm.java.lang.ProcessHandle.current().pid()]]


def register_fail_once(spark, bad):
    """``fail_once(n)`` is n, but the first attempt of the task that meets ``bad`` fails."""

    def fail_once(number):
        if number == bad and TaskContext.get().attemptNumber() == 0:
            raise ValueError("this attempt fails")
        return number

    spark.udf.register("fail_once", fail_once, "bigint")


for line in sys.stdin:
    command = json.loads(line)
    rows = []
    try:
        if "start" in command:
            session, rows = start(command["start"], command["catalogs"])
        elif "sql" in command:
            rows = [list(row) for row in session.sql(command["sql"]).collect()]
        elif "fail_once" in command:
            register_fail_once(session, command["fail_once"])
        elif "stop" in command:
            session.stop()
        elif "exit" in command:
            break
        answer = {"rows": rows}
    except Exception as error:
        condition = getattr(error, "getCondition", lambda: None)()
        answer = {"error": {"class": type(error).__name__, "condition": condition, "message": str(error)}}
    print(json.dumps(answer, default=str), file=ANSWERS, flush=True)
