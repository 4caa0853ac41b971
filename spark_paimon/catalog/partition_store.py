"""Reading and writing the rows of partitions, each function inside the caller's transaction.

Lists of names are sent in chunks and rows in batches, so that a request with many thousand partitions is a
few hundred statements.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import (
    Integer,
    Text,
    bindparam,
    cast,
    column,
    delete,
    func,
    insert,
    or_,
    select,
    true,
    type_coerce,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Connection
from sqlalchemy.sql import ColumnElement, Select

from spark_paimon.catalog.models import Partition, Spec
from spark_paimon.catalog.tables import partitions
from spark_paimon.statistics import PartitionStatistics

CHUNK = 500
"""Names in one IN list; SQLite allowed no more than 999 parameters for a long time."""

_BATCH = 10_000
_COMPACT = json.JSONEncoder(separators=(",", ":"))
_T = TypeVar("_T")


def chunks(items: Sequence[_T], size: int = CHUNK) -> Iterator[Sequence[_T]]:
    """Cut a sequence into pieces.

    Examples
    --------
    >>> list(chunks([1, 2, 3], 2))
    [[1, 2], [3]]
    """
    for start in range(0, len(items), size):
        yield items[start : start + size]


def as_text(value: Any) -> str:
    """JSON as it is stored."""
    return _COMPACT.encode(value)


def end_of(prefix: str) -> str:
    """First text behind all that begin with ``prefix``, which ends with a slash; zero comes next."""
    return prefix[:-1] + "0"


PARTITION_COLUMNS = (
    partitions.c.name,
    partitions.c.spec,
    partitions.c.record_count,
    partitions.c.file_size_in_bytes,
    partitions.c.file_count,
    partitions.c.last_file_creation_time,
    partitions.c.total_buckets,
    partitions.c.options,
    # As the driver has it: a converter for one column would be asked for every value of all columns.
    type_coerce(partitions.c.done, Integer).label("done"),
    partitions.c.created_at,
    partitions.c.updated_at,
)
"""What :func:`read_partitions` takes: the name first, so that rows sort by it."""


def specs_of(rows: Sequence[Sequence[Any]]) -> list[Spec]:
    """Specs of partition rows."""
    # One text and one call for all of them takes half the time of a call for each.
    specs: list[Spec] = json.loads(f"[{','.join([row[1] for row in rows])}]")
    return specs


def read_partitions(rows: Sequence[Sequence[Any]], specs: Sequence[Spec]) -> list[Partition]:
    """Partitions of rows with :data:`PARTITION_COLUMNS`."""
    return [
        Partition(
            spec,
            PartitionStatistics(records, size, files, last, buckets),
            json.loads(options) if options else {},
            bool(done),
            created,
            updated,
        )
        for (_, _, records, size, files, last, buckets, options, done, created, updated), spec in zip(
            rows, specs, strict=True
        )
    ]


def _partitions(connection: Connection, query: Select[Any]) -> dict[str, Partition]:
    """Name to partition of the rows of a query, sorted by name."""
    rows = connection.execute(query).fetchall()
    rows = sorted(rows, key=itemgetter(0))
    return dict(zip([row[0] for row in rows], read_partitions(rows, specs_of(rows)), strict=True))


def _partition_values(partition: Partition) -> dict[str, Any]:
    numbers = partition.statistics
    return {
        "record_count": numbers.record_count,
        "file_size_in_bytes": numbers.file_size_in_bytes,
        "file_count": numbers.file_count,
        "last_file_creation_time": numbers.last_file_creation_time,
        "total_buckets": numbers.total_buckets,
        "options": as_text(dict(partition.options)) if partition.options else None,
        "done": partition.done,
        "updated_at": partition.updated_at,
    }


def partition_query(table_id: int, canonical: str | None = None, complete: bool = False) -> Select[Any]:
    """Query for all partitions of a table, or those below a leading run of values.

    Parameters
    ----------
    canonical
        Canonical name of the leading run.
    complete
        Whether it names all keys.

    Notes
    -----
    It has no ORDER BY: the planner could walk the whole primary key to save a sort of the few rows wanted.
    """
    query = select(*PARTITION_COLUMNS).where(partitions.c.table_id == table_id)
    if canonical is None:
        return query
    column = partitions.c.canonical_name
    if complete:
        # Not written as an equality: without statistics SQLite takes that for hardly better than walking the
        # primary key of the whole table, which it then prefers because it needs no second look-up.
        return query.where(column >= canonical, column <= canonical)
    below = canonical + "/"
    return query.where(column >= below, column < end_of(below))


def find_partitions(
    connection: Connection, table_id: int, canonical: str | None = None, complete: bool = False
) -> list[Partition]:
    """Partitions of a table, sorted by name; see :func:`partition_query`."""
    return list(_partitions(connection, partition_query(table_id, canonical, complete)).values())


def partitions_named(connection: Connection, table_id: int, names: Sequence[str]) -> dict[str, Partition]:
    """Name to partition, for those of the names that are registered."""
    named = _named_in_postgresql if connection.dialect.name == "postgresql" else _named_in_sqlite
    found: dict[str, Partition] = {}
    for chunk in chunks(names):
        found.update(_partitions(connection, named(table_id, chunk)))
    return found


def _named_in_sqlite(table_id: int, names: Sequence[str]) -> Select[Any]:
    return partition_query(table_id).where(partitions.c.name.in_(names))


def _named_in_postgresql(table_id: int, names: Sequence[str]) -> Select[Any]:
    # For an IN list PostgreSQL takes the index in which it believes to find the fewest rows of the table, and
    # compares each of them with each name. One look-up for each name leaves it no choice.
    wanted = func.unnest(cast(list(names), ARRAY(Text))).table_valued(column("name", Text)).render_derived()
    row = partition_query(table_id).where(partitions.c.name == wanted.c.name).limit(1).lateral()
    return select(*row.c).select_from(wanted.join(row, true()))


def count_partitions(connection: Connection, table_id: int) -> int:
    """Count the partitions of a table."""
    query = select(func.count()).select_from(partitions).where(partitions.c.table_id == table_id)
    return int(connection.execute(query).scalar_one())


def special_partitions(connection: Connection, table_id: int, ordinary: Mapping[str, str]) -> list[Partition]:
    """Partitions with options, without those that have exactly the ordinary ones."""
    query = partition_query(table_id).where(partitions.c.options != as_text(dict(ordinary)))
    return list(_partitions(connection, query).values())


def partitions_with(connection: Connection, table_id: int, option: str) -> list[Partition]:
    """Partitions of a table that have an option."""
    return list(_partitions(connection, partition_query(table_id).where(_has_option(option))).values())


def _has_option(option: str) -> ColumnElement[bool]:
    return partitions.c.options.contains(json.dumps(option) + ":", autoescape=True)


def count_partitions_without(connection: Connection, table_id: int, option: str) -> int:
    """Count the partitions of a table that do not have an option."""
    query = select(func.count()).select_from(partitions).where(partitions.c.table_id == table_id)
    return int(
        connection.execute(
            query.where(or_(partitions.c.options.is_(None), ~_has_option(option)))
        ).scalar_one()
    )


def insert_partitions(
    connection: Connection, table_id: int, rows: Iterable[tuple[str, str, Partition]]
) -> None:
    """Add partitions, given as name, canonical name and the partition."""
    values = [
        {
            "table_id": table_id,
            "name": name,
            "canonical_name": canonical,
            "spec": as_text(dict(partition.spec)),
            "created_at": partition.created_at,
            **_partition_values(partition),
        }
        for name, canonical, partition in rows
    ]
    for batch in chunks(values, _BATCH):
        connection.execute(insert(partitions), batch)


def update_partitions(connection: Connection, table_id: int, changed: Mapping[str, Partition]) -> None:
    """Write the fields of partitions that exist, given by name."""
    statement = _one_partition(update(partitions), table_id).values(
        {column: bindparam(f"new_{column}") for column in _CHANGING}
    )
    values = [
        {"old_name": name, **{f"new_{key}": value for key, value in _partition_values(partition).items()}}
        for name, partition in changed.items()
    ]
    for batch in chunks(values, _BATCH):
        connection.execute(statement, batch)


_CHANGING = tuple(_partition_values(Partition({})))


def _one_partition(statement: Any, table_id: int) -> Any:
    return statement.where(partitions.c.table_id == table_id, partitions.c.name == bindparam("old_name"))


def delete_partitions(connection: Connection, table_id: int, names: Sequence[str]) -> None:
    """Remove partitions by name."""
    statement = _one_partition(delete(partitions), table_id)
    for batch in chunks(names, _BATCH):
        connection.execute(statement, [{"old_name": name} for name in batch])


def mark_done(connection: Connection, table_id: int, names: Sequence[str], now: int) -> None:
    """Mark partitions as complete, by name."""
    statement = _one_partition(update(partitions), table_id).values(done=True, updated_at=now)
    for batch in chunks(names, _BATCH):
        connection.execute(statement, [{"old_name": name} for name in batch])


def delete_all_partitions(connection: Connection, table_id: int) -> None:
    """Remove all partitions of a table."""
    connection.execute(delete(partitions).where(partitions.c.table_id == table_id))
