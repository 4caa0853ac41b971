"""Planning of scans, and the metadata tables."""

from __future__ import annotations

from collections.abc import Sequence

from spark_paimon.bridge import messages
from spark_paimon.bridge.messages import Json
from spark_paimon.bridge.partitions import to_wire
from spark_paimon.catalog import Catalog, Identifier
from spark_paimon.partition import predicate
from spark_paimon.table import FormatTable
from spark_paimon.table.metadata import metadata_columns, metadata_table
from spark_paimon.table.scan import PartitionEntry, plan_partitions

_SEPARATOR = "$"


def plan(catalog: Catalog, request: messages.PlanScan) -> messages.PlannedScan:
    """SELECT: the partitions that can hold rows the query wants."""
    table = catalog.get_table(Identifier(request.database, request.table))
    condition = predicate.parse(request.predicate, table.layout.columns) if request.predicate else None
    planned = plan_partitions(table, condition)
    return messages.PlannedScan(planned.total, [_entry(table, entry) for entry in planned.partitions])


def _entry(table: FormatTable, entry: PartitionEntry) -> Json:
    return {
        "values": [to_wire(entry.values[key]) for key in table.partition_keys],
        "location": entry.location,
        "format": entry.format,
        "rows": entry.statistics.record_count,
        "bytes": entry.statistics.file_size_in_bytes,
    }


def split_name(name: str) -> tuple[str, str] | None:
    """``t$partitions`` as table and metadata table; None for the name of an ordinary table."""
    table, separator, kind = name.rpartition(_SEPARATOR)
    return (table, kind) if separator and metadata_columns(kind) else None


def describe_metadata_table(
    catalog: Catalog, database: str, name: str, kind: str
) -> messages.MetadataTableDescription:
    """Columns of a metadata table of a table that exists."""
    catalog.load_table_info(Identifier(database, name))
    return messages.MetadataTableDescription({"columns": _columns(metadata_columns(kind) or ())})


def read_metadata_table(catalog: Catalog, request: messages.NamedTable) -> messages.Rows:
    """SELECT from a metadata table."""
    parts = split_name(request.table)
    assert parts is not None  # Java asks only for tables that were described as metadata tables
    content = metadata_table(catalog.get_table(Identifier(request.database, parts[0])), parts[1])
    return messages.Rows(_columns(content.columns), [list(row) for row in content.rows])


def _columns(columns: Sequence[tuple[str, str]]) -> list[Json]:
    return [{"name": name, "type": kind} for name, kind in columns]
