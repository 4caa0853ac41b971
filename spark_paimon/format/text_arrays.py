"""Arrow arrays of texts: their bytes at once, and reading them one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def bytes_of(array: pa.Array) -> bytes:
    """All texts of a string array behind each other.

    Examples
    --------
    >>> import pyarrow
    >>> bytes_of(pyarrow.array(["ab", None, "c"])[1:])
    b'c'
    """
    _, offsets, data = array.buffers()
    if data is None or not len(array):
        return b""
    positions = memoryview(offsets).cast("i")
    first, last = positions[array.offset], positions[array.offset + len(array)]
    return bytes(memoryview(data)[first:last])


def only(array: pa.Array, characters: bytes) -> bool:
    """Whether the texts of a string array have no other characters than these."""
    return not bytes_of(array).translate(None, characters)


def none_of(array: pa.Array) -> pa.BooleanArray:
    """False for each value."""
    import pyarrow as pa

    return pa.repeat(pa.scalar(False), len(array))


def read_each(
    array: pa.StringArray, read: Callable[[str], Any], target: pa.DataType
) -> tuple[pa.Array, pa.BooleanArray]:
    """Read text by text; ValueError of `read` means malformed."""
    import pyarrow as pa

    values: list[Any] = []
    malformed: list[bool] = []
    for text in array.to_pylist():
        value, bad = None, False
        if text is not None:
            try:
                value = read(text)
            except (ValueError, ArithmeticError):
                bad = True
        values.append(value)
        malformed.append(bad)
    return pa.array(values, target), pa.array(malformed, pa.bool_())
