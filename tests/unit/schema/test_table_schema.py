"""Definitions of tables, their JSON, and the checks before a table is created."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.schema import (
    ArrayType,
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
    RowType,
    Schema,
    StringType,
    TableSchema,
    TimestampType,
    VarBinaryType,
    VarCharType,
    validate_create,
)

FORMAT_TABLE = {"type": "format-table"}


def schema(*columns: tuple[str, DataType], keys: tuple[str, ...] = (), **arguments: Any) -> Schema:
    fields = tuple(Field(at, name, kind) for at, (name, kind) in enumerate(columns))
    return Schema(fields, keys, **{"options": FORMAT_TABLE, **arguments})


FORM = {
    "version": 3,
    "id": 2,
    "fields": [
        {"id": 0, "name": "id", "type": "INT NOT NULL"},
        {"id": 4, "name": "dt", "type": "DATE", "description": "day"},
        {
            "id": 5,
            "name": "r",
            "type": {"type": "ROW", "fields": [{"id": 6, "name": "x", "type": "INT"}]},
        },
    ],
    "highestFieldId": 6,
    "partitionKeys": ["dt"],
    "primaryKeys": [],
    "options": {"file.format": "orc", "type": "format-table"},
    "comment": "flights",
    "timeMillis": 1700000000000,
}


class TestJson:
    def test_it_round_trips(self) -> None:
        assert TableSchema.from_json(FORM).to_json() == FORM
        assert list(TableSchema.from_json(FORM).to_json()) == list(FORM)
        assert json.loads(json.dumps(FORM)) == FORM

    def test_an_absent_comment_is_left_out(self) -> None:
        form = {key: value for key, value in FORM.items() if key != "comment"}
        assert TableSchema.from_json(form).to_json() == form
        assert TableSchema.from_json({**form, "comment": None}).to_json() == form

    def test_old_versions_meant_orc(self) -> None:
        form = {**FORM, "version": 2, "options": {}}
        read = TableSchema.from_json(form)
        assert (read.options, read.version) == ({"file.format": "orc"}, 3)

    def test_a_newer_version_is_refused(self) -> None:
        with pytest.raises(errors.UnsupportedError, match="version 4"):
            TableSchema.from_json({**FORM, "version": 4})

    @pytest.mark.parametrize("key", ["id", "fields"])
    def test_a_missing_part_is_named(self, key: str) -> None:
        with pytest.raises(errors.InvalidInputError, match=f"'{key}'"):
            TableSchema.from_json({name: value for name, value in FORM.items() if name != key})

    def test_create_requests_round_trip(self) -> None:
        asked = schema(("id", IntType()), ("dt", DateType()), keys=("dt",), comment="c")
        assert Schema.from_json(asked.to_json()) == asked

    def test_the_highest_id_is_found_when_it_is_not_stored(self) -> None:
        form = {key: value for key, value in FORM.items() if key != "highestFieldId"}
        assert TableSchema.from_json(form).highest_field_id == 6


def test_field_ids_of_a_new_table_count_nested_fields_behind_their_column() -> None:
    inner = RowType(
        (Field(-1, "x", IntType()), Field(-1, "y", ArrayType(RowType((Field(-1, "z", IntType()),)))))
    )
    first = TableSchema.initial(
        schema(("a", IntType()), ("b", MapType(StringType(), inner)), ("c", IntType())), time_millis=5
    )
    assert [field.id for field in first.fields] == [0, 1, 5]
    value = first.field("b").type
    assert isinstance(value, MapType)
    assert isinstance(value.value, RowType)
    assert [field.id for field in value.value.fields] == [2, 3]
    assert first.highest_field_id == 5
    assert (first.id, first.time_millis) == (0, 5)


def test_fields_by_role() -> None:
    table = TableSchema.initial(
        schema(("a", IntType()), ("p", IntType()), ("q", IntType()), keys=("q", "p")), time_millis=0
    )
    assert [field.name for field in table.partition_fields] == ["q", "p"]
    assert [field.name for field in table.data_fields] == ["a"]
    with pytest.raises(errors.NoSuchColumnError, match="x"):
        table.field("x")


class TestCreate:
    def test_the_checked_definition_has_documented_spellings(self) -> None:
        asked = schema(
            ("Id", IntType()), ("Dt", StringType()), keys=("DT",), options={"TYPE": "Format-Table"}
        )
        assert validate_create(asked, "db.t") == schema(("Id", IntType()), ("Dt", StringType()), keys=("Dt",))

    @pytest.mark.parametrize("kind", [DateType(), TimestampType(6)])
    def test_dates_get_readable_directories(self, kind: DataType) -> None:
        asked = schema(("id", IntType()), ("dt", kind), keys=("dt",))
        assert validate_create(asked, "db.t").options["partition.legacy-name"] == "false"
        stated = schema(
            ("id", IntType()),
            ("dt", kind),
            keys=("dt",),
            options={**FORMAT_TABLE, "partition.legacy-name": "true"},
        )
        assert validate_create(stated, "db.t").options["partition.legacy-name"] == "true"

    def test_other_tables_get_nothing_added(self) -> None:
        asked = schema(("id", IntType()), ("dt", StringType()), keys=("dt",))
        assert validate_create(asked, "db.t").options == FORMAT_TABLE

    def test_p40_names_that_differ_by_case_only(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="a, A") as caught:
            validate_create(schema(("a", IntType()), ("A", IntType())), "db.t")
        assert caught.value.condition == "COLUMN_DUPLICATE"
        nested = RowType((Field(0, "x", IntType()), Field(1, "X", IntType())))
        with pytest.raises(errors.InvalidInputError, match="x, X"):
            validate_create(schema(("a", nested)), "db.t")

    @pytest.mark.parametrize("keys", [("nope",), ("a", "a"), ("a", "b"), ("days(a)",)])
    def test_partition_keys(self, keys: tuple[str, ...]) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            validate_create(schema(("a", IntType()), ("b", IntType()), keys=keys), "db.t")
        assert caught.value.condition == "PARTITION_KEYS_INVALID"

    @pytest.mark.parametrize(
        "kind",
        [
            StringType(),
            CharType(3),
            VarCharType(3),
            IntType(),
            DecimalType(10, 2),
            DateType(),
            TimestampType(6),
            BooleanType(),
        ],
    )
    def test_types_that_can_be_partition_columns(self, kind: DataType) -> None:
        validate_create(schema(("id", IntType()), ("p", kind), keys=("p",)), "db.t")

    @pytest.mark.parametrize(
        "kind",
        [
            LocalZonedTimestampType(6),
            TimestampType(9),
            FloatType(),
            DoubleType(),
            BinaryType(3),
            VarBinaryType(3),
            ArrayType(IntType()),
        ],
    )
    def test_p19_p36_types_that_cannot(self, kind: DataType) -> None:
        with pytest.raises(errors.UnsupportedError, match="Column p of table db.t") as caught:
            validate_create(schema(("id", IntType()), ("p", kind), keys=("p",)), "db.t")
        assert caught.value.condition == "PARTITION_TYPE_REFUSED"

    def test_p36_the_advice_names_the_types_to_use(self) -> None:
        with pytest.raises(errors.UnsupportedError, match="use TIMESTAMP_NTZ or DATE"):
            validate_create(schema(("id", IntType()), ("p", LocalZonedTimestampType()), keys=("p",)), "db.t")

    def test_primary_keys_are_refused(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="Cannot define primary-key for format table."):
            validate_create(schema(("id", IntType()), primary_keys=("id",)), "db.t")
        with pytest.raises(errors.InvalidInputError, match="Cannot define primary-key for format table."):
            validate_create(schema(("id", IntType()), options={**FORMAT_TABLE, "primary-key": "id"}), "db.t")

    def test_auto_create_is_refused(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="auto-create"):
            validate_create(
                schema(("id", IntType()), options={**FORMAT_TABLE, "auto-create": "true"}), "db.t"
            )
        validate_create(schema(("id", IntType()), options={**FORMAT_TABLE, "auto-create": "false"}), "db.t")

    def test_options_are_checked(self) -> None:
        with pytest.raises(errors.UnsupportedError, match="avro"):
            validate_create(
                schema(("id", IntType()), options={**FORMAT_TABLE, "file.format": "avro"}), "db.t"
            )

    def test_a_table_has_columns(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="no columns"):
            validate_create(schema(), "db.t")

    def test_rules_of_format_tables_are_not_for_others(self) -> None:
        validate_create(schema(("id", IntType()), primary_keys=("id",), options={}), "db.t")
