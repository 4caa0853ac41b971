"""Tasks of a write that fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from tests.spark.bridge.drivers import Driver, embedded, eventually
from tests.spark.workplace import Workplace

SMALL_FILES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true', 'target-file-row-num' = '7')"


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
        "INSERT OVERWRITE t PARTITION (dt = 1)",
        f"CREATE TABLE u USING parquet PARTITIONED BY (dt) {SMALL_FILES} AS",
        f"CREATE OR REPLACE TABLE t USING parquet PARTITIONED BY (dt) {SMALL_FILES} AS",
    ],
)
def test_a_failing_task_leaves_nothing(place: Workplace, write: str) -> None:
    """Also of the files that it and the other tasks had finished, and of the directories made for them."""
    place.run(
        f"CREATE TABLE t (id BIGINT, dt INT) USING parquet PARTITIONED BY (dt) {SMALL_FILES}",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
    )
    before = everything(place.tables)
    partition = "" if "(dt = 1)" in write else ", CAST(id DIV 25 AS INT) AS dt"
    failing = "IF(id = 90, CAST(raise_error('this row is bad') AS BIGINT), id) AS id"
    with pytest.raises(PySparkException, match="this row is bad"):
        place.sql(f"{write} SELECT {failing}{partition} FROM range(0, 100, 1, 2)")
    # The job fails with its first task; another one may still be about to end.
    assert eventually(lambda: everything(place.tables) == before), everything(place.tables)
    assert place.values("SELECT * FROM t") == [(1, 1), (2, 2)]
    assert place.partitions("t") == ["dt=1", "dt=2"]
    assert place.values("SHOW TABLES LIKE 'u'") == []


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
