"""Which file columns Spark's own readers are kept away from."""

from __future__ import annotations

import pytest

from spark_paimon.format.native import accepted, file_checks
from spark_paimon.schema import ArrayType, Field, RowType, parse_type


@pytest.mark.parametrize(
    ("kind", "names", "digits"),
    [
        ("TINYINT", {"tinyint"}, None),
        ("BIGINT", {"tinyint", "smallint", "int", "bigint"}, None),
        ("FLOAT", {"float"}, None),
        ("DOUBLE", {"float", "double", "tinyint", "smallint", "int"}, None),
        ("DECIMAL(5, 2)", {"tinyint"}, (3, 2)),
        ("DECIMAL(19, 0)", {"tinyint", "smallint", "int", "bigint"}, (19, 0)),
        ("DATE", {"date"}, None),
        ("TIMESTAMP(6)", {"date", "timestamp"}, None),
        ("BOOLEAN", {"boolean"}, None),
    ],
)
def test_wider_columns_accept_narrower_ones(
    kind: str, names: set[str], digits: tuple[int, int] | None
) -> None:
    found = accepted(parse_type(kind), "orc")
    assert (set(found.names), found.digits) == (names, digits)


def test_only_parquet_stores_text_as_plain_bytes() -> None:
    assert "binary" in accepted(parse_type("STRING"), "parquet").names
    assert "binary" not in accepted(parse_type("STRING"), "orc").names


def test_inner_types_count() -> None:
    inner = RowType((Field(1, "x", parse_type("SMALLINT")), Field(2, "y", parse_type("VARCHAR(3)"))))
    checks = file_checks("parquet", [Field(0, "a", ArrayType(inner)), Field(3, "b", parse_type("INT"))])
    assert set(checks.accepted) == {"short", "string", "integer"}
    assert checks.misread == ("short",)
    assert set(checks.misread_row_by_row) == {"short", "varchar(3)", "integer"}


def test_text_has_no_columns_to_compare() -> None:
    checks = file_checks("text", [Field(0, "s", parse_type("STRING"))])
    assert (checks.accepted, checks.misread, checks.misread_row_by_row, checks.instead) == ({}, (), (), ())
