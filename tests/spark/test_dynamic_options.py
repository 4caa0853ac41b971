"""Options of readers and writers of data frames, and of sessions."""

from __future__ import annotations

import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame

from tests.spark.workplace import Workplace


def frame(place: Workplace, *rows: tuple[int, str]) -> DataFrame:
    return place.session.createDataFrame(list(rows), "id INT, dt STRING")


def full(place: Workplace, table: str) -> str:
    return f"{place.catalog}.{place.database}.{table}"


def test_readers_and_writers_have_options(place: Workplace) -> None:
    place.run("CREATE TABLE t (id INT, dt STRING) USING csv PARTITIONED BY (dt)")
    writer = frame(place, (1, "a"), (2, "b")).coalesce(1).writeTo(full(place, "t"))
    writer.option("file.compression", "gzip").option("DATA-FILE.PREFIX", "x-").append()
    names = [row[0].rpartition("/")[2] for row in place.sql("SELECT file_path FROM `t$files`").collect()]
    assert len(names) == 2
    assert all(name.startswith("x-") and name.endswith(".csv.gz") for name in names)
    reader = place.session.read.option("csv.null-literal", "1")
    assert sorted(map(tuple, reader.table(full(place, "t")).collect()), key=str) == [(2, "b"), (None, "a")]
    assert place.values("SELECT id FROM t ORDER BY id") == [(1,), (2,)]


def test_two_readers_of_a_table_are_two_scans(place: Workplace) -> None:
    """A join and a union, in which Spark may reuse what it has read once already."""
    place.run("CREATE TABLE t (id INT, s STRING) USING csv", "INSERT INTO t VALUES (1, 'a'), (2, '-')")
    a, b = (
        place.session.read.option("csv.null-literal", text).table(full(place, "t")) for text in ("a", "none")
    )
    assert a.join(b.withColumnRenamed("s", "b"), "id").selectExpr("count(s)", "count(b)").collect() == [
        (1, 2)
    ]
    counts = [frame.groupBy().count() for frame in (a.where("s IS NULL"), b.where("s IS NULL"))]
    assert sorted(row[0] for row in counts[0].union(counts[1]).collect()) == [0, 1]


def test_a_writer_says_what_an_overwrite_replaces(place: Workplace) -> None:
    """As with Spark's own files the option of the writer counts before the setting of the session."""
    place.run("CREATE TABLE t (id INT, dt STRING) USING parquet PARTITIONED BY (dt)")

    def after(mode: str | None, **options: str) -> list[tuple[object, ...]]:
        place.run("INSERT OVERWRITE t VALUES (1, 'a'), (2, 'b')")
        if mode:
            place.session.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
        try:
            writer = frame(place, (3, "b")).write.mode("overwrite").options(**options)
            writer.insertInto(full(place, "t"))
        finally:
            place.session.conf.unset("spark.sql.sources.partitionOverwriteMode")
        return place.values("SELECT id FROM t ORDER BY id")

    replaced, whole = [(1,), (3,)], [(3,)]
    assert after(None) == after("static") == whole
    assert after("dynamic") == replaced
    assert after(None, partitionOverwriteMode="dynamic") == replaced
    assert after("dynamic", partitionOverwriteMode="STATIC") == whole
    assert after("dynamic", **{"dynamic-partition-overwrite": "false"}) == whole
    place.run("INSERT OVERWRITE t VALUES (1, 'a'), (2, 'b')")
    writer = frame(place, (3, "b")).write.mode("overwrite").option("partitionOverwriteMode", "some")
    with pytest.raises(IllegalArgumentException, match="partitionOverwriteMode"):
        writer.insertInto(full(place, "t"))
    assert place.values("SELECT id FROM t ORDER BY id") == [(1,), (2,)]


def test_a_setting_is_the_session_s_own(place: Workplace) -> None:
    place.run("CREATE TABLE t (s STRING) USING csv", "INSERT INTO t VALUES ('a')")
    other = place.session.newSession()
    place.session.conf.set("spark.paimon.csv.null-literal", "a")
    try:
        assert place.values("SELECT * FROM t") == [(None,)]
        assert other.sql(f"SELECT * FROM {full(place, 't')}").collect() == [("a",)]
    finally:
        place.session.conf.unset("spark.paimon.csv.null-literal")
    assert place.values("SELECT * FROM t") == [("a",)]
