"""How requests to a REST server prove who sends them.

``token.provider`` says how: ``bear`` sends a token, ``dlf`` signs each request.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from spark_paimon import errors
from spark_paimon.catalog.rest.dlf import (
    AccessKey,
    FixedKey,
    KeyFile,
    KeySource,
    UnsignedRequest,
    default_headers,
    is_word,
    openapi_headers,
    region_of,
)
from spark_paimon.options import catalog_option

_LARGEST_FILE = 64 * 1024

Signer = Callable[[UnsignedRequest, AccessKey, datetime], dict[str, str]]


class Authorization(Protocol):
    """Makes the headers that prove who sends a request. Safe for any number of threads."""

    def headers(
        self, method: str, path: str, query: Mapping[str, str], body: bytes, now: datetime
    ) -> dict[str, str]:
        """Headers for one request.

        Parameters
        ----------
        method, path, query, body
            The request: its path as it is sent, below the address of the server; the values of the query
            before they are encoded.
        now
            With a time zone.

        Raises
        ------
        AccessDeniedError
            ``REST_CREDENTIALS_UNREADABLE``.
        InvalidInputError
            ``REST_CREDENTIALS_INVALID``.
        """

    def refreshed(self) -> bool:
        """Read the credentials again after they were refused; False when they cannot be other ones now."""


def authorization_for(options: Mapping[str, str], uri: str) -> Authorization:
    """The authorization that the options of a catalog ask for.

    Parameters
    ----------
    options
        Catalog options, checked.
    uri
        Address of the server, which tells region and signature of ``dlf`` where options do not.

    Raises
    ------
    InvalidInputError
        ``REST_CREDENTIALS_MISSING``, ``REST_CREDENTIALS_INVALID``.
    UnsupportedError
        ``REST_CREDENTIALS_UNSUPPORTED``.

    Examples
    --------
    >>> authorization_for({"token": "t0k3n"}, "https://catalog.example")
    BearerToken(option 'token')
    """
    provider = catalog_option(options, "token.provider")
    if provider == "dlf":
        return _signed(options, urlsplit(uri).hostname or "")
    if "token" in options:
        return BearerToken(options["token"])
    if "token-file" in options:
        return BearerFile(options["token-file"])
    if provider == "bear":
        needs = "'token.provider' = 'bear' needs the option 'token' or 'token-file'"
    else:
        needs = "set 'token' or 'token-file', or 'token.provider' = 'dlf' with its options"
    raise errors.InvalidInputError("REST_CREDENTIALS_MISSING", needs=needs)


class BearerToken:
    """A token given as catalog option ``token``.

    Raises
    ------
    InvalidInputError
        ``REST_CREDENTIALS_INVALID``: it cannot be part of a header.
    """

    def __init__(self, token: str) -> None:
        self._token = _checked_token(token, "token")

    def __repr__(self) -> str:
        return "BearerToken(option 'token')"

    def headers(
        self, method: str, path: str, query: Mapping[str, str], body: bytes, now: datetime
    ) -> dict[str, str]:
        """The header with the token."""
        return {"Authorization": f"Bearer {self._token}"}

    def refreshed(self) -> bool:
        """Never."""
        return False


class BearerFile:
    """A token in a file, which is read at first use and again when the token was refused."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._token: str | None = None

    def __repr__(self) -> str:
        return f"BearerFile({str(self._path)!r})"

    def headers(
        self, method: str, path: str, query: Mapping[str, str], body: bytes, now: datetime
    ) -> dict[str, str]:
        """The header with the token."""
        token = self._token or self._read()
        self._token = token
        return {"Authorization": f"Bearer {token}"}

    def refreshed(self) -> bool:
        """Read the file again; False when that fails, and the old token stays."""
        try:
            self._token = self._read()
        except (errors.AccessDeniedError, errors.InvalidInputError):
            return False
        # Also when it is the same: another thread may have read the new one since the request was refused.
        return True

    def _read(self) -> str:
        try:
            with self._path.open("rb") as file:
                content = file.read(_LARGEST_FILE)
        except OSError as error:
            raise errors.AccessDeniedError(
                "REST_CREDENTIALS_UNREADABLE",
                path=self._path,
                option="token-file",
                reason=error.strerror or type(error).__name__,
            ) from error
        return _checked_token(content.decode("utf-8", "replace"), "token-file")


class SignedRequests:
    """Signs each request with an access key."""

    def __init__(self, keys: KeySource, sign: Signer) -> None:
        self._keys = keys
        self._sign = sign

    def __repr__(self) -> str:
        return f"SignedRequests({self._keys!r})"

    def headers(
        self, method: str, path: str, query: Mapping[str, str], body: bytes, now: datetime
    ) -> dict[str, str]:
        """The headers with the signature."""
        key = self._keys.current(now)
        return self._sign(UnsignedRequest(method, path, query, body), key, now)

    def refreshed(self) -> bool:
        """Look for another key."""
        return self._keys.reload()


def _checked_token(text: str, option: str) -> str:
    token = text.strip()
    if not token:
        raise errors.InvalidInputError("REST_CREDENTIALS_INVALID", option=option, reason="it is empty")
    if not is_word(token):
        reason = "it is not one word of visible ASCII characters"
        raise errors.InvalidInputError("REST_CREDENTIALS_INVALID", option=option, reason=reason)
    return token


def _signed(options: Mapping[str, str], host: str) -> SignedRequests:
    return SignedRequests(_key_source(options), _signer(options, host))


def _key_source(options: Mapping[str, str]) -> KeySource:
    loader = catalog_option(options, "dlf.token-loader")
    if loader == "ecs":
        raise errors.UnsupportedError(
            "REST_CREDENTIALS_UNSUPPORTED", option="dlf.token-loader", value=loader, use="dlf.token-path"
        )
    if "dlf.token-path" in options:
        return KeyFile(options["dlf.token-path"])
    if loader is not None:
        needs = f"'dlf.token-loader' = '{loader}' needs the option 'dlf.token-path'"
        raise errors.InvalidInputError("REST_CREDENTIALS_MISSING", needs=needs)
    missing = [key for key in ("dlf.access-key-id", "dlf.access-key-secret") if not options.get(key)]
    if missing:
        needs = "'token.provider' = 'dlf' needs 'dlf.access-key-id' and 'dlf.access-key-secret', or "
        raise errors.InvalidInputError("REST_CREDENTIALS_MISSING", needs=f"{needs}'dlf.token-path'")
    security_token = options.get("dlf.security-token")
    return FixedKey(
        AccessKey(
            _checked_token(options["dlf.access-key-id"], "dlf.access-key-id"),
            _checked_token(options["dlf.access-key-secret"], "dlf.access-key-secret"),
            _checked_token(security_token, "dlf.security-token") if security_token else None,
        )
    )


def _signer(options: Mapping[str, str], host: str) -> Signer:
    algorithm = catalog_option(options, "dlf.signing-algorithm")
    if algorithm == "openapi-v4":
        raise errors.UnsupportedError(
            "REST_CREDENTIALS_UNSUPPORTED", option="dlf.signing-algorithm", value=algorithm, use="openapi"
        )
    if algorithm == "openapi" or "dlfnext" in host.lower():
        return lambda request, key, now: openapi_headers(request, key, str(uuid.uuid4()), now)
    region = options.get("dlf.region") or region_of(host.lower())
    if not region:
        needs = "the address of the server does not tell its region: set 'dlf.region'"
        raise errors.InvalidInputError("REST_CREDENTIALS_MISSING", needs=needs)
    return lambda request, key, now: default_headers(request, key, region, now)
