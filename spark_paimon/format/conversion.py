"""Arrow arrays of one type as arrays of another, where that loses nothing: the widening rules of reading.

They hold in every format: a whole number becomes a wider one, a DECIMAL with room for it or (up to 32 bits) a
DOUBLE; FLOAT becomes DOUBLE; a DECIMAL one with at least as many digits before and behind the point; DATE
becomes TIMESTAMP. Timestamps take the unit wanted, rounded down. Inside lists, maps and structs as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Conversion = Callable[[Any], Any]
"""An array of the source type to one of the target; ``pyarrow.ArrowInvalid`` where a value does not fit."""

_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_DAY = 86_400
#: Most decimal digits of whole numbers, by bits.
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}
_MOST_DOUBLE_BITS = 32


class MismatchError(ValueError):
    """A type cannot be read as another one. It stays inside this room: `columns` turns it into a condition.

    Parameters
    ----------
    path
        Names from the column down to the place.
    found
        What is there, for people; None where the place is missing although it may not be NULL.
    candidates
        The names that differ by case only, where that is the matter.
    """

    def __init__(self, path: str, found: str | None, candidates: Sequence[str] = ()) -> None:
        super().__init__(f"{path}: {found}")
        self.path = path
        self.found = found
        self.candidates = tuple(candidates)


@dataclass(frozen=True)
class Matching:
    """How things are matched.

    Parameters
    ----------
    case_sensitive
        Whether names that differ by case are different names.
    exact
        Whether digits behind a timestamp's unit are an error instead of being cut off: the rule of writers.
    """

    case_sensitive: bool = False
    exact: bool = False


def find_name(names: Sequence[str], wanted: str, case_sensitive: bool) -> int | None:
    """Position of a name: the exact one, else, ignoring case, the only candidate.

    Raises
    ------
    MismatchError
        Several candidates.

    Examples
    --------
    >>> find_name(["b", "A"], "a", case_sensitive=False), find_name(["b", "A"], "a", case_sensitive=True)
    (1, None)
    """
    found = [at for at, name in enumerate(names) if name == wanted]
    if not found and not case_sensitive:
        lowered = wanted.lower()
        found = [at for at, name in enumerate(names) if name.lower() == lowered]
    if len(found) > 1:
        raise MismatchError(wanted, None, [names[at] for at in found])
    return found[0] if found else None


def conversion(source: pa.DataType, target: pa.DataType, path: str, matching: Matching) -> Conversion:
    """How arrays of one type become arrays of another.

    Parameters
    ----------
    source, target
        Arrow types; the target is one of :func:`~spark_paimon.schema.to_arrow`.
    path
        Name of the column, for errors.
    matching
        Rules.

    Raises
    ------
    MismatchError
        Values could be lost.

    Examples
    --------
    >>> import pyarrow as pa
    >>> widen = conversion(pa.int32(), pa.decimal128(12, 2), "a", Matching())
    >>> widen(pa.array([7], pa.int32())).to_pylist()
    [Decimal('7.00')]
    """
    from pyarrow import types

    if isinstance(source, _extension_class()):
        inner = conversion(source.storage_type, target, path, matching)
        return lambda array: inner(array.storage)
    if types.is_dictionary(source):
        inner = conversion(source.value_type, target, path, matching)
        return lambda array: inner(array.dictionary_decode())
    if types.is_null(source):
        return lambda array: _nulls(len(array), target)
    if types.is_struct(target):
        return _struct(source, target, path, matching)
    if types.is_map(target):
        return _map(source, target, path, matching)
    if types.is_list(target):
        return _list(source, target, path, matching)
    found = _same if source.equals(target) else _atomic(source, target, matching)
    if found is None:
        raise MismatchError(path, str(source))
    return found


def _extension_class() -> Any:
    import pyarrow as pa

    return pa.BaseExtensionType


def _same(array: Any) -> Any:
    return array


def _nulls(length: int, target: pa.DataType) -> Any:
    import pyarrow as pa

    return pa.nulls(length, target)


def _cast(target: pa.DataType) -> Conversion:
    return lambda array: array.cast(target)


def _atomic(source: pa.DataType, target: pa.DataType, matching: Matching) -> Conversion | None:
    from pyarrow import types

    if types.is_integer(source):
        return _cast(target) if _integer_fits(source, target) else None
    if types.is_floating(source) and types.is_floating(target):
        return _cast(target) if source.bit_width <= target.bit_width else None
    if types.is_decimal(source) and types.is_decimal(target):
        wide = target.scale >= source.scale and (
            target.precision - target.scale >= source.precision - source.scale
        )
        return _cast(target) if wide else None
    if types.is_large_string(source) or types.is_string_view(source):
        return _cast(target) if types.is_string(target) else None
    if _is_bytes(source):
        return _cast(target) if _is_bytes(target) else None
    if types.is_date(source):
        return _from_date(target)
    if types.is_timestamp(source) and types.is_timestamp(target):
        # Without a zone it is UTC's wall clock (INT96 has none either). The other way round the clock that
        # was meant is unknown.
        return _units(source, target, matching) if source.tz is None or target.tz is not None else None
    if types.is_time(source) and types.is_time(target):
        return _units(source, target, matching)
    return None


def _is_bytes(kind: pa.DataType) -> bool:
    from pyarrow import types

    return bool(
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
        or types.is_fixed_size_binary(kind)
    )


def _integer_fits(source: pa.DataType, target: pa.DataType) -> bool:
    from pyarrow import types

    signed = types.is_signed_integer(source)
    if types.is_signed_integer(target):
        return bool(source.bit_width <= target.bit_width if signed else source.bit_width < target.bit_width)
    if types.is_decimal(target):
        digits = 19 if signed and source.bit_width == 64 else _DIGITS[source.bit_width]
        return bool(digits <= target.precision - target.scale)
    return bool(types.is_float64(target) and source.bit_width <= _MOST_DOUBLE_BITS)


def _from_date(target: pa.DataType) -> Conversion | None:
    import pyarrow as pa
    from pyarrow import compute, types

    if types.is_date(target):
        return _cast(target)
    if not types.is_timestamp(target) or target.tz is not None:
        return None
    factor = pa.scalar(_DAY * _PER_SECOND[target.unit], pa.int64())

    def convert(array: Any) -> Any:
        days = array.cast(pa.date32()).view(pa.int32()).cast(pa.int64())
        return compute.multiply_checked(days, factor).view(target)

    return convert


def _units(source: pa.DataType, target: pa.DataType, matching: Matching) -> Conversion:
    import pyarrow as pa
    from pyarrow import compute

    have, want = _PER_SECOND[source.unit], _PER_SECOND[target.unit]
    carrier = pa.int64() if source.bit_width == 64 else pa.int32()
    result = pa.int64() if target.bit_width == 64 else pa.int32()

    def convert(array: Any) -> Any:
        numbers = array.view(carrier).cast(pa.int64())
        if have < want:
            numbers = compute.multiply_checked(numbers, want // have)
        elif have > want:
            numbers = _floor_divide(numbers, have // want, matching.exact)
        return numbers.cast(result).view(target)

    return convert


def _floor_divide(numbers: Any, divisor: int, exact: bool) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    quotient = compute.divide(numbers, divisor)
    rest = compute.subtract(numbers, compute.multiply(quotient, divisor))
    if exact and compute.any(compute.not_equal(rest, 0)).as_py():
        raise pa.ArrowInvalid("it has more digits behind the second than the file can hold")
    return compute.subtract(quotient, compute.less(rest, 0).cast(pa.int64()))


def _struct(source: pa.DataType, target: pa.DataType, path: str, matching: Matching) -> Conversion:
    import pyarrow as pa
    from pyarrow import types

    if not types.is_struct(source):
        raise MismatchError(path, str(source))
    names = [source.field(at).name for at in range(source.num_fields)]
    fields = [target.field(at) for at in range(target.num_fields)]
    parts: list[tuple[int | None, Conversion]] = []
    for field in fields:
        below = f"{path}.{field.name}"
        try:
            at = find_name(names, field.name, matching.case_sensitive)
        except MismatchError as error:
            raise MismatchError(below, None, error.candidates) from None
        if at is None and not field.nullable:
            raise MismatchError(below, None)
        part = _same if at is None else conversion(source.field(at).type, field.type, below, matching)
        parts.append((at, part))

    def convert(array: Any) -> Any:
        children = [
            pa.nulls(len(array), field.type) if at is None else part(array.field(at))
            for field, (at, part) in zip(fields, parts, strict=True)
        ]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)

    return convert


def _list(source: pa.DataType, target: pa.DataType, path: str, matching: Matching) -> Conversion:
    import pyarrow as pa
    from pyarrow import types

    # Views are not among them: no file has them, and pyarrow 26 makes broken lists of them.
    known = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    if not any(applies(source) for applies in known):
        raise MismatchError(path, str(source))
    plain = pa.list_(source.value_field)
    part = conversion(source.value_type, target.value_type, f"{path}.element", matching)

    def convert(array: Any) -> Any:
        lists = array if array.type.equals(plain) else array.cast(plain)
        buffers = lists.buffers()[:2]
        values = part(lists.values)
        return pa.Array.from_buffers(target, len(lists), buffers, -1, lists.offset, [values])

    return convert


def _map(source: pa.DataType, target: pa.DataType, path: str, matching: Matching) -> Conversion:
    import pyarrow as pa
    from pyarrow import types

    if not types.is_map(source):
        raise MismatchError(path, str(source))
    keys = conversion(source.key_type, target.key_type, f"{path}.key", matching)
    values = conversion(source.item_type, target.item_type, f"{path}.value", matching)
    fields = [target.key_field, target.item_field]

    def convert(array: Any) -> Any:
        entries = pa.StructArray.from_arrays([keys(array.keys), values(array.items)], fields=fields)
        return pa.Array.from_buffers(target, len(array), array.buffers()[:2], -1, array.offset, [entries])

    return convert
