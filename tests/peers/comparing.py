"""Rows of two tables, compared value by value, so that a difference names its row and column."""

from __future__ import annotations

import math
import struct
from typing import Any

import pyarrow as pa

_SHOWN = 10


def differences(expected: pa.Table, actual: pa.Table, key: str | None = None) -> list[str]:
    """What is different in ``actual``, at most ten sentences; none where all is equal.

    NaN equals NaN and 0.0 is not -0.0, entries of maps are compared without their order. Names of nested
    fields of lists and maps, metadata and chunks do not count.

    Parameters
    ----------
    expected, actual
        Tables of the same columns in the same order.
    key
        Column by which both are sorted first; None to compare them in order.
    """
    if expected.column_names != actual.column_names:
        return [f"columns {actual.column_names} instead of {expected.column_names}"]
    if expected.num_rows != actual.num_rows:
        return [f"{actual.num_rows} rows instead of {expected.num_rows}"]
    if key is not None:
        expected, actual = expected.sort_by(key), actual.sort_by(key)
    found = []
    for name in expected.column_names:
        wanted, got = expected.column(name), actual.column(name)
        if not same_type(wanted.type, got.type):
            found.append(f"{name} is {got.type} instead of {wanted.type}")
            continue
        for at, (left, right) in enumerate(zip(values(wanted), values(got), strict=True)):
            if left != right:
                found.append(f"{name}[{at}] is {right!r} instead of {left!r}")
    return found[:_SHOWN]


def values(column: pa.ChunkedArray | pa.Array) -> list[Any]:
    """Values that compare as they should, timestamps as numbers in their unit."""
    return [comparable(scalar) for scalar in column]


def comparable(scalar: pa.Scalar) -> Any:
    """A value for which ``==`` means that the stored values are the same."""
    kind = scalar.type
    if not scalar.is_valid:
        return None
    if pa.types.is_floating(kind):
        number = scalar.as_py()
        return "NaN" if math.isnan(number) else struct.pack(">d", number).hex() + f" ({number!r})"
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return scalar.value
    if pa.types.is_map(kind):
        entries = [(comparable(entry["key"]), comparable(entry["value"])) for entry in scalar.values]
        return {"entries": sorted(entries, key=repr)}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [comparable(element) for element in scalar.values]
    if pa.types.is_struct(kind):
        return {name: comparable(scalar[at]) for at, name in enumerate(kind.names)}
    return scalar.as_py()


def same_type(left: pa.DataType, right: pa.DataType) -> bool:
    """Whether two types are equal but for the names that lists and maps give their parts, and NOT NULL."""
    if pa.types.is_map(left) and pa.types.is_map(right):
        return same_type(left.key_type, right.key_type) and same_type(left.item_type, right.item_type)
    if pa.types.is_list(left) and pa.types.is_list(right):
        return same_type(left.value_type, right.value_type)
    if pa.types.is_struct(left) and pa.types.is_struct(right):
        return left.names == right.names and all(
            same_type(left.field(at).type, right.field(at).type) for at in range(left.num_fields)
        )
    return bool(left == right)
