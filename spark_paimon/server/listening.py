"""Where the server listens, and whether that is safe."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from dataclasses import dataclass

from spark_paimon import errors

_BACKLOG = 2048


@dataclass(frozen=True)
class Address:
    """Where to listen, and how.

    Parameters
    ----------
    host, port
        Name or address; any free port for 0.
    certificate, key
        PEM files for TLS; None for plain HTTP.
    behind_proxy
        Whether somebody said that a proxy in front of it does TLS.
    """

    host: str = "127.0.0.1"
    port: int = 0
    certificate: str | None = None
    key: str | None = None
    behind_proxy: bool = False

    @property
    def encrypted(self) -> bool:
        """Whether connections are encrypted."""
        return self.certificate is not None

    def uri(self, port: int) -> str:
        """What clients need to know.

        Examples
        --------
        >>> Address("::1").uri(80)
        'http://[::1]:80'
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.encrypted else 'http'}://{host}:{port}"


def check(address: Address, token_given: bool) -> None:
    """Refuse what would let others read along, and a certificate that does not work.

    Raises
    ------
    InvalidInputError
        ``SERVER_EXPOSED``, ``SERVER_TLS_INVALID``.
    OSError
        There is no such host.
    """
    if (address.certificate is None) != (address.key is None):
        reason = "--tls-certificate and --tls-key are given together"
        raise errors.InvalidInputError("SERVER_TLS_INVALID", reason=reason)
    if address.certificate is not None:
        _check_certificate(address.certificate, address.key)
    if _is_loopback(address.host) or address.behind_proxy or (token_given and address.encrypted):
        return
    raise errors.InvalidInputError("SERVER_EXPOSED", host=address.host)


def _check_certificate(certificate: str, key: str | None) -> None:
    def no_password() -> str:
        raise errors.InvalidInputError("SERVER_TLS_INVALID", reason=f"the key in {key} needs a password")

    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, no_password)
    except ssl.SSLError as error:
        reason = f"{certificate} and {key} are no certificate and its key in PEM ({error.reason})"
        raise errors.InvalidInputError("SERVER_TLS_INVALID", reason=reason) from error
    except OSError as error:
        reason = f"{certificate} or {key} cannot be read ({error.strerror})"
        raise errors.InvalidInputError("SERVER_TLS_INVALID", reason=reason) from error


def _is_loopback(host: str) -> bool:
    # An empty host listens everywhere.
    if not host:
        return False
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return all(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_loopback for entry in found)


def listen(address: Address) -> socket.socket:
    """A socket that listens there.

    Raises
    ------
    OSError
        The address is in use, or not ours.
    """
    family = socket.getaddrinfo(address.host or None, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
        0
    ][0]
    try:
        listener = socket.create_server((address.host, address.port), family=family, backlog=_BACKLOG)
        # Accepted connections inherit it. An answer is written in two pieces, and the second would wait for
        # the client to acknowledge the first, which takes 40 ms.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise errors.StorageError(
            "SERVER_CANNOT_LISTEN",
            host=address.host,
            port=address.port,
            reason=error.strerror or str(error),
        ) from error
