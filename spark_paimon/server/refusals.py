"""Requests that never reach the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark_paimon import errors


class RequestRefused(errors.PaimonError):
    """A request that the server answers by itself.

    Parameters
    ----------
    status
        HTTP status of the answer.
    condition, parameters
        As for every error.
    resource_type, resource_name
        What the request was about, in the words of the protocol.
    headers
        Further headers of the answer.
    """

    def __init__(
        self,
        status: int,
        condition: str,
        /,
        *,
        resource_type: str | None = None,
        resource_name: str | None = None,
        headers: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__(condition, **parameters)
        self.status = status
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.headers = headers or {}

    def answer(self) -> tuple[int, dict[str, Any]]:
        """Status and body."""
        body = {
            "message": self.text,
            "resourceType": self.resource_type,
            "resourceName": self.resource_name,
            "code": self.status,
        }
        return self.status, body


def malformed(reason: str) -> RequestRefused:
    """A request that cannot be understood.

    Examples
    --------
    >>> malformed("its body is no JSON").answer()[1]["message"]
    'The request cannot be understood: its body is no JSON.'
    """
    return RequestRefused(400, "REQUEST_MALFORMED", reason=reason)


def busy() -> RequestRefused:
    """One request too many; nothing was done for it."""
    return RequestRefused(503, "SERVER_BUSY", headers={"retry-after": "1"})
