"""``MSCK REPAIR TABLE``: make the registrations of a table follow its directories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spark_paimon.catalog.interface import Catalog
from spark_paimon.catalog.models import Partition, Spec
from spark_paimon.parallel import Progress, no_progress
from spark_paimon.partition.discovery import discover
from spark_paimon.partition.repair import RepairMode, RepairPlan, diff
from spark_paimon.partition.values import Value
from spark_paimon.procedures.analyze import measured_directories
from spark_paimon.procedures.clause import partition_values
from spark_paimon.procedures.model import Parameter, Procedure, ProcedureContext
from spark_paimon.statistics.measure import measure
from spark_paimon.table.commit.recovery import settle_killed
from spark_paimon.table.format_table import FormatTable
from spark_paimon.table.selection import canonical_values, check_path_components, registered

_OPERATION = "MSCK REPAIR TABLE"
BATCH = 1000
"""Partitions in one request to the catalog: a request that is too large kills a metastore (P03)."""

ADDED, DROPPED, SKIPPED = "ADD", "DROP", "SKIP"


@dataclass(frozen=True)
class RepairAction:
    """One line of the report of a repair.

    Parameters
    ----------
    partition
        Name of a partition, or path below the table of a directory that is none.
    action
        ``ADD``, ``DROP`` or ``SKIP``.
    reason
        Why.
    """

    partition: str
    action: str
    reason: str


def repair(
    table: FormatTable,
    mode: RepairMode | str = RepairMode.ADD,
    partition: Mapping[str, Value] | None = None,
    dry_run: bool = False,
    collect_statistics: bool = False,
    parallelism: int | None = None,
    progress: Progress = no_progress,
) -> list[RepairAction]:
    """Register directories that are not registered, and unregister what has no directory.

    Parameters
    ----------
    table
        A table whose partitions the catalog manages.
    mode
        ``ADD`` registers, ``DROP`` unregisters, ``SYNC`` does both, in this order.
    partition
        Values for a leading run of the partition columns: only partitions below are looked at.
    dry_run
        Say what would be done and change nothing.
    collect_statistics
        Also measure every partition that has a directory and is registered afterwards.
    parallelism
        Storage requests at once while measuring.
    progress
        Is told about each finished batch.

    Returns
    -------
    list of RepairAction
        Additions, then removals, then what was passed over, each sorted by name.

    Raises
    ------
    UnsupportedError
        The partitions come from directories.
    StorageError, CatalogError
        A listing failed: nothing was changed. Or a batch failed: what was done before stays, and running
        the repair again does the rest.
    InvalidInputError
        ``REPAIR_MODE_INVALID``, or a directory that stands for ``..`` in the value-only layout; nothing was
        changed.

    Notes
    -----
    Data and directories are never touched, but for those of a write that was killed, which is settled first.
    """
    catalog = table.require_managed(_OPERATION)
    table.check_not_delta()
    mode = mode if isinstance(mode, RepairMode) else RepairMode.of(mode)
    prefix = _prefix(table, partition)
    if not dry_run:
        # Directories of a write that was killed must not be registered with half of its rows.
        settle_killed(table)
    # Both sides are complete before anything changes: a listing that broke must not look like missing
    # partitions.
    found = discover(
        table.storage,
        table.location,
        table.layout,
        prefix=prefix,
        metadata_directories=table.metadata_directories,
        parallelism=table.list_parallelism,
    )
    rows = registered(table, prefix)
    plan = diff(table.layout, found.addressable, rows, mode)
    skipped = sorted(
        {(entry.path, entry.reason) for entry in (*plan.skipped, *found.foreign, *found.skipped)}
    )
    if not dry_run:
        if collect_statistics:
            _add_measured(
                table, catalog, _present(table, plan, found.addressable, rows), parallelism, progress
            )
        else:
            for done, batch in _batches(plan.to_add):
                catalog.create_partitions(table.identifier, batch, ignore_if_exists=True)
                progress("partitions added", done, len(plan.to_add))
        for done, batch in _batches(plan.to_drop):
            catalog.drop_partitions(table.identifier, batch, ignore_if_not_exists=True)
            progress("partitions dropped", done, len(plan.to_drop))
    return [
        *(
            RepairAction(table.layout.name(spec), ADDED, "its directory was not registered")
            for spec in plan.to_add
        ),
        *(
            RepairAction(table.layout.name(spec), DROPPED, "its directory does not exist")
            for spec in plan.to_drop
        ),
        *(RepairAction(path, SKIPPED, reason) for path, reason in skipped),
    ]


def _prefix(table: FormatTable, partition: Mapping[str, Value] | None) -> Spec:
    if not partition:
        return {}
    table.layout.leading_run(partition)
    table.layout.check_not_blank(partition, _OPERATION, table.full_name)
    check_path_components(table, table.layout.spec(partition))
    return canonical_values(table, partition)


def _present(
    table: FormatTable, plan: RepairPlan, on_disk: Sequence[Spec], rows: Sequence[Partition]
) -> list[Partition]:
    """Partitions that have a directory and are registered, or are about to be."""
    directories = {table.layout.name(spec) for spec in on_disk}
    stay = [
        row
        for row in rows
        if table.layout.name(row.spec) in directories and table.custom_location(row) is None
    ]
    return sorted([*stay, *map(Partition, plan.to_add)], key=lambda row: table.layout.name(row.spec))


def _add_measured(
    table: FormatTable,
    catalog: Catalog,
    rows: Sequence[Partition],
    parallelism: int | None,
    progress: Progress,
) -> None:
    """Measure everything, then register and report: a measurement that fails changes nothing."""
    at_once = (
        int(table.table_options.get("format-table.statistics.parallelism"))
        if parallelism is None
        else parallelism
    )
    measured = measure(table.storage, measured_directories(table, rows), None, at_once, progress=progress)
    reports = [(dict(row.spec), numbers) for row, numbers in zip(rows, measured, strict=True)]
    for start in range(0, len(reports), BATCH):
        batch = reports[start : start + BATCH]
        catalog.create_partitions(
            table.identifier,
            [spec for spec, _ in batch],
            ignore_if_exists=True,
            statistics=batch,
            replace_statistics=True,
        )
        progress("partitions registered and reported", start + len(batch), len(reports))


def _batches(specs: Sequence[Spec]) -> Iterator[tuple[int, Sequence[Spec]]]:
    for start in range(0, len(specs), BATCH):
        batch = specs[start : start + BATCH]
        yield start + len(batch), batch


def _run(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    table = context.table(arguments["table"])
    table.require_managed(_OPERATION)
    text = arguments["partition"]
    actions = repair(
        table,
        mode=arguments["mode"],
        partition=partition_values(table, text) if text is not None else None,
        dry_run=arguments["dry_run"],
        collect_statistics=(
            table.table_options.get("format-table.repair.collect-statistics")
            if arguments["statistics"] is None
            else arguments["statistics"]
        ),
        progress=context.progress,
    )
    return [(entry.partition, entry.action, entry.reason) for entry in actions]


PROCEDURE = Procedure(
    name="repair",
    description="Register partition directories, and unregister partitions without directory.",
    parameters=(
        Parameter("table", "string", description="Table, with or without its database."),
        Parameter("mode", "string", "ADD", "ADD, DROP or SYNC."),
        Parameter(
            "partition", "string", None, "Leading partition values, such as dt=2025-01-01; all when absent."
        ),
        Parameter("dry_run", "boolean", False, "Say what would be done and change nothing."),
        Parameter(
            "statistics",
            "boolean",
            None,
            "Also measure partitions; the option format-table.repair.collect-statistics when absent.",
        ),
    ),
    result=(("partition", "STRING"), ("action", "STRING"), ("reason", "STRING")),
    action=_run,
)
