"""Paimon's own Java client works with our server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.catalog.models import Identifier
from spark_paimon.catalog.wire.changes import changes_from_json, changes_to_json
from spark_paimon.catalog.wire.filters import filter_from_json, filter_to_json
from spark_paimon.partition import predicate as nodes
from spark_paimon.partition.predicate import And, Comparison, In, IsNull, Not, Or, Predicate
from spark_paimon.schema import (
    BooleanType,
    DateType,
    DecimalType,
    Field,
    IntType,
    StringType,
    TimestampType,
)
from tests.peers import paimon_java
from tests.peers.java_calls import (
    CHANGES,
    FIELDS,
    MANAGED,
    RECORD,
    comparable,
    java_options,
    record,
    schema,
)
from tests.peers.paimon_java import PaimonRest, PeerError
from tests.servers import Server, rest_server


@pytest.fixture(scope="module", autouse=True)
def _paimon() -> None:
    reason = paimon_java.available(paimon_java.REST)
    if reason is not None:
        pytest.skip(f"Apache Paimon {paimon_java.VERSION} cannot be had: {reason}")


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("java") / "warehouse"


@pytest.fixture(scope="module")
def server(warehouse: Path) -> Iterator[Server]:
    with rest_server(warehouse) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Server, warehouse: Path) -> Iterator[PaimonRest]:
    with PaimonRest(java_options(server.uri, server.options, warehouse)) as running:
        yield running


@pytest.fixture(scope="module")
def ours(server: Server) -> Iterator[Catalog]:
    with load_catalog(server.options) as catalog:
        yield catalog


@pytest.fixture
def database(client: PaimonRest, request: pytest.FixtureRequest) -> Iterator[str]:
    name = f"db_{abs(hash(request.node.nodeid))}"
    client.call("createDatabase", database=name, ignore=False, options={})
    yield name
    client.call("dropDatabase", database=name, ignore=True, cascade=True)


def refusal(client: PaimonRest, action: str, **arguments: Any) -> str:
    """The first line of what the client throws."""
    with pytest.raises(PeerError) as caught:
        client.call(action, **arguments)
    return str(caught.value).splitlines()[0]


class TestHandshake:
    def test_the_prefix_is_taken_over(self, client: PaimonRest) -> None:
        assert client.options["prefix"] == "paimon"

    def test_a_wrong_token_is_not_authorised(self, server: Server, warehouse: Path) -> None:
        with pytest.raises(PeerError, match="NotAuthorizedException"):
            PaimonRest({**java_options(server.uri, server.options, warehouse), "token": "wrong"})

    def test_another_warehouse_is_missing(self, server: Server, tmp_path: Path) -> None:
        with pytest.raises(PeerError, match="NoSuchResourceException"):
            PaimonRest(java_options(server.uri, server.options, tmp_path))

    def test_no_warehouse_has_to_be_named(self, server: Server, warehouse: Path) -> None:
        options = java_options(server.uri, server.options, warehouse)
        del options["warehouse"]
        with PaimonRest(options) as running:
            assert "default" in running.call("listDatabases")


class TestDatabases:
    def test_life(self, client: PaimonRest, ours: Catalog) -> None:
        options = {"k": "v", "comment": "sites"}
        client.call("createDatabase", database="größe 1", ignore=False, options=options)
        assert ours.get_database("größe 1").comment == "sites"
        found = client.call("getDatabase", database="größe 1")
        assert (found["comment"], found["options"]["k"]) == ("sites", "v")
        client.call("alterDatabase", database="größe 1", ignore=False, set={"n": "1"}, remove=["k"])
        assert client.call("getDatabase", database="größe 1")["options"]["n"] == "1"
        assert "k" not in client.call("getDatabase", database="größe 1")["options"]
        client.call("dropDatabase", database="größe 1", ignore=False, cascade=False)
        assert "größe 1" not in client.call("listDatabases")

    def test_refusals(self, client: PaimonRest, database: str) -> None:
        again = refusal(client, "createDatabase", database=database, ignore=False, options={})
        assert "DatabaseAlreadyExistException" in again
        assert "DatabaseNotExistException" in refusal(client, "getDatabase", database="missing")
        assert "DatabaseNotExistException" in refusal(client, "listTables", database="missing")
        change = {"database": "missing", "ignore": False, "set": {"a": "b"}, "remove": []}
        assert "DatabaseNotExistException" in refusal(client, "alterDatabase", **change)
        client.call("createTable", database=database, table="t", ignore=False, schema=schema())
        full = refusal(client, "dropDatabase", database=database, ignore=False, cascade=False)
        assert "DatabaseNotEmptyException" in full

    def test_pages(self, client: PaimonRest, database: str) -> None:
        found, token = [], None
        while True:
            page = client.call("listDatabasesPaged", maxResults=1, pageToken=token)
            found += page["elements"]
            token = page["nextPageToken"]
            if token is None:
                break
        assert found == client.call("listDatabases")
        matching = client.call("listDatabasesPaged", maxResults=9, pattern=database[:-1] + "%")
        assert matching["elements"] == [database]


class TestTables:
    def test_a_definition_comes_back_as_it_was_given(self, client: PaimonRest, database: str) -> None:
        given = schema(**{"csv.field-delimiter": ";"})
        client.call("createTable", database=database, table="two words", ignore=False, schema=given)
        found = client.call("getTable", database=database, table="two words")
        assert found["isFormatTable"]
        assert found["fields"] == FIELDS
        assert found["partitionKeys"] == ["dt", "hh"]
        assert found["comment"] == "visits"
        assert given["options"].items() <= found["options"].items()
        assert found["location"].endswith("/two words")

    def test_names_pages_and_details(self, client: PaimonRest, database: str, ours: Catalog) -> None:
        for name in ("a1", "a2", "b"):
            client.call("createTable", database=database, table=name, ignore=False, schema=schema())
        assert client.call("listTables", database=database) == ["a1", "a2", "b"]
        page = client.call("listTablesPaged", database=database, maxResults=1, pattern="a%")
        assert (page["elements"], page["nextPageToken"] is None) == (["a1"], False)
        rest = client.call(
            "listTablesPaged",
            database=database,
            maxResults=1,
            pattern="a%",
            type="format-table",
            pageToken=page["nextPageToken"],
        )
        assert (rest["elements"], rest["nextPageToken"]) == (["a2"], None)
        details = client.call("listTableDetailsPaged", database=database, maxResults=9, pattern="b%")
        assert [entry["fields"] for entry in details["elements"]] == [FIELDS]
        everywhere = client.call(
            "listTablesPagedGlobally", databasePattern=database, pattern="a%", maxResults=9
        )
        assert everywhere["elements"] == [f"{database}.a1", f"{database}.a2"]
        by_id = ours.load_table_info(Identifier(database, "b")).uuid
        assert client.call("getTableById", id=by_id)["name"] == f"{database}.b"

    def test_refusals(self, client: PaimonRest, database: str) -> None:
        table = {"database": database, "table": "t"}
        client.call("createTable", **table, ignore=False, schema=schema())
        assert "TableAlreadyExistException" in refusal(
            client, "createTable", **table, ignore=False, schema=schema()
        )
        client.call("createTable", **table, ignore=True, schema=schema())
        missing = {"database": database, "table": "missing"}
        assert "TableNotExistException" in refusal(client, "getTable", **missing)
        assert "TableNotExistException" in refusal(client, "dropTable", **missing, ignore=False)
        client.call("dropTable", **missing, ignore=True)
        assert "TableIdNotExistException" in refusal(client, "getTableById", id="missing")
        nowhere = {"database": "missing", "table": "t", "ignore": False, "schema": schema()}
        assert "DatabaseNotExistException" in refusal(client, "createTable", **nowhere)

    def test_rename(self, client: PaimonRest, database: str) -> None:
        for name in ("a", "b"):
            client.call("createTable", database=database, table=name, ignore=False, schema=schema())
        rename = {"database": database, "ignore": False}
        taken = refusal(client, "renameTable", **rename, table="a", newName="b")
        assert "TableAlreadyExistException" in taken
        gone = refusal(client, "renameTable", **rename, table="x", newName="y")
        assert "TableNotExistException" in gone
        client.call("renameTable", **rename, table="a", newName="c")
        assert client.call("listTables", database=database) == ["b", "c"]


class TestChanges:
    def test_each_change_arrives(self, client: PaimonRest, database: str) -> None:
        table = {"database": database, "table": "t"}
        client.call("createTable", **table, ignore=False, schema=schema())
        for change in CHANGES:
            client.call("alterTable", **table, ignore=False, changes=[change])
        found = client.call("getTable", **table)
        assert [field["name"] for field in found["fields"]] == [
            "first",
            "id",
            "m",
            *(field["name"] for field in FIELDS[1:]),
        ]
        place = next(field["type"] for field in found["fields"] if field["name"] == "place")
        assert [field["name"] for field in place["fields"]] == ["city", "points"]
        assert "description" not in place["fields"][0]
        assert found["options"]["file.compression"] == "zstd"
        assert "k" not in found["options"]
        assert found["comment"] is None

    def test_what_we_write_is_what_the_client_reads_and_writes(self, client: PaimonRest) -> None:
        for change in CHANGES:
            (again,) = changes_to_json(changes_from_json([change]))
            assert json.loads(client.call("change", change=again)) == again

    def test_refusals(self, client: PaimonRest, database: str) -> None:
        table = {"database": database, "table": "t", "ignore": False}
        client.call("createTable", **table, schema=schema())

        def refused(change: dict[str, Any], name: str = "t") -> str:
            return refusal(client, "alterTable", **{**table, "table": name}, changes=[change])

        assert "TableNotExistException" in refused(CHANGES[0], "missing")
        gone = refused({"action": "dropColumn", "fieldNames": ["missing"]})
        assert "ColumnNotExistException" in gone
        there = refused({"action": "addColumn", "fieldNames": ["id"], "dataType": "INT"})
        assert "ColumnAlreadyExistException" in there
        default = {"action": "updateColumnDefaultValue", "fieldNames": ["id"], "newDefaultValue": "5"}
        assert "UnsupportedOperationException" in refused(default)
        assert "default values" in refused(default)
        assert "UnsupportedOperationException" in refused({"action": "dropPrimaryKey"})

    def test_all_or_nothing(self, client: PaimonRest, database: str) -> None:
        table = {"database": database, "table": "t", "ignore": False}
        client.call("createTable", **table, schema=schema())
        changes = [CHANGES[0], {"action": "dropColumn", "fieldNames": ["missing"]}]
        refusal(client, "alterTable", **table, changes=changes)
        assert "k" not in client.call("getTable", database=database, table="t")["options"]


class TestPartitions:
    @pytest.fixture
    def days(self, client: PaimonRest, ours: Catalog, database: str) -> dict[str, Any]:
        """A table with the partitions of three days."""
        table = {"database": database, "table": "days"}
        client.call("createTable", **table, ignore=False, schema=schema(**MANAGED))
        specs = [{"dt": dt, "hh": "1"} for dt in ("2024-01-31", "2024-02-01", "a b:c")]
        ours.create_partitions(Identifier(database, "days"), specs)
        return table

    def test_listing(self, client: PaimonRest, days: dict[str, Any]) -> None:
        found = client.call("listPartitions", **days)
        assert [entry["spec"]["dt"] for entry in found] == ["2024-01-31", "2024-02-01", "a b:c"]
        assert {entry["recordCount"] for entry in found} == {-1}
        assert {entry["done"] for entry in found} == {False}

    def test_pages_and_patterns(self, client: PaimonRest, days: dict[str, Any]) -> None:
        first = client.call("listPartitionsPaged", **days, maxResults=2)
        rest = client.call("listPartitionsPaged", **days, maxResults=2, pageToken=first["nextPageToken"])
        names = [entry["spec"]["dt"] for entry in (*first["elements"], *rest["elements"])]
        assert sorted(names) == ["2024-01-31", "2024-02-01", "a b:c"]
        assert rest["nextPageToken"] is None
        for pattern, expected in (
            ("dt=2024-0%", ["2024-01-31", "2024-02-01"]),
            ("dt=2024-01-31/hh=1", ["2024-01-31"]),
            ("dt=x%", []),
        ):
            page = client.call("listPartitionsPaged", **days, maxResults=9, pattern=pattern)
            assert [entry["spec"]["dt"] for entry in page["elements"]] == expected

    def test_by_names_and_done(self, client: PaimonRest, days: dict[str, Any]) -> None:
        wanted = [{"hh": "1", "dt": "a b:c"}, {"dt": "none", "hh": "0"}]
        (found,) = client.call("listPartitionsByNames", **days, specs=wanted)
        assert found["spec"] == {"dt": "a b:c", "hh": "1"}
        client.call("markDonePartitions", **days, specs=wanted[:1])
        (found,) = client.call("listPartitionsByNames", **days, specs=wanted)
        assert found["done"]

    def test_of_a_table_that_is_not_managed(self, client: PaimonRest, database: str) -> None:
        table = {"database": database, "table": "t"}
        client.call("createTable", **table, ignore=False, schema=schema())
        # The client takes 501 as the sign to list directories.
        assert client.call("listPartitions", **table) == []

    def test_of_a_missing_table(self, client: PaimonRest, database: str) -> None:
        missing = {"database": database, "table": "missing"}
        assert "TableNotExistException" in refusal(client, "listPartitions", **missing)


class TestOthers:
    def test_there_are_no_views_functions_and_snapshots(self, client: PaimonRest, database: str) -> None:
        client.call("createTable", database=database, table="t", ignore=False, schema=schema())
        assert client.call("listViews", database=database) == []
        assert client.call("listFunctions", database=database) == []
        assert "ViewNotExistException" in refusal(client, "getView", database=database, table="v")
        assert "FunctionNotExistException" in refusal(client, "getFunction", database=database, table="f")
        assert client.call("loadSnapshot", database=database, table="t") is False


class TestFilters:
    """Filters as Java reads them and, where this version of it can, as it writes them."""

    KEYS = (
        Field(0, "dt", StringType()),
        Field(1, "hh", IntType()),
        Field(2, "ok", BooleanType()),
        Field(3, "day", DateType()),
        Field(4, "at", TimestampType(6)),
        Field(5, "d", DecimalType(10, 2)),
    )

    @pytest.mark.parametrize(
        "predicate",
        [
            Comparison("=", "dt", "ß"),
            Not(Comparison("=", "dt", "x")),
            Comparison("like", "dt", r"a\%b%"),
            Comparison("contains", "dt", '"'),
            Or((IsNull("dt"), And((Comparison("<", "hh", 5), Not(IsNull("hh")))))),
            In("hh", frozenset((1, 2)), True),
            Not(In("hh", frozenset((1, 2)))),
            Comparison("=", "ok", True),
            nodes.Constant(False),
        ],
    )
    def test_what_we_write_is_read(self, client: PaimonRest, predicate: Predicate) -> None:
        text = filter_to_json(predicate, self.KEYS)
        assert text is not None
        assert json.loads(client.call("filter", filter=text)) == json.loads(text)

    @pytest.mark.parametrize(
        ("at", "value", "expected"),
        [
            (0, "ab", "ab"),
            (1, "7", 7),
            (2, "true", True),
            (3, "2022-01-08", 19_000),
            (4, "2023-11-14 22:13:20.123456", 1_700_000_000_123_456),
            (5, "1.50", Decimal("1.50")),
        ],
    )
    def test_what_is_written_is_read_by_us(
        self, client: PaimonRest, at: int, value: str, expected: Any
    ) -> None:
        fields = [field.to_json() for field in self.KEYS]
        text = client.call("equality", fields=fields, index=at, value=value)
        assert filter_from_json(text, self.KEYS) == Comparison("=", self.KEYS[at].name, expected)


def test_the_record_of_requests_is_what_this_client_sends(tmp_path: Path) -> None:
    recorded = json.loads(RECORD.read_text("utf-8"))
    sent = record(tmp_path)
    assert [comparable(exchange) for exchange in sent] == [comparable(exchange) for exchange in recorded]
