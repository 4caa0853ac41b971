"""``spark-paimon partitions``: the procedures on a real catalog and real files, without Spark."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_paimon.catalog import load_catalog
from spark_paimon.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """A catalog with the table ``db.t`` partitioned by (dt, hh), where one directory is not registered."""
    folder = tmp_path / "warehouse"
    with load_catalog({"metastore": "embedded", "warehouse": str(folder)}) as catalog:
        catalog.create_database("db")
        catalog.create_table(
            "db.t",
            pa.schema([("id", pa.int64()), ("dt", pa.string()), ("hh", pa.int32())]),
            partition_keys=["dt", "hh"],
            options={"type": "format-table", "file.format": "parquet", "metastore.partitioned-table": "true"},
        )
        catalog.create_partitions("db.t", [{"dt": "a", "hh": "1"}, {"dt": "b", "hh": "1"}])
    for partition, rows in (("dt=a/hh=1", 2), ("dt=b/hh=1", 3), ("dt=b/hh=2", 4)):
        directory = folder / "db.db" / "t" / partition
        directory.mkdir(parents=True)
        pq.write_table(pa.table({"id": range(rows)}), directory / "x.parquet")
    return folder


@pytest.fixture
def run(warehouse: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(action: str, *words: str, table: str = "db.t") -> tuple[int, str, str]:
        code = main(["partitions", action, table, "--warehouse", str(warehouse), *words])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def names(run: Run) -> list[str]:
    return [row["partition"] for row in json.loads(run("list", "--json")[1])]


def test_list_shows_partitions_with_unknown_statistics_empty(run: Run) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split()[:2] == ["partition", "record_count"]
    assert [line.split() for line in lines[1:]] == [["dt=a/hh=1", "parquet"], ["dt=b/hh=1", "parquet"]]


def test_list_as_json_has_null_for_unknown(run: Run) -> None:
    rows: list[dict[str, Any]] = json.loads(run("list", "--json")[1])
    assert rows[0] == {
        "partition": "dt=a/hh=1",
        "record_count": None,
        "file_size_in_bytes": None,
        "file_count": None,
        "last_file_creation_time": None,
        "file_format": "parquet",
        "location": None,
    }


def test_repair_registers_what_lies_there(run: Run) -> None:
    rows = json.loads(run("repair", "--json")[1])
    assert [(row["partition"], row["action"]) for row in rows] == [("dt=b/hh=2", "ADD")]
    assert names(run) == ["dt=a/hh=1", "dt=b/hh=1", "dt=b/hh=2"]


def test_repair_dry_run_changes_nothing(run: Run) -> None:
    assert "dt=b/hh=2" in run("repair", "--dry-run")[1]
    assert names(run) == ["dt=a/hh=1", "dt=b/hh=1"]


def test_repair_mode_is_read_in_any_case(run: Run, warehouse: Path) -> None:
    (warehouse / "db.db" / "t" / "dt=a" / "hh=1" / "x.parquet").unlink()
    (warehouse / "db.db" / "t" / "dt=a" / "hh=1").rmdir()
    assert run("repair", "--mode", "sync")[0] == 0
    assert names(run) == ["dt=b/hh=1", "dt=b/hh=2"]


def test_analyze_measures_one_partition(run: Run) -> None:
    rows = json.loads(run("analyze", "--partition", "dt=b/hh=1", "--json")[1])
    assert [(row["partition"], row["record_count"], row["file_count"]) for row in rows] == [
        ("dt=b/hh=1", 3, 1)
    ]
    assert rows[0]["last_file_creation_time"].endswith("Z")


def test_analyze_noscan_leaves_row_counts(run: Run) -> None:
    rows = json.loads(run("analyze", "--noscan", "--json")[1])
    assert [(row["record_count"], row["file_count"]) for row in rows] == [(None, 1), (None, 1)]


def test_add_registers_and_makes_the_directory(run: Run, warehouse: Path) -> None:
    assert run("add", "--partition", "dt=c/hh=7")[0] == 0
    assert "dt=c/hh=7" in names(run)
    assert (warehouse / "db.db" / "t" / "dt=c" / "hh=7").is_dir()


def test_drop_deletes_what_the_condition_says(run: Run, warehouse: Path) -> None:
    assert run("drop", "--where", "dt = 'a'")[0] == 0
    assert names(run) == ["dt=b/hh=1"]
    assert not (warehouse / "db.db" / "t" / "dt=a" / "hh=1").exists()


def test_drop_dry_run_changes_nothing(run: Run) -> None:
    assert "dt=a/hh=1" in run("drop", "--where", "dt = 'a'", "--dry-run")[1]
    assert names(run) == ["dt=a/hh=1", "dt=b/hh=1"]


def test_error_is_one_line_on_standard_error(run: Run) -> None:
    code, out, err = run("list", table="db.missing")
    assert (code, out) == (1, "")
    assert err.startswith("spark-paimon: [TABLE_NOT_FOUND]")
    assert err.count("\n") == 1


def test_no_progress_where_nobody_watches(run: Run) -> None:
    assert run("analyze")[2] == ""


def test_drop_needs_a_condition(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run("drop")
    assert caught.value.code == 2
    assert "--where" in capsys.readouterr().err


@pytest.mark.parametrize("metastore", ["embedded", "filesystem"])
def test_mistyped_warehouse_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], metastore: str
) -> None:
    words = ["--metastore", metastore, "--warehouse", str(tmp_path / "mistyped")]
    assert main(["partitions", "list", "db.t", *words]) == 1
    shown = capsys.readouterr().err
    assert "mistyped" in shown or "does not exist" in shown
    assert list(tmp_path.iterdir()) == []
