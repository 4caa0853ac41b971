"""ANALYZE: measure everything, then tell the catalog once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow
import pyarrow.orc
import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.catalog.models import Partition
from spark_paimon.procedures import ProcedureContext, procedure
from spark_paimon.procedures.analyze import analyze
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.statistics.measure import DataFile
from spark_paimon.table import FormatTable
from tests.format_tables import Faults, create, directory, names, put, specs_of, with_faults


def measured(catalog: Catalog, value_only: bool = False) -> FormatTable:
    """Two days of two hours, registered by hand: nothing is known about them."""
    table = create(catalog, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    specs = [{"dt": dt, "hh": hh} for dt in ("a", "b") for hh in ("01", "2")]
    catalog.create_partitions("db.t", specs)
    for rows, spec in enumerate(specs, start=1):
        put(table, f"{table.layout.path(spec)}/x.parquet", rows)
    return table


def rows_of(table: FormatTable) -> dict[str, int]:
    return {table.layout.name(row.spec): row.statistics.record_count for row in table.list_partitions()}


def call(catalog: Catalog, **arguments: Any) -> list[tuple[Any, ...]]:
    return procedure("analyze").run(ProcedureContext(catalog), {"table": "db.t", **arguments})


def test_p55_p63_without_partition_every_registered_partition_is_measured(
    catalog: Catalog, value_only: bool
) -> None:
    table = measured(catalog, value_only)
    result = call(catalog)
    assert [row[0] for row in result] == ["dt=a/hh=01", "dt=a/hh=2", "dt=b/hh=01", "dt=b/hh=2"]
    assert [row[1] for row in result] == [1, 2, 3, 4]
    assert list(rows_of(table).values()) == [1, 2, 3, 4]
    assert all(row.statistics.file_count == 1 for row in table.list_partitions())
    assert all(row.statistics.last_file_creation_time > 0 for row in table.list_partitions())
    assert call(catalog) == result


@pytest.mark.parametrize(
    ("partition", "expected"),
    [
        ("dt=a", ["dt=a/hh=01", "dt=a/hh=2"]),
        ("dt=a/hh", ["dt=a/hh=01", "dt=a/hh=2"]),
        ("DT=a/HH=1", ["dt=a/hh=01"]),
        ("hh=01/dt=a", ["dt=a/hh=01"]),
        ("dt/hh", ["dt=a/hh=01", "dt=a/hh=2", "dt=b/hh=01", "dt=b/hh=2"]),
    ],
)
def test_p63_a_leading_run_selects_by_value(catalog: Catalog, partition: str, expected: list[str]) -> None:
    table = measured(catalog)
    assert [row[0] for row in call(catalog, partition=partition)] == expected
    assert [name for name, rows in rows_of(table).items() if rows >= 0] == expected


def test_p63_values_behind_a_gap_are_refused_and_the_run_is_named(catalog: Catalog) -> None:
    measured(catalog)
    with pytest.raises(errors.InvalidInputError) as caught:
        call(catalog, partition="hh=01")
    assert all(word in str(caught.value) for word in ("[dt, hh]", "[hh]"))


def test_p63_an_unknown_partition_is_an_error(catalog: Catalog) -> None:
    table = measured(catalog)
    put(table, "dt=waiting/hh=1/x.parquet")
    for partition in ("dt=missing", "dt=waiting", "dt=a/hh=9"):
        with pytest.raises(errors.NoSuchPartitionError, match="has no partition"):
            call(catalog, partition=partition)
    assert "dt=waiting/hh=1" not in names(table)


def test_a_column_that_is_no_partition_column_is_an_error(catalog: Catalog) -> None:
    measured(catalog)
    for partition in ("id=1", "id", "nope"):
        with pytest.raises(errors.PaimonError, match="no partition column"):
            call(catalog, partition=partition)


def test_j4_a_literal_that_does_not_fit_names_column_type_and_table(catalog: Catalog) -> None:
    measured(catalog)
    with pytest.raises(errors.InvalidInputError) as caught:
        call(catalog, partition="dt=a/hh=abc")
    assert all(word in str(caught.value) for word in ("'abc'", "INT", "hh", "db.t"))


def test_the_null_partition_is_found_by_its_name(catalog: Catalog, value_only: bool) -> None:
    table = create(catalog, {"n": "INT"}, value_only=value_only)
    catalog.create_partitions("db.t", [{"n": "__DEFAULT_PARTITION__"}, {"n": "1"}])
    put(table, f"{table.layout.path({'n': '__DEFAULT_PARTITION__'})}/x.parquet", 6)
    (row,) = call(catalog, partition="n=__DEFAULT_PARTITION__")
    assert row[:2] == ("n=__DEFAULT_PARTITION__", 6)


def test_a_table_without_partitions_is_no_work(catalog: Catalog, faults: Faults) -> None:
    table = with_faults(create(catalog, {"dt": "STRING"}), faults)
    assert analyze(table) == []
    assert faults.of("create_partitions") == []


def test_noscan_opens_no_file_and_keeps_the_row_count(catalog: Catalog, faults: Faults) -> None:
    table = measured(catalog)
    call(catalog)
    put(table, "dt=a/hh=2/more.parquet", 9)
    result = analyze(with_faults(table, faults), noscan=True)
    assert faults.of("open_input") == []
    assert result[1][1:4] == (2, table.list_partitions()[1].statistics.file_size_in_bytes, 2)
    assert rows_of(table)["dt=a/hh=2"] == 2


def test_each_measured_number_replaces_and_drift_is_corrected(catalog: Catalog) -> None:
    table = measured(catalog)
    call(catalog)
    (directory(table, "dt=a/hh=2") / "x.parquet").unlink()
    call(catalog)
    numbers = table.list_partitions()[1].statistics
    assert (numbers.record_count, numbers.file_count, numbers.file_size_in_bytes) == (0, 0, 0)


def test_an_unreadable_footer_keeps_the_stored_row_count(catalog: Catalog) -> None:
    table = measured(catalog)
    call(catalog)
    (directory(table, "dt=a/hh=2") / "y.parquet").write_bytes(b"broken")
    call(catalog)
    numbers = table.list_partitions()[1].statistics
    assert (numbers.record_count, numbers.file_count) == (2, 2)


def test_exactly_the_listed_specs_are_reported_in_one_replacing_call(
    catalog: Catalog, faults: Faults
) -> None:
    table = measured(catalog)
    analyze(with_faults(table, faults), {"dt": "a"})
    (call,) = faults.of("create_partitions")
    assert specs_of(call) == [{"dt": "a", "hh": "01"}, {"dt": "a", "hh": "2"}]
    assert call[2]["replace_statistics"] is True
    assert call[2]["ignore_if_exists"] is True
    assert not call[2].get("options")
    assert names(table) == ["dt=a/hh=01", "dt=a/hh=2", "dt=b/hh=01", "dt=b/hh=2"]


def test_p63_a_failed_listing_writes_nothing(catalog: Catalog, faults: Faults) -> None:
    table = measured(catalog)
    refused = errors.StorageError("STORAGE_FAILED", operation="list", path="x", reason="refused")
    faults.fail("list_directory", refused, lambda path: path.endswith("dt=b/hh=2"))
    with pytest.raises(errors.StorageError, match="refused"):
        analyze(with_faults(table, faults))
    assert faults.of("create_partitions") == []
    assert set(rows_of(table).values()) == {-1}


def test_rows_are_counted_by_whoever_the_context_says(catalog: Catalog) -> None:
    measured(catalog)
    seen: list[DataFile] = []

    def counter(files: Sequence[DataFile], parallelism: int) -> list[int | None]:
        seen.extend(files)
        return [100 + n for n, _ in enumerate(files)]

    context = ProcedureContext(catalog, count_rows=counter, default_database="db")
    result = procedure("analyze").run(context, {"table": "t", "partition": "dt=b"})
    assert [row[1] for row in result] == [100, 101]
    assert [file.format for file in seen] == ["parquet", "parquet"]


@pytest.mark.parametrize("of", ["", "*.db.*."])
def test_the_session_sets_the_parallelism(catalog: Catalog, of: str) -> None:
    measured(catalog)
    key = f"spark.paimon.{of}format-table.statistics.parallelism"
    assert (
        len(procedure("analyze").run(ProcedureContext(catalog, options={key: "1"}), {"table": "db.t"})) == 4
    )
    with pytest.raises(errors.InvalidInputError, match="format-table.statistics.parallelism"):
        procedure("analyze").run(ProcedureContext(catalog, options={key: "many"}), {"table": "db.t"})


def test_each_partition_is_measured_by_the_reader_of_its_own_format(catalog: Catalog) -> None:
    table = measured(catalog)
    call(catalog)
    specs = [dict(row.spec) for row in table.list_partitions()[1:]]
    formats = [{"file.format": name} for name in ("orc", "csv", "json")]
    catalog.create_partitions("db.t", specs, options=formats)
    (directory(table, "dt=b/hh=2") / "x.parquet").unlink()
    orc = directory(table, "dt=a/hh=2") / "x.parquet"
    pyarrow.orc.write_table(pyarrow.table({"id": list(range(7))}), str(orc))
    result = call(catalog)
    assert [row[5] for row in result] == ["parquet", "orc", "csv", "json"]
    # CSV has no row count: the stored one stays. Without files it is zero whatever the format.
    assert [row[1] for row in result] == [1, 7, 3, 0]
    assert list(rows_of(table).values()) == [1, 7, 3, 0]


def test_a_partition_that_is_registered_with_a_wrong_format_is_reported(
    catalog: Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    table = measured(catalog)
    call(catalog)
    catalog.create_partitions("db.t", [{"dt": "a", "hh": "2"}], options=[{"file.format": "orc"}])
    put(table, "dt=a/hh=2/y.parquet", 5)
    call(catalog)
    assert "dt=a/hh=2/x.parquet stays unknown" in caplog.text
    assert "row count of partition dt=a/hh=2 stays unknown: 2 of its 2 files" in caplog.text
    assert list(rows_of(table).values()) == [1, 2, 3, 4]


class _Rows:
    def __init__(self, catalog: Catalog, rows: list[Partition]) -> None:
        self._catalog, self._rows = catalog, rows

    def __getattr__(self, name: str) -> Any:
        if name == "list_partitions":
            return lambda *_, **__: self._rows
        return getattr(self._catalog, name)


def test_p57_a_custom_location_refuses_the_statement(catalog: Catalog) -> None:
    table = measured(catalog)
    rows: Any = _Rows(catalog, [Partition({"dt": "a", "hh": "01"}, options={"path": "file:/elsewhere"})])
    with pytest.raises(errors.UnsupportedError, match="custom location 'file:/elsewhere'"):
        analyze(FormatTable(table.info, rows))
    assert set(rows_of(table).values()) == {-1}


def test_p13_other_tables_say_where_their_partitions_come_from(catalog: Catalog, filesystem: Catalog) -> None:
    create(filesystem, {"dt": "STRING"})
    with pytest.raises(
        errors.UnsupportedError, match="ANALYZE TABLE works only with catalog-managed partitions"
    ):
        call(filesystem)
    create(catalog, {})
    with pytest.raises(errors.InvalidInputError, match="not a partitioned table"):
        call(catalog)


def test_p54_a_lost_answer_does_no_harm_because_the_numbers_replace(catalog: Catalog, faults: Faults) -> None:
    table = measured(catalog)
    faults.fail("create_partitions", errors.CatalogError("INTERNAL_ERROR", text="lost"), after=True, times=1)
    faulty = with_faults(table, faults)
    with pytest.raises(errors.CatalogError):
        analyze(faulty)
    analyze(faulty)
    assert list(rows_of(table).values()) == [1, 2, 3, 4]
    assert table.list_partitions()[0].statistics != PartitionStatistics.unknown()
