"""Fixtures shared by all tests, and the marks that follow from where a test lies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent
MARKED_FOLDERS = ("spark", "submit", "notebook")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test by its folder under ``tests``, so that ``-m "not spark"`` just works."""
    for item in items:
        folders = item.path.relative_to(ROOT).parts[1:2] if item.path.is_relative_to(ROOT) else ()
        for folder in folders:
            if folder in MARKED_FOLDERS:
                item.add_marker(folder)
            elif folder == "soak":
                item.add_marker("spark")
                item.add_marker("slow")


@pytest.fixture(scope="session")
def warehouse_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Directory of the catalogs of the shared Spark session."""
    folder = tmp_path_factory.mktemp("warehouses")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def spark(warehouse_root: Path) -> Iterator[SparkSession]:
    """The Spark session of the run: the embedded catalog ``paimon``, the filesystem catalog ``fs``."""
    from pyspark.sql import SparkSession

    from spark_paimon import configure_spark_with_paimon

    builder = (
        SparkSession.builder.master("local[2]")
        .appName("spark-paimon tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(warehouse_root / "spark"))
        .config("spark.driver.host", "localhost")
    )
    configure_spark_with_paimon(builder, catalog="paimon", warehouse=warehouse_root / "embedded")
    configure_spark_with_paimon(
        builder, catalog="fs", metastore="filesystem", warehouse=warehouse_root / "filesystem"
    )
    session = builder.getOrCreate()
    yield session
    session.stop()
