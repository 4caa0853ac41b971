"""File formats: one module a format, found by name.

A new format is one module that holds a :class:`FileFormat`, and a name in ``FILE_FORMATS``.
"""

from __future__ import annotations

import importlib
from functools import cache

from spark_paimon import errors
from spark_paimon.format.base import FileFormat
from spark_paimon.options import TableOptions
from spark_paimon.options.kinds import FILE_FORMAT

__all__ = ["FileFormat", "file_format", "parse_format", "resolve_compression"]


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
    """Return what can be done with files of a format.

    Raises
    ------
    UnsupportedError
        ``FILE_FORMAT_UNSUPPORTED``.

    Examples
    --------
    >>> file_format("PARQUET").name
    'parquet'
    """
    module = importlib.import_module(f"{__name__}.{parse_format(name)}")
    implementation: FileFormat = module.FORMAT
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
