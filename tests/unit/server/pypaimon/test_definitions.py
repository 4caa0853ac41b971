"""pypaimon's REST catalog works against our server: handshake, databases, tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark_paimon.catalog import Catalog
from spark_paimon.storage import local_path
from tests.peers.pypaimon_catalog import (
    PeerError,
    PyPaimonCatalog,
    PyPaimonProcess,
    change,
    kind,
    table,
)
from tests.servers import Server
from tests.unit.server.pypaimon.conftest import FORMAT_TABLE, options, pages, schema

# --- handshake ---


def test_a_wrong_token_is_refused_with_the_reason(peer: PyPaimonProcess, server: Server) -> None:
    with pytest.raises(PeerError, match="NotAuthorizedException.*[Tt]oken"):
        peer.open(options(server, token="wrong"))


def test_an_unknown_warehouse_is_refused(peer: PyPaimonProcess, server: Server) -> None:
    with pytest.raises(PeerError, match="NoSuchResourceException"):
        peer.open(options(server, warehouse="/no/such/warehouse"))


def test_the_warehouse_is_known_as_a_location_too(peer: PyPaimonProcess, server: Server) -> None:
    given = options(server)
    assert "default" in peer.open({**given, "warehouse": "file:" + given["warehouse"]}).call("list_databases")


# --- databases ---


def test_databases_are_created_described_altered_and_dropped(catalog: PyPaimonCatalog, ours: Catalog) -> None:
    catalog.call("create_database", "life", False, {"owner": "me", "comment": "first", "k": "v"})
    described = catalog.call("get_database", "life")
    assert described["name"] == "life"
    assert described["options"].items() >= {"k": "v", "comment": "first", "owner": "me"}.items()
    assert described["options"]["location"] == ours.get_database("life").location
    catalog.call(
        "alter_database", "life", [{":set": ["k", "w"]}, {":set": ["n", "1"]}, {":remove": "comment"}]
    )
    assert ours.get_database("life").options == {"k": "w", "n": "1"}
    assert "comment" not in catalog.call("get_database", "life")["options"]
    catalog.call("drop_database", "life")
    assert "life" not in ours.list_databases()


def test_databases_that_exist_or_not_are_told_apart(catalog: PyPaimonCatalog, database: str) -> None:
    with pytest.raises(PeerError, match="DatabaseAlreadyExistException"):
        catalog.call("create_database", database, False)
    catalog.call("create_database", database, True)
    for method, *arguments in (
        ("get_database", "none"),
        ("alter_database", "none", [{":set": ["k", "v"]}]),
        ("drop_database", "none", False),
        ("list_tables", "none"),
        ("list_tables_paged", "none"),
    ):
        with pytest.raises(PeerError, match="DatabaseNotExistException"):
            catalog.call(method, *arguments)
    catalog.call("drop_database", "none", True)


def test_a_database_with_tables_is_dropped_only_as_a_whole(
    catalog: PyPaimonCatalog, database: str, ours: Catalog
) -> None:
    catalog.call("create_table", table(database, "t"), schema("a INT"), False)
    with pytest.raises(PeerError, match="not empty"):
        catalog.call("drop_database", database, False, False)
    assert ours.list_tables(database) == ["t"]
    catalog.call("drop_database", database, False, True)
    assert database not in ours.list_databases()


def test_databases_are_listed_in_pages_and_by_pattern(catalog: PyPaimonCatalog, ours: Catalog) -> None:
    names = [f"paged_{number:03}" for number in range(7)]
    for name in names:
        ours.create_database(name)
    assert pages(catalog, "list_databases_paged", database_name_pattern="paged%") == [
        names[:3],
        names[3:6],
        names[6:],
    ]
    # All of them come back in one list, whatever the size of a page.
    assert set(names) <= set(catalog.call("list_databases"))
    for name in names:
        ours.drop_database(name)


# --- tables ---

TYPES = (
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT NOT NULL",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(10, 2)",
    "STRING",
    "CHAR(3)",
    "VARCHAR(20)",
    "BYTES",
    "BINARY(4)",
    "VARBINARY(9)",
    "DATE",
    "TIME(3)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6) WITH LOCAL TIME ZONE",
)
NESTED = (
    {"type": "ARRAY", "element": "INT"},
    {"type": "MAP", "key": "STRING", "value": "DOUBLE"},
    {
        "type": "ROW",
        "fields": [
            {"id": 30, "name": "x", "type": "INT NOT NULL"},
            {"id": 31, "name": "y", "type": {"type": "ARRAY", "element": "STRING"}},
        ],
    },
)


def test_a_table_of_every_type_comes_back_as_it_was_created(
    catalog: PyPaimonCatalog, database: str, ours: Catalog
) -> None:
    fields: list[dict[str, Any]] = [
        {"id": number, "name": f"c{number}", "type": text} for number, text in enumerate((*TYPES, *NESTED))
    ]
    fields[0]["description"] = "yes or no"
    form = {"fields": fields, "partitionKeys": ["c8"], "options": FORMAT_TABLE, "comment": "all"}
    catalog.call("create_table", table(database, "t"), {":schema": form}, False)
    answer = catalog.call("get_table", table(database, "t"))
    declared = [(field["name"], field["type"]) for field in answer["fields"]]
    assert len(declared) == len(fields)
    assert [kind["type"] for kind in (declared[18][1], declared[19][1], declared[20][1])] == [
        "ARRAY",
        "MAP",
        "ROW",
    ]
    assert answer["fields"][0]["description"] == "yes or no"
    assert (answer["format"], answer["partitionKeys"], answer["comment"]) == ("parquet", ["c8"], "all")
    # Type by type as we understand them.
    stored = ours.load_table_info(f"{database}.t").schema
    assert [str(field.type) for field in stored.fields[: len(TYPES)]] == list(TYPES)
    assert answer["location"] == ours.load_table_info(f"{database}.t").location


def test_tables_that_exist_or_not_are_told_apart(catalog: PyPaimonCatalog, database: str) -> None:
    catalog.call("create_table", table(database, "t"), schema("a INT"), False)
    with pytest.raises(PeerError, match="TableAlreadyExistException"):
        catalog.call("create_table", table(database, "t"), schema("a INT"), False)
    catalog.call("create_table", table(database, "t"), schema("a INT"), True)
    missing = table(database, "none")
    for method, *arguments in (
        ("get_table", missing),
        ("drop_table", missing, False),
        ("rename_table", missing, table(database, "new")),
        ("alter_table", missing, [change("set_option", "k", "v")]),
        ("list_partitions_paged", missing),
        ("create_partitions", missing, [{"dt": "1"}]),
        ("load_snapshot", missing),
        ("list_branches", missing),
        ("list_tags_paged", missing),
    ):
        with pytest.raises(PeerError, match="TableNotExistException"):
            catalog.call(method, *arguments)
    catalog.call("drop_table", missing, True)
    catalog.call("alter_table", missing, [change("set_option", "k", "v")], True)


def test_tables_are_listed_in_pages_by_pattern_and_type(
    catalog: PyPaimonCatalog, database: str, ours: Catalog
) -> None:
    names = [f"t{number}" for number in range(7)]
    for name in [*names, "other"]:
        ours.create_table(f"{database}.{name}", pa.schema([("a", pa.int32())]), options=FORMAT_TABLE)
    assert catalog.call("list_tables", database) == ["other", *names]
    listed = pages(catalog, "list_tables_paged", database, table_name_pattern="t%")
    assert listed == [names[:3], names[3:6], names[6:]]
    assert pages(catalog, "list_tables_paged", database, size=4) == [["other", *names[:3]], names[3:]]
    assert pages(catalog, "list_tables_paged", database, table_type="table") == [[]]
    by_type = pages(catalog, "list_tables_paged", database, table_type="format-table", size=100)
    assert by_type == [["other", *names]]


def test_a_table_is_renamed_and_dropped(catalog: PyPaimonCatalog, database: str, ours: Catalog) -> None:
    for name in ("old", "taken"):
        catalog.call("create_table", table(database, name), schema("a INT"), False)
    with pytest.raises(PeerError, match="TableAlreadyExistException"):
        catalog.call("rename_table", table(database, "old"), table(database, "taken"))
    catalog.call("rename_table", table(database, "old"), table(database, "new"))
    assert ours.list_tables(database) == ["new", "taken"]
    location = Path(local_path(catalog.call("get_table", table(database, "new"))["location"]))
    assert location.is_dir()
    catalog.call("drop_table", table(database, "new"), False)
    assert ours.list_tables(database) == ["taken"]
    assert not location.exists()


def test_every_change_of_a_table_arrives(catalog: PyPaimonCatalog, database: str, ours: Catalog) -> None:
    name = table(database, "t")
    catalog.call("create_table", name, schema("a INT NOT NULL", "b STRING", "c INT"), False)

    def alter(*changes: Any) -> list[str]:
        catalog.call("alter_table", name, list(changes))
        return [f"{field['name']} {field['type']}" for field in catalog.call("get_table", name)["fields"]]

    assert alter(change("set_option", "k", "v"), change("set_option", "l", "w")) == [
        "a INT NOT NULL",
        "b STRING",
        "c INT",
    ]
    assert catalog.call("get_table", name)["options"].items() >= {"k": "v", "l": "w"}.items()
    alter(change("remove_option", "k"), change("update_comment", "noted"))
    assert "k" not in ours.load_table_info(f"{database}.t").schema.options
    assert catalog.call("get_table", name)["comment"] == "noted"
    assert alter(change("add_column", "d", kind("DOUBLE"), "new")) == [
        "a INT NOT NULL",
        "b STRING",
        "c INT",
        "d DOUBLE",
    ]
    assert alter(change("rename_column", "d", "e"))[3] == "e DOUBLE"
    assert len(alter(change("drop_column", "e"))) == 3
    assert alter(change("update_column_type", "c", kind("BIGINT")))[2] == "c BIGINT"
    assert alter(change("update_column_nullability", "a", True))[0] == "a INT"
    alter(change("update_column_comment", "a", "about a"))
    assert catalog.call("get_table", name)["fields"][0]["description"] == "about a"
    with pytest.raises(PeerError, match="NotImplementedException.*no default values"):
        alter(change("update_column_default_value", ["b"], "x"))
    # This pypaimon cannot write the place of a column as JSON, so that no such request is sent.
    with pytest.raises(PeerError, match="build request failed"):
        alter(change("update_column_position", {":move": ["first", "c"]}))


def test_changes_that_do_not_fit_are_refused_and_nothing_changes(
    catalog: PyPaimonCatalog, database: str, ours: Catalog
) -> None:
    name = table(database, "t")
    catalog.call("create_table", name, schema("a INT", "b STRING"), False)
    before = ours.load_table_info(f"{database}.t").schema
    refused = {
        # pypaimon takes every 404 of an ALTER for a missing table.
        "TableNotExistException": [change("rename_column", "none", "x")],
        "AlreadyExistsException": [change("set_option", "k", "v"), change("add_column", "b", kind("INT"))],
        "BadRequestException": [
            change("set_option", "k", "v"),
            change("set_option", "csv.include-header", "x"),
        ],
        "NotImplementedException": [
            change("set_option", "k", "v"),
            change("update_column_type", "b", kind("INT")),
        ],
    }
    for error, changes in refused.items():
        with pytest.raises(PeerError, match=error):
            catalog.call("alter_table", name, changes)
    assert ours.load_table_info(f"{database}.t").schema == before


def test_what_no_format_table_can_be_is_refused(catalog: PyPaimonCatalog, database: str) -> None:
    with pytest.raises(PeerError, match="NotImplementedException"):
        catalog.call("create_table", table(database, "t"), schema("a INT", type="table"), False)
    with pytest.raises(PeerError, match="NoSuchResourceException.*none"):
        catalog.call("create_table", table("none", "t"), schema("a INT"), False)
    with pytest.raises(PeerError, match="BadRequestException"):
        catalog.call("create_table", table(database, "t"), schema("a INT", partitioned_by="b"), False)
    assert catalog.call("list_tables", database) == []


@pytest.mark.parametrize("name", ["a b", "a+b", "ü€😀", "a%2Fb", "a&b=c?d#e", 'it\'s "q"', "a.b", "null"])
def test_names_arrive_as_they_are(catalog: PyPaimonCatalog, ours: Catalog, name: str) -> None:
    catalog.call("create_database", name, False)
    catalog.call("create_table", table(name, name), schema("a INT"), False)
    assert name in catalog.call("list_databases")
    assert catalog.call("get_database", name)["name"] == name
    assert catalog.call("list_tables", name) == [name] == ours.list_tables(name)
    location = catalog.call("get_table", table(name, name))["location"]
    assert Path(local_path(location)).is_dir()
    catalog.call("drop_table", table(name, name), False)
    catalog.call("drop_database", name)
    assert name not in ours.list_databases()


@pytest.mark.parametrize("name", ["../up", "a/b", "..", "a\\b", "a\x00b"])
def test_names_that_are_paths_are_refused(catalog: PyPaimonCatalog, database: str, name: str) -> None:
    with pytest.raises(PeerError, match="BadRequestException"):
        catalog.call("create_database", name, False)
    with pytest.raises(PeerError, match="BadRequestException"):
        catalog.call("create_table", table(database, name), schema("a INT"), False)
    with pytest.raises(PeerError, match="DatabaseNotExistException"):
        catalog.call("get_database", name)
    with pytest.raises(PeerError, match="TableNotExistException"):
        catalog.call("get_table", table(database, name))


# --- what format tables do not have ---


def test_lists_of_what_is_not_there_are_empty(catalog: PyPaimonCatalog, database: str) -> None:
    name = table(database, "t")
    catalog.call("create_table", name, schema("a INT"), False)
    assert catalog.call("list_branches", name) == []
    assert catalog.call("list_functions", database) == []
    empty = {"elements": [], "next": None}
    assert catalog.call("list_tags_paged", name) == empty
    assert catalog.call("list_functions_paged", database) == empty
    assert catalog.call("list_function_details_paged", database) == empty
    assert catalog.call("list_functions_paged_globally") == empty
    assert catalog.call("load_snapshot", name) is None
    with pytest.raises(PeerError, match="FunctionNotExistException"):
        catalog.call("get_function", table(database, "f"))
    with pytest.raises(PeerError, match="TagNotExistException"):
        catalog.call("get_tag", name, "v1")
    with pytest.raises(PeerError, match="TagNotExistException"):
        catalog.call("delete_tag", name, "v1")
    for method, *arguments in (
        ("drop_branch", name, "b"),
        ("rename_branch", name, "b", "c"),
        ("fast_forward", name, "b"),
    ):
        with pytest.raises(PeerError, match="BranchNotExistException"):
            catalog.call(method, *arguments)


def test_what_is_not_built_says_so(catalog: PyPaimonCatalog, database: str) -> None:
    name = table(database, "t")
    catalog.call("create_table", name, schema("a INT"), False)
    for method, *arguments in (
        ("create_tag", name, "v1"),
        ("create_branch", name, "b"),
        ("rollback_to", name, {":instant": {"type": "snapshot", "snapshotId": 1}}),
        ("create_function", table(database, "f"), {":function": [database, "f"]}),
    ):
        with pytest.raises(PeerError, match="NotImplementedException"):
            catalog.call(method, *arguments)
    with pytest.raises(PeerError, match="NotImplementedError"):
        catalog.call("auth_table_query", name, ["a"])
    with pytest.raises(PeerError, match="NotImplementedException"):
        catalog.call("load_table_token", name, api=True)


def test_system_tables_and_branches_are_not_tables(catalog: PyPaimonCatalog, database: str) -> None:
    catalog.call("create_table", table(database, "t"), schema("a INT"), False)
    with pytest.raises(PeerError, match="TableNotExistException"):
        catalog.call("get_table", table(database, "t$branch_b"))
    with pytest.raises(PeerError, match="BadRequestException"):
        catalog.call("create_table", table(database, "t$x"), schema("a INT"), False)
