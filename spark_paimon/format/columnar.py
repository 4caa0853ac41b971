"""What the columnar formats have in common: whole files, names that may show the codec, errors, and writers
that collect rows until they make a block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

from spark_paimon import errors
from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.format.conversion import Conversion, Matching, conversion
from spark_paimon.format.signature import HEAD_LENGTH, TAIL_LENGTH, found_format, mismatch
from spark_paimon.options import TableOptions
from spark_paimon.schema import DataType, Field, to_arrow, types_in
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa

#: Names of "no codec".
UNCOMPRESSED = ("none", "uncompressed")

#: Bytes in memory that make one block (row group, stripe) of a file.
BLOCK_BYTES = 64 * 1024 * 1024
#: Rows that make one, if they are small.
BLOCK_ROWS = 1024 * 1024
#: What compression makes of bytes in memory, as long as a file has no block that would tell.
_FIRST_RATIO = 0.5
#: More than what a library writes before any rows.
_HEADER_BYTES = 1024


@dataclass(frozen=True)
class Columnar:
    """The part of a :class:`~spark_paimon.format.base.FileFormat` that is the same in columnar formats."""

    name: str
    default_compression: str
    codecs: tuple[str, ...]
    counts_rows: bool = True
    extra: str | None = None

    def extension(self, compression: str, *, name_codec: bool = False) -> str:
        """See :meth:`FileFormat.extension`."""
        shown = name_codec and compression not in UNCOMPRESSED
        return f".{compression}.{self.name}" if shown else f".{self.name}"

    def sliceable(self, path: str, options: TableOptions) -> bool:
        """See :meth:`FileFormat.sliceable`: files stay whole."""
        return False

    def cuts(self, storage: Storage, path: str, size: int, target: int, options: TableOptions) -> list[int]:
        """See :meth:`FileFormat.cuts`."""
        return []


def refuse_types(
    format_name: str,
    columns: Sequence[Field],
    table: object,
    formats_instead: Callable[[DataType], str | None],
) -> None:
    """Refuse the first column that holds something that the format cannot store.

    Parameters
    ----------
    format_name
        Of which format.
    columns, table
        The columns, and whose they are.
    formats_instead
        Names of the formats that can store a type, for the message; None where this one can.

    Raises
    ------
    UnsupportedError
        ``FORMAT_TYPE_UNSUPPORTED``.
    """
    for column in columns:
        for kind in types_in(column.type):
            formats = formats_instead(kind)
            if formats is not None:
                raise errors.UnsupportedError(
                    "FORMAT_TYPE_UNSUPPORTED",
                    format=format_name.upper(),
                    type=kind.bare_sql(),
                    column=column.name,
                    table=table,
                    formats=formats,
                )


def checked(
    batches: Callable[[], Iterator[pa.RecordBatch]],
    storage: Storage,
    file: FileSlice,
    request: ReadRequest,
    format_name: str,
) -> Iterator[pa.RecordBatch]:
    """Read, and say what is wrong with the file if that fails.

    Raises
    ------
    IllegalStateError
        ``FILE_FORMAT_MISMATCH`` or ``FILE_UNREADABLE``; our own errors pass.
    """
    try:
        yield from batches()
    except (errors.PaimonError, FileNotFoundError):
        raise
    except Exception as error:  # the libraries raise OSError, ValueError, RuntimeError and their own
        raise _failure(storage, file, request, format_name, error) from error


def _failure(
    storage: Storage, file: FileSlice, request: ReadRequest, format_name: str, error: Exception
) -> errors.IllegalStateError:
    head, tail, size = _ends(storage, file.path)
    found = found_format(head, tail)
    # The pages of MOSAIC files are zstd frames, so a file of it that lost its end begins like one.
    lost_end = format_name == "mosaic" and found == "zstd"
    if found is not None and found != format_name and not lost_end:
        return mismatch(file, request.table, format_name, found)
    if found is None and size >= HEAD_LENGTH and _looks_like_text(head):
        return mismatch(file, request.table, format_name, None)
    return unreadable(file, request.table, format_name, str(error) if size else "it is empty")


def _ends(storage: Storage, path: str) -> tuple[bytes, bytes, int]:
    with storage.open_input(path) as stream:
        head = stream.read(HEAD_LENGTH)
        size = stream.seek(0, 2)
        stream.seek(max(0, size - TAIL_LENGTH))
        return head, stream.read(), size


def _looks_like_text(head: bytes) -> bool:
    return all(byte >= 32 or byte in b"\t\r\n" for byte in head)


def unreadable(file: FileSlice, table: str, format_name: str, reason: str) -> errors.IllegalStateError:
    """Build the error for a file of the right format that is damaged, or whose content is ambiguous."""
    return errors.IllegalStateError(
        "FILE_UNREADABLE", path=file.path, table=table, format=format_name.upper(), reason=reason.rstrip(". ")
    )


class Sink:
    """The stream under a library's writer. When writing has failed it swallows what the library still sends
    while it is cleaned up, and the first error of the stream is kept.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._position = 0
        self._given_up = False
        self.failure: Exception | None = None

    @property
    def closed(self) -> bool:
        """Whether the file is complete."""
        return self._stream.closed and not self._given_up

    def write(self, part: Any) -> int:
        """Append bytes."""
        content = bytes(part)
        if not self._given_up:
            try:
                self._stream.write(content)
            except Exception as error:
                self.failure = error
                raise
        self._position += len(content)
        return len(content)

    def tell(self) -> int:
        """Bytes written."""
        return self._position

    def flush(self) -> None:
        """Nothing: the stream is flushed when it is closed."""

    def close(self) -> None:
        """Nothing: the file is complete when its writer says so."""

    def end(self) -> None:
        """Complete the file."""
        self._stream.close()

    def give_up(self) -> None:
        """Close the stream; nothing reaches it any more."""
        self._given_up = True
        self._stream.close()


@dataclass
class BlockWriter:
    """Base of the writers: rows are converted to what the file holds and collected until they fill a block.

    Parameters
    ----------
    sink
        Where the file goes; ended with the writer, also when something fails.
    request
        What is written.
    format_name
        Name for messages.
    schema
        Arrow schema of the columns in the file.
    """

    sink: Sink
    request: WriteRequest
    format_name: str
    schema: pa.Schema
    _conversions: list[Conversion] = field(init=False, repr=False)
    _pending: list[pa.RecordBatch] = field(default_factory=list, init=False, repr=False)
    _pending_bytes: int = field(default=0, init=False)
    _pending_rows: int = field(default=0, init=False)
    _encoded_bytes: int = field(default=0, init=False)
    _landed_bytes: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        exact = Matching(case_sensitive=True, exact=True)
        self._conversions = [
            conversion(have.type, want.type, want.name, exact)
            for have, want in zip(to_arrow(self.request.columns), self.schema, strict=True)
        ]

    def write(self, batch: pa.RecordBatch) -> None:
        """See :meth:`FileWriter.write`."""
        try:
            self.append(self._convert(batch))
        except BaseException:
            self.sink.give_up()
            raise

    def size(self) -> int:
        """See :meth:`FileWriter.size`."""
        written = self.sink.tell()
        ratio = written / self._landed_bytes if self._landed_bytes else _FIRST_RATIO
        waiting = self._pending_bytes + self._encoded_bytes - self._landed_bytes
        return int(written + waiting * min(ratio, 1))

    def close(self) -> None:
        """See :meth:`FileWriter.close`."""
        try:
            self._flush()
            self.finish()
        except BaseException:
            self.sink.give_up()
            raise
        self.sink.end()

    def append(self, batch: pa.RecordBatch) -> None:
        """Take rows as the file holds them."""
        self._pending.append(batch)
        self._pending_bytes += batch.nbytes
        self._pending_rows += batch.num_rows
        if self._pending_bytes >= BLOCK_BYTES or self._pending_rows >= BLOCK_ROWS:
            self._flush()

    def encode(self, table: pa.Table) -> None:
        """Write one block."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write the end of the file."""
        raise NotImplementedError

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._pending_rows:
            return
        table = pa.Table.from_batches(self._pending, self.schema)
        self._pending = []
        self._encoded_bytes += self._pending_bytes
        self._pending_bytes = self._pending_rows = 0
        before = self.sink.tell()
        self.encode(table)
        if self.sink.tell() - before > _HEADER_BYTES:  # ORC keeps rows to itself until they make a stripe
            self._landed_bytes = self._encoded_bytes

    def _convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        arrays: list[Any] = []
        for column, convert, array in zip(
            self.request.columns, self._conversions, batch.columns, strict=True
        ):
            try:
                arrays.append(convert(array))
            except pa.ArrowInvalid as error:
                raise self.refused(column.name, str(error)) from error
            if array.null_count and not column.type.nullable:
                raise self.refused(column.name, "it is NULL, and the column is NOT NULL")
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def refused(self, column: str, reason: str) -> errors.InvalidInputError:
        """Build the error for a value that a file of this format cannot hold."""
        return errors.InvalidInputError(
            "FILE_VALUE_REFUSED",
            column=column,
            table=self.request.table,
            format=self.format_name.upper(),
            reason=reason.rstrip(". "),
        )


def stored_schema(columns: Sequence[Field], stored_type: Callable[[pa.DataType], pa.DataType]) -> pa.Schema:
    """Arrow schema of the columns in a file: the types inside replaced where the format has others.

    Parameters
    ----------
    columns
        Columns of the table.
    stored_type
        Type in the file of a type that is not nested.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from spark_paimon.schema import ArrayType, BinaryType, Field
    >>> stored_schema([Field(0, "a", ArrayType(BinaryType(2)))], lambda kind: pa.binary())
    a: list<element: binary>
      child 0, element: binary
    """
    import pyarrow as pa
    from pyarrow import types

    def inside(field: pa.Field) -> pa.Field:
        kind = field.type
        if types.is_list(kind):
            return field.with_type(pa.list_(inside(kind.value_field)))
        if types.is_map(kind):
            return field.with_type(pa.map_(inside(kind.key_field), inside(kind.item_field)))
        if types.is_struct(kind):
            return field.with_type(pa.struct([inside(kind.field(at)) for at in range(kind.num_fields)]))
        return field.with_type(stored_type(kind))

    return pa.schema([inside(field).remove_metadata() for field in to_arrow(columns)])
