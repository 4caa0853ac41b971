"""Partition values: from the text of a directory or registration, and from a literal of a statement.

This is the only place that knows how a value is spelled; scans, writes, statements, repair and the server
use it. Texts are unescaped here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from spark_paimon import errors
from spark_paimon.partition import calendar
from spark_paimon.partition.spelling import (
    DECIMALS,
    DEFAULT_PARTITION_NAME,
    MICROS_PER_MILLI,
    WHITESPACE,
    Value,
    format_value,
    formatter,
    is_blank,
)
from spark_paimon.schema.types import (
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    IntegralType,
    LocalZonedTimestampType,
    TextType,
    TimestampType,
    TimeType,
)

__all__ = [
    "DEFAULT_PARTITION_NAME",
    "Parser",
    "Value",
    "canonical_text",
    "canonicaliser",
    "format_value",
    "is_blank",
    "literal_value",
    "parse_value",
    "parser",
]

Parser = Callable[[str], Value]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_YEAR_DIGITS = 4
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_TRUE = frozenset(("t", "true", "y", "yes", "1"))
_FALSE = frozenset(("f", "false", "n", "no", "0"))
_MICRO_DIGITS = 6
# A timestamp written as a number counts in the unit of its precision.
_NANO_DIGITS = 9
_MICROS_PER_TICK = {0: 1_000_000, 3: 1000, 6: 1}


def parse_value(text: str, type: DataType, default_name: str = DEFAULT_PARTITION_NAME) -> Value:
    """Read the text of a directory or registration.

    Every spelling that some writer uses is taken: ``2025-01-01`` and ``20089`` are the same DATE.

    Raises
    ------
    InvalidInputError
        The text is no value of the type.
    UnsupportedError
        The type cannot be a partition column.

    Examples
    --------
    >>> from spark_paimon.schema import DateType, IntType
    >>> parse_value("20089", DateType()) == parse_value("2025-01-01", DateType())
    True
    >>> parse_value("01", IntType()), parse_value("__DEFAULT_PARTITION__", IntType())
    (1, None)
    """
    if text == default_name:
        return None
    try:
        return parser(type)(text)
    except ValueError as error:
        if isinstance(error, errors.PaimonError):
            raise
        raise errors.InvalidInputError(
            "PARTITION_VALUE_UNREADABLE", value=text, type=type.bare_sql(), column="(unnamed)"
        ) from error


@lru_cache(maxsize=256)
def parser(type: DataType) -> Parser:
    """The function that reads texts of a type, or raises ValueError; it does not know the name of NULL."""
    if isinstance(type, TextType):
        return _same
    if isinstance(type, IntegralType):
        return _integer_parser(type.bits)
    if isinstance(type, BooleanType):
        return _parse_boolean
    if isinstance(type, DateType):
        return lru_cache(maxsize=16384)(_parse_date)
    if isinstance(type, DecimalType):
        return _decimal_parser(type)
    if isinstance(type, TimeType):
        return _parse_time
    if isinstance(type, (TimestampType, LocalZonedTimestampType)):
        return _timestamp_parser(type.precision, zone_allowed=isinstance(type, LocalZonedTimestampType))
    raise errors.UnsupportedError(
        "TYPE_UNSUPPORTED", type=type, column="a partition column", reason="its values have no stable text"
    )


def _same(text: str) -> Value:
    return text


def _integer_parser(bits: int) -> Parser:
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    def parse(text: str) -> Value:
        # int() alone would take underscores and the digits of every script.
        stripped = text.strip(WHITESPACE)
        if not _INTEGER.fullmatch(stripped):
            raise ValueError(text)
        number = int(stripped)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return parse


def _parse_boolean(text: str) -> Value:
    lowered = text.strip(WHITESPACE).lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    raise ValueError(text)


def _parse_date(text: str) -> Value:
    stripped = text.strip(WHITESPACE)
    if _INTEGER.fullmatch(stripped):
        return int(stripped)
    return calendar.parse_date(stripped)


def _parse_time(text: str) -> Value:
    stripped = text.strip(WHITESPACE)
    if _INTEGER.fullmatch(stripped):
        micros = int(stripped) * MICROS_PER_MILLI
        if not 0 <= micros < calendar.MICROS_PER_DAY:
            raise ValueError(text)
        return micros
    return calendar.parse_time(stripped)


def _decimal_parser(type: DecimalType) -> Parser:
    unit = Decimal(1).scaleb(-type.scale)
    limit = Decimal(10) ** (type.precision - type.scale)

    def parse(text: str) -> Value:
        stripped = text.strip(WHITESPACE)
        if not _DECIMAL.fullmatch(stripped):
            raise ValueError(text)
        try:
            number = Decimal(stripped).quantize(unit, context=DECIMALS)
        except InvalidOperation as overflow:
            raise ValueError(text) from overflow
        if number.copy_abs() >= limit:  # abs() would round to the digits of the current context
            raise ValueError(text)
        return number if number else number.copy_abs()  # there is one zero

    return parse


_ZONE = re.compile(r"(?P<utc>Z|UTC|GMT)|(?P<sign>[+-])(?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-9]{2}))?")


def _timestamp_parser(precision: int, *, zone_allowed: bool) -> Parser:
    unit: int = 10 ** max(0, _MICRO_DIGITS - precision)

    def parse(text: str) -> Value:
        stripped = text.strip(WHITESPACE)
        if _INTEGER.fullmatch(stripped):
            if precision == _NANO_DIGITS:
                return int(stripped) // 1000
            if precision not in _MICROS_PER_TICK:
                raise ValueError(text)
            return int(stripped) * _MICROS_PER_TICK[precision]
        offset = 0
        if zone_allowed:
            stripped, offset = _split_zone(stripped)
        micros = calendar.parse_timestamp(stripped) - offset
        return micros - micros % unit

    return parse


def _split_zone(text: str) -> tuple[str, int]:
    """Text without its zone, and the zone's offset in microseconds."""
    head, colon, tail = text.partition(":")
    if not colon:
        return text, 0
    cut = next((at for at, char in enumerate(tail) if char in "Z+-UG "), len(tail))
    found = _ZONE.fullmatch(tail[cut:].strip())
    if found is None:
        return text, 0
    minutes = 0 if found["utc"] else int(found["hours"]) * 60 + int(found["minutes"] or 0)
    offset = minutes * 60 * calendar.MICROS_PER_SECOND * (-1 if found["sign"] == "-" else 1)
    return head + colon + tail[:cut], offset


def literal_value(
    text: object,
    type: DataType,
    column: str,
    table: object,
    default_name: str | None = None,
) -> Value:
    """The value that a literal in a statement or procedure call means, cast once and strictly.

    Parameters
    ----------
    text
        Text of the literal, None for NULL; other Python values count by their text.
    default_name
        When given, that text means NULL.

    Raises
    ------
    InvalidInputError
        The text is no value of the type; names text, type, column and table.

    Examples
    --------
    >>> from spark_paimon.schema import DateType, IntType
    >>> literal_value("00012", IntType(), "p", "db.t")
    12
    >>> literal_value("abc", IntType(), "p", "db.t")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    spark_paimon.errors.InvalidInputError: ...'abc' is not a INT value for partition column p of table db.t...
    """
    if text is None or text == default_name:
        return None
    literal = text if isinstance(text, str) else str(text)
    try:
        if isinstance(type, TextType):
            return _fit_text(literal, type)
        if not literal.isascii():
            raise ValueError(literal)
        if isinstance(type, DateType):
            return _literal_date(literal.strip())
        if isinstance(type, (TimeType, TimestampType, LocalZonedTimestampType)) and _is_bare_number(literal):
            raise ValueError(literal)
        return parser(type)(literal)
    except ValueError as error:
        if isinstance(error, errors.PaimonError):
            raise
        raise errors.InvalidInputError(
            "PARTITION_VALUE_MALFORMED",
            value=literal,
            type=type.bare_sql(),
            column=column,
            table=table,
            hint=_hint(type),
        ) from None


def _is_bare_number(literal: str) -> bool:
    # Four digits are a year to Spark; longer numbers would count in some unit, and nobody can tell which.
    stripped = literal.strip()
    return _INTEGER.fullmatch(stripped) is not None and len(stripped) != _YEAR_DIGITS


def _literal_date(literal: str) -> int:
    if _is_bare_number(literal):
        raise ValueError(literal)
    day, separator, _ = literal.replace("T", " ", 1).partition(" ")
    if separator:
        calendar.parse_timestamp(literal)
    return calendar.parse_date(day)


def _fit_text(literal: str, type: TextType) -> str:
    if len(literal) > type.length:
        cut = literal[: type.length]
        if literal[type.length :].strip(" "):
            raise ValueError(literal)
        literal = cut
    return literal.ljust(type.length) if isinstance(type, CharType) else literal


def _hint(type: DataType) -> str:
    if isinstance(type, DateType):
        return " Write a date as '2024-01-31'."
    if isinstance(type, (TimestampType, LocalZonedTimestampType)):
        return " Write a timestamp as '2024-01-31 10:00:00'."
    if isinstance(type, TextType):
        return f" It is longer than {type.length} characters."
    return ""


def canonical_text(value: Value, type: DataType, default_name: str = DEFAULT_PARTITION_NAME) -> str:
    """One text for each value, whatever spelling it was read from: for comparing, never for a path.

    Unlike :func:`format_value` it keeps blanks that somebody registered, and it takes CHAR values that differ
    in trailing blanks for equal, as SQL does.

    Examples
    --------
    >>> from spark_paimon.schema import CharType, StringType
    >>> canonical_text("ab ", CharType(3)), canonical_text("   ", StringType())
    ('ab', '   ')
    """
    if value is None:
        return default_name
    if isinstance(type, CharType):
        return str(value).rstrip(" ") or " "
    return formatter(type, False)(value)


@lru_cache(maxsize=256)
def canonicaliser(type: DataType) -> Callable[[str], str]:
    """The function from any text of a value to its canonical one; it does not know the name of NULL.

    Examples
    --------
    >>> from spark_paimon.schema import DecimalType
    >>> canonicaliser(DecimalType(10, 2))("1.5")
    '1.50'
    """
    parse = parser(type)

    def canonicalise(text: str) -> str:
        return canonical_text(parse(text), type)

    return lru_cache(maxsize=16384)(canonicalise)
