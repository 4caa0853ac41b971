"""File descriptors and threads of the JVM and of the bridge, and calls by the thousand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from tests.spark.bridge.drivers import bridge_pid, eventually, jvm_pid

SLACK = 16
"""What Spark itself opens and closes meanwhile."""

BLOCK_MANAGER = "block-manager"
"""Begins the names of the threads by which Spark drops what it kept of jobs that are over: up to a hundred,
for a minute after garbage was collected."""


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
        return cls(_files(jvm), _threads(jvm), _files(bridge), _threads(bridge))

    def within(self, limit: Resources, jvm_threads: bool = True) -> bool:
        """Whether no number is much larger. Spark's pools take up to a hundred threads for jobs."""
        numbers, allowed = vars(self), vars(limit)
        counted = [name for name in numbers if jvm_threads or name != "jvm_threads"]
        return all(numbers[name] <= allowed[name] + SLACK for name in counted)


def _files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _threads(pid: int) -> int:
    names = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            names.append((thread / "comm").read_text())
    return len([name for name in names if not name.startswith(BLOCK_MANAGER)])


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
    held = [after]

    def is_bounded() -> bool:
        held.append(Resources.of(spark))
        return held[-1].within(before)

    assert eventually(is_bounded, 10), f"{before} -> {held[-1]}"
