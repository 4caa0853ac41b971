"""ALTER TABLE: what each change makes of a definition, and what is refused."""

from __future__ import annotations

import pytest

from spark_paimon import errors
from spark_paimon.schema import (
    AddColumn,
    ArrayType,
    BigIntType,
    BooleanType,
    Change,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    DropColumn,
    Field,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    RemoveOption,
    RenameColumn,
    RowType,
    Schema,
    SetOption,
    SmallIntType,
    StringType,
    TableSchema,
    TimestampType,
    TinyIntType,
    UpdateColumnComment,
    UpdateColumnNullability,
    UpdateColumnPosition,
    UpdateColumnType,
    UpdateComment,
    VarCharType,
    apply_changes,
)

ROW = RowType((Field(0, "x", IntType()), Field(0, "y", StringType(nullable=False))))
TABLE = TableSchema.initial(
    Schema(
        (
            Field(0, "id", IntType()),
            Field(0, "name", VarCharType(5, nullable=False)),
            Field(0, "r", ROW),
            Field(0, "list", ArrayType(ROW)),
            Field(0, "map", MapType(StringType(), ROW)),
            Field(0, "dt", DateType(nullable=False)),
        ),
        partition_keys=("dt",),
        options={"type": "format-table", "file.format": "orc"},
    ),
    time_millis=0,
)


def change(*changes: Change, table: TableSchema = TABLE) -> TableSchema:
    return apply_changes(table, changes, "db.t", time_millis=7)


def names(table: TableSchema) -> list[str]:
    return [field.name for field in table.fields]


def test_a_new_version_leaves_the_old_one_alone() -> None:
    before = TABLE.to_json()
    after = change(SetOption("a", "b"), UpdateComment("c"))
    assert (after.id, after.time_millis, after.comment, after.options["a"]) == (1, 7, "c", "b")
    assert TABLE.to_json() == before


class TestColumns:
    def test_add(self) -> None:
        after = change(AddColumn(("new",), IntType(), "comment"))
        assert after.fields[-1] == Field(after.highest_field_id, "new", IntType(), "comment")
        assert after.highest_field_id == TABLE.highest_field_id + 1
        assert names(change(AddColumn(("new",), IntType(), first=True)))[0] == "new"
        assert names(change(AddColumn(("new",), IntType(), after="id")))[:2] == ["id", "new"]

    def test_add_numbers_nested_fields(self) -> None:
        after = change(AddColumn(("new",), ROW), AddColumn(("newer",), IntType()))
        own = TABLE.highest_field_id + 1
        kind = after.field("new").type
        assert isinstance(kind, RowType)
        assert [after.field("new").id, *(field.id for field in kind.fields)] == [own, own + 1, own + 2]
        assert after.field("newer").id == own + 3

    def test_ids_are_never_used_twice(self) -> None:
        first = change(AddColumn(("new",), IntType()))
        second = change(DropColumn(("new",)), table=first)
        third = change(AddColumn(("new",), IntType()), table=second)
        assert third.field("new").id == first.field("new").id + 1

    @pytest.mark.parametrize("name", ["id", "ID", "dt"])
    def test_add_an_existing_name(self, name: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            change(AddColumn((name,), IntType()))
        assert caught.value.condition == "COLUMN_EXISTS"

    def test_add_not_null(self) -> None:
        with pytest.raises(errors.UnsupportedError, match="NOT NULL"):
            change(AddColumn(("new",), IntType(nullable=False)))

    def test_rename_keeps_the_id(self) -> None:
        assert change(RenameColumn(("id",), "key")).field("key").id == TABLE.field("id").id
        with pytest.raises(errors.InvalidInputError, match="NAME, name"):
            change(RenameColumn(("id",), "NAME"))

    def test_a_name_may_change_its_case(self) -> None:
        assert names(change(RenameColumn(("id",), "ID")))[0] == "ID"

    def test_drop(self) -> None:
        assert "id" not in names(change(DropColumn(("id",))))

    def test_the_last_data_column_stays(self) -> None:
        table = TableSchema.initial(Schema((Field(0, "a", IntType()), Field(0, "p", IntType())), ("p",)), 0)
        with pytest.raises(errors.InvalidInputError, match="partition keys"):
            change(DropColumn(("a",)), table=table)

    def test_position(self) -> None:
        assert names(change(UpdateColumnPosition(("dt",), first=True)))[0] == "dt"
        assert names(change(UpdateColumnPosition(("id",), after="r")))[:3] == ["name", "r", "id"]
        with pytest.raises(errors.UnsupportedError, match="behind itself"):
            change(UpdateColumnPosition(("id",), after="id"))
        with pytest.raises(errors.NoSuchColumnError):
            change(UpdateColumnPosition(("id",), after="nope"))

    def test_comment(self) -> None:
        after = change(UpdateColumnComment(("dt",), "day"))
        assert after.field("dt").description == "day"
        assert change(UpdateColumnComment(("dt",), None), table=after).field("dt").description is None

    def test_nullability(self) -> None:
        assert change(UpdateColumnNullability(("name",), True)).field("name").type == VarCharType(5)
        assert change(UpdateColumnNullability(("dt",), True)).field("dt").type == DateType()
        assert change(UpdateColumnNullability(("name",), False)).field("name") == TABLE.field("name")
        with pytest.raises(errors.UnsupportedError, match="NOT NULL"):
            change(UpdateColumnNullability(("id",), False))

    @pytest.mark.parametrize(
        "one", [DropColumn(("no",)), RenameColumn(("no",), "x"), UpdateColumnType(("no",), IntType())]
    )
    def test_a_missing_column(self, one: Change) -> None:
        with pytest.raises(errors.NoSuchColumnError, match="no"):
            change(one)


class TestPartitionColumns:
    @pytest.mark.parametrize(
        "one",
        [
            DropColumn(("dt",)),
            RenameColumn(("dt",), "day"),
            UpdateColumnType(("dt",), TimestampType()),
            UpdateColumnType(("dt",), StringType()),
        ],
    )
    def test_name_and_type_are_fixed(self, one: Change) -> None:
        with pytest.raises(errors.UnsupportedError, match=r"Cannot update partition column: \[dt\]"):
            change(one)


class TestTypeChanges:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (SmallIntType(), IntType()),
            (IntType(), BigIntType()),
            (FloatType(), DoubleType()),
            (DecimalType(10, 2), DecimalType(12, 2)),
            (DecimalType(10, 2), DecimalType(12, 4)),
            (CharType(3), CharType(5)),
            (CharType(3), VarCharType(3)),
            (VarCharType(3), VarCharType(4)),
            (VarCharType(3), StringType()),
            (IntType(), IntType()),
            (TinyIntType(), DecimalType(3, 0)),
            (SmallIntType(), DecimalType(7, 2)),
            (IntType(), DecimalType(10, 0)),
            (BigIntType(), DecimalType(38, 19)),
            (TinyIntType(), DoubleType()),
            (IntType(), DoubleType()),
            (DateType(), TimestampType()),
            (DateType(), TimestampType(0)),
            (TimestampType(3), TimestampType(6)),
        ],
    )
    def test_wider_types(self, old: DataType, new: DataType) -> None:
        table = TableSchema.initial(Schema((Field(0, "a", old.with_nullable(False)),)), 0)
        after = change(UpdateColumnType(("a",), new), table=table)
        assert after.field("a").type == new.with_nullable(False)

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (BigIntType(), IntType()),
            (DoubleType(), FloatType()),
            (IntType(), StringType()),
            (IntType(), FloatType()),
            (BigIntType(), DoubleType()),
            (SmallIntType(), DecimalType(6, 2)),
            (IntType(), DecimalType(9, 0)),
            (BigIntType(), DecimalType(38, 20)),
            (DecimalType(5, 0), IntType()),
            (DecimalType(5, 2), DoubleType()),
            (DecimalType(10, 2), DecimalType(10, 3)),
            (DecimalType(10, 2), DecimalType(9, 2)),
            (DecimalType(10, 2), DecimalType(12, 1)),
            (VarCharType(5), VarCharType(4)),
            (StringType(), VarCharType(5)),
            (VarCharType(3), CharType(3)),
            (DateType(), TimestampType(9)),
            (DateType(), LocalZonedTimestampType()),
            (TimestampType(), DateType()),
            (TimestampType(6), TimestampType(3)),
            (TimestampType(), LocalZonedTimestampType()),
            (BooleanType(), IntType()),
        ],
    )
    def test_lossy_types(self, old: DataType, new: DataType) -> None:
        table = TableSchema.initial(Schema((Field(0, "a", old),)), 0)
        with pytest.raises(errors.UnsupportedError, match="column a") as caught:
            change(UpdateColumnType(("a",), new), table=table)
        assert caught.value.condition == "COLUMN_CHANGE_REFUSED"


class TestNested:
    @pytest.mark.parametrize("path", [("r",), ("list", "element"), ("map", "value")])
    def test_each_change_works_inside(self, path: tuple[str, ...]) -> None:
        after = change(
            AddColumn((*path, "z"), IntType(), first=True),
            RenameColumn((*path, "x"), "w"),
            UpdateColumnType((*path, "w"), BigIntType()),
            UpdateColumnComment((*path, "w"), "c"),
            UpdateColumnNullability((*path, "y"), True),
        )
        kind: DataType = after.field(path[0]).type
        for part in path[1:]:
            kind = getattr(kind, part)
        assert isinstance(kind, RowType)
        assert [(field.name, field.type.sql(), field.description) for field in kind.fields] == [
            ("z", "INT", None),
            ("w", "BIGINT", "c"),
            ("y", "STRING", None),
        ]
        assert kind.fields[0].id == TABLE.highest_field_id + 1
        assert after.highest_field_id == TABLE.highest_field_id + 1

    @pytest.mark.parametrize("path", [("id", "x"), ("list", "x"), ("map", "x"), ("r", "x", "y")])
    def test_what_has_no_fields(self, path: tuple[str, ...]) -> None:
        with pytest.raises(errors.UnsupportedError, match="has no fields"):
            change(DropColumn(path))


class TestOptions:
    def test_set_and_remove(self) -> None:
        after = change(SetOption("File.Format", "csv"), SetOption("sep", ";"), RemoveOption("unknown"))
        assert after.options == {"type": "format-table", "file.format": "csv", "sep": ";"}
        assert "sep" not in change(RemoveOption("SEP"), table=after).options

    @pytest.mark.parametrize(
        "one", [SetOption("type", "table"), RemoveOption("type"), SetOption("TYPE", "x")]
    )
    def test_the_type_is_fixed(self, one: Change) -> None:
        with pytest.raises(errors.UnsupportedError, match=r"Change 'type' is not supported yet\."):
            change(one)

    def test_the_same_type_again_is_fine(self) -> None:
        assert change(SetOption("type", "FORMAT-TABLE")).options == TABLE.options

    def test_the_location_is_fixed(self) -> None:
        with pytest.raises(errors.UnsupportedError, match="SET LOCATION is not supported for Paimon tables"):
            change(SetOption("path", "/elsewhere"))

    def test_p78_what_is_set_is_checked(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="csv.quote-character must not be empty"):
            change(SetOption("csv.quote-character", ""))
        with pytest.raises(errors.InvalidInputError, match="Did you mean 'file.format'"):
            change(SetOption("file.fromat", "orc"))
        with pytest.raises(errors.InvalidInputError, match="primary-key"):
            change(SetOption("primary-key", "id"))

    def test_what_was_set_before_is_not_judged_again(self) -> None:
        table = TableSchema(0, TABLE.fields, 20, ("dt",), (), {"file.fromat": "x"})
        assert change(UpdateComment("c"), table=table).options == {"file.fromat": "x"}
