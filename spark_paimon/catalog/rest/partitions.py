"""Partitions of a REST catalog: what is sent in which pieces, and what is looked at again here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.catalog import registration
from spark_paimon.catalog.definitions import PATH
from spark_paimon.catalog.models import CreateResult, DropResult, Identifier, Partition, Spec, TableInfo
from spark_paimon.catalog.registration import Registration, TableContext, table_context
from spark_paimon.catalog.rest.session import RestSession, elements_of, table_path
from spark_paimon.catalog.rest.transport import Repeat
from spark_paimon.catalog.wire.definitions import malformed
from spark_paimon.catalog.wire.filters import filter_to_json
from spark_paimon.catalog.wire.partitions import (
    BATCH,
    CreateRequest,
    Report,
    partition_from_json,
    specs_from_json,
)
from spark_paimon.catalog.wire.patterns import pattern_for
from spark_paimon.partition.predicate import And, NullSafeEqual, Predicate
from spark_paimon.storage import join

if TYPE_CHECKING:
    from spark_paimon.statistics import PartitionStatistics

_LISTING = "Listing registered partitions"


class RemotePartitions:
    """Partitions behind a server.

    Parameters
    ----------
    session
        Sends the requests.
    load
        Tells what the server says about a table now: keys, types and location decide what may be asked.
    """

    def __init__(self, session: RestSession, load: Callable[[Identifier], TableInfo]) -> None:
        self._session = session
        self._load = load

    def context(self, table: Identifier, operation: str) -> TableContext:
        """What the rules need to know of a table.

        Raises
        ------
        UnsupportedError
            ``PARTITIONS_NOT_MANAGED``.
        """
        return table_context(self._load(table), operation)

    def list_all(
        self,
        table: Identifier,
        prefix: Mapping[str, str] | None = None,
        predicate: Predicate | None = None,
    ) -> list[Partition]:
        """See :meth:`.Catalog.list_partitions`.

        A server may answer with more than was asked for, so everything is checked again.
        """
        context = self.context(table, _LISTING)
        if predicate is not None and predicate.always_false:
            return []
        beginning = registration.prefix_names(context, prefix) if prefix else None
        rows = self._rows(table, context, _conjunction(context, prefix, predicate))
        found: dict[str, Partition] = {}
        for name, row in self._checked(context, rows):
            if beginning is not None:
                canonical, complete = beginning
                own = context.layout.canonical_name(row.spec)
                if own != canonical and (complete or not own.startswith(canonical + "/")):
                    continue
            if predicate is None or predicate.may_match(context.layout.values(row.spec)):
                found[name] = row
        return [found[name] for name in sorted(found)]

    def _rows(
        self, table: Identifier, context: TableContext, condition: Predicate | None
    ) -> Iterator[Mapping[str, Any]]:
        path = [*table_path(table), "partitions"]
        operation = f"list partitions of {table}"
        if condition is None:
            yield from self._session.listing(path, "partitions", operation)
            return
        pattern = pattern_for(condition, context.layout)
        question = {} if pattern is None else {"partitionNamePattern": pattern}
        text = filter_to_json(condition, context.layout.columns)
        if text is not None:
            body = {**question, "filter": text}
            try:
                yield from self._session.listing(
                    [*path, "list-by-filter"], "partitions", operation, body=body
                )
                return
            except errors.UnsupportedError:
                # A server without filters; one that does not manage these partitions says so again.
                pass
        yield from self._session.listing(path, "partitions", operation, question)

    def _checked(
        self, context: TableContext, rows: Iterable[Mapping[str, Any]]
    ) -> Iterator[tuple[str, Partition]]:
        for row in rows:
            partition = partition_from_json(row)
            try:
                named = context.named(partition.spec)
            except errors.InvalidInputError as error:
                raise errors.IllegalStateError(
                    "PARTITION_METADATA_CORRUPT", table=context.identifier, reason=error.text.rstrip(".")
                ) from error
            yield named.name, replace(partition, spec=named.spec)

    def list_by_names(self, table: Identifier, specs: Sequence[Mapping[str, str]]) -> list[Partition]:
        """See :meth:`.Catalog.list_partitions_by_names`."""
        context = self.context(table, _LISTING)
        named = context.distinct(specs)
        path = [*table_path(table), "partitions", "list-by-names"]
        operation = f"look up partitions of {table}"
        found: dict[str, Partition] = {}
        for batch in _batches(list(named.values())):
            body = {"specs": [entry.spec for entry in batch]}
            answer = self._session.post(path, body, operation, Repeat.ALWAYS)
            found.update(self._checked(context, elements_of(answer, "partitions", operation)))
        return [found[name] for name in named if name in found]

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
        context = self.context(table, "Registering partitions")
        request = registration.read_request(
            context, specs, ignore_if_exists, statistics, replace_statistics, options
        )
        created: list[Spec] = []
        existed: list[Spec] = []
        path = [*table_path(table), "partitions"]
        # Splitting a strict request would leave the first half registered when the second is refused.
        for batch in _batches(request, BATCH if ignore_if_exists else len(request)):
            body = CreateRequest(
                specs=[entry.named.spec for entry in batch],
                ignore_if_exists=ignore_if_exists,
                statistics=_reports(batch),
                replace_statistics=replace_statistics,
                options=[_options(context, entry) for entry in batch],
            )
            repeat = Repeat.ALWAYS
            if body.statistics and not replace_statistics:
                # Whether numbers were added cannot be seen afterwards: a second time would count rows twice.
                repeat = Repeat.NEVER
            elif not ignore_if_exists:
                repeat = Repeat.REFUSED
            answer = self._session.post(path, body.to_json(), f"register partitions of {table}", repeat)
            created.extend(specs_from_json(answer.get("created")))
            existed.extend(specs_from_json(answer.get("existed")))
        return CreateResult(_ordered(context, created), _ordered(context, existed))

    def drop(
        self, table: Identifier, specs: Sequence[Mapping[str, str]], ignore_if_not_exists: bool
    ) -> DropResult:
        """See :meth:`.Catalog.drop_partitions`."""
        context = self.context(table, "Unregistering partitions")
        wanted = [entry.spec for entry in context.distinct(specs).values()]
        dropped: list[Spec] = []
        missing: list[Spec] = []
        path = [*table_path(table), "partitions", "drop"]
        for batch in _batches(wanted, BATCH if ignore_if_not_exists else len(wanted)):
            body = {"partitionSpecs": list(batch), "ignoreIfNotExists": ignore_if_not_exists}
            repeat = Repeat.ALWAYS if ignore_if_not_exists else Repeat.REFUSED
            answer = self._session.post(path, body, f"unregister partitions of {table}", repeat)
            dropped.extend(specs_from_json(answer.get("dropped")))
            missing.extend(specs_from_json(answer.get("missing")))
        return DropResult(_ordered(context, dropped), _ordered(context, missing))

    def mark_done(self, table: Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """See :meth:`.Catalog.mark_partitions_done`."""
        context = self.context(table, "Marking partitions as done")
        wanted = [entry.spec for entry in context.distinct(specs).values()]
        path = [*table_path(table), "partitions", "mark"]
        for batch in _batches(wanted, len(wanted)):
            self._session.post(path, {"specs": list(batch)}, f"mark partitions of {table}", Repeat.ALWAYS)


def _batches(items: Sequence[Any], size: int = BATCH) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size or 1):
        yield items[start : start + size]


def _conjunction(
    context: TableContext, prefix: Mapping[str, str] | None, predicate: Predicate | None
) -> Predicate | None:
    parts: list[Predicate] = []
    if prefix:
        columns = tuple(column for column in context.layout.columns if column.name in prefix)
        values = replace(context.layout, columns=columns).values(prefix)
        parts = [NullSafeEqual(key, value) for key, value in values.items()]
    if predicate is not None:
        parts.append(predicate)
    return And(tuple(parts)) if parts else None


def _reports(batch: Sequence[Registration]) -> list[Report]:
    return [(entry.named.spec, entry.statistics) for entry in batch if entry.statistics is not None]


def _options(context: TableContext, entry: Registration) -> dict[str, str]:
    options = dict(entry.options)
    if entry.location is not None:
        options[PATH] = entry.location
    if entry.resets_location:
        options[PATH] = join(context.location, context.layout.path(entry.named.spec))
    return options


def _ordered(context: TableContext, specs: Sequence[Spec]) -> tuple[Spec, ...]:
    # Servers may send the keys in any order.
    try:
        return tuple(context.named(spec).spec for spec in specs)
    except errors.InvalidInputError as error:
        # Not as a mistake of the request, which would mean that nothing was done.
        raise malformed("a list of partition specs", error) from error
