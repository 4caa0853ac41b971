"""One set of rows for every file format: each storable type with NULLs, extremes and awkward values.

The first row has plain values, the second one is NULL wherever that is allowed, the others walk through the
values of each column. ``id`` tells the rows apart, where the format has room for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from spark_paimon.schema import (
    ArrayType,
    DataType,
    Field,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
    number_fields,
    parse_type,
    to_arrow,
)

FORMATS = ("parquet", "orc", "csv", "json", "text", "mosaic")

_EPOCH = datetime(1970, 1, 1)

#: Lines of a text file; whether a line break may be in a value is decided by the format.
LINES: tuple[str | None, ...] = (
    "plain",
    None,
    "",
    " ",
    "  leading",
    "trailing  ",
    "\ttab\t",
    "comma,inside",
    ",",
    ",,",
    "semicolon;pipe|",
    '"',
    '""',
    '"quoted"',
    'say "hi" twice "hi"',
    'quote at end"',
    '",',
    "'single'",
    "back\\slash",
    "\\",
    "\\\\",
    "ends with \\",
    '\\"',
    'a\\",b',
    "a\\,b",
    "\\n is no line break",
    "carriage\rreturn",
    "NULL",
    "null",
    "\\N",
    "None",
    "NaN",
    "true",
    "0012",
    "1e5",
    "2024-01-06",
    "#comment",
    "{}",
    "[1]",
    "Grüße",
    "日本語",
    "😀👩‍👩‍👧",
    "e\u0301 and \u00e9",
    "line\u2028separator\u0085next",
    "\ufeffbyte order mark",
    "\x01\x02\x1f\x7f",
    "long " * 300,
)

STRINGS: tuple[str | None, ...] = (
    *LINES,
    "line\nbreak",
    "\n",
    "crlf\r\nbreak",
    "ends with \r",
    "\r\nleads",
    'all of ",\\\r\n\t it',
)


def _moment(text: str, digits: int) -> int:
    """Number of units since 1970-01-01 of a timestamp text, cut to so many digits behind the seconds."""
    whole, _, fraction = text.partition(".")
    seconds = (datetime.fromisoformat(whole) - _EPOCH) // timedelta(seconds=1)
    return int(seconds) * 10**digits + int(fraction.ljust(9, "0")[:digits] or 0)


_MOMENTS = (
    "2024-01-06 12:34:56.123456789",
    None,
    "1970-01-01 00:00:00",
    "1969-12-31 23:59:59.999999999",
    "1969-12-31 23:59:59.000001",
    "1970-01-01 00:00:00.1",
    "1883-11-18 12:00:00",
    "1900-01-01 00:00:00.5",
    "2024-03-31 02:30:00",
    "2024-10-27 02:30:00",
    "2024-02-29 23:59:59.9",
    "1752-09-14 00:00:00",
    "1677-09-22 00:00:00",
    "2262-04-11 23:47:16.854775807",
)
_FAR_MOMENTS = (
    "0001-01-01 00:00:00",
    "0001-01-01 00:00:00.000001",
    "1000-02-28 01:02:03",
    "1500-01-01 00:00:00",
    "1500-02-28 12:00:00.000001",
    "1582-10-04 00:00:00",
    "1582-10-10 00:00:00",
    "1582-10-15 00:00:00",
    "2262-04-12 00:00:00",
    "9999-12-31 23:59:59.999999",
)


def _moments(digits: int) -> tuple[int | None, ...]:
    # Nanoseconds in 64 bits reach from 1677 to 2262 only.
    texts = _MOMENTS if digits == 9 else (*_MOMENTS, *_FAR_MOMENTS)
    return tuple(None if text is None else _moment(text, digits) for text in texts)


_DATES = (
    date(2024, 1, 6),
    None,
    date(1970, 1, 1),
    date(1969, 12, 31),
    date(1, 1, 1),
    date(1500, 1, 1),
    date(1582, 10, 4),
    date(1582, 10, 10),
    date(1582, 10, 15),
    date(2024, 2, 29),
    date(2262, 4, 12),
    date(9999, 12, 31),
)
_FLOATS = (
    1.5,
    None,
    0.0,
    -0.0,
    1.0,
    -1.25,
    1e10,
    16777216.0,
    1.1754943508222875e-38,
    1.401298464324817e-45,
    3.4028234663852886e38,
    -3.4028234663852886e38,
    float("nan"),
    float("inf"),
    float("-inf"),
)
_DOUBLES = (
    *_FLOATS,
    0.1,
    1 / 3,
    1e16,
    123456789012345680.0,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    1e-7,
)


def _decimals(precision: int, scale: int) -> tuple[Decimal | None, ...]:
    largest = Decimal((0, (9,) * precision, -scale))
    one = Decimal((0, (1,), -scale))
    half = Decimal((0, (1,) * max(1, precision // 2), -scale))
    # Arithmetic would round to the digits of the context.
    return (half, None, Decimal(0), one, one.copy_negate(), largest, largest.copy_negate())


_NEST = {"a": 7, "b": [{"x": "deep", "y": 1.5}], "m": [("k", 1)]}

_COLUMNS: tuple[tuple[str, str | dict[str, Any], Sequence[Any]], ...] = (
    ("boolean", "BOOLEAN", (True, None, False)),
    ("tinyint", "TINYINT", (1, None, 0, -1, 127, -128)),
    ("smallint", "SMALLINT", (1, None, 0, -1, 32767, -32768)),
    ("int", "INT", (1, None, 0, -1, 2**31 - 1, -(2**31))),
    ("bigint", "BIGINT", (1, None, 0, -1, 2**53 + 1, 2**63 - 1, -(2**63))),
    ("float", "FLOAT", _FLOATS),
    ("double", "DOUBLE", _DOUBLES),
    ("decimal_1_0", "DECIMAL(1, 0)", _decimals(1, 0)),
    ("decimal_9_2", "DECIMAL(9, 2)", _decimals(9, 2)),
    ("decimal_18_6", "DECIMAL(18, 6)", _decimals(18, 6)),
    ("decimal_38_0", "DECIMAL(38, 0)", _decimals(38, 0)),
    ("decimal_38_18", "DECIMAL(38, 18)", _decimals(38, 18)),
    ("decimal_38_38", "DECIMAL(38, 38)", _decimals(38, 38)),
    ("char", "CHAR(3)", ("abc", None, "a  ", "日本語", 'x,"', "   ")),
    ("varchar", "VARCHAR(5)", ("abcde", None, "", "a", " b ", "äöü,\\", "😀😀😀😀😀")),
    ("string", "STRING", STRINGS),
    ("binary", "BINARY(4)", (b"abcd", None, b"\x00\x00\x00\x00", b"\xff\xfe\xfd\xfc", b'",\n\\')),
    ("varbinary", "VARBINARY(8)", (b"ab", None, b"", b"\x00", bytes(range(248, 256)))),
    ("bytes", "BYTES", (b"abc", None, b"", b"\x00\xff", bytes(range(256)), "Grüße".encode())),
    ("date", "DATE", _DATES),
    ("time_0", "TIME(0)", (45296, None, 0, 1, 86399)),
    ("time_3", "TIME(3)", (45296789, None, 0, 1, 86399999, 43200000)),
    ("time_6", "TIME(6)", (45296789012, None, 0, 1, 86399999999, 43200000000)),
    ("timestamp_0", "TIMESTAMP(0)", _moments(0)),
    ("timestamp_3", "TIMESTAMP(3)", _moments(3)),
    ("timestamp_6", "TIMESTAMP(6)", _moments(6)),
    ("timestamp_9", "TIMESTAMP(9)", _moments(9)),
    ("ltz_0", "TIMESTAMP(0) WITH LOCAL TIME ZONE", _moments(0)),
    ("ltz_3", "TIMESTAMP(3) WITH LOCAL TIME ZONE", _moments(3)),
    ("ltz_6", "TIMESTAMP(6) WITH LOCAL TIME ZONE", _moments(6)),
    ("ltz_9", "TIMESTAMP(9) WITH LOCAL TIME ZONE", _moments(9)),
    (
        "array_int",
        {"type": "ARRAY", "element": "INT"},
        ([1, 2, 3], None, [], [None], [None, 1, None], [2**31 - 1, -(2**31)], list(range(100))),
    ),
    (
        "array_string",
        {"type": "ARRAY", "element": "STRING"},
        (["a", "b"], None, [], [None, ""], list(STRINGS), ["null", "NULL"]),
    ),
    (
        "array_decimal",
        {"type": "ARRAY", "element": "DECIMAL(20, 3)"},
        ([Decimal("1.500")], None, [], list(_decimals(20, 3))),
    ),
    ("array_bytes", {"type": "ARRAY", "element": "BYTES"}, ([b"a"], None, [b"", None, b"\xff\x00"])),
    ("array_date", {"type": "ARRAY", "element": "DATE"}, ([date(2024, 1, 6)], None, list(_DATES))),
    (
        "array_timestamp",
        {"type": "ARRAY", "element": "TIMESTAMP(6)"},
        ([0], None, list(_moments(6)), [None]),
    ),
    (
        "array_array",
        {"type": "ARRAY", "element": {"type": "ARRAY", "element": "STRING"}},
        ([["a"], ["b", "c"]], None, [], [[]], [None], [None, [], [None], ["x"]]),
    ),
    (
        "map_string",
        {"type": "MAP", "key": "STRING NOT NULL", "value": "STRING"},
        ([("k", "v")], None, [], [("", ""), ("n", None), ('"', "\n"), ("null", "null"), ("日本", "語")]),
    ),
    (
        "map_int",
        {"type": "MAP", "key": "INT NOT NULL", "value": "DOUBLE"},
        ([(1, 1.5)], None, [], [(2**31 - 1, 0.1), (-(2**31), None), (0, float("nan"))]),
    ),
    (
        "map_ltz",
        {"type": "MAP", "key": "STRING NOT NULL", "value": "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
        ([("k", 0)], None, [], [(str(at), moment) for at, moment in enumerate(_moments(6))]),
    ),
    (
        "map_array",
        {"type": "MAP", "key": "STRING NOT NULL", "value": {"type": "ARRAY", "element": "INT"}},
        ([("k", [1])], None, [], [("e", []), ("n", None), ("nn", [None])]),
    ),
    (
        "multiset",
        {"type": "MULTISET", "element": "STRING"},
        ([("a", 2)], None, [], [("", 1), ("日本語", 2**31 - 1)]),
    ),
    (
        "row",
        {
            "type": "ROW",
            "fields": [
                {"id": 0, "name": "a", "type": "INT"},
                {"id": 1, "name": "s", "type": "STRING"},
                {"id": 2, "name": "d", "type": "DECIMAL(10, 2)"},
                {"id": 3, "name": "t", "type": "TIMESTAMP(6)"},
            ],
        },
        (
            {"a": 1, "s": "x", "d": Decimal("1.50"), "t": 0},
            None,
            {"a": None, "s": None, "d": None, "t": None},
            {"a": -1, "s": 'say "hi",\n\\', "d": Decimal("-0.01"), "t": _moment("0001-01-01 00:00:00", 6)},
            {"a": 0, "s": "", "d": Decimal("0.00"), "t": _moment("9999-12-31 23:59:59.999999", 6)},
        ),
    ),
    (
        "nested",
        {
            "type": "ROW",
            "fields": [
                {"id": 0, "name": "a", "type": "BIGINT"},
                {
                    "id": 1,
                    "name": "b",
                    "type": {
                        "type": "ARRAY",
                        "element": {
                            "type": "ROW",
                            "fields": [
                                {"id": 2, "name": "x", "type": "STRING"},
                                {"id": 3, "name": "y", "type": "DOUBLE"},
                            ],
                        },
                    },
                },
                {"id": 4, "name": "m", "type": {"type": "MAP", "key": "STRING NOT NULL", "value": "INT"}},
            ],
        },
        (
            _NEST,
            None,
            {**_NEST, "b": None},
            {**_NEST, "b": []},
            {**_NEST, "b": [None, {"x": None, "y": None}]},
            {**_NEST, "m": None},
            {"a": None, "b": [{"x": "", "y": -0.0}], "m": []},
        ),
    ),
)


@dataclass(frozen=True)
class _Column:
    field: Field
    values: Sequence[Any]


def _columns() -> dict[str, _Column]:
    declared = [Field(-1, "id", parse_type("BIGINT NOT NULL"))]
    declared += [Field(-1, name, parse_type(kind)) for name, kind, _ in _COLUMNS]
    fields, _ = number_fields(declared)
    values: list[Sequence[Any]] = [(), *(values for _, _, values in _COLUMNS)]
    return {field.name: _Column(field, given) for field, given in zip(fields, values, strict=True)}


_BY_NAME = _columns()
_LINE = _Column(Field(0, "line", parse_type("STRING")), LINES)


def is_nested(kind: DataType) -> bool:
    """Whether values of a type consist of values."""
    return isinstance(kind, (ArrayType, MapType, MultisetType, RowType))


def has_type(kind: DataType, applies: Callable[[DataType], bool]) -> bool:
    """Whether something holds for a type, or for one that it is made of."""
    if applies(kind):
        return True
    if isinstance(kind, (ArrayType, MultisetType)):
        return has_type(kind.element, applies)
    if isinstance(kind, MapType):
        return has_type(kind.key, applies) or has_type(kind.value, applies)
    return isinstance(kind, RowType) and any(has_type(field.type, applies) for field in kind)


def columns_for(file_format: str) -> list[Field]:
    """Columns of every type that files of a format can hold.

    TEXT has one column ``line``; the others have ``id BIGINT NOT NULL`` and a column for each type, named
    after it. VARIANT is left out, because Arrow does not have it.
    """
    if file_format == "text":
        return [_LINE.field]
    fields = [column.field for column in _BY_NAME.values()]
    if file_format == "csv":
        return [field for field in fields if not is_nested(field.type)]
    return fields


def in_spark(fields: Iterable[Field]) -> list[Field]:
    """The columns as Spark holds them: microseconds, wherever a timestamp is."""
    return [replace(field, type=_micros(field.type)) for field in fields]


def _micros(kind: DataType) -> DataType:
    if isinstance(kind, (TimestampType, LocalZonedTimestampType)):
        return replace(kind, precision=6)
    if isinstance(kind, (ArrayType, MultisetType)):
        return replace(kind, element=_micros(kind.element))
    if isinstance(kind, MapType):
        return replace(kind, key=_micros(kind.key), value=_micros(kind.value))
    return replace(kind, fields=tuple(in_spark(kind))) if isinstance(kind, RowType) else kind


def rows(fields: Sequence[Field], copies: int = 1, digits: int = 9) -> pa.Table:
    """Rows of columns that :func:`columns_for` or :func:`in_spark` gave.

    Parameters
    ----------
    fields
        The columns wanted, in the order wanted.
    copies
        How often the set is repeated; ``id`` goes on counting.
    digits
        Most digits behind the second of a timestamp, whatever its column could hold: few formats and no
        Spark have more than six.

    Returns
    -------
    pyarrow.Table
        Of exactly the schema ``to_arrow(fields)``.
    """
    count = _row_count(fields) * copies
    schema = to_arrow(fields)
    return pa.table(
        [_array(field, schema.field(field.name), count, digits) for field in fields], schema=schema
    )


def _row_count(fields: Sequence[Field]) -> int:
    if all(field.name == "line" for field in fields):
        return len(LINES)
    return max(len(column.values) for column in _BY_NAME.values())


def _array(field: Field, target: pa.Field, count: int, digits: int) -> pa.Array:
    if field.name == "id":
        return pa.array(range(count), target.type)
    column = _LINE if field.name == "line" else _BY_NAME[field.name]
    values = [column.values[at % len(column.values)] for at in range(count)]
    return pa.array(
        [_rescaled(value, column.field.type, field.type, digits) for value in values], target.type
    )


def _rescaled(value: Any, declared: DataType, wanted: DataType, digits: int) -> Any:
    """A timestamp in another unit, what does not fit cut off; nested types here have microseconds already."""
    if value is None or not isinstance(declared, (TimestampType, LocalZonedTimestampType)):
        return value
    if not isinstance(wanted, (TimestampType, LocalZonedTimestampType)):
        raise TypeError(f"{declared} as {wanted}")
    kept = min(digits, declared.precision, wanted.precision)
    return _in_digits(_in_digits(value, declared.precision, kept), kept, wanted.precision)


def _in_digits(value: int, digits: int, wanted: int) -> int:
    return value * 10 ** (wanted - digits) if wanted >= digits else value // 10 ** (digits - wanted)


def as_text(table: pa.Table) -> pa.Table:
    """What comes back from a TEXT file: it has no NULL, an empty line is an empty string."""
    import pyarrow.compute

    return pa.table([pyarrow.compute.fill_null(table.column(0), "")], schema=table.schema)
