"""Drivers in processes of their own: sessions one after another, two at once, how they start and end."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spark.bridge.drivers import Driver, StatementError, embedded, eventually, is_alive

CREATE = (
    "CREATE TABLE paimon.default.t (id INT, dt INT) USING parquet PARTITIONED BY (dt) "
    "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
)


def gone(pids: list[int]) -> bool:
    return eventually(lambda: not any(is_alive(pid) for pid in pids))


def test_a_new_session_after_stop_does_everything_again(tmp_path: Path) -> None:
    with Driver(tmp_path) as driver:
        driver.start(embedded(tmp_path / "w"))
        # Begun with the session: no statement has needed it yet.
        bridges = driver.bridges()
        assert len(bridges) == 1
        driver.sql(CREATE)
        for turn in range(2):
            driver.sql(f"INSERT INTO paimon.default.t VALUES ({turn}, {turn}), ({turn}, 9)")
            # Rows are counted on the executors of the session that runs now.
            driver.sql("ANALYZE TABLE paimon.default.t COMPUTE STATISTICS")
            counted = driver.sql("SELECT sum(record_count) FROM paimon.default.`t$partitions`")
            assert counted == [[2 * (turn + 1)]]
            driver.stop()
            driver.start(embedded(tmp_path / "w"))
        assert driver.sql("SELECT count(*) FROM paimon.default.t") == [[4]]
        assert driver.bridges() == bridges
        assert driver.exit() == 0
        assert gone(bridges)


def test_two_drivers_share_a_warehouse_at_once(tmp_path: Path) -> None:
    rounds = 4
    with Driver(tmp_path / "one") as one, Driver(tmp_path / "two") as two:
        drivers = [one, two]
        at_once(drivers, lambda driver: driver.start(embedded(tmp_path / "w")))
        assert {len(driver.bridges()) for driver in drivers} == {1}
        one.sql(CREATE)

        def work(driver: Driver) -> None:
            number = drivers.index(driver)
            for turn in range(rounds):
                driver.sql(
                    f"INSERT INTO paimon.default.t VALUES ({10 * number + turn}, 1), ({turn}, {10 + number})"
                )
                driver.sql(f"ALTER TABLE paimon.default.t ADD PARTITION (dt = {100 * (number + 1) + turn})")

        at_once(drivers, work)
        for driver in drivers:
            counts = driver.sql(
                "SELECT dt, count(*), count(DISTINCT id) FROM paimon.default.t GROUP BY dt ORDER BY dt"
            )
            assert counts == [[1, 2 * rounds, 2 * rounds], [10, rounds, rounds], [11, rounds, rounds]]
            assert len(driver.sql("SHOW PARTITIONS paimon.default.t")) == 3 + 2 * rounds
        # The death of one is nothing to the other.
        bridges = one.bridges()
        os.kill(one.jvm, signal.SIGKILL)
        assert gone(bridges)
        assert two.sql("SELECT count(*) FROM paimon.default.t") == [[4 * rounds]]


def at_once(drivers: list[Driver], work: Callable[[Driver], object]) -> None:
    failures: list[BaseException] = []

    def run(driver: Driver) -> None:
        try:
            work(driver)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(driver,)) for driver in drivers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_wrong_interpreter_is_named_with_the_setting(tmp_path: Path) -> None:
    # The package would be found beside the jar, so this interpreter lacks what the package needs.
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{Path(sys.base_prefix) / "bin" / "python3"}" -S -E "$@"\n')
    bare.chmod(0o755)
    with Driver(tmp_path) as driver:
        for python in ("/nonexistent/python", str(bare)):
            driver.start(embedded(tmp_path / "w"), spark__paimon__bridge__python=python)
            for _ in range(2):
                with pytest.raises(StatementError) as caught:
                    driver.sql("SHOW TABLES IN paimon.default")
                assert caught.value.condition == "BRIDGE_NOT_STARTED"
                assert "spark.paimon.bridge.python" in caught.value.message
                assert python in caught.value.message
            # Whatever is not ours works.
            assert driver.sql("SELECT 1") == [[1]]
            driver.stop()
        # The right setting in a new session is all it takes.
        driver.start(embedded(tmp_path / "w"), spark__paimon__bridge__python=sys.executable)
        assert driver.sql("SHOW TABLES IN paimon.default") == []
