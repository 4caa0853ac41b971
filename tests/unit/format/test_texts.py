"""Values and their texts, at both ends of every type."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_paimon import errors
from spark_paimon.format.texts import from_texts, to_texts
from spark_paimon.schema import ArrayType, Field, IntType, parse_type
from spark_paimon.schema.arrow import type_to_arrow

UTC = datetime.timezone.utc
WRONG = object()


def field(kind: str) -> Field:
    return Field(0, "a", parse_type(kind))


def parsed(kind: str, *texts: str | None, zone: str = "UTC") -> list[Any]:
    values, malformed = from_texts(pa.array(texts, pa.string()), field(kind), zone)
    assert values.type == type_to_arrow(parse_type(kind), "a")
    assert malformed.null_count == 0
    return [
        WRONG if bad else value for value, bad in zip(values.to_pylist(), malformed.to_pylist(), strict=True)
    ]


def spelled(kind: str, *values: Any) -> list[str | None]:
    texts = to_texts(pa.array(values, type_to_arrow(parse_type(kind), "a")), field(kind))
    assert texts.type == pa.string()
    return list(texts.to_pylist())


def _shown(value: Any) -> str:
    """Text that tells -0.0 from 0.0, but not one UTC from another."""
    return value.isoformat() if isinstance(value, datetime.datetime) else repr(value)


SPELLINGS: list[tuple[str, Any, str]] = [
    ("BOOLEAN", True, "true"),
    ("BOOLEAN", False, "false"),
    ("TINYINT", -128, "-128"),
    ("TINYINT", 127, "127"),
    ("SMALLINT", -32768, "-32768"),
    ("INT", 2**31 - 1, "2147483647"),
    ("BIGINT", -(2**63), "-9223372036854775808"),
    ("FLOAT", pa.scalar(0.1, pa.float32()).as_py(), "0.1"),
    ("FLOAT", -math.inf, "-Infinity"),
    ("DOUBLE", 0.1, "0.1"),
    ("DOUBLE", 5e-324, "5e-324"),
    ("DOUBLE", 1.7976931348623157e308, "1.7976931348623157e+308"),
    ("DOUBLE", math.inf, "Infinity"),
    ("DOUBLE", -0.0, "-0.0"),
    ("FLOAT", -0.0, "-0.0"),
    ("DECIMAL(38, 38)", Decimal("1E-38"), "0." + "0" * 37 + "1"),
    ("DECIMAL(38, 0)", Decimal("-" + "9" * 38), "-" + "9" * 38),
    ("DECIMAL(10, 2)", Decimal("0.00"), "0.00"),
    ("CHAR(3)", "a  ", "a  "),
    ("STRING", "", ""),
    ("BINARY(2)", b"\x00\xff", "AP8="),
    ("BYTES", b"", ""),
    ("DATE", datetime.date(1, 1, 1), "0001-01-01"),
    ("DATE", datetime.date(9999, 12, 31), "9999-12-31"),
    ("DATE", datetime.date(1582, 10, 10), "1582-10-10"),
    ("TIME(0)", datetime.time(23, 59, 59), "23:59:59"),
    ("TIME(3)", datetime.time(1, 2, 3, 4000), "01:02:03.004"),
    ("TIME(6)", datetime.time(0, 0, 0, 1), "00:00:00.000001"),
    ("TIMESTAMP(0)", datetime.datetime(2262, 5, 1), "2262-05-01 00:00:00"),
    ("TIMESTAMP(3)", datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), "1969-12-31 23:59:59.999"),
    ("TIMESTAMP(4)", datetime.datetime(1500, 1, 1, 0, 0, 0, 123400), "1500-01-01 00:00:00.1234"),
    ("TIMESTAMP(6)", datetime.datetime(1, 1, 1, 0, 0, 0, 1), "0001-01-01 00:00:00.000001"),
    ("TIMESTAMP(6)", datetime.datetime(9999, 12, 31, 23, 59, 59, 999999), "9999-12-31 23:59:59.999999"),
    ("TIMESTAMP_LTZ(0)", datetime.datetime(1, 1, 1, tzinfo=UTC), "0001-01-01 00:00:00Z"),
    ("TIMESTAMP_LTZ(6)", datetime.datetime(2024, 1, 6, 1, 2, 3, 4, UTC), "2024-01-06 01:02:03.000004Z"),
]


@pytest.mark.parametrize(("kind", "value", "text"), SPELLINGS)
def test_a_value_has_one_spelling_and_comes_back(kind: str, value: Any, text: str) -> None:
    assert spelled(kind, None, value, None) == [None, text, None]
    assert _shown(parsed(kind, None, text)[1]) == _shown(value)
    # With a malformed neighbour the exact way is taken.
    neighbours = parsed(kind, text, "no such value!")
    assert _shown(neighbours[0]) == _shown(value)
    assert neighbours[1] is WRONG or kind in ("CHAR(3)", "STRING")


@pytest.mark.parametrize(
    ("kind", "texts", "value"),
    [
        ("BOOLEAN", ["TRUE", "t", "1", "Yes"], True),
        ("BOOLEAN", ["FALSE", "F", "0", "no"], False),
        ("INT", ["7", "+7", "007", "-" + "0" * 5000 + "7"], None),
        ("DOUBLE", ["1.5", "+1.5", "1.5e0", "15E-1", "0001.5"], 1.5),
        ("DOUBLE", ["Infinity", "+inf", "INF", "+Infinity"], math.inf),
        ("DECIMAL(5, 2)", ["1.5", "+1.50", "1.4999", "1.495", "15e-1", "0001.5"], Decimal("1.50")),
        ("DATE", ["2024-01-06", "2024-1-6", "+2024-01-06"], datetime.date(2024, 1, 6)),
        ("TIME(3)", ["10:05", "10:05:00", "10:5:0", "10:05:00.0009"], datetime.time(10, 5)),
        ("TIMESTAMP(3)", ["2024-01-06 00:00:00", "2024-01-06T00:00", "2024-01-06", "2024-1-6 0:0:0.0009"],
         datetime.datetime(2024, 1, 6)),
        ("TIMESTAMP_LTZ(3)", ["2024-01-06 00:00:00Z", "2024-01-06T08:00:00+08:00", "2024-01-05 19:00:00-0500",
                              "2024-01-06 00:00:00", "2024-01-06", "2024-01-06 08:00:00.000999 +08"],
         datetime.datetime(2024, 1, 6, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_other_spellings_are_read(kind: str, texts: list[str], value: Any) -> None:
    for text in texts:
        expected = int(text) if value is None and len(text) < 9 else -7 if value is None else value
        assert parsed(kind, text) == [expected], text
        assert parsed(kind, text, "?")[0] == expected, text


def test_nan_is_read_and_written() -> None:
    for text in ("NaN", "nan", "+NaN", "-nan"):
        assert math.isnan(parsed("DOUBLE", text)[0])
        assert math.isnan(parsed("FLOAT", "1", text)[1])
    assert spelled("DOUBLE", math.nan, None, 1.0) == ["NaN", None, "1"]


MALFORMED = [
    ("BOOLEAN", ["", "2", "tru", " true", "y"]),
    ("TINYINT", ["128", "-129", "", "1.0", "1e1", "0x1", " 1", "1 ", "1_0", "\u0661", "--1"]),
    ("BIGINT", ["9223372036854775808", "9" * 5000]),
    ("FLOAT", ["1e39", "3.4028236e38", "-1e39"]),
    ("DOUBLE", ["1e400", "", "1,5", "0x1p3", "1d", " 1", "infinit", "--1", "e5", ".", "1e", "nan(1)"]),
    ("DECIMAL(5, 2)", ["1000", "999.995", "", " 1", "1e9999", "Infinity", "NaN", "-", ".", "1" * 5000]),
    ("BINARY(2)", ["AP8", "AA==", "A", "A P8=", "é"]),
    ("DATE", ["2023-02-29", "2024-13-01", "20240106", "2024", "2024-01", "2024-01-06 ", "2024-01-06T00",
              "19728"]),
    ("TIME(0)", ["24:00:00", "10", "10:60", "10:00:60", "", "10:00:00."]),
    ("TIMESTAMP(6)", ["2024-01-06 24:00:00", "2024-01-06  10:00", "2024-01-06 10:00:00Z", "2024-02-30", "0",
                      "", "2024-01-06 10:00:00.1234567890", "2024-01-06 10:00:00+00:00", "999999-01-01"]),
    ("TIMESTAMP(9)", ["1500-01-01", "2262-04-12"]),
    ("TIMESTAMP_LTZ(6)", ["2024-01-06 10:00:00+25:00", "2024-01-06 10:00:00 PST", "2024-01-06+08"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in MALFORMED for text in texts])
def test_everything_else_is_malformed_and_never_wrapped(kind: str, text: str) -> None:
    assert parsed(kind, text) == [WRONG]
    assert parsed(kind, None, text) == [None, WRONG]


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "+08:00", "UTC+8", "GMT+08:00"])
def test_the_zone_of_the_request_counts_where_a_text_names_none(zone: str) -> None:
    expected = datetime.datetime(2024, 1, 6, 2, 0, tzinfo=UTC)
    assert parsed("TIMESTAMP_LTZ(6)", "2024-01-06 10:00:00", zone=zone) == [expected]
    assert (
        parsed("TIMESTAMP_LTZ(6)", "2024-01-06 10:00:00", "2024-01-06 02:00:00Z", zone=zone) == [expected] * 2
    )


@pytest.mark.parametrize("precision", [0, 3, 6])
@pytest.mark.parametrize("neighbour", [None, "2024-1-6", "2024-01-06 00:00:00"])
def test_wall_clock_times_that_happen_twice_or_never(neighbour: str | None, precision: int) -> None:
    def read(text: str) -> Any:
        return parsed(f"TIMESTAMP_LTZ({precision})", text, neighbour, zone="America/New_York")[0]

    assert read("2024-11-03 01:30:00") == datetime.datetime(2024, 11, 3, 5, 30, tzinfo=UTC)
    assert read("2024-03-10 02:30:00") == datetime.datetime(2024, 3, 10, 7, 30, tzinfo=UTC)
    assert read("0001-01-01 00:00:00") == datetime.datetime(1, 1, 1, 4, 56, 2, tzinfo=UTC)


def test_nanoseconds() -> None:
    array = pa.array([-1, 1_704_535_200_123_456_789], pa.timestamp("ns"))
    texts = to_texts(array, field("TIMESTAMP(9)"))
    assert texts.to_pylist() == ["1969-12-31 23:59:59.999999999", "2024-01-06 10:00:00.123456789"]
    assert from_texts(texts, field("TIMESTAMP(9)"))[0].equals(array)
    assert to_texts(array, field("TIMESTAMP(6)")).to_pylist()[0] == "1969-12-31 23:59:59.999999"


def test_years_behind_9999_have_a_sign() -> None:
    assert to_texts(pa.array([2932897, None], pa.int32()).cast(pa.date32()), field("DATE")).to_pylist() == [
        "+10000-01-01",
        None,
    ]
    moment = pa.array([253402300800, 0]).cast(pa.timestamp("s"))
    texts = to_texts(moment, field("TIMESTAMP(0)"))
    assert texts.to_pylist() == ["+10000-01-01 00:00:00", "1970-01-01 00:00:00"]
    assert from_texts(texts, field("TIMESTAMP(0)"))[0].equals(moment)


def test_a_part_of_an_array_is_converted_as_such() -> None:
    texts = pa.array(["x", "1", None, "2", "y"])[1:4]
    values, malformed = from_texts(texts, field("INT"))
    assert (values.to_pylist(), malformed.true_count) == ([1, None, 2], 0)
    assert to_texts(pa.array([1.5, math.nan, 2.5])[:1], field("DOUBLE")).to_pylist() == ["1.5"]


@pytest.mark.parametrize(
    "kind", ["INT", "DOUBLE", "DECIMAL(5, 2)", "BYTES", "DATE", "TIME(3)", "TIMESTAMP_LTZ(6)"]
)
def test_no_rows(kind: str) -> None:
    assert parsed(kind) == []
    assert spelled(kind) == []
    assert parsed(kind, None) == [None]
    assert spelled(kind, None) == [None]


def test_nested_types_have_no_text() -> None:
    with pytest.raises(errors.UnsupportedError, match="column a"):
        to_texts(pa.array([[1]]), Field(0, "a", ArrayType(IntType())))
    with pytest.raises(errors.UnsupportedError, match="column a"):
        from_texts(pa.array(["[1]"]), Field(0, "a", ArrayType(IntType())))


KINDS = [
    "BOOLEAN", "TINYINT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(6, 2)", "DATE", "TIME(0)", "TIME(6)",
    "TIMESTAMP(0)", "TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(6)",
]  # fmt: skip
LIKELY = st.text(st.sampled_from("0123456789+-.eE:TZ naifty/"), max_size=12)
MOMENTS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["2024-01-06", "0000-02-29", "9999-12-31", "2023-02-29", "2024-1-6", "-0001-01-01"]),
    st.sampled_from(
        ["", " ", "T", " 10", " 10:00", "T23:59:59", " 10:00:00.5", " 1:2:3", " 10:00:00.1234567"]
    ),
    st.sampled_from(["", "", "Z", "+08", "+0800", "-08:00", "+24:00", " Z", "+8", "+8:00"]),
    st.sampled_from(["", "", " ", "0"]),
)


@settings(max_examples=1500, deadline=None)
@given(
    st.sampled_from(KINDS), st.one_of(LIKELY, MOMENTS), st.sampled_from(["UTC", "Europe/Berlin", "+05:30"])
)
def test_neighbours_do_not_change_what_a_text_means(kind: str, text: str, zone: str) -> None:
    """Alone a text may take Arrow's way; beside a malformed one it takes the exact way."""
    target = field(kind)
    alone, bad = from_texts(pa.array([text]), target, zone)
    beside, worse = from_texts(pa.array([text, "?", "2024-01-06 00:00:00.5"]), target, zone)
    assert bad[0].as_py() == worse[0].as_py()
    assert alone.equals(beside[:1]) or repr(alone.to_pylist()) == repr(beside[:1].to_pylist())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.none(), st.floats()), max_size=5))
def test_floats_come_back_exactly(values: list[float | None]) -> None:
    for kind, arrow in (("DOUBLE", pa.float64()), ("FLOAT", pa.float32())):
        array = pa.array(values, pa.float64()).cast(arrow)
        found, malformed = from_texts(to_texts(array, field(kind)), field(kind))
        assert malformed.true_count == 0
        assert repr(found.to_pylist()) == repr(array.to_pylist())
