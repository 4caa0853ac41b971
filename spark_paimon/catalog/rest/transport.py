"""Calls of a REST server: requests that are signed, sent, repeated where that is right, and understood.

What may be repeated depends on what a second time would do. A request that never reached the server, or that
it refused with 429 or 503, was not applied, whatever it was. After anything else nobody knows, so only a
request that does the same when it is done twice is sent again.
"""

from __future__ import annotations

import enum
import json
import logging
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from requests.structures import CaseInsensitiveDict

from spark_paimon import __version__, errors
from spark_paimon.catalog.rest.address import ServerAddress, place_of
from spark_paimon.catalog.rest.authorization import Authorization
from spark_paimon.catalog.rest.connections import (
    LARGEST_ANSWER,
    Answer,
    AnswerTooLarge,
    BrokenExchange,
    Connections,
)
from spark_paimon.catalog.rest.settings import ca_file_option, header_options, seconds_option
from spark_paimon.catalog.wire.failures import error_of, shown
from spark_paimon.catalog.wire.names import encode_segment

_LOG = logging.getLogger(__name__)

ATTEMPTS = 5
"""How often a request is sent at most."""

LONGEST_WAIT = 60.0
"""Seconds that a server can ask to wait before the next attempt."""

_FIRST_WAIT = 0.5
_LONGEST_BACK_OFF = 8.0

# A proxy in front of the server answers these when the server did not.
_OF_PROXIES = (502, 504)
_NOT_APPLIED = (429, 503)


class Repeat(enum.Enum):
    """When a request is sent again.

    ``ALWAYS``
        It does the same when it is done twice: also after a broken connection.
    ``REFUSED``
        Only when it was surely not applied: the server refused it with 429 or 503, or was not reached.
    ``NEVER``
        Not even then; for what adds to something.
    """

    ALWAYS = "always"
    REFUSED = "refused"
    NEVER = "never"


class Transport:
    """Calls of one server. Safe for any number of threads, and after a fork.

    Parameters
    ----------
    uri
        Address of the server.
    options
        Options of the catalog, checked: ``header.…``, ``rest.…``.
    authorization
        Who sends the requests.
    sleep, now, jitter
        Wait some seconds; the time, with a time zone; a random number from 0 to 1.

    Raises
    ------
    InvalidInputError
        ``REST_URI_INVALID``, ``REST_HEADER_INVALID``, or an option is malformed.
    """

    def __init__(
        self,
        uri: str,
        options: Mapping[str, str],
        authorization: Authorization,
        *,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._address = ServerAddress.parse(uri)
        self._headers = {
            "Accept": "application/json",
            "User-Agent": f"spark-paimon/{__version__}",
            **header_options(options),
        }
        self._authorization = authorization
        self._sleep, self._now, self._jitter = sleep, now, jitter
        self._connections = Connections(
            str(self._address),
            seconds_option(options, "rest.connect-timeout"),
            seconds_option(options, "rest.read-timeout"),
            ca_file_option(options),
        )
        if self._address.is_exposed:
            _LOG.warning(
                "The REST server %s is reached over http without encryption: everybody on the way can read "
                "the credentials of the catalog. Use https.",
                self._address,
            )

    def __repr__(self) -> str:
        return f"Transport('{self._address}')"

    def call(
        self,
        method: str,
        segments: Sequence[str],
        query: Mapping[str, str | int | None] | None = None,
        body: Any = None,
        *,
        operation: str,
        repeat: Repeat = Repeat.ALWAYS,
    ) -> Any:
        """Send a request and return what the server answers.

        Parameters
        ----------
        method
            ``GET``, ``POST`` or ``DELETE``.
        segments
            The names that make up the path below the address of the server, not encoded, ``v1`` first.
        query
            Parameters; those that are None are left out.
        body
            What is sent as JSON; None for nothing.
        operation
            What is done, for messages, e.g. ``drop table web.visits``.
        repeat
            When the request may be sent again.

        Returns
        -------
        Any
            The JSON of the answer, or None when it is empty.

        Raises
        ------
        PaimonError
            The error of the server; see :func:`spark_paimon.catalog.wire.failures.error_of`.
        CatalogError
            ``REST_UNREACHABLE``: nothing was sent. ``REST_NO_ANSWER``. ``REST_OUTCOME_UNKNOWN``: the request
            may have been applied, and must not be sent again blindly. ``REST_REDIRECTED``.
            ``REST_ANSWER_INVALID``.
        InvalidInputError
            ``REST_NAME_INVALID``.
        AccessDeniedError
            ``REST_UNAUTHORIZED``, ``REST_FORBIDDEN``, or the credentials cannot be read.

        Examples
        --------
        A server that nobody started::

            >>> from spark_paimon.catalog.rest.authorization import BearerToken
            >>> transport = Transport("http://localhost:1", {}, BearerToken("t"), sleep=lambda seconds: None)
            >>> try:
            ...     transport.call("GET", ["v1", "config"], operation="get config")
            ... except errors.CatalogError as error:
            ...     print(error.text)
            The REST server localhost:1 cannot be reached for 'get config': Connection refused.
            >>> transport.close()
        """
        path = "".join(f"/{encode_segment(segment)}" for segment in segments)
        texts = {name: str(value) for name, value in (query or {}).items() if value is not None}
        content = b"" if body is None else json.dumps(body, allow_nan=False).encode()
        return _Call(self, method, path, texts, content, operation, repeat).run()

    def close(self) -> None:
        """Close all connections. Closing twice is fine."""
        self._connections.close()


class _Call:
    """One call with all its attempts."""

    def __init__(
        self,
        transport: Transport,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes,
        operation: str,
        repeat: Repeat,
    ) -> None:
        self._transport = transport
        self._method = method
        self._path = path
        self._query = query
        self._body = body
        self._operation = operation
        self._repeat = repeat
        self._server = str(transport._address)
        self._maybe_applied = False

    def run(self) -> Any:
        attempt, renewed = 1, False
        while True:
            wait: float | None = None
            try:
                answer = self._send()
            except BrokenExchange as broken:
                error: errors.PaimonError = self._error_of_break(broken)
                again = not broken.permanent and self._after_break(broken.sent)
            else:
                if 200 <= answer.status < 300:
                    return self._content(answer)
                if answer.status == 401 and not renewed and self._transport._authorization.refreshed():
                    # The request was refused before anything was done, so this is no repetition of it.
                    renewed = True
                    continue
                error = self._error_of_answer(answer)
                again = self._after_status(answer.status)
                wait = _asked_to_wait(answer.headers.get("Retry-After"), self._transport._now())
            if not again or attempt == ATTEMPTS:
                raise error
            wait = self._back_off(attempt) if wait is None else wait
            _LOG.info("%s: attempt %d of '%s' failed: %s", self._server, attempt, self._operation, error)
            self._transport._sleep(wait)
            attempt += 1

    def _send(self) -> Answer:
        transport = self._transport
        headers = CaseInsensitiveDict(transport._headers)
        if self._body:
            headers["Content-Type"] = "application/json"
        headers.update(
            transport._authorization.headers(
                self._method, self._path, self._query, self._body, transport._now()
            )
        )
        url = transport._address.url(self._path, self._query)
        fresh = self._repeat is not Repeat.ALWAYS
        try:
            return transport._connections.send(self._method, url, headers, self._body, fresh=fresh)
        except AnswerTooLarge:
            raise self._unexpected(f"more than {LARGEST_ANSWER >> 20} MB") from None

    def _after_break(self, sent: bool) -> bool:
        if not sent:
            return self._repeat is not Repeat.NEVER
        return self._repeat is Repeat.ALWAYS

    def _after_status(self, status: int) -> bool:
        if status in _NOT_APPLIED:
            return self._repeat is not Repeat.NEVER
        return status in _OF_PROXIES and self._repeat is Repeat.ALWAYS

    def _back_off(self, attempt: int) -> float:
        longest = min(_FIRST_WAIT * 2.0 ** (attempt - 1), _LONGEST_BACK_OFF)
        return longest * (0.5 + self._transport._jitter() / 2)

    def _error_of_break(self, broken: BrokenExchange) -> errors.CatalogError:
        if broken.sent and self._repeat is not Repeat.ALWAYS:
            return self._outcome_unknown(broken.reason)
        self._maybe_applied |= broken.sent and not broken.permanent
        if self._maybe_applied:
            return self._no_answer(broken.reason)
        return errors.CatalogError(
            "REST_UNREACHABLE", server=self._server, operation=self._operation, reason=broken.reason
        )

    def _error_of_answer(self, answer: Answer) -> errors.PaimonError:
        request_id = answer.headers.get("x-request-id")
        if request_id:
            _LOG.info(
                "%s: '%s' failed with status %d, request id %s",
                self._server,
                self._operation,
                answer.status,
                shown(request_id, 100),
            )
        if answer.status < 400:
            location = shown(place_of(self._absolute(answer.headers.get("Location", ""))), 300)
            return errors.CatalogError(
                "REST_REDIRECTED", server=self._server, operation=self._operation, location=location
            )
        error = error_of(answer.status, answer.body, self._operation)
        if answer.status in _OF_PROXIES:
            if self._repeat is not Repeat.ALWAYS:
                return self._outcome_unknown(error.text.rstrip("."))
            self._maybe_applied = True
        elif self._maybe_applied and self._method != "GET" and isinstance(error, errors.AccessDeniedError):
            # An attempt before this one may have been applied, so that "refused" would say too much.
            return self._no_answer(error.text.rstrip("."))
        return error

    def _absolute(self, location: str) -> str:
        return location if "//" in location else self._transport._address.base

    def _content(self, answer: Answer) -> Any:
        if not answer.body.strip():
            return None
        try:
            return json.loads(answer.body, parse_constant=_no_constant, object_pairs_hook=_unique)
        except RecursionError:
            raise self._unexpected("JSON that is nested too deeply") from None
        except _TwiceError as error:
            raise self._unexpected(f"a JSON object that has '{shown(str(error), 100)}' twice") from None
        except ValueError:
            kind = shown(answer.headers.get("Content-Type", "no content type"), 100)
            begin = shown(answer.body[:200].decode("utf-8", "replace"), 50)
            raise self._unexpected(f"no JSON ({kind}, {begin!r})") from None

    def _unexpected(self, reason: str) -> errors.CatalogError:
        return errors.CatalogError(
            "REST_ANSWER_INVALID", server=self._server, operation=self._operation, reason=reason
        )

    def _no_answer(self, reason: str) -> errors.CatalogError:
        return errors.CatalogError(
            "REST_NO_ANSWER", server=self._server, operation=self._operation, reason=reason
        )

    def _outcome_unknown(self, reason: str) -> errors.CatalogError:
        return errors.CatalogError("REST_OUTCOME_UNKNOWN", operation=self._operation, reason=reason)


class _TwiceError(ValueError):
    """A JSON object has a key twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return content


def _no_constant(text: str) -> Any:
    raise ValueError(text)


def _asked_to_wait(text: str | None, now: datetime) -> float | None:
    """Seconds of a header ``Retry-After``, which has a number or a date; None when there is none."""
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,10}", text.strip()):
        return min(float(text), LONGEST_WAIT)
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=timezone.utc)
    return min(max((then - now).total_seconds(), 0.0), LONGEST_WAIT)
