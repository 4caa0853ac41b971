"""Errors as answers of a server, and back.

The answer has the four fields that every Paimon client knows (``message``, ``resourceType``,
``resourceName``, ``code``) and three of our own (``error``, ``condition``, ``parameters``), from which our
client makes exactly the error that an embedded catalog would have raised. What went wrong inside of the
server stays there.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Mapping
from typing import Any

from spark_paimon import errors

LONGEST_MESSAGE = 2_000
"""Characters of a server's text that go into an error."""

_LONGEST_SNIPPET = 200
_MOST_PARAMETERS = 20

_DATABASE, _TABLE, _PARTITION, _COLUMN = "DATABASE", "TABLE", "PARTITION", "COLUMN"

# Leaf -> status and type of resource. What is not here is a failure of the server.
_ANSWERS: Mapping[type[errors.PaimonError], tuple[int, str | None]] = {
    errors.NoSuchDatabaseError: (404, _DATABASE),
    errors.NoSuchTableError: (404, _TABLE),
    errors.NoSuchPartitionError: (404, _PARTITION),
    errors.NoSuchColumnError: (404, _COLUMN),
    errors.NoSuchProcedureError: (404, "FUNCTION"),
    errors.DatabaseExistsError: (409, _DATABASE),
    errors.TableExistsError: (409, _TABLE),
    errors.PartitionsExistError: (409, _PARTITION),
    errors.NotEmptyError: (400, _DATABASE),
    errors.InvalidInputError: (400, None),
    errors.UnsupportedError: (501, None),
    errors.AccessDeniedError: (403, None),
}
_CONFLICTS_OF_COLUMNS = ("COLUMN_EXISTS", "COLUMN_DUPLICATE")

# Nothing was applied, so that a client may send the request again.
_NOT_APPLIED = "CATALOG_DATABASE_FAILED"
_OUTCOME_UNKNOWN = "CATALOG_OUTCOME_UNKNOWN"

_MISSING: Mapping[str, type[errors.PaimonError]] = {
    _DATABASE: errors.NoSuchDatabaseError,
    _TABLE: errors.NoSuchTableError,
    _PARTITION: errors.NoSuchPartitionError,
    _COLUMN: errors.NoSuchColumnError,
    "VIEW": errors.NoSuchTableError,
    "FUNCTION": errors.NoSuchProcedureError,
}
_EXISTING: Mapping[str, type[errors.PaimonError]] = {
    _DATABASE: errors.DatabaseExistsError,
    _TABLE: errors.TableExistsError,
    _PARTITION: errors.PartitionsExistError,
    _COLUMN: errors.InvalidInputError,
    "VIEW": errors.TableExistsError,
}

_LEAVES: Mapping[str, type[errors.PaimonError]] = {
    leaf.__name__: leaf
    for leaf in vars(errors).values()
    if isinstance(leaf, type) and issubclass(leaf, errors.PaimonError) and leaf is not errors.PaimonError
}

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def answer_of(error: BaseException, request_id: str = "") -> tuple[int, dict[str, Any]]:
    """The answer of a server to a request that failed.

    Parameters
    ----------
    error
        What was raised. Only errors about the request itself are told in full; of everything else (a catalog
        database that fails, a bug) the client learns that it happened and where to look.
    request_id
        Under which the server's log has the whole error.

    Returns
    -------
    tuple
        HTTP status and JSON body. ``code`` equals the status, and ``message`` is never empty.

    Examples
    --------
    >>> status, body = answer_of(errors.NoSuchTableError("TABLE_NOT_FOUND", table="web.visits"))
    >>> status, body["message"], body["resourceType"], body["resourceName"]
    (404, 'Table web.visits does not exist.', 'TABLE', 'web.visits')
    """
    if not isinstance(error, errors.PaimonError) or _is_internal(error):
        return _internal_answer(error, request_id)
    status, kind = _ANSWERS.get(type(error), (500, None))
    if error.condition in _CONFLICTS_OF_COLUMNS:
        status, kind = 409, _COLUMN
    body = _body(status, error.text, kind, error.parameters.get(_parameter_of(kind)))
    body |= {
        "error": type(error).__name__,
        "condition": error.condition,
        "parameters": dict(error.parameters),
    }
    return status, body


def error_of(status: int, body: bytes, operation: str) -> errors.PaimonError:
    """The error that an answer stands for.

    Parameters
    ----------
    status
        HTTP status, 400 or more. The ``code`` inside of the body counts before it, as for all Paimon clients.
    body
        Whatever came: any server or proxy may have written it.
    operation
        What was asked for, for the message, e.g. ``drop table web.visits``.

    Returns
    -------
    PaimonError
        To be raised by the caller. Texts of the server are cut at :data:`LONGEST_MESSAGE` and have no control
        characters.

    Examples
    --------
    >>> error_of(404, b'{"message": "gone", "resourceType": "TABLE", "resourceName": "t"}', "get table t")
    NoSuchTableError('[TABLE_NOT_FOUND] Table t does not exist. SQLSTATE: 42P01')
    """
    content = _content(body)
    code = content.get("code")
    if type(code) is int and 400 <= code <= 599:
        status = code
    message = _message(content, body, status)
    if content.get("condition") == _OUTCOME_UNKNOWN:
        return errors.CatalogError("REST_OUTCOME_UNKNOWN", operation=operation, reason=message)
    return _same_error(content) or _mapped_error(status, content, message, operation)


def shown(text: str, longest: int = LONGEST_MESSAGE) -> str:
    r"""A text of somebody else for an error or a log: one line, no control characters, not too long.

    Examples
    --------
    >>> shown("no\r\nsuch thing" + "!" * 10, longest=12)
    'no such thin…'
    """
    plain = _CONTROLS.sub(" ", text[: longest + 1]).strip()
    return plain if len(text) <= longest else plain[:longest] + "…"


def _is_internal(error: errors.PaimonError) -> bool:
    # Their parameters name the database behind the server, its host and its files.
    return isinstance(error, errors.CatalogError) or error.condition in ("CATALOG_CLOSED", "INTERNAL_ERROR")


def _internal_answer(error: BaseException, request_id: str) -> tuple[int, dict[str, Any]]:
    condition = error.condition if isinstance(error, errors.PaimonError) else ""
    where = f" The log of the server says more (request {request_id})." if request_id else ""
    if condition == _NOT_APPLIED:
        return 503, _body(503, f"The database of the catalog failed; nothing was changed.{where}")
    if condition == _OUTCOME_UNKNOWN:
        text = f"The database of the catalog failed while the change was stored.{where}"
        return 500, {**_body(500, text), "condition": condition}
    return 500, _body(500, f"The catalog server failed.{where}")


def _body(status: int, message: str, kind: str | None = None, name: str | None = None) -> dict[str, Any]:
    return {
        "message": message.strip() or f"Status {status}.",
        "resourceType": kind,
        "resourceName": name,
        "code": status,
    }


def _parameter_of(kind: str | None) -> str:
    return {_PARTITION: "partitions", "FUNCTION": "name"}.get(kind or "", (kind or "").lower())


def _content(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _text(value: object) -> str:
    return shown(value) if isinstance(value, str) else ""


def _message(content: Mapping[str, Any], body: bytes, status: int) -> str:
    message = _text(content.get("message"))
    if not message and not body.lstrip().startswith((b"<", b"{", b"[")):
        # Not from a catalog. A page of a proxy says nothing in its first characters, a plain text does.
        message = shown(body[: 4 * _LONGEST_SNIPPET].decode("utf-8", "replace"), _LONGEST_SNIPPET)
    return message.rstrip(".") or f"status {status} without an explanation"


def _same_error(content: Mapping[str, Any]) -> errors.PaimonError | None:
    """The error of our own server, if the three fields for it are what they should be."""
    name, condition, parameters = content.get("error"), content.get("condition"), content.get("parameters")
    leaf = _LEAVES.get(name) if isinstance(name, str) else None
    entry = errors.error_conditions().get(condition) if isinstance(condition, str) else None
    if leaf is None or entry is None or not isinstance(parameters, dict):
        return None
    if len(parameters) > _MOST_PARAMETERS or not all(isinstance(text, str) for text in parameters.values()):
        return None
    needed = {name for _, name, _, _ in string.Formatter().parse(entry["message"]) if name}
    if not needed <= set(parameters):
        return None
    return leaf(str(condition), **{shown(key): shown(text) for key, text in parameters.items()})


def _mapped_error(
    status: int, content: Mapping[str, Any], message: str, operation: str
) -> errors.PaimonError:
    kind = _text(content.get("resourceType")).upper()
    name = _text(content.get("resourceName"))
    said = {"operation": operation, "message": message}
    if status == 404:
        if name and kind == _DATABASE:
            return errors.NoSuchDatabaseError("DATABASE_NOT_FOUND", database=name)
        if name and kind == _TABLE:
            return errors.NoSuchTableError("TABLE_NOT_FOUND", table=name)
        # Without a type of resource it is more likely that the address is wrong.
        missing = _MISSING.get(kind, errors.IllegalStateError if kind else errors.CatalogError)
        return missing("REST_NOT_FOUND" if kind else "REST_NO_SUCH_PATH", **said)
    if status == 409:
        if name and kind == _DATABASE:
            return errors.DatabaseExistsError("DATABASE_EXISTS", database=name)
        if name and kind == _TABLE:
            return errors.TableExistsError("TABLE_EXISTS", table=name)
        return _EXISTING.get(kind, errors.IllegalStateError)("REST_CONFLICT", **said)
    if status in (400, 413, 414, 422, 431):
        return errors.InvalidInputError("REST_REFUSED", **said)
    if status == 401:
        return errors.AccessDeniedError("REST_UNAUTHORIZED", **said)
    if status == 403:
        return errors.AccessDeniedError("REST_FORBIDDEN", **said)
    if status == 501:
        return errors.UnsupportedError("REST_UNSUPPORTED", **said)
    return errors.CatalogError("REST_SERVER_FAILED", status=status, **said)
