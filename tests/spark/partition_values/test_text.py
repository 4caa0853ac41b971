"""Texts at the edge: the name of the NULL partition, blanks, what is too long, what is no directory."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.spark.partition_values.tables import (
    DATABASE,
    DISCOVERED,
    EXTERNAL,
    MANAGED,
    SOURCES,
    Tables,
    component,
)
from tests.spark.partition_values.values import BLANKS, DEFAULT_NAME, quoted

layouts = pytest.mark.parametrize("value_only", [False, True], ids=["key_value", "value_only"])


@layouts
@pytest.mark.parametrize("source", SOURCES)
def test_p15_p16_blanks_through_insert_land_in_the_default_partition(
    tables: Tables, source: str, value_only: bool
) -> None:
    table = tables.create("STRING", source, value_only)
    table.insert([(number, quoted(text)) for number, text in enumerate(BLANKS)])
    table.sql("INSERT INTO {t} PARTITION (p = '') SELECT 100")
    table.sql("INSERT INTO {t} PARTITION (p = ' ') SELECT 101")
    table.sql("INSERT INTO {t} PARTITION (p = NULL) SELECT 102")
    assert table.rows() == Counter([(number, None) for number in (*range(len(BLANKS)), 100, 101, 102)])
    assert table.directories() == {component(None, value_only=value_only)}
    assert table.rows("p IS NULL") == table.rows()
    assert not table.rows("p = '' OR p <= ' '")


@layouts
def test_the_default_name_addresses_the_null_partition_of_strings(tables: Tables, value_only: bool) -> None:
    table = tables.create("STRING", MANAGED, value_only)
    table.insert([(1, "NULL"), (2, "'x'")])
    name = quoted(DEFAULT_NAME)
    table.sql(f"ANALYZE TABLE {{t}} PARTITION (p = {name}) COMPUTE STATISTICS")
    table.sql(f"ALTER TABLE {{t}} ADD IF NOT EXISTS PARTITION (p = {name})")
    assert table.statistics() == {DEFAULT_NAME: 1, "x": 1}
    table.sql(f"TRUNCATE TABLE {{t}} PARTITION (p = {name})")
    assert table.rows() == Counter([(2, "x")])
    table.sql(f"ALTER TABLE {{t}} DROP PARTITION (p = {name})")
    assert table.registered() == ["x"]


def test_truncate_by_the_default_name_where_directories_are_the_partitions(tables: Tables) -> None:
    table = tables.create("STRING", DISCOVERED)
    table.insert([(1, "NULL"), (2, "'x'")])
    table.sql(f"TRUNCATE TABLE {{t}} PARTITION (p = {quoted(DEFAULT_NAME)})")
    assert table.rows() == Counter([(2, "x")])


@pytest.mark.parametrize("source", [MANAGED, EXTERNAL])
@layouts
@pytest.mark.parametrize("default", ["nothing", "_none", ".none", "a:b/c", "%41", "é ü", "null"])
def test_a_custom_default_name_is_the_null_partition(
    tables: Tables, default: str, value_only: bool, source: str
) -> None:
    table = tables.create("STRING", source, value_only, options={"partition.default-name": default})
    table.insert(
        [(1, "NULL"), (2, "''"), (3, quoted(DEFAULT_NAME) if not value_only else "'x'"), (4, "'none'")]
    )
    text = DEFAULT_NAME if not value_only else "x"
    expected = Counter([(1, None), (2, None), (3, text), (4, "none")])
    assert table.rows() == expected
    wanted = {component(text, value_only=value_only) for text in (default, text, "none")}
    assert table.directories() == wanted
    with pytest.raises(Exception, match="PARTITION_VALUE_RESERVED"):
        table.insert([(5, quoted(default))])
    assert table.directories() == wanted
    assert table.rows("p IS NULL") == Counter([(1, None), (2, None)])
    assert not table.rows(f"p = {quoted(default)}")
    assert table.shown() == Counter(["null", text, "none"])
    if source == MANAGED:
        table.forget_registrations()
        table.sql("MSCK REPAIR TABLE {t} SYNC PARTITIONS")
        assert table.rows() == expected
        table.sql("MSCK REPAIR TABLE {t} SYNC PARTITIONS")
        table.sql(f"ALTER TABLE {{t}} DROP PARTITION (p = {quoted(default)})")
        assert table.rows() == Counter([(3, text), (4, "none")])


@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
@pytest.mark.parametrize("kind", ["INT", "DATE", "DECIMAL(10,2)", "BOOLEAN"])
def test_p33_a_custom_default_name_on_a_column_that_is_no_text(
    tables: Tables, kind: str, source: str
) -> None:
    table = tables.create(kind, source, options={"partition.default-name": "nothing"})
    table.insert([(1, f"CAST(NULL AS {kind})"), (2, f"CAST(NULL AS {kind})")])
    assert table.directories() == {"p=nothing"}
    assert table.rows("p IS NULL") == Counter([(1, None), (2, None)])
    assert table.shown() == Counter(["null"])


@layouts
def test_300_characters_that_the_file_system_cannot_name_leave_nothing_behind(
    tables: Tables, value_only: bool
) -> None:
    table = tables.create("STRING", MANAGED, value_only)
    table.insert([(1, "'x'")])
    before = table.disk()
    for text in ("y" * 300, "😀" * 300):
        with pytest.raises(Exception, match=r"(?i)too long|mkdirs failed"):
            table.insert([(2, "'fine'"), (3, quoted(text))])
        assert table.disk() == before
        with pytest.raises(Exception, match=r"(?i)too long|mkdirs failed"):
            table.sql(f"INSERT OVERWRITE {{t}} PARTITION (p = {quoted(text)}) SELECT 1")
        assert table.disk() == before
        assert not table.rows(f"p = {quoted(text)}")
        # A registration comes before its directory, so it stays; then it reads as empty and can be dropped.
        with pytest.raises(Exception, match=r"(?i)too long"):
            table.sql(f"ALTER TABLE {{t}} ADD PARTITION (p = {quoted(text)})")
        assert table.rows() == Counter([(1, "x")])
        table.sql(f"TRUNCATE TABLE {{t}} PARTITION (p = {quoted(text)})")
        table.sql(f"ANALYZE TABLE {{t}} PARTITION (p = {quoted(text)}) COMPUTE STATISTICS")
        table.sql(f"ALTER TABLE {{t}} DROP PARTITION (p = {quoted(text)})")
    assert table.rows() == Counter([(1, "x")])
    assert table.registered() == ["x"]


def test_300_characters_in_a_filter_of_a_discovered_table(tables: Tables) -> None:
    table = tables.create("STRING", DISCOVERED)
    table.insert([(1, "'x'")])
    long = quoted("y" * 300)
    assert not table.rows(f"p = {long}")
    assert table.rows(f"p = {long} OR p = 'x'") == Counter([(1, "x")])


@pytest.mark.parametrize("source", SOURCES)
def test_dots_of_two_value_only_keys_never_leave_the_table(tables: Tables, source: str) -> None:
    spark = tables.spark
    catalog = "fs" if source == DISCOVERED else "paimon"
    name = f"{catalog}.{DATABASE}.dots_{source}"
    location = f" LOCATION '{tables.root}/dots/inner/t'" if source == EXTERNAL else ""
    managed = ", 'metastore.partitioned-table' = 'true'" if source == MANAGED else ""
    spark.sql(
        f"CREATE TABLE {name} (id INT, a STRING, b STRING) USING parquet PARTITIONED BY (a, b){location} "
        f"TBLPROPERTIES ('format-table.partition-path-only-value' = 'true'{managed})"
    )
    root = tables.root / {MANAGED: "embedded", DISCOVERED: "filesystem", EXTERNAL: "dots"}[source]
    before = {path for path in root.rglob("*") if ".spark_paimon" not in path.parts}
    for values in ("'..', '..'", "'x', '..'", "'..', 'x'", "'.', 'x'", "'..', NULL"):
        with pytest.raises(Exception, match="PARTITION_VALUE_NOT_PATH"):
            spark.sql(f"INSERT INTO {name} VALUES (1, {values})")
        assert {path for path in root.rglob("*") if ".spark_paimon" not in path.parts} == before
    spark.sql(
        f"INSERT INTO {name} VALUES (1, '...', '..x')"
        if source == MANAGED
        else f"INSERT INTO {name} VALUES (1, 'x', 'y..')"
    )
    assert spark.table(name).count() == 1


@layouts
def test_p07_values_named_like_staging_directories_are_values(tables: Tables, value_only: bool) -> None:
    table = tables.create("STRING", MANAGED, value_only)
    texts = [
        "_temporary",
        "_temporary/.tmp.x",
        ".hive-staging_1",
        "__magic_job",
        "_SUCCESS",
        ".tmp",
        "_delta",
    ]
    table.insert([(number, quoted(text)) for number, text in enumerate(texts)])
    table.insert([(number, quoted(text)) for number, text in enumerate(texts, start=100)])
    twice = [*enumerate(texts), *enumerate(texts, start=100)]
    assert table.rows() == Counter(twice)
    for text in texts:
        assert table.rows(f"p = {quoted(text)}") == Counter(row for row in twice if row[1] == text)


@pytest.mark.parametrize("source", SOURCES)
def test_a_value_cannot_make_the_table_look_like_a_delta_table(tables: Tables, source: str) -> None:
    table = tables.create("STRING", source, value_only=True)
    table.insert([(1, "'x'")])
    before = table.disk()
    with pytest.raises(Exception, match="PARTITION_VALUE_NOT_PATH"):
        table.insert([(2, "'_delta_log'")])
    if source == MANAGED:
        with pytest.raises(Exception, match="PARTITION_VALUE_NOT_PATH"):
            table.sql("ALTER TABLE {t} ADD PARTITION (p = '_delta_log')")
    assert table.disk() == before
    assert not table.rows("p = '_delta_log'")
    assert table.rows("p IN ('_delta_log', 'x')") == Counter([(1, "x")])
    named = tables.create("STRING", source)
    named.insert([(1, "'_delta_log'")])
    assert named.rows("p = '_delta_log'") == Counter([(1, "_delta_log")])
