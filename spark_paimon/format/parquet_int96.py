"""The INT96 timestamps of Paimon's Java writer.

An INT96 is a day and the nanoseconds in it. Paimon's Java writer, which stores TIMESTAMP(7) to (9) so, counts
from 1970 in both directions: before 1970 it stores negative nanoseconds. pyarrow takes them for numbers
without a sign, which makes microseconds 2^64 nanoseconds (584 years) too late. Its nanoseconds are right,
because they wrap around at 2^64, but only between 1677 and 2262.

So in files of that writer, what would lie behind 2262 is taken from the nanoseconds where it can be one of
those moments, which are those up to 2554. Nothing tells moments before 1677 from others, so they are not
repaired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from spark_paimon.format.calendars import map_leaves

if TYPE_CHECKING:
    import pyarrow as pa

_JAVA_WRITER = "parquet-mr"
_WRAPPED = 2**64 // 1000 + 1
_FIRST_WRAPPED = 2**63 // 1000


def int96_columns(opened: Any) -> set[str]:
    """Names of the top-level columns with INT96 inside.

    Parameters
    ----------
    opened
        A ``pyarrow.parquet.ParquetFile``.
    """
    leaves = [opened.schema.column(at) for at in range(len(opened.schema))]
    return {leaf.path.split(".")[0] for leaf in leaves if leaf.physical_type == "INT96"}


def may_be_wrapped(opened: Any) -> bool:
    """Whether a file can be one of Paimon's Java writer, which leaves no notes of its own in the footer."""
    by_java = str(opened.metadata.created_by).startswith(_JAVA_WRITER)
    return by_java and not opened.metadata.metadata


def repaired(
    batches: Iterator[pa.RecordBatch], stream: BinaryIO, names: Sequence[str], **reading: Any
) -> Iterator[pa.RecordBatch]:
    """Batches whose INT96 timestamps, read as microseconds, are right between 1677 and 1970.

    Parameters
    ----------
    batches
        As pyarrow gives them.
    stream
        The file, once more.
    names
        Top-level columns with INT96 inside.
    reading
        How the batches are read.
    """
    import pyarrow as pa
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(stream, coerce_int96_timestamp_unit="ns") as opened:
        exact = opened.iter_batches(columns=list(names), **reading)
        for batch, nanos in zip(batches, exact, strict=True):
            arrays = [
                _unwrapped(array, nanos.column(name)) if name in names else array
                for name, array in zip(batch.schema.names, batch.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _unwrapped(array: Any, nanos: Any) -> Any:
    import pyarrow as pa

    leaves: list[Any] = []
    map_leaves(nanos, _kept_in(leaves))
    exact = iter(leaves)

    def unwrap(leaf: Any) -> Any:
        beside = next(exact)
        return _leaf(leaf, beside) if pa.types.is_timestamp(leaf.type) else leaf

    return map_leaves(array, unwrap)


def _kept_in(leaves: list[Any]) -> Callable[[Any], Any]:
    def keep(leaf: Any) -> Any:
        leaves.append(leaf)
        return leaf

    return keep


def _leaf(micros: Any, nanos: Any) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    if nanos.type.unit != "ns" or micros.type.unit != "us":
        return micros  # not INT96
    numbers, exact = micros.view(pa.int64()), nanos.view(pa.int64())
    is_wrapped = compute.and_(
        compute.and_(compute.greater(numbers, _FIRST_WRAPPED), compute.less_equal(numbers, _WRAPPED)),
        compute.less(exact, 0),
    )
    if not compute.any(is_wrapped).as_py():
        return micros
    quotient = compute.divide(exact, 1000)
    below = compute.greater(compute.multiply(quotient, 1000), exact)
    floor = compute.subtract(quotient, below.cast(pa.int64()))
    return compute.if_else(is_wrapped, floor, numbers).view(micros.type)
