"""Partition columns whose names are as hard as values, and names in the other case."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.spark.partition_values.tables import DATABASE, DISCOVERED, MANAGED, Tables, component
from tests.spark.partition_values.values import quoted

NAMES = (
    *(
        "a b",
        "a%b",
        "a:b",
        "a=b",
        "a/b",
        "UPPER",
        "_x",
        ".x",
        "a.b",
        "a`b",
        "größe",
        "列",
        "a'b",
        'a"b',
        "a\\b",
    ),
    *("[x]", "{x}", "*", "?", "#", "%41", "a-b", "1", "p=q", "select", "😀", "$x"),
)
TEXTS = ("a=b/c", "1.50", "é %41", "_x")
layouts = pytest.mark.parametrize("value_only", [False, True], ids=["key_value", "value_only"])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
def test_p09_p28_p39_hard_column_names(tables: Tables, name: str, source: str) -> None:
    table = tables.create("STRING", source, column=name)
    rows = list(enumerate(TEXTS, start=1))
    table.insert([(number, quoted(text)) for number, text in rows] + [(9, "NULL")])
    assert table.rows() == Counter([*rows, (9, None)])
    assert table.directories() == {component(text, name) for text in (*TEXTS, None)}
    assert table.shown() == Counter([*TEXTS, "null"])
    assert table.rows("{p} = 'a=b/c'") == Counter([(1, "a=b/c")])
    assert table.rows("{p} IN ('1.50', '_x') AND id > 0") == Counter([(2, "1.50"), (4, "_x")])
    assert table.rows("{p} IS NULL") == Counter([(9, None)])
    table.sql("INSERT OVERWRITE {t} PARTITION ({p} = '1.50') SELECT 20")
    table.sql("TRUNCATE TABLE {t} PARTITION ({p} = 'a=b/c')")
    if source == MANAGED:
        table.sql("ANALYZE TABLE {t} PARTITION ({p} = '1.50') COMPUTE STATISTICS NOSCAN")
        assert table.statistics()["1.50"] == 1
        table.forget_registrations()
        table.sql("MSCK REPAIR TABLE {t}")
        table.sql("ALTER TABLE {t} DROP PARTITION ({p} = 'é %41')")
        table.sql("ALTER TABLE {t} ADD PARTITION ({p} = 'new')")
    left = [(20, "1.50"), (4, "_x"), (9, None)] + ([(3, "é %41")] if source != MANAGED else [])
    assert table.rows() == Counter(left)


@layouts
@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
def test_p40_names_resolve_in_any_case(tables: Tables, source: str, value_only: bool) -> None:
    table = tables.create("STRING", source, value_only, column="Region")
    table.insert([(1, "'A'"), (2, "'a'"), (3, "'ß'")])
    table.sql("INSERT INTO {t} PARTITION (REGION = 'A') SELECT 4")
    table.sql("INSERT OVERWRITE {t} PARTITION (region = 'a') SELECT 5")
    assert table.rows() == Counter([(1, "A"), (4, "A"), (5, "a"), (3, "ß")])
    assert table.directories() == {component(text, "Region", value_only) for text in ("A", "a", "ß")}
    assert table.rows("region = 'A' AND REGION IS NOT NULL") == Counter([(1, "A"), (4, "A")])
    assert table.sql("SELECT rEgIoN FROM {t} WHERE ReGiOn = 'a'") == [("a",)]
    table.sql("TRUNCATE TABLE {t} PARTITION (REGION = 'A')")
    assert len(table.sql("SHOW PARTITIONS {t} PARTITION (region = 'A')")) == 1
    if source == MANAGED:
        table.sql("ANALYZE TABLE {t} PARTITION (regION = 'a') COMPUTE STATISTICS")
        assert table.statistics()["a"] == 1
        table.sql("ALTER TABLE {t} ADD PARTITION (REGION = 'B')")
        table.sql("ALTER TABLE {t} DROP PARTITION (region = 'a')")
        assert table.registered() == ["A", "B", "ß"]


def test_p40_case_counts_in_a_case_sensitive_session(tables: Tables, settings) -> None:  # type: ignore[no-untyped-def]
    table = tables.create("STRING", MANAGED, column="Region")
    table.insert([(1, "'A'"), (2, "'a'")])
    with settings(spark__sql__caseSensitive="true"):
        assert table.rows("Region = 'A'") == Counter([(1, "A")])
        table.sql("INSERT INTO {t} PARTITION (Region = 'A') SELECT 3")
        before = table.rows()
        for statement in (
            "SELECT * FROM {t} WHERE region = 'A'",
            "INSERT INTO {t} PARTITION (region = 'A') SELECT 4",
            "ALTER TABLE {t} ADD PARTITION (region = 'B')",
            "ALTER TABLE {t} DROP PARTITION (region = 'A')",
            "TRUNCATE TABLE {t} PARTITION (region = 'A')",
            "ANALYZE TABLE {t} PARTITION (region = 'A') COMPUTE STATISTICS",
        ):
            with pytest.raises(Exception, match="(?i)region"):
                table.sql(statement)
        table.sql("ALTER TABLE {t} DROP PARTITION (Region = 'a')")
        assert table.rows() == Counter({row: n for row, n in before.items() if row[1] != "a"})


@pytest.mark.parametrize("case_sensitive", ["true", "false"])
def test_p40_columns_that_differ_by_case_are_refused(tables: Tables, settings, case_sensitive: str) -> None:  # type: ignore[no-untyped-def]
    with (
        settings(spark__sql__caseSensitive=case_sensitive),
        pytest.raises(Exception, match="(?i)already|same name|duplicate"),
    ):
        tables.spark.sql(
            f"CREATE TABLE paimon.{DATABASE}.differ (id INT, dt STRING, DT STRING) USING parquet "
            "PARTITIONED BY (dt)"
        )


@pytest.mark.parametrize("catalog", ["paimon", "fs"])
@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_LTZ", "BINARY", "FLOAT", "DOUBLE"])
def test_p19_p36_types_without_a_stable_text_are_refused_at_create(
    tables: Tables, kind: str, catalog: str
) -> None:
    name = f"{catalog}.{DATABASE}.refused"
    with pytest.raises(Exception, match=r"PARTITION_TYPE_REFUSED.* p ") as refusal:
        tables.spark.sql(f"CREATE TABLE {name} (id INT, p {kind}) USING parquet PARTITIONED BY (p)")
    assert ("TIMESTAMP_NTZ" in str(refusal.value)) == kind.startswith("TIMESTAMP")
    with pytest.raises(Exception, match="PARTITION_TYPE_REFUSED"):
        tables.spark.sql(
            f"CREATE TABLE {name} USING parquet PARTITIONED BY (p) "
            f"AS SELECT 1 AS id, CAST(NULL AS {kind}) AS p"
        )
    assert not tables.spark.catalog.tableExists(name)


@layouts
@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
def test_p34_two_keys_of_different_types_anywhere_in_the_table(
    tables: Tables, source: str, value_only: bool
) -> None:
    catalog = "fs" if source == DISCOVERED else "paimon"
    name = f"{catalog}.{DATABASE}.two_{source}_{value_only}"
    managed = ", 'metastore.partitioned-table' = 'true'" if source == MANAGED else ""
    tables.spark.sql(
        f"CREATE TABLE {name} (`D t` DATE, id INT, p STRING, n DECIMAL(5,1)) USING parquet "
        f"PARTITIONED BY (p, `D t`, n) "
        f"TBLPROPERTIES ('format-table.partition-path-only-value' = '{str(value_only).lower()}'{managed})"
    )
    rows = [
        f"(DATE'{day}', {number}, {quoted(text)}, {amount})"
        for number, (day, text, amount) in enumerate(
            [("2024-01-05", "a/b", "1.5"), ("0001-01-01", "a/b", "-0.1"), ("2024-01-05", "x=y", "1.5")]
        )
    ]
    tables.spark.sql(f"INSERT INTO {name} VALUES {', '.join([*rows, '(NULL, 3, NULL, NULL)'])}")

    def found(where: str) -> list[int]:
        return sorted(row.id for row in tables.spark.sql(f"SELECT id FROM {name} WHERE {where}").collect())

    assert found("p = 'a/b'") == [0, 1]
    assert found("`d t` = DATE'2024-01-05' AND n = 1.5") == [0, 2]
    assert found("p = 'a/b' AND n < 0 OR p IS NULL") == [1, 3]
    assert found("n IS NULL AND `D t` IS NULL") == [3]
    shown = [row.partition for row in tables.spark.sql(f"SHOW PARTITIONS {name}").collect()]
    assert shown[0] == "p=a%2Fb/D t=0001-01-01/n=-0.1"
    tables.spark.sql(f"TRUNCATE TABLE {name} PARTITION (`d T` = '2024-1-5')")
    assert found("true") == [1, 3]
    if source == MANAGED:
        tables.spark.sql(f"ALTER TABLE {name} DROP PARTITION (n = -0.1)")
        assert found("true") == [3]
        tables.spark.sql(f"ALTER TABLE {name} DROP PARTITION (p = NULL, `D t` = NULL, n = NULL)")
        assert found("true") == []
