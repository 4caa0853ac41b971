"""``sys.add_partition``, ``sys.alter_partition``, ``sys.drop_partitions`` and ``sys.mark_partition_done``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark_paimon import errors
from spark_paimon.partition.predicate import Not, parse
from spark_paimon.procedures.clause import partition_values
from spark_paimon.procedures.model import Parameter, Procedure, ProcedureContext
from spark_paimon.procedures.where import parse_where
from spark_paimon.table.format_table import FormatTable
from spark_paimon.table.partitions import (
    add_partitions,
    alter_partition,
    drop_registered,
    mark_partitions_done,
)
from spark_paimon.table.selection import checked_rows

_RESULT = (("partition", "STRING"),)


def drop_partitions_where(table: FormatTable, where: str, dry_run: bool = False) -> list[str]:
    """Drop the registered partitions for which a condition is true, directories included.

    Parameters
    ----------
    table
        A table whose partitions the catalog manages.
    where
        Condition on partition columns, see :mod:`spark_paimon.procedures.where`.
    dry_run
        Say what would be dropped and change nothing.

    Returns
    -------
    list of str
        Names of the partitions, sorted.

    Raises
    ------
    UnsupportedError
        The partitions come from directories.
    InvalidInputError, NoSuchColumnError
        The condition cannot be understood.
    StorageError
        A directory could not be deleted; the partitions are unregistered.
    """
    catalog = table.require_managed("DROP PARTITION")
    tree = parse_where(where, table.layout, table.full_name)
    predicate = parse(tree, table.layout.columns)
    prefix = table.layout.prefix(predicate.leading_equalities(table.partition_keys))
    rows = checked_rows(table, catalog.list_partitions(table.identifier, prefix=prefix or None))
    opposite = Not(predicate)
    doomed = []
    for row in rows:
        # Every column has a value, so the condition is decided; what is in doubt stays (padding of CHAR).
        values = table.layout.values(row.spec)
        if predicate.may_match(values) and not opposite.may_match(values):
            doomed.append(row)
    if dry_run:
        return sorted(table.layout.name(row.spec) for row in doomed)
    return drop_registered(table, doomed)


def _drop(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    names = drop_partitions_where(
        context.table(arguments["table"]), arguments["where"], dry_run=arguments["dry_run"]
    )
    return [(name,) for name in names]


def _add(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    table = context.table(arguments["table"])
    table.require_managed("ADD PARTITION")
    values = partition_values(table, arguments["partition"])
    options = dict(arguments["options"] or {})
    if arguments["location"] is not None:
        if any(key.lower() == "location" for key in options):
            raise errors.InvalidInputError(
                "PARTITION_OPTIONS_INVALID",
                table=table.full_name,
                reason="the location is given twice, as argument and as option",
            )
        options["location"] = arguments["location"]
    return [(name,) for name in add_partitions(table, [values], options=[options])]


def _alter(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    table = context.table(arguments["table"])
    table.require_managed("ALTER PARTITION")
    values = partition_values(table, arguments["partition"])
    return [(name,) for name in alter_partition(table, values, arguments["options"])]


def _mark_done(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    table = context.table(arguments["table"])
    table.require_managed("MARK PARTITION DONE")
    names = [name.strip() for name in arguments["partitions"].split(";")]
    partitions = [partition_values(table, name) for name in names if name]
    if not partitions:
        raise errors.InvalidInputError(
            "PROCEDURE_ARGUMENT", procedure="mark_partition_done", reason="partitions names none"
        )
    return [(name,) for name in mark_partitions_done(table, partitions)]


ADD_PARTITION = Procedure(
    name="add_partition",
    description="Register a partition, and create its directory unless it has a location of its own.",
    parameters=(
        Parameter("table", "string", description="Table, with or without its database."),
        Parameter("partition", "string", description="Partition values, such as dt=2025-01-01/hh=10."),
        Parameter("location", "string", None, "Where its files lie, outside of the table: s3://bucket/x."),
        Parameter("options", "map<string,string>", None, "Options of the registration, such as file.format."),
    ),
    result=_RESULT,
    action=_add,
)

ALTER_PARTITION = Procedure(
    name="alter_partition",
    description="Set options of a registered partition, such as the format that its files have.",
    parameters=(
        Parameter("table", "string", description="Table, with or without its database."),
        Parameter("partition", "string", description="Partition values, such as dt=2025-01-01/hh=10."),
        Parameter("options", "map<string,string>", description="Options to set, such as file.format."),
    ),
    result=_RESULT,
    action=_alter,
)

MARK_PARTITION_DONE = Procedure(
    name="mark_partition_done",
    description="Mark registered partitions as complete in the catalog.",
    parameters=(
        Parameter("table", "string", description="Table, with or without its database."),
        Parameter(
            "partitions", "string", description="Partitions, such as dt=2025-01-01/hh=10;dt=2025-01-02/hh=10."
        ),
    ),
    result=_RESULT,
    action=_mark_done,
)

DROP_PARTITIONS = Procedure(
    name="drop_partitions",
    description="Unregister the partitions for which a condition is true, and delete their directories.",
    parameters=(
        Parameter("table", "string", description="Table, with or without its database."),
        Parameter(
            "where", "string", description="Condition on partition columns, such as dt < '2024-01-01'."
        ),
        Parameter("dry_run", "boolean", False, "Say what would be dropped and change nothing."),
    ),
    result=_RESULT,
    action=_drop,
)
