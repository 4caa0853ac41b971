"""The marks that give files away, and the table of them that crosses to the tasks of Spark."""

from __future__ import annotations

import bz2
import gzip

import pyarrow as pa
import pytest

from spark_paimon.format.signature import CODECS, HEAD_LENGTH, TAIL_LENGTH, found_format, signatures

FILES = [
    (b"PAR1\x15\x04\x15\x00", "parquet"),
    (b"\x01\x02\x00\x00PAR1", "parquet"),
    (b"ORC\x08\x03", "orc"),
    (b"\x28\xb5\x2f\xfd\x20\x05\x01\x01\x00\x00MOSA", "mosaic"),
    (gzip.compress(b"a", mtime=0), "gzip"),
    (pa.compress(b"a", "zstd", asbytes=True), "zstd"),
    (bz2.compress(b"a"), "bzip2"),
    (bz2.compress(b"a", 1), "bzip2"),
    (bz2.compress(b""), "bzip2"),
    (b"", None),
    (b"BZh", None),
    (b"BZh91AY&S\n", None),
    (b"BZh01AY&SY", None),
    (b"ORC,1\n2", None),
    (b"PAR1", None),
    (b"MOSA", None),
    (b"1,2\n3,PAR1", None),
    ("\u00e9\u00e9\u00e9,MOSA".encode(), None),
]


def by_table(content: bytes) -> str | None:
    """What Signatures.java does with the table."""
    table = signatures()
    head, tail = content[: table["head_length"]], content[-table["tail_length"] :]
    for marks, part, matches in (
        (table["tails"], tail, bytes.endswith),
        (table["heads"], head, bytes.startswith),
    ):
        for mark, name, textual in marks:
            is_text = all(byte >= 32 or byte in b"\t\r\n" for byte in part)
            if matches(part, bytes.fromhex(mark)) and not (textual and is_text):
                return str(name)
    return None


@pytest.mark.parametrize(("content", "found"), FILES)
def test_what_a_file_is(content: bytes, found: str | None) -> None:
    assert found_format(content[:HEAD_LENGTH], content[-TAIL_LENGTH:]) == found
    assert by_table(content) == found


def test_every_codec_has_a_mark() -> None:
    assert set(CODECS) < {name for _, name, _ in signatures()["heads"]}
