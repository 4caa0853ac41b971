"""The columns of a file as the columns that are wanted.

A file is matched once, by :func:`plan_columns`, which says what has to be read of it; its batches then go
through :meth:`ColumnPlan.apply`. :func:`conform` does both for a single batch.

Columns are found by name, the exact one first, then ignoring case where the table does; fields of structs
too. A missing column is NULL, if it may be. Types are converted where that loses nothing, see
:mod:`~spark_paimon.format.conversion`; everything else is an error that names file and column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.format.base import FileSlice, ReadRequest
from spark_paimon.format.conversion import Conversion, Matching, MismatchError, conversion, find_name
from spark_paimon.schema import Field, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ColumnPlan:
    """What to read of one file, and how its batches become those that are wanted.

    Parameters
    ----------
    file, request
        Of which file, for what.
    schema
        Arrow schema of the result.
    names
        Top-level columns that have to be read, each once, in the order of the file.
    """

    file: FileSlice
    request: ReadRequest
    schema: pa.Schema
    names: tuple[str, ...]
    _sources: Sequence[tuple[str | None, Conversion | None, str]] = field(repr=False)

    def apply(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A batch that holds at least :attr:`names`, as one of exactly :attr:`schema`.

        Raises
        ------
        IllegalStateError
            ``FILE_COLUMN_TYPE``: a value does not fit, or a NULL is in a column that is NOT NULL.
        """
        import pyarrow as pa

        if not self.request.columns:
            return rows_without_columns(batch.num_rows)
        arrays: list[Any] = []
        for column, (name, convert, found) in zip(self.request.columns, self._sources, strict=True):
            if name is None or convert is None:
                arrays.append(pa.nulls(batch.num_rows, self.schema.field(len(arrays)).type))
                continue
            try:
                array = convert(batch.column(batch.schema.get_field_index(name)))
            except pa.ArrowInvalid as error:
                text = f"{found} with values that do not fit ({error})"
                raise _type_error(self.file, self.request, column, column.name, text) from error
            if array.null_count and not column.type.nullable:
                raise _type_error(self.file, self.request, column, column.name, "NULL")
            arrays.append(array)
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def batches(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The same, cut into batches of at most the rows that the request allows; none for no rows."""
        for start in range(0, batch.num_rows, self.request.batch_rows):
            yield self.apply(batch.slice(start, self.request.batch_rows))

    def row_batches(self, rows: int) -> Iterator[pa.RecordBatch]:
        """Batches for a number of rows of which no column has to be read."""
        for start in range(0, rows, self.request.batch_rows):
            yield self.apply(rows_without_columns(min(self.request.batch_rows, rows - start)))


def plan_columns(schema: pa.Schema, file: FileSlice, request: ReadRequest) -> ColumnPlan:
    """Match the schema of a file to the columns that are wanted.

    Raises
    ------
    IllegalStateError
        ``FILE_COLUMN_MISSING``, ``FILE_COLUMN_TYPE``, ``FILE_COLUMN_AMBIGUOUS``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from spark_paimon.schema import BigIntType, Field
    >>> request = ReadRequest("t", [Field(0, "id", BigIntType())], [Field(0, "id", BigIntType())])
    >>> plan = plan_columns(pa.schema([("x", pa.string()), ("ID", pa.int32())]), FileSlice("f"), request)
    >>> plan.names, plan.schema
    (('ID',), id: int64)
    """
    wanted = to_arrow(request.columns)
    matching = Matching(case_sensitive=request.case_sensitive)
    sources: list[tuple[str | None, Conversion | None, str]] = []
    for column, target in zip(request.columns, wanted, strict=True):
        try:
            at = find_name(schema.names, column.name, request.case_sensitive)
            if at is None:
                if not column.type.nullable:
                    raise MismatchError(column.name, None)
                sources.append((None, None, ""))
                continue
            found = schema.field(at)
            convert = conversion(found.type, target.type, column.name, matching)
        except MismatchError as error:
            raise _error(file, request, column, error) from error
        sources.append((found.name, convert, str(found.type)))
    read = {name for name, _, _ in sources if name is not None}
    names = tuple(name for name in schema.names if name in read)
    return ColumnPlan(file, request, wanted, names, sources)


def conform(batch: pa.RecordBatch, file: FileSlice, request: ReadRequest) -> pa.RecordBatch:
    """Give a batch of a file as one that has exactly the schema of the columns wanted.

    Raises
    ------
    IllegalStateError
        See :func:`plan_columns` and :meth:`ColumnPlan.apply`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from spark_paimon.schema import BigIntType, Field, StringType
    >>> columns = [Field(1, "b", StringType()), Field(0, "a", BigIntType())]
    >>> batch = pa.record_batch({"a": pa.array([1, None], pa.int8())})
    >>> conform(batch, FileSlice("f"), ReadRequest("t", columns, columns)).to_pylist()
    [{'b': None, 'a': 1}, {'b': None, 'a': None}]
    """
    return plan_columns(batch.schema, file, request).apply(batch)


def rows_without_columns(rows: int) -> pa.RecordBatch:
    """Return a batch of so many rows and no columns.

    Examples
    --------
    >>> rows_without_columns(3).num_rows
    3
    """
    import pyarrow as pa

    empty: Any = pa.Array.from_buffers(pa.struct([]), rows, [None])
    return pa.RecordBatch.from_struct_array(empty)


def _error(
    file: FileSlice, request: ReadRequest, column: Field, mismatch: MismatchError
) -> errors.IllegalStateError:
    if mismatch.candidates:
        return errors.IllegalStateError(
            "FILE_COLUMN_AMBIGUOUS",
            path=file.path,
            table=request.table,
            column=mismatch.path,
            candidates=", ".join(mismatch.candidates),
        )
    if mismatch.found is None:
        return errors.IllegalStateError(
            "FILE_COLUMN_MISSING", path=file.path, table=request.table, column=mismatch.path
        )
    return _type_error(file, request, column, mismatch.path, mismatch.found)


def _type_error(
    file: FileSlice, request: ReadRequest, column: Field, path: str, found: str
) -> errors.IllegalStateError:
    return errors.IllegalStateError(
        "FILE_COLUMN_TYPE",
        path=file.path,
        table=request.table,
        column=path,
        expected=column.type.sql(),
        found=found,
    )
