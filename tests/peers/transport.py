"""Arrow tables as the JSON rows that java/PaimonFiles.java understands, and back.

Numbers and texts are what they look like; FLOAT, DOUBLE and DECIMAL are texts, binary values Base64, a DATE
is the number of its day, a TIME its milliseconds, a timestamp ``[milliseconds, nanoseconds of the
millisecond]``, arrays and rows are lists, maps lists of pairs.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from spark_paimon.schema import Field, to_arrow

_PER_MILLI = {"s": None, "ms": 1, "us": 1_000, "ns": 1_000_000}


def to_rows(table: pa.Table) -> list[list[Any]]:
    """Rows as JSON can carry them."""
    columns = [[_to_json(scalar) for scalar in column] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def from_rows(rows: Sequence[Sequence[Any]], fields: Sequence[Field]) -> pa.Table:
    """A table of exactly the schema ``to_arrow(fields)``.

    Raises
    ------
    ValueError
        A value has more digits than its column.
    """
    schema = to_arrow(fields)
    columns = [
        pa.array([_from_json(row[at], kind) for row in rows], kind) for at, kind in enumerate(schema.types)
    ]
    return pa.table(columns, schema=schema)


def _to_json(scalar: pa.Scalar) -> Any:
    kind = scalar.type
    if not scalar.is_valid:
        return None
    if pa.types.is_timestamp(kind):
        per_milli = _PER_MILLI[kind.unit]
        if per_milli is None:
            return [scalar.value * 1000, 0]
        millis, rest = divmod(scalar.value, per_milli)
        return [millis, rest * (1_000_000 // per_milli)]
    if pa.types.is_time(kind):
        per_milli = _PER_MILLI[kind.unit]
        return scalar.value * 1000 if per_milli is None else scalar.value // per_milli
    if pa.types.is_date(kind):
        return scalar.value
    if pa.types.is_floating(kind):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(
            str(scalar.as_py()), repr(scalar.as_py())
        )
    if pa.types.is_decimal(kind):
        return f"{scalar.as_py():f}"
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return base64.b64encode(scalar.as_py()).decode()
    if pa.types.is_map(kind):
        return [[_to_json(entry["key"]), _to_json(entry["value"])] for entry in scalar.values]
    if pa.types.is_list(kind):
        return [_to_json(element) for element in scalar.values]
    if pa.types.is_struct(kind):
        return [_to_json(scalar[at]) for at in range(kind.num_fields)]
    return scalar.as_py()


def _from_json(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_timestamp(kind):
        return _units(value[0] * 1_000_000 + value[1], kind)
    if pa.types.is_time(kind):
        return _units(value * 1_000_000, kind)
    if pa.types.is_floating(kind):
        return float(value)
    if pa.types.is_decimal(kind):
        return Decimal(value)
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return base64.b64decode(value)
    if pa.types.is_map(kind):
        return [(_from_json(key, kind.key_type), _from_json(item, kind.item_type)) for key, item in value]
    if pa.types.is_list(kind):
        return [_from_json(element, kind.value_type) for element in value]
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return {field.name: _from_json(part, field.type) for field, part in zip(fields, value, strict=True)}
    return value


def _units(nanos: int, kind: pa.DataType) -> int:
    per_unit = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}[kind.unit]
    units, rest = divmod(nanos, per_unit)
    if rest:
        raise ValueError(f"{nanos} nanoseconds are not a whole number of {kind.unit}")
    return units
