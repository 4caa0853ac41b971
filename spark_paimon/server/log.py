"""The log: one JSON object a line on standard error."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

ACCESS = logging.getLogger("spark_paimon.server.access")
"""One record a request."""

_LONGEST_PATH = 1000
_FIELDS = "fields"


def log_request(**fields: Any) -> None:
    """Write the line of a request that was answered.

    Parameters
    ----------
    fields
        Never headers or queries: they may hold secrets.
    """
    fields["path"] = fields["path"][:_LONGEST_PATH]
    ACCESS.info("request", extra={_FIELDS: fields})


class JsonLines(logging.Formatter):
    r"""Makes a line of a record. JSON escapes whatever could end the line or command a terminal.

    Parameters
    ----------
    secrets
        Texts that are replaced wherever they appear.

    Examples
    --------
    >>> record = logging.LogRecord("a", logging.INFO, "", 0, "hunter2\r\nforged", None, None)
    >>> record.created = 0.0
    >>> print(JsonLines(["hunter2"]).format(record))
    {"time": "1970-01-01T00:00:00.000Z", "level": "INFO", "message": "***\r\nforged"}
    """

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        super().__init__()
        self._secrets = [secret for secret in secrets if secret]

    def format(self, record: logging.LogRecord) -> str:
        """See :meth:`logging.Formatter.format`."""
        moment = datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"time": moment.replace("+00:00", "Z"), "level": record.levelname}
        fields = getattr(record, _FIELDS, None)
        line |= fields if fields is not None else {"message": record.getMessage()}
        if record.exc_info and record.exc_info[1] is not None:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps({key: self._clean(value) for key, value in line.items()})

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, "***")
        return value


def set_up_logging(secrets: Sequence[str]) -> None:
    """Send everything that this process logs to standard error.

    Parameters
    ----------
    secrets
        As for :class:`JsonLines`.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines(secrets))
    # Nobody reads about a line that could not be written, and the next request must not fail from it.
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    ACCESS.setLevel(logging.INFO)
