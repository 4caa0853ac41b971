"""Days, times and their texts, for every year, without a time zone.

Python's own ``datetime`` stops at the years 1 and 9999 and knows none of the spellings that directories have,
so the arithmetic of the proleptic Gregorian calendar is done here. Numbers are days since 1970-01-01,
microseconds of the day, and microseconds since 1970-01-01T00:00.
"""

from __future__ import annotations

import re
from datetime import date

MICROS_PER_SECOND = 1_000_000
MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_FIRST_DAY = date.min.toordinal() - _EPOCH_ORDINAL
_LAST_DAY = date.max.toordinal() - _EPOCH_ORDINAL
_DAYS_PER_ERA = 146_097
# From 0000-03-01, where the era arithmetic begins, to 1970-01-01.
_DAYS_TO_EPOCH = 719_468
_MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MICRO_DIGITS = 6

_DATE = re.compile(r"([+-]?[0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]{1,9}))?)?")
_PLAIN_DATE_LENGTH = 10


def days_of(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 of a day of any year; ValueError when there is no such day.

    Examples
    --------
    >>> days_of(2024, 1, 6), days_of(1582, 10, 10)
    (19728, -141432)
    """
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= len(_MONTH_LENGTHS):
        raise ValueError(f"month {month}")
    if not 1 <= day <= _MONTH_LENGTHS[month - 1] + (leap and month == 2):
        raise ValueError(f"day {day}")
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _DAYS_PER_ERA + day_of_era - _DAYS_TO_EPOCH


def format_date(days: int) -> str:
    """ISO text of a day; years behind 9999 have a sign.

    Examples
    --------
    >>> format_date(20089), format_date(2932897)
    ('2025-01-01', '+10000-01-01')
    """
    if _FIRST_DAY <= days <= _LAST_DAY:
        return date.fromordinal(days + _EPOCH_ORDINAL).isoformat()
    era, day_of_era = divmod(days + _DAYS_TO_EPOCH, _DAYS_PER_ERA)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    year = year_of_era + era * 400 + (month <= 2)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def parse_date(text: str) -> int:
    """Days of ``2024-01-06``, also ``2024-1-6``, ``2024-1`` and ``2024``; ValueError for anything else.

    Examples
    --------
    >>> parse_date("2024-1-6")
    19728
    """
    if len(text) == _PLAIN_DATE_LENGTH and text[4] == "-" and text[7] == "-":
        # The spelling of nearly all directories, and twice as fast as the pattern.
        try:
            return date.fromisoformat(text).toordinal() - _EPOCH_ORDINAL
        except ValueError:
            pass
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    year, month, day = found.groups()
    return days_of(int(year), int(month or 1), int(day or 1))


def parse_time(text: str) -> int:
    """Microseconds of the day of ``10:05``, ``10:05:00`` or ``10:05:00.123456``; digits behind are cut off.

    Examples
    --------
    >>> parse_time("00:00:01.5")
    1500000
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(text)
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(text)
    fraction = (found[4] or "")[:_MICRO_DIGITS].ljust(_MICRO_DIGITS, "0")
    return ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + int(fraction)


def parse_timestamp(text: str) -> int:
    """Microseconds of a day with or without a time behind a blank or ``T``.

    Examples
    --------
    >>> parse_timestamp("1970-01-02T00:00"), parse_timestamp("1970-01-02 00:00:00.000001")
    (86400000000, 86400000001)
    """
    day, separator, time = text.replace("T", " ", 1).partition(" ")
    micros = parse_date(day) * MICROS_PER_DAY
    return micros + parse_time(time) if separator else micros


def format_time(micros: int, precision: int) -> str:
    """``HH:mm:ss`` and `precision` digits of the second.

    Examples
    --------
    >>> format_time(3_600_000_000, 0), format_time(1_500_000, 3)
    ('01:00:00', '00:00:01.500')
    """
    seconds, fraction = divmod(micros, MICROS_PER_SECOND)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    text = f"{hour:02d}:{minute:02d}:{second:02d}"
    return text if precision == 0 else f"{text}.{fraction:06d}".ljust(9 + precision, "0")[: 9 + precision]


def format_timestamp(micros: int, precision: int) -> str:
    """``yyyy-MM-dd HH:mm:ss`` and `precision` digits of the second.

    Examples
    --------
    >>> format_timestamp(0, 0), format_timestamp(-1, 6)
    ('1970-01-01 00:00:00', '1969-12-31 23:59:59.999999')
    """
    days, time = divmod(micros, MICROS_PER_DAY)
    return f"{format_date(days)} {format_time(time, precision)}"


def format_iso_timestamp(micros: int) -> str:
    """The legacy text: a ``T``, seconds only when they matter, and 3 or 6 digits of them when those matter.

    Examples
    --------
    >>> format_iso_timestamp(0), format_iso_timestamp(1_500_000)
    ('1970-01-01T00:00', '1970-01-01T00:00:01.500')
    """
    days, time = divmod(micros, MICROS_PER_DAY)
    seconds_and_fraction, fraction = time % (60 * MICROS_PER_SECOND), time % MICROS_PER_SECOND
    digits = 0 if fraction == 0 else 3 if fraction % 1000 == 0 else _MICRO_DIGITS
    text = format_time(time, digits)
    return f"{format_date(days)}T{text if seconds_and_fraction else text[:5]}"
