"""ORC files read with pyorc, row by row: slower than pyarrow, and exact for every timestamp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from spark_paimon.format.calendars import UTC_ZONES
from spark_paimon.format.orc_clocks import OrcClocks, is_timestamp

if TYPE_CHECKING:
    import pyarrow as pa
    import pyorc

_MICROS = 1_000_000


def open_reader(
    stream: BinaryIO, nanos: bool, names: Sequence[str] = (), zone: str = "UTC", batch_rows: int = 1024
) -> pyorc.Reader[Any]:
    """A file whose timestamps come as whole numbers of nanoseconds or microseconds, and dates as days.

    Parameters
    ----------
    stream
        The file.
    nanos
        Which of the two.
    names
        Columns that are read; all if empty.
    zone
        Zone in which wall clocks become numbers: that of the writer gives what Java stored.
    batch_rows
        Rows decoded at once.
    """
    from zoneinfo import ZoneInfo

    import pyorc

    return pyorc.Reader(
        stream,
        batch_size=batch_rows,
        column_names=list(names),
        timezone=ZoneInfo("UTC" if zone in UTC_ZONES else zone),
        struct_repr=pyorc.StructRepr.DICT,
        converters={
            pyorc.TypeKind.TIMESTAMP: _nano_clock() if nanos else _micro_clock(),
            pyorc.TypeKind.DATE: _day_number(),
        },
    )


def _micro_clock() -> Any:
    from pyorc.converters import ORCConverter

    class MicroClock(ORCConverter):
        @staticmethod
        def from_orc(seconds: int, nanoseconds: int, timezone: object) -> int:
            return seconds * _MICROS + nanoseconds // 1000

        @staticmethod
        def to_orc(*_: object) -> None:
            raise NotImplementedError

    return MicroClock


def _nano_clock() -> Any:
    from pyorc.converters import ORCConverter

    class NanoClock(ORCConverter):
        @staticmethod
        def from_orc(seconds: int, nanoseconds: int, timezone: object) -> int:
            return seconds * 1_000_000_000 + nanoseconds

        @staticmethod
        def to_orc(*_: object) -> None:
            raise NotImplementedError

    return NanoClock


def _day_number() -> Any:
    from pyorc.converters import ORCConverter

    class DayNumber(ORCConverter):
        @staticmethod
        def from_orc(days: int) -> int:
            return days

        @staticmethod
        def to_orc(*_: object) -> None:
            raise NotImplementedError

    return DayNumber


def stripe_values(
    rows: Sequence[dict[str, Any]], name: str, arrow_type: pa.DataType, clocks: OrcClocks, nanos: bool
) -> pa.Array:
    """A column of rows that pyorc read.

    Parameters
    ----------
    rows
        The rows.
    name
        Of the column.
    arrow_type
        Type that pyarrow gives the column; its timestamps become int64, or where nanoseconds are wanted
        structs of microseconds and the rest: nanoseconds of another zone can be just beyond 64 bits.
    clocks
        Of the file.
    nanos
        Whether the rows were read with nanoseconds.
    """
    import pyarrow as pa

    kind = clocks.columns[name]
    convert = _for_arrow(kind, clocks, nanos)
    values = [row[name] for row in rows]
    numbers = _with_numbers(arrow_type, kind, clocks)
    return pa.array([convert(value) for value in values] if convert else values, numbers)


def _with_numbers(arrow_type: Any, kind: Any, clocks: OrcClocks) -> Any:
    import pyarrow as pa
    from pyorc import TypeKind

    def inside(field: Any, kind: Any) -> Any:
        return field.with_type(_with_numbers(field.type, kind, clocks))

    if kind.kind == TypeKind.STRUCT:
        parts = enumerate(kind.fields.values())
        return pa.struct([inside(arrow_type.field(at), part) for at, part in parts])
    if kind.kind == TypeKind.LIST:
        return pa.list_(inside(arrow_type.value_field, kind.type))
    if kind.kind == TypeKind.MAP:
        return pa.map_(inside(arrow_type.key_field, kind.key), inside(arrow_type.item_field, kind.value))
    if not is_timestamp(kind):
        return arrow_type
    if clocks.in_nanos(kind):
        return pa.struct([("us", pa.int64()), ("rest", pa.int64())])
    return pa.int64()


def _for_arrow(kind: Any, clocks: OrcClocks, nanos: bool) -> Callable[[Any], Any] | None:
    """What makes Python values of pyorc fit for pyarrow, which wants maps as pairs; None for as they are.

    ``nanos`` tells whether they were read with nanoseconds.
    """
    from pyorc import TypeKind

    if kind.kind == TypeKind.STRUCT:
        parts = {name: _for_arrow(inside, clocks, nanos) for name, inside in kind.fields.items()}
        return partial(_struct_value, parts) if any(parts.values()) else None
    if kind.kind == TypeKind.LIST:
        part = _for_arrow(kind.type, clocks, nanos)
        return partial(_list_value, part) if part else None
    if kind.kind == TypeKind.MAP:
        return partial(_map_value, _for_arrow(kind.key, clocks, nanos), _for_arrow(kind.value, clocks, nanos))
    if not nanos or not is_timestamp(kind):
        return None
    return _nano_value if clocks.in_nanos(kind) else _micro_value


def _micro_value(value: int | None) -> int | None:
    return None if value is None else value // 1000


def _nano_value(value: int | None) -> dict[str, int] | None:
    return None if value is None else {"us": value // 1000, "rest": value % 1000}


def _struct_value(parts: dict[str, Callable[[Any], Any] | None], value: Any) -> Any:
    if value is None:
        return None
    return {name: part(value[name]) if part else value[name] for name, part in parts.items()}


def _list_value(part: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else [part(item) for item in value]


def _map_value(key: Callable[[Any], Any] | None, item: Callable[[Any], Any] | None, value: Any) -> Any:
    if value is None:
        return None
    return [(key(k) if key else k, item(v) if item else v) for k, v in value.items()]
