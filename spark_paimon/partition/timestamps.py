"""The time that the values of a partition stand for, as ``partition.timestamp-formatter`` and
``partition.timestamp-pattern`` put it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from spark_paimon import errors
from spark_paimon.partition.layout import PartitionLayout
from spark_paimon.partition.spelling import format_value
from spark_paimon.partition.values import Value

_DATE = re.compile(r"(?P<year>\d{1,10})-(?P<month>\d{1,2})-(?P<day>\d{1,2})", re.ASCII)
_DATE_AND_TIME = re.compile(
    _DATE.pattern
    + r"[ T](?P<hour>\d{1,2}):(?P<minute>\d{1,2})(:(?P<second>\d{1,2})(\.(?P<fraction>\d{1,9}))?)?",
    re.ASCII,
)
_VARIABLE = re.compile(r"\$([^\W\d]\w*)")

# Letters of Java's DateTimeFormatter, and the part of a time that each of them reads.
_PARTS = {
    "y": "year",
    "u": "year",
    "M": "month",
    "L": "month",
    "d": "day",
    "H": "hour",
    "m": "minute",
    "s": "second",
    "S": "fraction",
}
_TWO_DIGIT_YEARS = 2000


def usual_time(text: str) -> datetime | None:
    """A date or a date with time in the usual form; None for any other text.

    Examples
    --------
    >>> usual_time("2025-1-31"), usual_time("2025-01-31 10:00:00.5").microsecond, usual_time("20250131")
    (datetime.datetime(2025, 1, 31, 0, 0), 500000, None)
    """
    found = _DATE_AND_TIME.fullmatch(text) or _DATE.fullmatch(text)
    return None if found is None else _moment(found)


@dataclass(frozen=True)
class PartitionTimes:
    """How partitions of a table tell their time.

    Parameters
    ----------
    layout
        The partition columns.
    formatter
        Pattern of Java's ``DateTimeFormatter`` that reads the text; without it dates and times in the usual
        form ``2025-01-01 10:00:00`` are read, of which the time may be missing.
    pattern
        The text, in which ``$name`` stands for the value of a partition column; without it the value of the
        first column. Dates and times are spelled as in SQL, whatever their directories are called.

    Raises
    ------
    InvalidInputError
        ``PARTITION_TIME_PATTERN``: a name that is no partition column, or a letter of the formatter that is
        not supported.

    Notes
    -----
    Source: Apache Paimon, manage partitions.

    Examples
    --------
    >>> from spark_paimon.schema import Field, IntType, StringType
    >>> layout = PartitionLayout((Field(0, "dt", StringType()), Field(1, "hh", IntType())))
    >>> PartitionTimes(layout, "yyyyMMdd HH:mm", "$dt $hh:00").of({"dt": "20250131", "hh": 12})
    datetime.datetime(2025, 1, 31, 12, 0)
    """

    layout: PartitionLayout
    formatter: str | None = None
    pattern: str | None = None

    def __post_init__(self) -> None:
        for name in _VARIABLE.findall(self.pattern or ""):
            if name not in self.layout.keys:
                keys = ", ".join(self.layout.keys)
                raise _refused(self.pattern, f"${name} is no partition column; they are {keys}")
        if self.formatter is not None:
            _ = self._formatted

    @cached_property
    def _formatted(self) -> re.Pattern[str]:
        return _compiled(self.formatter or "")

    def of(self, values: Mapping[str, Value]) -> datetime | None:
        """Time of a partition with these values, None when they tell none, as NULL does.

        Parameters
        ----------
        values
            A value for each partition column.
        """
        text = self._text(values)
        if text is None:
            return None
        if self.formatter is None:
            return usual_time(text)
        found = self._formatted.fullmatch(text)
        return None if found is None else _moment(found)

    def _text(self, values: Mapping[str, Value]) -> str | None:
        types = {column.name: column.type for column in self.layout.columns}
        pattern = self.pattern if self.pattern is not None else "$" + self.layout.keys[0]
        names = self.layout.keys[:1] if self.pattern is None else _VARIABLE.findall(pattern)
        if any(values[name] is None for name in names):
            return None
        if self.pattern is None:
            return format_value(values[names[0]], types[names[0]])
        return _VARIABLE.sub(lambda found: format_value(values[found[1]], types[found[1]]), pattern)


def _moment(found: re.Match[str]) -> datetime | None:
    parts = {name: text for name, text in found.groupdict().items() if text is not None}
    fraction = parts.pop("fraction", "").ljust(6, "0")[:6]
    numbers = {name: int(text) for name, text in parts.items() if name in _PARTS.values()}
    if "short" in parts:
        numbers["year"] = _TWO_DIGIT_YEARS + int(parts["short"])
    try:
        return datetime(**{"month": 1, "day": 1, **numbers}, microsecond=int(fraction))  # type: ignore[arg-type]
    except (ValueError, OverflowError, TypeError):
        return None  # the thirteenth month, or no year at all


def _compiled(formatter: str) -> re.Pattern[str]:
    """A formatter as a regular expression whose groups are the parts of a time."""
    result: list[str] = []
    position = 0
    seen: set[str] = set()
    while position < len(formatter):
        letter = formatter[position]
        if letter == "'":
            end = formatter.find("'", position + 1)
            if end < 0:
                raise _refused(formatter, "a quote is not closed")
            result.append(re.escape(formatter[position + 1 : end] or "'"))
            position = end + 1
        elif letter in "[]":
            result.append("(?:" if letter == "[" else ")?")
            position += 1
        elif letter.isascii() and letter.isalpha():
            count = len(formatter) - position - len(formatter[position:].lstrip(letter))
            position += count
            adjacent = position < len(formatter) and formatter[position] in _PARTS
            result.append(_group(formatter, letter, count, adjacent, seen))
        elif letter in "{}#":
            raise _refused(formatter, f"the character {letter} is reserved")
        else:
            result.append(re.escape(letter))
            position += 1
    try:
        return re.compile("".join(result), re.ASCII)
    except re.error:
        raise _refused(formatter, "its brackets do not match") from None


def _group(formatter: str, letter: str, count: int, adjacent: bool, seen: set[str]) -> str:
    part = _PARTS.get(letter)
    if part is None or (part == "month" and count > 2):
        known = " ".join(_PARTS)
        raise _refused(formatter, f"{letter * count} is not supported; numbers are, of {known}")
    if part == "fraction":
        digits = f"{{{count}}}"
    elif part == "year" and count == 2:
        part, digits = "short", "{2}"
    elif part == "year":
        digits = f"{{{count}}}" if adjacent else f"{{{count},10}}"
    else:
        digits = "{2}" if count == 2 else "{1,2}"
    if part in seen:
        raise _refused(formatter, f"the {part} is there twice")
    seen.add(part)
    return rf"(?P<{part}>\d{digits})"


def _refused(pattern: str | None, reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("PARTITION_TIME_PATTERN", pattern=pattern, reason=reason)
