"""Partition values as texts: what a directory is called and what the registry holds.

Texts are unescaped here.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache

from spark_paimon import errors
from spark_paimon.partition import calendar
from spark_paimon.schema.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    IntegralType,
    LocalZonedTimestampType,
    TextType,
    TimestampType,
    TimeType,
)

#: DATE: days since 1970-01-01; TIMESTAMP: microseconds since then; TIME: microseconds of the day.
Value = str | int | bool | Decimal | None

Formatter = Callable[[Value], str]

DEFAULT_PARTITION_NAME = "__DEFAULT_PARTITION__"
MICROS_PER_MILLI = 1000
#: Arithmetic wide enough for every DECIMAL, rounding as SQL does.
DECIMALS = Context(prec=100, rounding=ROUND_HALF_UP)

#: What Java's Character.isWhitespace accepts. Unlike str.isspace() it has no non-breaking blanks and no
#: U+0085, so that a value that other writers keep is kept here as well.
WHITESPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)


def is_blank(text: str) -> bool:
    r"""Whether a text is empty or nothing but whitespace, and so is stored as NULL.

    Examples
    --------
    >>> is_blank(" \t"), is_blank("\u00a0")
    (True, False)
    """
    return not text.strip(WHITESPACE)


def format_value(
    value: Value,
    type: DataType,
    legacy: bool = False,
    default_name: str = DEFAULT_PARTITION_NAME,
) -> str:
    """The text under which a value is stored, as directory and in the registry.

    Parameters
    ----------
    legacy
        Days for DATE, milliseconds for TIME and the ISO form for TIMESTAMP instead of their SQL text.

    Raises
    ------
    InvalidInputError
        A string equal to `default_name`, which would come back as NULL; or a value that is not of the type.

    Examples
    --------
    >>> from spark_paimon.schema import DateType, StringType
    >>> format_value(20089, DateType()), format_value(20089, DateType(), legacy=True)
    ('2025-01-01', '20089')
    >>> format_value(None, DateType()), format_value(" ", StringType())
    ('__DEFAULT_PARTITION__', '__DEFAULT_PARTITION__')
    """
    if value is None:
        return default_name
    try:
        text = formatter(type, legacy)(value)
    except (TypeError, ValueError, InvalidOperation) as error:
        if isinstance(error, errors.PaimonError):
            raise
        raise errors.InvalidInputError(
            "PARTITION_VALUE_UNREADABLE", value=value, type=type.bare_sql(), column="(unnamed)"
        ) from error
    if is_blank(text):
        return default_name
    if text == default_name:
        raise errors.InvalidInputError("PARTITION_VALUE_RESERVED", column="(unnamed)", value=text)
    return text


@lru_cache(maxsize=256)
def formatter(type: DataType, legacy: bool) -> Formatter:
    """The function that spells values of a type; it knows neither NULL nor blanks."""
    if isinstance(type, TextType):
        return _checked(str, str)
    if isinstance(type, IntegralType):
        return _checked(int, str)
    if isinstance(type, BooleanType):
        return _checked(bool, lambda value: "true" if value else "false")
    if isinstance(type, DateType):
        return _checked(int, str if legacy else calendar.format_date)
    if isinstance(type, DecimalType):
        unit = Decimal(1).scaleb(-type.scale)
        return _checked(Decimal, lambda value: f"{value.quantize(unit, context=DECIMALS) or abs(value):f}")
    if isinstance(type, TimeType):
        precision = type.precision
        return _checked(
            int,
            (lambda value: str(value // MICROS_PER_MILLI))
            if legacy
            else (lambda value: calendar.format_time(value, precision)),
        )
    if isinstance(type, (TimestampType, LocalZonedTimestampType)):
        digits = type.precision
        return _checked(
            int,
            calendar.format_iso_timestamp
            if legacy
            else (lambda value: calendar.format_timestamp(value, digits)),
        )
    raise errors.UnsupportedError(
        "TYPE_UNSUPPORTED", type=type, column="a partition column", reason="its values have no stable text"
    )


def _checked(kind: type, spell: Callable[..., str]) -> Formatter:
    def spelled(value: Value) -> str:
        if value.__class__ is not kind:
            raise TypeError(f"{value!r} is not a {kind.__name__}")
        return spell(value)

    return spelled
