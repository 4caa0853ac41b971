"""Start, logging and end of the process that the JVM runs."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from spark_paimon.bridge.service import Service

_GENERATION = "SPARK_PAIMON_GENERATION"


class JsonLines(logging.Formatter):
    """One JSON object a record, so that the JVM can log it under the same level and a logger of its own.

    Parameters
    ----------
    hide
        Takes out of a message what nobody may see.
    """

    def __init__(self, hide: Callable[[str], str]) -> None:
        super().__init__()
        self._hide = hide

    def format(self, record: logging.LogRecord) -> str:
        """Render level, logger and message; a traceback is part of the message."""
        message = record.getMessage()
        if record.exc_info:
            message += "\n" + self.formatException(record.exc_info)
        return json.dumps({"level": record.levelname, "logger": record.name, "message": self._hide(message)})


class Calls:
    """The object behind the Java interface ``BridgeCalls``."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def call(self, operation: str, message: str, jvm_object: Any) -> str:
        """Run one operation; see :meth:`spark_paimon.bridge.service.Service.call`."""
        return self._service.call(operation, message, jvm_object)

    class Java:
        """What py4j reads to make a Java proxy."""

        implements = ("org.sparkpaimon.BridgeCalls",)


def main() -> None:
    """Serve the JVM that started this process until it closes our standard input, which also its death
    does.
    """
    service = Service()
    _configure_logging(service.hide)
    gateway = _connect()
    gateway.jvm.org.sparkpaimon.PythonBackend.register(int(os.environ[_GENERATION]), Calls(service))
    while sys.stdin.buffer.read(4096):
        pass
    service.close()
    logging.shutdown()
    sys.stdout.flush()
    # Threads of py4j would keep the process alive for a driver that is gone.
    os._exit(0)


def _connect() -> Any:
    from pyspark.java_gateway import ensure_callback_server_started, launch_gateway

    gateway = launch_gateway()  # type: ignore[no-untyped-call]
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
    return gateway


def _configure_logging(hide: Callable[[str], str]) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(hide))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # Both log every command, and with it whatever the command carries.
    for noisy in ("py4j", "sqlalchemy.engine"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
