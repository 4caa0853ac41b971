"""Batches as they come, turned into exactly the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.schema import Field

if TYPE_CHECKING:
    import pyarrow

_UNITS = {"s": "second", "ms": "millisecond", "us": "microsecond"}


def conform(
    batch: pyarrow.RecordBatch, schema: pyarrow.Schema, columns: Sequence[Field], table: str
) -> pyarrow.RecordBatch:
    """The columns of a table in their order and types.

    Parameters
    ----------
    batch
        Its columns are found by name, in any order.
    schema
        What comes out: the Arrow schema of `columns`.

    Raises
    ------
    InvalidInputError
        ``WRITE_COLUMNS_DIFFER``: a column is missing or one too many. ``WRITE_VALUE_UNFIT``: a value does not
        fit the type of its column. ``COLUMN_NOT_NULL``: NULL in a column, or inside of one, that forbids it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from spark_paimon.schema import BigIntType, Field, to_arrow
    >>> columns = [Field(0, "id", BigIntType())]
    >>> conform(pa.record_batch({"id": pa.array([1], pa.int8())}), to_arrow(columns), columns, "db.t").schema
    id: int64
    """
    import pyarrow as pa

    given = batch.schema.names
    if given != schema.names:
        if sorted(given) != sorted(schema.names):
            raise errors.InvalidInputError(
                "WRITE_COLUMNS_DIFFER",
                table=table,
                expected=", ".join(schema.names),
                found=", ".join(given),
            )
        batch = batch.select(schema.names)
    arrays = []
    for column, field, array in zip(columns, schema, batch.columns, strict=True):
        # First: a cast refuses such a NULL as well, in words that nobody understands.
        _check_nulls(array, field, column.name, table)
        arrays.append(_fit(array, field.type, column, table))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fit(array: pyarrow.Array, kind: pyarrow.DataType, column: Field, table: str) -> pyarrow.Array:
    import pyarrow as pa

    if array.type.equals(kind):
        return array
    try:
        return _cast(array, kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise errors.InvalidInputError(
            "WRITE_VALUE_UNFIT",
            column=column.name,
            table=table,
            type=column.type.bare_sql(),
            found=array.type,
            reason=str(error),
        ) from None


def _cast(array: pyarrow.Array, kind: pyarrow.DataType) -> pyarrow.Array:
    """Refuse what does not fit, except for digits of a second, which are cut off downwards."""
    from pyarrow import compute, types

    found = array.type
    timestamps = types.is_timestamp(found) and types.is_timestamp(kind)
    if timestamps and found.unit != kind.unit and kind.unit in _UNITS:
        array = compute.floor_temporal(array, unit=_UNITS[kind.unit])
    return array.cast(kind)


def _check_nulls(array: pyarrow.Array, field: pyarrow.Field, column: str, table: str) -> None:
    """Refuse NULL where it is forbidden, at any depth."""
    from pyarrow import types

    if array.null_count and not field.nullable:
        raise errors.InvalidInputError("COLUMN_NOT_NULL", column=column, table=table)
    kind, found = field.type, array.type
    if types.is_struct(kind) and types.is_struct(found):
        # A field below a NULL is no value of the field, and flatten() would make it one.
        fields = _present(array).flatten()
        for inner in kind:
            index = found.get_field_index(inner.name)
            if index >= 0:
                _check_nulls(fields[index], inner, f"{column}.{inner.name}", table)
    elif types.is_map(kind) and types.is_map(found):
        entries = _present(array)
        start, end = _range(entries)
        _check_nulls(entries.keys[start:end], kind.key_field, f"{column}.key", table)
        _check_nulls(entries.items[start:end], kind.item_field, f"{column}.value", table)
    elif types.is_list(kind) and (types.is_list(found) or types.is_large_list(found)):
        _check_nulls(array.flatten(), kind.value_field, f"{column}.element", table)


def _present(array: pyarrow.Array) -> pyarrow.Array:
    return array.drop_null() if array.null_count else array


def _range(array: pyarrow.MapArray) -> tuple[int, int]:
    """Where the entries of these maps lie in the child arrays, which know nothing of slices."""
    offsets = array.offsets
    return offsets[0].as_py(), offsets[-1].as_py()
