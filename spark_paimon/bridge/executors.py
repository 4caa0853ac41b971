"""Work that goes to the executors of the session that called."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from spark_paimon.statistics.measure import DataFile, RowCounter, count_rows_of_file

if TYPE_CHECKING:
    import pyarrow

_WRAPPING = threading.Lock()

# Opening a footer costs a round trip or two: fewer files than this are not worth a task of their own.
_FILES_A_TASK = 4
_FILES = "file BIGINT, path STRING, format STRING, size BIGINT"
_RESULT = "file BIGINT, rows BIGINT"


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


def row_counter(jvm_session: Any) -> RowCounter:
    """Count rows on the executors: one task for every few files, whatever partition they are of."""

    def count(files: Sequence[DataFile]) -> list[int | None]:
        if not files:
            return []
        session = python_session(jvm_session)
        numbered = [(number, file.path, file.format, file.size) for number, file in enumerate(files)]
        tasks = max(1, min(len(files) // _FILES_A_TASK, session.sparkContext.defaultParallelism * 4))
        # Neighbours are dealt out to different tasks: the files of one huge partition do not make one long
        # task.
        dealt = [item for start in range(tasks) for item in numbered[start::tasks]]
        frame = session.createDataFrame(session.sparkContext.parallelize(dealt, tasks), _FILES)
        counts: list[int | None] = [None] * len(files)
        for row in frame.mapInArrow(_count_batches, _RESULT).collect():
            counts[row.file] = row.rows
        return counts

    return count


def _count_batches(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Runs in a Spark worker."""
    import pyarrow

    for batch in batches:
        columns = batch.to_pydict()
        files = [
            DataFile(path, kind, size)
            for path, kind, size in zip(columns["path"], columns["format"], columns["size"], strict=True)
        ]
        rows = pyarrow.array([count_rows_of_file(file) for file in files], pyarrow.int64())
        numbers = pyarrow.array(columns["file"], pyarrow.int64())
        yield pyarrow.RecordBatch.from_arrays([numbers, rows], names=["file", "rows"])
