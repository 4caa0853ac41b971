"""Writes whose process is killed (kill -9) at some step: nothing is lost or doubled once the statement runs
again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from spark_paimon import errors
from spark_paimon.parallel import attach
from spark_paimon.schema import Field, Schema, parse_type
from spark_paimon.storage import local_path
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import StagedFile, WriteMode, check_write, commit
from spark_paimon.table.commit.journal import Intent, noted
from spark_paimon.table.commit.recovery import settle_killed
from spark_paimon.table.metadata import metadata_table
from spark_paimon.table.partitions import drop_partitions, truncate
from spark_paimon.table.replace import replace_contents
from spark_paimon.table.scan import plan_partitions
from tests.format_tables import (
    Faults,
    create,
    directory,
    everything,
    open_catalog,
    put,
    stage,
    visible,
    with_faults,
)

ROOT = Path(__file__).parents[3]

# Runs a commit and kills its own process around the n-th call of a method.
SCRIPT = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path
    from spark_paimon.table.commit import WriteMode, check_write, commit
    from tests.format_tables import FaultyCatalog, Faults, open_catalog, stage, with_faults

    warehouse, metastore, mode, method, number, when = sys.argv[1:]
    left = [int(number)]

    class Deadly(Faults):
        def run(self, name, work, *args, **kwargs):
            if name != method:
                return work(*args, **kwargs)
            left[0] -= 1
            due = left[0] == 0
            if due and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = work(*args, **kwargs)
            if due:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

    table = open_catalog(Path(warehouse), metastore).get_table("db.t")
    table = with_faults(table, Deadly(), {"format-table.commit.publish-thread-num": "1"})
    check_write(table, WriteMode(mode))
    commit(table, [stage(table, 10, dt=dt) for dt in ("a", "b")], WriteMode(mode))
    """
)


def kill_during(
    warehouse: Path, metastore: str, mode: WriteMode, method: str, number: int, when: str
) -> None:
    arguments = [str(warehouse), metastore, mode.value, method, str(number), when]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == -9, done.stderr


def rows(table: FormatTable) -> int:
    """Rows that a reader of the table gets."""
    return sum(
        pq.ParquetFile(local_path(row[1])).metadata.num_rows for row in metadata_table(table, "files").rows
    )


STEPS = [
    ("publish", 1, "before"),
    ("publish", 1, "after"),
    ("publish", 2, "after"),
    ("create_partitions", 1, "before"),
    ("create_partitions", 1, "after"),
    ("create_partitions", 2, "after"),
]


@pytest.mark.parametrize(
    ("metastore", "method", "number", "when"),
    [("embedded", *step) for step in STEPS] + [("filesystem", *step) for step in STEPS[:3]],
)
def test_p43_an_append_that_was_killed_and_runs_again_is_there_once(
    tmp_path: Path, metastore: str, method: str, number: int, when: str
) -> None:
    with open_catalog(tmp_path, metastore) as catalog:
        table = create(catalog, {"dt": "STRING"})
        commit(table, [stage(table, 1, dt="a")])
        kill_during(tmp_path, metastore, WriteMode.APPEND, method, number, when)
        check_write(table, WriteMode.APPEND)
        assert rows(table) == 1
        commit(table, [stage(table, 10, dt=dt) for dt in ("a", "b")])
        assert rows(table) == 21
        if table.managed:
            assert [row.statistics.record_count for row in table.list_partitions()] == [11, 10]
        assert [path for path in everything(table) if ".commit." in path] == []


SCHEMA = Schema(
    (Field(0, "id", parse_type("BIGINT")), Field(1, "dt", parse_type("STRING"))),
    ("dt",),
    options={"type": "format-table", "metastore.partitioned-table": "true"},
)
OVERWRITE_STEPS = [
    ("delete_file", 1, "before"),
    ("delete_file", 1, "after"),
    ("delete_file", 2, "after"),
    *STEPS[:5],
]


@pytest.mark.parametrize("mode", [WriteMode.OVERWRITE, WriteMode.OVERWRITE_DYNAMIC])
@pytest.mark.parametrize(
    ("metastore", "method", "number", "when"),
    [("embedded", *step) for step in OVERWRITE_STEPS]
    + [("filesystem", *step) for step in OVERWRITE_STEPS[:6]],
)
def test_an_overwrite_that_was_killed_is_settled_by_who_comes_next(
    tmp_path: Path, metastore: str, mode: WriteMode, method: str, number: int, when: str
) -> None:
    """Either it never was, or it is complete: the new rows may have been read from the old files."""
    with open_catalog(tmp_path, metastore) as catalog:
        table = create(catalog, {"dt": "STRING"})
        commit(table, [stage(table, 1, dt="a"), stage(table, 2, dt="b"), stage(table, 3, dt="c")])
        kill_during(tmp_path, metastore, mode, method, number, when)
        others = 3 if mode is WriteMode.OVERWRITE_DYNAMIC else 0
        before = (method, number, when) == ("delete_file", 1, "before")
        assert rows(table) == (6 if before else 20 + others)
        if table.managed:
            counted = [row.statistics.record_count for row in table.list_partitions()]
            assert counted == ([1, 2, 3] if before else [10, 10, others])
        assert [path for path in everything(table) if "/." in path] == []
        check_write(table, mode)
        commit(table, [stage(table, 10, dt=dt) for dt in ("a", "b")], mode)
        assert rows(table) == 20 + others
        if table.managed:
            assert [row.statistics.record_count for row in table.list_partitions()] == [10, 10, others]


def test_an_overwrite_of_an_unpartitioned_table_that_was_killed_is_finished(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {})
        commit(table, [stage(table, 1), stage(table, 2)])
        intent = _interrupted_overwrite(table, [stage(table, 10), stage(table, 20)])
        table.storage.delete_file(intent.old[0])
        assert rows(table) == 30


def test_a_statement_that_changes_files_settles_first(tmp_path: Path) -> None:
    """What a killed overwrite would still bring appears nowhere after DROP, TRUNCATE or REPLACE."""
    with open_catalog(tmp_path) as catalog:
        changes: list[Callable[[FormatTable], object]] = [
            truncate,
            lambda table: drop_partitions(table, [{"dt": "a"}]),
            lambda table: replace_contents(catalog, table, table.identifier, SCHEMA, []),
        ]
        for number, change in enumerate(changes):
            table = create(catalog, {"dt": "STRING"}, name=f"t{number}")
            commit(table, [stage(table, 1, dt="a")])
            intent = _interrupted_overwrite(table, [stage(table, 10, dt="a")])
            table.storage.delete_file(intent.old[0])
            change(table)
            table = catalog.get_table(table.identifier)
            assert rows(table) == 0
            assert [row for row in everything(table) if row.endswith(".parquet")] == []


def test_an_overwrite_that_lost_a_staged_file_brings_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        commit(table, [stage(table, 1, dt="a")])
        files = [stage(table, 10, dt="a"), stage(table, 20, dt="a")]
        intent = _interrupted_overwrite(table, files)
        table.storage.delete_file(intent.old[0])
        table.storage.delete_file(files[0].staged)
        assert rows(table) == 20
        assert [row.statistics.record_count for row in table.list_partitions()] == [20]
        assert files[0].staged in caplog.text


def test_a_reader_that_cannot_settle_still_reads(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        commit(table, [stage(table, 1, dt="a")])
        intent = _interrupted_overwrite(table, [stage(table, 10, dt="a")])
        table.storage.delete_file(intent.old[0])
        refused = errors.StorageError(
            "STORAGE_FAILED", operation="publish", path="x", reason="read-only file system"
        )
        faults = Faults()
        faults.fail("publish", refused)
        faulty = with_faults(table, faults)
        assert len(plan_partitions(faulty).partitions) == 1
        assert "may hold rows of a write that was killed" in caplog.text
        with pytest.raises(errors.StorageError, match="read-only"):
            check_write(faulty, WriteMode.APPEND)
        assert rows(table) == 10


def test_an_overwrite_that_meets_files_of_another_writer_says_so(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        commit(table, [stage(table, 1, dt="a")])
        other = stage(table, 5, dt="a")

        class Meeting(Faults):
            def run(self, name: str, work: Any, *args: Any, **kwargs: Any) -> Any:
                result = work(*args, **kwargs)
                if name == "publish":
                    commit(table, [other])
                return result

        report = commit(with_faults(table, Meeting()), [stage(table, 10, dt="a")], WriteMode.OVERWRITE)
        (warning,) = report.warnings
        assert "1 files" in warning
        assert other.final in warning
        assert commit(table, [stage(table, 2, dt="a")], WriteMode.OVERWRITE).warnings == ()


def _interrupted_overwrite(table: FormatTable, files: list[StagedFile]) -> Intent:
    """The note of an overwrite that was interrupted before it did anything."""
    old = [f"file:{directory(table) / path}" for path in visible(table)]
    specs = [{"dt": "a"}] if table.partitioned else []
    intent = Intent(files, True, old, specs, "parquet", 1_700_000_000_000)
    with pytest.raises(KeyboardInterrupt), noted(table, intent):
        raise KeyboardInterrupt
    return intent


def test_a_write_that_lives_is_not_taken_back(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        file = stage(table, dt="a")
        with noted(table, Intent([file])):
            table.storage.publish(file.staged, file.final)
            settle_killed(table)
            assert len(visible(table)) == 1
        settle_killed(table)
        assert len(visible(table)) == 1
        assert not (directory(table) / "_temporary").exists()


def _interrupted(table: FormatTable, mine: StagedFile, other: StagedFile) -> None:
    with noted(table, Intent([mine, other])):
        table.storage.publish(mine.staged, mine.final)
        raise KeyboardInterrupt


def test_an_interrupted_write_is_taken_back_and_a_foreign_file_of_its_name_is_kept(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        mine, other = stage(table, dt="a"), stage(table, dt="b", name="taken.parquet")
        put(table, "dt=b/taken.parquet", 5)
        with pytest.raises(KeyboardInterrupt):
            _interrupted(table, mine, other)
        settle_killed(table)
        assert visible(table) == ["dt=b/taken.parquet"]


def _failed_to_clean_up(table: FormatTable, file: StagedFile) -> None:
    with noted(table, Intent([file])):
        table.storage.publish(file.staged, file.final)
        raise attach([ValueError("publication failed"), OSError("and the file could not be removed")])


def test_what_a_failed_write_could_not_remove_is_taken_back(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        with pytest.raises(ValueError, match="publication failed"):
            _failed_to_clean_up(table, stage(table, dt="a"))
        assert len(visible(table)) == 1
        settle_killed(table)
        assert visible(table) == []
