"""Scans: which partitions, from which place, at what cost."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.catalog.models import Partition
from spark_paimon.partition.predicate import Predicate, parse
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import commit
from spark_paimon.table.partitions import add_partitions
from spark_paimon.table.scan import PartitionPlan, plan_partitions
from tests.format_tables import Faults, create, directory, put, stage, with_faults


def condition(table: FormatTable, *parts: Any, op: str = "and") -> Predicate:
    trees = [{"op": o, "column": c, ("values" if o == "in" else "value"): v} for c, o, v in parts]
    return parse(trees[0] if len(trees) == 1 else {"op": op, "args": trees}, table.layout.columns)


def specs(plan: PartitionPlan) -> list[tuple[str, ...]]:
    return [tuple(entry.spec.values()) for entry in plan.partitions]


def days(catalog: Catalog, value_only: bool = False) -> FormatTable:
    table = create(catalog, {"dt": "STRING", "hh": "INT"}, value_only=value_only)
    commit(table, [stage(table, dt=dt, hh=hh) for dt in ("a", "b", None) for hh in (1, 2, None)])
    return table


def test_without_condition_everything_is_planned_and_counted(either: Catalog, value_only: bool) -> None:
    table = days(either, value_only)
    plan = plan_partitions(table)
    assert plan.total == len(plan.partitions) == 9
    first = plan.partitions[-1]
    assert (first.spec, first.values) == ({"dt": "b", "hh": "__DEFAULT_PARTITION__"}, {"dt": "b", "hh": None})
    assert first.location == f"{table.location}/" + (
        "b/__DEFAULT_PARTITION__" if value_only else "dt=b/hh=__DEFAULT_PARTITION__"
    )
    assert first.format == "parquet"
    assert first.statistics.record_count == (1 if table.managed else -1)


@pytest.mark.parametrize(
    ("parts", "op", "expected"),
    [
        ([("dt", "=", "a")], "and", 3),
        ([("dt", "=", "a"), ("hh", "=", 2)], "and", 1),
        ([("dt", ">=", "a"), ("hh", "=", 2)], "and", 2),
        ([("hh", ">", 1)], "and", 3),
        ([("dt", "=", "a"), ("hh", "=", 1)], "or", 5),
        ([("dt", "in", ["a", "b"])], "and", 6),
        ([("dt", "<=>", None)], "and", 3),
        ([("dt", "=", "missing")], "and", 0),
        ([("dt", "=", "__DEFAULT_PARTITION__")], "and", 0),
        ([("dt", "=", " ")], "and", 0),
        ([("price", "=", 1)], "and", 9),
    ],
)
def test_p66_conditions_select_the_same_partitions_in_either_catalog_and_layout(
    either: Catalog, value_only: bool, parts: list[Any], op: str, expected: int
) -> None:
    table = days(either, value_only)
    plan = plan_partitions(table, condition(table, *parts, op=op))
    assert len(plan.partitions) == expected
    assert plan.total == (9 if table.managed else None)


def test_p12_leading_values_select_in_the_catalog(catalog: Catalog, faults: Faults) -> None:
    table = days(catalog)
    plan_partitions(with_faults(table, faults), condition(table, ("dt", "=", "a"), ("hh", ">", 1)))
    (call,) = faults.of("list_partitions")
    assert call[2]["prefix"] == {"dt": "a"}
    assert faults.of("list_directory") == []


def test_p12_a_typed_prefix_finds_every_spelling(either: Catalog) -> None:
    table = create(either, {"month": "INT", "day": "DATE"})
    paths = ["month=01/day=20089", "month=1/day=2025-01-01", "month=2/day=2025-01-01"]
    for path in paths:
        put(table, f"{path}/x.parquet")
        if table.managed:
            spec = dict(part.split("=") for part in path.split("/"))
            either.create_partitions("db.t", [spec])
    plan = plan_partitions(table, condition(table, ("month", "=", 1), ("day", "=", 20089)))
    assert specs(plan) == [("01", "20089"), ("1", "2025-01-01")]
    assert {(entry.values["month"], entry.values["day"]) for entry in plan.partitions} == {(1, 20089)}


def test_a_condition_that_is_always_false_touches_nothing(either: Catalog, faults: Faults) -> None:
    table = with_faults(days(either), faults)
    never = parse(
        {"op": "and", "args": [{"op": "false"}, {"op": "=", "column": "dt", "value": "a"}]},
        table.layout.columns,
    )
    assert plan_partitions(table, never) == PartitionPlan(None, [])
    assert faults.calls == []


def test_p34_p33_values_have_the_types_of_their_columns(either: Catalog) -> None:
    table = create(either, {"b": "BOOLEAN", "n": "INT", "s": "STRING"})
    commit(table, [stage(table, b=True, n=7, s="01"), stage(table, b=None, n=None, s=None)])
    values = [entry.values for entry in plan_partitions(table).partitions]
    assert {"b": True, "n": 7, "s": "01"} in values
    assert {"b": None, "n": None, "s": None} in values


def test_an_empty_table_plans_nothing(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    assert plan_partitions(table) == PartitionPlan(0, [])
    directory(table).rename(directory(table).with_name("elsewhere"))
    assert plan_partitions(table).partitions == []


def test_an_unpartitioned_table_is_one_entry_with_an_empty_spec(either: Catalog) -> None:
    table = create(either, {})
    (entry,) = plan_partitions(table).partitions
    assert (dict(entry.spec), dict(entry.values), entry.location) == ({}, {}, table.location)


def test_a_managed_table_never_looks_at_directories(catalog: Catalog, faults: Faults) -> None:
    table = create(catalog, {"dt": "STRING"})
    put(table, "dt=unregistered/x.parquet")
    add_partitions(table, [{"dt": "a"}])
    plan = plan_partitions(with_faults(table, faults))
    assert specs(plan) == [("a",)]
    assert faults.of("list_directory") == []


def test_an_unregistered_table_hints_at_repair(catalog: Catalog, caplog: pytest.LogCaptureFixture) -> None:
    table = create(catalog, {"dt": "STRING"})
    with caplog.at_level(logging.WARNING):
        plan_partitions(table)
        assert "MSCK" not in caplog.text
        put(table, "dt=unregistered/x.parquet")
        assert plan_partitions(table).partitions == []
    assert "MSCK REPAIR TABLE db.t" in caplog.text


def test_p06_illegal_directories_are_no_partitions(filesystem: Catalog) -> None:
    table = create(filesystem, {"dt": "STRING", "hh": "INT"})
    for path in (
        "_tmp/x",
        ".x/x",
        "foo/bar/x",
        "dt=1/minute=3/x",
        "dt=2/x",
        "dt=/hh=1/x",
        "dt=3/hh=4/x",
        "root",
    ):
        put(table, path)
    assert specs(plan_partitions(table)) == [("3", "4")]


def test_a_directory_with_a_foreign_spelling_is_read_where_it_lies(filesystem: Catalog) -> None:
    table = create(filesystem, {"dt": "STRING"})
    put(table, "dt=c%20d/x.parquet")
    (entry,) = plan_partitions(table).partitions
    assert (entry.values["dt"], entry.location) == ("c d", f"{table.location}/dt=c%20d")


def test_schema_directories_are_no_partitions_of_a_value_only_table(filesystem: Catalog) -> None:
    table = create(filesystem, {"dt": "STRING"}, value_only=True)
    put(table, "a/x.parquet")
    assert (directory(table) / "schema").is_dir()
    assert specs(plan_partitions(table)) == [("a",)]


@pytest.mark.parametrize("method", ["list_partitions", "count_partitions"])
def test_a_failing_catalog_fails_the_scan_without_fallback(
    catalog: Catalog, faults: Faults, method: str
) -> None:
    table = days(catalog)
    faults.fail(method, errors.CatalogError("INTERNAL_ERROR", text="connection lost"))
    with pytest.raises(errors.CatalogError, match="connection lost"):
        plan_partitions(with_faults(table, faults), condition(table, ("dt", "=", "a")))
    assert faults.of("list_directory") == []


def test_a_failing_listing_fails_the_scan(filesystem: Catalog, faults: Faults) -> None:
    table = days(filesystem)
    refused = errors.StorageError("STORAGE_FAILED", operation="list", path="x", reason="refused")
    faults.fail("list_directory", refused, lambda path: path.endswith("dt=b"))
    with pytest.raises(errors.StorageError, match="refused"):
        plan_partitions(with_faults(table, faults))


def test_a_delta_table_is_not_read(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    (directory(table) / "_delta_log").mkdir()
    with pytest.raises(errors.UnsupportedError, match="Delta table"):
        plan_partitions(table)


class _Rows:
    def __init__(self, catalog: Catalog, rows: list[Partition]) -> None:
        self._catalog, self._rows = catalog, rows

    def __getattr__(self, name: str) -> Any:
        if name == "list_partitions":
            return lambda *_, **__: self._rows
        return getattr(self._catalog, name)


@pytest.mark.parametrize(
    "spec", [{}, {"dt": "a", "x": "1"}, {"x": "a"}, {"dt": ""}, {"dt": ".."}, {"dt": "."}]
)
def test_corrupt_rows_of_the_catalog_are_an_error_that_names_the_table(
    catalog: Catalog, spec: dict[str, str]
) -> None:
    table = create(catalog, {"dt": "STRING"}, value_only=True)
    broken: Any = _Rows(catalog, [Partition({"dt": "a"}), Partition(spec)])
    with pytest.raises(errors.IllegalStateError, match="corrupt partition metadata for db.t"):
        plan_partitions(FormatTable(table.info, broken))


def test_repeated_rows_are_read_once_and_odd_values_are_read(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    rows: Any = _Rows(catalog, [Partition({"dt": text}) for text in ("a", "a", "   ", "..")])
    assert specs(plan_partitions(FormatTable(table.info, rows))) == [("a",), ("   ",), ("..",)]


def test_a_value_that_is_none_of_its_type_fails_the_scan(catalog: Catalog) -> None:
    table = create(catalog, {"n": "INT"})
    rows: Any = _Rows(catalog, [Partition({"n": "abc"})])
    with pytest.raises(errors.InvalidInputError, match="'abc' cannot be read as INT"):
        plan_partitions(FormatTable(table.info, rows))


def test_the_effective_format_is_the_partitions_own_then_the_tables(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    catalog.create_partitions("db.t", [{"dt": "a"}, {"dt": "b"}], options=[{"file.format": "ORC"}, {}])
    assert [entry.format for entry in plan_partitions(table).partitions] == ["orc", "parquet"]
    for text in ("", " ", "avro"):
        rows: Any = _Rows(catalog, [Partition({"dt": "a"}, options={"file.format": text})])
        with pytest.raises(errors.UnsupportedError, match="ORC, PARQUET"):
            plan_partitions(FormatTable(table.info, rows))
