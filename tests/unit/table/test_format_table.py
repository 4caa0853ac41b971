"""The table object: its attributes, and what a dynamic option may change."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.storage import Storage
from spark_paimon.table import FormatTable
from tests.format_tables import create

MANAGED = "metastore.partitioned-table"
VALUE_ONLY = "format-table.partition-path-only-value"
IMPLEMENTATION = "format-table.implementation"


def test_the_attributes_that_users_know(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"}, options={"compression": "zstd", "mine": "x"})
    assert table.full_name == "db.t"
    assert table.name == "t"
    assert table.location.startswith("file:/")
    assert table.location.endswith("/db.db/t")
    assert table.format == "parquet"
    assert table.file_compression == "zstd"
    assert table.partition_keys == ("dt",)
    assert table.partition_default_name == "__DEFAULT_PARTITION__"
    assert table.partition_only_value_in_path is False
    assert table.options["mine"] == "x"
    assert table.arrow_schema == pa.schema([("id", pa.int64()), ("dt", pa.string())])
    assert isinstance(table.file_system, Storage)
    assert table.list_partitions() == []
    assert "db.t" in repr(table)


def test_who_manages_partitions(catalog: Catalog, filesystem: Catalog) -> None:
    assert create(catalog, {"dt": "STRING"}).managed
    assert not create(catalog, {"dt": "STRING"}, name="plain", options={MANAGED: "false"}).managed
    assert not create(catalog, {}, name="flat").managed
    inert = create(filesystem, {"dt": "STRING"})
    assert not inert.managed
    assert not FormatTable(inert.info, None).managed


def test_only_a_filesystem_catalog_keeps_metadata_in_the_table_directory(
    catalog: Catalog, filesystem: Catalog
) -> None:
    assert create(catalog, {}).metadata_directories == ()
    table = create(filesystem, {})
    assert table.location_carries_paimon_metadata
    assert table.metadata_directories == ("schema", "branch")


def test_loading_a_managed_table_that_is_external_or_engine_is_refused(catalog: Catalog) -> None:
    info = create(catalog, {"dt": "STRING"}).info
    with pytest.raises(
        errors.InvalidInputError,
        match="only supported for internal tables, but format table db.t is external",
    ):
        FormatTable(replace(info, external=True), catalog)
    engine = replace(info.schema, options={**info.schema.options, IMPLEMENTATION: "engine"})
    with pytest.raises(errors.InvalidInputError, match="Cannot combine catalog-managed partitions"):
        FormatTable(replace(info, schema=engine), catalog)


def test_the_option_is_inert_in_a_filesystem_catalog(filesystem: Catalog) -> None:
    table = create(filesystem, {"dt": "STRING"})
    assert not table.copy({IMPLEMENTATION: "engine"}).managed
    assert FormatTable(replace(table.info, external=True), filesystem).partitioned


def test_a_copy_leaves_the_original_and_keeps_the_catalog(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    copied = table.copy({"read.batch-size": "256"}).copy({"mine": "1"})
    assert copied.catalog is table.catalog
    assert (copied.options["read.batch-size"], copied.options["mine"]) == ("256", "1")
    assert "mine" not in table.options


@pytest.mark.parametrize("metastore", ["catalog", "filesystem"])
@pytest.mark.parametrize("stored", ["true", "false"])
def test_a_copy_cannot_change_who_manages_partitions(
    request: pytest.FixtureRequest, metastore: str, stored: str
) -> None:
    owner: Catalog = request.getfixturevalue(metastore)
    table = create(owner, {"dt": "STRING"}, options={MANAGED: stored})
    other = "false" if stored == "true" else "true"
    with pytest.raises(errors.InvalidInputError, match=MANAGED):
        table.copy({MANAGED: other})
    assert table.copy({MANAGED: stored.upper()}).managed == table.managed


def test_absent_means_false_and_restating_it_is_fine(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    options = {key: value for key, value in table.info.schema.options.items() if key != MANAGED}
    plain = FormatTable(replace(table.info, schema=replace(table.info.schema, options=options)), catalog)
    assert not plain.copy({MANAGED: "false"}).managed


@pytest.mark.parametrize(("key", "value"), [(VALUE_ONLY, "true"), (IMPLEMENTATION, "engine")])
def test_a_copy_of_a_managed_table_keeps_layout_and_implementation(
    catalog: Catalog, key: str, value: str
) -> None:
    table = create(catalog, {"dt": "STRING"})
    with pytest.raises(errors.InvalidInputError, match=key):
        table.copy({key: value})


def test_a_copy_of_a_discovered_table_may_change_them(filesystem: Catalog) -> None:
    table = create(filesystem, {"dt": "STRING"}, options={MANAGED: "false"})
    copied = table.copy({VALUE_ONLY: "true", IMPLEMENTATION: "engine"})
    assert copied.layout.value_only
    assert not table.layout.value_only


@pytest.mark.parametrize("key", [MANAGED, VALUE_ONLY])
def test_a_boolean_that_does_not_parse_names_its_key(either: Catalog, key: str) -> None:
    with pytest.raises(errors.InvalidInputError, match=f"'{key}' has the value 'yes'"):
        create(either, {"dt": "STRING"}).copy({key: "yes"})


def test_what_crosses_to_workers_can_be_pickled(catalog: Catalog) -> None:
    from tests.format_tables import stage

    table = create(catalog, {"dt": "DATE"})
    for thing in (stage(table, dt=1), table.layout, table.info):
        copied: Any = pickle.loads(pickle.dumps(thing))
        assert copied == thing
