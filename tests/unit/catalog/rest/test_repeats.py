"""Which failures of a server or a network are tried again, and what is said when nobody knows the outcome."""

from __future__ import annotations

import socket
import traceback
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.rest.transport import ATTEMPTS, LONGEST_WAIT, Repeat
from tests.unit.catalog.rest import scripted_server
from tests.unit.catalog.rest.conftest import Client
from tests.unit.catalog.rest.scripted_server import Turn, failure, ok, raw, scripted

DONE = {"done": 1}
PAGE = raw(502, b"<html><h1>Bad Gateway</h1></html>", Content_Type="text/html")
SHORT = {"rest.read-timeout": "300 ms"}
BREAKS = {
    "closed": scripted_server.closing,
    "reset": scripted_server.resetting,
    "truncated": scripted_server.truncated,
    "silent": scripted_server.silent,
    "stuck": scripted_server.stuck,
    "huge header": scripted_server.huge_header,
    "many headers": scripted_server.many_headers,
    "no HTTP": scripted_server.no_http,
}


@pytest.fixture(params=BREAKS.values(), ids=BREAKS)
def broken(request: pytest.FixtureRequest) -> Turn:
    """Each way in which an exchange breaks after the request was sent."""
    turn: Turn = request.param
    return turn


def change(client: Client, uri: str, repeat: Repeat) -> Any:
    return client(uri, SHORT).call(
        "POST",
        ["v1", "hidden"],
        {"q": "hidden"},
        {"x": "y" * 100_000},
        operation="drop table d.t",
        repeat=repeat,
    )


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("repeat", [Repeat.ALWAYS, Repeat.REFUSED])
def test_a_busy_server_is_asked_again(client: Client, status: int, repeat: Repeat) -> None:
    with scripted(failure(status), failure(status), ok(DONE)) as server:
        assert change(client, server.uri, repeat) == DONE
    assert len(server.seen) == 3
    assert len({request.body for request in server.seen}) == 1
    assert client.pauses == [0.5, 1.0]


@pytest.mark.parametrize("status", [429, 503])
def test_what_adds_is_not_even_repeated_when_it_was_refused(client: Client, status: int) -> None:
    with scripted(failure(status)) as server, pytest.raises(errors.CatalogError) as caught:
        change(client, server.uri, Repeat.NEVER)
    assert caught.value.condition == "REST_SERVER_FAILED"
    assert len(server.seen) == 1
    assert client.pauses == []


def test_a_server_that_stays_busy_is_given_up(client: Client) -> None:
    with (
        scripted(failure(503, "come back later")) as server,
        pytest.raises(errors.CatalogError, match="come back later") as caught,
    ):
        change(client, server.uri, Repeat.ALWAYS)
    assert caught.value.condition == "REST_SERVER_FAILED"
    assert len(server.seen) == ATTEMPTS
    assert client.pauses == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("header", "pause"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("86400", LONGEST_WAIT),
        ("Thu, 16 Apr 2026 03:45:00 GMT", 14.0),
        ("Thu, 16 Apr 2026 03:45:00", 14.0),
        ("Fri, 17 Apr 2026 00:00:00 GMT", LONGEST_WAIT),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", 0.5),
        ("-1", 0.5),
        ("9" * 400, 0.5),
        ("", 0.5),
        ("Thu, 16 Apr 2026 03:45:00 +99999999999999999999", 0.5),
        ("Thu, 99 Apr 2026 99:99:99 GMT", 0.5),
    ],
)
def test_a_server_says_how_long_to_wait(client: Client, header: str, pause: float) -> None:
    with scripted(failure(429, Retry_After=header), ok(DONE)) as server:
        assert change(client, server.uri, Repeat.ALWAYS) == DONE
    assert client.pauses == [pause]


@pytest.mark.parametrize("status", [400, 403, 404, 409, 500, 501])
@pytest.mark.parametrize("repeat", Repeat)
def test_other_refusals_are_final(client: Client, status: int, repeat: Repeat) -> None:
    with scripted(failure(status)) as server, pytest.raises(errors.PaimonError, match="drop table d.t"):
        change(client, server.uri, repeat)
    assert len(server.seen) == 1


def test_what_may_be_done_twice_is_repeated_after_a_break(client: Client, broken: Turn) -> None:
    with scripted(broken, ok(DONE)) as server:
        assert change(client, server.uri, Repeat.ALWAYS) == DONE
    assert len(server.seen) == 2


@pytest.mark.parametrize("repeat", [Repeat.REFUSED, Repeat.NEVER])
def test_what_must_not_be_done_twice_is_not(client: Client, broken: Turn, repeat: Repeat) -> None:
    with scripted(broken, ok(DONE)) as server, pytest.raises(errors.CatalogError) as caught:
        change(client, server.uri, repeat)
    assert caught.value.condition == "REST_OUTCOME_UNKNOWN"
    assert "drop table d.t" in str(caught.value)
    assert "run the statement again" in str(caught.value)
    assert "hidden" not in "".join(traceback.format_exception(caught.value))
    assert len(server.seen) == 1


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_connection_that_always_breaks_is_given_up(client: Client, method: str) -> None:
    with scripted(scripted_server.closing) as server, pytest.raises(errors.CatalogError) as caught:
        client(server.uri).call(method, ["v1"], operation="list databases")
    assert caught.value.condition == "REST_NO_ANSWER"
    assert server.uri.removeprefix("http://") in str(caught.value)
    assert len(server.seen) == ATTEMPTS


def test_a_silent_server_is_named_with_its_time(client: Client) -> None:
    with scripted(scripted_server.silent) as server, pytest.raises(errors.CatalogError) as caught:
        change(client, server.uri, Repeat.NEVER)
    assert "silent for 0.3 seconds" in str(caught.value)


def test_a_page_of_a_proxy_is_tried_again(client: Client) -> None:
    with scripted(PAGE, raw(504, b""), ok(DONE)) as server:
        assert change(client, server.uri, Repeat.ALWAYS) == DONE
    assert len(server.seen) == 3


@pytest.mark.parametrize("repeat", [Repeat.REFUSED, Repeat.NEVER])
def test_behind_a_proxy_the_outcome_is_unknown(client: Client, repeat: Repeat) -> None:
    with scripted(PAGE) as server, pytest.raises(errors.CatalogError) as caught:
        change(client, server.uri, repeat)
    assert caught.value.condition == "REST_OUTCOME_UNKNOWN"
    assert "<" not in str(caught.value)
    assert len(server.seen) == 1


@pytest.mark.parametrize("first", [scripted_server.closing, PAGE], ids=["closed", "proxy"])
@pytest.mark.parametrize("status", [401, 403])
def test_refused_after_a_break_does_not_mean_not_done(client: Client, first: Turn, status: int) -> None:
    with scripted(first, failure(status)) as server, pytest.raises(errors.CatalogError) as caught:
        change(client, server.uri, Repeat.ALWAYS)
    assert caught.value.condition == "REST_NO_ANSWER"
    assert "it says no" in str(caught.value)
    with scripted(first, failure(status)) as server, pytest.raises(errors.AccessDeniedError):
        client(server.uri).call("GET", ["v1"], operation="list databases")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.parametrize(("repeat", "attempts"), [(Repeat.ALWAYS, 5), (Repeat.REFUSED, 5), (Repeat.NEVER, 1)])
def test_a_server_that_is_not_there(client: Client, repeat: Repeat, attempts: int) -> None:
    port = free_port()
    with pytest.raises(errors.CatalogError) as caught:
        change(client, f"http://127.0.0.1:{port}", repeat)
    assert caught.value.condition == "REST_UNREACHABLE"
    assert f"127.0.0.1:{port}" in str(caught.value)
    assert "Connection refused" in str(caught.value)
    assert "hidden" not in "".join(traceback.format_exception(caught.value))
    assert len(client.pauses) == attempts - 1


def test_a_server_without_a_name(client: Client) -> None:
    with pytest.raises(errors.CatalogError) as caught:
        change(client, "http://catalog.invalid:81", Repeat.ALWAYS)
    assert caught.value.condition == "REST_UNREACHABLE"
    assert "catalog.invalid:81" in str(caught.value)


def test_a_server_that_does_not_accept(client: Client) -> None:
    # A full queue of connections: the next one gets no answer at all.
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port = listening.getsockname()[1]
        waiting = []
        try:
            for _ in range(3):
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", port))
                waiting.append(one)
            with pytest.raises(errors.CatalogError) as caught:
                client(f"http://127.0.0.1:{port}", {"rest.connect-timeout": "200 ms"}).call(
                    "GET", ["v1"], operation="test"
                )
        finally:
            for one in waiting:
                one.close()
    assert caught.value.condition == "REST_UNREACHABLE"
    assert "no connection within 0.2 seconds" in str(caught.value)
    assert len(client.pauses) == ATTEMPTS - 1


def test_a_server_that_does_not_speak_tls(client: Client) -> None:
    with scripted() as server, pytest.raises(errors.CatalogError) as caught:
        client(server.uri.replace("http:", "https:")).call("GET", ["v1"], operation="test")
    assert caught.value.condition == "REST_UNREACHABLE"
    assert client.pauses == []


def test_idle_connections_that_the_server_closed_are_no_failures(client: Client) -> None:
    """A change goes over a new connection, so that a connection that just ends leaves nothing unknown."""
    with scripted(ok(DONE)) as server:
        transport = client(server.uri)
        transport.call("GET", ["v1"], operation="test")
        for _ in range(3):
            transport.call("POST", ["v1"], operation="test", repeat=Repeat.REFUSED)
        transport.call("GET", ["v1"], operation="test")
    first, *changes, last = (request.connection for request in server.seen)
    assert first == last
    assert len({first, *changes}) == 4
