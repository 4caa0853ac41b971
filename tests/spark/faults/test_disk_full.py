"""The disk of a table is full: a statement fails, the rows are the old ones, and with room it runs again."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.spark.workplace import Workplace

SMALL, LARGE = "256k", "64m"
OLD = [(1, "a"), (2, "b")]
MANY = "SELECT CAST(id AS INT) AS id, repeat(uuid(), 40) AS s{} FROM range(0, 2000, 1, 1)"
"""One task: of several one may commit in the moment in which another fails, and leave its staged file."""
ROOMY = 2000


def mounted(folder: Path, *options: str) -> None:
    words = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no file system of a chosen size can be had: {done.stderr.strip()}")


@pytest.fixture
def resized(place: Workplace) -> Iterator[Callable[[str], None]]:
    """The directory of the table ``t`` is a small file system of its own; says how large it is."""
    folder = place.tables / "t"
    folder.mkdir(parents=True)
    mounted(folder, f"size={SMALL}")
    try:
        yield lambda size: mounted(folder, "remount", f"size={size}")
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("statement", "mode", "after"),
    [
        ("INSERT INTO t {many_a}", "static", ROOMY + 2),
        ("INSERT OVERWRITE t PARTITION (dt = 'a') {many}", "static", ROOMY + 1),
        ("INSERT OVERWRITE t {many_a}", "dynamic", ROOMY + 1),
        ("INSERT OVERWRITE t {many_a}", "static", ROOMY),
    ],
    ids=["append", "overwrite", "overwrite-dynamic", "overwrite-table"],
)
def test_a_full_disk_leaves_the_old_rows(
    place: Workplace, resized: Callable[[str], None], kind: str, statement: str, mode: str, after: int
) -> None:
    place.run(
        f"CREATE TABLE t (id INT, s STRING, dt STRING) USING {kind} PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true', 'file.compression' = 'none')",
        "INSERT INTO t VALUES (1, 'x', 'a'), (2, 'y', 'b')",
    )
    sql = statement.format(many=MANY.format(""), many_a=MANY.format(", 'a' AS dt"))
    place.session.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    try:
        with pytest.raises(Exception, match="No space left on device"):
            place.run(sql)
        assert place.values("SELECT id, dt FROM t") == OLD
        assert list((place.tables / "t").rglob("_temporary/.tmp.*")) == []
        assert place.values("SELECT sum(record_count) FROM `t$partitions`") == [(2,)]
        resized(LARGE)
        place.run(sql)
    finally:
        place.session.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert place.values("SELECT count(*), count(DISTINCT id) FROM t WHERE length(s) > 1") == [(ROOMY, ROOMY)]
    assert place.values("SELECT count(*) FROM t") == [(after,)]
