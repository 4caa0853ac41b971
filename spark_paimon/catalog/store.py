"""Reading and writing the rows of the catalog database, each function inside the caller's transaction.

Nothing here decides: the rules are in :mod:`.definitions` and :mod:`.registration`. Lists of names are sent
in chunks and rows in batches, so that a request with many thousand partitions is a few hundred statements.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import and_, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.engine import Connection, Row
from sqlalchemy.sql import ColumnElement, Select

from spark_paimon.catalog.models import Database, Identifier, Partition, TableInfo
from spark_paimon.catalog.tables import databases, partitions, tables
from spark_paimon.schema import TableSchema
from spark_paimon.statistics import PartitionStatistics

CHUNK = 500
"""Names in one IN list; SQLite allowed no more than 999 parameters for a long time."""

_BATCH = 10_000
_T = TypeVar("_T")


@dataclass(frozen=True)
class DatabaseRow:
    """A database and its number."""

    id: int
    database: Database


@dataclass(frozen=True)
class TableRow:
    """A table, its number and the number of its database."""

    id: int
    database_id: int
    info: TableInfo


def fold(name: str) -> str:
    """Return the form in which names that differ by case are equal."""
    return name.casefold()


def chunks(items: Sequence[_T], size: int = CHUNK) -> Iterator[Sequence[_T]]:
    """Cut a sequence into pieces.

    Examples
    --------
    >>> list(chunks([1, 2, 3], 2))
    [[1, 2], [3]]
    """
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


# Databases


def find_database(
    connection: Connection, name: str, case_sensitive: bool, lock: bool = False
) -> DatabaseRow | None:
    """Return the database of that name; with ``lock`` it stays as it is until the transaction ends."""
    query = select(databases).where(_named(databases.c, name, case_sensitive))
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else _database_row(row)


def _named(columns: Any, name: str, case_sensitive: bool) -> ColumnElement[bool]:
    column, value = (columns.name, name) if case_sensitive else (columns.folded_name, fold(name))
    condition: ColumnElement[bool] = column == value
    return condition


def _database_row(row: Row[Any]) -> DatabaseRow:
    database = Database(
        name=row.name,
        location=row.location,
        options=json.loads(row.options),
        comment=row.comment,
        owner=row.owner,
        uuid=row.uuid,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
    return DatabaseRow(row.id, database)


def _database_values(database: Database) -> dict[str, Any]:
    return {
        "uuid": database.uuid,
        "name": database.name,
        "folded_name": fold(database.name),
        "location": database.location,
        "options": _dump(dict(database.options)),
        "comment": database.comment,
        "owner": database.owner,
        "created_at": database.created_at,
        "updated_at": database.updated_at,
    }


def insert_database(connection: Connection, database: Database) -> None:
    """Add a database."""
    connection.execute(insert(databases), _database_values(database))


def update_database(connection: Connection, row_id: int, database: Database) -> None:
    """Write all fields of a database."""
    connection.execute(update(databases).where(databases.c.id == row_id).values(**_database_values(database)))


def delete_database(connection: Connection, row_id: int) -> None:
    """Remove a database that holds no tables."""
    connection.execute(delete(databases).where(databases.c.id == row_id))


def database_names(connection: Connection) -> list[str]:
    """Names of all databases, sorted."""
    return list(connection.execute(select(databases.c.name).order_by(databases.c.name)).scalars())


# Tables


def find_table(
    connection: Connection, database: DatabaseRow, name: str, case_sensitive: bool, lock: bool = False
) -> TableRow | None:
    """Return the table of that name; with ``lock`` nobody else changes it until the transaction ends."""
    query = select(tables).where(tables.c.database_id == database.id, _named(tables.c, name, case_sensitive))
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else _table_row(row, database)


def _table_row(row: Row[Any], database: DatabaseRow) -> TableRow:
    info = TableInfo(
        identifier=Identifier(database.database.name, row.name),
        uuid=row.uuid,
        location=row.location,
        external=row.external,
        schema=TableSchema.from_json(json.loads(row.schema_json)),
        created_at=row.created_at,
        updated_at=row.updated_at,
        owner=row.owner,
    )
    return TableRow(row.id, database.id, info)


def _table_values(info: TableInfo, database_id: int) -> dict[str, Any]:
    return {
        "uuid": info.uuid,
        "database_id": database_id,
        "name": info.identifier.name,
        "folded_name": fold(info.identifier.name),
        "location": info.location,
        "external": info.external,
        "schema_json": _dump(info.schema.to_json()),
        "owner": info.owner,
        "created_at": info.created_at,
        "updated_at": info.updated_at,
    }


def insert_table(connection: Connection, database_id: int, info: TableInfo) -> None:
    """Add a table."""
    connection.execute(insert(tables), _table_values(info, database_id))


def update_table(connection: Connection, row_id: int, database_id: int, info: TableInfo) -> None:
    """Write all fields of a table."""
    connection.execute(update(tables).where(tables.c.id == row_id).values(**_table_values(info, database_id)))


def delete_table(connection: Connection, row_id: int) -> None:
    """Remove a table and its partitions."""
    delete_all_partitions(connection, row_id)
    connection.execute(delete(tables).where(tables.c.id == row_id))


def table_names(connection: Connection, database: DatabaseRow) -> list[str]:
    """Names of the tables of a database, sorted."""
    query = select(tables.c.name).where(tables.c.database_id == database.id).order_by(tables.c.name)
    return list(connection.execute(query).scalars())


def tables_of(connection: Connection, database: DatabaseRow) -> list[TableRow]:
    """All tables of a database."""
    query = select(tables).where(tables.c.database_id == database.id).with_for_update()
    return [_table_row(row, database) for row in connection.execute(query)]


def located_in(connection: Connection, location: str) -> list[tuple[int, str]]:
    """Numbers and locations of the tables whose directory is ``location`` or lies below it."""
    below = location + "/"
    query = select(tables.c.id, tables.c.location).where(
        or_(tables.c.location == location, and_(tables.c.location >= below, tables.c.location < _end(below)))
    )
    return [(row.id, row.location) for row in connection.execute(query)]


def internal_table_around(connection: Connection, location: str) -> int | None:
    """Number of an internal table whose directory is ``location``, holds it or lies below it."""
    below = location + "/"
    parts = location.split("/")
    outer = ["/".join(parts[:count]) for count in range(2, len(parts))]
    here = or_(
        tables.c.location == location,
        tables.c.location.in_(outer),
        and_(tables.c.location >= below, tables.c.location < _end(below)),
    )
    row = connection.execute(select(tables.c.id).where(and_(tables.c.external.is_(False), here))).first()
    return row.id if row else None


def database_locations(connection: Connection) -> list[str]:
    """Directories of all databases."""
    return [row.location for row in connection.execute(select(databases.c.location))]


# Partitions


def _end(prefix: str) -> str:
    """First text behind all that begin with ``prefix``, which ends with a slash; zero comes next."""
    return prefix[:-1] + "0"


def _partition(row: Row[Any]) -> Partition:
    return Partition(
        spec=json.loads(row.spec),
        statistics=PartitionStatistics(
            record_count=row.record_count,
            file_size_in_bytes=row.file_size_in_bytes,
            file_count=row.file_count,
            last_file_creation_time=row.last_file_creation_time,
            total_buckets=row.total_buckets,
        ),
        options=json.loads(row.options) if row.options else {},
        done=row.done,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _partition_values(partition: Partition) -> dict[str, Any]:
    numbers = partition.statistics
    return {
        "record_count": numbers.record_count,
        "file_size_in_bytes": numbers.file_size_in_bytes,
        "file_count": numbers.file_count,
        "last_file_creation_time": numbers.last_file_creation_time,
        "total_buckets": numbers.total_buckets,
        "options": _dump(dict(partition.options)) if partition.options else None,
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
    query = select(partitions).where(partitions.c.table_id == table_id)
    if canonical is None:
        return query
    column = partitions.c.canonical_name
    if complete:
        # Not written as an equality: without statistics SQLite takes that for hardly better than walking the
        # primary key of the whole table, which it then prefers because it needs no second look-up.
        return query.where(column >= canonical, column <= canonical)
    below = canonical + "/"
    return query.where(column >= below, column < _end(below))


def find_partitions(
    connection: Connection, table_id: int, canonical: str | None = None, complete: bool = False
) -> list[Partition]:
    """Partitions of a table, sorted by name; see :func:`partition_query`."""
    rows = connection.execute(partition_query(table_id, canonical, complete))
    found = [(row.name, _partition(row)) for row in rows]
    found.sort(key=lambda pair: pair[0])
    return [partition for _, partition in found]


def partitions_named(connection: Connection, table_id: int, names: Sequence[str]) -> dict[str, Partition]:
    """Name to partition, for those of the names that are registered."""
    found: dict[str, Partition] = {}
    for chunk in chunks(names):
        query = select(partitions).where(partitions.c.table_id == table_id, partitions.c.name.in_(chunk))
        found.update((row.name, _partition(row)) for row in connection.execute(query))
    return found


def count_partitions(connection: Connection, table_id: int) -> int:
    """Count the partitions of a table."""
    query = select(func.count()).select_from(partitions).where(partitions.c.table_id == table_id)
    return int(connection.execute(query).scalar_one())


def special_partitions(connection: Connection, table_id: int, ordinary: Mapping[str, str]) -> list[Partition]:
    """Partitions with options, without those that have exactly the ordinary ones."""
    query = partition_query(table_id).where(partitions.c.options != _dump(dict(ordinary)))
    return [_partition(row) for row in connection.execute(query)]


def count_partitions_without(connection: Connection, table_id: int, option: str) -> int:
    """Count the partitions of a table that do not have an option."""
    key = partitions.c.options.contains(json.dumps(option) + ":", autoescape=True)
    query = select(func.count()).select_from(partitions).where(partitions.c.table_id == table_id)
    return int(connection.execute(query.where(or_(partitions.c.options.is_(None), ~key))).scalar_one())


def insert_partitions(
    connection: Connection, table_id: int, rows: Iterable[tuple[str, str, Partition]]
) -> None:
    """Add partitions, given as name, canonical name and the partition."""
    values = [
        {
            "table_id": table_id,
            "name": name,
            "canonical_name": canonical,
            "spec": _dump(dict(partition.spec)),
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
    for chunk in chunks(names):
        connection.execute(
            delete(partitions).where(partitions.c.table_id == table_id, partitions.c.name.in_(chunk))
        )


def mark_done(connection: Connection, table_id: int, names: Sequence[str], now: int) -> None:
    """Mark partitions as complete, by name."""
    for chunk in chunks(names):
        connection.execute(
            update(partitions)
            .where(partitions.c.table_id == table_id, partitions.c.name.in_(chunk))
            .values(done=True, updated_at=now)
        )


def delete_all_partitions(connection: Connection, table_id: int) -> None:
    """Remove all partitions of a table."""
    connection.execute(delete(partitions).where(partitions.c.table_id == table_id))
