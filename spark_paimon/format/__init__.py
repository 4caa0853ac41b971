"""File formats: one module a format, found by name.

A format that this version knows by name but cannot store yet is refused with its own sentence, so that the
difference between a typing mistake and a missing feature shows. A new format is one module that holds a
:class:`FileFormat` and one row in ``_BUILT``.
"""

from __future__ import annotations

import importlib
from functools import cache

from spark_paimon import errors
from spark_paimon.format.base import FileFormat
from spark_paimon.options import TableOptions
from spark_paimon.options.kinds import FILE_FORMAT

__all__ = ["FileFormat", "built_formats", "file_format", "parse_format", "resolve_compression"]

_BUILT = {"parquet": "spark_paimon.format.parquet"}


def built_formats() -> str:
    """Names of the formats that this version reads and writes, for messages.

    Examples
    --------
    >>> built_formats()
    'PARQUET'
    """
    return ", ".join(sorted(name.upper() for name in _BUILT))


def parse_format(text: str | None) -> str:
    """Lower-case name of a known format.

    Raises
    ------
    UnsupportedError
        ``FILE_FORMAT_UNSUPPORTED``: not a format of format tables (avro is not), or no name at all.

    Examples
    --------
    >>> parse_format("Parquet")
    'parquet'
    """
    name: str = FILE_FORMAT.parse(text or "", "file.format")
    return name


@cache
def file_format(name: str) -> FileFormat:
    """Return what this version can do with files of a format.

    Raises
    ------
    UnsupportedError
        ``FILE_FORMAT_UNSUPPORTED``, or ``FORMAT_NOT_BUILT`` for a format that is planned but not there.

    Examples
    --------
    >>> file_format("PARQUET").extension
    'parquet'
    """
    known = parse_format(name)
    module = _BUILT.get(known)
    if module is None:
        raise errors.UnsupportedError("FORMAT_NOT_BUILT", format=known.upper(), supported=built_formats())
    implementation: FileFormat = importlib.import_module(module).FORMAT
    return implementation


def resolve_compression(options: TableOptions, format_name: str) -> str:
    """Codec of the files that a writer makes, in lower case: the option, otherwise the default of the format.

    Raises
    ------
    InvalidInputError
        ``OPTION_MALFORMED``: a codec that the format does not have.

    Examples
    --------
    >>> resolve_compression(TableOptions({"compression": "ZSTD"}), "parquet")
    'zstd'
    >>> resolve_compression(TableOptions({}), "parquet")
    'snappy'
    """
    implementation = file_format(format_name)
    text: str | None = options.get("file.compression")
    if text is None:
        return implementation.default_compression
    codec = text.strip().lower()
    if codec not in implementation.codecs:
        expected = f"a codec of {format_name.upper()} (" + ", ".join(implementation.codecs) + ")"
        raise errors.InvalidInputError(
            "OPTION_MALFORMED", key="file.compression", value=text, expected=expected
        )
    return codec
