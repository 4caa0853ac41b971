"""Which partitions a filter excludes."""

from __future__ import annotations

import itertools
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_paimon import errors
from spark_paimon.partition.predicate import Predicate, parse
from spark_paimon.schema import CharType, DateType, DecimalType, Field, IntType, StringType

COLUMNS = (
    Field(0, "a", IntType()),
    Field(1, "b", IntType()),
    Field(2, "s", StringType()),
    Field(3, "c", CharType(3)),
    Field(4, "d", DecimalType(10, 2)),
    Field(5, "day", DateType()),
)


def make(tree: Any) -> Predicate:
    return parse(tree, COLUMNS)


def compare(op: str, column: str, value: object) -> dict[str, object]:
    return {"op": op, "column": column, "value": value}


@pytest.mark.parametrize(
    ("tree", "bound", "kept"),
    [
        (compare("=", "a", 1), {"a": 1}, True),
        (compare("=", "a", 1), {"a": 2}, False),
        (compare("=", "a", 1), {}, True),
        (compare("=", "a", 1), {"a": None}, False),
        (compare("=", "a", None), {"a": None}, False),
        (compare("<=>", "a", None), {"a": None}, True),
        (compare("<=>", "a", None), {"a": 1}, False),
        (compare("<=>", "a", 1), {"a": None}, False),
        (compare("<", "a", 2), {"a": 1}, True),
        (compare("<", "a", 2), {"a": 2}, False),
        (compare(">=", "a", 2), {"a": 2}, True),
        ({"op": "in", "column": "a", "values": [1, 2]}, {"a": 2}, True),
        ({"op": "in", "column": "a", "values": [1, None]}, {"a": 2}, False),
        ({"op": "in", "column": "a", "values": []}, {}, False),
        ({"op": "is_null", "column": "a"}, {"a": None}, True),
        ({"op": "is_null", "column": "a"}, {"a": 1}, False),
        ({"op": "is_not_null", "column": "a"}, {"a": None}, False),
        ({"op": "is_not_null", "column": "a"}, {}, True),
        (compare("starts_with", "s", "ab"), {"s": "abc"}, True),
        (compare("starts_with", "s", "ab"), {"s": "xab"}, False),
        (compare("ends_with", "s", "bc"), {"s": "abc"}, True),
        (compare("ends_with", "s", "bc"), {"s": "bca"}, False),
        (compare("contains", "s", "b"), {"s": "abc"}, True),
        (compare("contains", "s", "b"), {"s": None}, False),
        (compare("like", "s", "a%c"), {"s": "abc"}, True),
        (compare("like", "s", "a_"), {"s": "abc"}, False),
        (compare("ends_with", "c", "b"), {"c": "ab "}, False),
        (compare("ends_with", "c", "b"), {"c": "ab"}, True),
        (compare("ends_with", "c", " "), {"c": "ab"}, True),
        (compare("like", "a", 1), {"a": 2}, True),
        (compare("=", "d", "1.5"), {"d": Decimal("1.50")}, True),
        (compare("<", "d", "2000.0000"), {"d": Decimal("1999.99")}, True),
        (compare("<", "d", 2000), {"d": Decimal("2000.00")}, False),
        (compare("=", "day", 20089), {"day": 20089}, True),
        ({"op": "unknown"}, {"a": 1}, True),
        ({"op": "some_new_operation", "column": "a"}, {"a": 1}, True),
        (compare("=", "data_column", "x"), {"a": 1}, True),
        ({"op": "false"}, {}, False),
        ({"op": "true"}, {}, True),
        (None, {}, True),
    ],
)
def test_leaves(tree: Any, bound: dict[str, Any], kept: bool) -> None:
    assert make(tree).may_match(bound) is kept


def test_not_follows_sql_null_rules() -> None:
    negated = {"op": "not", "arg": compare("=", "a", 1)}
    assert make(negated).may_match({"a": 2})
    assert not make(negated).may_match({"a": 1})
    assert not make(negated).may_match({"a": None})
    not_in = {"op": "not", "arg": {"op": "in", "column": "a", "values": [1, None]}}
    assert make(not_in).always_false or not make(not_in).may_match({"a": 2})


def test_or_keeps_null_partitions_found_by_its_other_side() -> None:
    tree = {"op": "or", "args": [{"op": "is_null", "column": "a"}, compare("=", "b", 1)]}
    assert make(tree).may_match({"a": None})
    assert make(tree).may_match({"a": 1})
    assert not make(tree).may_match({"a": 1, "b": None})


def test_p66_both_sides_of_and_filter() -> None:
    predicate = make({"op": "and", "args": [compare(">=", "a", 2), compare("=", "b", 1)]})
    assert not predicate.may_match({"a": 1})
    assert predicate.may_match({"a": 2})
    assert not predicate.may_match({"a": 2, "b": 2})


def test_always_false() -> None:
    assert make({"op": "and", "args": [compare("=", "a", 1), {"op": "false"}]}).always_false
    assert make(compare("=", "a", None)).always_false
    assert make({"op": "or", "args": []}).always_false
    assert not make(compare("=", "a", 1)).always_false
    assert not make({"op": "unknown"}).always_false


@pytest.mark.parametrize("stored", ["ab", "ab "])
def test_char_columns_are_compared_padded_and_as_they_are(stored: str) -> None:
    for value in ("ab", "ab "):
        assert make(compare("=", "c", value)).may_match({"c": stored})
        assert make(compare("<=>", "c", value)).may_match({"c": stored})
        assert make({"op": "in", "column": "c", "values": [value, "x"]}).may_match({"c": stored})
        assert not make(compare("=", "c", "ax")).may_match({"c": stored})


class TestLeadingEqualities:
    KEYS = ("a", "b", "s")

    @pytest.mark.parametrize(
        ("tree", "found"),
        [
            (compare("=", "a", 1), {"a": 1}),
            ({"op": "and", "args": [compare("=", "b", 2), compare("=", "a", 1)]}, {"a": 1, "b": 2}),
            ({"op": "and", "args": [compare("=", "a", 1), compare("=", "s", "x")]}, {"a": 1}),
            (compare("=", "b", 2), {}),
            (compare("<", "a", 2), {}),
            (compare("=", "a", None), {}),
            ({"op": "is_null", "column": "a"}, {"a": None}),
            (compare("<=>", "a", None), {"a": None}),
            ({"op": "in", "column": "a", "values": [3]}, {"a": 3}),
            ({"op": "in", "column": "a", "values": [3, 4]}, {}),
            ({"op": "or", "args": [compare("=", "a", 1), compare("=", "a", 2)]}, {}),
            ({"op": "not", "arg": compare("=", "a", 1)}, {}),
            (
                {
                    "op": "and",
                    "args": [
                        compare("=", "a", 1),
                        {"op": "or", "args": [compare("=", "b", 1), compare("=", "b", 2)]},
                    ],
                },
                {"a": 1},
            ),
            (
                {"op": "and", "args": [{"op": "and", "args": [compare("=", "a", 1)]}, compare("=", "b", 2)]},
                {"a": 1, "b": 2},
            ),
        ],
    )
    def test_the_leading_run_of_pure_ands(self, tree: Any, found: dict[str, Any]) -> None:
        assert make(tree).leading_equalities(self.KEYS) == found

    def test_contradicting_equalities_keep_one_and_match_nothing(self) -> None:
        predicate = make({"op": "and", "args": [compare("=", "a", 1), compare("=", "a", 2)]})
        assert predicate.leading_equalities(self.KEYS) == {"a": 1}
        assert not predicate.may_match({"a": 1})


@pytest.mark.parametrize(
    "tree",
    [
        {},
        "x",
        {"op": "="},
        {"op": "=", "column": "a"},
        {"op": "and"},
        compare("=", "a", "1"),
        compare("=", "a", True),
        compare("=", "s", 1),
        compare("=", "d", "NaN"),
        {"op": "not", "arg": None},
    ],
)
def test_a_malformed_tree_is_an_error(tree: Any) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        make(tree)
    assert caught.value.condition == "PARTITION_PREDICATE_INVALID"


VALUES = [None, 0, 1, 2]

leaves = st.one_of(
    st.builds(
        compare,
        st.sampled_from(["=", "<=>", "<", "<=", ">", ">="]),
        st.sampled_from("ab"),
        st.sampled_from(VALUES),
    ),
    st.builds(
        lambda column, values: {"op": "in", "column": column, "values": values},
        st.sampled_from("ab"),
        st.lists(st.sampled_from(VALUES), max_size=3),
    ),
    st.builds(
        lambda op, column: {"op": op, "column": column},
        st.sampled_from(["is_null", "is_not_null"]),
        st.sampled_from("ab"),
    ),
    st.sampled_from([{"op": "true"}, {"op": "false"}]),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(
            lambda op, args: {"op": op, "args": args},
            st.sampled_from(["and", "or"]),
            st.lists(inner, max_size=3),
        ),
        st.builds(lambda arg: {"op": "not", "arg": arg}, inner),
    ),
    max_leaves=6,
)


def sql(tree: dict[str, Any], row: dict[str, Any]) -> bool | None:
    """An independent, total evaluation with Python's None as SQL's NULL."""
    op = tree["op"]
    if op in ("true", "false"):
        return op == "true"
    if op in ("and", "or"):
        results = [sql(arg, row) for arg in tree["args"]]
        absorbing = op == "or"
        if absorbing in results:
            return absorbing
        return None if None in results else not absorbing
    if op == "not":
        inner = sql(tree["arg"], row)
        return None if inner is None else not inner
    value = row[tree["column"]]
    if op in ("is_null", "is_not_null"):
        return (value is None) == (op == "is_null")
    if op == "in":
        if not tree["values"]:
            return False
        results = [None if value is None or other is None else value == other for other in tree["values"]]
        return True if True in results else None if None in results else False
    other = tree["value"]
    if op == "<=>":
        return value == other
    if value is None or other is None:
        return None
    return {
        "=": value == other,
        "<": value < other,
        "<=": value <= other,
        ">": value > other,
        ">=": value >= other,
    }[op]


@given(trees)
def test_a_partition_with_a_matching_row_is_never_excluded(tree: dict[str, Any]) -> None:
    predicate = make(tree)
    for a, b in itertools.product(VALUES, VALUES):
        row = {"a": a, "b": b}
        passes = sql(tree, row) is True
        assert predicate.may_match(row) is passes
        for bound in ({}, {"a": a}, {"b": b}):
            assert not passes or predicate.may_match(bound)
        equalities = predicate.leading_equalities(("a", "b"))
        assert not passes or all(row[key] == value for key, value in equalities.items())
