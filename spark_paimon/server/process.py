"""Running the server until it is told to stop."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from types import FrameType

import uvicorn

from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.server.app import CatalogServer
from spark_paimon.server.limits import Limits
from spark_paimon.server.listening import Address, listen
from spark_paimon.server.protocol import protocol_with

_HEADER_BYTES = 64 << 10
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Closing the catalog after the last request takes no longer.
_GRACE_SECONDS = 5


def uvicorn_server(server: CatalogServer, limits: Limits, address: Address | None = None) -> uvicorn.Server:
    """The HTTP side of a server.

    Parameters
    ----------
    server
        What answers.
    limits
        How much is taken on.
    address
        Says whether connections are encrypted.
    """
    config = uvicorn.Config(
        server,
        http=protocol_with(limits),
        ws="none",
        interface="asgi3",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=int(limits.stop_seconds),
        ssl_certfile=address.certificate if address else None,
        ssl_keyfile=address.key if address else None,
    )
    return _Stoppable(config)


class _Stoppable(uvicorn.Server):
    """Stops at a signal, and the process then ends with code 0; at the second signal it ends at once."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        # They stay until the process ends: a second signal counts while the catalog is closed, too.
        for number in _SIGNALS:
            signal.signal(number, self._stop)
        yield

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.should_exit:
            os._exit(1)
        self.should_exit = True
        patience = (self.config.timeout_graceful_shutdown or 0) + _GRACE_SECONDS
        last = threading.Timer(patience, os._exit, (1,))
        last.daemon = True
        last.start()


def serve(catalog: EmbeddedCatalog, address: Address, token: str, limits: Limits) -> None:
    """Serve a catalog until a signal; the first line of the output tells the address as JSON.

    Raises
    ------
    StorageError
        ``SERVER_CANNOT_LISTEN``.
    """
    with listen(address) as listener, contextlib.closing(CatalogServer(catalog, token, limits)) as server:
        runner = uvicorn_server(server, limits, address)
        # A page of partitions is thousands of objects, for which the collector would walk all modules again.
        gc.freeze()
        _announce(address, listener)
        runner.run(sockets=[listener])


def _announce(address: Address, listener: socket.socket) -> None:
    print(json.dumps({"uri": address.uri(listener.getsockname()[1])}), flush=True)
