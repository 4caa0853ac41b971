"""What a call sends, and how it understands what comes back."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.catalog.rest import connections
from spark_paimon.catalog.rest.authorization import authorization_for
from spark_paimon.catalog.rest.transport import Repeat, Transport
from tests.unit.catalog.rest.conftest import Client
from tests.unit.catalog.rest.scripted_server import endless, failure, ok, raw, scripted


def test_a_request_is_what_the_contract_says(client: Client) -> None:
    with scripted(ok({"databases": []})) as server:
        answer = client(server.uri + "/base/").call(
            "POST",
            ["v1", "p q", "databases", "a/b", "tables", "t$branch_~"],
            {"maxResults": 10, "pageToken": None, "pattern": "a b&c=%+ü"},
            {"name": "ü"},
            operation="test",
        )
    assert answer == {"databases": []}
    (request,) = server.seen
    assert request.method == "POST"
    assert request.target == (
        "/base/v1/p+q/databases/a%2Fb/tables/t%24branch_%7E?maxResults=10&pattern=a%20b%26c%3D%25%2B%C3%BC"
    )
    assert json.loads(request.body) == {"name": "ü"}
    assert request.headers["Authorization"] == "Bearer hidden"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Accept"] == "application/json"
    assert request.headers["User-Agent"].startswith("spark-paimon/")
    assert request.headers["Content-Length"] == str(len(request.body))


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_an_empty_success_is_none(client: Client, method: str, status: int) -> None:
    with scripted(raw(status, b"")) as server:
        assert client(server.uri).call(method, ["v1"], operation="test") is None
    assert server.seen[0].body == b""
    assert "Content-Type" not in server.seen[0].headers


def test_headers_of_options_are_sent_but_the_token_wins(client: Client) -> None:
    options = {"header.x-team": " web ", "header.authorization": "other", "header.user-agent": "mine"}
    with scripted() as server:
        client(server.uri, options).call("GET", ["v1"], operation="test")
    headers = server.seen[0].headers
    assert headers["X-Team"] == "web"
    assert headers["User-Agent"] == "mine"
    assert headers.get_all("Authorization") == ["Bearer hidden"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("header.x", "hid\r\nden"),
        ("header.x", "hid\x00den"),
        ("header.x", "hidé"),
        ("header.", "hidden"),
        ("header.a b", "hidden"),
        ("header.a\r\nb", "hidden"),
        ("header.Host", "hidden"),
        ("header.content-length", "hidden"),
    ],
)
def test_a_header_that_cannot_be_sent_is_named(client: Client, key: str, value: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        client("http://localhost", {key: value})
    assert caught.value.condition == "REST_HEADER_INVALID"
    assert "'header." in str(caught.value)
    assert "hid" not in str(caught.value)


def test_nothing_of_netrc_and_no_cookies_are_sent(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password hidden-netrc\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with scripted(raw(200, b"{}", Set_Cookie="a=b"), ok()) as server:
        transport = client(server.uri)
        for _ in range(2):
            transport.call("GET", ["v1"], operation="test")
    for request in server.seen:
        assert request.headers["Authorization"] == "Bearer hidden"
        assert "Cookie" not in request.headers


def test_the_proxy_of_the_environment_is_used(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(ok({"by": "proxy"})) as proxy:
        monkeypatch.setenv("http_proxy", proxy.uri)
        monkeypatch.setenv("no_proxy", "")
        answer = client("http://catalog.invalid").call("GET", ["v1"], operation="test")
    assert answer == {"by": "proxy"}
    assert proxy.targets == ["http://catalog.invalid/v1"]


def test_a_dead_proxy_is_an_unreachable_server(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://user:hidden@127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(errors.CatalogError) as caught:
        client("http://catalog.invalid").call("GET", ["v1"], operation="test")
    assert caught.value.condition == "REST_UNREACHABLE"
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_redirects_are_not_followed(client: Client, status: int, method: str) -> None:
    with scripted() as elsewhere:
        location = elsewhere.uri.replace("//", "//user:hidden@") + "/v1?token=hidden"
        with (
            scripted(raw(status, b"", Location=location)) as server,
            pytest.raises(errors.CatalogError) as caught,
        ):
            client(server.uri).call(method, ["v1"], operation="test")
    assert caught.value.condition == "REST_REDIRECTED"
    assert elsewhere.uri in str(caught.value)
    assert "hidden" not in str(caught.value)
    assert len(server.seen) == 1
    assert elsewhere.seen == []


@pytest.mark.parametrize("location", ["", "/v2", "http://[", "//", "javascript:alert(1)", "\x1b[31m//x"])
def test_a_strange_redirect_is_an_error_too(client: Client, location: str) -> None:
    with scripted(raw(302, b"", Location=location)) as server, pytest.raises(errors.CatalogError) as caught:
        client(server.uri).call("GET", ["v1"], operation="test")
    assert caught.value.condition == "REST_REDIRECTED"
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>login</html>", "no JSON (text/html"),
        (b'{"a": 1', "no JSON"),
        (b'{"a": NaN}', "no JSON"),
        (b"-Infinity", "no JSON"),
        (b'{"a": 1, "b": 2, "a": 3}', "'a' twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff\xfe{}", "no JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "no JSON"),
    ],
    ids=range(8),
)
def test_an_answer_that_is_no_json_is_an_error(client: Client, body: bytes, said: str) -> None:
    with (
        scripted(raw(200, body, Content_Type="text/html")) as server,
        pytest.raises(errors.CatalogError) as caught,
    ):
        client(server.uri).call("GET", ["v1"], operation="list databases")
    assert caught.value.condition == "REST_ANSWER_INVALID"
    assert said in str(caught.value)
    assert "list databases" in str(caught.value)
    assert len(server.seen) == 1


def test_an_endless_answer_is_given_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "LARGEST_ANSWER", 1 << 20)
    with scripted(endless(200)) as server, pytest.raises(errors.CatalogError, match="more than") as caught:
        client(server.uri).call("GET", ["v1"], operation="test")
    assert caught.value.condition == "REST_ANSWER_INVALID"
    with scripted(endless(400)) as server, pytest.raises(errors.InvalidInputError):
        client(server.uri).call("GET", ["v1"], operation="test")


def test_the_error_of_the_server_is_raised(client: Client) -> None:
    with scripted(failure(404, kind="TABLE")) as server, pytest.raises(errors.NoSuchTableError):
        client(server.uri).call("GET", ["v1"], operation="test")
    assert len(server.seen) == 1


class Renewed:
    """Credentials that are other ones after they were refused."""

    def __init__(self, renewable: bool = True) -> None:
        self.number = 1
        self.renewable = renewable

    def headers(
        self, method: str, path: str, query: Mapping[str, str], body: bytes, now: datetime
    ) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.number}"}

    def refreshed(self) -> bool:
        self.number += 1
        return self.renewable


@pytest.mark.parametrize("repeat", Repeat)
def test_refused_credentials_are_renewed_once(client: Client, repeat: Repeat) -> None:
    with scripted(failure(401), ok({"a": 1})) as server:
        transport = client(server.uri, authorization=Renewed())
        assert transport.call("POST", ["v1"], operation="test", repeat=repeat) == {"a": 1}
    assert [request.headers["Authorization"] for request in server.seen] == ["Bearer 1", "Bearer 2"]
    with scripted(failure(401)) as server, pytest.raises(errors.AccessDeniedError) as caught:
        client(server.uri, authorization=Renewed()).call("POST", ["v1"], operation="test", repeat=repeat)
    assert caught.value.condition == "REST_UNAUTHORIZED"
    assert len(server.seen) == 2


def test_credentials_that_cannot_change_are_not_tried_again(client: Client) -> None:
    with scripted(failure(401)) as server, pytest.raises(errors.AccessDeniedError):
        client(server.uri, authorization=Renewed(renewable=False)).call("GET", ["v1"], operation="test")
    assert len(server.seen) == 1


def test_what_is_signed_is_what_is_sent(client: Client) -> None:
    options = {
        "token.provider": "dlf",
        "dlf.region": "cn-hangzhou",
        "dlf.access-key-id": "i",
        "dlf.access-key-secret": "s",
    }
    signed: list[tuple[str, dict[str, str], bytes]] = []

    class Noted:
        inner = authorization_for(options, "http://127.0.0.1")

        def headers(
            self, method: str, path: str, query: Mapping[str, str], body: bytes, now: datetime
        ) -> dict[str, str]:
            signed.append((path, dict(query), body))
            return self.inner.headers(method, path, query, body, now)

        def refreshed(self) -> bool:
            return False

    with scripted() as server:
        client(server.uri + "/base", authorization=Noted()).call(
            "POST", ["v1", "a~b", "c d"], {"q": "x y"}, {"a": "ü"}, operation="test"
        )
    (request,) = server.seen
    assert request.target == "/base/v1/a%7Eb/c+d?q=x%20y"
    assert signed == [("/v1/a%7Eb/c+d", {"q": "x y"}, request.body)]
    assert request.headers["Authorization"].startswith("DLF4-HMAC-SHA256 ")
    assert request.headers["x-dlf-date"] == "20260416T034446Z"
    assert request.headers.get_all("Content-Type") == ["application/json"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("uri", "warned"),
    [
        ("http://catalog.example", True),
        ("http://192.168.1.7:8080", True),
        ("https://catalog.example", False),
        ("http://localhost", False),
        ("http://127.8.0.1", False),
        ("http://[::1]:80", False),
    ],
)
def test_credentials_in_the_clear_are_warned_about(
    client: Client, uri: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        client(uri)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * warned


def test_logs_and_reprs_hide_what_is_secret(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    turns = failure(503, x_request_id="r-17"), failure(500, x_request_id="r-18\x1b[31m")
    with caplog.at_level(logging.DEBUG, "spark_paimon"), scripted(*turns) as server:
        transport = client(server.uri, {"header.x-key": "hidden-header"})
        with pytest.raises(errors.CatalogError) as caught:
            transport.call("GET", ["v1"], {"q": "hidden-query"}, operation="list databases")
    assert "r-17" in caplog.text
    assert "\x1b" not in caplog.text
    for text in (caplog.text, str(caught.value), repr(transport)):
        assert "hidden" not in text


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"rest.read-timeout": "0"}, "rest.read-timeout"),
        ({"rest.connect-timeout": "soon"}, "rest.connect-timeout"),
        ({"rest.ca-file": "/nowhere/at/all.pem"}, "rest.ca-file"),
    ],
)
def test_malformed_options_are_named(client: Client, options: dict[str, str], named: str) -> None:
    with pytest.raises(errors.InvalidInputError, match=named):
        client("https://localhost", options)


@pytest.mark.parametrize("body", [{"a": float("nan")}, {"a": {1, 2}}])
def test_what_is_no_json_is_not_sent(client: Client, body: object) -> None:
    with scripted() as server, pytest.raises((ValueError, TypeError)):
        client(server.uri).call("POST", ["v1"], body=body, operation="test")
    assert server.seen == []


def test_a_closed_transport_says_so(client: Client) -> None:
    with scripted() as server:
        transport = client(server.uri)
        transport.call("GET", ["v1"], operation="test")
        transport.close()
        transport.close()
        with pytest.raises(errors.IllegalStateError) as caught:
            transport.call("GET", ["v1"], operation="test")
    assert caught.value.condition == "CATALOG_CLOSED"


def test_threads_share_a_transport(client: Client) -> None:
    with scripted(ok({"a": 1})) as server:
        transport = client(server.uri)
        answers: list[object] = []

        def ask() -> None:
            answers.extend(transport.call("GET", ["v1"], operation="test") for _ in range(10))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [{"a": 1}] * 80
    assert len({request.connection for request in server.seen}) <= 8


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_child_process_opens_connections_of_its_own(client: Client) -> None:
    with scripted(ok({"a": 1})) as server:
        transport = client(server.uri)
        transport.call("GET", ["v1"], operation="parent")
        child = os.fork()
        if child == 0:
            os._exit(_exit_code(transport))
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        transport.call("GET", ["v1"], operation="parent")
    parent, other, again = (request.connection for request in server.seen)
    assert parent == again
    assert other != parent


def _exit_code(transport: Transport) -> int:
    try:
        return 0 if transport.call("GET", ["v1"], operation="child") == {"a": 1} else 1
    except BaseException:
        return 2
