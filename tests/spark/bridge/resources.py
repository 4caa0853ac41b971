"""File descriptors and threads of the JVM and of the bridge, and calls by the thousand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from tests.spark.bridge.drivers import bridge_pid, eventually, jvm_pid

SLACK = 16
"""What Spark itself opens and closes meanwhile."""


@dataclass(frozen=True)
class Resources:
    """What two processes hold."""

    jvm_files: int
    jvm_threads: int
    bridge_files: int
    bridge_threads: int

    @classmethod
    def of(cls, spark: SparkSession) -> Resources:
        jvm, bridge = jvm_pid(spark), bridge_pid(spark)
        return cls(*(_entries(pid, kind) for pid in (jvm, bridge) for kind in ("fd", "task")))

    def within(self, limit: Resources, jvm_threads: bool = True) -> bool:
        """Whether no number is much larger. Spark's pools take up to a hundred threads for jobs."""
        numbers, allowed = vars(self), vars(limit)
        counted = [name for name in numbers if jvm_threads or name != "jvm_threads"]
        return all(numbers[name] <= allowed[name] + SLACK for name in counted)


def _entries(pid: int, kind: str) -> int:
    return len(list(Path(f"/proc/{pid}/{kind}").iterdir()))


def call_often(spark: SparkSession, calls: int, threads: int) -> None:
    """Call the bridge from threads that live for a hundred calls each."""
    turns = max(1, calls // (100 * threads))
    spark.sql("SHOW DATABASES IN paimon").collect()  # Spark loads a catalog when it is named first
    catalog = spark._jsparkSession.sessionState().catalogManager().catalog("paimon")

    def work() -> None:
        for _ in range(100):
            assert len(catalog.listNamespaces()) >= 1

    for _ in range(turns):
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(work) for _ in range(threads)]:
                done.result()


def check_bounded(spark: SparkSession, calls: int, threads: int) -> None:
    """Many calls leave no more behind than a few did."""
    call_often(spark, 100 * threads, threads)
    before = Resources.of(spark)
    call_often(spark, calls, threads)
    after = Resources.of(spark)
    # What threads held that are gone is given back when the garbage is collected.
    spark._jvm.System.gc()
    assert eventually(lambda: Resources.of(spark).within(before), 10), f"{before} -> {after}"
