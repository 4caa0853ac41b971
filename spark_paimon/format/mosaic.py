"""MOSAIC files, through the package ``paimon-mosaic``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from spark_paimon import errors
from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.format.columnar import (
    BLOCK_BYTES,
    BlockWriter,
    Columnar,
    Sink,
    checked,
    refuse_types,
    stored_schema,
)
from spark_paimon.format.columns import plan_columns
from spark_paimon.options import TableOptions
from spark_paimon.schema import DataType, DecimalType, Field, RowType, TimeType, VariantType, types_in
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow

_MOST_TIME_PRECISION = 3
_DECIMAL_BYTES = 16


@dataclass(frozen=True)
class Mosaic(Columnar):
    """Paimon's format for tables of very many columns. Needs the extra ``mosaic``.

    It stores everything but ROW, VARIANT, and TIME finer than milliseconds.

    Examples
    --------
    >>> Mosaic().extension("zstd"), Mosaic().extra
    ('.mosaic', 'mosaic')
    """

    name: str = "mosaic"
    default_compression: str = "zstd"
    codecs: tuple[str, ...] = ("none", "zstd")
    extra: str | None = "mosaic"

    def check(self, columns: Sequence[Field], options: TableOptions, table: object) -> None:
        """See :meth:`FileFormat.check`."""
        refuse_types(self.name, columns, table, _formats_instead)

    def why_python_reads(self, columns: Sequence[Field], options: TableOptions) -> str | None:
        """See :meth:`FileFormat.why_python_reads`."""
        return "Spark has no reader of MOSAIC files"

    def why_python_writes(
        self, columns: Sequence[Field], options: TableOptions, compression: str
    ) -> str | None:
        """See :meth:`FileFormat.why_python_writes`."""
        return "Spark has no writer of MOSAIC files"

    def spark_read_options(self, options: TableOptions) -> dict[str, str]:
        """See :meth:`FileFormat.spark_read_options`: there is no such reader."""
        return {}

    def spark_write_options(self, options: TableOptions, compression: str) -> dict[str, str]:
        """See :meth:`FileFormat.spark_write_options`: there is no such writer."""
        return {}

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """Return the number of rows that the footer states; no data is read."""
        with storage.open_input(path) as stream:
            source = _Source(stream)
            try:
                with source.open() as reader:
                    return _rows(reader)
            except errors.PaimonError:  # some are RuntimeErrors as well
                raise
            except RuntimeError as error:
                raise source.failure or ValueError(str(error)) from error

    def read(self, storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pyarrow.RecordBatch]:
        """See :meth:`FileFormat.read`."""
        return checked(partial(_read, storage, file, request), storage, file, request, self.name)

    def open_writer(self, storage: Storage, path: str, request: WriteRequest) -> MosaicWriter:
        """See :meth:`FileFormat.open_writer`."""
        _package()  # before there is a file
        schema = stored_schema(request.columns, _stored_type)
        return MosaicWriter(Sink(storage.open_output(path)), request, self.name, schema)


def _package() -> Any:
    try:
        import mosaic
    except ImportError as error:
        raise errors.UnsupportedError("EXTRA_MISSING", what="File format MOSAIC", extra="mosaic") from error
    return mosaic


def _formats_instead(kind: DataType) -> str | None:
    if isinstance(kind, VariantType):
        return "none"
    if isinstance(kind, RowType):
        return "PARQUET, ORC, JSON"
    if isinstance(kind, TimeType) and kind.precision > _MOST_TIME_PRECISION:
        return "PARQUET, CSV, JSON"
    return None


def _read(storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pyarrow.RecordBatch]:
    with storage.open_input(file.path) as stream:
        source = _Source(stream)
        try:
            with source.open() as reader:
                plan = plan_columns(reader.schema, file, request)
                if not plan.names:
                    yield from plan.row_batches(_rows(reader))
                    return
                reader.project(plan.names)
                for group in range(reader.num_row_groups):
                    yield from plan.batches(reader.read_row_group(group))
        except errors.PaimonError:
            raise
        except RuntimeError as error:
            # What the storage said, where that is behind it: the library only says that reading failed.
            raise source.failure or error from None


def _rows(reader: Any) -> int:
    return sum(reader.row_group_num_rows(group) for group in range(reader.num_row_groups))


class _Source:
    """An input stream as the library reads it, from several threads."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.failure: Exception | None = None

    def open(self) -> Any:
        """A reader of the file."""
        return _package().MosaicReader.from_input_file(self._read_at, self._stream.seek(0, 2))

    def _read_at(self, offset: int, length: int) -> bytes:
        try:
            with self._lock:
                self._stream.seek(offset)
                parts = []
                while length > 0 and (part := self._stream.read(length)):
                    parts.append(part)
                    length -= len(part)
                return b"".join(parts)
        except Exception as error:
            self.failure = error
            raise


def _stored_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    import pyarrow as pa

    if pa.types.is_timestamp(kind) and kind.unit == "s":
        return pa.timestamp("ms", kind.tz)
    if pa.types.is_fixed_size_binary(kind) and not pa.types.is_decimal(kind):
        return pa.binary()
    return pa.time32("ms") if pa.types.is_time32(kind) else kind


def _aligned(batch: pyarrow.RecordBatch, fields: Sequence[Field]) -> pyarrow.RecordBatch:
    """The same rows, decimals at addresses that the library takes; what came from Spark can be at others."""
    import pyarrow as pa

    def is_aligned(field: Field, column: Any) -> bool:
        if not any(isinstance(kind, DecimalType) for kind in types_in(field.type)):
            return True
        return all(part is None or part.address % _DECIMAL_BYTES == 0 for part in column.buffers())

    rows = pa.array(range(batch.num_rows), pa.int64())
    columns: list[Any] = [
        column if is_aligned(field, column) else column.take(rows)
        for field, column in zip(fields, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


@dataclass
class MosaicWriter(BlockWriter):
    """One MOSAIC file being written; the library collects rows until they make a row group."""

    _writer: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        package = _package()
        super().__post_init__()
        zstd = self.request.compression == "zstd"
        options = package.WriterOptions(
            compression=(
                package.WriterOptions.COMPRESSION_ZSTD if zstd else package.WriterOptions.COMPRESSION_NONE
            ),
            zstd_level=self.request.table_options.get("file.compression.zstd-level"),
            row_group_max_size=BLOCK_BYTES,
        )
        self._writer = package.MosaicWriter(self.sink, self.schema, options)

    def size(self) -> int:
        """See :meth:`FileWriter.size`."""
        return max(self.sink.tell(), int(self._writer.estimated_file_size()))

    def append(self, batch: pyarrow.RecordBatch) -> None:
        """See :meth:`BlockWriter.append`."""
        aligned = _aligned(batch, self.request.columns)
        self._call(lambda: self._writer.write(aligned))

    def finish(self) -> None:
        """See :meth:`BlockWriter.finish`."""
        self._call(self._writer.close)

    def _call(self, action: Callable[[], Any]) -> None:
        try:
            action()
        except RuntimeError as error:
            raise self.sink.failure or error from None


FORMAT = Mosaic()
