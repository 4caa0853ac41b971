"""Requests as Paimon's own clients send them get the answers that these need."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from spark_paimon.catalog import load_catalog
from spark_paimon.catalog.models import Identifier
from spark_paimon.schema import Schema
from tests.peers.java_calls import MANAGED, PARTITIONS, RECORD, TABLE_ID, WAREHOUSE, prepare, schema
from tests.servers import Answer, Asking, server_in_thread


def test_each_request_has_the_status_of_the_record(tmp_path: Path) -> None:
    found, expected = [], []
    warehouse = tmp_path / "warehouse"
    with server_in_thread(warehouse) as options:
        ask = Asking(options["uri"], options["token"])
        table_id, partitions_there = None, False
        for request in json.loads(RECORD.read_text("utf-8")):
            path = request["path"]
            if TABLE_ID in path and table_id is None:
                table_id = prepare(options, "getTableById")
            if "days/partitions" in path and not partitions_there:
                partitions_there = True
                prepare(options, "listPartitions")
            path = path.replace(TABLE_ID, str(table_id))
            path = path.replace(WAREHOUSE, quote_plus(quote_plus(f"file:{warehouse}")))
            content = None if request["body"] is None else json.dumps(request["body"]).encode()
            answer = ask(request["method"], path, content, **request["headers"])
            check_answer(request, answer)
            found.append((request["method"], request["path"], answer.status))
            expected.append((request["method"], request["path"], request["status"]))
    assert found == expected


def check_answer(request: dict[str, Any], answer: Answer) -> None:
    """What every client relies on, whatever the request."""
    if answer.status == 200:
        if request["method"] == "GET":
            assert isinstance(answer.json, dict)
        return
    assert answer.json["code"] == answer.status
    assert answer.json["message"]
    assert {"resourceType", "resourceName"} <= set(answer.json)


def test_a_filter_as_the_rust_client_sends_it(tmp_path: Path) -> None:
    reference = {"index": 0, "name": "dt", "type": "STRING"}
    condition = {
        "kind": "LEAF",
        "function": "EQUAL",
        "literals": ["2024-01-31"],
        "transform": {"name": "FIELD_REF", "fieldRef": reference},
    }
    body = {
        "filter": json.dumps(condition),
        "partitionNamePattern": "dt=2024-01-31/%",
        "maxResults": 1000,
        "pageToken": None,
    }
    with server_in_thread(tmp_path / "warehouse") as options:
        with load_catalog(options) as catalog:
            catalog.create_database("web")
            catalog.create_table(Identifier("web", "days"), Schema.from_json(schema(**MANAGED)))
            catalog.create_partitions(Identifier("web", "days"), PARTITIONS)
        ask = Asking(options["uri"], options["token"])
        found = ask.post("/databases/web/tables/days/partitions/list-by-filter", body).json
    assert [entry["spec"] for entry in found["partitions"]] == [{"dt": "2024-01-31", "hh": "1"}]
    assert found["nextPageToken"] is None
