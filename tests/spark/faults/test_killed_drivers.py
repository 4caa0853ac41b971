"""The JVM of a driver is killed at some step of a statement; another driver looks, and runs it again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_paimon.catalog import Catalog
from tests.spark.bridge.drivers import Driver, embedded, eventually, is_alive
from tests.spark.faults.points import POINTS, READS, point
from tests.spark.faults.statements import APPEND, DROP, STATEMENTS, Scene, Statement
from tests.spark.faults.switch import FAULT_FILE, INJECTION, Fault, Switch
from tests.spark.faults.test_statements import check_rows

SAMPLE = 3


def parameters() -> list[object]:
    """Every change of every statement; a few of them, drawn with a fixed seed, belong to the normal run."""
    every = [
        (statement, Fault(step, when, number, "driver"))
        for statement in STATEMENTS
        for step, number in map(point, POINTS[statement.name].split())
        for when in ("before", "after")
        if step not in READS
    ]
    writes = [number for number, (statement, _) in enumerate(every) if "INSERT" in statement.sql]
    normal = random.Random(29).sample(writes, SAMPLE)
    return [
        pytest.param(*case, marks=() if number in normal else pytest.mark.slow, id=f"{case[0]}-{case[1]}")
        for number, case in enumerate(every)
    ]


@pytest.mark.parametrize(("statement", "fault"), parameters())
def test_a_statement_whose_driver_dies_and_that_runs_again(
    session: SparkSession,
    registry: Catalog,
    warehouse_root: Path,
    tmp_path: Path,
    statement: Statement,
    fault: Fault,
) -> None:
    scene = Scene.make(session, registry, "faults")
    statement.prepare(scene)
    untouched = scene.state(statement.kept)
    switch = Switch(tmp_path / "fault.json")
    environment = {FAULT_FILE: str(switch.path), "PYTHONPATH": str(INJECTION)}
    with Driver(tmp_path, environment) as driver:
        driver.start(
            embedded(warehouse_root / "embedded"), spark__sql__sources__partitionOverwriteMode=statement.mode
        )
        driver.sql("USE paimon.faults")
        bridges = driver.bridges()
        switch.arm(fault)
        with pytest.raises(Exception):  # noqa: B017, PT011 - whatever a driver says whose JVM is gone
            driver.sql(statement.sql.format(t=scene.table))
        assert switch.has_fired
        assert eventually(lambda: not any(is_alive(pid) for pid in (driver.jvm, *bridges)))

    rows = scene.rows()
    check_rows(statement, rows)
    assert [path for path in scene.listed_files() if "_temporary" in path] == []
    scene.run(statement)
    assert scene.rows() == statement.after
    if statement is APPEND:
        assert scene.recorded() == {"a": 3, "b": 1, "keep": 1, "n": 1}
    now = scene.state(statement.kept)
    kept = {path for path in untouched if statement is not DROP or "dt=a" not in path}
    assert {path: now.get(path) for path in kept} == {path: untouched[path] for path in kept}
