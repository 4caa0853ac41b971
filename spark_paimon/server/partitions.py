"""Partitions."""

from __future__ import annotations

from typing import Any

from spark_paimon import errors
from spark_paimon.catalog.definitions import layout_of
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.catalog.models import PartitionPage
from spark_paimon.catalog.wire.filters import filter_from_json
from spark_paimon.catalog.wire.partitions import BATCH, CreateRequest, partition_to_json
from spark_paimon.server.call import Call

_PATTERN = "partitionNamePattern"


def list_partitions(catalog: EmbeddedCatalog, call: Call) -> Any:
    """A page, by name."""
    page = call.page
    pattern = call.query.get(_PATTERN) or None
    return _answer(catalog.partitions_page(call.table, pattern, None, page.after, page.limit))


def list_by_filter(catalog: EmbeddedCatalog, call: Call) -> Any:
    """A page of those that may match; a condition that is not understood keeps everything."""
    page = call.page
    columns = layout_of(catalog.load_table_info(call.table).schema).columns
    predicate = filter_from_json(call.body["filter"], columns)
    pattern = call.body.get(_PATTERN) or None
    return _answer(catalog.partitions_page(call.table, pattern, predicate, page.after, page.limit))


def _answer(page: PartitionPage) -> Any:
    return {
        "partitions": [partition_to_json(partition) for partition in page.partitions],
        "nextPageToken": page.next,
    }


def list_by_names(catalog: EmbeddedCatalog, call: Call) -> Any:
    """The registered ones among some specs, all at once."""
    specs = call.body["specs"]
    if len(specs) > BATCH:
        reason = f"it names {len(specs)} partitions; {BATCH} can be looked up at once"
        raise errors.InvalidInputError("REQUEST_MALFORMED", reason=reason)
    found = catalog.list_partitions_by_names(call.table, specs)
    return {"partitions": [partition_to_json(partition) for partition in found], "nextPageToken": None}


def create_partitions(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Register some and report statistics, everything or nothing."""
    request = CreateRequest.from_json(call.body)
    result = catalog.create_partitions(
        call.table,
        request.specs,
        request.ignore_if_exists,
        request.statistics,
        request.replace_statistics,
        request.options,
    )
    return {"created": result.created, "existed": result.existed}


def drop_partitions(catalog: EmbeddedCatalog, call: Call) -> Any:
    """Forget some, all or none; files stay."""
    ignore = call.body.get("ignoreIfNotExists")
    specs = call.body["partitionSpecs"]
    result = catalog.drop_partitions(call.table, specs, True if ignore is None else ignore)
    return {"dropped": result.dropped, "missing": result.missing}


def mark_done(catalog: EmbeddedCatalog, call: Call) -> None:
    """Mark some as complete."""
    catalog.mark_partitions_done(call.table, call.body["specs"])
