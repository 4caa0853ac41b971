"""Statuses and bodies, to the letter of the protocol."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest

from spark_paimon.server.endpoints import ENDPOINTS, Endpoint
from tests.servers import Answer, Asking
from tests.unit.server.conftest import create_table

ERROR_FIELDS = {"message", "resourceType", "resourceName", "code"}


def refused(answer: Answer, status: int, kind: str | None = None) -> dict[str, Any]:
    assert answer.status == status, answer
    body: dict[str, Any] = answer.json
    assert set(body) >= ERROR_FIELDS
    assert body["code"] == status
    assert body["message"].strip()
    assert body["resourceType"] == kind
    return body


# Who may ask


@pytest.mark.parametrize("path", ["/v1/config", "/openapi.json", "/v1/paimon/databases", "/nothing", "/v1/"])
@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer wrong", "Basic {token}", "{token}", "Bearer é"]
)
def test_everything_needs_the_token(ask: Asking, path: str, authorization: str) -> None:
    sent = authorization.format(token=ask.token)
    answer = ask("GET", path, authorization=sent)
    refused(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "endpoint", [each for each in ENDPOINTS if not each.public], ids=lambda each: f"{each.method} {each.path}"
)
def test_every_operation_needs_the_token(ask: Asking, endpoint: Endpoint) -> None:
    path = re.sub(r"\{\w+\}", "default", endpoint.path)
    refused(ask(endpoint.method, path, b"{}" if endpoint.body else None, authorization=""), 401)


def test_the_name_of_the_scheme_has_any_case(ask: Asking) -> None:
    assert ask("GET", "/v1/config", authorization=f"bearer {ask.token}").status == 200


def test_health_needs_no_token_and_tells_nothing(ask: Asking) -> None:
    answer = ask("GET", "/healthz", authorization="")
    assert (answer.status, answer.json) == (200, {"status": "ok"})
    refused(ask("POST", "/healthz", b"{}", authorization=""), 405)


# Paths and methods


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "TRACE", "NONSENSE"])
def test_other_methods_are_refused(ask: Asking, method: str) -> None:
    answer = ask(method, "/v1/paimon/databases")
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, POST"
    if method != "HEAD":
        refused(answer, 405)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "//",
        "/v1",
        "/v1/other/databases",
        "/v1/paimon/databases/",
        "/v2/config",
        "/v1/paimon/a/b/c/d/e/f/g/h",
    ],
)
def test_other_paths_are_unknown(ask: Asking, path: str) -> None:
    refused(ask("GET", path), 404, "UNKNOWN")


def test_the_handshake(ask: Asking, warehouse: object) -> None:
    body = ask("GET", "/v1/config").json
    assert body["defaults"]["prefix"] == "paimon"
    assert "warehouse" not in body["overrides"]
    for asked in (
        str(warehouse),
        f"file:{warehouse}",
        f"file%3A{warehouse}",
        f"file%253A%252F%252F{warehouse}",
    ):
        assert ask("GET", f"/v1/config?warehouse={asked}").status == 200, asked
    refused(ask("GET", "/v1/config?warehouse=/elsewhere"), 404, "DATABASE")


# Void and typed answers


def test_void_calls_answer_200_and_nothing(ask: Asking, table: str) -> None:
    answer = ask.post(f"{table}/partitions/mark", {"specs": []})
    assert (answer.status, answer.content, answer.headers["content-length"]) == (200, b"", "0")
    assert "content-type" not in answer.headers
    assert ask.delete(table).content == b""


def test_typed_calls_have_every_field(ask: Asking, database: str, table: str) -> None:
    described = ask.get(f"/databases/{database}").json
    assert set(described) == {
        "id", "name", "location", "options", "owner", "createdAt", "createdBy", "updatedAt", "updatedBy",
    }  # fmt: skip
    described = ask.get(table).json
    assert set(described) == {
        "id", "name", "database", "path", "isExternal", "schemaId", "schema",
        "owner", "createdAt", "createdBy", "updatedAt", "updatedBy",
    }  # fmt: skip
    ask.post(f"{table}/partitions", {"partitionSpecs": [{"hh": "1", "dt": "x"}]})
    page = ask.get(f"{table}/partitions").json
    assert page["nextPageToken"] is None
    assert page["partitions"][0].items() >= {
        "spec": {"dt": "x", "hh": "1"},
        "recordCount": -1, "fileSizeInBytes": -1, "fileCount": -1, "lastFileCreationTime": -1,
        "totalBuckets": -1,
        "done": False, "createdBy": None, "updatedBy": None, "options": None,
    }.items()  # fmt: skip


def test_every_answer_has_a_length_and_a_number(ask: Asking) -> None:
    for path in ("/v1/config", "/nothing"):
        headers = ask("GET", path).headers
        assert int(headers["content-length"]) > 0
        assert len(headers["x-request-id"]) == 32
        assert "server" not in headers


# What is there, and what is not


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/databases/missing", "DATABASE"),
        ("/databases/missing/tables", "DATABASE"),
        ("/databases/missing/table-details", "DATABASE"),
        ("/databases/missing/views", "DATABASE"),
        ("/databases/default/tables/missing", "TABLE"),
        ("/databases/default/tables/missing/partitions", "TABLE"),
        ("/databases/default/tables/missing/snapshot", "TABLE"),
        ("/databases/default/views/v", "VIEW"),
        ("/databases/default/functions/count", "FUNCTION"),
        ("/tables/id/0000", "TABLE"),
    ],
)
def test_what_is_missing_is_named(ask: Asking, path: str, kind: str) -> None:
    refused(ask.get(path), 404, kind)


def test_parts_of_a_table_that_are_missing(ask: Asking, table: str) -> None:
    refused(ask.get(f"{table}/snapshot"), 404, "SNAPSHOT")
    refused(ask.get(f"{table}/snapshots/7"), 404, "SNAPSHOT")
    refused(ask.get(f"{table}/tags/t"), 404, "TAG")
    refused(ask.delete(f"{table}/branches/b"), 404, "BRANCH")
    for path in ("branches", "tags", "snapshots", "consumers"):
        assert ask.get(f"{table}/{path}").json == {path: [], "nextPageToken": None}


def test_what_is_not_built_says_so(ask: Asking, table: str) -> None:
    for path in ("commit", "rollback", "auth"):
        refused(ask.post(f"{table}/{path}", {}), 501)
    refused(ask.get(f"{table}/token"), 501)


def test_conflicts(ask: Asking, database: str, table: str) -> None:
    body = refused(ask.post("/databases", {"name": database}), 409, "DATABASE")
    assert body["resourceName"] == database
    again = {
        "identifier": {"database": database, "object": "t"},
        "schema": {"fields": [{"id": 0, "name": "a", "type": "INT"}], "options": {"type": "format-table"}},
    }
    refused(ask.post(f"/databases/{database}/tables", again), 409, "TABLE")
    spec = {"dt": "20260714", "hh": "1"}
    ask.post(f"{table}/partitions", {"partitionSpecs": [spec]})
    strict = {"partitionSpecs": [{"dt": "new", "hh": "1"}, spec], "ignoreIfExists": False}
    assert "dt=20260714" in refused(ask.post(f"{table}/partitions", strict), 409, "PARTITION")["message"]
    assert len(ask.get(f"{table}/partitions").json["partitions"]) == 1
    strict = {"partitionSpecs": [spec, {"dt": "gone", "hh": "1"}], "ignoreIfNotExists": False}
    assert "dt=gone" in refused(ask.post(f"{table}/partitions/drop", strict), 404, "PARTITION")["message"]
    assert len(ask.get(f"{table}/partitions").json["partitions"]) == 1


def test_tables_without_held_partitions_answer_501(ask: Asking, database: str) -> None:
    create_table(ask, database, "plain", **{"metastore.partitioned-table": "false"})
    path = f"/databases/{database}/tables/plain/partitions"
    spec = {"dt": "a", "hh": "1"}
    refused(ask.get(path), 501)
    refused(ask.post(path, {"partitionSpecs": [spec]}), 501)
    refused(ask.post(f"{path}/drop", {"partitionSpecs": [spec]}), 501)
    refused(ask.post(f"{path}/list-by-names", {"specs": [spec]}), 501)
    refused(ask.post(f"{path}/mark", {"specs": [spec]}), 501)


def test_other_kinds_of_tables_answer_501(ask: Asking, database: str) -> None:
    body = {
        "identifier": {"database": database, "object": "s"},
        "schema": {"fields": [{"id": 0, "name": "a", "type": "INT"}]},
    }
    refused(ask.post(f"/databases/{database}/tables", body), 501)


# Databases


def test_an_owner_a_comment_and_a_location_are_options(ask: Asking, database: str, tmp_path: object) -> None:
    name = f"{database}_2"
    options = {"owner": "me", "comment": "c", "location": f"{tmp_path}/elsewhere", "k": "v"}
    assert ask.post("/databases", {"name": name, "options": options}).status == 200
    found = ask.get(f"/databases/{name}").json
    assert (found["owner"], found["createdBy"]) == ("me", "me")
    assert found["location"] == f"file:{tmp_path}/elsewhere"
    assert found["options"] == {"k": "v", "comment": "c"}


def test_changes_of_a_database_say_what_they_did(ask: Asking, database: str) -> None:
    path = f"/databases/{database}"
    assert ask.post(path, {"removals": [], "updates": {"a": "1", "b": "2"}}).json == {
        "removed": [], "updated": ["a", "b"], "missing": [],
    }  # fmt: skip
    changed = ask.post(path, {"removals": ["a", "x"], "updates": None}).json
    assert changed == {"removed": ["a"], "updated": [], "missing": ["x"]}
    assert ask.get(path).json["options"] == {"b": "2"}


def test_dropping_a_database_takes_its_tables(ask: Asking, database: str, table: str) -> None:
    refused(ask.delete(f"/databases/{database}?cascade=false"), 400, "DATABASE")
    assert ask.get(table).status == 200
    assert ask.delete(f"/databases/{database}").status == 200
    refused(ask.get(table), 404, "DATABASE")


# Pages


@pytest.fixture
def ten(ask: Asking, database: str) -> str:
    for number in range(10):
        create_table(ask, database, f"t{number}")
    return f"/databases/{database}/tables"


@pytest.mark.parametrize(("asked", "found"), [("3", 3), ("0", 10), ("-5", 10), ("9" * 5000, 10)])
def test_numbers_of_elements(ask: Asking, ten: str, asked: str, found: int) -> None:
    assert len(ask.get(f"{ten}?maxResults={asked}").json["tables"]) == found


@pytest.mark.parametrize(
    "asked", ["", "x", "1.5", "1e3", "0x10", "+1", "1_0", "%20", "\u0663", "NaN", "true", "--1", "1%00"]
)
def test_what_is_no_whole_number_is_refused(ask: Asking, ten: str, asked: str) -> None:
    refused(ask.get(f"{ten}?maxResults={quote(asked, safe='%')}"), 400)


def test_pages_follow_each_other(ask: Asking, ten: str) -> None:
    found: list[str] = []
    token = ""
    for expected in (4, 4, 2):
        page = ask.get(f"{ten}?maxResults=4&pageToken={token}").json
        assert len(page["tables"]) == expected
        found += page["tables"]
        token = page["nextPageToken"]
    assert token is None
    assert found == sorted(found) == [f"t{number}" for number in range(10)]


def test_a_token_outlives_what_it_names(ask: Asking, ten: str) -> None:
    token = ask.get(f"{ten}?maxResults=4").json["nextPageToken"]
    ask.delete(f"{ten}/{token}")
    assert ask.get(f"{ten}?pageToken={token}").json["tables"] == [f"t{number}" for number in range(4, 10)]


def test_a_token_of_a_dropped_partition(ask: Asking, table: str) -> None:
    ask.post(f"{table}/partitions", {"partitionSpecs": [{"dt": f"d{n}", "hh": "1"} for n in range(6)]})
    first = ask.get(f"{table}/partitions?maxResults=3").json
    ask.post(f"{table}/partitions/drop", {"partitionSpecs": [first["partitions"][-1]["spec"]]})
    rest = ask.get(f"{table}/partitions?maxResults=3&pageToken={first['nextPageToken']}").json
    assert [entry["spec"]["dt"] for entry in rest["partitions"]] == ["d3", "d4", "d5"]
    assert rest["nextPageToken"] is None


def test_patterns_of_names(ask: Asking, ten: str, database: str) -> None:
    assert ask.get(f"{ten}?tableNamePattern=t1%25").json["tables"] == ["t1"]
    assert ask.get(f"{ten}?tableNamePattern=t_").json["tables"] == [f"t{n}" for n in range(10)]
    assert ask.get(f"{ten}?tableNamePattern=t%5C_").json["tables"] == []
    assert ask.get(f"{ten}?tableType=format-table").json["tables"] == [f"t{n}" for n in range(10)]
    assert ask.get(f"{ten}?tableType=table").json["tables"] == []
    everywhere = ask.get(f"/tables?databaseNamePattern={database}&tableNamePattern=t3").json
    assert everywhere == {"tables": [{"database": database, "object": "t3"}], "nextPageToken": None}
    details = ask.get(f"/databases/{database}/table-details?tableNamePattern=t3").json["tableDetails"]
    assert [entry["name"] for entry in details] == ["t3"]
    assert ask.get(f"/tables/id/{details[0]['id']}").json == details[0]


@pytest.mark.parametrize("pattern", ["%25x", "a%25b%25", "dt=%25/hh=1"])
def test_patterns_of_partitions_that_cannot_be(ask: Asking, table: str, pattern: str) -> None:
    refused(ask.get(f"{table}/partitions?partitionNamePattern={pattern}"), 400)


def test_names_to_find_are_a_thousand_at_most(ask: Asking, table: str) -> None:
    specs = [{"dt": f"d{n}", "hh": "1"} for n in range(1001)]
    assert "1000" in refused(ask.post(f"{table}/partitions/list-by-names", {"specs": specs}), 400)["message"]
    assert ask.post(f"{table}/partitions", {"partitionSpecs": specs, "ignoreIfExists": False}).status == 200
    found = ask.post(f"{table}/partitions/list-by-names", {"specs": specs[:1000]}).json
    assert len(found["partitions"]) == 1000
    assert len(ask.get(f"{table}/partitions?maxResults=100000").json["partitions"]) == 1000


@pytest.mark.parametrize("filter_text", ["", "nonsense", "{", "[]", "null", '{"kind":"LEAF"}', "[" * 100_000])
def test_a_filter_that_is_not_understood_lets_everything_through(
    ask: Asking, table: str, filter_text: str
) -> None:
    ask.post(f"{table}/partitions", {"partitionSpecs": [{"dt": "a", "hh": "1"}]})
    answer = ask.post(f"{table}/partitions/list-by-filter", {"filter": filter_text, "maxResults": None})
    assert len(answer.json["partitions"]) == 1


def test_a_filter_is_needed(ask: Asking, table: str) -> None:
    refused(ask.post(f"{table}/partitions/list-by-filter", {}), 400)
    refused(ask.post(f"{table}/partitions/list-by-filter", {"filter": None}), 400)


# What the catalog keeps for itself


def test_an_option_of_the_catalog_is_neither_shown_nor_taken(ask: Asking, database: str, table: str) -> None:
    key = "spark_paimon.dropped-columns"
    change = {"action": "setOption", "key": key, "value": "[]"}
    assert ask.post(table, {"changes": [change]}).status in (400, 501)
    body = {
        "identifier": {"database": database, "object": "own"},
        "schema": {
            "fields": [{"id": 0, "name": "a", "type": "INT"}],
            "options": {"type": "format-table", key: "[]"},
        },
    }
    assert ask.post(f"/databases/{database}/tables", body).status in (400, 501)
    assert key not in ask.get(table).json["schema"]["options"]


# Every operation


def test_every_operation_refuses_a_missing_database_or_a_body_that_is_none(ask: Asking) -> None:
    for endpoint in ENDPOINTS:
        path = "/".join("missing" if part.startswith("{") else part for part in endpoint.path.split("/"))
        answer = ask(endpoint.method, path, b"[]" if endpoint.method == "POST" else None)
        if endpoint.method == "POST":
            refused(answer, 400)
        else:
            assert answer.status in (200, 404, 501), endpoint
