"""What a file really is, by its first and last bytes.

The format of a partition comes from the catalog and never from a file; a file that is visibly something else
is an error, and never read as garbage.
"""

from __future__ import annotations

from typing import Any

from spark_paimon import errors
from spark_paimon.format.base import FileSlice

#: Codecs by which a text file is decompressed though the ending of its name does not tell.
CODECS = ("gzip", "bzip2", "zstd", "lz4")

# Behind the level comes the mark of the first block, or of the end where there is none. All of these bytes
# together, as some of them are letters that a line of text may begin with.
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
_MAGIC_HEADS: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "parquet"),
    (b"PARE", "parquet"),
    (b"ORC", "orc"),
    (b"Obj\x01", "avro"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    *((b"BZh%d%b" % (level, block), "bzip2") for level in range(1, 10) for block in _BZIP2_BLOCKS),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
    (b"\xfd7zXZ\x00", "xz"),
)
# A MOSAIC file begins with its data, which often is a zstd frame: only its end tells: ends are asked first.
_MAGIC_TAILS: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "parquet"),
    (b"PARE", "parquet"),
    (b"MOSA", "mosaic"),
)
# A line of text may begin or end with these letters: the bytes beside them tell.
_TEXTUAL = (b"ORC", b"PAR1", b"PARE", b"MOSA")

#: Bytes of the beginning and of the end that :func:`found_format` wants to see.
HEAD_LENGTH = max(len(magic) for magic, _ in _MAGIC_HEADS)
TAIL_LENGTH = 8


def found_format(head: bytes, tail: bytes = b"") -> str | None:
    r"""Name of the file format or codec that the bytes give away; None where they could be text.

    Parameters
    ----------
    head, tail
        First and last bytes of the file.

    Examples
    --------
    >>> found_format(b"PAR1\x15\x04\x15\x00", b"\x00\x01\x00\x00PAR1")
    'parquet'
    >>> found_format(b"ORC,2\n3,4\n", b"\n3,4,MOSA") is None
    True
    """
    for magic, name in _MAGIC_TAILS:
        if tail.endswith(magic) and not (magic in _TEXTUAL and _is_text(tail)):
            return name
    for magic, name in _MAGIC_HEADS:
        if head.startswith(magic):
            return None if magic in _TEXTUAL and _is_text(head) else name
    return None


def _is_text(data: bytes) -> bool:
    return all(byte >= 32 or byte in b"\t\r\n" for byte in data)


def signatures() -> dict[str, Any]:
    """The marks as hexadecimal texts, for the tasks that look at files without Python.

    Each mark has a name, and whether a line of text may begin or end with it.

    Examples
    --------
    >>> signatures()["tails"][-1]
    ('4d4f5341', 'mosaic', True)
    """
    return {
        "heads": [(magic.hex(), name, magic in _TEXTUAL) for magic, name in _MAGIC_HEADS],
        "tails": [(magic.hex(), name, magic in _TEXTUAL) for magic, name in _MAGIC_TAILS],
        "head_length": HEAD_LENGTH,
        "tail_length": TAIL_LENGTH,
        "codecs": CODECS,
    }


def mismatch(file: FileSlice, table: str, expected: str, found: str | None) -> errors.IllegalStateError:
    """The error for a file that is not of the format of its partition."""
    return errors.IllegalStateError(
        "FILE_FORMAT_MISMATCH",
        path=file.path,
        partition=file.partition or "(unpartitioned)",
        table=table,
        expected=expected.upper(),
        found=(found or "something else").upper() if found else "something else",
    )
