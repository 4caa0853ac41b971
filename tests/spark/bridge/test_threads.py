"""Sixteen threads on one session at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.spark.workplace import Workplace

THREADS = 16
ROUNDS = 3


def at_once(work: Callable[[int], object], count: int = THREADS) -> None:
    """Run ``work(number)`` on that many threads, all starting together; the first failure is raised."""
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait(60)
        work(number)

    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(run, number) for number in range(count)]:
            done.result(300)


def test_inserts_into_different_partitions_and_selects(place: Workplace) -> None:
    place.run(
        "CREATE TABLE t (id INT, dt INT) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
    )

    def work(number: int) -> None:
        for turn in range(ROUNDS):
            place.sql(f"INSERT INTO t PARTITION (dt = {number}) VALUES ({turn})")
            found = place.values(f"SELECT id FROM t WHERE dt = {number}")
            assert found == [(earlier,) for earlier in range(turn + 1)]

    at_once(work)
    expected = [(number, ROUNDS, ROUNDS) for number in range(THREADS)]
    assert sorted(place.values("SELECT dt, count(*), count(DISTINCT id) FROM t GROUP BY dt")) == expected
    recorded = place.values("SELECT partition, record_count, file_count FROM `t$partitions`")
    assert recorded == sorted((f"dt={number}", ROUNDS, ROUNDS) for number in range(THREADS))


def test_appends_to_one_partition_add_up(place: Workplace) -> None:
    place.run(
        "CREATE TABLE t (id INT, dt INT) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
    )
    at_once(lambda number: place.run(f"INSERT INTO t VALUES ({number}, 1), ({number + 100}, 1)"))
    assert place.values("SELECT count(*), count(DISTINCT id) FROM t") == [(2 * THREADS, 2 * THREADS)]
    assert place.values("SELECT record_count FROM `t$partitions`") == [(2 * THREADS,)]
    assert list((place.tables / "t").rglob("_temporary/*")) == []


def test_definitions_partitions_and_reads_of_many_tables(place: Workplace) -> None:
    def work(number: int) -> None:
        name = f"t{number}"
        place.run(
            f"CREATE TABLE {name} (id INT, dt STRING) USING parquet PARTITIONED BY (dt) "
            "TBLPROPERTIES ('metastore.partitioned-table' = 'true')",
            f"ALTER TABLE {name} ADD PARTITION (dt = 'a') PARTITION (dt = 'b')",
            f"ALTER TABLE {name} ADD COLUMN note STRING",
            f"INSERT INTO {name} (id, note, dt) VALUES ({number}, 'c', 'x')"
            if number % 2
            else f"ALTER TABLE {name} DROP PARTITION (dt = 'a')",
            f"ALTER TABLE {name} RENAME TO {name}_renamed",
        )
        expected = ["dt=a", "dt=b", "dt=x"] if number % 2 else ["dt=b"]
        columns = place.sql(f"SELECT * FROM {name}_renamed").columns
        assert (place.partitions(f"{name}_renamed"), columns) == (expected, ["id", "dt", "note"])
        if number % 4 == 0:
            place.run(f"DROP TABLE {name}_renamed")

    at_once(work)
    names = {row.tableName for row in place.sql("SHOW TABLES").collect()}
    assert names == {f"t{number}_renamed" for number in range(THREADS) if number % 4}


def test_one_of_many_creates_of_one_table_wins(place: Workplace) -> None:
    from pyspark.errors import AnalysisException

    outcomes: list[str | None] = []

    def work(number: int) -> None:
        try:
            place.run(f"CREATE TABLE t (c{number} INT) USING parquet")
            outcomes.append(None)
        except AnalysisException as error:
            outcomes.append(error.getCondition())

    at_once(work)
    assert outcomes.count(None) == 1
    assert set(outcomes) == {None, "TABLE_OR_VIEW_ALREADY_EXISTS"}
