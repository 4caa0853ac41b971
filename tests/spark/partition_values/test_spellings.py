"""One value, several spellings on disk: leading zeros, day numbers and dates, two forms of a timestamp."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException

from tests.spark.partition_values.tables import DISCOVERED, EXTERNAL, MANAGED, Table, Tables

layouts = pytest.mark.parametrize("value_only", [False, True], ids=["key_value", "value_only"])
legacy = pytest.mark.parametrize("legacy", ["true", "false"], ids=["legacy_name", "readable_name"])
sources = pytest.mark.parametrize("source", [MANAGED, DISCOVERED, EXTERNAL])


def foreign(table: Table, value_only: bool, names: Sequence[str], first: int = 1) -> None:
    """Put a file of one row into a directory for each name, as another program would."""
    for number, name in enumerate(names, start=first):
        directory = table.location / (name if value_only else f"p={name}")
        write_row(directory, number)


def write_row(directory: Path, number: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    rows = pa.table({"id": pa.array([number], pa.int32())})
    pq.write_table(rows, directory / f"part-{number}")


def ids(table: Table, where: str = "true") -> list[int]:
    return sorted(row[0] for row in table.rows(where))


@layouts
@pytest.mark.parametrize("source", [DISCOVERED, EXTERNAL])
def test_p12_p27_both_spellings_of_a_number_are_read(tables: Tables, source: str, value_only: bool) -> None:
    table = tables.create("INT", source, value_only)
    foreign(table, value_only, ["1", "01", "0001", "+1", "2", "-1", "-01", " 1", "00", "0"])
    assert ids(table, "p = 1") == [1, 2, 3, 4, 8]
    assert ids(table, "p IN (1, 5)") == [1, 2, 3, 4, 8]
    assert ids(table, "p < 1") == [6, 7, 9, 10]
    assert ids(table, "p = 0 OR p = -1") == [6, 7, 9, 10]
    assert ids(table, "CAST(p AS STRING) = '1'") == [1, 2, 3, 4, 8]
    table.sql("INSERT OVERWRITE {t} PARTITION (p = '01') SELECT 50")
    assert ids(table) == [5, 6, 7, 9, 10, 50]
    table.sql("TRUNCATE TABLE {t} PARTITION (p = -1)")
    assert ids(table) == [5, 9, 10, 50]


@layouts
def test_p27_msck_keeps_one_raw_spelling_and_statements_reach_it(tables: Tables, value_only: bool) -> None:
    table = tables.create("INT", MANAGED, value_only)
    foreign(table, value_only, ["01", "2", "002", "-007"])
    table.sql("MSCK REPAIR TABLE {t}")
    assert table.registered() == ["-007", "01", "2"]
    assert ids(table) == [1, 2, 4]
    assert table.shown() == Counter(["1", "2", "-7"])
    assert ids(table, "p = 1") == [1]
    assert ids(table, "p <=> -7") == [4]
    # The value is registered, whatever its spelling.
    with pytest.raises(AnalysisException, match="PARTITIONS_ALREADY_EXIST"):
        table.sql("ALTER TABLE {t} ADD PARTITION (p = 1)")
    table.sql("ALTER TABLE {t} ADD IF NOT EXISTS PARTITION (p = 1)")
    assert table.registered() == ["-007", "01", "2"]
    assert ids(table, "p = 1") == [1]
    table.sql("ANALYZE TABLE {t} PARTITION (p = 1) COMPUTE STATISTICS")
    assert table.statistics()["01"] == 1
    table.sql("TRUNCATE TABLE {t} PARTITION (p = 1)")
    assert ids(table) == [2, 4]
    table.sql("ALTER TABLE {t} DROP PARTITION (p = '-7'), PARTITION (p = 1)")
    assert table.registered() == ["2"]
    assert ids(table) == [2]


@layouts
def test_p46_an_overwrite_of_a_value_replaces_every_spelling(tables: Tables, value_only: bool) -> None:
    table = tables.create("INT", MANAGED, value_only)
    foreign(table, value_only, ["01", "02"])
    table.sql("MSCK REPAIR TABLE {t}")
    table.sql("INSERT OVERWRITE {t} PARTITION (p = 1) SELECT 11")
    assert ids(table) == [2, 11]
    table.spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        table.sql("INSERT OVERWRITE {t} VALUES (12, 2)")
    finally:
        table.spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert ids(table) == [11, 12]
    table.sql("INSERT INTO {t} VALUES (13, 1)")
    assert ids(table, "p = 1") == [11, 13]


@legacy
@layouts
@sources
def test_p21_p37_dates_are_written_one_way_and_read_both_ways(
    tables: Tables, source: str, value_only: bool, legacy: str
) -> None:
    table = tables.create("DATE", source, value_only, options={"partition.legacy-name": legacy})
    days = {"2024-01-05": "19727", "1969-12-31": "-1", "0001-01-01": "-719162", "1582-10-10": "-141432"}
    table.insert([(number, f"DATE'{day}'") for number, day in enumerate(days, start=1)])
    texts = days.values() if legacy == "true" else days.keys()
    assert table.directories() == {text if value_only else f"p={text}" for text in texts}
    if source == MANAGED:
        # The other spelling of a value that is registered stays out; a new value may have either.
        others = ["2000-01-01", "10958"]
    else:
        others = [*(days.keys() if legacy == "true" else days.values()), "2000-01-01", "10957"]
    foreign(table, value_only, others, first=11)
    if source == MANAGED:
        table.sql("MSCK REPAIR TABLE {t}")
        assert ids(table, "p > DATE'2000-01-01'") == [1, 12]
        assert ids(table, "p = DATE'2000-01-01'") == [11]
    else:
        assert ids(table, "p = DATE'2000-01-01'") == [15, 16]
    for number, day in enumerate(days, start=1):
        both = [number] if source == MANAGED else [number, number + 10]
        assert ids(table, f"p = DATE'{day}'") == both
        assert ids(table, f"p IN (DATE'{day}', DATE'3000-01-01')") == both
    assert ids(table, "year(p) = 1582 AND month(p) = 10") == ([4] if source == MANAGED else [4, 14])
    table.sql("INSERT OVERWRITE {t} PARTITION (p = '2024-1-5') SELECT 70")
    assert ids(table, "p = DATE'2024-01-05'") == [70]
    table.sql("TRUNCATE TABLE {t} PARTITION (p = '1582-10-10')")
    assert not ids(table, "p = DATE'1582-10-10'")
    if source == MANAGED:
        table.sql("ALTER TABLE {t} DROP PARTITION (p = '0001-01-01')")
        assert not ids(table, "p < DATE'1500-01-01'")


@legacy
@layouts
@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
def test_p37_timestamps_are_written_one_way_and_read_both_ways(
    tables: Tables, source: str, value_only: bool, legacy: str
) -> None:
    table = tables.create("TIMESTAMP_NTZ", source, value_only, options={"partition.legacy-name": legacy})
    times = {
        "2024-01-05 00:00:00.000000": "2024-01-05T00:00",
        "2024-01-05 10:20:30.000000": "2024-01-05T10:20:30",
        "2024-01-05 10:20:30.120000": "2024-01-05T10:20:30.120",
        "1582-10-10 23:59:59.999999": "1582-10-10T23:59:59.999999",
        "0001-01-01 00:00:01.000000": "0001-01-01T00:00:01",
    }
    table.insert([(number, f"TIMESTAMP_NTZ'{time}'") for number, time in enumerate(times, start=1)])
    written = [(old if legacy == "true" else new).replace(":", "%3A") for new, old in times.items()]
    assert table.directories() == {text if value_only else f"p={text}" for text in written}
    if source == DISCOVERED:
        other = [(new if legacy == "true" else old).replace(":", "%3A") for new, old in times.items()]
        foreign(table, value_only, other, first=11)
    for number, time in enumerate(times, start=1):
        both = [number] if source == MANAGED else [number, number + 10]
        assert ids(table, f"p = TIMESTAMP_NTZ'{time}'") == both
    assert ids(table, "hour(p) = 10 AND second(p) = 30") == ([2, 3] if source == MANAGED else [2, 3, 12, 13])


@layouts
@pytest.mark.parametrize("source", [DISCOVERED, EXTERNAL])
def test_p30_foreign_spellings_of_escapes_are_read(tables: Tables, source: str, value_only: bool) -> None:
    table = tables.create("STRING", source, value_only)
    foreign(table, value_only, ["c%20d", "a%2fb", "a%2Fc", "100%", "%zz", "x y", "e%3d", "caf%c3"])
    assert ids(table, "p = 'c d'") == [1]
    assert ids(table, "p IN ('a/b', 'a/c')") == [2, 3]
    assert ids(table, "p = '100%' OR p = '%zz'") == [4, 5]
    assert ids(table, "p LIKE 'x %'") == [6]
    assert ids(table, "p = 'e='") == [7]
    assert ids(table) == list(range(1, 9))
    table.sql("TRUNCATE TABLE {t} PARTITION (p = 'c d')")
    assert ids(table) == list(range(2, 9))


@layouts
def test_j3_msck_leaves_directories_whose_registration_would_not_lead_to_them(
    tables: Tables, value_only: bool
) -> None:
    table = tables.create("STRING", MANAGED, value_only)
    foreign(table, value_only, ["c%20d", "a%2fb", "a%2Fc", "x y"])
    table.sql("MSCK REPAIR TABLE {t}")
    assert table.registered() == ["a/c", "x y"]
    assert ids(table) == [3, 4]
    reported = table.spark.sql(
        f"CALL paimon.sys.repair(table => '{table.short_name}', dry_run => true)"
    ).collect()
    assert len([row for row in reported if row.action not in ("added", "dropped")]) == 2


@pytest.mark.parametrize("source", [DISCOVERED, EXTERNAL])
@pytest.mark.parametrize(
    ("kind", "name"),
    [("INT", "abc"), ("INT", "1.0"), ("INT", "99999999999"), ("DATE", "2024-13-01"), ("BOOLEAN", "maybe")],
)
def test_a_directory_that_is_no_value_of_the_type_fails_the_scan_that_needs_it(
    tables: Tables, kind: str, name: str, source: str
) -> None:
    table = tables.create(kind, source)
    foreign(table, False, [name])
    with pytest.raises(Exception, match="PARTITION_VALUE_UNREADABLE"):
        table.rows()


@pytest.mark.parametrize("text", ["t", "TRUE", "y", "yes", "1"])
def test_booleans_are_read_in_every_spelling(tables: Tables, text: str) -> None:
    table = tables.create("BOOLEAN", DISCOVERED)
    foreign(table, False, [text])
    assert ids(table, "p") == [1]
    assert ids(table, "p = true") == [1]
    assert not ids(table, "NOT p")
