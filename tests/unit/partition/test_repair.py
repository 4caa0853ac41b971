"""What MSCK REPAIR TABLE would add, drop and report."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from spark_paimon import errors
from spark_paimon.partition.layout import PartitionLayout
from spark_paimon.partition.repair import RepairMode, diff
from spark_paimon.schema import DateType, Field, IntType, StringType

DEF = "__DEFAULT_PARTITION__"
DT = PartitionLayout((Field(0, "dt", StringType()),))
MONTH = PartitionLayout((Field(0, "month", IntType()),))


@dataclass(frozen=True)
class Row:
    """A registered partition."""

    spec: dict[str, str]
    options: dict[str, str] = field(default_factory=dict)


def specs(key: str, *texts: str) -> list[dict[str, str]]:
    return [{key: text} for text in texts]


def rows(key: str, *texts: str) -> list[Row]:
    return [Row(spec) for spec in specs(key, *texts)]


def test_p04_each_mode_does_its_part() -> None:
    on_disk, registered = specs("dt", "b", "a", "c"), rows("dt", "c", "z", "d")
    plan = diff(DT, on_disk, registered, "add")
    assert (plan.to_add, plan.to_drop) == (specs("dt", "a", "b"), [])
    plan = diff(DT, on_disk, registered, RepairMode.DROP)
    assert (plan.to_add, plan.to_drop) == ([], specs("dt", "d", "z"))
    plan = diff(DT, on_disk, registered, "SYNC")
    assert (plan.to_add, plan.to_drop) == (specs("dt", "a", "b"), specs("dt", "d", "z"))


def test_nothing_to_do() -> None:
    plan = diff(DT, specs("dt", "a"), rows("dt", "a"), "SYNC")
    assert plan.to_add == plan.to_drop == plan.skipped == []


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(errors.InvalidInputError, match="PURGE"):
        diff(DT, [], [], "PURGE")


def test_p27_the_raw_text_is_registered() -> None:
    assert diff(MONTH, specs("month", "01"), []).to_add == [{"month": "01"}]


@pytest.mark.parametrize(("on_disk", "registered"), [("01", "1"), ("1", "01")])
def test_p27_a_second_spelling_of_a_registered_value_is_reported(on_disk: str, registered: str) -> None:
    plan = diff(MONTH, specs("month", on_disk, registered), rows("month", registered), "SYNC")
    assert plan.to_add == plan.to_drop == []
    assert [skipped.path for skipped in plan.skipped] == [f"month={on_disk}"]
    assert f"month={registered}" in plan.skipped[0].reason


def test_of_two_unregistered_spellings_the_tables_own_is_added() -> None:
    plan = diff(MONTH, specs("month", "01", "001", "1"), [])
    assert plan.to_add == [{"month": "1"}]
    assert [skipped.path for skipped in plan.skipped] == ["month=001", "month=01"]
    days = specs("day", "20089", "2025-01-01")
    for legacy, own in [(True, "20089"), (False, "2025-01-01")]:
        layout = PartitionLayout((Field(0, "day", DateType()),), legacy_name=legacy)
        assert diff(layout, days, []).to_add == [{"day": own}]


def test_sync_replaces_a_registration_whose_directory_has_the_other_spelling() -> None:
    plan = diff(MONTH, specs("month", "01"), rows("month", "1"), "SYNC")
    assert (plan.to_add, plan.to_drop, plan.skipped) == (specs("month", "01"), specs("month", "1"), [])
    plan = diff(MONTH, specs("month", "01"), rows("month", "1"), "ADD")
    assert (plan.to_add, len(plan.skipped)) == ([], 1)


def test_a_custom_location_is_left_alone() -> None:
    away = Row({"dt": "a"}, {"path": "file:/elsewhere/a"})
    plan = diff(DT, [], [away], "SYNC")
    assert plan.to_add == plan.to_drop == []
    plan = diff(DT, specs("dt", "a"), [away], "SYNC")
    assert plan.to_add == plan.to_drop == []
    plan = diff(MONTH, specs("month", "01"), [Row({"month": "1"}, {"path": "file:/x"})], "SYNC")
    assert plan.to_add == []
    assert len(plan.skipped) == 1


@pytest.mark.parametrize("default_name", [DEF, "_none"])
def test_p01_the_null_partition_of_a_value_only_table(default_name: str) -> None:
    layout = PartitionLayout(DT.columns, value_only=True, default_name=default_name)
    null = {"dt": default_name}
    assert diff(layout, [null], [], "SYNC").to_add == [null]
    assert diff(layout, [null], [Row(null)], "SYNC").to_drop == []
    assert diff(layout, [], [Row(null)], "SYNC").to_drop == [null]


@pytest.mark.parametrize("text", ["_x", ".x"])
def test_a_registration_whose_directory_no_listing_shows_is_kept(text: str) -> None:
    layout = PartitionLayout(DT.columns, value_only=True)
    plan = diff(layout, [], rows("dt", text), "SYNC")
    assert plan.to_drop == []
    assert [skipped.path for skipped in plan.skipped] == [f"dt={text}"]
    assert diff(DT, [], rows("dt", text), "SYNC").to_drop == [{"dt": text}]


def test_a_directory_that_would_break_every_scan_is_reported() -> None:
    plan = diff(MONTH, specs("month", "abc", "1"), [])
    assert plan.to_add == [{"month": "1"}]
    assert [skipped.path for skipped in plan.skipped] == ["month=abc"]
    assert "abc" in plan.skipped[0].reason


def test_a_registration_that_cannot_be_read_is_still_dropped_when_its_directory_is_gone() -> None:
    plan = diff(MONTH, specs("month", "1"), rows("month", "abc"), "SYNC")
    assert (plan.to_add, plan.to_drop) == (specs("month", "1"), specs("month", "abc"))


def test_dots_in_value_only_layout_stop_the_repair() -> None:
    layout = PartitionLayout(DT.columns, value_only=True)
    with pytest.raises(
        errors.InvalidInputError, match=r"'\.\.' cannot be used as a partition path component"
    ):
        diff(layout, specs("dt", "a", ".."), [])


def test_p30_special_values_keep_their_raw_text() -> None:
    texts = ["a/b", "a=b", "a%", "中文 value", "a b:c"]
    plan = diff(DT, specs("dt", *texts), rows("dt", "x/y"), "SYNC")
    assert [spec["dt"] for spec in plan.to_add] == sorted(texts, key=lambda text: DT.name({"dt": text}))
    assert plan.to_drop == [{"dt": "x/y"}]
