"""The timestamps and dates of ORC files, which mean what their writer meant by them.

An ORC ``timestamp`` is a wall clock, stored relative to the zone of its writer, which the stripe names;
``timestamp with local time zone`` is an instant. Java writers go through ``java.sql.Timestamp``: before
1582-10-15 they count in the hybrid calendar, and before 1900 they know no history of zones. Spark stores
TIMESTAMP_NTZ as a long of microseconds, which a type attribute tells, and its TIMESTAMP (an instant) as a
``timestamp``. Its dates are days of the hybrid calendar.

pyarrow has no ORC timestamps outside of 1677 to 2262, and turns other zones than UTC into wall clocks, which
are ambiguous twice a year. Columns to which that matters are read with pyorc.

ORC has no times of the day: Paimon stores TIME as the whole number of its milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spark_paimon.format.calendars import UTC_ZONES, gregorian_days, java_instants, java_wall_clock
from spark_paimon.format.conversion import MismatchError, find_name
from spark_paimon.schema import (
    ArrayType,
    DataType,
    Field,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
    TimeType,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyorc

_CATALYST_TYPE = "spark.sql.catalyst.type"
_SPARK_VERSION = "org.apache.spark.version"
_JAVA_WRITER = "ORC_JAVA_WRITER"
_MICROS = 1_000_000
_MICRO_DIGITS = 6
_DAY_MILLIS = 86_400_000
# What 64 bits of nanoseconds hold, in microseconds, less a few days: statistics may be in another zone.
_MARGIN = 20 * 86_400 * _MICROS
_NANOS_FROM, _NANOS_TO = -(2**63) // 1000 + _MARGIN, 2**63 // 1000 - _MARGIN


@dataclass(frozen=True)
class OrcClocks:
    """What has to be known of one ORC file to understand its dates and timestamps.

    Parameters
    ----------
    reader
        The file, opened for microseconds.
    wanted
        Types wanted, by number of the ORC column, see :func:`wanted_types`. Timestamps are given in
        nanoseconds where such are wanted, and otherwise in microseconds, rounded down.
    """

    reader: pyorc.Reader[Any]
    wanted: Mapping[int, DataType]

    def in_nanos(self, kind: Any) -> bool:
        """Whether nanoseconds are wanted of a column that is not nested."""
        wanted = self.wanted.get(kind.column_id)
        return (
            isinstance(wanted, (TimestampType, LocalZonedTimestampType)) and wanted.precision > _MICRO_DIGITS
        )

    def any_in_nanos(self, names: Sequence[str]) -> bool:
        """Whether nanoseconds are wanted of anything in some top-level columns."""
        return any(self.in_nanos(leaf) for name in names for leaf in leaves(self.columns[name]))

    @cached_property
    def by_java(self) -> bool:
        """Whether wall clocks went through the classes of Java."""
        return self.reader.writer_id == _JAVA_WRITER

    @cached_property
    def by_spark(self) -> bool:
        """Whether Spark's own writer made the file."""
        return _SPARK_VERSION in self.reader.user_metadata

    @cached_property
    def columns(self) -> dict[str, Any]:
        """ORC types of the top-level columns."""
        return dict(getattr(self.reader.schema, "fields", {}))

    def zone(self, stripe: int, names: Sequence[str]) -> str:
        """Zone of the writer of a stripe; asked only where a column needs it."""
        from pyorc import TypeKind

        if any(kind.kind == TypeKind.TIMESTAMP for name in names for kind in leaves(self.columns[name])):
            return self.reader.read_stripe(stripe).writer_timezone
        return "UTC"

    def beyond_arrow(self, names: Sequence[str], zone: str) -> list[str]:
        """Columns that pyarrow would not read exactly."""
        return [
            name
            for name in names
            if (zone not in UTC_ZONES and self._has_wall_clock(name)) or not self._in_nanos[name]
        ]

    def _has_wall_clock(self, name: str) -> bool:
        from pyorc import TypeKind

        return any(kind.kind == TypeKind.TIMESTAMP for kind in leaves(self.columns[name]))

    @cached_property
    def _in_nanos(self) -> dict[str, bool]:
        return {
            name: all(self._fits(leaf.column_id) for leaf in leaves(kind) if is_timestamp(leaf))
            for name, kind in self.columns.items()
        }

    def _fits(self, column: int) -> bool:
        statistics = self.reader[column].statistics
        if statistics.get("number_of_values") == 0:
            return True
        if "minimum" not in statistics or "maximum" not in statistics:
            return False
        return bool(statistics["minimum"] > _NANOS_FROM and statistics["maximum"] < _NANOS_TO)

    def presented(self, name: str, array: pa.Array, zone: str = "UTC") -> pa.Array:
        """A column with dates and timestamps as they were meant.

        Parameters
        ----------
        name
            Of a top-level column.
        array
            As pyarrow or as :func:`~spark_paimon.format.orc_rows.stripe_values` read it.
        zone
            Zone of the writer of the stripe.
        """
        return self._present(array, self.columns[name], zone)

    def _present(self, array: Any, kind: Any, zone: str) -> Any:
        import pyarrow as pa
        from pyorc import TypeKind

        if kind.kind == TypeKind.STRUCT:
            inside = list(kind.fields.values())
            children = [self._present(array.field(at), inside[at], zone) for at in range(len(inside))]
            fields = [array.type.field(at).with_type(child.type) for at, child in enumerate(children)]
            mask = array.is_null() if array.null_count else None
            return pa.StructArray.from_arrays(children, fields=fields, mask=mask)
        if kind.kind == TypeKind.LIST:
            values = self._present(array.values, kind.type, zone)
            result = pa.list_(array.type.value_field.with_type(values.type))
            return pa.Array.from_buffers(result, len(array), array.buffers()[:2], -1, array.offset, [values])
        if kind.kind == TypeKind.MAP:
            keys, items = (
                self._present(array.keys, kind.key, zone),
                self._present(array.items, kind.value, zone),
            )
            fields = [array.type.key_field.with_type(keys.type), array.type.item_field.with_type(items.type)]
            entries = pa.StructArray.from_arrays([keys, items], fields=fields)
            result = pa.map_(*fields)
            return pa.Array.from_buffers(result, len(array), array.buffers()[:2], -1, array.offset, [entries])
        return self._leaf(array, kind, zone)

    def _leaf(self, array: Any, kind: Any, zone: str) -> Any:
        import pyarrow as pa
        from pyarrow import compute
        from pyorc import TypeKind

        meant = kind.attributes.get(_CATALYST_TYPE)
        if kind.kind == TypeKind.LONG and meant == "timestamp_ntz":
            return array.view(pa.timestamp("us"))
        if kind.kind == TypeKind.INT and isinstance(self.wanted.get(kind.column_id), TimeType):
            return _times(array)
        if kind.kind == TypeKind.DATE and self.by_spark:
            days = gregorian_days(array.view(pa.int32()).cast(pa.int64()))
            return days.cast(pa.int32()).view(pa.date32())
        if not is_timestamp(kind):
            return array
        instant = kind.kind != TypeKind.TIMESTAMP or self.by_spark
        nanos = self.in_nanos(kind)
        result = pa.timestamp("ns" if nanos else "us", "UTC" if instant else None)
        if pa.types.is_timestamp(array.type):
            return (array.view(pa.int64()) if nanos else _micros(array)).view(result)
        parts = array.flatten() if nanos else [array]
        clock = parts[0]
        if kind.kind == TypeKind.TIMESTAMP and self.by_java:
            clock = (java_instants if instant else java_wall_clock)(clock, _MICROS, zone)
        if nanos:
            clock = compute.add(compute.multiply_checked(clock, 1000), parts[1])
        return clock.view(result)


def _micros(array: Any) -> Any:
    """Nanoseconds as microseconds, rounded down."""
    import pyarrow as pa
    from pyarrow import compute

    numbers = array.view(pa.int64())
    quotient = compute.divide(numbers, 1000)
    above = compute.greater(compute.multiply(quotient, 1000), numbers)
    return compute.subtract(quotient, above.cast(pa.int64()))


def _times(array: Any) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    bounds = compute.min_max(array).as_py()
    if bounds["min"] is not None and (bounds["min"] < 0 or bounds["max"] >= _DAY_MILLIS):
        raise ValueError("a TIME is stored as a number that is no millisecond of a day")
    return array.view(pa.time32("ms"))


def wanted_types(kind: Any, columns: Sequence[Field], case_sensitive: bool) -> dict[int, DataType]:
    """Types that are wanted of the columns of a file that are not nested, by their numbers in the file.

    Parameters
    ----------
    kind
        ORC type of the file.
    columns
        The columns wanted.
    case_sensitive
        How names are matched.
    """
    return dict(_wanted(kind, RowType(tuple(columns)), case_sensitive))


def _wanted(kind: Any, wanted: DataType, case_sensitive: bool) -> Iterator[tuple[int, DataType]]:
    from pyorc import TypeKind

    if kind.kind == TypeKind.STRUCT and isinstance(wanted, RowType):
        names = list(kind.fields)
        for field in wanted.fields:
            try:
                at = find_name(names, field.name, case_sensitive)
            except MismatchError:
                continue  # which is said where the columns are matched
            if at is not None:
                yield from _wanted(kind.fields[names[at]], field.type, case_sensitive)
    elif kind.kind == TypeKind.LIST and isinstance(wanted, ArrayType):
        yield from _wanted(kind.type, wanted.element, case_sensitive)
    elif kind.kind == TypeKind.MAP and isinstance(wanted, (MapType, MultisetType)):
        yield from _wanted(
            kind.key, wanted.key if isinstance(wanted, MapType) else wanted.element, case_sensitive
        )
        if isinstance(wanted, MapType):
            yield from _wanted(kind.value, wanted.value, case_sensitive)
    else:
        yield kind.column_id, wanted


def leaves(kind: Any) -> Iterator[Any]:
    """The ORC types inside of one that are not nested."""
    from pyorc import TypeKind

    if kind.kind == TypeKind.STRUCT:
        inside = list(kind.fields.values())
    elif kind.kind == TypeKind.LIST:
        inside = [kind.type]
    elif kind.kind == TypeKind.MAP:
        inside = [kind.key, kind.value]
    else:
        yield kind
        return
    for inner in inside:
        yield from leaves(inner)


def is_timestamp(kind: Any) -> bool:
    """Whether an ORC type is one of the two timestamps."""
    from pyorc import TypeKind

    return kind.kind in (TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT)
