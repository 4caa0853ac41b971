"""What is checked before a table is created. Nothing here looks at a catalog or at files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from spark_paimon import errors
from spark_paimon.options import TableOptions, validate_table_options
from spark_paimon.schema.table_schema import Schema
from spark_paimon.schema.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    Field,
    IntegralType,
    LocalZonedTimestampType,
    RowType,
    TextType,
    TimestampType,
    TimeType,
)

FORMAT_TABLE = "format-table"

_PARTITION_TYPES = (
    TextType,
    IntegralType,
    DecimalType,
    DateType,
    TimeType,
    TimestampType,
    BooleanType,
)
_LARGEST_PARTITION_PRECISION = 6


def is_format_table(options: TableOptions) -> bool:
    """Whether options make a table a format table.

    Examples
    --------
    >>> is_format_table(TableOptions({"type": "format-table"}))
    True
    """
    return str(options.get("type")).strip().lower() == FORMAT_TABLE


def validate_create(schema: Schema, table_name: object) -> Schema:
    """Check the definition of a new table, its ``table-default.*`` options already merged in.

    Returns
    -------
    Schema
        The definition to store: option keys in their documented spelling, partition keys in the spelling of
        their columns, and for a format table with a DATE, TIME or TIMESTAMP partition column
        ``partition.legacy-name`` = ``false`` unless it was set, so that its directories have readable names.

    Raises
    ------
    InvalidInputError
        Duplicate names, unknown or repeated partition keys, nothing but partition keys, a primary key on a
        format table, a malformed option.
    UnsupportedError
        The file format, or the type of a partition column, cannot be.
    """
    if not schema.fields:
        raise errors.InvalidInputError("SCHEMA_INVALID", reason=f"table {table_name} has no columns")
    check_unique_names(schema.fields, table_name)
    keys = _partition_keys(schema, table_name)
    options = validate_table_options(schema.options)
    view = TableOptions(options)
    if is_format_table(view):
        options["type"] = FORMAT_TABLE
        if schema.primary_keys or view.is_set("primary-key"):
            raise errors.InvalidInputError("PRIMARY_KEY_REFUSED", table=table_name)
        if view.get("auto-create"):
            raise errors.InvalidInputError("AUTO_CREATE_REFUSED", table=table_name)
        columns = [schema.field(key) for key in keys]
        for column in columns:
            _check_partition_type(column, table_name)
        if not view.is_set("partition.legacy-name") and any(_has_two_spellings(c.type) for c in columns):
            options["partition.legacy-name"] = "false"
    return replace(schema, partition_keys=keys, options=options)


def check_unique_names(fields: Iterable[Field], table_name: object) -> None:
    """Refuse two columns, or two fields of one ROW, whose names are equal when case is ignored.

    Raises
    ------
    InvalidInputError
        Names the columns.
    """
    by_name = defaultdict(list)
    for field in fields:
        by_name[field.name.lower()].append(field.name)
        if isinstance(field.type, RowType):
            check_unique_names(field.type.fields, table_name)
    for names in by_name.values():
        if len(names) > 1:
            raise errors.InvalidInputError("COLUMN_DUPLICATE", table=table_name, columns=", ".join(names))


def _partition_keys(schema: Schema, table_name: object) -> tuple[str, ...]:
    def refuse(reason: str) -> errors.InvalidInputError:
        return errors.InvalidInputError(
            "PARTITION_KEYS_INVALID", keys=", ".join(schema.partition_keys), table=table_name, reason=reason
        )

    keys: list[str] = []
    by_name = {field.name.lower(): field.name for field in schema.fields}
    for key in schema.partition_keys:
        column = by_name.get(key.lower())
        if column is None:
            known: Sequence[str] = [field.name for field in schema.fields]
            raise refuse(f"{key} is no column; only columns themselves can be keys, of {', '.join(known)}")
        if column in keys:
            raise refuse(f"{key} is named twice")
        keys.append(column)
    if keys and len(keys) == len(schema.fields):
        raise refuse("at least one column must not be a partition key")
    return tuple(keys)


def _check_partition_type(column: Field, table_name: object) -> None:
    kind = column.type
    if isinstance(kind, LocalZonedTimestampType):
        reason = "its text would depend on the time zone of the session; use TIMESTAMP_NTZ or DATE"
    elif isinstance(kind, TimestampType) and kind.precision > _LARGEST_PARTITION_PRECISION:
        reason = "partition values have microseconds; use TIMESTAMP(6)"
    elif isinstance(kind, _PARTITION_TYPES):
        return
    else:
        reason = "its values have no text that stays the same; use STRING, a whole number, DECIMAL or DATE"
    raise errors.UnsupportedError(
        "PARTITION_TYPE_REFUSED", column=column.name, table=table_name, type=kind.bare_sql(), reason=reason
    )


def _has_two_spellings(kind: DataType) -> bool:
    return isinstance(kind, (DateType, TimeType, TimestampType))
