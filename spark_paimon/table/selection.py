"""Which partitions a table has, and which of them a statement means.

The answer comes from one place: the catalog where it manages the partitions, the directories otherwise. A
value of a statement means every partition that *has* this value, however its directory spells it: ``01``
and ``1`` of an INT column, the day number and the date of a DATE column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from spark_paimon import errors
from spark_paimon.catalog.models import Partition, Spec
from spark_paimon.catalog.registration import custom_location
from spark_paimon.partition.discovery import discover
from spark_paimon.partition.location import Occupied
from spark_paimon.partition.predicate import Predicate
from spark_paimon.partition.values import Value
from spark_paimon.table.format_table import PARTITION_PATH, FormatTable

# Up to so many narrow listings are asked for one by one; beyond, one listing of everything is cheaper.
_LISTINGS = 32


def all_partitions(table: FormatTable) -> list[Partition]:
    """Return every partition of a partitioned table, sorted by name.

    Raises
    ------
    IllegalStateError
        ``PARTITION_METADATA_CORRUPT``: a row of the catalog that cannot be a partition of the table.
    """
    return registered(table) if table.managed else discovered(table)


def registered(table: FormatTable, prefix: Mapping[str, str] | None = None) -> list[Partition]:
    """Return the partitions that the catalog holds, those with the leading values ``prefix`` only when given.

    Raises
    ------
    IllegalStateError
        ``PARTITION_METADATA_CORRUPT``.
    """
    catalog = table.require_managed("SHOW PARTITIONS")
    return checked_rows(table, catalog.list_partitions(table.identifier, prefix=prefix or None))


def discovered(
    table: FormatTable, predicate: Predicate | None = None, prefix: Mapping[str, str] | None = None
) -> list[Partition]:
    """Return the partitions that there are directories for, with nothing known about them.

    One whose directory has another name than its value would get here carries it as the option ``path``.
    """
    found = discover(
        table.storage,
        table.location,
        table.layout,
        predicate=predicate,
        prefix=prefix,
        metadata_directories=table.metadata_directories,
        parallelism=table.list_parallelism,
    )
    return [
        Partition(entry.spec, options={} if entry.exact else {PARTITION_PATH: entry.path})
        for entry in found.entries
    ]


def files_location(table: FormatTable, row: Partition) -> str:
    """Directory whose files are replaced when a partition is: never one outside of the table."""
    if table.managed:
        return table.partition_location(row.spec)
    return table.custom_location(row) or table.partition_location(row.spec)


def checked_rows(table: FormatTable, rows: Iterable[Partition]) -> list[Partition]:
    """Return rows of the catalog without repetitions, refusing the listing when one of them cannot be right.

    Raises
    ------
    IllegalStateError
        ``PARTITION_METADATA_CORRUPT``.
    """
    keys = set(table.partition_keys)
    unique: dict[tuple[str, ...], Partition] = {}
    for row in rows:
        if set(row.spec) != keys:
            reason = f"the partition {dict(row.spec)} has not exactly the keys {list(table.partition_keys)}"
            raise _corrupt(table, reason)
        try:
            table.layout.path(row.spec)
        except errors.InvalidInputError as error:
            raise _corrupt(table, error.text) from error
        key = tuple(row.spec[key] for key in table.partition_keys)
        if unique.setdefault(key, row) is not row and unique[key].options != row.options:
            raise _corrupt(table, f"the partition {table.layout.name(row.spec)} is there twice, and differs")
        _check_location(table, row)
    return list(unique.values())


def _check_location(table: FormatTable, row: Partition) -> None:
    location = table.custom_location(row)
    if location is None:
        return
    try:
        custom_location(table.full_name, table.location, table.layout.name(row.spec), location)
    except errors.InvalidInputError as error:
        raise _corrupt(table, error.text.rstrip(".")) from error


def check_no_overlaps(table: FormatTable, rows: Iterable[Partition]) -> None:
    """Refuse partitions whose directories are the same or lie in each other: their rows would count twice.

    Not for DROP, which is how such a listing is repaired.

    Raises
    ------
    IllegalStateError
        ``PARTITION_METADATA_CORRUPT``.
    """
    taken = Occupied()
    for row in rows:
        location = table.custom_location(row) if table.managed else None
        # Default directories lie in the table and never in each other, custom locations outside of it.
        if location is None:
            continue
        name = table.layout.name(row.spec)
        owner = taken.add(location, name)
        if owner is not None:
            raise _corrupt(table, f"the partitions {owner} and {name} have overlapping locations")


def _corrupt(table: FormatTable, reason: str) -> errors.IllegalStateError:
    return errors.IllegalStateError("PARTITION_METADATA_CORRUPT", table=table.full_name, reason=reason)


def canonical_values(table: FormatTable, values: Mapping[str, Value]) -> Spec:
    """One text for each value as it comes back from a directory: equal texts mean the same partition."""
    return table.layout.canonical(table.layout.spec(values))


def select(table: FormatTable, wanted: Sequence[Mapping[str, Value]]) -> list[list[Partition]]:
    """Return, for each set of values, the partitions that have these values.

    Parameters
    ----------
    table
        A partitioned table.
    wanted
        Values for any columns, leading ones or not; none at all means every partition.

    Returns
    -------
    list of list of Partition
        Aligned with ``wanted``; every list sorted by name.
    """
    if not wanted:
        return []
    texts = [canonical_values(table, values) for values in wanted]
    return _matching(table, _candidates(table, texts), texts)


def _candidates(table: FormatTable, wanted: Sequence[Spec]) -> list[Partition]:
    """Rows among which all the wanted ones are: from the narrowest listings of which there are few."""
    runs = [tuple(_leading(table, texts).items()) for texts in wanted]
    for length in range(min(map(len, runs)), 0, -1):
        prefixes = dict.fromkeys(run[:length] for run in runs)
        if len(prefixes) <= _LISTINGS:
            return [row for prefix in prefixes for row in _listed(table, dict(prefix))]
    return all_partitions(table)


def _listed(table: FormatTable, prefix: Spec) -> list[Partition]:
    return registered(table, prefix) if table.managed else discovered(table, prefix=prefix)


def _leading(table: FormatTable, texts: Spec) -> Spec:
    run: Spec = {}
    for key in table.partition_keys:
        if key not in texts:
            break
        run[key] = texts[key]
    return run


def _matching(table: FormatTable, rows: Sequence[Partition], wanted: Sequence[Spec]) -> list[list[Partition]]:
    """Match by an index for each set of columns, so that many values do not mean many passes."""
    canonical = [(row, _canonical(table, row)) for row in rows]
    index: defaultdict[tuple[tuple[str, str], ...], list[Partition]] = defaultdict(list)
    for columns in {tuple(entry) for entry in wanted}:
        for row, texts in canonical:
            if texts is not None:
                index[tuple((column, texts[column]) for column in columns)].append(row)
    return [list(index.get(tuple(entry.items()), ())) for entry in wanted]


def _canonical(table: FormatTable, row: Partition) -> Spec | None:
    """Texts to compare, None for a row that holds no values of its columns' types: nothing can name it."""
    try:
        return table.layout.canonical(row.spec)
    except errors.InvalidInputError:
        return None


def united(selections: Iterable[Sequence[Partition]]) -> list[Partition]:
    """Return the partitions of several selections, each once, in the order of their first appearance."""
    unique: dict[tuple[tuple[str, str], ...], Partition] = {}
    for rows in selections:
        for row in rows:
            unique.setdefault((*sorted(row.spec.items()), ("", row.options.get(PARTITION_PATH, ""))), row)
    return list(unique.values())


def check_path_components(table: FormatTable, spec: Mapping[str, str]) -> None:
    """Check that the texts of a spec, complete or not, can be directories.

    Raises
    ------
    InvalidInputError
        ``PARTITION_VALUE_NOT_PATH``.
    """
    columns = tuple(column for column in table.layout.columns if column.name in spec)
    replace(table.layout, columns=columns).path(spec)
