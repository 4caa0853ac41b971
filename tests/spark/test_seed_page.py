"""The page "Format Table Partitions" of Apache Paimon's documentation, sentence by sentence, up to its part
"Writes and Maintenance". Each test quotes what it shows. The table is partitioned by (dt, hh).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.workplace import Workplace

MANAGED = "'metastore.partitioned-table' = 'true'"
ENGINE = "'format-table.implementation' = 'engine'"


@pytest.fixture
def table(place: Workplace) -> Path:
    """Directory of the catalog-managed ``my_table`` with three hours of data."""
    place.run(
        "CREATE TABLE my_table (id INT, dt STRING, hh STRING) USING parquet PARTITIONED BY (dt, hh) "
        f"TBLPROPERTIES ({MANAGED})",
        "INSERT INTO my_table VALUES "
        "(1, '2025-01-01', '00'), (2, '2025-01-01', '01'), (3, '2025-01-02', '00')",
    )
    return place.tables / "my_table"


@pytest.fixture
def discovered(place: Workplace) -> None:
    """A table whose partitions are discovered from the filesystem."""
    place.run(
        "CREATE TABLE found (id INT, dt STRING, hh STRING) USING parquet PARTITIONED BY (dt, hh)",
        "INSERT INTO found VALUES (1, '2025-01-01', '00')",
    )


def foreign(place: Workplace, partition: str, rows: int = 1, table: str = "my_table") -> None:
    """Data that a writer leaves which registers nothing."""
    place.sql(
        f"INSERT OVERWRITE DIRECTORY '{place.tables}/{table}/{partition}' USING parquet "
        f"SELECT /*+ COALESCE(1) */ cast(id AS INT) AS id FROM range({rows})"
    )


def numbers(place: Workplace, where: str = "true") -> list[str]:
    columns = (
        "partition, record_count, file_count, file_size_in_bytes > 0, last_file_creation_time IS NOT NULL"
    )
    return sorted(place.rows(f"SELECT {columns} FROM `my_table$partitions` WHERE {where}"))


HOURS = ["dt=2025-01-01/hh=00", "dt=2025-01-01/hh=01", "dt=2025-01-02/hh=00"]

# ---- "the catalog holds the partitions and Spark supports the standard partition DDL" ----------------------


def test_the_statements_of_the_page(place: Workplace, table: Path) -> None:
    place.sql("ALTER TABLE my_table ADD PARTITION (dt='2025-01-03', hh='00')")
    assert place.rows("SHOW PARTITIONS my_table") == [*HOURS, "dt=2025-01-03/hh=00"]
    place.sql("ALTER TABLE my_table DROP PARTITION (dt='2025-01-03')")
    place.sql("MSCK REPAIR TABLE my_table")
    assert place.rows("SHOW PARTITIONS my_table") == HOURS
    place.sql("ANALYZE TABLE my_table PARTITION (dt='2025-01-01') COMPUTE STATISTICS NOSCAN")


def test_discovered_partitions_fail_with_an_error(place: Workplace, discovered: None) -> None:
    """ "On a Format Table whose partitions are discovered from the filesystem, ADD PARTITION, DROP PARTITION,
    MSCK REPAIR TABLE and ANALYZE TABLE fail with an error."
    """
    name = f"{place.database}.found"
    for statement in (
        "ALTER TABLE found ADD PARTITION (dt='2025-01-03', hh='00')",
        "ALTER TABLE found DROP PARTITION (dt='2025-01-01', hh='00')",
        "MSCK REPAIR TABLE found",
        "ANALYZE TABLE found COMPUTE STATISTICS",
    ):
        place.fails(statement, "UnsupportedOperationException", "PARTITIONS_NOT_MANAGED", name)
    assert place.rows("SELECT * FROM found") == ["1 | 2025-01-01 | 00"]


def test_add_creates_the_directory_and_registers(place: Workplace, table: Path) -> None:
    """ "ADD PARTITION creates the partition directory and registers the partition; querying a newly added
    partition before any data is written returns no rows."
    """
    place.sql("ALTER TABLE my_table ADD PARTITION (dt='2025-01-03', hh='00')")
    assert (table / "dt=2025-01-03/hh=00").is_dir()
    assert "dt=2025-01-03/hh=00" in place.partitions("my_table")
    assert place.rows("SELECT * FROM my_table WHERE dt = '2025-01-03'") == []


def test_drop_unregisters_and_deletes_the_directory(place: Workplace, table: Path) -> None:
    """ "DROP PARTITION unregisters the partition and deletes its directory." """
    place.sql("ALTER TABLE my_table DROP PARTITION (dt='2025-01-01', hh='00')")
    assert place.partitions("my_table") == HOURS[1:]
    assert not (table / HOURS[0]).exists()


def test_a_custom_location_moves_no_data(place: Workplace, table: Path) -> None:
    """ "ADD PARTITION ... LOCATION registers a custom absolute URI without moving data"."""
    statement = (
        "ALTER TABLE my_table ADD PARTITION (dt='2024-12-31', hh='00') LOCATION 'oss://archive-bucket/events'"
    )
    place.sql(statement)
    locations = place.rows("SELECT location FROM `my_table$partitions` WHERE location IS NOT NULL")
    assert locations == ["oss://archive-bucket/events"]
    assert place.partitions("my_table") == ["dt=2024-12-31/hh=00", *HOURS]
    assert not (table / "dt=2024-12-31").exists()


def test_blank_values_are_rejected(place: Workplace, table: Path) -> None:
    """ "A partition value that is empty or all whitespace is rejected by ADD PARTITION, DROP PARTITION and
    TRUNCATE PARTITION."
    """
    place.sql("INSERT INTO my_table VALUES (7, NULL, '00')")
    for statement in (
        "ALTER TABLE my_table ADD PARTITION (dt='{}', hh='00')",
        "ALTER TABLE my_table DROP PARTITION (dt='{}', hh='00')",
        "ALTER TABLE my_table DROP IF EXISTS PARTITION (dt='{}')",
        "TRUNCATE TABLE my_table PARTITION (dt='{}', hh='00')",
        "TRUNCATE TABLE my_table PARTITION (dt='{}')",
    ):
        for blank in ("", " ", "\\t", " \\n "):
            refused = statement.format(blank)
            place.fails(refused, "IllegalArgumentException", "PARTITION_VALUE_BLANK", "__DEFAULT_PARTITION__")
    assert len(place.rows("SELECT * FROM my_table")) == 4


def test_blank_values_lie_in_the_partition_of_null(place: Workplace, table: Path) -> None:
    """ "Such a value is written to the partition named by partition.default-name … the same partition a
    NULL is written to … Writing one through INSERT is unaffected and still lands there."
    """
    place.sql("INSERT INTO my_table VALUES (7, '', '00'), (8, NULL, '00'), (9, '  ', '00')")
    assert place.values("SELECT id FROM my_table WHERE dt IS NULL") == [(7,), (8,), (9,)]
    assert (table / "dt=__DEFAULT_PARTITION__/hh=00").is_dir()


def test_the_partition_of_null_is_named_directly(place: Workplace, table: Path) -> None:
    """ "… so it names that partition rather than one of its own - name it directly instead." """
    place.sql("INSERT INTO my_table VALUES (7, NULL, '00')")
    place.sql("TRUNCATE TABLE my_table PARTITION (dt='__DEFAULT_PARTITION__', hh='00')")
    assert place.rows("SELECT * FROM my_table WHERE dt IS NULL") == []
    assert len(place.partitions("my_table")) == 4
    place.sql("ALTER TABLE my_table DROP PARTITION (dt='__DEFAULT_PARTITION__')")
    assert place.partitions("my_table") == HOURS


def test_the_name_of_the_partition_of_null_can_be_configured(place: Workplace) -> None:
    """ "(__DEFAULT_PARTITION__ unless configured otherwise)" """
    place.run(
        "CREATE TABLE named (id INT, dt STRING) USING parquet PARTITIONED BY (dt) "
        f"TBLPROPERTIES ({MANAGED}, 'partition.default-name' = 'none')",
        "INSERT INTO named VALUES (1, NULL)",
    )
    assert place.directories("named") == ["dt=none"]
    place.fails(
        "ALTER TABLE named DROP PARTITION (dt='')",
        "IllegalArgumentException",
        "PARTITION_VALUE_BLANK",
        "none",
    )
    place.sql("ALTER TABLE named DROP PARTITION (dt='none')")
    assert place.partitions("named") == []


# ---- "ANALYZE TABLE measures partitions" -------------------------------------------------------------------


@pytest.mark.parametrize("clause", ["FOR COLUMNS id", "FOR ALL COLUMNS"])
def test_column_statistics_are_not_supported(place: Workplace, table: Path, clause: str) -> None:
    """ "COMPUTE STATISTICS FOR COLUMNS and FOR ALL COLUMNS are not supported on it" """
    place.fails(f"ANALYZE TABLE my_table COMPUTE STATISTICS {clause}", "AnalysisException", "*", "ANALYZE")


def test_analyze_writes_files_bytes_time_and_rows(place: Workplace, table: Path) -> None:
    """ "what the statement writes back to the catalog is the file count, byte size, last file creation time
    and row count of the partitions it measured."
    """
    foreign(place, "dt=2025-01-03/hh=00", rows=5)
    place.sql("MSCK REPAIR TABLE my_table")
    assert numbers(place, "partition LIKE 'dt=2025-01-03%'") == [
        "dt=2025-01-03/hh=00 | NULL | NULL | NULL | false"
    ]
    place.sql("ANALYZE TABLE my_table PARTITION (dt='2025-01-03') COMPUTE STATISTICS")
    assert numbers(place, "partition LIKE 'dt=2025-01-03%'") == ["dt=2025-01-03/hh=00 | 5 | 1 | true | true"]
    ((size, time),) = place.values(
        "SELECT file_size_in_bytes, unix_millis(last_file_creation_time) FROM `my_table$partitions` "
        "WHERE partition LIKE 'dt=2025-01-03%'"
    )
    (file,) = (table / "dt=2025-01-03/hh=00").glob("*.parquet")
    assert (size, time) == (file.stat().st_size, file.stat().st_mtime_ns // 1_000_000)


def test_running_it_twice_reports_the_same(place: Workplace, table: Path) -> None:
    """ "Each measured field replaces the one the catalog held, so running it twice reports the same numbers
    as running it once, while a field it could not measure leaves the stored one as it was."
    """
    foreign(place, "dt=2025-01-01/hh=00", rows=4)  # replaces the file that INSERT had counted
    place.sql("ANALYZE TABLE my_table COMPUTE STATISTICS NOSCAN")
    assert numbers(place, "partition LIKE '%01/hh=00'") == ["dt=2025-01-01/hh=00 | 1 | 1 | true | true"]
    place.sql("ANALYZE TABLE my_table COMPUTE STATISTICS")
    once = place.values("SELECT * FROM `my_table$partitions`")
    place.sql("ANALYZE TABLE my_table COMPUTE STATISTICS")
    assert place.values("SELECT * FROM `my_table$partitions`") == once
    assert numbers(place, "partition LIKE '%01/hh=00'") == ["dt=2025-01-01/hh=00 | 4 | 1 | true | true"]


def test_analyze_never_adds_or_removes_a_partition(place: Workplace, table: Path) -> None:
    """ "It never adds or removes a partition — use MSCK REPAIR TABLE for that." """
    foreign(place, "dt=2025-01-03/hh=00")
    for file in (table / HOURS[2]).iterdir():
        file.unlink() if file.is_file() else file.rmdir()
    (table / HOURS[2]).rmdir()
    place.sql("ANALYZE TABLE my_table COMPUTE STATISTICS")
    assert place.partitions("my_table") == HOURS
    assert numbers(place, "partition LIKE '%02/hh=00'") == ["dt=2025-01-02/hh=00 | 0 | 0 | false | true"]
    place.sql("MSCK REPAIR TABLE my_table SYNC PARTITIONS")
    assert place.partitions("my_table") == [*HOURS[:2], "dt=2025-01-03/hh=00"]


def test_noscan_gives_everything_except_the_rows(place: Workplace, table: Path) -> None:
    """ "NOSCAN stops at the directory listing, which gives everything except the row count." """
    foreign(place, "dt=2025-01-03/hh=00", rows=5)
    place.run("MSCK REPAIR TABLE my_table", "ANALYZE TABLE my_table COMPUTE STATISTICS NOSCAN")
    assert numbers(place, "partition LIKE 'dt=2025-01-03%'") == [
        "dt=2025-01-03/hh=00 | NULL | 1 | true | true"
    ]


def test_rows_come_from_the_footers_and_no_files_are_no_rows(place: Workplace, table: Path) -> None:
    """ "Without it, the row count is read from each file's footer, so it is exact for the formats that
    carry one (Parquet, ORC) and a partition holding no files counts as zero … it runs on the executors"
    """
    foreign(place, "dt=2025-01-01/hh=00", rows=1234)
    place.sql("ALTER TABLE my_table ADD PARTITION (dt='2025-01-04', hh='00')")
    tracker = place.session.sparkContext.statusTracker()
    place.session.sparkContext.setJobGroup("analyze", "counted")
    before = len(tracker.getJobIdsForGroup("analyze"))
    place.sql("ANALYZE TABLE my_table COMPUTE STATISTICS NOSCAN")
    assert len(tracker.getJobIdsForGroup("analyze")) == before
    place.sql("ANALYZE TABLE my_table COMPUTE STATISTICS")
    assert place.values("SELECT partition, record_count FROM `my_table$partitions`") == [
        (HOURS[0], 1234), (HOURS[1], 1), (HOURS[2], 1), ("dt=2025-01-04/hh=00", 0)]  # fmt: skip


def test_a_clause_gives_values_for_a_leading_run(place: Workplace, table: Path) -> None:
    """ "PARTITION (dt='2025-01-01') and PARTITION (dt='2025-01-01', hh) both measure every hour of that
    day"
    """
    for clause in ("dt='2025-01-01'", "dt='2025-01-01', hh"):
        for hour in HOURS:
            foreign(place, hour, rows=3 + len(clause))
        place.sql(f"ANALYZE TABLE my_table PARTITION ({clause}) COMPUTE STATISTICS")
        rows = dict(place.values("SELECT partition, record_count FROM `my_table$partitions`"))
        assert rows == {HOURS[0]: 3 + len(clause), HOURS[1]: 3 + len(clause), HOURS[2]: 1}


def test_a_clause_behind_a_gap_is_rejected(place: Workplace, table: Path) -> None:
    """ "while PARTITION (hh='01') is rejected rather than widened to every day" """
    statement = "ANALYZE TABLE my_table PARTITION (hh='01') COMPUTE STATISTICS"
    place.fails(statement, "IllegalArgumentException", "PARTITION_NOT_LEADING", "[dt, hh]")


def test_naming_an_unregistered_partition_is_an_error(place: Workplace, table: Path) -> None:
    """ "Naming a partition that is not registered is an error too" """
    foreign(place, "dt=2025-01-03/hh=00")
    for clause in ("dt='2025-01-03'", "dt='2025-01-03', hh='00'"):
        statement = f"ANALYZE TABLE my_table PARTITION ({clause}) COMPUTE STATISTICS NOSCAN"
        place.fails(statement, "AnalysisException", "PARTITIONS_NOT_FOUND", "2025-01-03")


# ---- "metastore.partitioned-table = true enables catalog-managed partitions" -------------------------------


def test_managed_partitions_cannot_be_combined_with_the_engine(place: Workplace) -> None:
    """ "cannot be combined with format-table.implementation = engine. The … catalog validates this
    combination on CREATE TABLE"
    """
    columns = "(id INT, dt STRING) USING parquet PARTITIONED BY (dt)"
    statement = f"CREATE TABLE e {columns} TBLPROPERTIES ({MANAGED}, {ENGINE})"
    place.fails(
        statement, "IllegalArgumentException", "MANAGED_PARTITIONS_ENGINE", "Cannot combine catalog-managed"
    )
    assert place.rows("SHOW TABLES") == []


def test_defaults_of_the_catalog_take_part(place: Workplace, warehouse_root: Path) -> None:
    """ "with catalog-level table defaults (spark.sql.catalog.paimon.table-default.*) participating in the
    effective options: a default that makes the combination invalid fails the DDL."
    """
    prefix = "spark.sql.catalog.defaults"
    place.session.conf.set(prefix, "org.sparkpaimon.PaimonCatalog")
    place.session.conf.set(f"{prefix}.metastore", "embedded")
    place.session.conf.set(f"{prefix}.warehouse", str(warehouse_root / "defaults"))
    place.session.conf.set(f"{prefix}.table-default.metastore.partitioned-table", "true")
    columns = "(id INT, dt STRING) USING parquet PARTITIONED BY (dt)"
    place.fails(
        f"CREATE TABLE defaults.default.t {columns} TBLPROPERTIES ({ENGINE})",
        "IllegalArgumentException",
        "MANAGED_PARTITIONS_ENGINE",
    )
    place.sql(f"CREATE TABLE defaults.default.t {columns}")
    place.sql("ALTER TABLE defaults.default.t ADD PARTITION (dt='a')")
    assert place.partitions("defaults.default.t") == ["dt=a"]


def test_managed_partitions_of_an_external_table_fail(place: Workplace) -> None:
    """ "asking for catalog-managed partitions on a table that cannot have them — an external table … —
    fails, rather than handing back a table whose options say one thing and whose partitions come from
    somewhere else."
    """
    columns = f"(id INT, dt STRING) USING parquet PARTITIONED BY (dt) LOCATION '{place.directory}/x'"
    condition = "MANAGED_PARTITIONS_EXTERNAL"
    place.fails(f"CREATE TABLE x {columns} TBLPROPERTIES ({MANAGED})", "IllegalArgumentException", condition)
    place.sql(f"CREATE TABLE x {columns}")
    place.fails(
        f"ALTER TABLE x SET TBLPROPERTIES ({MANAGED})",
        "IllegalArgumentException",
        condition,
        "UNSET TBLPROPERTIES",
    )
    assert place.rows("SELECT * FROM x") == []


def test_the_option_can_be_removed(place: Workplace, table: Path) -> None:
    """ "Remove the option with ALTER TABLE my_table UNSET TBLPROPERTIES ('metastore.partitioned-table')." """
    foreign(place, "dt=2025-01-03/hh=00")
    place.sql("ALTER TABLE my_table UNSET TBLPROPERTIES ('metastore.partitioned-table')")
    assert place.partitions("my_table") == [*HOURS, "dt=2025-01-03/hh=00"]


@pytest.mark.parametrize("catalog", ["fs"])
def test_in_another_catalog_the_option_has_no_meaning(place: Workplace, table: Path) -> None:
    """ "In any other catalog the option keeps the meaning it has always had on a Format Table — none. Such
    a table loads and reads its partitions from the filesystem"
    """
    foreign(place, "dt=2025-01-03/hh=00")
    assert place.partitions("my_table") == [*HOURS, "dt=2025-01-03/hh=00"]
    assert len(place.rows("SELECT * FROM my_table")) == 4
    place.fails("MSCK REPAIR TABLE my_table", "UnsupportedOperationException", "PARTITIONS_NOT_MANAGED")


def test_a_table_whose_partitions_were_never_registered_reads_as_empty(
    place: Workplace, discovered: None
) -> None:
    """ "an existing Format Table whose partitions were never registered reads as empty until you register
    them with MSCK REPAIR TABLE my_table."
    """
    place.sql(f"ALTER TABLE found SET TBLPROPERTIES ({MANAGED})")
    assert place.rows("SELECT * FROM found") == []
    place.sql("MSCK REPAIR TABLE found")
    assert place.rows("SELECT * FROM found") == ["1 | 2025-01-01 | 00"]


def test_data_of_a_writer_that_registers_nothing_is_not_visible(place: Workplace, table: Path) -> None:
    """ "data written by an older writer is not visible until its partitions are registered" """
    foreign(place, "dt=2025-01-03/hh=00", rows=2)
    assert len(place.rows("SELECT * FROM my_table")) == 3
    place.sql("MSCK REPAIR TABLE my_table")
    assert len(place.rows("SELECT * FROM my_table")) == 5


def test_the_option_does_not_change_the_ownership(place: Workplace, table: Path, discovered: None) -> None:
    """ "metastore.partitioned-table only changes where partitions come from; it does not change the table's
    managed/external ownership."
    """
    for name in ("my_table", "found"):
        assert "Type | MANAGED | " in place.rows(f"DESCRIBE EXTENDED {name}")
        place.sql(f"DROP TABLE {name}")
        assert not (place.tables / name).exists()
