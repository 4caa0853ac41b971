"""Calls below the prefix of a server, and listings that come in pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spark_paimon import errors
from spark_paimon.catalog.definitions import name_problem
from spark_paimon.catalog.models import Identifier
from spark_paimon.catalog.rest.transport import Repeat, Transport
from spark_paimon.catalog.wire.definitions import is_text, malformed
from spark_paimon.catalog.wire.partitions import BATCH

_VERSION = "v1"
Query = Mapping[str, str | int | None]


class RestSession:
    """What the parts of the client share.

    Parameters
    ----------
    transport
        Sends the requests; closed with this object.
    prefix
        From the handshake; empty where the server has none.
    """

    def __init__(self, transport: Transport, prefix: str) -> None:
        self._transport = transport
        self._root = [_VERSION, *([prefix] if prefix else [])]

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def get(self, path: Sequence[str], operation: str, query: Query | None = None) -> Mapping[str, Any]:
        """Ask; the answer is an object, and not an empty body."""
        answer = self._call("GET", path, query, None, operation, Repeat.ALWAYS)
        if answer is None:
            raise malformed(operation, TypeError("it is empty"))
        return _object(answer, operation)

    def post(self, path: Sequence[str], body: Any, operation: str, repeat: Repeat) -> Mapping[str, Any]:
        """Send; an answer without a body is an empty object."""
        return _object(self._call("POST", path, None, body, operation, repeat), operation)

    def delete(self, path: Sequence[str], operation: str, repeat: Repeat, query: Query | None = None) -> None:
        """Delete."""
        self._call("DELETE", path, query, None, operation, repeat)

    def names(self, path: Sequence[str], key: str, operation: str) -> list[str]:
        """All names of a listing."""
        found = list(self.listing(path, key, operation))
        if not all(isinstance(name, str) for name in found):
            raise malformed(operation, TypeError(f"{key} holds something that is no text"))
        return found

    def listing(
        self,
        path: Sequence[str],
        key: str,
        operation: str,
        query: Query | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Iterator[Any]:
        """Elements of all pages, in the order of the server.

        Parameters
        ----------
        key
            Field of the answer that holds the elements of a page.
        body
            Sends the question with POST; the page is then asked for in the body.

        Raises
        ------
        IllegalStateError
            ``REST_PAGE_REPEATED``: the server would let us turn in circles.
        CatalogError
            ``REST_ANSWER_MALFORMED``.
        """
        seen: set[str] = set()
        page: dict[str, Any] = {"maxResults": BATCH}
        while True:
            if body is None:
                answer = self.get(path, operation, {**(query or {}), **page})
            else:
                answer = self.post(path, {**body, **page}, operation, Repeat.ALWAYS)
            yield from elements_of(answer, key, operation)
            token = answer.get("nextPageToken")
            if not token:
                return
            if not isinstance(token, str) or not is_text(token):
                raise malformed(operation, TypeError("nextPageToken is no text"))
            if token in seen:
                raise errors.IllegalStateError("REST_PAGE_REPEATED", operation=operation, token=token)
            seen.add(token)
            page["pageToken"] = token

    def _call(
        self,
        method: str,
        path: Sequence[str],
        query: Query | None,
        body: Any,
        operation: str,
        repeat: Repeat,
    ) -> Any:
        segments = [*self._root, *path]
        return self._transport.call(method, segments, query, body, operation=operation, repeat=repeat)


def table_path(identifier: Identifier) -> list[str]:
    """Path of a table below the prefix.

    Raises
    ------
    NoSuchDatabaseError, NoSuchTableError
        ``DATABASE_NOT_FOUND``, ``TABLE_NOT_FOUND``: no server can have one of that name.
    """
    if name_problem("database", identifier.database):
        raise errors.NoSuchDatabaseError("DATABASE_NOT_FOUND", database=identifier.database)
    if name_problem("table", identifier.name):
        raise errors.NoSuchTableError("TABLE_NOT_FOUND", table=identifier)
    return ["databases", identifier.database, "tables", identifier.name]


def elements_of(answer: Mapping[str, Any], key: str, operation: str) -> list[Any]:
    """Elements of a page.

    The list may be null, or left out by a server that says where to go on; nothing at all is no empty page.

    Raises
    ------
    CatalogError
        ``REST_ANSWER_MALFORMED``.
    """
    if key not in answer and not answer.get("nextPageToken"):
        raise malformed(operation, TypeError(f"it has no {key}"))
    elements = answer.get(key)
    if elements is None:
        return []
    if not isinstance(elements, list):
        raise malformed(operation, TypeError(f"{key} is no list"))
    return elements


def _object(answer: Any, operation: str) -> Mapping[str, Any]:
    if answer is None:
        return {}
    if not isinstance(answer, Mapping):
        raise malformed(operation, TypeError("it is no JSON object"))
    return answer
