"""MSCK REPAIR TABLE: registrations follow directories, nothing else is touched."""

from __future__ import annotations

import shutil
from itertools import count
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.catalog.models import Partition
from spark_paimon.procedures import ProcedureContext, procedure
from spark_paimon.procedures.repair import BATCH, RepairAction, repair
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import commit
from spark_paimon.table.partitions import truncate
from spark_paimon.table.scan import plan_partitions
from tests.format_tables import (
    Faults,
    create,
    directory,
    everything,
    names,
    put,
    specs_of,
    stage,
    with_faults,
)

ADDED, DROPPED = "its directory was not registered", "its directory does not exist"


def call(catalog: Catalog, **arguments: Any) -> list[tuple[Any, ...]]:
    return procedure("repair").run(ProcedureContext(catalog), {"table": "db.t", **arguments})


def split(catalog: Catalog, value_only: bool = False) -> FormatTable:
    """``here`` on both sides, ``disk`` only a directory, ``catalog`` only registered."""
    table = create(catalog, {"dt": "STRING"}, value_only=value_only)
    catalog.create_partitions("db.t", [{"dt": "here"}, {"dt": "catalog"}])
    for name in ("here", "disk"):
        put(table, f"{table.layout.path({'dt': name})}/x.parquet", 3)
    return table


@pytest.mark.parametrize(
    ("mode", "left", "actions"),
    [
        ("ADD", ["dt=catalog", "dt=disk", "dt=here"], [("dt=disk", "ADD", ADDED)]),
        ("drop", ["dt=here"], [("dt=catalog", "DROP", DROPPED)]),
        ("SYNC", ["dt=disk", "dt=here"], [("dt=disk", "ADD", ADDED), ("dt=catalog", "DROP", DROPPED)]),
    ],
)
def test_p04_modes(
    catalog: Catalog, value_only: bool, mode: str, left: list[str], actions: list[Any]
) -> None:
    table = split(catalog, value_only)
    before = everything(table)
    assert call(catalog, mode=mode, dry_run=True) == actions
    assert names(table) == ["dt=catalog", "dt=here"]
    assert call(catalog, mode=mode) == actions
    assert names(table) == left
    assert everything(table) == before
    assert call(catalog, mode=mode) == []


def test_no_mode_means_add_and_another_word_is_an_error(catalog: Catalog) -> None:
    split(catalog)
    assert [action for _, action, _ in call(catalog)] == ["ADD"]
    with pytest.raises(errors.InvalidInputError, match="PURGE"):
        call(catalog, mode="PURGE")


def test_additions_come_before_removals_and_carry_no_numbers(catalog: Catalog, faults: Faults) -> None:
    repair(with_faults(split(catalog), faults), "SYNC")
    assert faults.methods("create_partitions", "drop_partitions") == ["create_partitions", "drop_partitions"]
    (added,) = faults.of("create_partitions")
    assert added[2]["ignore_if_exists"] is True
    assert not added[2].get("statistics")


def test_an_empty_difference_calls_nothing(catalog: Catalog, faults: Faults) -> None:
    table = create(catalog, {"dt": "STRING"})
    commit(table, [stage(table, dt="a")])
    assert repair(with_faults(table, faults), "SYNC") == []
    assert faults.of("create_partitions", "drop_partitions") == []


def test_a_failed_addition_prevents_the_removals(catalog: Catalog, faults: Faults) -> None:
    table = split(catalog)
    faults.fail("create_partitions", errors.CatalogError("INTERNAL_ERROR", text="lost"))
    with pytest.raises(errors.CatalogError):
        repair(with_faults(table, faults), "SYNC")
    assert names(table) == ["dt=catalog", "dt=here"]


@pytest.mark.parametrize("method", ["list_directory", "list_partitions"])
def test_both_listings_are_complete_before_anything_changes(
    catalog: Catalog, faults: Faults, method: str
) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    for dt in ("a", "b"):
        put(table, f"dt={dt}/hh=1/x")
    error: errors.PaimonError = errors.CatalogError("INTERNAL_ERROR", text="lost")
    if method == "list_directory":
        error = errors.StorageError("STORAGE_FAILED", operation="list", path="x", reason="refused")
    faults.fail(method, error, lambda *args, **_: method != "list_directory" or str(args[0]).endswith("dt=b"))
    with pytest.raises(type(error)):
        repair(with_faults(table, faults), "SYNC")
    assert faults.of("create_partitions", "drop_partitions") == []


def test_p03_many_partitions_go_in_bounded_batches_with_progress(
    catalog: Catalog, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BATCH == 1000
    monkeypatch.setattr("spark_paimon.procedures.repair.BATCH", 10)
    table = create(catalog, {"n": "INT"})
    total = 25
    for n in range(total):
        directory(table, f"n={n}").mkdir(parents=True)
    seen: list[tuple[str, int, int | None]] = []
    actions = repair(with_faults(table, faults), progress=lambda *step: seen.append(step))
    assert [len(specs_of(step)) for step in faults.of("create_partitions")] == [10, 10, 5]
    assert seen[-1] == ("partitions added", total, total)
    assert [action.partition for action in actions] == sorted(f"n={n}" for n in range(total))
    shutil.rmtree(directory(table))
    repair(with_faults(table, faults), "DROP")
    assert [len(specs_of(step)) for step in faults.of("drop_partitions")] == [10, 10, 5]


def test_p01_the_null_partition_of_a_value_only_table_is_seen(catalog: Catalog, value_only: bool) -> None:
    table = create(
        catalog,
        {"dt": "STRING", "hh": "INT"},
        value_only=value_only,
        options={"partition.default-name": "__NONE__"},
    )
    commit(table, [stage(table, dt=None, hh=1), stage(table, dt="a", hh=None)])
    catalog.drop_partitions("db.t", [{"dt": "__NONE__", "hh": "1"}])
    assert [row[0] for row in call(catalog, mode="SYNC")] == ["dt=__NONE__/hh=1"]
    assert len(plan_partitions(table).partitions) == 2


def test_p27_the_raw_text_of_the_directory_is_registered(catalog: Catalog) -> None:
    table = create(catalog, {"month": "INT"})
    put(table, "month=01/x")
    put(table, "month=a%3Ab/x")
    assert call(catalog)[0] == ("month=01", "ADD", ADDED)
    assert [row.spec for row in table.list_partitions()] == [{"month": "01"}]
    assert plan_partitions(table).partitions[0].location.endswith("month=01")


def test_decision_4_a_second_spelling_of_a_registered_value_is_reported_and_not_registered(
    catalog: Catalog,
) -> None:
    table = create(catalog, {"month": "INT"})
    commit(table, [stage(table, month=1)])
    put(table, "month=01/x")
    ((path, action, reason),) = call(catalog)
    assert (path, action) == ("month=01", "SKIP")
    assert "month=1" in reason
    assert names(table) == ["month=1"]


def test_j1_j3_p06_what_is_no_partition_is_reported_and_the_rest_registered(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    for path in (
        "dt=/hh=1/x",
        "dt=1/minute=3/x",
        "foo/bar/x",
        "dt=2/stray.parquet",
        "dt=3/hh=abc/x",
        "dt=c%20d/hh=1/x",
        "_tmp/x",
        ".x/x",
        "dt=ok/hh=1/x",
    ):
        put(table, path)
    found = call(catalog, mode="SYNC")
    assert [row for row in found if row[1] != "SKIP"] == [("dt=ok/hh=1", "ADD", ADDED)]
    skipped = {path: reason for path, _, reason in found if _ == "SKIP"}
    assert "empty" in skipped["dt="]
    assert "hh=value" in skipped["dt=1/minute=3"]
    assert "dt=value" in skipped["foo"]
    assert "not part of the table" in skipped["dt=2"]
    assert "'abc'" in skipped["dt=3/hh=abc"]
    assert any("dt=c%20d" in path for path in skipped)
    assert not any(path.startswith(("_", ".")) for path in skipped)
    assert names(table) == ["dt=ok/hh=1"]
    assert list(skipped) == sorted(skipped)


def test_a_value_only_directory_that_stands_for_an_upward_path_is_refused(
    catalog: Catalog, faults: Faults
) -> None:
    table = create(catalog, {"dt": "STRING"}, value_only=True)
    put(table, "%2E%2E/x")
    with pytest.raises(errors.InvalidInputError, match=r"'\.\.'"):
        repair(with_faults(table, faults))
    assert faults.of("list_partitions", "create_partitions") == []


def test_a_partition_argument_restricts_both_sides(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    catalog.create_partitions("db.t", [{"dt": "a", "hh": "9"}, {"dt": "b", "hh": "9"}])
    for path in ("dt=a/hh=1/x", "dt=b/hh=1/x"):
        put(table, path)
    found = call(catalog, mode="SYNC", partition="dt=a")
    assert [row[:2] for row in found] == [("dt=a/hh=1", "ADD"), ("dt=a/hh=9", "DROP")]
    assert names(table) == ["dt=a/hh=1", "dt=b/hh=9"]
    with pytest.raises(errors.InvalidInputError, match="leading"):
        call(catalog, partition="hh=1")


def test_a_hidden_value_only_registration_is_not_taken_for_missing(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"}, value_only=True)
    commit(table, [stage(table, dt="_x")])
    assert [row[1] for row in call(catalog, mode="SYNC")] == ["SKIP"]
    assert names(table) == ["dt=_x"]
    assert len(plan_partitions(table).partitions) == 1


class _Rows:
    def __init__(self, catalog: Catalog, rows: list[Partition]) -> None:
        self._catalog, self._rows = catalog, rows

    def __getattr__(self, name: str) -> Any:
        if name == "list_partitions":
            return lambda *_, **__: self._rows
        return getattr(self._catalog, name)


def test_custom_locations_are_left_as_they_are(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    put(table, "dt=a/x")
    custom = {"path": "file:/elsewhere"}
    rows: Any = _Rows(catalog, [Partition({"dt": dt}, options=custom) for dt in ("a", "b")])
    assert repair(FormatTable(table.info, rows), "SYNC", collect_statistics=True) == []


def test_p13_a_table_whose_partitions_are_directories_says_so(filesystem: Catalog) -> None:
    create(filesystem, {"dt": "STRING"})
    with pytest.raises(errors.UnsupportedError, match="MSCK REPAIR TABLE works only with catalog-managed"):
        call(filesystem)


# --- with statistics


COLLECT = {"spark.paimon.format-table.repair.collect-statistics": "true"}


def test_collecting_measures_what_is_added_and_what_was_there(catalog: Catalog, faults: Faults) -> None:
    table = split(catalog)
    repair(with_faults(table, faults), "SYNC", collect_statistics=True)
    (added,) = faults.of("create_partitions")
    assert [spec["dt"] for spec in specs_of(added)] == ["disk", "here"]
    assert added[2]["replace_statistics"] is True
    assert {row.statistics.file_count for row in table.list_partitions()} == {1}
    assert {row.statistics.record_count for row in table.list_partitions()} == {-1}
    assert faults.methods("create_partitions", "drop_partitions") == ["create_partitions", "drop_partitions"]


def test_the_session_option_turns_collecting_on(catalog: Catalog) -> None:
    table = split(catalog)
    procedure("repair").run(ProcedureContext(catalog, options=COLLECT), {"table": "db.t", "mode": "DROP"})
    assert [row.statistics.file_count for row in table.list_partitions()] == [1]


def test_collecting_keeps_the_zero_rows_of_a_truncated_partition(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    commit(table, [stage(table, dt="a")])
    truncate(table)
    repair(table, "ADD", collect_statistics=True)
    assert table.list_partitions()[0].statistics.record_count == 0


def test_a_failed_measurement_changes_nothing(catalog: Catalog, faults: Faults) -> None:
    table = split(catalog)
    refused = errors.StorageError("STORAGE_FAILED", operation="list", path="x", reason="refused")
    faults.fail("list_directory", refused, lambda path: path.endswith("dt=disk"))
    with pytest.raises(errors.StorageError):
        repair(with_faults(table, faults), "SYNC", collect_statistics=True)
    assert faults.of("create_partitions", "drop_partitions") == []
    assert {row.statistics for row in table.list_partitions()} == {PartitionStatistics.unknown()}
    assert RepairAction("a", "ADD", "b").action == "ADD"


@pytest.mark.parametrize("at", range(7))
def test_sync_after_a_listing_that_broke_at_any_directory_changes_nothing(
    catalog: Catalog, faults: Faults, at: int
) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    for dt in "abcdef":
        put(table, f"dt={dt}/hh=1/x.parquet")
    repair(table)
    put(table, "dt=a/hh=2/x.parquet")
    shutil.rmtree(directory(table, "dt=b/hh=1"))
    before = names(table)
    listed = count(1)
    error = errors.StorageError("STORAGE_FAILED", operation="list", path="x", reason="refused")
    faults.fail("list_directory", error, lambda *_, **__: next(listed) == at + 1)
    with pytest.raises(errors.StorageError, match="refused"):
        repair(with_faults(table, faults), "SYNC")
    assert faults.of("create_partitions", "drop_partitions") == []
    assert names(table) == before
    assert [action.action for action in repair(table, "SYNC")] == ["ADD", "DROP"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("method", ["create_partitions", "drop_partitions"])
def test_an_interrupted_repair_is_finished_by_the_next(
    catalog: Catalog, faults: Faults, monkeypatch: pytest.MonkeyPatch, method: str, when: str
) -> None:
    monkeypatch.setattr("spark_paimon.procedures.repair.BATCH", 10)
    table = create(catalog, {"n": "INT"})
    catalog.create_partitions("db.t", [{"n": str(n)} for n in range(100, 125)])
    for n in range(25):
        directory(table, f"n={n}").mkdir(parents=True)
    calls = count(1)
    error = errors.CatalogError("INTERNAL_ERROR", text="lost")
    faults.fail(method, error, lambda *_, **__: next(calls) == 2, after=when == "after")
    with pytest.raises(errors.CatalogError):
        repair(with_faults(table, faults), "SYNC")
    assert names(table) != sorted(f"n={n}" for n in range(25))
    repair(table, "SYNC")
    assert names(table) == sorted(f"n={n}" for n in range(25))
    assert repair(table, "SYNC") == []


def test_a_link_back_into_the_table_is_passed_over_and_named(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    put(table, "dt=a/x.parquet")
    directory(table, "dt=up").symlink_to(".")
    directory(table, "dt=a/again").symlink_to("..")
    skipped = RepairAction("dt=up", "SKIP", "it is a link to a directory that holds it")
    assert repair(table, collect_statistics=True) == [RepairAction("dt=a", "ADD", ADDED), skipped]
    assert [row.statistics.file_count for row in catalog.list_partitions("db.t")] == [1]
