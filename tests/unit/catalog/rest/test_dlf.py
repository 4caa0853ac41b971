"""Signatures, compared with those of pypaimon 2.1.0, and keys that another process renews."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog.rest.dlf import (
    AccessKey,
    FixedKey,
    KeyFile,
    UnsignedRequest,
    default_headers,
    openapi_headers,
    region_of,
)

VECTORS = json.loads(Path(__file__).with_name("dlf_vectors.json").read_text(encoding="utf-8"))
NOW = datetime(2026, 4, 16, 3, 44, 46, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "vector",
    VECTORS,
    ids=[f"{v['signer']}-{v['method']}-{v['path']}-{number}" for number, v in enumerate(VECTORS)],
)
def test_signatures_are_those_of_pypaimon(vector: dict[str, Any]) -> None:
    key = AccessKey(*vector["key"])
    now = datetime.fromisoformat(vector["now"])
    request = UnsignedRequest(vector["method"], vector["path"], vector["query"], vector["body"].encode())
    if vector["signer"] == "default":
        headers = default_headers(request, key, vector["region"], now)
    else:
        headers = openapi_headers(request, key, vector["nonce"], now)
    assert headers == vector["headers"]


@pytest.mark.parametrize(
    ("host", "region"),
    [
        ("cn-hangzhou-vpc.dlf.aliyuncs.com", "cn-hangzhou"),
        ("pre-cn-hangzhou.dlf.aliyuncs.com", "cn-hangzhou"),
        ("dlfnext.us-east-1.aliyuncs.com", "us-east-1"),
        ("127.0.0.1", None),
        ("catalog.example", None),
    ],
)
def test_regions_of_hosts(host: str, region: str | None) -> None:
    assert region_of(host) == region


def store(path: Path, name: str, **changes: Any) -> None:
    content = {
        "AccessKeyId": name,
        "AccessKeySecret": "hidden-secret",
        "SecurityToken": "hidden-token",
        "Expiration": "2026-04-16T09:00:00Z",
    }
    path.write_text(json.dumps({**content, **changes}), encoding="utf-8")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "key.json"


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def keys(path: Path, pauses: list[float]) -> KeyFile:
    return KeyFile(str(path), sleep=pauses.append)


def test_a_key_is_read_once_while_it_lasts(path: Path, keys: KeyFile) -> None:
    store(path, "first")
    assert keys.current(NOW) == AccessKey(
        "first", "hidden-secret", "hidden-token", datetime(2026, 4, 16, 9, tzinfo=timezone.utc)
    )
    store(path, "second", Expiration="2026-04-16T12:00:00Z")
    assert keys.current(NOW + timedelta(hours=4)).id == "first"
    assert keys.current(NOW + timedelta(hours=5)).id == "second"


def test_a_key_without_end_is_read_once(path: Path, keys: KeyFile) -> None:
    store(path, "first", SecurityToken=None, Expiration=None)
    keys.current(NOW)
    path.unlink()
    assert keys.current(NOW + timedelta(days=1000)) == AccessKey("first", "hidden-secret")


def test_a_refused_key_is_read_again(path: Path, keys: KeyFile) -> None:
    store(path, "first")
    keys.current(NOW)
    store(path, "second")
    assert keys.reload()
    assert keys.current(NOW).id == "second"


def test_a_lost_file_does_not_matter_while_the_key_lasts(
    path: Path, keys: KeyFile, pauses: list[float]
) -> None:
    store(path, "first")
    keys.current(NOW)
    path.unlink()
    assert not keys.reload()
    pauses.clear()
    assert keys.current(NOW + timedelta(hours=5)).id == "first"
    assert pauses == []
    with pytest.raises(errors.AccessDeniedError) as caught:
        keys.current(NOW + timedelta(hours=6))
    assert caught.value.condition == "REST_CREDENTIALS_UNREADABLE"
    assert str(path) in str(caught.value)


def test_a_half_written_file_is_read_again(path: Path, pauses: list[float]) -> None:
    path.write_text('{"AccessKeyId": "fir')

    def finish(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            store(path, "first")

    assert KeyFile(str(path), sleep=finish).current(NOW).id == "first"
    assert len(pauses) == 2


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"AccessKeyId": "hidden"}',
        '{"AccessKeyId": "hidden", "AccessKeySecret": 7}',
        '{"AccessKeyId": "hid\\r\\nden", "AccessKeySecret": "hidden"}',
        '{"AccessKeyId": "hidden", "AccessKeySecret": "hidden", "Expiration": "tomorrow"}',
        '{"AccessKeyId": "hidden", "AccessKeySecret": "\\ud800"}',
        '{"AccessKeyId": "hidden", "AccessKeySecret": "hidden", "SecurityToken": "a b"}',
        "[" * 100_000,
    ],
    ids=range(9),
)
def test_what_is_no_key_is_refused_without_showing_it(path: Path, keys: KeyFile, content: str) -> None:
    path.write_text(content)
    with pytest.raises(errors.AccessDeniedError) as caught:
        keys.current(NOW)
    assert "hid" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_reprs_hide_the_key(path: Path, keys: KeyFile) -> None:
    store(path, "hidden-id")
    key = keys.current(NOW)
    for thing in (keys, key, FixedKey(key), UnsignedRequest("GET", "/v1", {}, b"hidden")):
        assert "hidden" not in repr(thing)
        assert "hidden" not in str(thing)
