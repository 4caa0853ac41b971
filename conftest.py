"""Fixtures shared by all tests, and the marks that follow from where a test lies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.postgres import PostgresServer

ROOT = Path(__file__).parent
MARKED_FOLDERS = ("spark", "submit", "notebook")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--metastore rest``, which runs all tests on Spark against a REST server."""
    parser.addoption(
        "--metastore",
        choices=("embedded", "rest"),
        default="embedded",
        help="what stands behind the catalog 'paimon' of the tests on Spark",
    )


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
def rest_options(warehouse_root: Path) -> Iterator[dict[str, Any]]:
    """Catalog options for a REST server over the warehouse of the embedded catalog of the run."""
    from tests.servers import rest_server

    with rest_server(warehouse_root / "embedded") as server:
        yield server.options


@pytest.fixture(scope="session")
def spark(
    warehouse_root: Path, rest_options: dict[str, Any], pytestconfig: pytest.Config
) -> Iterator[SparkSession]:
    """The Spark session of the run.

    ``paimon`` is the embedded catalog (with ``--metastore rest`` the same through a server), ``rest`` the
    same warehouse through a server, ``fs`` a filesystem catalog.
    """
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
    if pytestconfig.getoption("metastore") == "rest":
        configure_spark_with_paimon(builder, catalog="paimon", **rest_options)
    else:
        configure_spark_with_paimon(builder, catalog="paimon", warehouse=warehouse_root / "embedded")
    configure_spark_with_paimon(builder, catalog="rest", **rest_options)
    configure_spark_with_paimon(
        builder, catalog="fs", metastore="filesystem", warehouse=warehouse_root / "filesystem"
    )
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def running_postgres() -> Iterator[PostgresServer]:
    """The PostgreSQL server of the run; tests that need it are skipped where the machine has none."""
    from tests.postgres import PostgresServer, Unavailable

    pytest.importorskip("psycopg")
    try:
        server = PostgresServer()
    except Unavailable as reason:
        pytest.skip(str(reason))
    with closing(server):
        yield server


@pytest.fixture
def postgres_server(running_postgres: PostgresServer) -> Iterator[PostgresServer]:
    """The server for a test that stops or kills it; it runs again afterwards."""
    yield running_postgres
    running_postgres.start()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """URL of an empty database in PostgreSQL."""
    with postgres_server.database() as url:
        yield url
