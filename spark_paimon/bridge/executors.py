"""Work that goes to the executors of the session that called."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from spark_paimon.statistics.measure import CountTask, DataFile, ParallelRowCounter, deal

_WRAPPING = threading.Lock()

# Opening a footer costs a round trip or two: fewer files than this are not worth a task of their own.
_FILES_A_TASK = 4


def python_session(jvm_session: Any) -> SparkSession:
    """The session of the calling JVM as a Python session.

    The context of an earlier session of the same JVM may have been stopped: a new one is wrapped then.
    """
    from pyspark.java_gateway import launch_gateway

    with _WRAPPING:
        jvm_context = jvm_session.sparkContext()
        context = SparkContext._active_spark_context
        if context is None or not context._jsc.sc().equals(jvm_context):
            SparkContext._active_spark_context = None
            gateway = SparkContext._gateway or launch_gateway()  # type: ignore[no-untyped-call]
            jvm = gateway.jvm
            configuration = SparkConf(_jvm=jvm, _jconf=jvm_context.conf())
            _name_worker_python(configuration)
            java_context = jvm.org.apache.spark.api.java.JavaSparkContext(jvm_context)
            context = SparkContext(gateway=gateway, jsc=java_context, conf=configuration)
        return SparkSession(context, jvm_session)


def _name_worker_python(configuration: SparkConf) -> None:
    """Workers run what the driver's environment names; without a name the interpreter of this process, if
    local.
    """
    named = configuration.get("spark.pyspark.python", None)
    if named:
        os.environ["PYSPARK_PYTHON"] = named
    elif (configuration.get("spark.master", None) or "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def row_counter(jvm_session: Any, storage_options: Mapping[str, Any]) -> ParallelRowCounter:
    """Count rows on the executors: one task for every few files, whatever partition they are of."""

    def count(files: Sequence[DataFile], parallelism: int) -> list[int | None]:
        if not files:
            return []
        context = python_session(jvm_session).sparkContext
        tasks = max(1, min(len(files) // _FILES_A_TASK, context.defaultParallelism * 4))
        hands = deal(range(len(files)), tasks)
        work = [[files[number] for number in hand] for hand in hands]
        task = CountTask(dict(storage_options), max(1, parallelism // tasks))
        counted = context.parallelize(work, tasks).map(task).collect()
        counts: list[int | None] = [None] * len(files)
        for hand, rows in zip(hands, counted, strict=True):
            for number, count_of_file in zip(hand, rows, strict=True):
                counts[number] = count_of_file
        return counts

    return count
