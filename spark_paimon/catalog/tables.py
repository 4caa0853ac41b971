"""The tables of the catalog database and their version."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import Connection

from spark_paimon import errors
from spark_paimon.catalog.engine import SqlDatabase

SCHEMA_VERSION = 1
"""Version of the tables below; a database with a newer one is refused."""

_metadata = MetaData()

# SQLite compares bytes; PostgreSQL must be told to, or a range of names would follow the rules of a language.
_Name = Text().with_variant(Text(collation="C"), "postgresql")
# SQLite numbers rows only of this exact type.
_Id = BigInteger().with_variant(Integer(), "sqlite")

versions = Table("spark_paimon_version", _metadata, Column("version", Integer, primary_key=True))

databases = Table(
    "spark_paimon_databases",
    _metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("uuid", String(36), nullable=False),
    Column("name", _Name, nullable=False, unique=True),
    Column("folded_name", _Name, nullable=False, index=True),
    Column("location", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("comment", Text),
    Column("owner", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)

tables = Table(
    "spark_paimon_tables",
    _metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("uuid", String(36), nullable=False, index=True),
    Column("database_id", _Id, ForeignKey(databases.c.id), nullable=False),
    Column("name", _Name, nullable=False),
    Column("folded_name", _Name, nullable=False),
    Column("location", _Name, nullable=False, index=True),
    Column("external", Boolean, nullable=False),
    Column("schema_json", Text, nullable=False),
    Column("owner", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    UniqueConstraint("database_id", "name"),
    Index("spark_paimon_tables_folded", "database_id", "folded_name"),
    # A number that was used once never names another table, not even for a reader that is a moment late.
    sqlite_autoincrement=True,
)

partitions = Table(
    "spark_paimon_partitions",
    _metadata,
    Column("table_id", _Id, ForeignKey(tables.c.id), primary_key=True, autoincrement=False),
    Column("name", _Name, primary_key=True),
    # Equal values, equal text: `01` and `1` of an INT key have two names and one canonical name.
    Column("canonical_name", _Name, nullable=False),
    Column("spec", Text, nullable=False),
    Column("record_count", BigInteger, nullable=False),
    Column("file_size_in_bytes", BigInteger, nullable=False),
    Column("file_count", BigInteger, nullable=False),
    Column("last_file_creation_time", BigInteger, nullable=False),
    Column("total_buckets", BigInteger, nullable=False),
    Column("options", Text),
    Column("done", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("spark_paimon_partitions_canonical", "table_id", "canonical_name"),
    sqlite_with_rowid=False,
)


def set_up(database: SqlDatabase) -> None:
    """Create the tables where they are missing and check their version; many processes may do it at once.

    Raises
    ------
    UnsupportedError
        ``CATALOG_VERSION_TOO_NEW``.
    CatalogError
        ``CATALOG_DATABASE_FAILED``.
    """
    with database.read() as connection:
        ready = _is_ready(connection, database)
    if not ready:
        database.retrying(lambda: _create(database), idempotent=True)


def _is_ready(connection: Connection, database: SqlDatabase) -> bool:
    if not inspect(connection).has_table(versions.name):
        return False
    found = connection.execute(select(versions.c.version).order_by(versions.c.version.desc())).scalar()
    if found is not None and found > SCHEMA_VERSION:
        raise errors.UnsupportedError(
            "CATALOG_VERSION_TOO_NEW", database=database.shown_url, version=found, supported=SCHEMA_VERSION
        )
    return found is not None


def _create(database: SqlDatabase) -> None:
    with database.write() as connection:
        if _is_ready(connection, database):
            return
        _metadata.create_all(connection)
        connection.execute(insert(versions), {"version": SCHEMA_VERSION})
