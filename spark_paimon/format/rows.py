"""Columns of values as the batches that a reader yields."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spark_paimon import errors
from spark_paimon.format.base import FileSlice, ReadRequest

if TYPE_CHECKING:
    import pyarrow as pa

_LOG = logging.getLogger(__name__)

# An Arrow array of strings holds 2 GB; escaping may make a text several times as long.
_PART_ROWS = 1 << 16
_PART_BYTES = 64 << 20


def batches_of(
    columns: Sequence[pa.Array], rows: int, schema: pa.Schema, batch_rows: int
) -> Iterator[pa.RecordBatch]:
    """Batches of at most some rows; without columns they still have their number of rows.

    Examples
    --------
    >>> import pyarrow
    >>> [batch.num_rows for batch in batches_of([], 5, pyarrow.schema([]), 3)]
    [3, 2]
    """
    import pyarrow as pa

    if columns:
        whole = pa.RecordBatch.from_arrays(list(columns), schema=schema)
    else:
        whole = pa.RecordBatch.from_struct_array(pa.array([{}], pa.struct([])).take(pa.repeat(0, rows)))
    for start in range(0, rows, batch_rows):
        yield whole.slice(start, batch_rows)


def parts_of(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Parts of a batch that are small enough to become one Arrow array of lines.

    Examples
    --------
    >>> import pyarrow
    >>> [part.num_rows for part in parts_of(pyarrow.record_batch({"a": range(70_000)}))]
    [65536, 4464]
    """
    rows = _PART_ROWS
    if batch.nbytes > _PART_BYTES:
        rows = max(1, min(rows, batch.num_rows * _PART_BYTES // batch.nbytes))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def report_malformed(file: FileSlice, table: str, rows: int, text: str) -> None:
    """Say in the log of the task how many malformed rows a file has, and what became of them."""
    _LOG.warning("%d malformed rows of file '%s' of %s were %s", rows, file.path, table, text)


def check_not_null(columns: Sequence[pa.Array], file: FileSlice, request: ReadRequest) -> None:
    """Refuse NULL in a NOT NULL column: engines rely on that there is none.

    Raises
    ------
    IllegalStateError
        ``FILE_COLUMN_MISSING`` when no value of a column is there, else ``FILE_RECORD_MALFORMED``.
    """
    for field, values in zip(request.columns, columns, strict=True):
        if field.type.nullable or not values.null_count:
            continue
        if values.null_count == len(values):
            raise errors.IllegalStateError(
                "FILE_COLUMN_MISSING", path=file.path, table=request.table, column=field.name
            )
        raise errors.IllegalStateError(
            "FILE_RECORD_MALFORMED",
            path=file.path,
            table=request.table,
            position=f"record {values.is_null().index(True).as_py() + 1} of a block",
            reason=f"column {field.name} is NOT NULL and has no value there",
        )
