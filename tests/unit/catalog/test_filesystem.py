from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.schema import SetOption
from tests.unit.catalog.contract import COLUMNS, FORMAT, CatalogContract
from tests.unit.catalog.files_contract import FilesContract


class TestFilesystemCatalog(CatalogContract, FilesContract):
    metastore = "filesystem"
    manages_partitions = False
    keeps_database_options = False
    allows_external_tables = False
    replacing_changes_identity = False
    renaming_moves_the_directory = True

    def test_it_is_the_default(self, warehouse: str) -> None:
        with load_catalog({"warehouse": warehouse}) as catalog:
            assert not catalog.supports_managed_partitions
            assert catalog.list_databases() == ["default"]
        assert not Path(warehouse).exists()

    def test_the_layout_is_upstream_s(self, catalog: Catalog, warehouse: str) -> None:
        self.create(catalog)
        catalog.alter_table("db.t", [SetOption("a", "b")])
        folder = Path(warehouse) / "db.db" / "t" / "schema"
        assert sorted(file.name for file in folder.iterdir()) == ["schema-0", "schema-1"]
        content = json.loads((folder / "schema-1").read_text())
        assert content["id"] == 1
        assert content["partitionKeys"] == ["dt"]
        assert content["options"] == {"type": "format-table", "a": "b"}

    def test_a_table_that_upstream_wrote_is_served(self, catalog: Catalog, warehouse: str) -> None:
        folder = Path(warehouse) / "db.db" / "theirs" / "schema"
        folder.mkdir(parents=True)
        schema = {
            "version": 3,
            "id": 0,
            "fields": [
                {"id": 0, "name": "a", "type": "INT NOT NULL"},
                {"id": 1, "name": "b", "type": "STRING"},
            ],
            "highestFieldId": 1,
            "partitionKeys": [],
            "primaryKeys": [],
            "options": {"type": "format-table", "file.format": "orc"},
            "timeMillis": 1_700_000_000_000,
        }
        (folder / "schema-0").write_text(json.dumps(schema))
        assert catalog.list_tables("db") == ["theirs"]
        info = catalog.load_table_info("db.theirs")
        assert info.created_at == 1_700_000_000_000
        assert not info.schema.field("a").type.nullable

    def test_snapshot_tables_are_listed_but_not_served_yet(self, catalog: Catalog, warehouse: str) -> None:
        self.create(catalog)
        file = Path(warehouse) / "db.db" / "t" / "schema" / "schema-0"
        content = json.loads(file.read_text())
        del content["options"]["type"]
        file.write_text(json.dumps(content))
        assert catalog.list_tables("db") == ["t"]
        with pytest.raises(errors.UnsupportedError) as caught:
            catalog.get_table("db.t")
        assert caught.value.condition == "TABLE_TYPE_UNSUPPORTED"

    def test_a_directory_without_schema_is_no_table(self, catalog: Catalog, warehouse: str) -> None:
        (Path(warehouse) / "db.db" / "junk").mkdir()
        assert catalog.list_tables("db") == []
        with pytest.raises(errors.NotEmptyError):
            catalog.drop_database("db")

    def test_a_broken_schema_file_is_an_error_that_names_it(self, catalog: Catalog, warehouse: str) -> None:
        self.create(catalog)
        (Path(warehouse) / "db.db" / "t" / "schema" / "schema-0").write_text("{")
        with pytest.raises(errors.IllegalStateError, match="schema-0"):
            catalog.load_table_info("db.t")

    def test_changes_of_many_writers_are_all_kept(self, catalog: Catalog, warehouse: str) -> None:
        self.create(catalog)
        failures: list[BaseException] = []

        def change(writer: int) -> None:
            try:
                with self.open(warehouse) as own:
                    for number in range(5):
                        own.alter_table("db.t", [SetOption(f"w{writer}.n{number}", "x")])
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=change, args=(writer,)) for writer in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        info = catalog.load_table_info("db.t")
        assert info.schema.id == 20
        assert sum(key.startswith("w") for key in info.schema.options) == 20

    def test_managed_partitions_are_inert(self, catalog: Catalog) -> None:
        options = {**FORMAT, "metastore.partitioned-table": "true", "format-table.implementation": "engine"}
        catalog.create_table("db.t", COLUMNS, ["dt"], options)
        assert not catalog.get_table("db.t").managed

    def test_it_works_on_another_file_system(self) -> None:
        with load_catalog({"warehouse": "memory:/warehouse"}) as catalog:
            catalog.create_database("db", ignore_if_exists=True)
            self.create(catalog, "db.m")
            catalog.alter_table("db.m", [SetOption("a", "b")])
            catalog.rename_table("db.m", "db.n")
            assert catalog.load_table_info("db.n").schema.options["a"] == "b"
            catalog.drop_database("db", cascade=True)
            assert catalog.list_databases() == ["default"]
