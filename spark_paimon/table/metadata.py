"""The metadata tables ``t$partitions``, ``t$files`` and ``t$options``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spark_paimon import errors
from spark_paimon.catalog.definitions import DROPPED_COLUMNS
from spark_paimon.parallel import map_ordered
from spark_paimon.statistics import UNKNOWN, PartitionStatistics
from spark_paimon.storage import Entry
from spark_paimon.table.commit.recovery import settle_before_reading
from spark_paimon.table.format_table import FormatTable
from spark_paimon.table.scan import PartitionEntry, plan_partitions
from spark_paimon.table.selection import all_partitions

_MICROS = 1000

PARTITION_COLUMNS = (
    ("partition", "STRING"),
    ("record_count", "BIGINT"),
    ("file_size_in_bytes", "BIGINT"),
    ("file_count", "BIGINT"),
    ("last_file_creation_time", "TIMESTAMP"),
    ("file_format", "STRING"),
    ("location", "STRING"),
)
"""Columns of ``$partitions``, and of the result of ``CALL sys.analyze``."""

_FILE_COLUMNS = (
    ("partition", "STRING"),
    ("file_path", "STRING"),
    ("file_format", "STRING"),
    ("file_size_in_bytes", "BIGINT"),
    ("last_modified", "TIMESTAMP"),
)
_OPTION_COLUMNS = (("key", "STRING"), ("value", "STRING"))


@dataclass(frozen=True)
class MetadataTable:
    """Rows about a table.

    Parameters
    ----------
    columns
        Name and Spark type of each column.
    rows
        One tuple a row; a TIMESTAMP is microseconds since 1970 in UTC, None what is not known.
    """

    columns: tuple[tuple[str, str], ...]
    rows: list[tuple[Any, ...]]


def metadata_table(table: FormatTable, name: str) -> MetadataTable:
    """Read a metadata table.

    Parameters
    ----------
    table
        The table that is described.
    name
        ``partitions``, ``files`` or ``options``, in any case.

    Raises
    ------
    NoSuchTableError
        ``METADATA_TABLE_UNKNOWN``.
    """
    try:
        read = _TABLES[name.lower()]
    except KeyError:
        raise errors.NoSuchTableError(
            "METADATA_TABLE_UNKNOWN",
            table=table.full_name,
            name=name,
            known=", ".join("$" + known for known in sorted(_TABLES)),
        ) from None
    return read(table)


def metadata_columns(name: str) -> tuple[tuple[str, str], ...] | None:
    """Columns of a metadata table without reading it; None when there is none of that name."""
    return _COLUMNS.get(name.lower())


def partition_row(
    table: FormatTable,
    spec: Mapping[str, str],
    statistics: PartitionStatistics,
    options: Mapping[str, str],
    custom_location: str | None,
) -> tuple[Any, ...]:
    """Make a row of ``$partitions``."""
    return (
        table.layout.name(spec),
        _known(statistics.record_count),
        _known(statistics.file_size_in_bytes),
        _known(statistics.file_count),
        _micros(statistics.last_file_creation_time),
        table.effective_format(options),
        custom_location,
    )


def _known(number: int) -> int | None:
    return None if number == UNKNOWN else number


def _micros(millis: int) -> int | None:
    return None if millis < 0 else millis * _MICROS


def _partitions(table: FormatTable) -> MetadataTable:
    settle_before_reading(table)
    rows = all_partitions(table) if table.partitioned else []
    return MetadataTable(
        PARTITION_COLUMNS,
        [
            partition_row(table, row.spec, row.statistics, row.options, table.custom_location(row))
            for row in rows
        ],
    )


def _files(table: FormatTable) -> MetadataTable:
    entries = plan_partitions(table).partitions

    def listing(entry: PartitionEntry) -> list[Entry]:
        try:
            storage = table.storage_of(entry.location)
            return storage.data_files(entry.location, () if entry.spec else table.metadata_directories)
        except FileNotFoundError:
            # A partition that was added and never written has no directory yet.
            return []

    listings = map_ordered(listing, entries, table.list_parallelism)
    return MetadataTable(
        _FILE_COLUMNS,
        [
            (
                table.layout.name(entry.spec) if entry.spec else "",
                file.path,
                entry.format,
                file.size,
                _micros(file.modified_millis),
            )
            for entry, files in zip(entries, listings, strict=True)
            for file in files
        ],
    )


def _options(table: FormatTable) -> MetadataTable:
    return MetadataTable(
        _OPTION_COLUMNS, sorted(item for item in table.options.items() if item[0] != DROPPED_COLUMNS)
    )


_TABLES: Mapping[str, Callable[[FormatTable], MetadataTable]] = {
    "files": _files,
    "options": _options,
    "partitions": _partitions,
}
_COLUMNS = {"files": _FILE_COLUMNS, "options": _OPTION_COLUMNS, "partitions": PARTITION_COLUMNS}
