"""Signed requests of Alibaba Cloud's Data Lake Formation: access keys and the two signatures.

A request is signed with a key that belongs to an account. Which signature a server takes depends on its
address: ``openapi`` (HMAC-SHA1) where the host contains ``dlfnext``, and ``default`` (``DLF4-HMAC-SHA256``)
elsewhere. The rules are those of Paimon's Java and Python clients; the tests have a file with requests and
the headers that pypaimon makes of them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import reduce
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, unquote_plus

from spark_paimon import errors

RENEWAL = timedelta(hours=1)
"""How long before it expires a key from a file is looked for anew."""

_LARGEST_FILE = 64 * 1024
_READS = 5
_PAUSE_SECONDS = 0.1
_EXPIRATION = "%Y-%m-%dT%H:%M:%SZ"

_DEFAULT_ALGORITHM = "DLF4-HMAC-SHA256"
_PRODUCT = "DlfNext"
_REQUEST_TYPE = "aliyun_v4_request"
_OPENAPI_VERSION = "2026-01-18"
_REGION = re.compile(r"(?:pre-)?([a-z]+-[a-z]+(?:-[0-9]+)?)")

# Not by strftime, whose names follow the locale of the process.
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class AccessKey:
    """Key of an account, permanent or for some hours. Nothing of it is in its repr.

    Parameters
    ----------
    id, secret
        The two halves of the key.
    security_token
        Third part of a key for some hours (STS).
    expires
        When it ends, if that is known.
    """

    id: str = field(repr=False)
    secret: str = field(repr=False)
    security_token: str | None = field(default=None, repr=False)
    expires: datetime | None = None


@dataclass(frozen=True)
class UnsignedRequest:
    """What of a request is signed: its path as it is sent, its query before the values are encoded."""

    method: str
    path: str
    query: Mapping[str, str]
    body: bytes = field(repr=False)


class KeySource(Protocol):
    """Where keys come from."""

    def current(self, now: datetime) -> AccessKey:
        """The key for a request that is sent now."""

    def reload(self) -> bool:
        """Look for another key after this one was refused; False when there can be none."""


@dataclass(frozen=True)
class FixedKey:
    """A key given as catalog options."""

    key: AccessKey

    def current(self, now: datetime) -> AccessKey:
        """The key."""
        return self.key

    def reload(self) -> bool:
        """Never."""
        return False


class KeyFile:
    """A key in a JSON file that another process renews.

    The file has ``AccessKeyId``, ``AccessKeySecret`` and for keys that end ``SecurityToken`` and
    ``Expiration`` (``2026-04-16T03:44:46Z``). It is read at first use, from :data:`RENEWAL` before the end of
    the key on, and after the key was refused. A file that is just being written is read again.

    Parameters
    ----------
    path
        The file.
    sleep
        Waits some seconds.
    """

    def __init__(self, path: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._path = Path(path)
        self._sleep = sleep
        self._key: AccessKey | None = None

    def __repr__(self) -> str:
        return f"KeyFile({str(self._path)!r})"

    def current(self, now: datetime) -> AccessKey:
        """The key for a request that is sent now.

        Raises
        ------
        AccessDeniedError
            ``REST_CREDENTIALS_UNREADABLE``: the file cannot be read, and the key read before is over.
        """
        known = self._key
        if known is not None and (known.expires is None or known.expires - now >= RENEWAL):
            return known
        if known is not None and known.expires is not None and known.expires > now:
            try:
                self._key = self._read(reads=1)
            except errors.AccessDeniedError:
                return known
        else:
            self._key = self._read(_READS)
        return self._key

    def reload(self) -> bool:
        """Read the file again; False when that fails."""
        try:
            self._key = self._read(_READS)
        except errors.AccessDeniedError:
            return False
        return True

    def _read(self, reads: int) -> AccessKey:
        for attempt in range(reads):
            try:
                with self._path.open("rb") as file:
                    return _parse_key(file.read(_LARGEST_FILE))
            except OSError as error:
                reason = error.strerror or type(error).__name__
            except (ValueError, RecursionError):
                # The error of the parser shows a part of the file.
                reason = "it is no JSON object with the texts AccessKeyId and AccessKeySecret"
            if attempt + 1 < reads:
                self._sleep(_PAUSE_SECONDS * 2**attempt)
        raise errors.AccessDeniedError(
            "REST_CREDENTIALS_UNREADABLE", path=self._path, option="dlf.token-path", reason=reason
        ) from None


def is_word(text: str) -> bool:
    """Whether a text is one word of visible ASCII characters, as everything in a header has to be.

    Examples
    --------
    >>> is_word("eyJh.bGci_-=="), is_word("two words"), is_word("")
    (True, False, False)
    """
    return bool(text) and text.isascii() and text.isprintable() and " " not in text


def _parse_key(content: bytes) -> AccessKey:
    loaded = json.loads(content)
    if not isinstance(loaded, dict):
        raise ValueError("not an object")
    names = ("AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration")
    key_id, secret, security_token, expiration = (loaded.get(name) for name in names)
    for text in (key_id, secret, security_token, expiration):
        if not (text is None or isinstance(text, str)) or not is_word(text or "x"):
            raise ValueError("not a word")
    if not key_id or not secret:
        raise ValueError("missing")
    expires = datetime.strptime(expiration, _EXPIRATION).replace(tzinfo=timezone.utc) if expiration else None
    return AccessKey(key_id, secret, security_token, expires)


def region_of(host: str) -> str | None:
    """The region that is part of a host name, or None.

    Examples
    --------
    >>> region_of("cn-hangzhou-vpc.dlf.aliyuncs.com"), region_of("dlfnext.ap-southeast-1.aliyuncs.com")
    ('cn-hangzhou', 'ap-southeast-1')
    """
    found = _REGION.search(host)
    return found[1] if found else None


def default_headers(request: UnsignedRequest, key: AccessKey, region: str, now: datetime) -> dict[str, str]:
    """Headers of a request with the signature ``DLF4-HMAC-SHA256``.

    Parameters
    ----------
    request, key
        What is signed, and with what.
    region
        Such as ``cn-hangzhou``.
    now
        Time of the signature, with a time zone.
    """
    moment = now.astimezone(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    headers = {
        "x-dlf-date": moment,
        "x-dlf-content-sha256": "UNSIGNED-PAYLOAD",
        "x-dlf-version": "v1",
        **_content_headers(request.body),
    }
    if key.security_token is not None:
        headers["x-dlf-security-token"] = key.security_token
    # The values are escaped here as they are in the address of the request.
    query = "&".join(
        f"{name}={quote(value, safe='')}" if value else name for name, value in sorted(request.query.items())
    )
    signed = sorted((name.lower(), value.strip()) for name, value in headers.items())
    canonical = "\n".join(
        [
            request.method,
            request.path,
            query,
            *(f"{name}:{value}" for name, value in signed),
            headers["x-dlf-content-sha256"],
        ]
    )
    scope = (moment[:8], region, _PRODUCT, _REQUEST_TYPE)
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = "\n".join([_DEFAULT_ALGORITHM, moment, "/".join(scope), digest])
    signature = reduce(_hmac_sha256, (*scope, text), f"aliyun_v4{key.secret}".encode()).hex()
    credential = "/".join((key.id, *scope))
    headers["Authorization"] = f"{_DEFAULT_ALGORITHM} Credential={credential},Signature={signature}"
    return headers


def openapi_headers(request: UnsignedRequest, key: AccessKey, nonce: str, now: datetime) -> dict[str, str]:
    """Headers of a request with the signature of the older OpenAPI gateway, HMAC-SHA1.

    Parameters
    ----------
    request, key
        What is signed, and with what.
    nonce
        A text that no other request has.
    now
        Time of the signature, with a time zone.
    """
    utc = now.astimezone(timezone.utc)
    day = f"{_WEEKDAYS[utc.weekday()]}, {utc.day:02d} {_MONTHS[utc.month - 1]} {utc.year:04d}"
    special = {
        "x-acs-signature-method": "HMAC-SHA1",
        "x-acs-signature-nonce": nonce,
        "x-acs-signature-version": "1.0",
        "x-acs-version": _OPENAPI_VERSION,
    }
    if key.security_token is not None:
        special["x-acs-security-token"] = key.security_token
    headers = {
        "Date": f"{day} {utc:%H:%M:%S} GMT",
        "Accept": "application/json",
        **_content_headers(request.body),
        **special,
    }
    query = "&".join(f"{name}={value}" if value else name for name, value in sorted(request.query.items()))
    resource = unquote_plus(request.path) + (f"?{query}" if query else "")
    text = "\n".join(
        [
            request.method,
            *(headers.get(name, "") for name in ("Accept", "Content-MD5", "Content-Type", "Date")),
            *(f"{name}:{value.strip()}" for name, value in sorted(special.items())),
            resource,
        ]
    )
    signature = base64.b64encode(hmac.new(key.secret.encode(), text.encode(), hashlib.sha1).digest())
    headers["Authorization"] = f"acs {key.id}:{signature.decode()}"
    return headers


def _content_headers(body: bytes) -> dict[str, str]:
    if not body:
        return {}
    digest = hashlib.md5(body, usedforsecurity=False).digest()
    return {"Content-Type": "application/json", "Content-MD5": base64.b64encode(digest).decode()}


def _hmac_sha256(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
