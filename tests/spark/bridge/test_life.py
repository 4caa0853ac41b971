"""The life of the bridge: one process for a driver, another one when it dies."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.spark.bridge.drivers import bridge_pid, bridges_of, eventually, jvm_pid
from tests.spark.workplace import Workplace


def kill_bridge(spark: SparkSession) -> int:
    """``kill -9``; returns when the JVM has collected the process, and had a moment to take note."""
    pid = bridge_pid(spark)
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())
    time.sleep(0.2)
    return pid


def outcome(place: Workplace, statement: str) -> str | None:
    """Condition of the error of a statement, None when it succeeds."""
    try:
        place.sql(statement).collect()
    except PySparkException as error:
        return error.getCondition()
    return None


def test_a_driver_has_one_process_for_all_sessions_and_catalogs(spark: SparkSession) -> None:
    pid = bridge_pid(spark)
    for session in (spark, spark.newSession()):
        session.sql("SHOW DATABASES IN paimon").collect()
        session.sql("SHOW DATABASES IN fs").collect()
        assert bridge_pid(session) == pid


def test_after_a_kill_the_next_statement_finds_a_new_process(place: Workplace) -> None:
    place.run("CREATE TABLE t (id INT) USING parquet", "INSERT INTO t VALUES (1)")
    for number in range(3):
        old = kill_bridge(place.session)
        assert place.values("SELECT count(*) FROM t") == [(1,)], number
        assert bridge_pid(place.session) != old


def test_a_kill_right_before_a_statement_is_that_statements_or_nobodys(place: Workplace) -> None:
    """Nobody waits here until the JVM has noticed: at worst one statement fails, and tells why."""
    place.run("CREATE TABLE t (id INT) USING parquet", "INSERT INTO t VALUES (1)")
    for _ in range(3):
        os.kill(bridge_pid(place.session), signal.SIGKILL)
        assert outcome(place, "SELECT * FROM t") in (None, "BRIDGE_DIED")
        assert place.values("SELECT * FROM t") == [(1,)]


def test_a_call_in_flight_fails_and_the_next_one_works(place: Workplace) -> None:
    place.run(
        "CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')",
        "INSERT INTO t SELECT id, CAST(id AS STRING) FROM range(20)",
    )
    pid = bridge_pid(place.session)
    os.kill(pid, signal.SIGSTOP)  # so that the call is certainly under way when the process dies
    with ThreadPoolExecutor(1) as pool:
        statement = pool.submit(lambda: place.sql("SHOW PARTITIONS t").collect())
        time.sleep(0.5)
        assert not statement.done()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(PySparkException) as caught:
            statement.result(60)
    assert caught.value.getCondition() == "BRIDGE_DIED"
    assert caught.value.getSqlState() == "58000"
    assert "may or may not be complete" in str(caught.value)
    assert len(place.partitions("t")) == 20


def test_kills_under_load_fail_only_what_was_in_flight(place: Workplace) -> None:
    place.run("CREATE TABLE t (id INT) USING parquet", "INSERT INTO t VALUES (1)")
    stop = threading.Event()
    conditions: set[str | None] = set()
    answers: list[int] = []

    def work() -> None:
        while not stop.is_set():
            try:
                answers.append(place.sql("SELECT count(*) FROM t").collect()[0][0])
            except PySparkException as error:
                conditions.add(error.getCondition())

    with ThreadPoolExecutor(8) as pool:
        workers = [pool.submit(work) for _ in range(8)]
        try:
            for _ in range(3):
                time.sleep(0.7)
                kill_bridge(place.session)
                seen = len(answers)
                assert eventually(lambda seen=seen: len(answers) > seen + 8, 60)
        finally:
            stop.set()
        for worker in workers:
            worker.result(60)
    assert set(answers) == {1}
    assert conditions <= {"BRIDGE_DIED"}
    assert len(bridges_of(jvm_pid(place.session))) == 1
