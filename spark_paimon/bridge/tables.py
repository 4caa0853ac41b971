"""Operations on tables, and what Spark is told about one."""

from __future__ import annotations

from spark_paimon import errors
from spark_paimon.bridge import messages
from spark_paimon.bridge.definitions import changes_of, schema_of
from spark_paimon.bridge.messages import Json
from spark_paimon.bridge.opening import opened
from spark_paimon.bridge.scans import describe_metadata_table, split_name
from spark_paimon.bridge.write_tasks import BATCH_ROWS, why_python_writes
from spark_paimon.catalog import Catalog, Identifier
from spark_paimon.catalog.definitions import DROPPED_COLUMNS
from spark_paimon.format import file_format
from spark_paimon.partition.escaping import NO_COMPONENTS, escape
from spark_paimon.schema import Field, to_spark
from spark_paimon.table import FormatTable, partitions
from spark_paimon.table.write.settings import file_extension

_CLUSTERING = ("hash", "partition_dynamic")
# Tasks in the JVM spell paths by the rule that is written down once, in `escape`.
_ESCAPED = "".join(chr(code) for code in range(128) if escape(chr(code)) != chr(code))


def describe(table: FormatTable) -> messages.TableDescription:
    """Everything Spark needs to know of a table to plan, read and write it."""
    return messages.TableDescription(
        full_name=table.full_name,
        uuid=table_uuid(table),
        columns=[_column(field) for field in table.schema.fields],
        partition_keys=table.partition_keys,
        location=table.location,
        managed=table.managed,
        format=table.format,
        dynamic=dict(table.dynamic_options),
        properties=_properties(table),
        metadata_directories=table.metadata_directories,
        paths={
            "value_only": table.partition_only_value_in_path,
            "default_name": table.partition_default_name,
            "legacy_name": table.layout.legacy_name,
            "escaped": _ESCAPED,
            "no_components": NO_COMPONENTS,
        },
        list_parallelism=table.table_options.get("format-table.scan.list-parallelism"),
        write=_write_settings(table),
    )


def table_uuid(table: FormatTable) -> str:
    """What tells this table from another one that had or will have its name."""
    return table.info.uuid or table.location


def _column(field: Field) -> Json:
    return {
        "name": field.name,
        "type": to_spark(field.type),
        "nullable": field.type.nullable,
        "comment": field.description,
    }


def _properties(table: FormatTable) -> dict[str, str]:
    properties = {key: text for key, text in table.schema.options.items() if key != DROPPED_COLUMNS}
    if table.format == "csv":
        # What Spark calls it; created again with both, the table has the same one.
        properties["sep"] = table.table_options.get("csv.field-delimiter")
    properties["provider"] = table.format
    properties["location"] = table.location
    if table.info.external:
        properties["external"] = "true"
    else:
        properties["is_managed_location"] = "true"
    if table.schema.comment is not None:
        properties["comment"] = table.schema.comment
    if table.info.owner is not None:
        properties["owner"] = table.info.owner
    return properties


def _write_settings(table: FormatTable) -> Json:
    options = table.table_options
    return {
        "reason": why_python_writes(table),
        "extension": file_extension(table),
        "file_prefix": options.get("data-file.prefix"),
        "target_file_size": options.get("target-file-size"),
        "target_file_rows": options.get("target-file-row-num"),
        "options": file_format(table.format).spark_write_options(options, table.file_compression),
        "line_delimiter": options.get("text.line-delimiter") if table.format == "text" else None,
        "clustered": options.get("partition.sink-strategy") in _CLUSTERING,
        "batch_rows": BATCH_ROWS,
    }


def list_all(catalog: Catalog, request: messages.ListTables) -> messages.TableNames:
    """SHOW TABLES."""
    return messages.TableNames(catalog.list_tables(request.database))


def load(
    catalog: Catalog, request: messages.NamedTable
) -> messages.TableDescription | messages.MetadataTableDescription:
    """Every statement that names a table."""
    parts = split_name(request.table)
    if parts is not None:
        return describe_metadata_table(catalog, request.database, *parts)
    return describe(opened(catalog, request))


def create(catalog: Catalog, request: messages.DefineTable) -> messages.TableDescription:
    """CREATE TABLE, CREATE TABLE … LIKE."""
    identifier = Identifier(request.database, request.table)
    schema = schema_of(catalog, request)
    catalog.create_table(identifier, schema)
    return describe(catalog.get_table(identifier))


def alter(catalog: Catalog, request: messages.AlterTable) -> messages.TableDescription:
    """ALTER TABLE: columns, properties, comment."""
    identifier = Identifier(request.database, request.table)
    catalog.alter_table(identifier, changes_of(str(identifier), request.changes))
    return describe(catalog.get_table(identifier))


def drop(catalog: Catalog, request: messages.NamedTable) -> messages.DroppedTable:
    """DROP TABLE."""
    parts = split_name(request.table)
    if parts is not None:
        of = str(Identifier(request.database, parts[0]))
        raise errors.UnsupportedError("METADATA_TABLE_FIXED", table=request.table, of=of)
    try:
        catalog.drop_table(Identifier(request.database, request.table))
    except (errors.NoSuchTableError, errors.NoSuchDatabaseError):
        return messages.DroppedTable(False)
    return messages.DroppedTable(True)


def rename(catalog: Catalog, request: messages.RenameTable) -> messages.Done:
    """ALTER TABLE … RENAME TO."""
    catalog.rename_table(
        Identifier(request.database, request.table), Identifier(request.new_database, request.new_table)
    )
    return messages.Done()


def truncate(catalog: Catalog, request: messages.NamedTable) -> messages.Done:
    """TRUNCATE TABLE."""
    partitions.truncate(opened(catalog, request))
    return messages.Done()
