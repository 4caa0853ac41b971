"""A workplace for each test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.workplace import Workplace

FOLDERS = {"paimon": "embedded", "rest": "embedded", "fs": "filesystem"}


@pytest.fixture
def catalog() -> str:
    """The catalog of the test, unless it is parametrised over several."""
    return "paimon"


@pytest.fixture
def place(spark: SparkSession, catalog: str, warehouse_root: Path, tmp_path: Path) -> Workplace:
    """A session of its own, in an empty database."""
    from tests.spark.workplace import Workplace

    return Workplace.make(spark, catalog, warehouse_root / FOLDERS[catalog], tmp_path)
