"""Blocks of JSON lines by Arrow's parser, where it reads them as our rules do.

Arrow takes any number of objects on a line, objects over several lines, and keys only as they are spelled; it
takes no number for a string and no string for a number. So a block goes to it only after a look at the bytes,
first with the scalars that our writers make, then with strings for every scalar, which is what Paimon's Java
writer makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spark_paimon.format.texts import from_texts
from spark_paimon.schema import (
    ArrayType,
    BooleanType,
    DataType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    RowType,
    TextType,
)
from spark_paimon.schema.arrow import type_to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

_BLANKS = b" \t\r\n"
_NATIVE = (BooleanType, IntegralType, DecimalType, TextType)
# A null between two objects would be a row to Arrow.
_STRAY = re.compile(rb"\}[ \t\r]*n")


class ArrowJson:
    """Arrow's parser for the columns of one table.

    Parameters
    ----------
    fields
        All stored columns.
    case_sensitive, time_zone
        As in the request.
    """

    def __init__(self, fields: Sequence[Field], case_sensitive: bool, time_zone: str) -> None:
        self._fields = fields
        self._case_sensitive = case_sensitive
        self._time_zone = time_zone
        self._names = sorted({name.encode() for name in _names(fields)})
        self._possible = all(_readable(field.type, nested=False) for field in fields) and bool(fields)
        self._numbers_inside = any(
            isinstance(kind, DoubleType) for field in fields for kind in _inner_types(field.type)
        )
        self._as_text_first = False
        self._strangers_seen = case_sensitive

    def columns(self, block: bytes, delimiter: bytes) -> list[pa.Array] | None:
        """Values of all columns; None where the exact rules have to decide."""
        prepared = self._prepared(block, delimiter) if self._possible else None
        if prepared is None:
            return None
        data, rows = prepared
        for as_text in (self._as_text_first, not self._as_text_first):
            found = self._read(data, rows, as_text)
            if found is not None:
                self._as_text_first = as_text
                return found
        return None

    def _prepared(self, block: bytes, delimiter: bytes) -> tuple[bytes, int] | None:
        """The block and its number of rows, if each of its lines begins and ends like an object."""
        data = block
        if delimiter != b"\n":
            if b"\n" in data:
                return None
            data = data.replace(delimiter, b"\n")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        data = data.strip(_BLANKS)
        breaks = data.count(b"\n")
        if not data.startswith(b"{") or not data.endswith(b"}") or data.count(b"}\n{") != breaks:
            return None
        if data.count(b"}") > breaks + 1 and _STRAY.search(data):
            return None
        if self._numbers_inside and (b"NaN" in data or b"Inf" in data):
            return None
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError:
                return None
        return data, breaks + 1

    def _read(self, data: bytes, rows: int, as_text: bool) -> list[pa.Array] | None:
        import pyarrow as pa

        schema = pa.schema(
            [pa.field(field.name, _source_type(field.type, field.name, as_text)) for field in self._fields]
        )
        table = None
        if not self._strangers_seen:
            table = _parsed(data, schema, "error")
        # What is ignored may be any number to Arrow, which has more names for some than JSON readers have.
        ordinary = b"Inf" not in data and b"-NaN" not in data
        if table is None and ordinary and (self._case_sensitive or self._spelled_exactly(data)):
            table = _parsed(data, schema, "ignore")
            self._strangers_seen = table is not None
        if table is None or table.num_rows != rows:
            return None
        columns = []
        for field in self._fields:
            values = self._values(table.column(field.name).combine_chunks(), field)
            if values is None:
                return None
            columns.append(values)
        return columns

    def _values(self, array: pa.Array, field: Field) -> pa.Array | None:
        import pyarrow as pa
        import pyarrow.compute as pc

        target = type_to_arrow(field.type, field.name)
        if pa.types.is_floating(array.type):
            # Arrow reads a FLOAT that is too large as infinity, and has more names for such numbers.
            return array if pc.all(pc.is_finite(array)).as_py() is not False else None
        if pa.types.is_string(array.type) and not isinstance(field.type, TextType):
            values, malformed = from_texts(array, field, self._time_zone)
            return None if malformed.true_count else values
        return array if array.type.equals(target) else array.cast(target)

    def _spelled_exactly(self, data: bytes) -> bool:
        """Whether no key differs from a column by its case only."""
        if b"\\u" in data:
            return False
        lowered = data.lower()
        return all(
            name.isascii() and data.count(b'"%b"' % name) == lowered.count(b'"%b"' % name.lower())
            for name in self._names
        )


def _parsed(data: bytes, schema: pa.Schema, strangers: str) -> pa.Table | None:
    import pyarrow as pa
    from pyarrow import json

    try:
        return json.read_json(
            pa.BufferReader(data),
            read_options=json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=json.ParseOptions(
                explicit_schema=schema, newlines_in_values=False, unexpected_field_behavior=strangers
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _names(fields: Sequence[Field]) -> Iterator[str]:
    for field in fields:
        yield field.name
        kind = field.type
        while isinstance(kind, ArrayType):
            kind = kind.element
        if isinstance(kind, RowType):
            yield from _names(kind.fields)


def _inner_types(kind: DataType) -> Iterator[DataType]:
    """Types inside a nested type."""
    if isinstance(kind, ArrayType):
        yield kind.element
        yield from _inner_types(kind.element)
    elif isinstance(kind, RowType):
        for field in kind.fields:
            yield field.type
            yield from _inner_types(field.type)


def _readable(kind: DataType, *, nested: bool) -> bool:
    if isinstance(kind, ArrayType):
        return _readable(kind.element, nested=True)
    if isinstance(kind, RowType):
        return bool(kind.fields) and all(_readable(field.type, nested=True) for field in kind.fields)
    # A column can be converted from text and is looked at for a FLOAT out of range; what is nested is not.
    return (
        isinstance(kind, (*_NATIVE, DoubleType))
        if nested
        else not hasattr(kind, "key") and kind.root != "MULTISET"
    )


def _source_type(kind: DataType, column: str, as_text: bool) -> pa.DataType:
    """Type that Arrow is told."""
    import pyarrow as pa

    if isinstance(kind, (ArrayType, RowType)):
        return type_to_arrow(kind, column)
    if as_text or not isinstance(kind, (*_NATIVE, FloatType, DoubleType)):
        return pa.string()
    return type_to_arrow(kind, column)
