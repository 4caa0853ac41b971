"""Filters as JSON: nothing that passes is lost on the way."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spark_paimon.catalog.wire.filters import DEEPEST, LONGEST, filter_from_json, filter_to_json
from spark_paimon.partition import predicate as nodes
from spark_paimon.partition.predicate import And, Comparison, Constant, In, IsNull, Not, Or, Predicate
from spark_paimon.schema import CharType, Field, StringType
from tests.unit.catalog.wire.partition_filters import FIELDS, predicates, rows

TYPES = {field.name: field.type.to_json() for field in FIELDS}


def leaf(column: str, function: str, *literals: Any, **changed: Any) -> dict[str, Any]:
    reference = {"index": 0, "name": column, "type": TYPES.get(column, "STRING"), **changed}
    transform = {"name": "FIELD_REF", "fieldRef": reference}
    return {"kind": "LEAF", "transform": transform, "function": function, "literals": list(literals)}


def read(tree: Any) -> Predicate:
    return filter_from_json(json.dumps(tree), FIELDS)


def said(predicate: Predicate) -> Any:
    text = filter_to_json(predicate, FIELDS)
    return None if text is None else json.loads(text)


class TestSupersets:
    @given(predicates(), st.lists(rows(), min_size=1, max_size=8))
    @settings(max_examples=400)
    @example(Not(Comparison("=", "c", "ab", 3)), [dict.fromkeys(TYPES) | {"c": "ab "}])
    def test_a_filter_that_was_sent_and_read_keeps_every_match(
        self, predicate: Predicate, some: list[dict[str, Any]]
    ) -> None:
        text = filter_to_json(predicate, FIELDS)
        back = Constant(True) if text is None else filter_from_json(text, FIELDS)
        for row in some:
            assert back.may_match(row) or not predicate.may_match(row)

    @given(predicates(("c", "i")), rows())
    @settings(max_examples=400)
    def test_also_on_a_server_that_compares_char_as_it_is_stored(
        self, predicate: Predicate, row: dict[str, Any]
    ) -> None:
        text = filter_to_json(predicate, FIELDS)
        if text is not None:
            plain = [Field(f.id, f.name, StringType()) if isinstance(f.type, CharType) else f for f in FIELDS]
            back = filter_from_json(text.replace("CHAR(3)", "STRING"), plain)
            assert back.may_match(row) or not predicate.may_match(row)

    @given(predicates(("dt", "i", "day", "d")), rows())
    def test_nothing_is_lost_where_all_can_be_said(self, predicate: Predicate, row: dict[str, Any]) -> None:
        # The other direction, so that the first one is not kept by saying nothing.
        if "Unknown" in repr(predicate) or any(op in repr(predicate) for op in nodes.TEXT_OPERATIONS):
            return
        text = filter_to_json(predicate, FIELDS)
        back = Constant(True) if text is None else filter_from_json(text, FIELDS)
        assert back.may_match(row) == predicate.may_match(row)

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists))
    def test_any_json_is_read(self, tree: Any) -> None:
        assert read({"kind": "COMPOUND", "function": "AND", "children": tree}).may_match({})
        assert read(tree) == Constant(True)


# As written by the mapper of Paimon 1.4.2's RESTApi.
OLD_JAVA = [
    ("day", "LESS_THAN", "[[2022,1,8]]", Comparison("<", "day", 19_000)),
    ("ts", "EQUAL", "[[2023,11,14,22,13,20,123456000]]", Comparison("=", "ts", 1_700_000_000_123_456)),
    ("ts", "EQUAL", "[[1970,1,1,0,0]]", Comparison("=", "ts", 0)),
    ("ts", "EQUAL", "[[1969,12,31,23,59,59,999999000]]", Comparison("=", "ts", -1)),
    ("ltz", "EQUAL", "[1700000000.123000000]", Comparison("=", "ltz", 1_700_000_000_123_000)),
    ("at", "EQUAL", "[[1,0]]", Comparison("=", "at", 3_600_000_000)),
    ("d", "GREATER_THAN", "[1.50]", Comparison(">", "d", Decimal("1.50"))),
    ("ok", "GREATER_OR_EQUAL", "[true]", Comparison(">=", "ok", True)),
    ("c", "EQUAL", '["ab "]', Comparison("=", "c", "ab ", 3)),
    ("big", "EQUAL", "[5000000000]", Comparison("=", "big", 5_000_000_000)),
    ("dt", "LIKE", '["a%b_"]', Comparison("like", "dt", "a%b_")),
    ("dt", "ENDS_WITH", '["a"]', Comparison("ends_with", "dt", "a")),
    ("dt", "CONTAINS", '["a"]', Comparison("contains", "dt", "a")),
    ("i", "IN", "[0,1,null]", In("i", frozenset((0, 1)), True)),
    ("i", "NOT_IN", "[0,1]", Not(In("i", frozenset((0, 1))))),
    ("i", "NOT_EQUAL", "[5]", Not(Comparison("=", "i", 5))),
    ("i", "BETWEEN", "[1,5]", And((Comparison(">=", "i", 1), Comparison("<=", "i", 5)))),
    ("i", "NOT_BETWEEN", "[1,5]", Not(And((Comparison(">=", "i", 1), Comparison("<=", "i", 5))))),
    ("i", "EQUAL", "[null]", Comparison("=", "i", None)),
    ("dt", "IS_NULL", "[]", IsNull("dt")),
    ("dt", "IS_NULL", "null", IsNull("dt")),
    ("dt", "IS_NOT_NULL", "[]", Not(IsNull("dt"))),
    # Newer versions write texts.
    ("day", "EQUAL", '["2022-01-08"]', Comparison("=", "day", 19_000)),
    ("ts", "EQUAL", '["2023-11-14T22:13:20.123456"]', Comparison("=", "ts", 1_700_000_000_123_456)),
    ("ts", "EQUAL", '["1970-01-01T00:00"]', Comparison("=", "ts", 0)),
    ("ltz", "EQUAL", '["2023-11-14T22:13:20.123Z"]', Comparison("=", "ltz", 1_700_000_000_123_000)),
    ("at", "EQUAL", '["01:00"]', Comparison("=", "at", 3_600_000_000)),
    ("d", "EQUAL", '["-1.50"]', Comparison("=", "d", Decimal("-1.50"))),
    ("d", "EQUAL", "[2]", Comparison("=", "d", Decimal(2))),
]


@pytest.mark.parametrize(("column", "function", "literals", "expected"), OLD_JAVA)
def test_forms_of_java_clients(column: str, function: str, literals: str, expected: Predicate) -> None:
    text = json.dumps(leaf(column, function, "L")).replace('["L"]', literals)
    assert filter_from_json(text, FIELDS) == expected


def test_the_false_leaf_of_java() -> None:
    assert read(
        {"kind": "LEAF", "transform": {"name": "NULL"}, "function": "FALSE", "literals": []}
    ) == Constant(False)
    assert said(And((IsNull("i"), Constant(False)))) == {
        "kind": "LEAF",
        "transform": {"name": "NULL"},
        "function": "FALSE",
        "literals": [],
    }


@pytest.mark.parametrize(
    "tree",
    [
        leaf("elsewhere", "EQUAL", "x"),
        leaf("dt", "SOUNDS_LIKE", "x"),
        leaf("dt", "EQUAL", 5),
        leaf("dt", "EQUAL"),
        leaf("dt", "EQUAL", "a", "b"),
        leaf("dt", "LIKE", r"a\b"),
        leaf("i", "EQUAL", "5"),
        leaf("i", "EQUAL", True),
        leaf("i", "EQUAL", 5.5),
        leaf("i", "STARTS_WITH", 5),
        leaf("ok", "EQUAL", 1),
        leaf("day", "EQUAL", 19_000),
        leaf("day", "EQUAL", "19000"),
        leaf("day", "EQUAL", "2024-02-30"),
        leaf("day", "EQUAL", [2024, 1]),
        leaf("day", "EQUAL", [10**30, 1, 1]),
        leaf("ts", "EQUAL", "2024-01-01T00:00:00.000000001"),
        leaf("ts", "EQUAL", [2024, 1, 1, 25, 0]),
        leaf("ts", "EQUAL", 1_700_000_000_000),
        leaf("ltz", "EQUAL", 1_700_000_000),
        leaf("ltz", "EQUAL", "2024-01-01T00:00"),
        leaf("ns", "EQUAL", "2024-01-01T00:00:00"),
        leaf("d", "EQUAL", "1e5"),
        leaf("d", "EQUAL", "NaN"),
        leaf("dt", "EQUAL", "2024-01-01", type="DATE"),
        leaf("dt", "EQUAL", "x", type={"type": "ROW", "fields": []}),
        leaf("dt", "EQUAL", "x", type="NOTHING"),
        {**leaf("dt", "EQUAL", "x"), "kind": "TREE"},
        {**leaf("dt", "EQUAL", "x"), "literals": {"a": 1}},
        {**leaf("dt", "EQUAL", "x"), "transform": {"name": "UPPER", "inputs": []}},
        {**leaf("dt", "EQUAL", "x"), "transform": {"name": "FIELD_REF"}},
        {"kind": "COMPOUND", "function": "XOR", "children": [leaf("dt", "EQUAL", "x")]},
        {"kind": "COMPOUND", "function": "AND", "children": None},
        {"kind": "COMPOUND", "function": "AND"},
        [leaf("dt", "EQUAL", "x")],
        None,
        7,
    ],
)
def test_what_is_not_understood_is_true(tree: Any) -> None:
    assert read(tree) == Constant(True)


@pytest.mark.parametrize(
    "text", ["", "{", "not json", "NaN", '{"kind":', "\ud800", "1e999999999999999999999"]
)
def test_what_is_no_json_is_true(text: str) -> None:
    assert filter_from_json(text, FIELDS) == Constant(True)


def test_numbers_of_absurd_size_are_not_compared() -> None:
    for number in ("1e999999999", "-1e-999999999", "9" * 5000):
        text = json.dumps(leaf("d", "EQUAL", "L")).replace('"L"', number)
        assert filter_from_json(text, FIELDS) == Constant(True)


def test_an_unknown_part_counts_as_true() -> None:
    strange, known = leaf("dt", "SOUNDS_LIKE", "x"), leaf("i", "EQUAL", 1)
    both = read({"kind": "COMPOUND", "function": "AND", "children": [strange, known]})
    either = read({"kind": "COMPOUND", "function": "OR", "children": [strange, known]})
    assert both.may_match({"i": 1})
    assert not both.may_match({"i": 2})
    assert either.may_match({"i": 2})


def test_fields_are_known_by_name_and_whole_numbers_by_any_width() -> None:
    assert read(leaf("i", "EQUAL", 1, index=9, type="BIGINT NOT NULL")) == Comparison("=", "i", 1)
    assert read(leaf("v", "EQUAL", "a", type="STRING")) == Comparison("=", "v", "a")


class TestDepth:
    def test_deep_json_is_true(self) -> None:
        for depth in (DEEPEST, 500, 100_000):
            pair = [f'{{"kind":"COMPOUND","function":"{name}","children":[' for name in ("OR", "AND")]
            text = "".join(pair) * depth + json.dumps(leaf("i", "EQUAL", 1)) + "]}]}" * depth
            assert filter_from_json(text, FIELDS).may_match({"i": 2})

    def test_long_chains_of_pairs_are_not_deep(self) -> None:
        tree, chain = leaf("i", "EQUAL", 0), Comparison("=", "i", 0)
        predicate: Predicate = chain
        for number in range(1, 150):
            tree = {"kind": "COMPOUND", "function": "OR", "children": [tree, leaf("i", "EQUAL", number)]}
            predicate = Or((predicate, Comparison("=", "i", number)))
        for back in (read(tree), read(said(predicate))):
            assert back.may_match({"i": 149})
            assert not back.may_match({"i": 150})

    def test_deep_predicates_are_cut(self) -> None:
        predicate: Predicate = Comparison("=", "i", 1)
        for _ in range(DEEPEST):
            predicate = And((Or((predicate, IsNull("i"))), Comparison(">", "i", 0)))
        assert read(said(predicate)).may_match({"i": 1})
        assert not read(said(predicate)).may_match({"i": 0})


class TestSize:
    def test_what_is_too_long_is_not_sent_and_not_looked_at(self) -> None:
        assert said(Comparison("=", "dt", "x" * LONGEST)) is None
        text = json.dumps(leaf("dt", "EQUAL", "x" * LONGEST))
        assert filter_from_json(text, FIELDS) == Constant(True)

    def test_many_values_become_a_range(self) -> None:
        sent = said(In("i", frozenset(range(5_000))))
        assert (sent["function"], sent["literals"]) == ("BETWEEN", [0, 4999])
        assert said(Not(In("i", frozenset(range(5_000)))))["function"] == "IS_NOT_NULL"


@pytest.mark.parametrize(
    ("predicate", "function", "literals"),
    [
        (Comparison("=", "dt", "2024"), "EQUAL", ["2024"]),
        (Not(Comparison("=", "dt", "2024")), "NOT_EQUAL", ["2024"]),
        (Not(Not(Comparison("<", "i", 5))), "LESS_THAN", [5]),
        (Not(Comparison("<", "i", 5)), "GREATER_OR_EQUAL", [5]),
        (Not(Comparison("starts_with", "dt", "a")), "IS_NOT_NULL", []),
        (Not(Comparison("like", "dt", "a%")), "IS_NOT_NULL", []),
        (Comparison("like", "dt", "a%"), "LIKE", ["a%"]),
        (Comparison("like", "dt", r"a\b"), "IS_NOT_NULL", []),
        (Not(In("i", frozenset((1, 2)))), "NOT_IN", [1, 2]),
        (In("i", frozenset((2, 1)), True), "IN", [1, 2]),
        (Not(In("i", frozenset((1,)), True)), "FALSE", []),
        (nodes.NullSafeEqual("i", None), "IS_NULL", []),
        (Not(nodes.NullSafeEqual("i", None)), "IS_NOT_NULL", []),
        (Comparison("=", "i", None), "FALSE", []),
        (Comparison("=", "c", "ab ", 3), "STARTS_WITH", ["ab"]),
        (Comparison("<", "c", "ab ", 3), "IS_NOT_NULL", []),
        (Comparison("=", "day", 20_089), "EQUAL", ["2025-01-01"]),
        (Comparison("=", "d", Decimal("1E+2")), "EQUAL", ["100"]),
        (Comparison("=", "ts", -1), "EQUAL", ["1969-12-31T23:59:59.999999"]),
        (Comparison("=", "ltz", 0), "EQUAL", ["1970-01-01T00:00:00.000000Z"]),
        (Comparison("=", "at", 0), "EQUAL", ["00:00:00.000000"]),
        (Comparison("=", "ns", 0), "IS_NOT_NULL", []),
    ],
)
def test_what_is_sent(predicate: Predicate, function: str, literals: list[Any]) -> None:
    sent = said(predicate)
    assert (sent["function"], sent["literals"]) == (function, literals)


def test_the_place_of_a_field_is_that_among_the_partition_columns() -> None:
    sent = said(Comparison("=", "day", 0))
    assert sent["transform"] == {"name": "FIELD_REF", "fieldRef": {"index": 6, "name": "day", "type": "DATE"}}


def test_not_of_a_conjunction() -> None:
    sent = said(Not(And((Comparison("=", "i", 1), IsNull("dt")))))
    assert (sent["kind"], sent["function"]) == ("COMPOUND", "OR")
    assert [child["function"] for child in sent["children"]] == ["NOT_EQUAL", "IS_NOT_NULL"]


def test_nothing_is_sent_when_nothing_can_be_said() -> None:
    assert filter_to_json(nodes.Unknown(), FIELDS) is None
    assert filter_to_json(Comparison("=", "data", 1), FIELDS) is None
    assert filter_to_json(Or((IsNull("i"), nodes.Unknown())), FIELDS) is None
    assert filter_to_json(Constant(True), FIELDS) is None
