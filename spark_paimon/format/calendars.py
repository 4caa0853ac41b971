"""Days and clocks that were counted in the hybrid calendar of old Java classes.

Before 1582-10-15 that calendar is the Julian one: the same day number stands for another date than in
the proleptic Gregorian calendar of SQL and Arrow. Spark before version 3 wrote such days, and its ORC
writer still does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

#: Day number of 1582-10-15, the first Gregorian day.
FIRST_GREGORIAN_DAY = -141427
#: Seconds of 1900-01-01: before, java.util knows no history of zones.
FIRST_ZONED_SECOND = -2208988800
#: Seconds of 2037-01-01: about then the transitions that files of zones list end.
FIRST_RULED_SECOND = 2114380800
_FOUR_CENTURIES = 146_097 * 86_400
#: Seconds of 9999-12-30, still in the range of datetime in every zone.
_LAST_PYTHON_SECOND = 253402128000

#: Names of UTC that stand in files.
UTC_ZONES = frozenset({"", "UTC", "GMT", "Etc/UTC", "Etc/GMT", "UCT", "Zulu", "Universal", "Z", "GMT0"})

_UNITS = {1_000: "ms", 1_000_000: "us", 1_000_000_000: "ns"}
_EPOCH_JULIAN_DAY = 2440588
_FIRST_SHIFT = 2


@cache
def _switches() -> tuple[int, ...]:
    """Day numbers of Julian March 1 of the centuries whose February differs between the calendars."""
    # The Julian day number of March 1 of a Julian year; years count from -4800 there.
    return tuple(
        1 + 365 * (year + 4800) + (year + 4800) // 4 - 32083 - _EPOCH_JULIAN_DAY
        for year in range(100, 1600, 100)
        if year % 400
    )


def gregorian_days(days: pa.Array) -> pa.Array:
    """Day numbers of the hybrid calendar as those of the proleptic Gregorian one: the date stays as it reads.

    Parameters
    ----------
    days
        int64, days since 1970-01-01.

    Examples
    --------
    >>> import pyarrow as pa
    >>> gregorian_days(pa.array([-719164, -141428, -141427, None])).to_pylist()
    [-719162, -141438, -141427, None]
    """
    import pyarrow as pa
    from pyarrow import compute

    first = compute.min(days).as_py()
    if first is None or first >= FIRST_GREGORIAN_DAY:
        return days
    shift: Any = _FIRST_SHIFT
    for switch in _switches():
        shift = compute.subtract(shift, compute.greater_equal(days, switch).cast(pa.int64()))
    old = compute.less(days, FIRST_GREGORIAN_DAY)
    return compute.add(days, compute.if_else(old, shift, pa.scalar(0, pa.int64())))


def gregorian_clock(numbers: pa.Array, per_second: int) -> pa.Array:
    """Wall clocks of the hybrid calendar as those of the proleptic Gregorian one.

    Parameters
    ----------
    numbers
        int64, units since 1970-01-01 00:00:00.
    per_second
        Units of a second.

    Examples
    --------
    >>> import pyarrow as pa
    >>> gregorian_clock(pa.array([-719164 * 86400 + 7, 7]), 1).to_pylist()
    [-62135596793, 7]
    """
    from pyarrow import compute

    per_day = 86_400 * per_second
    first = compute.min(numbers).as_py()
    if first is None or first >= FIRST_GREGORIAN_DAY * per_day:
        return numbers
    quotient = compute.divide(numbers, per_day)
    rest = compute.subtract(numbers, compute.multiply(quotient, per_day))
    days = compute.subtract(quotient, compute.less(rest, 0).cast(quotient.type))
    moved = compute.subtract(gregorian_days(days), days)
    return compute.add(numbers, compute.multiply(moved, per_day))


def standard_offset(zone: str) -> int:
    """Seconds by which a zone is ahead of UTC outside of summer; java.util takes it for all time before 1900.

    Raises
    ------
    LookupError, ValueError
        There is no such zone.

    Examples
    --------
    >>> standard_offset("Asia/Shanghai"), standard_offset("UTC")
    (28800, 0)
    """
    from datetime import datetime, timedelta
    from zoneinfo import ZoneInfo

    if zone in UTC_ZONES:
        return 0
    now = datetime(2020, 1, 1, tzinfo=ZoneInfo(zone))
    offset = (now.utcoffset() or timedelta()) - (now.dst() or timedelta())
    return int(offset.total_seconds())


def _local_clock(instants: pa.Array, per_second: int, zone: str) -> pa.Array:
    import pyarrow as pa
    from pyarrow import compute

    local = compute.local_timestamp(instants.view(pa.timestamp(_UNITS[per_second], zone))).view(pa.int64())
    is_late = compute.fill_null(compute.greater_equal(instants, FIRST_RULED_SECOND * per_second), False)
    if not compute.any(is_late).as_py():
        return local
    # pyarrow knows the transitions of a zone up to there, and not the rule for those behind.
    late = instants.filter(is_late)
    seconds = compute.divide(late, per_second).dictionary_encode()
    offsets = [_late_offset(second, zone) * per_second for second in seconds.dictionary.to_pylist()]
    late = compute.add(late, pa.array(offsets, pa.int64()).take(seconds.indices))
    return compute.replace_with_mask(local, is_late, late)


def _late_offset(second: int, zone: str) -> int:
    from datetime import datetime, timedelta
    from zoneinfo import ZoneInfo

    # The calendar, and with it the rule, repeats itself after 400 years.
    beyond = max(0, second - _LAST_PYTHON_SECOND)
    moment = datetime.fromtimestamp(second - -(-beyond // _FOUR_CENTURIES) * _FOUR_CENTURIES, ZoneInfo(zone))
    return int((moment.utcoffset() or timedelta()).total_seconds())


def java_wall_clock(instants: pa.Array, per_second: int, zone: str) -> pa.Array:
    """Wall clock in a zone of the moments of ``java.sql.Timestamp``, which counts in the hybrid calendar.

    Parameters
    ----------
    instants
        int64, units since 1970-01-01 UTC.
    per_second
        Units of a second: 1,000,000 or 1,000,000,000.
    zone
        Name of the zone.

    Examples
    --------
    >>> import pyarrow as pa
    >>> java_wall_clock(pa.array([1717236000_000000]), 1_000_000, "Asia/Shanghai").to_pylist()
    [1717264800000000]
    """
    from pyarrow import compute

    if zone in UTC_ZONES:
        return gregorian_clock(instants, per_second)
    local = _local_clock(instants, per_second, zone)
    first = compute.min(instants).as_py()
    if first is None or first >= FIRST_ZONED_SECOND * per_second:
        return local
    shifted = compute.add(instants, standard_offset(zone) * per_second)
    old = compute.less(instants, FIRST_ZONED_SECOND * per_second)
    return compute.if_else(old, gregorian_clock(shifted, per_second), local)


def java_instants(instants: pa.Array, per_second: int, zone: str) -> pa.Array:
    """The moments that ``java.sql.Timestamp`` meant: those whose proleptic Gregorian wall clock in the zone
    reads as its own did.

    Parameters are those of :func:`java_wall_clock`. From 1900 on nothing changes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> java_instants(pa.array([-719164 * 86_400_000_000, 5]), 1_000_000, "UTC").to_pylist()
    [-62135596800000000, 5]
    """
    import pyarrow as pa
    from pyarrow import compute

    first = compute.min(instants).as_py()
    if first is None or first >= FIRST_ZONED_SECOND * per_second:
        return instants
    wall = java_wall_clock(instants, per_second, zone)
    if zone in UTC_ZONES:
        return wall
    meant = compute.assume_timezone(
        wall.view(pa.timestamp(_UNITS[per_second])), zone, ambiguous="earliest", nonexistent="earliest"
    ).view(pa.int64())
    old = compute.less(instants, FIRST_ZONED_SECOND * per_second)
    return compute.if_else(old, meant, instants)


def map_leaves(array: Any, change: Callable[[Any], Any]) -> Any:
    """Replace the arrays inside lists, maps and structs; types may change, the structure does not.

    Examples
    --------
    >>> import pyarrow as pa
    >>> map_leaves(pa.array([[1, 2], None]), lambda leaf: leaf.cast(pa.int8())).type
    ListType(list<item: int8>)
    """
    import pyarrow as pa
    from pyarrow import types

    kind = array.type
    if types.is_struct(kind):
        children = [map_leaves(array.field(at), change) for at in range(kind.num_fields)]
        fields = [kind.field(at).with_type(child.type) for at, child in enumerate(children)]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)
    if types.is_list(kind):
        values = map_leaves(array.values, change)
        result = pa.list_(kind.value_field.with_type(values.type))
        return pa.Array.from_buffers(result, len(array), array.buffers()[:2], -1, array.offset, [values])
    if types.is_map(kind):
        keys, items = map_leaves(array.keys, change), map_leaves(array.items, change)
        fields = [kind.key_field.with_type(keys.type), kind.item_field.with_type(items.type)]
        entries = pa.StructArray.from_arrays([keys, items], fields=fields)
        return pa.Array.from_buffers(
            pa.map_(*fields), len(array), array.buffers()[:2], -1, array.offset, [entries]
        )
    return change(array)
