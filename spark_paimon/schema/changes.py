"""ALTER TABLE as values, and what each change makes of a table's definition.

Data files are never rewritten, so a change that files could not follow is refused here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from spark_paimon import errors
from spark_paimon.options import TableOptions, validate_table_options
from spark_paimon.schema.table_schema import TableSchema, number_type
from spark_paimon.schema.types import (
    ArrayType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    MapType,
    RowType,
    TextType,
    TimestampType,
    VarCharType,
)
from spark_paimon.schema.validation import check_unique_names

#: A column, or a field inside it: names from the outside in. Elements, keys and values of nested types are
#: named ``element``, ``key`` and ``value``, as in Spark.
FieldPath = tuple[str, ...]


@dataclass(frozen=True)
class SetOption:
    """Set a table option."""

    key: str
    value: str


@dataclass(frozen=True)
class RemoveOption:
    """Forget a table option; no error when it is not set."""

    key: str


@dataclass(frozen=True)
class UpdateComment:
    """Set the comment of the table, or remove it (None)."""

    comment: str | None


@dataclass(frozen=True)
class AddColumn:
    """Add a column at the end, first, or behind the column `after`."""

    name: FieldPath
    type: DataType
    comment: str | None = None
    first: bool = False
    after: str | None = None


@dataclass(frozen=True)
class RenameColumn:
    """Rename a column; `new_name` is its last name only."""

    name: FieldPath
    new_name: str


@dataclass(frozen=True)
class DropColumn:
    """Remove a column."""

    name: FieldPath


@dataclass(frozen=True)
class UpdateColumnType:
    """Change a column to a wider type; its nullability stays."""

    name: FieldPath
    type: DataType


@dataclass(frozen=True)
class UpdateColumnNullability:
    """Allow NULL in a column. (Forbidding it is refused, there may be NULLs in its files.)"""

    name: FieldPath
    nullable: bool


@dataclass(frozen=True)
class UpdateColumnComment:
    """Set the comment of a column, or remove it (None)."""

    name: FieldPath
    comment: str | None


@dataclass(frozen=True)
class UpdateColumnPosition:
    """Move a column to the front, or behind the column `after`."""

    name: FieldPath
    first: bool = False
    after: str | None = None


Change = (
    SetOption
    | RemoveOption
    | UpdateComment
    | AddColumn
    | RenameColumn
    | DropColumn
    | UpdateColumnType
    | UpdateColumnNullability
    | UpdateColumnComment
    | UpdateColumnPosition
)

_Edit = Callable[[list[Field]], list[Field]]


def apply_changes(
    schema: TableSchema,
    changes: Iterable[Change],
    table_name: object,
    time_millis: int | None = None,
) -> TableSchema:
    """The next version of a definition, all changes made in their order or none.

    Raises
    ------
    UnsupportedError
        A change of ``type``, of a partition column's name or type, or one that existing files could not
        follow.
    InvalidInputError
        A malformed option, a column that exists already, a definition without data columns.
    NoSuchColumnError
        A column that does not exist.

    Examples
    --------
    >>> from spark_paimon.schema import IntType, Schema, TableSchema
    >>> first = TableSchema.initial(Schema((Field(0, "a", IntType()),)), time_millis=0)
    >>> second = apply_changes(first, [AddColumn(("b",), IntType())], "db.t", time_millis=1)
    >>> second.id, [field.name for field in second.fields], second.highest_field_id
    (1, ['a', 'b'], 1)
    """
    result = schema
    for change in changes:
        result = _Application(result, table_name).apply(change)
    check_unique_names(result.fields, table_name)
    if len(result.fields) <= len(result.partition_keys):
        raise errors.InvalidInputError(
            "SCHEMA_INVALID", reason=f"table {table_name} would have no column but its partition keys"
        )
    now = time.time_ns() // 1_000_000 if time_millis is None else time_millis
    return replace(result, id=schema.id + 1, time_millis=now)


def is_safe_type_change(old: DataType, new: DataType) -> bool:
    """Whether every value of the old type, as it lies in files, is a value of the new type.

    These are the changes that the readers of all formats follow. A whole number becomes a DECIMAL only where
    all its digits have room, a DOUBLE only up to INT, beyond which neighbours would become one number.

    Examples
    --------
    >>> from spark_paimon.schema import BigIntType, DoubleType, IntType
    >>> is_safe_type_change(IntType(), BigIntType()), is_safe_type_change(BigIntType(), IntType())
    (True, False)
    >>> is_safe_type_change(IntType(), DoubleType()), is_safe_type_change(BigIntType(), DoubleType())
    (True, False)
    """
    old, new = old.with_nullable(True), new.with_nullable(True)
    if old == new:
        return True
    if isinstance(old, IntegralType):
        return _holds_whole_number(new, old.bits)
    if isinstance(old, FloatType):
        return isinstance(new, DoubleType)
    if isinstance(old, DecimalType) and isinstance(new, DecimalType):
        return old.scale <= new.scale and old.precision - old.scale <= new.precision - new.scale
    if isinstance(old, TextType) and isinstance(new, VarCharType):
        return old.length <= new.length
    if isinstance(old, CharType) and isinstance(new, CharType):
        return old.length <= new.length
    if isinstance(old, DateType):
        # Dates of the years 1 to 9999 do not all fit into nanoseconds.
        return isinstance(new, TimestampType) and new.precision <= _MICROSECONDS
    if isinstance(old, TimestampType) and isinstance(new, TimestampType):
        return old.precision <= new.precision <= _MICROSECONDS
    return False


_MICROSECONDS = 6
_WHOLE_DIGITS = {8: 3, 16: 5, 32: 10, 64: 19}
_EXACT_IN_DOUBLE = 32


def _holds_whole_number(kind: DataType, bits: int) -> bool:
    if isinstance(kind, IntegralType):
        return bits <= kind.bits
    if isinstance(kind, DecimalType):
        return kind.precision - kind.scale >= _WHOLE_DIGITS[bits]
    return isinstance(kind, DoubleType) and bits <= _EXACT_IN_DOUBLE


class _Application:
    """One change made to one definition."""

    def __init__(self, schema: TableSchema, table_name: object) -> None:
        self.schema = schema
        self.table_name = table_name

    def apply(self, change: Change) -> TableSchema:
        if isinstance(change, (SetOption, RemoveOption)):
            return replace(self.schema, options=self._options(change))
        if isinstance(change, UpdateComment):
            return replace(self.schema, comment=change.comment)
        if isinstance(change, AddColumn):
            return self._add(change)
        if isinstance(change, RenameColumn):
            self._check_not_partition(change.name)
            return self._edit_one(change.name, lambda field: replace(field, name=change.new_name))
        if isinstance(change, DropColumn):
            self._check_not_partition(change.name)
            return self._edit(change.name, lambda siblings, at: siblings[:at] + siblings[at + 1 :])
        if isinstance(change, UpdateColumnType):
            self._check_not_partition(change.name)
            return self._edit_one(change.name, lambda field: self._retyped(field, change))
        if isinstance(change, UpdateColumnNullability):
            return self._edit_one(change.name, lambda field: self._with_nullability(field, change))
        if isinstance(change, UpdateColumnComment):
            return self._edit_one(change.name, lambda field: replace(field, description=change.comment))
        return self._edit(change.name, lambda siblings, at: self._moved(siblings, at, change))

    def _options(self, change: SetOption | RemoveOption) -> Mapping[str, str]:
        key = change.key.lower()
        before = TableOptions(self.schema.options)
        value = change.value if isinstance(change, SetOption) else None
        if key == "type":
            unchanged = value is not None and value.strip().lower() == str(before.get("type")).lower()
            if not unchanged and (value is not None or before.is_set("type")):
                raise errors.UnsupportedError("TYPE_OPTION_CHANGE")
            return self.schema.options
        if key == "path" and value != before.get("path"):
            raise errors.UnsupportedError(
                "OPTION_IMMUTABLE",
                key=key,
                table=self.table_name,
                reason="ALTER TABLE ... SET LOCATION is not supported for Paimon tables",
            )
        if key == "primary-key" and value is not None:
            raise errors.InvalidInputError("PRIMARY_KEY_REFUSED", table=self.table_name)
        kept = {name: text for name, text in self.schema.options.items() if name.lower() != key}
        # Only what is set now is checked: an old table stays alterable when a newer version is stricter.
        return kept if value is None else {**kept, **validate_table_options({change.key: value})}

    def _check_not_partition(self, path: FieldPath) -> None:
        if path[0] in self.schema.partition_keys:
            raise errors.UnsupportedError("PARTITION_COLUMN_CHANGE", column=path[0], table=self.table_name)

    def _refused(self, change: str, path: FieldPath, reason: str) -> errors.UnsupportedError:
        return errors.UnsupportedError(
            "COLUMN_CHANGE_REFUSED",
            change=change,
            column=".".join(path),
            table=self.table_name,
            reason=reason,
        )

    def _add(self, change: AddColumn) -> TableSchema:
        if not change.type.nullable:
            raise self._refused(
                "add", change.name, "a new column cannot be NOT NULL, old files do not have it"
            )
        own = self.schema.highest_field_id + 1
        kind, highest = number_type(change.type, own)
        new = Field(own, change.name[-1], kind, change.comment)

        def insert(siblings: list[Field]) -> list[Field]:
            if any(field.name.lower() == new.name.lower() for field in siblings):
                raise errors.InvalidInputError(
                    "COLUMN_EXISTS", table=self.table_name, column=".".join(change.name)
                )
            return self._placed(siblings, new, change.first, change.after)

        fields = self._inside(list(self.schema.fields), change.name[:-1], insert)
        return replace(self.schema, fields=tuple(fields), highest_field_id=highest)

    def _retyped(self, field: Field, change: UpdateColumnType) -> Field:
        if not is_safe_type_change(field.type, change.type):
            raise self._refused(
                f"change to {change.type.bare_sql()} the type {field.type.bare_sql()} of",
                change.name,
                "values would be lost or could not be read",
            )
        return replace(field, type=change.type.with_nullable(field.type.nullable))

    def _with_nullability(self, field: Field, change: UpdateColumnNullability) -> Field:
        if field.type.nullable and not change.nullable:
            raise self._refused("set NOT NULL on", change.name, "its files may hold NULL")
        return replace(field, type=field.type.with_nullable(change.nullable))

    def _moved(self, siblings: list[Field], at: int, change: UpdateColumnPosition) -> list[Field]:
        field = siblings[at]
        if change.after == field.name:
            raise self._refused("move", change.name, "it cannot be behind itself")
        return self._placed(siblings[:at] + siblings[at + 1 :], field, change.first, change.after)

    def _placed(self, siblings: list[Field], new: Field, first: bool, after: str | None) -> list[Field]:
        if first:
            return [new, *siblings]
        at = len(siblings) if after is None else self._index(siblings, after) + 1
        return [*siblings[:at], new, *siblings[at:]]

    def _index(self, siblings: Sequence[Field], name: str) -> int:
        for at, field in enumerate(siblings):
            if field.name == name:
                return at
        raise errors.NoSuchColumnError(
            "COLUMN_NOT_FOUND",
            column=name,
            table=f"table {self.table_name}",
            columns=", ".join(field.name for field in siblings),
        )

    def _edit_one(self, path: FieldPath, edit: Callable[[Field], Field]) -> TableSchema:
        return self._edit(
            path, lambda siblings, at: [*siblings[:at], edit(siblings[at]), *siblings[at + 1 :]]
        )

    def _edit(self, path: FieldPath, edit: Callable[[list[Field], int], list[Field]]) -> TableSchema:
        def edit_siblings(siblings: list[Field]) -> list[Field]:
            return edit(siblings, self._index(siblings, path[-1]))

        return replace(
            self.schema, fields=tuple(self._inside(list(self.schema.fields), path[:-1], edit_siblings))
        )

    def _inside(self, siblings: list[Field], path: FieldPath, edit: _Edit) -> list[Field]:
        """Edit the fields of the ROW at `path` (the table itself for an empty path)."""
        if not path:
            return edit(siblings)
        at = self._index(siblings, path[0])
        kind = self._inside_type(siblings[at].type, path[1:], path, edit)
        return [*siblings[:at], replace(siblings[at], type=kind), *siblings[at + 1 :]]

    def _inside_type(self, kind: DataType, rest: FieldPath, path: FieldPath, edit: _Edit) -> DataType:
        if isinstance(kind, RowType):
            return replace(kind, fields=tuple(self._inside(list(kind.fields), rest, edit)))
        if isinstance(kind, ArrayType) and rest[:1] == ("element",):
            return replace(kind, element=self._inside_type(kind.element, rest[1:], path, edit))
        if isinstance(kind, MapType) and rest[:1] in (("key",), ("value",)):
            part = self._inside_type(getattr(kind, rest[0]), rest[1:], path, edit)
            return replace(kind, key=part) if rest[0] == "key" else replace(kind, value=part)
        raise self._refused("change a field of", path, f"{kind.bare_sql()} has no fields")
