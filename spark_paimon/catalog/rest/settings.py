"""Options of a REST catalog that the transport uses: headers, time-outs, certificates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from spark_paimon import errors
from spark_paimon.catalog.wire.failures import shown
from spark_paimon.options import catalog_option

_HEADER_PREFIX = "header."
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OWN_HEADERS = ("connection", "content-length", "host", "transfer-encoding")


def header_options(options: Mapping[str, str]) -> dict[str, str]:
    """Headers that go with each request: the options ``header.<name>``.

    Raises
    ------
    InvalidInputError
        ``REST_HEADER_INVALID``; the value is not shown.

    Examples
    --------
    >>> header_options({"header.x-team": "web", "uri": "http://localhost"})
    {'x-team': 'web'}
    """
    found = {}
    for key, text in options.items():
        if not key.lower().startswith(_HEADER_PREFIX):
            continue
        name, value = key[len(_HEADER_PREFIX) :], text.strip()
        if not _HEADER_NAME.fullmatch(name):
            raise _bad_header(key, "its name is no name of a header")
        if name.lower() in _OWN_HEADERS:
            raise _bad_header(key, "this header is set for each request")
        if not (value.isascii() and value.isprintable()):
            raise _bad_header(key, "its value has line breaks, or characters other than ASCII")
        found[name] = value
    return found


def _bad_header(key: str, reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("REST_HEADER_INVALID", option=shown(key, 100), reason=reason)


def seconds_option(options: Mapping[str, str], key: str) -> float:
    """Seconds of an option that is a time span and more than nothing.

    Examples
    --------
    >>> seconds_option({"rest.read-timeout": "1500 ms"}, "rest.read-timeout")
    1.5
    """
    span: timedelta = catalog_option(options, key)
    if span <= timedelta(0):
        raise errors.InvalidInputError(
            "OPTION_MALFORMED", key=key, value=options[key], expected="longer than nothing"
        )
    return span.total_seconds()


def ca_file_option(options: Mapping[str, str]) -> str | None:
    """The file with certificates of authorities, or None for the usual ones."""
    path: str | None = catalog_option(options, "rest.ca-file")
    if path is not None and not Path(path).is_file():
        raise errors.InvalidInputError(
            "OPTION_MALFORMED", key="rest.ca-file", value=path, expected="a file with certificates"
        )
    return path
