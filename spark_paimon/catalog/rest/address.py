"""The address of a REST server."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import requests

from spark_paimon import errors

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ServerAddress:
    """Where a server is: scheme, host, port, and the path in front of all its paths.

    Parameters
    ----------
    base
        The address as it is sent, without a slash at the end.
    host, port
        What is connected to.
    secure
        Whether the connection is encrypted.
    """

    base: str
    host: str
    port: int
    secure: bool

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @classmethod
    def parse(cls, uri: str) -> ServerAddress:
        """The address that the catalog option ``uri`` names.

        Raises
        ------
        InvalidInputError
            ``REST_URI_INVALID``.

        Examples
        --------
        >>> str(ServerAddress.parse("https://catalog.example/paimon/"))
        'catalog.example:443'
        """
        text = uri.strip()
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError:
            raise _invalid("host or port are malformed") from None
        if parts.scheme not in _PORTS:
            raise _invalid("it does not begin with http:// or https://")
        if not parts.hostname:
            raise _invalid("it has no host")
        if "@" in parts.netloc:
            raise _invalid("it holds a user or password; credentials belong into 'token' or 'token-file'")
        if "?" in text or "#" in text:
            raise _invalid("it has a query or fragment")
        try:
            base = requests.Request("GET", text).prepare().url or ""
        except (requests.RequestException, ValueError):
            raise _invalid("it cannot be an address of the web") from None
        secure = parts.scheme == "https"
        # Port 0 is no port, so `or` is right.
        return cls(base.rstrip("/"), parts.hostname, port or _PORTS[parts.scheme], secure)

    @property
    def is_exposed(self) -> bool:
        """Whether others could read what is sent: it is not encrypted, and leaves this machine."""
        return not self.secure and not _is_loopback(self.host)

    def url(self, path: str, query: Mapping[str, str]) -> str:
        """The whole address of a request.

        Examples
        --------
        >>> ServerAddress.parse("http://localhost:8080").url("/v1/config", {"warehouse": "a b"})
        'http://localhost:8080/v1/config?warehouse=a%20b'
        """
        pairs = "&".join(f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in query.items())
        return f"{self.base}{path}" + (f"?{pairs}" if pairs else "")


def place_of(url: str) -> str:
    """Scheme, host and port of an address of somebody else, without what may be secret in it.

    Examples
    --------
    >>> place_of("https://user:pass@other.example/path?token=x")
    'https://other.example'
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "another address"
    if not host:
        return "another address"
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port else "")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _invalid(reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("REST_URI_INVALID", reason=reason)
