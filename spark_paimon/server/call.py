"""One request as the handlers see it, and answers that come in pages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from spark_paimon import errors
from spark_paimon.catalog.models import Identifier
from spark_paimon.catalog.wire.partitions import BATCH
from spark_paimon.server.refusals import malformed
from spark_paimon.storage import is_absolute

PAGE = 100
"""Elements of a page when the client names no number."""

_MOST_PARAMETERS = 50
_MOST_DIGITS = 18
_WHOLE_NUMBER = re.compile(r"-?[0-9]+")


def read_query(query: bytes) -> dict[str, str]:
    """Parameters of a query; of a repeated one the last counts.

    Raises
    ------
    RequestRefused
        400: too many of them, or text that no name in the catalog can be.

    Examples
    --------
    >>> read_query(b"pageToken=a+b%2Fc&maxResults=")
    {'pageToken': 'a b/c', 'maxResults': ''}
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS
        )
    except ValueError:
        raise malformed("its query is no form-encoded UTF-8 text of a few parameters") from None
    if any("\0" in text for _, text in pairs):
        raise malformed("its query holds a NUL character")
    return dict(pairs)


@dataclass(frozen=True)
class Page:
    """Which part of a listing is asked for.

    Parameters
    ----------
    limit
        Most elements of the answer.
    after
        Token of the page before; None for the first page.
    """

    limit: int
    after: str | None

    @classmethod
    def of(cls, limit: str | float | None, token: str | None) -> Page:
        """Read what a client sent; no number, or one below 1, asks for as many as the server likes.

        Raises
        ------
        RequestRefused
            400: the number is none.

        Examples
        --------
        >>> Page.of("5000", ""), Page.of(None, "t")
        (Page(limit=1000, after=None), Page(limit=100, after='t'))
        """
        number = 0
        if isinstance(limit, str):
            if not _WHOLE_NUMBER.fullmatch(limit):
                raise malformed(f"maxResults is {limit[:50]!r}, which is not a whole number")
            # More digits say no more, and would take time.
            number = int(limit[:_MOST_DIGITS])
        elif limit:
            number = int(limit)
        return cls(min(number, BATCH) if number > 0 else PAGE, token or None)

    def cut(self, names: Sequence[str]) -> tuple[Sequence[str], str | None]:
        """The page of a sorted list of names, and the token of the next one.

        Examples
        --------
        >>> Page(2, "a").cut(["a", "b", "c", "d"])
        (['b', 'c'], 'c')
        """
        start = 0 if self.after is None else bisect_right(names, self.after)
        found = names[start : start + self.limit]
        return found, found[-1] if start + self.limit < len(names) else None


def check_absolute(location: str | None) -> None:
    """Refuse a place that depends on the directory in which the server happens to run.

    Raises
    ------
    InvalidInputError
        ``LOCATION_INVALID``.

    Examples
    --------
    >>> check_absolute("s3://bucket/x")
    >>> check_absolute("../x")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    spark_paimon.errors.InvalidInputError: [LOCATION_INVALID] ...
    """
    if location is not None and not is_absolute(location):
        reason = "it is relative, and the server is somewhere else"
        raise errors.InvalidInputError("LOCATION_INVALID", location=location, reason=reason)


@dataclass(frozen=True)
class Call:
    """A request.

    Parameters
    ----------
    parameters
        Decoded parts of the path by name.
    query
        Parameters behind the question mark.
    body
        Decoded JSON, already checked against the document of the protocol.
    """

    parameters: Mapping[str, str]
    query: Mapping[str, str]
    body: Any = None

    @property
    def database(self) -> str:
        """Database that the path names."""
        return self.parameters["database"]

    @property
    def table(self) -> Identifier:
        """Table that the path names."""
        return Identifier(self.database, self.parameters["table"])

    @property
    def page(self) -> Page:
        """Page that is asked for, in the query or in the body."""
        source = self.body if isinstance(self.body, Mapping) and "maxResults" in self.body else self.query
        return Page.of(source.get("maxResults"), source.get("pageToken"))
