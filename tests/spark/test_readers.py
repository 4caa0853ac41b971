"""Who reads a partition, Spark's own reader or Python, and what a user sees of files that do not fit."""

from __future__ import annotations

import bz2
import datetime
import gzip
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest
from pyspark.errors import SparkRuntimeException

from spark_paimon.catalog import load_catalog
from tests.spark.workplace import Workplace

MANAGED = "'metastore.partitioned-table' = 'true'"
SLICED = "'source.split.target-size' = '64 kb', 'source.split.open-file-cost' = '1 kb'"

Put = Callable[..., Path]


@pytest.fixture
def put(place: Workplace, warehouse_root: Path) -> Put:
    """Register a partition of table ``t`` with a format of its own, and put a file of others into it."""

    def run(part: str, kind: str, content: bytes | pa.Table, name: str | None = None) -> Path:
        path = place.tables / f"t/dt={part}" / (name or f"x.{kind}")
        with load_catalog(
            {"metastore": "embedded", "warehouse": str(warehouse_root / "embedded")}
        ) as catalog:
            catalog.create_partitions(f"{place.database}.t", [{"dt": part}], options=[{"file.format": kind}])
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            write = pyarrow.orc.write_table if path.suffix == ".orc" else pyarrow.parquet.write_table
            write(content, path)
        return path

    return run


def create(place: Workplace, columns: str, properties: str = "", kind: str = "parquet") -> None:
    """A table ``t`` whose partitions the catalog knows."""
    more = f", {properties}" if properties else ""
    place.sql(f"CREATE TABLE t ({columns}, dt STRING) USING {kind} PARTITIONED BY (dt) "
              f"TBLPROPERTIES ({MANAGED}{more})")  # fmt: skip


def rows_of(place: Workplace, part: str, columns: str = "*") -> list[tuple[Any, ...]]:
    return [tuple(row) for row in place.sql(f"SELECT {columns} FROM t WHERE dt = '{part}'").collect()]


def refused(place: Workplace, query: str, condition: str, *texts: str) -> None:
    """Check the condition of a failing query and what its message names."""
    with pytest.raises(SparkRuntimeException) as caught:
        place.sql(query).collect()
    assert caught.value.getCondition() == condition
    for text in texts:
        assert text in str(caught.value)


# ---- several formats in one scan
# -----------------------------------------------------------------------------


@pytest.fixture
def four(place: Workplace, put: Put) -> None:
    """The same two rows in four formats."""
    create(place, "id INT, s STRING, n BIGINT")
    table = pa.table(
        {"id": pa.array([1, 2], pa.int32()), "s": ["a", None], "n": pa.array([5, 6], pa.int64())}
    )
    put("parquet", "parquet", table)
    put("orc", "orc", table)
    put("csv", "csv", b"1,a,5\n2,,6\n")
    put("json", "json", b'{"id": 1, "s": "a", "n": 5}\n{"id": "2", "n": "6"}\n')


FORMATS = ("csv", "json", "orc", "parquet")


def test_one_query_reads_every_format(place: Workplace, four: None) -> None:
    assert place.values("SELECT * FROM t") == sorted(
        [row for kind in FORMATS for row in ((1, "a", 5, kind), (2, None, 6, kind))], key=str
    )
    assert place.values("SELECT dt, count(*), sum(n) FROM t GROUP BY dt") == [
        (kind, 2, 11) for kind in FORMATS
    ]
    assert place.values("SELECT count(*) FROM t") == [(8,)]
    assert place.values("SELECT dt FROM t WHERE n = 6") == [(kind,) for kind in FORMATS]
    assert place.values("SELECT n, id FROM t WHERE s = 'a' AND dt < 'd'") == [(5, 1)]


def test_explain_names_reader_and_reason(place: Workplace, four: None) -> None:
    plan = place.plan("SELECT * FROM t")
    assert "formats: csv, json, orc, parquet, readers: csv (python: " in plan
    assert "orc (spark), parquet (spark)" in plan
    plan = place.plan("SELECT * FROM t WHERE dt IN ('orc', 'parquet')")
    assert "readers: orc (spark, vectorised), parquet (spark, vectorised)" in plan
    assert "ColumnarToRow" in plan


def test_every_row_knows_its_file(place: Workplace, four: None) -> None:
    named = {(Path(path).name, dt) for path, dt in place.values("SELECT input_file_name(), dt FROM t")}
    assert named == {(f"x.{kind}", kind) for kind in FORMATS}


def test_parts_of_nested_columns(place: Workplace, put: Put) -> None:
    create(place, "n STRUCT<a: INT, b: STRUCT<c: STRING, d: INT>>, l ARRAY<STRUCT<x: INT, y: INT>>")
    value = {"n": [{"a": 1, "b": {"c": "c", "d": 2}}, None], "l": [[{"x": 1, "y": 2}], []]}
    inner = pa.struct([("x", pa.int32()), ("y", pa.int32())])
    kinds = pa.schema([
        ("n", pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string()), ("d", pa.int32())]))])),
        ("l", pa.list_(inner)),
    ])  # fmt: skip
    put("parquet", "parquet", pa.table(value, schema=kinds))
    put("json", "json", b'{"n": {"a": 1, "b": {"c": "c", "d": 2}}, "l": [{"x": 1, "y": 2}]}\n{"l": []}\n')
    for part in ("parquet", "json"):
        assert rows_of(place, part, "n.b.c, l.y") == [("c", [2]), (None, [])]
        assert rows_of(place, part, "n.a, n.b.d, get(l, 0).x IS NULL") == [(1, 2, False), (None, None, True)]


@pytest.mark.parametrize("codec", ["gz", "zst"])
def test_compressed_text_whatever_has_its_codec(place: Workplace, put: Put, codec: str) -> None:
    create(place, "s STRING", kind="text")
    content = b"one\n\n two \n"
    packed = gzip.compress(content) if codec == "gz" else pa.compress(content, codec="zstd", asbytes=True)
    put("a", "text", packed, f"x.txt.{codec}")
    put("b", "text", b"plain\n", "x.txt")
    assert place.values("SELECT * FROM t") == [(" two ", "a"), ("", "a"), ("one", "a"), ("plain", "b")]


# ---- splits
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_large_files_are_read_by_several_tasks(place: Workplace, put: Put, kind: str) -> None:
    create(place, "id INT, s STRING", SLICED)
    line = {"csv": '{0},"line\n{0}"\n', "json": '{{"id": {0}, "s": "line {0}"}}\n'}[kind]
    put("a", kind, "".join(line.format(number) for number in range(20000)).encode())
    frame = place.sql("SELECT * FROM t")
    assert frame.rdd.getNumPartitions() > 3
    assert place.values("SELECT count(*), count(DISTINCT id), sum(id), count(DISTINCT s) FROM t") == [
        (20000, 20000, 199990000, 20000)
    ]


def test_many_small_partitions_share_a_task(place: Workplace, put: Put) -> None:
    create(place, "id INT")
    for number in range(12):
        put(f"{number:02}", "csv", f"{number}\n".encode())
    frame = place.sql("SELECT id, dt FROM t")
    assert frame.rdd.getNumPartitions() < 5
    assert sorted((row.id, int(row.dt)) for row in frame.collect()) == [(n, n) for n in range(12)]


def test_a_limit_ends_a_scan_early(place: Workplace, put: Put) -> None:
    create(place, "id INT, s STRING", SLICED)
    put("a", "csv", "".join(f"{number},text\n" for number in range(50000)).encode())
    for _ in range(3):
        assert len(place.sql("SELECT * FROM t LIMIT 3").collect()) == 3
    assert place.values("SELECT count(*) FROM t") == [(50000,)]


# ---- files of another format
# ---------------------------------------------------------------------------------


NUMBERS = pa.table({"id": pa.array([1, 2], pa.int32())})


@pytest.mark.parametrize(
    ("kind", "content", "expected", "found"),
    [
        ("parquet", b"1\n2\n3,4,5,6,7\n", "PARQUET", "something else"),
        ("orc", NUMBERS, "ORC", "PARQUET"),
        ("csv", NUMBERS, "CSV", "PARQUET"),
        ("json", NUMBERS, "JSON", "PARQUET"),
    ],
)
def test_another_format_is_an_error(
    place: Workplace, put: Put, kind: str, content: bytes | pa.Table, expected: str, found: str
) -> None:
    create(place, "id INT")
    put("a", kind, content, "x.data")
    refused(place, "SELECT * FROM t", "FILE_FORMAT_MISMATCH", "/t/dt=a/x.data' of partition dt=a of ",
            f"{place.database}.t", f"should be {expected}, but is {found}")  # fmt: skip


@pytest.mark.parametrize(
    ("content", "found"),
    [(NUMBERS, "PARQUET"), (b"PK\x03\x04\x00", "ZIP"), (b"\x00\x00\x00\x00MOSA", "MOSAIC")],
)
def test_text_is_never_read_from_other_bytes(
    place: Workplace, put: Put, content: bytes | pa.Table, found: str
) -> None:
    create(place, "s STRING", kind="text")
    put("a", "text", content, "x.txt")
    refused(place, "SELECT * FROM t", "FILE_FORMAT_MISMATCH", f"should be TEXT, but is {found}")


def test_p84_compressed_text_is_recognised_without_its_ending(place: Workplace, put: Put) -> None:
    create(place, "s STRING", SLICED, "text")
    lines = [f"{number * number}" for number in range(20_000)]
    content = "\n".join(lines).encode()
    for name, packed in {
        "gzip": gzip.compress(content),
        "bzip2": bz2.compress(content, 1),
        "zstd": pa.compress(content, "zstd", asbytes=True),
        "plain": content,
    }.items():
        put("a", "text", packed, f"{name}.txt")
    found = place.values("SELECT s, dt, count(*) FROM t GROUP BY s, dt")
    assert found == sorted((line, "a", 4) for line in lines)
    assert place.values("SELECT count(*) FROM t") == [(80_000,)]


def test_p84_a_truncated_compressed_text_is_an_error(place: Workplace, put: Put) -> None:
    create(place, "s STRING", kind="text")
    put("a", "text", gzip.compress(b"one\n" * 1000)[:-9], "x.txt")
    refused(place, "SELECT * FROM t", "FILE_UNREADABLE", "/t/dt=a/x.txt' of ", "gzip compressed TEXT")


def test_text_may_begin_and_end_like_a_mark(place: Workplace, put: Put) -> None:
    create(place, "s STRING", kind="text")
    put("a", "text", b"ORC\nBZh\n", "x.txt")
    put("b", "text", b"PAR1\n", "x.txt")
    put("c", "text", b"BZh91AY&S\nthe end,MOSA", "x.txt")
    assert place.values("SELECT s FROM t") == [
        ("BZh",), ("BZh91AY&S",), ("ORC",), ("PAR1",), ("the end,MOSA",)
    ]  # fmt: skip


def test_a_broken_file_names_itself_and_the_table(place: Workplace, put: Put) -> None:
    create(place, "id INT")
    path = put("a", "parquet", NUMBERS)
    path.write_bytes(path.read_bytes()[:-20])
    refused(place, "SELECT * FROM t", "FILE_UNREADABLE", "/t/dt=a/x.parquet' of ", f"{place.database}.t")


@pytest.mark.parametrize("kind", ["parquet", "orc", "csv", "json"])
def test_corrupt_files_are_skipped_if_asked(place: Workplace, put: Put, kind: str) -> None:
    create(place, "id INT", "'scan.ignore-corrupt-files' = 'true'")
    put("a", "parquet", NUMBERS)
    put("b", kind, b"Obj\x01" + bytes(100))
    assert place.values("SELECT id, dt FROM t") == [(1, "a"), (2, "a")]
    place.sql("ALTER TABLE t UNSET TBLPROPERTIES ('scan.ignore-corrupt-files')")
    refused(place, "SELECT id, dt FROM t", "FILE_FORMAT_MISMATCH", "AVRO")


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("ignored", [True, False])
def test_lost_files_are_skipped_if_asked(place: Workplace, put: Put, kind: str, ignored: bool) -> None:
    create(place, "id INT", f"'scan.ignore-lost-files' = '{ignored}'")
    path = put("a", kind, NUMBERS if kind == "parquet" else b"1\n2\n")
    frame = place.sql("SELECT id FROM t")
    assert frame.rdd.getNumPartitions() == 1  # the plan now knows the file
    path.unlink()
    if ignored:
        assert frame.collect() == []
        return
    with pytest.raises(SparkRuntimeException, match="does not exist any more") as caught:
        frame.collect()
    assert caught.value.getCondition() == "FILE_UNREADABLE"


# ---- columns of other types
# -----------------------------------------------------------------------------------


WIDENED: dict[str, tuple[pa.Array, str, list[Any]]] = {
    "tinyint": (pa.array([1, -128], pa.int8()), "SMALLINT", [1, -128]),
    "smallint": (pa.array([1, -32768], pa.int16()), "INT", [1, -32768]),
    "int": (pa.array([1, -(2**31)], pa.int32()), "BIGINT", [1, -(2**31)]),
    "float": (pa.array([0.5, None], pa.float32()), "DOUBLE", [0.5, None]),
    "int_double": (pa.array([1, -(2**31)], pa.int32()), "DOUBLE", [1.0, -(2.0**31)]),
    "tinyint_decimal": (pa.array([1, -128], pa.int8()), "DECIMAL(3, 0)", [Decimal(1), Decimal(-128)]),
    "int_decimal": (pa.array([1, None], pa.int32()), "DECIMAL(12, 2)", [Decimal("1.00"), None]),
    "bigint_decimal": (pa.array([2**63 - 1, None], pa.int64()), "DECIMAL(19, 0)", [Decimal(2**63 - 1), None]),
    "decimal": (
        pa.array([Decimal("1.50"), None], pa.decimal128(5, 2)), "DECIMAL(20, 4)", [Decimal("1.5000"), None]
    ),
}  # fmt: skip


@pytest.mark.parametrize("vectorised", ["true", "false"])
@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_narrower_columns_are_widened(place: Workplace, put: Put, kind: str, vectorised: str) -> None:
    place.session.conf.set(f"spark.sql.{kind}.enableVectorizedReader", vectorised)
    create(
        place,
        ", ".join(f"{case} {wide}, s_{case} STRUCT<c: {wide}>" for case, (_, wide, _) in WIDENED.items()),
    )
    stored = {case: values for case, (values, _, _) in WIDENED.items()}
    nested = {f"s_{case}": pa.StructArray.from_arrays([values], ["c"]) for case, values in stored.items()}
    put("a", kind, pa.table({**stored, **nested}))
    for case, (_, _, expected) in WIDENED.items():
        assert rows_of(place, "a", f"{case}, s_{case}.c") == [(value, value) for value in expected], case


@pytest.mark.parametrize("vectorised", ["true", "false"])
def test_slices_that_spark_refuses_are_read_in_python(place: Workplace, put: Put, vectorised: str) -> None:
    place.session.conf.set("spark.sql.parquet.enableVectorizedReader", vectorised)
    create(place, "id INT, n DECIMAL(19, 0), t TIMESTAMP_NTZ", SLICED)
    numbers = range(30000)
    table = pa.table({
        "id": pa.array(numbers, pa.int32()),
        "n": pa.array(numbers, pa.int64()),
        "t": pa.array([number * 1000 for number in numbers], pa.timestamp("ns")),
    })  # fmt: skip
    path = put("a", "parquet", table)
    pyarrow.parquet.write_table(table, path, row_group_size=1700)
    frame = place.sql("SELECT id, n, t FROM t")
    assert frame.rdd.getNumPartitions() > 3
    whole = "count(*), count(DISTINCT id), sum(n), max(CAST(t AS STRING))"
    assert place.values(f"SELECT {whole} FROM t") == [(30000, 30000, 449985000, "1970-01-01 00:00:00.029999")]
    assert place.values(f"SELECT {whole} FROM t WHERE id >= 20000") == [
        (10000, 10000, 249995000, "1970-01-01 00:00:00.029999")
    ]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_of_every_unit(place: Workplace, put: Put, unit: str) -> None:
    create(place, "a TIMESTAMP_NTZ, b TIMESTAMP")
    moment = datetime.datetime(2024, 5, 6, 7, 8, 9)
    kinds = pa.schema([("a", pa.timestamp(unit)), ("b", pa.timestamp(unit, "UTC"))])
    for kind in ("parquet", "orc"):
        put(kind, kind, pa.table({"a": [moment, None], "b": [moment, None]}, schema=kinds))
        assert rows_of(place, kind, "a, CAST(b AS STRING)") == [(moment, "2024-05-06 07:08:09"), (None, None)]


def test_a_day_becomes_its_midnight(place: Workplace, put: Put) -> None:
    create(place, "a TIMESTAMP_NTZ")
    put("a", "parquet", pa.table({"a": pa.array([datetime.date(1500, 3, 1)])}))
    put("b", "orc", pa.table({"a": pa.array([datetime.date(1970, 1, 2)])}))
    assert place.values("SELECT CAST(a AS STRING) FROM t") == [
        ("1500-03-01 00:00:00",),
        ("1970-01-02 00:00:00",),
    ]


NARROWED: dict[str, tuple[pa.Array, str, str]] = {
    "bigint": (pa.array([1, 2**40], pa.int64()), "INT", "BIGINT"),
    "int": (pa.array([1, 300], pa.int32()), "TINYINT", "INT"),
    "smallint": (pa.array([1, 2], pa.int16()), "TINYINT", "SMALLINT"),
    "double": (pa.array([1.5], pa.float64()), "FLOAT", "DOUBLE"),
    "double_int": (pa.array([1.5], pa.float64()), "INT", "DOUBLE"),
    "bigint_decimal": (pa.array([2**63 - 1], pa.int64()), "DECIMAL(18, 0)", "BIGINT"),
    "decimal": (pa.array([Decimal("1234.567")], pa.decimal128(12, 3)), "DECIMAL(12, 2)", "DECIMAL(12, 3)"),
    "decimal_int": (pa.array([Decimal("1.5")], pa.decimal128(3, 1)), "INT", "DECIMAL(3, 1)"),
    "string": (pa.array(["1"]), "INT", "STRING"),
}


@pytest.mark.parametrize("vectorised", ["true", "false"])
@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_other_columns_are_refused(place: Workplace, put: Put, kind: str, vectorised: str) -> None:
    place.session.conf.set(f"spark.sql.{kind}.enableVectorizedReader", vectorised)
    columns = ", ".join(
        f"{case} {kind}, s_{case} STRUCT<c: {kind}>" for case, (_, kind, _) in NARROWED.items()
    )
    create(place, f"id INT, {columns}", "'scan.ignore-corrupt-files' = 'true'")
    for case, (values, _, found) in NARROWED.items():
        ids = pa.array(range(len(values)), pa.int32())
        nested = pa.StructArray.from_arrays([values], ["c"])
        put(case, kind, pa.table({"id": ids, case: values, f"s_{case}": nested}))
        place_of_file = f"/t/dt={case}/x.{kind}' holds {found}, "
        for wanted, column in ((case, case), (f"s_{case}.c", f"s_{case}.c")):
            query = f"SELECT {wanted} FROM t WHERE dt = '{case}'"
            refused(place, query, "FILE_COLUMN_TYPE", f"Column {column} of ", place_of_file)
    assert place.values("SELECT count(id) FROM t") == [(sum(len(case[0]) for case in NARROWED.values()),)]


@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_a_missing_column_is_null_unless_it_must_not_be(place: Workplace, put: Put, kind: str) -> None:
    create(place, "id INT, a INT NOT NULL, b INT")
    put("a", kind, NUMBERS)
    assert rows_of(place, "a", "id, b") == [(1, None), (2, None)]
    refused(place, "SELECT a FROM t", "FILE_COLUMN_MISSING", "has no column a", f"/t/dt=a/x.{kind}'")
    assert rows_of(place, "a", "count(*)") == [(2,)]


@pytest.mark.parametrize("case_sensitive", ["true", "false"])
def test_the_case_of_file_columns_is_the_catalogs_matter(
    place: Workplace, put: Put, case_sensitive: str
) -> None:
    create(place, "id INT, name STRING")
    table = pa.table({"ID": pa.array([1], pa.int32()), "Name": ["a"]})
    put("a", "parquet", table)
    put("b", "orc", table)
    place.session.conf.set("spark.sql.caseSensitive", case_sensitive)
    assert place.values("SELECT id, name FROM t") == [(1, "a"), (1, "a")]
