"""Where the tables of an embedded catalog lie, so that no two of them have files of each other."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from itertools import chain, count

from sqlalchemy.engine import Connection

from spark_paimon import errors
from spark_paimon.catalog import definitions, store
from spark_paimon.catalog.models import Database, Identifier, TableInfo
from spark_paimon.schema import TableSchema
from spark_paimon.storage import Storage, is_below, join


class Placement:
    """Chooses and guards directories.

    Parameters
    ----------
    warehouse
        Directory of the warehouse.
    storage
        Opens the storage of a location.
    """

    def __init__(self, warehouse: str, storage: Callable[[str], Storage]) -> None:
        self._warehouse = warehouse
        self._storage = storage

    def location_for(
        self,
        connection: Connection,
        database: Database,
        name: str,
        present: TableInfo | None,
        definition: definitions.Definition,
    ) -> str:
        """Directory of a new table, or of ``present`` with a new definition.

        A renamed table keeps its directory, so the plain one may be taken.
        """
        if definition.path is not None:
            if present is None or present.location != definition.path:
                self._check_external(connection, name, definition.path)
            return definition.path
        if present is not None and not present.external:
            return present.location
        plain = join(database.location, name)
        candidates = chain([plain], (f"{plain}-{number}" for number in count(2)))
        return next(location for location in candidates if not store.located_in(connection, location))

    def _check_external(self, connection: Connection, name: str, location: str) -> None:
        """Refuse a location where tables of this catalog live: one overwrite would delete their files."""
        holders = [self._warehouse, *store.database_locations(connection)]
        if any(location == holder or is_below(holder, location) for holder in holders):
            reason = "databases of this catalog lie there"
        elif store.internal_table_around(connection, location) is not None:
            reason = "it belongs to an internal table, or holds one"
        else:
            return
        raise errors.InvalidInputError("LOCATION_TAKEN", table=name, location=location, reason=reason)

    def placed(self, identifier: Identifier, location: str, definition: definitions.Definition) -> TableInfo:
        """A new table, with its directory."""
        storage = self._storage(location)
        definitions.check_new_location(identifier, storage, location, definition)
        storage.make_directory(location)
        return self.described(identifier, location, definition)

    def described(
        self, identifier: Identifier, location: str, definition: definitions.Definition
    ) -> TableInfo:
        """A new table, of which nothing is stored yet."""
        now = definitions.now_millis()
        return TableInfo(
            identifier=identifier,
            uuid=str(uuid.uuid4()),
            location=location,
            external=definition.external,
            schema=TableSchema.initial(definition.schema, now),
            created_at=now,
            updated_at=now,
        )

    def check_directory_is_own(self, connection: Connection, row: store.TableRow, dropped: set[int]) -> None:
        """Refuse to delete a directory in which another table lives."""
        if row.info.external:
            return
        for other, location in store.located_in(connection, row.info.location):
            if other not in dropped:
                raise errors.InvalidInputError(
                    "TABLE_DIRECTORY_SHARED", table=row.info.identifier, location=location
                )

    def delete_directory(self, info: TableInfo) -> None:
        """Delete the files of an internal table."""
        if not info.external:
            self._storage(info.location).delete_directory(info.location)
