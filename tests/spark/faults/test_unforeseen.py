"""Errors that nobody foresaw."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from tests.spark.faults.switch import Fault, Switch
from tests.spark.workplace import Workplace


@pytest.mark.parametrize(
    ("step", "statement"),
    [
        ("load_table_info", "SELECT * FROM t"),
        ("list_partitions", "SELECT * FROM t WHERE dt = '1'"),
        ("create_partitions", "ALTER TABLE t ADD PARTITION (dt = '3')"),
        ("list_directory", "ANALYZE TABLE t COMPUTE STATISTICS"),
        ("create_table", "CREATE TABLE u (id INT) USING parquet"),
    ],
)
def test_they_are_internal_errors_without_a_traceback(
    place: Workplace, switch: Switch, step: str, statement: str
) -> None:
    place.run(
        "CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')",
        "INSERT INTO t VALUES (1, '1')",
    )
    switch.arm(Fault(step, action="crash"))
    with pytest.raises(PySparkException) as caught:
        place.sql(statement).collect()
    assert switch.has_fired
    assert caught.value.getCondition() == "INTERNAL_ERROR"
    assert caught.value.getSqlState() == "XX000"
    text = str(caught.value)
    assert f"RuntimeError: injected crash in {step}" in text
    assert "Traceback (most recent call last)" not in text
    assert place.values("SELECT * FROM t") == [(1, "1")]
