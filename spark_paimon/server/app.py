"""The server as an ASGI application: who may ask, how much, and how answers and failures are sent."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson

from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.catalog.wire.failures import answer_of
from spark_paimon.server.call import Call, read_query
from spark_paimon.server.databases import healthy
from spark_paimon.server.document import read_body
from spark_paimon.server.endpoints import Endpoint, find
from spark_paimon.server.exchange import ClientGoneError, Exchange, Receive, Scope, Send
from spark_paimon.server.health import Health
from spark_paimon.server.limits import Limits
from spark_paimon.server.log import log_request
from spark_paimon.server.refusals import RequestRefused, busy, malformed

_LOG = logging.getLogger(__name__)
_HEALTH = b"/healthz"
_CLIENT_GONE = 499  # never sent: for the log


class CatalogServer:
    """Answers requests from a catalog.

    Parameters
    ----------
    catalog
        Closed by whoever opened it, after this object.
    token
        What every request must bring, except for ``/healthz``.
    limits
        How much is taken on.
    """

    def __init__(self, catalog: EmbeddedCatalog, token: str, limits: Limits | None = None) -> None:
        self._catalog = catalog
        self._token = _digest(token.encode())
        self._limits = limits or Limits()
        self._threads = ThreadPoolExecutor(self._limits.threads, "request")
        self._health = Health(lambda: healthy(catalog, Call({}, {})))
        self._running = 0

    def close(self) -> None:
        """End the threads, each after the request that it is at."""
        self._health.close()
        self._threads.shutdown(wait=True, cancel_futures=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        exchange = Exchange(scope, receive, send)
        number = uuid.uuid4().hex
        status, content = _CLIENT_GONE, b""
        try:
            headers: Mapping[str, str] = {}
            try:
                status, content = 200, await self._content(exchange)
            except ClientGoneError:
                return
            except Exception as error:
                status, body, headers = _failure(error, number)
                content = orjson.dumps(body)
            await exchange.answer(status, content, [("x-request-id", number), *headers.items()])
        finally:
            log_request(
                request=number,
                method=exchange.method,
                path=exchange.raw_path.decode("latin-1"),
                status=status,
                ms=exchange.milliseconds,
                bytes_in=exchange.bytes_in,
                bytes_out=len(content),
                client=exchange.client,
            )

    async def _content(self, exchange: Exchange) -> bytes:
        if exchange.raw_path == _HEALTH:
            find(exchange.method, exchange.raw_path)
            await self._health.check()
            return b'{"status":"ok"}'
        self._authorise(exchange)
        endpoint, parameters = find(exchange.method, exchange.raw_path)
        if self._running >= self._limits.requests:
            raise busy()
        self._running += 1
        try:
            query = read_query(exchange.query)
            body = None if endpoint.body is None else await exchange.body(self._limits)
            work = (endpoint, parameters, query, body)
            # Not cancelled with this task: what has begun is finished, and counted until then.
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._work, *work)
        finally:
            self._running -= 1

    def _work(
        self, endpoint: Endpoint, parameters: Mapping[str, str], query: Mapping[str, str], body: bytes | None
    ) -> bytes:
        """All that takes time: reading the body, the catalog, writing the answer."""
        value = None if endpoint.body is None else read_body(endpoint.body, body or b"")
        answer = endpoint.handler(self._catalog, Call(parameters, query, value))
        return b"" if answer is None else orjson.dumps(answer)

    def _authorise(self, exchange: Exchange) -> None:
        kind, _, token = exchange.header("authorization").partition(" ")
        # Digests have one length, so that the time of the comparison tells nothing about the token.
        fits = hmac.compare_digest(_digest(token.strip().encode("latin-1")), self._token)
        if kind.lower() != "bearer" or not fits:
            raise RequestRefused(401, "REQUEST_UNAUTHORISED", headers={"www-authenticate": "Bearer"})


def _failure(error: Exception, number: str) -> tuple[int, Mapping[str, Any], Mapping[str, str]]:
    """Status, body and further headers of the answer to a request that failed."""
    if isinstance(error, RecursionError):
        error = malformed("its body is nested too deeply")
    if isinstance(error, RequestRefused):
        return *error.answer(), error.headers
    status, body = answer_of(error, number)
    if status >= 500 and status != 501:
        _LOG.error("Request %s failed", number, exc_info=error)
    return status, body, {"retry-after": "1"} if status == 503 else {}


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()
