"""ORC files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

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
from spark_paimon.format.columns import ColumnPlan, plan_columns
from spark_paimon.format.orc_arrays import for_orc
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    DataType,
    DateType,
    Field,
    LocalZonedTimestampType,
    RowType,
    TimestampType,
    TimeType,
    VariantType,
    types_in,
)
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow

    from spark_paimon.format.orc_clocks import OrcClocks

_CODECS = ("none", "uncompressed", "snappy", "zlib", "lz4", "zstd")
_TEMPORAL = (DateType, TimestampType, LocalZonedTimestampType, TimeType)
_MOST_TIME_PRECISION = 3


@dataclass(frozen=True)
class Orc(Columnar):
    """ORC. Dates and timestamps are those that the writer meant, see `orc_clocks`.

    TIMESTAMP is written as ORC's ``timestamp`` in the zone UTC, TIMESTAMP WITH LOCAL TIME ZONE as
    ``timestamp with local time zone``, and TIME as an ``int`` of milliseconds.

    Examples
    --------
    >>> Orc().default_compression, Orc().extension("zstd")
    ('zstd', '.orc')
    """

    name: str = "orc"
    default_compression: str = "zstd"
    codecs: tuple[str, ...] = _CODECS

    def check(self, columns: Sequence[Field], options: TableOptions, table: object) -> None:
        """See :meth:`FileFormat.check`."""
        refuse_types(self.name, columns, table, _formats_instead)

    def why_python_reads(self, columns: Sequence[Field], options: TableOptions) -> str | None:
        """See :meth:`FileFormat.why_python_reads`."""
        # Of DATE Spark moves days before 1582-10-15 only: its files are looked at one by one, see `native`.
        found = _first_of(columns, (TimestampType, LocalZonedTimestampType, TimeType))
        if found is None:
            quoted = next((name for column in columns for name in _names_in(column) if "`" in name), None)
            return None if quoted is None else f"Spark does not find {quoted} in ORC files, for its backtick"
        column, kind = found
        if isinstance(kind, TimeType):
            return _time_reason(column)
        return (
            f"column {column.name} holds a {kind.root}, and Spark refuses or moves the timestamps of ORC "
            "files that it has not written"
        )

    def why_python_writes(
        self, columns: Sequence[Field], options: TableOptions, compression: str
    ) -> str | None:
        """See :meth:`FileFormat.why_python_writes`."""
        found = _first_of(columns, _TEMPORAL)
        if found is None:
            return None
        column, kind = found
        if isinstance(kind, TimeType):
            return _time_reason(column)
        return (
            f"column {column.name} holds a {kind.root}, which Spark writes to ORC so that other engines read "
            "another value"
        )

    def spark_read_options(self, options: TableOptions) -> dict[str, str]:
        """See :meth:`FileFormat.spark_read_options`."""
        return {}

    def spark_write_options(self, options: TableOptions, compression: str) -> dict[str, str]:
        """See :meth:`FileFormat.spark_write_options`."""
        result = {"compression": compression}
        if compression == "zstd":
            result["orc.compression.zstd.level"] = str(options.get("file.compression.zstd-level"))
        return result

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """Return the number of rows that the footer states; one open, no data read."""
        import pyarrow.orc

        with storage.open_input(path) as stream:
            return int(pyarrow.orc.ORCFile(stream).nrows)

    def read(self, storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pyarrow.RecordBatch]:
        """See :meth:`FileFormat.read`."""
        return checked(partial(_read, storage, file, request), storage, file, request, self.name)

    def open_writer(self, storage: Storage, path: str, request: WriteRequest) -> OrcWriter:
        """See :meth:`FileFormat.open_writer`."""
        schema = stored_schema(request.columns, _stored_type)
        return OrcWriter(Sink(storage.open_output(path)), request, self.name, schema)


def _formats_instead(kind: DataType) -> str | None:
    if isinstance(kind, VariantType):
        return "none"
    fine = isinstance(kind, TimeType) and kind.precision > _MOST_TIME_PRECISION
    return "PARQUET, CSV, JSON" if fine else None


def _time_reason(column: Field) -> str:
    return f"column {column.name} holds a {TimeType.root}, which is a number of milliseconds in ORC files"


def _names_in(column: Field) -> Iterator[str]:
    yield column.name
    for kind in types_in(column.type):
        if isinstance(kind, RowType):
            yield from (field.name for field in kind)


def _first_of(columns: Sequence[Field], kinds: tuple[type[DataType], ...]) -> tuple[Field, DataType] | None:
    for column in columns:
        for kind in types_in(column.type):
            if isinstance(kind, kinds):
                return column, kind
    return None


def _read(storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pyarrow.RecordBatch]:
    if file.start > 0:
        return  # Spark's splits cut files; the task with the beginning reads all of it

    import pyarrow as pa
    import pyarrow.orc

    from spark_paimon.format.orc_clocks import OrcClocks, wanted_types
    from spark_paimon.format.orc_rows import open_reader

    with ExitStack() as streams:
        opened = pyarrow.orc.ORCFile(streams.enter_context(storage.open_input(file.path)))
        # A second stream: both readers keep a position of their own.
        reader = open_reader(streams.enter_context(storage.open_input(file.path)), nanos=False)
        wanted = wanted_types(reader.schema, request.columns, request.case_sensitive)
        clocks = OrcClocks(reader, wanted)
        shown = [
            found.with_type(clocks.presented(found.name, pa.array([], found.type)).type)
            if found.name in clocks.columns
            else found
            for found in opened.schema
        ]
        plan = plan_columns(pa.schema(shown), file, request)
        if not plan.names:
            yield from plan.row_batches(opened.nrows)
            return
        for stripe in range(opened.nstripes):
            yield from _read_stripe(storage, plan, opened, clocks, stripe)


def _read_stripe(
    storage: Storage, plan: ColumnPlan, opened: Any, clocks: OrcClocks, stripe: int
) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow as pa

    from spark_paimon.format.orc_rows import open_reader, stripe_values

    zone = clocks.zone(stripe, plan.names)
    beyond = clocks.beyond_arrow(plan.names, zone)
    within = [name for name in plan.names if name not in beyond]
    batch = opened.read_stripe(stripe, columns=within) if within else None
    if not beyond:
        yield from plan.batches(_presented(batch, clocks, zone))
        return
    size = plan.request.batch_rows
    # Files that Java did not write hold wall clocks, which are numbers in UTC.
    reading_zone = zone if clocks.by_java else "UTC"
    nanos = clocks.any_in_nanos(beyond)
    with storage.open_input(plan.file.path) as stream:
        rows_left = open_reader(stream, nanos, beyond, reading_zone, size).read_stripe(stripe)
        start = 0
        while rows := rows_left.read(size):
            columns = {
                name: stripe_values(rows, name, opened.schema.field(name).type, clocks, nanos)
                for name in beyond
            }
            if batch is not None:
                part = batch.slice(start, len(rows))
                columns |= {name: part.column(part.schema.get_field_index(name)) for name in within}
            start += len(rows)
            yield plan.apply(_presented(pa.RecordBatch.from_pydict(columns), clocks, zone))


def _presented(batch: Any, clocks: OrcClocks, zone: str) -> pyarrow.RecordBatch:
    import pyarrow as pa

    arrays = [
        clocks.presented(name, array, zone)
        for name, array in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _stored_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    import pyarrow as pa

    if pa.types.is_time32(kind):
        return pa.time32("ms")
    return pa.binary() if pa.types.is_fixed_size_binary(kind) and not pa.types.is_decimal(kind) else kind


def _for_file(table: pyarrow.Table) -> pyarrow.Table:
    import pyarrow as pa

    columns = []
    for column in table.columns:
        kind = for_orc(pa.array([], column.type)).type
        columns.append(pa.chunked_array([for_orc(chunk) for chunk in column.chunks], kind))
    return pa.table(columns, names=table.column_names)


@dataclass
class OrcWriter(BlockWriter):
    """One ORC file being written."""

    _writer: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        import pyarrow as pa
        import pyarrow.orc

        super().__post_init__()
        codec = self.request.compression
        self._writer = pyarrow.orc.ORCWriter(
            pa.PythonFile(self.sink, mode="w"),
            compression="UNCOMPRESSED" if codec in ("none", "uncompressed") else codec.upper(),
            stripe_size=BLOCK_BYTES,
        )

    def encode(self, table: pyarrow.Table) -> None:
        """See :meth:`BlockWriter.encode`."""
        self._writer.write(_for_file(table))

    def finish(self) -> None:
        """See :meth:`BlockWriter.finish`."""
        if not self._encoded_bytes:
            self._writer.write(_for_file(self.schema.empty_table()))  # which tells it the schema
        self._writer.close()


FORMAT = Orc()
