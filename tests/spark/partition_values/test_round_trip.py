"""Each kind of value through INSERT, SELECT, SHOW PARTITIONS, MSCK, TRUNCATE, ANALYZE and DROP.

The tests of a class share one table and run in their order: each one leaves behind what the next one expects.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.spark.partition_values import trips
from tests.spark.partition_values.tables import DISCOVERED, SEED, Tables, component, matrix, sample
from tests.spark.partition_values.trips import Trip
from tests.spark.partition_values.values import BLANKS, DEFAULT_NAME, NO_PATHS, quoted

_REFUSED = "PARTITION_VALUE_(NOT_PATH|HIDDEN|RESERVED)"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "trip" in metafunc.fixturenames:
        few = [pytest.param(case, id=f"sample-{case.id}") for case in sample(kept=3, texts=10, values=4)]
        full = [pytest.param(case, id=case.id, marks=pytest.mark.slow) for case in matrix()]
        metafunc.parametrize("trip", few + full, indirect=True, scope="class")


@pytest.fixture(scope="class")
def trip(request: pytest.FixtureRequest, tables: Tables) -> Trip:
    return trips.start(tables, request.param)


class TestRoundTrip:
    def test_p30_rows_come_back(self, trip: Trip) -> None:
        trip.check()

    def test_p19_p28_p31_directories_are_the_escaped_texts(self, trip: Trip) -> None:
        value_only = trip.case.value_only
        assert trip.table.directories() == {component(v.text, value_only=value_only) for v in trip.values}
        assert not {path for path in trip.table.disk() if path.startswith("../") or "/.tmp." in path}
        if trip.managed:
            assert trip.table.registered() == sorted(v.text or DEFAULT_NAME for v in trip.values)

    def test_p33_show_partitions_names_each_value_once(self, trip: Trip) -> None:
        shown = Counter("null" if trip.text[v] is None else trip.text[v] for v in trip.values)
        assert trip.table.shown() == shown

    def test_p34_p67_filters_find_what_they_find_in_plain_rows(self, trip: Trip) -> None:
        wanted = trips.conditions(trip.case.kind, trip.values, each=2)
        found = trips.selected_ids(trip.table, wanted)
        for condition, right, ids in zip(wanted, trip.oracle.ids(wanted), found, strict=True):
            assert ids == right, condition

    def test_p12_an_equality_reads_one_partition(self, trip: Trip) -> None:
        for value in trip.values[:2] + trip.values[-1:]:
            condition = "p IS NULL" if value.text is None else f"p = {value.sql}"
            plan = trip.table.sql(f"EXPLAIN SELECT * FROM {{t}} WHERE {condition}")[0][0]
            assert "partitions scanned: 1," in str(plan)

    def test_values_without_a_directory_are_refused_and_nothing_changes(self, trip: Trip) -> None:
        bad = [value.sql for value in trip.case.values if not trip.case.storable(value)]
        if trip.case.kind.name == "string":
            bad.append(quoted(DEFAULT_NAME))
            if trip.case.value_only:
                bad += map(quoted, NO_PATHS)
            if trip.case.value_only and trip.case.source == DISCOVERED:
                bad += ["'schema'", "'branch'"]
        before = trip.table.disk()
        for sql in bad:
            with pytest.raises(Exception, match=_REFUSED):
                trip.table.insert([(1, "'ok'"), (2, sql)] if trip.case.kind.is_text else [(2, sql)])
            with pytest.raises(Exception, match=_REFUSED):
                trip.table.sql(f"INSERT INTO {{t}} PARTITION (p = {sql}) SELECT 1")
            with pytest.raises(Exception, match=_REFUSED):
                trip.table.sql(f"INSERT OVERWRITE {{t}} PARTITION (p = {sql}) SELECT 1")
            assert trip.table.disk() == before, sql
        trip.check()

    def test_p15_p16_statements_refuse_blanks_and_nothing_changes(self, trip: Trip) -> None:
        if not trip.case.kind.is_text:
            pytest.skip("only texts can be blank")
        before = trip.table.disk()
        statements = ["TRUNCATE TABLE {t}", "INSERT OVERWRITE {t}"]
        if trip.managed:
            statements += ["ALTER TABLE {t} DROP", "ALTER TABLE {t} DROP IF EXISTS", "ALTER TABLE {t} ADD"]
            statements += ["ALTER TABLE {t} ADD IF NOT EXISTS"]
        for blank in trip.case.kind.nulls or BLANKS:
            for statement in statements:
                tail = " SELECT 1" if statement.startswith("INSERT") else ""
                with pytest.raises(Exception, match="PARTITION_VALUE_BLANK"):
                    trip.table.sql(f"{statement} PARTITION (p = {quoted(blank)}){tail}")
        assert trip.table.disk() == before
        trip.check()

    def test_statements_about_the_registry_are_refused_where_there_is_none(self, trip: Trip) -> None:
        if trip.managed:
            pytest.skip("has a registry")
        form = trip.values[0].form
        for statement in (
            f"ALTER TABLE {{t}} ADD IF NOT EXISTS PARTITION (p = {form})",
            f"ALTER TABLE {{t}} DROP IF EXISTS PARTITION (p = {form})",
            "MSCK REPAIR TABLE {t}",
            "ANALYZE TABLE {t} COMPUTE STATISTICS NOSCAN",
        ):
            with pytest.raises(Exception, match="(?i)filesystem|not supported"):
                trip.table.sql(statement)
        trip.check()

    def test_p01_msck_registers_the_raw_texts_again(self, trip: Trip) -> None:
        if not trip.managed:
            pytest.skip("has no registry")
        trip.table.forget_registrations()
        assert not trip.table.rows()
        trip.table.sql("MSCK REPAIR TABLE {t} SYNC PARTITIONS")
        listed = [value for value in trip.values if trip.case.listed(value)]
        assert trip.table.registered() == sorted(value.text or DEFAULT_NAME for value in listed)
        texts = {trip.text[value] for value in listed}
        assert trip.table.rows() == Counter({r: n for r, n in trip.expected.items() if r[1] in texts})
        for value in trip.values:
            if value not in listed:
                trip.table.sql(f"ALTER TABLE {{t}} ADD PARTITION (p = {value.form})")
        trip.check()
        trip.table.sql("MSCK REPAIR TABLE {t} SYNC PARTITIONS")
        trip.check()

    def test_p21_p25_p27_static_insert_and_overwrite(self, trip: Trip) -> None:
        before = trip.table.directories()
        for at, value in enumerate(trip.values):
            if at % 2:
                trip.lose(value)
            number = trip.add(value)
            into = "OVERWRITE" if at % 2 else "INTO"
            trip.table.sql(f"INSERT {into} {{t}} PARTITION (p = {value.stored_form}) SELECT {number}")
        assert trip.table.directories() == before
        trip.check()

    def test_p45_p46_dynamic_overwrite_replaces_the_written_values(self, trip: Trip, settings) -> None:  # type: ignore[no-untyped-def]
        chosen = [trip.values[-1], *random.Random(SEED).sample(trip.values[:-1], len(trip.values) // 2)]
        rows = []
        for value in chosen:
            trip.lose(value)
            rows.append((trip.add(value), value.sql))
        with settings(spark__sql__sources__partitionOverwriteMode="dynamic"):
            trip.table.sql(f"INSERT OVERWRITE {{t}} {trips.values_query(rows)}")
        trip.check()

    def test_p63_analyze_counts_the_files_of_each_value(self, trip: Trip) -> None:
        if not trip.managed:
            pytest.skip("has no registry")
        files = Counter(path.rsplit("/", 1)[0] for path in trip.table.disk() if path.endswith(".parquet"))
        for at, value in enumerate(trip.values):
            noscan = " NOSCAN" if at else ""
            trip.table.sql(f"ANALYZE TABLE {{t}} PARTITION (p = {value.form}) COMPUTE STATISTICS{noscan}")
        counted = trip.table.statistics()
        for value in trip.values:
            directory = component(value.text, value_only=trip.case.value_only)
            assert counted[value.text or DEFAULT_NAME] == files[directory], value

    def test_truncate_empties_exactly_the_named_value(self, trip: Trip) -> None:
        before = trip.table.directories()
        for value in trip.values[::2]:
            trip.table.sql(f"TRUNCATE TABLE {{t}} PARTITION (p = {value.stored_form})")
            trip.lose(value)
        trip.check()
        assert trip.table.directories() == before

    def test_p24_drop_removes_exactly_the_named_value(self, trip: Trip) -> None:
        if not trip.managed:
            pytest.skip("has no registry")
        for value in trip.values[1::2]:
            trip.table.sql(f"ALTER TABLE {{t}} DROP PARTITION (p = {value.form})")
            trip.lose(value)
        left = trip.values[::2]
        trip.check()
        assert trip.table.registered() == sorted(value.text or DEFAULT_NAME for value in left)
        value_only = trip.case.value_only
        assert trip.table.directories() == {component(value.text, value_only=value_only) for value in left}
        for value in trip.values[1:2]:
            with pytest.raises(Exception, match=r"(?i)partition"):
                trip.table.sql(f"ALTER TABLE {{t}} DROP PARTITION (p = {value.form})")
            trip.table.sql(f"ALTER TABLE {{t}} DROP IF EXISTS PARTITION (p = {value.form})")
        both = ", ".join(f"PARTITION (p = {value.form})" for value in left)
        trip.table.sql(f"ALTER TABLE {{t}} DROP {both}")
        assert not trip.table.directories()
        assert not trip.table.rows()

    def test_p04_add_and_msck_drop_go_by_the_same_texts(self, trip: Trip) -> None:
        if not trip.managed:
            pytest.skip("has no registry")
        clauses = " ".join(f"PARTITION (p = {value.form})" for value in trip.values)
        trip.table.sql(f"ALTER TABLE {{t}} ADD {clauses}")
        value_only = trip.case.value_only
        assert trip.table.registered() == sorted(value.text or DEFAULT_NAME for value in trip.values)
        assert trip.table.directories() == {component(v.text, value_only=value_only) for v in trip.values}
        with pytest.raises(Exception, match="(?i)exist"):
            trip.table.sql(f"ALTER TABLE {{t}} ADD PARTITION (p = {trip.values[0].form})")
        trip.table.sql(f"ALTER TABLE {{t}} ADD IF NOT EXISTS {clauses}")
        gone = [value for value in trip.values[::2] if trip.case.listed(value)]
        for value in gone:
            (trip.table.location / component(value.text, value_only=value_only)).rmdir()
        trip.table.sql("MSCK REPAIR TABLE {t} DROP PARTITIONS")
        left = sorted(value.text or DEFAULT_NAME for value in trip.values if value not in gone)
        assert trip.table.registered() == left
