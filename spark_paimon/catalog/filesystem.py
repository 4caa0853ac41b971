"""The catalog in files: a database is a directory ``<name>.db``, a table one that holds ``schema/schema-N``.

The layout is that of Apache Paimon's filesystem catalog, so that both see each other's tables. A version of a
schema is written under its final name only if that name is free: of several writers one wins, and the others
start again from what it wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from spark_paimon import errors
from spark_paimon.catalog import definitions
from spark_paimon.catalog.evolution import Contents, altered
from spark_paimon.catalog.interface import DEFAULT_DATABASE, Catalog
from spark_paimon.catalog.models import (
    CreateResult,
    Database,
    DropResult,
    Identifier,
    Partition,
    TableInfo,
)
from spark_paimon.schema import Change, Schema, TableSchema, number_fields
from spark_paimon.storage import join

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow

    from spark_paimon.partition.predicate import Predicate
    from spark_paimon.statistics import PartitionStatistics

_SUFFIX = ".db"
_SCHEMA_FILE = re.compile(r"schema-([0-9]+)")
_ATTEMPTS = 50


class FilesystemCatalog(Catalog):
    """Catalog without any service: everything it knows is in the warehouse directory.

    It does not own partitions; those of a table are its directories.

    Parameters
    ----------
    options
        ``warehouse``.

    Examples
    --------
    >>> import tempfile
    >>> catalog = FilesystemCatalog({"warehouse": tempfile.mkdtemp()})
    >>> catalog.create_database("sales")
    >>> catalog.list_databases()
    ['default', 'sales']
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._storage = self.storage(self.warehouse)

    @property
    def supports_managed_partitions(self) -> bool:
        """Always false."""
        return False

    @property
    def metadata_in_table_directory(self) -> bool:
        """Always true."""
        return True

    def close(self) -> None:
        """Nothing is open."""

    # Databases

    def list_databases(self) -> list[str]:
        """See :meth:`.Catalog.list_databases`."""
        return sorted({DEFAULT_DATABASE, *self._directories(self.warehouse, _SUFFIX)})

    def _directories(self, location: str, suffix: str = "") -> list[str]:
        try:
            entries = self._storage.list_directory(location)
        except FileNotFoundError:
            return []
        names = [entry.name for entry in entries if entry.is_directory and entry.name.endswith(suffix)]
        return [name[: len(name) - len(suffix)] for name in names if len(name) > len(suffix)]

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
        del owner  # Spark always sends one; it is no wish of the user
        definitions.check_name("database", name)
        for feature, asked in (("location", location), ("comment", comment), ("properties", options)):
            if asked:
                raise errors.UnsupportedError("DATABASE_FEATURE_UNSUPPORTED", feature=feature)
        if self._find_database(name) is not None:
            if ignore_if_exists:
                return
            raise errors.DatabaseExistsError("DATABASE_EXISTS", database=name)
        self._storage.make_directory(self._default_database_location(name))

    def get_database(self, name: str) -> Database:
        """See :meth:`.Catalog.get_database`."""
        found = self._found_database(name)
        return Database(found, self._default_database_location(found))

    def alter_database(
        self, name: str, updates: Mapping[str, str] | None = None, removals: Iterable[str] = ()
    ) -> None:
        """Unsupported: there is no place for options of a database."""
        self._found_database(name)
        raise errors.UnsupportedError("DATABASE_FEATURE_UNSUPPORTED", feature="properties")

    def drop_database(self, name: str, ignore_if_not_exists: bool = False, cascade: bool = False) -> None:
        """See :meth:`.Catalog.drop_database`. With ``cascade`` the whole directory goes."""
        found = self._find_database(name)
        if found is None:
            if ignore_if_not_exists:
                return
            raise errors.NoSuchDatabaseError("DATABASE_NOT_FOUND", database=name)
        if found == DEFAULT_DATABASE:
            raise errors.InvalidInputError("DATABASE_DEFAULT_KEPT", database=name)
        location = self._default_database_location(found)
        tables = self.list_tables(found)
        if cascade:
            for table in tables:
                self.drop_table(Identifier(found, table), ignore_if_not_exists=True)
            self._storage.delete_directory(location)
        elif tables or self._directories(location) or not self._remove_empty(location):
            raise errors.NotEmptyError("DATABASE_NOT_EMPTY", database=name, count=len(tables) or "other")

    def _remove_empty(self, location: str) -> bool:
        return self._storage.remove_empty_directory(location) or not self._storage.exists(location)

    def _find_database(self, name: str) -> str | None:
        if definitions.name_problem("database", name):
            return None
        if name == DEFAULT_DATABASE or self._storage.is_directory(self._default_database_location(name)):
            return name
        return None if self.case_sensitive else _same_but_case(name, self.list_databases())

    def _found_database(self, name: str) -> str:
        found = self._find_database(name)
        if found is None:
            raise errors.NoSuchDatabaseError("DATABASE_NOT_FOUND", database=name)
        return found

    # Tables

    def list_tables(self, database: str) -> list[str]:
        """See :meth:`.Catalog.list_tables`."""
        location = self._default_database_location(self._found_database(database))
        return [name for name in self._directories(location) if self._versions(join(location, name))]

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
        asked = Identifier.of(table)
        definition = self._define(asked, schema, partition_keys, options, comment)
        present = self._find_table(asked)
        if present is not None:
            if ignore_if_exists:
                return self.load_table_info(present)
            raise errors.TableExistsError("TABLE_EXISTS", table=asked)
        identifier = Identifier(self._found_database(asked.database), asked.name)
        location = self._location(identifier)
        definitions.check_new_location(
            identifier, self._storage, location, definition, definitions.METADATA_DIRECTORIES
        )
        if not self._write(location, TableSchema.initial(definition.schema)) and not ignore_if_exists:
            raise errors.TableExistsError("TABLE_EXISTS", table=asked)
        return self.load_table_info(identifier)

    def _define(
        self,
        identifier: Identifier,
        schema: Schema | pyarrow.Schema,
        partition_keys: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> definitions.Definition:
        definition = definitions.define(
            identifier, schema, self.options, False, partition_keys, options, comment
        )
        if definition.path is not None:
            raise errors.UnsupportedError(
                "EXTERNAL_TABLE_UNSUPPORTED", table=identifier, location=definition.path
            )
        return definition

    def plan_table(self, table: str | Identifier, schema: Schema) -> TableInfo:
        """See :meth:`.Catalog.plan_table`."""
        asked = Identifier.of(table)
        definition = self._define(asked, schema)
        present = self._find_table(asked)
        identifier = present or Identifier(self._found_database(asked.database), asked.name)
        location = self._location(identifier)
        if present is None:
            definitions.check_new_location(
                identifier, self._storage, location, definition, definitions.METADATA_DIRECTORIES
            )
        return TableInfo(identifier, str(identifier), location, False, TableSchema.initial(definition.schema))

    def load_table_info(self, table: str | Identifier) -> TableInfo:
        """See :meth:`.Catalog.load_table_info`."""
        identifier = self._found_table(Identifier.of(table))
        location = self._location(identifier)
        versions = self._versions(location)
        if not versions:
            raise errors.NoSuchTableError("TABLE_NOT_FOUND", table=identifier)
        try:
            first, latest = (self._read(location, version) for version in (versions[0], versions[-1]))
        except FileNotFoundError as error:
            raise errors.NoSuchTableError("TABLE_NOT_FOUND", table=identifier) from error
        return TableInfo(
            identifier=identifier,
            # The files hold no identity; a table dropped and created again has another time of creation.
            uuid=f"{identifier}.{first.time_millis}",
            location=location,
            external=False,
            schema=latest,
            created_at=first.time_millis,
            updated_at=latest.time_millis,
        )

    def alter_table(
        self, table: str | Identifier, changes: Sequence[Change], ignore_if_not_exists: bool = False
    ) -> None:
        """See :meth:`.Catalog.alter_table`."""
        asked = Identifier.of(table)

        def change(info: TableInfo) -> TableSchema:
            contents = Contents(info, self.storage, definitions.METADATA_DIRECTORIES)
            return altered(info.identifier, contents, changes)

        try:
            self._rewrite(asked, change)
        except errors.NoSuchTableError:
            if not ignore_if_not_exists:
                raise

    def replace_table(self, table: str | Identifier, schema: Schema) -> TableInfo:
        """See :meth:`.Catalog.replace_table`. It becomes the next version, so the identity stays."""
        asked = Identifier.of(table)
        definition = self._define(asked, schema)

        def change(info: TableInfo) -> TableSchema:
            # Old files may still be there for a moment; none of their field ids means a new column.
            fields, highest = number_fields(definition.schema.fields, info.schema.highest_field_id)
            fresh = TableSchema.initial(definition.schema)
            return replace(fresh, id=info.schema.id + 1, fields=fields, highest_field_id=highest)

        self._rewrite(asked, change)
        return self.load_table_info(asked)

    def _rewrite(self, identifier: Identifier, change: Callable[[TableInfo], TableSchema]) -> None:
        for _ in range(_ATTEMPTS):
            info = self.load_table_info(identifier)
            if self._write(info.location, change(info)):
                return
        raise errors.IllegalStateError("TABLE_BUSY", table=identifier, attempts=_ATTEMPTS)

    def rename_table(
        self, source: str | Identifier, destination: str | Identifier, ignore_if_not_exists: bool = False
    ) -> None:
        """See :meth:`.Catalog.rename_table`. The directory moves along."""
        target = Identifier.of(destination)
        definitions.check_name("table", target.name)
        present = self._find_table(Identifier.of(source))
        if present is None:
            if ignore_if_not_exists:
                return
            raise errors.NoSuchTableError("TABLE_NOT_FOUND", table=source)
        target = Identifier(self._found_database(target.database), target.name)
        if self._find_table(target) not in (None, present):
            raise errors.TableExistsError("TABLE_EXISTS", table=target)
        if target != present:
            self._storage.move_directory(self._location(present), self._location(target))

    def drop_table(self, table: str | Identifier, ignore_if_not_exists: bool = False) -> None:
        """See :meth:`.Catalog.drop_table`."""
        found = self._find_table(Identifier.of(table))
        if found is None:
            if ignore_if_not_exists:
                return
            raise errors.NoSuchTableError("TABLE_NOT_FOUND", table=table)
        location = self._location(found)
        self._storage.delete_directory(join(location, "schema"))
        self._storage.delete_directory(location)

    # Partitions

    def list_partitions(
        self,
        table: str | Identifier,
        prefix: Mapping[str, str] | None = None,
        predicate: Predicate | None = None,
    ) -> list[Partition]:
        """Unsupported, as everything about partitions: they are the directories of the table."""
        self._refuse("Listing registered partitions", table)

    def list_partitions_by_names(
        self, table: str | Identifier, specs: Sequence[Mapping[str, str]]
    ) -> list[Partition]:
        """Unsupported, see :meth:`list_partitions`."""
        self._refuse("Listing registered partitions", table)

    def count_partitions(self, table: str | Identifier) -> int:
        """Unsupported, see :meth:`list_partitions`."""
        self._refuse("Counting registered partitions", table)

    def create_partitions(
        self,
        table: str | Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_exists: bool = True,
        statistics: Sequence[tuple[Mapping[str, str], PartitionStatistics]] | None = None,
        replace_statistics: bool = False,
        options: Sequence[Mapping[str, str]] | None = None,
    ) -> CreateResult:
        """Unsupported, see :meth:`list_partitions`."""
        self._refuse("Registering partitions", table)

    def drop_partitions(
        self,
        table: str | Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_not_exists: bool = True,
    ) -> DropResult:
        """Unsupported, see :meth:`list_partitions`."""
        self._refuse("Unregistering partitions", table)

    def mark_partitions_done(self, table: str | Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """Unsupported, see :meth:`list_partitions`."""
        self._refuse("Marking partitions as done", table)

    def _refuse(self, operation: str, table: str | Identifier) -> NoReturn:
        found = self._found_table(Identifier.of(table))
        raise errors.UnsupportedError("PARTITIONS_NOT_MANAGED", operation=operation, table=found)

    # Files

    def _location(self, identifier: Identifier) -> str:
        return join(self._default_database_location(identifier.database), identifier.name)

    def _find_table(self, identifier: Identifier) -> Identifier | None:
        """Return the name under which a table lies."""
        database = self._found_database(identifier.database)
        if definitions.name_problem("table", identifier.name):
            return None
        exact = Identifier(database, identifier.name)
        if self._versions(self._location(exact)):
            return exact
        name = None if self.case_sensitive else _same_but_case(identifier.name, self.list_tables(database))
        return None if name is None else Identifier(database, name)

    def _found_table(self, identifier: Identifier) -> Identifier:
        found = self._find_table(identifier)
        if found is None:
            raise errors.NoSuchTableError("TABLE_NOT_FOUND", table=identifier)
        return found

    def _versions(self, location: str) -> list[int]:
        """Numbers of the schema files of a table, ascending."""
        try:
            entries = self._storage.list_directory(join(location, "schema"))
        except FileNotFoundError:
            return []
        matches = (_SCHEMA_FILE.fullmatch(entry.name) for entry in entries if not entry.is_directory)
        return sorted(int(match.group(1)) for match in matches if match)

    def _read(self, location: str, version: int) -> TableSchema:
        path = join(location, f"schema/schema-{version}")
        try:
            return TableSchema.from_json(json.loads(self._storage.read_bytes(path)))
        except ValueError as error:
            if isinstance(error, errors.PaimonError):
                raise
            raise errors.IllegalStateError("SCHEMA_FILE_UNREADABLE", path=path, reason=error) from error

    def _write(self, location: str, schema: TableSchema) -> bool:
        """Write a version of the schema; False when somebody else wrote that version first."""
        content = json.dumps(schema.to_json(), indent=2, ensure_ascii=False).encode()
        return self._storage.write_new(join(location, f"schema/schema-{schema.id}"), content)


def _same_but_case(name: str, names: Iterable[str]) -> str | None:
    folded = name.casefold()
    return next((candidate for candidate in names if candidate.casefold() == folded), None)
