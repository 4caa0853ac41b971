"""Column types: immutable values that know their SQL text and their JSON form.

The JSON form is the one in which Paimon stores schemas: a SQL text for atomic types, an object for nested
ones.

Examples
--------
>>> DecimalType(10, 2, nullable=False).sql()
'DECIMAL(10, 2) NOT NULL'
>>> ArrayType(StringType()).to_json()
{'type': 'ARRAY', 'element': 'STRING'}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from spark_paimon import errors

#: Length of VARCHAR that makes it STRING, and of VARBINARY that makes it BYTES.
MAX_LENGTH = 2**31 - 1
MAX_DECIMAL_PRECISION = 38
MAX_TIME_PRECISION = 9

_T = TypeVar("_T", bound="DataType")


def _check_range(what: str, number: int, low: int, high: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise errors.InvalidInputError(
            "TYPE_INVALID", type=what, reason=f"{number} is not between {low} and {high}"
        )


@dataclass(frozen=True, kw_only=True)
class DataType:
    """Base of all column types.

    Parameters
    ----------
    nullable
        Whether NULL may be stored.

    Attributes
    ----------
    root
        Name of the type without its parameters, e.g. ``"DECIMAL"``.
    """

    nullable: bool = True

    root: ClassVar[str] = ""

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return self.root

    def sql(self) -> str:
        """SQL text, e.g. ``INT NOT NULL``."""
        return self.bare_sql() + self._suffix()

    def to_json(self) -> Any:
        """JSON form in Paimon's schema files: a string, or a mapping for nested types."""
        return self.sql()

    def with_nullable(self: _T, nullable: bool) -> _T:
        """The same type with another nullability.

        Examples
        --------
        >>> IntType().with_nullable(False).sql()
        'INT NOT NULL'
        """
        return self if self.nullable == nullable else replace(self, nullable=nullable)

    def _suffix(self) -> str:
        return "" if self.nullable else " NOT NULL"

    def __str__(self) -> str:
        return self.sql()


@dataclass(frozen=True)
class BooleanType(DataType):
    """True or false."""

    root: ClassVar[str] = "BOOLEAN"


@dataclass(frozen=True)
class IntegralType(DataType):
    """Base of the whole number types; ``bits`` is the width."""

    bits: ClassVar[int] = 0


@dataclass(frozen=True)
class TinyIntType(IntegralType):
    """Whole number of 8 bits."""

    root: ClassVar[str] = "TINYINT"
    bits: ClassVar[int] = 8


@dataclass(frozen=True)
class SmallIntType(IntegralType):
    """Whole number of 16 bits."""

    root: ClassVar[str] = "SMALLINT"
    bits: ClassVar[int] = 16


@dataclass(frozen=True)
class IntType(IntegralType):
    """Whole number of 32 bits."""

    root: ClassVar[str] = "INT"
    bits: ClassVar[int] = 32


@dataclass(frozen=True)
class BigIntType(IntegralType):
    """Whole number of 64 bits."""

    root: ClassVar[str] = "BIGINT"
    bits: ClassVar[int] = 64


@dataclass(frozen=True)
class FloatType(DataType):
    """Binary floating point number of 32 bits."""

    root: ClassVar[str] = "FLOAT"


@dataclass(frozen=True)
class DoubleType(DataType):
    """Binary floating point number of 64 bits."""

    root: ClassVar[str] = "DOUBLE"


@dataclass(frozen=True)
class DecimalType(DataType):
    """Exact number of ``precision`` digits, ``scale`` of them behind the point."""

    precision: int = 10
    scale: int = 0

    root: ClassVar[str] = "DECIMAL"

    def __post_init__(self) -> None:
        _check_range("DECIMAL", self.precision, 1, MAX_DECIMAL_PRECISION)
        _check_range(f"DECIMAL({self.precision}, {self.scale})", self.scale, 0, self.precision)

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"DECIMAL({self.precision}, {self.scale})"


@dataclass(frozen=True)
class TextType(DataType):
    """Base of CHAR and VARCHAR; ``length`` counts characters."""

    length: int = 1

    def __post_init__(self) -> None:
        _check_range(self.root, self.length, 1, MAX_LENGTH)

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"{self.root}({self.length})"


@dataclass(frozen=True)
class CharType(TextType):
    """Text of exactly ``length`` characters, padded with blanks."""

    root: ClassVar[str] = "CHAR"


@dataclass(frozen=True)
class VarCharType(TextType):
    """Text of at most ``length`` characters; without a practical limit it is STRING."""

    root: ClassVar[str] = "VARCHAR"

    @property
    def unbounded(self) -> bool:
        """Whether the type is STRING."""
        return self.length == MAX_LENGTH

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return "STRING" if self.unbounded else f"VARCHAR({self.length})"


def StringType(*, nullable: bool = True) -> VarCharType:  # noqa: N802 - reads as the type it makes
    """STRING, which is VARCHAR of the largest length.

    Examples
    --------
    >>> StringType() == VarCharType(MAX_LENGTH)
    True
    """
    return VarCharType(MAX_LENGTH, nullable=nullable)


@dataclass(frozen=True)
class BytesType(DataType):
    """Base of BINARY and VARBINARY; ``length`` counts bytes."""

    length: int = 1

    def __post_init__(self) -> None:
        _check_range(self.root, self.length, 1, MAX_LENGTH)

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"{self.root}({self.length})"


@dataclass(frozen=True)
class BinaryType(BytesType):
    """Exactly ``length`` bytes."""

    root: ClassVar[str] = "BINARY"


@dataclass(frozen=True)
class VarBinaryType(BytesType):
    """At most ``length`` bytes; without a practical limit it is BYTES."""

    root: ClassVar[str] = "VARBINARY"

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return "BYTES" if self.length == MAX_LENGTH else f"VARBINARY({self.length})"


@dataclass(frozen=True)
class DateType(DataType):
    """Day without time."""

    root: ClassVar[str] = "DATE"


@dataclass(frozen=True)
class TemporalType(DataType):
    """Base of the types with ``precision`` digits behind the seconds."""

    precision: int = 6

    def __post_init__(self) -> None:
        _check_range(self.root, self.precision, 0, MAX_TIME_PRECISION)

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"{self.root}({self.precision})"


@dataclass(frozen=True)
class TimeType(TemporalType):
    """Time of day."""

    precision: int = 0

    root: ClassVar[str] = "TIME"


@dataclass(frozen=True)
class TimestampType(TemporalType):
    """Day and time of day without zone (Spark: TIMESTAMP_NTZ)."""

    root: ClassVar[str] = "TIMESTAMP"


@dataclass(frozen=True)
class LocalZonedTimestampType(TemporalType):
    """Instant, shown in the session's zone (Spark: TIMESTAMP)."""

    root: ClassVar[str] = "TIMESTAMP_LTZ"

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"TIMESTAMP({self.precision}) WITH LOCAL TIME ZONE"


@dataclass(frozen=True)
class VariantType(DataType):
    """Semi-structured value."""

    root: ClassVar[str] = "VARIANT"


@dataclass(frozen=True)
class ArrayType(DataType):
    """List of values of one type."""

    element: DataType

    root: ClassVar[str] = "ARRAY"

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"ARRAY<{self.element.sql()}>"

    def to_json(self) -> Any:
        """JSON form in Paimon's schema files."""
        return {"type": self.root + self._suffix(), "element": self.element.to_json()}


@dataclass(frozen=True)
class MultisetType(DataType):
    """Bag of values of one type."""

    element: DataType

    root: ClassVar[str] = "MULTISET"

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"MULTISET<{self.element.sql()}>"

    def to_json(self) -> Any:
        """JSON form in Paimon's schema files."""
        return {"type": self.root + self._suffix(), "element": self.element.to_json()}


@dataclass(frozen=True)
class MapType(DataType):
    """Mapping from keys of one type to values of one type."""

    key: DataType
    value: DataType

    root: ClassVar[str] = "MAP"

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"MAP<{self.key.sql()}, {self.value.sql()}>"

    def to_json(self) -> Any:
        """JSON form in Paimon's schema files."""
        return {
            "type": self.root + self._suffix(),
            "key": self.key.to_json(),
            "value": self.value.to_json(),
        }


@dataclass(frozen=True)
class Field:
    """Column of a table, or field of a ROW.

    Parameters
    ----------
    id
        Number that stays the same when the field is renamed; unique in its table, never used twice.
    name, type
        What it is called and what it holds.
    description
        Comment, or None.
    default
        SQL text of the default value, or None.

    Examples
    --------
    >>> Field(0, "dt", DateType(), description="day of the flight").to_json()
    {'id': 0, 'name': 'dt', 'type': 'DATE', 'description': 'day of the flight'}
    """

    id: int
    name: str
    type: DataType
    description: str | None = None
    default: str | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON form in Paimon's schema files; absent parts are left out."""
        result: dict[str, Any] = {"id": self.id, "name": self.name, "type": self.type.to_json()}
        if self.description is not None:
            result["description"] = self.description
        if self.default is not None:
            result["defaultValue"] = self.default
        return result

    def sql(self) -> str:
        """Name and type as in a ROW type, e.g. ```a` INT``."""
        return f"`{self.name.replace('`', '``')}` {self.type.sql()}"


@dataclass(frozen=True)
class RowType(DataType):
    """Struct: named fields in an order."""

    fields: tuple[Field, ...]

    root: ClassVar[str] = "ROW"

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def bare_sql(self) -> str:
        """SQL text without ``NOT NULL``."""
        return f"ROW<{', '.join(field.sql() for field in self.fields)}>"

    def to_json(self) -> Any:
        """JSON form in Paimon's schema files."""
        return {
            "type": self.root + self._suffix(),
            "fields": [field.to_json() for field in self.fields],
        }


def types_in(kind: DataType) -> Iterator[DataType]:
    """A type and everything inside it, from the outside in.

    Examples
    --------
    >>> [inner.sql() for inner in types_in(ArrayType(IntType()))]
    ['ARRAY<INT>', 'INT']
    """
    yield kind
    inside: tuple[DataType, ...] = ()
    if isinstance(kind, (ArrayType, MultisetType)):
        inside = (kind.element,)
    elif isinstance(kind, MapType):
        inside = (kind.key, kind.value)
    elif isinstance(kind, RowType):
        inside = tuple(field.type for field in kind.fields)
    for inner in inside:
        yield from types_in(inner)
