"""``ANALYZE TABLE … COMPUTE STATISTICS``: measure partitions, then tell the catalog once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from spark_paimon import errors
from spark_paimon.catalog.models import Partition
from spark_paimon.parallel import Progress, no_progress
from spark_paimon.partition.values import Value
from spark_paimon.procedures.clause import partition_values
from spark_paimon.procedures.model import Parameter, Procedure, ProcedureContext
from spark_paimon.statistics import PartitionStatistics, combine
from spark_paimon.statistics.measure import MeasuredDirectory, ParallelRowCounter, count_rows, measure
from spark_paimon.table.commit.recovery import settle_killed
from spark_paimon.table.format_table import FormatTable
from spark_paimon.table.metadata import PARTITION_COLUMNS, partition_row
from spark_paimon.table.selection import all_partitions, check_no_overlaps, check_path_components, select

_OPERATION = "ANALYZE TABLE"


def analyze(
    table: FormatTable,
    partition: Mapping[str, Value] | None = None,
    noscan: bool = False,
    row_counter: ParallelRowCounter | None = None,
    parallelism: int | None = None,
    progress: Progress = no_progress,
) -> list[tuple[Any, ...]]:
    """Measure registered partitions and replace their statistics in the catalog.

    Parameters
    ----------
    table
        A table whose partitions the catalog manages.
    partition
        Values for a leading run of the partition columns; None or nothing for every partition.
    noscan
        Stop at the listing: files, bytes and time are measured, the row count stays as it was.
    row_counter
        Counts rows; threads of this process when None.
    parallelism
        Storage requests at once; the option ``format-table.statistics.parallelism`` when None.
    progress
        Is told about each partition that is listed, and about each file whose rows threads of this process
        counted.

    Returns
    -------
    list of tuple
        A row of ``$partitions`` for each measured partition, as the catalog holds it now.

    Raises
    ------
    UnsupportedError
        The partitions come from directories, or one of them has a custom location.
    InvalidInputError
        The columns are not a leading run, or a value has no directory.
    NoSuchPartitionError
        ``PARTITIONS_NOT_FOUND``: values that no registered partition has.
    StorageError
        A listing failed; the catalog was told nothing.
    """
    catalog = table.require_managed(_OPERATION)
    table.check_not_delta()
    settle_killed(table)
    rows = _selected(table, partition)
    check_no_overlaps(table, rows)
    for row in rows:
        location = table.custom_location(row)
        if location is not None:
            raise errors.UnsupportedError(
                "ANALYZE_CUSTOM_LOCATION",
                partition=table.layout.name(row.spec),
                table=table.full_name,
                location=location,
            )
    at_once = (
        int(table.table_options.get("format-table.statistics.parallelism"))
        if parallelism is None
        else parallelism
    )
    count = row_counter or partial(count_rows, storage=table.storage, progress=progress)
    counter = None if noscan else partial(count, parallelism=at_once)
    measured = measure(table.storage, measured_directories(table, rows), counter, at_once, progress=progress)
    if rows:
        catalog.create_partitions(
            table.identifier,
            [row.spec for row in rows],
            ignore_if_exists=True,
            statistics=[(row.spec, numbers) for row, numbers in zip(rows, measured, strict=True)],
            replace_statistics=True,
        )
    return _result(table, rows, measured)


def _selected(table: FormatTable, partition: Mapping[str, Value] | None) -> list[Partition]:
    if not partition:
        return all_partitions(table)
    table.layout.leading_run(partition)
    table.layout.check_not_blank(partition, _OPERATION, table.full_name)
    spec = table.layout.spec(partition)
    check_path_components(table, spec)
    rows = select(table, [partition])[0]
    if not rows:
        names = "/".join(f"{column}={text}" for column, text in spec.items())
        raise errors.NoSuchPartitionError("PARTITIONS_NOT_FOUND", table=table.full_name, partitions=names)
    return rows


def measured_directories(table: FormatTable, rows: Sequence[Partition]) -> list[MeasuredDirectory]:
    """What to measure for partitions in their default directories."""
    return [
        MeasuredDirectory(
            table.layout.name(row.spec),
            table.partition_location(row.spec),
            table.effective_format(row.options),
        )
        for row in rows
    ]


def _result(
    table: FormatTable, rows: Sequence[Partition], measured: Sequence[PartitionStatistics]
) -> list[tuple[Any, ...]]:
    return [
        partition_row(table, row.spec, combine(row.statistics, numbers, replace=True), row.options, None)
        for row, numbers in zip(rows, measured, strict=True)
    ]


def _run(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    table = context.table(arguments["table"])
    table.require_managed(_OPERATION)
    text = arguments["partition"]
    return analyze(
        table,
        partition_values(table, text) if text is not None else None,
        noscan=arguments["noscan"],
        row_counter=context.count_rows,
        progress=context.progress,
    )


PROCEDURE = Procedure(
    name="analyze",
    description="Measure partitions and replace their statistics in the catalog.",
    parameters=(
        Parameter("table", "string", description="Table, with or without its database."),
        Parameter(
            "partition",
            "string",
            None,
            "Leading partition values, such as dt=2025-01-01/hh=10; all when absent.",
        ),
        Parameter("noscan", "boolean", False, "Leave the row counts as they are, so that no file is opened."),
    ),
    result=PARTITION_COLUMNS,
    action=_run,
)
