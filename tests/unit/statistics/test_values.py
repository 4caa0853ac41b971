"""Statistics: unknown is unknown, zero is zero, and how reports are combined."""

from __future__ import annotations

import pytest

from spark_paimon.statistics import PartitionStatistics, combine


def test_negative_numbers_are_unknown_and_zero_is_exact() -> None:
    assert PartitionStatistics(record_count=-7) == PartitionStatistics.unknown()
    assert PartitionStatistics.exact_zero(5).record_count == 0
    assert not PartitionStatistics.exact_zero(5).is_unknown


def test_wire_names_round_trip_and_missing_or_null_numbers_are_unknown() -> None:
    numbers = PartitionStatistics(1, 2, 3, 4)
    assert set(numbers.to_json()) == {
        "recordCount",
        "fileSizeInBytes",
        "fileCount",
        "lastFileCreationTime",
        "totalBuckets",
    }
    assert PartitionStatistics.from_json(numbers.to_json()) == numbers
    assert PartitionStatistics.from_json({"recordCount": None}) == PartitionStatistics.unknown()


def test_the_sequence_of_the_specification() -> None:
    stored = PartitionStatistics.unknown()
    stored = combine(stored, PartitionStatistics(3, 300, 1, 1000), replace=False)
    assert stored == PartitionStatistics(3, 300, 1, 1000)
    stored = combine(stored, PartitionStatistics(4, 400, 2, 500), replace=False)
    assert stored == PartitionStatistics(7, 700, 3, 1000)
    stored = combine(stored, PartitionStatistics(file_size_in_bytes=100), replace=False)
    assert stored == PartitionStatistics(7, 800, 3, 1000)
    stored = combine(stored, PartitionStatistics(5, 500, 1, 700), replace=True)
    assert stored == PartitionStatistics(5, 500, 1, 700)
    assert combine(stored, PartitionStatistics(file_size_in_bytes=900), replace=True).record_count == 5


@pytest.mark.parametrize("replace", [True, False])
def test_an_unknown_report_leaves_everything_and_buckets_are_never_combined(replace: bool) -> None:
    stored = PartitionStatistics(1, 2, 3, 4, 5)
    assert combine(stored, PartitionStatistics(total_buckets=9), replace) == stored


def test_an_exact_zero_replaces_but_adds_nothing() -> None:
    stored = PartitionStatistics(1, 2, 3, 4)
    zero = PartitionStatistics.exact_zero(9)
    assert combine(stored, zero, replace=True) == zero
    assert combine(stored, zero, replace=False) == PartitionStatistics(1, 2, 3, 9)
