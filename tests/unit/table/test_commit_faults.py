"""Commits that fail: what is left of the old data and of the new, step by step."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.storage import local_path
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import StagedFile, WriteMode, abort, commit
from tests.format_tables import (
    NOW,
    Faults,
    create,
    ends_with,
    everything,
    names,
    put,
    stage,
    visible,
    with_faults,
)

APPEND, OVERWRITE, DYNAMIC = WriteMode.APPEND, WriteMode.OVERWRITE, WriteMode.OVERWRITE_DYNAMIC
SERIAL = {"format-table.commit.cleanup-thread-num": "1", "format-table.commit.publish-thread-num": "1"}


def refused(path: str = "x") -> errors.StorageError:
    return errors.StorageError("STORAGE_FAILED", operation="touch", path=path, reason="refused")


def gone() -> errors.CatalogError:
    return errors.CatalogError("INTERNAL_ERROR", text="connection lost")


def denied() -> errors.PaimonError:
    return errors.NoSuchTableError("INTERNAL_ERROR", text="table was dropped")


def staged_left(table: FormatTable) -> list[str]:
    return [path for path in everything(table) if ".tmp." in path]


@pytest.fixture
def table(catalog: Catalog) -> FormatTable:
    """A managed table with three partitions of one file each."""
    created = create(catalog, {"dt": "STRING"})
    commit(created, [stage(created, 1, dt=dt, name="old.parquet") for dt in "abc"], now_millis=NOW)
    return created


def three(table: FormatTable) -> list[StagedFile]:
    return [stage(table, 2, dt=dt, name="new.parquet") for dt in "abc"]


OLD = ["dt=a/old.parquet", "dt=b/old.parquet", "dt=c/old.parquet"]


# --- clearing


@pytest.mark.parametrize("options", [SERIAL, {}], ids=["serial", "parallel"])
def test_a_failed_deletion_stops_the_overwrite_before_anything_is_published(
    table: FormatTable, faults: Faults, options: dict[str, str]
) -> None:
    faults.fail("delete_file", refused(), ends_with("dt=a/old.parquet"))
    with pytest.raises(errors.CommitError, match="nothing new was published") as caught:
        commit(with_faults(table, faults, options), three(table), OVERWRITE)
    assert caught.value.condition == "COMMIT_CLEAR_FAILED"
    assert isinstance(caught.value.__cause__, errors.StorageError)
    assert faults.of("publish", "create_partitions") == []
    assert "dt=a/old.parquet" in visible(table)
    assert [path for path in visible(table) if "new" in path] == []
    assert staged_left(table) == []


def test_after_the_first_failed_deletion_no_new_one_starts(table: FormatTable, faults: Faults) -> None:
    faults.fail("delete_file", refused(), ends_with("dt=a/old.parquet"))
    with pytest.raises(errors.CommitError):
        commit(with_faults(table, faults, SERIAL), three(table), OVERWRITE)
    assert visible(table) == OLD


def test_deletions_that_run_are_waited_for_and_their_failures_attached(
    catalog: Catalog, faults: Faults
) -> None:
    table = create(catalog, {"dt": "STRING"})
    put(table, "dt=a/1")
    put(table, "dt=a/2")
    barrier = threading.Barrier(2, timeout=10)

    def both(path: str) -> bool:
        return path.endswith(("dt=a/1", "dt=a/2"))

    faulty = with_faults(table, faults)
    storage = faulty.storage
    original = storage.delete_file

    def meet(path: str) -> None:
        if both(path):
            barrier.wait()
            raise refused(path)
        original(path)

    storage.delete_file = meet  # type: ignore[method-assign]
    with pytest.raises(errors.CommitError) as caught:
        commit(faulty, [stage(table, dt="a")], DYNAMIC)
    cause = caught.value.__cause__
    assert cause is not None
    assert len(cause.suppressed) == 1  # type: ignore[attr-defined]
    assert any("Suppressed" in note for note in cause.__notes__)  # type: ignore[attr-defined]


def test_a_failed_listing_of_what_is_replaced_changes_nothing(table: FormatTable, faults: Faults) -> None:
    before = visible(table)
    faults.fail("list_directory", refused(), ends_with("dt=b"))
    with pytest.raises(errors.StorageError):
        commit(with_faults(table, faults, SERIAL), three(table), OVERWRITE)
    assert visible(table) == before
    assert [path for path in everything(table) if ".tmp." in path] == []


def test_clearing_is_over_before_the_first_publication(table: FormatTable, faults: Faults) -> None:
    commit(with_faults(table, faults), three(table), OVERWRITE)
    order = faults.methods("delete_file", "publish", "create_partitions")
    assert order == sorted(order, key=["delete_file", "publish", "create_partitions"].index)


# --- publication


def fail_publication(faults: Faults, after: bool = False) -> None:
    faults.fail("publish", refused(), lambda staged, final: "dt=b" in final, after=after)


@pytest.mark.parametrize("options", [SERIAL, {}], ids=["serial", "parallel"])
@pytest.mark.parametrize("after", [False, True], ids=["refused", "done but reported as failed"])
def test_a_failed_publication_of_an_append_takes_everything_back(
    table: FormatTable, faults: Faults, options: dict[str, str], after: bool
) -> None:
    fail_publication(faults, after)
    with pytest.raises(errors.CommitError) as caught:
        commit(with_faults(table, faults, options), three(table))
    assert caught.value.condition == "COMMIT_PUBLISH_FAILED"
    assert visible(table) == OLD
    assert staged_left(table) == []
    assert faults.of("create_partitions") == []


def test_a_file_of_somebody_else_under_the_final_name_is_never_deleted(table: FormatTable) -> None:
    foreign = put(table, "dt=b/new.parquet", 9)
    before = foreign.read_bytes()
    with pytest.raises(errors.CommitError, match="exists already"):
        commit(table, three(table))
    assert foreign.read_bytes() == before
    assert visible(table) == sorted([*OLD, "dt=b/new.parquet"])


@pytest.mark.parametrize("options", [SERIAL, {}], ids=["serial", "parallel"])
def test_a_failed_publication_of_an_overwrite_keeps_what_is_published(
    table: FormatTable, faults: Faults, options: dict[str, str]
) -> None:
    fail_publication(faults)
    files = three(table)
    with pytest.raises(errors.CommitError, match="of 3 new files are in place and stay") as caught:
        commit(with_faults(table, faults, options), files, OVERWRITE)
    assert caught.value.condition == "COMMIT_OVERWRITE_INCOMPLETE"
    assert "dt=a/new.parquet" in visible(table)
    assert [path for path in visible(table) if "old" in path] == []
    assert staged_left(table) == []
    # The abort that follows a failed commit changes nothing of that.
    left = visible(table)
    abort(table, files)
    assert visible(table) == left


def test_p45_running_the_overwrite_again_converges(table: FormatTable, faults: Faults) -> None:
    fail_publication(faults)
    with pytest.raises(errors.CommitError):
        commit(with_faults(table, faults), three(table), OVERWRITE)
    commit(table, three(table), OVERWRITE, now_millis=NOW)
    assert visible(table) == ["dt=a/new.parquet", "dt=b/new.parquet", "dt=c/new.parquet"]
    assert {row.statistics.record_count for row in table.list_partitions()} == {2}


def test_clean_up_tries_every_file_and_the_first_error_stays_primary(
    table: FormatTable, faults: Faults
) -> None:
    fail_publication(faults)
    faults.fail("delete_file", refused, lambda path: "dt=a" in path or "dt=c" in path)
    with pytest.raises(errors.CommitError) as caught:
        commit(with_faults(table, faults, SERIAL), three(table))
    assert caught.value.condition == "COMMIT_PUBLISH_FAILED"
    assert len(caught.value.suppressed) == 3  # type: ignore[attr-defined]
    assert all(isinstance(each, errors.StorageError) for each in caught.value.suppressed)  # type: ignore[attr-defined]
    assert "dt=b/new.parquet" not in visible(table)


def test_abort_tries_every_file_and_reports_all_failures(table: FormatTable, faults: Faults) -> None:
    files = three(table)
    faults.fail("delete_file", refused, lambda path: "dt=a" in path or "dt=b" in path)
    with pytest.raises(errors.StorageError) as caught:
        abort(with_faults(table, faults), files)
    assert len(caught.value.suppressed) == 1  # type: ignore[attr-defined]
    assert [path for path in staged_left(table) if "dt=c" in path] == []


# --- registration


def test_an_append_whose_registration_certainly_failed_is_taken_back(
    table: FormatTable, faults: Faults
) -> None:
    faults.fail("create_partitions", denied())
    with pytest.raises(errors.CommitError) as caught:
        commit(with_faults(table, faults), [*three(table), stage(table, dt="d")])
    assert caught.value.condition == "COMMIT_REGISTRATION_FAILED"
    assert isinstance(caught.value.__cause__, errors.NoSuchTableError)
    assert visible(table) == OLD
    assert names(table) == ["dt=a", "dt=b", "dt=c"]


def test_p54_an_append_whose_registration_took_effect_goes_on(table: FormatTable, faults: Faults) -> None:
    faults.fail("create_partitions", gone(), after=True, times=1)
    report = commit(with_faults(table, faults), [stage(table, 4, dt="d")], now_millis=NOW)
    assert report.warnings == ()
    assert table.list_partitions()[-1].statistics.record_count == 4


def test_p54_an_append_whose_registration_is_not_known_keeps_its_files_and_says_how_to_repair(
    table: FormatTable, faults: Faults
) -> None:
    faults.fail("create_partitions", gone())
    file = stage(table, dt="d", name="new.parquet")
    with pytest.raises(errors.CommitError, match="MSCK REPAIR TABLE db.t") as caught:
        commit(with_faults(table, faults), [file])
    assert caught.value.condition == "COMMIT_REGISTRATION_UNKNOWN"
    assert "do not run the write again" in str(caught.value)
    assert "dt=d/new.parquet" in visible(table)
    abort(table, [file])
    assert "dt=d/new.parquet" in visible(table)


def test_p54_an_unknown_kind_of_failure_is_not_taken_for_a_certain_one(
    table: FormatTable, faults: Faults
) -> None:
    faults.fail("create_partitions", RuntimeError("cannot read the answer"))
    faults.fail("list_partitions_by_names", gone(), lambda *_, **__: faults.of("create_partitions") != [])
    with pytest.raises(errors.CommitError) as caught:
        commit(with_faults(table, faults), [stage(table, dt="d", name="new.parquet")])
    assert caught.value.condition == "COMMIT_REGISTRATION_UNKNOWN"
    assert "dt=d/new.parquet" in visible(table)


@pytest.mark.parametrize("error", [gone(), denied(), RuntimeError("?")], ids=["lost", "refused", "unknown"])
def test_an_append_whose_numbers_are_not_taken_succeeds_with_a_warning(
    table: FormatTable, faults: Faults, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    faults.fail("create_partitions", error, lambda *_, **kwargs: bool(kwargs.get("statistics")))
    report = commit(with_faults(table, faults), [stage(table, dt="d")])
    assert "ANALYZE TABLE db.t" in report.warnings[0]
    assert "ANALYZE TABLE db.t" in caplog.text
    assert names(table)[-1] == "dt=d"
    assert table.list_partitions()[-1].statistics == PartitionStatistics.unknown()


@pytest.mark.parametrize("error", [gone(), denied()], ids=["lost", "refused"])
def test_an_overwrite_that_cannot_be_registered_keeps_the_new_files(
    table: FormatTable, faults: Faults, error: Exception
) -> None:
    faults.fail("create_partitions", error)
    files = three(table)
    with pytest.raises(errors.CommitError, match="the new files stay") as caught:
        commit(with_faults(table, faults), files, OVERWRITE)
    assert all(word in str(caught.value) for word in ("MSCK REPAIR TABLE", "file.format", "ANALYZE TABLE"))
    abort(table, files)
    assert visible(table) == ["dt=a/new.parquet", "dt=b/new.parquet", "dt=c/new.parquet"]
    assert {row.statistics.record_count for row in table.list_partitions()} == {1}


# --- concurrency


def count_at_once(
    table: FormatTable, faults: Faults, method: str, options: dict[str, str]
) -> tuple[int, set[str]]:
    """Most calls of a storage method at one time during an overwrite, and the threads that made them."""
    faulty = with_faults(table, faults, options)
    storage = faulty.storage
    original = getattr(storage, method)
    lock, running, most, threads = threading.Lock(), [0], [0], set()

    def counted(*args: str) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
            threads.add(threading.current_thread().name)
        threading.Event().wait(0.02)
        original(*args)
        with lock:
            running[0] -= 1

    setattr(storage, method, counted)
    for n in range(12):
        put(table, f"dt=a/old-{n}")
    commit(faulty, [stage(table, dt="a") for _ in range(12)], DYNAMIC)
    return most[0], threads


@pytest.mark.parametrize(("method", "option"), [("publish", "publish"), ("delete_file", "cleanup")])
def test_the_option_bounds_how_many_run_at_once(
    table: FormatTable, faults: Faults, method: str, option: str
) -> None:
    most, _ = count_at_once(table, faults, method, {f"format-table.commit.{option}-thread-num": "2"})
    assert most == 2


@pytest.mark.parametrize("method", ["publish", "delete_file"])
def test_by_default_many_run_at_once_and_one_thread_is_the_caller(
    table: FormatTable, faults: Faults, method: str
) -> None:
    assert count_at_once(table, faults, method, {})[0] > 2
    most, threads = count_at_once(table, Faults(), method, SERIAL)
    assert (most, threads) == (1, {threading.current_thread().name})


def test_tables_without_managed_partitions_are_written_serially(filesystem: Catalog, faults: Faults) -> None:
    most, threads = count_at_once(create(filesystem, {"dt": "STRING"}), faults, "publish", {})
    assert (most, threads) == (1, {threading.current_thread().name})


def test_concurrent_appends_to_one_partition_add_up(table: FormatTable) -> None:
    files = [stage(table, 5, dt="a") for _ in range(8)]
    threads = [threading.Thread(target=commit, args=(table, [file])) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.list_partitions()[0].statistics.record_count == 1 + 8 * 5
    assert len(visible(table)) == 3 + 8


def test_the_files_of_a_commit_that_never_ran_stay_invisible(table: FormatTable) -> None:
    file = stage(table, dt="a")
    assert visible(table) == OLD
    commit(table, [stage(table, 2, dt="a", name="rerun.parquet")])
    assert visible(table) == sorted([*OLD, "dt=a/rerun.parquet"])
    assert Path(local_path(file.staged)).exists()


def test_when_the_note_of_an_append_cannot_be_written_nothing_is_published(table: FormatTable) -> None:
    put(table, "_temporary")  # a file where the folder of notes should be
    files = three(table)
    with pytest.raises(errors.StorageError, match="_temporary"):
        commit(table, files)
    assert visible(table) == OLD
    assert staged_left(table) == []
