"""What partition statements do to directories and files."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spark.workplace import EVERY, Workplace

PROPERTIES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"


@pytest.fixture
def table(place: Workplace) -> Path:
    """Directory of a table with three partitions."""
    place.run(
        f"CREATE TABLE t (id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (dt, hh) {PROPERTIES}",
        "INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1)",
    )
    return place.tables / "t"


def files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file() and "schema" not in path.parts)


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("catalog", EVERY)
def test_data_files_lie_in_directories_of_escaped_values(place: Workplace) -> None:
    place.sql(f"CREATE TABLE e (id INT, k STRING) USING parquet PARTITIONED BY (k) {PROPERTIES}")
    place.sql("INSERT INTO e VALUES (1, 'a b:c'), (2, 'a/b'), (3, 'é ~'), (4, NULL), (5, 'a%2Fb')")
    assert place.directories("e") == ["k=__DEFAULT_PARTITION__", "k=a b%3Ac", "k=a%252Fb", "k=a%2Fb", "k=é ~"]
    assert all(
        path.name.startswith("data-") and path.suffix == ".parquet" for path in files(place.tables / "e")
    )
    assert place.values("SELECT id FROM e WHERE k = 'a/b'") == [(2,)]


def test_partition_columns_are_not_stored_in_the_files(place: Workplace, table: Path) -> None:
    stored = place.session.read.parquet(str(next((table / "dt=a/hh=1").glob("*.parquet"))))
    assert stored.columns == ["id"]


@pytest.mark.parametrize("catalog", EVERY)
def test_a_write_that_fails_leaves_nothing(place: Workplace, table: Path) -> None:
    before, directories = files(table), place.directories("t")
    # In one task, and in two of which the second fails when the first has long handed over what it staged.
    late = "reflect('java.lang.Thread', 'sleep', bigint(1200)) IS NULL OR id <> 7"
    rows = (
        "SELECT if(id < 7, id, if({}, id, raise_error('boom'))) AS id, concat('n', id) AS dt, 1 AS hh "
        "FROM (SELECT cast(id AS INT) AS id FROM range(0, 8, 1, {}))"
    )
    for write, query in {
        "INSERT INTO t": rows.format("id <> 7", 1),
        "INSERT OVERWRITE t": rows.format(late, 2),
        "CREATE OR REPLACE TABLE t USING parquet AS": rows.format(late, 2),
        "CREATE TABLE made USING parquet AS": rows.format("id <> 7", 1),
    }.items():
        place.fails(f"{write} {query}", "SparkRuntimeException", "*", "boom")
        assert eventually(lambda: files(table) == before), write
        assert place.directories("t") == directories, write
    assert files(place.tables / "made") == []
    assert place.values("SELECT id FROM t") == [(1,), (2,), (3,)]


@pytest.mark.parametrize("catalog", EVERY)
def test_drop_table_removes_the_directory_of_its_own(place: Workplace, table: Path) -> None:
    place.sql("DROP TABLE t")
    assert not table.exists()


@pytest.mark.parametrize("catalog", EVERY)
def test_replacing_a_table_leaves_no_file_of_the_old_one(place: Workplace, table: Path) -> None:
    place.sql(
        "CREATE OR REPLACE TABLE t USING parquet PARTITIONED BY (id) AS SELECT id, dt FROM t WHERE hh = 1"
    )
    assert place.directories("t") == ["id=1", "id=3"]
    assert len(files(table)) == 2


def test_add_creates_directories_and_drop_deletes_them(place: Workplace, table: Path) -> None:
    place.sql("ALTER TABLE t ADD PARTITION (dt = 'c', hh = 3)")
    assert (table / "dt=c/hh=3").is_dir()
    place.sql("ALTER TABLE t DROP PARTITION (dt = 'c', hh = 3), PARTITION (dt = 'a')")
    assert place.directories("t") == ["dt=a", "dt=b", "dt=b/hh=1", "dt=c"]


def test_drop_with_if_exists_keeps_directories_that_are_not_registered(place: Workplace, table: Path) -> None:
    shutil.copytree(table / "dt=a/hh=1", table / "dt=z/hh=1")
    place.sql("ALTER TABLE t DROP IF EXISTS PARTITION (dt = 'z', hh = 1)")
    place.sql("ALTER TABLE t DROP PARTITION (dt = 'z')")
    assert files(table / "dt=z/hh=1")


def test_add_takes_over_a_directory_that_holds_files(place: Workplace, table: Path) -> None:
    shutil.copytree(table / "dt=a/hh=1", table / "dt=z/hh=1")
    place.sql("ALTER TABLE t ADD PARTITION (dt = 'z', hh = 1)")
    assert place.values("SELECT id FROM t WHERE dt = 'z'") == [(1,)]


def test_p04_msck_drop_and_sync_forget_partitions_without_directory(place: Workplace, table: Path) -> None:
    shutil.rmtree(table / "dt=a/hh=1")
    shutil.copytree(table / "dt=b/hh=1", table / "dt=z/hh=1")
    assert place.values("SELECT id FROM t") == [(2,), (3,)]  # a registered one without directory is empty
    place.sql("MSCK REPAIR TABLE t")
    assert place.partitions("t") == ["dt=a/hh=1", "dt=a/hh=2", "dt=b/hh=1", "dt=z/hh=1"]
    place.sql("MSCK REPAIR TABLE t DROP PARTITIONS")
    assert place.partitions("t") == ["dt=a/hh=2", "dt=b/hh=1", "dt=z/hh=1"]
    shutil.rmtree(table / "dt=a/hh=2")
    shutil.copytree(table / "dt=b/hh=1", table / "dt=y/hh=1")
    place.sql("MSCK REPAIR TABLE t SYNC PARTITIONS")
    assert place.partitions("t") == ["dt=b/hh=1", "dt=y/hh=1", "dt=z/hh=1"]


def test_msck_drop_forgets_what_dry_run_says(place: Workplace, table: Path) -> None:
    shutil.rmtree(table / "dt=a/hh=1")
    rows = place.values("CALL sys.repair(table => 't', mode => 'DROP', dry_run => true)")
    assert [row[0] for row in rows] == ["dt=a/hh=1"]
    assert len(place.partitions("t")) == 3


@pytest.mark.parametrize("catalog", EVERY)
def test_truncate_keeps_directories_hidden_and_foreign_files(place: Workplace, table: Path) -> None:
    kept = [
        table / "dt=a/hh=1/_temporary/x",
        table / "dt=a/hh=1/.hidden",
        table / "stray",
        table / "dt=a/stray",
    ]
    for path in kept:
        path.parent.mkdir(exist_ok=True)
        path.write_text("somebody's")
    place.sql("TRUNCATE TABLE t")
    assert files(table) == sorted(kept)
    assert {"dt=a/hh=1", "dt=a/hh=2", "dt=b/hh=1"} <= set(place.directories("t"))


def test_p46_overwrite_clears_a_directory_that_is_not_registered(place: Workplace, table: Path) -> None:
    shutil.copytree(table / "dt=a/hh=1", table / "dt=z/hh=1")
    place.sql("INSERT OVERWRITE t PARTITION (dt = 'z', hh = 1) SELECT 9")
    assert place.values("SELECT id FROM t WHERE dt = 'z'") == [(9,)]


def test_overwriting_the_table_leaves_directories_that_are_not_registered(
    place: Workplace, table: Path
) -> None:
    shutil.copytree(table / "dt=a/hh=1", table / "dt=z/hh=1")
    place.sql("INSERT OVERWRITE t VALUES (9, 'q', 1)")
    assert files(table / "dt=z/hh=1")
    assert place.values("SELECT id, dt FROM t") == [(9, "q")]


def test_insert_into_an_unregistered_directory_registers_all_of_it(place: Workplace, table: Path) -> None:
    shutil.copytree(table / "dt=a/hh=1", table / "dt=z/hh=1")
    place.sql("INSERT INTO t VALUES (9, 'z', 1)")
    assert place.values("SELECT id FROM t WHERE dt = 'z'") == [(1,), (9,)]


def test_an_external_table_keeps_its_files_when_it_is_dropped(place: Workplace) -> None:
    folder = place.directory / "x"
    place.run(
        f"CREATE TABLE x (id INT, dt STRING) USING parquet PARTITIONED BY (dt) LOCATION '{folder}'",
        "INSERT INTO x VALUES (1, 'a')",
        "DROP TABLE x",
    )
    assert len(files(folder)) == 1


def test_a_directory_with_strangers_files_does_not_become_a_table(place: Workplace) -> None:
    place.sql(f"INSERT OVERWRITE DIRECTORY '{place.tables}/late' USING parquet SELECT 1 AS id")
    place.fails(
        "CREATE TABLE late (id INT) USING parquet", "IllegalArgumentException", "DIRECTORY_NOT_EMPTY", "late"
    )
    (place.directory / "delta/_delta_log").mkdir(parents=True)
    statement = f"CREATE TABLE d (id INT) USING parquet LOCATION '{place.directory}/delta'"
    place.fails(statement, "UnsupportedOperationException", "DELTA_TABLE_DIRECTORY", "Delta")


def test_a_link_back_into_the_table_neither_loops_nor_repeats_rows(place: Workplace, table: Path) -> None:
    (table / "dt=a" / "hh=1" / "up").symlink_to("../..")
    (table / "dt=a" / "hh=1" / "self").symlink_to(".")
    assert place.values("SELECT id FROM t ORDER BY id") == [(1,), (2,), (3,)]
    place.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    counted = place.values("SELECT sum(file_count), sum(record_count) FROM `t$partitions`")
    assert counted == [(3, 3)]
