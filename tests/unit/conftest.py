"""Catalogs, and tables in both layouts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from spark_paimon.catalog.interface import Catalog
from tests.format_tables import Faults, open_catalog

# Generated examples: no time limit for one (machines are slow at times), nothing kept between runs.
settings.register_profile(
    "spark_paimon", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("spark_paimon")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    """A catalog that manages partitions."""
    with open_catalog(tmp_path / "embedded") as opened:
        yield opened


@pytest.fixture
def filesystem(tmp_path: Path) -> Iterator[Catalog]:
    """A catalog whose partitions are directories."""
    with open_catalog(tmp_path / "filesystem", "filesystem") as opened:
        yield opened


@pytest.fixture(params=["embedded", "filesystem"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalog]:
    """Each kind of catalog in turn."""
    with open_catalog(tmp_path / request.param, request.param) as opened:
        yield opened


@pytest.fixture(params=[False, True], ids=["key=value", "value-only"])
def value_only(request: pytest.FixtureRequest) -> bool:
    """Each layout in turn."""
    return bool(request.param)


@pytest.fixture
def faults() -> Faults:
    """What shall fail."""
    return Faults()
