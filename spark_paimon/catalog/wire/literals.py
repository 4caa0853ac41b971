"""Literals of filters, one form for each type of a partition column.

Written are the forms of newer Java clients, which are texts for dates, times and decimals. Older ones write
these as lists and numbers; both are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from spark_paimon.partition import Value, calendar
from spark_paimon.schema import (
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

_MICRO_DIGITS = 6
_NANOS_PER_MICRO = 1000
_MOST_DIGITS = 100

_DAY = r"[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6}0{0,3})?)?"
_DATE_TEXT = re.compile(_DAY, re.ASCII)
_TIME_TEXT = re.compile(_TIME, re.ASCII)
_TIMESTAMP_TEXT = re.compile(f"{_DAY}T{_TIME}", re.ASCII)
_INSTANT_TEXT = re.compile(f"({_DAY}T{_TIME})Z", re.ASCII)
_DECIMAL_TEXT = re.compile(r"-?[0-9]{1,100}(?:\.[0-9]{1,100})?", re.ASCII)


class NotUnderstoodError(ValueError):
    """A literal is not of the type of its column."""


def is_exact(kind: DataType) -> bool:
    """Whether values of a type are known here to their last digit, so that others compare them alike.

    Nanoseconds are not: what is kept of them here ends with the microseconds.
    """
    return not isinstance(kind, (TimestampType, LocalZonedTimestampType)) or kind.precision <= _MICRO_DIGITS


def literal_text(value: Value, kind: DataType) -> str:
    """JSON of a value that is not NULL.

    Examples
    --------
    >>> literal_text(20089, DateType()), literal_text(Decimal("1.50"), DecimalType(10, 2))
    ('"2025-01-01"', '"1.50"')
    """
    if isinstance(value, Decimal):
        return json.dumps(f"{value:f}")
    if not isinstance(value, int) or isinstance(kind, (IntegralType, BooleanType)):
        return json.dumps(value)
    if isinstance(kind, DateType):
        return json.dumps(calendar.format_date(value))
    if isinstance(kind, TimeType):
        return json.dumps(calendar.format_time(value, _MICRO_DIGITS))
    zone = "Z" if isinstance(kind, LocalZonedTimestampType) else ""
    return json.dumps(calendar.format_timestamp(value, _MICRO_DIGITS).replace(" ", "T") + zone)


def read_literal(form: Any, kind: DataType) -> Value:
    """The value that a literal stands for; None is NULL.

    Parameters
    ----------
    form
        Decoded JSON, with numbers that have a point as Decimal.

    Raises
    ------
    NotUnderstoodError
        It is not a form of the type, or has more digits than are compared here.

    Examples
    --------
    >>> read_literal([2025, 1, 1], DateType()) == read_literal("2025-01-01", DateType())
    True
    """
    if form is None:
        return None
    for kinds, read in _READERS:
        if isinstance(kind, kinds) and is_exact(kind):
            try:
                return read(form)
            except ValueError as error:
                raise NotUnderstoodError(str(error)) from error
    raise NotUnderstoodError(kind.root)


def _of(kind: type) -> Callable[[Any], Any]:
    def read(form: Any) -> Any:
        if form.__class__ is not kind:
            raise NotUnderstoodError(kind.__name__)
        return form

    return read


def _numbers(form: Any, least: int, most: int) -> list[int]:
    if not isinstance(form, list) or not least <= len(form) <= most:
        raise NotUnderstoodError("list")
    if any(number.__class__ is not int for number in form):
        raise NotUnderstoodError("number")
    return form


def _text(form: Any, pattern: re.Pattern[str]) -> str:
    if not isinstance(form, str) or pattern.fullmatch(form) is None:
        raise NotUnderstoodError("text")
    return form


def _date(form: Any) -> int:
    if isinstance(form, list):
        return _day(_numbers(form, 3, 3))
    return calendar.parse_date(_text(form, _DATE_TEXT))


def _day(numbers: Sequence[int]) -> int:
    if not -999_999 <= numbers[0] <= 999_999:
        raise NotUnderstoodError("year")
    return calendar.days_of(*numbers)


def _time(form: Any) -> int:
    if isinstance(form, list):
        return _time_of_day(_numbers(form, 2, 4))
    return calendar.parse_time(_text(form, _TIME_TEXT))


def _time_of_day(numbers: Sequence[int]) -> int:
    hour, minute, second, nanos = (*numbers, 0, 0)[:4]
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59 and 0 <= nanos <= 999_999_999):
        raise NotUnderstoodError("time")
    micros, rest = divmod(nanos, _NANOS_PER_MICRO)
    if rest:
        raise NotUnderstoodError("nanoseconds")
    return ((hour * 60 + minute) * 60 + second) * calendar.MICROS_PER_SECOND + micros


def _timestamp(form: Any) -> int:
    if isinstance(form, list):
        numbers = _numbers(form, 5, 7)
        return _day(numbers[:3]) * calendar.MICROS_PER_DAY + _time_of_day(numbers[3:])
    return calendar.parse_timestamp(_text(form, _TIMESTAMP_TEXT))


def _instant(form: Any) -> int:
    if isinstance(form, Decimal):
        # Seconds. A number without a point may as well count milliseconds.
        micros = _bounded(form).scaleb(_MICRO_DIGITS)
        if micros != micros.to_integral_value():
            raise NotUnderstoodError("nanoseconds")
        return int(micros)
    return calendar.parse_timestamp(_text(form, _INSTANT_TEXT)[:-1])


def _decimal(form: Any) -> Decimal:
    if isinstance(form, Decimal):
        return _bounded(form)
    if form.__class__ is int:
        return _bounded(Decimal(form))
    return Decimal(_text(form, _DECIMAL_TEXT))


def _bounded(number: Decimal) -> Decimal:
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise NotUnderstoodError("number")
    return number


_READERS: tuple[tuple[type, Callable[[Any], Value]], ...] = (
    (TextType, _of(str)),
    (BooleanType, _of(bool)),
    (IntegralType, _of(int)),
    (DateType, _date),
    (TimeType, _time),
    (TimestampType, _timestamp),
    (LocalZonedTimestampType, _instant),
    (DecimalType, _decimal),
)
