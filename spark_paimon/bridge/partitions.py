"""Partition statements of Spark, on typed values or on the literals of the statement."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from spark_paimon import errors
from spark_paimon.bridge import messages
from spark_paimon.bridge.messages import Json
from spark_paimon.bridge.opening import opened
from spark_paimon.catalog import Catalog
from spark_paimon.partition.values import Value
from spark_paimon.schema import DecimalType
from spark_paimon.table import FormatTable
from spark_paimon.table import partitions as statements


def from_wire(table: FormatTable, values: Mapping[str, Json]) -> dict[str, Value]:
    """Typed values of some partition columns from their form in a message."""
    types = {column.name: column.type for column in table.layout.columns}
    return {
        key: Decimal(value) if value is not None and isinstance(types.get(key), DecimalType) else value
        for key, value in values.items()
    }


def _named(table: FormatTable, values: Mapping[str, Json]) -> dict[str, Value]:
    """Typed values that a statement names partitions by: there the name of the NULL partition means NULL."""
    typed = from_wire(table, values)
    return {key: None if value == table.partition_default_name else value for key, value in typed.items()}


def to_wire(value: Value) -> Json:
    """A typed value in the form of a message."""
    return str(value) if isinstance(value, Decimal) else value


def list_values(catalog: Catalog, request: messages.SomePartitions) -> messages.PartitionValues:
    """SHOW PARTITIONS, and what Spark expands a partial spec into."""
    table = opened(catalog, request)
    wanted = [_named(table, values) for values in request.partitions]
    rows = statements.select_partitions(table, wanted[0] if wanted else None)
    typed = (table.layout.values(row.spec) for row in rows)
    return messages.PartitionValues(
        [[to_wire(values[key]) for key in table.partition_keys] for values in typed]
    )


def load(catalog: Catalog, request: messages.SomePartitions) -> messages.PartitionMetadata:
    """SHOW TABLE EXTENDED … PARTITION: what the catalog knows of one partition."""
    table = opened(catalog, request)
    rows = statements.select_partitions(table, _named(table, request.partitions[0]))
    if not rows:
        return messages.PartitionMetadata({})
    shown = dict(rows[0].options)
    if table.managed:
        shown["file.format"] = table.effective_format(shown)
        shown["done"] = str(rows[0].done).lower()
        for key, number in rows[0].statistics.to_json().items():
            if key != "totalBuckets":
                shown[key] = "UNKNOWN" if number < 0 else str(number)
    return messages.PartitionMetadata(shown)


def add(catalog: Catalog, request: messages.AddPartitions) -> messages.Done:
    """ADD PARTITION in a session without our extension."""
    table = opened(catalog, request)
    values = [_named(table, values) for values in request.partitions]
    statements.add_partitions(table, values, request.ignore_if_exists, _options(request.options))
    return messages.Done()


def add_statement(catalog: Catalog, request: messages.AddPartitionsStatement) -> messages.Done:
    """ADD [IF NOT EXISTS] PARTITION (…) [LOCATION …]."""
    table = opened(catalog, request)
    table.require_managed("ADD PARTITION")
    values = [
        table.layout.literals(spec, table.full_name, request.case_sensitive) for spec in request.partitions
    ]
    options = [{} if location is None else {"location": location} for location in request.locations]
    statements.add_partitions(table, values, request.if_not_exists, options)
    return messages.Done()


def drop(catalog: Catalog, request: messages.SomePartitions) -> messages.Done:
    """DROP PARTITION in a session without our extension."""
    table = opened(catalog, request)
    values = [_named(table, values) for values in request.partitions]
    statements.drop_partitions(table, values, request.ignore_if_not_exists)
    return messages.Done()


def drop_statement(catalog: Catalog, request: messages.DropPartitionsStatement) -> messages.Done:
    """DROP [IF EXISTS] PARTITION (…), complete specs and partial ones."""
    table = opened(catalog, request)
    table.require_managed("DROP PARTITION")
    if request.purge:
        raise _purge(table)
    values = [
        table.layout.literals(spec, table.full_name, request.case_sensitive) for spec in request.partitions
    ]
    statements.drop_partitions(table, values, request.if_exists)
    return messages.Done()


def truncate(catalog: Catalog, request: messages.SomePartitions) -> messages.Done:
    """TRUNCATE TABLE … PARTITION in a session without our extension; Spark has expanded a partial spec."""
    table = opened(catalog, request)
    statements.truncate(table, [_named(table, values) for values in request.partitions])
    return messages.Done()


def truncate_statement(catalog: Catalog, request: messages.TruncatePartitionsStatement) -> messages.Done:
    """TRUNCATE TABLE … PARTITION with values for all or any of the columns."""
    table, operation = opened(catalog, request), "TRUNCATE TABLE"
    statements.require_partitioned(table, operation)
    for spec in request.partitions:
        values = table.layout.literals(spec, table.full_name, request.case_sensitive)
        table.layout.check_not_blank(values, operation, table.full_name)
        if len(values) == len(table.partition_keys):
            statements.truncate(table, [values])
        else:
            rows = statements.select_partitions(table, values)
            statements.truncate(table, [table.layout.values(row.spec) for row in rows])
    return messages.Done()


def refuse_purge(catalog: Catalog, request: messages.NamedTable) -> messages.Done:
    """DROP PARTITION … PURGE."""
    raise _purge(opened(catalog, request))


def refuse_metadata(catalog: Catalog, request: messages.NamedTable) -> messages.Done:
    """ALTER TABLE … PARTITION … RENAME TO and the like."""
    table = opened(catalog, request)
    raise errors.UnsupportedError("PARTITION_METADATA_FIXED", table=table.full_name)


def _purge(table: FormatTable) -> errors.UnsupportedError:
    return errors.UnsupportedError("PURGE_UNSUPPORTED", table=table.full_name)


def _options(given: object) -> list[dict[str, str]]:
    assert isinstance(given, list)
    return [dict(options) for options in given]
