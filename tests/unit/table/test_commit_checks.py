"""What a write is refused for, before anything is changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.interface import Catalog
from spark_paimon.table import FormatTable
from spark_paimon.table.commit import StagedFile, WriteMode, check_write, commit
from tests.format_tables import Faults, create, directory, everything, put, stage, visible, with_faults

APPEND, OVERWRITE, DYNAMIC = WriteMode.APPEND, WriteMode.OVERWRITE, WriteMode.OVERWRITE_DYNAMIC


def test_static_values_need_a_partitioned_table(either: Catalog) -> None:
    table = create(either, {})
    for run in (
        lambda: check_write(table, OVERWRITE, {"dt": 1}),
        lambda: commit(table, [], OVERWRITE, {"dt": 1}),
    ):
        with pytest.raises(
            errors.InvalidInputError, match="Format table is not partitioned, static partition"
        ):
            run()


def test_a_static_column_must_be_a_partition_column(either: Catalog) -> None:
    with pytest.raises(errors.InvalidInputError, match="Unknown static partition column 'x'"):
        check_write(create(either, {"dt": "STRING"}), APPEND, {"x": 1})


def test_an_overwrite_needs_a_leading_run_and_an_append_does_not(either: Catalog) -> None:
    table = create(either, {"year": "INT", "month": "INT"})
    with pytest.raises(errors.InvalidInputError, match="'month' cannot be specified without its leading"):
        check_write(table, OVERWRITE, {"month": 1})
    check_write(table, APPEND, {"month": 1})
    check_write(table, DYNAMIC, {"month": 1})


@pytest.mark.parametrize("value", [".", ".."])
def test_p31_a_value_only_path_cannot_leave_the_table(either: Catalog, value: str) -> None:
    table = create(either, {"dt": "STRING"}, value_only=True)
    put(table, "x/old.parquet")
    with pytest.raises(errors.InvalidInputError, match="cannot be used as a partition path component"):
        commit(table, [], OVERWRITE, {"dt": value})
    assert visible(table) == ["x/old.parquet"]
    check_write(create(either, {"dt": "STRING"}, name="keyed"), OVERWRITE, {"dt": value})


def test_the_name_of_the_null_partition_is_no_value_that_can_be_written(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    with pytest.raises(errors.InvalidInputError, match="would come back as NULL"):
        check_write(table, APPEND, {"dt": "__DEFAULT_PARTITION__"})


def test_a_value_whose_directory_would_never_be_found_again_is_refused(filesystem: Catalog) -> None:
    table = create(filesystem, {"dt": "STRING"}, value_only=True)
    for value in ("_x", ".x", "schema", "branch"):
        with pytest.raises(errors.InvalidInputError, match="readers skip"):
            check_write(table, APPEND, {"dt": value})
        with pytest.raises(errors.InvalidInputError, match="readers skip"):
            commit(table, [stage(table, dt=value)])
    assert [path for path in visible(table) if path.endswith(".parquet")] == []


def test_p42_a_table_can_forbid_to_be_overwritten_as_a_whole(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"}, options={"write.overwrite.require-partition": "true"})
    with pytest.raises(errors.UnsupportedError, match="replace all of db.t"):
        check_write(table, OVERWRITE)
    check_write(table, OVERWRITE, {"dt": "a"})
    check_write(table, DYNAMIC)


@pytest.mark.parametrize("option", ["cleanup-thread-num", "publish-thread-num"])
@pytest.mark.parametrize("number", ["0", "65", "many"])
def test_thread_numbers_are_from_1_to_64(catalog: Catalog, option: str, number: str) -> None:
    table = create(catalog, {"dt": "STRING"}).copy({f"format-table.commit.{option}": number})
    with pytest.raises(errors.InvalidInputError, match=option):
        check_write(table, APPEND)


def test_a_directory_that_became_a_delta_table_is_not_written(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"})
    file = stage(table, dt="a")
    (directory(table) / "_delta_log").mkdir()
    with pytest.raises(errors.UnsupportedError, match="Delta table"):
        check_write(table, APPEND)
    with pytest.raises(errors.UnsupportedError, match="Delta table"):
        commit(table, [file])
    assert visible(table) == []


def test_columns_that_the_format_cannot_store_are_refused_at_the_start(either: Catalog) -> None:
    table = create(either, {"dt": "STRING"}).copy({"file.format": "text"})
    with pytest.raises(errors.UnsupportedError, match="TEXT"):
        check_write(table, OVERWRITE)


def test_a_format_that_nobody_would_know_of_is_not_written(catalog: Catalog, filesystem: Catalog) -> None:
    other = {"file.format": "orc"}
    managed, discovered = (create(each, {"dt": "STRING"}).copy(other) for each in (catalog, filesystem))
    plain = create(catalog, {}, name="u").copy(other)
    every = [(each, mode) for each in (discovered, plain) for mode in WriteMode]
    for table, mode in [(managed, APPEND), *every]:
        with pytest.raises(errors.UnsupportedError, match="take its files for PARQUET") as caught:
            check_write(table, mode)
        assert caught.value.condition == "WRITE_FORMAT_DIFFERS"
    # An overwrite of partitions that the catalog manages tells it the format.
    check_write(managed, OVERWRITE)
    check_write(managed, DYNAMIC)


# --- files that do not lie where their partition says


def misplaced(table: FormatTable) -> dict[str, StagedFile]:
    file = stage(table, dt="a", hh=1)
    other = stage(table, dt="b", hh=1)
    return {
        "final elsewhere": replace(file, final=other.final),
        "staged elsewhere": replace(file, staged=other.staged),
        "spec of another partition": replace(file, spec=other.spec),
        "spec without all keys": replace(file, spec={"dt": "a"}),
        "spec with other keys": replace(file, spec={**file.spec, "x": "1"}),
        "below the partition": replace(file, final=file.final.replace("data-", "sub/data-")),
        "outside of the table": replace(file, final=file.final.replace("db.db/t", "db.db/u")),
        "upwards": replace(file, final=f"{table.location}/dt=a/hh=1/../../dt=c/hh=1/x.parquet"),
        "hidden name": replace(file, final=f"{table.location}/dt=a/hh=1/_x.parquet"),
        "not staged": replace(file, staged=f"{table.location}/dt=a/hh=1/x.parquet"),
    }


@pytest.mark.parametrize(
    "case",
    [
        "final elsewhere",
        "staged elsewhere",
        "spec of another partition",
        "spec without all keys",
        "spec with other keys",
        "below the partition",
        "outside of the table",
        "upwards",
        "hidden name",
        "not staged",
    ],
)
def test_a_file_that_is_not_in_the_directory_of_its_spec_is_refused(either: Catalog, case: str) -> None:
    table = create(either, {"dt": "STRING", "hh": "INT"})
    put(table, "dt=a/hh=1/old.parquet")
    file = misplaced(table)[case]
    for mode in (APPEND, OVERWRITE):
        with pytest.raises(errors.InvalidInputError) as caught:
            commit(table, [file], mode)
        assert caught.value.condition == "STAGED_FILE_MISPLACED"
        assert all(word in str(caught.value) for word in (file.final, "db.t", "dt, hh"))
        assert visible(table) == ["dt=a/hh=1/old.parquet"]


def test_two_files_of_one_name_are_refused(either: Catalog) -> None:
    table = create(either, {})
    with pytest.raises(errors.InvalidInputError, match="same name"):
        commit(table, [stage(table, name="a.parquet"), stage(table, name="a.parquet")])


def test_files_outside_of_the_overwritten_prefix_are_refused_before_anything_is_deleted(
    either: Catalog,
) -> None:
    table = create(either, {"dt": "STRING", "hh": "INT"})
    commit(table, [stage(table, dt="a", hh=1)])
    before = visible(table)
    with pytest.raises(errors.InvalidInputError, match="the overwrite is of partitions with"):
        commit(table, [stage(table, dt="b", hh=1)], OVERWRITE, {"dt": "a"})
    assert visible(table) == before


# --- what the catalog says about the target of an append


def test_p85_appending_another_format_is_refused_before_publication(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    catalog.create_partitions("db.t", [{"dt": "a"}], options=[{"file.format": "orc"}])
    put(table, "dt=a/old.orc")
    file = stage(table, dt="a")
    with pytest.raises(errors.UnsupportedError, match="registered with file.format=orc"):
        commit(table, [file])
    assert visible(table) == ["dt=a/old.orc"]
    assert not table.storage.exists(file.staged)


def test_a_format_that_is_named_and_equal_can_be_appended_to(catalog: Catalog) -> None:
    table = create(catalog, {"dt": "STRING"})
    catalog.create_partitions("db.t", [{"dt": "a"}], options=[{"file.format": "PARQUET"}])
    commit(table, [stage(table, dt="a")])
    assert len(visible(table)) == 1


class _Answers:
    """A catalog that answers a look-up with rows of a test's choice."""

    def __init__(self, catalog: Catalog, rows: list[Any]) -> None:
        self._catalog, self._rows = catalog, rows

    def __getattr__(self, name: str) -> Any:
        if name in ("list_partitions_by_names", "list_partitions"):
            return lambda *_, **__: self._rows
        return getattr(self._catalog, name)


@pytest.mark.parametrize(
    ("spec", "options", "error", "text"),
    [
        ({"dt": "other"}, {}, errors.IllegalStateError, "answered with dt=other"),
        ({"x": "a"}, {}, errors.IllegalStateError, "corrupt partition metadata"),
        (
            {"dt": "a"},
            {"path": "file:/elsewhere"},
            errors.UnsupportedError,
            "custom location 'file:/elsewhere'",
        ),
    ],
)
def test_a_registration_that_cannot_be_appended_to_stops_the_append(
    catalog: Catalog, spec: dict[str, str], options: dict[str, str], error: type[Exception], text: str
) -> None:
    from spark_paimon.catalog.models import Partition

    table = create(catalog, {"dt": "STRING"})
    answering: Any = _Answers(catalog, [Partition(spec, options=options)])
    with pytest.raises(error, match=text):
        commit(FormatTable(table.info, answering), [stage(table, dt="a")])
    assert [path for path in everything(table) if path.endswith(".parquet")] == []


def test_a_failed_check_removes_staged_files_and_never_a_final_path(catalog: Catalog, faults: Faults) -> None:
    table = create(catalog, {"dt": "STRING"})
    foreign = put(table, "dt=a/data-1.parquet", 7)
    file = stage(table, dt="a", name="data-1.parquet")
    faults.fail("list_partitions_by_names", errors.CatalogError("INTERNAL_ERROR", text="gone"))
    with pytest.raises(errors.CatalogError, match="gone"):
        commit(with_faults(table, faults), [file])
    assert foreign.exists()
    assert not table.storage.exists(file.staged)


def test_a_format_whose_extra_is_missing_is_refused_at_the_start(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = create(catalog, {}, options={"file.format": "mosaic"})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(errors.UnsupportedError, match=r"spark-paimon\[mosaic\]") as caught:
        check_write(table, WriteMode.APPEND)
    assert caught.value.condition == "EXTRA_MISSING"
