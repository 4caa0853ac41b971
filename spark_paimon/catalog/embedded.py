"""The catalog in a database: a SQLite file inside the warehouse, or the database that ``uri`` names."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import IntegrityError

from spark_paimon import errors
from spark_paimon.catalog import definitions, partition_store, store
from spark_paimon.catalog.engine import SqlDatabase
from spark_paimon.catalog.evolution import Contents, altered
from spark_paimon.catalog.interface import DEFAULT_DATABASE, Catalog
from spark_paimon.catalog.models import (
    CreateResult,
    Database,
    DropResult,
    Identifier,
    Partition,
    PartitionPage,
    TableInfo,
)
from spark_paimon.catalog.partitions import PartitionRegistry
from spark_paimon.catalog.placement import Placement
from spark_paimon.catalog.tables import set_up
from spark_paimon.options import TableOptions
from spark_paimon.schema import Change, Schema
from spark_paimon.storage import local_path, qualify, scheme_of

if TYPE_CHECKING:
    import pyarrow

    from spark_paimon.partition.predicate import Predicate
    from spark_paimon.statistics import PartitionStatistics

DATABASE_FILE = ".spark_paimon/catalog.db"
"""Where the SQLite file lies, below the warehouse."""


class EmbeddedCatalog(Catalog):
    """Catalog for one machine without a server; any number of processes may use it at once.

    Parameters
    ----------
    options
        ``warehouse``; ``uri`` for another database than the file inside the warehouse.

    Raises
    ------
    InvalidInputError
        ``WAREHOUSE_NEEDS_DATABASE``: the warehouse is no local directory and there is no ``uri``.
    CatalogError
        ``CATALOG_DATABASE_FAILED``.

    Examples
    --------
    >>> import tempfile
    >>> with EmbeddedCatalog({"warehouse": tempfile.mkdtemp()}) as catalog:
    ...     catalog.list_databases()
    ['default']
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._database = SqlDatabase(self._database_url())
        try:
            set_up(self._database)
            self._ensure_default_database()
        except BaseException:
            self._database.close()
            raise
        self._placement = Placement(self.warehouse, self.storage)
        self._partitions = PartitionRegistry(self._database, self._table)

    def _database_url(self) -> str | URL:
        uri = self.options.get("uri", "").strip()
        if uri:
            return uri
        if scheme_of(self.warehouse) != "file":
            raise errors.InvalidInputError("WAREHOUSE_NEEDS_DATABASE", warehouse=self.warehouse)
        file = Path(local_path(self.warehouse)) / DATABASE_FILE
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise errors.StorageError(
                "STORAGE_FAILED",
                operation="create directory",
                path=f"file:{file.parent}",
                reason=error.strerror or str(error),
            ) from error
        return URL.create("sqlite", database=str(file))

    @property
    def supports_managed_partitions(self) -> bool:
        """Always true."""
        return True

    def close(self) -> None:
        """See :meth:`.Catalog.close`."""
        self._database.close()

    # Databases

    def list_databases(self) -> list[str]:
        """See :meth:`.Catalog.list_databases`."""
        with self._database.read() as connection:
            return store.database_names(connection)

    def create_database(
        self,
        name: str,
        ignore_if_exists: bool = False,
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
        location: str | None = None,
        owner: str | None = None,
    ) -> None:
        """See :meth:`.Catalog.create_database`."""
        definitions.check_name("database", name)
        place = qualify(location) if location else self._default_database_location(name)
        now = definitions.now_millis()
        database = Database(
            name,
            place,
            dict(options or {}),
            comment,
            owner,
            uuid=str(uuid.uuid4()),
            created_at=now,
            updated_at=now,
        )
        try:
            with self._database.write() as connection:
                store.lock_names_of_databases(connection)
                if store.find_database(connection, name, self.case_sensitive) is None:
                    self.storage(place).make_directory(place)
                    store.insert_database(connection, database)
                    return
        except IntegrityError:
            pass  # an older version of this package was faster
        if not ignore_if_exists:
            raise errors.DatabaseExistsError("DATABASE_EXISTS", database=name)

    def _ensure_default_database(self) -> None:
        with self._database.read() as connection:
            if store.find_database(connection, DEFAULT_DATABASE, True) is not None:
                return
        self.create_database(DEFAULT_DATABASE, ignore_if_exists=True)

    def get_database(self, name: str) -> Database:
        """See :meth:`.Catalog.get_database`."""
        with self._database.read() as connection:
            return self._found_database(connection, name).database

    def alter_database(
        self, name: str, updates: Mapping[str, str] | None = None, removals: Iterable[str] = ()
    ) -> None:
        """See :meth:`.Catalog.alter_database`."""
        changes: dict[str, str | None] = {**dict.fromkeys(removals), **(updates or {})}
        if "location" in changes:
            raise errors.UnsupportedError("CHANGE_UNSUPPORTED", key="location")
        with self._database.write() as connection:
            row = self._found_database(connection, name, lock=True)
            changed = row.database
            if "comment" in changes:
                changed = replace(changed, comment=changes.pop("comment"))
            if "owner" in changes:
                changed = replace(changed, owner=changes.pop("owner"))
            options = {key: value for key, value in changed.options.items() if key not in changes}
            options.update((key, value) for key, value in changes.items() if value is not None)
            changed = replace(changed, options=options, updated_at=definitions.now_millis())
            store.update_database(connection, row.id, changed)

    def drop_database(self, name: str, ignore_if_not_exists: bool = False, cascade: bool = False) -> None:
        """See :meth:`.Catalog.drop_database`."""
        with self._database.write() as connection:
            row = self._find_database(connection, name, lock=True)
            if row is None:
                if ignore_if_not_exists:
                    return
                raise errors.NoSuchDatabaseError("DATABASE_NOT_FOUND", database=name)
            if row.database.name == DEFAULT_DATABASE:
                raise errors.InvalidInputError("DATABASE_DEFAULT_KEPT", database=name)
            tables = store.tables_of(connection, row, lock=True)
            if tables and not cascade:
                raise errors.NotEmptyError("DATABASE_NOT_EMPTY", database=name, count=len(tables))
            dropped = {table.id for table in tables}
            for table in tables:
                self._placement.check_directory_is_own(connection, table, dropped)
                store.delete_table(connection, table.id)
            store.delete_database(connection, row.id)
        for table in tables:
            self._placement.delete_directory(table.info)
        self.storage(row.database.location).remove_empty_directory(row.database.location)

    # Tables

    def list_tables(self, database: str) -> list[str]:
        """See :meth:`.Catalog.list_tables`."""
        with self._database.read() as connection:
            return store.table_names(connection, self._found_database(connection, database))

    def create_table(
        self,
        table: str | Identifier,
        schema: Schema | pyarrow.Schema,
        partition_keys: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
        ignore_if_exists: bool = False,
    ) -> TableInfo:
        """See :meth:`.Catalog.create_table`."""
        identifier = Identifier.of(table)
        definition = definitions.define(
            identifier, schema, self.options, True, partition_keys, options, comment
        )
        with self._clashes(identifier), self._database.write() as connection:
            database = self._found_database(connection, identifier.database, lock=True)
            present = store.find_table(connection, database, identifier.name, self.case_sensitive)
            if present is not None:
                if ignore_if_exists:
                    return present.info
                raise errors.TableExistsError("TABLE_EXISTS", table=identifier)
            location = self._placement.location_for(
                connection, database.database, identifier.name, None, definition
            )
            info = self._placement.placed(
                Identifier(database.database.name, identifier.name), location, definition
            )
            store.insert_table(connection, database.id, info)
        return info

    def plan_table(self, table: str | Identifier, schema: Schema) -> TableInfo:
        """See :meth:`.Catalog.plan_table`."""
        identifier = Identifier.of(table)
        definition = definitions.define(identifier, schema, self.options, True)
        with self._database.read() as connection:
            found = self._found_database(connection, identifier.database)
            database = found.database
            row = store.find_table(connection, found, identifier.name, self.case_sensitive)
            present = row.info if row else None
            location = self._placement.location_for(
                connection, database, identifier.name, present, definition
            )
        if present is None or present.location != location:
            definitions.check_new_location(identifier, self.storage(location), location, definition)
        name = present.identifier if present else Identifier(database.name, identifier.name)
        return self._placement.described(name, location, definition)

    def load_table_info(self, table: str | Identifier) -> TableInfo:
        """See :meth:`.Catalog.load_table_info`."""
        with self._database.read() as connection:
            return self._table(connection, Identifier.of(table), False).info

    def load_table_by_uuid(self, uuid: str) -> TableInfo:
        """Return the table with an identity, whatever its name is now.

        Raises
        ------
        NoSuchTableError
            ``TABLE_UUID_NOT_FOUND``.
        """
        row = None
        # Some texts cannot even be asked for.
        if uuid.isascii() and uuid.isprintable():
            with self._database.read() as connection:
                row = store.find_table_by_uuid(connection, uuid)
        if row is None:
            raise errors.NoSuchTableError("TABLE_UUID_NOT_FOUND", uuid=ascii(uuid))
        return row.info

    def load_table_infos(self, database: str, names: Sequence[str] | None = None) -> list[TableInfo]:
        """Return many tables of a database with one query, sorted by name.

        Parameters
        ----------
        names
            Names as :meth:`list_tables` spells them; what does not exist is left out. None for all tables.

        Raises
        ------
        NoSuchDatabaseError
            ``DATABASE_NOT_FOUND``.
        """
        with self._database.read() as connection:
            found = self._found_database(connection, database)
            if names is not None:
                names = [name for name in names if not definitions.name_problem("table", name)]
            return [row.info for row in store.tables_of(connection, found, names)]

    def alter_table(
        self, table: str | Identifier, changes: Sequence[Change], ignore_if_not_exists: bool = False
    ) -> None:
        """See :meth:`.Catalog.alter_table`."""
        identifier = Identifier.of(table)
        try:
            with self._database.write() as connection:
                row = self._table(connection, identifier, True)
                after = altered(identifier, self._contents(connection, row), changes)
                definitions.check_managed(identifier, after.options, row.info.external, True)
                info = replace(row.info, schema=after, updated_at=definitions.now_millis())
                store.update_table(connection, row.id, row.database_id, info)
        except errors.NoSuchTableError:
            if not ignore_if_not_exists:
                raise

    def rename_table(
        self, source: str | Identifier, destination: str | Identifier, ignore_if_not_exists: bool = False
    ) -> None:
        """See :meth:`.Catalog.rename_table`. The directory stays where it is."""
        old, new = Identifier.of(source), Identifier.of(destination)
        definitions.check_name("table", new.name)
        try:
            with self._clashes(new), self._database.write() as connection:
                source_database = self._found_database(connection, old.database)
                database = self._found_database(connection, new.database)
                store.lock_databases(connection, [source_database.id, database.id])
                row = self._table(connection, old, True)
                database = self._found_database(connection, new.database)
                present = store.find_table(connection, database, new.name, self.case_sensitive)
                if present is not None and present.id != row.id:
                    raise errors.TableExistsError("TABLE_EXISTS", table=new)
                identifier = Identifier(database.database.name, new.name)
                info = replace(row.info, identifier=identifier, updated_at=definitions.now_millis())
                store.update_table(connection, row.id, database.id, info)
        except errors.NoSuchTableError:
            if not ignore_if_not_exists:
                raise

    def drop_table(self, table: str | Identifier, ignore_if_not_exists: bool = False) -> None:
        """See :meth:`.Catalog.drop_table`."""
        try:
            with self._database.write() as connection:
                row = self._table(connection, Identifier.of(table), True)
                self._placement.check_directory_is_own(connection, row, {row.id})
                store.delete_table(connection, row.id)
        except (errors.NoSuchTableError, errors.NoSuchDatabaseError):
            if ignore_if_not_exists:
                return
            raise
        self._placement.delete_directory(row.info)

    def replace_table(self, table: str | Identifier, schema: Schema) -> TableInfo:
        """See :meth:`.Catalog.replace_table`."""
        identifier = Identifier.of(table)
        definition = definitions.define(identifier, schema, self.options, True)
        with self._database.write() as connection:
            row = self._table(connection, identifier, True)
            database = self._found_database(connection, identifier.database).database
            name = row.info.identifier
            location = self._placement.location_for(connection, database, name.name, row.info, definition)
            kept = location == row.info.location
            describe = self._placement.described if kept else self._placement.placed
            info = describe(name, location, definition)
            partition_store.delete_all_partitions(connection, row.id)
            store.update_table(connection, row.id, row.database_id, info)
        return info

    # Partitions

    def list_partitions(
        self,
        table: str | Identifier,
        prefix: Mapping[str, str] | None = None,
        predicate: Predicate | None = None,
    ) -> list[Partition]:
        """See :meth:`.Catalog.list_partitions`."""
        return self._partitions.list_all(Identifier.of(table), prefix, predicate)

    def partitions_page(
        self,
        table: str | Identifier,
        pattern: str | None = None,
        predicate: Predicate | None = None,
        after: str | None = None,
        limit: int = 1000,
    ) -> PartitionPage:
        r"""Some of the partitions that :meth:`list_partitions` would list.

        Parameters
        ----------
        pattern
            A complete name, or the beginning of names and a ``%``; ``\`` takes the next character as it is.
        predicate
            Leaves out the partitions of which no row could pass. At most 10,000 are looked at for one page.
        after
            Token of the page before, None for the first one. What it names may have been dropped.
        limit
            Partitions on the page, at least 1.

        Returns
        -------
        PartitionPage
            Sorted by name, or by value and name below the values that the predicate fixes for leading keys.

        Raises
        ------
        NoSuchTableError, UnsupportedError
            As :meth:`list_partitions`.
        InvalidInputError
            ``PARTITION_PATTERN_INVALID``, ``PAGE_TOKEN_INVALID``.
        """
        return self._partitions.page(Identifier.of(table), pattern, predicate, after, limit)

    def list_partitions_by_names(
        self, table: str | Identifier, specs: Sequence[Mapping[str, str]]
    ) -> list[Partition]:
        """See :meth:`.Catalog.list_partitions_by_names`."""
        return self._partitions.list_by_names(Identifier.of(table), specs)

    def count_partitions(self, table: str | Identifier) -> int:
        """See :meth:`.Catalog.count_partitions`."""
        return self._partitions.count(Identifier.of(table))

    def create_partitions(
        self,
        table: str | Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_exists: bool = True,
        statistics: Sequence[tuple[Mapping[str, str], PartitionStatistics]] | None = None,
        replace_statistics: bool = False,
        options: Sequence[Mapping[str, str]] | None = None,
    ) -> CreateResult:
        """See :meth:`.Catalog.create_partitions`."""
        return self._partitions.create(
            Identifier.of(table), specs, ignore_if_exists, statistics, replace_statistics, options
        )

    def drop_partitions(
        self,
        table: str | Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_not_exists: bool = True,
    ) -> DropResult:
        """See :meth:`.Catalog.drop_partitions`."""
        return self._partitions.drop(Identifier.of(table), specs, ignore_if_not_exists)

    def mark_partitions_done(self, table: str | Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """See :meth:`.Catalog.mark_partitions_done`."""
        self._partitions.mark_done(Identifier.of(table), specs)

    # Inside transactions

    def _found_database(self, connection: Connection, name: str, lock: bool = False) -> store.DatabaseRow:
        row = self._find_database(connection, name, lock)
        if row is None:
            raise errors.NoSuchDatabaseError("DATABASE_NOT_FOUND", database=name)
        return row

    def _find_database(
        self, connection: Connection, name: str, lock: bool = False
    ) -> store.DatabaseRow | None:
        # Some texts cannot even be asked for.
        if definitions.name_problem("database", name):
            return None
        return store.find_database(connection, name, self.case_sensitive, lock)

    def _table(self, connection: Connection, identifier: Identifier, lock: bool) -> store.TableRow:
        database = self._found_database(connection, identifier.database)
        row = None
        if not definitions.name_problem("table", identifier.name):
            row = store.find_table(connection, database, identifier.name, self.case_sensitive, lock)
        if row is None:
            raise errors.NoSuchTableError("TABLE_NOT_FOUND", table=identifier)
        return row

    def _contents(self, connection: Connection, row: store.TableRow) -> Contents:
        default = str(TableOptions(row.info.schema.options).get(definitions.FILE_FORMAT))
        return Contents(
            row.info,
            self.storage,
            count=lambda: partition_store.count_partitions(connection, row.id),
            special=lambda: partition_store.special_partitions(
                connection, row.id, {definitions.FILE_FORMAT: default}
            ),
            inheriting=lambda: partition_store.count_partitions_without(
                connection, row.id, definitions.FILE_FORMAT
            ),
        )

    @contextmanager
    def _clashes(self, identifier: Identifier) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            # Somebody else was faster, in a database without one lock for all writers.
            raise errors.TableExistsError("TABLE_EXISTS", table=identifier) from error
