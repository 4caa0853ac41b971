"""Statements whose catalog is behind a network that loses answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.faulty_proxy import (
    CUT_ANSWER,
    DROP_ANSWER,
    DROP_REQUEST,
    UNAVAILABLE,
    Fault,
    FaultyProxy,
    faulty_proxy,
)
from tests.spark.workplace import Workplace

PROPERTIES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
PARTITIONS = "/partitions"
LOSSES = (DROP_ANSWER, DROP_REQUEST)
SAMPLE = (DROP_ANSWER, pytest.param(DROP_REQUEST, marks=pytest.mark.slow))


@pytest.fixture(scope="module")
def proxy(rest_options: dict[str, str]) -> Iterator[FaultyProxy]:
    with faulty_proxy(rest_options["uri"]) as running:
        yield running


@pytest.fixture
def place(
    spark: SparkSession,
    proxy: FaultyProxy,
    rest_options: dict[str, str],
    warehouse_root: Path,
    tmp_path: Path,
) -> Workplace:
    """A session whose catalog ``lossy`` goes through the proxy, and a table with two partitions."""
    place = Workplace.make(spark, "rest", warehouse_root / "embedded", tmp_path)
    prefix = "spark.sql.catalog.lossy"
    place.session.conf.set(prefix, "org.sparkpaimon.PaimonCatalog")
    for key, text in {**rest_options, "uri": proxy.uri}.items():
        place.session.conf.set(f"{prefix}.{key}", text)
    proxy.faults = []
    place.run(
        f"CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) {PROPERTIES}",
        "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
        f"USE lossy.{place.database}",
        "SHOW PARTITIONS t",
    )
    return place


def counts(place: Workplace) -> list[str]:
    return place.rows("SELECT partition, record_count FROM `t$partitions` ORDER BY partition")


@pytest.mark.parametrize("action", [*SAMPLE, CUT_ANSWER, UNAVAILABLE])
def test_a_registration_is_sent_again(place: Workplace, proxy: FaultyProxy, action: str) -> None:
    proxy.faults = [Fault(action, path=PARTITIONS)]
    place.run("INSERT INTO t VALUES (3, 'c')")
    assert proxy.faults[0].seen > 1
    assert place.values("SELECT * FROM t") == [(1, "a"), (2, "b"), (3, "c")]
    assert counts(place) == ["dt=a | 1", "dt=b | 1", "dt=c | 1"]


@pytest.mark.parametrize("action", LOSSES)
def test_numbers_are_not_sent_again(place: Workplace, proxy: FaultyProxy, action: str) -> None:
    # The first request registers, the second adds the numbers: without them the rows are there all the same.
    proxy.faults = [Fault(action, path=PARTITIONS, number=2)]
    place.run("INSERT INTO t VALUES (3, 'a')")
    assert proxy.faults[0].seen == 2
    assert place.values("SELECT * FROM t") == [(1, "a"), (2, "b"), (3, "a")]
    assert counts(place) == [f"dt=a | {2 if action == DROP_ANSWER else 1}", "dt=b | 1"]
    place.run("ANALYZE TABLE t COMPUTE STATISTICS")
    assert counts(place) == ["dt=a | 2", "dt=b | 1"]


@pytest.mark.parametrize("action", SAMPLE)
@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("INSERT OVERWRITE t PARTITION (dt = 'a') SELECT 9", [(2, "b"), (9, "a")]),
        ("INSERT OVERWRITE t VALUES (9, 'c')", [(9, "c")]),
        ("TRUNCATE TABLE t PARTITION (dt = 'a')", [(2, "b")]),
        ("ANALYZE TABLE t COMPUTE STATISTICS", [(1, "a"), (2, "b")]),
        ("ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'a') PARTITION (dt = 'd')", [(1, "a"), (2, "b")]),
        ("ALTER TABLE t DROP IF EXISTS PARTITION (dt = 'a')", [(2, "b")]),
    ],
)
def test_what_can_be_done_twice_succeeds(
    place: Workplace, proxy: FaultyProxy, statement: str, rows: list[tuple[int, str]], action: str
) -> None:
    proxy.faults = [Fault(action, path="/drop" if "DROP" in statement else PARTITIONS)]
    place.run(statement)
    assert proxy.faults[0].seen > 1
    assert sorted(place.values("SELECT * FROM t"), key=str) == sorted(rows, key=str)
    known = {row.split(" | ")[0]: row.split(" | ")[1] for row in counts(place)}
    for partition in {f"dt={dt}" for _, dt in rows}:
        assert known[partition] == "1"


def test_msck_goes_on(place: Workplace, proxy: FaultyProxy) -> None:
    (place.tables / "t/dt=new").mkdir()
    (place.tables / "t/dt=b").rename(place.directory / "away")
    proxy.faults = [Fault(DROP_ANSWER, path=PARTITIONS), Fault(DROP_REQUEST, path="/partitions/drop")]
    place.run("MSCK REPAIR TABLE t SYNC PARTITIONS")
    assert [fault.seen > 1 for fault in proxy.faults] == [True, True]
    assert place.partitions("t") == ["dt=a", "dt=new"]


@pytest.mark.parametrize("action", SAMPLE)
@pytest.mark.parametrize(
    ("statement", "method", "path"),
    [
        ("CREATE TABLE u (id INT) USING parquet", "POST", "/tables"),
        ("CREATE TABLE u USING parquet AS SELECT 1 AS id", "POST", "/tables"),
        ("ALTER TABLE t RENAME TO u", "POST", "/rename"),
        ("ALTER TABLE t SET TBLPROPERTIES ('k' = 'v')", "POST", "/tables/t"),
        ("ALTER TABLE t ADD PARTITION (dt = 'd')", "POST", PARTITIONS),
        ("DROP TABLE t", "DELETE", "/tables/t"),
    ],
)
def test_what_cannot_says_that_nobody_knows(
    place: Workplace, proxy: FaultyProxy, statement: str, method: str, path: str, action: str
) -> None:
    proxy.faults = [Fault(action, method, path)]
    with pytest.raises(PySparkException) as caught:
        place.sql(statement)
    assert caught.value.getCondition() == "REST_OUTCOME_UNKNOWN"
    assert "run the statement again" in str(caught.value)
    if action == DROP_REQUEST:
        place.run(statement)
    if "DROP TABLE" not in statement and "RENAME" not in statement:
        assert place.values("SELECT * FROM t") == [(1, "a"), (2, "b")]
