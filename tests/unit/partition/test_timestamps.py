"""The time that partition values stand for."""

from __future__ import annotations

from datetime import datetime

import pytest

from spark_paimon import errors
from spark_paimon.partition.layout import PartitionLayout
from spark_paimon.partition.timestamps import PartitionTimes
from spark_paimon.partition.values import Value
from spark_paimon.schema import Field, parse_type

NOON = datetime(2025, 3, 9, 12)
DAY = datetime(2025, 3, 9)


def layout(**columns: str) -> PartitionLayout:
    return PartitionLayout(
        tuple(Field(n, key, parse_type(kind)) for n, (key, kind) in enumerate(columns.items()))
    )


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2025-03-09", DAY),
        ("2025-3-9", DAY),
        ("2025-03-09 12:00:00", NOON),
        ("2025-03-09T12:00", NOON),
        ("2025-03-09 12:00:00.25", NOON.replace(microsecond=250_000)),
        ("20250309", None),
        ("2025-02-30", None),
        ("2025-03-09 25:00:00", None),
        ("99999-01-01", None),
        ("all", None),
        ("٢٠٢٥-٠٣-٠٩", None),
        (None, None),
    ],
)
def test_without_formatter_the_first_column_has_the_usual_form(value: Value, time: datetime | None) -> None:
    assert PartitionTimes(layout(dt="STRING", hh="INT")).of({"dt": value, "hh": 7}) == time


@pytest.mark.parametrize(
    ("formatter", "text", "time"),
    [
        ("yyyyMMdd", "20250309", DAY),
        ("yyyyMMdd", "2025-03-09", None),
        ("yyyyMMddHH", "2025030912", NOON),
        ("uuuu/M/d", "2025/3/9", DAY),
        ("yyyy-MM-dd['T'HH:mm:ss[.SSS]]", "2025-03-09T12:00:00.250", NOON.replace(microsecond=250_000)),
        ("yyyy-MM-dd['T'HH:mm:ss[.SSS]]", "2025-03-09", DAY),
        ("yyMMdd", "250309", DAY),
        ("'day 'yyyy-MM-dd", "day 2025-03-09", DAY),
        ("yyyy''MM", "2025'03", datetime(2025, 3, 1)),
        ("yyyy", "2025", datetime(2025, 1, 1)),
        ("HH:mm", "12:00", None),
        ("yyyy.MM", "2025x03", None),
    ],
)
def test_formatters_of_java(formatter: str, text: str, time: datetime | None) -> None:
    assert PartitionTimes(layout(dt="STRING"), formatter).of({"dt": text}) == time


@pytest.mark.parametrize(
    ("formatter", "reason"),
    [
        ("yyyy-MMM-dd", "MMM is not supported"),
        ("YYYY-ww", "YYYY is not supported"),
        ("hh a", "hh is not supported"),
        ("yyyy-yyyy", "year is there twice"),
        ("yyyy'", "quote is not closed"),
        ("yyyy]", "brackets do not match"),
        ("yyyy#", "# is reserved"),
    ],
)
def test_what_a_formatter_cannot_say_is_refused(formatter: str, reason: str) -> None:
    with pytest.raises(errors.InvalidInputError, match=reason):
        PartitionTimes(layout(dt="STRING"), formatter)


def test_a_pattern_puts_columns_together() -> None:
    columns = layout(year="INT", m="INT", d="INT", hour="STRING")
    times = PartitionTimes(columns, pattern="$year-$m-$d $hour:00:00")
    assert times.of({"year": 2025, "m": 3, "d": 9, "hour": "12"}) == NOON
    assert times.of({"year": 2025, "m": 3, "d": None, "hour": "12"}) is None
    with pytest.raises(
        errors.InvalidInputError, match=r"\$day is no partition column; they are year, m, d, hour"
    ):
        PartitionTimes(columns, pattern="$year-$m-$day")


def test_p22_typed_columns_are_dates_whatever_their_directories_are_called() -> None:
    assert PartitionTimes(layout(dt="DATE")).of({"dt": 20156}) == DAY
    assert PartitionTimes(layout(dt="DATE"), "yyyy-MM-dd", "$dt").of({"dt": 20156}) == DAY
    assert (
        PartitionTimes(layout(ts="TIMESTAMP(3)")).of({"ts": 20156 * 86_400_000_000 + 43_200_000_000}) == NOON
    )
