"""INSERT, CREATE TABLE AS SELECT and REPLACE TABLE in every format, by Spark's writer and by Python's."""

from __future__ import annotations

import bz2
import gzip
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest

from tests.spark.workplace import EVERY, Workplace


@dataclass(frozen=True)
class Case:
    """A table of one format; ``value`` makes the column ``v`` of a row from its ``id``."""

    format: str
    type: str
    value: str
    writer: str
    options: str = ""

    def properties(self, more: str = "") -> str:
        return f"TBLPROPERTIES ('metastore.partitioned-table' = 'true'{self.options}{more})"

    def __str__(self) -> str:
        return f"{self.format}-{self.writer}"


CASES = (
    Case(
        "parquet", "STRUCT<a: INT, b: ARRAY<STRING>>", "named_struct('a', id, 'b', array('x', null))", "Spark"
    ),
    Case("orc", "DECIMAL(20, 3)", "CAST(id AS DECIMAL(20, 3))", "Spark"),
    Case("orc", "TIMESTAMP_NTZ", "timestamp_ntz'1500-01-01 10:00:00.000001'", "Python"),
    Case("csv", "TIMESTAMP", "timestamp'1500-01-01 10:00:00.000001'", "Python"),
    Case("json", "DATE", "date'1500-01-01'", "Spark"),
    Case("json", "MAP<INT, STRING>", "map(id, 'é')", "Python"),
    Case("mosaic", "BINARY", "CAST('é' AS BINARY)", "Python"),
)

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def create(place: Workplace, case: Case, more: str = "") -> None:
    place.run(
        f"CREATE TABLE t (id INT, v {case.type}, n INT, dt DATE, s STRING) USING {case.format} "
        f"PARTITIONED BY (dt, s) {case.properties(more)}"
    )


def query(case: Case, ids: str, dt: str = "date'2024-01-01'", s: str = "'a'") -> str:
    value = f"CAST(IF(id % 3 = 2, NULL, {case.value}) AS {case.type})"
    return f"SELECT CAST(id AS INT) id, {value} v, CAST(NULL AS INT) n, {dt} dt, {s} s FROM range({ids})"


def staged(place: Workplace) -> list[Path]:
    return [path for path in place.tables.rglob("*") if ".tmp." in path.name]


def wait_until_nothing_is_staged(place: Workplace) -> None:
    """Tasks that are killed clean up on their own time."""
    deadline = time.monotonic() + 20
    while staged(place) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert staged(place) == []


# ---- statements
# ----------------------------------------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("catalog", EVERY)
def test_append_and_overwrite(place: Workplace, case: Case) -> None:
    place.session.conf.set("spark.sql.session.timeZone", "Asia/Shanghai")
    create(place, case)
    expected = place.values(query(case, "6"))
    place.run(f"INSERT INTO t {query(case, '0, 4')}", f"INSERT INTO t {query(case, '4, 6')}")
    assert place.values("SELECT * FROM t") == expected
    place.run(f"INSERT OVERWRITE t {query(case, '2')}")
    assert place.values("SELECT * FROM t") == place.values(query(case, "2"))
    rows = query(case, "3", s="concat(id, '/é')")
    place.run(f"INSERT OVERWRITE t PARTITION (dt = date'2024-01-02', s) SELECT id, v, n, s FROM ({rows})")
    assert len(place.values("SELECT * FROM t")) == 5
    place.session.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    place.run(f"INSERT OVERWRITE t {query(case, '7, 9')}")
    assert [row[0] for row in place.values("SELECT id FROM t WHERE dt = date'2024-01-01'")] == [7, 8]
    assert len(place.values("SELECT * FROM t")) == 5
    assert staged(place) == []


@every_case
def test_rows_of_many_partitions(place: Workplace, case: Case) -> None:
    create(place, case)
    rows = query(
        case,
        "0, 400, 1, 4",
        "IF(id % 5 = 0, NULL, date_add(date'2024-01-01', CAST(id % 5 AS INT)))",
        "element_at(array('a', '', ' ', NULL, 'ü=%'), CAST(id % 5 AS INT) + 1)",
    )
    place.run(f"INSERT INTO t {rows}")
    blank = f"SELECT id, v, n, dt, IF(trim(s) = '', NULL, s) FROM ({rows})"
    assert place.values("SELECT * FROM t") == place.values(blank)


@every_case
@pytest.mark.parametrize("mode", ["static", "dynamic"])
def test_no_rows(place: Workplace, case: Case, mode: str) -> None:
    place.session.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    create(place, case)
    place.run(f"INSERT INTO t {query(case, '1')}", f"INSERT OVERWRITE t {query(case, '0')}")
    assert len(place.values("SELECT * FROM t")) == (mode == "dynamic")
    place.run(
        f"INSERT INTO t PARTITION (dt = date'2024-02-01', s = 'x') SELECT id, v, n FROM ({query(case, '0')})"
    )
    assert "dt=2024-02-01/s=x" in place.partitions("t")


@every_case
@pytest.mark.parametrize("catalog", EVERY)
def test_create_as_select_and_replace(place: Workplace, case: Case) -> None:
    definition = f"TABLE t USING {case.format} PARTITIONED BY (dt, s) {case.properties()} AS"
    place.run(f"CREATE {definition} {query(case, '4')}")
    assert place.values("SELECT * FROM t") == place.values(query(case, "4"))
    place.run(f"CREATE OR REPLACE {definition} {query(case, '4, 6')}")
    assert place.values("SELECT * FROM t") == place.values(query(case, "4, 6"))
    assert staged(place) == []


@every_case
def test_explain_says_who_writes(place: Workplace, case: Case) -> None:
    create(place, case)
    plan = place.plan(f"INSERT INTO t {query(case, '1')}")
    assert f"{case.format}, writer: {case.writer}" in plan
    assert ("writer: Python (" in plan) == (case.writer == "Python")


@every_case
def test_files_roll_by_rows(place: Workplace, case: Case) -> None:
    create(place, case, ", 'target-file-row-num' = '40', 'data-file.prefix' = 'x-'")
    place.run(f"INSERT INTO t {query(case, '0, 100, 1, 1')}")
    files = sorted(path.name for path in (place.tables / "t").rglob(f"x-*.{case.format}"))
    assert [name.rpartition("-")[2].partition(".")[0] for name in files] == ["0", "1", "2"]
    assert place.values("SELECT * FROM t") == place.values(query(case, "100"))


# ---- failures
# ------------------------------------------------------------------------------------------------------


@every_case
def test_a_failing_insert_leaves_nothing(place: Workplace, case: Case) -> None:
    create(place, case)
    place.run(f"INSERT INTO t {query(case, '2')}")
    before = sorted(place.tables.rglob("*"))
    # One task fails while another is in the middle of its files.
    failing = query(case, "0, 200000, 1, 2", s="IF(id = 150000, raise_error('boom'), CAST(id % 3 AS STRING))")
    place.fails(f"INSERT INTO t {failing}", "*", "USER_RAISED_EXCEPTION", "boom")
    wait_until_nothing_is_staged(place)
    assert [path for path in sorted(place.tables.rglob("*")) if path not in before] == []
    assert place.values("SELECT * FROM t") == place.values(query(case, "2"))


@every_case
def test_a_failing_create_leaves_nothing(place: Workplace, case: Case) -> None:
    rows = query(case, "0, 1000, 1, 1", s="IF(id = 900, raise_error('boom'), CAST(id % 3 AS STRING))")
    definition = f"TABLE t USING {case.format} PARTITIONED BY (dt, s) {case.properties()} AS {rows}"
    place.fails(f"CREATE {definition}", "*", "USER_RAISED_EXCEPTION", "boom")
    assert not (place.tables / "t").exists()
    assert place.rows("SHOW TABLES") == []


@every_case
def test_a_value_that_no_partition_can_have_leaves_nothing(place: Workplace, case: Case) -> None:
    create(place, case)
    rows = query(case, "2", s="'__DEFAULT_PARTITION__'")
    place.fails(f"INSERT INTO t {rows}", "IllegalArgumentException", "PARTITION_VALUE_RESERVED", "column s")
    assert staged(place) == []
    assert place.directories("t") == []


def test_a_line_that_would_become_two_is_refused(place: Workplace) -> None:
    for name, options in (("t", ""), ("u", "TBLPROPERTIES ('text.line-delimiter' = 'ab')")):
        place.run(f"CREATE TABLE {name} (line STRING) USING text {options}")
    place.run("INSERT INTO t VALUES ('a'), ('ab'), ('')", "INSERT INTO u VALUES ('x\\ny')")
    for statement in ("INSERT INTO t VALUES ('x\\ny')", "INSERT INTO u VALUES ('xaby')"):
        place.fails(statement, "IllegalArgumentException", "FILE_VALUE_REFUSED", "column line")
    assert place.values("SELECT * FROM t") == [("",), ("a",), ("ab",)]
    assert place.values("SELECT * FROM u") == [("x\ny",)]
    assert staged(place) == []


# ---- codecs
# ----------------------------------------------------------------------------------------------------


def _parquet(path: Path) -> str:
    return str(pq.ParquetFile(path).metadata.row_group(0).column(0).compression)


def _orc(path: Path) -> str:
    return str(pa.orc.ORCFile(path).compression)


def _hadoop_block(path: Path) -> str:
    """Hadoop's frames of snappy and lz4: length of the block as it was, length of what follows."""
    content = path.read_bytes()
    whole, packed = int.from_bytes(content[:4], "big"), int.from_bytes(content[4:8], "big")
    return "block" if 0 < packed < min(whole, len(content)) else "none"


def _text(path: Path) -> str:
    content = path.read_bytes()
    for name, read in (("gzip", gzip.decompress), ("bzip2", bz2.decompress), ("deflate", zlib.decompress)):
        try:
            read(content)  # type: ignore[operator]
        except (OSError, zlib.error, EOFError):
            continue
        return name
    return "zstd" if content.startswith(b"\x28\xb5\x2f\xfd") else _hadoop_block(path)


TEXT_CODECS = {
    "none": ("none", ""),
    "gzip": ("gzip", ".gz"),
    "bzip2": ("bzip2", ".bz2"),
    "deflate": ("deflate", ".deflate"),
    "snappy": ("block", ".snappy"),
    "lz4": ("block", ".lz4"),
    "zstd": ("zstd", ".zst"),
}
PARQUET_CODECS = {
    "none": "UNCOMPRESSED",
    "snappy": "SNAPPY",
    "gzip": "GZIP",
    "zstd": "ZSTD",
    "lz4_raw": "LZ4",
}
ORC_CODECS = {"none": "UNCOMPRESSED", "snappy": "SNAPPY", "zlib": "ZLIB", "lz4": "LZ4", "zstd": "ZSTD"}


def _codec_cases() -> list[Any]:
    found: list[tuple[str, str, str, str, Callable[[Path], str]]] = []
    found += [("parquet", codec, is_in, "", _parquet) for codec, is_in in PARQUET_CODECS.items()]
    found += [("orc", codec, is_in, "", _orc) for codec, is_in in ORC_CODECS.items()]
    for name in ("csv", "json", "text"):
        found += [(name, codec, is_in, ending, _text) for codec, (is_in, ending) in TEXT_CODECS.items()]
    return [pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in found]


@pytest.mark.parametrize(("format_name", "codec", "is_in", "ending", "codec_of"), _codec_cases())
def test_the_codec_is_in_the_file(
    place: Workplace, format_name: str, codec: str, is_in: str, ending: str, codec_of: Callable[[Path], str]
) -> None:
    place.session.conf.set("spark.sql.parquet.compression.codec", "gzip")
    place.session.conf.set("spark.sql.orc.compression.codec", "zlib")
    place.run(
        f"CREATE TABLE t (line STRING) USING {format_name} TBLPROPERTIES ('file.compression' = '{codec}')"
    )
    place.run("INSERT INTO t SELECT concat('line ', id % 10) FROM range(0, 5000, 1, 1)")
    (file,) = (place.tables / "t").glob("data-*")
    assert file.name.endswith(f"-0.{format_name}{ending}")
    assert codec_of(file) == is_in
    assert place.values("SELECT line, count(*) FROM t GROUP BY line")[0] == ("line 0", 500)


# pyarrow's ORC writer has one level: docs/formats.md.
@pytest.mark.parametrize(("case_format", "kind"), [("parquet", "INT"), ("orc", "INT")])
def test_the_level_of_zstd_counts(place: Workplace, case_format: str, kind: str) -> None:
    sizes = []
    for level in (1, 19):
        properties = f"'file.compression' = 'zstd', 'file.compression.zstd-level' = '{level}'"
        place.run(
            f"CREATE TABLE t{level} (line STRING, k {kind}) USING {case_format} TBLPROPERTIES ({properties})"
        )
        text = "sha2(CAST(CAST(id / 40 AS INT) AS STRING), 256)"
        place.run(f"INSERT INTO t{level} SELECT {text}, NULL FROM range(0, 20000, 1, 1)")
        (file,) = (place.tables / f"t{level}").glob("data-*")
        sizes.append(file.stat().st_size)
    assert sizes[1] < sizes[0]


# ---- what the session says does not matter
# ------------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/New_York"])
def test_parquet_files_are_the_same_whatever_the_session_says(place: Workplace, zone: str) -> None:
    settings = {
        "spark.sql.session.timeZone": zone,
        "spark.sql.parquet.outputTimestampType": "INT96",
        "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
        "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY",
    }
    for key, value in settings.items():
        place.session.conf.set(key, value)
    place.run(
        "CREATE TABLE t (d DATE, z TIMESTAMP, n TIMESTAMP_NTZ) USING parquet",
        "INSERT INTO t VALUES "
        "(date'1500-01-01', timestamp'1500-01-01 00:00:00Z', timestamp_ntz'1500-01-01 00:00:00')",
    )
    (file,) = (place.tables / "t").glob("data-*")
    stored = pq.ParquetFile(file)
    assert {stored.schema.column(at).physical_type for at in range(3)} == {"INT32", "INT64"}
    assert stored.schema_arrow.names == ["d", "z", "n"]
    day = -171_664
    row = [
        column[0].cast(kind).as_py()
        for column, kind in zip(stored.read().columns, (pa.int32(), pa.int64(), pa.int64()), strict=True)
    ]
    assert row == [day, day * 86_400_000_000, day * 86_400_000_000]
