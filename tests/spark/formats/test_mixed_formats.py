"""A table whose partitions have different formats answers like the same rows in one Parquet table."""

from __future__ import annotations

import random

import pytest

from tests.spark.workplace import Workplace

MANAGED = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
FIVE = ("parquet", "orc", "csv", "json", "mosaic")
SIX = (*FIVE, "text")

COLUMNS = {
    "id": "INT",
    "big": "BIGINT",
    "name": "STRING",
    "price": "DECIMAL(12, 3)",
    "ratio": "DOUBLE",
    "flag": "BOOLEAN",
    "day": "DATE",
    "at": "TIMESTAMP_NTZ",
    "instant": "TIMESTAMP",
    "data": "BINARY",
}
# Every column is NULL in some rows, never in the same ones.
ROWS = """
    SELECT CAST(id AS INT) AS id,
      IF(id % 7 = 1, NULL, (id - 100) * 92233720368547758) AS big,
      CASE id % 9 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN ' ' WHEN 3 THEN 'a,"b' WHEN 4 THEN 'x\\ny'
        WHEN 5 THEN 'é日本😀' WHEN 6 THEN 'back\\\\slash' ELSE concat('name-', id) END AS name,
      IF(id % 5 = 1, NULL, CAST((id - 50) * 1234567.891 AS DECIMAL(12, 3))) AS price,
      CASE id % 6 WHEN 0 THEN NULL WHEN 1 THEN CAST('NaN' AS DOUBLE) WHEN 2 THEN -1e300 ELSE id / 3
        END AS ratio,
      IF(id % 3 = 0, NULL, id % 2 = 0) AS flag,
      IF(id % 4 = 1, NULL, date_add(DATE'0001-01-01', CAST(id * 17950 AS INT))) AS day,
      IF(id % 8 = 1, NULL, timestampadd(MICROSECOND, id, timestampadd(DAY, CAST(id * 17950 AS INT),
        TIMESTAMP_NTZ'0001-01-01 00:00:00'))) AS at,
      IF(id % 11 = 1, NULL, timestampadd(MICROSECOND, id, timestampadd(DAY, CAST(id * 900 AS INT),
        TIMESTAMP'1500-01-01 00:00:00Z'))) AS instant,
      IF(id % 10 = 1, NULL, CAST(concat('bytes', id) AS BINARY)) AS data,
      {part} AS part
    FROM range(200)
"""


def write_partitions(place: Workplace, table: str, formats: tuple[str, ...], rows: str) -> None:
    """One partition a format: what is written takes the format that the table has at that time."""
    for number, name in enumerate(formats):
        place.run(
            f"ALTER TABLE {table} SET TBLPROPERTIES ('file.format' = '{name}')",
            f"INSERT OVERWRITE {table} PARTITION (part = {number}) "
            f"SELECT * EXCEPT (part) FROM ({rows}) WHERE part = {number}",
        )


@pytest.fixture
def five(place: Workplace) -> Workplace:
    """Tables `mixed` and `same` with equal rows."""
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    rows = ROWS.format(part=f"CAST(id % {len(FIVE)} AS INT)")
    for table in ("mixed", "same"):
        place.sql(f"CREATE TABLE {table} ({columns}, part INT) USING parquet PARTITIONED BY (part) {MANAGED}")
    write_partitions(place, "mixed", FIVE, rows)
    place.sql(f"INSERT INTO same SELECT * FROM ({rows})")
    return place


LITERALS = {
    "id": ["0", "17", "100", "NULL"],
    "big": ["0", "-92233720368547758", "9223372036854775807"],
    "name": ["''", "' '", "'name-8'", "'é日本😀'", "'x\\ny'"],
    "price": ["0", "1234567.8910", "-1.5"],
    "ratio": ["0.0", "CAST('NaN' AS DOUBLE)", "-1e300"],
    "flag": ["true", "false"],
    "day": ["DATE'0001-01-01'", "DATE'1582-10-10'", "DATE'2500-01-01'"],
    "at": ["TIMESTAMP_NTZ'1969-12-31 23:59:59'", "TIMESTAMP_NTZ'0001-01-01 00:00:00'"],
    "instant": ["TIMESTAMP'1582-10-10 00:00:00Z'", "TIMESTAMP'1970-01-01 00:00:00Z'"],
    "data": ["CAST('bytes4' AS BINARY)"],
    "part": ["0", "1", "2", "3", "4", "9"],
}


def condition(choose: random.Random) -> str:
    """A comparison, a test for NULL, or two of them joined."""
    column = choose.choice(list(LITERALS))
    kind = choose.randrange(6)
    if kind == 0:
        return f"{column} IS {choose.choice(['', 'NOT '])}NULL"
    if kind == 1:
        return f"{column} IN ({', '.join(choose.sample(LITERALS[column], min(2, len(LITERALS[column]))))})"
    if kind == 2:
        return f"({condition(choose)} {choose.choice(['AND', 'OR'])} {condition(choose)})"
    operator = choose.choice(["=", "<", ">=", "<>", "<=>"])
    return f"{column} {operator} {choose.choice(LITERALS[column])}"


def query(choose: random.Random) -> str:
    """A random projection, filter and limit over ``{table}``, with an order that makes it deterministic."""
    names = list(LITERALS)
    columns = choose.sample(names, choose.randint(0, len(names)))
    where = f"WHERE {condition(choose)}" if choose.random() < 0.8 else ""
    if not columns:
        return f"SELECT count(*) FROM {{table}} {where}"
    if choose.random() < 0.3:
        limit = choose.choice([0, 1, 7, 1000])
        return f"SELECT {', '.join(columns)} FROM {{table}} {where} ORDER BY id LIMIT {limit}"
    if choose.random() < 0.2:
        # Without an order any rows will do, but there must be as many.
        return f"SELECT count(*) FROM (SELECT * FROM {{table}} {where} LIMIT {choose.choice([1, 30])})"
    return f"SELECT {', '.join(columns)} FROM {{table}} {where}"


def check_queries(place: Workplace, seed: int, number: int) -> None:
    choose = random.Random(seed)
    for _ in range(number):
        text = query(choose)
        zone = choose.choice(["UTC", "Asia/Shanghai", "America/New_York"])
        place.session.conf.set("spark.sql.session.timeZone", zone)
        ours, expected = (sorted(place.rows(text.format(table=table))) for table in ("mixed", "same"))
        assert ours == expected, text


def test_random_queries_answer_the_same(five: Workplace) -> None:
    assert five.rows("SELECT DISTINCT file_format FROM `mixed$partitions` ORDER BY 1") == sorted(FIVE)
    check_queries(five, seed=20261130, number=25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_many_random_queries_answer_the_same(five: Workplace, seed: int) -> None:
    check_queries(five, seed=seed, number=60)


def test_a_table_of_six_formats(place: Workplace) -> None:
    rows = (
        "SELECT CASE id % 4 WHEN 0 THEN '' WHEN 1 THEN concat('a,\"', id) WHEN 2 THEN '  é日本 ' "
        f"ELSE concat('line ', id) END AS line, CAST(id % {len(SIX)} AS INT) AS part FROM range(120)"
    )
    for table in ("mixed", "same"):
        place.sql(
            f"CREATE TABLE {table} (line STRING, part INT) USING parquet PARTITIONED BY (part) {MANAGED}"
        )
    write_partitions(place, "mixed", SIX, rows)
    place.sql(f"INSERT INTO same SELECT * FROM ({rows})")
    for text in (
        "SELECT * FROM {table}",
        "SELECT line FROM {table} WHERE part IN (0, 5)",
        "SELECT part, count(*), count(line), max(line) FROM {table} GROUP BY part",
        "SELECT count(*) FROM {table} WHERE line = ''",
        "SELECT count(*) FROM {table} WHERE line IS NULL",
        "SELECT DISTINCT line FROM {table} WHERE line LIKE 'line %' AND part <> 3",
    ):
        ours, expected = (sorted(place.rows(text.format(table=table))) for table in ("mixed", "same"))
        assert ours == expected, text
        assert ours
    plan = place.plan("SELECT * FROM mixed")
    for name in SIX:
        assert name in plan


def test_a_query_is_vectorised_when_all_its_partitions_can_be(five: Workplace) -> None:
    assert "parquet (spark, vectorised)" in five.plan("SELECT sum(big) FROM mixed WHERE part = 0")
    assert "vectorised" not in five.plan("SELECT sum(big) FROM mixed")
