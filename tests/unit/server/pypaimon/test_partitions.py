"""pypaimon's REST catalog works against our server: rows and partitions."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from spark_paimon.catalog import Catalog
from spark_paimon.statistics import PartitionStatistics
from tests.format_tables import put, visible
from tests.peers.pypaimon_catalog import (
    PeerError,
    PyPaimonCatalog,
    table,
)
from tests.unit.server.pypaimon.conftest import FORMAT_TABLE, MANAGED, pages, schema

# --- rows ---

ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int32()),
        "price": pa.array([Decimal("1.50"), None, Decimal("-2.25")], pa.decimal128(10, 2)),
        "day": pa.array([datetime.date(2024, 1, 1), datetime.date(1969, 12, 31), None], pa.date32()),
        "name": ["a", None, "c"],
    }
)
COLUMNS = ("id INT", "price DECIMAL(10, 2)", "day DATE", "name STRING")


@pytest.mark.parametrize("file_format", ["parquet", "orc", "csv", "json"])
def test_rows_written_by_pypaimon_are_there_for_both(
    catalog: PyPaimonCatalog, database: str, ours: Catalog, file_format: str
) -> None:
    name = table(database, "t")
    # pypaimon cannot write a DECIMAL or a DATE as JSON.
    columns = COLUMNS if file_format != "json" else ("id INT", "name STRING")
    rows = ROWS.select([column.split()[0] for column in columns])
    made = schema(*columns, **{**FORMAT_TABLE, "file.format": file_format})
    catalog.call("create_table", name, made, False)
    catalog.write(name, rows)
    catalog.write(name, rows)
    assert len(visible(ours.get_table(f"{database}.t"))) == 2
    read = catalog.read(name).sort_by("id")
    assert read.column("id").to_pylist() == [1, 1, 2, 2, 3, 3]
    catalog.write(name, rows.slice(0, 1), overwrite={})
    assert len(visible(ours.get_table(f"{database}.t"))) == 1
    assert catalog.read(name).column("id").to_pylist() == [1]


def test_partitions_written_by_pypaimon_are_registered_by_it_and_found_by_us(
    catalog: PyPaimonCatalog, database: str, ours: Catalog
) -> None:
    name = table(database, "t")
    made = schema("id INT", "dt STRING", "h INT", partitioned_by="dt h", **MANAGED)
    catalog.call("create_table", name, made, False)
    rows = pa.table(
        {"id": pa.array([1, 2, 3], pa.int32()), "dt": ["x", "x", "y"], "h": pa.array([0, 1, 0], pa.int32())}
    )
    catalog.write(name, rows)
    # pypaimon leaves the catalog alone when it writes.
    assert ours.list_partitions(f"{database}.t") == []
    specs = [{"dt": "x", "h": "0"}, {"h": "1", "dt": "x"}, {"dt": "y", "h": "0"}]
    catalog.call("create_partitions", name, specs, True)
    loaded = ours.get_table(f"{database}.t")
    assert [dict(row.spec) for row in loaded.list_partitions()] == [
        {"dt": "x", "h": "0"},
        {"dt": "x", "h": "1"},
        {"dt": "y", "h": "0"},
    ]
    assert sorted({path.rpartition("/")[0] for path in visible(loaded)}) == [
        "dt=x/h=0",
        "dt=x/h=1",
        "dt=y/h=0",
    ]
    assert catalog.read(name, {"dt": "x"}).sort_by("id")["id"].to_pylist() == [1, 2]


def test_files_of_ours_are_read_by_pypaimon(catalog: PyPaimonCatalog, database: str, ours: Catalog) -> None:
    columns = pa.schema([("id", pa.int64()), ("dt", pa.string())])
    ours.create_table(f"{database}.t", columns, ["dt"], MANAGED)
    loaded = ours.get_table(f"{database}.t")
    put(loaded, "dt=a b/data-1.parquet", 2)
    put(loaded, "dt=c/data-2.parquet", 1)
    ours.create_partitions(f"{database}.t", [{"dt": "a b"}, {"dt": "c"}])
    read = catalog.read(table(database, "t"))
    assert sorted(zip(read["id"].to_pylist(), read["dt"].to_pylist(), strict=True)) == [
        (0, "a b"),
        (0, "c"),
        (1, "a b"),
    ]


# --- partitions ---


def test_partitions_are_created_once(catalog: PyPaimonCatalog, database: str, ours: Catalog) -> None:
    name = table(database, "t")
    catalog.call("create_table", name, schema("id INT", "dt STRING", partitioned_by="dt", **MANAGED), False)
    first = catalog.call("create_partitions", name, [{"dt": "1"}, {"dt": "2"}], api=True)
    assert first == {"created": [{"dt": "1"}, {"dt": "2"}], "existed": []}
    again = catalog.call("create_partitions", name, [{"dt": "2"}, {"dt": "3"}], api=True)
    assert again == {"created": [{"dt": "3"}], "existed": [{"dt": "2"}]}
    with pytest.raises(PeerError, match="IllegalStateError.*already exist"):
        catalog.call("create_partitions", name, [{"dt": "3"}, {"dt": "4"}], False)
    with pytest.raises(PeerError, match="IllegalArgumentError"):
        catalog.call("create_partitions", name, [{"day": "3"}])
    assert [row.spec["dt"] for row in ours.list_partitions(f"{database}.t")] == ["1", "2", "3"]


def test_partitions_are_listed_with_their_numbers(
    catalog: PyPaimonCatalog, database: str, ours: Catalog
) -> None:
    columns = pa.schema([("id", pa.int64()), ("dt", pa.string()), ("h", pa.int32())])
    ours.create_table(f"{database}.t", columns, ["dt", "h"], MANAGED)
    known = {"dt": "b", "h": "1"}
    ours.create_partitions(
        f"{database}.t",
        [known, {"dt": "a", "h": "2"}],
        statistics=[(known, PartitionStatistics(10, 2000, 3, 1_700_000_000_000, 4))],
        replace_statistics=True,
    )
    ours.mark_partitions_done(f"{database}.t", [known])
    (listed,) = pages(catalog, "list_partitions_paged", table(database, "t"), size=10)
    assert [row["spec"] for row in listed] == [{"dt": "a", "h": "2"}, known]
    numbers = ("record_count", "file_size_in_bytes", "file_count", "last_file_creation_time", "total_buckets")
    assert [listed[1][key] for key in numbers] == [10, 2000, 3, 1_700_000_000_000, 4]
    assert [listed[0][key] for key in numbers] == [-1] * 5
    assert [row["done"] for row in listed] == [False, True]
    assert listed[0]["created_at"] <= listed[0]["updated_at"]


def test_partitions_are_listed_in_pages_and_by_pattern(
    catalog: PyPaimonCatalog, database: str, ours: Catalog
) -> None:
    name = table(database, "t")
    columns = pa.schema([("id", pa.int64()), ("dt", pa.string()), ("h", pa.int32())])
    ours.create_table(f"{database}.t", columns, ["dt", "h"], MANAGED)
    specs = [{"dt": day, "h": str(hour)} for day in ("a b", "c/d", "x_") for hour in range(4)]
    catalog.call("create_partitions", name, specs)
    listed = pages(catalog, "list_partitions_paged", name, size=5)
    assert [len(page) for page in listed] == [5, 5, 2]
    assert [row["spec"] for page in listed for row in page] == specs
    # Names are as in paths, where a slash is escaped; the percent sign of that is itself escaped.
    for day, pattern in (("a b", "dt=a b/%"), ("c/d", "dt=c\\%2Fd/%"), ("x_", "dt=x\\_/%")):
        (found,) = pages(catalog, "list_partitions_paged", name, size=9, partition_name_pattern=pattern)
        assert [row["spec"]["dt"] for row in found] == [day] * 4


def test_partitions_that_no_catalog_manages_are_not_listed(catalog: PyPaimonCatalog, database: str) -> None:
    name = table(database, "t")
    catalog.call("create_table", name, schema("id INT", "dt STRING", partitioned_by="dt"), False)
    for method, *arguments in (("list_partitions_paged", name), ("create_partitions", name, [{"dt": "1"}])):
        with pytest.raises(PeerError, match="NotImplementedException"):
            catalog.call(method, *arguments)


def test_partitions_of_format_tables_are_not_dropped_by_pypaimon(
    catalog: PyPaimonCatalog, database: str
) -> None:
    name = table(database, "t")
    catalog.call("create_table", name, schema("id INT", "dt STRING", partitioned_by="dt", **MANAGED), False)
    with pytest.raises(PeerError, match="drop_partitions is not supported for table type 'FormatTable'"):
        catalog.call("drop_partitions", name, [{"dt": "1"}])
