from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy import update

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.catalog.tables import tables
from tests.unit.catalog.contract import CatalogContract
from tests.unit.catalog.files_contract import FilesContract
from tests.unit.catalog.page_contract import PageContract
from tests.unit.catalog.partition_contract import PartitionContract


class TestEmbeddedCatalog(CatalogContract, FilesContract, PartitionContract, PageContract):
    metastore = "embedded"

    def test_its_database_is_a_file_inside_the_warehouse(self, catalog: Catalog, warehouse: str) -> None:
        assert (Path(warehouse) / ".spark_paimon" / "catalog.db").is_file()
        assert catalog.list_databases() == ["db", "default"]

    def test_the_database_may_lie_elsewhere(self, warehouse: str, tmp_path: Path) -> None:
        options = {"metastore": "embedded", "warehouse": warehouse, "uri": f"sqlite:///{tmp_path}/own.db"}
        with load_catalog(options) as catalog:
            self.create(catalog, "default.t")
        assert (tmp_path / "own.db").is_file()
        assert not (Path(warehouse) / ".spark_paimon").exists()

    def test_a_remote_warehouse_needs_a_database(self, tmp_path: Path) -> None:
        options = {"metastore": "embedded", "warehouse": "memory:/remote"}
        with pytest.raises(errors.InvalidInputError, match="'uri'"):
            load_catalog(options)
        with load_catalog({**options, "uri": f"sqlite:///{tmp_path}/own.db"}) as catalog:
            self.create(catalog, "default.t")
            catalog.drop_table("default.t")

    def test_a_database_of_a_newer_version_is_refused(self, catalog: Catalog, warehouse: str) -> None:
        with sqlite3.connect(Path(warehouse) / ".spark_paimon" / "catalog.db") as connection:
            connection.execute("INSERT INTO spark_paimon_version VALUES (99)")
        connection.close()
        with pytest.raises(errors.UnsupportedError, match="99"):
            self.open(warehouse)

    def test_a_file_that_is_no_database_is_an_error_that_names_it(self, warehouse: str) -> None:
        file = Path(warehouse) / ".spark_paimon" / "catalog.db"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"this is no database at all" * 100)
        with pytest.raises(errors.CatalogError, match=r"catalog\.db"):
            self.open(warehouse)

    def test_a_closed_catalog_says_so(self, warehouse: str) -> None:
        catalog = self.open(warehouse)
        catalog.close()
        with pytest.raises(errors.IllegalStateError, match="closed"):
            catalog.list_databases()

    def test_closing_leaves_no_open_files(self, warehouse: str) -> None:
        with self.open(warehouse) as catalog:
            catalog.list_databases()
        links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        opened = [str(link.readlink()) for link in links if link.is_symlink()]
        assert not [path for path in opened if path.startswith(warehouse)]

    def test_a_warehouse_that_cannot_be_made_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(errors.StorageError, match="file"):
            self.open(str(tmp_path / "file"))

    def test_a_table_is_not_dropped_over_another_one(self, catalog: Catalog) -> None:
        self.create(catalog)
        location = catalog.load_table_info("db.t").location
        self.create(catalog, "db.guest", path=location + "-guest")
        # Nobody can make one there; a database of an earlier version may hold it.
        assert isinstance(catalog, EmbeddedCatalog)
        with catalog._database.write() as connection:
            connection.execute(
                update(tables).where(tables.c.name == "guest").values(location=location + "/inside")
            )
        with pytest.raises(errors.InvalidInputError, match="another table"):
            catalog.drop_table("db.t")
        assert catalog.table_exists("db.t")
        catalog.drop_table("db.guest")
        catalog.drop_table("db.t")

    def test_files_of_the_database_have_no_special_rights(self, catalog: Catalog, warehouse: str) -> None:
        file = Path(warehouse) / ".spark_paimon" / "catalog.db"
        assert not stat.S_IMODE(file.stat().st_mode) & stat.S_IXUSR


class TestDatabaseUrl:
    @pytest.mark.parametrize(
        "uri",
        [
            "postgresql://me:s3cr3t@127.0.0.1:1/none",
            "postgresql+nosuch://me:s3cr3t@host/none",
            "postgresql//me:s3cr3t@host/none",
            "postgresql://me:s3cr3t@host:port/none",
            "mysql://me:s3cr3t@host/none",
        ],
    )
    def test_a_password_is_never_shown(self, tmp_path: Path, uri: str) -> None:
        with pytest.raises(errors.PaimonError) as caught:
            load_catalog({"metastore": "embedded", "warehouse": str(tmp_path), "uri": uri})
        error: BaseException | None = caught.value
        while error is not None:
            assert "s3cr3t" not in f"{error} {error!r}"
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)

    def test_only_two_kinds_of_databases(self, tmp_path: Path) -> None:
        with pytest.raises(errors.PaimonError):
            load_catalog({"metastore": "embedded", "warehouse": str(tmp_path), "uri": "oracle://host/x"})


def test_a_catalog_needs_a_warehouse() -> None:
    with pytest.raises(errors.InvalidInputError, match="'warehouse'"):
        load_catalog({"metastore": "embedded"})


def test_unknown_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.InvalidInputError, match="warehouse"):
        load_catalog({"warehuose": str(tmp_path)})
    with pytest.raises(errors.InvalidInputError):
        load_catalog({"metastore": "hive", "warehouse": str(tmp_path)})
