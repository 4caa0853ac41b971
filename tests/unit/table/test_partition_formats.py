"""Partitions with a format of their own: who sets it, who keeps it, what is refused because of it."""

from __future__ import annotations

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.procedures.analyze import analyze
from spark_paimon.schema import SetOption
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import WriteMode, commit
from spark_paimon.table.metadata import metadata_table
from spark_paimon.table.partitions import truncate
from spark_paimon.table.scan import plan_partitions
from tests.format_tables import (
    NOW,
    Faults,
    create,
    directory,
    everything,
    put,
    stage,
    visible,
    with_faults,
)

APPEND, OVERWRITE, DYNAMIC = WriteMode.APPEND, WriteMode.OVERWRITE, WriteMode.OVERWRITE_DYNAMIC


@pytest.fixture
def table(catalog: Catalog) -> FormatTable:
    """A PARQUET table whose partition ``a`` is ORC, while ``b`` inherits; one file in each."""
    made = create(catalog, {"dt": "STRING"})
    both = [{"dt": "a"}, {"dt": "b"}]
    catalog.create_partitions("db.t", both, options=[{"file.format": "orc", "x": "y"}, {}])
    put(made, "dt=a/old", 2)
    put(made, "dt=b/old", 2)
    return made


def options(table: FormatTable) -> dict[str, dict[str, str]]:
    return {row.spec["dt"]: dict(row.options) for row in table.list_partitions()}


def formats(table: FormatTable) -> dict[str, str]:
    return {entry.spec["dt"]: entry.format for entry in plan_partitions(table).partitions}


def test_the_format_of_a_partition_is_its_own_or_that_of_the_table(table: FormatTable) -> None:
    assert formats(table) == {"a": "orc", "b": "parquet"}
    rows = metadata_table(table, "partitions").rows
    assert [row[5] for row in rows] == ["orc", "parquet"]
    assert [row[2] for row in metadata_table(table, "files").rows] == ["orc", "parquet"]


def test_p85_an_append_of_another_format_changes_nothing(table: FormatTable) -> None:
    before, old = everything(table), (directory(table) / "dt=a/old").read_bytes()
    good, bad = stage(table, dt="b"), stage(table, dt="a")
    with pytest.raises(errors.UnsupportedError, match=r"parquet.*dt=a.*file\.format=orc") as caught:
        commit(table, [good, bad])
    assert caught.value.condition == "APPEND_FORMAT_MISMATCH"
    assert everything(table) == before
    assert (directory(table) / "dt=a/old").read_bytes() == old
    assert options(table) == {"a": {"file.format": "orc", "x": "y"}, "b": {}}


def test_an_append_never_sends_options(table: FormatTable, faults: Faults) -> None:
    commit(with_faults(table, faults), [stage(table, dt="b"), stage(table, dt="c")])
    assert all(not call[2].get("options") for call in faults.of("create_partitions"))
    assert options(table) == {"a": {"file.format": "orc", "x": "y"}, "b": {}, "c": {}}


@pytest.mark.parametrize(
    ("mode", "static", "written"),
    [
        (OVERWRITE, {"dt": "a"}, ("a",)),
        (OVERWRITE, {"dt": "b"}, ("b",)),
        (OVERWRITE, {}, ("a", "b", "c")),
        (DYNAMIC, {}, ("a", "b", "c")),
        (DYNAMIC, {}, ("b",)),
    ],
)
def test_an_overwrite_records_the_format_it_wrote_also_where_it_was_inherited(
    table: FormatTable, mode: WriteMode, static: dict[str, str], written: tuple[str, ...]
) -> None:
    commit(table, [stage(table, dt=value) for value in written], mode, static)
    after = options(table)
    assert {value: after[value].get("file.format") for value in written} == dict.fromkeys(written, "parquet")
    if "a" in written:
        assert after["a"]["x"] == "y"
    else:
        assert after["a"]["file.format"] == "orc"
    assert formats(table)["b"] == "parquet"


@pytest.mark.parametrize(("mode", "static"), [(OVERWRITE, {}), (OVERWRITE, {"dt": "a"})])
def test_an_overwrite_without_rows_records_the_format_too(
    table: FormatTable, mode: WriteMode, static: dict[str, str]
) -> None:
    commit(table, [], mode, static)
    assert options(table)["a"]["file.format"] == "parquet"
    commit(table, [stage(table, dt="a")])


def test_an_overwrite_in_another_format_than_the_table_says_which(table: FormatTable) -> None:
    other = table.copy({"file.format": "json"})
    commit(other, [stage(table, dt="a"), stage(table, dt="b")], DYNAMIC)
    assert formats(table) == {"a": "json", "b": "json"}


def test_truncating_keeps_the_format(table: FormatTable, faults: Faults) -> None:
    truncate(with_faults(table, faults))
    (call,) = faults.of("create_partitions")
    assert all("file.format" not in given for given in call[2]["options"])
    assert options(table) == {"a": {"file.format": "orc", "x": "y"}, "b": {}}
    with pytest.raises(errors.UnsupportedError):
        commit(table, [stage(table, dt="a")])


def test_analyzing_keeps_the_format(table: FormatTable) -> None:
    analyze(table)
    assert options(table) == {"a": {"file.format": "orc", "x": "y"}, "b": {}}


def test_an_overwrite_whose_catalog_failed_is_repaired_as_documented(
    table: FormatTable, catalog: Catalog, faults: Faults
) -> None:
    faults.fail("create_partitions", errors.CatalogError("INTERNAL_ERROR", text="gone"))
    file = stage(table, 5, dt="a")
    with pytest.raises(errors.CommitError, match=r"file\.format.*'parquet'") as caught:
        commit(with_faults(table, faults), [file], OVERWRITE, {"dt": "a"})
    assert caught.value.condition == "COMMIT_OVERWRITE_UNREGISTERED"
    assert len([path for path in visible(table) if path.startswith("dt=a/")]) == 1
    assert formats(table)["a"] == "orc"
    catalog.create_partitions(
        "db.t",
        [{"dt": "a"}],
        statistics=[({"dt": "a"}, PartitionStatistics(5, file.size, 1, NOW))],
        replace_statistics=True,
        options=[{"file.format": "parquet"}],
    )
    assert options(table)["a"] == {"file.format": "parquet", "x": "y"}
    assert table.list_partitions()[0].statistics.record_count == 5
    commit(table, [stage(table, dt="a")])
    assert table.list_partitions()[0].statistics.record_count == 6


def test_another_table_format_is_what_inheriting_partitions_and_new_files_have(
    table: FormatTable, catalog: Catalog, faults: Faults
) -> None:
    catalog.create_partitions("db.t", [{"dt": "b"}], options=[{"file.format": "parquet"}])
    catalog.create_partitions("db.t", [{"dt": "c"}])
    catalog.alter_table("db.t", [SetOption("file.format", "csv")])
    changed = catalog.get_table("db.t")
    assert formats(changed) == {"a": "orc", "b": "parquet", "c": "csv"}
    with pytest.raises(errors.UnsupportedError, match=r"csv.*dt=b.*file\.format=parquet"):
        commit(changed, [stage(changed, dt="b")])
    commit(changed, [stage(changed, dt="c")])


@pytest.mark.parametrize("text", ["", " ", "avro"])
def test_a_format_that_a_foreign_catalog_stored_is_an_error_and_no_guess(catalog: Catalog, text: str) -> None:
    table = create(catalog, {"dt": "STRING"})
    with pytest.raises(errors.UnsupportedError, match="ORC, PARQUET, CSV, TEXT, JSON, MOSAIC"):
        table.effective_format({"file.format": text})
