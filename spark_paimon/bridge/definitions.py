"""What Spark says about a new or changed table, in our terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from spark_paimon import errors
from spark_paimon.bridge import messages
from spark_paimon.bridge.messages import Json
from spark_paimon.catalog import Catalog, Identifier
from spark_paimon.options import FILE_FORMATS
from spark_paimon.schema import (
    AddColumn,
    Change,
    DataType,
    DropColumn,
    Field,
    RemoveOption,
    RenameColumn,
    Schema,
    SetOption,
    UpdateColumnComment,
    UpdateColumnNullability,
    UpdateColumnPosition,
    UpdateColumnType,
    UpdateComment,
    from_spark,
)

_OPTION_PREFIX = "option."
# What Spark mixes into the properties of a table and what is no option of ours.
_RESERVED = ("provider", "location", "comment", "owner", "external", "is_managed_location", "collation")
_FORMAT_TABLE = "format-table"


def schema_of(catalog: Catalog, request: messages.DefineTable) -> Schema:
    """Definition of a new table.

    Raises
    ------
    UnsupportedError
        ``SNAPSHOT_TABLE_UNSUPPORTED`` (``USING paimon`` or nothing), a provider that is no file format, or a
        partition expression that is not a plain column.
    InvalidInputError
        ``PROVIDER_CONFLICT``: USING names one format and ``file.format`` another.
    """
    name = str(Identifier(request.database, request.table))
    fields = tuple(_field(column, position) for position, column in enumerate(request.columns))
    return Schema(
        fields=fields,
        partition_keys=tuple(_partition_key(item, name) for item in request.partitioning),
        options=_options(catalog, request, name),
        comment=request.properties.get("comment", request.like.get("comment")),
    )


def _field(column: Json, position: int) -> Field:
    return Field(position, column["name"], _type(column), column.get("comment"))


def _type(column: Json) -> DataType:
    return replace(from_spark(column["type"]), nullable=bool(column["nullable"]))


def _partition_key(item: Json, table: str) -> str:
    if item["transform"] != "identity" or len(item["columns"]) != 1:
        raise errors.UnsupportedError(
            "PARTITION_EXPRESSION_UNSUPPORTED", expression=item["text"], table=table
        )
    return str(item["columns"][0])


def _options(catalog: Catalog, request: messages.DefineTable, table: str) -> dict[str, str]:
    options = {key: value for key, value in request.like.items() if key not in _RESERVED}
    options.update(
        (key, value)
        for key, value in request.properties.items()
        if key not in _RESERVED and not key.startswith(_OPTION_PREFIX)
    )
    provider = request.properties.get("provider") or request.like.get("provider")
    _apply_provider(catalog, options, provider, table)
    if location := request.properties.get("location"):
        options["path"] = location
    return options


def _apply_provider(catalog: Catalog, options: dict[str, str], provider: str | None, table: str) -> None:
    formats = [name.lower() for name in FILE_FORMATS]
    kind = options.get("type", catalog.options.get("table-default.type"))
    if provider is None or provider.lower() in ("paimon", _FORMAT_TABLE):
        if kind is None or kind.lower() != _FORMAT_TABLE:
            raise errors.UnsupportedError(
                "SNAPSHOT_TABLE_UNSUPPORTED", table=table, formats=", ".join(FILE_FORMATS)
            )
        return
    if provider.lower() not in formats:
        raise errors.UnsupportedError(
            "PROVIDER_UNSUPPORTED", provider=provider, table=table, formats=", ".join(formats)
        )
    stated = options.setdefault("file.format", provider.lower())
    if stated.lower() != provider.lower():
        raise errors.InvalidInputError("PROVIDER_CONFLICT", provider=provider, format=stated, table=table)
    if options.setdefault("type", _FORMAT_TABLE).lower() != _FORMAT_TABLE:
        raise errors.InvalidInputError(
            "PROVIDER_CONFLICT", provider=provider, format=options["type"], table=table
        )


def changes_of(table: str, changes: Sequence[Json]) -> list[Change]:
    """The changes of an ALTER TABLE.

    Raises
    ------
    UnsupportedError
        A change that no table of ours can make.
    """
    return [change for item in changes for change in _changes(table, item)]


def _changes(table: str, item: Json) -> list[Change]:
    convert = _CONVERSIONS.get(item["change"])
    if convert is None:
        raise errors.UnsupportedError(
            "TABLE_CHANGE_UNSUPPORTED", change=item.get("text", item["change"]), table=table
        )
    return convert(table, item)


def _set_property(table: str, item: Json) -> list[Change]:
    key, value = item["key"], item["value"]
    if key == "comment":
        return [UpdateComment(value)]
    if key == "location":
        raise errors.UnsupportedError("SET_LOCATION_UNSUPPORTED", table=table)
    return [SetOption(key, value)]


def _remove_property(table: str, item: Json) -> list[Change]:
    return [UpdateComment(None)] if item["key"] == "comment" else [RemoveOption(item["key"])]


def _add_column(table: str, item: Json) -> list[Change]:
    return [
        AddColumn(
            _path(item),
            _type(item),
            item.get("comment"),
            after=item.get("after"),
            first=bool(item.get("first")),
        )
    ]


def _path(item: Json) -> tuple[str, ...]:
    return tuple(item["column"])


def _update_type(table: str, item: Json) -> list[Change]:
    return [UpdateColumnType(_path(item), from_spark(item["type"]))]


def _update_position(table: str, item: Json) -> list[Change]:
    return [UpdateColumnPosition(_path(item), after=item.get("after"), first=bool(item.get("first")))]


_CONVERSIONS: Mapping[str, Callable[[str, Json], list[Change]]] = {
    "set_property": _set_property,
    "remove_property": _remove_property,
    "add_column": _add_column,
    "rename_column": lambda table, item: [RenameColumn(_path(item), item["new_name"])],
    "drop_column": lambda table, item: [DropColumn(_path(item))],
    "update_type": _update_type,
    "update_nullability": lambda table, item: [UpdateColumnNullability(_path(item), bool(item["nullable"]))],
    "update_comment": lambda table, item: [UpdateColumnComment(_path(item), item.get("comment"))],
    "update_position": _update_position,
}
