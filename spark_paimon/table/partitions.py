"""ADD, DROP and TRUNCATE of partitions: what is checked first, what the catalog is told, what happens to
files.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from spark_paimon import errors
from spark_paimon.catalog.models import Partition, Spec
from spark_paimon.catalog.registration import custom_location
from spark_paimon.parallel import attach, attempt_all
from spark_paimon.partition.values import Value
from spark_paimon.schema import TextType
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.table.commit.recovery import settle_killed
from spark_paimon.table.format_table import PARTITION_PATH, FormatTable
from spark_paimon.table.selection import (
    all_partitions,
    check_path_components,
    files_location,
    select,
    united,
)

_DELETIONS = 8
_LOCATION_KEYS = ("location", PARTITION_PATH)


def partition_exists(table: FormatTable, values: Mapping[str, Value], operation: str = "PARTITION") -> bool:
    """Whether the table has a partition with these values, under whatever spelling.

    Parameters
    ----------
    table
        A partitioned table.
    values
        A value for each partition column.
    operation
        What an error calls the statement.

    Raises
    ------
    InvalidInputError
        A blank text, which would silently mean the NULL partition, or a value that has no directory.
    """
    require_partitioned(table, operation)
    _checked(table, values, operation)
    return bool(select(table, [values])[0])


def select_partitions(table: FormatTable, values: Mapping[str, Value] | None = None) -> list[Partition]:
    """Return the partitions with these values for any of the columns, sorted by name; all of them without
    values.

    Registered ones where the catalog manages them, otherwise one for each directory.
    """
    require_partitioned(table, "SHOW PARTITIONS")
    return select(table, [values])[0] if values else all_partitions(table)


def add_partitions(
    table: FormatTable,
    partitions: Sequence[Mapping[str, Value]],
    ignore_if_exists: bool = False,
    options: Sequence[Mapping[str, str]] | None = None,
) -> list[str]:
    """Register partitions and create their directories.

    Parameters
    ----------
    table
        A table whose partitions the catalog manages.
    partitions
        A value for each partition column, for each partition.
    ignore_if_exists
        Whether a partition that is registered already is fine. Otherwise one of them fails the whole batch.
    options
        Options of each registration, aligned with ``partitions``. ``location`` or ``path``, in any case, is
        where the files of the partition lie, outside of the table: it is neither created nor looked at.

    Returns
    -------
    list of str
        Names of the partitions, in the order of the request.

    Raises
    ------
    UnsupportedError
        The partitions come from directories.
    InvalidInputError
        A value is missing, blank or has no directory, or ``PARTITION_LOCATION_INVALID``; nothing was changed.
    PartitionsExistError
        From the catalog; nothing was registered.
    StorageError
        A directory could not be created. The partitions are registered; adding them again, with
        ``ignore_if_exists``, creates what is missing.
    """
    operation = "ADD PARTITION"
    catalog = table.require_managed(operation)
    specs = [_complete(table, values, operation) for values in partitions]
    specs = _as_registered(table, partitions, specs)
    locations = [table.partition_location(spec) for spec in specs]
    names = [table.layout.name(spec) for spec in specs]
    given = _stored_options(table, names, options or [{} for _ in names])
    if not specs:
        return []
    table.check_not_delta()
    result = catalog.create_partitions(
        table.identifier, specs, ignore_if_exists=ignore_if_exists, options=given if any(given) else None
    )
    elsewhere = {
        location for location, stored in zip(locations, given, strict=True) if PARTITION_PATH in stored
    }
    if result.existed:
        # DROP would leave the empty default directory of one that lies elsewhere, and MSCK register it again.
        rows = catalog.list_partitions_by_names(table.identifier, result.existed)
        elsewhere.update(table.partition_location(row.spec) for row in rows if table.custom_location(row))
    for location in dict.fromkeys(locations):
        if location not in elsewhere:
            table.storage.make_directory(location)
    return names


def _as_registered(
    table: FormatTable, partitions: Sequence[Mapping[str, Value]], specs: Sequence[Spec]
) -> list[Spec]:
    """Specs in the spelling under which their values are registered, if they are: ``01`` is the number 1."""
    if all(isinstance(column.type, TextType) for column in table.layout.columns):
        return list(specs)
    found = select(table, partitions)
    return [
        dict(rows[0].spec) if rows and all(row.spec != spec for row in rows) else spec
        for spec, rows in zip(specs, found, strict=True)
    ]


def alter_partition(table: FormatTable, values: Mapping[str, Value], options: Mapping[str, str]) -> list[str]:
    """Set options of a registered partition; the others stay. No file is touched.

    Parameters
    ----------
    table
        A table whose partitions the catalog manages.
    values
        A value for each partition column.
    options
        ``file.format`` says what the files of the partition are; other keys are stored as they are.

    Returns
    -------
    list of str
        Names of the partitions that have these values; more than one where a value has several spellings.

    Raises
    ------
    UnsupportedError
        The partitions come from directories, or ``PARTITION_LOCATION_FIXED``.
    InvalidInputError
        There are no options, the format does not exist or cannot store the columns, or a value is missing or
        blank; nothing was changed.
    NoSuchPartitionError
        ``PARTITIONS_NOT_FOUND``.
    """
    operation = "ALTER PARTITION"
    catalog = table.require_managed(operation)
    spec = _complete(table, values, operation)
    name = table.layout.name(spec)
    if any(key.strip().lower() in _LOCATION_KEYS for key in options):
        raise errors.UnsupportedError("PARTITION_LOCATION_FIXED", partition=name, table=table.full_name)
    if not options:
        raise errors.InvalidInputError(
            "PARTITION_OPTIONS_INVALID",
            table=table.full_name,
            reason="with none, nothing would change",
        )
    (rows,) = select(table, [values])
    if not rows:
        raise errors.NoSuchPartitionError("PARTITIONS_NOT_FOUND", table=table.full_name, partitions=name)
    specs = [row.spec for row in rows]
    catalog.create_partitions(
        table.identifier, specs, ignore_if_exists=True, options=[dict(options) for _ in specs]
    )
    return [table.layout.name(found) for found in specs]


def mark_partitions_done(table: FormatTable, partitions: Sequence[Mapping[str, Value]]) -> list[str]:
    """Mark registered partitions as complete, for those who ask the catalog whether they can be used.

    Parameters
    ----------
    table
        A table whose partitions the catalog manages.
    partitions
        A value for each partition column, for each partition.

    Returns
    -------
    list of str
        Names of the partitions, sorted.

    Raises
    ------
    UnsupportedError
        The partitions come from directories.
    InvalidInputError
        A value is missing, blank or has no directory.
    NoSuchPartitionError
        ``PARTITIONS_NOT_FOUND``; none is marked.
    """
    operation = "MARK PARTITION DONE"
    catalog = table.require_managed(operation)
    for values in partitions:
        _complete(table, values, operation)
    selections = select(table, partitions)
    _require_found(table, partitions, selections)
    rows = united(selections)
    catalog.mark_partitions_done(table.identifier, [row.spec for row in rows])
    return sorted(table.layout.name(row.spec) for row in rows)


def _stored_options(
    table: FormatTable, names: Sequence[str], options: Sequence[Mapping[str, str]]
) -> list[dict[str, str]]:
    """Options as the catalog stores them: a location, if there is one, in its one spelling as ``path``."""
    if len(options) != len(names):
        raise errors.InvalidInputError(
            "PARTITION_OPTIONS_MISMATCH", table=table.full_name, options=len(options), partitions=len(names)
        )
    result = []
    for name, given in zip(names, options, strict=True):
        if not all(isinstance(text, str) for pair in given.items() for text in pair):
            raise errors.InvalidInputError(
                "PARTITION_OPTIONS_INVALID", table=table.full_name, reason=f"those of {name} hold a null"
            )
        stored = {key: text for key, text in given.items() if key.strip().lower() not in _LOCATION_KEYS}
        locations = [text for key, text in given.items() if key not in stored]
        if len(locations) > 1:
            raise errors.InvalidInputError(
                "PARTITION_OPTIONS_INVALID",
                table=table.full_name,
                reason=f"those of {name} name its location more than once",
            )
        for text in locations:
            stored[PARTITION_PATH] = custom_location(table.full_name, table.location, name, text)
        result.append(stored)
    return result


def drop_partitions(
    table: FormatTable, partitions: Sequence[Mapping[str, Value]], ignore_if_not_exists: bool = False
) -> list[str]:
    """Unregister partitions and delete their directories.

    Parameters
    ----------
    table
        A table whose partitions the catalog manages.
    partitions
        Values for all or some of the partition columns; some of them mean every partition that has these
        values.
    ignore_if_not_exists
        Whether a complete spec that is not registered is fine; its directory then stays, since it may hold
        data that waits for its registration. A partial one that matches nothing is always fine.

    Returns
    -------
    list of str
        Names of the dropped partitions, sorted.

    Raises
    ------
    UnsupportedError
        The partitions come from directories.
    InvalidInputError
        A value is blank or has no directory; nothing was changed.
    NoSuchPartitionError
        ``PARTITIONS_NOT_FOUND``; nothing was changed.
    StorageError
        A directory could not be deleted. The partitions are unregistered, so what is left of them is
        invisible.
    """
    operation = "DROP PARTITION"
    table.require_managed(operation)
    for values in partitions:
        _checked(table, values, operation)
    selections = select(table, partitions)
    if not ignore_if_not_exists:
        _require_found(table, partitions, selections)
    return drop_registered(table, united(selections))


def drop_registered(table: FormatTable, rows: Sequence[Partition]) -> list[str]:
    """Unregister exactly these partitions and delete their default directories; see
    :func:`drop_partitions`.
    """
    catalog = table.require_managed("DROP PARTITION")
    if not rows:
        return []
    table.check_not_delta()
    # What a killed write would still bring must not appear in a directory that was dropped.
    settle_killed(table)
    # Everything is worked out before anything changes: a bad path must not stop the work half way.
    locations = [table.partition_location(row.spec) for row in rows if table.custom_location(row) is None]
    catalog.drop_partitions(table.identifier, [row.spec for row in rows], ignore_if_not_exists=True)
    failures = attempt_all(table.storage.delete_directory, locations, _DELETIONS)
    if failures:
        raise attach(failures)
    return sorted(table.layout.name(row.spec) for row in rows)


def truncate(
    table: FormatTable,
    partitions: Sequence[Mapping[str, Value]] | None = None,
    now_millis: int | None = None,
) -> list[str]:
    """Delete the committed data files of a table or of partitions; directories and registrations stay.

    Parameters
    ----------
    table
        Any format table.
    partitions
        Values for a leading run of the partition columns, for each partition or group of them; None for the
        whole table.
    now_millis
        Time of the truncation in epoch milliseconds, for the statistics.

    Returns
    -------
    list of str
        Names of the emptied partitions, sorted; empty for an unpartitioned table.

    Raises
    ------
    InvalidInputError
        The table is not partitioned, the columns are not leading ones, or a value is blank or has no
        directory.
    NoSuchPartitionError
        ``PARTITIONS_NOT_FOUND``: a complete spec that the table does not have.
    StorageError
        ``TRUNCATE_FAILED``. The partitions that were emptied before are reported to the catalog as empty.
    """
    operation = "TRUNCATE TABLE"
    table.check_not_delta()
    settle_killed(table)
    if partitions is None:
        if not table.partitioned:
            _empty(table, table.location, table.metadata_directories)
            return []
        rows = all_partitions(table)
    else:
        require_partitioned(table, operation)
        for values in partitions:
            table.layout.leading_run(values)
            _checked(table, values, operation)
        selections = select(table, partitions)
        _require_found(table, partitions, selections)
        rows = united(selections)
    _truncate_rows(table, rows, time.time_ns() // 1_000_000 if now_millis is None else now_millis)
    return sorted(table.layout.name(row.spec) for row in rows)


def _truncate_rows(table: FormatTable, rows: Sequence[Partition], now_millis: int) -> None:
    locations = [files_location(table, row) for row in rows]
    emptied: list[Partition] = []
    for row, location in zip(rows, locations, strict=True):
        try:
            _empty(table, location)
        except errors.StorageError as error:
            failures: list[BaseException] = [
                errors.StorageError(
                    "TRUNCATE_FAILED",
                    table=table.full_name,
                    emptied=len(emptied),
                    partitions=len(rows),
                    path=error.parameters.get("path", location),
                    reason=error.text,
                )
            ]
            failures += attempt_all(lambda done: _report_empty(table, done, now_millis), [emptied])
            raise attach(failures) from error
        emptied.append(row)
    _report_empty(table, emptied, now_millis)


def _empty(table: FormatTable, location: str, metadata_directories: Iterable[str] = ()) -> None:
    try:
        files = table.storage.data_files(location, tuple(metadata_directories))
    except FileNotFoundError:
        return
    for file in files:
        table.storage.delete_file(file.path)


def _report_empty(table: FormatTable, rows: Sequence[Partition], now_millis: int) -> None:
    """Tell the catalog that partitions are empty, and that they lie in their default directories from now
    on.
    """
    if table.managed and rows:
        zero = PartitionStatistics.exact_zero(now_millis)
        table.require_managed("TRUNCATE TABLE").create_partitions(
            table.identifier,
            [row.spec for row in rows],
            ignore_if_exists=True,
            statistics=[(row.spec, zero) for row in rows],
            replace_statistics=True,
            options=[{PARTITION_PATH: table.partition_location(row.spec)} for row in rows],
        )


def _complete(table: FormatTable, values: Mapping[str, Value], operation: str) -> Spec:
    spec = _checked(table, values, operation)
    if set(spec) != set(table.partition_keys):
        raise errors.InvalidInputError(
            "PARTITION_VALUES_MISSING",
            operation=operation,
            table=table.full_name,
            keys=", ".join(table.partition_keys),
            partition=spec,
        )
    return spec


def _checked(table: FormatTable, values: Mapping[str, Value], operation: str) -> Spec:
    """Text of the values, after checking that each of them can be a directory and means what it says."""
    table.layout.check_not_blank(values, operation, table.full_name)
    spec = table.layout.spec(values)
    check_path_components(table, spec)
    return spec


def require_partitioned(table: FormatTable, operation: str) -> None:
    """Refuse a statement about partitions on a table that has none.

    Raises
    ------
    InvalidInputError
        ``TABLE_NOT_PARTITIONED``.
    """
    if not table.partitioned:
        raise errors.InvalidInputError("TABLE_NOT_PARTITIONED", operation=operation, table=table.full_name)


def _require_found(
    table: FormatTable,
    partitions: Sequence[Mapping[str, Value]],
    selections: Sequence[Sequence[Partition]],
) -> None:
    missing = [
        table.layout.name(table.layout.spec(values))
        for values, rows in zip(partitions, selections, strict=True)
        if not rows and len(values) == len(table.partition_keys)
    ]
    if missing:
        raise errors.NoSuchPartitionError(
            "PARTITIONS_NOT_FOUND", table=table.full_name, partitions=", ".join(missing)
        )
