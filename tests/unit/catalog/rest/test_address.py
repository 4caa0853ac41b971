from __future__ import annotations

import pytest

from spark_paimon import errors
from spark_paimon.catalog.rest.address import ServerAddress, place_of


@pytest.mark.parametrize(
    ("uri", "shown", "base"),
    [
        ("http://localhost:8080", "localhost:8080", "http://localhost:8080"),
        (" https://catalog.example/a/ ", "catalog.example:443", "https://catalog.example/a"),
        ("HTTP://Catalog.Example", "catalog.example:80", "http://catalog.example"),
        ("http://[::1]:81/", "[::1]:81", "http://[::1]:81"),
        ("https://bücher.example", "bücher.example:443", "https://xn--bcher-kva.example"),
    ],
)
def test_addresses(uri: str, shown: str, base: str) -> None:
    address = ServerAddress.parse(uri)
    assert str(address) == shown
    assert address.base == base
    assert address.url("/v1", {}) == base + "/v1"


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "hidden",
        "hidden:8080",
        "ftp://hidden",
        "jdbc:hidden",
        "http://",
        "http:///hidden",
        "http://user:hidden@host",
        "http://hidden@host",
        "http://@host",
        "http://host/?token=hidden",
        "http://host#hidden",
        "http://host:hidden",
        "http://host:99999/hidden",
        "http://[hidden",
        "http://*hidden",
        "http://" + "hidden" * 20 + "ü.example",
    ],
)
def test_what_is_no_address_is_refused_without_showing_it(uri: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        ServerAddress.parse(uri)
    assert caught.value.condition == "REST_URI_INVALID"
    assert "hidden" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://u:p@h:1/x?y#z", "https://h:1"),
        ("http://[::1]/x", "http://[::1]"),
        ("/path", "another address"),
        ("http://[", "another address"),
        ("http://h:x", "another address"),
    ],
)
def test_places(url: str, place: str) -> None:
    assert place_of(url) == place
