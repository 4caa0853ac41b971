"""Statements that fail at some step: what is read then, and that running them again makes it right."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_paimon.catalog import Catalog
from tests.spark.faults.points import POINTS, parameters, point
from tests.spark.faults.statements import APPEND, DROP, STATEMENTS, Row, Scene, Statement
from tests.spark.faults.switch import Fault, Switch

UNKNOWN_OUTCOME = "COMMIT_REGISTRATION_UNKNOWN"


def run(scene: Scene, statement: Statement) -> str | None:
    """Condition of the error of a statement, None when it succeeds."""
    try:
        scene.run(statement)
    except PySparkException as error:
        return error.getCondition() or "?"
    return None


def check_rows(statement: Statement, rows: Counter[Row]) -> None:
    """Nothing is invented, nothing is there twice, and what is none of the statement's business is there."""
    allowed = Counter(statement.others | statement.old | statement.new)
    assert rows <= allowed, f"invented or doubled: {rows - allowed}"
    others = Counter(statement.others)
    assert others <= rows, f"lost: {others - rows}"
    if not statement.mixed:
        found = set(rows)
        assert not (found & statement.old and found & statement.new), f"old and new rows together: {rows}"


@pytest.mark.parametrize(("statement", "fault"), parameters())
def test_a_statement_that_fails_and_runs_again(
    session: SparkSession, registry: Catalog, switch: Switch, statement: Statement, fault: Fault
) -> None:
    scene = Scene.make(session, registry, "faults")
    statement.prepare(scene)
    untouched = scene.state(statement.kept)
    killed = fault.action == "kill"

    switch.arm(fault)
    condition = run(scene, statement)
    assert switch.has_fired, "the statement never came to this step"
    switch.disarm()

    rows = scene.rows()
    check_rows(statement, rows)
    assert [path for path in scene.listed_files() if "_temporary" in path] == []
    if killed:
        assert condition == "BRIDGE_DIED"
    else:
        assert scene.staged() == []
    if fault.action == "crash" and condition is not None:
        assert condition == "INTERNAL_ERROR" or condition.startswith("COMMIT_")
    if statement is APPEND:
        check_append(condition, rows)

    if condition == UNKNOWN_OUTCOME:
        session.sql(f"MSCK REPAIR TABLE {scene.table}")
    elif condition is not None or statement is not APPEND:
        assert run(scene, statement) is None
    assert scene.rows() == statement.after
    if statement is APPEND and not killed and (fault.step, fault.when) == ("create_partitions", "before"):
        # The rows are there, and the message tells how to get the numbers.
        session.sql(f"ANALYZE TABLE {scene.table} COMPUTE STATISTICS")
    recorded = scene.recorded()
    counts = Counter(partition for _, partition in scene.rows())
    assert {key: number for key, number in recorded.items() if number not in (-1, counts[key])} == {}
    if statement is not DROP:
        # Neither staged files nor published ones lie where a repair would find them.
        session.sql(f"MSCK REPAIR TABLE {scene.table}")
        assert scene.rows() == statement.after
    now = scene.state(statement.kept)
    # A partition that is dropped goes with everything in it.
    kept = {path for path in untouched if statement is not DROP or "dt=a" not in path}
    assert {path: now.get(path) for path in kept} == {path: untouched[path] for path in kept}


def check_append(condition: str | None, rows: Counter[Row]) -> None:
    if condition is None:
        assert rows == APPEND.after
    elif condition not in ("BRIDGE_DIED", UNKNOWN_OUTCOME):
        assert rows == APPEND.before, "an append that failed left some of its rows"


@pytest.mark.parametrize("statement", STATEMENTS, ids=str)
def test_every_step_of_the_statement_is_made_to_fail(
    session: SparkSession, registry: Catalog, switch: Switch, statement: Statement
) -> None:
    scene = Scene.make(session, registry, "faults")
    statement.prepare(scene)
    switch.trace()
    assert run(scene, statement) is None
    called = Counter(line.split()[0] for line in switch.traced())
    del called["call"]
    listed = [point(text) for text in POINTS[statement.name].split()]
    assert set(called) == {step for step, _ in listed}
    assert [(step, number) for step, number in listed if number > called[step]] == []
