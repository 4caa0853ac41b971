"""Columns as an Arrow schema and back. pyarrow is imported when a function is called, not before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.schema.table_schema import number_fields
from spark_paimon.schema.types import (
    MAX_LENGTH,
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    StringType,
    TemporalType,
    TextType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
)

if TYPE_CHECKING:
    import pyarrow as pa

_UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_DESCRIPTION = b"description"


def from_arrow(schema: pa.Schema) -> list[Field]:
    """Columns of an Arrow schema, numbered from 0.

    Unsigned integers become the next wider signed type; a field's comment is its metadata ``description``.

    Raises
    ------
    UnsupportedError
        A column has a type that Paimon does not have.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [field.type.sql() for field in from_arrow(pa.schema([("id", pa.int64()), ("dt", pa.date32())]))]
    ['BIGINT', 'DATE']
    """
    fields, _ = number_fields(_from_field(field) for field in schema)
    return list(fields)


def _from_field(field: pa.Field) -> Field:
    description = (field.metadata or {}).get(_DESCRIPTION)
    kind = _from_type(field.type, field.name).with_nullable(field.nullable)
    return Field(-1, field.name, kind, None if description is None else description.decode())


def _simple_types() -> list[tuple[Callable[[Any], bool], DataType]]:
    from pyarrow import types

    return [
        (types.is_boolean, BooleanType()),
        (types.is_int8, TinyIntType()),
        (types.is_int16, SmallIntType()),
        (types.is_uint8, SmallIntType()),
        (types.is_int32, IntType()),
        (types.is_uint16, IntType()),
        (types.is_int64, BigIntType()),
        (types.is_uint32, BigIntType()),
        (types.is_float32, FloatType()),
        (types.is_float64, DoubleType()),
        (types.is_date, DateType()),
        (types.is_string, StringType()),
        (types.is_large_string, StringType()),
        (types.is_string_view, StringType()),
        (types.is_large_binary, VarBinaryType(MAX_LENGTH)),
        (types.is_binary_view, VarBinaryType(MAX_LENGTH)),
    ]


def _from_type(kind: pa.DataType, column: str) -> DataType:
    from pyarrow import types

    for applies, result in _simple_types():
        if applies(kind):
            return result
    if types.is_fixed_size_binary(kind):
        return BinaryType(kind.byte_width)
    if types.is_binary(kind):
        return VarBinaryType(MAX_LENGTH)
    if types.is_decimal(kind) and kind.scale >= 0 and kind.precision <= 38:
        return DecimalType(kind.precision, kind.scale)
    if types.is_time(kind):
        return TimeType(_UNIT_DIGITS[kind.unit])
    if types.is_timestamp(kind):
        digits = _UNIT_DIGITS[kind.unit]
        return TimestampType(digits) if kind.tz is None else LocalZonedTimestampType(digits)
    if types.is_dictionary(kind):
        return _from_type(kind.value_type, column)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        element = _from_type(kind.value_type, column)
        return ArrayType(element.with_nullable(kind.value_field.nullable))
    if types.is_map(kind):
        value = _from_type(kind.item_type, column).with_nullable(kind.item_field.nullable)
        return MapType(_from_type(kind.key_type, column).with_nullable(False), value)
    if types.is_struct(kind):
        return RowType(tuple(_from_field(kind.field(at)) for at in range(kind.num_fields)))
    raise errors.UnsupportedError(
        "TYPE_UNSUPPORTED", type=f"Arrow {kind}", column=f"column {column}", reason="Paimon has no such type"
    )


def to_arrow(fields: Iterable[Field]) -> pa.Schema:
    """Arrow schema of columns; comments become the metadata ``description``.

    Timestamps have the unit of their precision, TIMESTAMP WITH LOCAL TIME ZONE has the zone UTC.

    Raises
    ------
    UnsupportedError
        VARIANT, which Arrow does not have.

    Examples
    --------
    >>> from spark_paimon.schema import DecimalType, Field
    >>> to_arrow([Field(0, "a", DecimalType(10, 2))])
    a: decimal128(10, 2)
    """
    import pyarrow as pa

    return pa.schema([_to_field(field) for field in fields])


def _to_field(field: Field) -> pa.Field:
    import pyarrow as pa

    metadata = None if field.description is None else {_DESCRIPTION: field.description.encode()}
    return pa.field(field.name, type_to_arrow(field.type, field.name), field.type.nullable, metadata)


def _unit(kind: TemporalType) -> str:
    return next(unit for unit, digits in _UNIT_DIGITS.items() if kind.precision <= digits)


def type_to_arrow(kind: DataType, column: str) -> pa.DataType:
    """Arrow type of a column type; see :func:`to_arrow`."""
    import pyarrow as pa

    if isinstance(kind, TextType):
        return pa.string()
    if isinstance(kind, DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, BinaryType):
        return pa.binary(kind.length)
    if isinstance(kind, VarBinaryType):
        return pa.binary()
    if isinstance(kind, TimeType):
        return pa.time32(_unit(kind)) if kind.precision <= 3 else pa.time64(_unit(kind))
    if isinstance(kind, TimestampType):
        return pa.timestamp(_unit(kind))
    if isinstance(kind, LocalZonedTimestampType):
        return pa.timestamp(_unit(kind), tz="UTC")
    if isinstance(kind, ArrayType):
        return pa.list_(pa.field("element", type_to_arrow(kind.element, column), kind.element.nullable))
    if isinstance(kind, (MapType, MultisetType)):
        key, value = (
            (kind.key, kind.value) if isinstance(kind, MapType) else (kind.element, IntType(nullable=False))
        )
        return pa.map_(
            pa.field("key", type_to_arrow(key, column), False),
            pa.field("value", type_to_arrow(value, column), value.nullable),
        )
    if isinstance(kind, RowType):
        return pa.struct([_to_field(field) for field in kind.fields])
    simple = {
        "BOOLEAN": pa.bool_,
        "TINYINT": pa.int8,
        "SMALLINT": pa.int16,
        "INT": pa.int32,
        "BIGINT": pa.int64,
        "FLOAT": pa.float32,
        "DOUBLE": pa.float64,
        "DATE": pa.date32,
    }
    if kind.root in simple:
        return simple[kind.root]()
    raise errors.UnsupportedError(
        "TYPE_UNSUPPORTED", type=kind, column=f"column {column}", reason="Arrow has no such type"
    )
