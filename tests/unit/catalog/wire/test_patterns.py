"""Patterns over names of partitions: no match is ever dropped."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_paimon.catalog.wire.patterns import pattern_for
from spark_paimon.partition import PartitionLayout
from spark_paimon.partition.like import like
from spark_paimon.partition.predicate import (
    And,
    Comparison,
    Constant,
    In,
    IsNull,
    Not,
    NullSafeEqual,
    Or,
    Predicate,
    Unknown,
)
from spark_paimon.schema import CharType, DateType, Field, IntType, StringType, VarCharType
from tests.unit.catalog.wire.partition_filters import predicates

LAYOUT = PartitionLayout(
    (Field(0, "dt", StringType()), Field(1, "v", VarCharType(5)), Field(2, "i", IntType()))
)
_TEXTS = ("a", "ab", "ab ", "abc", "b", " ", "a:b", "a%b", "a_b", "axb", "𝄞x", "𝄟", "a\\b", "a/b", "=")


def matches(name: str, pattern: str) -> bool:
    """As on servers to which `_` is a character like any other."""
    return name.startswith(pattern[:-1]) if pattern.endswith("%") else name == pattern


def texts() -> st.SearchStrategy[str]:
    return st.sampled_from((*_TEXTS, LAYOUT.default_name))


@given(
    st.lists(predicates(("dt", "v", "i")), min_size=1, max_size=3),
    st.permutations(LAYOUT.columns),
    texts(),
    texts(),
    st.sampled_from(("1", "01", "+1", "-1", "2", "__DEFAULT_PARTITION__")),
)
@settings(max_examples=600)
def test_no_match_is_dropped(parts: list[Predicate], columns: list[Field], dt: str, v: str, i: str) -> None:
    layout, predicate = PartitionLayout(tuple(columns)), And(tuple(parts))
    spec = {"dt": dt, "v": v, "i": i}
    pattern = pattern_for(predicate, layout)
    if pattern is not None and predicate.may_match(layout.values(spec)):
        assert matches(layout.name(spec), pattern)
        assert like(layout.name(spec), pattern)


def equal(column: str, value: Any) -> Predicate:
    return Comparison("=", column, value)


@pytest.mark.parametrize(
    ("parts", "pattern"),
    [
        ([equal("dt", "x")], "dt=x/%"),
        ([equal("dt", "x"), equal("v", "y")], "dt=x/v=y/%"),
        ([equal("dt", "x"), equal("v", "y"), equal("i", 1)], "dt=x/v=y/%"),
        ([equal("dt", "x"), equal("v", "y"), IsNull("i")], "dt=x/v=y/i=__DEFAULT_PARTITION__"),
        ([NullSafeEqual("dt", None), NullSafeEqual("v", "y")], "dt=__DEFAULT_PARTITION__/v=y/%"),
        ([equal("v", "y")], None),
        ([equal("i", 1)], None),
        ([Comparison("starts_with", "dt", "2024-")], "dt=2024-%"),
        ([Comparison("like", "dt", r"20\_4-%")], "dt=20_4-%"),
        ([Comparison("like", "dt", "%4")], None),
        ([Comparison("ends_with", "dt", "4"), Comparison("contains", "dt", "2")], None),
        ([equal("dt", "x"), Comparison("starts_with", "v", "ab")], "dt=x/v=ab%"),
        ([Comparison("starts_with", "dt", "ab"), equal("v", "y")], "dt=ab%"),
        ([Comparison(">=", "dt", "2024-01-01"), Comparison("<", "dt", "2024-02-01")], "dt=2024-0%"),
        ([Comparison(">", "dt", "2024-01-01"), Comparison("<=", "dt", "2025")], "dt=202%"),
        ([Comparison(">=", "dt", "2024")], None),
        ([Comparison(">=", "dt", None), Comparison("<", "dt", "2025")], None),
        ([Comparison(">=", "dt", "𝄞a"), Comparison("<", "dt", "𝄟")], None),
        ([Comparison(">=", "dt", "x𝄞a"), Comparison("<", "dt", "x𝄟")], "dt=x%"),
        ([In("dt", frozenset(("2024-01", "2024-07")))], "dt=2024-0%"),
        ([In("dt", frozenset(("2024-01",)), True)], "dt=2024-01/%"),
        ([equal("dt", "a:b")], "dt=a%"),
        ([equal("dt", "50%")], "dt=50%"),
        ([equal("dt", ":b")], None),
        ([equal("dt", "x"), equal("v", ":b")], "dt=x/%"),
        ([equal("dt", " ")], None),
        ([Comparison("starts_with", "dt", " ")], None),
        ([equal("dt", "x"), equal("v", "\u3000")], "dt=x/%"),
        ([Or((equal("dt", "x"), equal("dt", "xy")))], None),
        ([Not(equal("dt", "x"))], None),
        ([Unknown(), equal("dt", "x")], "dt=x/%"),
        ([Constant(True)], None),
    ],
)
def test_patterns(parts: list[Predicate], pattern: str | None) -> None:
    assert pattern_for(And(tuple(parts)), LAYOUT) == pattern


def test_a_name_is_complete_when_all_keys_are_fixed() -> None:
    layout = PartitionLayout(LAYOUT.columns[:2], value_only=True)
    assert pattern_for(And((equal("dt", "x"), equal("v", "y"))), layout) == "dt=x/v=y"


@pytest.mark.parametrize("kind", [CharType(3), DateType(), IntType()])
def test_types_of_several_spellings_have_no_pattern(kind: Any) -> None:
    layout = PartitionLayout((Field(0, "k", kind), Field(1, "v", StringType())))
    value = "ab" if isinstance(kind, CharType) else 1
    assert pattern_for(And((equal("k", value), equal("v", "y"))), layout) is None


def test_names_of_columns_that_are_escaped_end_the_pattern() -> None:
    layout = PartitionLayout((Field(0, "dt", StringType()), Field(1, "a:b", StringType())))
    assert pattern_for(And((equal("dt", "x"), equal("a:b", "y"))), layout) == "dt=x/%"


def test_a_default_name_that_is_escaped_ends_the_pattern() -> None:
    layout = PartitionLayout(LAYOUT.columns, default_name="no:value")
    assert pattern_for(And((equal("dt", "x"), IsNull("v"))), layout) == "dt=x/%"


def test_a_table_without_partitions_has_no_pattern() -> None:
    assert pattern_for(Constant(True), PartitionLayout(())) is None
