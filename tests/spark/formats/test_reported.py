"""Reports about formats (G and H of the list), as a user meets them in SQL."""

from __future__ import annotations

import datetime as dt
import gzip
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest
from pyspark.errors import PySparkException

from tests.spark.workplace import Workplace

MANAGED = "'metastore.partitioned-table' = 'true'"


def put(place: Workplace, table: str, name: str, content: bytes) -> Path:
    """A file of another program in the directory of a table."""
    path = place.tables / table / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_p75_one_column_csv_loses_no_row(place: Workplace) -> None:
    place.sql("CREATE TABLE t (s STRING) USING csv")
    place.sql("INSERT INTO t VALUES ('abc'), (NULL), ('def'), ('')")
    assert place.values("SELECT s, s IS NULL FROM t") == [
        ("", False), ("abc", False), ("def", False), (None, True)
    ]  # fmt: skip


def test_p76_null_empty_and_the_quoted_literal_stay_apart(place: Workplace) -> None:
    place.sql("CREATE TABLE t (id INT, s STRING) USING csv TBLPROPERTIES ('csv.null-literal' = '\\\\N')")
    put(place, "t", "x.csv", b'1,\n2,""\n3,\\N\n4,"\\N"\n')
    found = dict(place.values("SELECT id, s FROM t"))
    assert found == {1: "", 2: "", 3: None, 4: "\\N"}
    place.sql("INSERT OVERWRITE t VALUES (1, NULL), (2, ''), (3, '\\\\N')")
    assert dict(place.values("SELECT id, s FROM t")) == {1: None, 2: "", 3: "\\N"}


@pytest.mark.parametrize("key", ["csv.quote-character", "quote", "csv.field-delimiter", "sep", "lineSep"])
def test_p78_empty_characters_are_refused_at_create_and_alter(place: Workplace, key: str) -> None:
    place.fails(
        f"CREATE TABLE t (id INT) USING csv TBLPROPERTIES ('{key}' = '')", "IllegalArgumentException",
        text="must not be empty",
    )  # fmt: skip
    place.sql("CREATE TABLE u (id INT) USING csv")
    place.fails(
        f"ALTER TABLE u SET TBLPROPERTIES ('{key}' = '')", "IllegalArgumentException",
        text="must not be empty",
    )  # fmt: skip


@pytest.mark.parametrize("key", ["csv.field-delimiter", "field-delimiter", "seq", "delimiter", "sep"])
def test_p79_every_spelling_of_the_delimiter_is_used(place: Workplace, key: str) -> None:
    place.sql(f"CREATE TABLE t (a INT, b INT) USING csv TBLPROPERTIES ('{key}' = ';')")
    put(place, "t", "x.csv", b"1;2\n3;4")
    assert place.values("SELECT * FROM t") == [(1, 2), (3, 4)]
    place.sql("INSERT INTO t VALUES (5, 6)")
    (ours,) = (place.tables / "t").glob("data-*")
    assert ours.read_bytes() == b"5;6\n"


def test_p81_a_byte_order_mark_is_no_part_of_the_first_value(place: Workplace) -> None:
    place.sql("CREATE TABLE c (a STRING, b INT) USING csv")
    put(place, "c", "x.csv", b"\xef\xbb\xbfx,1\ny,2\n")
    place.sql("CREATE TABLE j (a STRING, b INT) USING json")
    put(place, "j", "x.json", b'\xef\xbb\xbf{"a":"x","b":1}\n{"a":"y","b":2}\n')
    for table in "cj":
        assert place.values(f"SELECT * FROM {table}") == [("x", 1), ("y", 2)]


@pytest.mark.parametrize(
    "line",
    [b'{"a":1}{"a":2}', b'[{"a":1},{"a":2}]', b'{"a":4.5}', b'{"a":"x"}', b"{", b'{"a":99999999999}'],
)
def test_p82_a_bad_record_is_an_error_or_a_row_of_nulls_as_the_table_says(
    place: Workplace, line: bytes
) -> None:
    place.sql("CREATE TABLE t (a INT) USING json")
    file = put(place, "t", "x.json", b'{"a":"3"}\n' + line + b"\n")
    with pytest.raises(PySparkException) as caught:
        place.values("SELECT * FROM t")
    assert file.name in str(caught.value)
    place.sql("ALTER TABLE t SET TBLPROPERTIES ('json.ignore-parse-errors' = 'true')")
    assert place.values("SELECT * FROM t") == [(3,), (None,)]


def test_p84_gzip_without_its_extension_is_recognised(place: Workplace) -> None:
    for name, content in {"csv": b"1,x\n", "json": b'{"a":1,"b":"x"}\n'}.items():
        place.sql(f"CREATE TABLE {name} (a INT, b STRING) USING {name}")
        put(place, name, f"x.{name}", gzip.compress(content))
        assert place.values(f"SELECT * FROM {name}") == [(1, "x")]
    place.sql("CREATE TABLE text (line STRING) USING text")
    put(place, "text", "x.text", gzip.compress(b"abc\n"))
    assert place.values("SELECT * FROM text") == [("abc",)]


def test_p84_a_swapped_header_is_an_error(place: Workplace) -> None:
    place.sql("CREATE TABLE t (a INT, b INT) USING csv TBLPROPERTIES ('header' = 'true')")
    put(place, "t", "x.csv", b"b,a\n1,2\n")
    with pytest.raises(PySparkException, match=r"x\.csv") as caught:
        place.values("SELECT * FROM t")
    assert "(b, a) instead of (a, b)" in str(caught.value)
    place.sql("ALTER TABLE t SET TBLPROPERTIES ('scan.ignore-corrupt-files' = 'true')")
    with pytest.raises(PySparkException, match="FILE_HEADER_MISMATCH"):
        place.values("SELECT * FROM t")


def test_p84_headers_with_other_names_are_skipped_where_the_table_says_so(place: Workplace) -> None:
    place.sql("CREATE TABLE t (a INT, b STRING) USING csv TBLPROPERTIES ('header' = 'true')")
    put(place, "t", "x.csv", b'"Customer id","Full name"\n"1","x"\n"",""\n')
    with pytest.raises(PySparkException, match=r"csv\.enforce-header"):
        place.values("SELECT * FROM t")
    place.sql("ALTER TABLE t SET TBLPROPERTIES ('csv.enforce-header' = 'false')")
    assert place.values("SELECT * FROM t") == [(1, "x"), (None, "")]
    place.sql("ALTER TABLE t RENAME COLUMN a TO id")
    assert place.values("SELECT id FROM t") == [(1,), (None,)]


def test_p84_ragged_rows_follow_the_mode(place: Workplace) -> None:
    place.sql("CREATE TABLE t (a INT, b STRING, c INT) USING csv TBLPROPERTIES ('sep' = '|')")
    put(place, "t", "x.csv", b"1|x|aaaa|10\n2|x|11\n3\n")
    assert place.values("SELECT * FROM t") == [(1, "x", None), (2, "x", 11), (3, None, None)]
    place.sql("ALTER TABLE t SET TBLPROPERTIES ('mode' = 'dropmalformed')")
    assert place.values("SELECT * FROM t") == [(2, "x", 11), (3, None, None)]
    assert place.values("SELECT a FROM t") == [(2,), (3,)]
    place.sql("ALTER TABLE t SET TBLPROPERTIES ('mode' = 'failfast')")
    with pytest.raises(PySparkException, match=r"x\.csv"):
        place.values("SELECT a FROM t")


def test_p85_partitions_of_several_formats_under_any_file_name(place: Workplace) -> None:
    place.sql(f"CREATE TABLE t (id INT, p STRING) USING parquet PARTITIONED BY (p) TBLPROPERTIES ({MANAGED})")
    rows = pa.table({"id": pa.array([1], pa.int32())})
    for name in ("a", "b", "c"):
        (place.tables / "t" / f"p={name}").mkdir(parents=True)
    pa.orc.write_table(rows, place.tables / "t/p=a/part-0.parquet.gz")
    pa.parquet.write_table(rows, place.tables / "t/p=b/00000_0")
    pa.orc.write_table(rows, place.tables / "t/p=c/x.orc")
    place.run(
        "CALL sys.add_partition(table => 't', partition => 'p=a', options => map('file.format', 'ORC'))",
        "CALL sys.add_partition(table => 't', partition => 'p=b')",
    )
    assert place.values("SELECT * FROM t") == [(1, "a"), (1, "b")]
    place.fails("INSERT INTO t VALUES (2, 'a')", "UnsupportedOperationException", "APPEND_FORMAT_MISMATCH")
    assert place.values("SELECT * FROM t") == [(1, "a"), (1, "b")]
    # Registered without its format a partition is read as what the table says, and the error tells.
    place.sql("CALL sys.add_partition(table => 't', partition => 'p=c')")
    with pytest.raises(PySparkException) as caught:
        place.values("SELECT * FROM t")
    for word in ("FILE_FORMAT_MISMATCH", "p=c", "x.orc", "PARQUET", "ORC"):
        assert word in str(caught.value)
    place.sql(
        "CALL sys.alter_partition(table => 't', partition => 'p=c', options => map('file.format', 'orc'))"
    )
    assert place.values("SELECT * FROM t") == [(1, "a"), (1, "b"), (1, "c")]
    place.sql("INSERT OVERWRITE t PARTITION (p = 'a') VALUES (7)")
    found = dict(place.values("SELECT partition, file_format FROM `t$partitions`"))
    assert found == {"p=a": "parquet", "p=b": "parquet", "p=c": "orc"}
    assert place.values("SELECT * FROM t") == [(1, "b"), (1, "c"), (7, "a")]


def test_p87_int96_is_exact_to_the_microsecond(place: Workplace) -> None:
    place.sql("CREATE TABLE t (id INT, at TIMESTAMP) USING parquet")
    session = place.session
    session.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    rows = "SELECT 1 AS id, TIMESTAMP'1500-01-01 00:00:00.123456Z' AS at UNION ALL " \
           "SELECT 2, TIMESTAMP'9999-12-31 23:59:59.999999Z'"  # fmt: skip
    session.sql(rows).coalesce(1).write.mode("append").parquet(str(place.tables / "t"))
    assert place.rows("SELECT unix_micros(at) FROM t ORDER BY id") == [
        "-14831769599876544", "253402300799999999"
    ]  # fmt: skip
    place.sql("INSERT INTO t VALUES (3, TIMESTAMP'1500-01-01 00:00:00Z')")
    (ours,) = (place.tables / "t").glob("data-*")
    assert str(pa.parquet.read_schema(ours).field("at").type) == "timestamp[us, tz=UTC]"
    assert "INT96" not in str(pa.parquet.ParquetFile(ours).schema)


def test_p88_nanoseconds_of_other_writers(place: Workplace) -> None:
    place.sql("CREATE TABLE t (at TIMESTAMP_NTZ) USING parquet")
    (place.tables / "t").mkdir(parents=True, exist_ok=True)
    column = pa.array([1_000_000_001_234], pa.timestamp("ns"))
    pa.parquet.write_table(pa.table({"at": column}), place.tables / "t/x.parquet")
    assert place.rows("SELECT at FROM t") == ["1970-01-01 00:16:40.000001"]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/New_York"])
@pytest.mark.parametrize("name", ["parquet", "orc"])
def test_p90_the_schema_of_the_table_decides_what_a_timestamp_is(
    place: Workplace, name: str, zone: str
) -> None:
    place.session.conf.set("spark.sql.session.timeZone", zone)
    place.sql(f"CREATE TABLE t (wall TIMESTAMP_NTZ, instant TIMESTAMP) USING {name}")
    (place.tables / "t").mkdir(parents=True, exist_ok=True)
    rows = pa.table({
        "wall": pa.array([1_700_000_000_000_000], pa.timestamp("us")),
        "instant": pa.array([1_700_000_000_000_000], pa.timestamp("us", "UTC")),
    })  # fmt: skip
    write = pa.parquet.write_table if name == "parquet" else pa.orc.write_table
    write(rows, place.tables / f"t/x.{name}")
    place.sql("INSERT INTO t SELECT * FROM t")
    found = place.rows("SELECT CAST(wall AS STRING), unix_micros(instant) FROM t")
    assert found == ["2023-11-14 22:13:20 | 1700000000000000"] * 2


@pytest.mark.parametrize("name", ["parquet", "orc", "csv", "json", "mosaic"])
def test_p91_the_scale_of_a_literal_changes_nothing(place: Workplace, name: str) -> None:
    place.sql(f"CREATE TABLE t (amount DECIMAL(12, 2)) USING {name}")
    place.sql("INSERT INTO t VALUES (1999.99), (2000.00), (2000.01), (NULL)")
    for literal in ("2000", "2000.0", "2000.0000", "2000BD", "2e3"):
        assert len(place.values(f"SELECT * FROM t WHERE amount < {literal}")) == 1
        assert len(place.values(f"SELECT * FROM t WHERE amount >= {literal}")) == 2


@pytest.mark.parametrize("vectorised", ["true", "false"])
def test_days_of_the_old_calendar_in_orc_files_of_others(place: Workplace, vectorised: str) -> None:
    place.session.conf.set("spark.sql.orc.enableVectorizedReader", vectorised)
    place.sql("CREATE TABLE t (id BIGINT, day DATE, s STRUCT<d: DATE>) USING orc")
    (place.tables / "t").mkdir(exist_ok=True)
    order = random.Random(7).sample(range(3000), 3000)
    for number, first in enumerate([dt.date(2024, 1, 1), dt.date(1500, 1, 1), dt.date(1582, 10, 10)]):
        days = [first + dt.timedelta(days=step) for step in order]
        inside = pa.array([{"d": day} for day in days], pa.struct([("d", pa.date32())]))
        rows = pa.table({"id": [number * 3000 + step for step in order], "day": days, "s": inside})
        path = place.tables / f"t/{number}.orc"
        pa.orc.write_table(rows, path, stripe_size=8192, compression="uncompressed")
    assert "orc (spark" in place.plan("SELECT * FROM t")
    # Files in several splits are read once.
    place.session.conf.set("spark.sql.files.maxPartitionBytes", "2k")
    assert place.session.table("t").rdd.getNumPartitions() > 3
    query = (
        "SELECT count(*), count(DISTINCT id), min(day), max(day), count_if(day <=> s.d) FROM t WHERE id {}"
    )
    assert place.rows(query.format(">= 3000 AND id < 6000")) == [
        "3000 | 3000 | 1500-01-01 | 1508-03-19 | 3000"
    ]
    assert place.rows(query.format("< 3000")) == ["3000 | 3000 | 2024-01-01 | 2032-03-18 | 3000"]
    assert place.rows(query.format(">= 6000")) == ["3000 | 3000 | 1582-10-10 | 1590-12-26 | 3000"]
    assert place.values("SELECT id FROM t WHERE day = DATE'1582-10-12'") == [(6002,)]


@pytest.mark.parametrize("name", ["orc", "parquet", "csv", "json"])
def test_names_that_readers_stumble_over(place: Workplace, name: str) -> None:
    place.sql(f"CREATE TABLE t (`q``q` STRING, `a.b` INT, `__number` INT, day DATE) USING {name}")
    place.sql("INSERT INTO t VALUES ('x', 1, 2, NULL)")
    assert place.values("SELECT * FROM t WHERE `q``q` = 'x' AND `a.b` = 1 AND `__number` = 2") == [
        ("x", 1, 2, None)
    ]
    if name != "csv":
        place.sql(f"CREATE TABLE s (st STRUCT<`a``b`: STRING, `c.d`: INT>) USING {name}")
        place.sql("INSERT INTO s SELECT struct('x', 5)")
        assert place.rows("SELECT st.`a``b`, st.`c.d` FROM s") == ["x | 5"]


@pytest.mark.parametrize("zone", ["PST", "+01:02:03", "America/New_York"])
def test_every_zone_of_a_session_reads_texts(place: Workplace, zone: str) -> None:
    place.session.conf.set("spark.sql.session.timeZone", zone)
    place.sql("CREATE TABLE t (at TIMESTAMP) USING csv")
    put(place, "t", "x.csv", b"2024-01-01 00:00:00\n2024-01-01 00:00:00Z\n")
    place.sql("INSERT INTO t VALUES (TIMESTAMP'2024-01-01 00:00:00')")
    found = place.rows("SELECT unix_seconds(at) - unix_seconds(TIMESTAMP'2024-01-01 00:00:00') FROM t")
    ahead = {"PST": -8 * 3600, "+01:02:03": 3723, "America/New_York": -5 * 3600}[zone]
    assert sorted(found, key=int) == sorted(["0", "0", str(ahead)], key=int)


def test_a_day_beyond_all_days_is_malformed(place: Workplace) -> None:
    place.sql("CREATE TABLE t (id INT, d DATE) USING csv TBLPROPERTIES ('csv.mode' = 'DROPMALFORMED')")
    put(place, "t", "x.csv", b"1,2024-01-01\n4,+9999999-01-01\n5,2024-01-01\n")
    assert place.values("SELECT id FROM t") == [(1,), (5,)]


def test_a_byte_order_mark_is_no_first_value_of_a_text_file(place: Workplace) -> None:
    place.sql("CREATE TABLE t (s STRING) USING text")
    place.fails(
        "INSERT INTO t VALUES ('\\uFEFFbom')", "IllegalArgumentException", "FILE_VALUE_REFUSED", "mark"
    )
    place.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ s FROM VALUES (1, 'a'), (2, '\\uFEFFbom') AS v(i, s)")
    assert place.values("SELECT * FROM t") == [("\ufeffbom",), ("a",)]
