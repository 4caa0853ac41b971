"""HTTP connections: what uvicorn's protocol leaves open about slow, idle and broken ones."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from spark_paimon.server.limits import Limits
from spark_paimon.server.refusals import RequestRefused, busy, malformed

_LINGER_SECONDS = 2


class CatalogProtocol(H11Protocol):
    """One connection.

    Headers must arrive in time, connections that idle make room for new ones, and what is no HTTP gets an
    answer of the form that all answers have.
    """

    limits = Limits()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None
        self._idle_since = self.loop.time()
        self._begun = False
        self._refused = False
        self._lost = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, and make room when there are too many."""
        super().connection_made(transport)
        self._await_headers()
        if len(self.connections) > self.limits.connections:
            idle = [other for other in self.connections if isinstance(other, CatalogProtocol) and other.idle]
            longest = min(idle, key=lambda other: other._idle_since)
            if longest is self:
                self._refuse(busy())
            else:
                longest.shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._lost = True
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        if self._refused:
            return
        if self.idle and self._deadline is None:
            self._await_headers()
        before = self.cycle
        self._begun = True
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Remember since when the connection is idle."""
        self._idle_since = self.loop.time()
        self._begun = False
        super().on_response_complete()
        self._end_soon()

    def shutdown(self) -> None:
        """Close when nothing is being answered, or then."""
        if self._refused:
            self.transport.close()
        else:
            super().shutdown()
        self._end_soon()

    def timeout_keep_alive_handler(self) -> None:
        """Close after the time without a request."""
        super().timeout_keep_alive_handler()
        self._end_soon()

    def _end_soon(self) -> None:
        """Wait no longer than a moment for the other side to take note that the connection is closed.

        With TLS both sides say goodbye, and a client that has the connection in a pool does not listen.
        """
        if self.transport.is_closing() and not self._lost:
            self.loop.call_later(_LINGER_SECONDS, self._end)

    def _end(self) -> None:
        if not self._lost and self.transport.get_write_buffer_size() > 0:
            self._end_soon()
        elif not self._lost:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        # Called while the error is handled, which alone knows that headers were too large.
        error = sys.exc_info()[1]
        if isinstance(error, h11.RemoteProtocolError) and error.error_status_hint == 431:
            self._refuse(RequestRefused(431, "HEADERS_TOO_LARGE"))
        else:
            self._refuse(malformed("it is no valid HTTP"))

    @property
    def idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _await_headers(self) -> None:
        self._deadline = self.loop.call_later(self.limits.header_seconds, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        if not self._begun:
            self.transport.close()
        elif self.idle:
            self._refuse(RequestRefused(408, "REQUEST_TOO_SLOW", seconds=f"{self.limits.header_seconds:g}"))

    def _refuse(self, refused: RequestRefused) -> None:
        status, body = refused.answer()
        self.logger.warning("Connection from %s refused: %s", self.client and self.client[0], refused.text)
        content = json.dumps(body).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(content))),
            ("connection", "close"),
            *refused.headers.items(),
        ]
        try:
            for event in (
                h11.Response(status_code=status, headers=headers, reason=STATUS_PHRASES[status]),
                h11.Data(data=content),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # in the middle of an answer: closing is all that can be said
        if self.transport.can_write_eof():
            # Closing on a client that still sends would take the answer away from it.
            self._refused = True
            self.transport.write_eof()
            self.loop.call_later(_LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()


def protocol_with(limits: Limits) -> type[CatalogProtocol]:
    """The protocol under some limits."""
    return type("CatalogProtocol", (CatalogProtocol,), {"limits": limits})
