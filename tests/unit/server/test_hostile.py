"""Requests that nobody sends in good faith: no harm, and never a 500."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from tests.servers import Asking
from tests.unit.server.test_answers import refused

NAMES = [
    "../x", "..", ".", "", " ", "/", "a/b", "/etc", "\\", "a\\..\\b", "%", "%2F", "a\x00b", "\x00", "\n",
    "\r\n", "\x1b[2J", "x" * 10_000, "'; DROP TABLE spark_paimon_tables; --", '"', "`", "$", "a$b", "$x",
    "a.b", "😀", "ﬁ", "x" * 250, "x" * 251, "é" * 125,
    "\u202eabc", "\u2028", "é", "e\u0301", "a b", "a+b", "NULL", "0", "*", "_", "~", "con", "\ufeff", "\x7f",
    "{database}", "#", "?", ";", "&a=b",
]  # fmt: skip
"""Names that are dangerous somewhere."""


def everything(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "catalog.db" not in path.name}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name[:30]))
def test_names_do_no_harm(ask: Asking, warehouse: Path, database: str, name: str) -> None:
    """Each is made, found under itself alone and dropped; or it is refused, and nothing is left."""
    before = everything(warehouse.parent)
    path = f"/databases/{quote_plus(name, safe='')}"
    made = ask.post("/databases", {"name": name})
    assert made.status in (200, 400), made
    if made.status == 200:
        assert ask.get(path).json["name"] == name
        outside = {
            entry for entry in everything(warehouse.parent) - before if not entry.is_relative_to(warehouse)
        }
        assert outside == set()
        assert ask.delete(path).status == 200
    assert ask.get(path).status == 404
    assert ask.delete(path).status == 404
    table = f"/databases/{database}/tables/{quote_plus(name, safe='')}"
    body = {
        "identifier": {"database": database, "object": name},
        "schema": {"fields": [{"id": 0, "name": "a", "type": "INT"}], "options": {"type": "format-table"}},
    }
    made = ask.post(f"/databases/{database}/tables", body)
    assert made.status in (200, 400), made
    if made.status == 200:
        assert ask.get(table).json["name"] == name
        assert ask.delete(table).status == 200
    assert ask.get(table).status == 404
    assert ask.post(f"{table}/partitions", {"partitionSpecs": [{"dt": name}]}).status == 404
    assert everything(warehouse.parent) == before


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name[:30]))
def test_values_tokens_and_patterns_do_no_harm(ask: Asking, table: str, name: str) -> None:
    spec = {"dt": name, "hh": "1"}
    made = ask.post(f"{table}/partitions", {"partitionSpecs": [spec]})
    assert made.status in (200, 400), made
    if made.status == 200:
        found = ask.get(f"{table}/partitions").json["partitions"]
        assert [entry["spec"] for entry in found] == [spec]
        dropped = ask.post(f"{table}/partitions/drop", {"partitionSpecs": [spec]}).json
        assert dropped == {"dropped": [spec], "missing": []}
    for key in ("pageToken", "partitionNamePattern", "maxResults", "unknown"):
        assert ask.get(f"{table}/partitions?{key}={quote(name)}").status in (200, 400)
    for path in ("/databases", "/tables", "/databases/default/tables"):
        for key in ("pageToken", "databaseNamePattern", "tableNamePattern", "tableType"):
            assert ask.get(f"{path}?{key}={quote(name)}").status in (200, 400)
    assert ask.get(f"/tables/id/{quote_plus(name, safe='')}").status == 404


@pytest.mark.parametrize("path", ["%", "%zz", "%ff", "%c3%28", "%ed%a0%80", "a%00b", "%2e%2e%2f"])
def test_odd_escapes_in_a_path(ask: Asking, path: str) -> None:
    assert ask.get(f"/databases/{path}").status in (400, 404)
    assert ask.get(f"/databases/{path}/tables/{path}").status in (400, 404)
    assert ask.get(f"/databases?pageToken={path}").status in (200, 400)


def test_bytes_of_a_query_that_are_no_text(ask: Asking) -> None:
    refused(ask.get("/databases?pageToken=%ff"), 400)
    refused(ask.get("/databases?pageToken=%00"), 400)
    refused(ask.get("/databases?" + "a=1&" * 1000), 400)


# JSON


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"nonsense", b"[]", b"null", b"3", b'"x"', b"\xff", b'{"name": "\xff"}',
        b'{"name": "\xed\xa0\x80"}', b'{"name": "\\ud800"}', b'{"name": NaN}', b'{"name": Infinity}',
        b'{"name": 1e999}', b'{"name": true}', b'{"name": null}', b'{"name": ["a"]}', b'{"name": {"a": 1}}',
        b"{'name': 'a'}", b'{"name": "a",}', b'{"name": "a"} x', b'{"name": "a\nb"}', b"[" * 100_000,
        b'{"a":' * 100_000, b'{"name": ' + b"[" * 1000 + b"]" * 1000 + b"}",
        b'{"name": "a", "options": {"k": 1}}', b'{"name": "a", "options": []}',
        b'{"name": "a", "options": {"k": null}}', b'{"name": "a", "options": "x"}',
        "{}".encode("utf-16"), "{}".encode("utf-32"), b"",
    ],
    ids=lambda body: ascii(body[:30]),
)  # fmt: skip
def test_bodies_that_cannot_be_understood(ask: Asking, body: bytes) -> None:
    answer = ask.post("/databases", body)
    refused(answer, 400)
    assert len(answer.content) < 1000


def test_a_refusal_names_the_place(ask: Asking, table: str) -> None:
    specs = [{"dt": "a", "hh": "1"}] * 3 + [{"dt": 7, "hh": "1"}]
    refusal = refused(ask.post(f"{table}/partitions", {"partitionSpecs": specs}), 400)
    assert "partitionSpecs/3/dt" in refusal["message"]
    assert ask.get(f"{table}/partitions").json["partitions"] == []


def test_unknown_fields_and_the_content_type_are_ignored(ask: Asking, database: str) -> None:
    for number, kind in enumerate(("text/plain", "application/json; charset=UTF-8", "image/png", "")):
        body = {"name": f"{database}_{number}", "more": [1], "options": {}}
        assert ask.post("/databases", body, content_type=kind).status == 200


def test_of_a_repeated_field_the_last_counts(ask: Asking, table: str) -> None:
    specs = (
        b'{"partitionSpecs": [{"dt": "a", "hh": "1"}], "partitionSpecs": [{"dt": "c", "hh": "1", "hh": "2"}]}'
    )
    assert ask.post(f"{table}/partitions", specs).json["created"] == [{"dt": "c", "hh": "2"}]


@pytest.mark.parametrize(
    "number", ["9223372036854775808", "1e30", "-1e30", "1.5", "true", '"1"', "[]", "1e400"]
)
def test_numbers_that_do_not_fit(ask: Asking, table: str, number: str) -> None:
    spec = '{"dt": "a", "hh": "1"}'
    report = f'[{{"spec": {spec}, "recordCount": {number}}}]'
    body = f'{{"partitionSpecs": [{spec}], "partitionStatistics": {report}}}'
    refused(ask.post(f"{table}/partitions", body.encode()), 400)
    assert ask.get(f"{table}/partitions").json["partitions"] == []


def test_the_largest_numbers_fit(ask: Asking, table: str) -> None:
    spec = {"dt": "a", "hh": "1"}
    report = {"spec": spec, "recordCount": 2**63 - 1, "fileSizeInBytes": 1.0, "fileCount": -(2**63)}
    body = {"partitionSpecs": [spec], "partitionStatistics": [report], "replaceStatistics": True}
    assert ask.post(f"{table}/partitions", body).status == 200
    found = ask.get(f"{table}/partitions").json["partitions"][0]
    assert (found["recordCount"], found["fileSizeInBytes"], found["fileCount"]) == (2**63 - 1, 1, -1)


def test_sums_that_do_not_fit_are_no_failure(ask: Asking, table: str) -> None:
    spec = {"dt": "a", "hh": "1"}
    report = {"spec": spec, "recordCount": 2**63 - 1}
    for _ in range(2):
        answer = ask.post(f"{table}/partitions", {"partitionSpecs": [spec], "partitionStatistics": [report]})
        assert answer.status == 200, answer
    (partition,) = ask.get(f"{table}/partitions").json["partitions"]
    assert partition["recordCount"] == -1


@pytest.mark.parametrize("depth", [50, 90, 150, 400, 900])
def test_types_of_any_depth(ask: Asking, database: str, depth: int) -> None:
    form: object = "INT"
    for _ in range(depth):
        form = {"type": "ARRAY", "element": form}
    body = {
        "identifier": {"database": database, "object": "deep"},
        "schema": {"fields": [{"id": 0, "name": "a", "type": form}], "options": {"type": "format-table"}},
    }
    answer = ask.post(f"/databases/{database}/tables", body)
    assert answer.status in (200, 400), answer
    table = ask.get(f"/databases/{database}/tables/deep")
    assert table.status == (200 if answer.status == 200 else 404)
    if answer.status == 200:
        assert table.json["schema"]["fields"][0]["type"]["type"] == "ARRAY"


@pytest.mark.parametrize(
    "type_form",
    [
        "",
        "NONSENSE",
        "DECIMAL(99999999999999999999, 1)",
        "INT" * 10_000,
        {"type": "ROW"},
        {"type": "MAP"},
        {"type": ""},
        {"type": "ROW", "fields": []},
    ],
)
def test_types_that_do_not_exist(ask: Asking, database: str, type_form: object) -> None:
    body = {
        "identifier": {"database": database, "object": "odd"},
        "schema": {
            "fields": [{"id": 0, "name": "a", "type": type_form}],
            "options": {"type": "format-table"},
        },
    }
    for path in ("tables", "table-plans"):
        assert ask.post(f"/databases/{database}/{path}", body).status in (200, 400, 501)


def test_partition_options_are_checked(ask: Asking, table: str) -> None:
    spec = {"dt": "a", "hh": "1"}
    for options in (
        [],
        [{}, {}],
        [None],
        ["x"],
        [{"file.format": None}],
        [{"file.format": ""}],
        [{"file.format": "x"}],
    ):
        body = {"partitionSpecs": [spec], "partitionOptions": options}
        refused(ask.post(f"{table}/partitions", body), 400)
    assert ask.post(f"{table}/partitions", {"partitionSpecs": [spec], "partitionOptions": [{}]}).status == 200
    assert ask.post(f"{table}/partitions", {"partitionSpecs": [spec], "partitionOptions": None}).status == 200


def test_what_lies_in_a_body_comes_back_unchanged(ask: Asking, database: str) -> None:
    value = "\u2028 😀 \x01 \x00 </script> \\u0041 é"
    body = {"name": f"{database}_x", "options": {"k": value}}
    assert ask.post("/databases", json.dumps(body).encode()).status == 200
    assert ask.get(f"/databases/{database}_x").json["options"] == {"k": value}


@pytest.mark.parametrize("place", ["../x", "x", "./x", "x/y:z"])
def test_places_that_depend_on_where_the_server_runs_are_refused(
    ask: Asking, database: str, place: str
) -> None:
    fields = [{"id": 0, "name": "a", "type": "INT"}]
    for key in ("path", "Path"):
        schema = {"fields": fields, "options": {"type": "format-table", key: place}}
        body = {"identifier": {"database": database, "object": "outside"}, "schema": schema}
        answer = ask.post(f"/databases/{database}/tables", body)
        assert (answer.status, "relative" in answer.json["message"]) == (400, True)
    answer = ask.post("/databases", {"name": "outside", "options": {"location": place}})
    assert (answer.status, "relative" in answer.json["message"]) == (400, True)
    assert ask.get("/databases/outside").status == 404
