"""Reading and writing the rows of databases and tables, each function inside the caller's transaction.

Nothing here decides: the rules are in :mod:`.definitions` and :mod:`.registration`. Rows of partitions are in
:mod:`.partition_store`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    and_,
    delete,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.engine import Connection, Row
from sqlalchemy.sql import ColumnElement

from spark_paimon.catalog.models import Database, Identifier, TableInfo
from spark_paimon.catalog.partition_store import as_text, chunks, delete_all_partitions, end_of
from spark_paimon.catalog.tables import databases, tables, versions
from spark_paimon.schema import TableSchema


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


# Databases


def find_database(
    connection: Connection, name: str, case_sensitive: bool, lock: bool = False
) -> DatabaseRow | None:
    """Return the database of that name; with ``lock`` it stays as it is until the transaction ends."""
    query = select(databases).where(_named(databases.c, name, case_sensitive))
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else _database_row(row)


def lock_databases(connection: Connection, numbers: Iterable[int]) -> None:
    """Keep databases as they are until the transaction ends."""
    query = select(databases.c.id).where(databases.c.id.in_(sorted(set(numbers)))).order_by(databases.c.id)
    connection.execute(query.with_for_update()).fetchall()


def lock_names_of_databases(connection: Connection) -> None:
    """Let nobody else add a database until the transaction ends."""
    connection.execute(select(versions).with_for_update()).fetchall()


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
        "options": as_text(dict(database.options)),
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
    return None if row is None else _table_row(row, database.id, database.database.name)


def _table_row(row: Row[Any], database_id: int, database: str) -> TableRow:
    info = TableInfo(
        identifier=Identifier(database, row.name),
        uuid=row.uuid,
        location=row.location,
        external=row.external,
        schema=TableSchema.from_json(json.loads(row.schema_json)),
        created_at=row.created_at,
        updated_at=row.updated_at,
        owner=row.owner,
    )
    return TableRow(row.id, database_id, info)


def _table_values(info: TableInfo, database_id: int) -> dict[str, Any]:
    return {
        "uuid": info.uuid,
        "database_id": database_id,
        "name": info.identifier.name,
        "folded_name": fold(info.identifier.name),
        "location": info.location,
        "external": info.external,
        "schema_json": as_text(info.schema.to_json()),
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


def tables_of(
    connection: Connection, database: DatabaseRow, names: Sequence[str] | None = None, lock: bool = False
) -> list[TableRow]:
    """The tables of a database, or those of these exact names, sorted by name."""
    query = select(tables).where(tables.c.database_id == database.id).order_by(tables.c.name)
    if lock:
        query = query.with_for_update()
    parts = (
        [query] if names is None else [query.where(tables.c.name.in_(part)) for part in chunks(sorted(names))]
    )
    return [
        _table_row(row, database.id, database.database.name)
        for part in parts
        for row in connection.execute(part)
    ]


def find_table_by_uuid(connection: Connection, uuid: str) -> TableRow | None:
    """The table with that identity."""
    query = (
        select(tables, databases.c.name.label("database_name"))
        .join(databases, databases.c.id == tables.c.database_id)
        .where(tables.c.uuid == uuid)
    )
    row = connection.execute(query).first()
    return None if row is None else _table_row(row, row.database_id, row.database_name)


def located_in(connection: Connection, location: str) -> list[tuple[int, str]]:
    """Numbers and locations of the tables whose directory is ``location`` or lies below it."""
    below = location + "/"
    query = select(tables.c.id, tables.c.location).where(
        or_(
            tables.c.location == location, and_(tables.c.location >= below, tables.c.location < end_of(below))
        )
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
        and_(tables.c.location >= below, tables.c.location < end_of(below)),
    )
    row = connection.execute(select(tables.c.id).where(and_(tables.c.external.is_(False), here))).first()
    return row.id if row else None


def database_locations(connection: Connection) -> list[str]:
    """Directories of all databases."""
    return [row.location for row in connection.execute(select(databases.c.location))]
