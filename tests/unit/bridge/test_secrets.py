"""What the Python process of a driver tells of the secrets it was given: nothing."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import pytest

from spark_paimon.bridge.messages import OpenCatalog
from spark_paimon.bridge.process import JsonLines
from spark_paimon.bridge.service import Service

SECRET = "nobody-may-see-this"


def opened(service: Service, **request: object) -> dict[str, dict[str, str]]:
    answer: dict[str, dict[str, str]] = json.loads(
        service.call("open_catalog", json.dumps({"name": "c", **request}), None)
    )
    return answer


def test_library_that_quotes_what_it_was_given(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(options: object) -> None:
        raise ValueError(f"Invalid character in header value: 'Bearer {SECRET}'")

    monkeypatch.setattr("spark_paimon.bridge.service.load_catalog", fail)
    service = Service()
    answer = opened(service, options={"metastore": "rest", "token": SECRET})
    assert answer["error"]["condition"] == "INTERNAL_ERROR"
    assert "Bearer ***" in answer["error"]["message"]
    assert SECRET not in json.dumps(answer)
    (record,) = caplog.records
    assert "Bearer ***" in JsonLines(service.hide).format(record)
    assert SECRET not in JsonLines(service.hide).format(record)


def test_traceback_of_a_log_line() -> None:
    service = Service()
    opened(service, options={"token": SECRET, "tokne": "x"})
    try:
        raise ValueError(SECRET)
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "failed: %s", (SECRET,), sys.exc_info())
    line = json.loads(JsonLines(service.hide).format(record))
    assert line["message"].startswith("failed: ***")
    assert "ValueError: ***" in line["message"]


def test_text_of_the_file_that_the_jvm_has_read(tmp_path: Path) -> None:
    """The file may be gone: the JVM has had it before."""
    options = {"metastore": "embedded", "warehouse": str(tmp_path), "secrets-file": "/gone/secrets.json"}
    service = Service()
    try:
        first = opened(service, options=options, secrets=json.dumps({"token": SECRET}))
        second = opened(service, options=options, secrets=json.dumps({"token": SECRET + "2"}))
        assert first["result"]["catalog"] != second["result"]["catalog"]  # a new token is a new catalog
        assert "/gone/secrets.json" in opened(service, options=options)["error"]["message"]
    finally:
        service.close()


def test_request_shows_none() -> None:
    assert SECRET not in repr(OpenCatalog("c", {"token": SECRET}, json.dumps({"token": SECRET})))
