"""Random conditions on partition columns: with pruning a query answers what it answers without."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.spark.workplace import Workplace

COLUMNS = "n INT, s STRING, d DATE, m DECIMAL(6, 2), b BOOLEAN, ts TIMESTAMP_NTZ"
ROWS = (
    "(1, 1, 'a', DATE '2024-01-01', 1.50, true, TIMESTAMP_NTZ '2024-01-01 00:00:00')",
    "(2, -7, 'A', DATE '2023-12-31', -1.50, false, TIMESTAMP_NTZ '2024-01-01 10:30:00.25')",
    "(3, 0, 'b/c=%', DATE '1969-12-31', 0.00, true, TIMESTAMP_NTZ '1970-01-01 00:00:00')",
    "(4, NULL, 'a b', NULL, 99.99, NULL, NULL)",
    "(5, 10, NULL, DATE '2024-02-29', NULL, false, TIMESTAMP_NTZ '2024-02-29 23:59:59')",
    "(6, 2147483647, 'é', DATE '9999-12-31', 1.51, true, NULL)",
    "(7, NULL, NULL, NULL, NULL, NULL, NULL)",
    "(8, 10, '10', DATE '2024-01-02', 10.00, false, TIMESTAMP_NTZ '2024-01-02 00:00:00')",
    "(9, 1, 'a_c', DATE '2024-01-01', 1.50, false, TIMESTAMP_NTZ '2024-01-01 00:00:00')",
    "(10, 2, 'null', DATE '2024-03-01', 2.00, true, TIMESTAMP_NTZ '2024-03-01 12:00:00')",
)
LITERALS = {
    "n": ("0", "1", "-7", "10", "2147483647", "CAST(NULL AS INT)", "2.5", "'1'", "10L"),
    "s": ("'a'", "'A'", "'b/c=%'", "''", "'10'", "'é'", "'null'", "CAST(NULL AS STRING)", "'zz'"),
    "d": ("DATE '2024-01-01'", "DATE '1969-12-31'", "'2024-02-29'", "CAST(NULL AS DATE)",
          "DATE '9999-12-31'"),
    "m": ("1.5", "1.50", "-1.50", "0", "99.99", "1.505", "CAST(NULL AS DECIMAL(6, 2))", "1.5D"),
    "b": ("true", "false", "CAST(NULL AS BOOLEAN)"),
    "ts": ("TIMESTAMP_NTZ '2024-01-01 00:00:00'", "DATE '2024-01-01'", "'2024-01-01 10:30:00.25'",
           "CAST(NULL AS TIMESTAMP_NTZ)"),
}  # fmt: skip
EXPRESSIONS = {
    "n": ("n", "n + 1", "abs(n)", "-n", "n % 3", "CAST(n AS STRING)", "coalesce(n, 0)", "CAST(n AS BIGINT)",
          "CASE WHEN n > 1 THEN n END"),
    "s": ("s", "upper(s)", "length(s)", "concat(s, 'x')", "substring(s, 1, 1)", "coalesce(s, 'a')", "trim(s)",
          "try_cast(s AS INT)", "reverse(s)"),
    "d": ("d", "year(d)", "date_add(d, 1)", "CAST(d AS STRING)", "month(d)", "coalesce(d, DATE '2024-01-01')",
          "trunc(d, 'MM')", "CAST(d AS TIMESTAMP_NTZ)"),
    "m": ("m", "m * 2", "round(m)", "CAST(m AS DOUBLE)", "CAST(m AS STRING)", "CAST(m AS DECIMAL(4, 1))"),
    "b": ("b", "NOT b", "(b IS TRUE)", "CAST(b AS STRING)"),
    "ts": ("ts", "hour(ts)", "CAST(ts AS DATE)", "date_trunc('DAY', ts)"),
}  # fmt: skip
PATTERNS = ("'a%'", "'%'", "'_'", "'%c%'", "'A'", "'a\\\\_c'", "'%/%'", "''")
PAIRS = (
    "n = m", "s = CAST(n AS STRING)", "d = CAST(ts AS DATE)", "d < DATE '2024-02-01' OR n IS NULL", "m > n",
    "n = id", "id > n AND s IS NOT NULL", "id BETWEEN 2 AND n", "length(s) = id",
)  # fmt: skip
JOINED = (
    "n IN (SELECT n FROM wanted)",
    "s IN (SELECT s FROM wanted WHERE n = 1)",
    "NOT EXISTS (SELECT 1 FROM wanted w WHERE w.d = all_rows.d)",
    "d = (SELECT max(d) FROM wanted WHERE n = 10)",
    "(n, b) IN (SELECT n, b FROM wanted)",
)
FAILURES = ("CAST_INVALID_INPUT", "ARITHMETIC_OVERFLOW", "CAST_OVERFLOW")
AT_ONCE = 15
NORMAL, THOROUGH = 120, 3000
SEED = 20261201


@dataclass(frozen=True)
class Conditions:
    """Draws conditions."""

    chosen: random.Random

    def any(self, depth: int = 2) -> str:
        kind = self.chosen.random()
        if depth and kind < 0.35:
            return f"({self.any(depth - 1)} {self.chosen.choice(('AND', 'OR'))} {self.any(depth - 1)})"
        if depth and kind < 0.45:
            return f"NOT ({self.any(depth - 1)})"
        if kind < 0.55:
            return self.chosen.choice(PAIRS)
        return self.of_column(self.chosen.choice(list(EXPRESSIONS)))

    def of_column(self, column: str) -> str:
        pick = self.chosen.choice
        expression, literal = pick(EXPRESSIONS[column]), pick(LITERALS[column])
        return pick(
            (
                f"{column} {pick(('=', '<=>', '<', '<=', '>', '>=', '!='))} {literal}",
                f"{expression} {pick(('=', '<', '>='))} {pick(EXPRESSIONS[column])}",
                f"{expression} IS {pick(('', 'NOT '))}NULL",
                f"{column} {pick(('', 'NOT '))}IN ({literal}, {pick(LITERALS[column])})",
                f"{column} BETWEEN {literal} AND {pick(LITERALS[column])}",
                f"{literal} = {column}",
                f"s {pick(('', 'NOT '))}LIKE {pick(PATTERNS)}",
                f"upper(s) {pick(('=', '<'))} {pick(LITERALS['s'])}",
                f"year(d) {pick(('=', '>'))} 2023",
            )
        )


@pytest.fixture
def tables(place: Workplace, request: pytest.FixtureRequest) -> str:
    """A table with a partition for each row, and the same rows as ``all_rows`` without any partition."""
    session = place.session
    select = f"SELECT * FROM VALUES {', '.join(ROWS)} AS v(id, n, s, d, m, b, ts)"
    place.run(
        f"CREATE TABLE t (id INT, {COLUMNS}) USING parquet PARTITIONED BY (n, s, d, m, b, ts) "
        f"TBLPROPERTIES ({request.param})",
        f"INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM ({select})",
    )
    session.sql(select).cache().createOrReplaceTempView("plain_rows")
    session.sql("SELECT * FROM plain_rows WHERE id IN (1, 5, 8)").createOrReplaceTempView("wanted")
    return select


def outcomes(session: SparkSession, table: str, conditions: list[str]) -> list[object]:
    """Ids for which each condition holds, or that Spark refused the query."""
    one = "SELECT {} AS number, id FROM {} AS all_rows WHERE {}"
    query = " UNION ALL ".join(
        one.format(*entry) for entry in ((n, table, text) for n, text in enumerate(conditions))
    )
    try:
        rows = session.sql(query).collect()
    except PySparkException as error:
        if len(conditions) == 1:
            return [error.getCondition()]
        return [outcome for text in conditions for outcome in outcomes(session, table, [text])]
    found: list[set[int]] = [set() for _ in conditions]
    for row in rows:
        assert row.id not in found[row.number], "a row is there twice"
        found[row.number].add(row.id)
    return list(found)


def compare(place: Workplace, draw: Callable[[], str], count: int) -> None:
    decided = 0
    for start in range(0, count, AT_ONCE):
        conditions = [draw() for _ in range(min(AT_ONCE, count - start))]
        expected = outcomes(place.session, "plain_rows", conditions)
        found = outcomes(place.session, "t", conditions)
        # Which row a condition fails for first is the plan's affair: pruning may leave it without any.
        compared = [
            each for each in zip(conditions, expected, found, strict=True) if isinstance(each[1], set)
        ]
        assert [each for each in compared if each[1] != each[2]] == []
        decided += len(compared)
    assert decided > count // 2, "Spark refuses nearly all of these conditions"


MANAGED = "'metastore.partitioned-table' = 'true'"
KINDS = [
    pytest.param(MANAGED, id="managed"),
    pytest.param(f"{MANAGED}, 'format-table.partition-path-only-value' = 'true'", id="managed-values"),
    pytest.param("'partition.legacy-name' = 'true'", id="directories-legacy"),
    pytest.param("'format-table.partition-path-only-value' = 'true'", id="directories-values"),
]


@pytest.mark.parametrize("tables", KINDS, indirect=True)
def test_conditions_hold_for_the_same_rows(
    place: Workplace, tables: str, request: pytest.FixtureRequest
) -> None:
    seed = f"{SEED}-{request.node.callspec.id}"
    compare(place, Conditions(random.Random(seed)).any, NORMAL // len(KINDS))


@pytest.mark.parametrize("tables", KINDS, indirect=True)
def test_runtime_filters_and_subqueries_leave_the_same_rows(place: Workplace, tables: str) -> None:
    joined = iter(JOINED)
    compare(place, lambda: next(joined), len(JOINED))
    pruned = "SELECT {0}.id FROM {0} JOIN wanted ON {0}.n = wanted.n AND {0}.s = wanted.s ORDER BY 1"
    assert place.rows(pruned.format("t")) == place.rows(pruned.format("plain_rows"))


@pytest.mark.slow
@pytest.mark.parametrize("tables", KINDS, indirect=True)
def test_many_conditions_hold_for_the_same_rows(
    place: Workplace, tables: str, request: pytest.FixtureRequest
) -> None:
    conditions = Conditions(random.Random(f"{SEED}-many-{request.node.callspec.id}"))
    compare(place, lambda: conditions.any(4), THOROUGH // len(KINDS))
