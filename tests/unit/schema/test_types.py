"""Types, their SQL texts and JSON forms."""

from __future__ import annotations

from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.schema import (
    ArrayType,
    BigIntType,
    BinaryType,
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    Field,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    StringType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
    VariantType,
    parse_type,
)

FORMS: list[Any] = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT NOT NULL",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(10, 2) NOT NULL",
    "CHAR(3)",
    "VARCHAR(5)",
    "STRING",
    "BINARY(4)",
    "VARBINARY(8)",
    "BYTES",
    "DATE",
    "TIME(0)",
    "TIMESTAMP(6)",
    "TIMESTAMP(3) NOT NULL",
    "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "TIMESTAMP(9) WITH LOCAL TIME ZONE NOT NULL",
    "VARIANT",
    {"type": "ARRAY", "element": "INT NOT NULL"},
    {"type": "ARRAY NOT NULL", "element": {"type": "ARRAY", "element": "STRING"}},
    {"type": "MULTISET", "element": "STRING"},
    {"type": "MAP", "key": "STRING NOT NULL", "value": {"type": "MAP", "key": "INT", "value": "DATE"}},
    {
        "type": "ROW NOT NULL",
        "fields": [
            {"id": 1, "name": "a b", "type": "INT", "description": "x"},
            {"id": 2, "name": "c", "type": "STRING", "defaultValue": "'x'"},
        ],
    },
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forms_round_trip(form: Any) -> None:
    assert parse_type(form).to_json() == form


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("integer", IntType()),
        (" int  not  null ", IntType(nullable=False)),
        ("INT NULL", IntType()),
        ("DECIMAL", DecimalType(10, 0)),
        ("NUMERIC(5)", DecimalType(5, 0)),
        ("DEC(5,2)", DecimalType(5, 2)),
        ("DOUBLE PRECISION", DoubleType()),
        ("CHAR", CharType(1)),
        ("VARCHAR(2147483647)", StringType()),
        ("TIMESTAMP", TimestampType(6)),
        ("TIMESTAMP(3) WITHOUT TIME ZONE", TimestampType(3)),
        ("TIMESTAMP WITH LOCAL TIME ZONE", LocalZonedTimestampType(6)),
        ("TIMESTAMP_LTZ(3)", LocalZonedTimestampType(3)),
        ("TIME(3) WITHOUT TIME ZONE", TimeType(3)),
    ],
)
def test_other_spellings(text: str, kind: DataType) -> None:
    assert parse_type(text) == kind


@pytest.mark.parametrize(
    "form",
    [
        "",
        "TEXT",
        "INT(3)",
        "DECIMAL(39)",
        "DECIMAL(5, 6)",
        "DECIMAL(0)",
        "DECIMAL(1,2,3)",
        "VARCHAR(0)",
        "TIMESTAMP(10)",
        "DATE WITH LOCAL TIME ZONE",
        "INT NOT NULL NOT NULL",
        {"type": "ARRAY"},
        {"type": "MAP", "key": "INT"},
        {"type": "INT"},
        {"element": "INT"},
        {"type": "ROW", "fields": [{"name": "a", "type": "INT"}]},
        None,
        7,
    ],
    ids=str,
)
def test_what_is_no_type(form: Any) -> None:
    with pytest.raises(errors.InvalidInputError):
        parse_type(form)


def test_sql_texts() -> None:
    row = RowType((Field(0, "a`b", ArrayType(VariantType(nullable=False))),), nullable=False)
    assert row.sql() == "ROW<`a``b` ARRAY<VARIANT NOT NULL>> NOT NULL"
    assert MapType(StringType(), MultisetType(BigIntType())).sql() == "MAP<STRING, MULTISET<BIGINT>>"
    assert str(BinaryType(3)) == "BINARY(3)"
    assert VarBinaryType(3).root == "VARBINARY"


def test_types_are_values() -> None:
    assert VarCharType(3) == VarCharType(3)
    assert VarCharType(3) != CharType(3)
    assert len({IntType(), IntType(), IntType(nullable=False)}) == 2
    assert IntType(nullable=False).with_nullable(True) == IntType()
