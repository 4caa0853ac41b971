"""Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.format.calendars import FIRST_ZONED_SECOND, gregorian_days, java_instants, map_leaves
from spark_paimon.format.columnar import (
    BlockWriter,
    Columnar,
    Sink,
    checked,
    refuse_types,
    stored_schema,
    unreadable,
)
from spark_paimon.format.columns import plan_columns
from spark_paimon.format.parquet_int96 import int96_columns, may_be_wrapped, repaired
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    DataType,
    Field,
    LocalZonedTimestampType,
    TimestampType,
    TimeType,
    VariantType,
    types_in,
)
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow

_CODECS = ("none", "uncompressed", "snappy", "gzip", "brotli", "lz4", "lz4_raw", "zstd")
#: Codecs that pyarrow calls otherwise; what it calls LZ4 is LZ4_RAW in the file.
_PYARROW_CODECS = {"none": "NONE", "uncompressed": "NONE", "lz4_raw": "LZ4"}

# Spark leaves these in the footer. A version alone means the calendar of SQL from 3.0 (INT96: 3.1) on.
_SPARK_VERSION = b"org.apache.spark.version"
_SPARK_ZONE = b"org.apache.spark.timeZone"
_LEGACY_DATES = (b"org.apache.spark.legacyDateTime", (3, 0))
_LEGACY_INT96 = (b"org.apache.spark.legacyINT96", (3, 1))
_MIXED = "its column mixes them with timestamps in that of SQL"
_BROTLI = "brotli"
_NO_BROTLI = "Spark has no codec for brotli"
_MOST_MILLI_DIGITS = 3
_PER_SECOND = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


@dataclass(frozen=True)
class Parquet(Columnar):
    """The format of format tables that name none; its footers carry exact row counts.

    Timestamps of a precision up to 3 are written as INT64 milliseconds, all others as INT64 microseconds, and
    none as INT96: Paimon's Java reader goes by the precision of the column and not by the unit in the file.

    Examples
    --------
    >>> Parquet().default_compression, Parquet().extension("snappy", name_codec=True)
    ('snappy', '.snappy.parquet')
    """

    name: str = "parquet"
    default_compression: str = "snappy"
    codecs: tuple[str, ...] = _CODECS

    def check(self, columns: Sequence[Field], options: TableOptions, table: object) -> None:
        """See :meth:`FileFormat.check`."""
        refuse_types(self.name, columns, table, _formats_instead)

    def why_python_reads(self, columns: Sequence[Field], options: TableOptions) -> str | None:
        """See :meth:`FileFormat.why_python_reads`."""
        if str(options.get("file.compression")).strip().lower() == _BROTLI:
            return _NO_BROTLI
        return _time_column(columns, "reads")

    def why_python_writes(
        self, columns: Sequence[Field], options: TableOptions, compression: str
    ) -> str | None:
        """See :meth:`FileFormat.why_python_writes`."""
        if compression == _BROTLI:
            return _NO_BROTLI
        return _time_column(columns, "writes") or _coarse_timestamp(columns)

    def spark_read_options(self, options: TableOptions) -> dict[str, str]:
        """See :meth:`FileFormat.spark_read_options`."""
        return {}

    def spark_write_options(self, options: TableOptions, compression: str) -> dict[str, str]:
        """See :meth:`FileFormat.spark_write_options`."""
        # What Spark calls lz4 has the frames of Hadoop, which few others know.
        result = {"compression": "lz4_raw" if compression == "lz4" else compression}
        if compression == "zstd":
            level = options.get("file.compression.zstd-level")
            result["parquet.compression.codec.zstd.level"] = str(level)
        return result

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """Return the number of rows that the footer states; one open, no data read."""
        # pyarrow takes longer to import than everything else here together.
        import pyarrow.parquet

        with storage.open_input(path) as stream, pyarrow.parquet.ParquetFile(stream) as file:
            return int(file.metadata.num_rows)

    def read(self, storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pyarrow.RecordBatch]:
        """See :meth:`FileFormat.read`."""
        return checked(partial(_read, storage, file, request), storage, file, request, self.name)

    def open_writer(self, storage: Storage, path: str, request: WriteRequest) -> ParquetWriter:
        """See :meth:`FileFormat.open_writer`."""
        schema = stored_schema(request.columns, _stored_type)
        return ParquetWriter(Sink(storage.open_output(path)), request, self.name, schema)


def _formats_instead(kind: DataType) -> str | None:
    return "none" if isinstance(kind, VariantType) else None


def _time_column(columns: Sequence[Field], verb: str) -> str | None:
    for column in columns:
        if any(isinstance(kind, TimeType) for kind in types_in(column.type)):
            return (
                f"column {column.name} holds a {TimeType.root}, which Spark {verb} only as microseconds "
                "and only where its own TIME type is enabled"
            )
    return None


def _coarse_timestamp(columns: Sequence[Field]) -> str | None:
    for column in columns:
        for kind in types_in(column.type):
            if not isinstance(kind, (TimestampType, LocalZonedTimestampType)):
                continue
            if kind.precision <= _MOST_MILLI_DIGITS:
                return (
                    f"column {column.name} holds a {kind.bare_sql()}, which Spark writes as microseconds "
                    "that Paimon's Java reader takes for milliseconds"
                )
    return None


def _read(storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow.parquet

    with (
        ExitStack() as streams,
        storage.open_input(file.path) as stream,
        pyarrow.parquet.ParquetFile(stream, coerce_int96_timestamp_unit="us") as opened,
    ):
        plan = plan_columns(opened.schema_arrow, file, request)
        groups = _row_groups(opened.metadata, file)
        if not plan.names:
            yield from plan.row_batches(sum(opened.metadata.row_group(at).num_rows for at in groups))
            return
        if not opened.metadata.num_rows:
            return  # without row groups, pyarrow 18 fails
        rebase = _rebase(opened, file, request, plan.names)
        reading = {"batch_size": request.batch_rows, "row_groups": groups}
        batches = opened.iter_batches(columns=list(plan.names), **reading)
        int96 = int96_columns(opened).intersection(plan.names) if may_be_wrapped(opened) else None
        if int96:
            again = streams.enter_context(storage.open_input(file.path))
            batches = repaired(batches, again, sorted(int96), **reading)
        for batch in batches:
            yield plan.apply(rebase(batch) if rebase else batch)


def _row_groups(metadata: Any, file: FileSlice) -> list[int]:
    """Numbers of the row groups whose middle lies in the slice, which is how Spark's reader deals them out.

    It may refuse a slice that we then read, while it has read its neighbours.
    """
    numbers = list(range(metadata.num_row_groups))
    if file.length < 0:
        return numbers if file.start == 0 else [at for at in numbers if _middle(metadata, at) >= file.start]
    return [at for at in numbers if 0 <= _middle(metadata, at) - file.start < file.length]


def _middle(metadata: Any, number: int) -> int:
    group = metadata.row_group(number)
    columns = [group.column(at) for at in range(group.num_columns)]
    first = columns[0]
    begin = first.data_page_offset
    if first.dictionary_page_offset is not None:
        begin = min(begin, first.dictionary_page_offset)
    return int(begin + sum(column.total_compressed_size for column in columns) // 2)


def _rebase(
    opened: Any, file: FileSlice, request: ReadRequest, names: Sequence[str]
) -> Callable[[Any], Any] | None:
    """What turns the hybrid calendar of Spark's legacy modes into the one of SQL; None for other files."""
    import pyarrow as pa

    metadata = opened.metadata.metadata or {}
    dates, int96 = (_is_legacy(metadata, *marks) for marks in (_LEGACY_DATES, _LEGACY_INT96))
    if not dates and not int96:
        return None
    zone = metadata.get(_SPARK_ZONE, b"").decode() or None
    with_int96, mixed = _int96_columns(opened)

    def column(name: str, array: Any) -> Any:
        def leaf(values: Any) -> Any:
            kind = values.type
            if pa.types.is_date32(kind) and dates:
                return gregorian_days(values.view(pa.int32()).cast(pa.int64())).cast(pa.int32()).view(kind)
            if not pa.types.is_timestamp(kind):
                return values
            if int96 and kind.tz is None and name in with_int96:
                return _moved(values, zone, file, request, _MIXED if name in mixed else None)
            return _moved(values, zone, file, request, None) if dates and kind.tz is not None else values

        return map_leaves(array, leaf)

    def batch_rebase(batch: Any) -> Any:
        arrays = [column(name, array) for name, array in zip(batch.schema.names, batch.columns, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)

    return batch_rebase


def _is_legacy(metadata: dict[bytes, bytes], key: bytes, since: tuple[int, int]) -> bool:
    if key in metadata:
        return True
    version = metadata.get(_SPARK_VERSION, b"").decode().split(".")
    try:
        return (int(version[0]), int(version[1])) < since
    except (IndexError, ValueError):
        return False


def _int96_columns(opened: Any) -> tuple[set[str], set[str]]:
    """Top-level columns with INT96 inside, and those of them that have other timestamps as well."""
    int96 = int96_columns(opened)
    leaves = [opened.schema.column(at) for at in range(len(opened.schema))]
    others = {
        leaf.path.split(".")[0]
        for leaf in leaves
        if leaf.physical_type != "INT96" and leaf.logical_type.type == "TIMESTAMP"
    }
    return int96, int96 & others


def _moved(values: Any, zone: str | None, file: FileSlice, request: ReadRequest, doubt: str | None) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    kind, per_second = values.type, _PER_SECOND[values.type.unit]
    numbers = values.view(pa.int64())
    first = compute.min(numbers).as_py()
    if first is None or first >= FIRST_ZONED_SECOND * per_second:
        return values
    if zone is None:
        doubt = "the footer does not name the zone of its writer"
    if doubt is not None or zone is None:
        reason = f"it holds timestamps before 1900 in the calendar of old Spark versions, and {doubt}"
        raise unreadable(file, request.table, "parquet", reason)
    return java_instants(numbers, per_second, zone).view(kind)


def _stored_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    import pyarrow as pa

    if pa.types.is_timestamp(kind):
        return pa.timestamp("ms" if kind.unit in ("s", "ms") else "us", kind.tz)
    if pa.types.is_fixed_size_binary(kind) and not pa.types.is_decimal(kind):
        return pa.binary()  # as Paimon and Spark store it
    return pa.time32("ms") if pa.types.is_time32(kind) else kind


@dataclass
class ParquetWriter(BlockWriter):
    """One Parquet file being written; each block is a row group."""

    _writer: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        import pyarrow.parquet

        super().__post_init__()
        options, codec = self.request.table_options, self.request.compression
        self._writer = pyarrow.parquet.ParquetWriter(
            self.sink,
            self.schema,
            version="2.6",
            compression=_PYARROW_CODECS.get(codec, codec.upper()),
            compression_level=options.get("file.compression.zstd-level") if codec == "zstd" else None,
            use_deprecated_int96_timestamps=False,
            store_schema=False,
        )

    def encode(self, table: pyarrow.Table) -> None:
        """See :meth:`BlockWriter.encode`."""
        self._writer.write_table(table, row_group_size=table.num_rows)

    def finish(self) -> None:
        """See :meth:`BlockWriter.finish`."""
        self._writer.close()


FORMAT = Parquet()
