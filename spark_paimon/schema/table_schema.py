"""What a table looks like: the definition a user asks for, and the versioned one that a catalog keeps."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spark_paimon import errors
from spark_paimon.schema.parsing import parse_field
from spark_paimon.schema.types import (
    ArrayType,
    DataType,
    Field,
    MapType,
    MultisetType,
    RowType,
)

#: Version of the JSON form that is written.
CURRENT_VERSION = 3
# Until this version a schema without `file.format` meant ORC.
_LAST_VERSION_WITH_ORC_DEFAULT = 2


def _find(fields: Sequence[Field], name: str, table: str) -> Field:
    for candidate in fields:
        if candidate.name == name:
            return candidate
    raise errors.NoSuchColumnError(
        "COLUMN_NOT_FOUND", column=name, table=table, columns=", ".join(f.name for f in fields)
    )


@dataclass(frozen=True)
class Schema:
    """Definition of a table as a CREATE request carries it.

    Examples
    --------
    >>> from spark_paimon.schema import DateType, Field, IntType
    >>> Schema((Field(0, "id", IntType()), Field(1, "dt", DateType())), partition_keys=("dt",)).field("dt").id
    1
    """

    fields: tuple[Field, ...]
    partition_keys: tuple[str, ...] = ()
    primary_keys: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))
        object.__setattr__(self, "partition_keys", tuple(self.partition_keys))
        object.__setattr__(self, "primary_keys", tuple(self.primary_keys))
        object.__setattr__(self, "options", dict(self.options))

    def field(self, name: str) -> Field:
        """The column of that name; NoSuchColumnError when there is none."""
        return _find(self.fields, name, "the new table")

    def to_json(self) -> dict[str, Any]:
        """JSON form of a create request: ``fields, partitionKeys, primaryKeys, options, comment``."""
        return {
            "fields": [column.to_json() for column in self.fields],
            "partitionKeys": list(self.partition_keys),
            "primaryKeys": list(self.primary_keys),
            "options": dict(self.options),
            "comment": self.comment,
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Schema:
        """The definition that a create request carries."""
        return cls(
            tuple(parse_field(column) for column in form["fields"]),
            tuple(form.get("partitionKeys") or ()),
            tuple(form.get("primaryKeys") or ()),
            _options(form),
            form.get("comment"),
        )


@dataclass(frozen=True)
class TableSchema:
    """One version of a table's definition, equal in JSON to Paimon's files ``schema-<id>``.

    Parameters
    ----------
    id
        Number of this version, from 0.
    highest_field_id
        Largest field id ever given out in the table, nested fields included.
    time_millis
        When this version was made, epoch milliseconds.
    version
        Version of the JSON form.
    """

    id: int
    fields: tuple[Field, ...]
    highest_field_id: int
    partition_keys: tuple[str, ...] = ()
    primary_keys: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    time_millis: int = 0
    version: int = CURRENT_VERSION

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))
        object.__setattr__(self, "partition_keys", tuple(self.partition_keys))
        object.__setattr__(self, "primary_keys", tuple(self.primary_keys))
        object.__setattr__(self, "options", dict(self.options))

    @classmethod
    def initial(cls, schema: Schema, time_millis: int | None = None) -> TableSchema:
        """Version 0 of a new table: field ids are numbered anew, nested fields right behind their column.

        Examples
        --------
        >>> from spark_paimon.schema import Field, IntType
        >>> TableSchema.initial(Schema((Field(7, "a", IntType()),)), time_millis=0).fields
        (Field(id=0, name='a', type=IntType(nullable=True), description=None, default=None),)
        """
        fields, highest = number_fields(schema.fields)
        now = time.time_ns() // 1_000_000 if time_millis is None else time_millis
        return cls(
            0,
            fields,
            highest,
            schema.partition_keys,
            schema.primary_keys,
            schema.options,
            schema.comment,
            now,
        )

    def field(self, name: str) -> Field:
        """The column of that name; NoSuchColumnError when there is none."""
        return _find(self.fields, name, "the table")

    @property
    def partition_fields(self) -> tuple[Field, ...]:
        """The partition columns in key order."""
        return tuple(self.field(name) for name in self.partition_keys)

    @property
    def data_fields(self) -> tuple[Field, ...]:
        """The columns that data files hold, in table order."""
        return tuple(column for column in self.fields if column.name not in self.partition_keys)

    def as_schema(self) -> Schema:
        """The definition without version, number and time."""
        return Schema(self.fields, self.partition_keys, self.primary_keys, self.options, self.comment)

    def to_json(self) -> dict[str, Any]:
        """JSON form of a file ``schema-<id>``."""
        result: dict[str, Any] = {
            "version": self.version,
            "id": self.id,
            "fields": [column.to_json() for column in self.fields],
            "highestFieldId": self.highest_field_id,
            "partitionKeys": list(self.partition_keys),
            "primaryKeys": list(self.primary_keys),
            "options": dict(self.options),
        }
        if self.comment is not None:
            result["comment"] = self.comment
        result["timeMillis"] = self.time_millis
        return result

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> TableSchema:
        """The definition that a file ``schema-<id>`` holds; also files of older versions.

        Raises
        ------
        UnsupportedError
            The file was written by a newer version of the format.
        InvalidInputError
            A part is missing or malformed.
        """
        version = int(form.get("version") or 1)
        if version > CURRENT_VERSION:
            raise errors.UnsupportedError(
                "SCHEMA_VERSION_TOO_NEW", version=version, supported=CURRENT_VERSION
            )
        options = _options(form)
        if version <= _LAST_VERSION_WITH_ORC_DEFAULT:
            options.setdefault("file.format", "orc")
        try:
            fields = tuple(parse_field(column) for column in form["fields"])
            return cls(
                int(form["id"]),
                fields,
                int(form["highestFieldId"]) if "highestFieldId" in form else highest_id(fields),
                tuple(form.get("partitionKeys") or ()),
                tuple(form.get("primaryKeys") or ()),
                options,
                form.get("comment"),
                int(form.get("timeMillis") or 0),
                CURRENT_VERSION,
            )
        except KeyError as missing:
            raise errors.InvalidInputError("SCHEMA_INVALID", reason=f"it has no {missing}") from missing


def _options(form: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in (form.get("options") or {}).items() if value is not None}


def nested_fields(kind: DataType) -> Iterable[Field]:
    """All fields inside a type, at any depth."""
    if isinstance(kind, RowType):
        for inner in kind.fields:
            yield inner
            yield from nested_fields(inner.type)
    elif isinstance(kind, (ArrayType, MultisetType)):
        yield from nested_fields(kind.element)
    elif isinstance(kind, MapType):
        yield from nested_fields(kind.key)
        yield from nested_fields(kind.value)


def highest_id(fields: Iterable[Field]) -> int:
    """Largest field id in use, nested fields included; -1 without fields."""
    highest = -1
    for column in fields:
        highest = max(highest, column.id, *(inner.id for inner in nested_fields(column.type)), -1)
    return highest


def number_fields(fields: Iterable[Field], highest: int = -1) -> tuple[tuple[Field, ...], int]:
    """Give every field the next free id, a nested one right behind the field that holds it.

    Returns
    -------
    fields, highest
        The numbered fields and the largest id given out.
    """
    numbered = []
    for column in fields:
        own = highest + 1
        kind, highest = number_type(column.type, own)
        numbered.append(replace(column, id=own, type=kind))
    return tuple(numbered), highest


def number_type(kind: DataType, highest: int) -> tuple[DataType, int]:
    """Give every field inside a type the next free id; see :func:`number_fields`."""
    if isinstance(kind, RowType):
        inner, highest = number_fields(kind.fields, highest)
        return replace(kind, fields=inner), highest
    if isinstance(kind, (ArrayType, MultisetType)):
        element, highest = number_type(kind.element, highest)
        return replace(kind, element=element), highest
    if isinstance(kind, MapType):
        key, highest = number_type(kind.key, highest)
        value, highest = number_type(kind.value, highest)
        return replace(kind, key=key, value=value), highest
    return kind, highest
