"""Types as Spark writes them in the JSON of its schemas.

Examples
--------
>>> to_spark(from_spark("decimal(10,2)"))
'decimal(10,2)'
>>> from_spark({"type": "array", "elementType": "integer", "containsNull": False}).sql()
'ARRAY<INT NOT NULL>'
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from spark_paimon import errors
from spark_paimon.schema.table_schema import number_type
from spark_paimon.schema.types import (
    MAX_LENGTH,
    ArrayType,
    BigIntType,
    BooleanType,
    BytesType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    StringType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
)

_FROM_SPARK: dict[str, DataType] = {
    "boolean": BooleanType(),
    "byte": TinyIntType(),
    "short": SmallIntType(),
    "integer": IntType(),
    "long": BigIntType(),
    "float": FloatType(),
    "double": DoubleType(),
    "string": StringType(),
    "binary": VarBinaryType(MAX_LENGTH),
    "date": DateType(),
    "timestamp": LocalZonedTimestampType(),
    "timestamp_ntz": TimestampType(),
    "variant": VariantType(),
}
_WITH_NUMBERS = re.compile(r"(decimal|char|varchar|time)\((\d+)(?:,\s*(\d+))?\)")
_SPARK_TIME_PRECISION = 6
# SHOW CREATE TABLE writes out what every text has unless it says otherwise.
_DEFAULT_COLLATION = " collate UTF8_BINARY"

# Spark's own names of what it keeps in the metadata of a field.
_CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"
_COLLATIONS = "__COLLATIONS"
_DEFAULT = "CURRENT_DEFAULT"
_COMMENT = "comment"


def from_spark(form: Any) -> DataType:
    """The type that the JSON of a Spark ``DataType`` stands for; the fields of a struct are numbered from 0.

    Parameters
    ----------
    form
        The JSON as text (what ``DataType.json()`` returns) or parsed.

    Raises
    ------
    UnsupportedError
        There is no such type in Paimon, e.g. an interval or a collated string.
    """
    if isinstance(form, str) and form.lstrip()[:1] in ("{", '"'):
        form = json.loads(form)
    kind, _ = number_type(_from_json(form, "the schema"), -1)
    return kind


def _from_json(form: Any, column: str) -> DataType:
    if isinstance(form, Mapping):
        kind = form.get("type")
        if kind == "struct":
            return RowType(tuple(_field(field) for field in form["fields"]))
        if kind == "array":
            element = _from_json(form["elementType"], column)
            return ArrayType(element.with_nullable(bool(form.get("containsNull", True))))
        if kind == "map":
            value = _from_json(form["valueType"], column)
            return MapType(
                _from_json(form["keyType"], column).with_nullable(False),
                value.with_nullable(bool(form.get("valueContainsNull", True))),
            )
        raise _unsupported(form, column)
    text = str(form).removesuffix(_DEFAULT_COLLATION)
    if text in _FROM_SPARK:
        return _FROM_SPARK[text]
    if text == "decimal":
        return DecimalType(10, 0)
    found = _WITH_NUMBERS.fullmatch(text)
    if found is None:
        raise _unsupported(form, column)
    name, first, second = found[1], int(found[2]), int(found[3] or 0)
    if name == "decimal":
        return DecimalType(first, second)
    return {"char": CharType, "varchar": VarCharType, "time": TimeType}[name](first)


def _field(form: Mapping[str, Any]) -> Field:
    name, metadata = form["name"], form.get("metadata") or {}
    if _COLLATIONS in metadata:
        raise errors.UnsupportedError(
            "TYPE_UNSUPPORTED", type=form["type"], column=f"column {name}", reason="it has a collation"
        )
    kind = _from_json(form["type"], f"column {name}")
    if form["type"] == "string" and _WITH_NUMBERS.fullmatch(str(metadata.get(_CHAR_VARCHAR, ""))):
        # Spark replaces CHAR and VARCHAR by STRING and remembers the real type here.
        kind = _from_json(metadata[_CHAR_VARCHAR], name)
    return Field(
        -1,
        name,
        kind.with_nullable(bool(form.get("nullable", True))),
        metadata.get(_COMMENT),
        metadata.get(_DEFAULT),
    )


def _unsupported(form: Any, column: str) -> errors.UnsupportedError:
    return errors.UnsupportedError(
        "TYPE_UNSUPPORTED", type=form, column=column, reason="Paimon has no such type"
    )


_TO_SPARK: dict[str, str] = {
    kind.root: name for name, kind in _FROM_SPARK.items() if name not in ("string", "binary")
}


def to_spark(type: DataType) -> Any:
    """The parsed JSON of the Spark ``DataType`` for a type: a text, or a mapping for nested types.

    Nullability belongs to the field, element or value that holds the type.

    Examples
    --------
    >>> from spark_paimon.schema import ArrayType, CharType, TimestampType
    >>> to_spark(TimestampType(3)), to_spark(CharType(3))
    ('timestamp_ntz', 'char(3)')
    >>> to_spark(ArrayType(CharType(3, nullable=False)))
    {'type': 'array', 'elementType': 'char(3)', 'containsNull': False}
    """
    if isinstance(type, DecimalType):
        return f"decimal({type.precision},{type.scale})"
    if isinstance(type, CharType):
        return f"char({type.length})"
    if isinstance(type, VarCharType):
        return "string" if type.unbounded else f"varchar({type.length})"
    if isinstance(type, BytesType):
        return "binary"
    if isinstance(type, TimeType):
        return f"time({min(type.precision, _SPARK_TIME_PRECISION)})"
    if isinstance(type, ArrayType):
        return {
            "type": "array",
            "elementType": to_spark(type.element),
            "containsNull": type.element.nullable,
        }
    if isinstance(type, MapType):
        return _map(type.key, type.value)
    if isinstance(type, MultisetType):
        return _map(type.element, IntType(nullable=False))
    if isinstance(type, RowType):
        return {"type": "struct", "fields": [field_to_spark(field) for field in type.fields]}
    return _TO_SPARK[type.root]


def field_to_spark(field: Field) -> dict[str, Any]:
    """The parsed JSON of the Spark ``StructField`` for a column.

    Examples
    --------
    >>> from spark_paimon.schema import Field, IntType
    >>> field_to_spark(Field(0, "a", IntType(), description="size"))
    {'name': 'a', 'type': 'integer', 'nullable': True, 'metadata': {'comment': 'size'}}
    """
    metadata: dict[str, Any] = {}
    if field.description is not None:
        metadata[_COMMENT] = field.description
    if field.default is not None:
        metadata[_DEFAULT] = field.default
    return {
        "name": field.name,
        "type": to_spark(field.type),
        "nullable": field.type.nullable,
        "metadata": metadata,
    }


def _map(key: DataType, value: DataType) -> dict[str, Any]:
    return {
        "type": "map",
        "keyType": to_spark(key),
        "valueType": to_spark(value),
        "valueContainsNull": value.nullable,
    }
