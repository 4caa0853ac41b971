"""Names as one segment of a request path.

A segment is form-encoded, as Java's clients do it: a space is ``+``, and ``/`` and ``$`` are escaped, so that
a name is always exactly one segment.
"""

from __future__ import annotations

from urllib.parse import quote_plus, unquote_plus

from spark_paimon import errors


def encode_segment(name: str) -> str:
    """The path segment of a name.

    Raises
    ------
    InvalidInputError
        ``REST_NAME_INVALID``: the name is empty, ``.`` or ``..``, which anything between client and server
        may fold away, or no valid Unicode text.

    Examples
    --------
    >>> encode_segment("a b/c$d")
    'a+b%2Fc%24d'
    """
    if name in ("", ".", ".."):
        raise errors.InvalidInputError("REST_NAME_INVALID", name=name, reason="it cannot be part of a path")
    try:
        return quote_plus(name, safe="*").replace("~", "%7E")
    except UnicodeEncodeError:
        reason = "it is no valid Unicode text"
        raise errors.InvalidInputError("REST_NAME_INVALID", name=ascii(name), reason=reason) from None


def decode_segment(segment: str) -> str:
    """The name that a raw path segment stands for; the inverse of :func:`encode_segment`.

    Raises
    ------
    InvalidInputError
        ``REST_NAME_INVALID``: its bytes are not UTF-8.

    Examples
    --------
    >>> decode_segment("a+b%2Fc%24d")
    'a b/c$d'
    """
    try:
        return unquote_plus(segment, errors="strict")
    except UnicodeDecodeError:
        reason = "its bytes are not UTF-8"
        raise errors.InvalidInputError("REST_NAME_INVALID", name=ascii(segment), reason=reason) from None
