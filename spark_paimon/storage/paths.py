"""Hadoop Path strings: one spelling for each place."""

from __future__ import annotations

import os
import posixpath
import re
from urllib.parse import urlsplit

from spark_paimon import errors

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")


def _normal(path: str) -> str:
    """``path`` as an absolute path without doubled slashes, ``.``, ``..`` and trailing slash."""
    # posixpath.normpath keeps exactly two leading slashes, which POSIX allows to be special; not so here.
    return posixpath.normpath("/" + path.lstrip("/"))


def is_absolute(text: str) -> bool:
    """Whether a location is the same place whatever the working directory is.

    Examples
    --------
    >>> is_absolute("/a"), is_absolute("s3://b/c"), is_absolute("a/b"), is_absolute("production")
    (True, True, False, False)
    """
    return text.startswith("/") or _SCHEME.match(text) is not None


def qualify(location: str | os.PathLike[str]) -> str:
    """Return the one spelling of a location.

    Parameters
    ----------
    location
        Absolute or relative local path, or a URI-like Hadoop Path. Percent signs are literal characters.

    Returns
    -------
    str
        ``file:/abs/path`` for local paths, ``scheme://authority/path`` for others, without trailing slash.

    Raises
    ------
    InvalidInputError
        ``LOCATION_INVALID``: empty, a ``file`` location with a host, or a relative path behind a scheme.

    Examples
    --------
    >>> qualify("/a//b/"), qualify("file:///a/b"), qualify("S3A://bucket/a%20b/")
    ('file:/a/b', 'file:/a/b', 's3a://bucket/a%20b')
    """
    text = os.fspath(location)
    if not text.strip():
        raise errors.InvalidInputError("LOCATION_INVALID", location=text, reason="it is empty")
    match = _SCHEME.match(text)
    if match is None:
        return "file:" + _normal(os.path.abspath(text))  # noqa: PTH100 - resolve() would follow links
    scheme, rest = match.group(1).lower(), text[match.end() :]
    if not rest.startswith("/"):
        raise errors.InvalidInputError(
            "LOCATION_INVALID",
            location=_without_secrets(text),
            reason="a path behind a scheme must be absolute",
        )
    authority = ""
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
    if scheme == "file":
        if authority:
            raise errors.InvalidInputError(
                "LOCATION_INVALID", location=text, reason="a file location has no host"
            )
        return "file:" + _normal(rest)
    path = _normal(rest)
    if not authority:
        return f"{scheme}:{path}"
    return f"{scheme}://{authority}" + ("" if path == "/" else path)


def _without_secrets(location: str) -> str:
    return re.sub(r"//[^/@]*:[^/@]*@", "//***@", location)


def scheme_of(location: str) -> str:
    """Scheme of a location in lower case; ``file`` for a plain path.

    Examples
    --------
    >>> scheme_of("file:/a"), scheme_of("/a:b"), scheme_of("s3a://bucket/a")
    ('file', 'file', 's3a')
    """
    match = _SCHEME.match(location)
    return match.group(1).lower() if match else "file"


def local_path(location: str) -> str:
    """Operating system path of a ``file`` location, every character of it literal.

    Examples
    --------
    >>> local_path("file:/a/dt=a%3Ab"), local_path("/a/b "), local_path("file:///a")
    ('/a/dt=a%3Ab', '/a/b ', '/a')
    """
    if location.startswith("file:"):
        return "/" + location[len("file:") :].lstrip("/")
    if not location.startswith("/"):
        raise errors.InvalidInputError(
            "LOCATION_INVALID", location=location, reason="it is not a local location"
        )
    return location


def join(location: str, relative: str) -> str:
    """Return the place ``relative`` (one component or several) below ``location``.

    Examples
    --------
    >>> join("file:/a", "dt=1/hh=2"), join("file:/", "b"), join("file:/a", "")
    ('file:/a/dt=1/hh=2', 'file:/b', 'file:/a')
    """
    if not relative:
        return location
    return (location if location.endswith("/") else location + "/") + relative.lstrip("/")


def parent(location: str) -> str:
    """Directory that holds ``location``.

    Examples
    --------
    >>> parent("file:/a/b"), parent("file:/a"), parent("s3a://bucket/a")
    ('file:/a', 'file:/', 's3a://bucket')
    """
    head, _, _ = location.rpartition("/")
    return head + "/" if head.endswith(":") or not head else head


def name_of(location: str) -> str:
    """Last component of ``location``.

    Examples
    --------
    >>> name_of("file:/a/dt=1")
    'dt=1'
    """
    return location.rpartition("/")[2]


def is_below(path: str, location: str) -> bool:
    """Whether ``path`` lies strictly below ``location``; both as :func:`qualify` spells them.

    Examples
    --------
    >>> is_below("file:/a/b", "file:/a"), is_below("file:/ab", "file:/a"), is_below("file:/a", "file:/a")
    (True, False, False)
    """
    prefix = location if location.endswith("/") else location + "/"
    return path.startswith(prefix) and len(path) > len(prefix)


def authority_of(location: str) -> str:
    """Bucket or host part of a location; empty for local ones.

    Examples
    --------
    >>> authority_of("s3a://bucket/a"), authority_of("file:/a")
    ('bucket', '')
    """
    match = _SCHEME.match(location)
    if match is None or not location[match.end() :].startswith("//"):
        return ""
    return urlsplit("x:" + location[match.end() :].partition("?")[0].partition("#")[0]).netloc
