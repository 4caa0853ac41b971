"""Partitions that lie elsewhere than below their table, from ADD to DROP."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.workplace import MANAGED, Workplace

pytestmark = pytest.mark.parametrize("catalog", MANAGED)


@pytest.fixture(params=["parquet", "csv"])
def table(place: Workplace, request: pytest.FixtureRequest) -> Path:
    """A table that Spark reads, and one that our readers read; with one partition at home."""
    place.run(
        f"CREATE TABLE t (id BIGINT, dt STRING) USING {request.param} PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')",
        "INSERT INTO t VALUES (1, 'home')",
    )
    return place.tables / "t"


@pytest.fixture
def outside(place: Workplace, table: Path) -> Path:
    """Rows of the partition ``far``, in a directory whose name needs care."""
    path = place.directory / "old data" / "x=1"
    kind = place.rows("SELECT file_format FROM `t$partitions`")[0]
    place.sql(f"INSERT OVERWRITE DIRECTORY '{path}' USING {kind} SELECT id FROM range(10, 12)")
    return path


def add(place: Workplace, outside: Path) -> None:
    location = str(outside).replace(" ", "%20")
    place.sql(f"ALTER TABLE t ADD PARTITION (dt = 'far') LOCATION 'file://{location}/'")


def files(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def test_rows_are_read_where_they_lie(place: Workplace, table: Path, outside: Path) -> None:
    add(place, outside)
    assert place.values("SELECT * FROM t") == [(1, "home"), (10, "far"), (11, "far")]
    assert place.values("SELECT id FROM t WHERE dt = 'far'") == [(10,), (11,)]
    assert place.values("SELECT count(*) FROM t WHERE dt < 'g'") == [(2,)]
    assert place.values("SELECT partition, location FROM `t$partitions`") == [
        ("dt=far", f"file:{outside}"),
        ("dt=home", None),
    ]
    shown = place.values("SELECT file_path FROM `t$files` WHERE partition = 'dt=far'")
    assert shown
    assert all(path.startswith(f"file:{outside}/") for (path,) in shown)
    assert not (table / "dt=far").exists()


def test_a_location_need_not_be_there(place: Workplace, table: Path) -> None:
    place.sql("ALTER TABLE t ADD PARTITION (dt = 'a') LOCATION 'file:/nowhere/a' PARTITION (dt = 'b')")
    place.sql("CALL sys.add_partition('t', 'dt=c', location => 'file:///nowhere/c')")
    assert place.values("SELECT * FROM t") == [(1, "home")]
    assert place.partitions("t") == ["dt=a", "dt=b", "dt=c", "dt=home"]
    assert sorted(path.name for path in table.iterdir() if path.name[0] != "_") == ["dt=b", "dt=home"]
    assert not Path("/nowhere").exists()


def test_what_is_refused_changes_nothing(place: Workplace, table: Path, outside: Path) -> None:
    add(place, outside)
    statement = "ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = '{}') LOCATION '{}'"
    for location in (str(outside), "x", f"file:{table}", f"file:{table}/dt=a", "file:/x/../y", "hdfs:/x"):
        place.fails(
            statement.format("a", location), "IllegalArgumentException", "PARTITION_LOCATION_INVALID", "dt=a"
        )
    for location in (f"file:{outside}", f"file:{outside.parent}", f"file:{outside}/y"):
        wanted = statement.format("a", location)
        place.fails(wanted, "IllegalArgumentException", "PARTITION_LOCATION_INVALID", "dt=far")
    for partition in ("far", "home"):
        wanted = statement.format(partition, "file:/nowhere/z")
        place.fails(wanted, "*", "PARTITION_LOCATION_DIFFERS", "different location")
    place.sql("ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt = 'far')")
    assert place.partitions("t") == ["dt=far", "dt=home"]
    assert place.values("SELECT id FROM t WHERE dt = 'far'") == [(10,), (11,)]
    assert not (table / "dt=far").exists()


def test_drop_only_unregisters(place: Workplace, table: Path, outside: Path) -> None:
    add(place, outside)
    before = files(outside)
    (table / "dt=far").mkdir()
    place.sql("ALTER TABLE t DROP PARTITION (dt = 'far')")
    assert place.partitions("t") == ["dt=home"]
    assert files(outside) == before
    assert (table / "dt=far").is_dir()


@pytest.mark.parametrize("mode", ["", "ADD PARTITIONS", "DROP PARTITIONS", "SYNC PARTITIONS"])
def test_msck_leaves_it(place: Workplace, table: Path, outside: Path, mode: str) -> None:
    add(place, outside)
    place.sql(f"MSCK REPAIR TABLE t {mode}")
    (table / "dt=far").mkdir()
    place.sql(f"MSCK REPAIR TABLE t {mode}")
    assert place.values("SELECT id FROM t WHERE dt = 'far'") == [(10,), (11,)]


def test_insert_and_analyze_are_refused(place: Workplace, table: Path, outside: Path) -> None:
    add(place, outside)
    before = files(outside)
    kind = "UnsupportedOperationException"
    for statement in (
        "INSERT INTO t PARTITION (dt = 'far') VALUES (2)",
        "INSERT INTO t VALUES (2, 'far'), (3, 'new')",
    ):
        place.fails(statement, kind, "APPEND_CUSTOM_LOCATION", "custom location")
    for clause in ("", "PARTITION (dt = 'far')"):
        place.fails(f"ANALYZE TABLE t {clause} COMPUTE STATISTICS", kind, "ANALYZE_CUSTOM_LOCATION")
    place.sql("ANALYZE TABLE t PARTITION (dt = 'home') COMPUTE STATISTICS")
    assert files(outside) == before
    assert place.directories("t") == ["dt=home"]
    assert place.values("SELECT * FROM t") == [(1, "home"), (10, "far"), (11, "far")]


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("INSERT OVERWRITE t PARTITION (dt = 'far') VALUES (5)", [(1, "home"), (5, "far")]),
        ("INSERT OVERWRITE t VALUES (5, 'far')", [(5, "far")]),
        ("TRUNCATE TABLE t PARTITION (dt = 'far')", [(1, "home")]),
        ("TRUNCATE TABLE t", []),
    ],
)
def test_overwrite_and_truncate_bring_it_home(
    place: Workplace, table: Path, outside: Path, statement: str, rows: list[tuple[int, str]]
) -> None:
    add(place, outside)
    before = files(outside)
    place.sql(statement)
    assert place.values("SELECT * FROM t") == rows
    assert files(outside) == before
    assert place.values("SELECT partition, location FROM `t$partitions`") == [
        ("dt=far", None),
        ("dt=home", None),
    ]
    place.sql("INSERT INTO t VALUES (6, 'far')")
    assert (6, "far") in place.values("SELECT * FROM t")
