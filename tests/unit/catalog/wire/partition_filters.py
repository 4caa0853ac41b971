"""Random partition rows and filters over them, with every type that partition columns have."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from spark_paimon.partition import predicate as nodes
from spark_paimon.partition.predicate import Predicate
from spark_paimon.schema import (
    BigIntType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    Field,
    IntType,
    LocalZonedTimestampType,
    StringType,
    TimestampType,
    TimeType,
    VarCharType,
)

_TEXTS = (
    "a",
    "ab",
    "ab ",
    "abc",
    "b",
    "a b",
    "a:b",
    "a%b",
    "a_b",
    "A",
    "ß",
    "𝄞x",
    "\ud83c",
    "a\\b",
    "a/b",
    "=",
)
_MOMENTS = (0, 1, -1, 1_500_000, 1_700_000_000_123_456, 1_700_000_000_000_000, -62_135_596_800_000_000)
_CHARS = ("a", "a  ", "ab", "ab ", "abc", "b", "b\x01", "  a")

COLUMNS: tuple[tuple[Field, tuple[Any, ...]], ...] = (
    (Field(0, "dt", StringType()), _TEXTS),
    (Field(1, "v", VarCharType(5)), _TEXTS),
    (Field(2, "c", CharType(3)), _CHARS),
    (Field(3, "i", IntType()), (-1, 0, 1, 2, 2**31 - 1)),
    (Field(4, "big", BigIntType()), (-(2**63), 0, 1, 2**63 - 1)),
    (Field(5, "ok", BooleanType()), (True, False)),
    (Field(6, "day", DateType()), (0, -1, 19_723, 20_089, 2_932_897)),
    (Field(7, "at", TimeType(3)), (0, 1_000, 3_600_000_000, 86_399_999_000)),
    (Field(8, "ts", TimestampType(6)), _MOMENTS),
    (Field(9, "ns", TimestampType(9)), _MOMENTS),
    (Field(10, "ltz", LocalZonedTimestampType(3)), _MOMENTS),
    (Field(11, "d", DecimalType(10, 2)), tuple(map(Decimal, ("0.00", "1.50", "-1.50", "99999999.99")))),
)
FIELDS = tuple(field for field, _ in COLUMNS)

_OPERATIONS = ("=", "<", "<=", ">", ">=")
_LIKES = ("a%", "%b", "_b%", r"a\%%", r"a\b", "%", "", "ab", "a%b_")


def rows() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {field.name: st.none() | st.sampled_from(values) for field, values in COLUMNS}
    )


def _leaves(field: Field, values: tuple[Any, ...]) -> st.SearchStrategy[Predicate]:
    pad = field.type.length if isinstance(field.type, CharType) else 0
    value = st.none() | st.sampled_from(values)
    some = [
        st.just(nodes.IsNull(field.name)),
        st.builds(nodes.Comparison, st.sampled_from(_OPERATIONS), st.just(field.name), value, st.just(pad)),
        st.builds(nodes.NullSafeEqual, st.just(field.name), value, st.just(pad)),
        st.builds(
            nodes.In,
            st.just(field.name),
            st.frozensets(st.sampled_from(values), max_size=3),
            st.booleans(),
            st.just(pad),
        ),
    ]
    if isinstance(values[0], str):
        parts = st.sampled_from(nodes.TEXT_OPERATIONS[:3])
        some.append(st.builds(nodes.Comparison, parts, st.just(field.name), value, st.just(pad)))
        likes = st.sampled_from(_LIKES)
        some.append(st.builds(nodes.Comparison, st.just("like"), st.just(field.name), likes, st.just(pad)))
    return st.one_of(some)


def predicates(
    names: tuple[str, ...] = tuple(field.name for field in FIELDS),
) -> st.SearchStrategy[Predicate]:
    leaves = [_leaves(field, values) for field, values in COLUMNS if field.name in names]
    constants: list[Predicate] = [nodes.Constant(True), nodes.Constant(False), nodes.Unknown()]

    def deeper(children: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
        parts = st.lists(children, max_size=3).map(tuple)
        return st.one_of(
            st.builds(nodes.And, parts), st.builds(nodes.Or, parts), st.builds(nodes.Not, children)
        )

    return st.recursive(st.one_of(*leaves, st.sampled_from(constants)), deeper, max_leaves=8)
