"""Texts of partition values: what is written, what is read, what a literal means."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_paimon import errors
from spark_paimon.partition import calendar
from spark_paimon.partition.values import (
    DEFAULT_PARTITION_NAME,
    canonical_text,
    format_value,
    is_blank,
    literal_value,
    parse_value,
)
from spark_paimon.schema import (
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    SmallIntType,
    StringType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarCharType,
)

EPOCH = date(1970, 1, 1)
MICROS_PER_HOUR = 3_600_000_000


class TestWriting:
    @pytest.mark.parametrize(
        ("kind", "value", "legacy", "readable"),
        [
            (TinyIntType(), -1, "-1", "-1"),
            (BigIntType(), 2**63 - 1, "9223372036854775807", "9223372036854775807"),
            (BooleanType(), True, "true", "true"),
            (BooleanType(), False, "false", "false"),
            (DateType(), 20089, "20089", "2025-01-01"),
            (DateType(), -1, "-1", "1969-12-31"),
            (TimeType(0), MICROS_PER_HOUR, "3600000", "01:00:00"),
            (TimeType(3), MICROS_PER_HOUR + 1000, "3600001", "01:00:00.001"),
            (TimestampType(0), 0, "1970-01-01T00:00", "1970-01-01 00:00:00"),
            (TimestampType(3), 1_000_000, "1970-01-01T00:00:01", "1970-01-01 00:00:01.000"),
            (TimestampType(6), 1_500_000, "1970-01-01T00:00:01.500", "1970-01-01 00:00:01.500000"),
            (TimestampType(6), 1, "1970-01-01T00:00:00.000001", "1970-01-01 00:00:00.000001"),
            (DecimalType(10, 2), Decimal("1.5"), "1.50", "1.50"),
            (DecimalType(10, 2), Decimal("-0.00"), "0.00", "0.00"),
            (DecimalType(38, 0), Decimal(10**37), "1" + "0" * 37, "1" + "0" * 37),
            (DecimalType(10, 8), Decimal("0.00000001"), "0.00000001", "0.00000001"),
            (StringType(), "a/b=c", "a/b=c", "a/b=c"),
            (CharType(3), "ab ", "ab ", "ab "),
        ],
    )
    def test_p19_each_type_has_a_stable_text(
        self, kind: DataType, value: object, legacy: str, readable: str
    ) -> None:
        assert format_value(value, kind, legacy=True) == legacy
        assert format_value(value, kind, legacy=False) == readable
        assert parse_value(legacy, kind) == value
        assert parse_value(readable, kind) == value

    @pytest.mark.parametrize("value", [None, "", " ", "\t\n", "\u3000"])
    def test_p18_null_and_blank_strings_get_the_default_name(self, value: str | None) -> None:
        assert format_value(value, StringType()) == DEFAULT_PARTITION_NAME
        assert format_value(value, StringType(), default_name="_null") == "_null"

    @pytest.mark.parametrize("text", ["\u00a0", "\u0085", "\u202f"])
    def test_blanks_that_other_writers_keep_are_kept(self, text: str) -> None:
        assert not is_blank(text)
        assert format_value(text, StringType()) == text

    def test_a_string_that_would_come_back_as_null_is_refused(self) -> None:
        with pytest.raises(errors.InvalidInputError, match="NULL") as caught:
            format_value(DEFAULT_PARTITION_NAME, StringType())
        assert caught.value.condition == "PARTITION_VALUE_RESERVED"
        assert format_value(DEFAULT_PARTITION_NAME, StringType(), default_name="n") == DEFAULT_PARTITION_NAME

    @pytest.mark.parametrize(
        ("kind", "value"), [(IntType(), "1"), (IntType(), True), (StringType(), 1), (BooleanType(), 1)]
    )
    def test_a_value_of_another_type_is_refused(self, kind: DataType, value: object) -> None:
        with pytest.raises(errors.InvalidInputError):
            format_value(value, kind)

    @pytest.mark.parametrize("kind", [FloatType(), DoubleType(), BinaryType(3)])
    def test_p19_types_without_stable_text_are_refused(self, kind: DataType) -> None:
        with pytest.raises(errors.UnsupportedError):
            format_value(1, kind)
        with pytest.raises(errors.UnsupportedError):
            parse_value("1", kind)


class TestReading:
    @pytest.mark.parametrize(
        ("kind", "text", "value"),
        [
            (IntType(), "01", 1),
            (IntType(), "+1", 1),
            (IntType(), "-1", -1),
            (IntType(), " 1 ", 1),
            (BooleanType(), "T", True),
            (BooleanType(), "yes", True),
            (BooleanType(), "1", True),
            (BooleanType(), "N", False),
            (BooleanType(), "0", False),
            (DateType(), "2024-1-6", 19728),
            (DateType(), "19728", 19728),
            (DateType(), "-25567", -25567),
            (DateType(), "2024-01", 19723),
            (TimeType(0), "01:00", MICROS_PER_HOUR),
            (TimeType(0), "3600000", MICROS_PER_HOUR),
            (TimestampType(6), "2024-01-01", 19723 * 86_400_000_000),
            (TimestampType(6), "2024-01-01T00:00", 19723 * 86_400_000_000),
            (TimestampType(0), "3600", MICROS_PER_HOUR),
            (TimestampType(3), "3600000", MICROS_PER_HOUR),
            (TimestampType(6), "3600000000", MICROS_PER_HOUR),
            (TimestampType(9), "1970-01-01 00:00:00.000001999", 1),
            (TimestampType(3), "1970-01-01 00:00:00.001999", 1000),
            (LocalZonedTimestampType(6), "1970-01-01 01:00:00", MICROS_PER_HOUR),
            (LocalZonedTimestampType(6), "1970-01-01T01:00Z", MICROS_PER_HOUR),
            (LocalZonedTimestampType(6), "1970-01-01 01:00:00+01:00", 0),
            (DecimalType(10, 2), "1.5", Decimal("1.50")),
            (DecimalType(10, 2), "1.505", Decimal("1.51")),
            (DecimalType(10, 2), "1E2", Decimal("100.00")),
            (StringType(), "   ", "   "),
            (VarCharType(2), "longer", "longer"),
        ],
    )
    def test_every_spelling_of_some_writer_is_read(self, kind: DataType, text: str, value: object) -> None:
        assert parse_value(text, kind) == value

    @pytest.mark.parametrize("kind", [IntType(), DateType(), DecimalType(10, 2), BooleanType(), StringType()])
    def test_p33_the_default_name_is_null_for_each_type(self, kind: DataType) -> None:
        assert parse_value(DEFAULT_PARTITION_NAME, kind) is None
        assert parse_value("n/a", kind, "n/a") is None

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            (IntType(), "abc"),
            (IntType(), "1.5"),
            (IntType(), "1_000"),
            (IntType(), "٣"),
            (IntType(), ""),
            (TinyIntType(), "128"),
            (SmallIntType(), "-32769"),
            (BigIntType(), str(2**63)),
            (BooleanType(), "on"),
            (DateType(), "2024-02-30"),
            (DateType(), "2024-13-01"),
            (DateType(), "20240101x"),
            (DateType(), "2023-W01-1"),
            (TimestampType(6), "2024-01-01 25:00"),
            (TimestampType(6), "2024-01-01 10:00:00Z"),
            (TimestampType(4), "12345"),
            (TimeType(0), "24:00"),
            (TimeType(0), "86400000"),
            (DecimalType(10, 2), "NaN"),
            (DecimalType(10, 2), "Infinity"),
            (DecimalType(10, 2), "123456789.00"),
            (DecimalType(10, 2), "1e9999"),
        ],
    )
    def test_what_is_no_value_fails(self, kind: DataType, text: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            parse_value(text, kind)
        assert caught.value.condition == "PARTITION_VALUE_UNREADABLE"


class TestLiterals:
    @pytest.mark.parametrize(
        ("kind", "text", "value"),
        [
            (IntType(), "00012", 12),
            (DecimalType(10, 2), "1.5", Decimal("1.50")),
            (DateType(), "2024-1-6", 19728),
            (DateType(), "2024-01-06 10:00:00", 19728),
            (DateType(), "2024", 19723),
            (TimestampType(6), "1970-01-01 01:00", MICROS_PER_HOUR),
            (StringType(), "00012", "00012"),
            (CharType(3), "ab", "ab "),
            (CharType(3), "abc  ", "abc"),
            (VarCharType(3), "abc  ", "abc"),
            (BooleanType(), "TRUE", True),
            (IntType(), 7, 7),
            (BooleanType(), False, False),
            (DateType(), date(2024, 1, 6), 19728),
            (TimestampType(6), datetime(1970, 1, 1, 1), MICROS_PER_HOUR),
        ],
    )
    def test_p21_p27_a_literal_is_cast_once(self, kind: DataType, text: object, value: object) -> None:
        assert literal_value(text, kind, "p", "db.t") == value

    @pytest.mark.parametrize("kind", [IntType(), StringType(), DateType()])
    def test_p24_p25_null_stays_null(self, kind: DataType) -> None:
        assert literal_value(None, kind, "p", "db.t") is None
        assert literal_value("DEF", kind, "p", "db.t", default_name="DEF") is None

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            (IntType(), "abc"),
            (IntType(), "1.5"),
            (IntType(), ""),
            (TinyIntType(), "300"),
            (DateType(), "20089"),
            (DateType(), "2024-02-30"),
            (DateType(), "2024-01-06 99:00"),
            (TimestampType(3), "1704067200000"),
            (BooleanType(), "maybe"),
            (CharType(3), "abcd"),
            (VarCharType(3), "abcd"),
            (DecimalType(4, 2), "100"),
        ],
    )
    def test_j4_error_names_value_type_column_and_table(self, kind: DataType, text: str) -> None:
        with pytest.raises(errors.InvalidInputError) as caught:
            literal_value(text, kind, "p", "db.t")
        for part in (text, kind.bare_sql(), "column p", "db.t"):
            assert part in str(caught.value)


class TestCanonicalText:
    def test_equal_values_have_equal_texts(self) -> None:
        for kind, texts in [
            (IntType(), ["1", "01", "+1"]),
            (DateType(), ["2024-01-06", "2024-1-6", "19728"]),
            (TimestampType(6), ["1970-01-01T00:00", "1970-01-01 00:00:00.000000", "1970-01-01", "0"]),
            (DecimalType(10, 2), ["1.5", "1.50", "01.500"]),
            (BooleanType(), ["true", "T", "1"]),
            (CharType(3), ["a", "a  "]),
        ]:
            assert len({canonical_text(parse_value(text, kind), kind) for text in texts}) == 1

    def test_different_values_have_different_texts(self) -> None:
        assert canonical_text("A", StringType()) != canonical_text("a", StringType())
        assert canonical_text("   ", StringType()) != canonical_text(None, StringType())
        assert canonical_text("a ", StringType()) != canonical_text("a", StringType())


class TestCalendar:
    @given(st.dates())
    def test_dates_agree_with_python(self, day: date) -> None:
        days = (day - EPOCH).days
        assert calendar.days_of(day.year, day.month, day.day) == days
        assert calendar.format_date(days) == day.isoformat()
        assert calendar.parse_date(day.isoformat()) == days

    @given(st.integers(-3_000_000, 6_000_000))
    def test_all_years_round_trip(self, days: int) -> None:
        assert calendar.parse_date(calendar.format_date(days)) == days

    @given(st.datetimes())
    def test_timestamps_agree_with_python(self, moment: datetime) -> None:
        micros = (moment - datetime(1970, 1, 1)) // timedelta(microseconds=1)
        assert calendar.format_timestamp(micros, 6) == moment.isoformat(" ", "microseconds")
        assert calendar.parse_timestamp(moment.isoformat()) == micros
        assert calendar.parse_timestamp(calendar.format_iso_timestamp(micros)) == micros

    @pytest.mark.parametrize(
        "text", ["1500-01-01", "1582-10-10", "1900-01-01", "9999-12-31", "0001-01-01", "+10000-01-01"]
    )
    def test_p37_old_and_late_days_are_not_shifted(self, text: str) -> None:
        assert calendar.format_date(calendar.parse_date(text)) == text
        moment = text + " 02:30:00.000000"
        assert calendar.format_timestamp(calendar.parse_timestamp(moment), 6) == moment


@given(
    st.sampled_from([TinyIntType(), IntType(), BigIntType(), DateType(), TimestampType(6), TimeType(6)]),
    st.integers(-128, 127),
    st.booleans(),
)
def test_numbers_round_trip(kind: DataType, number: int, legacy: bool) -> None:
    if isinstance(kind, TimeType):
        number = abs(number) * 1000
    assert parse_value(format_value(number, kind, legacy), kind) == number


@given(st.decimals(min_value=-99999999, max_value=99999999, places=2))
def test_decimals_round_trip(number: Decimal) -> None:
    kind = DecimalType(10, 2)
    assert parse_value(format_value(number, kind), kind) == number
