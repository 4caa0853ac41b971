"""Values do not depend on the session that writes or reads them: its zone, ANSI rules, case sensitivity."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from tests.spark.partition_values import trips
from tests.spark.partition_values.tables import (
    DISCOVERED,
    EXTERNAL,
    MANAGED,
    SEED,
    Case,
    Table,
    Tables,
    component,
)
from tests.spark.partition_values.test_spellings import write_row
from tests.spark.partition_values.values import KINDS, quoted

ZONES = ("UTC", "Asia/Shanghai", "America/New_York")
SETTINGS = [(zone, ansi, case) for zone in ZONES for ansi in ("true", "false") for case in ("true", "false")]
layouts = pytest.mark.parametrize("value_only", [False, True], ids=["key_value", "value_only"])


@pytest.mark.parametrize(("zone", "ansi", "case"), SETTINGS)
@pytest.mark.parametrize("kind", ["string", "char", "int", "decimal", "date", "timestamp_ntz", "boolean"])
def test_p36_p37_p67_filters_agree_with_plain_rows_in_every_session(
    tables: Tables,
    settings,
    kind: str,
    zone: str,
    ansi: str,
    case: str,  # type: ignore[no-untyped-def]
) -> None:
    draw = random.Random(f"{SEED}{kind}{zone}{ansi}{case}")
    values = tuple(draw.sample(KINDS[kind].values, min(6, len(KINDS[kind].values))))
    source = draw.choice([MANAGED, DISCOVERED, EXTERNAL])
    made = Case(KINDS[kind], draw.random() < 0.5, source, values)
    with settings(
        spark__sql__session__timeZone=zone, spark__sql__ansi__enabled=ansi, spark__sql__caseSensitive=case
    ):
        trip = trips.start(tables, made)
        trip.check()
        wanted = trips.conditions(made.kind, trip.values, each=2)
        found = trips.selected_ids(trip.table, wanted)
        for condition, right, ids in zip(wanted, trip.oracle.ids(wanted), found, strict=True):
            assert ids == right, condition
        for value in trip.values[:3]:
            trip.lose(value)
            number = trip.add(value)
            trip.table.sql(f"INSERT OVERWRITE {{t}} PARTITION (p = {value.stored_form}) SELECT {number}")
        trip.check()
        directories = trip.table.directories()
    for other in ZONES:
        with settings(spark__sql__session__timeZone=other):
            trip.check()
    assert directories == {component(value.text, value_only=made.value_only) for value in trip.values}


def _ids(table: Table, where: str) -> list[int]:
    return sorted(row[0] for row in table.rows(where))


@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
def test_p67_a_number_against_a_string_key(tables: Tables, settings, source: str) -> None:  # type: ignore[no-untyped-def]
    table = tables.create("STRING", source)
    table.insert([(1, "'20230505'"), (2, "'20230506'"), (3, "'020230505'")])
    assert _ids(table, "p = 20230505") == [1, 3]
    assert _ids(table, "p > 20230505") == [2]
    assert _ids(table, "CAST(p AS INT) IN (20230506, 1)") == [2]
    table.insert([(4, "'abc'"), (5, "NULL")])
    for condition in ("p = 20230505", "CAST(p AS DATE) = DATE'2023-05-05'", "p + 1 > 0"):
        with pytest.raises(Exception, match="CAST_INVALID_INPUT"):
            table.rows(condition)
    with settings(spark__sql__ansi__enabled="false"):
        assert _ids(table, "p = 20230505") == [1, 3]
        assert _ids(table, "p + 1 > 0") == [1, 2, 3]
    assert _ids(table, "try_cast(p AS INT) = 20230506") == [2]


@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
def test_p67_other_types_in_a_filter(tables: Tables, source: str) -> None:
    numbers = tables.create("INT", source)
    numbers.insert([(1, "1"), (2, "2"), (3, "-1"), (4, "NULL")])
    assert _ids(numbers, "p = '1'") == [1]
    assert _ids(numbers, "p = 1.0") == [1]
    assert _ids(numbers, "p < 1.5") == [1, 3]
    assert _ids(numbers, "p IN (1L, 2L, 5000000000)") == [1, 2]
    assert _ids(numbers, "p = 5000000000") == []
    assert _ids(numbers, "p BETWEEN -5.5 AND 0.5D") == [3]
    days = tables.create("DATE", source)
    days.insert([(1, "DATE'2024-01-05'"), (2, "DATE'1582-10-10'")])
    assert _ids(days, "p = '2024-1-5'") == [1]
    assert _ids(days, "p < TIMESTAMP_NTZ'2024-01-05 00:00:01'") == [1, 2]
    assert _ids(days, "p >= TIMESTAMP'2024-01-05 00:00:00'") == [1]
    assert _ids(days, "date_add(p, 1) = DATE'2024-01-06'") == [1]
    amounts = tables.create("DECIMAL(10,2)", source)
    amounts.insert([(1, "1.50"), (2, "-0.01"), (3, "99999999.99")])
    for literal in ("1.5", "1.50", "1.5000", "1.5D", "'1.5'"):
        assert _ids(amounts, f"p = {literal}") == [1], literal
    assert _ids(amounts, "p = 1.505") == []
    assert _ids(amounts, "p < 1.505 AND p > -0.015") == [1, 2]
    assert _ids(amounts, "p > 0 AND p < 2") == [1]


def test_p36_an_existing_timestamp_ltz_column_is_read_in_utc(tables: Tables, settings) -> None:  # type: ignore[no-untyped-def]
    table = tables.create("TIMESTAMP_NTZ", DISCOVERED)
    # Only another program can have made it: CREATE refuses the type.
    (file,) = (table.location / "schema").glob("schema-*")
    form = json.loads(file.read_text())
    form["fields"][1]["type"] = "TIMESTAMP(6) WITH LOCAL TIME ZONE"
    file.write_text(json.dumps(form))
    write_row(table.location / "p=2024-01-01 00%3A00%3A00", 1)
    for zone in ZONES:
        with settings(spark__sql__session__timeZone=zone):
            assert table.sql("SELECT id, unix_seconds(p) FROM {t}") == [(1, 1704067200)]
            assert table.sql("SELECT id FROM {t} WHERE p = timestamp_seconds(1704067200)") == [(1,)]
            assert table.sql("SELECT id FROM {t} WHERE p < timestamp_seconds(1704067200)") == []


@layouts
@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
@pytest.mark.parametrize("kind", ["string", "int", "date", "decimal"])
def test_p10_p25_p49_a_static_partition_without_rows_exists(
    tables: Tables, kind: str, source: str, value_only: bool
) -> None:
    case = Case(KINDS[kind], value_only, source, KINDS[kind].values)
    table = tables.create(case.kind.ddl, source, value_only)
    draw = random.Random(SEED)
    values = [*draw.sample([value for value in case.values if case.storable(value)], 2), case.kind.null()]
    for at, value in enumerate(values):
        into = "OVERWRITE" if at % 2 else "INTO"
        table.sql(f"INSERT {into} {{t}} PARTITION (p = {value.stored_form}) SELECT 1 WHERE false")
    assert table.directories() == {component(value.text, value_only=value_only) for value in values}
    assert not table.rows()
    assert sum(table.shown().values()) == 3


@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
def test_char_values_are_equal_without_their_padding(tables: Tables, source: str) -> None:
    table = tables.create("CHAR(5)", source)
    table.insert([(1, "'ab'"), (2, "'ab   '"), (3, "' ab'")])
    for literal in ("'ab'", "'ab '", "'ab   '"):
        assert _ids(table, f"p = {literal}") == [1, 2]
    assert _ids(table, "p IN ('ab', 'x')") == [1, 2]
    table.sql("INSERT OVERWRITE {t} PARTITION (p = 'ab') SELECT 4")
    assert table.rows() == Counter([(4, "ab   "), (3, " ab  ")])
    # Another writer did not pad; it is the same value.
    write_row(table.location / "p=ab", 5)
    if source == MANAGED:
        table.sql("MSCK REPAIR TABLE {t}")
        assert table.registered() == [" ab  ", "ab   "]
        table.sql("ALTER TABLE {t} DROP PARTITION (p = 'ab ')")
        assert _ids(table, "true") == [3]
    else:
        assert _ids(table, "p = 'ab'") == [4, 5]
        table.sql(f"TRUNCATE TABLE {{t}} PARTITION (p = {quoted('ab')})")
        assert _ids(table, "true") == [3]


@layouts
@pytest.mark.parametrize("source", [MANAGED, DISCOVERED])
@pytest.mark.parametrize(
    "kind", ["string", "char", "int", "decimal", "decimal38_38", "date", "timestamp_ntz"]
)
def test_p73_a_join_that_filters_at_run_time_finds_every_value(
    tables: Tables, kind: str, source: str, value_only: bool
) -> None:
    case = Case(KINDS[kind], value_only, source, KINDS[kind].values[:12])
    trip = trips.start(tables, case)
    wanted = tables.create(case.kind.ddl, DISCOVERED)
    wanted.insert([(number % 2, value.sql) for number, value in enumerate(trip.values)])
    for equal in ("=", "<=>"):
        chosen = {trip.text[value] for value in trip.values[::2]} - ({None} if equal == "=" else set())
        joined = trip.table.sql(
            f"SELECT t.id, CAST(t.p AS STRING) FROM {{t}} t "
            f"JOIN {wanted.name} w ON t.p {equal} w.p WHERE w.id = 0"
        )
        assert Counter(joined) == Counter({row: n for row, n in trip.expected.items() if row[1] in chosen})
