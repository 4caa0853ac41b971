"""Which options are secret, and the file that holds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.catalog import load_catalog
from spark_paimon.options import hidden, is_secret, secret_values, with_secrets

SECRETS = {
    "token": "t",
    "Token": "t",
    "dlf.access-key-id": "t",
    "dlf.access-key-secret": "t",
    "dlf.security-token": "t",
    "header.Authorization": "Basic t",
    "header.X-Anything": "t",
    "fs.secret": "t",
    "fs.key": "t",
    "fs.s3.access-key": "t",
    "fs.client_kwargs": '{"aws_secret_access_key": "t"}',
    "fs.endpoint_url": "http://me:pw@proxy",
    "fs.connection_string": "t",
}
SECRET_URIS = (
    "postgresql://me:pw@host/db",
    "postgresql+psycopg://me:p/w?x@host/db",
    "postgresql://host/db?user=me&password=pw",
    "https://me:pw@catalog.example.org",
)
PLAIN = {
    "metastore": "rest",
    "warehouse": "/data/w",
    "token-file": "/run/token",
    "token.provider": "bear",
    "secrets-file": "/run/secrets.json",
    "dlf.region": "cn-hangzhou",
    "dlf.token-path": "/run/token",
    "fs.endpoint_url": "http://localhost:9000",
    "fs.anon": "true",
    "table-default.file.format": "orc",
}
PLAIN_URIS = (
    "https://catalog.example.org:8443/x",
    "postgresql://me@host:5432/db?sslmode=require",
    "sqlite:////data/catalog.db",
)


@pytest.mark.parametrize(("key", "value"), [*SECRETS.items(), *(("uri", uri) for uri in SECRET_URIS)])
def test_secret(key: str, value: str) -> None:
    assert is_secret(key, value)


@pytest.mark.parametrize(("key", "value"), [*PLAIN.items(), *(("uri", uri) for uri in PLAIN_URIS)])
def test_not_secret(key: str, value: str) -> None:
    assert not is_secret(key, value)


def test_file_wins_whatever_the_case(tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    file.write_text('{"token": "new", "header.X": "y"}')
    found = with_secrets({"Token": "old", "Secrets-File": str(file), "metastore": "rest"})
    assert found == {"metastore": "rest", "token": "new", "header.X": "y"}


def test_text_that_was_read_before_is_used() -> None:
    assert with_secrets({"secrets-file": "/gone"}, '{"token": "t"}') == {"token": "t"}


@pytest.mark.parametrize(
    "content",
    ["", "s3cret", "[]", '{"token": s3cret}', '{"s3cret": 1}', '{"secrets-file": "s3cret"}', b"\xff"],
)
def test_malformed_file_is_named_and_not_quoted(tmp_path: Path, content: str | bytes) -> None:
    file = tmp_path / "secrets.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(errors.InvalidInputError) as caught:
        with_secrets({"secrets-file": str(file)})
    assert caught.value.condition == "SECRETS_FILE_INVALID"
    assert str(file) in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(errors.InvalidInputError, match=r"nothing\.json.*No such file"):
        load_catalog({"warehouse": str(tmp_path), "secrets-file": str(tmp_path / "nothing.json")})


def test_catalog_takes_options_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    file.write_text('{"fs.secret": "s3cret"}')
    with load_catalog({"warehouse": str(tmp_path / "w"), "secrets-file": str(file)}) as catalog:
        assert catalog.storage_options == {"secret": "s3cret"}
        assert "s3cret" not in repr(catalog)


def test_unknown_option_in_the_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    file.write_text('{"tokne": "s3cret"}')
    with pytest.raises(errors.InvalidInputError, match="'tokne'.*'token'") as caught:
        load_catalog({"warehouse": str(tmp_path), "secrets-file": str(file)})
    assert "s3cret" not in str(caught.value)


def test_password_is_hidden_however_it_is_written() -> None:
    secrets = secret_values(
        {"uri": "postgresql://me:pass%20word@host/db", "token": "abcdef", "warehouse": "/w"}
    )
    text = hidden("pass%20word, pass word, Bearer abcdef, /w", secrets)
    assert text == "***, ***, Bearer ***, /w"


def test_short_secrets_do_not_eat_the_text() -> None:
    assert hidden("a catalog", {"a"}) == "a catalog"
