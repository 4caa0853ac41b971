"""The bridge process of the shared session, with seams that can fail."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.faults.switch import FAULT_FILE, INJECTION, Switch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_paimon.catalog import Catalog


def pytest_collection_modifyitems(config: pytest.Config) -> None:
    """Set the environment before the first test runs: the bridge gets what the JVM was started with."""
    if FAULT_FILE in os.environ:
        return
    folder = tempfile.mkdtemp(prefix="faults-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ[FAULT_FILE] = str(Path(folder) / "fault.json")
    present = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(INJECTION), *([present] if present else [])])


@pytest.fixture
def switch(spark: SparkSession) -> Iterator[Switch]:
    """What decides about faults in the bridge of the session; nothing is armed afterwards."""
    switch = Switch(Path(os.environ[FAULT_FILE]))
    assert spark._jvm.java.lang.System.getenv(FAULT_FILE) == os.environ[FAULT_FILE], (
        "the JVM was started before the tests of faults were collected"
    )
    yield switch
    switch.disarm()


@pytest.fixture(scope="module")
def registry(warehouse_root: Path) -> Iterator[Catalog]:
    """The embedded catalog of the session, opened in this process."""
    from spark_paimon.catalog import load_catalog

    with load_catalog({"metastore": "embedded", "warehouse": str(warehouse_root / "embedded")}) as opened:
        opened.create_database("faults", ignore_if_exists=True)
        yield opened


@pytest.fixture(scope="module")
def session(spark: SparkSession, registry: Catalog) -> SparkSession:
    """A session whose current database is that of the scenes."""
    session = spark.newSession()
    session.sql("USE paimon.faults")
    return session
