"""Texts of TIMESTAMP, TIMESTAMP WITH LOCAL TIME ZONE, TIME and DATE columns.

The calendar is the proleptic Gregorian one, for every year from 0001 to 9999 and further where Arrow's
numbers reach. Digits behind the precision of a column are cut off.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from spark_paimon import errors
from spark_paimon.format.text_arrays import none_of, only, read_each
from spark_paimon.partition import calendar
from spark_paimon.schema.types import LocalZonedTimestampType, TemporalType, TimeType

if TYPE_CHECKING:
    import pyarrow as pa

_UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_NANO_DIGITS = 9
_SECONDS_PER_DAY = 86_400
_DATE = r"([0-9]{4}|[+-][0-9]{4,7})-([0-9]{1,2})-([0-9]{1,2})"
_TIME = r"([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]{1,9}))?)?)?"
_DAY = re.compile(_DATE)
_CLOCK = re.compile(_TIME)
_MOMENT = re.compile(rf"{_DATE}(?:[ T]{_TIME}(?: ?(Z|UTC|[+-][0-9]{{1,2}}(?::?[0-9]{{2}})?))?|(Z))?")
_FIXED_ZONE = re.compile(r"(?:UTC|GMT|UT)?([+-])([0-9]{1,2})(?::?([0-9]{2})(?::?([0-9]{2}))?)?")
_PLAIN_BYTES = b"0123456789-: T."
_ZONED_BYTES = _PLAIN_BYTES + b"+Z"
_TIME_BYTES = b"0123456789:."
_DATE_LENGTH = 10
_SECONDS_LENGTH = 19
_INT32 = 1 << 31
_INT64 = 1 << 63


def spell(array: pa.Array, kind: TemporalType) -> pa.StringArray:
    """Texts of a column of TIMESTAMP, TIMESTAMP WITH LOCAL TIME ZONE or TIME.

    Examples
    --------
    >>> import pyarrow
    >>> from spark_paimon.schema import TimestampType
    >>> spell(pyarrow.array([-1500], pyarrow.timestamp("ms")), TimestampType(3)).to_pylist()
    ['1969-12-31 23:59:58.500']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    unit = array.type.unit
    digits = min(kind.precision, _UNIT_DIGITS[unit])
    end = 8 if isinstance(kind, TimeType) else _SECONDS_LENGTH
    if isinstance(kind, TimeType):
        texts = array.cast(pa.string())
    else:
        naive = (
            array if array.type.tz is None else array.cast(pa.timestamp(unit, "UTC")).cast(pa.timestamp(unit))
        )
        if not _in_four_digit_years(naive, unit):
            return _spell_each(naive, unit, digits, "Z" if isinstance(kind, LocalZonedTimestampType) else "")
        texts = naive.cast(pa.string())
    if digits < _UNIT_DIGITS[unit]:
        texts = pc.binary_slice(texts.cast(pa.binary()), 0, end + digits + (digits > 0)).cast(pa.string())
    if isinstance(kind, LocalZonedTimestampType):
        texts = pc.binary_join_element_wise(texts, "Z", "")
    return texts


def _in_four_digit_years(naive: pa.Array, unit: str) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    span = pc.min_max(naive.cast(pa.int64())).as_py()
    if span["min"] is None:
        return True
    day = _SECONDS_PER_DAY * 10 ** _UNIT_DIGITS[unit]
    first, last = calendar.days_of(1, 1, 1) * day, (calendar.days_of(9999, 12, 31) + 1) * day
    return bool(span["min"] >= first and span["max"] < last)


def _spell_each(naive: pa.Array, unit: str, digits: int, suffix: str) -> pa.StringArray:
    import pyarrow as pa

    factor = 10 ** (6 - _UNIT_DIGITS[unit])  # nanoseconds do not reach those years
    numbers = naive.cast(pa.int64()).to_pylist()
    return pa.array(
        [None if v is None else calendar.format_timestamp(v * factor, digits) + suffix for v in numbers],
        pa.string(),
    )


def read(
    array: pa.StringArray, kind: TemporalType, target: pa.DataType, time_zone: str
) -> tuple[pa.Array, pa.BooleanArray]:
    """Values of a column of texts, and where a text is none; see :func:`.texts.from_texts`.

    Examples
    --------
    >>> import pyarrow
    >>> from spark_paimon.schema import TimeType
    >>> read(pyarrow.array(["10:00"]), TimeType(0), pyarrow.time32("s"), "UTC")[0].to_pylist()
    [datetime.time(10, 0)]
    """
    quick = _read_ordinary(array, kind, target, time_zone)
    if quick is not None:
        return quick, none_of(array)
    numbers, malformed = read_each(array, _exact_reader(kind, target.unit, time_zone), _number_type(target))
    return numbers.cast(target), malformed


def _number_type(target: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    return pa.int32() if target.bit_width == 32 else pa.int64()


def _read_ordinary(
    array: pa.StringArray, kind: TemporalType, target: pa.DataType, time_zone: str
) -> pa.Array | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    unit = target.unit
    if kind.precision != _UNIT_DIGITS[unit]:
        return None  # Arrow would keep digits that the column does not have
    try:
        if isinstance(kind, TimeType):
            if not only(array, _TIME_BYTES) or not _all(pc.match_substring(array, ":")):
                return None
            moments = pc.binary_join_element_wise("1970-01-01", array, " ").cast(pa.timestamp(unit))
            return moments.cast(pa.int64()).cast(_number_type(target)).cast(target)
        if not isinstance(kind, LocalZonedTimestampType):
            return array.cast(target) if only(array, _PLAIN_BYTES) else None
        if not only(array, _ZONED_BYTES):
            return None
        if array.null_count < len(array) and _has_zone(array):
            return array.cast(target)
        naive = array.cast(pa.timestamp(unit))
        zone = _arrow_zone(time_zone)
        return pc.assume_timezone(naive, zone, ambiguous="earliest", nonexistent="raise").cast(target)
    except (pa.ArrowException, ValueError):
        return None


def _all(values: pa.BooleanArray) -> bool:
    import pyarrow.compute as pc

    return pc.all(values).as_py() is not False


def _has_zone(array: pa.StringArray) -> bool:
    import pyarrow.compute as pc

    first = array[pc.index(pc.is_valid(array), True).as_py()].as_py()
    return "Z" in first or "+" in first or "-" in first[_DATE_LENGTH:]


def _arrow_zone(name: str) -> str:
    zone = zone_of(name)
    if isinstance(zone, ZoneInfo):
        return name
    offset = int((zone.utcoffset(None) or timedelta()).total_seconds())
    if offset == 0:
        return "UTC"
    minutes, seconds = divmod(abs(offset), 60)
    if seconds:
        raise ValueError(name)  # Arrow has no such zones
    return f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


@lru_cache(maxsize=64)
def zone_of(name: str) -> tzinfo:
    """Time zone of a name or of an offset such as ``+08:00``.

    Raises
    ------
    UnsupportedError
        ``TIME_ZONE_UNKNOWN``.

    Examples
    --------
    >>> zone_of("UTC+8")
    datetime.timezone(datetime.timedelta(seconds=28800))
    """
    found = _FIXED_ZONE.fullmatch(name)
    if found is not None:
        ahead = timedelta(hours=int(found[2]), minutes=int(found[3] or 0), seconds=int(found[4] or 0))
        return timezone(-ahead if found[1] == "-" else ahead)
    if name in ("Z", "UTC", "GMT", "UT"):
        return timezone.utc
    try:
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError) as error:
        raise errors.UnsupportedError("TIME_ZONE_UNKNOWN", zone=name) from error


def exact_date(text: str) -> int:
    """Days since 1970-01-01 of ``2024-01-06`` or ``2024-1-6``; ValueError for anything else.

    Examples
    --------
    >>> exact_date("2024-1-6")
    19728
    """
    found = _DAY.fullmatch(text)
    if found is None:
        raise ValueError(text)
    days = calendar.days_of(int(found[1]), int(found[2]), int(found[3]))
    if not -_INT32 <= days < _INT32:
        raise ValueError(text)
    return days


def _exact_reader(kind: TemporalType, unit: str, time_zone: str) -> Callable[[str], int]:
    if isinstance(kind, TimeType):
        return _time_reader(kind.precision, unit)
    zoned = isinstance(kind, LocalZonedTimestampType)

    def read_moment(text: str) -> int:
        found = _MOMENT.fullmatch(text)
        if found is None:
            raise ValueError(text)
        year, month, day, hour, minute, second, fraction, offset, behind_date = found.groups()
        days = calendar.days_of(int(year), int(month), int(day))
        seconds = days * _SECONDS_PER_DAY + _seconds(hour, minute, second)
        named = offset or behind_date
        if named is not None and not zoned:
            raise ValueError(text)
        if named is not None:
            seconds -= _offset_seconds(named)
        elif zoned:
            seconds -= _zone_seconds(zone_of(time_zone), seconds)
        number = _in_unit(seconds, fraction, kind.precision, unit)
        if not -_INT64 <= number < _INT64:
            raise ValueError(text)
        return number

    return read_moment


def _time_reader(precision: int, unit: str) -> Callable[[str], int]:
    def read_time(text: str) -> int:
        found = _CLOCK.fullmatch(text)
        if found is None or found[2] is None:
            raise ValueError(text)
        return _in_unit(_seconds(found[1], found[2], found[3]), found[4], precision, unit)

    return read_time


def _seconds(hour: str | None, minute: str | None, second: str | None) -> int:
    hours, minutes, seconds = int(hour or 0), int(minute or 0), int(second or 0)
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError("no time of a day")
    return (hours * 60 + minutes) * 60 + seconds


def _in_unit(seconds: int, fraction: str | None, precision: int, unit: str) -> int:
    digits = _UNIT_DIGITS[unit]
    kept = (fraction or "").ljust(_NANO_DIGITS, "0")[:precision].ljust(digits, "0")
    per_second: int = 10**digits
    return seconds * per_second + int(kept or 0)


def _offset_seconds(text: str) -> int:
    if text in ("Z", "UTC"):
        return 0
    digits = text[1:].replace(":", "")
    hours, minutes = (int(digits), 0) if len(digits) <= 2 else (int(digits[:-2]), int(digits[-2:]))
    if hours > 23 or minutes > 59:
        raise ValueError(text)
    return (-1 if text[0] == "-" else 1) * (hours * 60 + minutes) * 60


def _zone_seconds(zone: tzinfo, wall: int) -> int:
    """Offset of the zone at a wall clock time: the earlier instant where it happens twice."""
    first, last = datetime.min, datetime.max
    try:
        moment = datetime(1970, 1, 1) + timedelta(seconds=wall)
    except OverflowError:
        moment = first if wall < 0 else last
    return int((zone.utcoffset(moment.replace(tzinfo=zone)) or timedelta()).total_seconds())
