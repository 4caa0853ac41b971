"""Definitions that would take rows away from a table, or from its neighbours, are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.schema import RemoveOption, SetOption

COLUMNS = pa.schema([("id", pa.int32()), ("p", pa.string())])
FORMAT_TABLE = {"type": "format-table"}
MANAGED = {**FORMAT_TABLE, "metastore.partitioned-table": "true"}


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with load_catalog({"metastore": "embedded", "warehouse": str(tmp_path / "w")}) as opened:
        opened.create_database("db")
        opened.create_table("db.t", COLUMNS, ["p"], MANAGED)
        yield opened


@pytest.mark.parametrize("key", ["format-table.partition-path-only-value", "partition.default-name"])
def test_layout_of_a_table_with_partitions_is_fixed(catalog: Catalog, key: str) -> None:
    value = "true" if key.endswith("value") else "__OTHER__"
    catalog.alter_table("db.t", [SetOption(key, value)])
    catalog.alter_table("db.t", [RemoveOption(key)])
    catalog.create_partitions("db.t", [{"p": "a"}])
    with pytest.raises(errors.UnsupportedError) as caught:
        catalog.alter_table("db.t", [SetOption(key, value)])
    assert caught.value.condition == "OPTION_IMMUTABLE"
    catalog.alter_table("db.t", [RemoveOption(key)])


@pytest.mark.parametrize("place", ["", "db.db", "db.db/t", "db.db/t/p=a", ".."])
def test_external_table_over_other_tables_is_refused(catalog: Catalog, tmp_path: Path, place: str) -> None:
    location = str((tmp_path / "w" / place).resolve())
    with pytest.raises(errors.InvalidInputError) as caught:
        catalog.create_table("db.x", COLUMNS, options={**FORMAT_TABLE, "path": location})
    assert caught.value.condition == "LOCATION_TAKEN"
    assert not catalog.table_exists("db.x")


def test_external_table_in_a_directory_of_its_own(catalog: Catalog, tmp_path: Path) -> None:
    for number, place in enumerate((tmp_path / "x", tmp_path / "w" / "db.db" / "t2", tmp_path / "x" / "y")):
        catalog.create_table(f"db.x{number}", COLUMNS, options={**FORMAT_TABLE, "path": str(place)})
