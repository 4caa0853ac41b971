"""Measuring: exactly the files that a reader returns, complete or an error, aligned with what was asked."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.statistics.measure import (
    CountTask,
    DataFile,
    MeasuredDirectory,
    count_rows,
    deal,
    measure,
)
from spark_paimon.storage import qualify, storage_for
from tests.format_tables import Faults, FaultyStorage, ends_with, write_parquet


def place(folder: Path, file_format: str = "parquet") -> MeasuredDirectory:
    return MeasuredDirectory(folder.name, qualify(folder), file_format)


def run(*folders: Path, rows: bool = True, parallelism: int = 4) -> list[PartitionStatistics]:
    storage = storage_for(qualify(folders[0]))
    counter = partial(count_rows, storage=storage) if rows else None
    return measure(storage, [place(folder) for folder in folders], counter, parallelism)


def test_files_bytes_rows_and_newest_time(tmp_path: Path) -> None:
    sizes = [write_parquet(tmp_path / "p" / f"{n}.parquet", n) for n in (1, 2)]
    os.utime(tmp_path / "p" / "1.parquet", (10, 10))
    os.utime(tmp_path / "p" / "2.parquet", (20, 20))
    assert run(tmp_path / "p") == [PartitionStatistics(3, sum(sizes), 2, 20_000)]
    assert run(tmp_path / "p", rows=False)[0].record_count == -1


def test_p07_staged_and_hidden_files_are_not_counted(tmp_path: Path) -> None:
    write_parquet(tmp_path / "p" / "a.parquet", 2)
    write_parquet(tmp_path / "p" / "extra" / "b.parquet", 3)
    for hidden in ("_temporary/0/x", ".hive-staging_1/x", "__magic_job-1/x", "_SUCCESS", ".crc"):
        path = tmp_path / "p" / hidden
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    assert run(tmp_path / "p")[0].file_count == 2
    assert run(tmp_path / "p")[0].record_count == 5


def test_p63_a_missing_or_empty_directory_is_exactly_zero_and_its_time_unknown(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "missing"):
        assert run(folder) == [PartitionStatistics(0, 0, 0, -1)]
        assert run(folder, rows=False) == [PartitionStatistics(-1, 0, 0, -1)]


def test_one_unreadable_footer_makes_the_rows_of_that_partition_unknown_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_parquet(tmp_path / "bad" / "a.parquet", 2)
    (tmp_path / "bad" / "b.parquet").write_bytes(b"PAR1 but not really")
    write_parquet(tmp_path / "good" / "a.parquet", 4)
    bad, good = run(tmp_path / "bad", tmp_path / "good")
    assert (bad.record_count, bad.file_count) == (-1, 2)
    assert good.record_count == 4
    assert "partition bad" in caplog.text


def test_any_failed_listing_aborts_the_whole_measurement(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_parquet(tmp_path / name / "x.parquet")
    faults = Faults()
    refused = errors.StorageError("STORAGE_FAILED", operation="list", path="b", reason="refused")
    faults.fail("list_directory", refused, ends_with("/b"))
    storage = FaultyStorage(storage_for(qualify(tmp_path)), faults)
    with pytest.raises(errors.StorageError, match="refused"):
        measure(storage, [place(tmp_path / name) for name in "abc"], None, 2)


@pytest.mark.parametrize("parallelism", [1, 8])
def test_results_are_aligned_whatever_the_parallelism(tmp_path: Path, parallelism: int) -> None:
    folders = [tmp_path / str(n) for n in range(12)]
    for n, folder in enumerate(folders):
        for k in range(n % 3):
            write_parquet(folder / f"{k}.parquet", n)
    found = run(*folders, parallelism=parallelism)
    assert [numbers.record_count for numbers in found] == [n * (n % 3) for n in range(12)]


def test_rows_are_counted_in_one_call_over_the_files_of_all_partitions(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a" / "1", 1)
    write_parquet(tmp_path / "a" / "2", 1)
    write_parquet(tmp_path / "b" / "1", 1)
    calls: list[Sequence[DataFile]] = []

    def counter(files: Sequence[DataFile]) -> list[int | None]:
        calls.append(files)
        return [7, None, 5]

    storage = storage_for(qualify(tmp_path))
    found = measure(storage, [place(tmp_path / "a"), place(tmp_path / "b")], counter)
    assert [numbers.record_count for numbers in found] == [-1, 5]
    assert [file.path.rpartition("/")[2] for file in calls[0]] == ["1", "2", "1"]
    assert all(file.size > 0 for file in calls[0])
    measure(storage, [place(tmp_path / "nothing")], counter)
    assert len(calls) == 1


def test_a_row_counter_that_answers_for_another_number_of_files_is_an_error(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a" / "1", 1)
    with pytest.raises(errors.IllegalStateError, match="2 numbers for 1 files"):
        measure(storage_for(qualify(tmp_path)), [place(tmp_path / "a")], lambda files: [1, 2])


@pytest.mark.parametrize("name", ["csv", "json", "text"])
def test_rows_of_files_without_footers_are_never_counted(tmp_path: Path, name: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("1\n2\n")
    write_parquet(tmp_path / "other" / "x", 3)
    calls: list[Sequence[DataFile]] = []

    def counter(files: Sequence[DataFile]) -> list[int | None]:
        calls.append(files)
        return count_rows(files)

    places = [place(tmp_path / "full", name), place(tmp_path / "other"), place(tmp_path / "empty", name)]
    found = measure(storage_for(qualify(tmp_path)), places, counter)
    assert [numbers.record_count for numbers in found] == [-1, 3, 0]
    assert found[0].file_size_in_bytes == 4
    assert [[file.format for file in files] for files in calls] == [["parquet"]]


@pytest.mark.parametrize("name", ["parquet", "orc", "mosaic"])
@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"1,2\n", bytes(4096)], ids=["empty", "begun", "text", "zeros"]
)
def test_a_damaged_file_is_named_and_harms_its_own_partition_only(
    tmp_path: Path, name: str, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "x").write_bytes(content)
    write_parquet(tmp_path / "good" / "x", 3)
    places = [place(tmp_path / "bad", name), place(tmp_path / "good")]
    storage = storage_for(qualify(tmp_path))
    found = measure(storage, places, partial(count_rows, storage=storage))
    assert [numbers.record_count for numbers in found] == [-1, 3]
    assert [numbers.file_count for numbers in found] == [1, 1]
    assert f"{tmp_path}/bad/x stays unknown" in caplog.text


@pytest.mark.parametrize(("items", "hands"), [(0, 1), (1, 1), (7, 3), (40, 8), (3, 5)])
def test_work_is_spread_evenly_and_nothing_is_lost(items: int, hands: int) -> None:
    dealt = deal(range(items), hands)
    assert sorted(item for hand in dealt for item in hand) == list(range(items))
    assert len(dealt) == hands
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1


def test_a_task_on_an_executor_has_the_credentials_of_the_catalog(tmp_path: Path) -> None:
    for number in range(3):
        write_parquet(tmp_path / f"{number}.parquet", number)
    # This file system of fsspec can do nothing without its options.
    options = {"path": str(tmp_path), "target_protocol": "file"}
    files = [DataFile(f"dir:/{number}.parquet", "parquet") for number in range(3)]
    task = pickle.loads(pickle.dumps(CountTask(options, 2)))
    assert task(files) == [0, 1, 2]
    assert str(tmp_path) not in repr(task)


@pytest.mark.parametrize("parallelism", [1, 4])
def test_progress_is_told_of_each_listing_and_each_file(tmp_path: Path, parallelism: int) -> None:
    for name in "abc":
        for number in range(2):
            write_parquet(tmp_path / name / f"{number}.parquet")
    seen: list[tuple[str, int, int | None]] = []

    def progress(what: str, done: int, total: int | None) -> None:
        seen.append((what, done, total))

    storage = storage_for(qualify(tmp_path))
    counter = partial(count_rows, storage=storage, parallelism=parallelism, progress=progress)
    measure(storage, [place(tmp_path / name) for name in "abc"], counter, parallelism, progress=progress)
    assert seen == [
        *(("partitions listed", done, 3) for done in (1, 2, 3)),
        *(("files counted", done, 6) for done in range(1, 7)),
    ]


def test_p58_the_size_is_that_of_the_files_that_a_reader_returns(tmp_path: Path) -> None:
    sizes = [write_parquet(tmp_path / "t" / name, 3) for name in ("a.parquet", "sub/b.parquet")]
    for hidden in (
        "_temporary/.tmp.x",
        "_SUCCESS",
        ".a.parquet.crc",
        "schema/schema-0",
        "_temporary/0/c.parquet",
    ):
        write_parquet(tmp_path / "t" / hidden, 5)
    location = f"file:{tmp_path}/t"
    directory = MeasuredDirectory("", location, "parquet")
    storage = storage_for(location)
    (found,) = measure(storage, [directory], None, metadata_directories=("schema",))
    assert (found.file_count, found.file_size_in_bytes) == (2, sum(sizes))
    assert sum(file.size for file in storage.data_files(location, ("schema",))) == sum(sizes)
