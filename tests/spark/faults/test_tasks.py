"""Tasks of a write that fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from tests.spark.bridge.drivers import Driver, embedded
from tests.spark.workplace import Workplace

SMALL_FILES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true', 'target-file-row-num' = '7')"


RESERVED = "__DEFAULT_PARTITION__"


def everything(root: Path) -> list[str]:
    """All files and directories but empty staging directories, which any write may leave."""
    paths = [path for path in root.rglob("*") if path.name != "_temporary"]
    return sorted(str(path.relative_to(root)) for path in paths)


@pytest.mark.parametrize("catalog", ["paimon", "fs"])
@pytest.mark.parametrize(
    "write",
    [
        "INSERT INTO t",
        "INSERT OVERWRITE t",
        "INSERT OVERWRITE t PARTITION (dt = '1')",
        f"CREATE TABLE u USING parquet PARTITIONED BY (dt) {SMALL_FILES} AS",
        f"CREATE OR REPLACE TABLE t USING parquet PARTITIONED BY (dt) {SMALL_FILES} AS",
    ],
    ids=["append", "overwrite", "overwrite-static", "create", "replace"],
)
def test_a_task_that_fails_in_the_middle_leaves_nothing(place: Workplace, write: str) -> None:
    """It has finished files of an old and of a new partition when it meets a row that cannot be written."""
    place.run(
        f"CREATE TABLE t (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt) {SMALL_FILES}",
        "INSERT INTO t VALUES (1, '1'), (2, '2')",
    )
    before = everything(place.tables)
    columns = f"id, CASE id DIV 40 WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE '{RESERVED}' END AS dt"
    if "(dt = '1')" in write:
        columns = f"IF(id = 90, CAST(raise_error('{RESERVED}') AS BIGINT), id) AS id"
    with pytest.raises(PySparkException, match=RESERVED):
        place.sql(f"{write} SELECT {columns} FROM range(0, 100, 1, 1)")
    assert everything(place.tables) == before
    assert place.values("SELECT * FROM t") == [(1, "1"), (2, "2")]
    assert place.partitions("t") == ["dt=1", "dt=2"]
    assert place.values("SHOW TABLES LIKE 'u'") == []


def test_tasks_that_were_at_work_when_another_one_failed_show_nothing(place: Workplace) -> None:
    """What one of them finishes in that very moment nobody can take back, but it stays invisible."""
    place.run(
        f"CREATE TABLE t (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt) {SMALL_FILES}",
        "INSERT INTO t VALUES (1, '1')",
    )
    failing = "IF(id = 90, CAST(raise_error('this row is bad') AS BIGINT), id)"
    statement = f"INSERT INTO t SELECT {failing}, CAST(id DIV 25 AS STRING) FROM range(0, 100, 1, 2)"
    with pytest.raises(PySparkException, match="this row is bad"):
        place.sql(statement)
    assert place.values("SELECT * FROM t") == [(1, "1")]
    assert place.partitions("t") == ["dt=1"]
    place.run(
        "MSCK REPAIR TABLE t",
        "ANALYZE TABLE t COMPUTE STATISTICS",
        statement.replace(failing, "id"),
    )
    assert place.values("SELECT count(*), count(DISTINCT id) FROM t WHERE id <> 1") == [(99, 99)]
    assert place.values("SELECT sum(record_count) FROM `t$partitions`") == [(101,)]


def test_a_task_that_is_tried_again_writes_its_rows_once(tmp_path: Path) -> None:
    with Driver(tmp_path) as driver:
        driver.start(embedded(tmp_path / "w"), spark__master="local[2,3]")
        driver.fail_once(90)
        driver.sql("USE paimon.default")
        driver.sql(f"CREATE TABLE t (id BIGINT, dt INT) USING parquet PARTITIONED BY (dt) {SMALL_FILES}")
        driver.sql("INSERT INTO t SELECT fail_once(id), CAST(id DIV 25 AS INT) FROM range(0, 100, 1, 2)")
        assert driver.sql("SELECT count(*), count(DISTINCT id), sum(id) FROM t") == [[100, 100, 4950]]
        assert driver.sql("SELECT sum(record_count) FROM `t$partitions`") == [[100]]
        assert "this attempt fails" in driver.log.read_text()
        assert [path for path in everything(tmp_path / "w") if ".tmp." in path] == []
