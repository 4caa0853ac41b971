"""Calls of Paimon's Java client that send every request it has for format tables, and the record of them.

``python -m tests.peers.java_calls`` writes the record anew, after a change of the calls or of Paimon.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from spark_paimon.catalog import load_catalog
from spark_paimon.catalog.models import Identifier
from tests.peers.paimon_java import PaimonRest, PeerError
from tests.peers.recorder import Recorder
from tests.servers import rest_server

RECORD = Path(__file__).parents[1] / "unit" / "catalog" / "wire" / "recorded_requests.json"

#: What stands in the record for something that is another in each run.
WAREHOUSE, TABLE_ID = "{warehouse}", "{table-id}"

FIELDS: list[dict[str, Any]] = [
    {"id": 0, "name": "id", "type": "BIGINT", "description": "number of the visit"},
    {"id": 1, "name": "price", "type": "DECIMAL(10, 2)"},
    {"id": 2, "name": "at", "type": "TIMESTAMP(6)"},
    {"id": 3, "name": "seen", "type": "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
    {"id": 4, "name": "code", "type": "CHAR(3)"},
    {"id": 5, "name": "raw", "type": "BYTES"},
    {"id": 6, "name": "tags", "type": {"type": "ARRAY", "element": "STRING"}},
    {"id": 7, "name": "counts", "type": {"type": "MAP", "key": "STRING NOT NULL", "value": "INT"}},
    {
        "id": 8,
        "name": "place",
        "type": {
            "type": "ROW",
            "fields": [
                {"id": 9, "name": "city", "type": "STRING", "description": "where"},
                {"id": 10, "name": "points", "type": {"type": "ARRAY", "element": "DOUBLE"}},
            ],
        },
    },
    {"id": 11, "name": "dt", "type": "STRING"},
    {"id": 12, "name": "hh", "type": "INT"},
]


def schema(**options: str) -> dict[str, Any]:
    """A format table of all kinds of types, partitioned by two columns."""
    return {
        "fields": FIELDS,
        "partitionKeys": ["dt", "hh"],
        "primaryKeys": [],
        "options": {"type": "format-table", "file.format": "parquet", **options},
        "comment": "visits",
    }


MANAGED = {"metastore.partitioned-table": "true"}

#: Each change once, in an order in which all of them work.
CHANGES: list[dict[str, Any]] = [
    {"action": "setOption", "key": "k", "value": "v"},
    {"action": "setOption", "key": "file.compression", "value": "zstd"},
    {"action": "removeOption", "key": "k"},
    {"action": "updateComment", "comment": "all visits"},
    {"action": "updateComment", "comment": None},
    {"action": "addColumn", "fieldNames": ["n"], "dataType": "INT", "comment": "new", "move": None},
    {
        "action": "addColumn",
        "fieldNames": ["m"],
        "dataType": {"type": "ARRAY", "element": "INT"},
        "comment": None,
        "move": {"fieldName": "m", "referenceFieldName": "id", "type": "AFTER"},
    },
    {
        "action": "addColumn",
        "fieldNames": ["first"],
        "dataType": "DATE",
        "comment": None,
        "move": {"fieldName": "first", "referenceFieldName": None, "type": "FIRST"},
    },
    {
        "action": "addColumn",
        "fieldNames": ["place", "zip"],
        "dataType": "STRING",
        "comment": None,
        "move": None,
    },
    {"action": "renameColumn", "fieldNames": ["n"], "newName": "number"},
    {"action": "renameColumn", "fieldNames": ["place", "zip"], "newName": "code"},
    {
        "action": "updateColumnType",
        "fieldNames": ["number"],
        "newDataType": "BIGINT",
        "keepNullability": True,
    },
    {"action": "updateColumnNullability", "fieldNames": ["id"], "newNullability": True},
    {"action": "updateColumnComment", "fieldNames": ["number"], "newComment": "renamed"},
    {"action": "updateColumnComment", "fieldNames": ["place", "city"], "newComment": None},
    {
        "action": "updateColumnPosition",
        "move": {"fieldName": "number", "referenceFieldName": None, "type": "FIRST"},
    },
    {
        "action": "updateColumnPosition",
        "move": {"fieldName": "number", "referenceFieldName": "id", "type": "AFTER"},
    },
    {
        "action": "updateColumnPosition",
        "move": {"fieldName": "number", "referenceFieldName": None, "type": "LAST"},
    },
    {"action": "dropColumn", "fieldNames": ["place", "code"]},
    {"action": "dropColumn", "fieldNames": ["number"]},
]

_WEB: dict[str, Any] = {"database": "web"}
_VISITS: dict[str, Any] = {**_WEB, "table": "visits"}
_DAYS: dict[str, Any] = {**_WEB, "table": "days"}
_SPECS = [{"dt": "2024-01-31", "hh": "1"}, {"dt": "2024-02-01", "hh": "7"}]
#: Partitions of the table `days` before the calls about them; this client cannot make any.
PARTITIONS = [*_SPECS, {"dt": "a b:c", "hh": "1"}]

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("listDatabases", {}),
    ("createDatabase", {**_WEB, "ignore": False, "options": {"k": "v", "comment": "sites"}}),
    ("createDatabase", {**_WEB, "ignore": False, "options": {}}),
    ("createDatabase", {"database": "größe 1", "ignore": True, "options": {}}),
    ("listDatabasesPaged", {"maxResults": 1}),
    ("listDatabasesPaged", {"maxResults": 1, "pageToken": "default", "pattern": "w%"}),
    ("getDatabase", _WEB),
    ("getDatabase", {"database": "größe 1"}),
    ("getDatabase", {"database": "missing"}),
    ("alterDatabase", {**_WEB, "ignore": False, "set": {"owner": "me", "n": "1"}, "remove": ["k", "x"]}),
    ("createTable", {**_VISITS, "ignore": False, "schema": schema()}),
    ("createTable", {**_VISITS, "ignore": False, "schema": schema()}),
    ("createTable", {"database": "missing", "table": "t", "ignore": False, "schema": schema()}),
    ("createTable", {**_DAYS, "ignore": False, "schema": schema(**MANAGED)}),
    ("createTable", {**_WEB, "table": "two words", "ignore": False, "schema": schema()}),
    ("listTables", _WEB),
    ("listTables", {"database": "missing"}),
    ("listTablesPaged", {**_WEB, "maxResults": 1, "pattern": "v%", "type": "format-table"}),
    ("listTablesPaged", {**_WEB, "maxResults": 1}),
    ("listTablesPaged", {**_WEB, "maxResults": 1, "pageToken": "days"}),
    ("listTableDetailsPaged", {**_WEB, "maxResults": 10, "pattern": "vis%"}),
    ("listTablesPagedGlobally", {"databasePattern": "web", "pattern": "vis%", "maxResults": 10}),
    ("getTable", _VISITS),
    ("getTable", {**_WEB, "table": "two words"}),
    ("getTable", {**_WEB, "table": "missing"}),
    ("getTableById", {"id": TABLE_ID}),
    ("getTableById", {"id": "missing"}),
    *(("alterTable", {**_VISITS, "ignore": False, "changes": [change]}) for change in CHANGES),
    ("alterTable", {**_VISITS, "ignore": False, "changes": [CHANGES[1], CHANGES[3]]}),
    ("alterTable", {**_WEB, "table": "missing", "ignore": False, "changes": [CHANGES[0]]}),
    (
        "alterTable",
        {**_VISITS, "ignore": False, "changes": [{"action": "dropColumn", "fieldNames": ["missing"]}]},
    ),
    (
        "alterTable",
        {
            **_VISITS,
            "ignore": False,
            "changes": [{"action": "addColumn", "fieldNames": ["id"], "dataType": "INT"}],
        },
    ),
    (
        "alterTable",
        {
            **_VISITS,
            "ignore": False,
            "changes": [{"action": "updateColumnDefaultValue", "fieldNames": ["id"], "newDefaultValue": "5"}],
        },
    ),
    ("alterTable", {**_VISITS, "ignore": False, "changes": [{"action": "dropPrimaryKey"}]}),
    ("renameTable", {**_VISITS, "newName": "days", "ignore": False}),
    ("renameTable", {**_WEB, "table": "missing", "newName": "t", "ignore": False}),
    ("renameTable", {**_VISITS, "newName": "hits", "ignore": False}),
    ("listPartitions", _DAYS),
    ("listPartitions", {**_WEB, "table": "hits"}),
    ("listPartitionsPaged", {**_DAYS, "maxResults": 1}),
    ("listPartitionsPaged", {**_DAYS, "maxResults": 5, "pattern": "dt=2024-0%"}),
    ("listPartitionsPaged", {**_DAYS, "maxResults": 5, "pattern": "dt=2024-01-31/hh=1"}),
    ("listPartitionsByNames", {**_DAYS, "specs": [*_SPECS, {"dt": "none", "hh": "0"}]}),
    ("markDonePartitions", {**_DAYS, "specs": _SPECS[:1]}),
    ("loadSnapshot", {**_WEB, "table": "hits"}),
    ("listViews", _WEB),
    ("listFunctions", _WEB),
    ("getView", {**_WEB, "table": "missing"}),
    ("getFunction", {**_WEB, "table": "count"}),
    ("dropTable", {**_WEB, "table": "hits", "ignore": False}),
    ("dropTable", {**_WEB, "table": "hits", "ignore": False}),
    ("dropDatabase", {**_WEB, "ignore": False, "cascade": False}),
    ("dropDatabase", {**_WEB, "ignore": False, "cascade": True}),
    ("dropDatabase", {**_WEB, "ignore": False, "cascade": True}),
]


def prepare(options: Mapping[str, str], action: str) -> str | None:
    """What has to be there before the first call of some action; gives the id of the table ``web.visits``."""
    with load_catalog(dict(options)) as catalog:
        if action == "listPartitions":
            catalog.create_partitions(Identifier("web", "days"), PARTITIONS)
        return catalog.load_table_info(Identifier("web", "visits")).uuid if action == "getTableById" else None


def record(folder: Path) -> list[dict[str, Any]]:
    """All requests that the calls send, with the status of our server's answers."""
    warehouse = folder / "warehouse"
    with (
        rest_server(warehouse) as server,
        Recorder(server.uri) as recorder,
        PaimonRest(java_options(recorder.uri, server.options, warehouse)) as client,
    ):
        prepared: set[str] = set()
        table_id = None
        for action, arguments in CALLS:
            if action in ("listPartitions", "getTableById") and action not in prepared:
                prepared.add(action)
                table_id = prepare(server.options, action) or table_id
            given = {**arguments, "id": table_id} if arguments.get("id") == TABLE_ID else arguments
            # Refusals are part of the record, by their status.
            with suppress(PeerError):
                client.call(action, **given)
        known = {quote_plus(quote_plus(f"file:{warehouse}")): WAREHOUSE, str(table_id): TABLE_ID}
    result = [asdict(exchange) for exchange in recorder.exchanges]
    for exchange in result:
        for text, name in known.items():
            exchange["path"] = exchange["path"].replace(text, name)
    return result


def comparable(exchange: Mapping[str, Any]) -> dict[str, Any]:
    """An exchange for which ``==`` means the same request: the order of parameters and removals is free."""
    path, _, query = str(exchange["path"]).partition("?")
    result = {**exchange, "path": path, "query": sorted(query.split("&"))}
    if isinstance(exchange["body"], dict) and "removals" in exchange["body"]:
        result["body"] = {**exchange["body"], "removals": sorted(exchange["body"]["removals"])}
    return result


def java_options(uri: str, options: Mapping[str, str], warehouse: Path) -> dict[str, str]:
    """Options of Paimon's Java client for one of our servers."""
    return {
        "uri": uri,
        "warehouse": f"file:{warehouse}",
        "token.provider": "bear",
        "token": options["token"],
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        requests = record(Path(folder))
    RECORD.write_text(json.dumps(requests, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
