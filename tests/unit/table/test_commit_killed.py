"""Writes whose process is killed (kill -9) at some step: nothing is lost or doubled once the statement runs
again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spark_paimon.parallel import attach
from spark_paimon.storage import local_path
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import StagedFile, WriteMode, check_write, commit
from spark_paimon.table.commit.journal import noted, take_back_killed
from spark_paimon.table.metadata import metadata_table
from tests.format_tables import create, directory, everything, open_catalog, put, stage, visible

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


@pytest.mark.parametrize(("method", "number", "when"), [("delete_file", 1, "after"), *STEPS[1:5]])
def test_an_overwrite_that_was_killed_and_runs_again_is_there_once(
    tmp_path: Path, method: str, number: int, when: str
) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        commit(table, [stage(table, 1, dt="a"), stage(table, 1, dt="b")])
        kill_during(tmp_path, "embedded", WriteMode.OVERWRITE, method, number, when)
        check_write(table, WriteMode.OVERWRITE)
        commit(table, [stage(table, 10, dt=dt) for dt in ("a", "b")], WriteMode.OVERWRITE)
        assert rows(table) == 20
        assert [row.statistics.record_count for row in table.list_partitions()] == [10, 10]


def test_a_write_that_lives_is_not_taken_back(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        file = stage(table, dt="a")
        with noted(table, [file]):
            table.storage.publish(file.staged, file.final)
            assert take_back_killed(table) == 0
        assert take_back_killed(table) == 0
        assert len(visible(table)) == 1
        assert not (directory(table) / "_temporary").exists()


def _interrupted(table: FormatTable, mine: StagedFile, other: StagedFile) -> None:
    with noted(table, [mine, other]):
        table.storage.publish(mine.staged, mine.final)
        raise KeyboardInterrupt


def test_an_interrupted_write_is_taken_back_and_a_foreign_file_of_its_name_is_kept(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        mine, other = stage(table, dt="a"), stage(table, dt="b", name="taken.parquet")
        put(table, "dt=b/taken.parquet", 5)
        with pytest.raises(KeyboardInterrupt):
            _interrupted(table, mine, other)
        assert take_back_killed(table) == 1
        assert visible(table) == ["dt=b/taken.parquet"]


def _failed_to_clean_up(table: FormatTable, file: StagedFile) -> None:
    with noted(table, [file]):
        table.storage.publish(file.staged, file.final)
        raise attach([ValueError("publication failed"), OSError("and the file could not be removed")])


def test_what_a_failed_write_could_not_remove_is_taken_back(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        table = create(catalog, {"dt": "STRING"})
        with pytest.raises(ValueError, match="publication failed"):
            _failed_to_clean_up(table, stage(table, dt="a"))
        assert len(visible(table)) == 1
        assert take_back_killed(table) == 1
        assert visible(table) == []
