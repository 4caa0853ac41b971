"""What every catalog does about the formats of a table's files; part of the contract of a catalog."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog
from spark_paimon.catalog.definitions import DROPPED_COLUMNS
from spark_paimon.schema import (
    AddColumn,
    ArrayType,
    BigIntType,
    Change,
    DropColumn,
    Field,
    IntType,
    RemoveOption,
    RenameColumn,
    RowType,
    Schema,
    SetOption,
    StringType,
    UpdateColumnPosition,
    UpdateColumnType,
    UpdateComment,
)

BY_NAME = ("parquet", "orc", "json", "mosaic")
EVERY = (*BY_NAME, "csv", "text")
ROW = RowType((Field(0, "x", IntType()), Field(0, "y", IntType())))


class FilesContract:
    """Rules that hold for every catalog."""

    def make(self, catalog: Catalog, columns: str = "abc", **options: str) -> None:
        """A table ``db.f`` with STRING columns of one letter and the partition column ``p``."""
        fields = tuple(Field(0, name, StringType()) for name in (*columns, "p"))
        catalog.create_table("db.f", Schema(fields, ("p",), options={"type": "format-table", **options}))

    def fill(self, catalog: Catalog, partition: str = "p=1") -> None:
        location = catalog.load_table_info("db.f").location
        catalog.storage(location).write_new(f"{location}/{partition}/part", b"x")

    def empty(self, catalog: Catalog) -> None:
        location = catalog.load_table_info("db.f").location
        catalog.storage(location).delete_directory(f"{location}/p=1")

    def options(self, catalog: Catalog) -> dict[str, str]:
        return dict(catalog.load_table_info("db.f").schema.options)

    def columns(self, catalog: Catalog) -> str:
        return "".join(field.name for field in catalog.load_table_info("db.f").schema.data_fields)

    def refused(self, catalog: Catalog, condition: str, *changes: Change) -> str:
        before = catalog.load_table_info("db.f")
        with pytest.raises(errors.PaimonError) as caught:
            catalog.alter_table("db.f", changes)
        assert caught.value.condition == condition
        assert catalog.load_table_info("db.f") == before
        return str(caught.value)

    # What a format can store

    @pytest.mark.parametrize("name", EVERY)
    def test_every_format_makes_a_table(self, catalog: Catalog, name: str) -> None:
        self.make(catalog, "a", **{"file.format": name.upper()})
        self.make_again(catalog)

    def make_again(self, catalog: Catalog) -> None:
        info = catalog.load_table_info("db.f")
        catalog.replace_table("db.f", info.schema.as_schema())

    def test_columns_that_a_format_cannot_store_make_no_table(self, catalog: Catalog) -> None:
        wrong: dict[str, tuple[Sequence[Field], str]] = {
            "csv": ([Field(0, "a", ArrayType(IntType()))], "FORMAT_TYPE_UNSUPPORTED"),
            "text": (
                [Field(0, "a", StringType()), Field(1, "b", StringType())],
                "FORMAT_COLUMNS_UNSUPPORTED",
            ),
        }
        for name, (fields, condition) in wrong.items():
            schema = Schema(tuple(fields), options={"type": "format-table", "file.format": name})
            for call in (catalog.create_table, catalog.plan_table):
                with pytest.raises(errors.UnsupportedError, match=r"db\.f") as caught:
                    call("db.f", schema)
                assert caught.value.condition == condition
            assert not catalog.table_exists("db.f")

    def test_partition_columns_are_in_no_file(self, catalog: Catalog) -> None:
        self.make(catalog, "a", **{"file.format": "text"})
        assert self.columns(catalog) == "a"

    def test_replacing_is_checked_like_creating(self, catalog: Catalog) -> None:
        self.make(catalog, "ab")
        before = catalog.load_table_info("db.f")
        schema = before.schema.as_schema()
        options = {**schema.options, "file.format": "text"}
        with pytest.raises(errors.UnsupportedError):
            catalog.replace_table("db.f", Schema(schema.fields, ("p",), options=options))
        assert catalog.load_table_info("db.f") == before

    def test_changes_may_not_lead_to_what_a_format_cannot_store(self, catalog: Catalog) -> None:
        self.make(catalog, "a", **{"file.format": "text"})
        self.refused(catalog, "FORMAT_COLUMNS_UNSUPPORTED", AddColumn(("b",), StringType()))
        catalog.alter_table("db.f", [SetOption("file.format", "csv"), AddColumn(("b",), StringType())])
        self.refused(catalog, "FORMAT_TYPE_UNSUPPORTED", AddColumn(("c",), ArrayType(IntType())))
        self.refused(catalog, "FORMAT_COLUMNS_UNSUPPORTED", SetOption("file.format", "text"))
        catalog.alter_table("db.f", [RemoveOption("file.format"), AddColumn(("c",), ArrayType(IntType()))])
        self.refused(catalog, "FORMAT_TYPE_UNSUPPORTED", SetOption("file.format", "csv"))
        assert self.columns(catalog) == "abc"

    # Options

    @pytest.mark.parametrize(
        "key",
        [
            "csv.field-delimiter",
            "field-delimiter",
            "seq",
            "delimiter",
            "sep",
            "csv.line-delimiter",
            "lineSep",
            "csv.quote-character",
            "quote",
            "csv.escape-character",
            "escape",
        ],
    )
    def test_p78_delimiters_and_quotes_are_not_empty(self, catalog: Catalog, key: str) -> None:
        with pytest.raises(errors.InvalidInputError, match=r"csv\..*(delimiter|character) must not be empty"):
            self.make(catalog, **{"file.format": "csv", key: ""})
        self.make(catalog, **{"file.format": "csv"})
        self.refused(catalog, "OPTION_EMPTY", SetOption(key, ""))

    @pytest.mark.parametrize(
        ("key", "text"),
        [
            ("csv.include-header", "yes"),
            ("header", "1"),
            ("csv.mode", "LENIENT"),
            ("mode", "strict"),
            ("json.ignore-parse-errors", "no"),
            ("json.map-null-key-mode", "KEEP"),
        ],
    )
    def test_format_options_have_their_kind(self, catalog: Catalog, key: str, text: str) -> None:
        with pytest.raises(errors.InvalidInputError, match=text):
            self.make(catalog, **{key: text})
        self.make(catalog)
        self.refused(catalog, "OPTION_MALFORMED", SetOption(key, text))

    @pytest.mark.parametrize("key", ["file.compression", "format-table.file.compression", "compression"])
    @pytest.mark.parametrize("name", EVERY)
    def test_the_codec_is_one_of_the_format(self, catalog: Catalog, name: str, key: str) -> None:
        with pytest.raises(errors.InvalidInputError, match=f"'lzo'.*{name.upper()}"):
            self.make(catalog, "a", **{"file.format": name, key: "lzo"})
        self.make(catalog, "a", **{"file.format": name, key: "ZSTD"})
        self.refused(catalog, "OPTION_MALFORMED", SetOption(key, "lzo"))

    def test_p78_another_format_must_know_the_codec(self, catalog: Catalog) -> None:
        self.make(catalog, **{"file.format": "csv", "file.compression": "bzip2"})
        message = self.refused(catalog, "OPTION_MALFORMED", SetOption("file.format", "parquet"))
        assert "'bzip2'" in message
        catalog.alter_table("db.f", [SetOption("file.format", "parquet"), RemoveOption("file.compression")])

    def test_a_spelling_that_another_outranks_is_checked_too(self, catalog: Catalog) -> None:
        with pytest.raises(errors.InvalidInputError, match="'lzo'"):
            self.make(catalog, **{"file.compression": "zstd", "compression": "lzo"})

    def test_options_are_checked_together(self, catalog: Catalog) -> None:
        wrong = {"csv.quote-character": ";", "sep": ";"}
        with pytest.raises(errors.InvalidInputError):
            self.make(catalog, **{"file.format": "csv", **wrong})
        self.make(catalog, **{"file.format": "csv", "csv.quote-character": ";"})
        before = catalog.load_table_info("db.f")
        with pytest.raises(errors.InvalidInputError):
            catalog.alter_table("db.f", [SetOption("sep", ";")])
        assert catalog.load_table_info("db.f") == before
        catalog.alter_table("db.f", [SetOption("sep", ";"), RemoveOption("csv.quote-character")])

    def test_a_default_gives_way_to_a_spelling_that_two_options_share(self, warehouse: str) -> None:
        defaults = {"table-default.csv.line-delimiter": "#", "table-default.text.line-delimiter": "%"}
        with self.open(warehouse, **defaults) as catalog:  # type: ignore[attr-defined]
            catalog.create_database("db")
            self.make(catalog, **{"file.format": "csv", "lineSep": "\n"})
            assert not {"csv.line-delimiter", "text.line-delimiter"} & set(self.options(catalog))

    # Another table format

    def test_another_format_of_a_table_with_files_is_a_warning(
        self, catalog: Catalog, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.make(catalog)
        catalog.alter_table("db.f", [SetOption("file.format", "orc")])
        assert not caplog.records
        self.fill(catalog)
        catalog.alter_table("db.f", [SetOption("file.format", "ORC")])
        assert not caplog.records
        catalog.alter_table("db.f", [SetOption("file.format", "csv")])
        assert "db.f changes from orc to csv" in caplog.text
        assert "ORC files" in caplog.text

    # Columns found by name

    @pytest.mark.parametrize("name", BY_NAME)
    def test_renaming_waits_until_there_are_no_files(self, catalog: Catalog, name: str) -> None:
        self.make(catalog, **{"file.format": name})
        self.fill(catalog)
        message = self.refused(catalog, "RENAME_COLUMN_WITH_DATA", RenameColumn(("a",), "x"))
        assert name.upper() in message
        self.empty(catalog)
        catalog.alter_table("db.f", [RenameColumn(("a",), "x")])
        assert self.columns(catalog) == "xbc"

    @pytest.mark.parametrize("name", BY_NAME)
    def test_columns_come_go_and_move(self, catalog: Catalog, name: str) -> None:
        self.make(catalog, **{"file.format": name})
        self.fill(catalog)
        catalog.alter_table("db.f", [AddColumn(("x",), IntType(), first=True), DropColumn(("b",))])
        catalog.alter_table("db.f", [UpdateColumnPosition(("c",), after="x")])
        assert self.columns(catalog) == "xca"

    @pytest.mark.parametrize("name", BY_NAME)
    def test_values_of_a_dropped_column_do_not_come_back(self, catalog: Catalog, name: str) -> None:
        self.make(catalog, **{"file.format": name})
        self.fill(catalog)
        catalog.alter_table("db.f", [DropColumn(("b",))])
        message = self.refused(catalog, "COLUMN_NAME_REUSED", AddColumn(("B",), StringType()))
        assert name.upper() in message
        catalog.alter_table("db.f", [AddColumn(("d",), StringType()), UpdateComment("c")])
        self.refused(catalog, "COLUMN_NAME_REUSED", AddColumn(("b",), StringType()))
        self.empty(catalog)
        catalog.alter_table("db.f", [AddColumn(("b",), StringType())])
        assert DROPPED_COLUMNS not in self.options(catalog)

    def test_a_column_dropped_from_an_empty_table_is_forgotten(self, catalog: Catalog) -> None:
        self.make(catalog)
        catalog.alter_table("db.f", [DropColumn(("b",))])
        assert DROPPED_COLUMNS not in self.options(catalog)
        self.fill(catalog)
        catalog.alter_table("db.f", [AddColumn(("b",), StringType())])

    def test_replacing_columns_may_not_reuse_their_names(self, catalog: Catalog) -> None:
        self.make(catalog)
        self.fill(catalog)
        drops = [DropColumn((name,)) for name in "abc"]
        self.refused(
            catalog, "COLUMN_NAME_REUSED", AddColumn(("x",), IntType()), *drops, AddColumn(("a",), IntType())
        )
        catalog.alter_table("db.f", [AddColumn(("x",), IntType()), *drops])
        assert self.columns(catalog) == "x"

    def test_fields_of_a_row_follow_the_same_rules(self, catalog: Catalog) -> None:
        self.make(catalog)
        catalog.alter_table("db.f", [AddColumn(("r",), ROW), AddColumn(("l",), ArrayType(ROW))])
        self.fill(catalog)
        for outer in (("r",), ("l", "element")):
            self.refused(catalog, "RENAME_COLUMN_WITH_DATA", RenameColumn((*outer, "x"), "z"))
            catalog.alter_table("db.f", [DropColumn((*outer, "x"))])
            self.refused(catalog, "COLUMN_NAME_REUSED", AddColumn((*outer, "x"), IntType()))
            catalog.alter_table("db.f", [AddColumn((*outer, "z"), IntType())])
        catalog.alter_table("db.f", [AddColumn(("x",), IntType())])

    def test_the_memory_of_a_catalog_is_its_own(self, catalog: Catalog) -> None:
        with pytest.raises(errors.UnsupportedError):
            self.make(catalog, **{DROPPED_COLUMNS: "[]"})
        self.make(catalog)
        self.refused(catalog, "OPTION_IMMUTABLE", SetOption(DROPPED_COLUMNS.upper(), "[]"))
        self.refused(catalog, "OPTION_IMMUTABLE", RemoveOption(DROPPED_COLUMNS))

    # Columns found by position

    @pytest.mark.parametrize(
        "change",
        [
            DropColumn(("a",)),
            DropColumn(("b",)),
            AddColumn(("x",), StringType(), first=True),
            AddColumn(("x",), StringType(), after="b"),
            UpdateColumnPosition(("c",), first=True),
            UpdateColumnPosition(("a",), after="c"),
        ],
    )
    def test_values_do_not_move_under_another_column(self, catalog: Catalog, change: Change) -> None:
        self.make(catalog, **{"file.format": "csv"})
        self.fill(catalog)
        self.refused(catalog, "COLUMN_POSITION_WITH_DATA", change)
        self.empty(catalog)
        catalog.alter_table("db.f", [change])

    def test_columns_change_at_the_end(self, catalog: Catalog) -> None:
        self.make(catalog, **{"file.format": "csv"})
        self.fill(catalog)
        catalog.alter_table("db.f", [AddColumn(("d",), StringType()), RenameColumn(("a",), "x")])
        catalog.alter_table("db.f", [UpdateColumnPosition(("p",), first=True)])
        catalog.alter_table("db.f", [DropColumn(("d",)), DropColumn(("c",))])
        assert self.columns(catalog) == "xb"
        message = self.refused(catalog, "COLUMN_NAME_REUSED", AddColumn(("new",), StringType()))
        assert "column c, d" in message
        self.empty(catalog)
        catalog.alter_table("db.f", [AddColumn(("new",), StringType())])

    def test_replacing_the_columns_of_csv_files(self, catalog: Catalog) -> None:
        self.make(catalog, "a", **{"file.format": "csv"})
        self.fill(catalog)
        self.refused(
            catalog, "COLUMN_POSITION_WITH_DATA", AddColumn(("x",), StringType()), DropColumn(("a",))
        )

    def test_a_header_keeps_the_names(self, catalog: Catalog) -> None:
        self.make(catalog, **{"file.format": "csv", "header": "true"})
        self.fill(catalog)
        assert "header" in self.refused(catalog, "RENAME_COLUMN_WITH_DATA", RenameColumn(("a",), "x"))
        catalog.alter_table("db.f", [SetOption("csv.enforce-header", "false"), RenameColumn(("b",), "y")])
        catalog.alter_table("db.f", [SetOption("csv.enforce-header", "true")])
        self.empty(catalog)
        catalog.alter_table("db.f", [RenameColumn(("a",), "x")])

    def test_a_text_column_has_any_name(self, catalog: Catalog) -> None:
        self.make(catalog, "a", **{"file.format": "text"})
        self.fill(catalog)
        catalog.alter_table("db.f", [RenameColumn(("a",), "line")])

    @pytest.mark.parametrize("name", [*BY_NAME, "csv"])
    def test_types_grow(self, catalog: Catalog, name: str) -> None:
        schema = Schema((Field(0, "a", IntType()), Field(1, "p", StringType())), ("p",))
        catalog.create_table("db.f", schema, options={"type": "format-table", "file.format": name})
        self.fill(catalog)
        catalog.alter_table("db.f", [UpdateColumnType(("a",), BigIntType())])
        self.refused(catalog, "COLUMN_CHANGE_REFUSED", UpdateColumnType(("a",), IntType()))
