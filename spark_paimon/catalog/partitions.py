"""The partitions of an embedded catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.engine import Connection

from spark_paimon import errors
from spark_paimon.catalog import partition_store, registration, store
from spark_paimon.catalog.definitions import PATH, now_millis
from spark_paimon.catalog.engine import SqlDatabase
from spark_paimon.catalog.models import CreateResult, DropResult, Identifier, Partition, PartitionPage
from spark_paimon.catalog.pages import PageQuery, Pattern, Position, read_page
from spark_paimon.catalog.registration import NamedSpec, Registration, TableContext, table_context

if TYPE_CHECKING:
    from spark_paimon.partition.predicate import Predicate
    from spark_paimon.statistics import PartitionStatistics

FindTable = Callable[[Connection, Identifier, bool], store.TableRow]
"""Finds a table inside a transaction, or raises; the flag asks for a lock until its end."""

_LISTING = "Listing registered partitions"
_REGISTERING = "Registering partitions"
_UNREGISTERING = "Unregistering partitions"
_MARKING = "Marking partitions as done"
_SHOWN = 5


class PartitionRegistry:
    """Partitions in the catalog database; every method is one transaction.

    Parameters
    ----------
    database
        Where they are.
    find_table
        How a table is found.
    """

    def __init__(self, database: SqlDatabase, find_table: FindTable) -> None:
        self._database = database
        self._find_table = find_table

    def list_all(
        self, table: Identifier, prefix: Mapping[str, str] | None, predicate: Predicate | None
    ) -> list[Partition]:
        """See :meth:`.Catalog.list_partitions`."""
        with self._database.read() as connection:
            row = self._find_table(connection, table, False)
            context = table_context(row.info, _LISTING)
            if predicate is not None and predicate.always_false:
                return []
            leading = _leading(context, prefix, predicate)
            canonical, complete = registration.prefix_names(context, leading) if leading else (None, False)
            found = partition_store.find_partitions(connection, row.id, canonical, complete)
        if predicate is None:
            return found
        return [
            partition for partition in found if predicate.may_match(context.layout.values(partition.spec))
        ]

    def page(
        self,
        table: Identifier,
        pattern: str | None,
        predicate: Predicate | None,
        after: str | None,
        limit: int,
    ) -> PartitionPage:
        """See :meth:`.EmbeddedCatalog.partitions_page`."""
        wanted = Pattern.parse(pattern, table) if pattern else None
        with self._database.read() as connection:
            row = self._find_table(connection, table, False)
            context = table_context(row.info, _LISTING)
            position = Position.parse(after, context) if after else None
            if predicate is not None and predicate.always_false:
                return PartitionPage([])
            query = PageQuery.plan(row.id, context, wanted, predicate)
            return read_page(connection, query, position, max(limit, 1))

    def list_by_names(self, table: Identifier, specs: Sequence[Mapping[str, str]]) -> list[Partition]:
        """See :meth:`.Catalog.list_partitions_by_names`."""
        with self._database.read() as connection:
            row = self._find_table(connection, table, False)
            names = list(table_context(row.info, _LISTING).distinct(specs))
            found = partition_store.partitions_named(connection, row.id, names)
        return [found[name] for name in names if name in found]

    def count(self, table: Identifier) -> int:
        """See :meth:`.Catalog.count_partitions`."""
        with self._database.read() as connection:
            row = self._find_table(connection, table, False)
            table_context(row.info, _LISTING)
            return partition_store.count_partitions(connection, row.id)

    def create(
        self,
        table: Identifier,
        specs: Sequence[Mapping[str, str]],
        ignore_if_exists: bool,
        statistics: Sequence[tuple[Mapping[str, str], PartitionStatistics]] | None,
        replace_statistics: bool,
        options: Sequence[Mapping[str, str]] | None,
    ) -> CreateResult:
        """See :meth:`.Catalog.create_partitions`."""
        context: TableContext | None = None
        request: list[Registration] = []
        canonical: dict[str, str] = {}
        while True:
            # Reading a large request takes longer than storing it, so it happens before the lock is taken;
            # should the table change in between, it is read again.
            with self._database.read() as connection:
                fresh = table_context(self._find_table(connection, table, False).info, _REGISTERING)
            if fresh != context:
                context = fresh
                request = registration.read_request(
                    context, specs, ignore_if_exists, statistics, replace_statistics, options
                )
                canonical = {
                    entry.named.name: context.layout.canonical_name(entry.named.spec) for entry in request
                }
            if not request:
                return CreateResult()
            result = self._database.run(
                partial(
                    self._register, table, context, request, canonical, ignore_if_exists, replace_statistics
                )
            )
            if result is not None:
                return result

    def _register(
        self,
        table: Identifier,
        context: TableContext,
        request: Sequence[Registration],
        canonical: Mapping[str, str],
        ignore_if_exists: bool,
        replaces: bool,
        connection: Connection,
    ) -> CreateResult | None:
        """Store a request; None when the table is not as it was when the request was read."""
        row = self._find_table(connection, table, True)
        if table_context(row.info, _REGISTERING) != context:
            return None
        return _register(connection, row.id, context, request, canonical, ignore_if_exists, replaces)

    def drop(
        self, table: Identifier, specs: Sequence[Mapping[str, str]], ignore_if_not_exists: bool
    ) -> DropResult:
        """See :meth:`.Catalog.drop_partitions`."""

        def drop(connection: Connection) -> DropResult:
            row = self._find_table(connection, table, True)
            named = table_context(row.info, _UNREGISTERING).distinct(specs)
            found = partition_store.partitions_named(connection, row.id, list(named))
            missing = [entry for name, entry in named.items() if name not in found]
            if missing and not ignore_if_not_exists:
                raise _not_found(row.info.identifier, missing)
            partition_store.delete_partitions(connection, row.id, list(found))
            return DropResult(
                tuple(entry.spec for name, entry in named.items() if name in found),
                tuple(entry.spec for entry in missing),
            )

        return self._database.run(drop)

    def mark_done(self, table: Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """See :meth:`.Catalog.mark_partitions_done`."""

        def mark(connection: Connection) -> None:
            row = self._find_table(connection, table, True)
            named = table_context(row.info, _MARKING).distinct(specs)
            found = partition_store.partitions_named(connection, row.id, list(named))
            missing = [entry for name, entry in named.items() if name not in found]
            if missing:
                raise _not_found(row.info.identifier, missing)
            partition_store.mark_done(connection, row.id, list(found), now_millis())

        self._database.run(mark)


def _leading(
    context: TableContext, prefix: Mapping[str, str] | None, predicate: Predicate | None
) -> dict[str, str]:
    """Lengthen the prefix by what the predicate says about the keys behind it."""
    leading = dict(prefix or {})
    if predicate is None:
        return leading
    equal = context.layout.prefix(predicate.leading_equalities(context.layout.keys))
    if set(leading) <= set(equal):
        return {**equal, **leading}
    return leading


def _register(
    connection: Connection,
    table_id: int,
    context: TableContext,
    request: Sequence[Registration],
    canonical: Mapping[str, str],
    ignore_if_exists: bool,
    replaces: bool,
) -> CreateResult:
    stored = partition_store.partitions_named(connection, table_id, [entry.named.name for entry in request])
    if stored and not ignore_if_exists:
        raise errors.PartitionsExistError(
            "PARTITIONS_EXIST", partitions=_shown(stored), table=context.identifier
        )
    if any(entry.location is not None for entry in request):
        special = partition_store.partitions_with(connection, table_id, PATH)
        registration.check_overlaps(context, request, special)
    now = now_millis()
    fresh = [entry for entry in request if entry.named.name not in stored]
    present = [entry for entry in request if entry.named.name in stored]
    changed: dict[str, Partition] = {}
    for entry in present:
        before = stored[entry.named.name]
        after = registration.updated_partition(context, before, entry, replaces, now)
        if after is not before:
            changed[entry.named.name] = after
    partition_store.insert_partitions(
        connection,
        table_id,
        (
            (entry.named.name, canonical[entry.named.name], registration.new_partition(entry, now))
            for entry in fresh
        ),
    )
    partition_store.update_partitions(connection, table_id, changed)
    return CreateResult(
        tuple(entry.named.spec for entry in fresh), tuple(entry.named.spec for entry in present)
    )


def _shown(names: Mapping[str, object]) -> str:
    shown = ", ".join(list(names)[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"


def _not_found(table: Identifier, missing: Sequence[NamedSpec]) -> errors.NoSuchPartitionError:
    names = {entry.name: None for entry in missing}
    return errors.NoSuchPartitionError("PARTITIONS_NOT_FOUND", partitions=_shown(names), table=table)
