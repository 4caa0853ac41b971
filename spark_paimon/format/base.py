"""What a file format has to offer, and the requests that cross from planning to tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from spark_paimon.options import TableOptions
from spark_paimon.schema import Field
from spark_paimon.storage import Storage

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class FileSlice:
    """A data file, or the part of it that one task reads.

    Parameters
    ----------
    path
        Hadoop Path string.
    start, length
        Bytes; a length of -1 means up to the end. Records that begin inside are read, whole.
    partition
        Name of the partition, for messages; empty for an unpartitioned table.
    """

    path: str
    start: int = 0
    length: int = -1
    partition: str = ""


@dataclass(frozen=True)
class ReadRequest:
    """What is wanted of files of one table; picklable, made once for a scan.

    Parameters
    ----------
    table
        Full name, for messages.
    stored
        All columns that are stored in files, in table order. CSV goes by their position.
    columns
        The columns wanted, in the order wanted; each is one of ``stored``. May be empty: rows are then
        counted.
    options
        Options of the table, for delimiters and the like.
    case_sensitive
        Whether ``A`` in a file is another column than ``a`` of the table.
    time_zone
        Zone of TIMESTAMP WITH LOCAL TIME ZONE texts that name none.
    batch_rows
        Most rows of a batch.
    """

    table: str
    stored: Sequence[Field]
    columns: Sequence[Field]
    options: Mapping[str, str] = field(default_factory=dict)
    case_sensitive: bool = False
    time_zone: str = "UTC"
    batch_rows: int = 8192

    @property
    def table_options(self) -> TableOptions:
        """The options with their types."""
        return TableOptions(self.options)


@dataclass(frozen=True)
class WriteRequest:
    """How files of one table are written; picklable, made once for a job.

    Parameters
    ----------
    table
        Full name, for messages.
    columns
        Columns of the files, in table order.
    compression
        Codec, as :func:`~spark_paimon.format.resolve_compression` gives it.
    options
        Options of the table.
    """

    table: str
    columns: Sequence[Field]
    compression: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def table_options(self) -> TableOptions:
        """The options with their types."""
        return TableOptions(self.options)


class FileWriter(Protocol):
    """One file that is being written."""

    def write(self, batch: pyarrow.RecordBatch) -> None:
        """Append rows; the batch has the schema of the request's columns.

        Raises
        ------
        InvalidInputError
            A value that the format cannot hold.
        """
        ...

    def size(self) -> int:
        """Bytes of the file so far, what is still buffered estimated."""
        ...

    def close(self) -> None:
        """Complete the file. After an error in `write` or here the file is worthless."""
        ...


class FileFormat(Protocol):
    """One file format, as the rest of the package needs it."""

    @property
    def name(self) -> str:
        """Lower-case name, as in the option ``file.format``."""
        ...

    @property
    def default_compression(self) -> str:
        """Codec where no option names one."""
        ...

    @property
    def codecs(self) -> tuple[str, ...]:
        """Codecs that can be named."""
        ...

    @property
    def counts_rows(self) -> bool:
        """Whether files carry their number of rows, so that counting does not read the data."""
        ...

    @property
    def extra(self) -> str | None:
        """Extra of this package that the Python reader and writer need, None for none."""
        ...

    def extension(self, compression: str, *, name_codec: bool = False) -> str:
        """Ending of written file names with its dots, e.g. ``.csv.gz``.

        Parameters
        ----------
        compression
            Codec of the file.
        name_codec
            Option ``file.suffix.include.compression``: columnar files name their codec too.
        """
        ...

    def check(self, columns: Sequence[Field], options: TableOptions, table: object) -> None:
        """Refuse columns that files of this format cannot store, and options that contradict each other.

        Raises
        ------
        UnsupportedError
            ``FORMAT_TYPE_UNSUPPORTED``, ``FORMAT_COLUMNS_UNSUPPORTED``.
        InvalidInputError
            Options.
        """
        ...

    def why_python_reads(self, columns: Sequence[Field], options: TableOptions) -> str | None:
        """Why Spark's own reader would give other rows than these files hold; None when it gives the right
        ones.

        ``columns`` are all stored columns of the table: the answer does not depend on a query.
        """
        ...

    def why_python_writes(
        self, columns: Sequence[Field], options: TableOptions, compression: str
    ) -> str | None:
        """Why Spark's own writer would write something else than the values; None when it is right."""
        ...

    def spark_read_options(self, options: TableOptions) -> dict[str, str]:
        """Options of Spark's own reader."""
        ...

    def spark_write_options(self, options: TableOptions, compression: str) -> dict[str, str]:
        """Options of Spark's own writer."""
        ...

    def sliceable(self, path: str, options: TableOptions) -> bool:
        """Whether several tasks can read parts of one file of this name by :meth:`read`."""
        ...

    def cuts(self, storage: Storage, path: str, size: int, target: int, options: TableOptions) -> list[int]:
        """Offsets at which a large file may be cut, ascending, about ``target`` bytes apart, 0 not among
        them.

        Empty where the file must stay whole. Asked only where :meth:`sliceable`.
        """
        ...

    def count_rows(self, storage: Storage, path: str) -> int | None:
        """Return the exact number of rows of a file, None where the format does not carry it.

        Raises
        ------
        OSError, ValueError
            The file cannot be read, or is not of this format.
        """
        ...

    def read(self, storage: Storage, file: FileSlice, request: ReadRequest) -> Iterator[pyarrow.RecordBatch]:
        """Read rows as batches that have exactly the Arrow schema of ``request.columns``.

        Raises
        ------
        IllegalStateError
            ``FILE_FORMAT_MISMATCH``, ``FILE_COLUMN_MISSING``, ``FILE_COLUMN_TYPE``,
            ``FILE_RECORD_MALFORMED``, ``FILE_UNREADABLE``: what is in the file is not what the catalog says.
        """
        ...

    def open_writer(self, storage: Storage, path: str, request: WriteRequest) -> FileWriter:
        """Begin a new file."""
        ...
