"""ADD, DROP and TRUNCATE: checks first, then the catalog once, then directories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import commit
from spark_paimon.table.partitions import (
    add_partitions,
    drop_partitions,
    partition_exists,
    select_partitions,
    truncate,
)
from tests.format_tables import (
    NOW,
    Faults,
    create,
    directory,
    everything,
    names,
    put,
    specs_of,
    stage,
    visible,
    with_faults,
)


def refused() -> errors.StorageError:
    return errors.StorageError("DIRECTORY_NOT_DELETED", path="x", reason="refused")


def filled(catalog: Catalog, value_only: bool = False) -> FormatTable:
    table = create(catalog, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    commit(table, [stage(table, dt=dt, hh=hh) for dt in ("a", "b") for hh in (1, 2)])
    return table


# --- ADD


def test_add_registers_and_creates_directories(catalog: Catalog, value_only: bool) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    added = add_partitions(table, [{"dt": "a:b", "hh": 1}, {"dt": None, "hh": None}])
    assert added == ["dt=a%3Ab/hh=1", "dt=__DEFAULT_PARTITION__/hh=__DEFAULT_PARTITION__"]
    assert sorted(names(table)) == sorted(added)
    assert directory(table, "a%3Ab/1" if value_only else "dt=a%3Ab/hh=1").is_dir()
    assert {row.statistics for row in table.list_partitions()} == {PartitionStatistics.unknown()}


def test_add_is_one_call_with_the_whole_batch_and_no_lookup(catalog: Catalog, faults: Faults) -> None:
    table = with_faults(create(catalog, {"dt": "STRING"}), faults)
    add_partitions(table, [{"dt": "a"}, {"dt": "b"}], ignore_if_exists=True)
    assert faults.methods("create_partitions", "list_partitions", "list_partitions_by_names") == [
        "create_partitions"
    ]
    assert specs_of(faults.of("create_partitions")[0]) == [{"dt": "a"}, {"dt": "b"}]


def test_a_strict_add_of_an_existing_partition_adds_nothing(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    add_partitions(table, [{"dt": "a"}])
    with pytest.raises(errors.PartitionsExistError, match="dt=a"):
        add_partitions(table, [{"dt": "b"}, {"dt": "a"}])
    assert names(table) == ["dt=a"]
    assert not directory(table, "dt=b").exists()
    add_partitions(table, [{"dt": "b"}, {"dt": "a"}], ignore_if_exists=True)
    assert names(table) == ["dt=a", "dt=b"]


def test_when_a_directory_cannot_be_made_the_partition_stays_registered_and_a_rerun_repairs(
    catalog: Catalog, faults: Faults
) -> None:
    table = create(catalog, {"dt": "STRING"})
    faults.fail(
        "make_directory", errors.StorageError("STORAGE_FAILED", operation="create", path="x", reason="full")
    )
    with pytest.raises(errors.StorageError, match="full"):
        add_partitions(with_faults(table, faults), [{"dt": "a"}])
    assert names(table) == ["dt=a"]
    add_partitions(table, [{"dt": "a"}], ignore_if_exists=True)
    assert directory(table, "dt=a").is_dir()


def test_other_options_are_kept(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    add_partitions(table, [{"dt": "a"}, {"dt": "b"}], options=[{"file.format": "ORC", "mine": "1"}, {}])
    assert [dict(row.options) for row in table.list_partitions()] == [{"file.format": "orc", "mine": "1"}, {}]
    with pytest.raises(errors.InvalidInputError, match="1 maps of options for 2"):
        add_partitions(table, [{"dt": "c"}, {"dt": "d"}], options=[{}])


# --- what every statement checks


OPERATIONS: dict[str, Any] = {
    "ADD": lambda table, values: add_partitions(table, values),
    "DROP": lambda table, values: drop_partitions(table, values, ignore_if_not_exists=True),
    "TRUNCATE": lambda table, values: truncate(table, values),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_p15_a_blank_value_is_refused_for_the_whole_batch(
    catalog: Catalog, faults: Faults, operation: str, blank: str
) -> None:
    table = create(catalog, {"dt": "STRING"})
    commit(table, [stage(table, dt=None), stage(table, dt="a")])
    before = visible(table)
    with pytest.raises(errors.InvalidInputError) as caught:
        OPERATIONS[operation](with_faults(table, faults), [{"dt": "a"}, {"dt": blank}])
    assert all(word in str(caught.value) for word in (operation, "dt", "db.t", "__DEFAULT_PARTITION__"))
    assert faults.of("create_partitions", "drop_partitions", "delete_file") == []
    assert visible(table) == before


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_value_only_path_that_leads_upwards_is_refused_before_the_catalog(
    catalog: Catalog, faults: Faults, operation: str
) -> None:
    table = with_faults(create(catalog, {"dt": "STRING", "hh": "STRING"}, value_only=True), faults)
    with pytest.raises(errors.InvalidInputError, match="'..' cannot be used as a partition path component"):
        OPERATIONS[operation](table, [{"dt": "..", "hh": "x"}])
    assert faults.of("list_partitions", "create_partitions", "drop_partitions") == []


@pytest.mark.parametrize("operation", ["ADD", "DROP"])
@pytest.mark.parametrize("values", [[{"dt": "a"}], []])
def test_p13_add_and_drop_need_managed_partitions(
    filesystem: Catalog, operation: str, values: list[Mapping[str, Any]]
) -> None:
    table = create(filesystem, {"dt": "STRING"})
    with pytest.raises(errors.UnsupportedError, match="partitions of db.t come from the filesystem"):
        OPERATIONS[operation](table, values)
    assert not directory(table, "dt=a").exists()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_unpartitioned_table_has_no_partitions(either: Catalog, operation: str) -> None:
    with pytest.raises(errors.InvalidInputError, match="not a partitioned table"):
        OPERATIONS[operation](create(either, {}), [{"dt": "a"}])


def test_an_incomplete_partition_cannot_be_added(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    with pytest.raises(errors.InvalidInputError, match="dt, hh"):
        add_partitions(table, [{"dt": "a"}])


# --- DROP


@pytest.mark.parametrize(
    ("values", "left"),
    [
        ([{"dt": "a", "hh": 1}], ["dt=a/hh=2", "dt=b/hh=1", "dt=b/hh=2"]),
        ([{"dt": "a"}], ["dt=b/hh=1", "dt=b/hh=2"]),
        ([{"hh": 1}], ["dt=a/hh=2", "dt=b/hh=2"]),
        ([{"dt": "a", "hh": 1}, {"hh": 1}], ["dt=a/hh=2", "dt=b/hh=2"]),
        ([{"dt": "missing"}], ["dt=a/hh=1", "dt=a/hh=2", "dt=b/hh=1", "dt=b/hh=2"]),
        ([{}], []),
    ],
)
def test_drop_takes_complete_and_partial_specs(
    catalog: Catalog, value_only: bool, values: list[dict[str, Any]], left: list[str]
) -> None:
    table = filled(catalog, value_only)
    dropped = drop_partitions(table, values)
    assert names(table) == left
    assert len(dropped) == 4 - len(left)
    assert len(visible(table)) == len(left)
    assert directory(table, "a" if value_only else "dt=a").is_dir()


def test_a_missing_complete_partition_fails_the_drop_and_if_exists_keeps_its_directory(
    catalog: Catalog,
) -> None:
    table = filled(catalog)
    put(table, "dt=waiting/hh=1/x.parquet")
    batch = [{"dt": "a", "hh": 1}, {"dt": "waiting", "hh": 1}]
    with pytest.raises(errors.NoSuchPartitionError, match="dt=waiting/hh=1"):
        drop_partitions(table, batch)
    assert len(names(table)) == 4
    assert drop_partitions(table, batch, ignore_if_not_exists=True) == ["dt=a/hh=1"]
    assert "dt=waiting/hh=1/x.parquet" in visible(table)


def test_the_catalog_forgets_before_directories_go(catalog: Catalog, faults: Faults) -> None:
    table = filled(catalog)
    drop_partitions(with_faults(table, faults), [{"dt": "a"}])
    assert faults.methods("drop_partitions", "delete_directory") == [
        "drop_partitions",
        *["delete_directory"] * 2,
    ]


def test_a_refused_deletion_is_an_error_and_the_other_directories_go_anyway(
    catalog: Catalog, faults: Faults
) -> None:
    table = filled(catalog)
    faults.fail("delete_directory", refused(), lambda path: path.endswith("dt=a/hh=1"))
    with pytest.raises(errors.StorageError, match="was not deleted"):
        drop_partitions(with_faults(table, faults), [{"dt": "a"}])
    assert names(table) == ["dt=b/hh=1", "dt=b/hh=2"]
    assert not directory(table, "dt=a/hh=2").exists()


@pytest.mark.parametrize("after", [False, True])
def test_p54_a_lost_answer_of_the_catalog_leaves_the_directories(
    catalog: Catalog, faults: Faults, after: bool
) -> None:
    table = filled(catalog)
    faults.fail("drop_partitions", errors.CatalogError("INTERNAL_ERROR", text="lost"), after=after)
    with pytest.raises(errors.CatalogError):
        drop_partitions(with_faults(table, faults), [{"dt": "a"}])
    assert faults.of("create_partitions", "delete_directory") == []
    assert len(visible(table)) == 4


def test_a_failed_listing_drops_nothing(catalog: Catalog, faults: Faults) -> None:
    table = filled(catalog)
    faults.fail("list_partitions", errors.CatalogError("INTERNAL_ERROR", text="lost"))
    with pytest.raises(errors.CatalogError):
        drop_partitions(with_faults(table, faults), [{"dt": "a"}])
    assert faults.of("drop_partitions", "delete_directory") == []


def test_a_missing_directory_is_no_obstacle_and_an_empty_batch_calls_nothing(
    catalog: Catalog, faults: Faults
) -> None:
    table = create(catalog, {"dt": "STRING"})
    catalog.create_partitions("db.t", [{"dt": "a"}])
    assert drop_partitions(table, [{"dt": "a"}]) == ["dt=a"]
    assert drop_partitions(with_faults(table, faults), []) == []
    assert faults.calls == []


def test_p24_p16_the_null_partition_is_addressed_by_null(catalog: Catalog, value_only: bool) -> None:
    table = create(catalog, {"n": "INT", "s": "STRING"}, value_only=value_only)
    commit(table, [stage(table, n=None, s=None), stage(table, n=1, s="x")])
    drop_partitions(table, [{"n": None, "s": None}])
    assert names(table) == ["n=1/s=x"]


def test_p27_a_value_addresses_every_registration_of_it(catalog: Catalog, value_only: bool) -> None:
    table = create(catalog, {"month": "INT", "day": "DATE"}, value_only=value_only)
    specs = [{"month": m, "day": d} for m in ("01", "1") for d in ("20089", "2025-01-01")]
    catalog.create_partitions("db.t", specs)
    values = {"month": 1, "day": 20089}
    assert partition_exists(table, values)
    for spec in specs:
        put(table, f"{table.layout.path(spec)}/x.parquet")
    truncate(table, [values])
    assert visible(table) == []
    assert {row.statistics.file_count for row in table.list_partitions()} == {0}
    assert len(drop_partitions(table, [values])) == 4
    assert not partition_exists(table, values)


def test_many_specs_are_found_by_one_listing(catalog: Catalog, faults: Faults) -> None:
    table = create(catalog, {"n": "INT"})
    catalog.create_partitions("db.t", [{"n": str(n)} for n in range(100)])
    assert len(drop_partitions(with_faults(table, faults), [{"n": n} for n in range(90)])) == 90
    assert len(faults.of("list_partitions")) == 1
    assert len(faults.of("drop_partitions")) == 1


def test_many_specs_below_few_leading_values_are_found_without_listing_everything(
    catalog: Catalog, faults: Faults
) -> None:
    table = create(catalog, {"month": "INT", "day": "INT"})
    catalog.create_partitions(
        "db.t", [{"month": str(month), "day": str(day)} for month in (1, 2, 3) for day in range(40)]
    )
    wanted = [{"month": month, "day": day} for month in (1, 2) for day in range(30)]
    assert len(drop_partitions(with_faults(table, faults), wanted)) == 60
    assert [call[2]["prefix"] for call in faults.of("list_partitions")] == [{"month": "1"}, {"month": "2"}]
    assert len(names(table)) == 60


# --- existence and selection


def test_existence_means_registered_or_a_directory(either: Catalog, value_only: bool) -> None:
    table = filled(either, value_only)
    assert partition_exists(table, {"dt": "a", "hh": 1})
    assert not partition_exists(table, {"dt": "a", "hh": 9})
    assert not partition_exists(table, {"dt": None, "hh": None})
    with pytest.raises(errors.InvalidInputError, match="blank"):
        partition_exists(table, {"dt": "", "hh": 1})


def test_selection_takes_any_columns(either: Catalog, value_only: bool) -> None:
    table = filled(either, value_only)
    assert [row.spec["dt"] for row in select_partitions(table, {"hh": 2})] == ["a", "b"]
    assert len(select_partitions(table)) == 4


# --- TRUNCATE


def test_truncate_table_empties_its_partitions_and_keeps_everything_else(
    either: Catalog, value_only: bool
) -> None:
    table = filled(either, value_only)
    first = "a/1" if value_only else "dt=a/hh=1"
    for kept in (f"{first}/_temporary/x", f"{first}/.x", "_temporary/x", "root.parquet"):
        put(table, kept)
    put(table, f"{first}/sub/deep.parquet")
    emptied = truncate(table, now_millis=NOW)
    assert len(emptied) == 4
    assert visible(table) == ["root.parquet"]
    assert {f"{first}/_temporary/x", f"{first}/.x", "_temporary/x"} <= set(everything(table))
    assert names(table) == ["dt=a/hh=1", "dt=a/hh=2", "dt=b/hh=1", "dt=b/hh=2"]
    if table.managed:
        assert {row.statistics for row in table.list_partitions()} == {PartitionStatistics.exact_zero(NOW)}


def test_truncate_touches_no_unregistered_directory_of_a_managed_table(catalog: Catalog) -> None:
    table = filled(catalog)
    put(table, "dt=waiting/hh=1/x.parquet")
    truncate(table)
    assert visible(table) == ["dt=waiting/hh=1/x.parquet"]
    assert len(names(table)) == 4


@pytest.mark.parametrize(
    ("values", "left"), [({"dt": "a"}, 2), ({"dt": "a", "hh": 1}, 3), ({"dt": "zzz"}, 4)]
)
def test_truncate_partition_takes_leading_values(
    either: Catalog, value_only: bool, values: dict[str, Any], left: int
) -> None:
    table = filled(either, value_only)
    truncate(table, [values])
    assert len(visible(table)) == left


def test_truncating_a_missing_complete_partition_is_an_error(either: Catalog) -> None:
    table = filled(either)
    with pytest.raises(errors.NoSuchPartitionError, match="dt=a/hh=9"):
        truncate(table, [{"dt": "a", "hh": 9}])
    assert len(visible(table)) == 4


def test_truncating_by_columns_that_do_not_lead_is_refused_before_any_lookup(
    either: Catalog, faults: Faults
) -> None:
    table = with_faults(filled(either), faults)
    with pytest.raises(errors.InvalidInputError, match="is not a leading prefix of partition keys"):
        truncate(table, [{"hh": 1}])
    assert faults.of("list_partitions", "list_directory") == []


def test_truncate_of_an_unpartitioned_table_keeps_its_metadata(either: Catalog) -> None:
    table = create(either, {})
    put(table, "a.parquet")
    put(table, "_temporary/x")
    assert truncate(table) == []
    assert visible(table) == []
    assert either.get_table("db.t").schema == table.schema


def test_a_partition_without_directory_is_reported_as_empty_too(catalog: Catalog, faults: Faults) -> None:
    table = create(catalog, {"dt": "STRING"})
    catalog.create_partitions("db.t", [{"dt": "a"}], options=[{"file.format": "orc"}])
    truncate(with_faults(table, faults), [{"dt": "a"}], now_millis=NOW)
    (row,) = table.list_partitions()
    assert row.statistics == PartitionStatistics.exact_zero(NOW)
    assert row.options == {"file.format": "orc"}
    (call,) = faults.of("create_partitions")
    assert call[2]["options"] == [{"path": f"{table.location}/dt=a"}]


def test_partitions_emptied_before_a_failure_are_reported(catalog: Catalog, faults: Faults) -> None:
    table = filled(catalog)
    faults.fail(
        "delete_file",
        lambda: errors.StorageError("FILE_NOT_DELETED", path="F", reason="no"),
        lambda p: "dt=b" in p,
    )
    with pytest.raises(errors.StorageError, match="Failed to delete data file F of table db.t") as caught:
        truncate(with_faults(table, faults), now_millis=NOW)
    assert caught.value.condition == "TRUNCATE_FAILED"
    assert [row.statistics.record_count for row in table.list_partitions()] == [0, 0, 1, 1]


def test_a_failing_report_does_not_hide_the_failed_deletion(catalog: Catalog, faults: Faults) -> None:
    table = filled(catalog)
    faults.fail(
        "delete_file",
        lambda: errors.StorageError("FILE_NOT_DELETED", path="F", reason="no"),
        lambda p: "dt=b" in p,
    )
    faults.fail("create_partitions", errors.CatalogError("INTERNAL_ERROR", text="lost"))
    with pytest.raises(errors.StorageError) as caught:
        truncate(with_faults(table, faults), now_millis=NOW)
    assert [type(each) for each in caught.value.suppressed] == [errors.CatalogError]  # type: ignore[attr-defined]


def test_truncating_a_table_that_became_a_delta_table_is_refused(either: Catalog) -> None:
    table = filled(either)
    (directory(table) / "_delta_log").mkdir()
    with pytest.raises(errors.UnsupportedError, match="Delta table"):
        table.truncate()
    assert len(visible(table)) == 4


def test_a_value_that_is_registered_in_another_spelling_is_there(catalog: Catalog) -> None:
    """Decision 4 of this project: ``01`` and ``1`` of an INT column are one value."""
    table = create(catalog, {"n": "INT", "dt": "DATE"})
    catalog.create_partitions("db.t", [{"n": "01", "dt": "20089"}])
    values = {"n": 1, "dt": 20089}
    assert add_partitions(table, [values], ignore_if_exists=True) == ["n=01/dt=20089"]
    assert names(table) == ["n=01/dt=20089"]
    with pytest.raises(errors.PartitionsExistError, match="n=01/dt=20089"):
        add_partitions(table, [values])
    with pytest.raises(errors.PartitionsExistError):
        add_partitions(table, [values], options=[{"location": "file:/elsewhere"}])
    assert not directory(table, "n=1").exists()
    # Where both are registered already, each stays what it is.
    catalog.create_partitions("db.t", [{"n": "1", "dt": "2025-01-01"}])
    assert add_partitions(table, [values], ignore_if_exists=True) == ["n=1/dt=2025-01-01"]
    assert len(names(table)) == 2
