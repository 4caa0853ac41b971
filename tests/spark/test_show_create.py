"""What SHOW CREATE TABLE prints makes the same table again."""

from __future__ import annotations

import pytest

from tests.spark.workplace import EVERY, Workplace

MANAGED = "'metastore.partitioned-table' = 'true'"
TABLES = {
    "plain": "(id INT, name STRING) USING parquet",
    "partitioned": "(id INT, dt STRING, hh INT) USING parquet PARTITIONED BY (hh, dt) "
    f"TBLPROPERTIES ({MANAGED})",
    "by_properties": "(id INT) TBLPROPERTIES ('type' = 'format-table', 'file.format' = 'parquet')",
    "comments": """(id INT COMMENT 'it''s "the" key', s STRING COMMENT 'two\nlines') USING parquet
        COMMENT 'it''s a "table"\nof two lines'
        TBLPROPERTIES ('quo''te' = 'it''s', 'tab' = 'a\\tb', 'é' = '☃')""",
    "odd_names": "(`a b` INT, `t``ick` INT, `dot.ted` INT, `select` STRING, `é` STRING) USING parquet "
    "PARTITIONED BY (`select`, `é`)",
    "odd_partition_names": "(id INT, `a b` STRING, `p%q:r` INT, `dot.ted` STRING) USING parquet "
    "PARTITIONED BY (`a b`, `p%q:r`, `dot.ted`)",
    "types": """(b BOOLEAN, i1 TINYINT, i2 SMALLINT, i8 BIGINT, f FLOAT, d DOUBLE, c DECIMAL(12, 3),
        t TIMESTAMP, n TIMESTAMP_NTZ, y DATE, x BINARY, v VARCHAR(5), h CHAR(3)) USING parquet""",
    "nested": """(id BIGINT NOT NULL, s STRUCT<a: INT NOT NULL COMMENT 'in', `b c`: ARRAY<STRUCT<d: DATE,
        e: STRING>>>, m MAP<STRING, ARRAY<INT>>) USING parquet""",
    "typed_partitions": "(id INT, d DATE, n DECIMAL(10, 2), b BOOLEAN, c CHAR(3), v VARCHAR(4), "
    "t TIMESTAMP_NTZ) USING parquet PARTITIONED BY (d, n, b, c, v, t)",
    "csv": "(id INT, s STRING) USING csv",
    "csv_by_spark_names": "(id INT, s STRING) USING csv OPTIONS (sep '|', quote '%', escape '^', "
    "header 'true', nullvalue 'nil', mode 'failfast', lineSep '\\n', compression 'gzip')",
    "csv_by_our_names": "(id INT, dt STRING) USING csv PARTITIONED BY (dt) TBLPROPERTIES ('sep' = ',', "
    "'csv.field-delimiter' = '\\t', 'csv.quote-character' = \"'\", 'file.compression' = 'zstd')",
    "text": "(line STRING, dt STRING) USING text PARTITIONED BY (dt) OPTIONS (lineSep '#')",
    "json": "(id INT, a ARRAY<INT>) USING json TBLPROPERTIES ('json.ignore-parse-errors' = 'true')",
    "orc": "(id INT, m MAP<STRING, INT>) USING orc TBLPROPERTIES ('file.compression' = 'zstd')",
    "options": "(id INT, dt STRING) USING parquet OPTIONS ('compression' = 'zstd') PARTITIONED BY (dt) "
    "TBLPROPERTIES ('format-table.partition-path-only-value' = 'true', 'partition.default-name' = '__NIL__')",
}


def definition(place: Workplace, table: str) -> list[str]:
    hidden = (" created", "Table Properties | [transient", "Statistics")
    lines = place.rows(f"DESCRIBE EXTENDED {table}")
    return [line for line in lines if not line.startswith(("Location", "Owner", *hidden))]


@pytest.mark.parametrize("catalog", EVERY)
def test_the_output_replays(place: Workplace) -> None:
    for name, text in TABLES.items():
        place.sql(f"CREATE TABLE {name} {text}")
        before, statement = definition(place, name), place.rows(f"SHOW CREATE TABLE {name}")[0]
        schema = place.session.table(name).schema
        place.sql(f"DROP TABLE {name}")
        place.sql(statement)
        assert definition(place, name) == before, statement
        assert place.session.table(name).schema == schema, statement
        assert place.rows(f"SHOW CREATE TABLE {name}")[0] == statement


def test_an_external_table_keeps_its_location(place: Workplace) -> None:
    folder = place.directory / "it's here"
    location = str(folder).replace("'", "\\'")
    place.run(f"CREATE TABLE x (id INT) USING parquet LOCATION '{location}'", "INSERT INTO x VALUES (1)")
    (statement,) = place.rows("SHOW CREATE TABLE x")
    assert "LOCATION" in statement
    place.run("DROP TABLE x", statement)
    assert place.rows("SELECT * FROM x") == ["1"]
    assert "Type | EXTERNAL | " in place.rows("DESCRIBE EXTENDED x")


def test_a_table_made_by_a_query_replays_without_its_rows(place: Workplace) -> None:
    place.sql("CREATE TABLE q USING parquet PARTITIONED BY (dt) AS SELECT 1 AS id, 'a' AS dt")
    (statement,) = place.rows("SHOW CREATE TABLE q")
    place.run("DROP TABLE q", statement)
    assert place.rows("SELECT * FROM q") == []
    assert place.session.table("q").columns == ["id", "dt"]


@pytest.mark.parametrize("catalog", EVERY)
def test_a_csv_table_shows_its_delimiter_as_spark_calls_it(place: Workplace) -> None:
    place.sql("CREATE TABLE c (id INT) USING csv")
    assert place.rows("SHOW TBLPROPERTIES c ('sep')") == ["sep | ,"]
    for key, text in (("delimiter", ";"), ("csv.field-delimiter", "\t")):
        place.sql(f"ALTER TABLE c SET TBLPROPERTIES ('{key}' = '{text}')")
        assert place.rows("SHOW TBLPROPERTIES c ('sep')") == [f"sep | {text}"]
    place.sql("CREATE TABLE p (id INT) USING parquet")
    assert "does not have property: sep" in place.rows("SHOW TBLPROPERTIES p ('sep')")[0]


@pytest.mark.parametrize("catalog", EVERY)
def test_a_table_like_a_csv_table_has_its_options(place: Workplace) -> None:
    place.run(
        "CREATE TABLE c (id INT) USING csv OPTIONS (delimiter ';', quote '%')",
        "CREATE TABLE d LIKE c",
    )
    shown = [
        [row for row in place.rows(f"SHOW TBLPROPERTIES {name}") if not row.startswith("location")]
        for name in ("c", "d")
    ]
    assert shown[0] == shown[1]
    assert {"delimiter | ;", "quote | %", "sep | ;"} <= set(shown[0])
