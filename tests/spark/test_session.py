"""The session around the statements: caches, plans, EXPLAIN, ``spark.catalog``."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException

from tests.spark.workplace import EVERY, Workplace

PROPERTIES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"


@pytest.fixture
def table(place: Workplace) -> None:
    place.run(
        f"CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt) {PROPERTIES}",
        "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
    )


def foreign(place: Workplace, dt: str, number: int, table: str = "t") -> None:
    """A partition directory that another program writes."""
    target = f"{place.tables}/{table}/dt={dt}"
    place.sql(f"INSERT OVERWRITE DIRECTORY '{target}' USING parquet SELECT {number} AS id")


# ---- CACHE TABLE -------------------------------------------------------------------------------------------


def test_a_cached_table_shows_every_change_of_its_partitions(place: Workplace, table: None) -> None:
    place.sql("CACHE TABLE t")
    assert place.session.catalog.isCached("t")
    try:
        for statement, ids in {
            "ALTER TABLE t DROP PARTITION (dt = 'a')": [2],
            "MSCK REPAIR TABLE t": [2, 3],
            "ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'd')": [2, 3],
            "INSERT INTO t VALUES (5, 'e')": [2, 3, 5],
            "INSERT OVERWRITE t PARTITION (dt = 'e') SELECT 6": [2, 3, 6],
            "TRUNCATE TABLE t PARTITION (dt = 'b')": [3, 6],
            f"CALL sys.drop_partitions('{place.catalog}.{place.database}.t', \"dt = 'c'\")": [6],
            "TRUNCATE TABLE t": [],
        }.items():
            if statement.startswith("MSCK"):
                foreign(place, "c", 3)
                assert [row[0] for row in place.values("SELECT id FROM t")] == [2]
            place.sql(statement)
            assert [row[0] for row in place.values("SELECT id FROM t")] == ids, statement
            assert "InMemoryRelation" in place.plan("SELECT id FROM t"), statement
    finally:
        place.sql("UNCACHE TABLE t")


def test_a_statement_that_fails_half_way_refreshes_the_cache_too(place: Workplace, table: None) -> None:
    """The registration of d stays when its directory cannot be made (specification 4.1.4 and 4.9)."""
    place.sql("CACHE TABLE t")
    try:
        (place.tables / "t/dt=d").write_text("in the way")
        place.fails(
            "ALTER TABLE t ADD PARTITION (dt = 'd')", "SparkRuntimeException", "STORAGE_FAILED", "dt=d"
        )
        assert place.partitions("t") == ["dt=a", "dt=b", "dt=d"]
        (place.tables / "t/dt=d").unlink()
        place.sql("ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'd')")
        assert (place.tables / "t/dt=d").is_dir()
        assert place.values("SELECT id FROM t") == [(1,), (2,)]
    finally:
        place.sql("UNCACHE TABLE t")


def test_refresh_table_reads_again_what_another_program_changed(place: Workplace) -> None:
    place.run("CREATE TABLE f (id INT, dt STRING) USING parquet PARTITIONED BY (dt)", "CACHE TABLE f")
    try:
        foreign(place, "c", 3, "f")
        assert place.values("SELECT id FROM f") == []
        place.sql("REFRESH TABLE f")
        assert place.values("SELECT id FROM f") == [(3,)]
    finally:
        place.sql("UNCACHE TABLE f")


# ---- plans -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("catalog", EVERY)
def test_a_new_query_sees_what_was_written_since(place: Workplace, table: None) -> None:
    place.sql("CREATE TEMPORARY VIEW v AS SELECT id FROM t WHERE dt >= 'b'")
    assert place.values("SELECT * FROM v") == [(2,)]
    place.sql("INSERT INTO t VALUES (3, 'c'), (0, 'a')")
    assert place.values("SELECT * FROM v") == [(2,), (3,)]
    assert place.session.table("t").count() == 4


def test_a_plan_made_before_a_change_of_columns_does_not_write_wrong_ones(
    place: Workplace, table: None
) -> None:
    frame = place.session.table("t")
    place.sql("ALTER TABLE t ADD COLUMN name STRING")
    assert sorted(row.id for row in frame.collect()) == [1, 2]
    frame.selectExpr("id + 10 AS id", "dt", "'n' AS name").writeTo("t").append()
    assert place.values("SELECT id, name FROM t WHERE name IS NOT NULL") == [(11, "n"), (12, "n")]


def test_explain_executes_nothing(place: Workplace, table: None) -> None:
    foreign(place, "c", 3)
    before = place.rows("SELECT * FROM `t$partitions`")
    for statement in (
        "MSCK REPAIR TABLE t",
        "MSCK REPAIR TABLE t SYNC PARTITIONS",
        "ALTER TABLE t DROP PARTITION (dt = 'a')",
        "ALTER TABLE t ADD PARTITION (dt = 'new')",
        "ANALYZE TABLE t COMPUTE STATISTICS",
        "TRUNCATE TABLE t PARTITION (dt = 'a')",
        "TRUNCATE TABLE t",
        "DROP TABLE t",
        "INSERT INTO t VALUES (9, 'z')",
        "INSERT OVERWRITE t PARTITION (dt = 'a') SELECT 9",
        "CALL sys.drop_partitions('t', \"dt = 'a'\")",
    ):
        for mode in ("", "EXTENDED", "FORMATTED"):
            assert place.rows(f"EXPLAIN {mode} {statement}")
        assert place.rows("SELECT * FROM `t$partitions`") == before, statement
    assert place.values("SELECT id FROM t") == [(1,), (2,)]


# ---- spark.catalog -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("catalog", EVERY)
def test_the_catalog_of_the_session_knows_databases_tables_and_columns(place: Workplace, table: None) -> None:
    catalog = place.session.catalog
    assert catalog.currentCatalog() == place.catalog
    assert catalog.currentDatabase() == place.database
    assert place.catalog in {found.name for found in catalog.listCatalogs()}
    assert place.database in {found.name for found in catalog.listDatabases()}
    assert catalog.databaseExists(place.database)
    assert not catalog.databaseExists("nope")
    assert catalog.getDatabase(place.database).catalog == place.catalog
    assert [found.name for found in catalog.listTables()] == ["t"]
    assert catalog.tableExists("t")
    assert catalog.tableExists(f"{place.catalog}.{place.database}.t")
    assert not catalog.tableExists("nope")
    found = catalog.getTable("t")
    assert (found.name, found.catalog, found.namespace, found.tableType) == (
        "t", place.catalog, [place.database], "MANAGED")  # fmt: skip
    columns = [(column.name, column.dataType, column.isPartition) for column in catalog.listColumns("t")]
    assert columns == [("id", "int", False), ("dt", "string", True)]


@pytest.mark.parametrize("catalog", EVERY)
def test_the_current_catalog_and_database_can_be_set(place: Workplace, table: None) -> None:
    catalog = place.session.catalog
    catalog.setCurrentCatalog("spark_catalog")
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        place.session.table("t")
    catalog.setCurrentCatalog(place.catalog)
    catalog.setCurrentDatabase("default")
    catalog.setCurrentDatabase(place.database)
    assert place.session.table("t").count() == 2
    assert place.session.table(f"{place.catalog}.{place.database}.t").where("dt = 'a'").count() == 1
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_FOUND"):
        catalog.setCurrentDatabase("nope")


def test_create_table_of_the_catalog_of_the_session(place: Workplace) -> None:
    schema = place.sql("SELECT 1 AS id, 'a' AS dt").schema
    made = place.session.catalog.createTable("made", source="parquet", schema=schema, description="by hand")
    assert made.collect() == []
    assert "Comment | by hand | " in place.rows("DESCRIBE EXTENDED made")


def test_two_sessions_see_the_same_tables(place: Workplace, table: None) -> None:
    other = place.session.newSession()
    name = f"{place.catalog}.{place.database}.t"
    assert other.table(name).count() == 2
    other.sql(f"ALTER TABLE {name} DROP PARTITION (dt = 'a')")
    assert place.values("SELECT id FROM t") == [(2,)]
    assert other.catalog.currentCatalog() == "spark_catalog"
