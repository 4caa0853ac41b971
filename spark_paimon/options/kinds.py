"""Kinds of option values: how the text of an option becomes a value, and what is said when it cannot.

Examples
--------
>>> parse_memory_size("128 mb")
134217728
>>> parse_boolean("TRUE")
True
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from spark_paimon import errors

#: File formats that a format table can name, in the order in which errors list them.
FILE_FORMATS = ("orc", "parquet", "csv", "text", "json", "mosaic")

_NUMBER_WITH_UNIT = re.compile(r"(\d+)\s*([a-zµ]*)", re.IGNORECASE)

_BYTES = {
    1: ("", "b", "bytes"),
    1 << 10: ("k", "kb", "kibibytes"),
    1 << 20: ("m", "mb", "mebibytes"),
    1 << 30: ("g", "gb", "gibibytes"),
    1 << 40: ("t", "tb", "tebibytes"),
}
_BYTES_OF_UNIT = {unit: factor for factor, units in _BYTES.items() for unit in units}

_MICROSECONDS = {
    1: ("us", "µs", "micro", "micros", "microsecond", "microseconds"),
    1_000: ("", "ms", "milli", "millis", "millisecond", "milliseconds"),
    1_000_000: ("s", "sec", "secs", "second", "seconds"),
    60_000_000: ("m", "min", "minute", "minutes"),
    3_600_000_000: ("h", "hour", "hours"),
    86_400_000_000: ("d", "day", "days"),
}
_MICROSECONDS_OF_UNIT = {unit: factor for factor, units in _MICROSECONDS.items() for unit in units}


def _expected(value: str, key: str, expected: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("OPTION_MALFORMED", key=key, value=value, expected=expected)


def parse_boolean(text: str, key: str = "value") -> bool:
    """``true`` or ``false`` in any case; nothing else, so that a typo never means false.

    Raises
    ------
    InvalidInputError
        Any other text, ``yes`` included; the message names `key`.
    """
    lowered = text.strip().lower()
    if lowered not in ("true", "false"):
        raise _expected(text, key, "true or false")
    return lowered == "true"


def parse_memory_size(text: str, key: str = "value") -> int:
    """Bytes of a size such as ``128 mb``, ``4k`` or ``1024``; units are powers of 1024."""
    found = _NUMBER_WITH_UNIT.fullmatch(text.strip())
    factor = _BYTES_OF_UNIT.get(found[2].lower()) if found else None
    if found is None or factor is None:
        raise _expected(text, key, "a size such as '128 mb' (units b, kb, mb, gb, tb)")
    return int(found[1]) * factor


def parse_duration(text: str, key: str = "value") -> timedelta:
    """Time span such as ``30 d``, ``12 h`` or ``500`` (milliseconds).

    Examples
    --------
    >>> parse_duration("2 h")
    datetime.timedelta(seconds=7200)
    """
    found = _NUMBER_WITH_UNIT.fullmatch(text.strip())
    factor = _MICROSECONDS_OF_UNIT.get(found[2].lower()) if found else None
    expected = "a time span such as '30 d' (units us, ms, s, min, h, d)"
    if found is None or factor is None:
        raise _expected(text, key, expected)
    try:
        return timedelta(microseconds=int(found[1]) * factor)
    except OverflowError:
        raise _expected(text, key, f"{expected}, of at most 999999999 d") from None


@dataclass(frozen=True)
class OptionType:
    """Kind of value: name for the documentation, and the parser ``(text, key) -> value``."""

    name: str
    parse: Callable[[str, str], Any]

    def __str__(self) -> str:
        return self.name


def _text(text: str, key: str) -> str:
    return text


def _non_empty(text: str, key: str) -> str:
    if not text:
        raise errors.InvalidInputError("OPTION_EMPTY", key=key)
    return text


def _file_format(text: str, key: str) -> str:
    lowered = text.strip().lower()
    if lowered not in FILE_FORMATS:
        supported = ", ".join(name.upper() for name in FILE_FORMATS)
        raise errors.UnsupportedError("FILE_FORMAT_UNSUPPORTED", format=text, supported=supported)
    return lowered


def choice(*values: str) -> OptionType:
    """One of some words, in any case; the value has the spelling given here.

    Examples
    --------
    >>> choice("paimon", "engine").parse("ENGINE", "format-table.implementation")
    'engine'
    """
    spellings = {value.lower(): value for value in values}

    def parse(text: str, key: str) -> str:
        found = spellings.get(text.strip().lower())
        if found is None:
            raise _expected(text, key, f"one of {', '.join(values)}")
        return found

    return OptionType(" \\| ".join(values), parse)


def integer(low: int | None = None, high: int | None = None, *, clamp: bool = False) -> OptionType:
    """Whole number, optionally inside a range; with `clamp` a number outside becomes the nearest one inside.

    Examples
    --------
    >>> integer(1, 64).parse("65", "threads")
    Traceback (most recent call last):
    ...
    spark_paimon.errors.InvalidInputError: [OPTION_MALFORMED] Option 'threads' has the \
value '65', which is not a whole number from 1 to 64. SQLSTATE: 22023
    >>> integer(1, 1000, clamp=True).parse("5000", "format-table.scan.list-parallelism")
    1000
    """
    expected = "a whole number" + ("" if low is None or high is None else f" from {low} to {high}")

    def parse(text: str, key: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]+", text.strip()):
            raise _expected(text, key, expected)
        number = int(text)
        if clamp:
            return min(max(number, number if low is None else low), number if high is None else high)
        if low is not None and high is None and number < low:
            raise errors.InvalidInputError("OPTION_TOO_SMALL", key=key, minimum=low, value=text)
        if (low is not None and number < low) or (high is not None and number > high):
            raise _expected(text, key, expected)
        return number

    span = "" if low is None else f" ≥ {low}" if high is None else f" {low}…{high}"
    return OptionType("integer" + span, parse)


STRING = OptionType("string", _text)
NON_EMPTY = OptionType("non-empty string", _non_empty)
BOOLEAN = OptionType("boolean", parse_boolean)
MEMORY_SIZE = OptionType("size", parse_memory_size)
DURATION = OptionType("duration", parse_duration)
FILE_FORMAT = OptionType(" \\| ".join(FILE_FORMATS), _file_format)
