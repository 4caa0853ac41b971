"""Which partitions a query reads, and where their files are."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from spark_paimon import errors
from spark_paimon.catalog.models import Partition
from spark_paimon.partition.predicate import Predicate
from spark_paimon.partition.spelling import format_value
from spark_paimon.partition.values import Value
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.storage import is_hidden
from spark_paimon.table.commit.recovery import settle_before_reading
from spark_paimon.table.format_table import FormatTable
from spark_paimon.table.selection import check_no_overlaps, discovered, registered

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class PartitionEntry:
    """One partition of a scan; for an unpartitioned table the table itself, with an empty spec.

    Parameters
    ----------
    spec
        Raw texts of the partition columns, in key order.
    values
        The same as typed values.
    location
        Directory of the files as a Hadoop Path string.
    format
        Effective file format, in lower case.
    statistics
        What the catalog knows; all unknown for discovered partitions.
    options
        Options of the registration.
    """

    spec: Mapping[str, str]
    values: Mapping[str, Value]
    location: str
    format: str
    statistics: PartitionStatistics
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PartitionPlan:
    """The partitions that a scan reads.

    Parameters
    ----------
    total
        How many partitions the table has; None where finding out would cost a listing that the scan does
        not need.
    partitions
        What is read, sorted by name.
    """

    total: int | None
    partitions: list[PartitionEntry]


def plan_partitions(table: FormatTable, predicate: Predicate | None = None) -> PartitionPlan:
    """Select the partitions that can hold rows for which ``predicate`` is true.

    Parameters
    ----------
    table
        The table.
    predicate
        A condition on partition columns. It only narrows: the engine evaluates the exact condition
        afterwards.

    Raises
    ------
    IllegalStateError
        ``PARTITION_METADATA_CORRUPT``.
    InvalidInputError
        A partition value that is no value of its column's type.
    StorageError, CatalogError
        A listing failed; there is never a shortened plan and never a fallback from catalog to directories.
    UnsupportedError
        The directory has become a Delta table.

    Notes
    -----
    With a condition that is false whatever the row, neither catalog nor storage is touched.
    """
    if predicate is not None and predicate.always_false:
        return PartitionPlan(None, [])
    table.check_not_delta()
    settle_before_reading(table)
    if not table.partitioned:
        whole = PartitionEntry({}, {}, table.location, table.format, PartitionStatistics.unknown())
        return PartitionPlan(1, [whole])
    if table.managed:
        return _plan_registered(table, predicate)
    entries = [entry for row in discovered(table, predicate) if (entry := _entry(table, row, predicate))]
    return PartitionPlan(len(entries) if predicate is None else None, entries)


def max_partition(table: FormatTable) -> str:
    """Largest value of the first partition column among the partitions that have a data file.

    Returns
    -------
    str
        Text of the value as in SQL, whatever its directory is called.

    Raises
    ------
    InvalidInputError
        ``TABLE_NOT_PARTITIONED``.
    UnsupportedError
        ``NO_PARTITION_WITH_DATA``: there is none, but for the NULL partition.

    Notes
    -----
    Statistics are not asked: they may be unknown, and a value that is wrong here is a wrong result elsewhere.
    Source: Apache Paimon, SQL functions.
    """
    if not table.partitioned:
        raise errors.InvalidInputError("TABLE_NOT_PARTITIONED", operation="max_pt", table=table.full_name)
    column = table.layout.columns[0]
    by_value: dict[Value, list[PartitionEntry]] = defaultdict(list)
    for entry in plan_partitions(table).partitions:
        by_value[entry.values[column.name]].append(entry)
    by_value.pop(None, None)
    for value in sorted(by_value, reverse=True):  # type: ignore[type-var]
        if any(_has_data(table, entry) for entry in by_value[value]):
            return format_value(value, column.type)
    raise errors.UnsupportedError("NO_PARTITION_WITH_DATA", table=table.full_name, column=column.name)


def _has_data(table: FormatTable, entry: PartitionEntry) -> bool:
    try:
        return bool(table.storage_of(entry.location).data_files(entry.location))
    except FileNotFoundError:
        if table.managed:
            return False  # it was added and never written
        raise


def _plan_registered(table: FormatTable, predicate: Predicate | None) -> PartitionPlan:
    assert table.catalog is not None
    equalities = predicate.leading_equalities(table.partition_keys) if predicate is not None else {}
    prefix = table.layout.prefix(equalities)
    rows = registered(table, prefix)
    check_no_overlaps(table, rows)
    total: int | None = len(rows)
    if prefix:
        counts = table.catalog.counts_partitions
        total = table.catalog.count_partitions(table.identifier) if counts else None
    if total == 0:
        _hint_at_repair(table)
    return PartitionPlan(total, [entry for row in rows if (entry := _entry(table, row, predicate))])


def _entry(table: FormatTable, row: Partition, predicate: Predicate | None) -> PartitionEntry | None:
    values = table.layout.values(row.spec)
    if predicate is not None and not predicate.may_match(values):
        return None
    return PartitionEntry(
        spec=row.spec,
        values=values,
        location=table.custom_location(row) or table.partition_location(row.spec),
        format=table.effective_format(row.options),
        statistics=row.statistics,
        options=row.options,
    )


def _hint_at_repair(table: FormatTable) -> None:
    """Say in the log why a table whose data was never registered reads as empty."""
    try:
        entries = table.storage.list_directory(table.location)
    except (FileNotFoundError, errors.StorageError):
        return
    if any(entry.is_directory and not is_hidden(entry.name) for entry in entries):
        _LOG.warning(
            "The catalog holds no partition of %s, but there are directories below %s; "
            "MSCK REPAIR TABLE %s registers them",
            table.full_name,
            table.location,
            table.full_name,
        )
