"""Partitions whose files lie outside of the table: which statements touch what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.catalog.models import Partition
from spark_paimon.catalog.registration import custom_location
from spark_paimon.procedures.analyze import analyze
from spark_paimon.procedures.repair import repair
from spark_paimon.statistics import PartitionStatistics
from spark_paimon.storage import storage_for
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import WriteMode, commit
from spark_paimon.table.metadata import metadata_table
from spark_paimon.table.partitions import add_partitions, drop_partitions, truncate
from spark_paimon.table.scan import plan_partitions
from tests.format_tables import (
    Faults,
    create,
    directory,
    everything,
    names,
    open_catalog,
    put,
    stage,
    visible,
    with_faults,
    write_parquet,
)


@pytest.mark.parametrize("key", ["location", "LOCATION", "path"])
def test_a_location_is_registered_in_its_one_spelling_and_not_touched(
    catalog: Catalog, faults: Faults, key: str
) -> None:
    plain = create(catalog, {"dt": "STRING"})
    table = with_faults(plain, faults)
    add_partitions(
        table, [{"dt": "a"}, {"dt": "b"}], options=[{key: "S3A://Bucket//x%20y/", "mine": "1"}, {}]
    )
    assert [dict(row.options) for row in plain.list_partitions()] == [
        {"path": "s3a://bucket/x y", "mine": "1"},
        {},
    ]
    looked_at = [call[1][0] for call in faults.of("is_directory")]
    assert looked_at == [f"{plain.location}/_delta_log"]
    assert faults.methods("create_partitions", "make_directory") == ["create_partitions", "make_directory"]
    assert len(faults.calls) == 3
    assert [path for path in everything(plain) if path != "dt=b"] == []


@pytest.mark.parametrize(
    "options",
    [
        {"location": "/no/scheme"},
        {"location": "s3://b/../x"},
        {"location": "file:{table}/inside"},
        {"location": "file:{table}"},
        {"location": "file:/x", "path": "file:/x"},
        {"location": None},
        {None: "file:/x"},
        {"location": "file:/x", "Location": "file:/x"},
    ],
)
def test_a_location_that_cannot_be_is_refused_before_any_call(
    catalog: Catalog, faults: Faults, options: dict[str, str]
) -> None:
    table = with_faults(create(catalog, {"dt": "STRING"}), faults)
    given = {key: text and text.format(table=directory(table)) for key, text in options.items()}
    with pytest.raises(errors.InvalidInputError, match="dt=a"):
        add_partitions(table, [{"dt": "b"}, {"dt": "a"}], options=[{}, given])
    assert faults.calls == []


def test_adding_it_again_makes_no_default_directory(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    add_partitions(table, [{"dt": "a"}], options=[{"location": "s3://b/x"}])
    add_partitions(table, [{"dt": "a"}, {"dt": "b"}], ignore_if_exists=True)
    assert everything(table) == ["dt=b"]


def test_a_table_on_viewfs_has_no_other_places() -> None:
    with pytest.raises(errors.InvalidInputError, match="viewfs"):
        custom_location("db.t", "viewfs://c/t", "dt=a", "hdfs://n/x")


def test_a_location_elsewhere_is_opened_with_the_options_of_the_catalog(tmp_path: Path) -> None:
    with open_catalog(
        tmp_path, **{"fs.s3a.access.key": "someone", "fs.s3a.secret.key": "something"}
    ) as catalog:
        table = create(catalog, {"dt": "STRING"})
        assert table.storage_of(f"{table.location}/dt=a") is table.storage
        opened = table.storage_of(f"memory://{tmp_path.name}/x")
        assert opened.__reduce__() == catalog.storage(f"memory://{tmp_path.name}/x").__reduce__()


def elsewhere(table: FormatTable, folder: Path, rows: int = 1, **values: str) -> Path:
    """A partition whose data lies outside of the table."""
    write_parquet(folder / "data.parquet", rows)
    add_partitions(table, [values], options=[{"location": f"file:{folder}"}])
    return folder


def test_drop_unregisters_a_location_and_repairs_overlaps(
    catalog: Catalog, faults: Faults, tmp_path: Path
) -> None:
    table = create(catalog, {"dt": "STRING"})
    folder = elsewhere(table, tmp_path / "x", dt="a")
    put(table, "dt=a/waiting.parquet")
    drop_partitions(with_faults(table, faults), [{"dt": "a"}])
    assert names(table) == []
    assert (folder / "data.parquet").is_file()
    assert visible(table) == ["dt=a/waiting.parquet"]
    assert [call for call in faults.calls if str(folder) in str(call)] == []

    rows = [
        Partition({"dt": dt}, options={"path": f"file:{tmp_path}/{path}"})
        for dt, path in (("a", "o"), ("b", "o/below"))
    ]
    catalog.create_partitions("db.t", [{"dt": "a"}], options=[{"path": f"file:{tmp_path}/o"}])
    broken = with_faults(table, faults)
    listing: Any = lambda *_, **__: rows  # noqa: E731
    broken.catalog.list_partitions = listing  # type: ignore[union-attr]
    for read in (
        lambda: plan_partitions(broken),
        lambda: analyze(broken),
        lambda: commit(broken, [], WriteMode.OVERWRITE),
    ):
        with pytest.raises(errors.IllegalStateError, match="overlapping locations"):
            read()
    drop_partitions(broken, [{"dt": "a"}])
    assert names(table) == []


def test_a_location_on_another_file_system_is_listed_there(catalog: Catalog, tmp_path: Path) -> None:
    table = create(catalog, {"dt": "STRING"})
    folder = f"memory://{tmp_path.name}/x"
    storage = storage_for(folder)
    assert storage.write_new(f"{folder}/data.parquet", b"1234")
    add_partitions(table, [{"dt": "a"}], options=[{"location": folder}])
    (row,) = metadata_table(table, "files").rows
    assert (row[0], row[3]) == ("dt=a", 4)
    assert storage_for(row[1]).file_size(row[1]) == 4
    truncate(table)
    assert storage.exists(f"{folder}/data.parquet")
    assert metadata_table(table, "files").rows == []
    storage.delete_directory(folder)


@pytest.mark.parametrize("mode", [WriteMode.OVERWRITE, WriteMode.OVERWRITE_DYNAMIC])
def test_an_overwrite_moves_a_partition_home(catalog: Catalog, tmp_path: Path, mode: WriteMode) -> None:
    table = create(catalog, {"dt": "STRING"})
    folder = elsewhere(table, tmp_path / "x", 3, dt="a")
    with pytest.raises(errors.UnsupportedError, match="custom location"):
        commit(table, [stage(table, dt="a")])
    assert [path for path in everything(table) if "data-" in path or ".tmp." in path] == []
    commit(table, [stage(table, 2, dt="a")], mode)
    (row,) = table.list_partitions()
    assert dict(row.options) == {"file.format": "parquet"}
    assert row.statistics.record_count == 2
    assert [path.partition("/")[0] for path in visible(table)] == ["dt=a"]
    assert (folder / "data.parquet").is_file()


def test_repair_leaves_a_location_as_it_is(catalog: Catalog, tmp_path: Path) -> None:
    table = create(catalog, {"dt": "STRING"})
    elsewhere(table, tmp_path / "x", dt="a")
    put(table, "dt=a/waiting.parquet")
    for mode in ("ADD", "DROP", "SYNC"):
        assert repair(table, mode, collect_statistics=True) == []
    (row,) = table.list_partitions()
    assert dict(row.options) == {"path": f"file:{tmp_path}/x"}
    assert row.statistics == PartitionStatistics.unknown()


def test_a_row_whose_location_cannot_be_is_corrupt(catalog: Catalog, faults: Faults) -> None:
    table = with_faults(create(catalog, {"dt": "STRING"}), faults)
    for path in ("relative", "s3://b/../x", f"{table.location}/other"):
        rows = [Partition({"dt": "a"}, options={"path": path})]
        listing: Any = lambda *_, found=rows, **__: found  # noqa: E731
        table.catalog.list_partitions = listing  # type: ignore[union-attr]
        with pytest.raises(errors.IllegalStateError, match="dt=a"):
            plan_partitions(table)
