"""The cases of the contract about formats (10.1 to 10.3), by their numbers there."""

from __future__ import annotations

import gzip

import pytest

from tests.spark.workplace import EVERY, Workplace

MANAGED = "'metastore.partitioned-table' = 'true'"
COMPRESSED = [("csv", "gzip"), ("orc", "zlib"), ("parquet", "zstd"), ("json", "none"), ("mosaic", "zstd")]


@pytest.mark.parametrize("catalog", EVERY)
@pytest.mark.parametrize(("name", "codec"), COMPRESSED)
def test_10_1_5_partitioned_tables_of_each_format(place: Workplace, name: str, codec: str) -> None:
    place.sql(
        f"CREATE TABLE t (id INT, p1 INT, p2 INT) USING {name} PARTITIONED BY (p1, p2) "
        f"TBLPROPERTIES ('file.compression' = '{codec}', {MANAGED})"
    )
    place.sql("INSERT INTO t VALUES (1, 2, 3)")
    assert "PARTITIONED BY (p1, p2)" in place.rows("SHOW CREATE TABLE t")[0]
    assert [path.name for path in (place.tables / "t").glob("p1=*")] == ["p1=2"]
    for columns, row in {"*": (1, 2, 3), "id": (1,), "p1": (2,), "p2": (3,)}.items():
        assert place.values(f"SELECT {columns} FROM t") == [row]
    place.sql("INSERT INTO t VALUES (4, 2, 4), (5, 1, 4), (NULL, 1, 4)")
    assert place.partitions("t") == ["p1=1/p2=4", "p1=2/p2=3", "p1=2/p2=4"]
    assert place.partitions("t", "PARTITION (p1 = 2)") == ["p1=2/p2=3", "p1=2/p2=4"]
    place.sql("TRUNCATE TABLE t PARTITION (p1 = 2, p2 = 3)")
    assert place.values("SELECT id FROM t WHERE p1 = 2") == [(4,)]
    assert len(place.partitions("t")) == 3


@pytest.mark.parametrize("name", ["csv", "json"])
def test_10_1_13_a_file_that_was_compressed_by_hand_is_read(place: Workplace, name: str) -> None:
    place.sql(f"CREATE TABLE t (a INT, b STRING) USING {name}")
    place.sql("INSERT INTO t VALUES (1, 'x')")
    (file,) = (place.tables / "t").glob("data-*")
    file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    assert place.values("SELECT * FROM t") == [(1, "x")]


def test_10_1_14_show_create_has_the_delimiter(place: Workplace) -> None:
    place.sql("CREATE TABLE t (a INT) USING csv TBLPROPERTIES ('csv.field-delimiter' = ';')")
    assert "'csv.field-delimiter' = ';'" in place.rows("SHOW CREATE TABLE t")[0]


def test_10_1_15_a_join_of_small_tables_broadcasts_one(place: Workplace) -> None:
    for table in "ab":
        place.sql(f"CREATE TABLE {table} (id INT, s STRING) USING csv")
        place.sql(f"INSERT INTO {table} VALUES (1, '{table}')")
    query = "SELECT a.s, b.s FROM a JOIN b ON a.id = b.id"
    assert "BroadcastExchange" in place.plan(query)
    assert place.values(query) == [("a", "b")]


SPELLINGS = {
    "paimon": "'csv.field-delimiter' = ';', 'csv.line-delimiter' = '?', 'csv.quote-character' = '%', "
    "'csv.include-header' = 'true', 'csv.null-literal' = 'null', 'csv.mode' = 'permissive', "
    "'format-table.file.compression' = 'gzip'",
    "spark": "'sep' = ';', 'lineSep' = '?', 'quote' = '%', 'header' = 'true', 'nullvalue' = 'null', "
    "'mode' = 'permissive', 'compression' = 'gzip'",
    "defaults": "'type' = 'format-table'",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_10_1_17_options_in_every_spelling(place: Workplace, spelling: str) -> None:
    place.sql(f"CREATE TABLE t (id INT, s STRING) USING csv TBLPROPERTIES ({SPELLINGS[spelling]})")
    place.sql("INSERT INTO t VALUES (1, 'a;b?c%d'), (2, 'x')")
    place.sql("INSERT INTO t VALUES (2, NULL)")
    assert place.values("SELECT * FROM t") == [(1, "a;b?c%d"), (2, "x"), (2, None)]
    contents = {path.name.split(".", 1)[1]: path.read_bytes() for path in (place.tables / "t").glob("data-*")}
    if spelling != "defaults":
        assert all(gzip.decompress(content).startswith(b"id;s?") for content in contents.values())
        assert set(contents) == {"csv.gz"}


def test_10_1_18_lines_of_text_with_their_own_delimiter(place: Workplace) -> None:
    place.sql("CREATE TABLE t (line STRING) USING text TBLPROPERTIES ('text.line-delimiter' = '?')")
    place.sql("INSERT INTO t VALUES ('aa'), ('b\\nb'), (NULL), (''), ('c c')")
    assert place.values("SELECT * FROM t") == [("",), ("",), ("aa",), ("b\nb",), ("c c",)]
    assert place.values("SELECT count(*) FROM t") == [(5,)]
    place.fails("INSERT INTO t VALUES ('bb?cc')", "IllegalArgumentException", "FILE_VALUE_REFUSED")
    assert place.values("SELECT count(*) FROM t") == [(5,)]


def test_10_2_3_a_long_line_delimiter_of_which_values_are_a_prefix(place: Workplace) -> None:
    place.sql("CREATE TABLE t (a STRING, b INT) USING csv OPTIONS (lineSep 'abc', compression 'gzip')")
    place.sql("INSERT INTO t VALUES ('ab', 1), ('Larry', 2), ('abc', 3), ('xab', 4)")
    assert place.values("SELECT * FROM t ORDER BY b") == [("Larry", 2), ("ab", 1), ("abc", 3), ("xab", 4)]


@pytest.mark.parametrize("name", ["orc", "csv", "mosaic"])
def test_10_2_4_partition_columns_among_the_others(place: Workplace, name: str) -> None:
    place.sql(
        "CREATE TABLE t (p1 INT, a INT, p2 STRING, b STRING, p3 INT) "
        f"USING {name} PARTITIONED BY (p1, p2, p3)"
    )
    place.sql("INSERT INTO t VALUES (1, 2, 'x', 'y', 3), (1, 4, 'x', NULL, 5)")
    assert place.values("SELECT * FROM t") == [(1, 2, "x", "y", 3), (1, 4, "x", None, 5)]
    assert place.values("SELECT b, p1 FROM t WHERE p3 = 3") == [("y", 1)]


def test_10_2_6_a_table_like_another_has_its_delimiter(place: Workplace) -> None:
    place.sql(
        "CREATE TABLE t (a INT, b INT) USING csv TBLPROPERTIES ('csv.field-delimiter' = '|', 'x' = 'y')"
    )
    place.sql("CREATE TABLE u LIKE t")
    place.sql("INSERT INTO u VALUES (1, 2)")
    (file,) = (place.tables / "u").glob("data-*")
    assert file.read_bytes() == b"1|2\n"


@pytest.mark.parametrize("name", ["csv", "json", "orc", "mosaic"])
def test_10_2_8_overwrites_replace_what_they_say(place: Workplace, name: str) -> None:
    place.sql(f"CREATE TABLE t (v STRING, id INT) USING {name} PARTITIONED BY (id) TBLPROPERTIES ({MANAGED})")
    place.sql("INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3)")
    place.sql("INSERT OVERWRITE t PARTITION (id = 1) VALUES ('A')")
    assert place.values("SELECT * FROM t") == [("A", 1), ("b", 2), ("c", 3)]
    place.sql("INSERT OVERWRITE t VALUES ('x', 1), ('y', 2)")
    assert place.values("SELECT * FROM t") == [("x", 1), ("y", 2)]
    place.session.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    place.sql("INSERT OVERWRITE t VALUES ('z', 2), ('w', 4)")
    assert place.values("SELECT * FROM t") == [("w", 4), ("x", 1), ("z", 2)]


@pytest.mark.parametrize(("name", "codec"), COMPRESSED)
def test_10_2_17_queries_over_several_inserts(place: Workplace, name: str, codec: str) -> None:
    place.sql(
        f"CREATE TABLE t (id INT, name STRING, pay DOUBLE) USING {name} "
        f"TBLPROPERTIES ('file.compression' = '{codec}')"
    )
    for number in range(3):
        place.sql(f"INSERT INTO t VALUES ({number}, 'n{number}', {number}.5), ({number + 10}, NULL, NULL)")
    assert len(place.values("SELECT * FROM t")) == 6
    assert place.values("SELECT name FROM t WHERE id = 1") == [("n1",)]
    assert place.values("SELECT id FROM t WHERE pay > 1") == [(1,), (2,)]
    assert place.values("SELECT count(*) FROM t WHERE name IS NULL") == [(3,)]


def test_10_2_22_files_are_packed_to_the_target_size(place: Workplace) -> None:
    place.sql("CREATE TABLE t (a INT, b STRING) USING csv")
    for number in range(3):
        (place.tables / "t").mkdir(exist_ok=True)
        (place.tables / f"t/{number}.csv").write_text("".join(f"{row},text\n" for row in range(100)))
    size = (place.tables / "t/0.csv").stat().st_size
    place.session.conf.set("spark.sql.files.minPartitionNum", "1")
    assert place.session.table("t").rdd.getNumPartitions() == 1
    whole = place.values("SELECT * FROM t")
    place.sql(f"ALTER TABLE t SET TBLPROPERTIES ('source.split.target-size' = '{size} b', "
              "'source.split.open-file-cost' = '1 b')")  # fmt: skip
    assert place.session.table("t").rdd.getNumPartitions() == 3
    assert place.values("SELECT * FROM t") == whole
    assert len(whole) == 300


@pytest.mark.parametrize("name", ["parquet", "orc", "mosaic", "csv", "json"])
def test_footers_count_what_a_query_counts(place: Workplace, name: str) -> None:
    place.sql(f"CREATE TABLE t (id BIGINT, p INT) USING {name} PARTITIONED BY (p) TBLPROPERTIES ({MANAGED})")
    place.sql("INSERT INTO t SELECT id, CAST(sqrt(id) / 5 AS INT) FROM range(1000)")
    place.sql("INSERT INTO t SELECT id, 0 FROM range(17)")
    counted = place.rows("SELECT concat('p=', p), count(*) FROM t GROUP BY p ORDER BY 1")
    query = "SELECT partition, record_count FROM `t$partitions` ORDER BY partition"
    assert place.rows(query) == counted
    # MSCK of the same directories knows no rows; what measures them does, if the files say.
    place.run("ALTER TABLE t DROP PARTITION (p = 3)", "INSERT INTO t SELECT id, 3 FROM range(0, 5, 1, 1)")
    place.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    counted = place.rows("SELECT concat('p=', p), count(*) FROM t GROUP BY p ORDER BY 1")
    assert place.rows(query) == counted
    foreign = place.tables / "t" / "p=3"
    (file,) = foreign.glob("data-*")
    (foreign / "copy").write_bytes(file.read_bytes())
    place.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    (known,) = place.values("SELECT record_count, file_count FROM `t$partitions` WHERE partition = 'p=3'")
    assert known == ((10, 2) if name in ("parquet", "orc", "mosaic") else (5, 2))
