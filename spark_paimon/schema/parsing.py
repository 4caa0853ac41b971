"""From the JSON form of a type, or its SQL text, to the type.

Examples
--------
>>> parse_type("DECIMAL(10, 2) NOT NULL")
DecimalType(nullable=False, precision=10, scale=2)
>>> parse_type({"type": "ARRAY NOT NULL", "element": "INT"}).sql()
'ARRAY<INT> NOT NULL'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from spark_paimon import errors
from spark_paimon.schema.types import (
    MAX_LENGTH,
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
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

_ATOMIC = re.compile(
    r"(?P<name>[A-Z_]+(?:\s+PRECISION)?)\s*(?:\(\s*(?P<numbers>\d+\s*(?:,\s*\d+\s*)?)\))?"
    r"(?P<zone>\s+WITH\s+LOCAL\s+TIME\s+ZONE|\s+WITHOUT\s+TIME\s+ZONE)?",
)
_NULLABILITY = re.compile(r"\s+(NOT\s+)?NULL$")

#: Name -> (constructor of the type from its numbers, how many numbers it takes at most).
_ATOMIC_TYPES: dict[str, tuple[Callable[..., DataType], int]] = {
    "BOOLEAN": (BooleanType, 0),
    "TINYINT": (TinyIntType, 0),
    "SMALLINT": (SmallIntType, 0),
    "INT": (IntType, 0),
    "INTEGER": (IntType, 0),
    "BIGINT": (BigIntType, 0),
    "FLOAT": (FloatType, 0),
    "DOUBLE": (DoubleType, 0),
    "DOUBLE PRECISION": (DoubleType, 0),
    "DECIMAL": (DecimalType, 2),
    "DEC": (DecimalType, 2),
    "NUMERIC": (DecimalType, 2),
    "CHAR": (CharType, 1),
    "VARCHAR": (VarCharType, 1),
    "STRING": (StringType, 0),
    "BINARY": (BinaryType, 1),
    "VARBINARY": (VarBinaryType, 1),
    "BYTES": (lambda: VarBinaryType(MAX_LENGTH), 0),
    "DATE": (DateType, 0),
    "TIME": (TimeType, 1),
    "TIMESTAMP": (TimestampType, 1),
    "TIMESTAMP_LTZ": (LocalZonedTimestampType, 1),
    "VARIANT": (VariantType, 0),
}


def parse_type(form: Any) -> DataType:
    """The type that a JSON form stands for.

    Parameters
    ----------
    form
        SQL text of an atomic type, or the mapping of a nested one.

    Raises
    ------
    InvalidInputError
        Nothing of the kind; the message shows the form.
    """
    if isinstance(form, str):
        return _parse_atomic(form)
    if isinstance(form, Mapping):
        return _parse_nested(form)
    raise errors.InvalidInputError("TYPE_INVALID", type=form, reason="it is neither a text nor an object")


def parse_field(form: Mapping[str, Any]) -> Field:
    """The field that ``{"id", "name", "type", "description"?, "defaultValue"?}`` stands for.

    Examples
    --------
    >>> parse_field({"id": 3, "name": "dt", "type": "DATE"}).type
    DateType(nullable=True)
    """
    try:
        return Field(
            int(form["id"]),
            form["name"],
            parse_type(form["type"]),
            form.get("description"),
            form.get("defaultValue"),
        )
    except KeyError as missing:
        raise errors.InvalidInputError(
            "SCHEMA_INVALID", reason=f"a field has no {missing}: {dict(form)}"
        ) from missing


def _split_nullability(text: str) -> tuple[str, bool]:
    found = _NULLABILITY.search(text)
    return (text[: found.start()], found.group(1) is None) if found else (text, True)


def _parse_atomic(text: str) -> DataType:
    body, nullable = _split_nullability(text.strip().upper())
    matched = _ATOMIC.fullmatch(body)
    name = re.sub(r"\s+", " ", matched["name"]) if matched else ""
    if matched is None or name not in _ATOMIC_TYPES:
        raise errors.InvalidInputError("TYPE_INVALID", type=text, reason="there is no such type")
    if matched["zone"]:
        if name != "TIMESTAMP" and not (name == "TIME" and "WITHOUT" in matched["zone"]):
            raise errors.InvalidInputError("TYPE_INVALID", type=text, reason="it takes no time zone")
        name = name if "WITHOUT" in matched["zone"] else "TIMESTAMP_LTZ"
    make, most = _ATOMIC_TYPES[name]
    numbers = [int(number) for number in matched["numbers"].split(",")] if matched["numbers"] else []
    if len(numbers) > most:
        raise errors.InvalidInputError("TYPE_INVALID", type=text, reason=f"it takes at most {most} numbers")
    return make(*numbers).with_nullable(nullable)


def _parse_nested(form: Mapping[str, Any]) -> DataType:
    try:
        name, nullable = _split_nullability(str(form["type"]).strip().upper())
        if name == "ARRAY":
            return ArrayType(parse_type(form["element"]), nullable=nullable)
        if name == "MULTISET":
            return MultisetType(parse_type(form["element"]), nullable=nullable)
        if name == "MAP":
            return MapType(parse_type(form["key"]), parse_type(form["value"]), nullable=nullable)
        if name == "ROW":
            return RowType(tuple(parse_field(field) for field in form["fields"]), nullable=nullable)
    except KeyError as missing:
        raise errors.InvalidInputError(
            "TYPE_INVALID", type=dict(form), reason=f"{missing} is missing"
        ) from missing
    raise errors.InvalidInputError("TYPE_INVALID", type=dict(form), reason="there is no such type")
