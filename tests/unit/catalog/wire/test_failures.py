from __future__ import annotations

import json
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.wire.failures import LONGEST_MESSAGE, answer_of, error_of, shown

TOLD = [
    (errors.NoSuchDatabaseError("DATABASE_NOT_FOUND", database="d"), 404, "DATABASE", "d"),
    (errors.NoSuchTableError("TABLE_NOT_FOUND", table="d.t"), 404, "TABLE", "d.t"),
    (
        errors.NoSuchPartitionError("PARTITIONS_NOT_FOUND", table="d.t", partitions="dt=1"),
        404,
        "PARTITION",
        "dt=1",
    ),
    (
        errors.NoSuchColumnError("COLUMN_NOT_FOUND", column="c", table="d.t", columns="a, b"),
        404,
        "COLUMN",
        "c",
    ),
    (errors.DatabaseExistsError("DATABASE_EXISTS", database="d"), 409, "DATABASE", "d"),
    (errors.TableExistsError("TABLE_EXISTS", table="d.t"), 409, "TABLE", "d.t"),
    (
        errors.PartitionsExistError("PARTITIONS_EXIST", table="d.t", partitions="dt=1"),
        409,
        "PARTITION",
        "dt=1",
    ),
    (errors.InvalidInputError("COLUMN_EXISTS", table="d.t", column="c"), 409, "COLUMN", "c"),
    (errors.InvalidInputError("OPTION_EMPTY", key="k"), 400, None, None),
    (errors.NotEmptyError("DATABASE_NOT_EMPTY", database="d", count=2), 400, "DATABASE", "d"),
    (
        errors.UnsupportedError("TABLE_TYPE_UNSUPPORTED", table="d.t", type="table"),
        501,
        None,
        None,
    ),
    (errors.IllegalStateError("TABLE_BUSY", table="d.t", attempts=3), 500, None, None),
    (errors.StorageError("STORAGE_FAILED", operation="list", path="/w/d", reason="gone"), 500, None, None),
]


def encoded(content: Any) -> bytes:
    return json.dumps(content).encode()


@pytest.mark.parametrize(("error", "status", "kind", "name"), TOLD, ids=lambda value: type(value).__name__)
def test_an_error_of_the_request_comes_back_as_itself(
    error: errors.PaimonError, status: int, kind: str | None, name: str | None
) -> None:
    answered, body = answer_of(error)
    assert (answered, body["resourceType"], body["resourceName"]) == (status, kind, name)
    assert body["code"] == status
    assert body["message"] == error.text
    again = error_of(answered, encoded(body), "anything")
    assert type(again) is type(error)
    assert (again.condition, again.parameters, str(again)) == (error.condition, error.parameters, str(error))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (
            errors.CatalogError(
                "CATALOG_DATABASE_FAILED", database="postgresql://u@db.internal/x", reason="db.internal down"
            ),
            503,
        ),
        (errors.IllegalStateError("CATALOG_CLOSED", catalog="sqlite:///db.internal"), 500),
        (errors.IllegalStateError("INTERNAL_ERROR", text="db.internal"), 500),
        (KeyError("db.internal"), 500),
        (RecursionError("db.internal"), 500),
    ],
    ids=["database", "closed", "internal", "bug", "depth"],
)
def test_a_failure_inside_of_the_server_stays_there(error: BaseException, status: int) -> None:
    answered, body = answer_of(error, "r-17")
    assert (answered, body["code"]) == (status, status)
    assert "r-17" in body["message"]
    assert "db.internal" not in str(body)
    assert set(body) == {"message", "resourceType", "resourceName", "code"}
    assert error_of(answered, encoded(body), "list").condition == "REST_SERVER_FAILED"
    assert answer_of(error)[1]["message"]


class UnknownOutcome(errors.CatalogError):
    """As the database of the catalog raises it when it breaks at a commit."""

    def __init__(self) -> None:
        super().__init__("CATALOG_DATABASE_FAILED", database="db.internal", reason="db.internal")
        self.condition = "CATALOG_OUTCOME_UNKNOWN"


def test_an_unknown_outcome_stays_unknown() -> None:
    status, body = answer_of(UnknownOutcome(), "r-17")
    assert status == 500
    assert "db.internal" not in str(body)
    error = error_of(status, encoded(body), "drop table d.t")
    assert isinstance(error, errors.CatalogError)
    assert error.condition == "REST_OUTCOME_UNKNOWN"
    assert "drop table d.t" in str(error)
    assert "r-17" in str(error)


@pytest.mark.parametrize(
    ("status", "kind", "leaf", "condition"),
    [
        (404, "DATABASE", errors.NoSuchDatabaseError, "DATABASE_NOT_FOUND"),
        (404, "TABLE", errors.NoSuchTableError, "TABLE_NOT_FOUND"),
        (404, "VIEW", errors.NoSuchTableError, "REST_NOT_FOUND"),
        (404, "PARTITION", errors.NoSuchPartitionError, "REST_NOT_FOUND"),
        (404, "COLUMN", errors.NoSuchColumnError, "REST_NOT_FOUND"),
        (404, "FUNCTION", errors.NoSuchProcedureError, "REST_NOT_FOUND"),
        (404, "SNAPSHOT", errors.IllegalStateError, "REST_NOT_FOUND"),
        (404, None, errors.CatalogError, "REST_NO_SUCH_PATH"),
        (409, "DATABASE", errors.DatabaseExistsError, "DATABASE_EXISTS"),
        (409, "TABLE", errors.TableExistsError, "TABLE_EXISTS"),
        (409, "PARTITION", errors.PartitionsExistError, "REST_CONFLICT"),
        (409, "COLUMN", errors.InvalidInputError, "REST_CONFLICT"),
        (409, "TAG", errors.IllegalStateError, "REST_CONFLICT"),
        (400, None, errors.InvalidInputError, "REST_REFUSED"),
        (401, None, errors.AccessDeniedError, "REST_UNAUTHORIZED"),
        (403, "TABLE", errors.AccessDeniedError, "REST_FORBIDDEN"),
        (405, None, errors.CatalogError, "REST_SERVER_FAILED"),
        (429, None, errors.CatalogError, "REST_SERVER_FAILED"),
        (500, "TABLE", errors.CatalogError, "REST_SERVER_FAILED"),
        (501, None, errors.UnsupportedError, "REST_UNSUPPORTED"),
        (503, None, errors.CatalogError, "REST_SERVER_FAILED"),
    ],
)
def test_answers_of_other_servers(
    status: int, kind: str | None, leaf: type[errors.PaimonError], condition: str
) -> None:
    body = {"message": "what it says", "resourceType": kind, "resourceName": "x", "code": status}
    error = error_of(status, encoded(body), "get x")
    assert type(error) is leaf
    assert error.condition == condition
    if condition.startswith("REST_"):
        assert "get x" in str(error)
        assert "what it says" in str(error)
    else:
        assert "x" in str(error)


def test_a_nameless_resource_is_quoted() -> None:
    body = {"message": "Table d.t is not there.", "resourceType": "TABLE", "resourceName": None, "code": 404}
    error = error_of(404, encoded(body), "get table d.t")
    assert isinstance(error, errors.NoSuchTableError)
    assert "Table d.t is not there. SQLSTATE" in str(error)


def test_the_code_of_the_body_counts_before_the_status() -> None:
    body = {"message": "m", "resourceType": "TABLE", "resourceName": "t", "code": 404}
    assert isinstance(error_of(500, encoded(body), "get t"), errors.NoSuchTableError)


@pytest.mark.parametrize("code", [None, "404", 404.0, True, 200, 0, -1, 10**30, [404]])
def test_a_code_that_is_none_is_ignored(code: object) -> None:
    body = {"message": "m", "resourceType": "TABLE", "resourceName": "t", "code": code}
    assert error_of(403, encoded(body), "get t").condition == "REST_FORBIDDEN"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><h1>502 Bad Gateway</h1></html>",
        b'{"message": "trunca',
        b"[1, 2]",
        b'"text"',
        b"null",
        b"17",
        b"NaN",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"code": ' + b"9" * 10_000 + b"}",
        b'{"message": 7, "resourceType": [], "resourceName": {}, "code": null}',
        b'{"message": "", "error": [], "condition": {}, "parameters": []}',
        b'{"message": "\\ud800", "resourceType": "\\ud800"}',
    ],
    ids=range(14),
)
def test_any_body_is_an_error_with_a_text(body: bytes) -> None:
    error = error_of(502, body, "list databases")
    assert type(error) is errors.CatalogError
    assert error.condition == "REST_SERVER_FAILED"
    assert "list databases" in str(error)
    assert "502" in str(error)
    assert "html" not in str(error)
    str(error).encode()


def test_a_plain_text_is_quoted() -> None:
    assert "upstream timed out" in str(error_of(504, b"upstream timed out\r\n", "list databases"))


HONEST: dict[str, Any] = {
    "message": "m",
    "code": 400,
    "error": "InvalidInputError",
    "condition": "OPTION_EMPTY",
    "parameters": {"key": "k"},
}


@pytest.mark.parametrize(
    "change",
    [
        {"error": "PaimonError"},
        {"error": "ValueError"},
        {"error": "error_conditions"},
        {"error": None},
        {"condition": "NO_SUCH_CONDITION"},
        {"condition": ["OPTION_EMPTY"]},
        {"parameters": {}},
        {"parameters": {"key": 1}},
        {"parameters": {"key": None}},
        {"parameters": ["key"]},
        {"parameters": None},
        {"parameters": {"key": "k", **{f"p{number}": "" for number in range(100)}}},
    ],
)
def test_fields_of_ours_are_believed_only_when_whole(change: dict[str, Any]) -> None:
    assert error_of(400, encoded(HONEST), "set").condition == "OPTION_EMPTY"
    assert error_of(400, encoded({**HONEST, **change}), "set").condition == "REST_REFUSED"


@pytest.mark.parametrize("place", ["message", "parameters"])
def test_hostile_texts_are_cut_and_cleaned(place: str) -> None:
    text = "a\r\nINFO forged\x1b[31m\x00\u202e" + "x" * 1_000_000
    hostile = {**HONEST, place: {"key": text} if place == "parameters" else text}
    if place == "message":
        del hostile["error"]
    error = error_of(400, encoded(hostile), "set")
    assert len(str(error)) < LONGEST_MESSAGE + 200
    assert not set(str(error)) & set("\r\n\x1b\x00\u202e")


def test_shown_text_is_one_line() -> None:
    assert shown("a\n\tb") == "a b"
    assert shown("abc", longest=3) == "abc"
    assert shown("abcd", longest=3) == "abc…"
