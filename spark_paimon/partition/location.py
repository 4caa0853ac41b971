"""Locations of partitions outside of their table: one spelling for each, and what must not overlap.

The rules are those of section 4.1.2 of Paimon's contract for custom partition locations. Two places are the
same when the file system would say so: ``s3``, ``s3a`` and ``s3n`` are one, ``abfs`` and ``abfss`` too, the
host of a place has no case, and a name ends with its slash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

from spark_paimon import errors

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):(?://([^/]*))?(/.*)?", re.DOTALL)
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SAME_SYSTEM = {"abfss": "abfs", "s3a": "s3", "s3n": "s3"}
_WITHOUT_HOST = ("file",)
_CONTAINERS = ("abfs", "abfss")
_HDFS_PORT = ":8020"
_FORBIDDEN = "?#\\"

Place = tuple[str, ...]
"""File system, host, and the names of a path: what is compared."""


def canonical_location(text: str) -> str:
    """Return the one spelling of a location that a user gives for a partition.

    Parameters
    ----------
    text
        An absolute URI. Percent escapes are decoded, exactly once.

    Returns
    -------
    str
        Hadoop Path string: scheme and host in lower case, no doubled slashes, none at the end.

    Raises
    ------
    InvalidInputError
        ``PARTITION_LOCATION_MALFORMED``: it is relative, names no host where one is needed, carries
        credentials, or could mean another place than it seems to.

    Examples
    --------
    >>> canonical_location("OSS://BUCKET//archive///%64t%3D2026%2Fmonth%3D09/")
    'oss://bucket/archive/dt=2026/month=09'
    >>> canonical_location("file:///data/x")
    'file:/data/x'
    """
    if not text:
        raise _malformed(text, "it is empty")
    if text != text.strip() or _is_space(text[0]) or _is_space(text[-1]):
        raise _malformed(text, "it begins or ends with white space")
    _check_characters(text, text)
    found = _URI.fullmatch(text)
    if found is None:
        raise _malformed(text, "it is no absolute URI such as file:/data/x or s3://bucket/x")
    scheme, host, path = found.group(1).lower(), found.group(2), found.group(3) or ""
    host = _host(text, scheme, host or "")
    _check_segments(text, path)
    path = _decoded(text, path)
    _check_characters(text, path)
    _check_segments(text, path)
    names = [name for name in path.split("/") if name]
    if not names:
        raise _malformed(text, "it is the root of its file system")
    if _is_space(names[-1][-1]):
        raise _malformed(text, "it ends with white space")
    start = f"{scheme}://{host}" if host else f"{scheme}:"
    return start + "/" + "/".join(names)


def _host(text: str, scheme: str, host: str) -> str:
    if scheme == "viewfs":
        raise _malformed(text, "what a viewfs location stands for depends on who looks")
    if "%" in host:
        raise _malformed(text, "its host is escaped")
    container, at, account = host.rpartition("@")
    if at and (scheme not in _CONTAINERS or not container or ":" in container or not account):
        raise _malformed(text, "it carries a user or a password; credentials are options of the catalog")
    host = host.lower()
    port = host.rpartition(":")[2] if ":" in host and not host.endswith("]") else "0"
    if not (port.isascii() and port.isdigit()):
        # Perhaps a user and the first part of a password with a slash.
        raise _malformed(text, "its port is no number")
    if scheme in _WITHOUT_HOST:
        if host:
            raise _malformed(text, f"a {scheme} location has no host")
    elif not host:
        raise _malformed(text, f"a {scheme} location must name its host or bucket: {scheme}://name/…")
    if scheme == "hdfs":
        host = host.removesuffix(_HDFS_PORT)
    return host


def _check_characters(text: str, part: str) -> None:
    for character in part:
        if character in _FORBIDDEN or unicodedata.category(character) in ("Cc", "Cs"):
            raise _malformed(text, f"it contains {character!r}")


def _check_segments(text: str, path: str) -> None:
    if any(name in (".", "..") for name in path.split("/")):
        raise _malformed(text, "a part of its path is '.' or '..'")


def _decoded(text: str, path: str) -> str:
    if _ESCAPE.search(path):
        raise _malformed(text, "it contains a '%' that begins no escape")
    try:
        decoded = unquote_to_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise _malformed(text, "its escapes are no UTF-8") from None
    if "%" in decoded:
        raise _malformed(text, "it is escaped twice")
    return decoded


def _is_space(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Zs", "Zl", "Zp")


def _malformed(text: str, reason: str) -> errors.InvalidInputError:
    # What follows a question mark is often a signature, and secret keys may contain slashes.
    shown = re.sub(r"[?#].*", "…", text, flags=re.DOTALL)
    start, slashes, rest = shown.partition("//")
    _, at, after = rest.rpartition("@")
    if at:
        shown = f"{start}{slashes}***@{after}"
    return errors.InvalidInputError("PARTITION_LOCATION_MALFORMED", location=shown, reason=reason)


def place_of(location: str) -> Place:
    """Return what is compared of a Hadoop Path string.

    Examples
    --------
    >>> place_of("s3a://Bucket/a/b")
    ('s3', 'bucket', 'a', 'b')
    """
    found = _URI.fullmatch(location)
    if found is None:
        return ("file", "", *(name for name in location.split("/") if name))
    scheme, host, path = found.group(1).lower(), (found.group(2) or "").lower(), found.group(3) or ""
    if scheme == "hdfs":
        host = host.removesuffix(_HDFS_PORT)
    return (_SAME_SYSTEM.get(scheme, scheme), host, *(name for name in path.split("/") if name))


def overlap(one: str, other: str) -> bool:
    """Whether two locations are the same or one lies in the other.

    Examples
    --------
    >>> overlap("s3a://b/x", "s3://b/x/y"), overlap("file:/a-b", "file:/a")
    (True, False)
    """
    first, second = place_of(one), place_of(other)
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]


class Occupied:
    """Places that are taken, as a tree of their names: adding one looks at its own names only.

    Examples
    --------
    >>> taken = Occupied()
    >>> taken.add("s3://b/x/y", "dt=1"), taken.add("s3a://b/x", "dt=2"), taken.add("s3://b/xy", "dt=3")
    (None, 'dt=1', None)
    """

    def __init__(self, taken: Iterable[tuple[str, str]] = ()) -> None:
        self._root: _Node = _Node()
        for location, owner in taken:
            self.add(location, owner)

    def add(self, location: str, owner: str) -> str | None:
        """Take a place, unless it overlaps with one that is taken: then say whose that is."""
        node = self._root
        for name in place_of(location):
            if node.owner is not None:
                return node.owner
            node = node.below.setdefault(name, _Node())
        if node.owner is not None or node.below:
            return node.any_owner()
        node.owner = owner
        return None


class _Node:
    __slots__ = ("below", "owner")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.owner: str | None = None

    def any_owner(self) -> str | None:
        node = self
        while node.owner is None and node.below:
            node = next(iter(node.below.values()))
        return node.owner
