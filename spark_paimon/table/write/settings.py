"""What a writer has to know of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spark_paimon.format import file_format
from spark_paimon.format.base import FileFormat, WriteRequest
from spark_paimon.partition.layout import PartitionLayout
from spark_paimon.schema import Field, to_arrow
from spark_paimon.storage import Storage, storage_for
from spark_paimon.table.format_table import FormatTable

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class WriteSettings:
    """How rows of one table become files; picklable, made once for a job, without a catalog.

    Parameters
    ----------
    table
        Full name, for messages.
    location
        Directory of the table as a Hadoop Path string.
    columns
        All columns in table order, partition columns among them.
    layout
        How a partition is spelled as a directory.
    format, compression
        Lower-case names of the file format and the codec.
    options
        Options of the table.
    file_prefix, extension
        Beginning and ending of the names of files.
    target_size, target_rows
        Bytes and rows after which a new file begins.
    storage_options
        What opens the storage of the location.
    """

    table: str
    location: str
    columns: Sequence[Field]
    layout: PartitionLayout
    format: str
    compression: str
    options: Mapping[str, str]
    file_prefix: str
    extension: str
    target_size: int
    target_rows: int
    storage_options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, table: FormatTable, columns: Sequence[Field] | None = None) -> WriteSettings:
        """The settings of a table.

        Parameters
        ----------
        columns
            The columns of the table, where the writer gets other types than the schema says.
        """
        catalog = table.catalog
        return cls(
            table=table.full_name,
            location=table.location,
            columns=tuple(table.schema.fields if columns is None else columns),
            layout=table.layout,
            format=table.format,
            compression=table.file_compression,
            options=dict(table.options),
            file_prefix=str(table.table_options.get("data-file.prefix")),
            extension=file_extension(table),
            target_size=int(table.table_options.get("target-file-size")),
            target_rows=int(table.table_options.get("target-file-row-num")),
            storage_options={} if catalog is None else catalog.storage_options,
        )

    def __getstate__(self) -> dict[str, Any]:
        # What was opened here is opened anew on the other side.
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @cached_property
    def storage(self) -> Storage:
        """Opens the directory of the table."""
        return storage_for(self.location, self.storage_options)

    @cached_property
    def file_format(self) -> FileFormat:
        """The implementation of the format."""
        return file_format(self.format)

    @cached_property
    def schema(self) -> pyarrow.Schema:
        """All columns as Arrow types."""
        return to_arrow(self.columns)

    @cached_property
    def stored(self) -> tuple[Field, ...]:
        """The columns that files hold."""
        return tuple(column for column in self.columns if column.name not in self.layout.keys)

    @cached_property
    def stored_schema(self) -> pyarrow.Schema:
        """The columns that files hold, as Arrow types."""
        return to_arrow(self.stored)

    @cached_property
    def request(self) -> WriteRequest:
        """What the format is told."""
        return WriteRequest(self.table, self.stored, self.compression, self.options)


def file_extension(table: FormatTable) -> str:
    """Ending of the names of new files of a table."""
    name_codec = bool(table.table_options.get("file.suffix.include.compression"))
    return file_format(table.format).extension(table.file_compression, name_codec=name_codec)
