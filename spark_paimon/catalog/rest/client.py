"""The ``Catalog`` interface over HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.catalog import definitions
from spark_paimon.catalog.evolution import Contents, altered
from spark_paimon.catalog.interface import Catalog
from spark_paimon.catalog.models import (
    CreateResult,
    Database,
    DropResult,
    Identifier,
    Partition,
    TableInfo,
)
from spark_paimon.catalog.rest.authorization import authorization_for
from spark_paimon.catalog.rest.partitions import RemotePartitions
from spark_paimon.catalog.rest.session import RestSession, table_path
from spark_paimon.catalog.rest.transport import Repeat, Transport
from spark_paimon.catalog.wire import definitions as wire
from spark_paimon.catalog.wire.changes import changes_to_json
from spark_paimon.options import catalog_option
from spark_paimon.schema import Change, Schema, SetOption, TableSchema
from spark_paimon.storage import is_absolute, join, qualify

if TYPE_CHECKING:
    import pyarrow

    from spark_paimon.partition.predicate import Predicate
    from spark_paimon.statistics import PartitionStatistics

SERVER_VERSION = "spark_paimon.server"
"""Default of the handshake by which our server tells its version; other servers do not send it."""


class RestCatalog(Catalog):
    """Catalog of a REST server.

    Parameters
    ----------
    options
        ``uri`` of the server and what authorises requests (``token``, ``token-file`` or ``dlf.*``);
        ``warehouse`` where the server has several.

    Raises
    ------
    InvalidInputError
        An option is missing or malformed.
    CatalogError
        The server cannot be reached, refuses the token, or does not answer as agreed.

    Notes
    -----
    Options of the server's handshake are merged: its defaults give way to the client's, its overrides do not.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        uri = options.get("uri", "")
        authorization = authorization_for(options, uri)
        with closing(Transport(uri, options, authorization)) as transport:
            merged = handshake(transport, options)
        super().__init__(merged)
        if catalog_option(merged, "data-token.enabled"):
            raise errors.UnsupportedError("DATA_TOKEN_UNSUPPORTED")
        self._server_decides = SERVER_VERSION in merged
        self._session = RestSession(Transport(uri, merged, authorization), merged.get("prefix", ""))
        self._partitions = RemotePartitions(self._session, self._load)

    def _warehouse_of(self, text: str) -> str:
        # A server may call its warehouses by names that are no directories.
        return qualify(text) if is_absolute(text) else text

    @property
    def supports_managed_partitions(self) -> bool:
        """Always true."""
        return True

    @property
    def counts_partitions(self) -> bool:
        """Always false."""
        return False

    @property
    def always_replaces(self) -> bool:
        """True for our server; of others only the attempt tells."""
        return self._server_decides

    def close(self) -> None:
        """See :meth:`.Catalog.close`."""
        self._session.close()

    # Databases

    def list_databases(self) -> list[str]:
        """Names of the databases, sorted: whether ``default`` is one of them is the server's business."""
        return sorted(self._session.names(["databases"], "databases", "list databases"))

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
        place = qualify(location) if location else None
        body = wire.NewDatabase(name, options or {}, comment, owner, place).to_json()
        repeat = Repeat.ALWAYS if ignore_if_exists else Repeat.REFUSED
        try:
            self._session.post(["databases"], body, f"create database {name}", repeat)
        except errors.DatabaseExistsError:
            if not ignore_if_exists:
                raise

    def get_database(self, name: str) -> Database:
        """See :meth:`.Catalog.get_database`."""
        return wire.database_from_json(self._session.get(_database(name), f"load database {name}"))

    def alter_database(
        self, name: str, updates: Mapping[str, str] | None = None, removals: Iterable[str] = ()
    ) -> None:
        """See :meth:`.Catalog.alter_database`."""
        body = {"removals": list(removals), "updates": dict(updates or {})}
        self._session.post(_database(name), body, f"alter database {name}", Repeat.ALWAYS)

    def drop_database(self, name: str, ignore_if_not_exists: bool = False, cascade: bool = False) -> None:
        """See :meth:`.Catalog.drop_database`."""
        repeat = Repeat.ALWAYS if ignore_if_not_exists else Repeat.REFUSED
        try:
            if not cascade and (tables := self.list_tables(name)):
                # The protocol has no plain DROP: a server drops what it holds. Ours looks once more.
                raise errors.NotEmptyError("DATABASE_NOT_EMPTY", database=name, count=len(tables))
            # Other servers may take a parameter that they do not know for a part of the name.
            query = {"cascade": str(cascade).lower()} if self._server_decides else None
            self._session.delete(_database(name), f"drop database {name}", repeat, query)
        except errors.NoSuchDatabaseError:
            if not ignore_if_not_exists:
                raise

    # Tables

    def list_tables(self, database: str) -> list[str]:
        """See :meth:`.Catalog.list_tables`."""
        path = [*_database(database), "tables"]
        return sorted(self._session.names(path, "tables", f"list tables of {database}"))

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
        definition = self._define(identifier, schema, partition_keys, options, comment)
        body = wire.new_table_to_json(identifier, definition.schema, definition.path)
        if definition.path is not None and not self._server_decides:
            storage = self.storage(definition.path)
            definitions.check_new_location(identifier, storage, definition.path, definition)
            storage.make_directory(definition.path)
        repeat = Repeat.ALWAYS if ignore_if_exists else Repeat.REFUSED
        path = [*_database(identifier.database), "tables"]
        try:
            self._session.post(path, body, f"create table {identifier}", repeat)
        except errors.TableExistsError:
            if not ignore_if_exists:
                raise
        return self.load_table_info(identifier)

    def _define(
        self,
        identifier: Identifier,
        schema: Schema | pyarrow.Schema,
        partition_keys: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> definitions.Definition:
        return definitions.define(identifier, schema, self.options, True, partition_keys, options, comment)

    def plan_table(self, table: str | Identifier, schema: Schema) -> TableInfo:
        """See :meth:`.Catalog.plan_table`.

        Our server tells; of others it is known that a new internal table lies below its database.
        """
        identifier = Identifier.of(table)
        definition = self._define(identifier, schema)
        if self._server_decides:
            body = wire.new_table_to_json(identifier, definition.schema, definition.path)
            path = [*_database(identifier.database), "table-plans"]
            answer = self._session.post(path, body, f"plan table {identifier}", Repeat.ALWAYS)
            return wire.table_from_json(answer, identifier.database)
        try:
            present = self.load_table_info(identifier)
        except errors.NoSuchTableError:
            present = None
        location = definition.path
        if location is None and present is not None and not present.external:
            location = present.location
        if location is None:
            location = join(self.get_database(identifier.database).location, identifier.name)
        if present is None or present.location != location:
            definitions.check_new_location(identifier, self.storage(location), location, definition)
        return TableInfo(
            identifier, "", location, definition.external, TableSchema.initial(definition.schema)
        )

    def load_table_info(self, table: str | Identifier) -> TableInfo:
        """See :meth:`.Catalog.load_table_info`."""
        return self._load(Identifier.of(table))

    def _load(self, identifier: Identifier) -> TableInfo:
        answer = self._session.get(table_path(identifier), f"load table {identifier}")
        return wire.table_from_json(answer, identifier.database)

    def alter_table(
        self, table: str | Identifier, changes: Sequence[Change], ignore_if_not_exists: bool = False
    ) -> None:
        """See :meth:`.Catalog.alter_table`.

        Our server looks at the files of the table; for others, which do not know our rules, it is done here.
        """
        identifier = Identifier.of(table)
        try:
            if not self._server_decides:
                changes = [*changes, *self._checked(identifier, changes)]
            body = {"changes": changes_to_json(changes)}
            self._session.post(table_path(identifier), body, f"alter table {identifier}", Repeat.REFUSED)
        except errors.NoSuchTableError:
            if not ignore_if_not_exists:
                raise

    def _checked(self, identifier: Identifier, changes: Sequence[Change]) -> list[Change]:
        """Refuse what files could not follow; return what must be remembered with the changes."""
        info = self.load_table_info(identifier)
        known: list[Partition] | None = None

        def partitions() -> list[Partition]:
            nonlocal known
            if known is None:
                try:
                    known = self._partitions.list_all(identifier)
                except errors.UnsupportedError as error:
                    if error.condition != "PARTITIONS_NOT_MANAGED":
                        raise
                    known = []
            return known

        own = definitions.FILE_FORMAT
        contents = Contents(
            info,
            self.storage,
            count=lambda: len(partitions()),
            special=lambda: [row for row in partitions() if row.options],
            inheriting=lambda: sum(own not in row.options for row in partitions()),
        )
        after = altered(identifier, contents, changes)
        definitions.check_managed(identifier, after.options, info.external, True)
        remembered = after.options.get(definitions.DROPPED_COLUMNS, "")
        if remembered == info.schema.options.get(definitions.DROPPED_COLUMNS, ""):
            return []
        return [SetOption(definitions.DROPPED_COLUMNS, remembered or "[]")]

    def rename_table(
        self, source: str | Identifier, destination: str | Identifier, ignore_if_not_exists: bool = False
    ) -> None:
        """See :meth:`.Catalog.rename_table`."""
        old, new = Identifier.of(source), Identifier.of(destination)
        definitions.check_name("table", new.name)
        body = {"source": wire.identifier_to_json(old), "destination": wire.identifier_to_json(new)}
        try:
            self._session.post(["tables", "rename"], body, f"rename table {old} to {new}", Repeat.REFUSED)
        except errors.NoSuchTableError:
            if not ignore_if_not_exists:
                raise

    def drop_table(self, table: str | Identifier, ignore_if_not_exists: bool = False) -> None:
        """See :meth:`.Catalog.drop_table`. The server deletes the files."""
        identifier = Identifier.of(table)
        repeat = Repeat.ALWAYS if ignore_if_not_exists else Repeat.REFUSED
        try:
            self._session.delete(table_path(identifier), f"drop table {identifier}", repeat)
        except (errors.NoSuchTableError, errors.NoSuchDatabaseError):
            if not ignore_if_not_exists:
                raise

    def replace_table(self, table: str | Identifier, schema: Schema) -> TableInfo:
        """See :meth:`.Catalog.replace_table`."""
        identifier = Identifier.of(table)
        definition = self._define(identifier, schema)
        form = wire.new_table_to_json(identifier, definition.schema, definition.path)
        path = [*table_path(identifier), "replace"]
        self._session.post(path, {"schema": form["schema"]}, f"replace table {identifier}", Repeat.REFUSED)
        return self.load_table_info(identifier)

    # Partitions

    def list_partitions(
        self,
        table: str | Identifier,
        prefix: Mapping[str, str] | None = None,
        predicate: Predicate | None = None,
    ) -> list[Partition]:
        """See :meth:`.Catalog.list_partitions`."""
        return self._partitions.list_all(Identifier.of(table), prefix, predicate)

    def list_partitions_by_names(
        self, table: str | Identifier, specs: Sequence[Mapping[str, str]]
    ) -> list[Partition]:
        """See :meth:`.Catalog.list_partitions_by_names`."""
        return self._partitions.list_by_names(Identifier.of(table), specs)

    def count_partitions(self, table: str | Identifier) -> int:
        """See :meth:`.Catalog.count_partitions`. The protocol has no count, so they are listed."""
        return len(self._partitions.list_all(Identifier.of(table)))

    def create_partitions(
        self,
        table: str | Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_exists: bool = True,
        statistics: Sequence[tuple[Mapping[str, str], PartitionStatistics]] | None = None,
        replace_statistics: bool = False,
        options: Sequence[Mapping[str, str]] | None = None,
    ) -> CreateResult:
        """See :meth:`.Catalog.create_partitions`.

        A request that ignores existing partitions is sent in batches: each is everything or nothing.
        """
        return self._partitions.create(
            Identifier.of(table), specs, ignore_if_exists, statistics, replace_statistics, options
        )

    def drop_partitions(
        self,
        table: str | Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_not_exists: bool = True,
    ) -> DropResult:
        """See :meth:`.Catalog.drop_partitions`. Sent in batches as :meth:`create_partitions`."""
        return self._partitions.drop(Identifier.of(table), specs, ignore_if_not_exists)

    def mark_partitions_done(self, table: str | Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """See :meth:`.Catalog.mark_partitions_done`."""
        self._partitions.mark_done(Identifier.of(table), specs)


def _database(name: str) -> list[str]:
    # Some texts can be no part of a path, and no server has a database of that name.
    if definitions.name_problem("database", name):
        raise errors.NoSuchDatabaseError("DATABASE_NOT_FOUND", database=name)
    return ["databases", name]


def handshake(transport: Transport, options: Mapping[str, str]) -> dict[str, str]:
    """Ask the server for its options and merge: defaults, then the client's, then overrides.

    Raises
    ------
    CatalogError
        ``REST_ANSWER_MALFORMED``, and whatever keeps the server from answering.
    """
    query = {"warehouse": options.get("warehouse") or None}
    answer: Any = transport.call("GET", ["v1", "config"], query, operation="load the configuration")
    try:
        layers = [answer.get("defaults") or {}, options, answer.get("overrides") or {}]
        return {key: str(text) for layer in layers for key, text in layer.items() if text is not None}
    except AttributeError as error:
        raise wire.malformed("the configuration", error) from error
