"""The rows that every format is tested with, and how they are compared."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark_paimon.schema import to_arrow
from tests.peers import transport
from tests.peers.comparing import differences
from tests.peers.rows import FORMATS, columns_for, in_spark, rows

ROOTS = {
    *("ARRAY", "BIGINT", "BINARY", "BOOLEAN", "CHAR", "DATE", "DECIMAL", "DOUBLE", "FLOAT", "INT", "MAP"),
    *("MULTISET", "ROW", "SMALLINT", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TINYINT", "VARBINARY", "VARCHAR"),
}


@pytest.mark.parametrize("file_format", FORMATS)
def test_rows_have_exactly_the_schema_of_their_columns_and_every_column_has_nulls(file_format: str) -> None:
    columns = columns_for(file_format)
    table = rows(columns)
    table.validate(full=True)
    assert table.schema == to_arrow(columns)
    assert all(
        column.null_count
        for name, column in zip(table.column_names, table.columns, strict=True)
        if name != "id"
    )


def test_every_type_is_there() -> None:
    assert {field.type.root for field in columns_for("parquet")} == ROOTS
    assert {field.type.root for field in columns_for("csv")} == ROOTS - {"ARRAY", "MAP", "MULTISET", "ROW"}


def test_rows_in_the_order_of_the_columns_asked_for() -> None:
    columns = list(reversed(columns_for("json")))
    assert rows(columns).column_names == [field.name for field in columns]


def test_copies_go_on_counting() -> None:
    columns = columns_for("csv")[:3]
    once = rows(columns).num_rows
    assert rows(columns, copies=3).column("id").to_pylist() == list(range(3 * once))


def test_timestamps_are_cut_downwards() -> None:
    columns = [field for field in columns_for("orc") if field.name == "timestamp_9"]
    nanos = rows(columns).column(0).cast(pa.int64()).to_pylist()
    micros = [None if moment is None else moment // 1000 for moment in nanos]
    assert rows(in_spark(columns)).column(0).cast(pa.int64()).to_pylist() == micros
    expected = [None if moment is None else moment * 1000 for moment in micros]
    assert rows(columns, digits=6).column(0).cast(pa.int64()).to_pylist() == expected


def test_rows_cross_as_json_without_loss() -> None:
    columns = [field for field in columns_for("parquet") if field.name != "time_6"]
    assert differences(rows(columns), transport.from_rows(transport.to_rows(rows(columns)), columns)) == []


def test_comparing_tells_zeros_apart_and_takes_nan_and_the_order_of_entries_as_equal() -> None:
    def table(number: float, entries: list[tuple[str, int]]) -> pa.Table:
        return pa.table({"a": [number], "m": pa.array([entries], pa.map_(pa.string(), pa.int32()))})

    nan = float("nan")
    assert differences(table(nan, [("a", 1), ("b", 2)]), table(nan, [("b", 2), ("a", 1)])) == []
    (found,) = differences(table(0.0, []), table(-0.0, []))
    assert found.startswith("a[0] is")
    (found,) = differences(table(0.0, [("a", 1)]), table(0.0, [("a", 2)]))
    assert found.startswith("m[0] is")


def test_comparing_tells_rows_columns_and_types_apart() -> None:
    table = pa.table({"a": [1, 2]})
    assert differences(table, table.slice(1)) == ["1 rows instead of 2"]
    assert differences(table, table.rename_columns(["b"])) == ["columns ['b'] instead of ['a']"]
    assert differences(table, pa.table({"a": pa.array([1, 2], pa.int32())})) == [
        "a is int32 instead of int64"
    ]
    assert differences(table, pa.table({"a": [2, 1]}), key="a") == []
