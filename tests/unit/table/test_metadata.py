"""The metadata tables."""

from __future__ import annotations

import os

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.table.commit import commit
from spark_paimon.table.metadata import metadata_columns, metadata_table
from spark_paimon.table.partitions import add_partitions
from tests.format_tables import NOW, create, put, stage


def test_partitions_shows_names_numbers_and_formats_and_null_for_the_unknown(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    file = stage(table, 3, dt="a:b", hh=None)
    commit(table, [file], now_millis=NOW)
    add_partitions(table, [{"dt": "c", "hh": 1}], options=[{"file.format": "orc"}])
    found = metadata_table(table, "partitions")
    assert found.columns == (
        ("partition", "STRING"),
        ("record_count", "BIGINT"),
        ("file_size_in_bytes", "BIGINT"),
        ("file_count", "BIGINT"),
        ("last_file_creation_time", "TIMESTAMP"),
        ("file_format", "STRING"),
        ("location", "STRING"),
    )
    assert found.rows == [
        ("dt=a%3Ab/hh=__DEFAULT_PARTITION__", 3, file.size, 1, NOW * 1000, "parquet", None),
        ("dt=c/hh=1", None, None, None, None, "orc", None),
    ]


def test_partitions_of_a_discovered_table_are_its_directories(filesystem: Catalog) -> None:
    table = create(filesystem, {"dt": "STRING"})
    put(table, "dt=a/x")
    put(table, "dt=c%20d/x")
    assert [(row[0], row[1], row[-1]) for row in metadata_table(table, "PARTITIONS").rows] == [
        ("dt=a", None, None),
        ("dt=c d", None, f"{table.location}/dt=c%20d"),
    ]


def test_files_lists_exactly_what_a_scan_reads(either: Catalog, value_only: bool) -> None:
    table = create(either, {"dt": "STRING"}, value_only=value_only)
    file = stage(table, dt="a", name="x.parquet")
    commit(table, [file])
    folder = "a" if value_only else "dt=a"
    os.utime(put(table, f"{folder}/sub/y.parquet"), (7, 7))
    put(table, f"{folder}/_temporary/z.parquet")
    put(table, "root.parquet")
    if table.managed:
        either.create_partitions("db.t", [{"dt": "never-written"}])
    rows = metadata_table(table, "files").rows
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("dt=a", f"{table.location}/{folder}/sub/y.parquet", "parquet"),
        ("dt=a", f"{table.location}/{folder}/x.parquet", "parquet"),
    ]
    assert rows[0][4] == 7_000_000
    assert rows[1][3] == file.size


def test_an_unpartitioned_table_has_files_and_no_partitions(either: Catalog) -> None:
    table = create(either, {})
    put(table, "x.parquet")
    assert [row[:2] for row in metadata_table(table, "files").rows] == [("", f"{table.location}/x.parquet")]
    assert metadata_table(table, "partitions").rows == []


def test_options_are_sorted_and_include_those_of_this_use(either: Catalog) -> None:
    table = create(either, {}).copy({"a": "1"})
    rows = metadata_table(table, "options").rows
    assert rows[0] == ("a", "1")
    assert ("file.format", "parquet") in rows
    assert rows == sorted(rows)


def test_an_unknown_metadata_table_names_the_known_ones(either: Catalog) -> None:
    with pytest.raises(errors.NoSuchTableError, match=r"\$files, \$options, \$partitions"):
        metadata_table(create(either, {}), "snapshots")
    assert metadata_columns("snapshots") is None
    assert metadata_columns("Files") is not None
