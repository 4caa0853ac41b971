"""``sys.expire_partitions``: drop partitions that are older than a time span."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Any

from spark_paimon import errors
from spark_paimon.catalog.models import Partition
from spark_paimon.options.kinds import parse_duration
from spark_paimon.partition.timestamps import PartitionTimes
from spark_paimon.procedures.model import Parameter, Procedure, ProcedureContext
from spark_paimon.statistics import UNKNOWN
from spark_paimon.table.format_table import FormatTable
from spark_paimon.table.partitions import drop_registered
from spark_paimon.table.selection import all_partitions

_LOG = logging.getLogger(__name__)

EXPIRATION_TIME = "partition.expiration-time"
STRATEGY = "partition.expiration-strategy"
FORMATTER = "partition.timestamp-formatter"
PATTERN = "partition.timestamp-pattern"
_SHOWN = 10


class ExpirationStrategy(Enum):
    """From what the age of a partition is told."""

    VALUES_TIME = "values-time"
    """From its values."""
    UPDATE_TIME = "update-time"
    """From its newest file, as its statistics say."""


def expire_partitions(
    table: FormatTable,
    expiration_time: timedelta,
    strategy: ExpirationStrategy = ExpirationStrategy.VALUES_TIME,
    formatter: str | None = None,
    pattern: str | None = None,
    max_expires: int | None = None,
    dry_run: bool = False,
    now: datetime | None = None,
) -> list[str]:
    """Drop the partitions whose time is longer ago than a time span, directories included.

    Parameters
    ----------
    table
        A table whose partitions the catalog manages.
    expiration_time
        Age from which on a partition is dropped.
    strategy
        Where the time of a partition comes from. A partition that tells none stays: the NULL partition,
        values of another form, or statistics that are not known.
    formatter, pattern
        How values tell a time, see :class:`.PartitionTimes`.
    max_expires
        At most so many, oldest first; all when None.
    dry_run
        Say what would be dropped and change nothing.
    now
        The present, in the zone in which values are meant; in that of this process when None.

    Returns
    -------
    list of str
        Names of the partitions, sorted.

    Raises
    ------
    UnsupportedError
        The partitions come from directories.
    InvalidInputError
        ``PARTITION_TIME_PATTERN``.
    StorageError
        A directory could not be deleted; the partitions are unregistered.
    """
    table.require_managed("DROP PARTITION")
    times = PartitionTimes(table.layout, formatter, pattern)
    present = now or datetime.now().astimezone()
    try:
        before = present - expiration_time
    except OverflowError:
        return []  # nothing is as old as that
    dated: list[tuple[datetime, str, Partition]] = []
    undated: list[str] = []
    for row in all_partitions(table):
        name = table.layout.name(row.spec)
        if strategy is ExpirationStrategy.VALUES_TIME:
            time = times.of(table.layout.values(row.spec))
        else:
            time = _updated(row)
        time = time and time.replace(tzinfo=time.tzinfo or present.tzinfo)
        if time is None:
            undated.append(name)
        elif time < before:
            dated.append((time, name, row))
    if undated:
        _LOG.warning(
            "%s: %d partitions tell no time and stay: %s%s",
            table.full_name,
            len(undated),
            ", ".join(undated[:_SHOWN]),
            ", …" if len(undated) > _SHOWN else "",
        )
    rows = [row for _, _, row in sorted(dated, key=lambda entry: entry[:2])[:max_expires]]
    if dry_run:
        return sorted(table.layout.name(row.spec) for row in rows)
    return drop_registered(table, rows)


def _updated(row: Partition) -> datetime | None:
    millis = row.statistics.last_file_creation_time
    return None if millis == UNKNOWN else datetime.fromtimestamp(millis / 1000, timezone.utc)


def _run(context: ProcedureContext, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    table = context.table(arguments["table"])
    table.require_managed("DROP PARTITION")
    text = arguments["expiration_time"]
    span = (
        table.table_options.get(EXPIRATION_TIME) if text is None else parse_duration(text, "expiration_time")
    )
    if span is None:
        raise errors.InvalidInputError(
            "PROCEDURE_ARGUMENT",
            procedure="expire_partitions",
            reason=f"expiration_time is missing, and so is the option {EXPIRATION_TIME} of the table",
        )
    limit = arguments["max_expires"]
    if limit is not None and limit < 1:
        raise errors.InvalidInputError(
            "PROCEDURE_ARGUMENT", procedure="expire_partitions", reason="max_expires must be at least 1"
        )
    names = expire_partitions(
        table,
        span,
        ExpirationStrategy(_given(table, arguments["expire_strategy"], STRATEGY)),
        formatter=_given(table, arguments["timestamp_formatter"], FORMATTER),
        pattern=_given(table, arguments["timestamp_pattern"], PATTERN),
        max_expires=limit,
        dry_run=arguments["dry_run"],
        now=context.now(),
    )
    return [(name,) for name in names]


def _given(table: FormatTable, argument: str | None, key: str) -> Any:
    """An argument, read as the option whose place it takes."""
    return (table if argument is None else table.copy({key: argument})).table_options.get(key)


PROCEDURE = Procedure(
    name="expire_partitions",
    description="Unregister the partitions that are older than a time span, and delete their directories.",
    parameters=(
        Parameter("table", "string", description="Table, with or without its database."),
        Parameter(
            "expiration_time", "string", None, f"Time span such as '30 d'; {EXPIRATION_TIME} when absent."
        ),
        Parameter("timestamp_formatter", "string", None, f"Such as 'yyyyMMdd'; {FORMATTER} when absent."),
        Parameter("timestamp_pattern", "string", None, f"Such as '$dt $hh:00'; {PATTERN} when absent."),
        Parameter("expire_strategy", "string", None, f"values-time or update-time; {STRATEGY} when absent."),
        Parameter("max_expires", "int", None, "At most so many, oldest first; all when absent."),
        Parameter("dry_run", "boolean", False, "Say what would be dropped and change nothing."),
    ),
    result=(("partition", "STRING"),),
    action=_run,
)
