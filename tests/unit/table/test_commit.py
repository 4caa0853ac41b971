"""Commits that succeed: what is published, replaced, created, registered and counted."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from spark_paimon.catalog.interface import Catalog
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import CommitReport, StagedFile, WriteMode, abort, check_write, commit
from spark_paimon.table.metadata import metadata_table
from spark_paimon.table.scan import plan_partitions
from tests.format_tables import (
    NOW,
    Faults,
    create,
    directory,
    everything,
    folders,
    names,
    open_catalog,
    put,
    specs_of,
    stage,
    visible,
    with_faults,
)

APPEND, OVERWRITE, DYNAMIC = WriteMode.APPEND, WriteMode.OVERWRITE, WriteMode.OVERWRITE_DYNAMIC


def write(
    table: FormatTable,
    *files: StagedFile,
    mode: WriteMode = APPEND,
    static: dict[str, Any] | None = None,
    now: int = NOW,
) -> CommitReport:
    check_write(table, mode, static)
    return commit(table, files, mode, static, now)


def statistics(table: FormatTable) -> dict[str, PartitionStatistics]:
    return {table.layout.name(row.spec): row.statistics for row in table.list_partitions()}


# --- append


def test_append_publishes_registers_and_counts(catalog: Catalog, value_only: bool) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    first, second = stage(table, 3, dt="a:b", hh=1), stage(table, 4, dt="a:b", hh=1)
    other = stage(table, 5, dt="c", hh=2)
    assert visible(table) == []
    report = write(table, first, second, other)
    assert report == CommitReport(("dt=a%3Ab/hh=1", "dt=c/hh=2"))
    assert folders(table) == (["a%3Ab/1", "c/2"] if value_only else ["dt=a%3Ab/hh=1", "dt=c/hh=2"])
    assert statistics(table)["dt=a%3Ab/hh=1"] == PartitionStatistics(7, first.size + second.size, 2, NOW)
    write(table, stage(table, 1, dt="c", hh=2), now=NOW - 5)
    assert statistics(table)["dt=c/hh=2"].record_count == 6
    assert statistics(table)["dt=c/hh=2"].last_file_creation_time == NOW


def test_append_registers_without_numbers_first_and_adds_them_in_a_second_call(
    catalog: Catalog, faults: Faults
) -> None:
    table = with_faults(create(catalog, {"dt": "STRING"}), faults)
    write(table, stage(table, dt="a"))
    first, second = faults.of("create_partitions")
    assert not first[2].get("statistics")
    assert not first[2].get("options")
    assert second[2]["statistics"]
    assert not second[2].get("replace_statistics")
    assert not second[2].get("options")


def test_a_file_without_row_count_makes_the_rows_unknown_and_keeps_the_files_exact(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    known = stage(table, 3, dt="a")
    uncounted = stage(table, 3, dt="a")
    uncounted = StagedFile(uncounted.spec, uncounted.staged, uncounted.final)
    write(table, known, uncounted)
    assert statistics(table)["dt=a"] == PartitionStatistics(-1, -1, 2, NOW)


def test_files_become_visible_under_their_final_names_only(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    file = stage(table, dt="a", name="data-1.parquet")
    write(table, file)
    assert visible(table) == ["dt=a/data-1.parquet"]
    assert not table.storage.exists(file.staged)


def test_p43_only_files_of_the_messages_are_committed(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    dead = stage(table, dt="a")
    write(table, stage(table, dt="a"))
    assert len(visible(table)) == 1
    assert table.storage.exists(dead.staged)


@pytest.mark.parametrize("mode", [APPEND, OVERWRITE, DYNAMIC])
def test_unpartitioned_tables_are_written_in_every_mode(either: Catalog, mode: WriteMode) -> None:
    table = create(either, {})
    put(table, "old.parquet")
    put(table, "sub/old.parquet")
    put(table, "_temporary/other/old.parquet")
    report = write(table, stage(table, name="new.parquet"), mode=mode)
    assert report == CommitReport()
    assert visible(table) == (
        ["new.parquet", "old.parquet", "sub/old.parquet"] if mode is APPEND else ["new.parquet"]
    )
    assert "_temporary/other/old.parquet" in everything(table)
    assert [entry.location for entry in plan_partitions(table).partitions] == [table.location]


def test_an_unpartitioned_overwrite_without_rows_empties_the_table_and_keeps_its_schema(
    either: Catalog,
) -> None:
    table = create(either, {})
    put(table, "old.parquet")
    write(table, mode=OVERWRITE)
    assert visible(table) == []
    assert either.get_table("db.t").schema == table.schema


# --- overwrite


def test_p45_static_overwrite_replaces_exactly_its_partition(either: Catalog, value_only: bool) -> None:
    table = create(either, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    write(table, stage(table, 1, dt="a", hh=1), stage(table, 1, dt="a", hh=2))
    report = write(table, stage(table, 5, dt="a", hh=1), mode=OVERWRITE, static={"dt": "a", "hh": 1})
    assert report.replaced == ("dt=a/hh=1",)
    assert len(visible(table)) == 2
    if table.managed:
        assert statistics(table)["dt=a/hh=1"].record_count == 5


def test_prefix_overwrite_replaces_everything_below_the_prefix(either: Catalog, value_only: bool) -> None:
    table = create(either, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    write(table, *(stage(table, dt=dt, hh=hh) for dt, hh in (("a", 1), ("a", None), ("b", 1))))
    report = write(table, stage(table, dt="a", hh=3), mode=OVERWRITE, static={"dt": "a"})
    assert set(report.replaced) == {"dt=a/hh=1", "dt=a/hh=__DEFAULT_PARTITION__"}
    left = ["a/3", "b/1"] if value_only else ["dt=a/hh=3", "dt=b/hh=1"]
    assert folders(table) == left
    if table.managed:
        numbers = statistics(table)
        assert numbers["dt=a/hh=1"] == PartitionStatistics.exact_zero(NOW)
        assert numbers["dt=a/hh=3"].record_count == 1
        assert numbers["dt=b/hh=1"].record_count == 1


def test_whole_table_overwrite_replaces_every_partition_even_without_rows(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    write(table, stage(table, dt="a"), stage(table, dt=None))
    write(table, mode=OVERWRITE)
    assert visible(table) == []
    assert names(table) == ["dt=__DEFAULT_PARTITION__", "dt=a"]
    if table.managed:
        assert set(statistics(table).values()) == {PartitionStatistics.exact_zero(NOW)}


def test_whole_table_overwrite_of_a_managed_table_leaves_unregistered_directories(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    write(table, stage(table, dt="a"))
    put(table, "dt=waiting/x.parquet")
    put(table, "stray.parquet")
    put(table, "no-partition/x.parquet")
    write(table, stage(table, dt="b"), mode=OVERWRITE)
    assert names(table) == ["dt=a", "dt=b"]
    assert folders(table) == ["", "dt=b", "dt=waiting", "no-partition"]


@pytest.mark.parametrize(
    ("mode", "static"),
    [(OVERWRITE, {}), (OVERWRITE, {"dt": "a"}), (DYNAMIC, {})],
    ids=["table", "static", "dynamic"],
)
def test_p46_overwrite_clears_the_directory_of_a_partition_that_is_not_registered(
    catalog: Catalog, mode: WriteMode, static: dict[str, Any]
) -> None:
    table = create(catalog, {"dt": "STRING"})
    put(table, "dt=a/left-over.parquet", 100)
    for _ in range(3):
        write(table, stage(table, 1, dt="a", name=None), mode=mode, static=static)
        assert len(visible(table)) == 1
    assert statistics(table)["dt=a"].record_count == 1


def test_dynamic_overwrite_replaces_the_written_partitions_only(either: Catalog, value_only: bool) -> None:
    table = create(either, {"dt": "STRING"}, value_only=value_only)
    write(table, stage(table, dt="a"), stage(table, dt="b"))
    report = write(table, stage(table, 4, dt="b"), mode=DYNAMIC)
    assert report == CommitReport(("dt=b",), ("dt=b",))
    assert len(visible(table)) == 2
    if table.managed:
        assert statistics(table)["dt=a"].record_count == 1
        assert statistics(table)["dt=b"].record_count == 4


def test_a_dynamic_overwrite_without_rows_changes_nothing_and_calls_nothing(
    catalog: Catalog, faults: Faults
) -> None:
    table = create(catalog, {"dt": "STRING"})
    write(table, stage(table, dt="a"))
    before = statistics(table)
    assert write(with_faults(table, faults), mode=DYNAMIC) == CommitReport()
    assert faults.of("create_partitions") == []
    assert statistics(table) == before


def test_overwrite_reports_every_target_in_one_call_with_place_format_and_replacing_numbers(
    catalog: Catalog, faults: Faults
) -> None:
    table = create(catalog, {"dt": "STRING"})
    write(table, stage(table, dt="a"), stage(table, dt="b"))
    write(with_faults(table, faults), stage(table, 9, dt="c"), mode=OVERWRITE)
    (call,) = faults.of("create_partitions")
    assert [spec["dt"] for spec in specs_of(call)] == ["a", "b", "c"]
    assert call[2]["replace_statistics"] is True
    assert [numbers.record_count for _, numbers in call[2]["statistics"]] == [0, 0, 9]
    assert call[2]["options"] == [
        {"path": f"{table.location}/dt={dt}", "file.format": "parquet"} for dt in ("a", "b", "c")
    ]
    assert {row.options.get("file.format") for row in table.list_partitions()} == {"parquet"}


def test_overwrite_makes_the_format_of_a_partition_that_of_the_writer(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    catalog.create_partitions("db.t", [{"dt": "a"}], options=[{"file.format": "orc"}])
    put(table, "dt=a/old.orc")
    write(table, stage(table, dt="a"), mode=DYNAMIC)
    assert plan_partitions(table).partitions[0].format == "parquet"
    assert len(visible(table)) == 1


@pytest.mark.parametrize("mode", [APPEND, OVERWRITE, DYNAMIC])
def test_p49_a_static_complete_partition_exists_even_without_rows(
    either: Catalog, value_only: bool, mode: WriteMode
) -> None:
    table = create(either, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    report = write(table, mode=mode, static={"dt": "x", "hh": 7})
    assert report.written == ("dt=x/hh=7",)
    assert directory(table, "x/7" if value_only else "dt=x/hh=7").is_dir()
    assert names(table) == ["dt=x/hh=7"]


def test_p25_a_static_null_partition_without_rows_is_the_default_partition(
    either: Catalog, value_only: bool
) -> None:
    table = create(either, {"dt": "INT"}, value_only=value_only)
    write(table, mode=APPEND, static={"dt": None})
    assert names(table) == ["dt=__DEFAULT_PARTITION__"]


def test_p10_a_prefix_without_rows_registers_no_incomplete_partition(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    write(table, mode=OVERWRITE, static={"dt": "x"})
    assert names(table) == []


def test_p27_overwrite_by_value_replaces_every_spelling(either: Catalog, value_only: bool) -> None:
    table = create(either, {"month": "INT", "hh": "STRING"}, value_only=value_only)
    for month in ("01", "1"):
        path = f"{month}/a" if value_only else f"month={month}/hh=a"
        put(table, f"{path}/old.parquet", 10)
        if table.managed:
            either.create_partitions("db.t", [{"month": month, "hh": "a"}])
    write(table, stage(table, 1, month=1, hh="a"), mode=DYNAMIC)
    assert len(visible(table)) == 1
    put(table, ("01/a" if value_only else "month=01/hh=a") + "/again.parquet")
    write(table, stage(table, 1, month=1, hh="a"), mode=OVERWRITE, static={"month": 1})
    assert len(visible(table)) == 1


@pytest.mark.parametrize(
    ("kind", "value", "spellings"),
    [
        ("DATE", (datetime.date(2025, 1, 1) - datetime.date(1970, 1, 1)).days, ("20089", "2025-01-01")),
        ("DECIMAL(10, 2)", Decimal("1.50"), ("1.5", "1.50")),
    ],
)
def test_p21_overwrite_of_a_typed_value_finds_both_spellings(
    either: Catalog, kind: str, value: Any, spellings: tuple[str, ...]
) -> None:
    table = create(either, {"p": kind})
    for text in spellings:
        put(table, f"p={text}/old.parquet")
        if table.managed:
            either.create_partitions("db.t", [{"p": text}])
    write(table, stage(table, p=value), mode=OVERWRITE, static={"p": value})
    assert len(visible(table)) == 1


def test_overwrite_clears_a_foreign_spelling_of_a_discovered_directory(filesystem: Catalog) -> None:
    table = create(filesystem, {"p": "STRING"})
    put(table, "p=c%20d/old.parquet")
    write(table, stage(table, p="c d"), mode=OVERWRITE)
    assert folders(table) == ["p=c d"]


def test_p07_overwrite_keeps_the_staging_trees_of_other_writers(either: Catalog, value_only: bool) -> None:
    table = create(either, {"dt": "STRING"}, value_only=value_only)
    write(table, stage(table, dt="a"), stage(table, dt=None))
    prefix = "" if value_only else "dt="
    kept = [
        f"{prefix}a/__magic_job-1/x",
        f"{prefix}a/_temporary/0/task/x",
        f"{prefix}__DEFAULT_PARTITION__/.x",
    ]
    for path in [*kept, "_temporary/0/x"]:
        put(table, path)
    write(table, mode=OVERWRITE)
    assert visible(table) == []
    assert {*kept, "_temporary/0/x"} <= set(everything(table))


def test_p52_p09_odd_column_names_and_values_survive(either: Catalog, value_only: bool) -> None:
    table = create(either, {"_loc%al": "STRING"}, value_only=value_only)
    values = [
        "a/b",
        "a=b",
        "a%2Fb",
        "é",
        "🎉",
        "a\nb",
        "\\",
        "'",
        '"',
        "*",
        "[x]",
        "{x}",
        "x " * 20,
        "A",
        "a",
    ]
    write(table, *(stage(table, 2, **{"_loc%al": value}) for value in values))
    assert sorted(row.spec["_loc%al"] for row in table.list_partitions()) == sorted(values)
    assert len(metadata_table(table, "files").rows) == len(values)
    write(table, mode=OVERWRITE, static={"_loc%al": "a%2Fb"})
    assert len(metadata_table(table, "files").rows) == len(values) - 1


def test_k_v_segments_of_the_table_location_do_not_leak_into_partitions(
    tmp_path: Any, value_only: bool
) -> None:
    with open_catalog(tmp_path / "env=prod" / "_wh") as catalog:
        table = create(catalog, {"month": "STRING"}, value_only=value_only)
        write(table, stage(table, month="a b:c"))
        assert [row.spec for row in table.list_partitions()] == [{"month": "a b:c"}]
        assert len(visible(table)) == 1


# --- abort


def test_abort_leaves_nothing_of_a_write(either: Catalog) -> None:
    table = create(either, {"dt": "STRING", "hh": "INT"})
    before = everything(table)
    files = [stage(table, dt="a", hh=hh) for hh in (1, 1, 2)]
    abort(table, files)
    assert everything(table) == before


def test_abort_touches_neither_other_writers_nor_data_nor_published_files(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    put(table, "dt=a/old.parquet")
    other = stage(table, dt="a")
    mine = stage(table, dt="a")
    abort(table, [mine])
    assert table.storage.exists(other.staged)
    write(table, other)
    abort(table, [other])
    assert len(visible(table)) == 2
