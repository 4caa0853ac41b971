"""One request and its answer over HTTP, and what can break in between."""

from __future__ import annotations

import http.client
import os
import ssl
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter

from spark_paimon import errors

LARGEST_ANSWER = 64 * 1024 * 1024
"""Bytes of an answer that are read."""

_LARGEST_FAILURE = 1024 * 1024
_CHUNK = 64 * 1024
_POOL = 64
_FAILURES = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
)


@dataclass(frozen=True)
class Answer:
    """A complete answer: status, headers (names in any case) and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class BrokenExchange(Exception):  # noqa: N818 - never leaves this package
    """There is no complete answer.

    Attributes
    ----------
    reason
        What happened, without address, headers or body of the request.
    sent
        Whether the server may have got the request.
    permanent
        Whether the same would happen again at once.
    """

    def __init__(self, reason: str, *, sent: bool, permanent: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.permanent = permanent


class AnswerTooLarge(Exception):  # noqa: N818 - never leaves this package
    """The answer has more than :data:`LARGEST_ANSWER` bytes."""


class Connections:
    """Connections to one server: safe for any number of threads; after a fork the child opens its own.

    Parameters
    ----------
    server
        Its name for messages.
    connect_seconds, read_seconds
        How long to wait for a connection, and how long the server may be silent.
    ca_file
        File with certificates of authorities; None for the usual ones.
    """

    def __init__(
        self, server: str, connect_seconds: float, read_seconds: float, ca_file: str | None = None
    ) -> None:
        self._server = server
        self._timeout = (connect_seconds, read_seconds)
        self._ca_file = ca_file
        self._lock = threading.Lock()
        self._session: requests.Session | None = None
        self._closed = False
        _INSTANCES.add(self)

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, fresh: bool) -> Answer:
        """Send one request and read its answer.

        Parameters
        ----------
        fresh
            Use a connection that nothing was sent over before. One that was idle may just be closed by the
            server, which looks like a request without an answer.

        Raises
        ------
        BrokenExchange
            Somewhere on the way.
        AnswerTooLarge
            After a status that says success.
        IllegalStateError
            ``CATALOG_CLOSED``.
        """
        session = self._shared()
        if not fresh:
            return self._exchange(session, method, url, headers, body)
        with _new_session() as own:
            return self._exchange(own, method, url, headers, body)

    def close(self) -> None:
        """Close all connections. Closing twice is fine."""
        with self._lock:
            session, self._session, self._closed = self._session, None, True
        if session is not None:
            session.close()

    def _shared(self) -> requests.Session:
        with self._lock:
            if self._closed:
                raise errors.IllegalStateError("CATALOG_CLOSED", catalog=self._server)
            if self._session is None:
                self._session = _new_session()
            return self._session

    def _exchange(
        self, session: requests.Session, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        try:
            request = requests.Request(method, url, headers=dict(headers), data=body or None).prepare()
            # As it was signed: the preparation undoes escapes that it thinks are not needed.
            request.url = url
            settings = session.merge_environment_settings(url, {}, True, self._ca_file, None)
            # Past the session, which would follow redirects, keep cookies and send passwords of .netrc.
            response = session.get_adapter(url).send(
                request,
                stream=True,
                timeout=self._timeout,
                verify=settings["verify"] or True,
                proxies=settings["proxies"],
            )
        except _FAILURES as error:
            # Without the cause: its text holds the whole address, or a header.
            raise self._broken(error) from None
        with closing(response):
            try:
                content = _content(response)
            except _FAILURES as error:
                raise BrokenExchange(self._reason(error), sent=True) from None
            return Answer(response.status_code, response.headers, content)

    def _forget_after_fork(self) -> None:
        # The connections are the parent's: kept, so that nothing closes them here, and not used.
        _INHERITED.append(self._session)
        self._session = None
        self._lock = threading.Lock()

    def _broken(self, error: BaseException) -> BrokenExchange:
        chain = list(_chain(error))
        reason = self._reason(error)
        if any(isinstance(link, ssl.SSLCertVerificationError) for link in chain):
            return BrokenExchange(reason, sent=False, permanent=True)
        if any(isinstance(link, ssl.SSLError | urllib3.exceptions.SSLError) for link in chain):
            # Mostly a handshake that failed; but some servers refuse only after the request.
            return BrokenExchange(reason, sent=True, permanent=True)
        never_made = (
            requests.ConnectTimeout,
            requests.exceptions.ProxyError,
            urllib3.exceptions.NewConnectionError,
        )
        if any(isinstance(link, never_made) for link in chain):
            return BrokenExchange(reason, sent=False)
        if isinstance(error, requests.ConnectionError | requests.Timeout):
            return BrokenExchange(reason, sent=True)
        return BrokenExchange(reason, sent=False, permanent=True)

    def _reason(self, error: BaseException) -> str:
        """What happened, from those parts of the errors that hold nothing of the request."""
        chain = list(_chain(error))
        for link in chain:
            if isinstance(link, ssl.SSLCertVerificationError):
                return f"its certificate is not trusted ({link.verify_message})"
        if isinstance(error, requests.ConnectTimeout):
            return f"no connection within {self._timeout[0]:g} seconds"
        for link in chain:
            if isinstance(link, requests.ReadTimeout | urllib3.exceptions.ReadTimeoutError):
                return f"it was silent for {self._timeout[1]:g} seconds"
        for link in chain:
            if (
                isinstance(link, OSError)
                and not isinstance(link, requests.RequestException)
                and link.strerror
            ):
                return str(link.strerror)
        if type(error) is OSError:
            return str(error)
        return f"the connection broke ({type(chain[-1]).__name__})"


_INSTANCES: weakref.WeakSet[Connections] = weakref.WeakSet()
_INHERITED: list[requests.Session | None] = []


def _after_fork_in_child() -> None:
    for connections in list(_INSTANCES):
        connections._forget_after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)


def _new_session() -> requests.Session:
    session = requests.Session()
    adapter = HTTPAdapter(pool_maxsize=_POOL)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    return session


def _content(response: requests.Response) -> bytes:
    failed = response.status_code >= 300
    largest = _LARGEST_FAILURE if failed else LARGEST_ANSWER
    content = bytearray()
    for chunk in response.iter_content(_CHUNK):
        content += chunk
        if len(content) > largest:
            if failed:
                break
            raise AnswerTooLarge
    return bytes(content[:largest])


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and everything behind it, the outermost first."""
    seen: set[int] = set()
    waiting: list[Any] = [error]
    while waiting:
        link = waiting.pop(0)
        if isinstance(link, BaseException) and id(link) not in seen:
            seen.add(id(link))
            yield link
            # Not the context: whatever the caller is just handling belongs to it.
            waiting += [*link.args, getattr(link, "reason", None), link.__cause__]
