"""Delta Lake in the same session, and tables that become Delta tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.peers import delta
from tests.submit.conftest import Runner, results

pytestmark = pytest.mark.skipif(delta.available() is not None, reason=str(delta.available()))


class Sql:
    """Runs statements in a new session, each a row of the result or the condition of an error."""

    def __init__(self, run_python: Runner, folder: Path, order: str) -> None:
        self._run = run_python
        self._words = [order, str(folder), *map(str, delta.jars())]

    def __call__(self, *statements: str) -> list[Any]:
        done = self._run("beside_delta.py", *self._words, input="\n".join(statements))
        return [json.loads(line) for line in results(done)]


ROWS = [["1", "a", "2024-01-01"], ["2", "None", "None"], ["3", "c", "2024-01-02"]]
LEGACY = "'partition.legacy-name' = 'true'"
NULL_NAME = "'partition.default-name' = '__HIVE_DEFAULT_PARTITION__'"


BOTH = (
    "CREATE DATABASE paimon.d",
    "CREATE TABLE paimon.d.both (id INT, dt STRING) USING parquet PARTITIONED BY (dt) "
    "TBLPROPERTIES ('metastore.partitioned-table' = 'true')",
    "INSERT INTO paimon.d.both VALUES (1, 'a'), (2, 'b')",
    "CREATE TABLE there USING delta PARTITIONED BY (dt) AS SELECT * FROM paimon.d.both",
    "CREATE TABLE paimon.d.back USING orc AS SELECT * FROM there",
    "SELECT * FROM paimon.d.back ORDER BY id",
    "MERGE INTO there USING paimon.d.both ON there.id = both.id "
    "WHEN MATCHED THEN UPDATE SET there.id = both.id + 10",
    "SELECT * FROM there ORDER BY id",
    "SELECT max(version) FROM (DESCRIBE HISTORY there)",
    "ALTER TABLE paimon.d.both ADD PARTITION (dt = 'c')",
    "MSCK REPAIR TABLE paimon.d.both",
    "ANALYZE TABLE paimon.d.both COMPUTE STATISTICS",
    "SELECT partition, record_count FROM paimon.d.`both$partitions` ORDER BY partition",
    "CREATE TABLE paimon.d.wrong USING delta AS SELECT 1 AS id",
)
"""What works with both in one session: tables made of each other's, and the statements of each."""


def check_both(answers: list[Any]) -> list[Any]:
    """Check the answers to ``BOTH``, which come first, and return the others."""
    assert answers[:5] == [[]] * 5
    assert answers[5] == [["1", "a"], ["2", "b"]]
    assert answers[7] == [["11", "a"], ["12", "b"]]
    assert answers[9:12] == [[]] * 3
    assert answers[12] == [["dt=a", "1"], ["dt=b", "1"], ["dt=c", "0"]]
    assert answers[13] == "PROVIDER_UNSUPPORTED"
    return answers[len(BOTH) :]


def test_an_external_table_becomes_a_delta_table_in_place(run_python: Runner, tmp_path: Path) -> None:
    sql = Sql(run_python, tmp_path, "paimon-first")
    place = tmp_path / "a `place`"
    name = f"delta.`{str(place).replace('`', '``')}`"
    other = tmp_path / "other"
    answers = sql(
        *BOTH,
        f"CREATE TABLE paimon.d.t (id INT, dt DATE, s STRING) USING parquet PARTITIONED BY (dt) "
        f"LOCATION '{place}' TBLPROPERTIES ({NULL_NAME})",
        "INSERT INTO paimon.d.t VALUES "
        "(1, DATE '2024-01-01', 'a'), (2, NULL, NULL), (3, DATE '2024-01-02', 'c')",
        "ALTER TABLE paimon.d.t ADD COLUMN later DECIMAL(10, 2)",
        "CALL paimon.sys.convert_to_delta(table => 'd.t')",
        f"SELECT id, s, dt FROM {name} ORDER BY id",
        f"SELECT count(later) FROM {name}",
        f"DELETE FROM {name} WHERE id = 3",
        "SELECT * FROM paimon.d.t",
        f"CREATE TABLE paimon.d.again (id INT) USING parquet LOCATION '{place}'",
        # Converted, and the process died before the registration went.
        f"CREATE TABLE paimon.d.u (id INT) USING parquet LOCATION '{other}'",
        "INSERT INTO paimon.d.u VALUES (1)",
        f"CONVERT TO DELTA parquet.`{other}`",
        "SELECT * FROM paimon.d.u",
        "INSERT INTO paimon.d.u VALUES (2)",
        "CALL paimon.sys.convert_to_delta('d.u')",
        "SELECT * FROM paimon.d.u",
        f"SELECT * FROM delta.`{other}`",
    )
    converted, interrupted = check_both(answers)[:9], check_both(answers)[9:]
    assert converted[3] == [["d.t", f"file:{place}"]]
    assert converted[4:] == [ROWS, [["0"]], [["1"]], "TABLE_OR_VIEW_NOT_FOUND", "DELTA_TABLE_DIRECTORY"]
    assert interrupted[3:5] == ["DELTA_TABLE_DIRECTORY"] * 2
    assert interrupted[5:] == [[["d.u", f"file:{other}"]], "TABLE_OR_VIEW_NOT_FOUND", [["1"]]]


def test_what_delta_would_read_otherwise_stays_as_it_is(run_python: Runner, tmp_path: Path) -> None:
    sql = Sql(run_python, tmp_path, "delta-first")

    def table(name: str, columns: str, rest: str) -> str:
        return f"CREATE TABLE paimon.d.{name} ({columns}) USING {rest}"

    def at(name: str, options: str = "'a' = 'b'") -> str:
        return f"LOCATION '{tmp_path / name}' TBLPROPERTIES ({options})"

    refused = {
        "internal": [table("internal", "id INT", "parquet"), "INSERT INTO paimon.d.internal VALUES (1)"],
        "orc": [table("orc", "id INT", f"orc {at('orc')}"), "INSERT INTO paimon.d.orc VALUES (1)"],
        "nulls": [
            table("nulls", "id INT, dt STRING", f"parquet PARTITIONED BY (dt) {at('nulls')}"),
            "INSERT INTO paimon.d.nulls VALUES (1, NULL)",
        ],
        "hive": [
            table("hive", "id INT, dt STRING", f"parquet PARTITIONED BY (dt) {at('hive')}"),
            "INSERT INTO paimon.d.hive VALUES (1, '__HIVE_DEFAULT_PARTITION__')",
        ],
        "days": [
            table("days", "id INT, dt DATE", f"parquet PARTITIONED BY (dt) {at('days', LEGACY)}"),
            "INSERT INTO paimon.d.days VALUES (1, DATE '2024-01-01')",
        ],
        "empty": [table("empty", "id INT", f"parquet {at('empty')}")],
        "wider": [
            f"INSERT OVERWRITE DIRECTORY '{tmp_path / 'wider'}' USING parquet SELECT 1 AS id",
            table("wider", "id BIGINT", f"parquet {at('wider')}"),
        ],
    }
    statements = list(BOTH)
    for name, made in refused.items():
        statements += [*made, f"CALL paimon.sys.convert_to_delta(table => 'd.{name}')"]
    statements += [f"SELECT count(*) FROM paimon.d.{name}" for name in refused]
    answers = check_both(sql(*statements))
    conditions = [answer for answer in answers if isinstance(answer, str)]
    assert conditions == ["DELTA_CONVERSION_REFUSED"] * 6 + ["DELTA_CONVERSION_DIFFERS"]
    assert answers[-len(refused) :] == [[["1"]]] * 5 + [[["0"]], [["1"]]]
    assert not list(tmp_path.glob("*/_delta_log"))
