"""Partitions found by listing real directories."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.partition.discovery import Discovery, discover
from spark_paimon.partition.layout import PartitionLayout
from spark_paimon.partition.predicate import parse
from spark_paimon.schema import DateType, Field, IntType, StringType
from spark_paimon.storage import Entry, qualify, storage_for

DEF = "__DEFAULT_PARTITION__"
YEAR, MONTH = Field(0, "year", IntType()), Field(1, "month", IntType())
DT, HH = Field(0, "dt", StringType()), Field(1, "hh", StringType())


class Listings:
    """A real storage that remembers what it was asked, and can fail."""

    def __init__(self, root: Path, fail_at: str | None = None, missing_at: str | None = None) -> None:
        self.storage = storage_for(qualify(str(root)))
        self.fail_at, self.missing_at = fail_at, missing_at
        self.listed: list[str] = []
        self.asked: list[str] = []

    def list_directory(self, path: str) -> list[Entry]:
        self.listed.append(path)
        if self.fail_at and path.endswith(self.fail_at):
            raise errors.StorageError("STORAGE_FAILED", operation="list", path=path, reason="injected")
        if self.missing_at and path.endswith(self.missing_at):
            raise FileNotFoundError(path)
        return self.storage.list_directory(path)

    def is_directory(self, path: str) -> bool:
        self.asked.append(path)
        return self.storage.is_directory(path)

    def leads_back(self, link: str, came_by: Collection[str] = ()) -> bool:
        return self.storage.leads_back(link, came_by)


def make(root: Path, *paths: str) -> None:
    for path in paths:
        target = root / path
        if path.endswith(".file"):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(b"x")
        else:
            target.mkdir(parents=True, exist_ok=True)


def find(
    root: Path, layout: PartitionLayout, tree: Any = None, **arguments: Any
) -> tuple[Discovery, Listings]:
    listings = Listings(root, arguments.pop("fail_at", None), arguments.pop("missing_at", None))
    predicate = None if tree is None else parse(tree, layout.columns)
    found = discover(listings, qualify(str(root)), layout, predicate, **arguments)  # type: ignore[arg-type]
    return found, listings


def equal(column: str, value: object) -> dict[str, object]:
    return {"op": "=", "column": column, "value": value}


def both(*args: Any) -> dict[str, Any]:
    return {"op": "and", "args": list(args)}


def either(*args: Any) -> dict[str, Any]:
    return {"op": "or", "args": list(args)}


def between(column: str, low: int, high: int) -> dict[str, Any]:
    return both({"op": ">", "column": column, "value": low}, {"op": "<", "column": column, "value": high})


@pytest.fixture(params=[False, True], ids=["keyed", "value_only"])
def value_only(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def calendar(tmp_path: Path, value_only: bool) -> PartitionLayout:
    """Years 2020 to 2024 with twelve months each."""
    layout = PartitionLayout((YEAR, MONTH), value_only=value_only)
    for year in range(2020, 2025):
        for month in range(1, 13):
            make(tmp_path, layout.path({"year": str(year), "month": str(month)}))
    return layout


class TestPruning:
    @pytest.mark.parametrize(
        ("tree", "partitions", "listings"),
        [
            (None, 60, 6),
            (between("year", 2021, 2026), 36, 4),
            (both(equal("year", 2024), between("month", 3, 10)), 6, 2),
            (between("month", 3, 10), 30, 6),
            (
                either(
                    both(equal("year", 2023), between("month", 6, 13)),
                    both(equal("year", 2024), between("month", 0, 7)),
                ),
                12,
                3,
            ),
            (either(equal("month", 1), equal("month", 2)), 10, 6),
            (either(equal("year", 2023), equal("year", 2024)), 24, 3),
            (both(equal("year", 2024), either(equal("month", 1), equal("month", 12))), 2, 2),
            (equal("year", 2024), 12, 2),
            (equal("month", 12), 5, 6),
            (both(equal("year", 2024), equal("month", 12)), 1, 2),
            ({"op": "unknown"}, 60, 6),
            (equal("year", 1999), 0, 1),
        ],
    )
    def test_only_what_may_match_is_listed(
        self, tmp_path: Path, calendar: PartitionLayout, tree: Any, partitions: int, listings: int
    ) -> None:
        found, asked = find(tmp_path, calendar, tree)
        assert len(found.partitions) == partitions
        assert len(asked.listed) == listings

    def test_an_always_false_filter_touches_nothing(self, tmp_path: Path, calendar: PartitionLayout) -> None:
        found, asked = find(tmp_path, calendar, both(equal("year", 2024), {"op": "false"}))
        assert found.partitions == []
        assert asked.listed == asked.asked == []

    def test_p69_p10_equal_strings_go_straight_to_their_directory(
        self, tmp_path: Path, value_only: bool
    ) -> None:
        layout = PartitionLayout((DT, HH), value_only=value_only)
        for day in range(20):
            make(tmp_path, layout.path({"dt": f"2024-01-{day:02}", "hh": "00"}))
        found, asked = find(tmp_path, layout, equal("dt", "2024-01-07"))
        assert found.partitions == [{"dt": "2024-01-07", "hh": "00"}]
        assert len(asked.listed) == 1
        found, asked = find(tmp_path, layout, both(equal("dt", "2024-01-07"), equal("hh", "00")))
        assert found.partitions == [{"dt": "2024-01-07", "hh": "00"}]
        assert asked.listed == []

    def test_a_value_that_others_may_escape_is_looked_for(self, tmp_path: Path) -> None:
        make(tmp_path, "dt=a%20b", "dt=a b", "dt=a%3ab", "dt=a%3Ab")
        layout = PartitionLayout((DT,))
        found, _ = find(tmp_path, layout, equal("dt", "a b"))
        assert sorted(entry.path.rpartition("/")[2] for entry in found.entries) == ["dt=a b", "dt=a%20b"]
        found, _ = find(tmp_path, layout, equal("dt", "a:b"))
        assert sorted(entry.path.rpartition("/")[2] for entry in found.entries) == ["dt=a%3Ab", "dt=a%3ab"]

    def test_p27_p66_values_are_compared_not_texts(self, tmp_path: Path) -> None:
        make(tmp_path, "month=01", "month=1", "month=2", f"month={DEF}")
        found, _ = find(tmp_path, PartitionLayout((MONTH,)), equal("month", 1))
        assert found.partitions == [{"month": "01"}, {"month": "1"}]
        found, _ = find(tmp_path, PartitionLayout((MONTH,)), prefix={"month": "001"})
        assert found.partitions == [{"month": "01"}, {"month": "1"}]

    @pytest.mark.parametrize("legacy_name", [False, True])
    def test_both_spellings_of_a_date_are_found(self, tmp_path: Path, legacy_name: bool) -> None:
        make(tmp_path, "day=20089", "day=2025-01-01", "day=20090")
        layout = PartitionLayout((Field(0, "day", DateType()),), legacy_name=legacy_name)
        found, _ = find(tmp_path, layout, equal("day", 20089))
        assert found.partitions == [{"day": "20089"}, {"day": "2025-01-01"}]

    def test_p24_null_is_found_by_is_null(self, tmp_path: Path, value_only: bool) -> None:
        layout = PartitionLayout((MONTH,), value_only=value_only)
        make(tmp_path, layout.path({"month": DEF}), layout.path({"month": "1"}))
        for tree in (
            {"op": "is_null", "column": "month"},
            either({"op": "is_null", "column": "month"}, equal("month", 7)),
        ):
            found, _ = find(tmp_path, layout, tree)
            assert found.partitions == [{"month": DEF}]
        found, _ = find(tmp_path, layout, equal("month", 1))
        assert found.partitions == [{"month": "1"}]

    def test_a_value_that_cannot_be_read_is_not_hidden_by_a_filter(self, tmp_path: Path) -> None:
        make(tmp_path, "month=abc", "month=1")
        found, _ = find(tmp_path, PartitionLayout((MONTH,)), {"op": ">", "column": "month", "value": 0})
        assert found.partitions == [{"month": "1"}, {"month": "abc"}]


class TestWhatCounts:
    def test_p06_strange_names_are_skipped_and_reported(self, tmp_path: Path) -> None:
        make(
            tmp_path,
            "_tmp",
            ".x",
            "foo/bar",
            "dt=1/minute=3",
            "dt=2/hh=1",
            "dt=",
            "readme.file",
            "_SUCCESS.file",
        )
        found, _ = find(tmp_path, PartitionLayout((DT, HH)))
        assert found.partitions == [{"dt": "2", "hh": "1"}]
        assert {skipped.path for skipped in found.skipped} == {".", "foo", "dt=", "dt=1/minute=3"}
        assert all(skipped.reason for skipped in found.skipped)

    def test_j1_an_empty_value_does_not_stop_the_others(self, tmp_path: Path) -> None:
        make(tmp_path, "dt=/hh=1", "dt=x/hh=", "dt=x/hh=1")
        found, _ = find(tmp_path, PartitionLayout((DT, HH)))
        assert found.partitions == [{"dt": "x", "hh": "1"}]
        assert {skipped.path: skipped.reason for skipped in found.skipped} == {
            "dt=": "its value of dt is empty",
            "dt=x/hh=": "its value of hh is empty",
        }

    def test_j3_files_above_the_last_level_are_reported(self, tmp_path: Path) -> None:
        make(tmp_path, "dt=2024-01-04/data.file", "dt=2024-01-05/hh=1/data.file")
        found, _ = find(tmp_path, PartitionLayout((DT, HH)))
        assert found.partitions == [{"dt": "2024-01-05", "hh": "1"}]
        assert [skipped.path for skipped in found.skipped] == ["dt=2024-01-04"]
        assert "1 file(s)" in found.skipped[0].reason

    def test_j3_a_foreign_spelling_is_found_with_its_real_directory(self, tmp_path: Path) -> None:
        make(tmp_path, "hh=c%20d", "hh=100%", "hh=x")
        found, _ = find(tmp_path, PartitionLayout((HH,)))
        assert {entry.spec["hh"]: entry.exact for entry in found.entries} == {
            "c d": False,
            "100%": False,
            "x": True,
        }
        assert found.addressable == [{"hh": "x"}]
        assert [skipped.path for skipped in found.foreign] == ["hh=100%", "hh=c%20d"]

    def test_empty_directories_count(self, tmp_path: Path) -> None:
        make(tmp_path, "dt=1")
        assert find(tmp_path, PartitionLayout((DT,)))[0].partitions == [{"dt": "1"}]

    def test_a_file_named_like_a_partition_is_none(self, tmp_path: Path) -> None:
        make(tmp_path, "dt=1.file")
        assert find(tmp_path, PartitionLayout((DT,)))[0].partitions == []

    def test_p09_a_column_whose_name_begins_with_an_underscore(self, tmp_path: Path) -> None:
        make(tmp_path, "_locality=1", "_temporary/0")
        found, _ = find(tmp_path, PartitionLayout((Field(0, "_locality", StringType()),)))
        assert found.partitions == [{"_locality": "1"}]

    @pytest.mark.parametrize("default_name", [DEF, "_null", ".null"])
    def test_p01_p07_the_null_directory_is_seen_on_every_level(
        self, tmp_path: Path, default_name: str
    ) -> None:
        layout = PartitionLayout((DT, HH), value_only=True, default_name=default_name)
        make(
            tmp_path,
            f"{default_name}/1",
            f"2/{default_name}",
            "2/_temporary/0",
            "_other/3",
            "__magic_job-1/x",
        )
        found, _ = find(tmp_path, layout)
        assert found.partitions == sorted(
            [{"dt": "2", "hh": default_name}, {"dt": default_name, "hh": "1"}], key=lambda spec: spec["dt"]
        )

    def test_metadata_directories_are_no_partitions(self, tmp_path: Path) -> None:
        make(tmp_path, "schema/schema-0.file", "branch", "2024")
        layout = PartitionLayout((DT,), value_only=True)
        found, _ = find(tmp_path, layout, metadata_directories=("schema", "branch"))
        assert found.partitions == [{"dt": "2024"}]
        assert found.skipped == []
        found, _ = find(tmp_path, layout, equal("dt", "schema"), metadata_directories=("schema", "branch"))
        assert found.partitions == []

    def test_metadata_directories_are_not_reported_behind_keys_either(self, tmp_path: Path) -> None:
        make(tmp_path, "schema/schema-0.file", "dt=1")
        found, _ = find(tmp_path, PartitionLayout((DT,)), metadata_directories=("schema", "branch"))
        assert (found.partitions, found.skipped) == ([{"dt": "1"}], [])

    @pytest.mark.parametrize("text", [".", "..", "_x", ".x"])
    def test_a_filter_on_a_value_that_no_directory_can_have(self, tmp_path: Path, text: str) -> None:
        make(tmp_path, "t/1", "t/_x", "t/.x")
        found, _ = find(tmp_path / "t", PartitionLayout((DT,), value_only=True), equal("dt", text))
        assert found.partitions == []

    @pytest.mark.parametrize("name", ["%2E%2E", "%2e"])
    def test_a_value_only_directory_for_dots_is_an_error(self, tmp_path: Path, name: str) -> None:
        make(tmp_path, name)
        with pytest.raises(errors.InvalidInputError, match="cannot be used as a partition path component"):
            find(tmp_path, PartitionLayout((DT,), value_only=True))

    def test_a_table_below_hidden_directories(self, tmp_path: Path) -> None:
        make(tmp_path, "_warehouse/.t/env=prod/dt=1")
        found, _ = find(tmp_path / "_warehouse/.t/env=prod", PartitionLayout((DT,)))
        assert found.partitions == [{"dt": "1"}]

    @pytest.mark.parametrize(
        "text",
        [
            "a/b",
            "a=b",
            "a:b",
            "a%b",
            "a%2Fb",
            "é",
            "😀",
            "\n x",
            "\\",
            "'",
            '"',
            "*",
            "[x]",
            "{x}",
            "a ",
            "A",
        ],
    )
    def test_p30_special_values_are_found(self, tmp_path: Path, value_only: bool, text: str) -> None:
        layout = PartitionLayout((DT, HH), value_only=value_only)
        spec = {"dt": text, "hh": text}
        make(tmp_path, layout.path(spec), layout.path({"dt": "other", "hh": "x"}))
        assert spec in find(tmp_path, layout)[0].addressable
        assert find(tmp_path, layout, both(equal("dt", text), equal("hh", text)))[0].addressable == [spec]

    def test_an_unpartitioned_layout_has_no_partitions(self, tmp_path: Path) -> None:
        make(tmp_path, "data.file")
        found, asked = find(tmp_path, PartitionLayout(()))
        assert found == Discovery()
        assert asked.listed == []


class TestFailures:
    def test_a_missing_table_directory_has_no_partitions(self, tmp_path: Path) -> None:
        assert find(tmp_path / "missing", PartitionLayout((DT,)))[0] == Discovery()

    @pytest.mark.parametrize("parallelism", [1, 8])
    def test_j9_a_failed_listing_is_never_a_shorter_result(self, tmp_path: Path, parallelism: int) -> None:
        make(tmp_path, *(f"dt={day}/hh=1" for day in range(10)))
        with pytest.raises(errors.StorageError, match="injected"):
            find(tmp_path, PartitionLayout((DT, HH)), fail_at="dt=7", parallelism=parallelism)
        with pytest.raises(errors.StorageError, match="vanished"):
            find(tmp_path, PartitionLayout((DT, HH)), missing_at="dt=7", parallelism=parallelism)

    def test_a_failed_root_listing_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(errors.StorageError):
            find(tmp_path, PartitionLayout((DT,)), fail_at=tmp_path.name)

    def test_parallel_and_serial_find_the_same_order(self, tmp_path: Path, calendar: PartitionLayout) -> None:
        serial, _ = find(tmp_path, calendar, parallelism=1)
        parallel, _ = find(tmp_path, calendar, parallelism=16)
        assert serial == parallel
