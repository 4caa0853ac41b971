"""What every catalog does. A catalog inherits :class:`CatalogContract` and says where it differs, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pyarrow
import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, Identifier, load_catalog
from spark_paimon.schema import (
    AddColumn,
    DropColumn,
    Field,
    IntType,
    RemoveOption,
    RenameColumn,
    Schema,
    SetOption,
    StringType,
    UpdateColumnType,
    UpdateComment,
)

COLUMNS = pyarrow.schema([("id", pyarrow.int32()), ("dt", pyarrow.string())])
FORMAT = {"type": "format-table"}
SCHEMA = Schema((Field(0, "id", IntType()), Field(1, "dt", StringType())), ("dt",), options=FORMAT)


class CatalogContract:
    """Rules that hold for every catalog."""

    metastore: ClassVar[str]

    manages_partitions: ClassVar[bool] = True
    keeps_database_options: ClassVar[bool] = True
    allows_external_tables: ClassVar[bool] = True
    replacing_changes_identity: ClassVar[bool] = True
    renaming_moves_the_directory: ClassVar[bool] = False

    @pytest.fixture
    def warehouse(self, tmp_path: Path) -> str:
        return str(tmp_path / "warehouse")

    def open(self, warehouse: str, **options: str) -> Catalog:
        return load_catalog({"metastore": self.metastore, "warehouse": warehouse, **options})

    @pytest.fixture
    def catalog(self, warehouse: str) -> Iterator[Catalog]:
        with self.open(warehouse) as catalog:
            catalog.create_database("db")
            yield catalog

    def create(self, catalog: Catalog, name: str = "db.t", **options: str) -> None:
        catalog.create_table(name, COLUMNS, ["dt"], {**FORMAT, **options})

    # Databases

    def test_the_default_database_is_always_there(self, catalog: Catalog) -> None:
        assert catalog.list_databases() == ["db", "default"]
        self.create(catalog, "default.t")
        assert catalog.get_database("default").location == f"{catalog.warehouse}/default.db"
        with pytest.raises(errors.InvalidInputError, match="cannot be dropped"):
            catalog.drop_database("default", cascade=True)

    def test_a_database_is_created_once(self, catalog: Catalog) -> None:
        with pytest.raises(errors.DatabaseExistsError):
            catalog.create_database("db")
        catalog.create_database("db", ignore_if_exists=True)
        assert catalog.get_database("db").location == f"{catalog.warehouse}/db.db"
        assert catalog.storage(catalog.warehouse).is_directory(f"{catalog.warehouse}/db.db")

    def test_a_missing_database_is_named(self, catalog: Catalog) -> None:
        for call in (
            lambda: catalog.get_database("no"),
            lambda: catalog.list_tables("no"),
            lambda: catalog.drop_database("no"),
            lambda: catalog.load_table_info("no.t"),
            lambda: self.create(catalog, "no.t"),
            lambda: catalog.alter_database("no", {"a": "b"}),
        ):
            with pytest.raises(errors.NoSuchDatabaseError, match="no"):
                call()
        catalog.drop_database("no", ignore_if_not_exists=True)

    def test_a_database_with_tables_goes_only_with_cascade(self, catalog: Catalog) -> None:
        self.create(catalog)
        location = catalog.load_table_info("db.t").location
        with pytest.raises(errors.NotEmptyError):
            catalog.drop_database("db")
        assert catalog.list_tables("db") == ["t"]
        catalog.drop_database("db", cascade=True)
        assert catalog.list_databases() == ["default"]
        assert not catalog.storage(location).exists(f"{catalog.warehouse}/db.db")

    def test_an_empty_database_goes(self, catalog: Catalog) -> None:
        catalog.drop_database("db")
        assert catalog.list_databases() == ["default"]
        catalog.create_database("db")

    def test_options_of_a_database(self, catalog: Catalog) -> None:
        if not self.keeps_database_options:
            with pytest.raises(errors.UnsupportedError, match="comment"):
                catalog.create_database("d2", comment="c")
            with pytest.raises(errors.UnsupportedError):
                catalog.alter_database("db", {"a": "b"})
            catalog.create_database("d2", owner="me")
            return
        catalog.create_database("d2", options={"a": "1", "b": "2"}, comment="c", owner="you")
        assert catalog.get_database("d2").owner == "you"
        catalog.alter_database("d2", {"a": "3", "comment": "new", "owner": "me"}, ["b"])
        database = catalog.get_database("d2")
        assert (dict(database.options), database.comment, database.owner) == ({"a": "3"}, "new", "me")
        with pytest.raises(errors.UnsupportedError):
            catalog.alter_database("d2", {"location": "/elsewhere"})

    def test_a_database_may_lie_elsewhere(self, catalog: Catalog, tmp_path: Path) -> None:
        if not self.keeps_database_options:
            with pytest.raises(errors.UnsupportedError, match="location"):
                catalog.create_database("d2", location=str(tmp_path / "else"))
            return
        catalog.create_database("d2", location=str(tmp_path / "else"))
        self.create(catalog, "d2.t")
        assert catalog.load_table_info("d2.t").location == f"file:{tmp_path}/else/t"

    @pytest.mark.parametrize("name", ["", " ", ".", "..", "a/b", "../x", "a\nb", "a\x7f", "a\\b", "\ud800"])
    def test_names_that_cannot_be_directories_are_refused(self, catalog: Catalog, name: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            catalog.create_database(name)
        assert caught.value.condition == "NAME_INVALID"
        with pytest.raises(errors.InvalidInputError) as caught:
            self.create(catalog, Identifier("db", name))  # type: ignore[arg-type]
        assert caught.value.condition == "NAME_INVALID"
        assert not catalog.table_exists(Identifier("db", name))
        assert not catalog.table_exists(Identifier(name, "t"))

    def test_a_dollar_is_for_metadata_tables(self, catalog: Catalog) -> None:
        with pytest.raises(errors.InvalidInputError, match=r"\$"):
            self.create(catalog, "db.t$partitions")

    @pytest.mark.parametrize("name", ["é", "a b", "a.b", "_t", "a%2Fb", "😀", "select"])
    def test_other_names_are_fine(self, catalog: Catalog, name: str) -> None:
        self.create(catalog, Identifier("db", name))  # type: ignore[arg-type]
        assert catalog.list_tables("db") == [name]
        assert catalog.load_table_info(Identifier("db", name)).location.endswith(f"/db.db/{name}")
        catalog.drop_table(Identifier("db", name))

    # Tables

    def test_a_table_comes_back_as_it_was_defined(self, catalog: Catalog, warehouse: str) -> None:
        made = catalog.create_table("db.t", COLUMNS, ["dt"], {**FORMAT, "file.format": "parquet"}, "words")
        with self.open(warehouse) as other:
            info = other.load_table_info("db.t")
        assert info == made
        assert info.identifier == Identifier("db", "t")
        assert info.location == f"{catalog.warehouse}/db.db/t"
        assert not info.external
        assert [field.name for field in info.schema.fields] == ["id", "dt"]
        assert info.schema.partition_keys == ("dt",)
        assert dict(info.schema.options) == {**FORMAT, "file.format": "parquet"}
        assert info.schema.comment == "words"
        assert info.uuid
        assert info.created_at is not None
        assert info.created_at > 1_600_000_000_000
        assert catalog.storage(info.location).is_directory(info.location)

    def test_a_complete_definition_can_be_given(self, catalog: Catalog) -> None:
        catalog.create_table("db.t", SCHEMA, options={"a": "b"})
        assert dict(catalog.load_table_info("db.t").schema.options) == {**FORMAT, "a": "b"}
        assert catalog.load_table_info("db.t").schema.partition_keys == ("dt",)

    def test_a_table_is_created_once(self, catalog: Catalog) -> None:
        self.create(catalog)
        before = catalog.load_table_info("db.t")
        with pytest.raises(errors.TableExistsError, match=r"db\.t"):
            self.create(catalog)
        assert catalog.create_table("db.t", SCHEMA, ignore_if_exists=True) == before
        assert catalog.list_tables("db") == ["t"]

    def test_a_missing_table_is_named(self, catalog: Catalog) -> None:
        for call in (
            lambda: catalog.load_table_info("db.no"),
            lambda: catalog.get_table("db.no"),
            lambda: catalog.alter_table("db.no", [SetOption("a", "b")]),
            lambda: catalog.rename_table("db.no", "db.other"),
            lambda: catalog.drop_table("db.no"),
            lambda: catalog.replace_table("db.no", SCHEMA),
            lambda: catalog.list_partitions("db.no"),
            lambda: catalog.create_partitions("db.no", [{"dt": "x"}]),
        ):
            with pytest.raises(errors.NoSuchTableError, match=r"db\.no"):
                call()
        catalog.alter_table("db.no", [SetOption("a", "b")], ignore_if_not_exists=True)
        catalog.rename_table("db.no", "db.other", ignore_if_not_exists=True)
        catalog.drop_table("db.no", ignore_if_not_exists=True)
        assert not catalog.table_exists("db.no")
        assert not catalog.table_exists("nodb.no")

    def test_only_format_tables_are_served(self, catalog: Catalog) -> None:
        with pytest.raises(errors.UnsupportedError) as caught:
            catalog.create_table("db.t", COLUMNS)
        assert caught.value.condition == "TABLE_TYPE_UNSUPPORTED"
        assert catalog.list_tables("db") == []

    def test_get_table_knows_where_it_came_from(self, catalog: Catalog) -> None:
        self.create(catalog)
        table = catalog.get_table("db.t")
        assert table.full_name == "db.t"
        assert table.location_carries_paimon_metadata == catalog.metadata_in_table_directory

    def test_p40_columns_that_differ_by_case_are_refused(self, catalog: Catalog) -> None:
        columns = pyarrow.schema([("a", pyarrow.int32()), ("A", pyarrow.int32())])
        with pytest.raises(errors.InvalidInputError):
            catalog.create_table("db.t", columns, options=FORMAT)
        assert not catalog.table_exists("db.t")

    def test_defaults_of_the_catalog_come_first_and_are_validated(self, warehouse: str) -> None:
        defaults = {"table-default.file.format": "orc", "table-default.owner.team": "x"}
        with self.open(warehouse, **defaults) as catalog:
            catalog.create_table("default.t", SCHEMA)
            catalog.create_table("default.u", SCHEMA, options={"file.format": "parquet"})
            assert catalog.load_table_info("default.t").schema.options["file.format"] == "orc"
            assert catalog.load_table_info("default.t").schema.options["owner.team"] == "x"
            assert catalog.load_table_info("default.u").schema.options["file.format"] == "parquet"

    def test_a_default_gives_way_to_any_spelling(self, warehouse: str) -> None:
        defaults = {"table-default.file.compression": "zstd"}
        with self.open(warehouse, **defaults) as catalog:
            catalog.create_table("default.t", SCHEMA, options={"compression": "snappy"})
            options = catalog.load_table_info("default.t").schema.options
            assert "file.compression" not in options
            assert options["compression"] == "snappy"

    def test_readable_dates_are_stated_at_creation(self, catalog: Catalog) -> None:
        columns = pyarrow.schema([("id", pyarrow.int32()), ("dt", pyarrow.date32())])
        catalog.create_table("db.t", columns, ["dt"], FORMAT)
        catalog.create_table("db.u", columns, ["dt"], {**FORMAT, "partition.legacy-name": "true"})
        assert catalog.load_table_info("db.t").schema.options["partition.legacy-name"] == "false"
        assert catalog.load_table_info("db.u").schema.options["partition.legacy-name"] == "true"

    def test_a_delta_table_is_left_alone(self, catalog: Catalog) -> None:
        location = f"{catalog.warehouse}/db.db/t"
        catalog.storage(location).make_directory(f"{location}/_delta_log")
        with pytest.raises(errors.UnsupportedError, match="_delta_log"):
            self.create(catalog)
        assert catalog.list_tables("db") == []

    def test_rows_of_strangers_do_not_become_rows_of_a_new_table(self, catalog: Catalog) -> None:
        location = f"{catalog.warehouse}/db.db/t"
        storage = catalog.storage(location)
        storage.write_new(f"{location}/__DEFAULT_PARTITION__/part", b"x")
        with pytest.raises(errors.InvalidInputError, match="already holds data files") as caught:
            self.create(catalog)
        assert caught.value.condition == "DIRECTORY_NOT_EMPTY"
        storage.delete_directory(location)
        storage.write_new(f"{location}/_temporary/0/part", b"x")
        storage.make_directory(f"{location}/dt=1")
        self.create(catalog)

    def test_external_tables(self, catalog: Catalog, tmp_path: Path) -> None:
        place = tmp_path / "elsewhere" / "data"
        if not self.allows_external_tables:
            with pytest.raises(errors.UnsupportedError, match="elsewhere"):
                self.create(catalog, path=str(place))
            return
        self.create(catalog, path=f"file://{place}/")
        info = catalog.load_table_info("db.t")
        assert info.external
        assert info.location == f"file:{place}"
        assert "path" not in info.schema.options
        assert place.is_dir()
        (place / "part").write_bytes(b"x")
        catalog.drop_table("db.t")
        assert (place / "part").exists()
        self.create(catalog, path=str(place))

    def test_dropping_an_internal_table_deletes_its_files(self, catalog: Catalog) -> None:
        self.create(catalog)
        location = catalog.load_table_info("db.t").location
        storage = catalog.storage(location)
        storage.write_new(f"{location}/dt=1/part", b"x")
        catalog.drop_table("db.t")
        assert catalog.list_tables("db") == []
        assert not storage.exists(location)
        self.create(catalog)

    def test_dropping_fails_loudly_when_files_stay(
        self, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.create(catalog)

        def refuse(_self: object, path: str) -> None:
            raise errors.StorageError("DIRECTORY_NOT_DELETED", path=path, reason="Permission denied")

        monkeypatch.setattr(type(catalog.storage(catalog.warehouse)), "delete_directory", refuse)
        with pytest.raises(errors.StorageError, match="was not deleted"):
            catalog.drop_table("db.t")

    def test_a_renamed_table_keeps_rows_and_identity_of_definition(self, catalog: Catalog) -> None:
        catalog.create_database("d2")
        self.create(catalog)
        before = catalog.load_table_info("db.t")
        catalog.storage(before.location).write_new(f"{before.location}/dt=1/part", b"x")
        catalog.rename_table("db.t", "d2.new")
        after = catalog.load_table_info("d2.new")
        assert after.schema == before.schema
        assert catalog.storage(after.location).exists(f"{after.location}/dt=1/part")
        assert not catalog.table_exists("db.t")
        assert (after.location != before.location) == self.renaming_moves_the_directory
        self.create(catalog)
        fresh = catalog.load_table_info("db.t")
        assert fresh.location != after.location
        catalog.drop_table("d2.new")
        assert catalog.storage(fresh.location).is_directory(fresh.location)

    def test_renaming_takes_no_place(self, catalog: Catalog) -> None:
        self.create(catalog)
        self.create(catalog, "db.u")
        with pytest.raises(errors.TableExistsError, match=r"db\.u"):
            catalog.rename_table("db.t", "db.u")
        with pytest.raises(errors.NoSuchDatabaseError):
            catalog.rename_table("db.t", "no.t")
        with pytest.raises(errors.InvalidInputError):
            catalog.rename_table("db.t", "db.t$x")
        assert catalog.list_tables("db") == ["t", "u"]
        catalog.rename_table("db.t", "db.t")
        assert catalog.table_exists("db.t")

    # Changes

    def test_changes_make_the_next_version(self, catalog: Catalog) -> None:
        self.create(catalog)
        changes = [SetOption("a", "b"), UpdateComment("c"), AddColumn(("new",), StringType())]
        catalog.alter_table("db.t", changes)
        info = catalog.load_table_info("db.t")
        assert info.schema.id == 1
        assert info.schema.options["a"] == "b"
        assert info.schema.comment == "c"
        assert [field.name for field in info.schema.fields] == ["id", "dt", "new"]
        catalog.alter_table("db.t", [RemoveOption("a"), DropColumn(("new",))])
        catalog.alter_table("db.t", [AddColumn(("new",), StringType())])
        info = catalog.load_table_info("db.t")
        assert "a" not in info.schema.options
        assert info.schema.field("new").id == 3

    def test_changes_are_made_all_or_none(self, catalog: Catalog) -> None:
        self.create(catalog)
        before = catalog.load_table_info("db.t")
        for bad in (
            UpdateColumnType(("dt",), IntType()),
            RenameColumn(("dt",), "day"),
            SetOption("type", "table"),
            SetOption("path", "/elsewhere"),
            SetOption("target-file-row-num", "x"),
        ):
            with pytest.raises(errors.PaimonError):
                catalog.alter_table("db.t", [SetOption("a", "b"), bad])
        assert catalog.load_table_info("db.t") == before

    def test_a_column_is_renamed_only_while_there_are_no_values_to_lose(self, catalog: Catalog) -> None:
        self.create(catalog)
        location = catalog.load_table_info("db.t").location
        catalog.alter_table("db.t", [RenameColumn(("id",), "number")])
        catalog.storage(location).write_new(f"{location}/dt=__DEFAULT_PARTITION__/part", b"x")
        with pytest.raises(errors.UnsupportedError, match="NULL") as caught:
            catalog.alter_table("db.t", [RenameColumn(("number",), "id")])
        assert caught.value.condition == "RENAME_COLUMN_WITH_DATA"
        self.create(catalog, "db.c", **{"file.format": "csv"})
        location = catalog.load_table_info("db.c").location
        catalog.storage(location).write_new(f"{location}/dt=1/part", b"x")
        catalog.alter_table("db.c", [RenameColumn(("id",), "number")])

    def test_replacing_gives_another_definition_at_the_same_place(self, catalog: Catalog) -> None:
        self.create(catalog)
        before = catalog.load_table_info("db.t")
        catalog.storage(before.location).write_new(f"{before.location}/dt=1/part", b"x")
        schema = Schema((Field(0, "other", StringType()),), options=FORMAT)
        after = catalog.replace_table("db.t", schema)
        assert after == catalog.load_table_info("db.t")
        assert [field.name for field in after.schema.fields] == ["other"]
        assert after.schema.partition_keys == ()
        assert after.location == before.location
        assert catalog.storage(after.location).exists(f"{before.location}/dt=1/part")
        assert (after.uuid != before.uuid) == self.replacing_changes_identity
        with pytest.raises(errors.UnsupportedError):
            catalog.replace_table("db.t", Schema((Field(0, "x", StringType()),)))
        assert catalog.load_table_info("db.t") == after

    # Case

    def test_names_are_matched_ignoring_case_unless_told_otherwise(self, catalog: Catalog) -> None:
        assert not catalog.case_sensitive
        self.create(catalog, "DB.Tä")
        assert catalog.list_tables("db") == ["Tä"]
        assert str(catalog.load_table_info("dB.tÄ").identifier) == "db.Tä"
        with pytest.raises(errors.TableExistsError):
            self.create(catalog, "db.tÄ")
        with pytest.raises(errors.DatabaseExistsError):
            catalog.create_database("DB")
        catalog.rename_table("db.TÄ", "db.tä")
        assert catalog.list_tables("db") == ["tä"]
        catalog.drop_table("db.TÄ")

    def test_names_are_matched_exactly_on_request(self, warehouse: str) -> None:
        with self.open(warehouse, **{"case-sensitive": "true"}) as catalog:
            catalog.create_database("db")
            catalog.create_database("DB")
            self.create(catalog, "db.t")
            self.create(catalog, "db.T")
            assert catalog.list_tables("db") == ["T", "t"]
            assert catalog.list_tables("DB") == []
            assert not catalog.table_exists("DB.t")

    # Partitions

    def test_who_owns_partitions(self, catalog: Catalog) -> None:
        assert catalog.supports_managed_partitions == self.manages_partitions
        self.create(catalog, "db.plain")
        self.create(catalog, "db.managed", **{"metastore.partitioned-table": "true"})
        refusing = ["db.plain"] if self.manages_partitions else ["db.plain", "db.managed"]
        for name in refusing:
            for call in (
                lambda name=name: catalog.list_partitions(name),
                lambda name=name: catalog.list_partitions_by_names(name, [{"dt": "x"}]),
                lambda name=name: catalog.count_partitions(name),
                lambda name=name: catalog.create_partitions(name, [{"dt": "x"}]),
                lambda name=name: catalog.drop_partitions(name, [{"dt": "x"}]),
                lambda name=name: catalog.mark_partitions_done(name, [{"dt": "x"}]),
            ):
                with pytest.raises(errors.UnsupportedError) as caught:
                    call()
                assert caught.value.condition == "PARTITIONS_NOT_MANAGED"

    # Closing

    def test_closing_twice_is_fine(self, warehouse: str) -> None:
        catalog = self.open(warehouse)
        catalog.close()
        catalog.close()

    def test_the_repr_shows_no_options(self, catalog: Catalog) -> None:
        assert repr(catalog) == f"{type(catalog).__name__}({catalog.warehouse!r})"
