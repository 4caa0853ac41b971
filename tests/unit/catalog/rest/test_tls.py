"""Whose certificate is trusted."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import trustme

from spark_paimon import errors
from spark_paimon.catalog.rest.transport import Repeat
from tests.unit.catalog.rest.conftest import Client
from tests.unit.catalog.rest.scripted_server import ok, scripted

DONE = {"done": 1}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(file)
    return str(file)


def context(authority: trustme.CA, host: str = "127.0.0.1") -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(made)
    return made


@pytest.mark.parametrize("repeat", Repeat)
def test_a_certificate_of_strangers_is_refused(client: Client, authority: trustme.CA, repeat: Repeat) -> None:
    with (
        scripted(ok(DONE), tls=context(authority)) as server,
        pytest.raises(errors.CatalogError, match="certificate is not trusted") as caught,
    ):
        client(server.uri).call("POST", ["v1"], operation="test", repeat=repeat)
    assert caught.value.condition == "REST_UNREACHABLE"
    assert server.seen == []
    assert client.pauses == []


def test_authorities_can_be_named(client: Client, authority: trustme.CA, ca_file: str) -> None:
    with scripted(ok(DONE), tls=context(authority)) as server:
        transport = client(server.uri, {"rest.ca-file": ca_file})
        assert transport.call("GET", ["v1"], operation="test") == DONE
        assert transport.call("POST", ["v1"], operation="test", repeat=Repeat.NEVER) == DONE


def test_authorities_can_come_from_the_environment(
    client: Client, authority: trustme.CA, ca_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", ca_file)
    with scripted(ok(DONE), tls=context(authority)) as server:
        assert client(server.uri).call("GET", ["v1"], operation="test") == DONE


def test_a_lost_file_of_authorities_is_named(
    client: Client, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "none.pem"))
    with (
        scripted(ok(DONE), tls=context(authority)) as server,
        pytest.raises(errors.CatalogError, match="none.pem") as caught,
    ):
        client(server.uri).call("GET", ["v1"], operation="test")
    assert caught.value.condition == "REST_UNREACHABLE"
    assert server.seen == []


def test_a_certificate_of_another_host_is_refused(
    client: Client, authority: trustme.CA, ca_file: str
) -> None:
    with (
        scripted(ok(DONE), tls=context(authority, "other.example")) as server,
        pytest.raises(errors.CatalogError, match="certificate is not trusted"),
    ):
        client(server.uri, {"rest.ca-file": ca_file}).call("GET", ["v1"], operation="test")
    assert server.seen == []
