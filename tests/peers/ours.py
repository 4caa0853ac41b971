"""Files by the formats of this package, without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.schema import Field, to_arrow
from spark_paimon.storage import qualify, storage_for


def write(
    path: Path,
    table: pa.Table,
    fields: Sequence[Field],
    name: str,
    compression: str | None = None,
    options: Mapping[str, str] | None = None,
) -> None:
    """Write one file, with the default codec of the format unless one is named."""
    location = qualify(path)
    implementation = file_format(name)
    codec = compression or implementation.default_compression
    request = WriteRequest("db.t", fields, codec, dict(options or {}))
    writer = implementation.open_writer(storage_for(location), location, request)
    for batch in table.to_batches(max_chunksize=20):
        writer.write(batch)
    writer.close()


def read(
    path: Path,
    fields: Sequence[Field],
    name: str,
    options: Mapping[str, str] | None = None,
    wanted: Sequence[Field] | None = None,
    time_zone: str = "UTC",
) -> pa.Table:
    """Rows of one file; ``wanted`` are the columns to read of ``fields``, None for all."""
    location = qualify(path)
    columns = list(fields if wanted is None else wanted)
    request = ReadRequest("db.t", fields, columns, dict(options or {}), time_zone=time_zone)
    batches = list(file_format(name).read(storage_for(location), FileSlice(location), request))
    return pa.Table.from_batches(batches, to_arrow(columns))
