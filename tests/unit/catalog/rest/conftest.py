from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime, timezone
from typing import Any

import pytest

from spark_paimon.catalog.rest.authorization import BearerToken
from spark_paimon.catalog.rest.transport import Transport

NOW = datetime(2026, 4, 16, 3, 44, 46, tzinfo=timezone.utc)


class Client:
    """Opens transports that do not sleep, and notes how long they would have."""

    def __init__(self, stack: ExitStack) -> None:
        self.pauses: list[float] = []
        self._stack = stack

    def __call__(
        self, uri: str, options: Mapping[str, str] | None = None, authorization: Any = None
    ) -> Transport:
        transport = Transport(
            uri,
            options or {},
            authorization or BearerToken("hidden"),
            sleep=self.pauses.append,
            now=lambda: NOW,
            jitter=lambda: 1.0,
        )
        self._stack.callback(transport.close)
        return transport


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as stack:
        yield Client(stack)
