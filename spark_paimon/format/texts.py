"""Values as texts and texts as values, for whole columns: the one place that knows the spelling in files.

Whole numbers and decimals are plain digits, BOOLEAN is ``true`` or ``false``, floating point numbers have the
shortest text that gives the same number again, DATE is ``yyyy-MM-dd``, TIMESTAMP is
``yyyy-MM-dd HH:mm:ss.ffffff``, TIMESTAMP WITH LOCAL TIME ZONE the same in UTC with a ``Z``, TIME is
``HH:mm:ss``, BINARY is Base64. Reading takes more than that; what it takes does not depend on the other
values of a column.

Each conversion has a way for the ordinary spelling, which Arrow makes, and an exact one for everything else.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.format import text_moments
from spark_paimon.format.text_arrays import bytes_of, none_of, only, read_each
from spark_paimon.partition import calendar
from spark_paimon.partition.spelling import DECIMALS
from spark_paimon.schema.arrow import type_to_arrow
from spark_paimon.schema.types import (
    BooleanType,
    BytesType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    TemporalType,
    TextType,
)

if TYPE_CHECKING:
    import pyarrow as pa

_DIGITS = b"0123456789"
# Characters of spellings that Arrow and the exact way read alike; Arrow alone would also take hexadecimals.
_ORDINARY = {
    "DECIMAL": _DIGITS + b"-.",
    "FLOAT": _DIGITS + b"+-.eEnaiftyNAIFTY",
    "DOUBLE": _DIGITS + b"+-.eEnaiftyNAIFTY",
    "DATE": _DIGITS + b"-",
}
_WHOLE_BYTES = _DIGITS + b"-"
_WHOLE = re.compile(r"[+-]?[0-9]+")
_LONGEST_WHOLE = 40
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_FLOAT = r"^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:nan|inf|infinity))$"
_INFINITY = r"^[+-]?(?i:inf)"
_TRUE = ("true", "t", "1", "yes")
_FALSE = ("false", "f", "0", "no")
_FIRST_DAY = calendar.days_of(1, 1, 1)
_LAST_DAY = calendar.days_of(9999, 12, 31)


def to_texts(array: pa.Array, field: Field) -> pa.StringArray:
    """Spell the values of a column.

    Raises
    ------
    UnsupportedError
        The type has no text: a nested one, or VARIANT.

    Examples
    --------
    >>> import pyarrow
    >>> to_texts(pyarrow.array([1.0, float("nan"), None]), Field(0, "a", DoubleType())).to_pylist()
    ['1', 'NaN', None]
    """
    import pyarrow as pa

    kind = field.type
    if isinstance(kind, (FloatType, DoubleType)):
        return _float_texts(array)
    if isinstance(kind, (TextType, IntegralType, BooleanType)):
        return array.cast(pa.string())
    if isinstance(kind, DecimalType):
        texts = array.cast(pa.string())
        if b"E" in bytes_of(texts):
            texts = pa.array([None if v is None else f"{v:f}" for v in array.to_pylist()], pa.string())
        return texts
    if isinstance(kind, DateType):
        return _date_texts(array)
    if isinstance(kind, TemporalType):
        return text_moments.spell(array, kind)
    if isinstance(kind, BytesType):
        encode = binascii.b2a_base64
        return pa.array(
            [None if v is None else encode(v, newline=False).decode() for v in array.to_pylist()], pa.string()
        )
    raise _no_text(field)


def _no_text(field: Field) -> errors.UnsupportedError:
    return errors.UnsupportedError(
        "TYPE_UNSUPPORTED", type=field.type, column=f"column {field.name}", reason="it has no text"
    )


def _float_texts(array: pa.Array) -> pa.StringArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = array.cast(pa.string())
    if not pc.all(pc.is_finite(array)).as_py() and array.null_count < len(array):
        names = pc.if_else(pc.less(array, 0), "-Infinity", "Infinity")
        names = pc.if_else(pc.is_nan(array), "NaN", names)
        texts = pc.if_else(pc.is_finite(array), texts, names)
    if b"-0" in bytes_of(texts):
        texts = pc.if_else(pc.equal(texts, "-0"), "-0.0", texts)  # to JSON readers -0 is a whole number: 0
    return texts


def _date_texts(array: pa.Array) -> pa.StringArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    days = array.cast(pa.int32())
    span = pc.min_max(days).as_py()
    if span["min"] is None or (span["min"] >= _FIRST_DAY and span["max"] <= _LAST_DAY):
        return array.cast(pa.string())
    return pa.array([None if v is None else calendar.format_date(v) for v in days.to_pylist()], pa.string())


def from_texts(
    array: pa.StringArray, field: Field, time_zone: str = "UTC"
) -> tuple[pa.Array, pa.BooleanArray]:
    """Read the values of a column.

    Parameters
    ----------
    array
        Texts; NULL stays NULL.
    field
        Column that the texts belong to.
    time_zone
        Zone of TIMESTAMP WITH LOCAL TIME ZONE texts that name none.

    Returns
    -------
    tuple
        The values, and True where a text is none of the type (the value is NULL there).

    Raises
    ------
    UnsupportedError
        The type has no text.

    Examples
    --------
    >>> import pyarrow
    >>> from spark_paimon.schema import TinyIntType
    >>> values, malformed = from_texts(pyarrow.array(["7", "128", None]), Field(0, "a", TinyIntType()))
    >>> values.to_pylist(), malformed.to_pylist()
    ([7, None, None], [False, True, False])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = field.type
    if isinstance(kind, TextType):
        return array, none_of(array)
    if isinstance(kind, BooleanType):
        lowered = pc.ascii_lower(array)
        values = pc.less(pc.index_in(lowered, value_set=pa.array([*_TRUE, *_FALSE])), len(_TRUE))
        return values, pc.and_(pc.is_valid(array), pc.is_null(values))
    target = type_to_arrow(kind.with_nullable(True), field.name)
    if isinstance(kind, TemporalType):
        return text_moments.read(array, kind, target, time_zone)
    quick = _read_ordinary(array, kind, target)
    if quick is not None:
        return quick, none_of(array)
    if isinstance(kind, (FloatType, DoubleType)):
        return _read_floats(array, target)
    return read_each(array, _exact_reader(kind, field), target)


def _read_ordinary(array: pa.StringArray, kind: DataType, target: pa.DataType) -> pa.Array | None:
    """Values if all texts are spelled the ordinary way, otherwise None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ordinary = _WHOLE_BYTES if isinstance(kind, IntegralType) else _ORDINARY.get(kind.root)
    if ordinary is None or not only(array, ordinary):
        return None
    try:
        values = array.cast(target)
    except pa.ArrowInvalid:
        return None
    if isinstance(kind, (FloatType, DoubleType)) and pc.any(pc.is_inf(values)).as_py():
        return None  # spelled so, or a number that is too large
    return values


def _read_floats(array: pa.StringArray, target: pa.DataType) -> tuple[pa.Array, pa.BooleanArray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    number = pc.match_substring_regex(array, _FLOAT)
    plain = pc.replace_substring_regex(array, r"^\+", "")
    # Arrow knows no sign of NaN.
    plain = pc.if_else(pc.match_substring_regex(plain, r"^[+-]?(?i:nan)$"), "nan", plain)
    values = pc.if_else(number, plain, pa.scalar(None, pa.string())).cast(target)
    overflow = pc.and_(pc.is_inf(values), pc.invert(pc.match_substring_regex(array, _INFINITY)))
    values = pc.if_else(overflow, pa.scalar(None, target), values)
    return values, pc.and_(pc.is_valid(array), pc.is_null(values))


def _exact_reader(kind: DataType, field: Field) -> Callable[[str], Any]:
    if isinstance(kind, IntegralType):
        return _whole_reader(kind.bits)
    if isinstance(kind, DecimalType):
        return _decimal_reader(kind)
    if isinstance(kind, DateType):
        return text_moments.exact_date
    if isinstance(kind, BytesType):
        return _bytes_reader(kind)
    raise _no_text(field)


def _whole_reader(bits: int) -> Callable[[str], int]:
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    def read(text: str) -> int:
        if not _WHOLE.fullmatch(text):
            raise ValueError(text)
        # Python refuses to read numbers of thousands of digits; zeros in front are no digits.
        digits = text.lstrip("+-").lstrip("0") or "0"
        if len(digits) > _LONGEST_WHOLE:
            raise ValueError(text)
        number = -int(digits) if text[0] == "-" else int(digits)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return read


def _decimal_reader(kind: DecimalType) -> Callable[[str], Any]:
    unit = DECIMALS.create_decimal(1).scaleb(-kind.scale)
    limit = DECIMALS.create_decimal(10) ** (kind.precision - kind.scale)

    def read(text: str) -> Any:
        if not _DECIMAL.fullmatch(text):
            raise ValueError(text)
        number = unit.__class__(text).quantize(unit, context=DECIMALS)
        if number.copy_abs() >= limit:
            raise ValueError(text)
        return number

    return read


def _bytes_reader(kind: BytesType) -> Callable[[str], bytes]:
    exact = kind.root == "BINARY"

    def read(text: str) -> bytes:
        value = base64.b64decode(text.encode("ascii"), validate=True)
        if exact and len(value) != kind.length:
            raise ValueError(text)
        return value

    return read
