"""How the CSV files of a table are written: the options with their meaning, checked against each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from spark_paimon import errors
from spark_paimon.options import TableOptions

_CHARACTERS = ("csv.quote-character", "csv.escape-character")
_DELIMITERS = ("csv.field-delimiter", "csv.line-delimiter")


@dataclass(frozen=True)
class Dialect:
    """Delimiters and the like, as bytes of UTF-8.

    Parameters
    ----------
    field, line
        Between fields and between lines; of any length.
    quote, escape
        One character each; the same one where only doubled quotes are meant.
    null
        Text of NULL, which counts only without quotes.
    header
        Whether a file begins with a line of names.
    mode
        PERMISSIVE, DROPMALFORMED or FAILFAST.

    Examples
    --------
    >>> Dialect.of(TableOptions({"sep": ";"})).field
    b';'
    """

    field: bytes
    line: bytes
    quote: bytes
    escape: bytes
    null: bytes
    header: bool
    mode: str

    @classmethod
    def of(cls, options: TableOptions) -> Dialect:
        """Dialect of the options of a table."""
        field, line = (options.get(key).encode() for key in _DELIMITERS)
        quote, escape = (options.get(key).encode() for key in _CHARACTERS)
        null = options.get("csv.null-literal").encode()
        return cls(
            field, line, quote, escape, null, options.get("csv.include-header"), options.get("csv.mode")
        )

    @cached_property
    def separable(self) -> bool:
        """Whether every occurrence of the line delimiter outside quotes is one, wherever a search begins."""
        overlaps = any(self.line.endswith(self.line[:at]) for at in range(1, len(self.line)))
        return not overlaps and not set(self.field) & set(self.line)

    @cached_property
    def simple(self) -> bool:
        """Whether field delimiter, quote and escape are single bytes."""
        return self.separable and len(self.field) == len(self.quote) == len(self.escape) == 1


def check(options: TableOptions) -> None:
    """Refuse options that cannot work together.

    Raises
    ------
    InvalidInputError
        ``OPTION_MALFORMED``: a quote or escape of several characters. ``OPTIONS_AMBIGUOUS``: two of the
        delimiters, quote, escape and null literal could not be told apart in a file.

    Examples
    --------
    >>> check(TableOptions({"sep": '"'}))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    spark_paimon.errors.InvalidInputError: [OPTIONS_AMBIGUOUS] ...
    """
    texts = {key: options.get(key) for key in (*_DELIMITERS, *_CHARACTERS)}
    for key in _CHARACTERS:
        if len(texts[key]) != 1:
            raise errors.InvalidInputError(
                "OPTION_MALFORMED", key=key, value=texts[key], expected="a single character"
            )
        for delimiter in _DELIMITERS:
            if texts[key] in texts[delimiter]:
                raise _ambiguous(key, delimiter, "the one is part of the other")
        if texts[key] in "\r\n":
            raise _ambiguous(key, "csv.line-delimiter", "a line break cannot have another meaning")
    field, line = (texts[key] for key in _DELIMITERS)
    if field in line or line in field:
        raise _ambiguous(*_DELIMITERS, "the one is part of the other")
    if line == "\n" and "\r" in field:
        raise _ambiguous(*_DELIMITERS, "a carriage return before the line feed belongs to the line end")
    null = options.get("csv.null-literal")
    if texts["csv.quote-character"] in null:
        raise _ambiguous("csv.null-literal", "csv.quote-character", "the one is part of the other")
    for delimiter in _DELIMITERS:
        if texts[delimiter][0] in null:
            raise _ambiguous("csv.null-literal", delimiter, "NULL would end a field or line")
    if "\r" in null:
        raise _ambiguous("csv.null-literal", "csv.line-delimiter", "NULL would end a line")


def _ambiguous(first: str, second: str, reason: str) -> errors.InvalidInputError:
    return errors.InvalidInputError("OPTIONS_AMBIGUOUS", first=first, second=second, reason=reason)
