"""One request as it comes in, and its answer as it goes out."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from spark_paimon.server.limits import Limits
from spark_paimon.server.refusals import RequestRefused

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_DRAIN_SECONDS = 2


class ClientGoneError(Exception):
    """The client went away before its request was complete."""


class Exchange:
    """A request and its answer on a connection.

    Parameters
    ----------
    scope, receive, send
        As ASGI gives them.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._begun = time.perf_counter()
        self._headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            self._headers.setdefault(name, value)
        self._complete = "content-length" not in self and "transfer-encoding" not in self
        self.bytes_in = 0

    def __contains__(self, header: str) -> bool:
        return header.encode() in self._headers

    @property
    def method(self) -> str:
        """GET, POST and so on."""
        return str(self._scope["method"])

    @property
    def raw_path(self) -> bytes:
        """The path as it was sent."""
        return bytes(self._scope["raw_path"])

    @property
    def query(self) -> bytes:
        """What stands behind the question mark."""
        return bytes(self._scope["query_string"])

    @property
    def client(self) -> str:
        """Address of the other end of the connection."""
        client = self._scope.get("client")
        return str(client[0]) if client else ""

    @property
    def milliseconds(self) -> float:
        """Time since the request began."""
        return round(1000 * (time.perf_counter() - self._begun), 1)

    def header(self, name: str) -> str:
        """A header; empty when it was not sent."""
        return self._headers.get(name.encode(), b"").decode("latin-1")

    async def body(self, limits: Limits) -> bytes:
        """The whole body.

        Raises
        ------
        RequestRefused
            It is too large or too slow.
        ClientGoneError
            The connection ended.
        """
        length = self.header("content-length")
        if length.isdigit() and int(length) > limits.body_bytes:
            raise RequestRefused(413, "REQUEST_TOO_LARGE", limit=limits.body_bytes)
        parts: list[bytes] = []

        async def read() -> None:
            while not self._complete:
                parts.append(await self._part())
                if self.bytes_in > limits.body_bytes:
                    raise RequestRefused(413, "REQUEST_TOO_LARGE", limit=limits.body_bytes)

        try:
            await asyncio.wait_for(read(), limits.body_seconds)
        except asyncio.TimeoutError:
            raise RequestRefused(408, "REQUEST_TOO_SLOW", seconds=f"{limits.body_seconds:g}") from None
        return b"".join(parts)

    async def _part(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        part = bytes(message.get("body", b""))
        self.bytes_in += len(part)
        self._complete = not message.get("more_body", False)
        return part

    async def answer(self, status: int, content: bytes, headers: Iterable[tuple[str, str]]) -> None:
        """Send the answer; what of the body was not read is thrown away, within reason."""
        sent = [("content-length", str(len(content))), *headers]
        if content:
            sent.append(("content-type", "application/json"))
        left = not self._complete
        if left:
            sent.append(("connection", "close"))
        encoded = [(name.encode(), value.encode("latin-1")) for name, value in sent]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})
        if left and "expect" not in self:
            # Closing on a client that still sends would take the answer away from it.
            await self._send({"type": "http.response.body", "body": content, "more_body": True})
            with contextlib.suppress(asyncio.TimeoutError, ClientGoneError):
                await asyncio.wait_for(self._drain(), _DRAIN_SECONDS)
            content = b""
        await self._send({"type": "http.response.body", "body": content})

    async def _drain(self) -> None:
        while not self._complete:
            await self._part()
