"""``sys.expire_partitions``, ``sys.remove_orphan_files``, ``sys.mark_partition_done`` and ``sys.max_pt``."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.procedures import ProcedureContext, procedure
from spark_paimon.procedures.expire import ExpirationStrategy, expire_partitions
from spark_paimon.procedures.orphans import remove_orphan_files
from spark_paimon.storage import local_path
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import commit
from spark_paimon.table.partitions import add_partitions
from spark_paimon.table.scan import max_partition
from tests.format_tables import (
    Faults,
    create,
    directory,
    ends_with,
    everything,
    names,
    put,
    stage,
    visible,
    with_faults,
)

NOW = datetime(2025, 3, 10, tzinfo=timezone.utc)
DAY = timedelta(days=1)


def call(catalog: Catalog, name: str, **arguments: Any) -> list[tuple[Any, ...]]:
    context = ProcedureContext(catalog, default_database="db", catalog_name="paimon", time_zone="UTC")
    return procedure(name).run(context, arguments)


def days(table: FormatTable, *values: str | None) -> None:
    for value in values:
        commit(table, [stage(table, dt=value)])


# expire_partitions


def test_partitions_older_than_the_span_are_dropped_with_their_files(
    catalog: Catalog, value_only: bool
) -> None:
    table = create(catalog, {"dt": "STRING"}, value_only=value_only)
    days(table, "2025-03-07", "2025-03-08", "2025-03-09", "soon", None)
    assert expire_partitions(table, 2 * DAY, dry_run=True, now=NOW) == ["dt=2025-03-07"]
    assert len(names(table)) == 5
    assert expire_partitions(table, 2 * DAY, now=NOW) == ["dt=2025-03-07"]
    # Exactly as old is not older; what tells no time stays.
    assert names(table) == ["dt=2025-03-08", "dt=2025-03-09", "dt=__DEFAULT_PARTITION__", "dt=soon"]
    assert [row.statistics.record_count for row in table.list_partitions()] == [1, 1, 1, 1]
    assert not [path for path in everything(table) if "2025-03-07" in path]
    assert expire_partitions(table, timedelta(days=999_999_999), now=NOW) == []


def test_the_oldest_go_first(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    for dt, hh in (("2025-03-02", 1), ("2025-03-01", 2), ("2025-03-01", 1), ("2025-03-03", 1)):
        commit(table, [stage(table, dt=dt, hh=hh)])
    assert expire_partitions(table, DAY, max_expires=3, now=NOW) == [
        "dt=2025-03-01/hh=1",
        "dt=2025-03-01/hh=2",
        "dt=2025-03-02/hh=1",
    ]
    assert names(table) == ["dt=2025-03-03/hh=1"]


def test_p22_date_partitions_expire_in_either_spelling(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "DATE"}, options={"partition.legacy-name": "true"})
    days(table, 20150, 20156)  # type: ignore[arg-type]
    assert expire_partitions(table, 2 * DAY, now=NOW) == ["dt=20150"]


def test_the_zone_of_the_session_says_when_a_day_begins(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    days(table, "2025-03-09")
    east = NOW.astimezone(timezone(timedelta(hours=9)))
    assert expire_partitions(table, DAY, dry_run=True, now=NOW) == []
    assert expire_partitions(table, DAY, dry_run=True, now=east) == ["dt=2025-03-09"]


def test_update_time_goes_by_statistics_and_keeps_what_they_do_not_tell(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    commit(table, [stage(table, dt="old")], now_millis=int((NOW - 3 * DAY).timestamp() * 1000))
    commit(table, [stage(table, dt="new")], now_millis=int((NOW - DAY).timestamp() * 1000))
    add_partitions(table, [{"dt": "unknown"}])
    assert expire_partitions(table, 2 * DAY, ExpirationStrategy.UPDATE_TIME, now=NOW) == ["dt=old"]
    assert names(table) == ["dt=new", "dt=unknown"]


def test_an_expired_partition_elsewhere_is_unregistered_only(catalog: Catalog, tmp_path: Path) -> None:
    table = create(catalog, {"dt": "STRING"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.parquet").write_bytes(b"x")
    add_partitions(table, [{"dt": "2020-01-01"}], options=[{"location": outside.as_uri()}])
    assert expire_partitions(table, DAY, now=NOW) == ["dt=2020-01-01"]
    assert (outside / "x.parquet").exists()


def test_arguments_count_before_options_of_the_table(catalog: Catalog) -> None:
    options = {
        "partition.expiration-time": "1 d",
        "partition.timestamp-formatter": "yyyyMMdd",
        "partition.timestamp-pattern": "$dt",
    }
    table = create(catalog, {"dt": "STRING"}, options=options)
    days(table, "20250101", "2025-01-01", "01.01.2025")
    assert call(catalog, "expire_partitions", table="t", dry_run=True) == [("dt=20250101",)]
    assert call(catalog, "expire_partitions", table="t", timestamp_formatter="yyyy-MM-dd", dry_run=True) == [
        ("dt=2025-01-01",)
    ]
    assert (
        call(
            catalog,
            "expire_partitions",
            table="t",
            timestamp_formatter="dd.MM.yyyy",
            expiration_time="36500 d",
        )
        == []
    )
    assert call(catalog, "expire_partitions", table="paimon.db.t") == [("dt=20250101",)]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "expiration_time is missing, and so is the option partition.expiration-time"),
        ({"expiration_time": "soon"}, "'expiration_time' has the value 'soon'"),
        ({"expiration_time": "99999999999999 d"}, "at most 999999999 d"),
        ({"expiration_time": "1 d", "expire_strategy": "moon"}, "values-time, update-time"),
        ({"expiration_time": "1 d", "timestamp_formatter": "QQ"}, "QQ is not supported"),
        ({"expiration_time": "1 d", "timestamp_pattern": "$day"}, "no partition column"),
        ({"expiration_time": "1 d", "max_expires": 0}, "at least 1"),
        ({"expiration_time": "1 d", "max_expires": True}, "must be a int"),
    ],
)
def test_what_cannot_be_understood_expires_nothing(
    catalog: Catalog, arguments: dict[str, Any], text: str
) -> None:
    table = create(catalog, {"dt": "STRING"})
    days(table, "2020-01-01")
    with pytest.raises(errors.InvalidInputError, match=text.replace("$", r"\$")):
        call(catalog, "expire_partitions", table="t", **arguments)
    assert names(table) == ["dt=2020-01-01"]


def test_directories_of_a_filesystem_catalog_do_not_expire(filesystem: Catalog) -> None:
    create(filesystem, {"dt": "STRING"})
    with pytest.raises(errors.UnsupportedError, match="PARTITIONS_NOT_MANAGED"):
        call(filesystem, "expire_partitions", table="t", expiration_time="1 d")


# remove_orphan_files


def age(path: str | Path, span: timedelta) -> None:
    time = (NOW - span).timestamp()
    os.utime(local_path(str(path)) if isinstance(path, str) else path, (time, time))


def test_old_staged_files_go_and_nothing_else(either: Catalog, value_only: bool) -> None:
    table = create(either, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    commit(table, [stage(table, dt="a", hh=1)])
    kept = visible(table)
    old, never_registered, young = (
        stage(table, dt="a", hh=1),
        stage(table, dt="b", hh=2),
        stage(table, dt="a", hh=1),
    )
    other = put(table, f"{table.layout.path({'dt': 'a', 'hh': '1'})}/_temporary/0/part-0.parquet")
    for file in (old.staged, never_registered.staged, *(str(directory(table) / path) for path in kept)):
        age(file if ":" in file else Path(file), 3 * DAY)
    age(other, 3 * DAY)
    age(young.staged, timedelta(hours=1))
    expected = sorted([old.staged, never_registered.staged])
    assert remove_orphan_files(table, NOW - DAY, dry_run=True) == expected
    assert Path(local_path(old.staged)).exists()
    assert remove_orphan_files(table, NOW - DAY) == expected
    assert remove_orphan_files(table, NOW - DAY) == []
    assert visible(table) == kept
    assert other.exists()
    assert Path(local_path(young.staged)).exists()
    # The directory of the partition that was never published stays, its staging directory is gone.
    assert not [path for path in everything(table) if path.startswith("dt=b") and "_temporary" in path]


def test_an_unpartitioned_table_has_orphans_too(either: Catalog) -> None:
    table = create(either, {})
    file = stage(table)
    age(file.staged, 3 * DAY)
    assert remove_orphan_files(table, NOW - DAY) == [file.staged]


def test_files_outside_of_the_table_are_never_touched(catalog: Catalog, tmp_path: Path) -> None:
    table = create(catalog, {"dt": "STRING"})
    outside = [tmp_path / "custom", tmp_path / "linked"]
    for folder in outside:
        (folder / "_temporary").mkdir(parents=True)
        (folder / "_temporary" / ".tmp.x").write_bytes(b"x")
        age(folder / "_temporary" / ".tmp.x", 3 * DAY)
    add_partitions(table, [{"dt": "custom"}], options=[{"location": outside[0].as_uri()}])
    (directory(table) / "dt=linked").symlink_to(outside[1])
    assert remove_orphan_files(table, NOW) == []
    assert all((folder / "_temporary" / ".tmp.x").exists() for folder in outside)


def test_the_moment_is_of_the_past(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    file = stage(table, dt="a")
    assert call(catalog, "remove_orphan_files", table="t") == []
    for text in ("yesterday", "2999-01-01", "2025-13-01"):
        with pytest.raises(errors.InvalidInputError, match="older_than must be a moment of the past"):
            call(catalog, "remove_orphan_files", table="t", older_than=text)
    age(file.staged, DAY)
    assert call(catalog, "remove_orphan_files", table="t", older_than="2025-03-09") == []
    assert call(catalog, "remove_orphan_files", table="t", older_than="2025-03-09 00:00:01") == [
        (file.staged,)
    ]


# mark_partition_done


def test_partitions_are_marked_all_or_none(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING", "hh": "INT"})
    for dt, hh in (("a", 1), ("a;b", 2), ("c", 3)):
        commit(table, [stage(table, dt=dt, hh=hh)])
    with pytest.raises(errors.NoSuchPartitionError, match="dt=x/hh=1"):
        call(catalog, "mark_partition_done", table="t", partitions="dt=a/hh=1;dt=x/hh=1")
    with pytest.raises(errors.InvalidInputError, match="PARTITION_VALUES_MISSING"):
        call(catalog, "mark_partition_done", table="t", partitions="dt=a")
    with pytest.raises(errors.InvalidInputError, match="partitions names none"):
        call(catalog, "mark_partition_done", table="t", partitions=" ; ")
    assert not any(row.done for row in table.list_partitions())
    marked = call(catalog, "mark_partition_done", table="t", partitions="dt=a/hh=1; dt=a%3Bb/hh=02;")
    assert marked == [("dt=a/hh=1",), ("dt=a;b/hh=2",)]
    assert [row.done for row in table.list_partitions()] == [True, True, False]


def test_directories_cannot_be_marked(filesystem: Catalog) -> None:
    create(filesystem, {"dt": "STRING"})
    with pytest.raises(errors.UnsupportedError, match="PARTITIONS_NOT_MANAGED"):
        call(filesystem, "mark_partition_done", table="t", partitions="dt=a")


# max_pt


def test_the_largest_value_is_the_largest_typed_one_that_has_files(either: Catalog, value_only: bool) -> None:
    table = create(either, {"n": "INT", "s": "STRING"}, value_only=value_only)
    with pytest.raises(errors.UnsupportedError, match="no partition with data"):
        max_partition(table)
    for n, s in ((9, "a"), (10, "a"), (-20, "z"), (None, "x")):
        commit(table, [stage(table, n=n, s=s)])
    assert max_partition(table) == "10"
    for n in (11, 12):
        folder = directory(table, table.layout.path({"n": str(n), "s": "empty"}))
        folder.mkdir(parents=True)
        (folder / "_SUCCESS").touch()
    if either.supports_managed_partitions:
        add_partitions(table, [{"n": 11, "s": "empty"}, {"n": 13, "s": "never"}])
    assert max_partition(table) == "10"


def test_the_value_is_spelled_as_in_sql(either: Catalog) -> None:
    table = create(either, {"dt": "DATE"}, options={"partition.legacy-name": "true"})
    days(table, 20150, 20156)  # type: ignore[arg-type]
    assert max_partition(table) == "2025-03-09"
    with pytest.raises(errors.InvalidInputError, match="TABLE_NOT_PARTITIONED"):
        max_partition(create(either, {}, name="whole"))


def test_a_listing_that_breaks_is_no_empty_partition(either: Catalog, faults: Faults) -> None:
    table = create(either, {"n": "INT"})
    for n in (1, 2):
        commit(table, [stage(table, n=n)])
    refused = errors.StorageError("STORAGE_FAILED", operation="list", path="n=2", reason="it broke")
    faults.fail("list_directory", refused, ends_with("n=2"))
    with pytest.raises(errors.StorageError, match="it broke"):
        max_partition(with_faults(table, faults))


def test_orphans_are_removed_when_all_of_them_were_found(either: Catalog, faults: Faults) -> None:
    table = create(either, {"n": "INT"})
    files = [stage(table, n=n) for n in (1, 2)]
    for file in files:
        age(file.staged, 3 * DAY)
    refused = errors.StorageError("STORAGE_FAILED", operation="list", path="n=2", reason="it broke")
    faults.fail("list_directory", refused, ends_with("n=2/_temporary"), times=1)
    faulty = with_faults(table, faults)
    with pytest.raises(errors.StorageError, match="it broke"):
        remove_orphan_files(faulty, NOW)
    assert all(Path(local_path(file.staged)).exists() for file in files)
    assert len(remove_orphan_files(faulty, NOW)) == 2
