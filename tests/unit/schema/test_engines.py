"""Types as Spark and Arrow know them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from spark_paimon import errors
from spark_paimon.schema import (
    ArrayType,
    BigIntType,
    BinaryType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    Field,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    StringType,
    TimestampType,
    TimeType,
    VarCharType,
    VariantType,
    from_arrow,
    from_spark,
    parse_type,
    to_arrow,
    to_spark,
)

SPARK: list[Any] = [
    "boolean",
    "byte",
    "short",
    "integer",
    "long",
    "float",
    "double",
    "decimal(10,2)",
    "string",
    "char(3)",
    "varchar(5)",
    "binary",
    "date",
    "time(6)",
    "timestamp",
    "timestamp_ntz",
    "variant",
    {"type": "array", "elementType": "integer", "containsNull": False},
    {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True},
    {
        "type": "struct",
        "fields": [
            {"name": "a", "type": "integer", "nullable": False, "metadata": {"comment": "x"}},
            {"name": "b", "type": "date", "nullable": True, "metadata": {}},
        ],
    },
]  # fmt: skip


class TestSpark:
    @pytest.mark.parametrize("form", SPARK, ids=str)
    def test_round_trip(self, form: Any) -> None:
        assert to_spark(from_spark(form)) == form
        assert to_spark(from_spark(json.dumps(form))) == form

    def test_p37_the_two_timestamps_are_not_mixed_up(self) -> None:
        assert from_spark("timestamp") == LocalZonedTimestampType(6)
        assert from_spark("timestamp_ntz") == TimestampType(6)
        assert to_spark(TimestampType(3)) == "timestamp_ntz"
        assert to_spark(LocalZonedTimestampType(3)) == "timestamp"

    def test_types_that_spark_does_not_have(self) -> None:
        assert to_spark(BinaryType(3)) == "binary"
        assert to_spark(MultisetType(StringType())) == {
            "type": "map",
            "keyType": "string",
            "valueType": "integer",
            "valueContainsNull": False,
        }
        assert to_spark(TimeType(9)) == "time(6)"

    def test_char_and_varchar_hidden_in_metadata(self) -> None:
        form = {
            "type": "struct",
            "fields": [
                {
                    "name": "c",
                    "type": "string",
                    "nullable": True,
                    "metadata": {"__CHAR_VARCHAR_TYPE_STRING": "char(3)"},
                },
                {
                    "name": "v",
                    "type": "string",
                    "nullable": False,
                    "metadata": {"__CHAR_VARCHAR_TYPE_STRING": "varchar(5)"},
                },
            ],
        }
        row = from_spark(form)
        assert isinstance(row, RowType)
        assert [field.type for field in row.fields] == [CharType(3), VarCharType(5, nullable=False)]

    def test_comment_and_default_come_along(self) -> None:
        field = {
            "name": "a",
            "type": "integer",
            "nullable": True,
            "metadata": {"comment": "c", "CURRENT_DEFAULT": "7"},
        }
        row = from_spark({"type": "struct", "fields": [field]})
        assert isinstance(row, RowType)
        assert row.fields == (Field(0, "a", IntType(), "c", "7"),)
        assert to_spark(row)["fields"] == [field]

    @pytest.mark.parametrize("form", ["void", "interval day to second", {"type": "udt"}], ids=str)
    def test_types_that_paimon_does_not_have(self, form: Any) -> None:
        with pytest.raises(errors.UnsupportedError):
            from_spark(form)

    def test_collations_are_refused(self) -> None:
        field = {
            "name": "a",
            "type": "string",
            "nullable": True,
            "metadata": {"__COLLATIONS": {"a": "icu.UNICODE"}},
        }
        with pytest.raises(errors.UnsupportedError, match="column a"):
            from_spark({"type": "struct", "fields": [field]})


TYPES: list[DataType] = [
    *(
        parse_type(text)
        for text in (
            "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(38, 10)", "STRING",
            "BYTES", "BINARY(4)", "DATE", "TIME(0)", "TIME(3)", "TIME(6)", "TIMESTAMP(0)", "TIMESTAMP(3)",
            "TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        )
    ),
    ArrayType(IntType(nullable=False)),
    MapType(StringType(nullable=False), BigIntType()),
    RowType((Field(1, "x", IntType(nullable=False)), Field(2, "y", ArrayType(StringType())))),
]  # fmt: skip


class TestArrow:
    @pytest.mark.parametrize("kind", TYPES, ids=str)
    @pytest.mark.parametrize("nullable", [True, False])
    def test_round_trip(self, kind: DataType, nullable: bool) -> None:
        field = Field(0, "a", kind.with_nullable(nullable), "comment")
        assert from_arrow(to_arrow([field])) == [field]

    @pytest.mark.parametrize(
        ("arrow", "kind"),
        [
            (pa.large_string(), StringType()),
            (pa.string_view(), StringType()),
            (pa.dictionary(pa.int32(), pa.string()), StringType()),
            (pa.large_binary(), parse_type("BYTES")),
            (pa.date64(), DateType()),
            (pa.uint8(), SmallIntType()),
            (pa.uint32(), BigIntType()),
            (pa.large_list(pa.int32()), ArrayType(IntType())),
            (pa.list_(pa.int32(), 3), ArrayType(IntType())),
            (pa.decimal128(10, 2), DecimalType(10, 2)),
            (pa.timestamp("us", "Asia/Shanghai"), LocalZonedTimestampType(6)),
        ],
    )
    def test_other_spellings(self, arrow: pa.DataType, kind: DataType) -> None:
        assert from_arrow(pa.schema([("a", arrow)]))[0].type == kind

    @pytest.mark.parametrize(
        "arrow", [pa.uint64(), pa.null(), pa.duration("s"), pa.decimal256(50, 2), pa.float16()]
    )
    def test_types_that_paimon_does_not_have(self, arrow: pa.DataType) -> None:
        with pytest.raises(errors.UnsupportedError, match="column a"):
            from_arrow(pa.schema([("a", arrow)]))

    def test_types_that_arrow_does_not_have(self) -> None:
        with pytest.raises(errors.UnsupportedError, match="column v"):
            to_arrow([Field(0, "v", VariantType())])

    def test_char_and_multiset_become_what_arrow_has(self) -> None:
        schema = to_arrow([Field(0, "c", CharType(3)), Field(1, "m", MultisetType(StringType()))])
        assert schema.field("c").type == pa.string()
        assert pa.types.is_map(schema.field("m").type)

    def test_importing_the_package_does_not_import_pyarrow(self) -> None:
        code = "import sys, spark_paimon.schema, spark_paimon.partition; sys.exit('pyarrow' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
