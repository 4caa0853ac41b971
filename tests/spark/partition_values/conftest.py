"""The tables of these tests, and how often the whole matrix runs."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.partition_values.tables import SEED, Tables, open_tables

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession


# Parameter sets of a test that run every time; the rest of the matrix is for the full run.
KEPT = 3


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave a sample of each test's parameters in the ordinary run, always the same one."""
    groups: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.path.parent == Path(__file__).parent and "trip" not in getattr(item, "fixturenames", ()):
            groups[item.nodeid.partition("[")[0]].append(item)
    for name, group in groups.items():
        ordinary = [item for item in group if item.get_closest_marker("slow") is None]
        kept = random.Random(f"{SEED}{name}").sample(ordinary, min(KEPT, len(ordinary)))
        for item in ordinary:
            if item not in kept:
                item.add_marker("slow")


@pytest.fixture(scope="session")
def tables(spark: SparkSession, warehouse_root: Path) -> Iterator[Tables]:
    opened = open_tables(spark, warehouse_root)
    yield opened
    for catalog in opened.catalogs.values():
        catalog.close()


@pytest.fixture
def settings(spark: SparkSession) -> Callable[..., AbstractContextManager[None]]:
    """Session settings for a block; ``__`` in a name is a dot."""

    @contextmanager
    def changed(**given: str) -> Iterator[None]:
        names = {key.replace("__", "."): value for key, value in given.items()}
        before = {key: spark.conf.get(key, None) for key in names}
        try:
            for key, value in names.items():
                spark.conf.set(key, value)
            yield
        finally:
            for key, value in before.items():
                spark.conf.unset(key) if value is None else spark.conf.set(key, value)

    return changed
