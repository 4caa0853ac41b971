"""What Spark's own readers must be watched for: columns that they misread, and files they cannot open.

A file may hold a column under a narrower type than the table says, after the column was widened. Spark's
readers do not refuse the other types: ORC's turns a number that does not fit into NULL, Parquet's cuts the
high bytes off for TINYINT and SMALLINT, and without vectors rounds a DECIMAL. So the columns of a file are
compared with what :func:`accepted` lists before a row of it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_paimon.schema import (
    ArrayType,
    DataType,
    DecimalType,
    Field,
    IntegralType,
    MapType,
    MultisetType,
    RowType,
    to_spark,
    types_in,
)

#: Endings of file names that Spark's reader of a format cannot open: Hadoop has no codec in Java for the
#: first, and does not know the frames that other writers make of the second.
PYTHON_ENDINGS: Mapping[str, tuple[str, ...]] = {"text": (".zst", ".lz4")}

_NESTED = (ArrayType, MapType, MultisetType, RowType)

# Decimal digits that every number of the type has room in.
_WHOLE_NUMBERS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_EXACT_IN_DOUBLE = ("tinyint", "smallint", "int")

# Beginnings of the names of table types that the reader gets wrong, by format; "" is all types. Without
# vectors Parquet's reader takes what it finds for what it wants, and fails late or never.
_MISREAD: Mapping[str, tuple[str, ...]] = {"parquet": ("byte", "short"), "orc": ("",)}
_MISREAD_ROW_BY_ROW: Mapping[str, tuple[str, ...]] = {"parquet": ("",), "orc": ("",)}
# Numbers into a DECIMAL without a digit to spare, timestamps in nanoseconds, times in other units; in ORC
# days before 1582-10-15, which Spark's reader moves.
_INSTEAD: Mapping[str, tuple[str, ...]] = {"parquet": ("decimal", "timestamp", "time"), "orc": ("date",)}


@dataclass(frozen=True)
class Accepted:
    """Types of a file column that a table column can be read from without losing a value.

    Parameters
    ----------
    names
        Lower-case names without parameters.
    digits
        For DECIMAL, most digits before and behind the point; None where no DECIMAL is accepted.
    """

    names: tuple[str, ...]
    digits: tuple[int, int] | None = None


def accepted(kind: DataType, format_name: str) -> Accepted:
    """Types of a file column that can be read as the atomic type ``kind``.

    Examples
    --------
    >>> from spark_paimon.schema import DecimalType, IntType
    >>> accepted(IntType(), "orc")
    Accepted(names=('tinyint', 'smallint', 'int'), digits=None)
    >>> accepted(DecimalType(12, 2), "orc")
    Accepted(names=('tinyint', 'smallint', 'int'), digits=(10, 2))
    """
    root = kind.root.lower()
    if isinstance(kind, IntegralType):
        names = list(_WHOLE_NUMBERS)
        return Accepted(tuple(names[: names.index(root) + 1]))
    if isinstance(kind, DecimalType):
        before = kind.precision - kind.scale
        fitting = tuple(name for name, digits in _WHOLE_NUMBERS.items() if digits <= before)
        return Accepted(fitting, (before, kind.scale))
    if root == "double":
        return Accepted((*_EXACT_IN_DOUBLE, "float", "double"))
    if root == "timestamp":
        return Accepted(("date", "timestamp"))
    if root.startswith("timestamp"):  # with local time zone; Parquet files do not always tell the two apart
        return Accepted(("timestamp", "timestamp with local time zone"))
    if root == "variant":
        return Accepted(("variant", "struct"))
    if root in ("char", "varchar"):
        # Writers of Parquet that know no annotations store text as plain bytes.
        return Accepted(("string", "char", "varchar", *(("binary",) if format_name == "parquet" else ())))
    if root in ("binary", "varbinary", "bytes"):
        return Accepted(("binary",))
    return Accepted((root,))


@dataclass(frozen=True)
class FileChecks:
    """What is looked at in a file before Spark's own reader reads it.

    Parameters
    ----------
    accepted
        By type of the table column, in Spark's words.
    misread, misread_row_by_row
        Types of table columns for whose sake the columns of a file are looked at, the second where Spark
        reads without vectors.
    instead
        Types for whose sake a file that Spark refuses, or would misread, is read by the Python reader.
    not_null
        Stored columns that every file has to have.
    """

    accepted: Mapping[str, Accepted]
    misread: tuple[str, ...]
    misread_row_by_row: tuple[str, ...]
    instead: tuple[str, ...]
    not_null: tuple[str, ...]


def file_checks(format_name: str, columns: Sequence[Field]) -> FileChecks:
    """What has to be looked at in files of a format for the stored columns of a table.

    Examples
    --------
    >>> from spark_paimon.schema import Field, IntType, SmallIntType
    >>> columns = [Field(0, "a", IntType(nullable=False)), Field(1, "b", SmallIntType())]
    >>> checks = file_checks("parquet", columns)
    >>> checks.misread, checks.misread_row_by_row, checks.not_null
    (('short',), ('integer', 'short'), ('a',))
    """
    kinds = [kind for column in columns for kind in types_in(column.type) if not isinstance(kind, _NESTED)]
    types = {str(to_spark(kind)): kind for kind in kinds}

    def among(starts: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(name for name in types if name.startswith(starts.get(format_name, ())))

    names = types if format_name in _MISREAD else ()
    return FileChecks(
        accepted={_read_as(name): accepted(types[name], format_name) for name in names},
        misread=among(_MISREAD),
        misread_row_by_row=among(_MISREAD_ROW_BY_ROW),
        instead=among(_INSTEAD),
        not_null=tuple(column.name for column in columns if not column.type.nullable),
    )


def _read_as(name: str) -> str:
    """Spark's readers know no CHAR and VARCHAR."""
    return "string" if name.startswith(("char", "varchar")) else name
