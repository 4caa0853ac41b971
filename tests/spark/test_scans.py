"""What a query reads: columns, nested columns, partitions, directories."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import BooleanType

from spark_paimon.catalog import load_catalog
from spark_paimon.partition.predicate import parse
from spark_paimon.table.scan import plan_partitions
from tests.spark.workplace import EVERY, Workplace

PROPERTIES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"


def scan_columns(frame: DataFrame) -> str:
    """Columns and their types that the scan of a query produces."""
    scan = frame._jdf.queryExecution().optimizedPlan().collectLeaves().head()
    return str(scan.schema().simpleString())


def listings(place: Workplace) -> int:
    """How many directories the JVM has listed for scans."""
    return int(place.session._jvm.org.sparkpaimon.DataFiles.listings())


def metric(frame: DataFrame, table: str, name: str) -> int:
    """A metric of the scan of a table in a query that has run."""
    leaves = frame._jdf.queryExecution().executedPlan().collectLeaves()
    scans = (leaves.apply(number) for number in range(leaves.size()))
    (scan,) = [scan for scan in scans if f".{table}[" in scan.simpleString(100)]
    return int(scan.metrics().apply(name).value())


@pytest.mark.parametrize("catalog", EVERY)
def test_only_the_columns_of_a_query_are_read(place: Workplace) -> None:
    place.sql("CREATE TABLE t (id INT, s STRUCT<a: INT, b: STRUCT<c: STRING, d: INT>>, w INT, dt STRING) "
              "USING parquet PARTITIONED BY (dt)")  # fmt: skip
    place.sql("INSERT INTO t VALUES (1, struct(2, struct('c', 3)), 4, 'x')")
    assert scan_columns(place.sql("SELECT w FROM t")) == "struct<w:int>"
    assert scan_columns(place.sql("SELECT s.b.c FROM t")) == "struct<s:struct<b:struct<c:string>>>"
    assert scan_columns(place.sql("SELECT dt FROM t")) == "struct<dt:string>"
    assert scan_columns(place.sql("SELECT 1 FROM t")) == "struct<>"
    assert scan_columns(place.sql("SELECT id FROM t WHERE dt = 'x'")) == "struct<id:int>"
    assert scan_columns(place.sql("SELECT id FROM t WHERE s.a = 2")) == "struct<id:int,s:struct<a:int>>"
    assert place.values("SELECT s.b.c, w, dt FROM t WHERE s.a = 2") == [("c", 4, "x")]


@pytest.fixture
def fact(place: Workplace) -> None:
    """Eight partitions (dt, hh) with one row each, and a small table that picks days."""
    place.run(
        f"CREATE TABLE fact (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) {PROPERTIES}",
        "INSERT INTO fact SELECT id, concat('d', id DIV 2), id % 2 FROM range(8)",
        "CREATE TABLE dim (day STRING, kind STRING, hour INT) USING parquet",
        "INSERT INTO dim VALUES ('d0', 'work', 0), ('d1', 'work', 0), ('d2', 'free', 0), ('d3', 'free', 1)",
    )


@pytest.mark.parametrize("catalog", EVERY)
@pytest.mark.parametrize(
    ("condition", "ids", "scanned"),
    [
        ("dt = day AND kind = 'free'", [4, 5, 6, 7], 4),
        # Spark makes a filter of each column by itself.
        ("dt = day AND hh = hour AND kind = 'free'", [4, 7], 4),
        ("dt = day AND kind = 'free' AND hh = 1", [5, 7], 2),
        ("dt = day AND kind = 'free' AND dt < 'd3' AND id > 4", [5], 2),
        ("dt = day AND kind = 'nothing'", [], 0),
    ],
)
def test_p73_a_join_selects_partitions_at_run_time(
    place: Workplace, fact: None, condition: str, ids: list[int], scanned: int
) -> None:
    place.session.conf.set("spark.sql.adaptive.enabled", "false")
    frame = place.sql(f"SELECT id FROM fact JOIN dim ON {condition}")
    assert sorted(row.id for row in frame.collect()) == ids
    assert metric(frame, "fact", "paimonPartitionsScanned") == scanned
    assert metric(frame, "fact", "paimonFilesScanned") == scanned


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.parametrize("catalog", EVERY)
def test_p70_functions_in_python_never_select_partitions(place: Workplace, fact: None) -> None:
    is_even = f.udf(lambda number: number % 2 == 0, BooleanType())
    never = f.udf(lambda _number: False, BooleanType())
    table = place.session.table("fact")
    assert sorted(row.id for row in table.where(is_even("hh")).collect()) == [0, 2, 4, 6]
    assert sorted(row.id for row in table.where(is_even("hh") & (f.col("dt") == "d1")).collect()) == [2]
    assert table.where(never(f.lit(1))).collect() == []
    assert table.where(~never(f.lit(1))).count() == 8


def test_a_function_of_the_session_is_evaluated_for_each_partition(place: Workplace, fact: None) -> None:
    place.sql("CREATE TEMPORARY FUNCTION odd(n INT) RETURNS BOOLEAN RETURN n % 2 = 1")
    assert place.scanned("SELECT id FROM fact WHERE odd(hh)") == 4
    assert place.values("SELECT id FROM fact WHERE odd(hh) AND dt = 'd0'") == [(1,)]


@pytest.mark.parametrize("catalog", EVERY)
def test_explain_tells_total_and_scanned_partitions(
    place: Workplace, fact: None, pytestconfig: pytest.Config
) -> None:
    plan = place.plan("SELECT * FROM fact WHERE dt = 'd1'")
    # A server does not count, and the directories of a table are not all looked at.
    counted = place.catalog == "paimon" and pytestconfig.getoption("metastore") == "embedded"
    total = "8" if counted else "unknown"
    assert f"partitions total: {total}, partitions scanned: 2, formats: parquet" in plan
    assert "partition filters: [(dt IS NOT NULL), (dt = 'd1')]" in plan
    assert "partitions total: 8, partitions scanned: 8" in place.plan("SELECT * FROM fact")


@pytest.mark.parametrize("catalog", EVERY)
def test_the_metrics_of_a_scan_tell_the_same(place: Workplace, fact: None) -> None:
    place.session.conf.set("spark.sql.adaptive.enabled", "false")
    frame = place.sql("SELECT id FROM fact WHERE dt = 'd1' AND hh = 0")
    frame.collect()
    assert metric(frame, "fact", "paimonPartitionsScanned") == 1
    assert metric(frame, "fact", "paimonFilesScanned") == 1


def test_one_partition_of_three_thousand_asks_for_one_and_lists_one_directory(
    place: Workplace, warehouse_root: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    days = ", ".join(f"PARTITION (dt = '{day:04d}')" for day in range(3000)).replace(", ", " ")
    place.run(
        f"CREATE TABLE many (id INT, dt STRING) USING parquet PARTITIONED BY (dt) {PROPERTIES}",
        f"ALTER TABLE many ADD {days}",
        "INSERT INTO many VALUES (7, '1234')",
    )
    query = "SELECT id FROM many WHERE dt = '1234'"
    before = listings(place)
    assert place.values(query) == [(7,)]
    assert listings(place) - before == 1
    total = "3000" if pytestconfig.getoption("metastore") == "embedded" else "unknown"
    assert f"partitions total: {total}, partitions scanned: 1," in place.plan(query)

    catalog = load_catalog({"metastore": "embedded", "warehouse": str(warehouse_root / "embedded")})
    answers, ask = [], catalog.list_partitions
    monkeypatch.setattr(
        catalog, "list_partitions", lambda *a, **k: answers.append(ask(*a, **k)) or answers[-1]
    )
    table = catalog.get_table(f"{place.database}.many")
    condition = parse({"op": "=", "column": "dt", "value": "1234"}, table.layout.columns)
    assert [entry.spec for entry in plan_partitions(table, condition).partitions] == [{"dt": "1234"}]
    assert [len(rows) for rows in answers] == [1]
    catalog.close()


@pytest.mark.parametrize("catalog", EVERY)
def test_staged_and_hidden_files_are_no_rows(place: Workplace, fact: None) -> None:
    source = next((place.tables / "fact/dt=d0/hh=0").glob("*.parquet"))
    for name in ("_temporary/0/part.parquet", ".staging/x.parquet", "_x.parquet", ".y.parquet"):
        target = source.parent / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    (place.tables / "fact/stray.parquet").write_bytes(source.read_bytes())
    (place.tables / "fact/dt=d0/stray.parquet").write_bytes(source.read_bytes())
    assert place.values("SELECT count(*) FROM fact") == [(8,)]
    deeper = source.parent / "sub/copy"
    deeper.parent.mkdir()
    deeper.write_bytes(source.read_bytes())
    assert place.values("SELECT count(*) FROM fact WHERE dt = 'd0'") == [(3,)]
