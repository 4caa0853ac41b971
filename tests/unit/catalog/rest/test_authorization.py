"""Which credentials the options of a catalog ask for, and that nothing shows them."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.catalog.rest.authorization import Authorization, authorization_for

URI = "https://catalog.example/base"
DLF_URI = "https://cn-hangzhou-vpc.dlf.example"
NOW = datetime(2026, 4, 16, 3, 44, 46, tzinfo=timezone.utc)
KEY = {"dlf.access-key-id": "hidden-id", "dlf.access-key-secret": "hidden-secret"}


def header(authorization: Authorization) -> str:
    return authorization.headers("GET", "/v1/config", {}, b"", NOW)["Authorization"]


@pytest.mark.parametrize("provider", [{}, {"token.provider": "bear"}, {"token.provider": "BEAR"}])
def test_a_token_is_sent_as_it_is(provider: dict[str, str]) -> None:
    authorization = authorization_for({"token": "hidden", **provider}, URI)
    assert authorization.headers("POST", "/v1/p", {"a": "b"}, b"{}", NOW) == {
        "Authorization": "Bearer hidden"
    }
    assert not authorization.refreshed()


def test_a_token_file_is_read_when_needed(tmp_path: Path) -> None:
    file = tmp_path / "token"
    authorization = authorization_for({"token-file": str(file)}, URI)
    file.write_text("hidden-1\n")
    assert header(authorization) == "Bearer hidden-1"
    file.write_text("hidden-2")
    assert header(authorization) == "Bearer hidden-1"
    assert authorization.refreshed()
    assert header(authorization) == "Bearer hidden-2"
    file.unlink()
    assert not authorization.refreshed()
    assert header(authorization) == "Bearer hidden-2"


def test_the_token_counts_before_its_file(tmp_path: Path) -> None:
    authorization = authorization_for({"token-file": str(tmp_path / "none"), "token": "given"}, URI)
    assert header(authorization) == "Bearer given"


def test_a_lost_token_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "token"
    with pytest.raises(errors.AccessDeniedError, match="No such file") as caught:
        header(authorization_for({"token-file": str(file)}, URI))
    assert str(file) in str(caught.value)
    assert "token-file" in str(caught.value)


@pytest.mark.parametrize("token", ["", "  ", "hid\r\nX-Evil: 1", "hid den", "hidé", "hid\x00"])
def test_a_token_that_is_no_header_is_refused(token: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(token.encode())
    for option, value in (("token", token), ("token-file", str(file))):
        with pytest.raises(errors.InvalidInputError) as caught:
            header(authorization_for({option: value}, URI))
        assert caught.value.condition == "REST_CREDENTIALS_INVALID"
        assert f"'{option}'" in str(caught.value)
        assert "hid" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({}, "'token'"),
        ({}, "'token-file'"),
        ({}, "'token.provider' = 'dlf'"),
        ({"token.provider": "bear"}, "'token-file'"),
        ({"token.provider": "dlf"}, "'dlf.access-key-id'"),
        ({"token.provider": "dlf", "token": "t"}, "'dlf.token-path'"),
        ({"token.provider": "dlf", "dlf.access-key-id": "i"}, "'dlf.access-key-secret'"),
        ({"token.provider": "dlf", "dlf.token-loader": "local_file"}, "'dlf.token-path'"),
        ({"token.provider": "dlf", **KEY}, "'dlf.region'"),
    ],
)
def test_missing_credentials_are_named(options: dict[str, str], named: str) -> None:
    with pytest.raises(errors.InvalidInputError) as caught:
        authorization_for(options, URI)
    assert caught.value.condition == "REST_CREDENTIALS_MISSING"
    assert named in str(caught.value)


@pytest.mark.parametrize(
    "option", [{"dlf.token-loader": "ecs"}, {"dlf.signing-algorithm": "openapi-v4"}], ids=["ecs", "v4"]
)
def test_what_is_not_built_says_so(option: dict[str, str]) -> None:
    with pytest.raises(errors.UnsupportedError) as caught:
        authorization_for({"token.provider": "dlf", **KEY, **option}, DLF_URI)
    assert caught.value.condition == "REST_CREDENTIALS_UNSUPPORTED"
    assert next(iter(option)) in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "options", "begin"),
    [
        (DLF_URI, {}, "DLF4-HMAC-SHA256 Credential=hidden-id/20260416/cn-hangzhou/"),
        (DLF_URI, {"dlf.region": "eu-west-1"}, "DLF4-HMAC-SHA256 Credential=hidden-id/20260416/eu-west-1/"),
        ("https://dlfnext.cn-beijing.example", {}, "acs hidden-id:"),
        ("https://dlfnext.cn-beijing.example", {"dlf.signing-algorithm": "default"}, "acs hidden-id:"),
        (URI, {"dlf.signing-algorithm": "openapi"}, "acs hidden-id:"),
    ],
)
def test_the_signature_follows_host_and_options(uri: str, options: dict[str, str], begin: str) -> None:
    authorization = authorization_for({"token.provider": "dlf", **KEY, **options}, uri)
    assert header(authorization).startswith(begin)
    assert not authorization.refreshed()


def test_no_two_signatures_have_one_nonce() -> None:
    options = {"token.provider": "dlf", **KEY, "dlf.security-token": "hidden-token"}
    authorization = authorization_for(options, "https://dlfnext.cn-beijing.example")
    sent = [authorization.headers("GET", "/v1/config", {}, b"", NOW) for _ in range(2)]
    assert sent[0]["x-acs-signature-nonce"] != sent[1]["x-acs-signature-nonce"]
    assert sent[0]["x-acs-security-token"] == "hidden-token"


def test_a_key_file_counts_before_the_key(tmp_path: Path) -> None:
    file = tmp_path / "key.json"
    file.write_text(json.dumps({"AccessKeyId": "of-the-file", "AccessKeySecret": "s"}))
    options = {"token.provider": "dlf", **KEY, "dlf.token-path": str(file)}
    authorization = authorization_for(options, DLF_URI)
    assert "Credential=of-the-file/" in header(authorization)
    assert authorization.refreshed()


@pytest.mark.parametrize(
    "options",
    [
        {"token": "hidden"},
        {"token-file": "FILE"},
        {"token.provider": "dlf", **KEY, "dlf.security-token": "hidden"},
    ],
    ids=["token", "file", "key"],
)
def test_reprs_hide_credentials(options: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("hidden")
    authorization = authorization_for(
        {key: str(file) if text == "FILE" else text for key, text in options.items()}, DLF_URI
    )
    assert "hidden" in str(authorization.headers("GET", "/v1/config", {}, b"", NOW))
    assert "hidden" not in repr(authorization)
    assert "hidden" not in f"{authorization}"
