"""Which partition each row of a batch goes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spark_paimon.partition.layout import PartitionLayout, Spec
from spark_paimon.partition.values import Value

if TYPE_CHECKING:
    import pyarrow

_MICROS = {"s": 1_000_000, "ms": 1000, "us": 1}
_NANOS_PER_MICRO = 1000


def split(batch: pyarrow.RecordBatch, layout: PartitionLayout) -> Iterator[tuple[Spec, pyarrow.RecordBatch]]:
    """Cut a batch into one piece for each combination of partition values in it.

    Rows that lie together are not copied; the order of the rows of a partition stays.

    Yields
    ------
    tuple
        The spec, and the rows with all their columns. Two pieces have the same spec when different values
        are spelled alike, as NULL and blank strings are.

    Raises
    ------
    InvalidInputError
        A value that no partition can have.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from spark_paimon.schema import Field, StringType
    >>> batch = pa.record_batch({"id": [1, 2, 3], "dt": ["a", "b", "a"]})
    >>> layout = PartitionLayout((Field(1, "dt", StringType()),))
    >>> [(spec, piece["id"].to_pylist()) for spec, piece in split(batch, layout)]
    [({'dt': 'a'}, [1, 3]), ({'dt': 'b'}, [2])]
    """
    if not batch.num_rows:
        return
    if not layout.keys:
        yield {}, batch
        return
    codes = _codes([batch.column(key) for key in layout.keys])
    if codes is None:
        yield _spec(batch, layout), batch
        return
    batch, lengths = _gathered(batch, codes)
    start = 0
    for length in lengths:
        piece = batch.slice(start, length)
        yield _spec(piece, layout), piece
        start += length


def _codes(columns: Sequence[pyarrow.Array]) -> pyarrow.Array | None:
    """One number for each row, the same for rows with the same values, counted in order of appearance.

    None when all rows have the same values.
    """
    import pyarrow as pa
    from pyarrow import compute

    codes, count = None, 1
    for column in columns:
        encoded = column.dictionary_encode(null_encoding="encode")
        size = len(encoded.dictionary)
        if size == 1:
            continue
        if codes is None:
            codes, count = encoded.indices, size
            continue
        # At most rows times rows, which fits; counted anew so that it stays so.
        pairs = compute.add(
            compute.multiply(codes.cast(pa.int64()), size), encoded.indices.cast(pa.int64())
        ).dictionary_encode()
        codes, count = pairs.indices, len(pairs.dictionary)
    return codes if count > 1 else None


def _gathered(batch: pyarrow.RecordBatch, codes: pyarrow.Array) -> tuple[pyarrow.RecordBatch, list[int]]:
    """The rows with those of one code together, in the order of the codes, and how many each code has."""
    from pyarrow import compute

    steps = compute.pairwise_diff(codes)
    if compute.min(steps).as_py() < 0:
        batch = batch.take(compute.sort_indices(codes))  # a stable sort
    # Codes count from 0 in order of appearance, and so do the numbers of their rows.
    return batch, compute.value_counts(codes).field("counts").to_pylist()


def _spec(piece: pyarrow.RecordBatch, layout: PartitionLayout) -> Spec:
    return layout.spec({key: _value(piece.column(key)[0]) for key in layout.keys})


def _value(scalar: pyarrow.Scalar) -> Value:
    """A partition value as the rules of its spelling take it."""
    from pyarrow import types

    if not scalar.is_valid:
        return None
    kind = scalar.type
    if types.is_date(kind):
        return int(scalar.value)
    if types.is_timestamp(kind) or types.is_time(kind):
        if kind.unit == "ns":
            return int(scalar.value) // _NANOS_PER_MICRO
        return int(scalar.value) * _MICROS[kind.unit]
    value: Value = scalar.as_py()
    return value
