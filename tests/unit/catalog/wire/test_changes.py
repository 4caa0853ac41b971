"""Schema changes and schemas, as Paimon's Java client writes them."""

from __future__ import annotations

from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.wire.changes import changes_from_json, changes_to_json
from spark_paimon.schema import (
    AddColumn,
    ArrayType,
    BigIntType,
    Change,
    CharType,
    DecimalType,
    DropColumn,
    Field,
    IntType,
    LocalZonedTimestampType,
    MapType,
    RemoveOption,
    RenameColumn,
    RowType,
    Schema,
    SetOption,
    StringType,
    TimestampType,
    UpdateColumnComment,
    UpdateColumnNullability,
    UpdateColumnPosition,
    UpdateColumnType,
    UpdateComment,
)


def move(kind: str, name: str = "a", reference: str | None = None) -> dict[str, Any]:
    return {"fieldName": name, "referenceFieldName": reference, "type": kind}


def add(name: list[str], kind: Any, comment: str | None = None, place: Any = None) -> dict[str, Any]:
    return {"action": "addColumn", "fieldNames": name, "dataType": kind, "comment": comment, "move": place}


_ROW = RowType((Field(0, "f", TimestampType(3), description="d"), Field(1, "g", LocalZonedTimestampType(6))))
_ROW_JSON = {
    "type": "ROW",
    "fields": [
        {"id": 0, "name": "f", "type": "TIMESTAMP(3)", "description": "d"},
        {"id": 1, "name": "g", "type": "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
    ],
}

# What the mapper of Paimon 1.4.2's RESTApi makes of each change.
BOTH_WAYS: list[tuple[dict[str, Any], Change]] = [
    ({"action": "setOption", "key": "k", "value": "v"}, SetOption("k", "v")),
    ({"action": "removeOption", "key": "k"}, RemoveOption("k")),
    ({"action": "updateComment", "comment": "c"}, UpdateComment("c")),
    ({"action": "updateComment", "comment": None}, UpdateComment(None)),
    (add(["a"], "INT"), AddColumn(("a",), IntType())),
    (
        add(["a"], "DECIMAL(10, 2) NOT NULL", "com"),
        AddColumn(("a",), DecimalType(10, 2, nullable=False), "com"),
    ),
    (add(["a"], "INT", None, move("FIRST")), AddColumn(("a",), IntType(), first=True)),
    (add(["a"], "INT", "c", move("AFTER", "a", "b")), AddColumn(("a",), IntType(), "c", after="b")),
    (
        add(["r", "element", "x.y"], {"type": "ARRAY", "element": "INT NOT NULL"}),
        AddColumn(("r", "element", "x.y"), ArrayType(IntType(nullable=False))),
    ),
    (
        add(["m"], {"type": "MAP", "key": "STRING NOT NULL", "value": _ROW_JSON}),
        AddColumn(("m",), MapType(StringType(nullable=False), _ROW)),
    ),
    ({"action": "renameColumn", "fieldNames": ["a"], "newName": "b"}, RenameColumn(("a",), "b")),
    ({"action": "renameColumn", "fieldNames": ["r", "a"], "newName": "b"}, RenameColumn(("r", "a"), "b")),
    ({"action": "dropColumn", "fieldNames": ["m", "value", "a"]}, DropColumn(("m", "value", "a"))),
    (
        {
            "action": "updateColumnType",
            "fieldNames": ["l", "element"],
            "newDataType": "CHAR(3)",
            "keepNullability": True,
        },
        UpdateColumnType(("l", "element"), CharType(3)),
    ),
    (
        {"action": "updateColumnNullability", "fieldNames": ["r", "a"], "newNullability": False},
        UpdateColumnNullability(("r", "a"), False),
    ),
    (
        {"action": "updateColumnComment", "fieldNames": ["a"], "newComment": "c"},
        UpdateColumnComment(("a",), "c"),
    ),
    (
        {"action": "updateColumnComment", "fieldNames": ["a"], "newComment": None},
        UpdateColumnComment(("a",), None),
    ),
    ({"action": "updateColumnPosition", "move": move("FIRST")}, UpdateColumnPosition(("a",), first=True)),
    (
        {"action": "updateColumnPosition", "move": move("AFTER", "a", "b")},
        UpdateColumnPosition(("a",), after="b"),
    ),
    ({"action": "updateColumnPosition", "move": move("LAST")}, UpdateColumnPosition(("a",))),
]


@pytest.mark.parametrize(("form", "change"), BOTH_WAYS)
def test_forms_of_the_java_client(form: dict[str, Any], change: Change) -> None:
    assert changes_to_json([change]) == [form]
    assert changes_from_json([form]) == [change]


def test_changes_keep_their_order() -> None:
    forms = [form for form, _ in BOTH_WAYS]
    assert changes_to_json(changes_from_json(forms)) == forms


@pytest.mark.parametrize("keep", [{"keepNullability": False}, {}])
def test_a_type_that_brings_its_nullability_is_two_changes(keep: dict[str, bool]) -> None:
    form = {"action": "updateColumnType", "fieldNames": ["a"], "newDataType": "BIGINT NOT NULL", **keep}
    assert changes_from_json([form]) == [
        UpdateColumnType(("a",), BigIntType(nullable=False)),
        UpdateColumnNullability(("a",), False),
    ]


def test_a_field_inside_of_a_column_is_moved_with_its_whole_path() -> None:
    change = UpdateColumnPosition(("r", "element", "a"), after="b")
    (form,) = changes_to_json([change])
    assert form == {
        "action": "updateColumnPosition",
        "fieldNames": ["r", "element", "a"],
        "move": move("AFTER", "r.element.a", "b"),
    }
    assert changes_from_json([form]) == [change]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (
            {"action": "updateColumnDefaultValue", "fieldNames": ["a"], "newDefaultValue": "5"},
            "default values",
        ),
        ({"action": "dropPrimaryKey"}, "no primary key"),
        ({"action": "paintColumn", "fieldNames": ["a"]}, "paintColumn"),
        ({"action": "updateColumnPosition", "move": move("BEFORE", "a", "b")}, "BEFORE"),
        (add(["a"], "INT", None, move("BEFORE", "a", "b")), "BEFORE"),
    ],
)
def test_what_is_not_supported_is_named(form: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.UnsupportedError, match=said) as caught:
        changes_from_json([form])
    assert form["action"] in str(caught.value)


_COLUMN = {"action": "addColumn", "fieldNames": ["a"], "dataType": "INT"}


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ("setOption", "action"),
        ({}, "action"),
        ({"action": 5}, "action"),
        ({"action": "setOption", "key": "k"}, "value"),
        ({"action": "setOption", "key": "k", "value": 5}, "value"),
        ({"action": "removeOption"}, "key"),
        ({"action": "updateComment", "comment": 5}, "comment"),
        ({"action": "dropColumn"}, "fieldNames"),
        ({"action": "dropColumn", "fieldNames": "a"}, "fieldNames"),
        ({"action": "dropColumn", "fieldNames": []}, "fieldNames"),
        ({"action": "dropColumn", "fieldNames": [None]}, "fieldNames"),
        ({"action": "renameColumn", "fieldNames": ["a"]}, "newName"),
        ({"action": "addColumn", "fieldNames": ["a"]}, "dataType"),
        ({**_COLUMN, "dataType": "NUMBER"}, "dataType"),
        ({**_COLUMN, "dataType": ["INT"]}, "dataType"),
        ({**_COLUMN, "dataType": {"type": "ROW", "fields": 5}}, "dataType"),
        ({**_COLUMN, "dataType": {"type": "ROW", "fields": ["x"]}}, "dataType"),
        (
            {**_COLUMN, "dataType": {"type": "ROW", "fields": [{"id": "x", "name": "f", "type": "INT"}]}},
            "dataType",
        ),
        ({**_COLUMN, "dataType": {"type": "ARRAY"}}, "dataType"),
        ({**_COLUMN, "move": "FIRST"}, "move"),
        ({**_COLUMN, "move": {"fieldName": "a", "type": "AFTER"}}, "referenceFieldName"),
        ({**_COLUMN, "move": {"type": "FIRST"}}, "fieldName"),
        ({"action": "updateColumnPosition"}, "move"),
        ({"action": "updateColumnType", "fieldNames": ["a"]}, "newDataType"),
        (
            {
                "action": "updateColumnType",
                "fieldNames": ["a"],
                "newDataType": "INT",
                "keepNullability": "yes",
            },
            "keepNullability",
        ),
        ({"action": "updateColumnNullability", "fieldNames": ["a"]}, "newNullability"),
    ],
)
def test_what_is_malformed_names_action_and_field(form: Any, field: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        changes_from_json([form])
    assert caught.value.condition == "SCHEMA_CHANGE_MALFORMED"
    assert caught.value.parameters["field"] == field


@pytest.mark.parametrize("forms", [None, {}, "x"])
def test_changes_are_a_list(forms: Any) -> None:
    with pytest.raises(errors.InvalidInputError, match="changes"):
        changes_from_json(forms)


# A Schema as that mapper writes it; the comment is left out where there is none.
SCHEMA = {
    "fields": [
        {"id": 0, "name": "id", "type": "INT NOT NULL", "description": "the id"},
        {"id": 1, "name": "x", "type": "INT", "defaultValue": "7"},
        {"id": 2, "name": "t", "type": "TIME(3)"},
        {"id": 3, "name": "v", "type": "VARIANT"},
        {"id": 4, "name": "b", "type": "BYTES"},
        {"id": 5, "name": "vb", "type": "VARBINARY(3)"},
        {"id": 6, "name": "bi", "type": "BINARY(3)"},
        {"id": 7, "name": "ms", "type": {"type": "MULTISET", "element": "INT"}},
        {
            "id": 8,
            "name": "m",
            "type": {"type": "MAP", "key": "STRING NOT NULL", "value": {"type": "ARRAY", "element": "INT"}},
        },
        {
            "id": 9,
            "name": "r",
            "type": {
                "type": "ROW NOT NULL",
                "fields": [{"id": 10, "name": "f", "type": "STRING", "description": "d"}],
            },
        },
        {"id": 11, "name": "n", "type": "TIMESTAMP(3)"},
        {"id": 12, "name": "l", "type": "TIMESTAMP(9) WITH LOCAL TIME ZONE"},
        {"id": 13, "name": "dt", "type": "STRING"},
    ],
    "partitionKeys": ["dt"],
    "primaryKeys": [],
    "options": {"type": "format-table"},
}


@pytest.mark.parametrize("comment", [None, "tbl"])
def test_a_schema_of_the_java_client_comes_back_as_it_was(comment: str | None) -> None:
    form = SCHEMA if comment is None else {**SCHEMA, "comment": comment}
    assert Schema.from_json(form).to_json() == {**SCHEMA, "comment": comment}
