"""The observations of the list of reports that concern tables (J1 to J4, J9, J11, J12).

J5 and J6 are in ``tests/unit/session``, J6 and J7 in ``tests/submit``, J10 is the benchmark ``planning``.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.errors import PySparkException

from tests.spark.workplace import Workplace

PROPERTIES = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"


@pytest.fixture
def table(place: Workplace) -> Path:
    """Directory of a table with two keys and without partitions."""
    place.sql(f"CREATE TABLE t (id INT, dt DATE, hh INT) USING parquet PARTITIONED BY (dt, hh) {PROPERTIES}")
    return place.tables / "t"


def put(directory: Path, number: int) -> Path:
    """A data file of another program."""
    directory.mkdir(parents=True)
    path = directory / "part-0.parquet"
    pa.parquet.write_table(pa.table({"id": pa.array([number], pa.int32())}), path)
    return path


def repaired(place: Workplace) -> dict[str, str]:
    """What MSCK does or leaves, by partition or directory: its reason."""
    rows = place.sql("CALL sys.repair(table => 't', dry_run => true)").collect()
    return {row.partition: f"{row.action} {row.reason}" for row in rows}


def test_j1_an_empty_value_is_skipped_and_reported_and_the_rest_registered(
    place: Workplace, table: Path
) -> None:
    put(table / "dt=" / "hh=1", 1)
    put(table / "dt=2024-01-04" / "hh=2", 2)
    found = repaired(place)
    assert any("dt=" in name and "SKIP" in what.upper() for name, what in found.items()), found
    place.sql("MSCK REPAIR TABLE t")
    assert place.partitions("t") == ["dt=2024-01-04/hh=2"]
    assert place.values("SELECT id FROM t") == [(2,)]


def test_j2_files_below_a_partition_directory_are_its_rows(place: Workplace, table: Path) -> None:
    put(table / "dt=2024-01-05" / "hh=1" / "extra=9", 3)
    place.sql("MSCK REPAIR TABLE t")
    assert place.values("SELECT id, hh FROM t") == [(3, 1)]


def test_j3_a_directory_of_one_level_of_two_is_reported(place: Workplace, table: Path) -> None:
    put(table / "dt=2024-01-04", 1)
    assert any("dt=2024-01-04" in name for name in repaired(place))
    place.sql("MSCK REPAIR TABLE t")
    assert place.partitions("t") == []


def test_j4_a_value_that_cannot_be_cast_names_column_type_and_table(place: Workplace, table: Path) -> None:
    with pytest.raises(PySparkException) as caught:
        place.sql("ALTER TABLE t ADD PARTITION (dt = '2024-01-01', hh = 'abc')")
    for word in ("abc", "hh", "INT", f"{place.database}.t"):
        assert word in str(caught.value)


@pytest.mark.parametrize("name", ["parquet", "orc", "csv", "json"])
def test_j9_a_truncated_file_and_a_broken_one_are_errors(place: Workplace, name: str) -> None:
    place.sql(
        f"CREATE TABLE f (id INT, name STRING) USING {name} TBLPROPERTIES ('file.compression' = "
        f"'{'gzip' if name in ('csv', 'json') else 'none'}')"
    )
    place.sql("INSERT INTO f SELECT id, concat('name ', id) FROM range(0, 1000, 1, 1)")
    (file,) = [path for path in (place.tables / "f").iterdir() if path.name.startswith("data-")]
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(PySparkException) as caught:
        place.values("SELECT * FROM f")
    assert file.name in str(caught.value)


def test_j9_no_row_is_eaten_by_a_header_and_no_value_by_its_path(place: Workplace) -> None:
    place.sql(
        "CREATE TABLE h (id INT, k STRING) USING csv PARTITIONED BY (k) "
        f"{PROPERTIES[:-1]}, 'header' = 'true')"
    )
    place.sql("INSERT INTO h VALUES (1, 'a/b'), (2, 'a/b')")
    assert place.values("SELECT id, k FROM h") == [(1, "a/b"), (2, "a/b")]


def test_j11_blanks_and_carriage_returns_survive_in_csv(place: Workplace) -> None:
    place.sql("CREATE TABLE c (id INT, name STRING) USING csv")
    place.sql("INSERT INTO c VALUES (1, '  x '), (2, '\\r'), (3, ' '), (4, ''), (5, 'a\\r\\nb')")
    assert place.values("SELECT * FROM c") == [(1, "  x "), (2, "\r"), (3, " "), (4, ""), (5, "a\r\nb")]


def test_j12_a_backslash_in_a_partition_value_is_found_by_equality(place: Workplace) -> None:
    place.sql(f"CREATE TABLE b (id INT, k STRING) USING parquet PARTITIONED BY (k) {PROPERTIES}")
    place.sql("INSERT INTO b VALUES (1, 'a\\\\b'), (2, 'ab')")
    assert place.values("SELECT id FROM b WHERE k = 'a\\\\b'") == [(1,)]
    assert place.scanned("SELECT id FROM b WHERE k = 'a\\\\b'") == 1
