"""Requests as Paimon's Java client sends them, byte for byte where it matters, get the answers they need."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlsplit

from spark_paimon.catalog import load_catalog
from spark_paimon.catalog.models import Identifier
from spark_paimon.schema import Schema
from tests.peers.java_calls import MANAGED, PARTITIONS, RECORD, TABLE_ID, WAREHOUSE, prepare, schema
from tests.servers import server_in_thread


def test_each_request_has_the_status_of_the_record(tmp_path: Path) -> None:
    found, expected = [], []
    warehouse = tmp_path / "warehouse"
    with server_in_thread(warehouse) as options:
        address = urlsplit(options["uri"])
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
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
            connection.request(
                request["method"],
                path,
                None if request["body"] is None else json.dumps(request["body"]),
                {**request["headers"], "Authorization": f"Bearer {options['token']}"},
            )
            answer = connection.getresponse()
            content = answer.read()
            check_answer(request, answer.status, content)
            found.append((request["method"], request["path"], answer.status))
            expected.append((request["method"], request["path"], request["status"]))
        connection.close()
    assert found == expected


def check_answer(request: dict[str, Any], status: int, content: bytes) -> None:
    """What every client relies on, whatever the request."""
    if status == 200:
        if request["method"] == "GET":
            assert isinstance(json.loads(content), dict)
        return
    answer = json.loads(content)
    assert answer["code"] == status
    assert answer["message"]
    assert {"resourceType", "resourceName"} <= set(answer)


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
        address = urlsplit(options["uri"])
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
        path = "/v1/paimon/databases/web/tables/days/partitions/list-by-filter"
        headers = {"Authorization": f"Bearer {options['token']}", "Content-Type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        found = json.loads(answer.read())
        connection.close()
    assert answer.status == 200
    assert [entry["spec"] for entry in found["partitions"]] == [{"dt": "2024-01-31", "hh": "1"}]
    assert found["nextPageToken"] is None
